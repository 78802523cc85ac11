/*
  Where Newton starts from: the start of the step moved on at the velocities it has, if nothing is in the way and B is lower there. What moves
  steadily then needs an iteration or two less; the minimum that is found, and how exactly, does not depend on it.
*/
#include "solveimpl.h"

#define SHARE_LEAST 0.5 /* of the way; where contact allows less, barriers at its end would cost more than it gains */

PetscErrorCode AbutPredict(AbutStepper s)
{
  PetscReal        most = 0, step;
  AbutLimiter      limiter;
  AbutLimitingPair blame;
  Energy           at_end;

  PetscFunctionBegin;
  s->energy_known = PETSC_FALSE;
  if (s->boundary.pending) PetscFunctionReturn(0); /* velocities lead away from what presses */
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) {
      s->p[i] = s->boundary.state[v] == ABUT_BOUNDARY_FREE ? s->h * s->state.v[i] : 0;
      most    = PetscMax(most, PetscAbsReal(s->p[i]));
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, s->comm));
  if (!(most > s->tolerance * s->h)) PetscFunctionReturn(0);
  PetscCall(AbutObjectiveEnergy(s, s->t, &s->energy));
  PetscCall(AbutMeshHaloBegin(s->mesh, s->dim, s->p));
  PetscCall(AbutMeshHaloEnd(s->mesh, s->dim, s->p));
  PetscCall(AbutLineSearchBound(s, &step, &limiter, &blame));
  if (step >= SHARE_LEAST) {
    PetscCall(AbutObjectiveEnergy(s, step, &at_end));
    if (EnergyTotal(&at_end) < EnergyTotal(&s->energy))
      s->energy = at_end;
    else
      step = 0;
  } else {
    step = 0;
  }
  PetscCall(AbutObjectiveAccept(s, step));
  s->energy_known = PETSC_TRUE;
  PetscFunctionReturn(0);
}
