/* Sparse graphs from lists of pairs. */
#include "linalgimpl.h"

PetscErrorCode GraphCreate(PetscInt n, PetscInt64 num_pairs, const PetscInt row[], const PetscInt col[], Graph *graph)
{
  PetscInt64 *end, begin = 0, total = 0;
  PetscInt   *cols;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + 1, &end));
  PetscCall(PetscMalloc1(n + 1, &graph->ptr));
  PetscCall(PetscMalloc1(num_pairs, &cols));
  for (PetscInt64 k = 0; k < num_pairs; k++) end[row[k] + 1]++;
  for (PetscInt r = 0; r < n; r++) end[r + 1] += end[r];
  for (PetscInt64 k = 0; k < num_pairs; k++) cols[end[row[k]]++] = col[k]; /* from the end of the row before to its own */
  for (PetscInt r = 0; r < n; r++) {
    PetscInt count;
    PetscCall(PetscIntCast(end[r] - begin, &count));
    PetscCall(PetscSortRemoveDupsInt(&count, cols + begin));
    PetscCall(PetscIntCast(total, &graph->ptr[r]));
    for (PetscInt k = 0; k < count; k++) cols[total + k] = cols[begin + k];
    total += count;
    begin = end[r];
  }
  PetscCall(PetscIntCast(total, &graph->ptr[n]));
  PetscCall(PetscFree(end));
  graph->n    = n;
  graph->cols = cols;
  PetscFunctionReturn(0);
}

PetscErrorCode GraphDestroy(Graph *graph)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(graph->ptr));
  PetscCall(PetscFree(graph->cols));
  graph->n = 0;
  PetscFunctionReturn(0);
}
