/*
  What does not change from search to search: the whole surface at every vertex of this rank's entities. The owner of a vertex collects
  what all ranks have at it and tells those that ask. Vertices that come in this way and are nowhere in the mesh of this rank become
  contact vertices of it for good; their owners send positions with every search.
*/
#include "rings.h"

/* A face, or an edge if v[2] < 0, by global indices. */
typedef struct {
  PetscInt id, v[3];
} Part;

static PetscErrorCode FindOwners(AbutContact contact)
{
  AbutRingStore *r   = &contact->rings;
  PetscInt       end = contact->m->first + contact->m->num_owned;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(contact->size + 1, &r->first));
  r->first[0] = 0;
  PetscCallMPI(MPI_Allgather(&end, 1, MPIU_INT, r->first + 1, 1, MPIU_INT, contact->comm));
  PetscFunctionReturn(0);
}

/* Adds a part for every rank that owns one of its vertices. */
static void Address(AbutContact contact, const Part *part, PetscInt *n, PetscMPIInt to[], Part parts[])
{
  const PetscInt start = *n;

  for (int k = 0; k < 3 && part->v[k] >= 0; k++) {
    const PetscMPIInt owner = AbutOwnerOf(contact, part->v[k]);
    PetscBool         met   = PETSC_FALSE;

    for (PetscInt i = start; i < *n; i++) met |= (PetscBool)(to[i] == owner);
    if (met) continue;
    to[*n]        = owner;
    parts[(*n)++] = *part;
  }
}

/* Every rank gets the faces and edges at the vertices it owns. */
static PetscErrorCode SendToOwners(AbutContact contact, AbutMail *mail)
{
  const AbutMeshLocal *m = contact->m;
  PetscMPIInt         *to;
  Part                *parts;
  PetscInt             n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * m->num_faces + 2 * m->num_edges, &to, 3 * m->num_faces + 2 * m->num_edges, &parts));
  for (PetscInt i = 0; i < m->num_faces; i++) {
    const PetscInt *f = m->faces + 3 * i, *g = m->vertex_global;

    Address(contact, &(Part){m->face_id[i], {g[f[0]], g[f[1]], g[f[2]]}}, &n, to, parts);
  }
  for (PetscInt i = 0; i < m->num_edges; i++) {
    const PetscInt *e = m->edges + 2 * i, *g = m->vertex_global;

    Address(contact, &(Part){m->edge_id[i], {g[e[0]], g[e[1]], -1}}, &n, to, parts);
  }
  PetscCall(AbutDeliver(contact, sizeof(Part), n, to, parts, mail));
  PetscCall(PetscFree2(to, parts));
  PetscFunctionReturn(0);
}

/* Asks the owners of vertices for them. */
static PetscErrorCode Ask(AbutContact contact, PetscInt n, const PetscInt global[], AbutMail *asked)
{
  PetscMPIInt *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = AbutOwnerOf(contact, global[i]);
  PetscCall(AbutDeliver(contact, sizeof(PetscInt), n, to, global, asked));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(0);
}

/* Parts at every owned vertex, as chains: the first of a vertex, the next of a part in the chain of its vertex k. */
typedef struct {
  PetscInt *head, (*next)[3];
} Chains;

static PetscErrorCode MakeChains(AbutContact contact, const AbutMail *parts, Chains *chains)
{
  const AbutMeshLocal *m = contact->m;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m->num_owned, &chains->head, parts->n, &chains->next));
  for (PetscInt v = 0; v < m->num_owned; v++) chains->head[v] = -1;
  for (PetscInt i = parts->n - 1; i >= 0; i--) {
    const Part *part = (const Part *)parts->records + i;

    for (int k = 0; k < 3 && part->v[k] >= 0; k++) {
      const PetscInt v = part->v[k] - m->first;

      if (v < 0 || v >= m->num_owned) continue;
      chains->next[i][k] = chains->head[v];
      chains->head[v]    = i;
    }
  }
  PetscFunctionReturn(0);
}

static int PlaceOf(const Part *part, PetscInt global)
{
  return part->v[0] == global ? 0 : part->v[1] == global ? 1 : 2;
}

