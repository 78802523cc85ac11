/* Parameters of an orientation-aware potential; activation distances adapted to the shape at rest [Huang et al. 2025, section 4.4]. */
#include "oriented.h"

/* GCP takes the area of its faces as the measure of a vertex, so a free point would have no contact in 3D. Collective. */
static PetscErrorCode RefusePoints(AbutPotential pot, const AbutMeshLocal *m)
{
  PetscInt *edges;

  PetscFunctionBegin;
  if (((AbutOriented *)pot->data)->spec.member != ABUT_ORIENTED_GCP || m->dim != 3) PetscFunctionReturn(0);
  PetscCall(PetscCalloc1(m->num_bodies, &edges));
  for (PetscInt e = 0; e < m->num_edges; e++) edges[m->vertex_body[m->edges[2 * e]]] = 1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, edges, (PetscMPIInt)m->num_bodies, MPIU_INT, MPI_MAX, pot->comm));
  for (PetscInt b = 0; b < m->num_bodies; b++)
    AbutCheck(edges[b], ABUT_ERR_INPUT,
              "obstacle '%s' is of points, which have no area and so do not repel under \"gcp\" in 3D: take \"oipc\"", m->bodies[b].name);
  PetscCall(PetscFree(edges));
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
  AbutCheck(own->quadrature <= pot->info->max_quadrature[m->dim - 2], ABUT_ERR_INPUT,
            "contact quadrature is %" PetscInt_FMT " for potential \"%s\" in %" PetscInt_FMT
            "D; it must be from 0, for closest points only, to %" PetscInt_FMT,
            own->quadrature, pot->info->name, m->dim, pot->info->max_quadrature[m->dim - 2]);
  sm->dim       = m->dim;
  spec->alpha_t = spec->alpha_n = own->alpha;
  spec->beta_t = spec->beta_n = own->beta;
  spec->power                 = spec->member == ABUT_ORIENTED_OIPC ? (PetscReal)(m->dim - 1) : 2;
  spec->length                = own->length > 0 ? own->length : mean;
  spec->smoothness            = own->smoothness;
  PetscCall(AbutOrientedSetSamples(m->dim, own->quadrature, mean, spec));
  PetscFunctionReturn(0);
}

/* Lists the pairs of primitives that would be active at rest with activation distance dhat for all. */
static PetscErrorCode ActivePairs(AbutPotential pot, const AbutCandidates *c, PetscInt *count, AbutOrientedPair **pairs)
{
  AbutOriented *sm = pot->data;
  PetscReal     min_dist2;

  PetscFunctionBegin;
  PetscCall(AbutOrientedFindPairs(pot, c, c->x, &min_dist2));
  PetscCall(PetscMalloc1(sm->num_found, pairs));
  *count = 0;
  for (PetscInt i = 0; i < sm->num_found; i++) {
    const AbutOrientedContact *contact = (AbutOrientedContact *)sm->found.data + i;
    AbutOrientedPairState      state;
    PetscInt                   n;
    if (contact->plane >= 0 || contact->pair.sampled) continue;
    PetscCall(AbutOrientedReserve(sm, contact, &n));
    AbutOrientedEvaluateContact(sm, c, contact, c->x, &(AbutOrientedOutput){0}, &state);
    if (state.factor[1] > 0) (*pairs)[(*count)++] = contact->pair;
  }
  PetscFunctionReturn(0);
}

/* Lowers activation distances for half spaces and for pairs of elements too, after AbutOrientedAdaptDhat(). */
static PetscErrorCode AdaptToPlanesAndElements(AbutPotential pot, const AbutCandidates *c, AbutOrientedDhat *dhat)
{
  AbutOriented *sm      = pot->data;
  PetscReal    *element = sm->dim == 3 ? dhat->face : dhat->edge;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sm->num_found; i++) {
    const AbutOrientedContact *contact = (AbutOrientedContact *)sm->found.data + i;
    AbutOrientedPairState      state;
    const PetscInt             a = contact->pair.a, b = contact->pair.b;
    PetscInt                   n;
    if (contact->plane < 0 && !contact->pair.sampled) continue;
    PetscCall(AbutOrientedReserve(sm, contact, &n));
    AbutOrientedEvaluateContact(sm, c, contact, c->x, &(AbutOrientedOutput){0}, &state);
    if (!(state.value > 0)) continue;
    pot->rest_pairs++;
    if (contact->pair.sampled) {
      element[a] = PetscMin(element[a], sm->ratio * state.dist);
      element[b] = PetscMin(element[b], sm->ratio * state.dist);
    } else
      dhat->vertex[a] = PetscMin(dhat->vertex[a], sm->ratio * state.dist);
  }
  PetscFunctionReturn(0);
}

