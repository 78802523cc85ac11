/* abut run: time steps from a scene or a checkpoint, with all result files. */
#include "app.h"
#include <petsctime.h>

#define VERIFY_MAX_FACES 100000 /* surface triangles up to which -verify is on by default */

#define AT(member) offsetof(Run, member)

static const AbutOption run_options[] = {
  {"-o", ABUT_OPTION_TEXT, AT(directory), 0, 0, 0, "", "Folder of the results"},
  {"-steps", ABUT_OPTION_INT, AT(steps), -1, 0, PETSC_MAX_INT, "", "Number of the last step; without it the scene decides"},
  {"-overwrite", ABUT_OPTION_BOOL, AT(overwrite), 0, 0, 1, "", "Replace results of another run in the folder"},
  {"-progress", ABUT_OPTION_ENUM, AT(progress_mode), PROGRESS_AUTO, 0, 0, "", PROGRESS_HELP, ProgressModes},
  {"-heartbeat", ABUT_OPTION_REAL, AT(silence), 60, 0, PETSC_INFINITY, "s",
   "Longest time without a line of progress in a step; 0: no limit"},
  {"-v", ABUT_OPTION_BOOL, AT(verbose), 0, 0, 1, "", "A line for each Newton iteration"},
  {"-verify", ABUT_OPTION_BOOL, AT(verify), 0, 0, 1, "",
   "Exact intersection check after every step; on by default for up to 100000 surface triangles"},
  {"-walltime", ABUT_OPTION_REAL, AT(walltime), 0, 0, PETSC_INFINITY, "min",
   "Wall-clock time after which the run writes a checkpoint and ends; 0: no limit"},
  {"-abut_view", ABUT_OPTION_BOOL, AT(view), 0, 0, 1, "",
   "Print at the end the values in force and how work and messages are distributed over the ranks"}};
const AbutOptionTable RunOptions = {"abut run", PETSC_STATIC_ARRAY_LENGTH(run_options), run_options};

static const AbutOption      restart_options[] = {{"-restart", ABUT_OPTION_TEXT, AT(restart), 0, 0, 0, "", "Checkpoint to continue from"},
                                                  {"-restart_interpolate", ABUT_OPTION_TEXT, AT(interpolate), 0, 0, 0, "",
                                                   "Scene of the checkpoint if its mesh differs: the state is interpolated"},
                                                  {"-restart_distance", ABUT_OPTION_REAL, AT(distance), 0.05, 0, PETSC_INFINITY, "",
                                                   "Largest distance of a vertex from the mesh of the checkpoint over the size of its body",
                                                   NULL, "-restart_interpolate"}};
static const AbutOptionTable RestartOptions    = {"abut run -restart", PETSC_STATIC_ARRAY_LENGTH(restart_options), restart_options};

PetscErrorCode RunReadOptions(Run *run)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableRead(run->model.comm, &RunOptions, run));
  PetscCall(AbutOptionTableRead(run->model.comm, &RestartOptions, run));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-verify", &run->verify_set));
  PetscFunctionReturn(0);
}

PetscErrorCode RunCheckOptions(const Run *run)
{
  PetscFunctionBegin;
  AbutCheck(run->restart[0] || !run->interpolate[0], ABUT_ERR_INPUT, "-restart_interpolate needs a checkpoint: -restart FILE");
  AbutCheck(!run->overwrite || !RunContinues(run), ABUT_ERR_INPUT,
            "-overwrite and -restart exclude each other: a restart continues results");
  PetscFunctionReturn(0);
}

/* Reads the state and warns where the scene defines another initial state than that of the checkpoint's run. Collective. */
static PetscErrorCode ReadCheckpoint(Run *run)
{
  char *initial;

  PetscFunctionBegin;
  PetscCall(AbutCheckpointRead(run->model.sim.mesh, run->restart, run->state, &initial));
  PetscCall(AbutSceneWarnOfInitial(run->model.comm, run->model.scene, initial));
  PetscCall(PetscFree(initial));
  PetscFunctionReturn(0);
}

/* Opens the files that are written during the run; a restart appends to them. Collective. */
static PetscErrorCode OpenResults(Run *run)
{
  const Model        *model = &run->model;
  const AbutStatsSpec stats = {.directory  = run->directory,
                               .scene      = model->scene->path,
                               .num_planes = model->scene->num_planes,
                               .dissipates = AbutElasticHasHistory(model->sim.elastic),
                               .has_gas    = SceneHasGas(model->scene),
                               .append     = RunContinues(run),
                               .first_step = run->state->step,
                               .first_time = run->state->time};

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(DirectoryClear(run));
  PetscCall(AbutStatsCreate(model->sim.mesh, &stats, &run->stats));
  PetscCall(OutputOpenFields(run, stats.append, stats.first_step));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscFunctionReturn(0);
}

