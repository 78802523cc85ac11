/* The contact search: creation, options, view. */
#include "contactimpl.h"

#define MEMBER(name) offsetof(AbutContactParams, name)

#define BOXES        256 /* boxes with which a rank describes its surface to another rank that it may meet */
#define LEAST_LOAD   64  /* load that a rank keeps, because messages would cost more than its evaluation [candidates] */
#define CONTACT_LOAD 16  /* load of a contact, in candidates beyond the activation distance */
#define REBUILD      1.6 /* growth of the cost of a box hierarchy at which it is rebuilt */

static const AbutOption options[]          = {{"-contact_max_pairs", ABUT_OPTION_INT, MEMBER(max_pairs), 20000000, 1, INT32_MAX, "pairs",
                                               "candidate pairs that a rank may hold, about 50 bytes each; with more the step is halved"}};
const AbutOptionTable   AbutContactOptions = {"Contact search", sizeof(options) / sizeof(options[0]), options};

static PetscErrorCode CreateEntities(AbutContact c)
{
  const AbutMeshLocal *m = c->m;

  PetscFunctionBegin;
  PetscCall(AbutContactSetEntities(c, FACE, m->num_faces, NULL, m->faces, m->face_id));
  PetscCall(AbutContactSetEntities(c, EDGE, m->num_edges, NULL, m->edges, m->edge_id));
  PetscCall(AbutContactSetEntities(c, POINT, m->num_points, NULL, m->points, NULL));
  PetscCall(AbutContactSetEntities(c, CURVE, 0, NULL, NULL, NULL));
  PetscCall(AbutSurfaceListVertices(m, &c->num_surface, &c->surface));
  PetscCall(PetscHMapICreate(&c->ghosts));
  for (PetscInt v = m->num_owned; v < m->num_local; v++) PetscCall(PetscHMapISet(c->ghosts, m->vertex_global[v], v));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactCreate(AbutMesh mesh, PetscInt num_planes, const AbutPlaneSpec planes[], AbutContact *contact)
{
  AbutContact c;
  MPI_Comm    comm = AbutMeshGetComm(mesh);

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *contact = c;
  c->mesh  = mesh;
  c->m     = AbutMeshGetLocal(mesh);
  PetscCall(PetscCommDuplicate(comm, &c->comm, &c->tag));
  PetscCallMPI(MPI_Comm_rank(c->comm, &c->rank));
  PetscCallMPI(MPI_Comm_size(c->comm, &c->size));
  AbutOptionTableSetDefaults(&AbutContactOptions, &c->params);
  c->params.num_boxes = BOXES;
  c->params.rebuild   = REBUILD;
  AbutOptionTableSetDefaults(&AbutBalanceOptions, &c->balance.policy);
  c->balance.policy.minimum = LEAST_LOAD;
  c->balance.policy.contact = CONTACT_LOAD;
  PetscCall(AbutPlanesCreate(c, num_planes, planes));
  PetscCall(CreateEntities(c));
  PetscCall(AbutBalanceCreate(&c->balance));
  AbutSweepSetKinds(c);
  PetscCall(AbutSweepCreate(c, &c->search));
  PetscCall(AbutSweepCreate(c, &c->check));
  PetscCall(AbutMarksReserve(c));
  PetscFunctionReturn(0);
}

static PetscErrorCode FreeArrays(AbutContact c)
{
  PetscFunctionBegin;
  PetscCall(AbutMarksDestroy(&c->marks));
  PetscCall(PetscFree(c->surface));
  for (int i = 0; i < 2; i++) PetscCall(PetscFree(c->scratch[i].pair));
  PetscCall(PetscFree(c->pv.a));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    PetscCall(PetscFree(c->lists[kind].v.a));
    PetscCall(PetscFree(c->lists[kind].number.a));
  }
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
  PetscCall(AbutRingDestroy(&c->ring));
  PetscCall(AbutBalanceDestroy(&c->balance));
  PetscCall(PetscHMapIDestroy(&c->ghosts));
  PetscCall(PetscHMapIDestroy(&c->tied.number));
  PetscCall(PetscFree(c->tied.set));
  PetscCall(AbutPlanesDestroy(&c->planes));
  PetscCall(FreeArrays(c));
  PetscCall(PetscCommDestroy(&c->comm));
  PetscCall(PetscFree(*contact));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSetFromOptions(AbutContact c)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableSetFromOptions(c->comm, &AbutContactOptions, &c->params));
  PetscCall(AbutOptionTableSetFromOptions(c->comm, &AbutBalanceOptions, &c->balance.policy));
  PetscFunctionReturn(0);
}

