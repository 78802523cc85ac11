/* Lists the matrix entries of separators. */
#include "entries.h"

/* Entries of separator rows before they are sorted by receiver. */
typedef struct {
  AbutInts to, source, place;
} EntryList;

Nested *NestedAt(NestedPath *path, PetscInt depth)
{
  for (PetscInt i = 0; i < path->num; i++)
    if (path->front[i].depth == depth) return &path->front[i];
  return NULL;
}

/* Lists the entries of the row of an owned separator vertex whose columns are eliminated no earlier. */
static PetscErrorCode ListRow(const Interface *it, const FrontRows rows[2], PetscInt v, const Nested *f, EntryList *list)
{
  const FrontLayout *l  = &f->layout;
  const PetscInt     bs = it->bs, number = it->separator[0][v];
  PetscInt           column, to;

  PetscFunctionBegin;
  PetscCall(PetscFindInt(number, l->n, l->row, &column));
  to = l->rank[FrontOwner(l, FrontBlock(l, column))];
  for (int p = 0; p < 2; p++)
    for (PetscInt k = rows[p].ia[v * bs]; k < rows[p].ia[v * bs + 1]; k += bs) {
      const PetscInt other = it->separator[p][rows[p].ja[k] / bs];
      PetscInt       row;
      if (other < number) continue;
      PetscCall(PetscFindInt(other, l->n, l->row, &row));
      PetscCall(AbutIntsPush(&list->to, 1, &to));
      PetscCall(AbutIntsPush(&list->source, 3, (PetscInt[]){p, k, rows[p].ia[v * bs + 1] - rows[p].ia[v * bs]}));
      PetscCall(AbutIntsPush(&list->place, 3, (PetscInt[]){f->depth, column, row}));
    }
  PetscFunctionReturn(0);
}

static PetscErrorCode SortByReceiver(const Interface *it, EntryList *list)
{
  const PetscInt n = list->to.n;
  PetscInt      *order, *source, *place, *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &order, n, &to, 3 * n, &source, 3 * n, &place));
  PetscCall(AbutSortTuples(n, 1, it->size, list->to.a, order));
  for (PetscInt i = 0; i < n; i++) {
    to[i] = list->to.a[order[i]];
    PetscCall(PetscArraycpy(source + 3 * i, list->source.a + 3 * order[i], 3));
    PetscCall(PetscArraycpy(place + 3 * i, list->place.a + 3 * order[i], 3));
  }
  PetscCall(PetscArraycpy(list->to.a, to, n));
  PetscCall(PetscArraycpy(list->source.a, source, 3 * n));
  PetscCall(PetscArraycpy(list->place.a, place, 3 * n));
  PetscCall(PetscFree4(order, to, source, place));
  PetscFunctionReturn(0);
}

PetscErrorCode EntriesCreate(const Interface *it, Mat A, const NestedPath *path, Entries *e)
{
  EntryList    list = {{0}};
  FrontRows    rows[2];
  PetscMPIInt *to;

  PetscFunctionBegin;
  PetscCall(InterfaceGetRows(it, A, rows));
  for (PetscInt v = 0; v < it->num_owned; v++)
    if (it->separator[0][v] >= 0)
      PetscCall(ListRow(it, rows, v, NestedAt((NestedPath *)path, InterfaceDepthOf(it, it->separator[0][v])), &list));
  PetscCall(InterfaceRestoreRows(A, rows));
  PetscCall(SortByReceiver(it, &list));
  e->num_sent = list.to.n;
  e->source   = list.source.a;
  PetscCall(PetscMalloc1(e->num_sent, &to));
  for (PetscInt i = 0; i < e->num_sent; i++) to[i] = (PetscMPIInt)list.to.a[i];
  PetscCall(AbutExchangeRecords(it->comm, 3 * sizeof(PetscInt), e->num_sent, to, list.place.a, NULL, &e->exchange, &e->place));
  e->num_received = e->exchange.recv_start[e->exchange.num_recv];
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(list.to.a));
  PetscCall(PetscFree(list.place.a));
  PetscFunctionReturn(0);
}

PetscErrorCode EntriesRelease(Entries *e)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(e->sent, e->received));
  PetscFunctionReturn(0);
}

PetscErrorCode EntriesDestroy(Entries *e)
{
  PetscFunctionBegin;
  PetscCall(AbutExchangeDestroy(&e->exchange));
  PetscCall(PetscFree(e->source));
  PetscCall(PetscFree(e->place));
  PetscCall(EntriesRelease(e));
  PetscFunctionReturn(0);
}
