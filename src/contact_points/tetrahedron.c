/* Faces and edges of a tetrahedron, position of a point relative to it. */
#include "contact_pointsimpl.h"

const int AbutTetFace[4][3]      = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const int AbutTetEdge[6][2]      = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const int AbutTetEdgeFaces[6][2] = {{2, 3}, {1, 3}, {1, 2}, {0, 3}, {0, 2}, {0, 1}};

void AbutPointCellSetUp(AbutPointCell *cell)
{
  for (int k = 0; k < 4; k++) {
    const int *f           = AbutTetFace[k];
    PetscReal *n           = cell->normal[k], e[2][3], length;
    const PetscReal(*x)[3] = (const PetscReal(*)[3])cell->tet.x;

    for (int i = 0; i < 3; i++) {
      e[0][i] = x[f[1]][i] - x[f[0]][i];
      e[1][i] = x[f[2]][i] - x[f[0]][i];
    }
    AbutCross(e[0], e[1], n);
    length = PetscSqrtReal(AbutDot(3, n, n));
    for (int i = 0; i < 3; i++) n[i] /= length;
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

PetscBool AbutIsInside(const AbutPointRules *rules, const AbutPointCell *cell, const PetscReal x[3])
{
  for (int k = 0; k < 4; k++)
    if (AbutFaceSide(rules, cell, k, x) > 0) return PETSC_FALSE;
  return PETSC_TRUE;
}
