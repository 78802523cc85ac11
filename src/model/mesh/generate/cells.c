/* Common code of all generated shapes: check of counts, allocation, adding cells. */
#include "generate.h"

PetscErrorCode AbutGenerateCheckCount(const AbutBodySpec *spec, const char what[], PetscReal count)
{
  PetscFunctionBegin;
  AbutSpecCheck(count < (PetscReal)PETSC_MAX_INT / 12, spec,
                "the shape would have %g %s; this PETSc's indices number at most %" PetscInt_FMT, (double)count, what, PETSC_MAX_INT / 12);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGenerateAllocate(PetscInt dim, AbutRange vertices, AbutRange cells, AbutShape *shape, AbutPiece *piece)
{
  PetscFunctionBegin;
  *piece              = (AbutPiece){.dim = dim, .vertices = vertices, .cells = cells, .shape = shape};
  shape->num_vertices = vertices.end - vertices.begin;
  shape->num_cells    = cells.end - cells.begin;
  PetscCall(PetscCalloc1(3 * shape->num_vertices, &shape->x));
  PetscCall(PetscMalloc1((dim + 1) * shape->num_cells, &shape->cells));
  PetscFunctionReturn(0);
}

void AbutGenerateAddQuad(AbutPiece *piece, PetscInt a, PetscInt b, PetscInt c, PetscInt d, PetscBool odd)
{
  AbutGenerateAddCell(piece, odd ? (PetscInt[]){a, b, d} : (PetscInt[]){a, b, c});
  AbutGenerateAddCell(piece, odd ? (PetscInt[]){b, c, d} : (PetscInt[]){a, c, d});
}
