/*
  The line search of every Newton iteration: one swept search bounds the step so that nothing touches or inverts on the way, then the step
  is halved until B decreases, all on the same candidates (IPC, Alg. 1). Installed in SNES as a shell line search.
*/
#include "solveimpl.h"

#define CCD_SLACK        0.8
#define INVERSION_SAFETY 0.8
#define MAX_HALVINGS     60
#define ROUND_OFF        1e-14 /* of the sum of magnitudes of the terms of B: smaller differences say nothing */

/* When the round-off of B is measured, and where slopes take over */
#define NOISE_AFTER    2 /* halvings before it is */
#define NOISE_SAMPLES  3
#define NOISE_STEP     1e-9  /* of the step, at least, and */
#define NOISE_LENGTH   1e-14 /* of l, so that all positions change */
#define NOISE_FACTOR   10 /* times the noise measured; a decrease expected to be larger must show in B, an increase up to it says nothing */
#define SLOPE_HALVINGS 10
#define SLOPE_SHARE    0.8

/* When a solve is stuck */
#define IDLE_STEP   1e-8
#define IDLE_SHARE  1e-4
#define IDLE_MOST   20
#define ROUND_GAIN  1e-2 /* of what is left of the prescribed motion */
#define ROUNDS_MOST 200

/* Direction p = -Y with ghosts, and its size. Collective. */
static PetscErrorCode SetDirection(AbutStepper s, Vec Y)
{
  const PetscScalar *y;
  PetscReal          most = 0;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(Y, &y));
  for (PetscInt i = 0; i < s->n; i++) s->p[i] = s->boundary.constrained[i] ? 0 : -PetscRealPart(y[i]);
  PetscCall(VecRestoreArrayRead(Y, &y));
  PetscCall(AbutPressDirection(s, &most));
  for (PetscInt i = 0; i < s->n; i++) most = PetscMax(most, PetscAbsReal(s->p[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, s->comm));
  s->direction_norm = most / s->h;
  if (s->first_direction < 0) s->first_direction = s->direction_norm;
  PetscCall(AbutMeshHaloBegin(s->mesh, s->dim, s->p));
  PetscCall(AbutMeshHaloEnd(s->mesh, s->dim, s->p));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLineSearchBound(AbutStepper s, PetscReal *step, AbutLimiter *limiter, AbutLimitingPair *blame)
{
  PetscReal before;
  PetscInt  cell;

  PetscFunctionBegin;
  *step    = 1;
  *limiter = ABUT_LIMIT_NONE;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_ELASTIC));
  PetscCall(AbutElasticMaxStep(s->elastic, s->x, s->p, INVERSION_SAFETY, step, &cell));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_ELASTIC));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, step, 1, MPIU_REAL, MPIU_MIN, s->comm));
  if (*step < 1) *limiter = ABUT_LIMIT_INVERSION;
  before = *step;
  PetscCall(AbutObjectiveSearch(s, s->p, step));
  if (*step < before) *limiter = ABUT_LIMIT_BOUND;
  before = *step;
  PetscCall(AbutContactMaxStep(s->contact, s->spec.ccd, CCD_SLACK, step, blame));
  if (*step < before) *limiter = ABUT_LIMIT_CCD;
  PetscFunctionReturn(0);
}

/*
  Differences of B that mean nothing: the round-off of its terms, and what moving all masses at a thousandth of the tolerated speed amounts
  to. The second matters near rest, where every term is tiny but each was computed from large ones.
*/
static PetscReal Insignificant(AbutStepper s)
{
  return PetscMax(ROUND_OFF * EnergySize(&s->energy), s->total_mass / 2 * PetscSqr(1e-3 * s->tolerance * s->h));
}

/* Slope of B along p at x + t p, which becomes the iterate. Collective. */
static PetscErrorCode TrialSlope(AbutStepper s, PetscReal t, PetscReal *slope)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveAccept(s, t));
  PetscCall(AbutObjectiveGradient(s));
  *slope = AbutDot(s->n, s->gradient, s->p);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, slope, 1, MPIU_REAL, MPIU_SUM, s->comm));
  PetscFunctionReturn(0);
}

/* Round-off of B, measured: how far it is from its tangent at steps so short that nothing but the last digits of x can show. Collective. */
static PetscErrorCode MeasureNoise(AbutStepper s, PetscReal step, PetscReal slope, PetscReal *noise)
{
  const PetscReal digits = NOISE_LENGTH * s->length / (s->direction_norm * s->h);
  const PetscReal sample = PetscMin(step / 8, PetscMax(NOISE_STEP * step, digits));
  Energy          trial;

  PetscFunctionBegin;
  *noise = ROUND_OFF * EnergySize(&s->energy);
  for (int k = 1; k <= NOISE_SAMPLES; k++) {
    const PetscReal t = k * sample;
    PetscCall(AbutObjectiveEnergy(s, t, &trial));
    *noise = PetscMax(*noise, PetscAbsReal(EnergyTotal(&trial) - EnergyTotal(&s->energy) - t * slope));
  }
  PetscFunctionReturn(0);
}

