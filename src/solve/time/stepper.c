/* The time stepper: life cycle, state, one step. */
#include "timeimpl.h"

/* Sets the positions at the start and the initial velocities of the bodies. A body rotates about the centre of its bounding box. */
static void SetInitialState(AbutStepper s)
{
  const AbutMeshLocal *ml    = s->ml;
  const PetscReal     *start = AbutMeshGetStart(s->parts.mesh);
  const PetscInt       dim   = ml->dim;

  for (PetscInt v = 0; v < ml->num_owned; v++) {
    const AbutBody *body = &ml->bodies[ml->vertex_body[v]];
    PetscReal       r[3] = {0, 0, 0}, turn[3];
    for (PetscInt i = 0; i < dim; i++) r[i] = start[v * dim + i] - (body->box[0][i] + body->box[1][i]) / 2;
    AbutCross(body->angular_velocity, r, turn);
    for (PetscInt i = 0; i < dim; i++) {
      s->state.x[v * dim + i] = start[v * dim + i];
      s->state.v[v * dim + i] = body->obstacle ? 0 : body->velocity[i] + turn[i];
    }
  }
}

static PetscErrorCode CreateState(AbutStepper s)
{
  AbutState     *state = &s->state;
  const PetscInt n     = s->ml->num_owned * s->ml->dim;

  PetscFunctionBegin;
  state->dt          = s->spec.dt;
  state->elastic     = s->parts.elastic;
  state->num_motions = s->parts.num_motions;
  state->num_planes  = s->parts.num_planes;
  PetscCall(PetscCalloc5(n, &state->x, n, &state->v, n, &state->a, n, &state->x_old, n, &state->v_old));
  PetscCall(PetscCalloc2(state->num_motions, &state->motion, state->num_motions, &s->flags_start));
  PetscCall(
    PetscCalloc3(3 * state->num_planes, &state->plane_point, 3 * state->num_planes, &state->plane_turn, s->ml->num_owned, &state->slip));
  for (PetscInt k = 0; k < state->num_planes; k++) PetscCall(PetscArraycpy(state->plane_point + 3 * k, s->parts.planes[k].point, 3));
  SetInitialState(s);
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateConstraint(AbutStepper s)
{
  const AbutMotionState start = {s->state.x, s->state.plane_point, s->state.motion};

  PetscFunctionBegin;
  PetscCall(AbutConstraintCreate(&s->parts, s->lag.active ? s->lag.friction : NULL, &s->scales.mass, &start, &s->constraint));
  AbutConstraintSetTies(s->constraint, s->terms.tie.ties);
  PetscCall(AbutConstraintCheckTurns(s->constraint, s->spec.dt));
  PetscCall(AbutLoadsCreate(s->parts.mesh, &s->scales.mass, s->parts.num_loads, s->parts.loads, &s->loads));
  PetscCall(AbutPressuresCreate(s->parts.mesh, s->parts.num_loads, s->parts.loads, &s->terms.pressure.pressures));
  PetscFunctionReturn(0);
}

/* Adds the terms of the objective. Append new terms: the order of terms is the order of floating-point sums. */
static PetscErrorCode CreateObjective(AbutStepper s)
{
  const AbutPrescribedMotion *motion = AbutConstraintGetMotion(s->constraint);

  PetscFunctionBegin;
  PetscCall(AbutObjectiveCreate(s->parts.mesh, s->parts.contact, s->scales.dhat, motion->fixed, &s->objective));
  s->at                       = AbutObjectiveGetIterate(s->objective);
  s->integrator.inertia.state = motion->state;
  s->terms.elasticity.elastic = s->parts.elastic;
  s->integrator.viscosity     = (AbutElasticPart){.elastic = s->parts.elastic, .damping = PETSC_TRUE};
  s->terms.barrier  = (AbutContactPart){.comm = s->comm, .contact = s->parts.contact, .potential = s->parts.potential, .dim = s->ml->dim};
  s->terms.friction = (AbutFrictionPart){.friction = s->lag.friction, .constraint = s->constraint};
  PetscCall(AbutObjectiveAddTerm(s->objective, &AbutElasticTerm, &s->terms.elasticity));
  if (s->integrator.viscous) PetscCall(AbutObjectiveAddTerm(s->objective, &AbutDampingTerm, &s->integrator.viscosity));
  PetscCall(AbutObjectiveAddTerm(s->objective, &AbutContactTerm, &s->terms.barrier));
  if (s->lag.active) PetscCall(AbutObjectiveAddTerm(s->objective, &AbutFrictionTerm, &s->terms.friction));
  PetscCall(AbutObjectiveAddTerm(s->objective, &AbutInertiaTerm, &s->integrator.inertia));
  PetscCall(AbutObjectiveAddTerm(s->objective, &AbutVertexConstraintTerm, s->constraint));
  PetscCall(AbutObjectiveAddTerm(s->objective, &AbutPlaneConstraintTerm, s->constraint));
  if (s->terms.pressure.pressures) PetscCall(AbutObjectiveAddTerm(s->objective, &AbutPressureTerm, &s->terms.pressure));
  if (s->terms.tie.ties) PetscCall(AbutObjectiveAddTerm(s->objective, &AbutTieTerm, &s->terms.tie));
  PetscCall(AbutScalesSetStiffness(s->objective, &s->parts, s->terms.tie.ties, &s->scales));
  s->integrator.static_c2 = s->scales.static_c2;
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateNewton(AbutStepper s)
{
  const AbutNewtonParts parts = {.mesh           = s->parts.mesh,
                                 .elastic        = s->parts.elastic,
                                 .potential      = s->parts.potential,
                                 .objective      = s->objective,
                                 .constraint     = s->constraint,
                                 .friction       = s->lag.active ? s->lag.friction : NULL,
                                 .barrier        = &s->terms.barrier,
                                 .inertia        = &s->integrator.inertia,
                                 .pressure       = &s->terms.pressure,
                                 .mass           = s->scales.mass,
                                 .tolerance      = s->scales.tolerance,
                                 .quasi_static   = (PetscBool)(s->spec.integrator == ABUT_INTEGRATOR_STATIC),
                                 .balance        = s->spec.balance,
                                 .body_stiffness = s->scales.body_stiffness,
                                 .tie_stiffness  = s->scales.tie_stiffness,
                                 .c2             = &s->integrator.c2,
                                 .nominal_h      = AbutTimeUnit(&s->spec, s->spec.dt),
                                 .length         = s->scales.length,
                                 .dhat           = s->scales.dhat,
                                 .max_iterations = s->spec.max_newton,
                                 .strategy       = s->spec.strategy,
                                 .mean_stiffness = s->scales.mean_stiffness,
                                 .kappa          = s->spec.kappa,
                                 .relative_kappa = s->spec.relative_kappa,
                                 .conserve       = AbutTimeIntegratorNeedsForces(&s->integrator)};

  return AbutNewtonCreate(&parts, &s->newton);
}

PetscErrorCode AbutStepperCreate(const AbutModelParts *parts, const AbutStepSpec *spec, AbutStepper *stepper)
{
  AbutStepper s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *stepper = s;
  s->parts = *parts;
  s->spec  = *spec;
  s->comm  = AbutMeshGetComm(parts->mesh);
  s->ml    = AbutMeshGetLocal(parts->mesh);
  PetscCall(AbutScalesCreate(parts, spec, &s->scales));
  PetscCall(AbutStepSizeCreate(parts, spec, &s->size));
  PetscCall(CreateState(s));
  PetscCall(AbutTimeIntegratorCreate(parts, &s->spec, &s->state, &s->scales, &s->integrator));
  PetscCall(AbutTiesCreate(parts->mesh, parts->contact, parts->num_ties, parts->ties, &s->terms.tie.ties)); /* before any search */
  PetscCall(AbutPotentialSetDhat(parts->potential, s->scales.dhat));
  PetscCall(AbutPotentialSetUp(parts->potential, parts->mesh, parts->contact));
  PetscCall(AbutFrictionLagCreate(parts, &s->spec, s->scales.length, &s->lag));
  PetscCall(CreateConstraint(s));
  PetscCall(CreateObjective(s));
  PetscCall(CreateNewton(s));
  PetscCall(AbutReactionsCreate(s));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperDestroy(AbutStepper *stepper)
{
  AbutStepper s = *stepper;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  PetscCall(AbutNewtonDestroy(&s->newton));
  PetscCall(AbutObjectiveDestroy(&s->objective));
  PetscCall(AbutLoadsDestroy(&s->loads));
  PetscCall(AbutPressuresDestroy(&s->terms.pressure.pressures));
  PetscCall(AbutConstraintDestroy(&s->constraint));
  PetscCall(AbutTiesDestroy(&s->terms.tie.ties));
  PetscCall(AbutFrictionLagDestroy(&s->lag));
  PetscCall(AbutTimeIntegratorDestroy(&s->integrator));
  PetscCall(PetscFree5(s->state.x, s->state.v, s->state.a, s->state.x_old, s->state.v_old));
  PetscCall(PetscFree2(s->state.motion, s->flags_start));
  PetscCall(PetscFree3(s->state.plane_point, s->state.plane_turn, s->state.slip));
  PetscCall(AbutReactionsDestroy(s));
  PetscCall(PetscFree(s->size.corner));
  PetscCall(PetscFree(s->scales.tie_stiffness));
  PetscCall(PetscFree3(s->scales.vertex_mass, s->scales.damping, s->scales.body_stiffness));
  PetscCall(PetscFree(*stepper));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperSetFromOptions(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveSetFromOptions(s->objective));
  PetscCall(AbutNewtonSetFromOptions(s->newton));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperView(AbutStepper s, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveView(s->objective, viewer));
  PetscCall(AbutNewtonView(s->newton, viewer));
  PetscFunctionReturn(0);
}

AbutState *AbutStepperGetState(AbutStepper s)
{
  return &s->state;
}

AbutObjective AbutStepperGetObjective(AbutStepper s)
{
  return s->objective;
}

AbutNewton AbutStepperGetNewton(AbutStepper s)
{
  return s->newton;
}

PetscBool AbutStepperIsDone(AbutStepper s)
{
  return (PetscBool)(s->state.time >= AbutStepSpecEnd(&s->spec));
}

PetscErrorCode AbutStepperForget(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(AbutObjectiveForget(s->objective));
  PetscCall(AbutConstraintResetPlanes(s->constraint));
  AbutNewtonForget(s->newton);
  PetscFunctionReturn(0);
}

const AbutTieReport *AbutStepperGetTie(AbutStepper s, PetscInt tie)
{
  return AbutTiesGetReport(s->terms.tie.ties, tie);
}

PetscBool AbutStepperAreTied(AbutStepper s, PetscInt a, PetscInt b)
{
  return (PetscBool)(AbutTiesGetFirstBody(s->terms.tie.ties, a) == AbutTiesGetFirstBody(s->terms.tie.ties, b));
}

const AbutPressureReport *AbutStepperGetPressures(AbutStepper s, PetscInt *num)
{
  return AbutPressuresGetReport(s->terms.pressure.pressures, num);
}

/* Error if a quasi-static body can move as a rigid body, unless the scene's regularization prevents that motion. */
static PetscErrorCode CheckSupport(AbutStepper s, PetscBool failed)
{
  PetscFunctionBegin;
  if (s->spec.integrator != ABUT_INTEGRATOR_STATIC || s->spec.regularization > 0) PetscFunctionReturn(0);
  PetscCall(AbutConstraintCheckSupport(s->constraint, s->at->x, failed));
  PetscFunctionReturn(0);
}

/*
  BDF2 starts with the initial acceleration as if the motion had gone on before. Its first step is an Euler step instead if contacts act at
  the start, whose forces are not known, and with forces on parts of a body: the acceleration of light vertices by such a force lasts much
  shorter than a step, and a motion that had gone on with it would move them the wrong way. Collective.
*/
static PetscErrorCode ChooseFirstStep(AbutStepper s)
{
  PetscBool *continues = &s->integrator.continues_start;

  PetscFunctionBegin;
  *continues = (PetscBool)(s->spec.integrator == ABUT_INTEGRATOR_BDF2 && !(s->state.dt_old > 0) && !AbutLoadsHaveForces(s->loads));
  if (!*continues) PetscFunctionReturn(0);
  PetscCall(AbutObjectiveFindContacts(s->objective));
  *continues = (PetscBool)(s->terms.barrier.contacts == 0);
  PetscFunctionReturn(0);
}

/* Sets the coefficients of the integrator, and passes them to the terms of the objective and to Newton's method. Collective. */
static PetscErrorCode BeginIntegrator(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(ChooseFirstStep(s));
  PetscCall(AbutLoadsEvaluate(s->loads, s->state.time, s->size.h, AbutLoadsActAtEnd(s), s->integrator.load));
  if (s->terms.pressure.pressures)
    PetscCall(AbutPressuresBeginStep(s->terms.pressure.pressures, AbutConstraintGetMotion(s->constraint), s->state.time, s->size.h,
                                     (PetscBool)(AbutLoadsActAtEnd(s) || AbutTimeIntegratorNeedsForces(&s->integrator))));
  AbutElasticBeginStep(s->parts.elastic, 0); /* forces at the start of the step */
  PetscCall(AbutTimeIntegratorBegin(&s->integrator, s->size.h, s->terms.pressure.pressures));
  AbutElasticBeginStep(s->parts.elastic, s->size.h);
  s->terms.elasticity.factor     = s->integrator.c2;
  s->integrator.viscosity.factor = s->integrator.c2 * s->integrator.rate;
  s->terms.friction.contact_c2   = s->integrator.contact_c2;
  s->terms.pressure.factor = s->terms.tie.factor = s->integrator.c2;
  AbutNewtonSetStep(s->newton, s->state.step + 1, AbutTimeUnit(&s->spec, s->size.h), s->integrator.contact_c2);
  PetscFunctionReturn(0);
}

/* Starts the travel of a driven half space from the state. */
static PetscErrorCode BeginDrive(AbutStepper s)
{
  const AbutLoadSpec *load = AbutConstraintGetDrive(s->constraint);

  PetscFunctionBegin;
  if (!load) PetscFunctionReturn(0);
  s->drive = (AbutDriveStep){.at_end = AbutLoadsActAtEnd(s)};
  AbutTimeIntegratorBeginDriven(&s->integrator, load->plane_mass, AbutDot(s->ml->dim, s->spec.gravity, s->parts.planes[load->plane].normal),
                                &s->drive);
  PetscCall(AbutConstraintBeginDrive(s->constraint, &s->drive));
  PetscFunctionReturn(0);
}

/* Velocity and acceleration of the driven half space at the end of the step. Collective. */
static PetscErrorCode AcceptDrive(AbutStepper s)
{
  const AbutLoadSpec *load = AbutConstraintGetDrive(s->constraint);
  PetscReal           reaction, part;

  PetscFunctionBegin;
  if (!load || !(s->drive.inertia > 0)) PetscFunctionReturn(0);
  PetscCall(AbutConstraintGetDriveReaction(s->constraint, &reaction));
  AbutTimeIntegratorAcceptDriven(&s->integrator, &s->drive, AbutConstraintGetDriveTravel(s->constraint),
                                 reaction / s->integrator.contact_c2,
                                 AbutLoadFactor(load, s->state.time, s->size.h, s->drive.at_end, &part) *
                                   AbutDot(s->ml->dim, load->force, s->parts.planes[load->plane].normal));
  PetscFunctionReturn(0);
}

/* Sets up the objective of a step of length size.h from the state, and moves prescribed vertices as far as contact allows. Collective. */
static PetscErrorCode BeginObjective(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(s->at->x, s->state.x, s->ml->num_owned * s->ml->dim));
  PetscCall(AbutObjectiveUpdateGhosts(s->objective, s->at->x));
  PetscCall(PetscArraycpy(s->integrator.inertia.x_start, s->at->x, s->ml->num_local * s->ml->dim));
  PetscCall(AbutFrictionLagBegin(s));
  PetscCall(AbutConstraintBeginStep(s->constraint, s->state.time, s->size.h));
  PetscCall(BeginIntegrator(s));
  PetscCall(AbutStartPush(s));
  PetscCall(BeginDrive(s));
  PetscCall(CheckSupport(s, PETSC_FALSE));
  PetscFunctionReturn(0);
}

/* BeginObjective(), then the start of Newton's method. Collective. */
static PetscErrorCode BeginAttempt(AbutStepper s)
{
  PetscBool energy_known;

  PetscFunctionBegin;
  PetscCall(BeginObjective(s));
  PetscCall(AbutStiffnessBeginStep(s->newton, s->state.kappa, s->state.c2));
  PetscCall(AbutStartPredict(s, &energy_known));
  PetscCall(AbutNewtonBegin(s->newton, energy_known));
  AbutReportBegin(s);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperCheckStart(AbutStepper s)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  if (s->spec.integrator != ABUT_INTEGRATOR_STATIC || AbutStepperIsDone(s)) PetscFunctionReturn(0);
  AbutStepSizeBegin(&s->spec, &s->state, &s->size);
  PetscCall(PetscArraycpy(s->flags_start, s->state.motion, s->state.num_motions));
  code = BeginObjective(s);
  PetscCall(PetscArraycpy(s->state.motion, s->flags_start, s->state.num_motions));
  PetscCall(code);
  PetscFunctionReturn(0);
}

/*
  A quasi-static body that leaves its support has no equilibrium nearby, and the minimiser may have carried it to a distant one, around
  obstacles. Such a solve does not count as converged; *body: which body left, or -1. Collective.
*/
static PetscErrorCode RefuseDrift(AbutStepper s, AbutNewtonResult *result, PetscInt *body, PetscReal *shift)
{
  PetscFunctionBegin;
  *body = -1;
  if (s->spec.integrator != ABUT_INTEGRATOR_STATIC || !result->converged) PetscFunctionReturn(0);
  PetscCall(AbutConstraintFindDrift(s->constraint, s->at->x, body, shift));
  if (*body >= 0) {
    result->converged = PETSC_FALSE;
    PetscCall(PetscArraycpy(s->state.motion, s->flags_start, s->state.num_motions));
  }
  PetscFunctionReturn(0);
}

/* One attempt at a step of length size.h. If it fails or ends in an error, the state is as it was. Collective. */
static PetscErrorCode Attempt(AbutStepper s, const AbutNewtonResult *result)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(s->flags_start, s->state.motion, s->state.num_motions));
  code = BeginAttempt(s);
  if (!code) code = AbutFrictionLagSolve(s);
  if (code || !result->converged) PetscCall(PetscArraycpy(s->state.motion, s->flags_start, s->state.num_motions));
  PetscCall(code);
  PetscFunctionReturn(0);
}

