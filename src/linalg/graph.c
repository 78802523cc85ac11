/* Sparse graphs from lists of pairs. */
#include "linalgimpl.h"

PetscErrorCode GraphCreate(PetscInt n, PetscInt num_pairs, const PetscInt row[], const PetscInt col[], Graph *graph)
{
  PetscInt *start, *cols, total = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + 1, &start));
  PetscCall(PetscMalloc1(num_pairs, &cols));
  for (PetscInt k = 0; k < num_pairs; k++) start[row[k] + 1]++;
  for (PetscInt r = 0; r < n; r++) start[r + 1] += start[r];
  for (PetscInt k = 0; k < num_pairs; k++) cols[start[row[k]]++] = col[k];
  for (PetscInt r = n; r > 0; r--) start[r] = start[r - 1];
  start[0] = 0;
  for (PetscInt r = 0; r < n; r++) {
    const PetscInt begin = start[r];
    PetscInt       count = start[r + 1] - begin;
    PetscCall(PetscSortRemoveDupsInt(&count, cols + begin));
    start[r] = total;
    for (PetscInt k = 0; k < count; k++) cols[total + k] = cols[begin + k];
    total += count;
  }
  start[n]    = total;
  graph->n    = n;
  graph->ptr  = start;
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
