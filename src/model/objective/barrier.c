/* Contact term: kappa C of the contact potential. The state of the potential is the iterate. */
#include <abut/objective.h>
#include <math.h>

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  AbutContactPart *s     = (AbutContactPart *)ctx;
  PetscReal        value = 0;

  PetscFunctionBegin;
  PetscCall(AbutPotentialEnergy(s->potential, trial->candidates, trial->x, &value));
  *energy += value;
  PetscFunctionReturn(0);
}

static PetscErrorCode Accept(void *ctx, const AbutTrial *trial)
{
  AbutContactPart      *s = (AbutContactPart *)ctx;
  const AbutCandidates *c = trial->candidates;
  AbutPotentialStats    stats;
  PetscReal             most[3]; /* candidates, - smallest distance, - smallest relative distance */

  PetscFunctionBegin;
  PetscCall(AbutPotentialSetState(s->potential, c, trial->x));
  PetscCall(AbutPotentialGetStats(s->potential, &stats));
  s->contacts = stats.contacts;
  most[0]     = c->num_fv + c->num_ee + c->num_ev + c->num_pv;
  most[1]     = -stats.min_dist;
  most[2]     = -stats.min_dist_ratio;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPIU_REAL, MPIU_MAX, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &s->contacts, 1, MPIU_INT, MPI_SUM, s->comm));
  s->min_gap          = -most[1] >= PetscSqrtReal(PETSC_INFINITY) ? HUGE_VAL : -most[1]; /* PETSC_INFINITY is a finite number */
  s->min_relative_gap = -most[2];
  s->contacts_max     = PetscMax(s->contacts_max, s->contacts);
  s->candidates_max   = PetscMax(s->candidates_max, (PetscInt)most[0]);
  PetscFunctionReturn(0);
}

static PetscErrorCode AddGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  AbutContactPart *s = (AbutContactPart *)ctx;

  PetscFunctionBegin;
  (void)at;
  PetscCall(AbutPotentialAddGradient(s->potential, 1, g));
  PetscFunctionReturn(0);
}

static PetscErrorCode GetPattern(void *ctx, PetscBool all, AbutStencilList *needed, AbutStencilList *lookahead)
{
  AbutContactPart *s = (AbutContactPart *)ctx;

  return AbutPotentialGetPattern(s->potential, all, needed, lookahead);
}

static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  AbutContactPart *s = (AbutContactPart *)ctx;

  PetscFunctionBegin;
  (void)at;
  PetscCall(AbutPotentialAddHessian(s->potential, 1, projection, assembler));
  PetscFunctionReturn(0);
}

const AbutTermOps AbutContactTerm = {
  .name        = "contact",
  .kind        = ABUT_ENERGY_CONTACT,
  .phase       = ABUT_PHASE_CONTACT_ASSEMBLY,
  .energy      = Energy,
  .accept      = Accept,
  .addgradient = AddGradient,
  .getpattern  = GetPattern,
  .addhessian  = AddHessian,
};

PetscErrorCode AbutContactPartForce(const AbutContactPart *s, PetscReal scale, PetscReal work[], PetscInt num_owned, PetscReal force[])
{
  const AbutCandidates *candidates = AbutContactGetCandidates(s->contact);

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(work, candidates->num_vertices * s->dim));
  PetscCall(AbutPotentialAddGradient(s->potential, scale, work));
  PetscCall(AbutContactReduceAdd(s->contact, s->dim, work));
  PetscCall(PetscArraycpy(force, work, num_owned * s->dim));
  PetscFunctionReturn(0);
}
