/*
  Growth distance [Erleben 2018, appendix B]: both cells shrink about their centroids by the factor a for which their distance g(a) equals
  delta, a small fraction of the smaller cell. The direction between their closest points then is the contact normal, unless it is within
  an angle of the normal of a face, which takes precedence. The points of the intersection are the contacts, without projection.

  g is convex and decreases to 0, so that Newton's method from a = 0 increases monotonically to the solution of g(a) = delta.
*/
#include "contact_pointsimpl.h"

#define MAX_NEWTON 30 /* iterations; about five are needed */

static void Centroid(const AbutPointCell *cell, PetscReal center[3])
{
  for (int i = 0; i < 3; i++) center[i] = (cell->tet.x[0][i] + cell->tet.x[1][i] + cell->tet.x[2][i] + cell->tet.x[3][i]) / 4;
}

/* Longest edge. */
static PetscReal Diameter(const AbutPointCell *cell)
{
  PetscReal longest2 = 0;

  for (int e = 0; e < 6; e++) {
    PetscReal d[3];

    for (int i = 0; i < 3; i++) d[i] = cell->tet.x[AbutTetEdge[e][1]][i] - cell->tet.x[AbutTetEdge[e][0]][i];
    longest2 = PetscMax(longest2, AbutDot(3, d, d));
  }
  return PetscSqrtReal(longest2);
}

/* The two cells: vertices relative to the centroids, and the difference of the centroids. */
typedef struct {
  PetscReal arm[2][4][3], v[3];
} Growth;

static void GrowthSetUp(Growth *g, const AbutPointCell *const cell[2])
{
  PetscReal center[2][3];

  for (int s = 0; s < 2; s++) {
    Centroid(cell[s], center[s]);
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < 3; i++) g->arm[s][k][i] = cell[s]->tet.x[k][i] - center[s][i];
  }
  for (int i = 0; i < 3; i++) g->v[i] = center[1][i] - center[0][i];
}

/* Vertex k of cell s at scale a, relative to the centroid of cell 0. */
static void Place(const Growth *g, PetscReal a, int s, int k, PetscReal x[3])
{
  for (int i = 0; i < 3; i++) x[i] = a * g->arm[s][k][i] + (s ? g->v[i] : 0);
}

/* Closest pair of primitives of the shrunk cells. */
typedef struct {
  AbutPairKind kind;
  int          side[4], vertex[4]; /* points of the stencil */
  PetscReal    dist2, x[12];
} Closest;

static void TryPair(const Growth *g, PetscReal a, AbutPairKind kind, const int side[4], const int vertex[4], Closest *closest)
{
  PetscReal x[12], dist2;

  for (int p = 0; p < 4; p++) Place(g, a, side[p], vertex[p], x + 3 * p);
  dist2 = AbutPairDist2(kind, 3, x);
  if (dist2 >= closest->dist2) return;
  closest->kind  = kind;
  closest->dist2 = dist2;
  for (int p = 0; p < 4; p++) {
    closest->side[p]   = side[p];
    closest->vertex[p] = vertex[p];
  }
  for (int i = 0; i < 12; i++) closest->x[i] = x[i];
}

static void FindClosest(const Growth *g, PetscReal a, Closest *closest)
{
  closest->dist2 = PETSC_INFINITY;
  for (int s = 0; s < 2; s++)
    for (int f = 0; f < 4; f++)
      for (int v = 0; v < 4; v++)
        TryPair(g, a, ABUT_PAIR_FV, (int[4]){1 - s, s, s, s}, (int[4]){v, AbutTetFace[f][0], AbutTetFace[f][1], AbutTetFace[f][2]},
                closest);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      TryPair(g, a, ABUT_PAIR_EE, (int[4]){0, 0, 1, 1},
              (int[4]){AbutTetEdge[i][0], AbutTetEdge[i][1], AbutTetEdge[j][0], AbutTetEdge[j][1]}, closest);
}

