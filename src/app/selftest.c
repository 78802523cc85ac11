/*
  abut selftest: whether an installed program computes on this machine. A scene of seconds with contact, friction and a prescribed motion is
  held against balances of forces, a closed form, the exact check of intersections, and its own restart from a checkpoint.
*/
#include "app.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STEPS   4    /* of 1 s, so long that the bodies are at rest at the end */
#define BALANCE 1e-3 /* largest relative error of a force: ten times solver.balance of the scene */
#define FORM    1e-2 /* largest relative error of the elongation: strains of 0.5 % count as small */

enum { LOWER, UPPER, BAR, FLOOR }; /* bodies in the order of the scene; a half space comes behind them */

static const char scene_text[] =
  "abut: 1\n"
  "title: Two blocks on a floor, and a bar that hangs from its upper end\n"
  "dim: 3\n"
  "time: {step: 1, steps: 4}\n"
  "gravity: [0, -10, 0]\n"
  "materials: {soft: {model: neo-hookean, young: 1.0e6, poisson: 0, density: 1000}}\n"
  "bodies:\n"
  "  - {name: lower, material: soft, shape: {box: {size: [0.4, 0.2, 0.4], cells: [3, 2, 3]}}, translate: [0, 0.1005, 0]}\n"
  "  - {name: upper, material: soft, shape: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}, rotate: [0, 30, 0], translate: [0, 0.301, "
  "0]}\n"
  "  - {name: bar, material: soft, shape: {box: {size: [0.1, 1, 0.1], cells: [1, 10, 1]}}, translate: [2, 1.5, 0]}\n"
  "obstacles: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]\n"
  "motions: [{select: {body: bar, box: [[0, 0.999, 0], [1, 1, 1]], relative: true}}]\n"
  "contact: {dhat: {absolute: 1.0e-3}, friction: {default: 0.5}}\n"
  "solver: {balance: 1.0e-4}\n";

/* Weights and elongation of the scene: density, gravity, sizes and Young's modulus of the text. */
#define WEIGHT_LOWER (1000 * 10 * 0.4 * 0.2 * 0.4)
#define WEIGHT_UPPER (1000 * 10 * 0.2 * 0.2 * 0.2)
#define ELONGATION   (1000 * 10 * 1.0 * 1.0 / (2 * 1.0e6)) /* density gravity length^2 / 2 E */

typedef struct {
  MPI_Comm comm;
  char     directory[PETSC_MAX_PATH_LEN], scene[PETSC_MAX_PATH_LEN + 32], checkpoint[PETSC_MAX_PATH_LEN + 32];
  PetscInt failed; /* checks */
} SelfTest;

static PetscErrorCode Check(SelfTest *test, const char what[], PetscReal found, PetscReal wanted, PetscReal error)
{
  const PetscBool ok = (PetscBool)(PetscAbsReal(found - wanted) <= error); /* false for NaN */

  PetscFunctionBegin;
  if (!ok) test->failed++;
  PetscCall(PetscPrintf(test->comm, "%-44s %14.6g, must be %g +- %.1e   %s\n", what, (double)found, (double)wanted, (double)error,
                        ok ? "ok" : "WRONG"));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteScene(const SelfTest *test)
{
  FILE *file = fopen(test->scene, "w");

  PetscFunctionBegin;
  AbutCheck(file, ABUT_ERR_IO, "cannot write %s: %s", test->scene, strerror(errno));
  (void)fputs(scene_text, file);
  AbutCheck(!fclose(file), ABUT_ERR_IO, "cannot write %s: %s", test->scene, strerror(errno));
  PetscFunctionReturn(0);
}

static PetscErrorCode Steps(Model *model, PetscInt last)
{
  const AbutState *state = AbutStepperGetState(model->sim.stepper);
  AbutStepReport   report;

  PetscFunctionBegin;
  while (state->step < last) {
    PetscCall(AbutStepperStep(model->sim.stepper, &report));
    AbutCheck(report.converged, ABUT_ERR_DIVERGED, "step %" PetscInt_FMT " of the self-test did not converge", state->step + 1);
  }
  PetscFunctionReturn(0);
}

/* Contact forces carry the weights of the blocks. */
static PetscErrorCode CheckForces(SelfTest *test, Model *model)
{
  PetscInt       count;
  AbutPairForce *pairs;
  PetscReal      floor_force = 0, block_force = 0;

  PetscFunctionBegin;
  PetscCall(AbutStepperGetPairForces(model->sim.stepper, &count, &pairs));
  for (const AbutPairForce *p = pairs; p < pairs + count; p++) {
    const PetscReal up = p->normal[1] + p->friction[1];

    if (p->body[0] == LOWER && p->body[1] == FLOOR) floor_force = up;
    if (p->body[0] == LOWER && p->body[1] == UPPER) block_force = -up;
  }
  PetscCall(PetscFree(pairs));
  PetscCall(Check(test, "force of the floor on the lower block [N]", floor_force, WEIGHT_LOWER + WEIGHT_UPPER, BALANCE * WEIGHT_LOWER));
  PetscCall(Check(test, "force of the lower block on the upper [N]", block_force, WEIGHT_UPPER, BALANCE * WEIGHT_UPPER));
  PetscFunctionReturn(0);
}

/* x: positions with ghosts. */
static PetscErrorCode CheckShape(SelfTest *test, Model *model, const PetscReal x[])
{
  const AbutMeshLocal *m      = model->sim.local;
  PetscReal            lowest = PETSC_INFINITY;
  PetscInt             crossings, inversions, forbidden;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < m->num_owned; v++)
    if (m->vertex_body[v] == BAR) lowest = PetscMin(lowest, x[m->dim * v + 1]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPIU_REAL, MPIU_MIN, test->comm));
  PetscCall(Check(test, "elongation of the bar by its weight [m]", 1 - lowest, ELONGATION, FORM * ELONGATION));
  PetscCall(ModelCheckCrossings(model, x, &crossings, NULL, NULL));
  AbutElasticCountInversions(model->sim.elastic, x, &inversions, &forbidden);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &inversions, 1, MPIU_INT, MPI_SUM, test->comm));
  PetscCall(Check(test, "intersections of surfaces", (PetscReal)crossings, 0, 0));
  PetscCall(Check(test, "inverted cells", (PetscReal)inversions, 0, 0));
  PetscFunctionReturn(0);
}

