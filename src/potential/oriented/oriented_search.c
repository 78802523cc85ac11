/* Which pairs of primitives are within range, on the surface that comes with the candidates. */
#include "oriented.h"

#define ROUNDING (1 + 1e-10)

/* Ranges of the primitives, if there are any of their own, at most dhat. */
static PetscErrorCode CopyRanges(PetscInt n, const PetscReal from[], PetscReal dhat, Buffer *buffer, PetscReal **to)
{
  PetscFunctionBegin;
  *to = NULL;
  if (!from) PetscFunctionReturn(0);
  PetscCall(Reserve(buffer, n, sizeof(PetscReal)));
  *to = buffer->data;
  for (PetscInt i = 0; i < n; i++) (*to)[i] = PetscMin(from[i], dhat);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedTakeSurface(AbutPotential pot, const AbutCandidates *c)
{
  AbutOriented      *sm = pot->data;
  const AbutOneRing *r  = c->one_ring;

  PetscFunctionBegin;
  PetscCheck(r, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Potential \"%s\" needs AbutContactSetOneRing() before the search", pot->info->name);
  if (!sm->surface || sm->rings != r || sm->version != r->version || sm->surface->num_vertices != c->num_vertices) {
    PetscCall(AbutOrientedSurfaceDestroy(&sm->surface));
    PetscCall(
      AbutOrientedSurfaceCreate(c->dim, c->num_vertices, r->num_edges, r->edges, r->num_faces, r->faces, r->oriented, &sm->surface));
    sm->rings       = r;
    sm->version     = r->version;
    sm->ranges.dhat = -1;
    if (sm->spec.samples > 0) PetscCall(AbutOrientedMeasureRest(sm, c->rest));
  }
  sm->surface->id = c->vertex_id;
  if (sm->ranges.dhat != pot->dhat) {
    sm->ranges.dhat = pot->dhat;
    PetscCall(CopyRanges(c->num_vertices, r->vertex_dhat, pot->dhat, &sm->vertex_range, &sm->ranges.vertex));
    PetscCall(CopyRanges(r->num_edges, r->edge_dhat, pot->dhat, &sm->edge_range, &sm->ranges.edge));
    PetscCall(CopyRanges(r->num_faces, r->face_dhat, pot->dhat, &sm->face_range, &sm->ranges.face));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedKeep(AbutOriented *sm, PetscInt n, const AbutOrientedPair pairs[], PetscInt plane)
{
  PetscFunctionBegin;
  PetscCall(Reserve(&sm->found, sm->num_found + n, sizeof(AbutOrientedContact)));
  for (PetscInt k = 0; k < n; k++)
    ((AbutOrientedContact *)sm->found.data)[sm->num_found++] = (AbutOrientedContact){.pair = pairs[k], .plane = plane};
  PetscFunctionReturn(0);
}

/* Leaves those of n pairs, of a candidate of this kind at this distance, that are not so far apart that samples act in their place. */
static PetscInt KeepNear(const AbutOriented *sm, AbutPairKind kind, PetscReal dist, const PetscReal xt[], PetscInt n,
                         AbutOrientedPair pairs[])
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < n; k++) {
    const AbutOrientedPair *p = &pairs[k];
    pairs[k].split            = AbutOrientedSplitOf(sm, p);
    if (p->split > 0 && !((p->kind == kind ? dist : AbutOrientedCandidateDistance(sm->surface, p->kind, p->a, p->b, xt)) < p->split))
      continue;
    pairs[count++] = *p;
  }
  return count;
}

static PetscErrorCode FindPairs(AbutPotential pot, const AbutCandidates *c, const PairSet *set, const PetscReal xt[], PetscReal *min_dist2)
{
  AbutOriented   *sm    = pot->data;
  const PetscReal dhat2 = pot->dhat * pot->dhat, reach2 = dhat2 * ROUNDING; /* samples judge by themselves what is within range */

  PetscFunctionBegin;
  for (PetscInt p = 0; p < set->count; p++) {
    const PetscInt  *v = PairOf(set, p);
    PetscInt         a, b, n;
    PetscReal        x[12], s;
    AbutOrientedPair pairs[ABUT_ORIENTED_MAX_SPLIT];
    if (!IsNear(set, c->dim, v, xt, PetscMax(reach2, *min_dist2), x, &s)) continue;
    *min_dist2 = PetscMin(*min_dist2, s);
    if (s >= reach2) continue;
    a = set->kind == ABUT_PAIR_FV ? c->fv_face[p] : set->kind == ABUT_PAIR_EE ? c->ee_edge[p][0] : c->ev_edge[p];
    b = set->kind == ABUT_PAIR_EE ? c->ee_edge[p][1] : v[0];
    if (sm->spec.samples > 0) PetscCall(AbutOrientedFindElements(pot, c, set->kind, a, b, xt));
    if (s >= dhat2) continue;
    n = AbutOrientedSplit(sm->surface, sm->spec.member, &sm->ranges, set->kind, a, b, PetscSqrtReal(s), xt, pairs);
    if (sm->spec.samples > 0) n = KeepNear(sm, set->kind, PetscSqrtReal(s), xt, n, pairs);
    PetscCall(AbutOrientedKeep(sm, n, pairs, -1));
  }
  PetscFunctionReturn(0);
}

/* Vertices near edges without faces: their distances are among those of the faces and edges. */
static PetscErrorCode FindFree(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutOriented *sm = pot->data;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < c->num_free_ev; p++) {
    const PetscInt  *ev = c->free_ev[p];
    AbutOrientedPair pairs[ABUT_ORIENTED_MAX_SPLIT];
    const PetscReal  dist = AbutOrientedCandidateDistance(sm->surface, ABUT_PAIR_EV, ev[1], ev[0], xt);
    const PetscInt   n    = AbutOrientedSplit(sm->surface, sm->spec.member, &sm->ranges, ABUT_PAIR_EV, ev[1], ev[0], dist, xt, pairs);
    PetscCall(AbutOrientedKeep(sm, n, pairs, -1));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedFind(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *min_dist2)
{
  AbutOriented *sm = pot->data;
  PairSet       sets[NUM_SETS];

  PetscFunctionBegin;
  PetscCall(AbutOrientedTakeSurface(pot, c));
  if (sm->spec.samples > 0) PetscCall(AbutOrientedPlaceElements(sm, xt));
  sm->num_found = sm->known.search = 0;
  *min_dist2                       = PETSC_INFINITY;
  PairSets(c, sets);
  for (int i = 0; i < NUM_SETS; i++) PetscCall(FindPairs(pot, c, &sets[i], xt, min_dist2));
  PetscCall(FindFree(pot, c, xt));
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const PetscReal h           = PlaneHeight(c, c->pv[i][0], c->pv[i][1], xt),
                    range       = sm->ranges.vertex ? sm->ranges.vertex[c->pv[i][1]] : pot->dhat;
    const AbutOrientedPair pair = {ABUT_PAIR_VV, c->pv[i][1], -1, range};
    *min_dist2                  = PetscMin(*min_dist2, h > 0 ? h * h : 0);
    if (h < range) PetscCall(AbutOrientedKeep(sm, 1, &pair, c->pv[i][0]));
  }
  PetscFunctionReturn(0);
}
