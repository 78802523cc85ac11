/* Memory allocation with an error message that states the requested size. */
#include "coreimpl.h"

/* PETSc's default allocator: exported by the library, not declared in its public headers. */
PETSC_EXTERN PetscErrorCode PetscMallocAlign(size_t, PetscBool, int, const char[], const char[], void **);
PETSC_EXTERN PetscErrorCode PetscReallocAlign(size_t, int, const char[], const char[], void **);
PETSC_EXTERN PetscErrorCode PetscFreeAlign(void *, int, const char[], const char[]);

static PetscErrorCode Record(size_t bytes, const char function[])
{
  AbutErrorClear(); /* replaces the error of PETSc 3.18, which has a wrong code and no size */
  return AbutErrorSet(PETSC_ERR_MEM, "out of memory: %.1f MB requested in %s()", (double)bytes / 1e6, function);
}

static PetscErrorCode Allocate(size_t bytes, PetscBool clear, int line, const char function[], const char file[], void **memory)
{
  return PetscMallocAlign(bytes, clear, line, function, file, memory) ? Record(bytes, function) : 0;
}

static PetscErrorCode Reallocate(size_t bytes, int line, const char function[], const char file[], void **memory)
{
  return PetscReallocAlign(bytes, line, function, file, memory) ? Record(bytes, function) : 0;
}

PetscErrorCode AbutMemoryInitialize(void)
{
  PetscBool debug;

  PetscFunctionBegin;
  PetscCall(PetscMallocGetDebug(&debug, NULL, NULL));
  if (!debug) PetscCall(PetscMallocSet(Allocate, PetscFreeAlign, Reallocate)); /* -malloc_debug installs its own allocator */
  PetscFunctionReturn(0);
}
