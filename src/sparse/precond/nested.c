/* Symbolic factorisation of the separators: rows, distribution and inputs of the fronts on the path of a rank. */
#include "nested.h"
#include <abut/containers.h>

/*
  Least and largest number of vertices in a block column, and block columns for each rank. Wide blocks suit the dense kernels. Several
  blocks for each rank balance the work, because later block columns are shorter.
*/
#define WIDTH_MIN      4
#define WIDTH_MAX      32
#define BLOCKS_OF_RANK 6

/*
  Unknowns that all ranks solve at once in triangular solutions. Many: fewer reductions. Few: less work that all ranks repeat. With 192 this
  work takes about as long as a reduction of 16 to 64 ranks that takes 2 microseconds for a message.
*/
#define SOLVED_AT_ONCE 192

static PetscErrorCode LayoutAllocate(PetscInt n, PetscMPIInt num_ranks, FrontLayout *l)
{
  PetscFunctionBegin;
  l->n         = n;
  l->num_ranks = num_ranks;
  PetscCall(PetscMalloc2(num_ranks, &l->rank, n, &l->row));
  PetscFunctionReturn(0);
}

static PetscErrorCode LayoutCopy(const FrontLayout *from, FrontLayout *to)
{
  PetscFunctionBegin;
  *to = *from;
  PetscCall(LayoutAllocate(from->n, from->num_ranks, to));
  PetscCall(PetscArraycpy(to->rank, from->rank, from->num_ranks));
  PetscCall(PetscArraycpy(to->row, from->row, from->n));
  PetscFunctionReturn(0);
}

static PetscErrorCode LayoutListDestroy(PetscInt num, FrontLayout **list)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < num; k++) PetscCall(PetscFree2((*list)[k].rank, (*list)[k].row));
  PetscCall(PetscFree(*list));
  PetscFunctionReturn(0);
}

/* Appends a layout to a message: sizes, ranks, rows. */
static PetscErrorCode Pack(const FrontLayout *l, AbutInts *message)
{
  PetscFunctionBegin;
  PetscCall(AbutIntsPush(message, 4, (PetscInt[]){l->n, l->num_pivots, l->width, l->num_ranks}));
  for (PetscMPIInt r = 0; r < l->num_ranks; r++) PetscCall(AbutIntsPush(message, 1, (PetscInt[]){l->rank[r]}));
  PetscCall(AbutIntsPush(message, l->n, l->row));
  PetscFunctionReturn(0);
}

/* Length of a layout in a message. */
static PetscInt Length(const PetscInt message[])
{
  return 4 + message[3] + message[0];
}

/* Reads a layout from the beginning of a message. */
static PetscErrorCode Unpack(const PetscInt message[], FrontLayout *l)
{
  PetscFunctionBegin;
  l->num_pivots = message[1];
  l->width      = message[2];
  PetscCall(LayoutAllocate(message[0], (PetscMPIInt)message[3], l));
  for (PetscMPIInt r = 0; r < l->num_ranks; r++) l->rank[r] = (PetscMPIInt)message[4 + r];
  PetscCall(PetscArraycpy(l->row, message + 4 + l->num_ranks, l->n));
  PetscFunctionReturn(0);
}

/* Concatenates integers of all ranks of a group, in the order of ranks. Free all->a. Collective. */
static PetscErrorCode GatherInts(MPI_Comm group, PetscInt n, const PetscInt values[], AbutInts *all)
{
  PetscMPIInt size, count, *counts, *starts;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(group, &size));
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCall(PetscMalloc2(size, &counts, size + 1, &starts));
  PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, group));
  starts[0] = 0;
  for (PetscMPIInt r = 0; r < size; r++) starts[r + 1] = starts[r] + counts[r];
  all->n = 0;
  PetscCall(AbutIntsGrow(all, starts[size]));
  all->n = starts[size];
  PetscCallMPI(MPI_Allgatherv(values, count, MPIU_INT, all->a, counts, starts, MPIU_INT, group));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(0);
}

