/* Growable arrays and the sort of integer tuples that everything combinatorial here is built on. */
#include "meshimpl.h"

/* Capacity for `needed` entries, half as much again as the last one at least. */
static PetscErrorCode NewCapacity(PetscInt n, PetscInt more, PetscInt old, PetscInt *capacity)
{
  PetscFunctionBegin;
  AbutCheck(more <= PETSC_MAX_INT - n, ABUT_ERR_INPUT,
            "a mesh array of more than %" PetscInt_FMT " entries needs a PETSc with 64-bit indices", PETSC_MAX_INT);
  *capacity = old > PETSC_MAX_INT / 3 * 2 ? PETSC_MAX_INT : PetscMax(n + more, PetscMax(64, old / 2 * 3));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutIntsGrow(AbutInts *ints, PetscInt more)
{
  PetscFunctionBegin;
  PetscCall(NewCapacity(ints->n, more, ints->capacity, &ints->capacity));
  PetscCall(PetscRealloc(sizeof(*ints->a) * (size_t)ints->capacity, &ints->a));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRealsGrow(AbutReals *reals, PetscInt more)
{
  PetscFunctionBegin;
  PetscCall(NewCapacity(reals->n, more, reals->capacity, &reals->capacity));
  PetscCall(PetscRealloc(sizeof(*reals->a) * (size_t)reals->capacity, &reals->a));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSortTuples(PetscInt num, PetscInt width, PetscInt range, const PetscInt tuples[], PetscInt order[])
{
  PetscInt *start, *from, *to = order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(range + 1, &start, num, &from));
  for (PetscInt i = 0; i < num; i++) order[i] = i;
  for (PetscInt digit = width - 1; digit >= 0; digit--) {
    PetscCall(PetscArraycpy(from, order, num));
    PetscCall(PetscArrayzero(start, range + 1));
    for (PetscInt i = 0; i < num; i++) start[tuples[i * width + digit] + 1]++;
    for (PetscInt v = 0; v < range; v++) start[v + 1] += start[v];
    for (PetscInt i = 0; i < num; i++) to[start[tuples[from[i] * width + digit]]++] = from[i];
  }
  PetscCall(PetscFree2(start, from));
  PetscFunctionReturn(0);
}
