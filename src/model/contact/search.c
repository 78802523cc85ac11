/* Swept search: boxes, migration of surface patches, pairs; with a shorter step if there are too many pairs. */
#include "contactimpl.h"

#define CHECK_HALVINGS 6  /* halvings of the step after which a search of step 0 shows whether the pairs fit at all */
#define MAX_HALVINGS   50 /* halvings of the step after which it becomes 0 */

/*
  One search with a given step. *most: largest number of pairs on a rank. A rank stops when it has more than max_pairs pairs, so the
  candidates are incomplete if *most > max_pairs.
*/
static PetscErrorCode SearchStep(AbutContact contact, PetscReal step, PetscReal inflation, PetscInt *most)
{
  AbutSweep           *sweep   = &contact->search;
  const PetscErrorCode verdict = AbutSweepCheckRange(contact, sweep, step, inflation);
  PetscInt             mine[2] = {verdict != 0, 0}, all[2]; /* failed, pairs found */

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mine, 1, MPIU_INT, MPI_MAX, contact->comm));
  if (mine[0]) PetscCall(AbutAgree(contact->comm, verdict));
  PetscCall(AbutSweepHoldLocal(contact));
  PetscCall(AbutSweepRedistribute(contact, sweep, step, inflation));
  PetscCall(AbutSweepHoldCopies(contact));
  PetscCall(AbutContactCollect(contact, &mine[1]));
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_INT, MPI_MAX, contact->comm));
  *most = all[1];
  PetscFunctionReturn(0);
}

static PetscErrorCode Search(AbutContact contact, PetscReal *step, PetscReal inflation)
{
  const PetscInt max_pairs = contact->params.max_pairs;
  PetscReal      wanted    = *step;
  PetscInt       most;

  PetscFunctionBegin;
  for (PetscInt halvings = 0;; halvings++) {
    PetscCall(SearchStep(contact, wanted, inflation, &most));
    if (most <= max_pairs) break;
    if (halvings == CHECK_HALVINGS || wanted == 0) {
      if (wanted > 0) PetscCall(SearchStep(contact, 0, inflation, &most));
      AbutCheck(most <= max_pairs, ABUT_ERR_DIVERGED,
                "more than %" PetscInt_FMT
                " pairs of surface entities are within %g m of each other on one rank even at rest, %" PetscInt_FMT
                " are allowed: raise -contact_max_pairs, use more ranks or a smaller contact range",
                most - 1, (double)inflation, max_pairs);
    }
    wanted = halvings < MAX_HALVINGS ? wanted / 2 : 0;
    contact->counts.halvings++;
  }
  *step = wanted;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSearch(AbutContact contact, const PetscReal x[], const PetscReal p[], PetscReal *step, PetscReal inflation)
{
  PetscReal      none = 0;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_SEARCH));
  contact->counts.searches++;
  PetscCall(AbutBalanceReset(contact));
  PetscCall(AbutSweepSetPositions(contact, &contact->search, x, p));
  if (contact->ring.on) PetscCall(AbutRingSetPositions(contact));
  AbutPlanesBeginSearch(&contact->planes, (PetscBool)!p);
  ierr = Search(contact, p ? step : &none, inflation);
  if (!ierr) ierr = AbutBalanceCandidates(contact);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_SEARCH));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSetOneRing(AbutContact contact, PetscBool one_ring)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  if (contact->ring.on == one_ring) PetscFunctionReturn(0);
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_SEARCH));
  PetscCall(AbutBalanceReset(contact));
  sweep->neighbours.exchange.num_send = sweep->neighbours.exchange.num_recv = 0;
  contact->candidates                                                       = (AbutCandidates){.dim = contact->m->dim};
  contact->ring.on = sweep->one_ring = one_ring;
  sweep->num_fixed                   = contact->m->num_local;
  if (one_ring) PetscCall(AbutRingCreate(contact));
  sweep->num_vertices = sweep->num_fixed;
  AbutSweepSetKinds(contact);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_SEARCH));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSetDhat(AbutContact contact, const PetscReal vertex[], const PetscReal edge[], const PetscReal face[])
{
  PetscFunctionBegin;
  PetscCheck(contact->ring.on && contact->candidates.one_ring, contact->comm, PETSC_ERR_ORDER,
             "AbutContactSetDhat() before a search with AbutContactSetOneRing()");
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_SEARCH));
  PetscCall(AbutSurfaceReduceDhat(contact->ring.surface, contact->search.global, vertex, edge, face));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_SEARCH));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactForget(AbutContact contact)
{
  PetscFunctionBegin;
  for (int kind = 0; kind < NUM_KINDS; kind++) contact->local[kind].tree.cost_built = 0;
  PetscFunctionReturn(0);
}
