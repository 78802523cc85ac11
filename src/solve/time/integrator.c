/*
  Time integrators. All give the objective the same form, from a velocity that is affine in the new positions, and inertia about a
  predictor:

      v = rate (x - origin),    M a = M (x - predictor) / c2,    so that    M (x - predictor) + c2 (all other forces) = 0

  is the update of the method. With w = h / h_old (without a step before: see below) and q = w^2 / (1 + 2w), which is 0 for implicit Euler:

                   rate                       c2          origin               predictor
      Euler, BDF2  (1 + 2w) / ((1 + w) h)     1 / rate^2  x + q (x - x_old)    origin + (v + q (v - v_old)) / rate
      Newmark, both 2 / h                     h^2 / 4     x + h/2 v            x + h v + h^2/4 a      (beta = 1/4, gamma = 1/2)
      quasi-static 1 / h                      constant    x                    x, with inertia from the regularization alone

  Newmark [Li et al. 2020, section 7]: the acceleration a contains all forces but loads, so the mean of the contact and friction forces at
  both ends of the step acts in it. At an impact this adds energy.

  Contact-implicit Newmark [Kane et al. 1999]: a excludes contact and friction. Their forces R act over the whole step with their values at
  its end: x gains h^2/2 M^-1 R and v gains h M^-1 R, and their factor in the objective is contact_c2 = h^2/2 = 2 c2. Because v + v_new =
  2 (x_new - x) / h still holds, they do the work R . (x_new - x). For a convex barrier this is at most the decrease of the barrier energy,
  so neither contact nor friction adds energy.

  In both, loads act in this way with their mean: the mean of both ends would count half of a load too much or too little where it begins or
  ends. A first step of Newmark does not know the contact forces at its start, and is one of contact-implicit Newmark.

  BDF2: the first step continues a motion with the initial acceleration a of all forces but contact (w = 1): x_old = x - h v + h^2/2 a,
  v_old = v - h a. After an Euler step the next ones would continue the force of an impact in it, and count it 1.5 times. If contacts act at
  the start, or forces on parts of bodies, the first step is an Euler step (ChooseFirstStep()).

  Mass-proportional damping is quadratic in x, and dead loads and gravity are linear: they move the predictor to x_tilde and add to the
  inertia. In quasi-static steps loads remain a linear term.
*/
#include "timeimpl.h"

#define NOISE (8 * PETSC_MACHINE_EPSILON) /* round-off of an elastic force over stiffness times position */
/*
  Share of the body's stiffness that quasi-static steps add to the diagonal of the Hessian. Equilibria do not depend on it. Without it a
  body between plates without friction drifts: a pad of 60 mm by 4 mm in ten steps.
*/
#define HOLD 1e-14

PetscErrorCode AbutTimeIntegratorCreate(const AbutModelParts *parts, const AbutStepSpec *spec, AbutState *state, const Scales *scales,
                                        TimeIntegrator *t)
{
  const AbutMeshLocal *ml      = AbutMeshGetLocal(parts->mesh);
  AbutInertiaPart     *inertia = &t->inertia;
  PetscInt             n, local;

  PetscFunctionBegin;
  n                 = ml->num_owned * ml->dim;
  local             = ml->num_local * ml->dim;
  t->mesh           = parts->mesh;
  t->ml             = ml;
  t->elastic        = parts->elastic;
  t->spec           = spec;
  t->state          = state;
  t->mass           = scales->vertex_mass;
  t->damping        = scales->damping;
  t->body_stiffness = scales->body_stiffness;
  PetscCall(PetscCalloc1(ml->num_bodies, &t->touches));
  *inertia = (AbutInertiaPart){.num_owned = ml->num_owned, .dim = ml->dim};
  PetscCall(PetscCalloc6(ml->num_owned, &inertia->inertia, ml->num_owned, &inertia->hold, n, &inertia->x_tilde, n, &inertia->impulse, n,
                         &inertia->load, local, &inertia->x_start));
  PetscCall(PetscCalloc5(n, &t->shift, n, &t->load, n, &t->a_start, local, &t->force, local, &t->x_work));
  t->viscous = AbutElasticHasDamping(t->elastic);
  t->h       = spec->dt;
  t->c2 = t->contact_c2 = PetscSqr(t->h);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTimeIntegratorDestroy(TimeIntegrator *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree6(t->inertia.inertia, t->inertia.hold, t->inertia.x_tilde, t->inertia.impulse, t->inertia.load, t->inertia.x_start));
  PetscCall(PetscFree5(t->shift, t->load, t->a_start, t->force, t->x_work));
  PetscCall(PetscFree(t->touches));
  PetscFunctionReturn(0);
}

