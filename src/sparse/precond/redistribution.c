/* Movement of matrix blocks and vectors between two distributions. New owners number their vertices in the order of the old numbers. */
#include "redistribution.h"

/* The two sequential parts of a distributed matrix. */
typedef struct {
  const PetscInt    *ia[2], *ja[2];
  const PetscScalar *values[2];
  Mat                part[2];
} Parts;

static PetscErrorCode GetParts(Mat A, Parts *parts)
{
  PetscInt  rows;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &parts->part[0], &parts->part[1], NULL));
  for (int p = 0; p < 2; p++) {
    PetscCall(MatGetRowIJ(parts->part[p], 0, PETSC_FALSE, PETSC_FALSE, &rows, &parts->ia[p], &parts->ja[p], &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type gives no access to its rows");
    PetscCall(MatSeqAIJGetArrayRead(parts->part[p], &parts->values[p]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode RestoreParts(Parts *parts)
{
  PetscInt  rows;
  PetscBool done;

  PetscFunctionBegin;
  for (int p = 0; p < 2; p++) {
    PetscCall(MatSeqAIJRestoreArrayRead(parts->part[p], &parts->values[p]));
    PetscCall(MatRestoreRowIJ(parts->part[p], 0, PETSC_FALSE, PETSC_FALSE, &rows, &parts->ia[p], &parts->ja[p], &done));
  }
  PetscFunctionReturn(0);
}

/* Sends each vertex to its new owner, with depth and position if the mapping has them. */
static PetscErrorCode MoveVertices(MPI_Comm comm, const Mapping *m, Redistribution *r)
{
  PetscInt    *mapped;
  PetscMPIInt *to, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc1(r->num_old, &r->order));
  PetscCall(PetscMalloc2(r->num_old, &to, 2 * r->num_old, &mapped));
  PetscCall(AbutSortTuples(r->num_old, 1, size, m->rank, r->order));
  for (PetscInt i = 0; i < r->num_old; i++) {
    to[i]             = (PetscMPIInt)m->rank[r->order[i]];
    mapped[2 * i]     = m->depth ? m->depth[r->order[i]] : 0;
    mapped[2 * i + 1] = m->order ? m->order[r->order[i]] : 0;
  }
  PetscCall(AbutExchangeRecords(comm, 2 * sizeof(PetscInt), r->num_old, to, mapped, NULL, &r->vertices, &r->mapped));
  r->num_new = r->vertices.recv_start[r->vertices.num_recv];
  PetscCall(PetscMalloc1(r->num_old * r->bs, &r->message));
  PetscCall(PetscFree2(to, mapped));
  PetscFunctionReturn(0);
}

PetscErrorCode RedistributionGhosts(Mat A, PetscSF *sf)
{
  PetscInt        bs, num_owned, num_ghosts;
  const PetscInt *ranges, *ghost;
  PetscSFNode    *remote;
  Mat             other;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, &other, &ghost));
  PetscCall(MatGetLocalSize(other, &num_owned, &num_ghosts));
  num_owned /= bs;
  num_ghosts /= bs;
  PetscCall(MatGetOwnershipRanges(A, &ranges));
  PetscCall(PetscMalloc1(num_ghosts, &remote));
  for (PetscInt g = 0, owner = 0; g < num_ghosts; g++) {
    while (ghost[g * bs] >= ranges[owner + 1]) owner++;
    remote[g] = (PetscSFNode){.rank = owner, .index = (ghost[g * bs] - ranges[owner]) / bs};
  }
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), sf));
  PetscCall(PetscSFSetGraph(*sf, num_owned, num_ghosts, NULL, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscFunctionReturn(0);
}

/* New global numbers of the owned vertices [num_old] and of the ghosts. Collective. */
static PetscErrorCode FindNumbers(Mat A, const Redistribution *r, PetscInt *number[2])
{
  PetscInt first = 0, *new, *sorted;
  PetscSF  sf;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&r->num_new, &first, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)A)));
  PetscCall(PetscMalloc2(r->num_new, &new, r->num_old, &sorted));
  for (PetscInt v = 0; v < r->num_new; v++) new[v] = first - r->num_new + v;
  PetscCall(AbutExchangeReverse(&r->vertices, sizeof(PetscInt), new, sorted));
  for (PetscInt i = 0; i < r->num_old; i++) number[0][r->order[i]] = sorted[i];
  PetscCall(PetscFree2(new, sorted));
  PetscCall(RedistributionGhosts(A, &sf));
  PetscCall(AbutSFBcastRows(sf, MPIU_INT, 1, number[0], number[1]));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(0);
}