/*
  Replaces the pending layouts of this rank's child group by the layouts of both child groups, which their first ranks send. Collective on
  the group of the node.
*/
static PetscErrorCode MergePending(const Interface *it, PetscInt depth, PetscInt *num, FrontLayout **pending)
{
  const RankTree *t       = it->tree;
  AbutInts        message = {0}, all = {0};
  PetscMPIInt     first = 0;
  PetscInt        count = 0;

  PetscFunctionBegin;
  if (depth + 1 < t->depth) PetscCallMPI(MPI_Comm_rank(t->group[depth + 1], &first));
  for (PetscInt k = 0; k < *num && first == 0; k++) PetscCall(Pack(&(*pending)[k], &message));
  PetscCall(GatherInts(t->group[depth], message.n, message.a, &all));
  PetscCall(LayoutListDestroy(*num, pending));
  for (PetscInt at = 0; at < all.n; at += Length(all.a + at)) count++;
  PetscCall(PetscCalloc1(count, pending));
  *num = count;
  for (PetscInt k = 0, at = 0; k < count; at += Length(all.a + at), k++) PetscCall(Unpack(all.a + at, &(*pending)[k]));
  PetscCall(PetscFree(message.a));
  PetscCall(PetscFree(all.a));
  PetscFunctionReturn(0);
}

/*
  Lists the separator numbers in the rows that this rank has at a node: owned vertices of the node's separator, and the later separator
  vertices to which they are coupled.
*/
static PetscErrorCode ListOwnRows(const Interface *it, const FrontRows rows[2], PetscInt depth, AbutInts *list)
{
  const PetscInt bs = it->bs;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < it->num_owned; v++) {
    if (it->separator[0][v] < 0 || InterfaceDepthOf(it, it->separator[0][v]) != depth) continue;
    for (int p = 0; p < 2; p++)
      for (PetscInt k = rows[p].ia[v * bs]; k < rows[p].ia[v * bs + 1]; k += bs) {
        const PetscInt number = it->separator[p][rows[p].ja[k] / bs];
        if (number >= it->first[depth]) PetscCall(AbutIntsPush(list, 1, &number));
      }
  }
  PetscCall(PetscSortRemoveDupsInt(&list->n, list->a));
  PetscFunctionReturn(0);
}

/*
  Finds the rows of the front of a node: its separator, and the later separator vertices to which this separator or an input is coupled.
  Collective on the group.
*/
static PetscErrorCode FindRows(const Interface *it, const FrontRows rows[2], PetscInt depth, PetscInt num_inputs, const FrontLayout input[],
                               AbutInts *all)
{
  AbutInts own = {0};

  PetscFunctionBegin;
  PetscCall(ListOwnRows(it, rows, depth, &own));
  PetscCall(GatherInts(it->tree->group[depth], own.n, own.a, all));
  for (PetscInt k = 0; k < num_inputs; k++)
    PetscCall(AbutIntsPush(all, input[k].n - input[k].num_pivots, input[k].row + input[k].num_pivots));
  PetscCall(PetscSortRemoveDupsInt(&all->n, all->a));
  PetscCall(PetscFree(own.a));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetLayout(const Interface *it, PetscInt depth, const AbutInts *rows, FrontLayout *l)
{
  const PetscInt end = depth > 0 ? it->first[depth - 1] : it->total;
  PetscMPIInt    size;
  MPI_Group      world, group;
  PetscMPIInt   *local;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(it->tree->group[depth], &size));
  PetscCall(LayoutAllocate(rows->n, size, l));
  PetscCall(PetscArraycpy(l->row, rows->a, rows->n));
  l->num_pivots = 0;
  while (l->num_pivots < l->n && l->row[l->num_pivots] < end) l->num_pivots++;
  l->width = PetscMax(WIDTH_MIN, PetscMin(WIDTH_MAX, l->n / (BLOCKS_OF_RANK * size)));
  PetscCall(PetscMalloc1(size, &local));
  for (PetscMPIInt r = 0; r < size; r++) local[r] = r;
  PetscCallMPI(MPI_Comm_group(it->comm, &world));
  PetscCallMPI(MPI_Comm_group(it->tree->group[depth], &group));
  PetscCallMPI(MPI_Group_translate_ranks(group, size, local, world, l->rank));
  PetscCallMPI(MPI_Group_free(&world));
  PetscCallMPI(MPI_Group_free(&group));
  PetscCall(PetscFree(local));
  PetscFunctionReturn(0);
}