static PetscBool IsNewmark(const TimeIntegrator *t)
{
  return (PetscBool)(t->spec->integrator == ABUT_INTEGRATOR_NEWMARK || t->spec->integrator == ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK);
}

/* Factor in the objective of all loads except gravity [s^2]. */
static PetscReal LoadFactor(const TimeIntegrator *t)
{
  return (IsNewmark(t) ? 2 : 1) * t->c2;
}

/* Whether the state has the accelerations that this integrator keeps. */
static PetscBool KnowsAccelerations(const TimeIntegrator *t)
{
  return (PetscBool)(t->state->a_of == t->spec->integrator);
}

/* Origin of one unknown in the formulas above, and displacement from there to its predictor. */
static void Predict(const TimeIntegrator *t, PetscInt i, PetscReal *origin, PetscReal *ahead)
{
  const AbutState *state = t->state;
  const PetscReal  x = state->x[i], v = state->v[i], q = t->backward;

  switch (t->spec->integrator) {
  case ABUT_INTEGRATOR_NEWMARK:
  case ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK:
    *origin = x + t->h / 2 * v;
    *ahead  = t->h / 2 * v + t->c2 * t->a_start[i];
    break;
  case ABUT_INTEGRATOR_STATIC:
    *origin = x;
    *ahead  = 0;
    break;
  default: {
    const PetscReal change = t->continues_start ? t->h * t->a_start[i] : v - state->v_old[i];
    const PetscReal moved  = t->continues_start ? t->h * (v - change / 2) : x - state->x_old[i];
    *origin                = x + q * moved;
    *ahead                 = (v + q * change) / t->rate;
  }
  }
}

/* The same for the driven half space, whose position is measured from the start of the step. */
static void PredictDriven(const TimeIntegrator *t, const AbutDriveStep *drive, PetscReal *origin, PetscReal *ahead)
{
  const AbutDriven *s = &t->state->driven;

  if (IsNewmark(t)) {
    *origin = t->h / 2 * s->v;
    *ahead  = t->h / 2 * s->v + t->c2 * drive->acceleration;
  } else {
    *origin = t->backward * s->travel;
    *ahead  = (s->v + t->backward * (s->v - s->v_old)) / t->rate;
  }
}

void AbutTimeIntegratorBeginDriven(const TimeIntegrator *t, PetscReal mass, PetscReal g, AbutDriveStep *drive)
{
  PetscReal origin, ahead;

  drive->contact_c2 = drive->load_c2 = t->contact_c2;
  drive->weight                      = mass * g;
  drive->inertia                     = t->spec->integrator == ABUT_INTEGRATOR_STATIC ? 0 : mass;
  if (!(drive->inertia > 0)) return;
  drive->acceleration = KnowsAccelerations(t) ? t->state->driven.a : g;
  PredictDriven(t, drive, &origin, &ahead);
  drive->load_c2   = LoadFactor(t);
  drive->predictor = origin + ahead + t->c2 * g;
}

void AbutTimeIntegratorAcceptDriven(TimeIntegrator *t, const AbutDriveStep *drive, PetscReal travel, PetscReal reaction, PetscReal load)
{
  const PetscReal at_end = t->spec->integrator == ABUT_INTEGRATOR_NEWMARK ? 1 : 0;
  AbutDriven     *s      = &t->state->driven;
  PetscReal       origin, ahead;

  if (!(drive->inertia > 0)) return;
  PredictDriven(t, drive, &origin, &ahead);
  s->a      = IsNewmark(t) ? (travel - origin - ahead) / t->c2 -
                          ((t->contact_c2 / t->c2 - at_end) * reaction + LoadFactor(t) / t->c2 * load) / drive->inertia
                           : 0;
  s->v_old  = s->v;
  s->v      = t->rate * (travel - origin);
  s->travel = travel;
}