static PetscInt RowLength(const Parts *parts, PetscInt bs, PetscInt v)
{
  PetscInt length = 0;

  for (int p = 0; p < 2; p++) length += (parts->ia[p][v * bs + 1] - parts->ia[p][v * bs]) / bs;
  return length;
}

/* Ranges of vertices that stay on this rank. */
static PetscErrorCode FindStaying(Redistribution *r)
{
  const AbutExchange *v = &r->vertices;
  PetscMPIInt         me, s;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(v->comm, &me));
  for (s = 0; s < v->num_send && v->send_rank[s] != me;) s++;
  if (s == v->num_send) PetscFunctionReturn(0);
  r->num_stay  = v->send_start[s + 1] - v->send_start[s];
  r->stay_sent = v->send_start[s];
  for (s = 0; v->recv_rank[s] != me;) s++;
  r->stay_new = v->recv_start[s];
  PetscFunctionReturn(0);
}

/* Sets up the exchange of blocks with other ranks. length: [num_new] blocks of each new row. Collective. */
static PetscErrorCode SetBlockExchange(const Parts *parts, Redistribution *r, PetscInt length[])
{
  const AbutExchange *v = &r->vertices;
  PetscInt           *own, *start;
  PetscMPIInt        *to, num = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->num_old, &own));
  for (PetscInt i = 0; i < r->num_old; i++) own[i] = RowLength(parts, r->bs, r->order[i]);
  PetscCall(AbutExchangeForward(v, sizeof(PetscInt), own, length));
  PetscCall(PetscMalloc2(v->num_send, &to, v->num_send + 1, &start));
  start[0] = 0;
  for (PetscMPIInt s = 0; s < v->num_send; s++) {
    if (r->num_stay > 0 && v->send_start[s] == r->stay_sent) continue;
    to[num++]  = v->send_rank[s];
    start[num] = start[num - 1];
    for (PetscInt i = v->send_start[s]; i < v->send_start[s + 1]; i++) start[num] += own[i];
  }
  PetscCall(AbutExchangeCreate(v->comm, num, to, start, &r->blocks));
  PetscCall(PetscFree2(to, start));
  PetscCall(PetscFree(own));
  PetscFunctionReturn(0);
}

/* Writes the new columns of the blocks of the sorted vertices [begin, end); returns the end of the list. */
static PetscInt *ListColumns(const Parts *parts, const Redistribution *r, PetscInt *const number[2], PetscInt begin, PetscInt end,
                             PetscInt *to)
{
  const PetscInt bs = r->bs;

  for (PetscInt i = begin; i < end; i++)
    for (int p = 0; p < 2; p++)
      for (PetscInt k = parts->ia[p][r->order[i] * bs]; k < parts->ia[p][r->order[i] * bs + 1]; k += bs)
        *to++ = number[p][parts->ja[p][k] / bs];
  return to;
}

