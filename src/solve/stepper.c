/* The time stepper: life cycle, state, one step. */
#include "solveimpl.h"

/* Of the mean edge; across the diagonal of squares in two, opposite vertices are 0.6 of it from each other's triangle. */
#define NEIGHBOURS 0.5

const char *const AbutLimiters[] = {"none", "ccd", "inversion", "energy", "pair-bound", "AbutLimiter", "ABUT_LIMIT_", NULL};

PetscReal AbutQuantityResolve(const AbutQuantity *quantity, PetscReal length)
{
  return quantity->relative ? quantity->value * length : quantity->value;
}

PetscReal AbutStepSpecLength(const AbutStepSpec *spec, PetscReal diagonal)
{
  return spec->reference_length > 0 ? spec->reference_length : diagonal;
}

/* Rest positions; each body's initial velocity, turning about the centre of its box. */
static void InitialState(AbutStepper s)
{
  const AbutMeshLocal *ml = s->ml;

  for (PetscInt v = 0; v < ml->num_owned; v++) {
    const AbutBody *body = &ml->bodies[ml->vertex_body[v]];
    PetscReal       r[3] = {0, 0, 0}, turn[3];
    for (PetscInt i = 0; i < s->dim; i++) r[i] = ml->rest[v * s->dim + i] - (body->box[0][i] + body->box[1][i]) / 2;
    AbutCross(body->angular_velocity, r, turn);
    for (PetscInt i = 0; i < s->dim; i++) {
      s->state.x[v * s->dim + i] = ml->rest[v * s->dim + i];
      s->state.v[v * s->dim + i] = body->obstacle ? 0 : body->velocity[i] + turn[i];
    }
  }
}

/* What conditions have done to motions, and where planes are. */
static PetscErrorCode SetUpMotionState(AbutStepper s, PetscInt num_motions, PetscInt num_planes)
{
  AbutState *state = &s->state;

  PetscFunctionBegin;
  state->num_motions = num_motions;
  state->num_planes  = num_planes;
  PetscCall(PetscCalloc3(num_motions, &state->motion, num_motions, &s->motion_start, 3 * num_planes, &state->plane_point));
  for (PetscInt k = 0; k < num_planes; k++) PetscCall(PetscArraycpy(state->plane_point + 3 * k, s->planes[k].point, 3));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUpMass(AbutStepper s)
{
  PetscReal sums[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(AbutElasticGetMass(s->elastic, s->mass));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    if (s->mass[v] > 0) sums[0] += s->mass[v], sums[1] += 1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, s->comm));
  s->total_mass = sums[0];
  s->mean_mass  = sums[1] > 0 ? sums[0] / sums[1] : 1;
  PetscFunctionReturn(0);
}

