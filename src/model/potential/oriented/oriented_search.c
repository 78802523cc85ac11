/* Search for the pairs of primitives within their activation distance, among the candidates. */
#include "oriented.h"

typedef struct {
  AbutPotential         pot;
  const AbutCandidates *c;
  const PetscReal      *xt;
} Search;

/* Appends a pair to `found`; plane: its half space, or -1. */
static PetscErrorCode AddPair(AbutOriented *sm, const AbutOrientedPair *pair, PetscInt plane)
{
  PetscFunctionBegin;
  PetscCall(AbutReserve(sm->num_found + 1, &sm->found_capacity, &sm->found));
  sm->found[sm->num_found++] = (AbutOrientedContact){.pair = *pair, .plane = plane};
  PetscFunctionReturn(0);
}

/* Appends the pairs of a candidate. */
static PetscErrorCode AddPairs(const Search *search, const AbutOrientedCandidate *candidate)
{
  AbutOriented    *sm = search->pot->data;
  AbutOrientedPair pairs[ABUT_ORIENTED_MAX_PAIRS];
  const PetscInt   n = AbutOrientedCandidatePairs(sm->surface, sm->spec.member, &sm->adaptive, candidate, search->xt, pairs);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) PetscCall(AddPair(sm, &pairs[k], -1));
  PetscFunctionReturn(0);
}

static PetscErrorCode FindPairs(AbutPairKind kind, PetscInt p, const PetscInt v[], const PetscReal x[], PetscReal s, void *ctx)
{
  const Search         *search    = ctx;
  const AbutCandidates *c         = search->c;
  AbutOrientedCandidate candidate = {kind, -1, v[0], PetscSqrtReal(s)};

  PetscFunctionBegin;
  (void)x;
  candidate.a = kind == ABUT_PAIR_FV ? c->fv_face[p] : kind == ABUT_PAIR_EE ? c->ee_edge[p][0] : c->ev_edge[p];
  if (kind == ABUT_PAIR_EE) candidate.b = c->ee_edge[p][1];
  PetscCall(AddPairs(search, &candidate));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedFindPairs(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *min_dist2)
{
  AbutOriented *sm     = pot->data;
  Search        search = {pot, c, xt};

  PetscFunctionBegin;
  PetscCall(AbutOrientedUpdateSurface(pot, c));
  sm->num_found = sm->cache.search = 0;
  *min_dist2                       = PETSC_INFINITY;
  PetscCall(AbutCandidatesVisit(c, xt, pot->dhat * pot->dhat, min_dist2, FindPairs, &search));
  for (PetscInt p = 0; p < c->num_free_ev; p++) { /* min_dist2 already includes these distances through face and edge candidates */
    const PetscInt *ev = c->free_ev[p];
    PetscCall(AddPairs(&search, &(AbutOrientedCandidate){ABUT_PAIR_EV, ev[1], ev[0],
                                                         AbutOrientedCandidateDistance(sm->surface, ABUT_PAIR_EV, ev[1], ev[0], xt)}));
  }
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const PetscInt         v    = c->pv[i][1];
    const PetscReal        dhat = sm->adaptive.of[ABUT_ORIENTED_VERTEX] ? sm->adaptive.of[ABUT_ORIENTED_VERTEX][v] : pot->dhat;
    const AbutOrientedPair pair = {ABUT_PAIR_VV, v, -1, dhat};
    *min_dist2                  = PetscMin(*min_dist2, PlaneDist2(c, i, xt));
    if (PlaneHeight(c, c->pv[i][0], v, xt) < dhat) PetscCall(AddPair(sm, &pair, c->pv[i][0]));
  }
  PetscFunctionReturn(0);
}