/*
  Acceptance where energies say nothing: by slopes, which lose half as many digits (approximate Wolfe condition of Hager and Zhang 2005).
  If not even they find a decrease and the direction is one that Newton may stop with, the iterate is the minimum, to round-off: step 0.
*/
static PetscErrorCode SearchBySlope(AbutStepper s, PetscReal slope, PetscReal noise, PetscReal *step, PetscBool *success)
{
  const PetscReal most = EnergyTotal(&s->energy) + NOISE_FACTOR * noise; /* of few samples */
  Energy          trial;

  PetscFunctionBegin;
  *success = PETSC_TRUE;
  for (int k = 0; k < SLOPE_HALVINGS; k++, *step /= 2) {
    PetscReal at_trial;
    PetscCall(AbutObjectiveEnergy(s, *step, &trial));
    if (!(EnergyTotal(&trial) <= most)) continue;
    PetscCall(TrialSlope(s, *step, &at_trial));
    if (at_trial > -SLOPE_SHARE * slope) continue;
    s->energy = trial;
    PetscFunctionReturn(0);
  }
  *step    = 0;
  *success = (PetscBool)(s->direction_norm < s->tolerance);
  PetscFunctionReturn(0);
}

/* Halves the step until B does not increase. */
static PetscErrorCode BackTrack(AbutStepper s, PetscReal slope, PetscReal *step, AbutLimiter *limiter, PetscBool *success)
{
  const PetscReal most = EnergyTotal(&s->energy) + Insignificant(s), bound = *step;
  Energy          trial;

  PetscFunctionBegin;
  *success = PETSC_TRUE;
  for (int k = 0; *step > 0 && k < MAX_HALVINGS; k++, *step /= 2) {
    PetscCall(AbutObjectiveEnergy(s, *step, &trial));
    if (EnergyTotal(&trial) <= most) {
      if (k > 0) *limiter = ABUT_LIMIT_ENERGY;
      s->energy = trial;
      PetscFunctionReturn(0);
    }
    if (k == NOISE_AFTER && !s->boundary.pressing) { /* planes that move have a part in B that the slope along p lacks */
      PetscReal noise;
      PetscCall(MeasureNoise(s, bound, slope, &noise));
      if (-slope * bound > NOISE_FACTOR * noise) continue;
      *step = bound;
      PetscCall(SearchBySlope(s, slope, noise, step, success));
      PetscFunctionReturn(0);
    }
  }
  *success = PETSC_FALSE;
  if (*step > 0) *limiter = ABUT_LIMIT_ENERGY;
  PetscFunctionReturn(0);
}

/*
  Counts searches in a row that got nowhere: that moved less than a ten-thousandth of what Newton may stop with, though it may not stop, or
  that brought unfinished prescribed motion no closer. Not collective, but alike on all ranks.
*/
static void CountIdle(AbutStepper s, PetscReal step, PetscBool settled)
{
  Direction      *d    = &s->direction;
  const PetscReal left = 1 - s->boundary.progress;

  if (!settled) d->idle = step * s->direction_norm < IDLE_SHARE * s->tolerance || step < IDLE_STEP ? d->idle + 1 : 0;
  if (!s->boundary.pending || left < (1 - ROUND_GAIN) * d->left) {
    d->rounds = 0;
    d->left   = left;
  } else {
    d->rounds++;
  }
  if (d->idle >= IDLE_MOST || d->rounds >= ROUNDS_MOST) s->report.stuck = PETSC_TRUE;
}

/* What the accepted point changes in the objective itself: end of a boundary's motion, stiffness. Collective. */
static PetscErrorCode UpdateObjective(AbutStepper s, PetscReal step, AbutLimiter limiter, PetscReal min_share_before)
{
  const PetscBool settled = (PetscBool)(s->direction_norm < s->tolerance && s->direction.solved);
  PetscBool       boundary_changed, stiffness_changed;

  PetscFunctionBegin;
  PetscCall(AbutBoundaryUpdate(s, settled, &boundary_changed));
  PetscCall(AbutStiffnessUpdate(s, min_share_before, (PetscBool)(limiter == ABUT_LIMIT_ENERGY && !settled), &stiffness_changed));
  s->converged = (PetscBool)(settled && !boundary_changed && !s->boundary.pending && !stiffness_changed);
  CountIdle(s, step, settled);
  if (boundary_changed || stiffness_changed) PetscCall(AbutObjectiveEnergy(s, s->t, &s->energy));
  PetscFunctionReturn(0);
}

