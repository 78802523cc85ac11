/* Creates the objects of a run from a scene. */
#include "app.h"

PetscErrorCode ModelCreate(MPI_Comm comm, const char path[], PetscInt steps, Model *model)
{
  AbutSimulationSpec spec;
  PetscErrorCode     code;

  PetscFunctionBegin;
  model->comm = comm;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_SETUP));
  PetscCall(AbutSceneRead(comm, path, &model->scene));
  if (steps >= 0) model->scene->step.end = PETSC_MAX_REAL; /* with another step length, the same number of steps ends at another time */
  spec = AbutSceneGetSimulation(model->scene);
  code = AbutSimulationCreate(comm, &spec, &model->sim);
  if (model->sim.mesh && (!code || AbutIsVerdict(code)))
    PetscCall(AbutSceneWarnOfOverlap(model->scene, model->sim.mesh)); /* may explain it */
  PetscCall(code);
  PetscCall(AbutStepperSetFromOptions(model->sim.stepper));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_SETUP));
  PetscFunctionReturn(0);
}

PetscErrorCode ModelDestroy(Model *model)
{
  PetscFunctionBegin;
  PetscCall(AbutSimulationDestroy(&model->sim));
  PetscCall(AbutSceneDestroy(&model->scene));
  PetscFunctionReturn(0);
}

PetscReal ModelGetActivationDistance(const Model *model)
{
  const AbutStepSpec *spec = &model->scene->step;

  return AbutQuantityResolve(&spec->dhat, AbutStepSpecLength(spec, model->sim.local->global.diagonal));
}

PetscErrorCode ModelGetPositions(Model *model, PetscReal **x)
{
  const AbutMeshLocal *local = model->sim.local;
  AbutState           *state = AbutStepperGetState(model->sim.stepper);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(local->num_local * local->dim, x));
  PetscCall(PetscArraycpy(*x, state->x, local->num_owned * local->dim));
  PetscCall(AbutMeshUpdateGhosts(model->sim.mesh, local->dim, *x));
  PetscFunctionReturn(0);
}

PetscErrorCode ModelCheckCrossings(Model *model, const PetscReal x[], PetscInt *count, PetscInt *local_count, AbutIntersection **crossings)
{
  AbutState *state = AbutStepperGetState(model->sim.stepper);

  PetscFunctionBegin;
  PetscCall(AbutContactSetPlanes(model->sim.contact, state->plane_point, NULL)); /* planes may have moved */
  PetscCall(AbutContactCheck(model->sim.contact, x, count, local_count, crossings));
  PetscFunctionReturn(0);
}