/* Answers with the parts at the vertices asked for, each once a rank. */
static PetscErrorCode Answer(AbutContact contact, const AbutMail *asked, const AbutMail *parts, AbutMail *answers)
{
  const PetscInt *global = (const PetscInt *)asked->records;
  const Part     *part   = (const Part *)parts->records;
  PetscMPIInt    *mark, *to = NULL;
  Part           *out = NULL;
  PetscInt        n = 0, room = 0;
  Chains          chains;

  PetscFunctionBegin;
  PetscCall(MakeChains(contact, parts, &chains));
  PetscCall(PetscMalloc1(parts->n, &mark));
  for (PetscInt i = 0; i < parts->n; i++) mark[i] = -1;
  for (PetscMPIInt s = 0; s < contact->size; s++) {
    for (PetscInt a = asked->start[s]; a < asked->start[s + 1]; a++) {
      for (PetscInt i = chains.head[global[a] - contact->m->first]; i >= 0; i = chains.next[i][PlaceOf(&part[i], global[a])]) {
        if (mark[i] == s) continue;
        mark[i] = s;
        if (n == room) {
          room = 2 * room + 1024;
          PetscCall(PetscRealloc(sizeof(*to) * (size_t)room, &to));
          PetscCall(PetscRealloc(sizeof(*out) * (size_t)room, &out));
        }
        to[n]    = s;
        out[n++] = part[i];
      }
    }
  }
  PetscCall(AbutDeliver(contact, sizeof(Part), n, to, out, answers));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(out));
  PetscCall(PetscFree(mark));
  PetscCall(PetscFree2(chains.head, chains.next));
  PetscFunctionReturn(0);
}

/* The surface at all vertices of this rank's entities. */
static PetscErrorCode Gather(AbutContact contact, AbutMail *answers)
{
  AbutMail  parts, asked;
  PetscInt *global;

  PetscFunctionBegin;
  PetscCall(SendToOwners(contact, &parts));
  PetscCall(PetscMalloc1(contact->num_surface, &global));
  for (int32_t i = 0; i < contact->num_surface; i++) global[i] = contact->m->vertex_global[contact->surface[i]];
  PetscCall(Ask(contact, contact->num_surface, global, &asked));
  PetscCall(Answer(contact, &asked, &parts, answers));
  PetscCall(PetscFree(global));
  PetscCall(AbutMailFree(&asked));
  PetscCall(AbutMailFree(&parts));
  PetscFunctionReturn(0);
}

/* A vertex of the mesh here; -1 if it is not. */
static inline int32_t MeshVertex(AbutContact contact, PetscInt global)
{
  const PetscInt owned = global - contact->m->first;

  return owned >= 0 && owned < contact->m->num_owned ? (int32_t)owned : AbutVertexMapGet(&contact->ghosts, global);
}

static PetscErrorCode FindExtra(AbutContact contact, const AbutMail *answers)
{
  AbutRingStore *r    = &contact->rings;
  const Part    *part = (const Part *)answers->records;
  PetscInt       n    = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * answers->n, &r->extra_global));
  for (PetscInt i = 0; i < 3 * answers->n; i++) {
    const PetscInt global = part[i / 3].v[i % 3];

    if (global >= 0 && MeshVertex(contact, global) < 0) r->extra_global[n++] = global;
  }
  PetscCall(PetscSortRemoveDupsInt(&n, r->extra_global));
  r->num_extra = n;
  PetscCall(AbutVertexMapReset(&r->extra, (size_t)n));
  for (PetscInt i = 0; i < n; i++) (void)AbutVertexMapAdd(&r->extra, r->extra_global[i], (int32_t)(contact->m->num_local + i));
  PetscFunctionReturn(0);
}

/* Who sends which positions to whom: partners are mutual, though one may have nothing for the other. */
static PetscErrorCode FindPartners(AbutContact contact)
{
  AbutRingStore  *r = &contact->rings;
  AbutPartners   *p = &r->partners;
  AbutMail        asked;
  PetscMPIInt     n = 0;
  PetscInt       *wanted;
  const PetscInt *global;

  PetscFunctionBegin;
  PetscCall(Ask(contact, r->num_extra, r->extra_global, &asked));
  PetscCall(PetscCalloc1(contact->size, &wanted));
  for (PetscInt i = 0; i < r->num_extra; i++) wanted[AbutOwnerOf(contact, r->extra_global[i])]++;
  for (PetscMPIInt s = 0; s < contact->size; s++) n += wanted[s] || asked.start[s + 1] > asked.start[s];
  PetscCall(PetscMalloc3(n, &p->rank, n + 1, &p->send_start, n + 1, &p->recv_start));
  PetscCall(PetscMalloc1(asked.n, &p->send_vertex));
  PetscCall(PetscMalloc1(r->num_extra, &p->recv_vertex));
  p->send_start[0] = p->recv_start[0] = 0;
  for (PetscMPIInt s = 0; s < contact->size; s++) {
    if (!wanted[s] && asked.start[s + 1] == asked.start[s]) continue;
    p->rank[p->num++]     = s;
    p->send_start[p->num] = asked.start[s + 1];
    p->recv_start[p->num] = p->recv_start[p->num - 1] + wanted[s];
  }
  global = (const PetscInt *)asked.records;
  for (PetscInt i = 0; i < asked.n; i++) p->send_vertex[i] = (int32_t)(global[i] - contact->m->first);
  for (PetscInt i = 0; i < r->num_extra; i++) p->recv_vertex[i] = (int32_t)(contact->m->num_local + i);
  PetscCall(PetscFree(wanted));
  PetscCall(AbutMailFree(&asked));
  PetscFunctionReturn(0);
}