/* Replaces activation distances by their minimum over ranks. Collective. */
static PetscErrorCode ReduceDhat(AbutPotential pot, AbutContact contact, const AbutOrientedDhat *dhat)
{
  AbutOriented         *sm = pot->data;
  const AbutCandidates *c;

  PetscFunctionBegin;
  PetscCall(AbutContactSetDhat(contact, dhat->vertex, dhat->edge, dhat->face));
  PetscCall(AbutContactGetCandidates(contact, &c));
  sm->adaptive.dhat = -1;
  PetscCall(AbutOrientedUpdateSurface(pot, c));
  PetscFunctionReturn(0);
}

/* AbutOrientedPropagateDhat() where this rank has the complete one-ring neighbourhood; elsewhere other ranks provide the value. */
static void PropagateComplete(const AbutOrientedSurface *surface, const AbutOneRing *one_ring, AbutOrientedDhat *dhat)
{
  for (PetscInt v = 0; v < surface->num_vertices; v++)
    if (!one_ring->complete[v]) dhat->vertex[v] = dhat->dhat;
  for (PetscInt e = 0; e < surface->num_edges; e++)
    if (!one_ring->complete[surface->edges[e][0]] || !one_ring->complete[surface->edges[e][1]]) dhat->edge[e] = dhat->dhat;
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    for (int k = 0; k < 3; k++)
      if (!one_ring->complete[surface->faces[f][k]]) dhat->face[f] = dhat->dhat;
  }
  AbutOrientedPropagateDhat(surface, dhat);
}

/* Geometric mean of the lowered activation distances of vertices, each vertex once. Collective. */
static PetscErrorCode SetRestDhat(AbutPotential pot, const AbutMeshLocal *m, const AbutCandidates *c)
{
  const AbutOrientedDhat *dhat    = &((AbutOriented *)pot->data)->adaptive;
  PetscReal               sums[2] = {0, 0};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < c->num_vertices; v++) {
    const PetscInt own = c->vertex_global[v] - m->first;
    if (own < 0 || own >= m->num_owned || !(dhat->vertex[v] < pot->dhat)) continue;
    sums[0] += PetscLogReal(dhat->vertex[v] / pot->dhat);
    sums[1] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, pot->comm));
  pot->rest_dhat = sums[1] > 0 ? pot->dhat * PetscExpReal(sums[0] / sums[1]) : pot->dhat;
  PetscFunctionReturn(0);
}

/* Lowers activation distances so that no pair is active at rest, c being the candidates there. Collective. */
static PetscErrorCode AdaptDhat(AbutPotential pot, AbutContact contact, const AbutCandidates *c)
{
  AbutOriented     *sm    = pot->data;
  AbutOrientedDhat  dhat  = {.dhat = pot->dhat};
  AbutOrientedPair *pairs = NULL;
  PetscInt          count = 0;

  PetscFunctionBegin;
  pot->rest_pairs = 0;
  PetscCall(ActivePairs(pot, c, &count, &pairs));
  PetscCall(PetscMalloc3(c->num_vertices, &dhat.vertex, c->one_ring->num_edges, &dhat.edge, c->one_ring->num_faces, &dhat.face));
  AbutOrientedAdaptDhat(sm->surface, sm->ratio, count, pairs, c->x, &dhat);
  PetscCall(AdaptToPlanesAndElements(pot, c, &dhat));
  pot->rest_pairs += count;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &pot->rest_pairs, 1, MPIU_INT64, MPI_SUM, pot->comm));
  PetscCall(ReduceDhat(pot, contact, &dhat));
  PetscCall(PetscArraycpy(dhat.vertex, sm->adaptive.vertex, sm->surface->num_vertices));
  PetscCall(PetscArraycpy(dhat.edge, sm->adaptive.edge, sm->surface->num_edges));
  PetscCall(PetscArraycpy(dhat.face, sm->adaptive.face, sm->surface->num_faces));
  PropagateComplete(sm->surface, sm->one_ring, &dhat);
  PetscCall(ReduceDhat(pot, contact, &dhat));
  PetscCall(PetscFree3(dhat.vertex, dhat.edge, dhat.face));
  PetscCall(PetscFree(pairs));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact)
{
  const AbutMeshLocal  *m;
  const AbutCandidates *c;
  PetscReal             step = 0;

  PetscFunctionBegin;
  PetscCall(AbutMeshGetLocal(mesh, &m));
  PetscCall(RefusePoints(pot, m));
  PetscCall(SetParameters(pot, mesh, m));
  PetscCall(AbutContactSetOneRing(contact, PETSC_TRUE));
  PetscCall(AbutContactSearch(contact, m->rest, NULL, &step, pot->dhat));
  PetscCall(AbutContactGetCandidates(contact, &c));
  PetscCall(AdaptDhat(pot, contact, c));
  PetscCall(SetRestDhat(pot, m, c));
  PetscFunctionReturn(0);
}
