/*
  Prescribed motion within a step. Its displacement is first applied as far as contact allows, to vertices and planes alike. What is left
  is pulled in by a penalty with multipliers inside Newton until 99.9 % is done, then it is fixed (numerics: IPC, supplement, "moving
  collision objects"); planes in press.c.
*/
#include "solveimpl.h"

#define PENALTY_START 1e6
#define PENALTY_MOST  1e8
#define DONE          0.999
#define ADVANCE_SLACK 0.5 /* a push leaves Newton half of every gap */

static PetscErrorCode CreateMotion(AbutStepper s, const AbutMotionSpec *spec, Motion *motion)
{
  PetscFunctionBegin;
  motion->spec = spec;
  if (spec->plane >= 0)
    PetscCall(AbutMotionCheckPlane(s, spec));
  else
    PetscCall(AbutMeshSelect(s->mesh, &spec->selection, spec->place, &motion->num_vertices, &motion->vertices));
  PetscCall(AbutSequenceCreate(s, motion));
  PetscCall(AbutConditionCreate(s, motion));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBoundaryCreate(AbutStepper s, PetscInt num_planes, const AbutPlaneSpec planes[], PetscInt num_motions,
                                  const AbutMotionSpec motions[])
{
  Boundary *b = &s->boundary;

  PetscFunctionBegin;
  b->num_motions = num_motions;
  b->num_planes  = num_planes;
  b->planes      = planes;
  PetscCall(PetscCalloc1(num_motions, &b->motions));
  PetscCall(PetscCalloc4(s->ml->num_owned, &b->state, s->n, &b->target, s->n, &b->multiplier, s->n, &b->constrained));
  PetscCall(
    PetscCalloc4(num_planes, &b->plane_whole, num_planes, &b->plane_done, num_planes, &b->plane_ahead, num_planes, &b->nudged_planes));
  PetscCall(PetscCalloc2(3 * num_planes, &b->plane_point, 3 * num_planes, &b->plane_step));
  for (PetscInt i = 0; i < 3 * num_planes; i++) b->plane_point[i] = planes[i / 3].point[i % 3];
  for (PetscInt m = 0; m < num_motions; m++) PetscCall(CreateMotion(s, &motions[m], &b->motions[m]));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBoundaryDestroy(AbutStepper s)
{
  Boundary *b = &s->boundary;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < b->num_motions; m++) {
    PetscCall(PetscFree(b->motions[m].vertices));
    PetscCall(AbutSequenceDestroy(&b->motions[m]));
    PetscCall(AbutConditionDestroy(&b->motions[m]));
  }
  PetscCall(PetscFree(b->motions));
  PetscCall(PetscFree4(b->state, b->target, b->multiplier, b->constrained));
  PetscCall(PetscFree4(b->plane_whole, b->plane_done, b->plane_ahead, b->nudged_planes));
  PetscCall(PetscFree2(b->plane_point, b->plane_step));
  PetscFunctionReturn(0);
}

/* Root of sum |target - x|^2 over the moving vertices. Collective. */
static PetscErrorCode RemainingDistance(AbutStepper s, const PetscReal x[], PetscReal *distance)
{
  const Boundary *b   = &s->boundary;
  PetscReal       sum = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    if (b->state[v] == ABUT_BOUNDARY_MOVING)
      for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) sum += PetscSqr(b->target[i] - x[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, s->comm));
  *distance = PetscSqrtReal(sum);
  PetscFunctionReturn(0);
}

static void SetConstrained(AbutStepper s)
{
  Boundary *b = &s->boundary;

  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    const PetscBool fixed = (PetscBool)(b->state[v] == ABUT_BOUNDARY_HELD || (b->state[v] == ABUT_BOUNDARY_MOVING && !b->pulling));
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) b->constrained[i] = fixed;
  }
}

PetscErrorCode AbutBoundaryResetPlanes(AbutStepper s)
{
  Boundary *b = &s->boundary;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(b->plane_point, s->state.plane_point, 3 * b->num_planes));
  PetscCall(AbutContactSetPlanes(s->contact, b->plane_point, NULL));
  PetscFunctionReturn(0);
}

/* Planes have done a share of their way, and stand at the given points. */
static PetscErrorCode SetPlanes(AbutStepper s, PetscReal share, const AbutPlaneSpec planes[])
{
  Boundary *b = &s->boundary;

  PetscFunctionBegin;
  b->plane_share = share;
  for (PetscInt i = 0; i < 3 * b->num_planes; i++) {
    b->plane_point[i]                  = planes[i / 3].point[i % 3];
    b->plane_done[i / 3].center[i % 3] = b->plane_whole[i / 3].center[i % 3];
    b->plane_done[i / 3].angle[i % 3]  = share * b->plane_whole[i / 3].angle[i % 3];
    b->plane_done[i / 3].shift[i % 3]  = b->plane_point[i] - s->state.plane_point[i];
  }
  PetscCall(AbutContactSetPlanes(s->contact, b->plane_point, NULL));
  if (s->frictional) PetscCall(AbutFrictionSetPlaneMotions(s->friction, b->plane_done, NULL));
  PetscFunctionReturn(0);
}

