/*
  Which local Hessians are projected [Fernandez-Fernandez et al. 2025, Progressively Projected Newton's Method]: those of cells, contacts and
  friction contacts with a vertex where the gradient of B is large. Where the iterate is near its minimum Hessians are mostly definite
  together, and stay as they are. The level of the gradient falls when the matrix turns out indefinite, until all are projected, and
  rises after every success. Where all were needed they are for some iterations, after which none is again: a level found anew costs some
  factorisations. It depends on values that are equal on all ranks.
*/
#include "solveimpl.h"

#define GROW     0.1  /* of the level, when the set is too small */
#define RELAX    2    /* of the level, when it was large enough */
#define SMALLEST 1e-5 /* of the largest gradient: below, all vertices are in the set */
#define HOLD     8    /* iterations that they stay there */

void AbutProgressiveClear(AbutStepper s)
{
  s->direction.set.level = PETSC_INFINITY;
}

void AbutProgressiveRelax(AbutStepper s)
{
  Progressive *set = &s->direction.set;

  if (set->level == 0 && --set->hold == 0)
    set->level = PETSC_INFINITY;
  else if (set->level < PETSC_INFINITY)
    set->level *= RELAX;
}

static PetscReal Size(AbutStepper s, PetscInt v)
{
  PetscReal most = 0;

  for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) most = PetscMax(most, PetscAbsReal(s->gradient[i]));
  return most;
}

PetscErrorCode AbutProgressiveGrow(AbutStepper s)
{
  Progressive *set  = &s->direction.set;
  PetscReal    most = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->ml->num_owned; v++) most = PetscMax(most, Size(s, v));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, s->comm));
  set->level = GROW * PetscMin(set->level, most);
  if (set->level <= SMALLEST * most) {
    set->level = 0;
    set->hold  = HOLD;
  }
  PetscFunctionReturn(0);
}

/* Owners tell the contact vertices of other ranks. */
static PetscErrorCode Tell(AbutStepper s, PetscInt num_vertices, const PetscInt global[])
{
  const PetscInt owned  = s->ml->num_owned;
  PetscBool     *chosen = s->direction.set.chosen;
  PetscMPIInt    size;
  PetscLayout    layout;
  PetscSF        forest;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  if (size == 1) PetscFunctionReturn(0);
  PetscCall(PetscLayoutCreateFromSizes(s->comm, owned, s->ml->num_global, 1, &layout));
  PetscCall(PetscSFCreate(s->comm, &forest));
  PetscCall(PetscSFSetGraphLayout(forest, layout, num_vertices - owned, NULL, PETSC_USE_POINTER, global + owned));
  PetscCall(PetscSFBcastBegin(forest, MPIU_BOOL, chosen, chosen + owned, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(forest, MPIU_BOOL, chosen, chosen + owned, MPI_REPLACE));
  PetscCall(PetscSFDestroy(&forest));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(0);
}

/* The set at the level of the moment. */
static PetscErrorCode Choose(AbutStepper s)
{
  Progressive          *set      = &s->direction.set;
  PetscInt              count[2] = {0, 0};
  const AbutCandidates *candidates;

  PetscFunctionBegin;
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  if (candidates->num_vertices > set->room) {
    PetscCall(PetscFree(set->chosen));
    set->room = candidates->num_vertices + candidates->num_vertices / 4;
    PetscCall(PetscMalloc1(set->room, &set->chosen));
  }
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    set->chosen[v] = (PetscBool)(Size(s, v) >= set->level);
    if (s->ml->bodies[s->ml->vertex_body[v]].obstacle) continue;
    count[0] += set->chosen[v];
    count[1]++;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT, MPI_SUM, s->comm));
  set->share = count[1] ? (PetscReal)count[0] / (PetscReal)count[1] : 0;
  PetscCall(Tell(s, candidates->num_vertices, candidates->vertex_global));
  PetscFunctionReturn(0);
}

static PetscErrorCode Hand(AbutStepper s, const PetscBool chosen[])
{
  PetscFunctionBegin;
  PetscCall(AbutElasticChoose(s->elastic, chosen));
  PetscCall(AbutPotentialChoose(s->potential, chosen));
  if (s->frictional) PetscCall(AbutFrictionChoose(s->friction, chosen));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutProgressiveHessian(AbutStepper s, PetscBool *partial)
{
  Progressive *set = &s->direction.set;

  PetscFunctionBegin;
  *partial = (PetscBool)(set->level > 0);
  if (!*partial || set->level >= PETSC_INFINITY) {
    set->share                = *partial ? 0 : 1;
    const AbutProjection same = *partial ? ABUT_PSD_NONE : ABUT_PSD_CLAMP;
    PetscCall(AbutObjectiveHessian(s, same, same));
    PetscFunctionReturn(0);
  }
  PetscCall(Choose(s));
  PetscCall(Hand(s, set->chosen));
  PetscCall(AbutObjectiveHessian(s, ABUT_PSD_CLAMP, ABUT_PSD_CLAMP));
  PetscCall(Hand(s, NULL)); /* everybody else gets all of them projected */
  PetscFunctionReturn(0);
}

PetscErrorCode AbutProgressiveDestroy(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->direction.set.chosen));
  PetscFunctionReturn(0);
}