/* Numbers and rest positions of the vertices that are not of the mesh here. */
static PetscErrorCode LearnExtra(AbutContact contact)
{
  AbutRingStore       *r   = &contact->rings;
  const AbutMeshLocal *m   = contact->m;
  const AbutPartners  *p   = &r->partners;
  const PetscInt       dim = m->dim, n = p->send_start[p->num];
  PetscReal           *send;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(r->num_extra, &r->extra_id, r->num_extra, &r->extra_body, dim * r->num_extra, &r->extra_rest));
  PetscCall(PetscMalloc1((dim + 2) * n, &send));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt v = p->send_vertex[i];

    for (PetscInt k = 0; k < dim; k++) send[(dim + 2) * i + k] = m->rest[dim * v + k];
    send[(dim + 2) * i + dim]     = (PetscReal)m->vertex_id[v];
    send[(dim + 2) * i + dim + 1] = (PetscReal)m->vertex_body[v];
  }
  PetscReal *got;
  PetscCall(PetscMalloc1((dim + 2) * r->num_extra, &got));
  PetscCall(AbutPartnersForward(contact, p, dim + 2, send, got));
  for (PetscInt i = 0; i < r->num_extra; i++) {
    for (PetscInt k = 0; k < dim; k++) r->extra_rest[dim * i + k] = got[(dim + 2) * i + k];
    r->extra_id[i]   = (PetscInt)got[(dim + 2) * i + dim];
    r->extra_body[i] = (PetscInt)got[(dim + 2) * i + dim + 1];
  }
  PetscCall(PetscFree(send));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(0);
}

/* Puts the vertices that are not of the mesh here where every search finds them. */
static PetscErrorCode PlaceExtra(AbutContact contact)
{
  const PetscInt n = contact->m->num_local + contact->rings.num_extra;

  PetscFunctionBegin;
  PetscCall(AbutSweepReserve(&contact->search, contact->m->dim, n));
  AbutRingsPlaceExtra(contact);
  contact->search.num_vertices = n;
  PetscFunctionReturn(0);
}

static inline int32_t Vertex(AbutContact contact, PetscInt global)
{
  const int32_t v = MeshVertex(contact, global);

  return v >= 0 ? v : AbutVertexMapGet(&contact->rings.extra, global);
}

/* Rows of the mesh here come first and in its order, so that they are the numbers of its entities. */
static PetscErrorCode FillTable(AbutContact contact, const AbutMail *answers)
{
  AbutRingStore       *r     = &contact->rings;
  const AbutMeshLocal *m     = contact->m;
  const Part          *part  = (const Part *)answers->records;
  const PetscInt       faces = m->num_faces + answers->n, edges = m->num_edges + 3 * faces;

  PetscFunctionBegin;
  PetscCall(AbutRingsReserve(r, faces, edges));
  PetscCall(AbutVertexMapReset(&r->face_map[FIXED], (size_t)faces));
  PetscCall(AbutVertexMapReset(&r->edge_map[FIXED], (size_t)edges));
  for (PetscInt i = 0; i < m->num_edges; i++) AbutRingsAppendEdge(contact, m->edges + 2 * i);
  for (PetscInt i = 0; i < m->num_faces; i++) (void)AbutRingsAddFace(contact, FIXED, m->face_id[i], m->faces + 3 * i);
  for (PetscInt i = 0; i < answers->n; i++) {
    PetscInt v[3];

    for (int k = 0; k < 3 && part[i].v[k] >= 0; k++) v[k] = Vertex(contact, part[i].v[k]);
    if (part[i].v[2] >= 0)
      (void)AbutRingsAddFace(contact, FIXED, part[i].id, v);
    else
      (void)AbutRingsAddEdge(contact, FIXED, v[0], v[1]);
  }
  r->num_fixed_faces = r->num_faces;
  r->num_fixed_edges = r->num_edges;
  PetscFunctionReturn(0);
}

