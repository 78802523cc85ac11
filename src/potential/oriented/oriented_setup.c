/* What an orientation-aware potential takes from the shape at rest: the length that edges and vertices stand for, ranges of primitives. */
#include "oriented.h"

/* The published form gives a vertex the area of its faces as weight: one without any would never be met. Collective. */
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

/* The pairs of primitives that act at rest with dhat for all. */
static PetscErrorCode ActivePairs(AbutPotential pot, const AbutCandidates *c, PetscInt *count, AbutOrientedPair **pairs)
{
  AbutOriented *sm = pot->data;
  PetscReal     min_dist2;

  PetscFunctionBegin;
  PetscCall(AbutOrientedFind(pot, c, c->x, &min_dist2));
  PetscCall(PetscMalloc1(sm->num_found, pairs));
  *count = 0;
  for (PetscInt i = 0; i < sm->num_found; i++) {
    const AbutOrientedContact *contact = (AbutOrientedContact *)sm->found.data + i;
    AbutOrientedPairState      state;
    PetscInt                   n;
    if (contact->plane >= 0 || contact->pair.sampled) continue;
    PetscCall(AbutOrientedReserve(sm, contact, &n));
    AbutOrientedEvaluateContact(sm, c, contact, c->x, NULL, &state, NULL, NULL, NULL);
    if (state.factor[1] > 0) (*pairs)[(*count)++] = contact->pair;
  }
  PetscFunctionReturn(0);
}

/*
  The same for vertices and planes and for samples of elements, after AbutOrientedAdaptRanges(): a vertex at rest within dhat of a plane is not
  pushed off.
*/
static PetscErrorCode AdaptToOthers(AbutPotential pot, const AbutCandidates *c, AbutOrientedRanges *r)
{
  AbutOriented *sm      = pot->data;
  PetscReal    *element = sm->dim == 3 ? r->face : r->edge;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sm->num_found; i++) {
    const AbutOrientedContact *contact = (AbutOrientedContact *)sm->found.data + i;
    AbutOrientedPairState      state;
    const PetscInt             a = contact->pair.a, b = contact->pair.b;
    PetscInt                   n;
    if (contact->plane < 0 && !contact->pair.sampled) continue;
    PetscCall(AbutOrientedReserve(sm, contact, &n));
    AbutOrientedEvaluateContact(sm, c, contact, c->x, NULL, &state, NULL, NULL, NULL);
    if (!(state.value > 0)) continue;
    pot->rest_pairs++;
    if (contact->pair.sampled) {
      element[a] = PetscMin(element[a], sm->ratio * state.dist);
      element[b] = PetscMin(element[b], sm->ratio * state.dist);
    } else
      r->vertex[a] = PetscMin(r->vertex[a], sm->ratio * state.dist);
  }
  PetscFunctionReturn(0);
}

/* Ranges of this rank become those of all: every one the smallest of any rank. Collective. */
static PetscErrorCode Publish(AbutPotential pot, AbutContact contact, const AbutOrientedRanges *r)
{
  AbutOriented         *sm = pot->data;
  const AbutCandidates *c;

  PetscFunctionBegin;
  PetscCall(AbutContactSetDhat(contact, r->vertex, r->edge, r->face));
  PetscCall(AbutContactGetCandidates(contact, &c));
  sm->ranges.dhat = -1;
  PetscCall(AbutOrientedTakeSurface(pot, c));
  PetscFunctionReturn(0);
}

/* What the ring of a primitive is not complete for is said by another rank. */
static void SpreadComplete(const AbutOrientedSurface *surface, const AbutOneRing *rings, AbutOrientedRanges *r)
{
  for (PetscInt v = 0; v < surface->num_vertices; v++)
    if (!rings->complete[v]) r->vertex[v] = r->dhat;
  for (PetscInt e = 0; e < surface->num_edges; e++)
    if (!rings->complete[surface->edges[e][0]] || !rings->complete[surface->edges[e][1]]) r->edge[e] = r->dhat;
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    for (int k = 0; k < 3; k++)
      if (!rings->complete[surface->faces[f][k]]) r->face[f] = r->dhat;
  }
  AbutOrientedSpreadRanges(surface, r);
}

