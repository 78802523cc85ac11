/* Search for the pairs of primitives within their activation distance, among the candidates. */
#include "oriented.h"

#define ROUNDING (1 + 1e-10) /* of squared distances: element pairs are found at candidates within dhat up to rounding */

/*
  Removes the pairs of a candidate that are at or beyond their split distance, where quadrature replaces them. Returns how many are left.
*/
static PetscInt RemoveSampled(const AbutOriented *sm, const AbutOrientedCandidate *candidate, const PetscReal xt[], PetscInt n,
                              AbutOrientedPair pairs[])
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < n; k++) {
    const AbutOrientedPair *p = &pairs[k];
    pairs[k].split            = AbutOrientedSplitDistance(sm, p);
    if (p->split > 0 &&
        !((p->kind == candidate->kind ? candidate->dist : AbutOrientedCandidateDistance(sm->surface, p->kind, p->a, p->b, xt)) < p->split))
      continue;
    pairs[count++] = *p;
  }
  return count;
}

static PetscErrorCode FindPairs(AbutPotential pot, const AbutCandidates *c, const PairSet *set, const PetscReal xt[], PetscReal *min_dist2)
{
  AbutOriented   *sm    = pot->data;
  const PetscReal dhat2 = pot->dhat * pot->dhat, reach2 = dhat2 * ROUNDING;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < set->count; p++) {
    const PetscInt       *v         = PairOf(set, p);
    AbutOrientedCandidate candidate = {.kind = set->kind};
    AbutOrientedPair      pairs[ABUT_ORIENTED_MAX_PAIRS];
    PetscInt              n;
    PetscReal             x[12], s;
    if (!IsWithin(set, c->dim, v, xt, PetscMax(reach2, *min_dist2), x, &s)) continue;
    *min_dist2 = PetscMin(*min_dist2, s);
    if (s >= reach2) continue;
    candidate.a    = set->kind == ABUT_PAIR_FV ? c->fv_face[p] : set->kind == ABUT_PAIR_EE ? c->ee_edge[p][0] : c->ev_edge[p];
    candidate.b    = set->kind == ABUT_PAIR_EE ? c->ee_edge[p][1] : v[0];
    candidate.dist = PetscSqrtReal(s);
    if (sm->spec.samples > 0) PetscCall(AbutOrientedAddElementPairs(pot, c, &candidate, xt));
    if (s >= dhat2) continue;
    n = AbutOrientedCandidatePairs(sm->surface, sm->spec.member, &sm->adaptive, &candidate, xt, pairs);
    if (sm->spec.samples > 0) n = RemoveSampled(sm, &candidate, xt, n, pairs);
    PetscCall(AbutOrientedAddPairs(sm, n, pairs, -1));
  }
  PetscFunctionReturn(0);
}

/* Pairs of vertices and edges without faces. Face and edge candidates already include their distances in min_dist2. */
static PetscErrorCode FindFree(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutOriented *sm = pot->data;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < c->num_free_ev; p++) {
    const PetscInt             *ev = c->free_ev[p];
    AbutOrientedPair            pairs[ABUT_ORIENTED_MAX_PAIRS];
    const AbutOrientedCandidate candidate = {ABUT_PAIR_EV, ev[1], ev[0],
                                             AbutOrientedCandidateDistance(sm->surface, ABUT_PAIR_EV, ev[1], ev[0], xt)};
    const PetscInt              n         = AbutOrientedCandidatePairs(sm->surface, sm->spec.member, &sm->adaptive, &candidate, xt, pairs);
    PetscCall(AbutOrientedAddPairs(sm, n, pairs, -1));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedFindPairs(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *min_dist2)
{
  AbutOriented *sm = pot->data;
  PairSet       sets[NUM_SETS];

  PetscFunctionBegin;
  PetscCall(AbutOrientedUpdateSurface(pot, c));
  if (sm->spec.samples > 0) PetscCall(AbutOrientedUpdateElements(sm, xt));
  sm->num_found = sm->cache.search = 0;
  *min_dist2                       = PETSC_INFINITY;
  PairSets(c, sets);
  for (int i = 0; i < NUM_SETS; i++) PetscCall(FindPairs(pot, c, &sets[i], xt, min_dist2));
  PetscCall(FindFree(pot, c, xt));
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const PetscReal        h    = PlaneHeight(c, c->pv[i][0], c->pv[i][1], xt);
    const PetscReal        dhat = sm->adaptive.vertex ? sm->adaptive.vertex[c->pv[i][1]] : pot->dhat;
    const AbutOrientedPair pair = {ABUT_PAIR_VV, c->pv[i][1], -1, dhat};
    *min_dist2                  = PetscMin(*min_dist2, h > 0 ? h * h : 0);
    if (h < dhat) PetscCall(AbutOrientedAddPairs(sm, 1, &pair, c->pv[i][0]));
  }
  PetscFunctionReturn(0);
}
