/*
  Time integrators. All give B the same form, from a velocity that is affine in the new positions and inertia about a predictor,

      v = rate (x - origin),    M a = M (x - predictor) / c2,    so that    M (x - predictor) + c2 (all other forces) = 0

  is the method's update. With w = h / h_old (0 without a step before) and q = w^2 / (1 + 2w), which is 0 for implicit Euler:

                   rate                       c2          origin               predictor
      Euler, BDF2  (1 + 2w) / ((1 + w) h)     1 / rate^2  x + q (x - x_old)    origin + (v + q (v - v_old)) / rate
      Newmark      2 / h                      h^2 / 4     x + h/2 v            x + h v + h^2/4 a      (beta = 1/4, gamma = 1/2)
      quasi-static 1 / h                      constant    x                    x, held there by regularization alone

  Newmark's a leaves out contact and friction, whose forces R act over a whole step as they are at its end [Kane et al. 1999]: x gains
  h^2/2 M^-1 R and v gains h M^-1 R, their factor in B is h^2/2. As v + v_new = 2 (x_new - x) / h still, they do the work R . (x_new - x):
  what a convex barrier gives back at most, so that neither contact nor friction adds energy, while mean forces of both ends, those of
  an impact too, would.

  Mass-proportional damping and dead loads, gravity among them, are quadratic and linear in x: they move the predictor to x~ and add to
  the inertia. Where there is no inertia, loads stay a linear term.
*/
#include "solveimpl.h"

const char *const AbutIntegrators[] = {"implicit-euler", "newmark", "bdf2", "quasi-static", "AbutIntegrator", "ABUT_INTEGRATOR_", NULL};

PetscErrorCode AbutIntegratorCreate(AbutStepper s)
{
  AbutState *state = &s->state;

  PetscFunctionBegin;
  PetscCall(PetscCalloc5(s->n, &state->x, s->n, &state->v, s->n, &state->a, s->n, &state->x_old, s->n, &state->v_old));
  PetscCall(PetscCalloc4(s->n, &s->x_tilde, s->n, &s->load, s->n, &s->thrust, s->n, &s->a_start));
  PetscCall(PetscCalloc2(s->ml->num_local * s->dim, &s->x_start, s->ml->num_local * s->dim, &s->scratch));
  PetscCall(PetscCalloc2(s->ml->num_owned, &s->inertia, s->ml->num_owned, &s->damping));
  PetscCall(AbutElasticGetMassDamping(s->elastic, s->damping));
  s->viscous = AbutElasticHasDamping(s->elastic);
  state->dt  = s->spec.dt;
  s->h       = s->spec.dt;
  s->c2 = s->contact_c2 = PetscSqr(s->h);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutIntegratorDestroy(AbutStepper s)
{
  AbutState *state = &s->state;

  PetscFunctionBegin;
  PetscCall(PetscFree5(state->x, state->v, state->a, state->x_old, state->v_old));
  PetscCall(PetscFree4(s->x_tilde, s->load, s->thrust, s->a_start));
  PetscCall(PetscFree2(s->x_start, s->scratch));
  PetscCall(PetscFree2(s->inertia, s->damping));
  PetscFunctionReturn(0);
}

/* One unknown's origin and predictor from the state at the start of the step. */
static void Predict(AbutStepper s, PetscInt i, PetscReal *origin, PetscReal *predictor)
{
  const AbutState *state = &s->state;
  const PetscReal  x = state->x[i], v = state->v[i], q = s->backward;

  switch (s->spec.integrator) {
  case ABUT_INTEGRATOR_NEWMARK:
    *origin    = x + s->h / 2 * v;
    *predictor = x + s->h * v + s->c2 * s->a_start[i];
    break;
  case ABUT_INTEGRATOR_STATIC:
    *origin    = x;
    *predictor = x;
    break;
  default: *origin = x + q * (x - state->x_old[i]); *predictor = *origin + (v + q * (v - state->v_old[i])) / s->rate;
  }
}

static void SetCoefficients(AbutStepper s)
{
  const PetscReal h    = s->h;
  const PetscReal w    = s->spec.integrator == ABUT_INTEGRATOR_BDF2 && s->state.dt_old > 0 ? h / s->state.dt_old : 0;
  const PetscReal step = h * (1 + w) / (1 + 2 * w);

  s->backward = PetscSqr(w) / (1 + 2 * w);
  s->rate     = 1 / step;
  s->c2       = PetscSqr(step);
  s->weight   = 1;
  if (s->spec.integrator == ABUT_INTEGRATOR_NEWMARK) {
    s->rate = 2 / h;
    s->c2   = PetscSqr(h) / 4;
  } else if (s->spec.integrator == ABUT_INTEGRATOR_STATIC) {
    s->c2     = s->static_c2;
    s->weight = s->spec.regularization * s->c2;
  }
  s->contact_c2 = (s->spec.integrator == ABUT_INTEGRATOR_NEWMARK ? 2 : 1) * s->c2;
}

/* s->scratch = K d and the like: gradient of elastic or damping energy at the local positions s->p, over owned vertices. Collective. */
static PetscErrorCode CollectForce(AbutStepper s, PetscErrorCode (*add)(AbutElastic, const PetscReal[], PetscReal, PetscReal[]),
                                   PetscReal   scale)
{
  PetscFunctionBegin;
  PetscCall(AbutMeshHaloBegin(s->mesh, s->dim, s->p));
  PetscCall(AbutMeshHaloEnd(s->mesh, s->dim, s->p));
  PetscCall(PetscArrayzero(s->scratch, s->ml->num_local * s->dim));
  PetscCall((*add)(s->elastic, s->p, scale, s->scratch));
  PetscCall(AbutMeshReduceAdd(s->mesh, s->dim, s->scratch));
  PetscFunctionReturn(0);
}

/*
  Stiffness-proportional damping K v = rate K (x - origin) has the potential rate / 2 (x - x_start)^T K (x - x_start), which the elastic
  part evaluates, and a dead load rate K (origin - x_start).
*/
static PetscErrorCode BeginDamping(AbutStepper s)
{
  PetscFunctionBegin;
  if (!s->viscous) PetscFunctionReturn(0);
  PetscCall(AbutElasticSetDampingStart(s->elastic, s->x_start));
  for (PetscInt i = 0; i < s->n; i++) {
    PetscReal predictor;
    Predict(s, i, &s->p[i], &predictor);
  }
  PetscCall(CollectForce(s, AbutElasticAddDampingGradient, s->rate));
  for (PetscInt i = 0; i < s->n; i++) s->load[i] += s->scratch[i];
  PetscFunctionReturn(0);
}

/*
  Newmark's first acceleration: of all forces at the start but contact and friction.
*/
static PetscErrorCode InitialAcceleration(AbutStepper s)
{
  const PetscReal *v0 = s->state.v;
  PetscReal       *a  = s->a_start;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(a, s->load, s->n));
  PetscCall(PetscArraycpy(s->p, s->x_start, s->n));
  PetscCall(CollectForce(s, AbutElasticAddGradient, -1));
  for (PetscInt i = 0; i < s->n; i++) a[i] += s->scratch[i];
  if (s->viscous) {
    PetscCall(AbutElasticSetDampingStart(s->elastic, s->x_start));
    for (PetscInt i = 0; i < s->n; i++) s->p[i] = s->x_start[i] + s->h * v0[i];
    PetscCall(CollectForce(s, AbutElasticAddDampingGradient, -1 / s->h));
    for (PetscInt i = 0; i < s->n; i++) a[i] += s->scratch[i];
  }
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    for (PetscInt i = 0; i < s->dim; i++) {
      const PetscInt  k    = v * s->dim + i;
      const PetscBool free = (PetscBool)(s->boundary.state[v] == ABUT_BOUNDARY_FREE);
      a[k]                 = free ? s->spec.gravity[i] + (a[k] - s->damping[v] * v0[k]) / s->mass[v] : 0;
    }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutIntegratorBegin(AbutStepper s)
{
  PetscFunctionBegin;
  SetCoefficients(s);
  PetscCall(PetscArraycpy(s->a_start, s->state.a, s->n));
  if (s->spec.integrator == ABUT_INTEGRATOR_NEWMARK && !s->state.a_known) PetscCall(InitialAcceleration(s));
  PetscCall(BeginDamping(s));
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    const PetscReal viscous = s->c2 * s->damping[v] * s->rate;
    s->inertia[v]           = s->weight * s->mass[v] + viscous;
    for (PetscInt i = 0; i < s->dim; i++) {
      const PetscInt  k = v * s->dim + i;
      const PetscReal f = s->mass[v] * s->spec.gravity[i] + s->load[k];
      PetscReal       origin, predictor;
      Predict(s, k, &origin, &predictor);
      s->x_tilde[k] = predictor;
      s->thrust[k]  = 0;
      if (s->inertia[v] > 0) s->x_tilde[k] += viscous * (origin - predictor) / s->inertia[v];
      if (s->spec.integrator == ABUT_INTEGRATOR_STATIC)
        s->thrust[k] = s->c2 * f;
      else if (s->inertia[v] > 0)
        s->x_tilde[k] += s->c2 * f / s->inertia[v];
    }
  }
  PetscFunctionReturn(0);
}