/* Remembers what limited a search, and the pair that limited the shortest. */
static void CountLimit(AbutStepper s, PetscReal step, AbutLimiter limiter, const AbutLimitingPair *blame)
{
  s->limits[limiter]++;
  if (step < s->report.search.smallest_step) {
    s->report.search.smallest_step = step;
    s->report.search.pair          = *blame;
  }
}

static PetscErrorCode Report(AbutStepper s, PetscReal bound, PetscReal step, AbutLimiter limiter)
{
  AbutNewtonReport line = {0};
  PetscReal        sum  = 0;
  PetscInt         iteration;
  KSP              ksp;

  PetscFunctionBegin;
  if (!s->monitor) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < s->n; i++) sum += PetscSqr(s->gradient[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, s->comm));
  PetscCall(SNESGetIterationNumber(s->snes, &iteration));
  PetscCall(SNESGetKSP(s->snes, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &line.linear_iterations));
  line.step           = s->state.step + 1;
  line.iteration      = iteration + 1;
  line.contacts       = s->contacts;
  line.energy         = EnergyTotal(&s->energy);
  line.gradient_norm  = PetscSqrtReal(sum);
  line.direction_norm = s->direction_norm;
  line.step_bound     = bound;
  line.step_length    = step;
  line.min_gap        = s->min_dist;
  line.kappa          = s->state.kappa;
  line.limiter        = limiter;
  PetscCall((*s->monitor)(&line, s->monitor_ctx));
  PetscFunctionReturn(0);
}

/* The accepted iterate and its gradient go back to SNES; norms of iterate, gradient and direction in one reduction. */
static PetscErrorCode ReturnToSNES(AbutStepper s, SNESLineSearch ls, Vec X, Vec F, PetscReal step)
{
  PetscReal    norm[3] = {AbutDot(s->n, s->x, s->x), AbutDot(s->n, s->gradient, s->gradient), AbutDot(s->n, s->p, s->p)};
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(X, &array));
  PetscCall(PetscArraycpy(array, s->x, s->n));
  PetscCall(VecRestoreArrayWrite(X, &array));
  PetscCall(VecGetArrayWrite(F, &array));
  PetscCall(PetscArraycpy(array, s->gradient, s->n));
  PetscCall(VecRestoreArrayWrite(F, &array));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, norm, 3, MPIU_REAL, MPIU_SUM, s->comm));
  PetscCall(SNESLineSearchSetLambda(ls, step));
  PetscCall(SNESLineSearchSetNorms(ls, PetscSqrtReal(norm[0]), PetscSqrtReal(norm[1]), PetscSqrtReal(norm[2])));
  PetscCall(SNESLineSearchSetReason(ls, SNES_LINESEARCH_SUCCEEDED));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLineSearchApply(SNESLineSearch ls, void *ctx)
{
  AbutStepper      s                = (AbutStepper)ctx;
  const PetscReal  min_share_before = s->min_share;
  Vec              X, F, Y;
  PetscReal        step, bound, slope;
  AbutLimiter      limiter;
  AbutLimitingPair blame = {{-1, -1, -1, -1}, {-1, -1}, 0, -1};
  PetscBool        success;

  PetscFunctionBegin;
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SOLVE));
  s->in_linear_solve = PETSC_FALSE;
  PetscCall(SNESLineSearchGetVecs(ls, &X, &F, &Y, NULL, NULL));
  PetscCall(AbutDirectionFinish(s, F, Y, &slope));
  PetscCall(SetDirection(s, Y));
  PetscCall(AbutLineSearchBound(s, &step, &limiter, &blame));
  bound = step;
  PetscCall(BackTrack(s, slope, &step, &limiter, &success));
  if (step > 0 || !success) CountLimit(s, step, limiter, &blame);
  if (!success) {
    PetscCall(AbutObjectiveAccept(s, 0)); /* the stencils must be of the candidates at hand: the report sums their forces */
    PetscCall(SNESLineSearchSetReason(ls, SNES_LINESEARCH_FAILED_REDUCT));
    PetscFunctionReturn(0);
  }
  PetscCall(AbutObjectiveAccept(s, step));
  if (s->frictional) PetscCall(AbutFrictionUpdateMajorizers(s->friction));
  PetscCall(UpdateObjective(s, step, limiter, min_share_before));
  PetscCall(AbutObjectiveGradient(s));
  if (!s->converged) PetscCall(AbutObjectiveUpdatePattern(s));
  PetscCall(Report(s, bound, step, limiter));
  PetscCall(ReturnToSNES(s, ls, X, F, step));
  PetscFunctionReturn(0);
}
