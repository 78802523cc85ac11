/* Common code of all generated shapes: check of counts, allocation, adding cells. */
#include "generate.h"

PetscErrorCode AbutGenerateCheckCount(const AbutBodySpec *spec, const char what[], PetscReal count)
{
  PetscFunctionBegin;
  AbutSpecCheck(count < (PetscReal)PETSC_MAX_INT / 12, spec,
                "the shape would have %g %s; this PETSc's indices number at most %" PetscInt_FMT, (double)count, what, PETSC_MAX_INT / 12);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGenerateAllocate(PetscInt dim, PetscInt num_vertices, PetscInt num_cells, AbutShape *shape)
{
  PetscFunctionBegin;
  shape->num_vertices = num_vertices;
  PetscCall(PetscCalloc1(3 * num_vertices, &shape->x));
  PetscCall(PetscMalloc1((dim + 1) * num_cells, &shape->cells));
  PetscFunctionReturn(0);
}

void AbutGenerateAddQuad(PetscInt a, PetscInt b, PetscInt c, PetscInt d, PetscBool odd, AbutShape *shape)
{
  AbutGenerateAddCell(2, odd ? (PetscInt[]){a, b, d} : (PetscInt[]){a, b, c}, shape);
  AbutGenerateAddCell(2, odd ? (PetscInt[]){b, c, d} : (PetscInt[]){a, c, d}, shape);
}