/* Newmark's accelerations at the end: those of the update less the part of contact and friction. Collective. */
static PetscErrorCode AcceptAccelerations(AbutStepper s)
{
  const PetscReal share = s->contact_c2 / s->c2;
  PetscReal      *contact, *friction, *a = s->state.a;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->n, &contact, s->n, &friction));
  PetscCall(AbutStepperGetContactForce(s, contact, friction));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) {
      PetscReal origin, predictor;
      Predict(s, i, &origin, &predictor);
      a[i] =
        s->boundary.state[v] == ABUT_BOUNDARY_FREE ? (s->x[i] - predictor) / s->c2 - share * (contact[i] + friction[i]) / s->mass[v] : 0;
    }
  PetscCall(PetscFree2(contact, friction));
  PetscFunctionReturn(0);
}

/* Prescribed vertices have the mean velocity of the step: an integrator's own memory would make them swing about it. */
PetscErrorCode AbutIntegratorAccept(AbutStepper s)
{
  AbutState *state = &s->state;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(state->a, s->n));
  if (s->spec.integrator == ABUT_INTEGRATOR_NEWMARK) PetscCall(AcceptAccelerations(s));
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    const PetscBool prescribed = (PetscBool)(s->boundary.state[v] != ABUT_BOUNDARY_FREE);
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) {
      PetscReal origin, predictor, velocity;
      Predict(s, i, &origin, &predictor);
      velocity        = prescribed ? (s->x[i] - s->x_start[i]) / s->h : s->rate * (s->x[i] - origin);
      state->x_old[i] = state->x[i];
      state->v_old[i] = state->v[i];
      state->x[i]     = s->x[i];
      state->v[i]     = velocity;
    }
  }
  state->a_known = (PetscBool)(s->spec.integrator == ABUT_INTEGRATOR_NEWMARK);
  state->dt_old  = s->h;
  state->c2      = s->contact_c2;
  PetscFunctionReturn(0);
}