/* Sets rate, weights and factors of forces for a step of length h. */
static void SetCoefficients(TimeIntegrator *t, PetscReal h)
{
  const PetscBool bdf2 = (PetscBool)(t->spec->integrator == ABUT_INTEGRATOR_BDF2 && t->state->dt_old > 0);
  const PetscReal w    = bdf2 ? h / t->state->dt_old : (t->continues_start ? 1 : 0);
  const PetscReal step = h * (1 + w) / (1 + 2 * w);

  t->h        = h;
  t->backward = PetscSqr(w) / (1 + 2 * w);
  t->rate     = 1 / step;
  t->c2       = PetscSqr(step);
  t->weight   = 1;
  if (IsNewmark(t)) {
    t->rate = 2 / h;
    t->c2   = PetscSqr(h) / 4;
  } else if (t->spec->integrator == ABUT_INTEGRATOR_STATIC) {
    t->c2     = t->static_c2;
    t->weight = t->spec->regularization * t->c2;
  }
  t->contact_c2 = t->spec->integrator == ABUT_INTEGRATOR_NEWMARK && KnowsAccelerations(t) ? t->c2 : LoadFactor(t);
}

/* Sets t->force to scale times the gradient of elastic or damping energy at the owned positions t->x_work. Collective. */
static PetscErrorCode CollectForce(TimeIntegrator *t, void (*add)(AbutElastic, const PetscReal[], PetscReal, PetscReal[]), PetscReal scale)
{
  const PetscInt dim = t->ml->dim;

  PetscFunctionBegin;
  PetscCall(AbutMeshUpdateGhosts(t->mesh, dim, t->x_work));
  PetscCall(PetscArrayzero(t->force, t->ml->num_local * dim));
  (*add)(t->elastic, t->x_work, scale, t->force);
  PetscCall(AbutMeshReduceAdd(t->mesh, dim, t->force));
  PetscFunctionReturn(0);
}

/* Gives damping the positions from which it measures strain rates: the origins of the velocities. Collective. */
static PetscErrorCode BeginDamping(TimeIntegrator *t)
{
  const PetscInt n = t->ml->num_owned * t->ml->dim;

  PetscFunctionBegin;
  if (!t->viscous) PetscFunctionReturn(0);
  for (PetscInt i = 0; i < n; i++) {
    PetscReal ahead;
    Predict(t, i, &t->x_work[i], &ahead);
  }
  PetscCall(AbutMeshUpdateGhosts(t->mesh, t->ml->dim, t->x_work));
  AbutElasticSetDampingStart(t->elastic, t->inertia.x_start, t->x_work, t->backward > 0 ? 1 / t->backward : 0);
  PetscFunctionReturn(0);
}

/* Adds the forces of pressures and gases at the owned positions t->x_work, ghosts current, to owned a. Collective. */
static PetscErrorCode AddPressures(TimeIntegrator *t, AbutPressures pressures, PetscReal a[])
{
  const PetscInt dim = t->ml->dim;

  PetscFunctionBegin;
  if (!pressures) PetscFunctionReturn(0);
  PetscCall(AbutPressuresSetState(pressures, t->x_work));
  PetscCall(PetscArrayzero(t->force, t->ml->num_local * dim));
  AbutPressuresAddGradient(pressures, -1, t->force);
  PetscCall(AbutMeshReduceAdd(t->mesh, dim, t->force));
  for (PetscInt i = 0; i < t->ml->num_owned * dim; i++) a[i] += t->force[i];
  PetscFunctionReturn(0);
}

