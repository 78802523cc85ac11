/* The mapping direction (eq. 2): integrals of the linear normal field over the intersection regions. */
#include "pairimpl.h"

/* Integrals over a region: area, normal, squared norm of the normal. */
typedef struct {
  PetscReal area;
  PetscReal normal[3];
  PetscReal square;
} NormalIntegral;

/*
  Adds the integrals over the triangle of vertex 0 of a face and the points p and q of the face, counted positive if it is
  counter-clockwise. p and q are barycentric coordinates of the vertices 1 and 2. The midpoints of the edges integrate quadratic functions
  exactly.
*/
static void AddTriangle(AbutDeformSurface surface, PetscInt f, const PetscReal p[2], const PetscReal q[2], NormalIntegral *integral)
{
  const PetscInt  *v    = surface->face[f];
  const PetscReal *x[3] = {&surface->x[3 * v[0]], &surface->x[3 * v[1]], &surface->x[3 * v[2]]};
  const PetscReal *n[3] = {&surface->normal[3 * v[0]], &surface->normal[3 * v[1]], &surface->normal[3 * v[2]]};
  PetscReal        u[3], w[3], cross[3], area, square = 0;

  for (PetscInt k = 0; k < 3; k++) {
    u[k] = x[1][k] - x[0][k];
    w[k] = x[2][k] - x[0][k];
  }
  for (PetscInt k = 0; k < 3; k++) cross[k] = u[(k + 1) % 3] * w[(k + 2) % 3] - u[(k + 2) % 3] * w[(k + 1) % 3];
  area = AbutNorm(3, cross) / 2 * (p[0] * q[1] - p[1] * q[0]);
  for (PetscInt k = 0; k < 3; k++) {
    const PetscReal corner[3] = {n[0][k], n[0][k] + p[0] * (n[1][k] - n[0][k]) + p[1] * (n[2][k] - n[0][k]),
                                 n[0][k] + q[0] * (n[1][k] - n[0][k]) + q[1] * (n[2][k] - n[0][k])};

    integral->normal[k] += area / 3 * (corner[0] + corner[1] + corner[2]);
    for (PetscInt i = 0; i < 3; i++) square += PetscSqr((corner[i] + corner[(i + 1) % 3]) / 2);
  }
  integral->area += area;
  integral->square += area / 3 * square;
}

void AbutCrossingBary(const AbutDeformPair *pair, PetscInt side, PetscInt face, const AbutCrossing *crossing, PetscReal bary[3])
{
  const AbutDeformSurface surface = pair->surface[side];

  if (crossing->side != side) {
    for (PetscInt k = 0; k < 3; k++) bary[k] = crossing->bary[k];
    return;
  }
  for (PetscInt k = 0; k < 3; k++) {
    const PetscInt v = surface->face[face][k], *end = surface->edge[crossing->edge];

    bary[k] = v == end[0] ? 1 - crossing->t : v == end[1] ? crossing->t : 0;
  }
}

/* The pieces of the curve, part of the boundary of the region. */
static void AddPieces(const AbutDeformPair *pair, PetscInt side, NormalIntegral *integral)
{
  for (PetscInt i = 0; i < pair->curve.num_pieces; i++) {
    const AbutCurvePiece *piece = &pair->curve.piece[i];
    PetscReal             bary[2][3];

    for (PetscInt k = 0; k < 2; k++)
      AbutCrossingBary(pair, side, piece->face[side], &pair->curve.crossing[piece->crossing[side ? 1 - k : k]], bary[k]);
    if (AbutPairHasFace(pair, side, piece->face[side]))
      AddTriangle(pair->surface[side], piece->face[side], &bary[0][1], &bary[1][1], integral);
  }
}

