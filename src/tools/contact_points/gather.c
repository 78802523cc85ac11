/* Contacts of all ranks on every rank, in an order that does not depend on the ranks. */
#include "contact_pointsimpl.h"
#include <abut/containers.h>
#include <stdlib.h>

static int CompareReals(PetscInt n, const PetscReal a[], const PetscReal b[])
{
  for (PetscInt i = 0; i < n; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* By bodies, cells, kinds of features, vertices, then by numbers, so that the order is total up to equal contacts. */
static int Compare(const void *left, const void *right)
{
  const AbutPointContact *a = left, *b = right;
  int                     order;

  if ((order = AbutCompareInts(2, a->body, b->body)) || (order = AbutCompareInts(2, a->cell, b->cell))) return order;
  for (int s = 0; s < 2; s++)
    if (a->feature[s] != b->feature[s]) return a->feature[s] < b->feature[s] ? -1 : 1;
  if ((order = AbutCompareInts(3, a->vertex[0], b->vertex[0])) || (order = AbutCompareInts(3, a->vertex[1], b->vertex[1]))) return order;
  if ((order = CompareReals(3, a->position, b->position)) || (order = CompareReals(3, a->normal, b->normal))) return order;
  if ((order = CompareReals(1, &a->length, &b->length))) return order;
  return CompareReals(1, &a->separation, &b->separation);
}

PetscErrorCode AbutPointsGather(AbutContactPoints points)
{
  AbutPointContacts *all = &points->all;
  PetscMPIInt       *count, *start, mine;
  PetscInt           total = 0;
  MPI_Datatype       type;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(points->size, &count, points->size, &start));
  PetscCall(PetscMPIIntCast(points->mine.n, &mine));
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, points->comm));
  for (PetscMPIInt r = 0; r < points->size; r++) {
    PetscCall(PetscMPIIntCast(total, &start[r]));
    total += count[r];
  }
  all->n = 0;
  PetscCall(AbutPointContactsReserve(all, total));
  all->n = total;
  PetscCallMPI(MPI_Type_contiguous((int)sizeof(AbutPointContact), MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Allgatherv(points->mine.a, mine, type, all->a, count, start, type, points->comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscCall(PetscFree2(count, start));
  if (total > 1) qsort(all->a, (size_t)total, sizeof(*all->a), Compare);
  PetscFunctionReturn(0);
}
