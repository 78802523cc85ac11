/* Swept search: boxes, redistribution, pairs; with a shorter step if the pairs are too many. */
#include "contactimpl.h"

/* Everything anew: boxes of this rank, copies of what is near them, pairs. */
static PetscErrorCode FindAnew(AbutContact contact, PetscReal step, PetscReal inflation, PetscErrorCode *finite)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  AbutNearBegin(contact, step, inflation);
  PetscCall(AbutSweepSetRange(contact, sweep, step, contact->near.margin > 0 ? contact->near.reach : inflation, finite));
  PetscCall(AbutSweepRedistribute(contact, sweep));
  PetscCall(AbutSweepImportBoxes(contact, sweep));
  if (contact->near.margin > 0) PetscCall(AbutNearSetBoxes(contact, step, inflation));
  PetscFunctionReturn(0);
}

/*
  One search of a given step. *most is the largest number of pairs on a rank; the search stops early on ranks where it passes the bound, so
  *most > max_pairs says that the candidates are incomplete.
*/
static PetscErrorCode SearchStep(AbutContact contact, PetscReal step, PetscReal inflation, PetscInt *most)
{
  PetscErrorCode finite = 0;
  PetscBool      served;
  struct {
    PetscInt      found, failed;
    AbutNearFlags near;
  } mine, all;

  PetscFunctionBegin;
  PetscCall(AbutNearServes(contact, step, inflation, &served));
  if (served)
    PetscCall(AbutNearMove(contact, step, inflation));
  else
    PetscCall(FindAnew(contact, step, inflation, &finite));
  contact->num_served += served;
  PetscCall(AbutContactCollect(contact, &mine.found));
  mine.failed = finite;
  AbutNearVerdict(contact, &mine.near);
  PetscCallMPI(MPI_Allreduce(&mine, &all, sizeof(all) / sizeof(PetscInt), MPIU_INT, MPI_MAX, contact->comm));
  AbutNearEnd(contact, mine.found, &all.near, (PetscBool)(all.failed || all.found > contact->max_pairs));
  if (all.failed) PetscCall(AbutAgree(contact->comm, finite));
  *most = all.found;
  if (all.near.overflow) PetscCall(SearchStep(contact, step, inflation, most)); /* there is no room to keep pairs: do without */
  PetscFunctionReturn(0);
}

/* Steps shorter than 2^-LAST of the wanted one are taken for 0; before CHECK halvings nothing is known about step 0. */
enum { CHECK = 6, LAST = 50 };

static PetscErrorCode Search(AbutContact contact, PetscReal *step, PetscReal inflation)
{
  PetscReal wanted = *step;
  PetscInt  most;

  PetscFunctionBegin;
  for (int halvings = 0;; halvings++) {
    PetscCall(SearchStep(contact, wanted, inflation, &most));
    if (most <= contact->max_pairs) break;
    if (halvings == CHECK || wanted == 0) {
      if (wanted > 0) PetscCall(SearchStep(contact, 0, inflation, &most));
      AbutCheck(most <= contact->max_pairs, ABUT_ERR_DIVERGED,
                "more than %" PetscInt_FMT
                " pairs of surface entities are within %g m of each other on one rank even at rest, %" PetscInt_FMT
                " are allowed: raise -contact_max_pairs, use more ranks or a smaller contact range",
                most - 1, (double)inflation, contact->max_pairs);
    }
    wanted = halvings < LAST ? wanted / 2 : 0;
    contact->num_halvings++;
  }
  *step = wanted;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSearch(AbutContact contact, const PetscReal x[], const PetscReal p[], PetscReal *step, PetscReal inflation)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_SEARCH));
  contact->num_searches++;
  PetscCall(AbutSweepSetPositions(contact, &contact->search, x, p));
  AbutPlanesBeginSearch(contact, (PetscBool)!p);
  if (!p) {
    PetscReal none = 0;

    ierr = Search(contact, &none, inflation);
  } else
    ierr = Search(contact, step, inflation);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_SEARCH));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}