/* Arrays and work of this rank. Operations of a product are counted for whole blocks. */
static PetscErrorCode SetBlocks(Nested *f)
{
  const FrontLayout *l = &f->layout;
  PetscReal          diagonal, largest;

  PetscFunctionBegin;
  PetscCall(ColumnsCreate(l, f->self, f->bs, &f->columns));
  for (PetscInt b = 0; b < f->columns.num; b++) {
    const PetscReal m = (PetscReal)((l->n - FrontBegin(l, b)) * f->bs), k = (PetscReal)((FrontEnd(l, b) - FrontBegin(l, b)) * f->bs);
    if (FrontOwner(l, b) != f->self) continue;
    if (FrontBegin(l, b) < l->num_pivots) f->cost.flops += k * k * k / 3 + k * k * (m - k);
    f->cost.flops += 2 * m * k * (PetscReal)(PetscMin(FrontBegin(l, b), l->num_pivots) * f->bs);
  }
  f->together = PetscMax(1, SOLVED_AT_ONCE / (l->width * f->bs));
  PetscCall(ColumnsCreateDiagonal(l, f->together, f->bs, &f->diagonal));
  ColumnsCount(&f->diagonal, &diagonal, &largest);
  ColumnsCount(&f->columns, &f->cost.entries, &f->cost.array);
  f->cost.entries += diagonal;
  f->cost.array = PetscMax(f->cost.array, largest);
  PetscFunctionReturn(0);
}

/* The arrays that exist only while the front is factorised: messages, then block columns of other ranks. */
static void CountTemporary(Nested *f)
{
  const FrontLayout *l    = &f->layout;
  const PetscMPIInt  last = l->num_ranks - 1, *counts = f->counts;
  const PetscReal    sent     = (PetscReal)counts[last] + (PetscReal)counts[l->num_ranks + last];
  const PetscReal    received = (PetscReal)counts[2 * l->num_ranks + last] + (PetscReal)counts[3 * l->num_ranks + last];
  const PetscReal    buffer   = (PetscReal)(l->n * f->bs) * (PetscReal)(l->width * f->bs);

  f->cost.temporary = PetscMax(sent + received, buffer);
  f->cost.array     = PetscMax(f->cost.array, PetscMax(buffer, PetscMax(sent, received)));
}

static PetscErrorCode SetMaps(Nested *f)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(f->num_inputs, &f->map));
  for (PetscInt k = 0; k < f->num_inputs; k++) {
    const FrontLayout *in = &f->input[k];
    PetscCall(PetscMalloc1(in->n - in->num_pivots, &f->map[k]));
    for (PetscInt r = in->num_pivots; r < in->n; r++)
      PetscCall(PetscFindInt(in->row[r], f->layout.n, f->layout.row, &f->map[k][r - in->num_pivots]));
  }
  PetscFunctionReturn(0);
}

/* The rank in the group of each rank of an input. Both lists of ranks ascend. */
static PetscMPIInt FindMember(const FrontLayout *l, PetscMPIInt rank)
{
  PetscMPIInt r = 0;

  while (l->rank[r] != rank) r++;
  return r;
}

/* Counts the entries of columns that this rank sends to and receives from each rank of the group. */
static PetscErrorCode CountContributions(Nested *f)
{
  const FrontLayout *l = &f->layout;
  PetscInt64        *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 * l->num_ranks, &count));
  for (PetscInt k = 0; k < f->num_inputs; k++) {
    const FrontLayout *in = &f->input[k];
    for (PetscInt c = in->num_pivots; c < in->n; c++) {
      const PetscMPIInt from   = FindMember(l, in->rank[FrontOwner(in, FrontBlock(in, c))]);
      const PetscMPIInt to     = FrontOwner(l, FrontBlock(l, f->map[k][c - in->num_pivots]));
      const PetscInt64  length = (PetscInt64)(in->n - c) * f->bs * f->bs;
      if (from == to) continue; /* added without a message */
      if (from == f->self) count[to] += length;
      if (to == f->self) count[l->num_ranks + from] += length;
    }
  }
  PetscCall(PetscMalloc1(4 * l->num_ranks, &f->counts));
  for (int way = 0; way < 2; way++) {
    PetscInt64 start = 0;
    for (PetscMPIInt r = 0; r < l->num_ranks; r++) {
      PetscCheck(start + count[way * l->num_ranks + r] <= PETSC_MPI_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
                 "The contributions to a separator of %" PetscInt_FMT " vertices exceed the counts of MPI: use more ranks, or -abut_linear "
                 "multigrid",
                 l->num_pivots);
      f->counts[2 * way * l->num_ranks + r]       = (PetscMPIInt)count[way * l->num_ranks + r];
      f->counts[(2 * way + 1) * l->num_ranks + r] = (PetscMPIInt)start;
      start += count[way * l->num_ranks + r];
    }
  }
  PetscCall(PetscFree(count));
  PetscFunctionReturn(0);
}

