/* Faces and edges of a tetrahedron, position of a point relative to it. */
#include "contact_pointsimpl.h"

const int AbutTetFace[4][3]      = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const int AbutTetEdge[6][2]      = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const int AbutTetEdgeFaces[6][2] = {{2, 3}, {1, 3}, {1, 2}, {0, 3}, {0, 2}, {0, 1}};

void AbutPointCellSetUp(AbutPointCell *cell)
{
  for (int k = 0; k < 4; k++) {
    const int *f           = AbutTetFace[k];
    PetscReal *n           = cell->normal[k], e[2][3];
    const PetscReal(*x)[3] = (const PetscReal(*)[3])cell->tet.x;

    for (int i = 0; i < 3; i++) {
      e[0][i] = x[f[1]][i] - x[f[0]][i];
      e[1][i] = x[f[2]][i] - x[f[0]][i];
    }
    AbutCross(e[0], e[1], n);
    (void)AbutNormalize(3, n);
  }
}

int AbutFaceSide(const AbutPointRules *rules, const AbutPointCell *cell, int k, const PetscReal x[3])
{
  const int *f = AbutTetFace[k];

  if (rules->touch > 0) {
    const PetscReal height = AbutFaceHeight(cell, k, x);
    return height > rules->touch ? 1 : height < -rules->touch ? -1 : 0;
  }
  return AbutOrient3D(cell->tet.x[f[0]], cell->tet.x[f[1]], cell->tet.x[f[2]], x);
}

PetscBool AbutIsOverFace(const AbutPointRules *rules, const AbutPointCell *cell, int k, const PetscReal x[3])
{
  for (int i = 0; i < 3; i++) {
    const PetscReal *a = cell->tet.x[AbutTetFace[k][i]], *b = cell->tet.x[AbutTetFace[k][(i + 1) % 3]];
    PetscReal        edge[3], outward[3];

    for (int j = 0; j < 3; j++) edge[j] = b[j] - a[j];
    AbutCross(edge, cell->normal[k], outward);
    if (AbutPlaneHeight(3, outward, a, x) > rules->touch * AbutNorm(3, edge)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscReal EdgeLength(const AbutPointCell *cell, int e)
{
  const PetscReal *a = cell->tet.x[AbutTetEdge[e][0]], *b = cell->tet.x[AbutTetEdge[e][1]];
  PetscReal        sum = 0;

  for (int i = 0; i < 3; i++) sum += PetscSqr(b[i] - a[i]);
  return PetscSqrtReal(sum);
}

/* Whether the fraction t of an edge is inside it by more than the tolerance. */
static PetscBool IsInsideEdge(const AbutPointRules *rules, PetscReal t, PetscReal length)
{
  return (PetscBool)(t * length > rules->touch && (1 - t) * length > rules->touch);
}

PetscBool AbutClosestInEdges(const AbutPointRules *rules, const AbutPointCell *const cell[2], int i, int j, AbutEdgeClosest *closest)
{
  const PetscReal *end[4]    = {cell[0]->tet.x[AbutTetEdge[i][0]], cell[0]->tet.x[AbutTetEdge[i][1]], cell[1]->tet.x[AbutTetEdge[j][0]],
                                cell[1]->tet.x[AbutTetEdge[j][1]]};
  const PetscReal  length[2] = {EdgeLength(cell[0], i), EdgeLength(cell[1], j)};
  AbutDistFrame    frame;
  PetscReal        x[12];

  for (int p = 0; p < 4; p++)
    for (int k = 0; k < 3; k++) x[3 * p + k] = end[p][k];
  if (AbutEdgeEdgeCross2(x, NULL, NULL) <= PetscSqr(rules->parallel * length[0] * length[1])) return PETSC_FALSE;
  AbutDist2Frame(ABUT_DIST_LINE_LINE, 3, x, &frame);
  if (!IsInsideEdge(rules, frame.c[1], length[0]) || !IsInsideEdge(rules, -frame.c[3], length[1])) return PETSC_FALSE;
  closest->distance = PetscAbsReal(frame.h);
  for (int k = 0; k < 3; k++) {
    closest->normal[k] = frame.h > rules->touch ? -frame.normal[k] : frame.normal[k];
    closest->middle[k] = (frame.c[0] * end[0][k] + frame.c[1] * end[1][k] - frame.c[2] * end[2][k] - frame.c[3] * end[3][k]) / 2;
  }
  return PETSC_TRUE;
}
