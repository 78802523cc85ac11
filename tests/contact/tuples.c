#include "tuples.h"
#include <stdlib.h>

int CompareTuples(const void *a, const void *b)
{
  const PetscInt *s = a, *t = b;

  for (int i = 0; i < 5; i++) {
    if (s[i] != t[i]) return s[i] < t[i] ? -1 : 1;
  }
  return 0;
}

static void SetTuple(Tuple to, PetscInt kind, PetscInt n, const PetscInt v[], const PetscInt id[])
{
  to[0] = kind;
  for (PetscInt i = 0; i < 4; i++) to[1 + i] = i < n ? id[v[i]] : -1;
}

Tuple *GatherTuples(const AbutCandidates *c, MPI_Comm comm, PetscInt *count)
{
  const PetscInt n    = c->num_fv + c->num_ee + c->num_ev + c->num_pv + c->num_free_ev;
  Tuple         *mine = malloc(sizeof(Tuple) * (size_t)(n + 1)), *all, *to = mine;

  for (PetscInt i = 0; i < c->num_fv; i++) SetTuple(*to++, 0, 4, c->fv[i], c->vertex_id);
  for (PetscInt i = 0; i < c->num_ee; i++) SetTuple(*to++, 1, 4, c->ee[i], c->vertex_id);
  for (PetscInt i = 0; i < c->num_ev; i++) SetTuple(*to++, 2, 3, c->ev[i], c->vertex_id);
  for (PetscInt i = 0; i < c->num_pv; i++, to++) {
    SetTuple(*to, 3, 1, &c->pv[i][1], c->vertex_id);
    (*to)[2] = c->pv[i][0];
  }
  for (PetscInt i = 0; i < c->num_free_ev; i++) {
    const PetscInt *edge = c->one_ring->edges[c->free_ev[i][1]];
    SetTuple(*to++, 4, 3, (const PetscInt[]){c->free_ev[i][0], edge[0], edge[1]}, c->vertex_id);
  }
  all = ShareTuples(n, mine, comm, count);
  free(mine);
  return all;
}

Tuple *ShareTuples(PetscInt n, const Tuple mine[], MPI_Comm comm, PetscInt *count)
{
  PetscMPIInt size, bytes = (PetscMPIInt)((size_t)n * sizeof(Tuple)), sum = 0;
  Tuple      *all;

  MPI_Comm_size(comm, &size);
  PetscMPIInt *counts = calloc(2 * (size_t)size, sizeof(*counts)), *starts = counts + size;
  MPI_Allgather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, comm);
  for (PetscMPIInt r = 0; r < size; r++) {
    starts[r] = sum;
    sum += counts[r];
  }
  all = malloc((size_t)sum + 1);
  MPI_Allgatherv(mine, bytes, MPI_BYTE, all, counts, starts, MPI_BYTE, comm);
  *count = (PetscInt)((size_t)sum / sizeof(Tuple));
  qsort(all, (size_t)*count, sizeof(Tuple), CompareTuples);
  free(counts);
  return all;
}