/* Sets the state to that of a checkpoint of another mesh of the same bodies. Collective. */
static PetscErrorCode Interpolate(Run *run)
{
  const AbutCommand *command;

  PetscFunctionBegin;
  for (PetscInt i = 0; (command = CommandAt(i)); i++)
    if (command->interpolate) PetscFunctionReturn(command->interpolate(&run->model, run->interpolate, run->restart, run->distance));
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT, "this build has no -restart_interpolate: " ABUT_NO_TOOLS));
}

/* Creates the model and the state at which the run starts, and checks this state. Collective. */
static PetscErrorCode CreateModel(Run *run, const char scene[])
{
  Model *model = &run->model;

  PetscFunctionBegin;
  PetscCall(ModelCreate(model->comm, scene, run->steps, model));
  run->state = AbutStepperGetState(model->sim.stepper);
  if (RunContinues(run)) PetscCall(ReadCheckpoint(run));
  if (run->interpolate[0]) PetscCall(Interpolate(run));
  if (!run->verify_set) run->verify = (PetscBool)(model->sim.local->global.faces <= VERIFY_MAX_FACES);
  PetscCall(ModelCheckStart(model, run->directory, PETSC_FALSE));
  PetscCall(AbutStepperForget(model->sim.stepper)); /* the check has built search trees of its own */
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(Run *run, const char scene[])
{
  Model         *model = &run->model;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(DirectoryPrepare(model->comm, run->directory, (PetscBool)(run->overwrite || RunContinues(run)), PETSC_TRUE));
  PetscCall(FolderLockTake(model->comm, run->directory, &run->lock));
  PetscCall(InterruptCreate(model->comm, run->walltime, &run->interrupt));
  code = CreateModel(run, scene);
  if (code) PetscCall(DirectorySetUpFailed(run, code));
  PetscCall(code);
  InterruptBeginSteps();
  PetscCall(OpenResults(run));
  PetscCall(ProgressCreate(model->comm, run, &run->progress));
  AbutNewtonSetMonitor(AbutStepperGetNewton(model->sim.stepper), ProgressNewton, &run->progress);
  AbutNewtonSetStop(AbutStepperGetNewton(model->sim.stepper), InterruptCheck, &run->interrupt);
  PetscCall(PetscTime(&run->last_checkpoint));
  PetscFunctionReturn(0);
}

/* Whether the run is at its last step: the one of -steps, else the one that reaches the end of the scene. */
static PetscBool IsDone(const Run *run)
{
  return run->steps >= 0 ? (PetscBool)(run->state->step >= run->steps) : AbutStepperIsDone(run->model.sim.stepper);
}

/* Prints that the run has no step to compute: without this line it would look like a run that failed. Collective. */
static PetscErrorCode ReportNothingToDo(Run *run)
{
  const AbutState *state = run->state;
  char             end[64];

  PetscFunctionBegin;
  if (!IsDone(run)) PetscFunctionReturn(0);
  if (run->steps >= 0)
    PetscCall(PetscSNPrintf(end, sizeof(end), "-steps %" PetscInt_FMT, run->steps));
  else
    PetscCall(PetscSNPrintf(end, sizeof(end), "the end of the scene, t = %g s", (double)AbutStepSpecEnd(&run->model.scene->step)));
  PetscCall(PetscPrintf(run->model.comm, "nothing to do: %s is complete at step %" PetscInt_FMT ", t = %g s (%s)\n", run->model.scene->path,
                        state->step, (double)state->time, end));
  PetscFunctionReturn(0);
}

/* Exact check of an accepted step. Collective. */
static PetscErrorCode Verify(Run *run, PetscInt *intersections, PetscInt *inversions)
{
  PetscReal *x;
  PetscInt   forbidden;

  PetscFunctionBegin;
  *intersections = *inversions = -1;
  if (!run->verify) PetscFunctionReturn(0);
  PetscCall(ModelGetPositions(&run->model, &x));
  PetscCall(ModelCheckCrossings(&run->model, x, intersections, NULL, NULL));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_VERIFY));
  AbutElasticCountInversions(run->model.sim.elastic, x, inversions, &forbidden);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, inversions, 1, MPIU_INT, MPI_SUM, run->model.comm));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_VERIFY));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

/* Check, table rows, fields, checkpoint and progress of an accepted step. Collective. */
static PetscErrorCode FinishStep(Run *run, const AbutStepReport *report)
{
  PetscInt  intersections, inversions;
  PetscBool last = IsDone(run);

  PetscFunctionBegin;
  PetscCall(Verify(run, &intersections, &inversions));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(AbutStatsAddStep(run->stats, run->state->step, run->state->time, report, intersections, inversions));
  PetscCall(OutputForces(run));
  if (SceneHasGas(run->model.scene)) PetscCall(OutputCavities(run));
  PetscCall(OutputFields(run, last));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(OutputCheckpointIfDue(run, last));
  PetscCall(ProgressStep(&run->progress, run->state->step, run->state->time, report));
  PetscCall(WarningsStep(&run->warnings, &run->progress, &run->model, run->state->step, report));
  PetscCall(SpinStep(&run->coarse.spin, &run->model, run->state, &report->energy));
  PetscCall(MeshErrorsStep(&run->coarse.errors, &run->progress, &run->model, run->state->step, &report->energy));
  if (run->state->step == run->progress.first + 1) PetscCall(WarnOfUnusedOptions(run->model.comm)); /* solvers have read theirs now */
  PetscFunctionReturn(0);
}

