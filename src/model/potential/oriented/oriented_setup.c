/*
  Parameters of an orientation-aware potential; adapted activation distances [Huang et al. 2025, section 4.4]: within a body they follow
  from its undeformed shape, between bodies from the positions at the start.
*/
#include "oriented.h"
#include <abut/petsc_versions.h>

/* Which pairs lower activation distances. */
typedef enum { ALL, WITHIN_BODIES, BETWEEN_BODIES } Which;

/* GCP takes the area of its faces as the measure of a vertex, so a free point would have no contact in 3D. */
static PetscErrorCode RefusePoints(AbutPotential pot, const AbutMeshLocal *m)
{
  PetscFunctionBegin;
  if (((AbutOriented *)pot->data)->spec.member != ABUT_ORIENTED_GCP || m->dim != 3) PetscFunctionReturn(0);
  for (PetscInt b = 0; b < m->num_bodies; b++)
    AbutCheck(m->bodies[b].surface_dim > 0, ABUT_ERR_INPUT,
              "obstacle '%s' is of points, which have no area and so do not repel under \"gcp\" in 3D: take \"oipc\"", m->bodies[b].name);
  PetscFunctionReturn(0);
}

static PetscErrorCode SetParameters(AbutPotential pot, AbutMesh mesh, const AbutMeshLocal *m)
{
  AbutOriented            *sm   = pot->data;
  AbutOrientedSpec        *spec = &sm->spec;
  const AbutPotentialSpec *own  = &pot->spec;
  PetscReal                mean;

  PetscFunctionBegin;
  PetscCall(AbutMeanEdge(mesh, &mean));
  sm->dim       = m->dim;
  spec->alpha_t = spec->alpha_n = own->alpha;
  spec->beta_t = spec->beta_n = own->beta;
  spec->power                 = spec->member == ABUT_ORIENTED_OIPC ? (PetscReal)(m->dim - 1) : 2;
  spec->length                = own->length > 0 ? own->length : mean;
  sm->adaptive.inner          = ABUT_ORIENTED_INNER * spec->length;
  PetscFunctionReturn(0);
}

/* First vertex of one of the two primitives of a pair. */
static PetscInt FirstVertex(const AbutOrientedSurface *s, const AbutOrientedPair *pair, int side)
{
  const PetscInt i = side ? pair->b : pair->a, kind = AbutOrientedKindOf(pair, side);

  if (kind == ABUT_ORIENTED_EDGE) return s->r->edges[i][0];
  return kind == ABUT_ORIENTED_FACE ? s->r->faces[i][0] : i;
}

static PetscBool IsOneOf(const AbutOriented *sm, const AbutCandidates *c, const AbutOrientedPair *pair, Which which)
{
  PetscBool within;

  if (which == ALL) return PETSC_TRUE;
  within =
    (PetscBool)(pair->b >= 0 && c->vertex_body[FirstVertex(sm->surface, pair, 0)] == c->vertex_body[FirstVertex(sm->surface, pair, 1)]);
  return (PetscBool)(within == (which == WITHIN_BODIES));
}

/*
  Lowers `dhat` to at most sm->ratio times the distance of each contact that is active at the candidates' positions with the current
  activation distances, and counts these contacts in pot->rest_pairs. Surfaces that cross lower nothing.
*/
static PetscErrorCode LowerActive(AbutPotential pot, const AbutCandidates *c, Which which, AbutOrientedDhat *dhat)
{
  AbutOriented *sm    = pot->data;
  PetscInt64    count = 0;
  PetscReal     min_dist2;

  PetscFunctionBegin;
  PetscCall(AbutOrientedFindPairs(pot, c, c->x, &min_dist2));
  for (int kind = 0; kind < 3; kind++) {
    const PetscReal *now = sm->adaptive.of[kind];
    for (PetscInt i = 0; i < sm->surface->num[kind]; i++) dhat->of[kind][i] = now ? now[i] : dhat->dhat;
  }
  for (PetscInt i = 0; i < sm->num_found; i++) {
    const AbutOrientedPair *pair = &sm->found[i].pair;
    AbutOrientedPairState   state;
    if (!IsOneOf(sm, c, pair, which)) continue;
    PetscCall(AbutOrientedEvaluateContact(sm, c, &sm->found[i], c->x, &(AbutOrientedOutput){0}, &state));
    if (!((pair->b >= 0 ? state.factor[1] : state.value) > 0)) continue;
    if (pair->b >= 0) state.dist = AbutOrientedCandidateDistance(sm->surface, pair->kind, pair->a, pair->b, c->x);
    if (!(state.dist > 0)) continue;
    AbutOrientedLowerDhat(pair, sm->ratio * state.dist, dhat);
    count++;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPIU_INT64, MPI_SUM, pot->comm));
  pot->rest_pairs += count;
  PetscFunctionReturn(0);
}

