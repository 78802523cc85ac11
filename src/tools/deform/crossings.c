/*
  Crossings of the edges of one side with the faces of the other, by exact predicates. Side 1 is translated by (e, e^2, e^3) with an
  infinitesimal e > 0: no predicate is 0 unless a face has no area in exact arithmetic; such a face is never crossed.
*/
#include <abut/geom.h>
#include "pairimpl.h"

static void Project(const PetscReal a[3], PetscInt axis, PetscReal b[2])
{
  b[0] = a[(axis + 1) % 3];
  b[1] = a[(axis + 2) % 3];
}

/* Exact sign of a component of (b - a) x (d - c). */
static int CrossComponent(PetscInt axis, const PetscReal a[3], const PetscReal b[3], const PetscReal c[3], const PetscReal d[3])
{
  PetscReal p[4][2];

  Project(a, axis, p[0]);
  Project(b, axis, p[1]);
  Project(c, axis, p[2]);
  Project(d, axis, p[3]);
  return AbutCross2D(p[0], p[1], p[2], p[3]);
}

int AbutPlaneSide(const PetscReal *const face[3], const PetscReal x[3], int shift)
{
  const int sign = AbutOrient3D(face[0], face[1], face[2], x);

  if (PetscLikely(sign)) return sign;
  for (PetscInt axis = 0; axis < 3; axis++) {
    const int component = CrossComponent(axis, face[0], face[1], face[0], face[2]);

    if (component) return shift * component;
  }
  return 0;
}

/* Sign of det(q - p, a - p, b - p) for an edge pq of side 0 and an edge ab of side 1. */
static int EdgeSide(const PetscReal p[3], const PetscReal q[3], const PetscReal a[3], const PetscReal b[3])
{
  const int sign = AbutOrient3D(p, q, a, b);

  if (PetscLikely(sign)) return sign;
  for (PetscInt axis = 0; axis < 3; axis++) {
    const int component = CrossComponent(axis, a, b, p, q);

    if (component) return component;
  }
  return 0;
}

typedef struct {
  AbutDeformPair  *pair;
  PetscErrorCode   code;      /* first error of the traversal, which cannot return it */
  const int32_t   *number[2]; /* faces of the entities of both trees; NULL: they have the same numbers */
  PetscInt         face[2];
  const PetscReal *x[2][3];     /* vertices of the two faces */
  int              plane[2][3]; /* sides of the other face's plane on which they lie */
  int              sign[3][3];  /* EdgeSide() of the edges of both faces */
  PetscInt         num;         /* crossings of the two faces */
} FacePair;

/* Position of a crossing on its edge and in its face; rounded, from the vertices in the order of edge and face. */
static void SetPosition(FacePair *faces, AbutCrossing *crossing)
{
  const AbutDeformSurface surface = faces->pair->surface[crossing->side];
  const PetscReal        *p = &surface->x[3 * surface->edge[crossing->edge][0]], *q = &surface->x[3 * surface->edge[crossing->edge][1]];
  const PetscReal *const *v = faces->x[1 - crossing->side];
  PetscReal               u[2][3], n[3], x[3], below = 0, above = 0, sum = 0;
  PetscInt                axis = 0;

  for (PetscInt k = 0; k < 3; k++) {
    u[0][k] = v[1][k] - v[0][k];
    u[1][k] = v[2][k] - v[0][k];
  }
  for (PetscInt k = 0; k < 3; k++) {
    n[k] = u[0][(k + 1) % 3] * u[1][(k + 2) % 3] - u[0][(k + 2) % 3] * u[1][(k + 1) % 3];
    if (PetscAbsReal(n[k]) > PetscAbsReal(n[axis])) axis = k;
    below += n[k] * (p[k] - v[0][k]);
    above += n[k] * (q[k] - v[0][k]);
  }
  crossing->t = below == above ? 0.5 : PetscMax(0, PetscMin(1, below / (below - above)));
  for (PetscInt k = 0; k < 3; k++) x[k] = (1 - crossing->t) * p[k] + crossing->t * q[k];
  for (PetscInt k = 0; k < 3; k++) {
    const PetscReal *a = v[(k + 1) % 3], *b = v[(k + 2) % 3];
    const PetscInt   i = (axis + 1) % 3, j = (axis + 2) % 3;
    const PetscReal  area = (a[i] - x[i]) * (b[j] - x[j]) - (a[j] - x[j]) * (b[i] - x[i]);

    sum += crossing->bary[k] = PetscMax(0, n[axis] > 0 ? area : -area);
  }
  for (PetscInt k = 0; k < 3; k++) crossing->bary[k] = sum > 0 ? crossing->bary[k] / sum : 1. / 3;
}

