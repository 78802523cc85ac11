/* One step of all bodies: velocities without contact, impulses, motion with the new velocities, energies. */
#include "rigidimpl.h"
#include <abut/containers.h>

/* M = R - 1 for the rotation matrix R of a unit quaternion, without cancellation: 2 (w [q]x + q q^T - |q|^2 1). */
static void RotationMinusIdentity(const PetscReal orientation[4], PetscReal M[9])
{
  const PetscReal w = orientation[0], *q = orientation + 1, square = AbutDot(3, q, q);

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) M[3 * i + j] = 2 * (q[i] * q[j] - (i == j ? square : 0));
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    M[3 * k + j] += 2 * w * q[i];
    M[3 * j + k] -= 2 * w * q[i];
  }
}

/* B = R A R^T with the rotation matrix R of a unit quaternion; all matrices 3 x 3, row-major. B must not overlap A. */
static void RotateTensor(const PetscReal orientation[4], const PetscReal A[9], PetscReal B[9])
{
  PetscReal R[9], RA[9];

  RotationMinusIdentity(orientation, R);
  for (int i = 0; i < 3; i++) R[4 * i] += 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) RA[3 * i + j] = R[3 * i] * A[j] + R[3 * i + 1] * A[3 + j] + R[3 * i + 2] * A[6 + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[3 * i + j] = AbutDot(3, RA + 3 * i, R + 3 * j);
}

static void Apply(const PetscReal A[9], const PetscReal x[3], PetscReal y[3])
{
  for (int i = 0; i < 3; i++) y[i] = AbutDot(3, A + 3 * i, x);
}

/* Velocities at the end of the step without contacts. */
static void SetFreeVelocities(AbutRigid r, PetscReal dt)
{
  for (PetscInt b = 0; b < r->ml->num_bodies; b++) {
    const AbutRigidState *state = &r->state[b];
    MovingBody           *body  = &r->moving[b];
    PetscReal             inertia[9], momentum[3], torque[3], acceleration[3];
    body->inverse_mass = r->mass[b].mass > 0 ? 1 / r->mass[b].mass : 0;
    RotateTensor(state->orientation, r->inverse_inertia + 9 * b, body->inverse_inertia);
    RotateTensor(state->orientation, r->mass[b].inertia, inertia);
    Apply(inertia, state->spin, momentum);
    AbutCross(momentum, state->spin, torque); /* -spin x momentum */
    Apply(body->inverse_inertia, torque, acceleration);
    for (int k = 0; k < 3; k++) {
      body->velocity[k]     = state->velocity[k] + (body->inverse_mass > 0 ? dt * r->gravity[k] : 0);
      body->velocity[3 + k] = state->spin[k] + dt * acceleration[k];
    }
  }
}

/* Rotates by the spin for the time dt: orientation <- exp(dt spin / 2) orientation. */
static void Rotate(PetscReal dt, const PetscReal spin[3], PetscReal orientation[4])
{
  const PetscReal speed = AbutNorm(3, spin), half = dt * speed / 2;
  const PetscReal w = orientation[0], *q = orientation + 1, cosine = PetscCosReal(half);
  PetscReal       turn[3], cross[3], result[4], length;

  if (!(speed > 0)) return;
  for (int k = 0; k < 3; k++) turn[k] = spin[k] / speed * PetscSinReal(half);
  AbutCross(turn, q, cross);
  result[0] = cosine * w - AbutDot(3, turn, q);
  for (int k = 0; k < 3; k++) result[1 + k] = cosine * q[k] + w * turn[k] + cross[k];
  length = AbutNorm(4, result);
  for (int k = 0; k < 4; k++) orientation[k] = result[k] / length;
}

static void MoveBodies(AbutRigid r, PetscReal dt)
{
  for (PetscInt b = 0; b < r->ml->num_bodies; b++) {
    AbutRigidState *state = &r->state[b];
    for (int k = 0; k < 3; k++) {
      state->velocity[k] = r->moving[b].velocity[k];
      state->spin[k]     = r->moving[b].velocity[3 + k];
      state->center[k] += dt * state->velocity[k];
    }
    Rotate(dt, state->spin, state->orientation);
  }
}

static void ReportEnergies(AbutRigid r, AbutRigidReport *report)
{
  report->kinetic = report->potential = 0;
  for (PetscInt b = 0; b < r->ml->num_bodies; b++) {
    const AbutRigidState *state = &r->state[b];
    PetscReal             inertia[9], momentum[3];
    RotateTensor(state->orientation, r->mass[b].inertia, inertia);
    Apply(inertia, state->spin, momentum);
    report->kinetic += (r->mass[b].mass * AbutDot(3, state->velocity, state->velocity) + AbutDot(3, state->spin, momentum)) / 2;
    report->potential -= r->mass[b].mass * AbutDot(3, r->gravity, state->center);
  }
}

/* Index of the first body whose state is not finite, -1 if there is none. */
static PetscInt FindNonFinite(AbutRigid r)
{
  for (PetscInt b = 0; b < r->ml->num_bodies; b++) {
    const AbutRigidState *s   = &r->state[b];
    const PetscReal       sum = AbutDot(3, s->center, s->center) + AbutDot(3, s->velocity, s->velocity) + AbutDot(3, s->spin, s->spin) +
                          AbutDot(4, s->orientation, s->orientation);
    if (PetscIsInfOrNanReal(sum)) return b;
  }
  return -1;
}

PetscErrorCode AbutRigidStep(AbutRigid r, PetscReal dt, const AbutPointContacts *contacts, AbutRigidReport *report)
{
  PetscInt bad;

  PetscFunctionBegin;
  report->contacts    = contacts->n;
  report->penetration = 0;
  for (PetscInt i = 0; i < contacts->n; i++) report->penetration = PetscMax(report->penetration, -contacts->a[i].separation);
  PetscCall(AbutReserve(contacts->n, &r->block_capacity, &r->block));
  SetFreeVelocities(r, dt);
  AbutImpulseSetBlocks(&r->options, contacts, r->state, r->moving, r->block);
  AbutImpulseSolve(&r->options, contacts->n, r->block, r->moving, report);
  MoveBodies(r, dt);
  ReportEnergies(r, report);
  bad = FindNonFinite(r);
  AbutCheck(bad < 0, ABUT_ERR_DIVERGED, "the state of the rigid body '%s' is not finite", r->ml->bodies[bad].name);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRigidGetPositions(AbutRigid r, PetscReal x[])
{
  PetscReal *turn; /* [num_bodies * 9] R - 1 */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(9 * r->ml->num_bodies, &turn));
  for (PetscInt b = 0; b < r->ml->num_bodies; b++) RotationMinusIdentity(r->state[b].orientation, turn + 9 * b);
  for (PetscInt v = 0; v < r->ml->num_local; v++) {
    const PetscInt   b      = r->ml->vertex_body[v];
    const PetscReal *center = r->mass[b].center, *rest = r->ml->rest + 3 * v;
    PetscReal        arm[3], moved[3];
    for (int k = 0; k < 3; k++) arm[k] = rest[k] - center[k];
    Apply(turn + 9 * b, arm, moved);
    for (int k = 0; k < 3; k++) x[3 * v + k] = rest[k] + (moved[k] + (r->state[b].center[k] - center[k]));
  }
  PetscCall(PetscFree(turn));
  PetscFunctionReturn(0);
}