const AbutCandidates *AbutContactGetCandidates(AbutContact contact)
{
  return &contact->candidates;
}

PetscErrorCode AbutContactPositions(AbutContact contact, PetscReal t, PetscReal xt[])
{
  const AbutSweep *sweep = &contact->search;
  const PetscInt   n     = sweep->num_vertices * contact->m->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) xt[i] = sweep->x[i] + t * sweep->p[i];
  AbutPlanesMove(&contact->planes, t);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactGetTraffic(AbutContact contact, PetscLogDouble *messages, PetscLogDouble *bytes)
{
  PetscFunctionBegin;
  *messages = contact->traffic.messages;
  *bytes    = contact->traffic.bytes;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSetActiveDistance(AbutContact contact, PetscReal distance)
{
  PetscFunctionBegin;
  contact->balance.distance = distance;
  PetscFunctionReturn(0);
}

static PetscErrorCode ViewSizes(AbutContact contact, PetscViewer viewer)
{
  enum { COUNT = 10 };
  static const char *const name[COUNT] = {
    "surface faces",          "surface edges",        "surface points",         "copies of vertices",      "neighbours",
    "candidates face-vertex", "candidates edge-edge", "candidates edge-vertex", "candidates plane-vertex", "candidates sent away"};
  const AbutCandidates *c           = &contact->candidates;
  const PetscReal       mine[COUNT] = {contact->local[FACE].n,
                                       contact->local[EDGE].n,
                                       contact->local[POINT].n,
                                       (PetscReal)(contact->search.num_vertices - contact->m->num_local),
                                       contact->search.neighbours.exchange.num_send,
                                       (PetscReal)c->num_fv,
                                       (PetscReal)c->num_ee,
                                       (PetscReal)c->num_ev,
                                       (PetscReal)c->num_pv,
                                       (PetscReal)contact->balance.moved};
  PetscReal             max[COUNT], sum[COUNT];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, max, COUNT, MPIU_REAL, MPIU_MAX, contact->comm));
  PetscCallMPI(MPI_Allreduce(mine, sum, COUNT, MPIU_REAL, MPIU_SUM, contact->comm));
  for (int i = 0; i < COUNT; i++)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "  %-24s max %.0f avg %.1f a rank\n", name[i], (double)max[i], (double)(sum[i] / contact->size)));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactView(AbutContact contact, PetscViewer viewer)
{
  const AbutContactCounts *n = &contact->counts;

  PetscFunctionBegin;
  PetscCall(AbutOptionTableView(&AbutContactOptions, &contact->params, viewer));
  PetscCall(AbutOptionTableView(&AbutBalanceOptions, &contact->balance.policy, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "Contact search: %" PetscInt_FMT " planes; %" PetscInt_FMT " searches, %" PetscInt_FMT
                                   " halvings of a step, %" PetscInt_FMT " trees built\n",
                                   contact->planes.num, n->searches, n->halvings, n->builds));
  if (n->motions)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %" PetscInt_FMT " motions checked, %" PetscInt_FMT " pairs on the first rank\n", n->motions,
                                     n->motion_pairs));
  PetscCall(ViewSizes(contact, viewer));
  PetscFunctionReturn(0);
}
