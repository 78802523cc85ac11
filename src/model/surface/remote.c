/* Vertices of one-rings that the mesh of this rank lacks; their owners send values. */
#include "surfaceimpl.h"

PetscErrorCode AbutSurfaceFindRemoteVertex(AbutSurface s, PetscInt global, PetscInt *vertex)
{
  return PetscHMapIGet(s->remote.map, global, vertex);
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

PetscErrorCode AbutRemoteCreate(AbutSurface s, PetscInt n, const AbutSurfacePart parts[])
{
  AbutRemoteStore *r   = &s->remote;
  const PetscInt   dim = s->m->dim;

  PetscFunctionBegin;
  PetscCall(FindRemote(s, n, parts));
  PetscCall(PetscSFCreate(s->comm, &r->sf));
  PetscCall(PetscSFSetGraphLayout(r->sf, s->layout, r->num, NULL, PETSC_COPY_VALUES, r->global));
  PetscCall(PetscMalloc3(r->num, &r->id, r->num, &r->body, dim * r->num, &r->rest));
  PetscCall(AbutSFBcastRows(r->sf, MPIU_INT, 1, s->m->vertex_id, r->id));
  PetscCall(AbutSFBcastRows(r->sf, MPIU_INT, 1, s->m->vertex_body, r->body));
  PetscCall(AbutSFBcastRows(r->sf, MPIU_REAL, dim, s->m->rest, r->rest));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRemoteDestroy(AbutRemoteStore *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(r->global));
  PetscCall(PetscFree3(r->id, r->body, r->rest));
  PetscCall(PetscHMapIDestroy(&r->map));
  PetscCall(PetscSFDestroy(&r->sf));
  PetscFunctionReturn(0);
}

AbutRemoteVertices AbutSurfaceGetRemoteVertices(AbutSurface s)
{
  return (AbutRemoteVertices){s->remote.num, s->remote.global, s->remote.id, s->remote.body, s->remote.rest};
}

PetscErrorCode AbutSurfaceBroadcast(AbutSurface s, PetscInt width, PetscReal values[])
{
  return AbutSFBcastRows(s->remote.sf, MPIU_REAL, width, values, values + width * s->m->num_local);
}

PetscErrorCode AbutSurfaceReduceAdd(AbutSurface s, PetscInt width, PetscReal values[])
{
  return AbutSFAddRows(s->remote.sf, MPIU_REAL, width, values + width * s->m->num_local, values);
}
