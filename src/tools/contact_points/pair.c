/* Kernels of a pair of cells: sides of vertices, separating axis test, points of the intersection. */
#include "contact_pointsimpl.h"

PetscBool AbutCellPairSetUp(AbutCellPair *pair, const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B)
{
  pair->rules   = rules;
  pair->cell[0] = A;
  pair->cell[1] = B;
  for (int s = 0; s < 2; s++) {
    const AbutPointCell *other = pair->cell[1 - s];

    for (int f = 0; f < 4; f++) {
      PetscBool outside = PETSC_TRUE;

      for (int v = 0; v < 4; v++) {
        pair->height[s][f][v] = AbutFaceHeight(pair->cell[s], f, other->tet.x[v]);
        pair->side[s][f][v]   = (signed char)AbutFaceSide(rules, pair->cell[s], f, other->tet.x[v]);
        outside &= (PetscBool)(pair->side[s][f][v] > 0);
      }
      if (outside) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Takes the direction sign * axis if its overlap is less than the least one so far by more than `advantage`. */
static void Compete(AbutOverlap *least, const PetscReal axis[3], PetscReal sign, PetscReal separation, PetscReal advantage)
{
  if (separation <= least->separation + advantage) return;
  least->separation = separation;
  for (int i = 0; i < 3; i++) least->normal[i] = sign * axis[i];
}

/* Overlap along the normals of the faces of cell s. */
static void CompeteFaces(const AbutCellPair *pair, int s, PetscBool surface_only, AbutOverlap *least)
{
  const AbutPointCell *cell = pair->cell[s];
  const PetscReal      sign = s ? -1 : 1;

  for (int f = 0; f < 4; f++) {
    const PetscReal *h  = pair->height[s][f];
    const PetscReal  lo = PetscMin(PetscMin(h[0], h[1]), PetscMin(h[2], h[3])), hi = PetscMax(PetscMax(h[0], h[1]), PetscMax(h[2], h[3]));

    if (surface_only && !(cell->tet.surface >> f & 1)) continue;
    Compete(least, cell->normal[f], sign, lo, pair->rules->touch);
    Compete(least, cell->normal[f], -sign, AbutFaceHeight(cell, f, cell->tet.x[f]) - hi, pair->rules->touch);
  }
}

/* Extent of a set of vertices of a cell along an axis relative to a point. */
static void Extent(const AbutPointCell *cell, unsigned vertices, const PetscReal axis[3], const PetscReal from[3], PetscReal extent[2])
{
  extent[0] = PETSC_INFINITY;
  extent[1] = -PETSC_INFINITY;
  for (int v = 0; v < 4; v++) {
    const PetscReal h = AbutPlaneHeight(3, axis, from, cell->tet.x[v]);

    if (!(vertices >> v & 1)) continue;
    extent[0] = PetscMin(extent[0], h);
    extent[1] = PetscMax(extent[1], h);
  }
}

static void EdgeVector(const AbutPointCell *cell, int e, PetscReal d[3])
{
  for (int i = 0; i < 3; i++) d[i] = cell->tet.x[AbutTetEdge[e][1]][i] - cell->tet.x[AbutTetEdge[e][0]][i];
}

PetscBool AbutEdgeAxis(const PetscReal a[3], const PetscReal b[3], PetscReal parallel, PetscReal axis[3])
{
  PetscReal length2;

  AbutCross(a, b, axis);
  length2 = AbutDot(3, axis, axis);
  if (length2 <= PetscSqr(parallel) * AbutDot(3, a, a) * AbutDot(3, b, b)) return PETSC_FALSE;
  length2 = 1 / PetscSqrtReal(length2);
  for (int i = 0; i < 3; i++) axis[i] *= length2;
  return PETSC_TRUE;
}

PetscReal AbutAxisSeparations(const AbutCellPair *pair, const unsigned vertices[2], const PetscReal axis[3], PetscReal separation[2])
{
  PetscReal a[2], b[2];

  Extent(pair->cell[0], vertices[0], axis, pair->cell[0]->tet.x[0], a);
  Extent(pair->cell[1], vertices[1], axis, pair->cell[0]->tet.x[0], b);
  separation[0] = b[0] - a[1];
  separation[1] = a[0] - b[1];
  return b[0] - a[0];
}

PetscBool AbutCellPairOverlap(const AbutCellPair *pair, PetscBool surface_only, AbutOverlap *overlap)
{
  const AbutPointCell *A = pair->cell[0], *B = pair->cell[1];
  const PetscReal      touch    = pair->rules->touch;
  const unsigned       whole[2] = {0xF, 0xF};
  PetscReal            b[6][3];

  *overlap = (AbutOverlap){{0, 0, 0}, -PETSC_INFINITY};
  for (int s = 0; s < 2; s++) CompeteFaces(pair, s, surface_only, overlap);
  for (int j = 0; j < 6; j++) EdgeVector(B, j, b[j]);
  for (int i = 0; i < 6; i++) {
    PetscReal a[3];

    EdgeVector(A, i, a);
    for (int j = 0; j < 6; j++) {
      PetscReal axis[3], separation[2];

      if (!AbutEdgeAxis(a, b[j], pair->rules->parallel, axis)) continue;
      (void)AbutAxisSeparations(pair, whole, axis, separation);
      if (separation[0] > touch || separation[1] > touch) return PETSC_FALSE;
      if (surface_only && !(AbutIsSurfaceEdge(A, i) && AbutIsSurfaceEdge(B, j))) continue;
      Compete(overlap, axis, 1, separation[0], touch);
      Compete(overlap, axis, -1, separation[1], touch);
    }
  }
  return PETSC_TRUE;
}

/* Appends a crossing unless it coincides with an earlier one. */
static int AddCrossing(const AbutCellPair *pair, int n, AbutPointCrossing crossing[], const AbutPointCrossing *added)
{
  for (int k = 0; k < n; k++) {
    PetscReal distance2 = 0;

    for (int i = 0; i < 3; i++) distance2 += PetscSqr(crossing[k].x[i] - added->x[i]);
    if (distance2 <= PetscSqr(pair->rules->merge)) return n;
  }
  crossing[n] = *added;
  return n + 1;
}

/* Face of cell s nearest to vertex v of the other cell, which is inside. */
static int NearestFace(const AbutCellPair *pair, int s, int v)
{
  int nearest = 0;

  for (int f = 1; f < 4; f++)
    if (pair->height[s][f][v] > pair->height[s][nearest][v] + pair->rules->touch) nearest = f;
  return nearest;
}

static PetscBool IsInsideBut(const AbutPointRules *rules, const AbutPointCell *cell, int face, const PetscReal x[3])
{
  for (int f = 0; f < 4; f++)
    if (f != face && AbutFaceSide(rules, cell, f, x) > 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Vertices of the other cell inside cell s. */
static int AddVertices(const AbutCellPair *pair, int s, int n, AbutPointCrossing crossing[])
{
  for (int v = 0; v < 4; v++) {
    AbutPointCrossing c;

    if (!AbutIsVertexInside(pair, 1 - s, v)) continue;
    for (int i = 0; i < 3; i++) c.x[i] = pair->cell[1 - s]->tet.x[v][i];
    c.feature[s]     = 0xFu & ~(1u << NearestFace(pair, s, v));
    c.feature[1 - s] = 1u << v;
    n                = AddCrossing(pair, n, crossing, &c);
  }
  return n;
}

/* Points where edges of the other cell cross faces of cell s. */
static int AddEdges(const AbutCellPair *pair, int s, int n, AbutPointCrossing crossing[])
{
  for (int e = 0; e < 6; e++) {
    const int        i = AbutTetEdge[e][0], j = AbutTetEdge[e][1];
    const PetscReal *xi = pair->cell[1 - s]->tet.x[i], *xj = pair->cell[1 - s]->tet.x[j];

    for (int f = 0; f < 4; f++) {
      const PetscReal   hi = PetscAbsReal(pair->height[s][f][i]), hj = PetscAbsReal(pair->height[s][f][j]);
      AbutPointCrossing c;

      if (pair->side[s][f][i] * pair->side[s][f][j] >= 0) continue;
      for (int k = 0; k < 3; k++) c.x[k] = xi[k] + hi / (hi + hj) * (xj[k] - xi[k]);
      if (!IsInsideBut(pair->rules, pair->cell[s], f, c.x)) continue;
      c.feature[s]     = 0xFu & ~(1u << f);
      c.feature[1 - s] = 1u << i | 1u << j;
      n                = AddCrossing(pair, n, crossing, &c);
    }
  }
  return n;
}

int AbutCellPairCrossings(const AbutCellPair *pair, AbutPointCrossing crossing[ABUT_MAX_CROSSINGS])
{
  int n = 0;

  for (int s = 0; s < 2; s++) n = AddVertices(pair, s, n, crossing);
  for (int s = 0; s < 2; s++) n = AddEdges(pair, s, n, crossing);
  return n;
}

void AbutCrossingsExtent(int n, const AbutPointCrossing crossing[], const PetscReal normal[3], PetscReal extent[2])
{
  extent[0] = PETSC_INFINITY;
  extent[1] = -PETSC_INFINITY;
  for (int k = 0; k < n; k++) {
    const PetscReal h = AbutDot(3, normal, crossing[k].x);

    extent[0] = PetscMin(extent[0], h);
    extent[1] = PetscMax(extent[1], h);
  }
}

PetscErrorCode AbutAddProjected(const AbutCellPair *pair, const PetscReal normal[3], const PetscReal *separation,
                                AbutPointContacts *contacts)
{
  AbutPointCrossing crossing[ABUT_MAX_CROSSINGS], projected[ABUT_MAX_CROSSINGS];
  PetscReal         extent[2];
  int               n = AbutCellPairCrossings(pair, crossing), num = 0;

  PetscFunctionBegin;
  AbutCrossingsExtent(n, crossing, normal, extent);
  for (int k = 0; k < n; k++) {
    AbutPointCrossing c     = crossing[k];
    const PetscReal   shift = (extent[0] + extent[1]) / 2 - AbutDot(3, normal, c.x);

    for (int i = 0; i < 3; i++) c.x[i] += shift * normal[i];
    num = AddCrossing(pair, num, projected, &c);
  }
  for (int k = 0; k < num; k++) {
    const AbutFeaturePair features = {{pair->cell[0], pair->cell[1]}, {projected[k].feature[0], projected[k].feature[1]}};

    PetscCall(AbutPointContactsAdd(contacts, &features, projected[k].x, normal, separation ? *separation : extent[0] - extent[1]));
  }
  PetscFunctionReturn(0);
}
