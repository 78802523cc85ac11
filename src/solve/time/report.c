/* Report of a step: energies, momenta, forces, imbalance. */
#include "timeimpl.h"

PetscErrorCode AbutStepperGetContactForce(AbutStepper s, PetscReal contact[], PetscReal friction[])
{
  PetscReal *work;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveGetWork(s->objective, &work));
  PetscCall(AbutContactPartForce(&s->terms.barrier, -1 / s->integrator.contact_c2, work, s->ml->num_owned, contact));
  if (friction) PetscCall(PetscArrayzero(friction, s->ml->num_owned * s->ml->dim));
  if (friction && s->lag.active) PetscCall(AbutFrictionAddGradient(s->lag.friction, s->at->t, -1, friction));
  PetscFunctionReturn(0);
}

/* Indices of the sums over this rank's vertices, which one reduction adds up over all ranks. */
enum {
  KINETIC,
  GRAVITY,
  MOMENTUM,
  ANGULAR  = MOMENTUM + 3,
  FORCE    = ANGULAR + 3,
  FRICTION = FORCE + 3,
  ELASTIC  = FRICTION + 3,
  DISSIPATED,
  WEIGHT,
  START,
  ROUND_OFF,
  NUM_SUMS
};

void AbutReportBegin(AbutStepper s)
{
  const PetscInt dim = s->ml->dim;

  s->start[0] = s->at->energy.kind[ABUT_ENERGY_CONTACT] / s->integrator.contact_c2;
  s->start[1] = 0;
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    const PetscReal *speed = &s->state.v[v * dim], *x = &s->state.x[v * dim];

    if (s->ml->bodies[s->ml->vertex_body[v]].obstacle) continue;
    s->start[1] += s->scales.vertex_mass[v] * (AbutDot(dim, speed, speed) / 2 - AbutDot(dim, s->spec.gravity, x));
  }
}

/* Quasi-static steps have neither kinetic energy nor momentum. */
static void AddVertex(AbutStepper s, PetscInt v, const PetscReal force[], const PetscReal friction[], PetscReal sums[])
{
  const PetscInt  dim = s->ml->dim;
  const PetscReal m = s->scales.vertex_mass[v], inert = s->spec.integrator == ABUT_INTEGRATOR_STATIC ? 0 : m;
  PetscReal       x[3] = {0, 0, 0}, mv[3] = {0, 0, 0}, spin[3];

  for (PetscInt i = 0; i < dim; i++) {
    const PetscInt k = v * dim + i;
    x[i]             = s->state.x[k];
    mv[i]            = inert * s->state.v[k];
    sums[KINETIC] += mv[i] * s->state.v[k] / 2;
    sums[GRAVITY] -= m * s->spec.gravity[i] * x[i];
    sums[ROUND_OFF] += PETSC_MACHINE_EPSILON * PetscAbsReal(m * s->spec.gravity[i] * x[i]);
    sums[MOMENTUM + i] += mv[i];
    sums[FORCE + i] += force[k];
    sums[FRICTION + i] += friction[k];
  }
  sums[WEIGHT] += m * AbutNorm(dim, s->spec.gravity);
  AbutCross(x, mv, spin);
  for (int i = 0; i < 3; i++) sums[ANGULAR + i] += spin[i];
}

