/*
  Kinematics: positions of prescribed vertices and half spaces at the end of a step, or of a piece of it in which all motions complete the
  same fraction. Motions of one vertex compose in the order of the
  scene: each motion displaces the position that the earlier motions give. A motion at rest (outside its time window with `hold`, or
  stopped) does not prevent another motion from moving the vertex. A sequence sets positions and overrides earlier motions.
*/
#include "constraintimpl.h"

PetscBool AbutMotionMoves(const AbutMotionSpec *spec)
{
  for (int d = 0; d < 3; d++)
    if (spec->velocity[d] != 0 || spec->angular_velocity[d] != 0 || spec->displacement[d] != 0 || spec->rotation[d] != 0) return PETSC_TRUE;
  return (PetscBool)(spec->sequence.pattern[0] != '\0');
}

PetscBool AbutTurnKeepsPlane(const PetscReal axis[3], const PetscReal normal[3])
{
  const PetscReal size2 = AbutDot(3, axis, axis) * AbutDot(3, normal, normal);
  PetscReal       tilt[3];

  AbutCross(axis, normal, tilt);
  return (PetscBool)(AbutDot(3, tilt, tilt) <= 1e-24 * size2); /* allows for the round-off of normalised normals */
}

PetscErrorCode AbutMotionCheckPlane(const Kinematics *k, const AbutMotionSpec *spec)
{
  const PetscReal *w         = spec->angular_velocity;
  PetscReal        normal[3] = {0, 0, 0};

  PetscFunctionBegin;
  AbutCheck(spec->plane < k->num_planes, ABUT_ERR_INPUT, "%s: plane number %" PetscInt_FMT " is out of range [0, %" PetscInt_FMT "]",
            spec->place, spec->plane, k->num_planes - 1);
  PetscCall(PetscArraycpy(normal, k->planes[spec->plane].normal, k->dim));
  AbutCheck(AbutTurnKeepsPlane(w, normal), ABUT_ERR_INPUT,
            "%s: angular velocity %g %g %g rad/s would tilt plane '%s'; it may turn about its normal %g %g %g only", spec->place,
            (double)w[0], (double)w[1], (double)w[2], k->planes[spec->plane].name, (double)normal[0], (double)normal[1], (double)normal[2]);
  AbutCheck(AbutTurnKeepsPlane(spec->rotation, normal), ABUT_ERR_INPUT,
            "%s: rotation %g %g %g rad would tilt plane '%s'; it may turn about its normal only", spec->place, (double)spec->rotation[0],
            (double)spec->rotation[1], (double)spec->rotation[2], k->planes[spec->plane].name);
  AbutCheck(!spec->sequence.pattern[0], ABUT_ERR_INPUT, "%s: a sequence of files cannot move plane '%s'; give it a velocity", spec->place,
            k->planes[spec->plane].name);
  PetscFunctionReturn(0);
}

PetscReal AbutMotionDuration(const AbutMotionSpec *spec, PetscReal t, PetscReal h)
{
  return PetscMin(t + h, spec->end) - PetscMax(t, spec->start);
}

PetscBool AbutMotionIsActive(const Kinematics *k, PetscInt m, PetscReal t, PetscReal h)
{
  const AbutMotionSpec *spec     = k->motions[m].spec;
  const PetscReal       eps      = 1e-9 * h;
  const PetscBool       sequence = (PetscBool)(spec->sequence.pattern[0] != '\0');

  if (k->start.flags[m] & (ABUT_MOTION_STOPPED | ABUT_MOTION_RELEASED)) return PETSC_FALSE;
  if (sequence) return (PetscBool)(t + h >= spec->start - eps && t < spec->end - eps); /* the first frame holds at the start time */
  return (PetscBool)(AbutMotionDuration(spec, t, h) > eps);
}

/* Whether the motion holds its vertices outside of its window, or because it has stopped. */
static PetscBool Holds(const Kinematics *k, PetscInt m)
{
  const PetscBool held = (PetscBool)(k->start.flags[m] & ABUT_MOTION_STOPPED || k->motions[m].spec->outside == ABUT_OUTSIDE_HOLD);

  return (PetscBool)(held && !(k->start.flags[m] & ABUT_MOTION_RELEASED));
}

PetscBool AbutMotionPrescribes(const Kinematics *k, PetscInt m)
{
  return (PetscBool)(AbutMotionIsActive(k, m, k->t, k->h) || Holds(k, m));
}