/* Squared lengths of the motions' ways that are left at owned positions x, over all ranks. Collective. */
static PetscErrorCode MotionsLeft(AbutStepper s, const PetscReal x[], PetscReal left[])
{
  const Boundary *b = &s->boundary;
  PetscMPIInt     count;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < b->num_motions; m++) {
    const Motion *motion = &b->motions[m];
    left[m]              = 0;
    for (PetscInt k = 0; k < motion->num_vertices; k++)
      if (b->state[motion->vertices[k]] == ABUT_BOUNDARY_MOVING)
        for (PetscInt i = 0; i < s->dim; i++)
          left[m] += PetscSqr(b->target[motion->vertices[k] * s->dim + i] - x[motion->vertices[k] * s->dim + i]);
  }
  PetscCall(PetscMPIIntCast(b->num_motions, &count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, left, count, MPIU_REAL, MPIU_SUM, s->comm));
  PetscFunctionReturn(0);
}

static PetscBool AnyPlaneMoves(const Boundary *b)
{
  for (PetscInt p = 0; p < b->num_planes; p++)
    if (AbutDot(3, b->plane_whole[p].shift, b->plane_whole[p].shift) + AbutDot(3, b->plane_whole[p].angle, b->plane_whole[p].angle) > 0)
      return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode AbutBoundaryBeginStep(AbutStepper s, PetscReal t)
{
  Boundary  *b = &s->boundary;
  PetscReal *left;

  PetscFunctionBegin;
  PetscCall(AbutBoundaryResetPlanes(s));
  PetscCall(AbutConditionsUpdate(s, t));
  PetscCall(AbutMotionsSetTargets(s, t));
  PetscCall(PetscArrayzero(b->multiplier, s->n));
  PetscCall(PetscArrayzero(b->plane_done, b->num_planes));
  PetscCall(RemainingDistance(s, s->state.x, &b->distance));
  PetscCall(PetscMalloc1(b->num_motions, &left));
  PetscCall(MotionsLeft(s, s->state.x, left));
  for (PetscInt m = 0; m < b->num_motions; m++) b->motions[m].distance = PetscSqrtReal(left[m]);
  PetscCall(PetscFree(left));
  b->pulling = b->pressing = b->pending = PETSC_FALSE;
  b->penalty                            = PENALTY_START;
  b->progress = b->plane_share = 1;
  b->plane_rate = b->plane_multiplier = 0;
  SetConstrained(s);
  PetscFunctionReturn(0);
}

/* Moves the prescribed vertices of s->x towards their targets along s->p, and the planes, as far as contact and cells let both. Collective. */
static PetscErrorCode Push(AbutStepper s, PetscReal *step)
{
  Boundary             *b = &s->boundary;
  const AbutCandidates *candidates;
  PetscInt              cell;
  AbutLimitingPair      blame;

  PetscFunctionBegin;
  *step = 1;
  PetscCall(AbutElasticMaxStep(s->elastic, s->x, s->p, 0.8, step, &cell));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, step, 1, MPIU_REAL, MPIU_MIN, s->comm));
  for (PetscInt i = 0; i < 3 * b->num_planes; i++) b->plane_step[i] = b->plane_whole[i / 3].shift[i % 3];
  PetscCall(AbutContactSetPlanes(s->contact, b->plane_point, b->plane_step));
  PetscCall(AbutObjectiveSearch(s, s->p, step));
  PetscCall(AbutContactMaxStep(s->contact, s->spec.ccd, ADVANCE_SLACK, step, &blame));
  PetscCall(AbutObjectiveAccept(s, *step));
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(SetPlanes(s, *step, candidates->planes));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBoundaryAdvance(AbutStepper s)
{
  Boundary       *b      = &s->boundary;
  const PetscBool planes = AnyPlaneMoves(b);
  PetscReal       step   = 1;

  PetscFunctionBegin;
  if (b->distance == 0 && !planes) {
    PetscCall(AbutObjectiveSearch(s, NULL, &step));
    PetscCall(AbutObjectiveAccept(s, 0));
    PetscFunctionReturn(0);
  }
  for (PetscInt i = 0; i < s->n; i++) s->p[i] = b->target[i] - s->x[i];
  PetscCall(AbutMeshHaloBegin(s->mesh, s->dim, s->p));
  PetscCall(AbutMeshHaloEnd(s->mesh, s->dim, s->p));
  PetscCall(Push(s, &step));
  if (!planes) b->plane_share = 1;
  b->progress = step;
  b->pulling  = (PetscBool)(b->distance > 0 && step < 1);
  b->pressing = (PetscBool)(planes && step < DONE);
  b->pending  = (PetscBool)(b->pulling || b->pressing);
  SetConstrained(s);
  PetscFunctionReturn(0);
}

