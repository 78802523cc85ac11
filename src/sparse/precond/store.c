/* Memory for the numbers of a factorisation: pages of the system. A page takes no memory before it is written. */
#include "store.h"
#include <abut/core.h>
#include <sys/mman.h>

#define ALIGNMENT 64 /* bytes: a cache line, the widest vector */

size_t StoreBytes(size_t bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

PetscErrorCode StoreReserve(Store *s, size_t bytes)
{
  const size_t capacity = bytes + bytes / 4; /* the next factor may be larger */
  void        *begin;

  PetscFunctionBegin;
  s->used = 0;
  if (bytes <= s->capacity && bytes >= s->capacity / 4) PetscFunctionReturn(0);
  PetscCall(StoreDestroy(s));
  if (bytes == 0) PetscFunctionReturn(0);
  begin = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  PetscCheck(begin != MAP_FAILED, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory: %.1f MB requested for a factor", (double)capacity / 1e6);
  AbutMemoryAskHugePages(begin, capacity);
  s->begin    = (char *)begin;
  s->capacity = capacity;
  PetscFunctionReturn(0);
}

PetscErrorCode StoreTake(Store *s, size_t bytes, void **array)
{
  PetscFunctionBegin;
  PetscCheck(StoreBytes(bytes) <= s->capacity - s->used, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A factor is larger than its store");
  *array = bytes > 0 ? s->begin + s->used : NULL;
  s->used += StoreBytes(bytes);
  PetscFunctionReturn(0);
}

PetscErrorCode StoreDestroy(Store *s)
{
  PetscFunctionBegin;
  if (s->begin) (void)munmap(s->begin, s->capacity);
  *s = (Store){0};
  PetscFunctionReturn(0);
}
