/* abut check: vertices that motions and loads select, friction coefficients by pair of surfaces. */
#include "app.h"

#define PAIRS_PRINTED 40

static PetscErrorCode PrintSelection(Model *model, const char what[], PetscInt number, const AbutSelectionSpec *selection,
                                     const char place[])
{
  PetscInt  count, *vertices;
  PetscReal mass = 0, *masses;

  PetscFunctionBegin;
  PetscCall(AbutMeshSelect(model->mesh, selection, place, &count, &vertices));
  PetscCall(PetscMalloc1(model->local->num_owned, &masses));
  PetscCall(AbutElasticGetMass(model->elastic, masses, NULL));
  for (PetscInt k = 0; k < count; k++) mass += masses[vertices[k]];
  PetscCall(PetscFree(masses));
  PetscCall(PetscFree(vertices));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPIU_INT, MPI_SUM, model->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &mass, 1, MPIU_REAL, MPIU_SUM, model->comm));
  PetscCall(PetscPrintf(model->comm, "%s[%" PetscInt_FMT "] (%s) selects %" PetscInt_FMT " vertices, %g kg\n", what, number, place, count,
                        (double)mass));
  PetscFunctionReturn(0);
}

/* The coefficients of every pair of surfaces that can touch. */
static PetscErrorCode PrintFriction(Model *model)
{
  const AbutScene         *scene = model->scene;
  const AbutFrictionTable *table = &scene->step.friction;
  const PetscInt           n     = scene->num_surfaces;
  PetscInt                 count = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = i; j < n; j++) {
      const PetscReal at_rest = table->mu_static[i * n + j], moving = table->mu_kinetic[i * n + j];
      if (at_rest == 0 || !(AbutSceneIsOfBody(scene, i) || AbutSceneIsOfBody(scene, j)) || count++ >= PAIRS_PRINTED) continue;
      PetscCall(PetscPrintf(model->comm, "friction of %s on %s: %g", scene->surfaces[i], scene->surfaces[j], (double)at_rest));
      PetscCall(moving < at_rest ? PetscPrintf(model->comm, " sticking, %g sliding\n", (double)moving) : PetscPrintf(model->comm, "\n"));
    }
  if (!count) PetscCall(PetscPrintf(model->comm, "friction                     none\n"));
  if (count > PAIRS_PRINTED) PetscCall(PetscPrintf(model->comm, "friction of %" PetscInt_FMT " more pairs\n", count - PAIRS_PRINTED));
  PetscFunctionReturn(0);
}

PetscErrorCode PrintChoices(Model *model)
{
  const AbutScene *scene = model->scene;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < scene->num_motions; m++) {
    const AbutMotionSpec *motion = &scene->motions[m];
    if (motion->plane >= 0)
      PetscCall(PetscPrintf(model->comm, "motions[%" PetscInt_FMT "] (%s) moves plane '%s'\n", m, motion->place,
                            scene->planes[motion->plane].name));
    else
      PetscCall(PrintSelection(model, "motions", m, &motion->selection, motion->place));
  }
  for (PetscInt l = 0; l < scene->num_loads; l++)
    PetscCall(PrintSelection(model, "loads", l, &scene->loads[l].selection, scene->loads[l].place));
  PetscCall(PrintFriction(model));
  PetscFunctionReturn(0);
}
