/*
  Whether a quadratic cell has a positive Jacobian everywhere. The Jacobian matrix is linear in the barycentric coordinates, J = sum_i l_i
  J_i with its values J_i at the corners; so its determinant is a polynomial of degree dim whose Bernstein coefficients are mean
  determinants of matrices with rows from different corners [Johnen, Remacle and Geuzaine 2013]. If all are positive, so is the
  determinant; otherwise the cell is divided at the middles of its edges.
*/
#include "quadratic.h"

#define DEPTH 4 /* of the division; a cell without proof by then counts as not positive */

/* Determinant of the matrix with row k from J[corner[k]]. */
static PetscReal Mixed(PetscInt dim, const PetscReal J[][9], const PetscInt corner[])
{
  PetscReal M[9], C[9];

  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt i = 0; i < dim; i++) M[dim * k + i] = J[corner[k]][dim * k + i];
  return AbutCofactor(dim, M, C);
}

/* Sum over the permutations of the corners: a positive multiple of a Bernstein coefficient. */
static PetscReal Coefficient(PetscInt dim, const PetscReal J[][9], const PetscInt c[])
{
  if (dim == 2) return Mixed(2, J, c) + Mixed(2, J, (PetscInt[]){c[1], c[0]});
  return Mixed(3, J, c) + Mixed(3, J, (PetscInt[]){c[1], c[2], c[0]}) + Mixed(3, J, (PetscInt[]){c[2], c[0], c[1]}) +
         Mixed(3, J, (PetscInt[]){c[0], c[2], c[1]}) + Mixed(3, J, (PetscInt[]){c[1], c[0], c[2]}) +
         Mixed(3, J, (PetscInt[]){c[2], c[1], c[0]});
}

static PetscBool AllPositive(PetscInt dim, const PetscReal J[][9])
{
  PetscInt c[3];

  for (c[0] = 0; c[0] <= dim; c[0]++)
    for (c[1] = c[0]; c[1] <= dim; c[1]++)
      for (c[2] = dim == 3 ? c[1] : dim; c[2] <= dim; c[2]++)
        if (!(Coefficient(dim, J, c) > 0)) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Corners of the parts of a divided cell: pairs of corners of the cell, whose mean is the corner of the part. */
static const PetscInt triangles[4][3][2] = {
  {{0, 0}, {0, 1}, {2, 0}}, {{0, 1}, {1, 1}, {1, 2}}, {{2, 0}, {1, 2}, {2, 2}}, {{0, 1}, {1, 2}, {2, 0}}};
static const PetscInt tetrahedra[8][4][2] = {
  {{0, 0}, {0, 1}, {0, 2}, {0, 3}}, {{1, 1}, {0, 1}, {1, 2}, {1, 3}}, {{2, 2}, {0, 2}, {1, 2}, {2, 3}}, {{3, 3}, {0, 3}, {1, 3}, {2, 3}},
  {{0, 1}, {2, 3}, {0, 2}, {0, 3}}, {{0, 1}, {2, 3}, {0, 2}, {1, 2}}, {{0, 1}, {2, 3}, {1, 3}, {0, 3}}, {{0, 1}, {2, 3}, {1, 3}, {1, 2}}};

static PetscBool Positive(PetscInt dim, const PetscReal J[][9], PetscInt depth)
{
  const PetscInt parts = dim == 3 ? 8 : 4;

  for (PetscInt i = 0; i <= dim; i++)
    if (!(Mixed(dim, J, (PetscInt[]){i, i, i}) > 0)) return PETSC_FALSE;
  if (AllPositive(dim, J)) return PETSC_TRUE;
  if (!depth) return PETSC_FALSE;
  for (PetscInt p = 0; p < parts; p++) {
    PetscReal part[4][9];

    for (PetscInt i = 0; i <= dim; i++) {
      const PetscInt *pair = dim == 3 ? tetrahedra[p][i] : triangles[p][i];
      for (PetscInt k = 0; k < dim * dim; k++) part[i][k] = (J[pair[0]][k] + J[pair[1]][k]) / 2;
    }
    if (!Positive(dim, part, depth - 1)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void CornerMatrices(const AbutMeshLocal *local, PetscInt c, const PetscReal x[], PetscReal J[][9])
{
  for (PetscInt i = 0; i <= local->dim; i++) {
    PetscReal l[4] = {0};

    l[i] = 1;
    AbutCellDerivatives(local, c, l, x, J[i]);
  }
}

PetscReal AbutQuadraticSmallestCorner(const AbutMeshLocal *local, PetscInt c, const PetscReal x[])
{
  PetscReal J[4][9], least = PETSC_INFINITY;

  CornerMatrices(local, c, x, J);
  for (PetscInt i = 0; i <= local->dim; i++) least = PetscMin(least, Mixed(local->dim, J, (PetscInt[]){i, i, i}));
  return least;
}

PetscBool AbutQuadraticIsPositive(const AbutMeshLocal *local, PetscInt c, const PetscReal x[])
{
  PetscReal J[4][9];

  CornerMatrices(local, c, x, J);
  return Positive(local->dim, J, DEPTH);
}