/* The last steps again, from the checkpoint: the same positions, bit for bit. */
static PetscErrorCode CheckRestart(SelfTest *test, const PetscReal x[])
{
  Model     again;
  PetscReal difference = 0;

  PetscFunctionBegin;
  PetscCall(ModelCreate(test->comm, test->scene, STEPS, &again));
  PetscCall(AbutCheckpointRead(again.sim.mesh, test->checkpoint, AbutStepperGetState(again.sim.stepper), NULL));
  PetscCall(Steps(&again, STEPS));
  for (PetscInt k = 0; k < again.sim.local->num_owned * again.sim.local->dim; k++)
    difference += PetscAbsReal(AbutStepperGetState(again.sim.stepper)->x[k] - x[k]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &difference, 1, MPIU_REAL, MPIU_SUM, test->comm));
  PetscCall(Check(test, "change of positions by a restart [m]", difference, 0, 0));
  PetscCall(ModelDestroy(&again));
  PetscFunctionReturn(0);
}

static PetscErrorCode RunChecks(SelfTest *test)
{
  Model      model;
  AbutState *state;
  PetscReal *x;

  PetscFunctionBegin;
  PetscCall(ModelCreate(test->comm, test->scene, STEPS, &model));
  state = AbutStepperGetState(model.sim.stepper);
  PetscCall(Steps(&model, STEPS / 2));
  PetscCall(AbutCheckpointWrite(model.sim.mesh, test->checkpoint, state, model.scene->initial));
  PetscCall(AbutStepperForget(model.sim.stepper));
  PetscCall(Steps(&model, STEPS));
  PetscCall(CheckForces(test, &model));
  PetscCall(ModelGetPositions(&model, &x));
  PetscCall(CheckShape(test, &model, x));
  PetscCall(CheckRestart(test, x));
  PetscCall(PetscFree(x));
  PetscCall(ModelDestroy(&model));
  PetscFunctionReturn(0);
}

/* Removes the files, and the folder if nothing else is in it. */
static void Remove(const SelfTest *test)
{
  (void)unlink(test->scene);
  (void)unlink(test->checkpoint);
  (void)rmdir(test->directory);
}

static PetscErrorCode CommandSelfTest(MPI_Comm comm, const char scene[], PetscBool terminal)
{
  SelfTest    test = {.comm = comm, .directory = "abut_selftest"};
  PetscMPIInt ranks;

  PetscFunctionBegin;
  (void)scene, (void)terminal;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-o", test.directory, sizeof(test.directory), NULL));
  PetscCall(PetscSNPrintf(test.scene, sizeof(test.scene), "%s/selftest.yaml", test.directory));
  PetscCall(PetscSNPrintf(test.checkpoint, sizeof(test.checkpoint), "%s/selftest.h5", test.directory));
  PetscCall(DirectoryPrepare(comm, test.directory, PETSC_FALSE, PETSC_FALSE));
  PetscCall(AbutAgree(comm, AbutIsRoot(comm) ? WriteScene(&test) : 0));
  PetscCall(RunChecks(&test));
  if (AbutIsRoot(comm)) Remove(&test);
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  AbutCheck(!test.failed, ABUT_ERR_DIVERGED, "%" PetscInt_FMT " checks of the self-test failed on %d ranks", test.failed, (int)ranks);
  PetscCall(PetscPrintf(comm, "the self-test passed on %d ranks\n", (int)ranks));
  PetscFunctionReturn(0);
}

const AbutCommand AbutCommandSelfTest = {
  .name  = "selftest",
  .usage = "  abut selftest [-o DIR]             whether the program computes on this machine: checks of seconds, then removes its files\n",
  .files_read = ABUT_FILES_NONE,
  .execute    = CommandSelfTest,
};
