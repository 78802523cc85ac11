/* Sparse block graphs from lists of pairs. */
#include "linalgimpl.h"

/*
  Table of the columns already found in a row, to remove duplicates before sorting. Used if the range of columns is smaller than the number
  of pairs.
*/
typedef struct {
  PetscInt  first;
  PetscInt *row; /* [i]: last row in which column first + i was found; NULL if the range is too large for a table */
} Seen;

static PetscErrorCode SeenCreate(PetscInt64 num_pairs, const PetscInt col[], Seen *seen)
{
  PetscInt first = PETSC_MAX_INT, last = -1;

  PetscFunctionBegin;
  for (PetscInt64 k = 0; k < num_pairs; k++) {
    first = PetscMin(first, col[k]);
    last  = PetscMax(last, col[k]);
  }
  *seen = (Seen){first, NULL};
  if (num_pairs == 0 || last - first >= num_pairs) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(last - first + 1, &seen->row));
  for (PetscInt i = 0; i <= last - first; i++) seen->row[i] = -1;
  PetscFunctionReturn(0);
}

/* Sorts the columns of a row and removes duplicates. The table removes the many duplicates of a row with contacts faster than sorting. */
static PetscErrorCode SortRow(const Seen *seen, PetscInt row, PetscInt *count, PetscInt cols[])
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; seen->row && k < *count; k++) {
    PetscInt *last = seen->row + (cols[k] - seen->first);
    if (*last == row) continue;
    *last     = row;
    cols[n++] = cols[k];
  }
  if (seen->row) *count = n;
  PetscCall(PetscSortRemoveDupsInt(count, cols));
  PetscFunctionReturn(0);
}

PetscErrorCode GraphCreate(PetscInt n, PetscInt64 num_pairs, const PetscInt row[], const PetscInt col[], Graph *graph)
{
  PetscInt64 *end, begin = 0, total = 0;
  PetscInt   *cols;
  Seen        seen;

  PetscFunctionBegin;
  PetscCall(SeenCreate(num_pairs, col, &seen));
  PetscCall(PetscCalloc1(n + 1, &end));
  PetscCall(PetscMalloc1(n + 1, &graph->ptr));
  PetscCall(PetscMalloc1(num_pairs, &cols));
  for (PetscInt64 k = 0; k < num_pairs; k++) end[row[k] + 1]++;
  for (PetscInt r = 0; r < n; r++) end[r + 1] += end[r];
  for (PetscInt64 k = 0; k < num_pairs; k++) cols[end[row[k]]++] = col[k]; /* end[r]: next free entry of row r */
  for (PetscInt r = 0; r < n; r++) {
    PetscInt count;
    PetscCall(PetscIntCast(end[r] - begin, &count));
    PetscCall(SortRow(&seen, r, &count, cols + begin));
    PetscCall(PetscIntCast(total, &graph->ptr[r]));
    for (PetscInt k = 0; k < count; k++) cols[total + k] = cols[begin + k];
    total += count;
    begin = end[r];
  }
  PetscCall(PetscIntCast(total, &graph->ptr[n]));
  PetscCall(PetscFree(end));
  PetscCall(PetscFree(seen.row));
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