/* Initial acceleration from all forces at the start but contact and friction; in Newmark's methods also without loads. Collective. */
static PetscErrorCode InitialAcceleration(TimeIntegrator *t, AbutPressures pressures)
{
  const PetscInt   dim = t->ml->dim, n = t->ml->num_owned * dim;
  const PetscReal *v0 = t->state->v, *x_start = t->inertia.x_start;
  PetscReal       *a = t->a_start;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(a, n));
  if (t->continues_start) PetscCall(PetscArraycpy(a, t->load, n));
  PetscCall(PetscArraycpy(t->x_work, x_start, n));
  PetscCall(CollectForce(t, AbutElasticAddGradient, -1));
  for (PetscInt i = 0; i < n; i++) a[i] += t->force[i];
  PetscCall(AddPressures(t, pressures, a));
  if (t->viscous) {
    for (PetscInt i = 0; i < n; i++) t->x_work[i] = x_start[i] - t->h * v0[i];
    PetscCall(AbutMeshUpdateGhosts(t->mesh, dim, t->x_work));
    AbutElasticSetDampingStart(t->elastic, x_start, t->x_work, 0);
    PetscCall(PetscArraycpy(t->x_work, x_start, n));
    PetscCall(CollectForce(t, AbutElasticAddDampingGradient, -1 / t->h));
    for (PetscInt i = 0; i < n; i++) a[i] += t->force[i];
  }
  for (PetscInt v = 0; v < t->ml->num_owned; v++)
    for (PetscInt i = 0; i < dim; i++) {
      const PetscInt  k    = v * dim + i;
      const PetscBool free = (PetscBool)(t->inertia.state[k] == ABUT_BOUNDARY_FREE);
      a[k]                 = free ? t->spec->gravity[i] + (a[k] - t->damping[v] * v0[k]) / t->mass[v] : 0;
    }
  PetscFunctionReturn(0);
}

/* Sets the forces of gravity and loads, times their factors in the objective. */
static void SetLoads(TimeIntegrator *t)
{
  const PetscInt dim = t->ml->dim;

  for (PetscInt v = 0; v < t->ml->num_owned; v++)
    for (PetscInt i = 0; i < dim; i++)
      t->inertia.load[v * dim + i] = t->c2 * t->mass[v] * t->spec->gravity[i] + LoadFactor(t) * t->load[v * dim + i];
}

/* Sets inertia and predictor of one vertex, with gravity, loads and damping, and its impulse. */
static void SetInertia(TimeIntegrator *t, PetscInt v)
{
  AbutInertiaPart *inertia = &t->inertia;
  const PetscReal  viscous = t->c2 * t->damping[v] * t->rate;

  inertia->inertia[v] = t->weight * t->mass[v] + viscous;
  inertia->hold[v]    = t->spec->integrator == ABUT_INTEGRATOR_STATIC ? HOLD * t->c2 * t->body_stiffness[t->ml->vertex_body[v]] : 0;
  for (PetscInt i = 0; i < inertia->dim; i++) {
    const PetscInt  k = v * inertia->dim + i;
    const PetscReal f = inertia->load[k];
    PetscReal       origin, ahead;
    Predict(t, k, &origin, &ahead);
    inertia->impulse[k] = 0;
    if (inertia->inertia[v] > 0) ahead -= viscous * ahead / inertia->inertia[v];
    if (t->spec->integrator == ABUT_INTEGRATOR_STATIC)
      inertia->impulse[k] = f;
    else if (inertia->inertia[v] > 0)
      ahead += f / inertia->inertia[v];
    t->shift[k]         = ahead;
    inertia->x_tilde[k] = origin + ahead;
  }
}

PetscErrorCode AbutTimeIntegratorBegin(TimeIntegrator *t, PetscReal h, AbutPressures pressures)
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_ELASTIC));
  SetCoefficients(t, h);
  SetLoads(t);

  PetscCall(PetscArraycpy(t->a_start, t->state->a, t->ml->num_owned * t->ml->dim));
  if (t->continues_start || (IsNewmark(t) && !KnowsAccelerations(t))) PetscCall(InitialAcceleration(t, pressures));
  PetscCall(BeginDamping(t));
  for (PetscInt v = 0; v < t->ml->num_owned; v++) SetInertia(t, v);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_ELASTIC));
  PetscFunctionReturn(0);
}

