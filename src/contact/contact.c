/* The finder: creation, options, what it shows of itself. */
#include "contactimpl.h"

static PetscErrorCode CopyEntities(AbutContact contact, int kind, PetscInt n, const PetscInt v[], const PetscInt id[])
{
  const AbutMeshLocal *m = contact->m;
  AbutEntities        *e = &contact->local[kind];

  PetscFunctionBegin;
  e->nv = AbutKindVertices(kind);
  PetscCheck(n <= INT32_MAX / 8, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " surface entities on one rank, at most %d are possible: use more ranks", n, INT32_MAX / 8);
  PetscCall(AbutEntitiesReserve(e, (int32_t)n));
  for (PetscInt i = 0; i < n * e->nv; i++) e->v[i] = (int32_t)v[i];
  for (PetscInt i = 0; i < n; i++) {
    e->id[i]       = id ? id[i] : m->vertex_id[v[i]];
    e->obstacle[i] = (unsigned char)m->bodies[m->vertex_body[v[i * e->nv]]].obstacle;
  }
  PetscFunctionReturn(0);
}

/* Vertices of the entities of this rank, ascending. */
static PetscErrorCode FindSurface(AbutContact contact)
{
  const PetscInt n = contact->m->num_local;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &contact->surface));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &contact->local[kind];

    for (int32_t i = 0; i < e->n * e->nv; i++) contact->vertex_mark[e->v[i]] = -1;
  }
  for (PetscInt v = 0; v < n; v++) {
    if (contact->vertex_mark[v] < 0) contact->surface[contact->num_surface++] = (int32_t)v;
    contact->vertex_mark[v] = 0;
  }
  PetscFunctionReturn(0);
}

/* Kinds that are paired: for candidates faces with points and edges with edges (with rings, curves with points), for the check edges with faces; in 2D edges with points, edges with edges. */
void AbutContactSetMeetings(AbutContact contact)
{
  const PetscBool three = (PetscBool)(contact->m->dim == 3);

  contact->search.meets[FACE]  = three ? 1u << POINT : 0;
  contact->search.meets[EDGE]  = three ? 1u << EDGE : 1u << POINT;
  contact->search.meets[POINT] = three ? 1u << FACE : 1u << EDGE;
  contact->search.meets[CURVE] = contact->rings.on && contact->rings.curves ? 1u << POINT : 0;
  if (contact->search.meets[CURVE]) contact->search.meets[POINT] |= 1u << CURVE;
  contact->check.meets[FACE] = three ? 1u << EDGE : 0;
  contact->check.meets[EDGE] = three ? 1u << FACE : 1u << EDGE;
}