/* Separation vector of the closest points from cell 0 to cell 1, as direction and length; derivative of the length in the scale. */
static PetscReal Separation(const Growth *g, const Closest *closest, PetscReal direction[3], PetscReal *slope)
{
  AbutClosest   form;
  AbutDistFrame frame;
  PetscReal     x[12], r[3] = {0, 0, 0}, rate[3] = {0, 0, 0}, length;

  AbutClosestFeatures(closest->kind, 3, closest->x, &form);
  for (int p = 0; p < form.n; p++)
    for (int i = 0; i < 3; i++) x[3 * p + i] = closest->x[3 * form.v[p] + i];
  AbutDist2Frame(form.form, 3, x, &frame);
  for (int p = 0; p < form.n; p++) {
    const int        at = (int)form.v[p], side = closest->side[at];
    const PetscReal  c   = closest->side[form.v[0]] == 1 ? frame.c[p] : -frame.c[p];
    const PetscReal *arm = g->arm[side][closest->vertex[at]];

    for (int i = 0; i < 3; i++) {
      r[i] += c * x[3 * p + i];
      rate[i] += c * arm[i];
    }
  }
  length = AbutNorm(3, r);
  for (int i = 0; i < 3; i++) direction[i] = r[i] / length;
  *slope = AbutDot(3, direction, rate);
  return length;
}

/*
  Direction between the closest points at the scale where their distance is delta. PETSC_FALSE if the centroids coincide.
*/
static PetscBool FindDirection(const AbutPointRules *rules, const AbutPointCell *const cell[2], PetscReal delta, PetscReal direction[3])
{
  Growth    g;
  PetscReal arm[2] = {0, 0}, a, distance, start2;

  GrowthSetUp(&g, cell);
  start2 = AbutDot(3, g.v, g.v);
  if (start2 <= PetscSqr(rules->touch)) return PETSC_FALSE;
  for (int i = 0; i < 3; i++) direction[i] = g.v[i] / PetscSqrtReal(start2);
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < 4; k++) arm[s] = PetscMax(arm[s], (s ? -1 : 1) * AbutDot(3, direction, g.arm[s][k]));
  distance = PetscSqrtReal(start2);
  a        = (distance - delta) / (arm[0] + arm[1]);
  for (int it = 0; it < MAX_NEWTON && distance > (1 + 1e-6) * delta; it++) {
    Closest   closest;
    PetscReal slope;

    FindClosest(&g, a, &closest);
    if (!(closest.dist2 > 0)) break;
    distance = Separation(&g, &closest, direction, &slope);
    a += (distance - delta) / -slope;
  }
  return PETSC_TRUE;
}

/* Replaces a direction by the normal of the face nearest to it, if the angle between them is below the tolerance. */
static void PreferFace(const AbutPointCell *const cell[2], PetscReal cosine, PetscReal direction[3])
{
  const PetscReal *best = NULL;
  PetscReal        sign = 1;

  for (int s = 0; s < 2; s++)
    for (int f = 0; f < 4; f++) {
      const PetscReal dot = (s ? -1 : 1) * AbutDot(3, cell[s]->normal[f], direction);

      if (dot < cosine) continue;
      cosine = dot;
      best   = cell[s]->normal[f];
      sign   = s ? -1 : 1;
    }
  for (int i = 0; i < 3 && best; i++) direction[i] = sign * best[i];
}

PetscErrorCode AbutFindGrowth(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  AbutCellPair      pair;
  AbutOverlap       overlap;
  AbutPointCrossing crossing[ABUT_MAX_CROSSINGS];
  PetscReal         normal[3], extent[2];
  int               n;

  PetscFunctionBegin;
  if (!AbutCellPairSetUp(&pair, rules, A, B) || !AbutCellPairOverlap(&pair, PETSC_FALSE, &overlap)) PetscFunctionReturn(0);
  if (!FindDirection(rules, pair.cell, rules->growth_gap * PetscMin(Diameter(A), Diameter(B)), normal)) PetscFunctionReturn(0);
  PreferFace(pair.cell, rules->growth_cosine, normal);
  n = AbutCellPairCrossings(&pair, crossing);
  AbutCrossingsExtent(n, crossing, normal, extent);
  for (int k = 0; k < n; k++) {
    const AbutFeaturePair features = {{A, B}, {crossing[k].feature[0], crossing[k].feature[1]}};

    PetscCall(AbutPointContactsAdd(contacts, &features, crossing[k].x, normal, extent[0] - extent[1]));
  }
  PetscFunctionReturn(0);
}