/*
  Adds the crossing of edge k of the face on side s with the other face. The region inside is on the left of a piece on side 0: on the
  boundary of the face it starts where the boundary leaves the other body. On side 1 it is the other way round.
*/
static PetscErrorCode AddCrossing(FacePair *faces, PetscInt s, PetscInt k)
{
  AbutIntersectionCurve  *curve   = &faces->pair->curve;
  const AbutDeformSurface surface = faces->pair->surface[s];
  const PetscInt          e       = surface->face_edge[faces->face[s]][k];
  const PetscBool         leaves  = (PetscBool)(faces->plane[s][k] < 0);
  const PetscInt          at      = curve->num_crossings + (leaves == (PetscBool)(s == 0) ? 0 : 1);
  const PetscBool         forward = (PetscBool)(surface->edge[e][0] == surface->face[faces->face[s]][k]);
  AbutCrossing           *crossing;

  PetscFunctionBegin;
  PetscCall(AbutReserve(curve->num_crossings + 2, &curve->crossing_capacity, &curve->crossing));
  crossing  = &curve->crossing[at];
  *crossing = (AbutCrossing){.side = s, .edge = e, .face = faces->face[1 - s], .enters = (PetscBool)(leaves != forward)};
  SetPosition(faces, crossing);
  faces->num++;
  PetscFunctionReturn(0);
}

/* Tests the edges of both faces that cross the plane of the other face. */
static PetscErrorCode TestEdges(FacePair *faces)
{
  AbutIntersectionCurve *curve = &faces->pair->curve;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3; i++)
    for (PetscInt j = 0; j < 3; j++)
      faces->sign[i][j] = EdgeSide(faces->x[0][i], faces->x[0][(i + 1) % 3], faces->x[1][j], faces->x[1][(j + 1) % 3]);
  faces->num = 0;
  for (PetscInt s = 0; s < 2; s++) {
    for (PetscInt k = 0; k < 3; k++) {
      const int a = faces->sign[s ? 0 : k][s ? k : 0], b = faces->sign[s ? 1 : k][s ? k : 1], c = faces->sign[s ? 2 : k][s ? k : 2];

      if (faces->plane[s][k] != faces->plane[s][(k + 1) % 3] && a == b && b == c) PetscCall(AddCrossing(faces, s, k));
    }
  }
  if (!faces->num) PetscFunctionReturn(0);
  PetscCheck(faces->num == 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " crossings of two faces", faces->num);
  PetscCall(AbutReserve(curve->num_pieces + 1, &curve->piece_capacity, &curve->piece));
  curve->piece[curve->num_pieces++] = (AbutCurvePiece){{faces->face[0], faces->face[1]}, {curve->num_crossings, curve->num_crossings + 1}};
  curve->num_crossings += 2;
  PetscFunctionReturn(0);
}

/* Whether the vertices of the face on side s lie on both sides of the plane of the other face. */
static PetscBool Straddles(FacePair *faces, PetscInt s)
{
  int *plane = faces->plane[s];

  for (PetscInt k = 0; k < 3; k++) plane[k] = AbutPlaneSide(faces->x[1 - s], faces->x[s][k], s ? 1 : -1);
  return (PetscBool)(plane[0] * plane[1] < 0 || plane[1] * plane[2] < 0);
}