/* The geometric mean of the vertices' ranges that have been lowered, each vertex once. Collective. */
static PetscErrorCode SetRestRange(AbutPotential pot, const AbutMeshLocal *m, const AbutCandidates *c)
{
  const AbutOrientedRanges *r       = &((AbutOriented *)pot->data)->ranges;
  PetscReal                 sums[2] = {0, 0};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < c->num_vertices; v++) {
    const PetscInt own = c->vertex_global[v] - m->first;
    if (own < 0 || own >= m->num_owned || !(r->vertex[v] < pot->dhat)) continue;
    sums[0] += PetscLogReal(r->vertex[v] / pot->dhat);
    sums[1] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, pot->comm));
  pot->rest_dhat = sums[1] > 0 ? pot->dhat * PetscExpReal(sums[0] / sums[1]) : pot->dhat;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact)
{
  AbutOriented            *sm  = pot->data;
  const AbutPotentialSpec *own = &pot->spec;
  const AbutMeshLocal     *m;
  const AbutCandidates    *c;
  AbutOrientedRanges       r     = {.dhat = pot->dhat};
  AbutOrientedPair        *pairs = NULL;
  PetscInt                 count = 0;
  PetscReal                step  = 0, mean;

  PetscFunctionBegin;
  PetscCall(AbutMeshGetLocal(mesh, &m));
  PetscCall(RefusePoints(pot, m));
  sm->dim          = m->dim;
  sm->spec.alpha_t = sm->spec.alpha_n = own->alpha;
  sm->spec.beta_t = sm->spec.beta_n = own->beta;
  sm->spec.power                    = sm->spec.member == ABUT_ORIENTED_OIPC ? (PetscReal)(m->dim - 1) : 2;
  sm->spec.length                   = own->length;
  sm->spec.smoothness               = own->smoothness;
  PetscCall(AbutMeanEdge(mesh, &mean));
  if (!(own->length > 0)) sm->spec.length = mean;
  AbutCheck(own->quadrature <= pot->info->max_quadrature[m->dim - 2], ABUT_ERR_INPUT,
            "contact quadrature of potential \"%s\" is %" PetscInt_FMT " in %" PetscInt_FMT
            "D; it must be from 0, for closest points only, to %" PetscInt_FMT,
            pot->info->name, own->quadrature, m->dim, pot->info->max_quadrature[m->dim - 2]);
  PetscCall(AbutOrientedSetSamples(m->dim, own->quadrature, mean, &sm->spec));
  PetscCall(AbutContactSetOneRing(contact, PETSC_TRUE));
  PetscCall(AbutContactSearch(contact, m->rest, NULL, &step, pot->dhat));
  PetscCall(AbutContactGetCandidates(contact, &c));
  pot->rest_pairs = 0;
  PetscCall(ActivePairs(pot, c, &count, &pairs));
  PetscCall(PetscMalloc3(c->num_vertices, &r.vertex, c->one_ring->num_edges, &r.edge, c->one_ring->num_faces, &r.face));
  AbutOrientedAdaptRanges(sm->surface, sm->ratio, count, pairs, c->x, &r);
  PetscCall(AdaptToOthers(pot, c, &r));
  pot->rest_pairs += count;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &pot->rest_pairs, 1, MPIU_INT64, MPI_SUM, pot->comm));
  PetscCall(Publish(pot, contact, &r));
  PetscCall(PetscArraycpy(r.vertex, sm->ranges.vertex, sm->surface->num_vertices));
  PetscCall(PetscArraycpy(r.edge, sm->ranges.edge, sm->surface->num_edges));
  PetscCall(PetscArraycpy(r.face, sm->ranges.face, sm->surface->num_faces));
  SpreadComplete(sm->surface, sm->rings, &r);
  PetscCall(Publish(pot, contact, &r));
  PetscCall(SetRestRange(pot, m, c));
  PetscCall(PetscFree3(r.vertex, r.edge, r.face));
  PetscCall(PetscFree(pairs));
  PetscFunctionReturn(0);
}
