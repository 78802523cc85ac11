/* Vertices of one-rings that the mesh of this rank lacks; their owners send values. */
#include "surfaceimpl.h"

PetscErrorCode AbutSurfaceFindRemoteVertex(AbutSurface s, PetscInt global, PetscInt *vertex)
{
  PetscFunctionBegin;
  PetscCall(PetscHMapIGet(s->remote.map, global, vertex));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceFindVertex(AbutSurface s, PetscInt global, PetscInt *vertex)
{
  PetscFunctionBegin;
  *vertex = global - s->m->first;
  if (*vertex >= 0 && *vertex < s->m->num_owned) PetscFunctionReturn(0);
  PetscCall(PetscHMapIGet(s->ghost, global, vertex));
  if (*vertex < 0) PetscCall(PetscHMapIGet(s->remote.map, global, vertex));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceAskOwners(AbutSurface s, PetscInt n, const PetscInt global[], AbutExchange *exchange, PetscInt **asked)
{
  PetscMPIInt *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &to));
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscLayoutFindOwner(s->layout, global[i], &to[i]));
  PetscCall(AbutExchangeRecords(s->comm, sizeof(PetscInt), n, to, global, s->traffic, exchange, asked));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(0);
}

static PetscErrorCode FindRemote(AbutSurface s, PetscInt num_parts, const AbutSurfacePart part[])
{
  AbutRemoteStore *r = &s->remote;
  PetscInt         n = 0, v;

  PetscFunctionBegin;
  PetscCall(PetscHMapICreate(&r->map));
  PetscCall(PetscMalloc1(3 * num_parts, &r->global));
  for (PetscInt i = 0; i < 3 * num_parts; i++) {
    const PetscInt global = part[i / 3].v[i % 3];

    if (global < 0) continue;
    PetscCall(AbutSurfaceFindVertex(s, global, &v));
    if (v < 0) r->global[n++] = global;
  }
  PetscCall(PetscSortRemoveDupsInt(&n, r->global));
  r->num = n;
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscHMapISet(r->map, r->global[i], s->m->num_local + i));
  PetscFunctionReturn(0);
}

/* Owners learn which vertices to send: the reverse of the request. */
static PetscErrorCode CreateExchange(AbutSurface s)
{
  AbutRemoteStore *r = &s->remote;
  AbutExchange     asked;
  PetscInt         n;

  PetscFunctionBegin;
  PetscCall(AbutSurfaceAskOwners(s, r->num, r->global, &asked, &r->sent));
  n = asked.recv_start[asked.num_recv];
  for (PetscInt i = 0; i < n; i++) r->sent[i] -= s->m->first;
  PetscCall(AbutExchangeCreate(s->comm, asked.num_recv, asked.recv_rank, asked.recv_start, &r->exchange));
  r->exchange.traffic = s->traffic;
  PetscCall(AbutExchangeDestroy(&asked));
  PetscFunctionReturn(0);
}

/* Ids, bodies and rest positions. */
static PetscErrorCode ReceiveNumbers(AbutSurface s)
{
  AbutRemoteStore     *r = &s->remote;
  const AbutMeshLocal *m = s->m;
  const PetscInt       n = r->exchange.send_start[r->exchange.num_send], dim = m->dim;
  PetscInt(*send)[2], (*recv)[2];
  PetscReal *rest;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(r->num, &r->id, r->num, &r->body, dim * r->num, &r->rest));
  PetscCall(PetscMalloc3(n, &send, r->num, &recv, dim * n, &rest));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt v = r->sent[i];

    send[i][0] = m->vertex_id[v];
    send[i][1] = m->vertex_body[v];
    for (PetscInt k = 0; k < dim; k++) rest[dim * i + k] = m->rest[dim * v + k];
  }
  PetscCall(AbutExchangeForward(&r->exchange, sizeof(*send), send, recv));
  PetscCall(AbutExchangeForward(&r->exchange, sizeof(PetscReal) * (size_t)dim, rest, r->rest));
  for (PetscInt i = 0; i < r->num; i++) {
    r->id[i]   = recv[i][0];
    r->body[i] = recv[i][1];
  }
  PetscCall(PetscFree3(send, recv, rest));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRemoteCreate(AbutSurface s, PetscInt n, const AbutSurfacePart parts[])
{
  PetscFunctionBegin;
  PetscCall(FindRemote(s, n, parts));
  PetscCall(CreateExchange(s));
  PetscCall(ReceiveNumbers(s));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRemoteDestroy(AbutRemoteStore *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(r->global));
  PetscCall(PetscFree3(r->id, r->body, r->rest));
  PetscCall(PetscFree(r->sent));
  PetscCall(PetscHMapIDestroy(&r->map));
  PetscCall(AbutExchangeDestroy(&r->exchange));
  PetscFunctionReturn(0);
}

AbutRemoteVertices AbutSurfaceGetRemoteVertices(AbutSurface s)
{
  return (AbutRemoteVertices){s->remote.num, s->remote.global, s->remote.id, s->remote.body, s->remote.rest};
}

PetscErrorCode AbutSurfaceBroadcast(AbutSurface s, PetscInt width, PetscReal values[])
{
  const AbutRemoteStore *r = &s->remote;
  const PetscInt         n = r->exchange.send_start[r->exchange.num_send];
  PetscReal             *send;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(width * n, &send));
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscArraycpy(send + width * i, values + width * r->sent[i], width));
  PetscCall(AbutExchangeForward(&r->exchange, sizeof(PetscReal) * (size_t)width, send, values + width * s->m->num_local));
  PetscCall(PetscFree(send));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceReduceAdd(AbutSurface s, PetscInt width, PetscReal values[])
{
  const AbutRemoteStore *r = &s->remote;
  const PetscInt         n = r->exchange.send_start[r->exchange.num_send];
  PetscReal             *sums;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(width * n, &sums));
  PetscCall(AbutExchangeReverse(&r->exchange, sizeof(PetscReal) * (size_t)width, values + width * s->m->num_local, sums));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = 0; k < width; k++) values[r->sent[i] * width + k] += sums[i * width + k];
  }
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(0);
}