PetscBool AbutTimeIntegratorNeedsForces(const TimeIntegrator *t)
{
  return IsNewmark(t);
}

/*
  Displacement from the origin that gives the velocity of a free unknown. In steps so short that inertia outweighs stiffness it follows
  from the balance of momentum: g h^2 is below the last digit of a coordinate of 1 m for g = 1 m/s^2 and h = 1e-8 s, so that a difference
  of positions would lose it. In longer steps the residual is only round-off of elastic forces, so the difference of positions is used.
*/
static PetscReal Displacement(const TimeIntegrator *t, PetscInt v, PetscInt i, PetscReal x, PetscReal origin, PetscReal residual)
{
  const AbutInertiaPart *in   = &t->inertia;
  const PetscInt         body = t->ml->vertex_body[v];

  if (t->spec->integrator == ABUT_INTEGRATOR_STATIC || t->touches[body] || in->inertia[v] <= t->c2 * t->body_stiffness[body])
    return x - origin;
  if (t->shift[i] == 0 && PetscAbsReal(residual) <= NOISE * t->c2 * t->body_stiffness[body] * (t->ml->global.diagonal + PetscAbsReal(x)))
    return x - origin; /* a body at rest stays at rest */
  return t->shift[i] + (x - in->x_tilde[i]) - residual / in->inertia[v];
}

/*
  Sets the accelerations of Newmark's methods at the end of the step. at_end = 1: they contain contact and friction, as only
  ABUT_INTEGRATOR_NEWMARK has it.
*/
static void AcceptAccelerations(TimeIntegrator *t, const PetscReal x[], const PetscReal residual[], const PetscReal contact[],
                                const PetscReal friction[])
{
  const PetscInt  dim    = t->ml->dim;
  const PetscReal at_end = t->spec->integrator == ABUT_INTEGRATOR_NEWMARK ? 1 : 0;

  for (PetscInt v = 0; v < t->ml->num_owned; v++)
    for (PetscInt i = v * dim; i < (v + 1) * dim; i++) {
      const PetscBool free  = (PetscBool)(t->inertia.state[i] == ABUT_BOUNDARY_FREE);
      const PetscReal force = (t->contact_c2 / t->c2 - at_end) * (contact[i] + friction[i]) + LoadFactor(t) / t->c2 * t->load[i];
      PetscReal       origin, ahead;
      Predict(t, i, &origin, &ahead);
      t->state->a[i] = free ? (Displacement(t, v, i, x[i], origin, residual[i]) - ahead) / t->c2 - force / t->mass[v] : 0;
    }
}

/* Updates the state. A prescribed unknown gets its mean velocity over the step: the integrator's update would oscillate about it. */
PetscErrorCode AbutTimeIntegratorAccept(TimeIntegrator *t, const PetscReal x[], const PetscReal residual[], const PetscReal contact[],
                                        const PetscReal friction[])
{
  AbutState     *state = t->state;
  const PetscInt dim   = t->ml->dim;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(state->a, t->ml->num_owned * dim));
  if (AbutTimeIntegratorNeedsForces(t)) AcceptAccelerations(t, x, residual, contact, friction);
  for (PetscInt v = 0; v < t->ml->num_owned; v++) {
    for (PetscInt i = v * dim; i < (v + 1) * dim; i++) {
      const PetscBool prescribed = (PetscBool)(t->inertia.state[i] != ABUT_BOUNDARY_FREE);
      PetscReal       origin, ahead, velocity;
      Predict(t, i, &origin, &ahead);
      velocity        = prescribed ? (x[i] - t->inertia.x_start[i]) / t->h : t->rate * Displacement(t, v, i, x[i], origin, residual[i]);
      state->x_old[i] = state->x[i];
      state->v_old[i] = state->v[i];
      state->x[i]     = x[i];
      state->v[i]     = velocity;
    }
  }
  state->a_of   = t->spec->integrator;
  state->dt_old = t->h;
  state->c2     = t->contact_c2;
  PetscFunctionReturn(0);
}
