/* Swept search: boxes, redistribution, pairs; with a shorter step if the pairs are too many. */
#include "contactimpl.h"

/*
  One search of a given step. *most is the largest number of pairs on a rank; the search stops early on ranks where it passes the bound, so
  *most > max_pairs says that the candidates are incomplete.
*/
static PetscErrorCode SearchStep(AbutContact contact, PetscReal step, PetscReal inflation, PetscInt *most)
{
  AbutSweep     *sweep = &contact->search;
  PetscErrorCode finite;
  PetscInt       found, mine[2], all[2];

  PetscFunctionBegin;
  PetscCall(AbutSweepSetRange(contact, sweep, step, inflation, &finite));
  PetscCall(AbutSweepRedistribute(contact, sweep));
  PetscCall(AbutSweepImportBoxes(contact, sweep));
  PetscCall(AbutContactCollect(contact, &found));
  mine[0] = found;
  mine[1] = finite;
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_INT, MPI_MAX, contact->comm));
  if (all[1]) PetscCall(AbutAgree(contact->comm, finite));
  *most = all[0];
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