/* The cells, as stencils that contribute to every Hessian. */
static PetscErrorCode SetUpAssembler(AbutStepper s)
{
  const PetscInt n = s->dim + 1;
  PetscInt      *vertices;

  PetscFunctionBegin;
  PetscCall(AbutAssemblerCreate(s->comm, s->dim, s->ml->num_owned, &s->assembler));
  PetscCall(PetscMalloc1(s->ml->num_cells * n, &vertices));
  for (PetscInt k = 0; k < s->ml->num_cells * n; k++) vertices[k] = s->ml->vertex_global[s->ml->cells[k]];
  PetscCall(AbutAssemblerSetFixed(s->assembler, n, s->ml->num_cells, vertices));
  PetscCall(PetscFree(vertices));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperCreate(AbutMesh mesh, AbutElastic elastic, AbutContact contact, AbutPotential potential, const AbutStepSpec *spec,
                                 PetscInt num_planes, const AbutPlaneSpec planes[], PetscInt num_motions, const AbutMotionSpec motions[],
                                 PetscInt num_loads, const AbutLoadSpec loads[], AbutStepper *stepper)
{
  AbutStepper s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  s->mesh      = mesh;
  s->elastic   = elastic;
  s->contact   = contact;
  s->potential = potential;
  s->spec      = *spec;
  s->planes    = planes;
  PetscCall(AbutMeshGetComm(mesh, &s->comm));
  PetscCall(AbutMeshGetLocal(mesh, &s->ml));
  s->dim       = s->ml->dim;
  s->n         = s->ml->num_owned * s->dim;
  s->length    = AbutStepSpecLength(spec, s->ml->diagonal);
  s->dhat      = AbutQuantityResolve(&spec->dhat, s->length);
  s->tolerance = AbutQuantityResolve(&spec->tolerance, s->length);
  PetscCall(PetscCalloc2(s->n, &s->gradient, s->ml->num_owned, &s->mass));
  PetscCall(PetscCalloc2(s->ml->num_local * s->dim, &s->x, s->ml->num_local * s->dim, &s->p));
  PetscCall(SetUpMass(s));
  PetscCall(AbutIntegratorCreate(s));
  PetscCall(SetUpMotionState(s, num_motions, num_planes));
  InitialState(s);
  PetscCall(AbutPotentialSetDhat(potential, s->dhat));
  PetscCall(AbutPotentialSetUp(potential, mesh, contact));
  PetscCall(AbutBoundaryCreate(s, num_planes, planes, num_motions, motions));
  PetscCall(AbutLoadsCreate(s, num_loads, loads));
  PetscCall(AbutStepFrictionCreate(s));
  PetscCall(SetUpAssembler(s));
  PetscCall(VecCreateMPI(s->comm, s->n, PETSC_DETERMINE, &s->X));
  PetscCall(VecDuplicate(s->X, &s->F));
  PetscCall(AbutStiffnessCreate(s));
  s->pattern_margin = 3;
  *stepper          = s;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperDestroy(AbutStepper *stepper)
{
  AbutStepper s = *stepper;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  PetscCall(SNESDestroy(&s->snes));
  PetscCall(AbutLinearDestroy(&s->solver));
  PetscCall(AbutAssemblerDestroy(&s->assembler));
  PetscCall(AbutBoundaryDestroy(s));
  PetscCall(AbutLoadsDestroy(s));
  PetscCall(VecDestroy(&s->X));
  PetscCall(VecDestroy(&s->F));
  PetscCall(AbutFrictionDestroy(&s->friction));
  PetscCall(PetscFree2(s->xt, s->gc));
  PetscCall(AbutIntegratorDestroy(s));
  PetscCall(PetscFree3(s->state.motion, s->motion_start, s->state.plane_point));
  PetscCall(PetscFree2(s->gradient, s->mass));
  PetscCall(PetscFree2(s->x, s->p));
  PetscCall(PetscFree(*stepper));
  PetscFunctionReturn(0);
}

/*
  Pairs that the pattern looks ahead for must not be neighbours on the surface: where they are, separators of nested dissection are twice as
  wide, and a sheet takes eight times the operations. So the margin ends at a share of the mean length of surface edges. Collective.
*/
static PetscErrorCode LimitMargin(AbutStepper s)
{
  PetscReal edge;

  PetscFunctionBegin;
  PetscCall(AbutMeshGetMeanEdge(s->mesh, PETSC_FALSE, &edge));
  if (edge > 0) s->pattern_margin = PetscMax(PetscMin(s->pattern_margin, NEIGHBOURS * edge / s->dhat), 1);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperSetFromOptions(AbutStepper s)
{
  PetscBool margin_chosen;

  PetscFunctionBegin;
  PetscOptionsBegin(s->comm, NULL, "Time stepper", "AbutStepper");
  PetscCall(PetscOptionsReal("-abut_pattern_margin",
                             "Pairs within this many dhat enter the matrix pattern; the default is no more than half the mean surface edge",
                             "AbutStepper", s->pattern_margin, &s->pattern_margin, &margin_chosen));
  PetscOptionsEnd();
  AbutCheck(s->pattern_margin >= 1, ABUT_ERR_INPUT, "-abut_pattern_margin %g: at least 1 is needed", (double)s->pattern_margin);
  if (!margin_chosen) PetscCall(LimitMargin(s));
  s->reach = s->pattern_margin * s->dhat;
  PetscCall(AbutNewtonCreate(s));
  PetscCall(SNESSetFromOptions(s->snes));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperGetState(AbutStepper s, AbutState **state)
{
  PetscFunctionBegin;
  *state = &s->state;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperIsDone(AbutStepper s, PetscBool *done)
{
  PetscFunctionBegin;
  *done = (PetscBool)(s->state.time >= AbutStepSpecEnd(&s->spec));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperSetMonitor(AbutStepper s, AbutNewtonMonitorFn fn, void *ctx)
{
  PetscFunctionBegin;
  s->monitor     = fn;
  s->monitor_ctx = ctx;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperSetStop(AbutStepper s, AbutStopFn fn, void *ctx)
{
  PetscFunctionBegin;
  s->stop     = fn;
  s->stop_ctx = ctx;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperForget(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(AbutAssemblerForgetPattern(s->assembler));
  PetscCall(AbutContactForget(s->contact));
  PetscCall(AbutBoundaryResetPlanes(s));
  PetscCall(AbutDirectionForget(s));
  PetscFunctionReturn(0);
}

/* A report of nothing done yet. */
static void BeginReport(AbutStepper s)
{
  s->report                      = (AbutStepReport){0};
  s->report.search.smallest_step = 1;
  s->report.search.pair          = (AbutLimitingPair){{-1, -1, -1, -1}, {-1, -1}, PETSC_INFINITY, -1};
  for (int k = 0; k < ABUT_NUM_LIMITS; k++) s->limits[k] = 0;
}

/* Iterate, boundary targets, predictor and objective of a step of s->h from the state. */
static PetscErrorCode BeginAttempt(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(s->x, s->state.x, s->n));
  PetscCall(AbutMeshHaloBegin(s->mesh, s->dim, s->x));
  PetscCall(AbutMeshHaloEnd(s->mesh, s->dim, s->x));
  PetscCall(PetscArraycpy(s->x_start, s->x, s->ml->num_local * s->dim));
  PetscCall(AbutStepFrictionBegin(s));
  PetscCall(AbutBoundaryBeginStep(s, s->state.time));
  PetscCall(AbutLoadsUpdate(s, s->state.time));
  PetscCall(AbutIntegratorBegin(s));
  PetscCall(AbutBoundaryAdvance(s));
  PetscCall(AbutRigidCheck(s, PETSC_FALSE));
  PetscCall(AbutStiffnessBegin(s));
  PetscCall(AbutPredict(s));
  PetscCall(AbutObjectiveBegin(s));
  PetscFunctionReturn(0);
}

/* One attempt at a step of s->h; if it fails or ends in an error, the state is as it was. */
static PetscErrorCode Attempt(AbutStepper s)
{
  const PetscReal kappa = s->state.kappa;
  PetscErrorCode  code;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(s->motion_start, s->state.motion, s->state.num_motions));
  code = BeginAttempt(s);
  if (!code) code = AbutStepFrictionSolve(s);
  if (code || !s->report.converged) {
    s->state.kappa = kappa;
    PetscCall(PetscArraycpy(s->state.motion, s->motion_start, s->state.num_motions));
  }
  PetscCall(code);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperStep(AbutStepper s, AbutStepReport *report)
{
  PetscFunctionBegin;
  BeginReport(s);
  AbutAdaptiveBegin(s);
  do {
    PetscCall(Attempt(s));
  } while (!s->report.converged && !s->report.stopped && AbutAdaptiveHalve(s));
  if (s->report.converged) {
    PetscCall(AbutIntegratorAccept(s));
    PetscCall(AbutBoundaryAccept(s));
    AbutAdaptiveAccept(s);
  } else if (!s->report.stopped) {
    PetscCall(AbutRigidCheck(s, PETSC_TRUE));
  }
  PetscCall(AbutReportStep(s));
  *report = s->report;
  PetscFunctionReturn(0);
}
