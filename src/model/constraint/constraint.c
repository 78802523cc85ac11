/*
  Prescribed motion of vertices and half spaces in a step: life cycle, targets, first displacement, completed fractions, penalty,
  multipliers.
*/
#include "constraintimpl.h"
#include <abut/option.h>

#define PENALTY_START 1e6   /* penalty of an incomplete motion at the start of a step, over the mass of the vertex */
#define PENALTY_MAX   1e10  /* penalty from which on multipliers are updated instead of increasing it */
#define GROWTH        100   /* factor of an increase of the penalty; with 2 a press takes more than 1.5 times the iterations */
#define LEFT          0.5   /* fraction of the remaining motion that a full step may leave without an increase */
#define DONE          0.999 /* completed fraction of a motion from which on it counts as complete */
#define TURN          6     /* angle up to which vertices turn along a straight line; beyond, along the arc in pieces of half of it [deg] */

static PetscErrorCode CreateMotion(const Kinematics *k, const AbutMotionSpec *spec, Motion *motion)
{
  PetscFunctionBegin;
  motion->spec = spec;
  if (spec->plane >= 0)
    PetscCall(AbutMotionCheckPlane(k, spec));
  else
    PetscCall(AbutMeshSelect(k->mesh, &spec->selection, spec->place, &motion->num_vertices, &motion->vertices));
  PetscCall(AbutSequenceCreate(k, motion));
  PetscCall(AbutConditionCreate(k, motion));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateMotions(const AbutModelParts *parts, Kinematics *k)
{
  PetscFunctionBegin;
  k->comm        = AbutMeshGetComm(parts->mesh);
  k->ml          = AbutMeshGetLocal(parts->mesh);
  k->mesh        = parts->mesh;
  k->dim         = k->ml->dim;
  k->num_motions = parts->num_motions;
  k->num_planes  = parts->num_planes;
  k->planes      = parts->planes;
  PetscCall(PetscCalloc1(k->num_motions, &k->motions));
  for (PetscInt m = 0; m < k->num_motions; m++) PetscCall(CreateMotion(k, &parts->motions[m], &k->motions[m]));
  PetscCall(AbutComponentsCheck(k));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateArrays(const Kinematics *k, VertexMotion *v, PlaneMotion *p)
{
  const PetscInt n = k->ml->num_owned * k->dim, num = k->num_planes;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(n, &v->state, n, &v->target, n, &v->multiplier, n, &v->fixed));
  PetscCall(PetscCalloc4(num, &p->whole, num, &p->done, num, &p->ahead, num, &p->displaced));
  PetscCall(PetscCalloc2(3 * num, &p->point, 3 * num, &p->step));
  for (PetscInt i = 0; i < 3 * num; i++) p->point[i] = k->planes[i / 3].point[i % 3];
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintCreate(const AbutModelParts *parts, AbutFriction friction, const AbutLumpedMass *mass,
                                    const AbutMotionState *start, AbutConstraint *constraint)
{
  AbutConstraint c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *constraint      = c;
  c->contact       = parts->contact;
  c->potential     = parts->potential;
  c->friction      = friction;
  c->done          = DONE;
  c->mass          = *mass;
  c->motions.start = *start;
  PetscCall(CreateMotions(parts, &c->motions));
  PetscCall(CreateArrays(&c->motions, &c->vertices, &c->planes));
  PetscCall(AbutDriveCreate(parts, c));
  c->motion = (AbutPrescribedMotion){.state = c->vertices.state, .target = c->vertices.target, .fixed = c->vertices.fixed};
  PetscFunctionReturn(0);
}

void AbutConstraintSetTies(AbutConstraint c, AbutTies ties)
{
  c->ties = ties;
}

PetscErrorCode AbutConstraintDestroy(AbutConstraint *constraint)
{
  AbutConstraint c = *constraint;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(0);
  for (PetscInt m = 0; m < c->motions.num_motions; m++) {
    Motion *motion = &c->motions.motions[m];
    PetscCall(PetscFree(motion->vertices));
    for (int i = 0; i < 2; i++) PetscCall(PetscFree(motion->frames.x[i]));
    for (int i = 0; i < 2; i++) PetscCall(PetscFree(motion->subject[i].vertices));
  }
  PetscCall(PetscFree(c->motions.motions));
  PetscCall(PetscFree4(c->vertices.state, c->vertices.target, c->vertices.multiplier, c->vertices.fixed));
  PetscCall(PetscFree4(c->planes.whole, c->planes.done, c->planes.ahead, c->planes.displaced));
  PetscCall(PetscFree2(c->planes.point, c->planes.step));
  PetscCall(PetscFree(*constraint));
  PetscFunctionReturn(0);
}

const AbutPrescribedMotion *AbutConstraintGetMotion(AbutConstraint c)
{
  return &c->motion;
}

PetscErrorCode AbutConstraintResetPlanes(AbutConstraint c)
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(c->planes.point, c->motions.start.plane_point, 3 * c->motions.num_planes));
  PetscCall(AbutContactSetPlanes(c->contact, c->planes.point, NULL));
  PetscFunctionReturn(0);
}

