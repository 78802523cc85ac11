/*
  Bodies with few cells that turn. Masses are at vertices, so that a cube of n linear cells an edge has 1 + 2 / n^2 times its moment of
  inertia: with given torques it turns too slowly, with a given speed it has too much energy.
*/
#include "app.h"

#define EXCESS  0.1  /* of the moment of inertia; smaller ones are not warned of */
#define TURNING 0.05 /* energy of rotation of a body over the largest energy of all bodies; smaller ones are not warned of */

/* Sums over the vertices of a body: mass, first and second moment, momentum, angular momentum; about the origin. */
enum { MASS, PLACE, SECOND = PLACE + 3, MOMENTUM, ANGULAR = MOMENTUM + 3, NUM_SUMS = ANGULAR + 3 };

PetscErrorCode SpinBegin(Spin *spin, const Model *model)
{
  const PetscInt num = model->sim.local->num_bodies;

  PetscFunctionBegin;
  if (model->scene->step.integrator == ABUT_INTEGRATOR_STATIC) PetscFunctionReturn(0);
  PetscCall(PetscCalloc2(num, &spin->excess, num, &spin->most));
  PetscCall(PetscMalloc1(model->sim.local->num_owned, &spin->mass));
  PetscCall(AbutElasticGetMass(model->sim.elastic, spin->mass, NULL));
  PetscCall(AbutElasticInertiaExcess(model->sim.elastic, spin->excess));
  for (PetscInt b = 0; b < num; b++) spin->any = (PetscBool)(spin->any || spin->excess[b] > EXCESS);
  PetscFunctionReturn(0);
}

/* Adds an owned vertex to the sums of its body. */
static void AddVertex(PetscInt dim, PetscReal mass, const PetscReal position[], const PetscReal velocity[], PetscReal sums[NUM_SUMS])
{
  PetscReal x[3] = {0, 0, 0}, mv[3] = {0, 0, 0}, angular[3];

  for (PetscInt k = 0; k < dim; k++) {
    x[k]  = position[k];
    mv[k] = mass * velocity[k];
    sums[PLACE + k] += mass * x[k];
    sums[MOMENTUM + k] += mv[k];
  }
  sums[MASS] += mass;
  sums[SECOND] += mass * AbutDot(3, x, x);
  AbutCross(x, mv, angular);
  for (int k = 0; k < 3; k++) sums[ANGULAR + k] += angular[k];
}

/* Energy of rotation about the centre of mass [J]; in 3D with the moment of inertia of a ball or a cube. */
static PetscReal Energy(PetscInt dim, const PetscReal s[NUM_SUMS])
{
  PetscReal own[3], moment = s[SECOND], square = 0;

  if (!(s[MASS] > 0)) return 0;
  AbutCross(s + PLACE, s + MOMENTUM, own);
  moment -= AbutDot(3, s + PLACE, s + PLACE) / s[MASS];
  for (int k = 0; k < 3; k++) square += PetscSqr(s[ANGULAR + k] - own[k] / s[MASS]);
  return moment > 0 ? square / (2 * moment * (dim == 3 ? 2. / 3 : 1)) : 0;
}

PetscErrorCode SpinStep(Spin *spin, const Model *model, const AbutState *state, const AbutEnergyReport *energy)
{
  const AbutMeshLocal *m = model->sim.local;
  PetscReal(*sums)[NUM_SUMS];
  PetscMPIInt count;

  PetscFunctionBegin;
  if (!spin->any) PetscFunctionReturn(0);
  PetscCall(PetscMPIIntCast(m->num_bodies * NUM_SUMS, &count));
  PetscCall(PetscCalloc1(m->num_bodies, &sums));
  for (PetscInt v = 0; v < m->num_owned; v++)
    AddVertex(m->dim, spin->mass[v], state->x + m->dim * v, state->v + m->dim * v, sums[m->vertex_body[v]]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, MPIU_REAL, MPIU_SUM, model->comm));
  for (PetscInt b = 0; b < m->num_bodies; b++) spin->most[b] = PetscMax(spin->most[b], Energy(m->dim, sums[b]));
  spin->energy = PetscMax(spin->energy, energy->kinetic + energy->elastic);
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(0);
}

PetscErrorCode SpinEnd(Spin *spin, const Progress *progress, const Model *model)
{
  PetscInt worst = -1, count = 0;

  PetscFunctionBegin;
  for (PetscInt b = 0; spin->any && b < model->sim.local->num_bodies; b++) {
    if (spin->excess[b] <= EXCESS || spin->most[b] <= TURNING * spin->energy) continue;
    if (worst < 0 || spin->excess[b] > spin->excess[worst]) worst = b;
    count++;
  }
  if (count) {
    PetscCall(ProgressEndLine(progress));
    PetscCall(AbutWarn(progress->comm,
                       "body '%s' turns, and its moment of inertia is %.0f %% too large, because masses are at vertices: it turns too "
                       "slowly, or with too much energy; use smaller cells%s (such bodies: %" PetscInt_FMT ")",
                       model->sim.local->bodies[worst].name, (double)(100 * spin->excess[worst]),
                       model->sim.local->bodies[worst].order == 1 ? " or order: 2" : "", count));
  }
  PetscCall(PetscFree2(spin->excess, spin->most));
  PetscCall(PetscFree(spin->mass));
  PetscFunctionReturn(0);
}