/* Energies, momenta and forces at the end of the step. Collective. */
static PetscErrorCode ReportSums(AbutStepper s)
{
  AbutStepReport         *r              = &s->report;
  const AbutNewtonResult *result         = AbutNewtonGetResult(s->newton);
  const PetscInt          n              = s->ml->num_owned * s->ml->dim;
  const PetscReal         c2             = s->integrator.c2;
  PetscReal               sums[NUM_SUMS] = {0}, most[2] = {0, 0}, *force, *friction;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &force, n, &friction));
  PetscCall(AbutStepperGetContactForce(s, force, friction));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    if (!s->ml->bodies[s->ml->vertex_body[v]].obstacle) AddVertex(s, v, force, friction, sums);
  sums[START] = s->start[1];
  sums[ROUND_OFF] += AbutElasticGetRoundOff(s->parts.elastic);
  if (AbutElasticHasHistory(s->parts.elastic)) { /* the objective counts the plastic work of a step as elastic */
    sums[ELASTIC]    = AbutElasticEnergy(s->parts.elastic, s->at->x);
    sums[DISSIPATED] = AbutElasticDissipation(s->parts.elastic);
  }
  for (PetscInt i = 0; i < n; i++) {
    most[0] = PetscMax(most[0], PetscAbsReal(s->at->gradient[i]) / c2);
    most[1] = PetscMax(most[1], PetscAbsReal(force[i]));
  }
  PetscCall(AbutReportBodies(s, force, &r->force));
  PetscCall(PetscFree2(force, friction));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, NUM_SUMS, MPIU_REAL, MPIU_SUM, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, s->comm));
  r->energy = (AbutEnergyReport){.kinetic    = sums[KINETIC],
                                 .gravity    = sums[GRAVITY],
                                 .elastic    = s->at->energy.kind[ABUT_ENERGY_ELASTIC] / c2,
                                 .dissipated = sums[DISSIPATED],
                                 .round_off  = sums[ROUND_OFF],
                                 .ties       = s->at->energy.kind[ABUT_ENERGY_TIE] / c2,
                                 .contact    = s->at->energy.kind[ABUT_ENERGY_CONTACT] / s->integrator.contact_c2};
  if (AbutElasticHasHistory(s->parts.elastic)) r->energy.elastic = sums[ELASTIC];
  r->energy.elastic += r->energy.ties;
  r->energy.released = PetscMin(s->start[0] - r->energy.contact, r->energy.kinetic + r->energy.elastic + r->energy.gravity - sums[START]) -
                       s->scales.dhat * sums[WEIGHT];
  for (int i = 0; i < 3; i++) {
    r->momentum[i]         = sums[MOMENTUM + i];
    r->angular_momentum[i] = sums[ANGULAR + i];
    r->force.contact[i]    = sums[FORCE + i];
    r->force.friction[i]   = sums[FRICTION + i];
  }
  r->force.residual       = most[0];
  r->force.imbalance      = result->imbalance;
  r->force.imbalance_body = result->imbalance_body;
  r->force.at_round_off   = result->at_round_off;
  r->force.unbalanced     = result->unbalanced;
  r->force.contact_max    = most[1];
  PetscFunctionReturn(0);
}

static AbutLimiter MostFrequent(const PetscInt limits[])
{
  AbutLimiter most = ABUT_LIMIT_NONE;

  for (int k = ABUT_LIMIT_NONE + 1; k <= ABUT_LIMIT_BOUND; k++)
    if (limits[k] > 0 && (most == ABUT_LIMIT_NONE || limits[k] > limits[most])) most = (AbutLimiter)k;
  return most;
}

PetscErrorCode AbutReportStep(AbutStepper s)
{
  AbutStepReport             *r      = &s->report;
  const AbutPrescribedMotion *motion = AbutConstraintGetMotion(s->constraint);
  AbutNewtonResult           *result = AbutNewtonGetResult(s->newton);

  PetscFunctionBegin;
  *r = (AbutStepReport){.converged     = result->converged,
                        .stopped       = result->stopped,
                        .linear_failed = result->linear_failed,
                        .exhausted     = result->exhausted,
                        .stuck         = result->stuck,
                        .dt            = s->size.h,
                        .halvings      = s->size.halvings,
                        .count         = result->count,
                        .search        = result->search,
                        .kappa         = s->state.kappa};
  PetscCall(PetscStrncpy(r->linear_failure, result->linear_failure, sizeof(r->linear_failure)));
  r->search.limiter = MostFrequent(result->search.limits);
  r->contact        = (AbutContactReport){.count          = s->terms.barrier.contacts,
                                          .count_max      = s->terms.barrier.contacts_max,
                                          .candidates_max = s->terms.barrier.candidates_max,
                                          .min_gap        = s->terms.barrier.min_gap};
  PetscCall(ReportSums(s));
  PetscCall(AbutFrictionLagReport(s));
  r->boundary_progress = motion->progress;
  if (!r->converged) PetscCall(AbutConstraintGetSlowest(s->constraint, s->at->x, &r->boundary_place));
  PetscFunctionReturn(0);
}
