/* The incremental potential B of one time step: energy along a direction, gradient, Hessian. */
#include "solveimpl.h"
#include <math.h>

PetscErrorCode AbutObjectiveReserve(AbutStepper s)
{
  const AbutCandidates *candidates;
  PetscInt              need;

  PetscFunctionBegin;
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  need = candidates->num_vertices * s->dim;
  if (need > s->contact_room) {
    PetscCall(PetscFree2(s->xt, s->gc));
    s->contact_room = need + need / 4;
    PetscCall(PetscMalloc2(s->contact_room, &s->xt, s->contact_room, &s->gc));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveSearch(AbutStepper s, const PetscReal p[], PetscReal *step)
{
  PetscFunctionBegin;
  PetscCall(AbutContactSearch(s->contact, s->x, p, step, s->reach));
  if (s->frictional) {
    PetscCall(AbutFrictionSetPlaneMotions(s->friction, s->boundary.plane_done, s->boundary.pressing ? s->boundary.plane_ahead : NULL));
    PetscCall(AbutFrictionSetLine(s->friction, s->x, p));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveRestore(AbutStepper s)
{
  PetscReal step = 0;

  PetscFunctionBegin;
  PetscCall(AbutBoundaryResetPlanes(s));
  PetscCall(AbutContactSearch(s->contact, s->x, NULL, &step, s->reach));
  if (s->state.c2 > 0) PetscCall(AbutPotentialSetStiffness(s->potential, s->state.kappa));
  PetscCall(AbutObjectiveAccept(s, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveContactForce(AbutStepper s, PetscReal c2, PetscReal force[])
{
  const AbutCandidates *candidates;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveReserve(s));
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(PetscArrayzero(s->gc, candidates->num_vertices * s->dim));
  PetscCall(AbutPotentialAddGradient(s->potential, -1 / c2, s->gc));
  PetscCall(AbutContactReduceAdd(s->contact, s->dim, s->gc));
  PetscCall(PetscArraycpy(force, s->gc, s->n));
  PetscFunctionReturn(0);
}

/* Inertia applies to the vertices of bodies that are not prescribed. */
static PetscBool HasInertia(AbutStepper s, PetscInt v)
{
  return (PetscBool)(s->boundary.state[v] == ABUT_BOUNDARY_FREE);
}

static PetscReal InertiaEnergy(AbutStepper s, const PetscReal x[])
{
  PetscReal energy = 0;

  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    PetscReal sum = 0;
    if (!HasInertia(s, v)) continue;
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) {
      sum += PetscSqr(x[i] - s->x_tilde[i]);
      energy -= s->thrust[i] * (x[i] - s->x_start[i]);
    }
    energy += s->inertia[v] / 2 * sum;
  }
  return energy;
}

PetscErrorCode AbutObjectiveEnergy(AbutStepper s, PetscReal t, Energy *energy)
{
  const AbutCandidates *candidates;
  PetscReal             part[6] = {0};

  PetscFunctionBegin;
  PetscCall(AbutObjectiveReserve(s));
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(AbutContactPositions(s->contact, t, s->xt));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_ELASTIC));
  part[0] = InertiaEnergy(s, s->xt);
  PetscCall(AbutElasticEnergy(s->elastic, s->xt, &part[1]));
  if (s->viscous) PetscCall(AbutElasticDampingEnergy(s->elastic, s->xt, &part[5]));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_ELASTIC));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINE_SEARCH));
  PetscCall(AbutPotentialEnergy(s->potential, candidates, s->xt, &part[2]));
  if (s->frictional) PetscCall(AbutFrictionEnergy(s->friction, t, &part[4]));
  part[1] *= s->c2;
  part[4] *= s->contact_c2;
  part[5] *= s->c2 * s->rate;
  part[3] = AbutBoundaryEnergy(s, s->xt);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, part, 6, MPIU_REAL, MPIU_SUM, s->comm));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINE_SEARCH));
  part[3] += AbutPressEnergy(s, t);
  *energy = (Energy){part[0], part[1], part[2], part[3], part[4], part[5]};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveAccept(AbutStepper s, PetscReal t)
{
  const AbutCandidates *candidates;
  AbutPotentialStats    stats;
  PetscReal             most[3]; /* candidates, and the smallest distance and share of a range, as -d */

  PetscFunctionBegin;
  PetscCall(AbutObjectiveReserve(s));
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(AbutContactPositions(s->contact, t, s->xt));
  PetscCall(PetscArraycpy(s->x, s->xt, s->ml->num_local * s->dim));
  s->t = t;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscCall(AbutPotentialSetState(s->potential, candidates, s->xt));
  PetscCall(AbutPotentialGetStats(s->potential, &stats));
  s->contacts = stats.contacts;
  most[0]     = candidates->num_fv + candidates->num_ee + candidates->num_ev + candidates->num_pv;
  most[1]     = -stats.min_dist;
  most[2]     = -stats.min_dist_ratio;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPIU_REAL, MPIU_MAX, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &s->contacts, 1, MPIU_INT, MPI_SUM, s->comm));
  s->min_dist  = -most[1];
  s->min_share = -most[2];
  if (s->min_dist >= PetscSqrtReal(PETSC_INFINITY)) s->min_dist = HUGE_VAL; /* no candidates: PETSc's infinity is a number */
  s->report.contact.count_max      = PetscMax(s->report.contact.count_max, s->contacts);
  s->report.contact.candidates_max = PetscMax(s->report.contact.candidates_max, (PetscInt)most[0]);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveCollect(AbutStepper s, PetscBool with_contact)
{
  const AbutCandidates *candidates;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveReserve(s));
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(PetscArrayzero(s->gc, candidates->num_vertices * s->dim));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_ELASTIC));
  PetscCall(AbutElasticAddGradient(s->elastic, s->x, s->c2, s->gc));
  if (s->viscous) PetscCall(AbutElasticAddDampingGradient(s->elastic, s->x, s->c2 * s->rate, s->gc));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_ELASTIC));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_ASSEMBLY));
  if (with_contact) PetscCall(AbutPotentialAddGradient(s->potential, 1, s->gc));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscCall(AbutContactReduceAdd(s->contact, s->dim, s->gc));
  if (s->frictional) PetscCall(AbutFrictionAddGradient(s->friction, s->t, s->contact_c2, s->gc));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    if (HasInertia(s, v))
      for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) s->gc[i] += s->inertia[v] * (s->x[i] - s->x_tilde[i]) - s->thrust[i];
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveGradient(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveCollect(s, PETSC_TRUE));
  AbutBoundaryAddGradient(s, s->x, s->gc);
  for (PetscInt i = 0; i < s->n; i++) s->gradient[i] = s->boundary.constrained[i] ? 0 : s->gc[i];
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveUpdatePattern(AbutStepper s)
{
  AbutStencilList needed[2] = {{0}}, near; /* of the contacts, of friction */
  PetscBool       rebuilt;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscCall(AbutPotentialGetPattern(s->potential, s->pattern_margin, &needed[0], &near));
  if (s->frictional) PetscCall(AbutFrictionGetPattern(s->friction, &needed[1]));
  PetscCall(AbutAssemblerUpdatePattern(s->assembler, s->frictional ? 2 : 1, needed, &near, &rebuilt));
  if (rebuilt) {
    Mat A;
    PetscCall(AbutAssemblerGetMat(s->assembler, &A));
    PetscCall(AbutLinearSetPattern(s->solver, A));
    PetscCall(SNESSetJacobian(s->snes, A, A, NULL, NULL));
  }
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveBegin(AbutStepper s)
{
  PetscFunctionBegin;
  if (!s->energy_known) PetscCall(AbutObjectiveEnergy(s, s->t, &s->energy));
  s->energy_known = PETSC_FALSE;
  PetscCall(AbutObjectiveGradient(s));
  PetscCall(AbutObjectiveUpdatePattern(s));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveHessian(AbutStepper s, AbutProjection projection)
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_ELASTIC));
  PetscCall(AbutAssemblerBegin(s->assembler));
  PetscCall(AbutElasticAddHessian(s->elastic, s->x, s->c2, projection, s->assembler));
  if (s->viscous) PetscCall(AbutElasticAddDampingHessian(s->elastic, s->c2 * s->rate, s->assembler));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_ELASTIC));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscCall(AbutPotentialAddHessian(s->potential, 1, projection, s->assembler));
  if (s->frictional) PetscCall(AbutFrictionAddHessian(s->friction, s->t, s->contact_c2, projection, s->assembler));
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    const PetscReal m = (HasInertia(s, v) ? s->inertia[v] : 0) + AbutBoundaryPull(s, v), diagonal[3] = {m, m, m};
    PetscCall(AbutAssemblerAddDiagonal(s->assembler, v, diagonal));
  }
  PetscCall(AbutAssemblerEnd(s->assembler, s->boundary.constrained));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscFunctionReturn(0);
}