static PetscBool TestFacePairs(void *ctx, int count, const int32_t (*pairs)[2])
{
  FacePair *faces = ctx;

  for (int i = 0; i < count; i++) {
    for (PetscInt s = 0; s < 2; s++) {
      const AbutDeformSurface surface = faces->pair->surface[s];

      faces->face[s] = faces->number[s] ? faces->number[s][pairs[i][s]] : pairs[i][s];

      for (PetscInt k = 0; k < 3; k++) faces->x[s][k] = &surface->x[3 * surface->face[faces->face[s]][k]];
    }
    if (!Straddles(faces, 0) || !Straddles(faces, 1)) continue;
    faces->code = TestEdges(faces);
    if (faces->code) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ---- Regions of one surface: no face belongs to both */

/* Box of the vertices of a part. */
static void PartBox(const AbutDeformPair *pair, PetscInt side, PetscReal box[2][3])
{
  const AbutDeformSurface surface = pair->surface[side];

  for (PetscInt k = 0; k < 3; k++) {
    box[0][k] = PETSC_MAX_REAL;
    box[1][k] = -PETSC_MAX_REAL;
  }
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    if (!pair->part[side][v]) continue;
    for (PetscInt k = 0; k < 3; k++) {
      box[0][k] = PetscMin(box[0][k], surface->x[3 * v + k]);
      box[1][k] = PetscMax(box[1][k], surface->x[3 * v + k]);
    }
  }
}

static PetscBool MeetsBox(const AbutDeformSurface surface, PetscInt face, PetscReal box[2][3])
{
  const PetscInt *v = surface->face[face];

  for (PetscInt k = 0; k < 3; k++) {
    const PetscReal x[3] = {surface->x[3 * v[0] + k], surface->x[3 * v[1] + k], surface->x[3 * v[2] + k]};

    if (PetscMax(x[0], PetscMax(x[1], x[2])) < box[0][k] || PetscMin(x[0], PetscMin(x[1], x[2])) > box[1][k]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Tree of the faces of a part that meet a box, in the sequence of the tree of the surface. */
static PetscErrorCode SetPartTree(AbutDeformPair *pair, PetscInt side, PetscReal box[2][3])
{
  const AbutDeformSurface surface = pair->surface[side];
  AbutPartTree           *part    = &pair->part_tree[side];

  PetscFunctionBegin;
  part->num = 0;
  for (int32_t i = 0; i < part->most; i++) {
    const int32_t f = part->all[i];

    if (!AbutPairHasFace(pair, side, f) || !MeetsBox(surface, f, box)) continue;
    PetscCall(PetscArraycpy(&part->vertex[3 * part->num], &surface->tree_input.face[3 * f], 3));
    part->face[part->num++] = f;
  }
  PetscCall(AbutBVHSetSize(&part->tree, part->num));
  AbutBVHRefit(&part->tree, 3, part->vertex, surface->tree_input.box, 0);
  PetscFunctionReturn(0);
}

/* Faces of a region in the sequence of the tree of the surface. */
static PetscErrorCode ListRegion(AbutDeformPair *pair, PetscInt side)
{
  const AbutDeformSurface surface = pair->surface[side];
  AbutPartTree           *part    = &pair->part_tree[side];

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(surface->num_faces, &part->all, surface->num_faces, &part->face, 3 * surface->num_faces, &part->vertex));
  for (int32_t i = 0; i < surface->tree.n; i++) {
    const int32_t   f   = surface->tree.order[i];
    const PetscInt *v   = surface->face[f];
    PetscBool       has = PETSC_TRUE;

    for (PetscInt k = 0; k < 3; k++) has = (PetscBool)(has && AbutRegionHas(surface->regions, pair->region[side], v[k]));
    if (has) part->all[part->most++] = f;
  }
  PetscFunctionReturn(0);
}

/* Trees of both parts where their boxes overlap. */
static PetscErrorCode SetPartTrees(AbutDeformPair *pair)
{
  PetscReal box[2][2][3];

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) {
    if (!pair->part_tree[s].all) PetscCall(ListRegion(pair, s));
    PartBox(pair, s, box[s]);
  }
  for (PetscInt s = 0; s < 2; s++) PetscCall(SetPartTree(pair, s, box[1 - s]));
  PetscFunctionReturn(0);
}

/* ---- All */

PetscErrorCode AbutCrossingsFind(AbutDeformPair *pair)
{
  FacePair       faces = {.pair = pair};
  const AbutBVH *tree[2];

  PetscFunctionBegin;
  pair->curve.num_crossings = pair->curve.num_pieces = 0;
  if (pair->surface[0] == pair->surface[1]) PetscCall(SetPartTrees(pair));
  for (PetscInt s = 0; s < 2; s++) {
    const PetscBool parts = (PetscBool)(pair->surface[0] == pair->surface[1]);

    tree[s]         = parts ? &pair->part_tree[s].tree : AbutDeformSurfaceTree(pair->surface[s]);
    faces.number[s] = parts ? pair->part_tree[s].face : NULL;
  }
  AbutBVHOverlap(tree[0], tree[1], TestFacePairs, &faces);
  PetscFunctionReturn(faces.code);
}
