/*
  Kinematics: where vertices and planes go in a step. Motions of one vertex compose in the order of the scene: a later one moves what the
  earlier ones have moved, so that translations add and a turn turns about its centre what has already been shifted. A motion that stands
  still (outside its window with `hold`, or stopped) does not keep another from moving the vertex. A sequence says where vertices are,
  whatever came before it.
*/
#include "solveimpl.h"

PetscBool AbutTurnKeepsPlane(const PetscReal angular_velocity[3], const PetscReal normal[3])
{
  const PetscReal size2 = AbutDot(3, angular_velocity, angular_velocity) * AbutDot(3, normal, normal);
  PetscReal       tilt[3];

  AbutCross(angular_velocity, normal, tilt);
  return (PetscBool)(AbutDot(3, tilt, tilt) <= 1e-24 * size2); /* round-off of normals that have been scaled */
}

PetscErrorCode AbutMotionCheckPlane(AbutStepper s, const AbutMotionSpec *spec)
{
  const PetscReal *w         = spec->angular_velocity;
  PetscReal        normal[3] = {0, 0, 0};

  PetscFunctionBegin;
  AbutCheck(spec->plane < s->boundary.num_planes, ABUT_ERR_INPUT,
            "%s: plane number %" PetscInt_FMT " is out of range [0, %" PetscInt_FMT "]", spec->place, spec->plane,
            s->boundary.num_planes - 1);
  PetscCall(PetscArraycpy(normal, s->boundary.planes[spec->plane].normal, s->dim));
  AbutCheck(AbutTurnKeepsPlane(w, normal), ABUT_ERR_INPUT,
            "%s: angular velocity %g %g %g rad/s would tilt plane '%s'; it may turn about its normal %g %g %g only", spec->place,
            (double)w[0], (double)w[1], (double)w[2], s->boundary.planes[spec->plane].name, (double)normal[0], (double)normal[1],
            (double)normal[2]);
  AbutCheck(!spec->sequence.pattern[0], ABUT_ERR_INPUT, "%s: a sequence of files cannot move plane '%s'; give it a velocity", spec->place,
            s->boundary.planes[spec->plane].name);
  PetscFunctionReturn(0);
}

/* Time that the motion is at work in [t, t + h]. */
static PetscReal Duration(const AbutMotionSpec *spec, PetscReal t, PetscReal h)
{
  return PetscMin(t + h, spec->end) - PetscMax(t, spec->start);
}

static PetscBool IsActive(AbutStepper s, PetscInt m, PetscReal t, PetscReal h)
{
  const AbutMotionSpec *spec     = s->boundary.motions[m].spec;
  const PetscReal       eps      = 1e-9 * h;
  const PetscBool       sequence = (PetscBool)(spec->sequence.pattern[0] != '\0');

  if (s->state.motion[m] & (ABUT_MOTION_STOPPED | ABUT_MOTION_RELEASED)) return PETSC_FALSE;
  if (sequence) return (PetscBool)(t + h >= spec->start - eps && t < spec->end - eps); /* its first frame holds at the start */
  return (PetscBool)(Duration(spec, t, h) > eps);
}

PetscBool AbutMotionIsActive(AbutStepper s, PetscInt m, PetscReal t)
{
  return IsActive(s, m, t, s->h);
}

/* Centre of the bounding box of the targets of a motion's vertices. Collective. */
static PetscErrorCode CurrentCenter(AbutStepper s, const Motion *motion, PetscReal center[3])
{
  const PetscReal *target = s->boundary.target;
  PetscReal        box[6] = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < motion->num_vertices; k++)
    for (PetscInt i = 0; i < s->dim; i++) {
      const PetscReal x = target[motion->vertices[k] * s->dim + i];
      box[i]            = PetscMin(box[i], x);
      box[3 + i]        = PetscMin(box[3 + i], -x);
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, box, 6, MPIU_REAL, MPIU_MIN, s->comm));
  for (PetscInt i = 0; i < 3; i++) center[i] = i < s->dim ? (box[i] - box[3 + i]) / 2 : 0;
  PetscFunctionReturn(0);
}

