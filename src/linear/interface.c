/*
  Choice of the interface. For each pair of coupled ranks (a, b), the vertices of a that are coupled to b separate the ranks, and so do the
  vertices of b that are coupled to a. The smaller of these two sets becomes part of the interface.
*/
#include "interface.h"
#include <abut/containers.h>

/*
  Rows of the two sequential parts of a distributed matrix: owned columns [0] and ghost columns [1]. ghost: global scalar indices of the
  ghost columns.
*/
static PetscErrorCode GetParts(Mat A, FrontRows rows[2], const PetscInt **ghost, PetscInt *num_ghost)
{
  Mat       part[2];
  PetscInt  n, bs;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &part[0], &part[1], ghost));
  PetscCall(MatGetLocalSize(part[1], NULL, &n));
  *num_ghost = n / bs;
  for (PetscInt p = 0; p < 2; p++) {
    PetscCall(MatGetRowIJ(part[p], 0, PETSC_FALSE, PETSC_FALSE, &n, &rows[p].ia, &rows[p].ja, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix type gives no access to its rows");
    PetscCall(MatSeqAIJGetArrayRead(part[p], &rows[p].values));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode InterfaceGetRows(const Interface *interface, Mat A, FrontRows rows[2])
{
  const PetscInt *ghost;
  PetscInt        num_ghost;

  PetscFunctionBegin;
  PetscCall(GetParts(A, rows, &ghost, &num_ghost));
  for (int p = 0; p < 2; p++) rows[p].number = interface->number[p];
  PetscFunctionReturn(0);
}

PetscErrorCode InterfaceRestoreRows(Mat A, FrontRows rows[2])
{
  Mat             part[2];
  PetscInt        n;
  const PetscInt *ghost;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &part[0], &part[1], &ghost));
  for (PetscInt p = 0; p < 2; p++) {
    PetscCall(MatSeqAIJRestoreArrayRead(part[p], &rows[p].values));
    PetscCall(MatRestoreRowIJ(part[p], 0, PETSC_FALSE, PETSC_FALSE, &n, &rows[p].ia, &rows[p].ja, &done));
  }
  PetscFunctionReturn(0);
}

/*
  Counts the owned vertices that are coupled to ghosts [begin, end) of one other rank. Marks these vertices in `chosen` unless it is NULL.
*/
static PetscInt FindCoupled(const Interface *it, const FrontRows *off, PetscInt begin, PetscInt end, PetscBool chosen[])
{
  PetscInt count = 0;

  for (PetscInt v = 0; v < it->num_owned; v++)
    for (PetscInt k = off->ia[v * it->bs]; k < off->ia[v * it->bs + 1]; k += it->bs) {
      const PetscInt g = off->ja[k] / it->bs;
      if (g < begin || g >= end) continue;
      if (chosen) chosen[v] = PETSC_TRUE;
      count++;
      break;
    }
  return count;
}

/* Marks the owned vertices of the interface. Both ranks of a pair compare the same two sizes, so that they make the same choice. */
static PetscErrorCode ChooseVertices(const Interface *it, Mat A, const FrontRows *off, PetscInt num_ghost, const PetscInt ghost[],
                                     PetscBool chosen[])
{
  const PetscInt *ranges;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRanges(A, &ranges));
  PetscCall(PetscArrayzero(chosen, it->num_owned));
  for (PetscInt begin = 0, end; begin < num_ghost; begin = end) {
    PetscMPIInt owner = 0;
    PetscInt    own;
    while (ghost[begin * it->bs] >= ranges[owner + 1]) owner++;
    for (end = begin + 1; end < num_ghost && ghost[end * it->bs] < ranges[owner + 1];) end++;
    own = FindCoupled(it, off, begin, end, NULL);
    if (own < end - begin || (own == end - begin && it->rank < owner)) (void)FindCoupled(it, off, begin, end, chosen);
  }
  PetscFunctionReturn(0);
}