PetscErrorCode AbutContactCreate(AbutMesh mesh, PetscInt num_planes, const AbutPlaneSpec planes[], AbutContact *contact)
{
  AbutContact          c;
  const AbutMeshLocal *m;
  MPI_Comm             comm;
  PetscInt             entities;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *contact = c;
  c->mesh  = mesh;
  PetscCall(AbutMeshGetLocal(mesh, &c->m));
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCall(PetscCommDuplicate(comm, &c->comm, &c->tag));
  PetscCallMPI(MPI_Comm_rank(c->comm, &c->rank));
  PetscCallMPI(MPI_Comm_size(c->comm, &c->size));
  c->max_pairs = 20000000;
  c->num_boxes = 48;
  c->rebuild   = 1.6;
  m            = c->m;
  entities     = m->num_faces + m->num_edges + m->num_points;
  PetscCall(AbutPlanesCreate(c, num_planes, planes));
  PetscCall(CopyEntities(c, FACE, m->num_faces, m->faces, m->face_id));
  PetscCall(CopyEntities(c, EDGE, m->num_edges, m->edges, m->edge_id));
  PetscCall(CopyEntities(c, POINT, m->num_points, m->points, NULL));
  PetscCall(CopyEntities(c, CURVE, 0, NULL, NULL));
  PetscCall(
    PetscCalloc4(entities, &c->entity_mark, entities, &c->entity_hit, m->num_local, &c->vertex_mark, m->num_local, &c->vertex_slot));
  PetscCall(FindSurface(c));
  PetscCall(AbutNearCreate(c));
  AbutContactSetMeetings(c);
  PetscCall(AbutVertexMapReset(&c->ghosts, (size_t)(m->num_local - m->num_owned)));
  for (PetscInt v = m->num_owned; v < m->num_local; v++) (void)AbutVertexMapAdd(&c->ghosts, m->vertex_global[v], (int32_t)v);
  PetscCall(AbutSweepCreate(c, &c->search));
  PetscCall(AbutSweepCreate(c, &c->check));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactDestroy(AbutContact *contact)
{
  AbutContact c = *contact;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(0);
  PetscCall(AbutSweepDestroy(&c->search));
  PetscCall(AbutSweepDestroy(&c->check));
  for (int kind = 0; kind < NUM_KINDS; kind++) PetscCall(AbutEntitiesDestroy(&c->local[kind]));
  PetscCall(AbutRingsDestroy(c));
  PetscCall(AbutNearDestroy(c));
  PetscCall(AbutVertexMapDestroy(&c->ghosts));
  PetscCall(PetscFree4(c->entity_mark, c->entity_hit, c->vertex_mark, c->vertex_slot));
  PetscCall(PetscFree(c->surface));
  PetscCall(AbutPlanesDestroy(c));
  PetscCall(PetscFree(c->pairs.pair));
  PetscCall(PetscFree(c->sorted.pair));
  PetscCall(PetscFree(c->fv));
  PetscCall(PetscFree(c->ee));
  PetscCall(PetscFree(c->ev));
  PetscCall(PetscFree(c->pv));
  PetscCall(PetscCommDestroy(&c->comm));
  PetscCall(PetscFree(*contact));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSetFromOptions(AbutContact c)
{
  PetscFunctionBegin;
  PetscOptionsBegin(c->comm, NULL, "Contact search", "AbutContact");
  PetscCall(PetscOptionsInt("-contact_max_pairs", "candidate pairs a rank may hold; about 50 bytes each", "AbutContactSearch", c->max_pairs,
                            &c->max_pairs, NULL));
  PetscCall(PetscOptionsInt("-contact_boxes", "boxes a rank publishes to be found by others", "AbutContactSearch", c->num_boxes,
                            &c->num_boxes, NULL));
  PetscCall(PetscOptionsReal("-contact_rebuild", "growth of the cost of a box hierarchy at which it is built anew", "AbutContactSearch",
                             c->rebuild, &c->rebuild, NULL));
  PetscCall(
    PetscOptionsBool("-contact_keep", "pairs of one search serve the next ones", "AbutContactSearch", c->near.on, &c->near.on, NULL));
  PetscOptionsEnd();
  AbutCheck(c->max_pairs >= 1, ABUT_ERR_INPUT, "-contact_max_pairs %" PetscInt_FMT ": at least 1 is needed", c->max_pairs);
  AbutCheck(c->num_boxes >= NUM_KINDS && c->num_boxes <= 65536, ABUT_ERR_INPUT,
            "-contact_boxes %" PetscInt_FMT ": a number from %d to 65536 is needed", c->num_boxes, (int)NUM_KINDS);
  AbutCheck(c->rebuild >= 1, ABUT_ERR_INPUT, "-contact_rebuild %g: at least 1 is needed", (double)c->rebuild);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactForget(AbutContact c)
{
  PetscFunctionBegin;
  AbutNearForget(c);
  for (int kind = 0; kind < NUM_KINDS; kind++) c->local[kind].tree.cost_built = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactGetCandidates(AbutContact contact, const AbutCandidates **candidates)
{
  PetscFunctionBegin;
  *candidates = &contact->candidates;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactPositions(AbutContact contact, PetscReal t, PetscReal xt[])
{
  const AbutSweep *sweep = &contact->search;
  const PetscInt   n     = sweep->num_vertices * contact->m->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) xt[i] = sweep->x[i] + t * sweep->p[i];
  AbutPlanesMove(contact, t);
  contact->near.t = t;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactGetTraffic(AbutContact contact, PetscLogDouble *messages, PetscLogDouble *bytes)
{
  PetscFunctionBegin;
  *messages = contact->messages;
  *bytes    = contact->bytes;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactView(AbutContact contact, PetscViewer viewer)
{
  enum { COUNT = 9 };
  static const char *const name[COUNT] = {
    "surface faces",          "surface edges",        "surface points",         "copies of vertices",     "partners",
    "candidates face-vertex", "candidates edge-edge", "candidates edge-vertex", "candidates plane-vertex"};
  const AbutCandidates *c           = &contact->candidates;
  const PetscReal       mine[COUNT] = {contact->local[FACE].n,       contact->local[EDGE].n,
                                       contact->local[POINT].n,      (PetscReal)(contact->search.num_vertices - contact->m->num_local),
                                       contact->search.partners.num, (PetscReal)c->num_fv,
                                       (PetscReal)c->num_ee,         (PetscReal)c->num_ev,
                                       (PetscReal)c->num_pv};
  PetscReal             max[COUNT], sum[COUNT];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, max, COUNT, MPIU_REAL, MPIU_MAX, contact->comm));
  PetscCallMPI(MPI_Allreduce(mine, sum, COUNT, MPIU_REAL, MPIU_SUM, contact->comm));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "Contact search: %" PetscInt_FMT " planes, %" PetscInt_FMT " boxes a rank, at most %" PetscInt_FMT
                                   " pairs a rank; %" PetscInt_FMT " searches, %" PetscInt_FMT
                                   " of them among pairs of earlier ones, %" PetscInt_FMT " halvings of a step, %" PetscInt_FMT
                                   " trees built\n",
                                   contact->num_planes, contact->num_boxes, contact->max_pairs, contact->num_searches, contact->num_served,
                                   contact->num_halvings, contact->num_builds));
  for (int i = 0; i < COUNT; i++) {
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "  %-24s max %.0f avg %.1f a rank\n", name[i], (double)max[i], (double)(sum[i] / contact->size)));
  }
  PetscFunctionReturn(0);
}
