/* Memory allocation with an error message that states the requested size, and huge pages for large arrays. */
#include "coreimpl.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE (4 << 20) /* bytes of an array for which huge pages are worth a call of the system: two of them on x86-64 */

/* PETSc's default allocator: exported by the library, not declared in its public headers. */
PETSC_EXTERN PetscErrorCode PetscMallocAlign(size_t, PetscBool, int, const char[], const char[], void **);
PETSC_EXTERN PetscErrorCode PetscReallocAlign(size_t, int, const char[], const char[], void **);
PETSC_EXTERN PetscErrorCode PetscFreeAlign(void *, int, const char[], const char[]);

static PetscErrorCode Record(size_t bytes, const char function[])
{
  AbutErrorClear(); /* replaces the error of PETSc 3.18, which has a wrong code and no size */
  return AbutErrorSet(PETSC_ERR_MEM, "out of memory: %.1f MB requested in %s()", (double)bytes / 1e6, function);
}

void AbutMemoryAskHugePages(void *memory, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
  const uintptr_t page  = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page, end = ((uintptr_t)memory + bytes) / page * page;

  if (bytes >= LARGE) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* a system without huge pages refuses */
#else
  (void)memory;
  (void)bytes;
#endif
}

/* Arrays are cleared after the request for huge pages, because clearing them is the first access. */
static PetscErrorCode Allocate(size_t bytes, PetscBool clear, int line, const char function[], const char file[], void **memory)
{
  const PetscBool large = (PetscBool)(bytes >= LARGE);

  if (PetscMallocAlign(bytes, (PetscBool)(clear && !large), line, function, file, memory)) return Record(bytes, function);
  if (!large) return 0;
  AbutMemoryAskHugePages(*memory, bytes);
  if (clear) memset(*memory, 0, bytes);
  return 0;
}

static PetscErrorCode Reallocate(size_t bytes, int line, const char function[], const char file[], void **memory)
{
  if (PetscReallocAlign(bytes, line, function, file, memory)) return Record(bytes, function);
  AbutMemoryAskHugePages(*memory, bytes);
  return 0;
}

PetscErrorCode AbutMemoryInitialize(void)
{
  PetscBool debug;

  PetscFunctionBegin;
  PetscCall(PetscMallocGetDebug(&debug, NULL, NULL));
  if (!debug) PetscCall(PetscMallocSet(Allocate, PetscFreeAlign, Reallocate)); /* -malloc_debug installs its own allocator */
  PetscFunctionReturn(0);
}
