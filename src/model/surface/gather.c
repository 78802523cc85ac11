/*
  Collects all faces and edges at the vertices of this rank's entities. The owner of a vertex receives the faces and edges at it from the
  ranks that own them, and sends them to the ranks that ask for the vertex.
*/
#include "surfaceimpl.h"

/* Faces and edges with the ranks that they are sent to. */
typedef struct {
  PetscInt         n, capacity;
  PetscMPIInt     *to;
  AbutSurfacePart *part;
} Outbox;

static PetscErrorCode Add(Outbox *out, const AbutSurfacePart *part, PetscMPIInt to)
{
  const AbutColumn column[] = {{&out->to, sizeof(*out->to)}, {&out->part, sizeof(*out->part)}};

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(out->n + 1, &out->capacity, 2, column));
  out->to[out->n]     = to;
  out->part[out->n++] = *part;
  PetscFunctionReturn(0);
}

/* Sends and frees the parts. */
static PetscErrorCode Send(AbutSurface s, Outbox *out, PetscInt *num, AbutSurfacePart **received)
{
  AbutExchange exchange;

  PetscFunctionBegin;
  PetscCall(AbutExchangeRecords(s->comm, sizeof(*out->part), out->n, out->to, out->part, s->traffic, &exchange, received));
  *num = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree(out->to));
  PetscCall(PetscFree(out->part));
  PetscFunctionReturn(0);
}

/* Addresses a face or edge of this rank once to every rank that owns one of its vertices v[n]. */
static PetscErrorCode Address(AbutSurface s, PetscInt id, int n, const PetscInt v[], Outbox *out)
{
  const PetscInt  start = out->n;
  AbutSurfacePart part  = {id, {-1, -1, -1}};

  PetscFunctionBegin;
  for (int k = 0; k < n; k++) part.v[k] = s->m->vertex_global[v[k]];
  for (int k = 0; k < n; k++) {
    PetscMPIInt owner;
    PetscInt    i = start;

    PetscCall(PetscLayoutFindOwner(s->layout, part.v[k], &owner));
    while (i < out->n && out->to[i] != owner) i++;
    if (i == out->n) PetscCall(Add(out, &part, owner));
  }
  PetscFunctionReturn(0);
}

/* Each rank receives the faces and edges at the vertices it owns. */
static PetscErrorCode SendToOwners(AbutSurface s, PetscInt *num, AbutSurfacePart **received)
{
  const AbutMeshLocal *m   = s->m;
  Outbox               out = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->num_faces; i++) PetscCall(Address(s, m->face_id[i], 3, m->faces + 3 * i, &out));
  for (PetscInt i = 0; i < m->num_edges; i++) PetscCall(Address(s, m->edge_id[i], 2, m->edges + 2 * i, &out));
  PetscCall(Send(s, &out, num, received));
  PetscFunctionReturn(0);
}

/* Builds the list of faces and edges at every owned vertex. */
static PetscErrorCode ListParts(AbutSurface s, PetscInt n, const AbutSurfacePart part[], AbutCSR *at)
{
  PetscInt *owned;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * n, &owned));
  for (PetscInt i = 0; i < 3 * n; i++) {
    const PetscInt global = part[i / 3].v[i % 3], v = global - s->m->first;

    owned[i] = global >= 0 && v >= 0 && v < s->m->num_owned ? v : -1;
  }
  PetscCall(AbutCSRSetPairs(s->m->num_owned, n, 3, owned, NULL, at));
  PetscCall(PetscFree(owned));
  PetscFunctionReturn(0);
}

/* Addresses to each rank the faces and edges at the vertices it asks for, each once. */
static PetscErrorCode AddAnswers(AbutSurface s, const AbutExchange *asked, const PetscInt global[], PetscInt n,
                                 const AbutSurfacePart part[], Outbox *out)
{
  PetscMPIInt *mark;
  AbutCSR      at = {0};

  PetscFunctionBegin;
  PetscCall(ListParts(s, n, part, &at));
  PetscCall(PetscMalloc1(n, &mark));
  for (PetscInt i = 0; i < n; i++) mark[i] = -1;
  for (PetscMPIInt r = 0; r < asked->num_recv; r++) {
    for (PetscInt a = asked->recv_start[r]; a < asked->recv_start[r + 1]; a++) {
      const PetscInt v = global[a] - s->m->first;

      for (PetscInt i = at.start[v]; i < at.start[v + 1]; i++) {
        if (mark[at.item[i]] == r) continue;
        mark[at.item[i]] = r;
        PetscCall(Add(out, &part[at.item[i]], asked->recv_rank[r]));
      }
    }
  }
  PetscCall(PetscFree(mark));
  PetscCall(AbutCSRDestroy(&at));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceGather(AbutSurface s, PetscInt *n, AbutSurfacePart **parts)
{
  AbutSurfacePart *owned;
  AbutExchange     asked;
  Outbox           answers = {0};
  PetscInt         num_owned, *global, *wanted;

  PetscFunctionBegin;
  PetscCall(SendToOwners(s, &num_owned, &owned));
  PetscCall(PetscMalloc1(s->num_surface, &wanted));
  for (PetscInt i = 0; i < s->num_surface; i++) wanted[i] = s->m->vertex_global[s->surface[i]];
  PetscCall(AbutSurfaceAskOwners(s, s->num_surface, wanted, &asked, &global));
  PetscCall(AddAnswers(s, &asked, global, num_owned, owned, &answers));
  PetscCall(Send(s, &answers, n, parts));
  PetscCall(PetscFree(wanted));
  PetscCall(PetscFree(global));
  PetscCall(PetscFree(owned));
  PetscCall(AbutExchangeDestroy(&asked));
  PetscFunctionReturn(0);
}