/* Creates the front of a node and replaces the pending layouts, its inputs, by its own. */
static PetscErrorCode CreateFront(const Interface *it, PetscInt depth, const AbutInts *rows, PetscInt *num, FrontLayout **pending,
                                  Nested *f)
{
  PetscFunctionBegin;
  f->depth = depth;
  f->bs    = it->bs;
  f->group = it->tree->group[depth];
  PetscCallMPI(MPI_Comm_rank(f->group, &f->self));
  PetscCall(SetLayout(it, depth, rows, &f->layout));
  f->num_inputs = *num;
  f->input      = *pending;
  for (PetscInt k = 0; k < *num; k++)
    for (PetscMPIInt r = 0; r < f->input[k].num_ranks; r++)
      if (f->input[k].rank[r] == it->rank) f->own_input = k;
  PetscCall(SetMaps(f));
  PetscCall(SetBlocks(f));
  PetscCall(CountContributions(f));
  CountTemporary(f);
  *num = 1;
  PetscCall(PetscCalloc1(1, pending));
  PetscCall(LayoutCopy(&f->layout, &(*pending)[0]));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetInterior(const Interface *it, FrontLayout *l)
{
  PetscFunctionBegin;
  PetscCall(LayoutAllocate(it->num_border, 1, l));
  l->num_pivots = 0;
  l->width      = FrontsWidth(it->num_border);
  l->rank[0]    = it->rank;
  PetscCall(PetscArraycpy(l->row, it->border, it->num_border));
  PetscFunctionReturn(0);
}

PetscErrorCode NestedCreate(const Interface *it, Mat A, NestedPath **path)
{
  NestedPath  *p;
  FrontRows    rows[2];
  FrontLayout *pending;
  PetscInt     num = 1;

  PetscFunctionBegin;
  PetscCall(PetscNew(&p));
  *path = p;
  p->bs = it->bs;
  PetscCall(PetscCalloc1(it->tree->depth, &p->front));
  PetscCall(SetInterior(it, &p->interior));
  PetscCall(ColumnsCreate(&p->interior, 0, p->bs, &p->columns));
  PetscCall(PetscCalloc1(1, &pending));
  PetscCall(LayoutCopy(&p->interior, &pending[0]));
  PetscCall(InterfaceGetRows(it, A, rows));
  for (PetscInt d = it->tree->depth - 1; d >= 0; d--) {
    AbutInts       all = {0};
    const PetscInt end = d > 0 ? it->first[d - 1] : it->total;
    PetscCall(MergePending(it, d, &num, &pending));
    PetscCall(FindRows(it, rows, d, num, pending, &all));
    if (all.n > 0 && all.a[0] < end) PetscCall(CreateFront(it, d, &all, &num, &pending, &p->front[p->num++]));
    PetscCall(PetscFree(all.a));
  }
  PetscCall(InterfaceRestoreRows(A, rows));
  PetscCall(LayoutListDestroy(num, &pending));
  PetscFunctionReturn(0);
}

PetscErrorCode NestedRelease(NestedPath *p)
{
  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < p->num; i++) PetscCall(PetscFree(p->front[i].w));
  PetscFunctionReturn(0);
}

PetscErrorCode NestedDestroy(NestedPath **path)
{
  NestedPath *p = *path;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(0);
  PetscCall(NestedRelease(p));
  for (PetscInt i = 0; i < p->num; i++) {
    Nested *f = &p->front[i];
    for (PetscInt k = 0; k < f->num_inputs; k++) PetscCall(PetscFree(f->map[k]));
    PetscCall(PetscFree(f->map));
    PetscCall(LayoutListDestroy(f->num_inputs, &f->input));
    PetscCall(PetscFree2(f->layout.rank, f->layout.row));
    PetscCall(PetscFree(f->counts));
    PetscCall(ColumnsDestroy(&f->columns));
    PetscCall(ColumnsDestroy(&f->diagonal));
  }
  PetscCall(ColumnsDestroy(&p->columns));
  PetscCall(PetscFree2(p->interior.rank, p->interior.row));
  PetscCall(PetscFree(p->front));
  PetscCall(PetscFree(*path));
  PetscFunctionReturn(0);
}