/* Resets fractions and multipliers. No motion is pending until the first displacement of a step stays short of its target. */
static void Reset(AbutConstraint c)
{
  c->vertices.pending = c->planes.pending = c->motion.pending = PETSC_FALSE;
  c->motion.progress = c->planes.fraction = c->vertices.progress = 1;
  c->planes.rate = c->planes.multiplier = 0;
  c->penalty                            = PENALTY_START;
  c->motion.planes_move                 = AbutPlaneMotionIsAny(&c->motions, &c->planes);
}

/* Sets the targets of the current piece, and their distance from x. Collective. */
static PetscErrorCode SetTargets(AbutConstraint c, const PetscReal x[])
{
  VertexMotion *v = &c->vertices;

  PetscFunctionBegin;
  c->motions.part = (PetscReal)(v->piece + 1) / (PetscReal)v->pieces;
  PetscCall(AbutMotionsSetTargets(&c->motions, v, c->planes.whole));
  AbutDriveSetUnit(c);
  PetscCall(AbutVertexMotionRemaining(&c->motions, v, x, &v->distance));
  c->motion.distance = v->distance;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintAdvance(AbutConstraint c, const PetscReal x[], PetscBool *more)
{
  PetscFunctionBegin;
  *more = (PetscBool)(c->vertices.piece + 1 < c->vertices.pieces);
  if (!*more) PetscFunctionReturn(0);
  c->vertices.piece++;
  PetscCall(SetTargets(c, x));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintCheckTurns(AbutConstraint c, PetscReal h)
{
  return AbutTurnCheck(&c->motions, h);
}

PetscErrorCode AbutConstraintBeginStep(AbutConstraint c, PetscReal t, PetscReal h)
{
  Kinematics *k = &c->motions;

  PetscFunctionBegin;
  k->t = t;
  k->h = h;
  PetscCall(AbutConstraintResetPlanes(c));
  c->planes.driving = PETSC_FALSE; /* until AbutConstraintBeginDrive() */
  PetscCall(AbutConditionsUpdate(k));
  PetscCall(AbutTurnPieces(k, TURN * PETSC_PI / 180, &c->vertices.pieces));
  c->vertices.piece = 0;
  PetscCall(SetTargets(c, k->start.x));
  PetscCall(PetscArrayzero(c->vertices.multiplier, k->ml->num_owned * k->dim));
  PetscCall(PetscArrayzero(c->planes.done, k->num_planes));
  Reset(c);
  AbutVertexMotionSetFixed(k, &c->vertices);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintBeginPush(AbutConstraint c)
{
  PlaneMotion    *p     = &c->planes;
  const PetscReal share = 1 / (PetscReal)c->vertices.pieces;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * c->motions.num_planes; i++) p->step[i] = share * p->whole[i / 3].shift[i % 3];
  PetscCall(AbutContactSetPlanes(c->contact, p->point, p->step));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintEndPush(AbutConstraint c, PetscReal step)
{
  VertexMotion   *v        = &c->vertices;
  const PetscReal fraction = ((PetscReal)v->piece + step) / (PetscReal)v->pieces;

  PetscFunctionBegin;
  PetscCall(AbutPlaneMotionSet(c, fraction));
  if (!c->motion.planes_move) c->planes.fraction = 1;
  c->motion.progress = fraction;
  v->pending         = (PetscBool)(v->distance > 0 && step < 1);
  v->progress        = v->pending ? step : 1;
  c->planes.pending  = (PetscBool)(c->motion.planes_move && step < 1 && fraction < c->done);
  c->motion.pending  = (PetscBool)(c->vertices.pending || c->planes.pending);
  AbutVertexMotionSetFixed(&c->motions, &c->vertices);
  PetscFunctionReturn(0);
}

/*
  Once the vertices have reached their targets: the next piece of their motion, or the end of their augmented Lagrangian. Collective.
  The next piece begins at a minimum: a light body that the first contact throws off would come back when the motion has passed its place.
  The penalty and the multipliers, which estimate the forces that resist, stay from piece to piece.
*/
static PetscErrorCode UpdateVertices(AbutConstraint c, const PetscReal x[], PetscBool settled, PetscBool *reached, PetscBool *changed)
{
  VertexMotion *v = &c->vertices;
  PetscReal     left;
  PetscBool     more;

  PetscFunctionBegin;
  PetscCall(AbutVertexMotionRemaining(&c->motions, v, x, &left));
  v->progress = v->distance > 0 ? 1 - left / v->distance : 1;
  *reached    = (PetscBool)(v->progress >= c->done);
  if (!*reached || (v->piece + 1 < v->pieces && !settled)) PetscFunctionReturn(0);
  *changed = PETSC_TRUE;
  PetscCall(AbutConstraintAdvance(c, x, &more));
  if (more) {
    v->progress = 0;
    PetscFunctionReturn(0);
  }
  v->pending = PETSC_FALSE;
  AbutVertexMotionSetFixed(&c->motions, v);
  PetscFunctionReturn(0);
}

/* Moves the half spaces to parameter t of the searched line. */
static PetscErrorCode UpdatePlanes(AbutConstraint c, PetscReal t)
{
  PetscFunctionBegin;
  PetscCall(AbutPlaneMotionSet(c, c->planes.fraction + t * c->planes.rate));
  c->planes.rate    = 0;
  c->planes.pending = (PetscBool)(c->planes.fraction < c->done);
  PetscFunctionReturn(0);
}

/* Completed fraction of the prescribed motion of half spaces; a driven one has none. */
static PetscReal PlaneProgress(AbutConstraint c)
{
  return AbutDriveIsActive(c) ? 1 : c->planes.fraction;
}

/* Completed fraction of the motions under the augmented Lagrangian: of the piece of the vertices, and of the half spaces. */
static PetscReal Progress(AbutConstraint c)
{
  return PetscMin(c->vertices.progress, PlaneProgress(c));
}

/*
  Whether a full Newton step completed enough of the remaining motion. The step balances the linearised energies of the penalty and of all
  that resists. If it leaves most of the motion, the resistance, which projected Hessians overestimate, is the stiffer one, and more
  steps with this penalty would complete little.
*/
static PetscBool PenaltyIsBalanced(AbutConstraint c, PetscReal progress_before)
{
  return (PetscBool)(1 - Progress(c) <= LEFT * (1 - progress_before));
}

/* The penalty grows fast, because after each increase Newton's method needs iterations until contacts have formed again. */
static void IncreasePenalty(AbutConstraint c)
{
  c->penalty = PetscMin(GROWTH * c->penalty, PENALTY_MAX);
}

/* Where contact is as stiff as the penalty, an update of multipliers completes only a part of the remaining motion. */
static void UpdateMultipliers(AbutConstraint c, const PetscReal x[])
{
  for (PetscInt i = 0; i < c->motions.ml->num_owned * c->motions.dim; i++)
    c->vertices.multiplier[i] -= AbutVertexMotionPenalty(c, i) * (x[i] - c->vertices.target[i]);
  if (c->planes.pending && !AbutDriveIsActive(c)) AbutPlaneMotionUpdateMultiplier(c);
}

/* Continues the augmented Lagrangian of an incomplete motion. */
static void Continue(AbutConstraint c, const PetscReal x[], const AbutConstraintStep *step, PetscReal progress_before, PetscBool *changed)
{
  const PetscBool may_grow = (PetscBool)(c->penalty < PENALTY_MAX);

  if (!step->settled && !(may_grow && step->full && !PenaltyIsBalanced(c, progress_before))) return;
  *changed = PETSC_TRUE;
  if (may_grow)
    IncreasePenalty(c);
  else
    UpdateMultipliers(c, x);
}

PetscErrorCode AbutConstraintUpdate(AbutConstraint c, const PetscReal x[], const AbutConstraintStep *step, PetscBool *changed)
{
  const VertexMotion *v       = &c->vertices;
  const PetscReal     before  = Progress(c);
  PetscBool           reached = PETSC_FALSE;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  if (!c->motion.pending) PetscFunctionReturn(0);
  if (c->planes.pending && !AbutDriveIsActive(c)) {
    PetscCall(UpdatePlanes(c, step->t));
    *changed = PETSC_TRUE; /* at the start of the line, friction was evaluated with half spaces at rest */
  }
  if (v->pending) PetscCall(UpdateVertices(c, x, step->settled, &reached, changed));
  c->motion.pending  = (PetscBool)(v->pending || (c->planes.pending && !AbutDriveIsActive(c)));
  c->motion.progress = PetscMin(((PetscReal)v->piece + v->progress) / (PetscReal)v->pieces, PlaneProgress(c));
  if (c->motion.pending && !reached) Continue(c, x, step, before, changed);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintGetSlowest(AbutConstraint c, const PetscReal x[], const char **place)
{
  const Kinematics *k        = &c->motions;
  PetscReal         smallest = c->done, *distance, *left;

  PetscFunctionBegin;
  *place = NULL;
  PetscCall(PetscMalloc2(k->num_motions, &distance, k->num_motions, &left));
  PetscCall(AbutMotionsRemaining(k, &c->vertices, k->start.x, distance));
  PetscCall(AbutMotionsRemaining(k, &c->vertices, x, left));
  for (PetscInt m = 0; m < k->num_motions; m++) {
    const AbutMotionSpec *spec     = k->motions[m].spec;
    PetscReal             progress = distance[m] > 0 ? 1 - left[m] / distance[m] : 1;

    if (spec->plane >= 0 && AbutMotionIsActive(k, m, k->t, k->h)) progress = c->planes.fraction;
    if (progress >= smallest) continue;
    smallest = progress;
    *place   = spec->place;
  }
  PetscCall(PetscFree2(distance, left));
  PetscFunctionReturn(0);
}

PetscBool AbutConstraintPrescribes(AbutConstraint c, PetscInt m)
{
  return AbutMotionPrescribes(&c->motions, m);
}

void AbutConstraintGetVertices(AbutConstraint c, PetscInt motion, PetscInt *count, const PetscInt **vertices)
{
  *count    = c->motions.motions[motion].num_vertices;
  *vertices = c->motions.motions[motion].vertices;
}