/* Sends the columns of each row. columns: [new blocks] new global numbers in the order of r->place. Collective. */
static PetscErrorCode MoveColumns(Mat A, const Parts *parts, Redistribution *r, PetscInt columns[])
{
  const PetscInt after = r->stay_sent + r->num_stay;
  PetscInt      *number[2], *sent, *at, num_ghosts;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(parts->part[1], NULL, &num_ghosts));
  PetscCall(PetscMalloc3(r->num_old, &number[0], num_ghosts / r->bs, &number[1], r->blocks.send_start[r->blocks.num_send], &sent));
  PetscCall(FindNumbers(A, r, number));
  at = ListColumns(parts, r, number, 0, r->stay_sent, sent);
  (void)ListColumns(parts, r, number, after, r->num_old, at);
  PetscCall(AbutExchangeForward(&r->blocks, sizeof(PetscInt), sent, columns));
  (void)ListColumns(parts, r, number, r->stay_sent, after, columns + r->blocks.recv_start[r->blocks.num_recv]);
  PetscCall(PetscFree3(number[0], number[1], sent));
  PetscFunctionReturn(0);
}

/* first: [num_new] number of the first block of each new row; received rows come first. Returns the number of blocks. */
static PetscInt NumberBlocks(const Redistribution *r, const PetscInt length[], PetscInt first[])
{
  PetscInt received = 0, stay = r->blocks.recv_start[r->blocks.num_recv];

  for (PetscInt v = 0; v < r->num_new; v++) {
    PetscInt *at = v >= r->stay_new && v < r->stay_new + r->num_stay ? &stay : &received;
    first[v]     = *at;
    *at += length[v];
  }
  return stay;
}

/* Allocates the rows of the matrix. columns: of new blocks; the vertices [begin, begin + num_new) belong to this rank. */
static PetscErrorCode AllocateRows(Redistribution *r, PetscInt begin, const PetscInt length[], const PetscInt first[],
                                   const PetscInt columns[])
{
  const PetscInt bs = r->bs, rows = r->num_new * bs;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(rows + 1, &r->ia[0], rows + 1, &r->ia[1]));
  r->ia[0][0] = r->ia[1][0] = 0;
  for (PetscInt row = 0; row < rows; row++) {
    const PetscInt v   = row / bs;
    PetscInt       own = 0;
    if (row % bs > 0) {
      for (int p = 0; p < 2; p++) r->ia[p][row + 1] = 2 * r->ia[p][row] - r->ia[p][row - 1];
      continue;
    }
    for (PetscInt k = first[v]; k < first[v] + length[v]; k++) own += columns[k] >= begin && columns[k] < begin + r->num_new;
    r->ia[0][row + 1] = r->ia[0][row] + own * bs;
    r->ia[1][row + 1] = r->ia[1][row] + (length[v] - own) * bs;
  }
  for (int p = 0; p < 2; p++) PetscCall(PetscMalloc2(r->ia[p][rows], &r->ja[p], r->ia[p][rows], &r->values[p]));
  PetscFunctionReturn(0);
}

/* Writes the columns and places of the blocks of row v. sorted: [length] columns, ascending; from: [length] number of each block. */
static void SetRow(Redistribution *r, PetscInt begin, PetscInt v, PetscInt length, const PetscInt sorted[], const PetscInt from[])
{
  const PetscInt bs     = r->bs;
  PetscInt       at[2]  = {r->ia[0][v * bs], r->ia[1][v * bs]};
  const PetscInt row[2] = {r->ia[0][v * bs + 1] - at[0], r->ia[1][v * bs + 1] - at[1]};

  for (PetscInt k = 0; k < length; k++) {
    const int      p          = sorted[k] < begin || sorted[k] >= begin + r->num_new;
    const PetscInt column     = (p == 0 ? sorted[k] - begin : sorted[k]) * bs;
    r->place[2 * from[k]]     = p == 0 ? at[0] : -1 - at[1];
    r->place[2 * from[k] + 1] = row[p];
    for (PetscInt i = 0; i < bs; i++)
      for (PetscInt j = 0; j < bs; j++) r->ja[p][at[p] + i * row[p] + j] = column + j;
    at[p] += bs;
  }
}

