/* abut check: sizes, gaps and contacts at the start of a scene, without running it. */
#include "app.h"

/* Memory [bytes] of the Hessian and of its Cholesky factor over all ranks. Growth as for nested dissection, constants fitted to boxes. */
static void EstimateMemory(const AbutMeshLocal *local, PetscReal *matrix, PetscReal *factor)
{
  static const PetscReal blocks[2][2] = {{7, 11.5}, {15, 28}}; /* in a row of a large mesh: 2D, 3D; linear, quadratic cells */
  const PetscReal        n = (PetscReal)local->num_global, block = PetscSqr((PetscReal)local->dim) * 12;

  *matrix = 0;
  for (const AbutBody *body = local->bodies; body < local->bodies + local->num_bodies; body++)
    *matrix += (PetscReal)(body->vertex_end - body->vertex_start) * blocks[local->dim - 2][body->order - 1] * block;
  *factor = local->dim == 3 ? 4.5 * PetscPowReal(n, 4. / 3) * 9 * 8 : 4 * n * PetscLog2Real(n + 2) * 4 * 8;
}

static PetscErrorCode CommandCheck(MPI_Comm comm, const char scene[], PetscBool terminal)
{
  Model          model;
  PetscReal      matrix, factor;
  char           directory[PETSC_MAX_PATH_LEN] = ".";
  PetscErrorCode verdict;

  PetscFunctionBegin;
  (void)terminal;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-o", directory, sizeof(directory), NULL)); /* of intersections.xdmf */
  PetscCall(ModelCreate(comm, scene, -1, &model));
  PetscCall(AbutMeshView(model.sim.mesh, PETSC_VIEWER_STDOUT_(comm)));
  PetscCall(PrintSizes(&model));
  PetscCall(PrintMaterials(&model));
  EstimateMemory(model.sim.local, &matrix, &factor);
  PetscCall(PetscPrintf(comm, "unknowns                     %" PetscInt_FMT "\n", model.sim.local->num_global * model.sim.local->dim));
  PetscCall(PetscPrintf(comm, "memory, all ranks, roughly   %.3g MB matrix, %.3g MB factor if solved directly\n", (double)(matrix / 1e6),
                        (double)(factor / 1e6)));
  PetscCall(PrintChoices(&model));
  verdict = ModelCheckStart(&model, directory, PETSC_TRUE);
  if (verdict && verdict != ABUT_ERR_INTERSECTION) PetscFunctionReturn(verdict);
  if (!verdict) {
    PetscCall(PrintGaps(&model));
    PetscCall(PetscPrintf(comm, "initial intersections        none\n"));
    PetscCall(AbutStepperCheckStart(model.sim.stepper));
  }
  PetscCall(ModelDestroy(&model));
  PetscFunctionReturn(verdict);
}

const AbutCommand AbutCommandCheck = {
  .name    = "check",
  .usage   = "  abut check SCENE.yaml [-o DIR]     sizes, gaps, initial intersections, memory\n",
  .execute = CommandCheck,
};
