/*
  Prescribed motion. A step's displacement is first applied as far as contact allows; what is left is pulled in by a penalty with
  multipliers inside Newton until 99.9 % is done, then the vertices are fixed (numerics: IPC, supplement, "moving collision objects").
*/
#include "solveimpl.h"

#define PENALTY_START 1e6
#define PENALTY_MOST  1e8
#define DONE          0.999
#define ADVANCE_SLACK 0.5 /* the first push leaves Newton half of every gap */

PetscErrorCode AbutBoundaryCreate(AbutStepper s, PetscInt num_motions, const AbutMotionSpec motions[])
{
  Boundary *b = &s->boundary;

  PetscFunctionBegin;
  b->num_motions = num_motions;
  b->motions     = motions;
  PetscCall(PetscCalloc2(num_motions, &b->num_vertices, num_motions, &b->vertices));
  for (PetscInt m = 0; m < num_motions; m++)
    PetscCall(AbutMeshSelect(s->mesh, &motions[m].selection, motions[m].place, &b->num_vertices[m], &b->vertices[m]));
  PetscCall(PetscCalloc4(s->ml->num_owned, &b->state, s->n, &b->target, s->n, &b->multiplier, s->n, &b->constrained));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBoundaryDestroy(AbutStepper s)
{
  Boundary *b = &s->boundary;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < b->num_motions; m++) PetscCall(PetscFree(b->vertices[m]));
  PetscCall(PetscFree2(b->num_vertices, b->vertices));
  PetscCall(PetscFree4(b->state, b->target, b->multiplier, b->constrained));
  PetscFunctionReturn(0);
}

/* Centre of the bounding box of the targets of a motion's vertices. Collective. */
static PetscErrorCode CurrentCenter(AbutStepper s, PetscInt m, PetscReal center[3])
{
  const Boundary *b      = &s->boundary;
  PetscReal       box[6] = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < b->num_vertices[m]; k++)
    for (PetscInt i = 0; i < s->dim; i++) {
      const PetscReal x = b->target[b->vertices[m][k] * s->dim + i];
      box[i]            = PetscMin(box[i], x);
      box[3 + i]        = PetscMin(box[3 + i], -x);
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, box, 6, MPIU_REAL, MPIU_MIN, s->comm));
  for (PetscInt i = 0; i < 3; i++) center[i] = i < s->dim ? (box[i] - box[3 + i]) / 2 : 0;
  PetscFunctionReturn(0);
}

/* Rotates x about an axis through the centre by |angle| (Rodrigues), then translates. */
static void MoveRigidly(PetscInt dim, const PetscReal center[3], const PetscReal angle[3], const PetscReal shift[3], PetscReal x[])
{
  const PetscReal phi  = PetscSqrtReal(AbutDot(3, angle, angle));
  PetscReal       r[3] = {0, 0, 0}, axis[3], cross[3];

  for (PetscInt i = 0; i < dim; i++) r[i] = x[i] - center[i];
  if (phi > 0) {
    PetscReal along;
    for (int i = 0; i < 3; i++) axis[i] = angle[i] / phi;
    AbutCross(axis, r, cross);
    along = AbutDot(3, axis, r);
    for (int i = 0; i < 3; i++) r[i] = r[i] * PetscCosReal(phi) + cross[i] * PetscSinReal(phi) + axis[i] * along * (1 - PetscCosReal(phi));
  }
  for (PetscInt i = 0; i < dim; i++) x[i] = center[i] + r[i] + shift[i];
}

/* Applies motion m over the part of [t, t + h] in its window to the targets of its vertices. Collective. */
static PetscErrorCode ApplyMotion(AbutStepper s, PetscInt m, PetscReal t)
{
  Boundary             *b        = &s->boundary;
  const AbutMotionSpec *motion   = &b->motions[m];
  const PetscReal       from     = PetscMax(t, motion->start);
  const PetscReal       duration = PetscMin(t + s->h, motion->end) - from;
  const PetscBool       active   = (PetscBool)(duration > 1e-9 * s->h);
  PetscReal             center[3], angle[3], shift[3];

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++)
    center[i] = motion->center[i], angle[i] = motion->angular_velocity[i] * duration, shift[i] = motion->velocity[i] * duration;
  if (active && motion->follow) PetscCall(CurrentCenter(s, m, center));
  for (PetscInt k = 0; k < b->num_vertices[m]; k++) {
    const PetscInt v = b->vertices[m][k];
    if (active) {
      b->state[v] = ABUT_BOUNDARY_MOVING;
      MoveRigidly(s->dim, center, angle, shift, b->target + v * s->dim);
    } else if (motion->hold && b->state[v] == ABUT_BOUNDARY_FREE) {
      b->state[v] = ABUT_BOUNDARY_HELD;
    }
  }
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

PetscErrorCode AbutBoundaryBeginStep(AbutStepper s, PetscReal t)
{
  Boundary *b = &s->boundary;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(b->target, s->state.x, s->n));
  PetscCall(PetscArrayzero(b->multiplier, s->n));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    b->state[v] = s->ml->bodies[s->ml->vertex_body[v]].obstacle ? ABUT_BOUNDARY_HELD : ABUT_BOUNDARY_FREE;
  for (PetscInt m = 0; m < b->num_motions; m++) PetscCall(ApplyMotion(s, m, t));
  PetscCall(RemainingDistance(s, s->state.x, &b->distance));
  b->pulling  = PETSC_FALSE;
  b->penalty  = PENALTY_START;
  b->progress = 1;
  SetConstrained(s);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBoundaryAdvance(AbutStepper s)
{
  Boundary *b    = &s->boundary;
  PetscReal step = 1;
  PetscInt  cell;
  AbutBlame blame;

  PetscFunctionBegin;
  if (b->distance == 0) {
    PetscCall(AbutObjectiveSearch(s, NULL, &step));
    PetscCall(AbutObjectiveAccept(s, 0));
    PetscFunctionReturn(0);
  }
  for (PetscInt i = 0; i < s->n; i++) s->p[i] = b->target[i] - s->x[i];
  PetscCall(AbutMeshHaloBegin(s->mesh, s->dim, s->p));
  PetscCall(AbutMeshHaloEnd(s->mesh, s->dim, s->p));
  PetscCall(AbutElasticMaxStep(s->elastic, s->x, s->p, 0.8, &step, &cell));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPIU_REAL, MPIU_MIN, s->comm));
  PetscCall(AbutObjectiveSearch(s, s->p, &step));
  PetscCall(AbutContactMaxStep(s->contact, s->spec.ccd, ADVANCE_SLACK, &step, &blame));
  PetscCall(AbutObjectiveAccept(s, step));
  b->progress = step;
  b->pulling  = (PetscBool)(step < 1);
  SetConstrained(s);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBoundaryUpdate(AbutStepper s, PetscBool settled, PetscBool *changed)
{
  Boundary *b = &s->boundary;
  PetscReal left;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  if (!b->pulling) PetscFunctionReturn(0);
  PetscCall(RemainingDistance(s, s->x, &left));
  b->progress = 1 - left / b->distance;
  if (b->progress >= DONE) {
    b->pulling = PETSC_FALSE;
    *changed   = PETSC_TRUE;
    SetConstrained(s);
  } else if (settled) {
    *changed = PETSC_TRUE;
    if (b->penalty < PENALTY_MOST) {
      b->penalty *= 2;
    } else {
      for (PetscInt v = 0; v < s->ml->num_owned; v++)
        for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) b->multiplier[i] -= AbutBoundaryPull(s, v) * (s->x[i] - b->target[i]);
    }
  }
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
