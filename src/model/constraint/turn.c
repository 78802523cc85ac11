/*
  Rotations within a step. A straight line from the start of an arc to its end misses what lies between chord and arc, and of a large angle
  not even the sense is left. So vertices that turn by more than 6 degrees follow the arc in pieces, each a straight line of at
  most half that angle: where a light body is thrown off by the first contact with a corner, larger pieces have often passed its place
  before it comes back. A motion that turns by more in a step than the end positions of the step can represent is refused: a body pushed
  along an arc receives the mean velocity of the step, the chord over h, 97 % of the speed along an arc of 45 degrees and 0 for 360.
*/
#include "constraintimpl.h"

#define DEGREE        (PETSC_PI / 180)
#define MOST_OBSTACLE (45 * DEGREE)
#define MOST_BODY     (179 * DEGREE) /* cells between prescribed and free vertices tell the sense of a turn below 180 degrees */
#define SAME          1e-9           /* relative excess of an angle through round-off */

static PetscReal Norm(const Kinematics *k, const PetscReal axis[3])
{
  return k->dim == 2 ? PetscAbsReal(axis[2]) : AbutNorm(3, axis);
}

/* Largest angle of any step of length h; 0 for half spaces, which turn about their normals, and for sequences, straight between frames. */
static PetscReal LargestAngle(const Kinematics *k, const AbutMotionSpec *spec, PetscReal h)
{
  if (spec->plane >= 0 || spec->sequence.pattern[0]) return 0;
  return Norm(k, spec->angular_velocity) * PetscMin(h, spec->end - spec->start) * AbutTimeTableLargest(&spec->table) +
         Norm(k, spec->rotation) * AbutTimeTableLargestChange(&spec->table, h);
}

/* Largest sum, over the owned vertices of each body, of the angles of the motions that act on a vertex. Collective. */
static PetscErrorCode SumAngles(const Kinematics *k, const PetscReal angle[], PetscReal body[])
{
  const AbutMeshLocal *ml = k->ml;
  PetscMPIInt          num_bodies;
  PetscReal           *sum;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(ml->num_bodies, &num_bodies));
  PetscCall(PetscCalloc1(ml->num_owned, &sum));
  PetscCall(PetscArrayzero(body, ml->num_bodies));
  for (PetscInt m = 0; m < k->num_motions; m++)
    for (PetscInt n = 0; n < k->motions[m].num_vertices && angle[m] > 0; n++) {
      const PetscInt v = k->motions[m].vertices[n], b = ml->vertex_body[v];
      sum[v] += angle[m];
      body[b] = PetscMax(body[b], sum[v]);
    }
  PetscCall(PetscFree(sum));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, body, num_bodies, MPIU_REAL, MPIU_MAX, k->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTurnPieces(const Kinematics *k, PetscReal most, PetscInt *pieces)
{
  PetscReal *angle, *body, sum = 0, largest = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(k->num_motions, &angle, k->ml->num_bodies, &body));
  for (PetscInt m = 0; m < k->num_motions; m++) {
    angle[m] = AbutMotionAngle(k, m, k->t, k->h);
    sum += angle[m];
  }
  if (sum > most) { /* else no vertex turns by more; equal on all ranks */
    PetscCall(SumAngles(k, angle, body));
    for (PetscInt b = 0; b < k->ml->num_bodies; b++) largest = PetscMax(largest, body[b]);
  }
  *pieces = largest > most * (1 + SAME) ? (PetscInt)PetscCeilReal(2 * largest / most * (1 - SAME)) : 1;
  PetscCall(PetscFree2(angle, body));
  PetscFunctionReturn(0);
}

/* Angles in a step of length h of the motions that act at a time, with a table the largest one; equal on all ranks. */
static void AnglesAt(const Kinematics *k, PetscReal t, PetscReal h, PetscReal angle[])
{
  for (PetscInt m = 0; m < k->num_motions; m++) {
    const AbutMotionSpec *spec = k->motions[m].spec;
    angle[m]                   = spec->start <= t && t < spec->end ? LargestAngle(k, spec, h) : 0;
  }
}

/* A step that satisfies a limit, rounded down to three digits for a message. */
static PetscReal RoundDown(PetscReal step)
{
  const PetscReal digit = PetscPowReal(10, PetscFloorReal(PetscLog10Real(step)) - 2);

  return digit * PetscFloorReal(step / digit * (1 + SAME));
}

static PetscErrorCode Check(const Kinematics *k, const AbutMotionSpec *spec, PetscReal h, const PetscReal angle[])
{
  for (PetscInt b = 0; b < k->ml->num_bodies; b++) {
    const AbutBody *body = &k->ml->bodies[b];
    const PetscReal most = body->obstacle ? MOST_OBSTACLE : MOST_BODY;

    AbutCheck(angle[b] <= most * (1 + SAME), ABUT_ERR_INPUT,
              "%s: %s '%s' turns by %.4g degrees in a time step of %g s, must be at most %g degrees: "
              "give time.step at most %g s, or a smaller angular_velocity",
              spec->place, body->obstacle ? "obstacle" : "body", body->name, (double)(angle[b] / DEGREE), (double)h,
              (double)(most / DEGREE), (double)RoundDown(h * most / angle[b]));
  }
  return 0;
}

PetscErrorCode AbutTurnCheck(const Kinematics *k, PetscReal h)
{
  PetscReal *angle, *body;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(k->num_motions, &angle, k->ml->num_bodies, &body));
  for (PetscInt m = 0; m < k->num_motions; m++) { /* sums of angles grow at the starts of motions alone */
    const AbutMotionSpec *spec = k->motions[m].spec;
    PetscReal             sum  = 0;
    AnglesAt(k, spec->start, h, angle);
    for (PetscInt i = 0; i < k->num_motions; i++) sum += angle[i];
    if (!(angle[m] > 0 && sum > MOST_OBSTACLE)) continue;
    PetscCall(SumAngles(k, angle, body));
    PetscCall(Check(k, spec, h, body));
  }
  PetscCall(PetscFree2(angle, body));
  PetscFunctionReturn(0);
}
