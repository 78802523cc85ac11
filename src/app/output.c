/* Output of a run: resultants by pair of bodies and reactions of each step; fields and checkpoints at selected steps. */
#include "app.h"
#include <petsctime.h>

static PetscBool WantsFields(const AbutOutputSpec *output)
{
  return (PetscBool)(output->fields_every > 0 || output->fields_interval > 0);
}

/* Contact and friction forces of the last step, zero before the first step on this mesh; NULL if the scene does not request them. */
static PetscErrorCode Forces(Run *run, PetscReal **contact, PetscReal **friction)
{
  const AbutOutputSpec *output = &run->model.scene->output;
  const PetscInt        n      = run->model.sim.local->num_owned * run->model.sim.local->dim;
  const PetscBool       wanted = (PetscBool)(output->friction_force && HasFriction(&run->model.scene->step.friction));

  PetscFunctionBegin;
  *contact = *friction = NULL;
  if (!output->contact_force && !wanted) PetscFunctionReturn(0);
  PetscCall(PetscCalloc1(n, contact));
  if (wanted) PetscCall(PetscCalloc1(n, friction));
  if (run->state->c2 > 0) PetscCall(AbutStepperGetContactForce(run->model.sim.stepper, *contact, *friction));
  if (!output->contact_force) PetscCall(PetscFree(*contact));
  PetscFunctionReturn(0);
}

/* Fields of the contact surface; without friction no slips. Collective. */
static PetscErrorCode Surface(Run *run, AbutSurfaceFields *surface)
{
  PetscFunctionBegin;
  PetscCall(AbutStepperGetSurface(run->model.sim.stepper, surface));
  if (HasFriction(&run->model.scene->step.friction)) PetscFunctionReturn(0);
  PetscCall(PetscFree(surface->friction_traction));
  PetscCall(PetscFree(surface->slip_rate));
  PetscCall(PetscFree(surface->slip));
  PetscCall(PetscFree(surface->stick));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteFields(Run *run)
{
  const AbutMeshLocal *local = run->model.sim.local;
  AbutFieldsLevel      level = {.step = run->state->step, .time = run->state->time, .x = run->state->x, .v = run->state->v};
  PetscReal           *x, *contact, *friction, *cauchy = NULL, *mises = NULL, *pressure = NULL, *strain = NULL;

  PetscFunctionBegin;
  PetscCall(ModelGetPositions(&run->model, &x));
  PetscCall(Forces(run, &contact, &friction));
  if (run->model.scene->output.stress) {
    PetscCall(PetscMalloc2(local->num_cells * 6, &cauchy, local->num_cells, &mises));
    AbutElasticGetStress(run->model.sim.elastic, x, cauchy, mises);
    if (local->middles) {
      PetscCall(PetscMalloc1(local->num_owned, &pressure));
      PetscCall(AbutElasticGetNodalPressure(run->model.sim.elastic, cauchy, pressure));
    }
  }
  if (AbutElasticHasPlasticStrain(run->model.sim.elastic)) {
    PetscCall(PetscMalloc1(local->num_cells, &strain));
    AbutElasticGetPlasticStrain(run->model.sim.elastic, strain);
  }
  if (run->model.scene->output.surface) PetscCall(Surface(run, &level.surface));
  level.num_planes     = run->model.scene->num_planes;
  level.planes         = run->model.scene->planes;
  level.plane_point    = run->state->plane_point;
  level.contact_force  = contact;
  level.friction_force = friction;
  level.cauchy         = cauchy;
  level.mises          = mises;
  level.pressure       = pressure;
  level.plastic_strain = strain;
  PetscCall(AbutFieldsWrite(run->fields, &level));
  PetscCall(AbutSurfaceFieldsFree(&level.surface));
  PetscCall(PetscFree(contact));
  PetscCall(PetscFree(friction));
  PetscCall(PetscFree2(cauchy, mises));
  PetscCall(PetscFree(pressure));
  PetscCall(PetscFree(strain));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

PetscErrorCode OutputOpenFields(Run *run, PetscBool append, PetscInt first_step)
{
  PetscFunctionBegin;
  if (!WantsFields(&run->model.scene->output)) PetscFunctionReturn(0);
  PetscCall(AbutFieldsCreate(run->model.sim.mesh, run->directory, append, first_step, &run->fields));
  if (!append) PetscCall(WriteFields(run));
  PetscFunctionReturn(0);
}

PetscErrorCode OutputFields(Run *run, PetscBool last)
{
  const AbutOutputSpec *output = &run->model.scene->output;
  const PetscReal       t      = run->state->time;
  PetscBool             due    = PETSC_FALSE;

  PetscFunctionBegin;
  if (output->fields_every > 0) due = (PetscBool)(run->state->step % output->fields_every == 0);
  if (output->fields_interval > 0) /* steps end on these times but for round-off */
    due = (PetscBool)(PetscAbsReal(t - PetscFloorReal(t / output->fields_interval + 0.5) * output->fields_interval) <=
                      1e-9 * run->model.scene->step.dt);
  if (WantsFields(output) && (due || last)) PetscCall(WriteFields(run));
  PetscFunctionReturn(0);
}

PetscErrorCode OutputForces(Run *run)
{
  const AbutScene    *scene = run->model.scene;
  AbutPairForce      *pairs;
  const AbutReaction *reactions;
  PetscInt            count;

  PetscFunctionBegin;
  PetscCall(AbutStepperGetPairForces(run->model.sim.stepper, &count, &pairs));
  PetscCall(AbutStatsAddPairs(run->stats, run->state->step, run->state->time, scene->planes, count, pairs));
  PetscCall(PetscFree(pairs));
  PetscCall(AbutStepperGetReactions(run->model.sim.stepper, &count, &reactions));
  PetscCall(AbutStatsAddReactions(run->stats, run->state->step, run->state->time, count, reactions));
  PetscFunctionReturn(0);
}

PetscBool SceneHasGas(const AbutScene *scene)
{
  for (PetscInt k = 0; k < scene->num_loads; k++)
    if (scene->loads[k].kind == ABUT_LOAD_GAS) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode OutputCavities(Run *run)
{
  PetscInt                  num;
  const AbutPressureReport *report = AbutStepperGetPressures(run->model.sim.stepper, &num);

  PetscFunctionBegin;
  PetscCall(AbutStatsAddCavities(run->stats, run->state->step, run->state->time, num, report));
  PetscFunctionReturn(0);
}

PetscErrorCode OutputCheckpoint(Run *run)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/checkpoint.h5", run->directory));
  PetscCall(AbutCheckpointWrite(run->model.sim.mesh, path, run->state, run->model.scene->initial));
  PetscCall(AbutStepperForget(run->model.sim.stepper));
  PetscCall(PetscTime(&run->last_checkpoint));
  PetscFunctionReturn(0);
}

/* Due after a number of steps or minutes. The clock of rank 0 decides for all ranks. */
PetscErrorCode OutputCheckpointIfDue(Run *run, PetscBool last)
{
  const AbutOutputSpec *output = &run->model.scene->output;
  PetscLogDouble        now;
  PetscMPIInt           late;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  late = output->checkpoint_minutes > 0 && now - run->last_checkpoint > 60.0 * output->checkpoint_minutes;
  PetscCallMPI(MPI_Bcast(&late, 1, MPI_INT, 0, run->model.comm));
  if (last || late || (output->checkpoint_every > 0 && run->state->step % output->checkpoint_every == 0)) PetscCall(OutputCheckpoint(run));
  PetscFunctionReturn(0);
}