/* Edges without faces become entities of their own. */
static PetscErrorCode FindCurves(AbutContact contact)
{
  AbutRingStore       *r     = &contact->rings;
  const AbutMeshLocal *m     = contact->m;
  const PetscInt      *start = r->edge_face.start;
  AbutEntities        *e     = &contact->local[CURVE];
  int32_t              n     = 0;
  PetscInt             any;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->num_edges && m->dim == 3; i++) n += start[i] == start[i + 1];
  any = n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPIU_INT, MPI_MAX, contact->comm));
  r->curves = (PetscBool)(any > 0);
  PetscCall(AbutEntitiesReserve(e, n));
  PetscCall(PetscMalloc1(n, &r->curve));
  n = 0;
  for (PetscInt i = 0; i < m->num_edges && e->n; i++) {
    if (start[i] != start[i + 1]) continue;
    for (int k = 0; k < 2; k++) e->v[2 * n + k] = (int32_t)m->edges[2 * i + k];
    e->id[n]       = m->edge_id[i];
    e->obstacle[n] = (unsigned char)m->bodies[m->vertex_body[m->edges[2 * i]]].obstacle;
    r->curve[n++]  = (int32_t)i;
  }
  PetscFunctionReturn(0);
}

/* Faces at a local edge that run along it, less those that run against it; 2D: edges that start at a local point, less those that end. */
static PetscInt EdgeBalance(const AbutRingStore *r, PetscInt edge)
{
  PetscInt balance = 0;

  for (PetscInt i = r->edge_face.start[edge]; i < r->edge_face.start[edge + 1]; i++) {
    const PetscInt f = r->edge_face.item[i];

    for (int k = 0; k < 3; k++) {
      if (r->face_edge[f][k] == edge) balance += r->faces[f][k] == r->edges[edge][0] ? 1 : -1;
    }
  }
  return balance;
}

static PetscInt PointBalance(const AbutRingStore *r, PetscInt v)
{
  PetscInt balance = 0;

  for (PetscInt i = r->vertex_edge.start[v]; i < r->vertex_edge.start[v + 1]; i++)
    balance += r->edges[r->vertex_edge.item[i]][0] == v ? 1 : -1;
  return balance;
}

/* Which bodies and obstacles have an inner and an outer side. */
static PetscErrorCode FindClosed(AbutContact contact)
{
  AbutRingStore       *r = &contact->rings;
  const AbutMeshLocal *m = contact->m;
  PetscInt            *state; /* of a body: has parts of a surface, has a border */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->num_bodies, &r->closed));
  PetscCall(PetscCalloc1(2 * m->num_bodies, &state));
  for (PetscInt i = 0; i < (m->dim == 3 ? m->num_edges : m->num_points); i++) {
    const PetscInt  v    = m->dim == 3 ? m->edges[2 * i] : m->points[i];
    const PetscBool bare = (PetscBool)(m->dim == 3 ? r->edge_face.start[i] == r->edge_face.start[i + 1]
                                                   : r->vertex_edge.start[v] == r->vertex_edge.start[v + 1]);

    state[2 * m->vertex_body[v]] = 1;
    if (bare || (m->dim == 3 ? EdgeBalance(r, i) : PointBalance(r, v)) != 0) state[2 * m->vertex_body[v] + 1] = 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, state, (PetscMPIInt)(2 * m->num_bodies), MPIU_INT, MPI_MAX, contact->comm));
  for (PetscInt b = 0; b < m->num_bodies; b++)
    r->closed[b] = (PetscBool)(state[2 * b] && !state[2 * b + 1] && m->bodies[b].oriented != ABUT_ORIENTED_NONE);
  PetscCall(PetscFree(state));
  PetscFunctionReturn(0);
}

/* Marks for what there is to send now. */
static PetscErrorCode AllocateScratch(AbutContact contact)
{
  AbutRingStore *r        = &contact->rings;
  const PetscInt vertices = contact->search.num_vertices;
  PetscInt       entities = 0;

  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) entities += contact->local[kind].n;
  PetscCall(PetscFree4(contact->entity_mark, contact->entity_hit, contact->vertex_mark, contact->vertex_slot));
  PetscCall(PetscCalloc4(entities, &contact->entity_mark, entities, &contact->entity_hit, vertices, &contact->vertex_mark, vertices,
                         &contact->vertex_slot));
  PetscCall(PetscCalloc4(r->num_fixed_faces, &r->face_mark, r->num_fixed_edges, &r->edge_mark, r->num_fixed_faces, &r->star_face,
                         r->num_fixed_edges, &r->star_edge));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingsSetUp(AbutContact contact)
{
  AbutMail answers;

  PetscFunctionBegin;
  PetscCall(FindOwners(contact));
  PetscCall(Gather(contact, &answers));
  PetscCall(FindExtra(contact, &answers));
  PetscCall(FindPartners(contact));
  PetscCall(LearnExtra(contact));
  PetscCall(PlaceExtra(contact));
  PetscCall(FillTable(contact, &answers));
  PetscCall(AbutMailFree(&answers));
  PetscCall(AbutRingsBuildLists(contact));
  PetscCall(FindCurves(contact));
  PetscCall(FindClosed(contact));
  PetscCall(AllocateScratch(contact));
  contact->rings.ready = PETSC_TRUE;
  PetscFunctionReturn(0);
}
