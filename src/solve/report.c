/* What a step tells its user: energies, momenta, contact forces, imbalance. */
#include "solveimpl.h"

PetscErrorCode AbutStepperGetContactForce(AbutStepper s, PetscReal contact[], PetscReal friction[])
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveContactForce(s, s->contact_c2, contact));
  if (friction) PetscCall(PetscArrayzero(friction, s->n));
  if (friction && s->frictional) PetscCall(AbutFrictionAddGradient(s->friction, s->t, -1, friction));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperGetPairForces(AbutStepper s, PetscInt *count, AbutPairForce **pairs)
{
  const AbutCandidates   *candidates;
  const AbutContactPoint *points;
  PetscInt                num_points;

  PetscFunctionBegin;
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(AbutPotentialGetContactPoints(s->potential, &num_points, &points));
  PetscCall(AbutFrictionPairForces(s->friction, candidates, num_points, points, 1 / s->contact_c2, s->t, count, pairs));
  PetscFunctionReturn(0);
}

/* Sums over this rank's share, in one array so that one reduction does. */
enum { KINETIC, GRAVITY, MOMENTUM, ANGULAR = MOMENTUM + 3, FORCE = ANGULAR + 3, FRICTION = FORCE + 3, NUM_SUMS = FRICTION + 3 };

/* Without inertia there is neither kinetic energy nor momentum. */
static void AddVertex(AbutStepper s, PetscInt v, const PetscReal force[], const PetscReal friction[], PetscReal sums[])
{
  const PetscReal m = s->mass[v], inert = s->spec.integrator == ABUT_INTEGRATOR_STATIC ? 0 : m;
  PetscReal       x[3] = {0, 0, 0}, mv[3] = {0, 0, 0}, spin[3];

  for (PetscInt i = 0; i < s->dim; i++) {
    const PetscInt k = v * s->dim + i;
    x[i]             = s->state.x[k];
    mv[i]            = inert * s->state.v[k];
    sums[KINETIC] += mv[i] * s->state.v[k] / 2;
    sums[GRAVITY] -= m * s->spec.gravity[i] * x[i];
    sums[MOMENTUM + i] += mv[i];
    sums[FORCE + i] += force[k];
    sums[FRICTION + i] += friction[k];
  }
  AbutCross(x, mv, spin);
  for (int i = 0; i < 3; i++) sums[ANGULAR + i] += spin[i];
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
  AbutStepReport *r              = &s->report;
  const PetscReal c2             = s->c2;
  PetscReal       sums[NUM_SUMS] = {0}, most[2] = {0, 0}, *force, *friction;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->n, &force, s->n, &friction));
  PetscCall(AbutStepperGetContactForce(s, force, friction));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    if (!s->ml->bodies[s->ml->vertex_body[v]].obstacle) AddVertex(s, v, force, friction, sums);
  for (PetscInt i = 0; i < s->n; i++) {
    most[0] = PetscMax(most[0], PetscAbsReal(s->gradient[i]) / c2);
    most[1] = PetscMax(most[1], PetscAbsReal(force[i]));
  }
  PetscCall(PetscFree2(force, friction));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, NUM_SUMS, MPIU_REAL, MPIU_SUM, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, s->comm));
  r->force.residual    = most[0];
  r->force.contact_max = most[1];
  r->energy.kinetic    = sums[KINETIC];
  r->energy.gravity    = sums[GRAVITY];
  r->energy.elastic    = s->energy.elastic / c2;
  r->energy.contact    = s->energy.contact / s->contact_c2;
  for (int i = 0; i < 3; i++) {
    r->momentum[i]         = sums[MOMENTUM + i];
    r->angular_momentum[i] = sums[ANGULAR + i];
    r->force.contact[i]    = sums[FORCE + i];
    r->force.friction[i]   = sums[FRICTION + i];
  }
  r->contact.count   = s->contacts;
  r->contact.min_gap = s->min_dist;
  r->kappa           = s->state.kappa;
  r->dt              = s->h;
  PetscCall(PetscArraycpy(r->search.limits, s->limits, ABUT_NUM_LIMITS));
  PetscCall(AbutStepFrictionReport(s));
  PetscCall(AbutBoundaryReport(s));
  r->search.limiter = MostFrequent(s->limits);
  PetscFunctionReturn(0);
}
