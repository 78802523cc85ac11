/* Activation distances of vertices, edges and faces: minimum over ranks. */
#include "surfaceimpl.h"
#include <string.h>

/* A proposal for a vertex, edge or face. The key is the same on all ranks; key[1] is the global index of a vertex, whose owner decides. */
typedef struct {
  PetscInt  key[3];
  PetscInt  index; /* among the proposals of its rank */
  PetscReal dhat;  /* [m] */
} Proposal;

/* Any order that puts equal keys together. */
static int ComparePointers(const void *a, const void *b)
{
  const Proposal *p = *(const Proposal *const *)a, *q = *(const Proposal *const *)b;

  return memcmp(p->key, q->key, sizeof(p->key));
}

/* Sets all proposals with the same key to their minimum. */
static PetscErrorCode ReduceMinimum(PetscInt n, Proposal proposal[])
{
  Proposal **sorted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &sorted));
  for (PetscInt i = 0; i < n; i++) sorted[i] = &proposal[i];
  if (n) qsort(sorted, (size_t)n, sizeof(*sorted), ComparePointers);
  for (PetscInt i = 0, end; i < n; i = end) {
    PetscReal least = PETSC_INFINITY;

    for (end = i; end < n && !ComparePointers(&sorted[end], &sorted[i]); end++) least = PetscMin(least, sorted[end]->dhat);
    for (PetscInt j = i; j < end; j++) sorted[j]->dhat = least;
  }
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(0);
}

/* Owners reduce the proposals and return the result to every rank that sent one. */
static PetscErrorCode ReduceOverRanks(AbutSurface s, PetscInt n, Proposal proposal[])
{
  PetscMPIInt *to;
  Proposal    *received, *answers;
  AbutExchange exchange;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &to, n, &answers));
  for (PetscInt i = 0; i < n; i++) {
    proposal[i].index = i;
    PetscCall(PetscLayoutFindOwner(s->layout, proposal[i].key[1], &to[i]));
  }
  PetscCall(AbutExchangeRecords(s->comm, sizeof(Proposal), n, to, proposal, s->traffic, &exchange, &received));
  PetscCall(ReduceMinimum(exchange.recv_start[exchange.num_recv], received));
  PetscCall(AbutExchangeReverse(&exchange, sizeof(Proposal), received, answers));
  for (PetscInt i = 0; i < n; i++) proposal[answers[i].index].dhat = answers[i].dhat;
  PetscCall(PetscFree(received));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree2(to, answers));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceReduceDhat(AbutSurface s, const PetscInt global[], const PetscReal vertex[], const PetscReal edge[],
                                     const PetscReal face[])
{
  AbutTable     *t   = &s->table;
  const PetscInt num = s->vertices.num, n = num + t->num_edges + t->num_faces;
  Proposal      *vertices, *edges, *faces;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &vertices));
  edges = vertices + num;
  faces = edges + t->num_edges;
  for (PetscInt v = 0; v < num; v++) vertices[v] = (Proposal){.key = {-1, global[v], -1}, .dhat = vertex[v]};
  for (PetscInt e = 0; e < t->num_edges; e++)
    edges[e] = (Proposal){.key = {-2, global[t->edges[e][0]], global[t->edges[e][1]]}, .dhat = edge[e]};
  for (PetscInt f = 0; f < t->num_faces; f++) faces[f] = (Proposal){.key = {t->face_id[f], global[t->faces[f][0]], -1}, .dhat = face[f]};
  PetscCall(ReduceOverRanks(s, n, vertices));
  for (PetscInt v = 0; v < num; v++) s->vertices.dhat[v] = vertices[v].dhat;
  for (PetscInt e = 0; e < t->num_edges; e++) t->edge_dhat[e] = edges[e].dhat;
  for (PetscInt f = 0; f < t->num_faces; f++) t->face_dhat[f] = faces[f].dhat;
  PetscCall(PetscFree(vertices));
  s->has_dhat             = PETSC_TRUE;
  s->one_ring.vertex_dhat = s->vertices.dhat;
  s->one_ring.edge_dhat   = t->edge_dhat;
  s->one_ring.face_dhat   = t->face_dhat;
  PetscFunctionReturn(0);
}

AbutSurfaceDhat AbutSurfaceGetDhat(AbutSurface s)
{
  return s->has_dhat ? (AbutSurfaceDhat){s->vertices.dhat, s->table.edge_dhat, s->table.face_dhat} : (AbutSurfaceDhat){NULL, NULL, NULL};
}
