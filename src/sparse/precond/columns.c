/* Block columns of fronts: which vertices they have, which rank stores them, their arrays. */
#include "nested.h"

static PetscInt PivotBlocks(const FrontLayout *l)
{
  return (l->num_pivots + l->width - 1) / l->width;
}

PetscInt FrontBlock(const FrontLayout *l, PetscInt row)
{
  return row < l->num_pivots ? row / l->width : PivotBlocks(l) + (row - l->num_pivots) / l->width;
}

PetscInt FrontBegin(const FrontLayout *l, PetscInt block)
{
  const PetscInt pivots = PivotBlocks(l);

  return block < pivots ? block * l->width : PetscMin(l->num_pivots + (block - pivots) * l->width, l->n);
}

PetscInt FrontEnd(const FrontLayout *l, PetscInt block)
{
  const PetscInt end = FrontBegin(l, block) + l->width;

  return PetscMin(end, block < PivotBlocks(l) ? l->num_pivots : l->n);
}

PetscInt FrontSolvedEnd(const FrontLayout *l, PetscInt together, PetscInt block)
{
  return PetscMin((block / together + 1) * together, PivotBlocks(l));
}

/* Ranks get the block columns in order, then in reverse order, and so on: so the total lengths of their columns are nearly equal. */
PetscMPIInt FrontOwner(const FrontLayout *l, PetscInt block)
{
  const PetscMPIInt k = (PetscMPIInt)(block % l->num_ranks);

  return block / l->num_ranks % 2 == 0 ? k : l->num_ranks - 1 - k;
}

PetscErrorCode ColumnsCreate(const FrontLayout *l, PetscMPIInt self, PetscInt bs, FrontColumns *columns)
{
  PetscFunctionBegin;
  columns->num = l->n == 0 ? 0 : FrontBlock(l, l->n - 1) + 1;
  PetscCall(PetscCalloc2(columns->num, &columns->size, columns->num, &columns->block));
  for (PetscInt b = 0; b < columns->num; b++)
    if (FrontOwner(l, b) == self)
      columns->size[b] = (size_t)((l->n - FrontBegin(l, b)) * bs) * (size_t)((FrontEnd(l, b) - FrontBegin(l, b)) * bs);
  PetscFunctionReturn(0);
}

PetscErrorCode ColumnsCreateDiagonal(const FrontLayout *l, PetscInt together, PetscInt bs, FrontColumns *diagonal)
{
  PetscFunctionBegin;
  diagonal->num = PivotBlocks(l);
  PetscCall(PetscCalloc2(diagonal->num, &diagonal->size, diagonal->num, &diagonal->block));
  for (PetscInt b = 0; b < diagonal->num; b++) {
    const PetscInt end = FrontEnd(l, FrontSolvedEnd(l, together, b) - 1);
    diagonal->size[b]  = (size_t)((end - FrontBegin(l, b)) * bs) * (size_t)((FrontEnd(l, b) - FrontBegin(l, b)) * bs);
  }
  PetscFunctionReturn(0);
}

size_t ColumnsBytes(const FrontColumns *columns, size_t bytes)
{
  size_t sum = 0;

  for (PetscInt b = 0; b < columns->num; b++) sum += StoreBytes(columns->size[b] * bytes);
  return sum;
}

PetscErrorCode ColumnsAllocate(FrontColumns *columns, size_t bytes, Store *store)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < columns->num; b++) PetscCall(StoreTake(store, columns->size[b] * bytes, &columns->block[b]));
  PetscFunctionReturn(0);
}

PetscErrorCode ColumnsZero(const FrontColumns *columns, size_t bytes)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < columns->num; b++) PetscCall(PetscMemzero(columns->block[b], columns->size[b] * bytes));
  PetscFunctionReturn(0);
}

void ColumnsCount(const FrontColumns *columns, PetscReal *all, PetscReal *largest)
{
  *all = *largest = 0;
  for (PetscInt b = 0; b < columns->num; b++) {
    *all += (PetscReal)columns->size[b];
    *largest = PetscMax(*largest, (PetscReal)columns->size[b]);
  }
}

PetscErrorCode ColumnsDestroy(FrontColumns *columns)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(columns->size, columns->block));
  PetscFunctionReturn(0);
}
