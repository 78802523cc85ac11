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

/* Sums of lengths per neighbour: starts of blocks from starts of vertices. */
static void SumLengths(PetscMPIInt num, const PetscInt vertex_start[], const PetscInt length[], PetscInt start[])
{
  PetscInt count = 0;

  for (PetscMPIInt s = 0; s < num; s++) {
    start[s] = count;
    for (PetscInt i = vertex_start[s]; i < vertex_start[s + 1]; i++) count += length[i];
  }
  start[num] = count;
}

/* Sets up the exchange of blocks. length: [num_new] blocks of each new row. Collective. */
static PetscErrorCode SetBlockExchange(const Parts *parts, Redistribution *r, PetscInt length[])
{
  const AbutExchange *v = &r->vertices;
  PetscInt           *own, *start;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->num_old, &own));
  for (PetscInt i = 0; i < r->num_old; i++) own[i] = RowLength(parts, r->bs, r->order[i]);
  PetscCall(AbutExchangeForward(v, sizeof(PetscInt), own, length));
  PetscCall(PetscMalloc1(v->num_send + 1, &start));
  SumLengths(v->num_send, v->send_start, own, start);
  PetscCall(AbutExchangeCreate(v->comm, v->num_send, v->send_rank, start, &r->blocks));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(own));
  PetscFunctionReturn(0);
}

/* Sends the columns of each row; columns: [received blocks] new global numbers in the order of the messages. Collective. */
static PetscErrorCode MoveColumns(Mat A, const Parts *parts, Redistribution *r, PetscInt **columns)
{
  const PetscInt bs = r->bs;
  PetscInt      *number[2], *sent, count = 0, num_ghosts;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(parts->part[1], NULL, &num_ghosts));
  num_ghosts /= bs;
  PetscCall(PetscMalloc3(r->num_old, &number[0], num_ghosts, &number[1], r->blocks.send_start[r->blocks.num_send], &sent));
  PetscCall(FindNumbers(A, r, number));
  for (PetscInt i = 0; i < r->num_old; i++)
    for (int p = 0; p < 2; p++)
      for (PetscInt k = parts->ia[p][r->order[i] * bs]; k < parts->ia[p][r->order[i] * bs + 1]; k += bs)
        sent[count++] = number[p][parts->ja[p][k] / bs];
  PetscCall(PetscMalloc1(r->blocks.recv_start[r->blocks.num_recv], columns));
  PetscCall(AbutExchangeForward(&r->blocks, sizeof(PetscInt), sent, *columns));
  PetscCall(PetscFree3(number[0], number[1], sent));
  PetscFunctionReturn(0);
}

/* Places in the sequential parts of the matrix. */
typedef struct {
  PetscInt begin, end; /* vertices of this rank: columns of part 0 */
  PetscInt start[2];   /* offset of the current row of blocks in each part */
  PetscInt length[2];  /* blocks of this row in each part */
} Places;

/* Sets the places of the blocks of a row. sorted: [length] columns, ascending; from: [length] number of each block. Not collective. */
static void SetPlaces(PetscInt bs, PetscInt length, const PetscInt sorted[], const PetscInt from[], Places *p, PetscInt place[])
{
  PetscInt at[2] = {0, 0};

  p->length[0] = 0;
  for (PetscInt k = 0; k < length; k++) p->length[0] += sorted[k] >= p->begin && sorted[k] < p->end;
  p->length[1] = length - p->length[0];
  for (PetscInt k = 0; k < length; k++) {
    const int      part    = sorted[k] < p->begin || sorted[k] >= p->end;
    const PetscInt offset  = p->start[part] + at[part]++ * bs;
    place[2 * from[k]]     = part == 0 ? offset : -1 - offset;
    place[2 * from[k] + 1] = p->length[part] * bs;
  }
  for (int part = 0; part < 2; part++) p->start[part] += p->length[part] * bs * bs;
}