/* Creates the matrix, with ascending columns and without values, and the places of blocks. columns: see MoveColumns(); changed. */
static PetscErrorCode CreateMatrix(MPI_Comm comm, Redistribution *r, const PetscInt length[], const PetscInt first[], PetscInt columns[])
{
  PetscInt num[2] = {r->num_new, 0}, rows = r->num_new * r->bs, begin, longest = 0, *from;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&r->num_new, &begin, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(&num[0], &num[1], 1, MPIU_INT, MPI_SUM, comm));
  begin -= r->num_new;
  PetscCall(AllocateRows(r, begin, length, first, columns));
  for (PetscInt v = 0; v < r->num_new; v++) longest = PetscMax(longest, length[v]);
  PetscCall(PetscMalloc1(longest, &from));
  for (PetscInt v = 0; v < r->num_new; v++) {
    for (PetscInt k = 0; k < length[v]; k++) from[k] = first[v] + k;
    PetscCall(PetscSortIntWithArray(length[v], columns + first[v], from));
    SetRow(r, begin, v, length[v], columns + first[v], from);
  }
  PetscCall(PetscFree(from));
  PetscCall(MatCreateMPIAIJWithSplitArrays(comm, rows, rows, num[1] * r->bs, num[1] * r->bs, r->ia[0], r->ja[0], r->values[0], r->ia[1],
                                           r->ja[1], r->values[1], &r->B));
  PetscCall(MatSetBlockSize(r->B, r->bs));
  PetscCall(MatSetOption(r->B, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE)); /* no messages in RedistributionUpdate() */
  PetscFunctionReturn(0);
}

PetscErrorCode RedistributionCreate(Mat A, const Mapping *m, Redistribution **redistribution)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)A);
  Redistribution *r;
  Parts           parts;
  PetscInt       *length, *first, *columns, blocks;

  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  *redistribution = r;
  PetscCall(MatGetBlockSize(A, &r->bs));
  PetscCall(MatGetLocalSize(A, &r->num_old, NULL));
  r->num_old /= r->bs;
  PetscCall(GetParts(A, &parts));
  PetscCall(MoveVertices(comm, m, r));
  PetscCall(FindStaying(r));
  PetscCall(PetscMalloc2(r->num_new, &length, r->num_new, &first));
  PetscCall(SetBlockExchange(&parts, r, length));
  blocks = NumberBlocks(r, length, first);
  PetscCall(PetscMalloc1(2 * blocks, &r->place));
  PetscCall(PetscMalloc1(blocks, &columns));
  PetscCall(MoveColumns(A, &parts, r, columns));
  PetscCall(RestoreParts(&parts));
  PetscCall(CreateMatrix(comm, r, length, first, columns));
  PetscCall(PetscFree2(length, first));
  PetscCall(PetscFree(columns));
  PetscFunctionReturn(0);
}

PetscErrorCode RedistributionDestroy(Redistribution **redistribution)
{
  Redistribution *r = *redistribution;

  PetscFunctionBegin;
  if (!r) PetscFunctionReturn(0);
  PetscCall(AbutExchangeDestroy(&r->vertices));
  PetscCall(AbutExchangeDestroy(&r->blocks));
  PetscCall(PetscFree(r->order));
  PetscCall(PetscFree(r->place));
  PetscCall(PetscFree(r->message));
  PetscCall(PetscFree(r->mapped));
  PetscCall(MatDestroy(&r->B));
  PetscCall(PetscFree2(r->ia[0], r->ia[1]));
  for (int p = 0; p < 2; p++) PetscCall(PetscFree2(r->ja[p], r->values[p]));
  PetscCall(PetscFree(*redistribution));
  PetscFunctionReturn(0);
}

/* Copies a block; from_row, to_row: lengths of the rows around it. */
static inline void CopyBlock(PetscInt bs, PetscInt from_row, const PetscScalar from[], PetscInt to_row, PetscScalar to[])
{
  if (bs == 3) { /* known lengths of loops */
    for (PetscInt i = 0; i < 3; i++)
      for (PetscInt j = 0; j < 3; j++) to[i * to_row + j] = from[i * from_row + j];
  } else {
    for (PetscInt i = 0; i < bs; i++)
      for (PetscInt j = 0; j < bs; j++) to[i * to_row + j] = from[i * from_row + j];
  }
}

