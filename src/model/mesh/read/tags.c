/* Map from the node tags of a mesh file to vertex numbers: runs of consecutive tags. Gmsh writes few runs: at most one per entity. */
#include "read.h"
#include <stdlib.h>

PetscErrorCode AbutTagsPush(AbutTags *tags, PetscInt tag)
{
  AbutTagRun *run = tags->n ? &tags->run[tags->n - 1] : NULL;

  PetscFunctionBegin;
  if (!run || (PetscInt64)run->first + run->n != tag) {
    PetscCall(AbutReserve(tags->n + 1, &tags->capacity, &tags->run));
    run  = &tags->run[tags->n++];
    *run = (AbutTagRun){tag, 0, tags->num};
  }
  run->n++;
  tags->num++;
  PetscFunctionReturn(0);
}

static int CompareRuns(const void *a, const void *b)
{
  const AbutTagRun *x = (const AbutTagRun *)a, *y = (const AbutTagRun *)b;

  return x->first != y->first ? (x->first > y->first) - (x->first < y->first) : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

PetscInt AbutTagsSort(AbutTags *tags)
{
  if (tags->n) qsort(tags->run, (size_t)tags->n, sizeof(*tags->run), CompareRuns);
  for (PetscInt i = 1; i < tags->n; i++) {
    const AbutTagRun *run = &tags->run[i], *before = run - 1;

    if ((PetscInt64)before->first + before->n > run->first) return PetscMax(run->vertex, before->vertex + (run->first - before->first));
  }
  return -1;
}

PetscInt AbutTagsFind(AbutTags *tags, PetscInt tag)
{
  PetscInt          low = 0, high = tags->n;
  const AbutTagRun *run = tags->n ? &tags->run[tags->found] : NULL;

  if (!run) return -1;
  if (tag < run->first || (PetscInt64)tag - run->first >= run->n) {
    while (high - low > 1) {
      const PetscInt middle                            = low + (high - low) / 2;
      *(tags->run[middle].first <= tag ? &low : &high) = middle;
    }
    run = &tags->run[low];
    if (tag < run->first || (PetscInt64)tag - run->first >= run->n) return -1;
    tags->found = low;
  }
  return run->vertex + (tag - run->first);
}
