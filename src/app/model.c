/* Creates the objects of a run from a scene, and checks the state at the start. */
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

/* Whether the first intersection of this rank (NULL = none) has the lowest ids of all ranks. Collective. */
static PetscErrorCode IsLowest(MPI_Comm comm, const AbutIntersection *first, PetscBool *lowest)
{
  PetscFunctionBegin;
  *lowest = (PetscBool)(first != NULL);
  for (int i = 0; i < 5; i++) {
    const PetscInt id = !*lowest ? PETSC_MAX_INT : i < 2 ? first->edge[i] : first->face[i - 2];
    PetscInt       least;
    PetscCallMPI(MPI_Allreduce(&id, &least, 1, MPIU_INT, MPI_MIN, comm));
    if (id > least) *lowest = PETSC_FALSE;
  }
  PetscFunctionReturn(0);
}

/* Describes an intersection by vertex ids and names. */
static PetscErrorCode DescribeCrossing(Model *model, const AbutIntersection *c, char text[], size_t length)
{
  const AbutBody *bodies    = model->local->bodies;
  const PetscBool triangle  = (PetscBool)(c->face[2] >= 0);
  char            third[32] = "";

  PetscFunctionBegin;
  if (c->edge[1] < 0) {
    PetscCall(PetscSNPrintf(text, length, "vertex %" PetscInt_FMT " of '%s' lies behind plane '%s'", c->edge[0], bodies[c->body[0]].name,
                            model->scene->planes[c->face[0]].name));
    PetscFunctionReturn(0);
  }
  if (triangle) PetscCall(PetscSNPrintf(third, sizeof(third), ", %" PetscInt_FMT, c->face[2]));
  PetscCall(PetscSNPrintf(text, length,
                          "edge (%" PetscInt_FMT ", %" PetscInt_FMT ") of '%s' crosses %s (%" PetscInt_FMT ", %" PetscInt_FMT "%s) of '%s'",
                          c->edge[0], c->edge[1], bodies[c->body[0]].name, triangle ? "triangle" : "edge", c->face[0], c->face[1], third,
                          bodies[c->body[1]].name));
  PetscFunctionReturn(0);
}

/* Prints a line for each intersection, rank by rank. Collective. */
static PetscErrorCode ListCrossings(Model *model, PetscInt count, const AbutIntersection crossings[])
{
  char text[512];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count; k++) {
    PetscCall(DescribeCrossing(model, &crossings[k], text, sizeof(text)));
    PetscCall(PetscSynchronizedPrintf(model->comm, "  %s\n", text));
  }
  PetscCall(PetscSynchronizedFlush(model->comm, NULL));
  PetscFunctionReturn(0);
}

/* Describes the intersections of the start by the one of lowest ids; names the command that removes them. Collective. */
static PetscErrorCode RefuseCrossings(Model *model, PetscInt count, const AbutIntersection *first, const char directory[])
{
  const char *scene = model->scene->path;
  char        text[512], all[PETSC_MAX_PATH_LEN + 64] = "", command[PETSC_MAX_PATH_LEN + 96] = "";
  PetscBool   lowest;

  PetscFunctionBegin;
  PetscCall(IsLowest(model->comm, first, &lowest));
  if (!lowest) PetscFunctionReturn(AbutAgree(model->comm, 0));
  PetscCall(DescribeCrossing(model, first, text, sizeof(text)));
  if (directory[0]) PetscCall(PetscSNPrintf(all, sizeof(all), " (all in %s/intersections.xdmf)", directory));
  if (first->body[0] != first->body[1])
    PetscCall(PetscSNPrintf(command, sizeof(command), "; to move the bodies apart: abut deform %s -resolve -o DIR", scene));
  PetscFunctionReturn(
    AbutAgree(model->comm, AbutErrorSet(ABUT_ERR_INTERSECTION,
                                        "%s: the scene starts with %" PetscInt_FMT " intersection(s), none is allowed; one of them: %s%s%s",
                                        scene, count, text, all, command)));
}

PetscErrorCode ModelCheckStart(Model *model, const char directory[], PetscBool list)
{
  PetscReal        *x;
  PetscInt          count, local_count, inversions, forbidden;
  AbutIntersection *crossings;
  PetscErrorCode    verdict = 0;

  PetscFunctionBegin;
  PetscCall(ModelCheckInside(model));
  PetscCall(ModelGetPositions(model, &x));
  PetscCall(ModelCheckCrossings(model, x, &count, &local_count, &crossings));
  if (count && list) PetscCall(ListCrossings(model, local_count, crossings));
  if (count && directory[0]) PetscCall(AbutIntersectionsWrite(model->mesh, directory, x, local_count, crossings));
  if (count) verdict = RefuseCrossings(model, count, local_count ? crossings : NULL, directory);
  PetscCall(PetscFree(crossings));
  if (verdict) PetscCall(PetscFree(x));
  PetscCall(verdict);
  PetscCall(ModelWarnOfNested(model, x));
  AbutElasticCountInversions(model->elastic, x, &inversions, &forbidden);
  PetscCall(PetscFree(x));
  if (forbidden >= 0)
    verdict = AbutErrorSet(ABUT_ERR_INPUT, "%s: cell %" PetscInt_FMT " of '%s' starts inverted", model->scene->path,
                           model->local->cell_id[forbidden], model->local->bodies[model->local->cell_body[forbidden]].name);
  PetscCall(AbutAgree(model->comm, verdict));
  PetscFunctionReturn(0);
}