/* Copies a block to its place. */
static inline void PlaceBlock(const Redistribution *r, PetscInt from_row, const PetscScalar from[], const PetscInt place[2])
{
  CopyBlock(r->bs, from_row, from, place[1], place[0] < 0 ? r->values[1] - 1 - place[0] : r->values[0] + place[0]);
}

/* Writes the blocks of the sorted vertices [begin, end) one after the other; returns their end. */
static PetscScalar *PackBlocks(const Redistribution *r, const Parts *parts, PetscInt begin, PetscInt end, PetscScalar *to)
{
  const PetscInt bs = r->bs;

  for (PetscInt i = begin; i < end; i++)
    for (int p = 0; p < 2; p++) {
      const PetscInt first = parts->ia[p][r->order[i] * bs], row = parts->ia[p][r->order[i] * bs + 1] - first;
      for (PetscInt k = first; k < first + row; k += bs, to += bs * bs) CopyBlock(bs, row, parts->values[p] + k, bs, to);
    }
  return to;
}

/* Copies the blocks of the vertices that stay. */
static void CopyStaying(const Redistribution *r, const Parts *parts)
{
  const PetscInt *place = r->place + 2 * r->blocks.recv_start[r->blocks.num_recv];

  for (PetscInt i = r->stay_sent; i < r->stay_sent + r->num_stay; i++)
    for (int p = 0; p < 2; p++) {
      const PetscInt first = parts->ia[p][r->order[i] * r->bs], row = parts->ia[p][r->order[i] * r->bs + 1] - first;
      for (PetscInt k = first; k < first + row; k += r->bs, place += 2) PlaceBlock(r, row, parts->values[p] + k, place);
    }
}

PetscErrorCode RedistributionUpdate(Redistribution *r, Mat A)
{
  const PetscInt entries = r->bs * r->bs, num_sent = r->blocks.send_start[r->blocks.num_send];
  const PetscInt num_received = r->blocks.recv_start[r->blocks.num_recv];
  PetscScalar   *sent, *received, *at;
  Parts          parts;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(entries * num_sent, &sent, entries * num_received, &received));
  PetscCall(GetParts(A, &parts));
  at = PackBlocks(r, &parts, 0, r->stay_sent, sent);
  (void)PackBlocks(r, &parts, r->stay_sent + r->num_stay, r->num_old, at);
  CopyStaying(r, &parts);
  PetscCall(RestoreParts(&parts));
  PetscCall(AbutExchangeForward(&r->blocks, (size_t)entries * sizeof(PetscScalar), sent, received));
  for (PetscInt k = 0; k < num_received; k++) PlaceBlock(r, r->bs, received + k * entries, r->place + 2 * k);
  PetscCall(PetscFree2(sent, received));
  PetscCall(MatAssemblyBegin(r->B, MAT_FINAL_ASSEMBLY)); /* increases the object state: the values were written in place */
  PetscCall(MatAssemblyEnd(r->B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode RedistributionForward(Redistribution *r, const PetscScalar old[], PetscScalar new[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < r->num_old; i++) PetscCall(PetscArraycpy(r->message + i * r->bs, old + r->order[i] * r->bs, r->bs));
  PetscCall(AbutExchangeForward(&r->vertices, (size_t)r->bs * sizeof(PetscScalar), r->message, new));
  PetscFunctionReturn(0);
}

PetscErrorCode RedistributionReverse(Redistribution *r, const PetscScalar new[], PetscScalar old[])
{
  PetscFunctionBegin;
  PetscCall(AbutExchangeReverse(&r->vertices, (size_t)r->bs * sizeof(PetscScalar), new, r->message));
  for (PetscInt i = 0; i < r->num_old; i++) PetscCall(PetscArraycpy(old + r->order[i] * r->bs, r->message + i * r->bs, r->bs));
  PetscFunctionReturn(0);
}