static PetscErrorCode Accept(AbutStepper s)
{
  const PetscInt         n       = s->ml->num_owned * s->ml->dim;
  PetscReal             *contact = NULL, *friction = NULL;
  const AbutRigidMotion *done, *ahead;

  PetscFunctionBegin;
  AbutConstraintGetPlaneMotions(s->constraint, &done, &ahead);
  if (AbutTimeIntegratorNeedsForces(&s->integrator)) {
    PetscCall(PetscMalloc2(n, &contact, n, &friction));
    PetscCall(AbutStepperGetContactForce(s, contact, friction));
  }
  PetscCall(AcceptDrive(s));
  for (PetscInt b = 0; b < s->ml->num_bodies; b++) s->integrator.touches[b] = AbutNewtonTouches(s->newton, b);
  PetscCall(AbutTimeIntegratorAccept(&s->integrator, s->at->x, s->at->gradient, contact, friction));
  PetscCall(PetscFree2(contact, friction));
  AbutElasticAcceptStep(s->parts.elastic, s->at->x);
  PetscCall(PetscArraycpy(s->state.plane_point, AbutConstraintGetPlanePoints(s->constraint), 3 * s->state.num_planes));
  for (PetscInt i = 0; i < 3 * s->state.num_planes; i++) s->state.plane_turn[i] += done[i / 3].angle[i % 3];
  PetscCall(AbutSurfaceAccumulateSlip(s));
  s->state.kappa = AbutStiffnessGet(s->newton);
  AbutStepSizeAccept(&s->spec, &s->size, &s->state);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperStep(AbutStepper s, AbutStepReport *report)
{
  AbutNewtonResult *result = AbutNewtonGetResult(s->newton);
  PetscInt          left;
  PetscReal         shift = 0;

  PetscFunctionBegin;
  AbutNewtonReset(s->newton);
  s->terms.barrier.contacts_max = s->terms.barrier.candidates_max = 0;
  AbutStepSizeBegin(&s->spec, &s->state, &s->size);
  do {
    PetscCall(Attempt(s, result));
    PetscCall(RefuseDrift(s, result, &left, &shift));
  } while (!result->converged && !result->stopped && AbutStepSizeHalve(&s->spec, &s->state, &s->size));
  AbutCheck(left < 0, ABUT_ERR_DIVERGED,
            "step %" PetscInt_FMT
            ": body '%s' moves by %.3g m, more than half its size: it leaves its support, and there is no equilibrium "
            "nearby; hold it by motions or friction, start it within the activation distance of its support, raise time.regularization, or "
            "use another integrator",
            s->state.step + 1, s->ml->bodies[PetscMax(left, 0)].name, (double)shift);
  if (result->converged)
    PetscCall(Accept(s));
  else if (!result->stopped)
    PetscCall(CheckSupport(s, PETSC_TRUE));
  PetscCall(AbutReportStep(s));
  *report = s->report;
  PetscFunctionReturn(0);
}
