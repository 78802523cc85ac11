/*
  Collects all faces and edges at the vertices of this rank's entities. The owner of a vertex receives the faces and edges at it from the
  ranks that own them, and sends them to the ranks that ask for the vertex.
*/
#include "surfaceimpl.h"

/* Lists a face or edge once for every rank that owns one of its vertices. */
static PetscErrorCode Address(AbutSurface s, const AbutSurfacePart *part, PetscInt *n, PetscMPIInt to[], AbutSurfacePart parts[])
{
  const PetscInt start = *n;

  PetscFunctionBegin;
  for (int k = 0; k < 3 && part->v[k] >= 0; k++) {
    PetscMPIInt owner;
    PetscBool   found = PETSC_FALSE;

    PetscCall(PetscLayoutFindOwner(s->layout, part->v[k], &owner));
    for (PetscInt i = start; i < *n; i++) found |= (PetscBool)(to[i] == owner);
    if (found) continue;
    to[*n]        = owner;
    parts[(*n)++] = *part;
  }
  PetscFunctionReturn(0);
}

/* Each rank receives the faces and edges at the vertices it owns. */
static PetscErrorCode SendToOwners(AbutSurface s, PetscInt *num, AbutSurfacePart **received)
{
  const AbutMeshLocal *m = s->m;
  PetscMPIInt         *to;
  AbutSurfacePart     *parts;
  PetscInt             n = 0;
  AbutExchange         exchange;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * m->num_faces + 2 * m->num_edges, &to, 3 * m->num_faces + 2 * m->num_edges, &parts));
  for (PetscInt i = 0; i < m->num_faces; i++) {
    const PetscInt *f = m->faces + 3 * i, *g = m->vertex_global;

    PetscCall(Address(s, &(AbutSurfacePart){m->face_id[i], {g[f[0]], g[f[1]], g[f[2]]}}, &n, to, parts));
  }
  for (PetscInt i = 0; i < m->num_edges; i++) {
    const PetscInt *e = m->edges + 2 * i, *g = m->vertex_global;

    PetscCall(Address(s, &(AbutSurfacePart){m->edge_id[i], {g[e[0]], g[e[1]], -1}}, &n, to, parts));
  }
  PetscCall(AbutExchangeRecords(s->comm, sizeof(*parts), n, to, parts, s->traffic, &exchange, received));
  *num = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree2(to, parts));
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

/* Lists, for each rank, the faces and edges at the vertices it asks for, each once. */
static PetscErrorCode FindAnswers(AbutSurface s, const AbutExchange *asked, const PetscInt global[], PetscInt n,
                                  const AbutSurfacePart part[], AbutInts *to, AbutInts *answer)
{
  PetscMPIInt *mark;
  AbutCSR      at = {0};

  PetscFunctionBegin;
  PetscCall(ListParts(s, n, part, &at));
  PetscCall(PetscMalloc1(n, &mark));
  for (PetscInt i = 0; i < n; i++) mark[i] = -1;
  for (PetscMPIInt r = 0; r < asked->num_recv; r++) {
    for (PetscInt a = asked->recv_start[r]; a < asked->recv_start[r + 1]; a++) {
      const PetscInt v = global[a] - s->m->first, rank = asked->recv_rank[r];

      for (PetscInt i = at.start[v]; i < at.start[v + 1]; i++) {
        if (mark[at.item[i]] == r) continue;
        mark[at.item[i]] = r;
        PetscCall(AbutIntsPush(to, 1, &rank));
        PetscCall(AbutIntsPush(answer, 1, &at.item[i]));
      }
    }
  }
  PetscCall(PetscFree(mark));
  PetscCall(AbutCSRDestroy(&at));
  PetscFunctionReturn(0);
}

static PetscErrorCode SendAnswers(AbutSurface s, const AbutInts *to, const AbutInts *answer, const AbutSurfacePart part[], PetscInt *num,
                                  AbutSurfacePart **received)
{
  PetscMPIInt     *rank;
  AbutSurfacePart *out;
  AbutExchange     exchange;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(to->n, &rank, to->n, &out));
  for (PetscInt i = 0; i < to->n; i++) {
    rank[i] = (PetscMPIInt)to->a[i];
    out[i]  = part[answer->a[i]];
  }
  PetscCall(AbutExchangeRecords(s->comm, sizeof(*out), to->n, rank, out, s->traffic, &exchange, received));
  *num = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree2(rank, out));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceGather(AbutSurface s, PetscInt *n, AbutSurfacePart **parts)
{
  AbutSurfacePart *owned;
  AbutExchange     asked;
  AbutInts         to = {0}, answer = {0};
  PetscInt         num_owned, *global, *wanted;

  PetscFunctionBegin;
  PetscCall(SendToOwners(s, &num_owned, &owned));
  PetscCall(PetscMalloc1(s->num_surface, &wanted));
  for (PetscInt i = 0; i < s->num_surface; i++) wanted[i] = s->m->vertex_global[s->surface[i]];
  PetscCall(AbutSurfaceAskOwners(s, s->num_surface, wanted, &asked, &global));
  PetscCall(FindAnswers(s, &asked, global, num_owned, owned, &to, &answer));
  PetscCall(SendAnswers(s, &to, &answer, owned, n, parts));
  PetscCall(PetscFree(to.a));
  PetscCall(PetscFree(answer.a));
  PetscCall(PetscFree(wanted));
  PetscCall(PetscFree(global));
  PetscCall(PetscFree(owned));
  PetscCall(AbutExchangeDestroy(&asked));
  PetscFunctionReturn(0);
}