/*
  The boundary of the region within each face, as far as it lies on edges of the face: from each crossing to the end of the edge, positive
  where the edge enters, and the whole edge if it starts inside. Only the edge opposite of vertex 0 counts, because triangles of the other
  edges have no area.
*/
static void AddEdges(const AbutDeformPair *pair, PetscInt side, NormalIntegral *integral)
{
  const AbutDeformSurface      surface = pair->surface[side];
  const AbutIntersectionCurve *curve   = &pair->curve;

  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt e = surface->face_edge[f][1];

    if (curve->inside[side][surface->edge[e][0]] && AbutPairHasFace(pair, side, f))
      AddTriangle(surface, f, (PetscReal[]){1, 0}, (PetscReal[]){0, 1}, integral);
  }
  for (PetscInt i = curve->side_start[side]; i < curve->side_start[side + 1]; i++) {
    const AbutCrossing *crossing = &curve->crossing[i];

    for (PetscInt k = 0; k < 2; k++) {
      const PetscInt  f     = surface->edge_face[crossing->edge][k];
      const PetscReal t     = k ? 1 - crossing->t : crossing->t;
      const PetscReal at[2] = {1 - t, t}, end[2] = {k ? 1 : 0, k ? 0 : 1};

      if (f < 0 || surface->face_edge[f][1] != crossing->edge || !AbutPairHasFace(pair, side, f)) continue;
      AddTriangle(surface, f, crossing->enters == (PetscBool)(k == 0) ? at : end, crossing->enters == (PetscBool)(k == 0) ? end : at,
                  integral);
    }
  }
}

/* Unit mean normal and total variation of the normal over the region inside; *found is false if the region has no extent. */
static void MeanNormal(const AbutDeformPair *pair, PetscInt side, PetscReal mean[3], PetscReal *variation, PetscBool *found)
{
  const PetscReal size     = pair->surface[side]->size;
  NormalIntegral  integral = {0};
  PetscReal       length;

  AddPieces(pair, side, &integral);
  AddEdges(pair, side, &integral);
  length = AbutNorm(3, integral.normal);
  *found = (PetscBool)(length > 1e-14 * size * size);
  if (!*found) return;
  for (PetscInt k = 0; k < 3; k++) mean[k] = integral.normal[k] / length;
  *variation = PetscMax(0, integral.square / integral.area - PetscSqr(length / integral.area));
}

PetscErrorCode AbutDirectionNormalize(AbutDeformPair *pair)
{
  PetscReal *d = pair->direction, largest, length;

  PetscFunctionBegin;
  largest = PetscMax(PetscAbsReal(d[0]), PetscMax(PetscAbsReal(d[1]), PetscAbsReal(d[2])));
  for (PetscInt k = 0; k < 3 && largest > 0; k++) d[k] /= largest; /* lengths from 1e-300 to 1e300 neither overflow nor vanish */
  length = AbutNormalize(3, d);
  AbutCheck(length > 0, ABUT_ERR_DIVERGED, "surfaces %s and %s: the %s are equal; the pair needs a mapping direction",
            pair->surface[0]->name, pair->surface[1]->name,
            pair->crease ? "directions of the bones of both regions" : "normals of both intersection regions");
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDirectionSet(AbutDeformPair *pair, PetscBool *found)
{
  PetscReal *d = pair->direction, mean[2][3], variation[2];

  PetscFunctionBegin;
  *found = PETSC_TRUE;
  PetscCall(PetscArraycpy(d, pair->control.direction, 3));
  if (!d[0] && !d[1] && !d[2]) {
    for (PetscInt s = 0; s < 2 && *found; s++) MeanNormal(pair, s, mean[s], &variation[s], found);
    if (!*found) PetscFunctionReturn(0);
    /* the small constant gives two plane regions equal weights */
    for (PetscInt k = 0; k < 3; k++) d[k] = mean[1][k] * (variation[0] + 1e-12) - mean[0][k] * (variation[1] + 1e-12);
  }
  PetscCall(AbutDirectionNormalize(pair));
  PetscFunctionReturn(0);
}
