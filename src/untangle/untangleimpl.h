/* Private to src/untangle. */
#pragma once
#include <abut/dense.h>
#include <abut/untangle.h>

/* Constants of AbutUntangleFollow(); see AbutUntangleFollowOptions. */
typedef struct {
  PetscReal slack;          /* fraction of the step to the first inversion */
  PetscReal tolerance;      /* largest component of the last direction over the mean edge */
  PetscReal smallest;       /* fraction of the remaining distance below which increments count as blocked */
  PetscInt  max_iterations; /* Newton iterations of one equilibrium */
  PetscInt  max_increments; /* increments */
} FollowConstants;

/* cells.c: elastic energy of these materials with neo-Hookean cells, which cannot invert. Collective. */
PETSC_INTERN PetscErrorCode CellsCreateElastic(AbutMesh mesh, PetscInt num_materials, const AbutMaterialSpec given[], AbutElastic *elastic);

/* Determinant of the edge vectors of a cell. */
static inline PetscReal CellDeterminant(PetscInt dim, const PetscInt cell[], const PetscReal x[])
{
  PetscReal e[3][3] = {{0}}, c[3];

  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt k = 0; k < dim; k++) e[a][k] = x[dim * cell[a + 1] + k] - x[dim * cell[0] + k];
  if (dim == 2) return e[0][0] * e[1][1] - e[0][1] * e[1][0];
  AbutCross(e[0], e[1], c);
  return AbutDot(3, c, e[2]);
}
