/* Growable arrays, radix sort of integer tuples, lists in compressed rows (CSR). */
#include <abut/containers.h>
#include <string.h>

PetscErrorCode AbutReserveColumns(PetscInt needed, PetscInt *capacity, PetscInt num, const AbutColumn column[])
{
  const PetscInt half = *capacity / 2, grown = *capacity > PETSC_MAX_INT - half ? PETSC_MAX_INT : *capacity + half;

  PetscFunctionBegin;
  if (needed <= *capacity) PetscFunctionReturn(0);
  const PetscInt room = PetscMax(needed, PetscMax(64, grown));
  for (PetscInt i = 0; i < num; i++) PetscCall(PetscRealloc(column[i].bytes * (size_t)room, column[i].array));
  *capacity = room;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFreeColumns(PetscInt num, const AbutColumn column[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < num; i++) PetscCall(PetscFree(*(void **)column[i].array));
  PetscFunctionReturn(0);
}

/* Not an abut error code if it fails: one rank may fail alone, and then the program must end without further messages between ranks. */
static PetscErrorCode Grow(PetscInt n, PetscInt more, PetscInt *capacity, AbutColumn column)
{
  PetscFunctionBegin;
  PetscCheck(more <= PETSC_MAX_INT - n, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "an array of more than %" PetscInt_FMT " entries needs a PETSc with 64-bit indices", PETSC_MAX_INT);
  PetscCall(AbutReserveColumns(n + more, capacity, 1, &column));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutIntsGrow(AbutInts *ints, PetscInt more)
{
  return Grow(ints->n, more, &ints->capacity, (AbutColumn){&ints->a, sizeof(*ints->a)});
}

PetscErrorCode AbutRealsGrow(AbutReals *reals, PetscInt more)
{
  return Grow(reals->n, more, &reals->capacity, (AbutColumn){&reals->a, sizeof(*reals->a)});
}

#define DIGIT_BITS 11
#define DIGITS     (1 << DIGIT_BITS)

/* One stable pass of the radix sort: writes the tuple indices `from` to `to`, sorted by one digit of the tuple entry `column`. */
static void SortByDigit(PetscInt num, PetscInt width, PetscInt column, int shift, const PetscInt tuples[], const PetscInt from[],
                        PetscInt to[])
{
  PetscInt start[DIGITS] = {0}, sum = 0;

  for (PetscInt i = 0; i < num; i++) start[(tuples[i * width + column] >> shift) & (DIGITS - 1)]++;
  for (int d = 0; d < DIGITS; d++) {
    const PetscInt count = start[d];
    start[d]             = sum;
    sum += count;
  }
  for (PetscInt i = 0; i < num; i++) to[start[(tuples[from[i] * width + column] >> shift) & (DIGITS - 1)]++] = from[i];
}

static int CompareRecords(const void *a, const void *b, void *keys)
{
  return AbutCompareInts(*(const int *)keys, (const PetscInt *)a, (const PetscInt *)b);
}

PetscErrorCode AbutSortRecords(PetscInt num, size_t bytes, int keys, void *records)
{
  PetscFunctionBegin;
  if (num > 1) PetscCall(PetscTimSort(num, records, bytes, CompareRecords, &keys));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSortTuples(PetscInt num, PetscInt width, PetscInt range, const PetscInt tuples[], PetscInt order[])
{
  PetscInt *work, *from = order, *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num, &work));
  to = work;
  for (PetscInt i = 0; i < num; i++) order[i] = i;
  for (PetscInt column = width - 1; column >= 0; column--) {
    for (int shift = 0; shift < 8 * (int)sizeof(PetscInt) - 1 && (range - 1) >> shift; shift += DIGIT_BITS) {
      PetscInt *swap = from;
      SortByDigit(num, width, column, shift, tuples, from, to);
      from = to;
      to   = swap;
    }
  }
  if (from != order) PetscCall(PetscArraycpy(order, from, num));
  PetscCall(PetscFree(work));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutUniqueTuples(PetscInt *num, PetscInt width, PetscInt range, PetscInt tuples[])
{
  const size_t bytes = (size_t)width * sizeof(*tuples);
  PetscInt    *order, *all, kept = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(*num, &order, *num * width, &all));
  PetscCall(PetscArraycpy(all, tuples, *num * width));
  PetscCall(AbutSortTuples(*num, width, range, all, order));
  for (PetscInt i = 0; i < *num; i++) {
    const PetscInt *tuple = &all[order[i] * width];
    if (!kept || memcmp(&tuples[(kept - 1) * width], tuple, bytes)) memcpy(&tuples[kept++ * width], tuple, bytes);
  }
  *num = kept;
  PetscCall(PetscFree2(order, all));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCSRSetPairs(PetscInt num_rows, PetscInt n, PetscInt width, const PetscInt rows[], const PetscInt items[], AbutCSR *csr)
{
  PetscInt *start;

  PetscFunctionBegin;
  PetscCall(AbutReserve(num_rows + 1, &csr->start_capacity, &csr->start));
  start = csr->start;
  PetscCall(PetscArrayzero(start, num_rows + 1));
  for (PetscInt i = 0; i < n * width; i++)
    if (rows[i] >= 0) start[rows[i] + 1]++;
  for (PetscInt r = 0; r < num_rows; r++) start[r + 1] += start[r];
  PetscCall(AbutReserve(start[num_rows], &csr->item_capacity, &csr->item));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = i * width; k < (i + 1) * width; k++)
      if (rows[k] >= 0) csr->item[start[rows[k]]++] = items ? items[i] : i;
  }
  for (PetscInt r = num_rows; r > 0; r--) start[r] = start[r - 1]; /* the loop above advanced each start to the end of its list */
  start[0]      = 0;
  csr->num_rows = num_rows;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCSRDestroy(AbutCSR *csr)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(csr->start));
  PetscCall(PetscFree(csr->item));
  *csr = (AbutCSR){0};
  PetscFunctionReturn(0);
}