/* Centre of the bounding box of the targets of a motion's vertices. Collective. */
static PetscErrorCode CurrentCenter(const Kinematics *k, const Motion *motion, const PetscReal target[], PetscReal center[3])
{
  PetscReal box[6] = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL};

  PetscFunctionBegin;
  for (PetscInt n = 0; n < motion->num_vertices; n++)
    for (PetscInt i = 0; i < k->dim; i++) {
      const PetscReal x = target[motion->vertices[n] * k->dim + i];
      box[i]            = PetscMin(box[i], x);
      box[3 + i]        = PetscMin(box[3 + i], -x);
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, box, 6, MPIU_REAL, MPIU_MIN, k->comm));
  for (PetscInt i = 0; i < 3; i++) center[i] = i < k->dim ? (box[i] - box[3 + i]) / 2 : 0;
  PetscFunctionReturn(0);
}

/* Rigid motion in [t, t + h], in which the motion acts, about the centre that the specification gives. */
static AbutRigidMotion Displacement(const Kinematics *k, PetscInt m, PetscReal t, PetscReal h)
{
  const AbutMotionSpec *spec     = k->motions[m].spec;
  const PetscReal       sign     = k->start.flags[m] & ABUT_MOTION_REVERSED ? -1 : 1;
  PetscReal             duration = sign * AbutMotionDuration(spec, t, h), change = 0;
  AbutRigidMotion       rigid;

  if (spec->table.num) {
    const PetscReal from = PetscMax(t, spec->start), to = PetscMin(t + h, spec->end);
    duration = sign * AbutTimeTableIntegral(&spec->table, from, to);
    change   = sign * (AbutTimeTableValue(&spec->table, to) - AbutTimeTableValue(&spec->table, from));
  }
  for (int i = 0; i < 3; i++) {
    rigid.center[i] = spec->center[i];
    rigid.angle[i]  = spec->angular_velocity[i] * duration + spec->rotation[i] * change;
    rigid.shift[i]  = spec->velocity[i] * duration + spec->displacement[i] * change;
  }
  return rigid;
}

PetscReal AbutMotionAngle(const Kinematics *k, PetscInt m, PetscReal t, PetscReal h)
{
  const AbutMotionSpec *spec  = k->motions[m].spec;
  AbutRigidMotion       rigid = {{0}, {0}, {0}};

  if (spec->plane >= 0 || spec->sequence.pattern[0] || !AbutMotionIsActive(k, m, t, h)) return 0;
  rigid = Displacement(k, m, t, h);
  return k->dim == 2 ? PetscAbsReal(rigid.angle[2]) : AbutNorm(3, rigid.angle);
}

/* Takes targets of a sequence back to the fraction k->part of a straight line from the start. */
static void StayBehind(const Kinematics *k, const Motion *motion, PetscReal target[])
{
  for (PetscInt n = 0; n < motion->num_vertices; n++)
    for (PetscInt i = motion->vertices[n] * k->dim; i < (motion->vertices[n] + 1) * k->dim; i++)
      target[i] = k->start.x[i] + k->part * (target[i] - k->start.x[i]);
}

/* Sets the state of the unknowns that a motion prescribes; HELD: of free ones only, since other motions may move the vertices. */
static void SetState(const Kinematics *k, const Motion *motion, AbutBoundaryState state, VertexMotion *v)
{
  for (PetscInt n = 0; n < motion->num_vertices; n++)
    for (PetscInt i = 0; i < k->dim; i++) {
      AbutBoundaryState *const at = &v->state[motion->vertices[n] * k->dim + i];
      if (AbutMotionHas(motion->spec, i) && (state == ABUT_BOUNDARY_MOVING || *at == ABUT_BOUNDARY_FREE)) *at = state;
    }
}

/*
  Turns the shift of a motion about a centre at rest: displacements by a velocity turn with the vertices for the rest of the step, so that
  positions do not depend on the length of steps. Integral of exp((1 - s) angle) shift over s from 0 to 1.
*/
static void TurnShift(AbutRigidMotion *rigid)
{
  const PetscReal theta = AbutNorm(3, rigid->angle), half = PetscSinReal(theta / 2);
  PetscReal       first[3], second[3];

  AbutCross(rigid->angle, rigid->shift, first);
  AbutCross(rigid->angle, first, second);
  for (int i = 0; i < 3; i++)
    rigid->shift[i] += theta < 1e-5 ? first[i] / 2 + second[i] / 6 /* error theta^3 / 24 of the shift: below round-off */
                                    : (2 * half * half * first[i] + (1 - PetscSinReal(theta) / theta) * second[i]) / (theta * theta);
}