/* Global interface numbers of owned and ghost vertices; -1 = not in the interface. Collective. */
static PetscErrorCode SetGlobalNumbers(Interface *it, Mat A, const PetscBool chosen[], PetscInt num_ghost, const PetscInt ghost[])
{
  PetscInt        count = 0, first = 0, rows;
  PetscSFNode    *remote;
  PetscSF         sf;
  const PetscInt *ranges;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < it->num_owned; v++) count += chosen[v];
  PetscCallMPI(MPI_Exscan(&count, &first, 1, MPIU_INT, MPI_SUM, it->comm));
  if (it->rank == 0) first = 0;
  PetscCallMPI(MPI_Allreduce(&count, &it->total, 1, MPIU_INT, MPI_SUM, it->comm));
  for (PetscInt v = 0; v < it->num_owned; v++) it->number[0][v] = chosen[v] ? first++ : -1;
  PetscCall(MatGetOwnershipRanges(A, &ranges));
  PetscCall(PetscMalloc1(num_ghost, &remote));
  for (PetscInt g = 0, owner = 0; g < num_ghost; g++) {
    while (ghost[g * it->bs] >= ranges[owner + 1]) owner++;
    remote[g].rank  = owner;
    remote[g].index = (ghost[g * it->bs] - ranges[owner]) / it->bs;
  }
  rows = it->num_owned;
  PetscCall(PetscSFCreate(it->comm, &sf));
  PetscCall(PetscSFSetGraph(sf, rows, num_ghost, NULL, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  PetscCall(AbutSFBcastRows(sf, MPIU_INT, 1, it->number[0], it->number[1]));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(0);
}

/* Replaces global interface numbers by local numbers: interior first, then the part of the interface. */
static PetscErrorCode SetLocalNumbers(Interface *it, PetscInt num_ghost)
{
  PetscInt interior = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(it->num_owned, &it->interior, it->num_owned + num_ghost, &it->part, it->num_owned + num_ghost, &it->part_vertex));
  for (PetscInt v = 0; v < it->num_owned; v++)
    if (it->number[0][v] >= 0) it->part[it->num_part++] = it->number[0][v];
  for (PetscInt g = 0; g < num_ghost; g++)
    if (it->number[1][g] >= 0) it->part[it->num_part++] = it->number[1][g];
  PetscCall(PetscSortInt(it->num_part, it->part));
  for (PetscInt k = 0; k < it->num_part; k++) it->part_vertex[k] = -1;
  for (PetscInt v = 0; v < it->num_owned; v++) it->num_interior += it->number[0][v] < 0;
  for (int p = 0; p < 2; p++)
    for (PetscInt v = 0; v < (p == 0 ? it->num_owned : num_ghost); v++) {
      PetscInt k;
      if (it->number[p][v] >= 0) {
        PetscCall(PetscFindInt(it->number[p][v], it->num_part, it->part, &k));
        it->number[p][v] = it->num_interior + k;
        if (p == 0) it->part_vertex[k] = v;
      } else if (p == 0) {
        it->interior[interior] = v;
        it->number[p][v]       = interior++;
      }
    }
  PetscFunctionReturn(0);
}

PetscErrorCode InterfaceCreate(Mat A, Interface **interface)
{
  Interface      *it;
  FrontRows       rows[2];
  PetscInt        num_ghost;
  const PetscInt *ghost;
  PetscBool      *chosen;

  PetscFunctionBegin;
  PetscCall(PetscNew(&it));
  PetscCall(PetscObjectGetComm((PetscObject)A, &it->comm));
  PetscCallMPI(MPI_Comm_rank(it->comm, &it->rank));
  PetscCallMPI(MPI_Comm_size(it->comm, &it->size));
  PetscCall(MatGetBlockSize(A, &it->bs));
  PetscCall(MatGetLocalSize(A, &it->num_owned, NULL));
  it->num_owned /= it->bs;
  PetscCall(GetParts(A, rows, &ghost, &num_ghost));
  PetscCall(PetscMalloc2(it->num_owned, &it->number[0], num_ghost, &it->number[1]));
  PetscCall(PetscMalloc1(it->num_owned, &chosen));
  PetscCall(ChooseVertices(it, A, &rows[1], num_ghost, ghost, chosen));
  PetscCall(SetGlobalNumbers(it, A, chosen, num_ghost, ghost));
  PetscCall(SetLocalNumbers(it, num_ghost));
  PetscCall(PetscFree(chosen));
  PetscCall(InterfaceRestoreRows(A, rows));
  *interface = it;
  PetscFunctionReturn(0);
}

PetscErrorCode InterfaceDestroy(Interface **interface)
{
  PetscFunctionBegin;
  if (!*interface) PetscFunctionReturn(0);
  PetscCall(PetscFree2((*interface)->number[0], (*interface)->number[1]));
  PetscCall(PetscFree3((*interface)->interior, (*interface)->part, (*interface)->part_vertex));
  PetscCall(PetscFree(*interface));
  PetscFunctionReturn(0);
}