/* Vertices that are pulled: are they there? Collective. */
static PetscErrorCode UpdatePull(AbutStepper s, PetscReal *progress, PetscBool *changed)
{
  Boundary *b = &s->boundary;
  PetscReal left;

  PetscFunctionBegin;
  PetscCall(RemainingDistance(s, s->x, &left));
  *progress = 1 - left / b->distance;
  if (*progress < DONE) PetscFunctionReturn(0);
  b->pulling = PETSC_FALSE;
  *changed   = PETSC_TRUE;
  SetConstrained(s);
  PetscFunctionReturn(0);
}

/* Planes moved along the line that was searched: are they there? */
static PetscErrorCode UpdatePress(AbutStepper s)
{
  Boundary             *b = &s->boundary;
  const AbutCandidates *candidates;

  PetscFunctionBegin;
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(SetPlanes(s, b->plane_share + s->t * b->plane_rate, candidates->planes));
  b->plane_rate = 0;
  b->pressing   = (PetscBool)(b->plane_share < DONE);
  PetscFunctionReturn(0);
}

static void PullHarder(AbutStepper s)
{
  Boundary *b = &s->boundary;

  if (b->penalty < PENALTY_MOST) {
    b->penalty *= 2;
    return;
  }
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) b->multiplier[i] -= AbutBoundaryPull(s, v) * (s->x[i] - b->target[i]);
  if (b->pressing) AbutPressHarder(s);
}

PetscErrorCode AbutBoundaryUpdate(AbutStepper s, PetscBool settled, PetscBool *changed)
{
  Boundary *b        = &s->boundary;
  PetscReal progress = 1;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  if (!b->pending) PetscFunctionReturn(0);
  if (b->pressing) {
    PetscCall(UpdatePress(s));
    *changed = PETSC_TRUE; /* friction has seen the planes at rest along the line */
  }
  if (b->pulling) PetscCall(UpdatePull(s, &progress, changed));
  b->pending  = (PetscBool)(b->pulling || b->pressing);
  b->progress = PetscMin(progress, b->plane_share);
  if (b->pending && settled) {
    *changed = PETSC_TRUE;
    PullHarder(s);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBoundaryAccept(AbutStepper s)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(s->state.plane_point, s->boundary.plane_point, 3 * s->boundary.num_planes));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBoundaryReport(AbutStepper s)
{
  const Boundary *b     = &s->boundary;
  PetscReal       least = DONE, *left;

  PetscFunctionBegin;
  s->report.boundary_progress = b->progress;
  s->report.boundary_place    = NULL;
  if (s->report.converged) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(b->num_motions, &left));
  PetscCall(MotionsLeft(s, s->x, left));
  for (PetscInt m = 0; m < b->num_motions; m++) {
    const Motion *motion   = &b->motions[m];
    PetscReal     progress = motion->distance > 0 ? 1 - PetscSqrtReal(left[m]) / motion->distance : 1;

    if (motion->spec->plane >= 0 && AbutMotionIsActive(s, m, s->state.time)) progress = b->plane_share;
    if (progress >= least) continue;
    least                    = progress;
    s->report.boundary_place = motion->spec->place;
  }
  PetscCall(PetscFree(left));
  PetscFunctionReturn(0);
}

PetscReal AbutBoundaryPull(AbutStepper s, PetscInt vertex)
{
  const Boundary *b = &s->boundary;

  if (!b->pulling || b->state[vertex] != ABUT_BOUNDARY_MOVING) return 0;
  return b->penalty * (s->mass[vertex] > 0 ? s->mass[vertex] : s->mean_mass);
}

PetscReal AbutBoundaryEnergy(AbutStepper s, const PetscReal x[])
{
  const Boundary *b      = &s->boundary;
  PetscReal       energy = 0;

  if (!b->pulling) return 0;
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    const PetscReal pull = AbutBoundaryPull(s, v);
    if (pull == 0) continue;
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) {
      const PetscReal gap = x[i] - b->target[i];
      energy += gap * (pull / 2 * gap - b->multiplier[i]);
    }
  }
  return energy;
}

void AbutBoundaryAddGradient(AbutStepper s, const PetscReal x[], PetscReal g[])
{
  const Boundary *b = &s->boundary;

  if (!b->pulling) return;
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    const PetscReal pull = AbutBoundaryPull(s, v);
    if (pull == 0) continue;
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) g[i] += pull * (x[i] - b->target[i]) - b->multiplier[i];
  }
}
