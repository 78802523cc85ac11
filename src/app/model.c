/* Creates the objects of a run from a scene. */
#include "app.h"

PetscErrorCode ModelCreate(MPI_Comm comm, const char path[], PetscInt steps, Model *model)
{
  const AbutScene *scene;

  PetscFunctionBegin;
  model->comm = comm;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_SETUP));
  PetscCall(AbutSceneRead(comm, path, &model->scene));
  if (steps >= 0) model->scene->step.end = PETSC_MAX_REAL; /* with another step length, the same number of steps ends at another time */
  scene = model->scene;
  PetscCall(AbutMeshCreate(comm, scene->dim, scene->num_bodies, scene->bodies, &model->mesh));
  model->local = AbutMeshGetLocal(model->mesh);
  PetscCall(AbutSceneWarnOfOverlap(scene, model->mesh));
  PetscCall(AbutElasticCreate(model->mesh, scene->num_materials, scene->materials, &model->elastic));
  PetscCall(AbutContactCreate(model->mesh, scene->num_planes, scene->planes, &model->contact));
  PetscCall(AbutContactSetFromOptions(model->contact));
  PetscCall(AbutPotentialCreate(comm, scene->step.potential, &model->potential));
  PetscCall(AbutPotentialSetSpec(model->potential, &scene->step.orientation));
  PetscCall(AbutStepperCreate(&(AbutModelParts){.mesh        = model->mesh,
                                                .elastic     = model->elastic,
                                                .contact     = model->contact,
                                                .potential   = model->potential,
                                                .num_planes  = scene->num_planes,
                                                .num_motions = scene->num_motions,
                                                .num_loads   = scene->num_loads,
                                                .planes      = scene->planes,
                                                .motions     = scene->motions,
                                                .loads       = scene->loads},
                              &scene->step, &model->stepper));
  PetscCall(AbutStepperSetFromOptions(model->stepper));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_SETUP));
  PetscFunctionReturn(0);
}

PetscErrorCode ModelDestroy(Model *model)
{
  PetscFunctionBegin;
  PetscCall(AbutStepperDestroy(&model->stepper));
  PetscCall(AbutPotentialDestroy(&model->potential));
  PetscCall(AbutContactDestroy(&model->contact));
  PetscCall(AbutElasticDestroy(&model->elastic));
  PetscCall(AbutMeshDestroy(&model->mesh));
  PetscCall(AbutSceneDestroy(&model->scene));
  PetscFunctionReturn(0);
}

PetscReal ModelGetActivationDistance(const Model *model)
{
  const AbutStepSpec *spec = &model->scene->step;

  return AbutQuantityResolve(&spec->dhat, AbutStepSpecLength(spec, model->local->diagonal));
}

PetscErrorCode ModelGetPositions(Model *model, PetscReal **x)
{
  const AbutMeshLocal *local = model->local;
  AbutState           *state = AbutStepperGetState(model->stepper);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(local->num_local * local->dim, x));
  PetscCall(PetscArraycpy(*x, state->x, local->num_owned * local->dim));
  PetscCall(AbutMeshUpdateGhosts(model->mesh, local->dim, *x));
  PetscFunctionReturn(0);
}

PetscErrorCode ModelCheckCrossings(Model *model, const PetscReal x[], PetscInt *count, PetscInt *local_count, AbutIntersection **crossings)
{
  AbutState *state = AbutStepperGetState(model->stepper);

  PetscFunctionBegin;
  PetscCall(AbutContactSetPlanes(model->contact, state->plane_point, NULL)); /* planes may have moved */
  PetscCall(AbutContactCheck(model->contact, x, count, local_count, crossings));
  PetscFunctionReturn(0);
}