static PetscErrorCode MoveVertices(const Kinematics *k, PetscInt m, VertexMotion *v)
{
  Motion         *motion = &k->motions[m];
  AbutRigidMotion rigid;

  PetscFunctionBegin;
  SetState(k, motion, ABUT_BOUNDARY_MOVING, v);
  if (motion->spec->sequence.pattern[0]) {
    PetscCall(AbutSequenceSetTargets(k, motion, PetscMin(k->t + k->h, motion->spec->end), v->target));
    if (k->part < 1) StayBehind(k, motion, v->target);
    PetscFunctionReturn(0);
  }
  rigid = Displacement(k, m, k->t, k->h);
  for (int i = 0; i < 3; i++) {
    rigid.angle[i] *= k->part;
    rigid.shift[i] *= k->part;
  }
  if (motion->spec->follow)
    PetscCall(CurrentCenter(k, motion, v->target, rigid.center));
  else
    TurnShift(&rigid);
  for (PetscInt n = 0; n < motion->num_vertices; n++) {
    PetscReal *const x = v->target + motion->vertices[n] * k->dim;
    if (!motion->spec->components) AbutRigidMove(k->dim, &rigid, x);
    for (PetscInt i = 0; i < k->dim && motion->spec->components; i++) x[i] += AbutMotionHas(motion->spec, i) ? rigid.shift[i] : 0;
  }
  PetscFunctionReturn(0);
}

/* Composes motion m with the motion of its half space so far. Rotations have one axis; the result rotates about the first centre. */
static void MovePlane(const Kinematics *k, PetscInt m, PetscReal t, PetscReal h, AbutRigidMotion planes[])
{
  const AbutMotionSpec *spec  = k->motions[m].spec;
  AbutRigidMotion      *whole = &planes[spec->plane], rigid = Displacement(k, m, t, h);
  PetscReal             to[3];

  if (AbutDot(3, whole->angle, whole->angle) == 0)
    for (int i = 0; i < 3; i++) whole->center[i] = spec->follow ? k->start.plane_point[3 * spec->plane + i] : spec->center[i];
  for (int i = 0; i < 3; i++) {
    to[i] = whole->center[i] + whole->shift[i];
    if (spec->follow) rigid.center[i] = to[i];
  }
  AbutRigidMove(k->dim, &rigid, to);
  for (int i = 0; i < 3; i++) {
    whole->angle[i] += rigid.angle[i];
    whole->shift[i] = to[i] - whole->center[i];
  }
}

void AbutMotionsOfPlanes(const Kinematics *k, PetscReal t, PetscReal h, AbutRigidMotion planes[])
{
  for (PetscInt p = 0; p < k->num_planes; p++) planes[p] = (AbutRigidMotion){0};
  for (PetscInt m = 0; m < k->num_motions; m++)
    if (k->motions[m].spec->plane >= 0 && AbutMotionIsActive(k, m, t, h)) MovePlane(k, m, t, h, planes);
}

PetscErrorCode AbutMotionsSetTargets(Kinematics *k, VertexMotion *v, AbutRigidMotion planes[])
{
  const AbutMeshLocal *ml = k->ml;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(v->target, k->start.x, ml->num_owned * k->dim));
  AbutMotionsOfPlanes(k, k->t, k->h, planes);
  for (PetscInt i = 0; i < ml->num_owned * k->dim; i++)
    v->state[i] = ml->bodies[ml->vertex_body[i / k->dim]].obstacle ? ABUT_BOUNDARY_HELD : ABUT_BOUNDARY_FREE;
  for (PetscInt m = 0; m < k->num_motions; m++) {
    if (AbutMotionIsActive(k, m, k->t, k->h)) {
      if (k->motions[m].spec->plane < 0) PetscCall(MoveVertices(k, m, v));
    } else if (Holds(k, m)) {
      SetState(k, &k->motions[m], ABUT_BOUNDARY_HELD, v);
    }
  }
  PetscFunctionReturn(0);
}