/* Creates the matrix, with ascending columns and values 0, and the places of received blocks. */
static PetscErrorCode CreateMatrix(MPI_Comm comm, Redistribution *r, const PetscInt length[], const PetscInt columns[])
{
  const PetscInt bs = r->bs, blocks = r->blocks.recv_start[r->blocks.num_recv];
  PetscInt      *ia, *ja, *sorted, *from, rows = 0;
  Places         places = {0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&r->num_new, &places.end, 1, MPIU_INT, MPI_SUM, comm));
  places.begin = places.end - r->num_new;
  PetscCall(PetscMalloc1(2 * blocks, &r->place));
  PetscCall(PetscMalloc4(r->num_new * bs + 1, &ia, blocks * bs * bs, &ja, blocks, &sorted, blocks, &from));
  ia[0] = 0;
  for (PetscInt v = 0, start = 0; v < r->num_new; start += length[v++]) {
    const PetscInt stride = length[v] * bs, base = start * bs * bs;
    for (PetscInt k = 0; k < length[v]; k++) {
      sorted[k] = columns[start + k];
      from[k]   = start + k;
    }
    PetscCall(PetscSortIntWithArray(length[v], sorted, from));
    SetPlaces(bs, length[v], sorted, from, &places, r->place);
    for (PetscInt k = 0; k < length[v]; k++)
      for (PetscInt i = 0; i < bs; i++)
        for (PetscInt j = 0; j < bs; j++) ja[base + i * stride + k * bs + j] = sorted[k] * bs + j;
    for (PetscInt i = 0; i < bs; i++, rows++) ia[rows + 1] = ia[rows] + stride;
  }
  PetscCall(MatCreateMPIAIJWithArrays(comm, r->num_new * bs, r->num_new * bs, PETSC_DETERMINE, PETSC_DETERMINE, ia, ja, NULL, &r->B));
  PetscCall(MatSetBlockSize(r->B, bs));
  PetscCall(PetscFree4(ia, ja, sorted, from));
  PetscFunctionReturn(0);
}

PetscErrorCode RedistributionCreate(Mat A, const Mapping *m, Redistribution **redistribution)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)A);
  Redistribution *r;
  Parts           parts;
  PetscInt       *length, *columns;

  PetscFunctionBegin;
  PetscCall(PetscNew(&r));
  *redistribution = r;
  PetscCall(MatGetBlockSize(A, &r->bs));
  PetscCall(MatGetLocalSize(A, &r->num_old, NULL));
  r->num_old /= r->bs;
  PetscCall(GetParts(A, &parts));
  PetscCall(MoveVertices(comm, m, r));
  PetscCall(PetscMalloc1(r->num_new, &length));
  PetscCall(SetBlockExchange(&parts, r, length));
  PetscCall(MoveColumns(A, &parts, r, &columns));
  PetscCall(RestoreParts(&parts));
  PetscCall(CreateMatrix(comm, r, length, columns));
  PetscCall(PetscFree(length));
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
  PetscCall(PetscFree(*redistribution));
  PetscFunctionReturn(0);
}

/* Writes the blocks that this rank owns in the order of the messages; sent: [blocks to send * bs * bs]. Not collective. */
static PetscErrorCode PackBlocks(const Redistribution *r, Mat A, PetscScalar sent[])
{
  const PetscInt bs = r->bs;
  Parts          parts;

  PetscFunctionBegin;
  PetscCall(GetParts(A, &parts));
  for (PetscInt i = 0; i < r->num_old; i++)
    for (int p = 0; p < 2; p++) {
      const PetscInt begin = parts.ia[p][r->order[i] * bs], stride = parts.ia[p][r->order[i] * bs + 1] - begin;
      for (PetscInt k = begin; k < begin + stride; k += bs)
        for (PetscInt l = 0; l < bs; l++)
          for (PetscInt j = 0; j < bs; j++) *sent++ = parts.values[p][k + l * stride + j];
    }
  PetscCall(RestoreParts(&parts));
  PetscFunctionReturn(0);
}

/* Writes received blocks into the moved matrix. Collective. */
static PetscErrorCode UnpackBlocks(Redistribution *r, const PetscScalar received[])
{
  const PetscInt bs = r->bs;
  PetscScalar   *values[2];
  Mat            part[2];

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(r->B, &part[0], &part[1], NULL));
  for (int p = 0; p < 2; p++) PetscCall(MatSeqAIJGetArray(part[p], &values[p]));
  for (PetscInt k = 0; k < r->blocks.recv_start[r->blocks.num_recv]; k++) {
    const PetscInt place = r->place[2 * k], stride = r->place[2 * k + 1];
    PetscScalar   *to = place < 0 ? values[1] - 1 - place : values[0] + place;
    for (PetscInt l = 0; l < bs; l++)
      for (PetscInt j = 0; j < bs; j++) to[l * stride + j] = *received++;
  }
  for (int p = 0; p < 2; p++) PetscCall(MatSeqAIJRestoreArray(part[p], &values[p]));
  PetscCall(MatAssemblyBegin(r->B, MAT_FINAL_ASSEMBLY)); /* increases the object state: the values were written in place */
  PetscCall(MatAssemblyEnd(r->B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode RedistributionUpdate(Redistribution *r, Mat A)
{
  const PetscInt entries = r->bs * r->bs;
  PetscScalar   *sent, *received;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(entries * r->blocks.send_start[r->blocks.num_send], &sent));
  PetscCall(PetscMalloc1(entries * r->blocks.recv_start[r->blocks.num_recv], &received));
  PetscCall(PackBlocks(r, A, sent));
  PetscCall(AbutExchangeForward(&r->blocks, (size_t)entries * sizeof(PetscScalar), sent, received));
  PetscCall(PetscFree(sent));
  PetscCall(UnpackBlocks(r, received));
  PetscCall(PetscFree(received));
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