/* Computes a step. One that ends in an error, such as too many pairs, leaves the state unchanged: it is written to a checkpoint. */
static PetscErrorCode StepOrSave(Run *run, AbutStepReport *report)
{
  const PetscErrorCode code = AbutStepperStep(run->model.sim.stepper, report);

  PetscFunctionBegin;
  if (AbutIsVerdict(code)) PetscCall(OutputCheckpoint(run));
  PetscCall(code);
  PetscFunctionReturn(0);
}

/* Computes time steps until the last one, a failure or an interrupt. */
static PetscErrorCode Steps(Run *run)
{
  AbutStepReport report;
  PetscBool      stop;

  PetscFunctionBegin;
  while (!IsDone(run)) {
    PetscCall(InterruptCheck(&run->interrupt, &stop));
    if (!stop) PetscCall(StepOrSave(run, &report));
    if (!stop) ProgressCount(&run->progress, &report);
    if (stop || report.stopped) {
      PetscCall(OutputCheckpoint(run));
      PetscFunctionReturn(AbutErrorSet(ABUT_ERR_STOPPED,
                                       "stopped by %s after step %" PetscInt_FMT "; continue with -restart %s/checkpoint.h5",
                                       run->interrupt.reason, run->state->step, run->directory));
    }
    if (!report.converged) {
      PetscCall(OutputCheckpoint(run));
      PetscFunctionReturn(FailureReport(run, &report));
    }
    PetscCall(FinishStep(run, &report));
  }
  PetscFunctionReturn(0);
}

/* Writes the summary; `code` is why the run ended. */
static PetscErrorCode Finish(Run *run, PetscErrorCode code)
{
  PetscFunctionBegin;
  PetscCall(WarningsEnd(&run->warnings, &run->progress, &run->model));
  PetscCall(SpinEnd(&run->coarse.spin, &run->progress, &run->model));
  PetscCall(MeshErrorsEnd(&run->coarse.errors, &run->progress, &run->model, run->stats));
  PetscCall(ProgressEnd(&run->progress, run->state->step, AbutErrorExitCode(code)));
  if (run->view) PetscCall(ViewRun(run));
  PetscCall(AbutStatsWriteSummary(run->stats, AbutErrorExitCode(code), code ? AbutErrorMessage() : "done"));
  PetscFunctionReturn(0);
}

/* Closes all files, frees the model and the lock of the folder, as far as they exist. Collective. */
static PetscErrorCode Discard(Run *run)
{
  PetscFunctionBegin;
  PetscCall(AbutFieldsDestroy(&run->fields));
  PetscCall(AbutStatsDestroy(&run->stats));
  PetscCall(ModelDestroy(&run->model));
  PetscCall(FolderLockRelease(&run->lock));
  PetscFunctionReturn(0);
}

PetscErrorCode RunScene(Run *run, const char scene[])
{
  PetscErrorCode code;

  PetscFunctionBegin;
  run->lock = MPI_KEYVAL_INVALID;
  code      = SetUp(run, scene);
  if (AbutIsVerdict(code)) PetscCall(Discard(run));
  PetscCall(code);
  PetscCall(WarnOfBLAS(run->model.comm));
  PetscCall(ReportNothingToDo(run));
  PetscCall(SpinBegin(&run->coarse.spin, &run->model));
  code      = Steps(run);
  run->last = run->state->step;
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(Finish(run, code));
  PetscCall(Discard(run));
  PetscFunctionReturn(code);
}

static PetscErrorCode CommandRun(MPI_Comm comm, const char scene[], PetscBool terminal)
{
  Run run = {.model = {.comm = comm}, .terminal = terminal};

  PetscFunctionBegin;
  PetscCall(RunReadOptions(&run));
  AbutCheck(run.directory[0], ABUT_ERR_INPUT, "abut run needs a folder for its results: -o DIR");
  PetscCall(RunCheckOptions(&run));
  PetscCall(RunScene(&run, scene));
  PetscFunctionReturn(0);
}

const AbutCommand AbutCommandRun = {
  .name = "run",
  .usage =
    "  abut run SCENE.yaml -o DIR [-steps N] [-restart FILE [-restart_interpolate SCENE] | -overwrite] [-v] [-progress MODE] [-verify]\n"
    "           [-walltime MINUTES] [PETSc options]\n",
  .execute       = CommandRun,
  .lists_options = PETSC_TRUE,
  .options       = (const AbutOptionTable *const[]){&RunOptions, &RestartOptions, NULL},
};