/* The motion's displacement in [t, t + h] but for the centre. */
static AbutRigidMotion Displacement(AbutStepper s, PetscInt m, PetscReal t, PetscReal h)
{
  const AbutMotionSpec *spec     = s->boundary.motions[m].spec;
  const PetscReal       duration = (s->state.motion[m] & ABUT_MOTION_REVERSED ? -1 : 1) * Duration(spec, t, h);
  AbutRigidMotion       rigid;

  for (int i = 0; i < 3; i++) {
    rigid.center[i] = spec->center[i];
    rigid.angle[i]  = spec->angular_velocity[i] * duration;
    rigid.shift[i]  = spec->velocity[i] * duration;
  }
  return rigid;
}

static PetscErrorCode MoveVertices(AbutStepper s, PetscInt m, PetscReal t)
{
  Boundary       *b      = &s->boundary;
  Motion         *motion = &b->motions[m];
  AbutRigidMotion rigid;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < motion->num_vertices; k++) b->state[motion->vertices[k]] = ABUT_BOUNDARY_MOVING;
  if (motion->spec->sequence.pattern[0]) {
    PetscCall(AbutSequenceSetTargets(s, motion, PetscMin(t + s->h, motion->spec->end)));
    PetscFunctionReturn(0);
  }
  rigid = Displacement(s, m, t, s->h);
  if (motion->spec->follow) PetscCall(CurrentCenter(s, motion, rigid.center));
  for (PetscInt k = 0; k < motion->num_vertices; k++) AbutRigidMove(s->dim, &rigid, b->target + motion->vertices[k] * s->dim);
  PetscFunctionReturn(0);
}

/* Turns about one axis compose to a turn about the first centre. */
static void MovePlane(AbutStepper s, PetscInt m, PetscReal t, PetscReal h, AbutRigidMotion planes[])
{
  const AbutMotionSpec *spec  = s->boundary.motions[m].spec;
  AbutRigidMotion      *whole = &planes[spec->plane], rigid = Displacement(s, m, t, h);
  PetscReal             to[3];

  if (AbutDot(3, whole->angle, whole->angle) == 0)
    for (int i = 0; i < 3; i++) whole->center[i] = spec->follow ? s->boundary.plane_point[3 * spec->plane + i] : spec->center[i];
  for (int i = 0; i < 3; i++) {
    to[i] = whole->center[i] + whole->shift[i];
    if (spec->follow) rigid.center[i] = to[i];
  }
  AbutRigidMove(s->dim, &rigid, to);
  for (int i = 0; i < 3; i++) {
    whole->angle[i] += rigid.angle[i];
    whole->shift[i] = to[i] - whole->center[i];
  }
}

void AbutMotionsOfPlanes(AbutStepper s, PetscReal t, PetscReal h, AbutRigidMotion planes[])
{
  for (PetscInt p = 0; p < s->boundary.num_planes; p++) planes[p] = (AbutRigidMotion){0};
  for (PetscInt m = 0; m < s->boundary.num_motions; m++)
    if (s->boundary.motions[m].spec->plane >= 0 && IsActive(s, m, t, h)) MovePlane(s, m, t, h, planes);
}

PetscErrorCode AbutMotionsSetTargets(AbutStepper s, PetscReal t)
{
  Boundary *b = &s->boundary;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(b->target, s->state.x, s->n));
  AbutMotionsOfPlanes(s, t, s->h, b->plane_whole);
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    b->state[v] = s->ml->bodies[s->ml->vertex_body[v]].obstacle ? ABUT_BOUNDARY_HELD : ABUT_BOUNDARY_FREE;
  for (PetscInt m = 0; m < b->num_motions; m++) {
    const Motion   *motion = &b->motions[m];
    const PetscBool held   = (PetscBool)(s->state.motion[m] & ABUT_MOTION_STOPPED || motion->spec->hold);

    if (AbutMotionIsActive(s, m, t)) {
      if (motion->spec->plane < 0) PetscCall(MoveVertices(s, m, t));
    } else if (held && !(s->state.motion[m] & ABUT_MOTION_RELEASED)) {
      for (PetscInt k = 0; k < motion->num_vertices; k++)
        if (b->state[motion->vertices[k]] == ABUT_BOUNDARY_FREE) b->state[motion->vertices[k]] = ABUT_BOUNDARY_HELD;
    }
  }
  PetscFunctionReturn(0);
}
