/* Life cycle, options and view of rigid bodies. */
#include "rigidimpl.h"

/* Inverse of a symmetric positive definite 3 x 3 matrix by cofactors. */
static void InvertInertia(const PetscReal A[9], PetscReal inverse[9])
{
  PetscReal cofactor[3][3], det;

  for (int i = 0; i < 3; i++) AbutCross(A + 3 * ((i + 1) % 3), A + 3 * ((i + 2) % 3), cofactor[i]);
  det = AbutDot(3, A, cofactor[0]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inverse[3 * i + j] = cofactor[j][i] / det;
}

/* State at rest shape with the initial velocities of the mesh, which rotate about the centre of the bounding box. */
static void SetInitialState(const AbutBody *body, const AbutRigidMass *mass, AbutRigidState *state)
{
  PetscReal arm[3], cross[3];

  for (int k = 0; k < 3; k++) arm[k] = mass->center[k] - (body->box[0][k] + body->box[1][k]) / 2;
  AbutCross(body->angular_velocity, arm, cross);
  for (int k = 0; k < 3; k++) {
    state->center[k]   = mass->center[k];
    state->velocity[k] = body->velocity[k] + cross[k];
    state->spin[k]     = body->angular_velocity[k];
  }
  state->orientation[0] = 1;
}

static PetscErrorCode CheckInput(const AbutMeshLocal *ml, const PetscReal density[])
{
  PetscFunctionBegin;
  AbutCheck(ml->dim == 3, ABUT_ERR_INPUT, "rigid bodies must be three-dimensional, the mesh has dimension %" PetscInt_FMT, ml->dim);
  AbutCheck(!ml->middles, ABUT_ERR_INPUT, "%s", "rigid bodies need linear cells, the mesh has quadratic ones");
  for (PetscInt b = 0; b < ml->num_bodies; b++)
    AbutCheck(ml->bodies[b].obstacle || (density[b] >= 0 && !PetscIsInfOrNanReal(density[b])), ABUT_ERR_INPUT,
              "density %g kg/m^3 of body '%s' must be in [0, inf)", (double)density[b], ml->bodies[b].name);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRigidCreate(AbutMesh mesh, const PetscReal density[], const PetscReal gravity[3], AbutRigid *rigid)
{
  const AbutMeshLocal *ml = AbutMeshGetLocal(mesh);
  AbutRigid            r;

  PetscFunctionBegin;
  *rigid = NULL;
  PetscCall(CheckInput(ml, density));
  PetscCall(PetscNew(&r));
  r->ml   = ml;
  r->comm = AbutMeshGetComm(mesh);
  PetscCall(PetscArraycpy(r->gravity, gravity, 3));
  PetscCall(
    PetscCalloc4(ml->num_bodies, &r->mass, 9 * ml->num_bodies, &r->inverse_inertia, ml->num_bodies, &r->state, ml->num_bodies, &r->moving));
  PetscCall(AbutRigidComputeMass(r->comm, ml, density, r->mass));
  for (PetscInt b = 0; b < ml->num_bodies; b++) {
    if (r->mass[b].mass > 0) InvertInertia(r->mass[b].inertia, r->inverse_inertia + 9 * b);
    SetInitialState(&ml->bodies[b], &r->mass[b], &r->state[b]);
  }
  AbutOptionTableSetDefaults(&AbutRigidOptions, &r->options);
  *rigid = r;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRigidDestroy(AbutRigid *rigid)
{
  AbutRigid r = *rigid;

  PetscFunctionBegin;
  if (!r) PetscFunctionReturn(0);
  PetscCall(PetscFree4(r->mass, r->inverse_inertia, r->state, r->moving));
  PetscCall(PetscFree(r->block));
  PetscCall(PetscFree(*rigid));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRigidSetFromOptions(AbutRigid r)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableSetFromOptions(r->comm, &AbutRigidOptions, &r->options));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRigidGetBodies(AbutRigid r, const AbutRigidMass **mass, AbutRigidState **state)
{
  PetscFunctionBegin;
  *mass  = r->mass;
  *state = r->state;
  PetscFunctionReturn(0);
}
