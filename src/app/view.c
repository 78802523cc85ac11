/* -abut_view: the values in force, and how work and messages are distributed over the ranks. */
#include "app.h"
#include <petscviewer.h>

/* Stencils of the last step, which carry the work of contact, and the much cheaper ones with half spaces; 0 before the first step. */
static PetscErrorCode ViewStencils(Run *run, PetscViewer viewer)
{
  static const char *const name[2]  = {"stencils", "half-space stencils"};
  const AbutStencil       *stencils = NULL;
  PetscInt                 count    = 0, most[2];
  PetscInt64               sum[2];
  PetscMPIInt              size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(run->model.comm, &size));
  if (run->state->step > run->progress.first) PetscCall(AbutPotentialGetStencils(run->model.sim.potential, &count, &stencils));
  most[0] = most[1] = 0;
  for (PetscInt i = 0; i < count; i++) most[stencils[i].plane >= 0]++;
  for (int k = 0; k < 2; k++) sum[k] = most[k];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_INT, MPI_MAX, run->model.comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_INT64, MPI_SUM, run->model.comm));
  for (int k = 0; k < 2; k++)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %-24s max %" PetscInt_FMT " avg %.1f a rank\n", name[k], most[k], (double)sum[k] / size));
  PetscFunctionReturn(0);
}

static PetscErrorCode ViewTraffic(Run *run, PetscViewer viewer)
{
  PetscLogDouble traffic[2];

  PetscFunctionBegin;
  PetscCall(AbutContactGetTraffic(run->model.sim.contact, &traffic[0], &traffic[1]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, traffic, 2, MPI_DOUBLE, MPI_SUM, run->model.comm));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Contact messages of all ranks: %.0f, %.6g MB\n", traffic[0], traffic[1] / 1e6));
  PetscFunctionReturn(0);
}

PetscErrorCode ViewRun(Run *run)
{
  PetscViewer        viewer = PETSC_VIEWER_STDOUT_(run->model.comm);
  const AbutCommand *command;

  PetscFunctionBegin;
  PetscCall(AbutMeshViewOptions(run->model.sim.mesh, viewer));
  PetscCall(AbutMeshView(run->model.sim.mesh, viewer));
  PetscCall(AbutContactView(run->model.sim.contact, viewer));
  PetscCall(AbutStepperView(run->model.sim.stepper, viewer));
  for (PetscInt i = 0; (command = CommandAt(i)); i++)
    if (command->run_table) PetscCall(AbutOptionTableShow(run->model.comm, command->run_table, viewer));
  PetscCall(ViewStencils(run, viewer));
  PetscCall(ViewTraffic(run, viewer));
  PetscFunctionReturn(0);
}
