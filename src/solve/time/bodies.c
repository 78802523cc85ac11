/*
  Sums over bodies: which one is squeezed between surfaces that move as prescribed, and what implicit Euler takes from bodies without
  contact.

  Contact forces that loads or inertia cause do not depend on the barrier. The forces of a clamp do: they follow from the travel of its
  surfaces, and the gaps, which depend on activation distance and barrier stiffness, take a part of this travel. A body counts as squeezed
  if its contact forces exceed the forces that loads and accelerations of all bodies can cause.
*/
#include "timeimpl.h"

#define LEVERAGE 10 /* contact force over the sum of loads and inertia forces up to which wedges and levers may explain it */

/* Sums over the vertices of a body [N]; CHANGE, DAMPED [J]; MASS [kg]; HELD, MOVED: prescribed vertices, and how many of them move. */
enum { CONTACT, LOAD, INERTIA, RESULTANT = INERTIA + 3, CHANGE = RESULTANT + 3, DAMPED, MASS, HELD, MOVED, NUM_SUMS };
typedef PetscReal Sums[NUM_SUMS];

/*
  Adds the energy that implicit Euler takes from a vertex in a step: m |v - v_old|^2 / 2 of kinetic energy and, in rotation and vibration,
  as much of elastic energy. DAMPED: without the change of velocity by gravity in free fall. Prescribed vertices do not count.
*/
static void AddDamped(AbutStepper s, PetscInt v, Sums sums)
{
  const PetscInt dim    = s->ml->dim;
  PetscReal      sum[2] = {0, 0};

  for (PetscInt i = 0; i < dim; i++) {
    const PetscReal change = s->state.v[v * dim + i] - s->state.v_old[v * dim + i];

    if (s->integrator.inertia.state[v * dim + i] != ABUT_BOUNDARY_FREE) {
      sums[HELD] += 1;
      sums[MOVED] += s->state.v[v * dim + i] != 0;
      return;
    }
    sum[0] += PetscSqr(change);
    sum[1] += PetscSqr(change - s->integrator.h * s->spec.gravity[i]);
  }
  sums[MASS] += s->scales.vertex_mass[v];
  sums[CHANGE] += s->scales.vertex_mass[v] * sum[0];
  sums[DAMPED] += s->scales.vertex_mass[v] * PetscMin(sum[0], sum[1]);
}

/*
  What implicit Euler takes from a body. Loads give the centre of mass of a free one its exact velocity: that change does not count. A
  motion gives back the energy that a body loses by it.
*/
static PetscReal Damped(AbutStepper s, PetscInt body, const Sums sums)
{
  const PetscBool tied     = (PetscBool)(s->scales.tie_stiffness && s->scales.tie_stiffness[body] > 0);
  const PetscReal impulse2 = PetscSqr(s->integrator.h) * AbutDot(3, sums + INERTIA, sums + INERTIA);

  if (sums[MOVED] > 0) return 0;
  if (tied || sums[HELD] > 0 || !(sums[MASS] > 0)) return sums[DAMPED];
  return PetscMax(0, PetscMin(sums[DAMPED], sums[CHANGE] - impulse2 / sums[MASS]));
}

/* Adds the forces on an owned vertex to the sums of its body. Contact forces count on prescribed vertices, too. */
static void AddVertex(AbutStepper s, PetscInt v, const PetscReal contact[], const PetscReal pressure[], Sums sums)
{
  const AbutInertiaPart *in      = &s->integrator.inertia;
  const PetscInt         dim     = s->ml->dim;
  const PetscReal        c2      = s->integrator.c2;
  PetscReal              load[3] = {0, 0, 0};

  sums[CONTACT] += AbutNorm(dim, contact + v * dim);
  for (PetscInt i = 0; i < dim; i++) sums[RESULTANT + i] += contact[v * dim + i];
  for (PetscInt i = 0; i < dim; i++) {
    const PetscInt k = v * dim + i;
    if (in->state[k] != ABUT_BOUNDARY_FREE) continue;
    load[i] = in->load[k] - pressure[k];
    sums[INERTIA + i] += (in->inertia[v] * (s->at->x[k] - in->x_tilde[k]) - in->impulse[k] + in->load[k]) / c2;
  }
  sums[LOAD] += AbutNorm(3, load) / c2;
  AddDamped(s, v, sums);
}

PetscErrorCode AbutReportBodies(AbutStepper s, const PetscReal contact[], AbutForceReport *report)
{
  const PetscInt   num_bodies = s->ml->num_bodies;
  PetscReal        most = 0, caused = 0;
  const PetscReal *pressure;
  PetscMPIInt      count;
  Sums            *sums;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(num_bodies * NUM_SUMS, &count));
  PetscCall(AbutObjectiveGradientOf(s->objective, 1U << ABUT_ENERGY_PRESSURE, &pressure));
  PetscCall(PetscCalloc1(num_bodies, &sums));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    if (!s->ml->bodies[s->ml->vertex_body[v]].obstacle) AddVertex(s, v, contact, pressure, sums[s->ml->vertex_body[v]]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, MPIU_REAL, MPIU_SUM, s->comm));
  report->squeezed_body = -1;
  report->damped        = 0;
  caused += AbutConstraintGetDriveForce(s->constraint) / s->integrator.contact_c2;
  for (PetscInt body = 0; body < num_bodies; body++) {
    const PetscReal force = (sums[body][CONTACT] + AbutNorm(3, sums[body] + RESULTANT)) /
                            2; /* force on one side of the body, also if contact acts on one side only */

    if (force == 0 && s->spec.integrator == ABUT_INTEGRATOR_EULER) report->damped += Damped(s, body, sums[body]);
    caused += sums[body][LOAD] + AbutNorm(3, sums[body] + INERTIA);
    if (force <= most) continue;
    most                  = force;
    report->squeezed_body = body;
  }
  PetscCall(PetscFree(sums));
  if (most <= LEVERAGE * caused) report->squeezed_body = -1;
  report->squeeze = report->squeezed_body < 0 ? 0 : most;
  PetscFunctionReturn(0);
}
