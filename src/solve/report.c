/* What a step tells its user: energies, momenta, contact forces, imbalance. */
#include "solveimpl.h"

PetscErrorCode AbutContactForce(AbutStepper s, PetscReal force[])
{
  const AbutCandidates *candidates;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveReserve(s));
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(PetscArrayzero(s->gc, candidates->num_vertices * s->dim));
  PetscCall(AbutPotentialAddGradient(s->potential, -1 / s->c2, s->gc));
  PetscCall(AbutContactReduceAdd(s->contact, s->dim, s->gc));
  PetscCall(PetscArraycpy(force, s->gc, s->n));
  PetscFunctionReturn(0);
}

/* Sums over this rank's share, in one array so that one reduction does. */
enum { KINETIC, GRAVITY, MOMENTUM, ANGULAR = MOMENTUM + 3, FORCE = ANGULAR + 3, NUM_SUMS = FORCE + 3 };

static void AddVertex(AbutStepper s, PetscInt v, const PetscReal force[], PetscReal sums[])
{
  const PetscReal m    = s->mass[v];
  PetscReal       x[3] = {0, 0, 0}, mv[3] = {0, 0, 0}, spin[3];

  for (PetscInt i = 0; i < s->dim; i++) {
    const PetscInt k = v * s->dim + i;
    x[i]             = s->state.x[k];
    mv[i]            = m * s->state.v[k];
    sums[KINETIC] += mv[i] * s->state.v[k] / 2;
    sums[GRAVITY] -= m * s->spec.gravity[i] * x[i];
    sums[MOMENTUM + i] += mv[i];
    sums[FORCE + i] += force[k];
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
  PetscReal       sums[NUM_SUMS] = {0}, *force;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->n, &force));
  PetscCall(AbutContactForce(s, force));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    if (!s->ml->bodies[s->ml->vertex_body[v]].obstacle) AddVertex(s, v, force, sums);
  PetscCall(PetscFree(force));
  r->residual = 0;
  for (PetscInt i = 0; i < s->n; i++) r->residual = PetscMax(r->residual, PetscAbsReal(s->gradient[i]) / c2);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, NUM_SUMS, MPIU_REAL, MPIU_SUM, s->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &r->residual, 1, MPIU_REAL, MPIU_MAX, s->comm));
  r->energy_kinetic = sums[KINETIC];
  r->energy_gravity = sums[GRAVITY];
  r->energy_elastic = s->energy.elastic / c2;
  r->energy_contact = s->energy.contact / c2;
  for (int i = 0; i < 3; i++) {
    r->momentum[i]         = sums[MOMENTUM + i];
    r->angular_momentum[i] = sums[ANGULAR + i];
    r->contact_force[i]    = sums[FORCE + i];
  }
  r->contacts          = s->contacts;
  r->min_gap           = s->min_dist;
  r->kappa             = s->state.kappa;
  PetscCall(AbutBoundaryReport(s));
  r->limiter           = MostFrequent(s->limits);
  PetscFunctionReturn(0);
}