/* Sets sm->adaptive to the minimum over all ranks of activation distances. Collective. */
static PetscErrorCode ReduceDhat(AbutPotential pot, AbutContact contact, const AbutOrientedDhat *dhat)
{
  AbutOriented         *sm = pot->data;
  const AbutCandidates *c  = AbutContactGetCandidates(contact);

  PetscFunctionBegin;
  PetscCall(AbutContactSetDhat(contact, dhat->of[ABUT_ORIENTED_VERTEX], dhat->of[ABUT_ORIENTED_EDGE], dhat->of[ABUT_ORIENTED_FACE]));
  sm->adaptive.dhat = -1;
  PetscCall(AbutOrientedUpdateSurface(pot, c));
  PetscFunctionReturn(0);
}

/* Runs AbutOrientedPropagateDhat() where this rank has the complete one-ring neighbourhood. Elsewhere other ranks provide the values. */
static void PropagateComplete(const AbutOrientedSurface *s, AbutOrientedDhat *dhat)
{
  const AbutOneRing *r = s->r;

  for (PetscInt v = 0; v < s->num[ABUT_ORIENTED_VERTEX]; v++)
    if (!r->complete[v]) dhat->of[ABUT_ORIENTED_VERTEX][v] = dhat->dhat;
  for (PetscInt i = 0; i < 2 * r->num_edges; i++)
    if (!r->complete[r->edges[i / 2][i % 2]]) dhat->of[ABUT_ORIENTED_EDGE][i / 2] = dhat->dhat;
  for (PetscInt i = 0; i < 3 * r->num_faces; i++)
    if (!r->complete[r->faces[i / 3][i % 3]]) dhat->of[ABUT_ORIENTED_FACE][i / 3] = dhat->dhat;
  AbutOrientedPropagateDhat(s, dhat);
}

/* Sets pot->rest_dhat to the geometric mean of the lowered activation distances of vertices, each vertex counted once. Collective. */
static PetscErrorCode SetRestDhat(AbutPotential pot, const AbutMeshLocal *m, const AbutCandidates *c)
{
  const AbutOrientedDhat *dhat    = &((AbutOriented *)pot->data)->adaptive;
  PetscReal               sums[2] = {0, 0};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < c->num_vertices; v++) {
    const PetscInt own = c->vertex_global[v] - m->first;
    if (own < 0 || own >= m->num_owned || !(dhat->of[ABUT_ORIENTED_VERTEX][v] < pot->dhat)) continue;
    sums[0] += PetscLogReal(dhat->of[ABUT_ORIENTED_VERTEX][v] / pot->dhat);
    sums[1] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, pot->comm));
  pot->rest_dhat = sums[1] > 0 ? pot->dhat * PetscExpReal(sums[0] / sums[1]) : pot->dhat;
  PetscFunctionReturn(0);
}

/* Lowers activation distances until none of these pairs is active at x [num_local * dim]. Collective. */
static PetscErrorCode AdaptDhat(AbutPotential pot, AbutContact contact, const PetscReal x[], Which which)
{
  AbutOriented         *sm   = pot->data;
  const AbutCandidates *c    = AbutContactGetCandidates(contact);
  AbutOrientedDhat      dhat = {.dhat = pot->dhat};
  PetscReal             step = 0;

  PetscFunctionBegin;
  PetscCall(AbutContactSearch(contact, x, NULL, &step, pot->dhat));
  PetscCall(PetscMalloc3(c->num_vertices, &dhat.of[0], c->one_ring->num_edges, &dhat.of[1], c->one_ring->num_faces, &dhat.of[2]));
  PetscCall(LowerActive(pot, c, which, &dhat));
  PetscCall(ReduceDhat(pot, contact, &dhat));
  PropagateComplete(sm->surface, &sm->adaptive);
  PetscCall(ReduceDhat(pot, contact, &sm->adaptive));
  PetscCall(PetscFree3(dhat.of[0], dhat.of[1], dhat.of[2]));
  PetscFunctionReturn(0);
}

/* Whether bodies start deformed. Collective. */
static PetscErrorCode StartsDeformed(AbutMesh mesh, const AbutMeshLocal *m, PetscBool *deformed)
{
  const PetscReal *start = AbutMeshGetStart(mesh);

  PetscFunctionBegin;
  *deformed = PETSC_FALSE;
  for (PetscInt i = 0; i < m->num_owned * m->dim; i++) *deformed = (PetscBool)(*deformed || start[i] != m->rest[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, deformed, 1, AbutMPIBool, MPI_LOR, AbutMeshGetComm(mesh)));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(mesh);
  PetscBool            deformed;

  PetscFunctionBegin;
  PetscCall(RefusePoints(pot, m));
  PetscCall(SetParameters(pot, mesh, m));
  PetscCall(AbutContactSetOneRing(contact, PETSC_TRUE));
  PetscCall(StartsDeformed(mesh, m, &deformed));
  pot->rest_pairs = 0;
  if (deformed) PetscCall(AdaptDhat(pot, contact, m->rest, WITHIN_BODIES));
  PetscCall(AdaptDhat(pot, contact, AbutMeshGetStart(mesh), deformed ? BETWEEN_BODIES : ALL));
  PetscCall(SetRestDhat(pot, m, AbutContactGetCandidates(contact)));
  PetscFunctionReturn(0);
}
