/* abut check: vertices that motions and loads select, friction coefficients by pair of surfaces. */
#include "app.h"

static PetscErrorCode PrintSelection(Model *model, const char what[], PetscInt number, const AbutSelectionSpec *selection,
                                     const char place[])
{
  PetscInt  count, *vertices;
  PetscReal mass = 0, *masses;

  PetscFunctionBegin;
  PetscCall(AbutMeshSelect(model->sim.mesh, selection, place, &count, &vertices));
  PetscCall(PetscMalloc1(model->sim.local->num_owned, &masses));
  PetscCall(AbutElasticGetMass(model->sim.elastic, masses, NULL));
  for (PetscInt k = 0; k < count; k++) mass += masses[vertices[k]];
  PetscCall(PetscFree(masses));
  PetscCall(PetscFree(vertices));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPIU_INT, MPI_SUM, model->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &mass, 1, MPIU_REAL, MPIU_SUM, model->comm));
  PetscCall(PetscPrintf(model->comm, "%s[%" PetscInt_FMT "] (%s) selects %" PetscInt_FMT " vertices, %g kg\n", what, number, place, count,
                        (double)mass));
  PetscFunctionReturn(0);
}

static PetscErrorCode PrintRest(Model *model, const char what[], PetscInt count)
{
  PetscFunctionBegin;
  if (count > LINES_MAX)
    PetscCall(PetscPrintf(model->comm, "and %" PetscInt_FMT " more %s, %" PetscInt_FMT " in all\n", count - LINES_MAX, what, count));
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
      if (at_rest == 0 || !(AbutSceneIsOfBody(scene, i) || AbutSceneIsOfBody(scene, j)) || count++ >= LINES_MAX) continue;
      PetscCall(PetscPrintf(model->comm, "friction of %s on %s: %g", scene->surfaces[i], scene->surfaces[j], (double)at_rest));
      PetscCall(moving < at_rest ? PetscPrintf(model->comm, " sticking, %g sliding\n", (double)moving) : PetscPrintf(model->comm, "\n"));
    }
  if (!count) PetscCall(PetscPrintf(model->comm, "friction                     none\n"));
  PetscCall(PrintRest(model, "pairs with friction", count));
  PetscFunctionReturn(0);
}

PetscErrorCode PrintChoices(Model *model)
{
  const AbutScene *scene = model->scene;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < PetscMin(scene->num_motions, LINES_MAX); m++) {
    const AbutMotionSpec *motion = &scene->motions[m];
    if (motion->plane >= 0)
      PetscCall(PetscPrintf(model->comm, "motions[%" PetscInt_FMT "] (%s) moves plane '%s'\n", m, motion->place,
                            scene->planes[motion->plane].name));
    else
      PetscCall(PrintSelection(model, "motions", m, &motion->selection, motion->place));
  }
  PetscCall(PrintRest(model, "motions", scene->num_motions));
  for (PetscInt l = 0; l < PetscMin(scene->num_loads, LINES_MAX); l++)
    if (scene->loads[l].kind == ABUT_LOAD_PLANE)
      PetscCall(PetscPrintf(model->comm, "loads[%" PetscInt_FMT "] (%s) drives plane '%s'\n", l, scene->loads[l].place,
                            scene->planes[scene->loads[l].plane].name));
    else
      PetscCall(PrintSelection(model, "loads", l, &scene->loads[l].selection, scene->loads[l].place));
  PetscCall(PrintRest(model, "loads", scene->num_loads));
  for (PetscInt t = 0; t < PetscMin(scene->num_ties, LINES_MAX); t++) {
    const AbutTieReport *tie = AbutStepperGetTie(model->sim.stepper, t);
    PetscCall(PetscPrintf(model->comm, "ties[%" PetscInt_FMT "] (%s) ties %" PetscInt_FMT " vertices, %g %s, gap at most %g m\n", t,
                          scene->ties[t].place, tie->vertices, (double)tie->area, scene->dim == 3 ? "m^2" : "m", (double)tie->gap));
  }
  PetscCall(PrintRest(model, "ties", scene->num_ties));
  PetscCall(PrintFriction(model));
  PetscFunctionReturn(0);
}
