/* abut run: time steps from a scene or a checkpoint, with everything a run leaves behind. */
#include "app.h"
#include <errno.h>
#include <petsctime.h>
#include <string.h>
#include <sys/stat.h>

#define VERIFY_MOST 100000 /* surface triangles up to which every step is checked exactly without being asked */

static PetscErrorCode ReadOptions(Run *run)
{
  PetscBool has_directory, has_walltime;

  PetscFunctionBegin;
  run->steps    = -1;
  run->walltime = 0;
  PetscOptionsBegin(run->model.comm, NULL, "abut run", NULL);
  PetscCall(PetscOptionsString("-o", "Directory of the results", NULL, "", run->directory, sizeof(run->directory), &has_directory));
  PetscCall(PetscOptionsInt("-steps", "Time steps to reach, instead of the scene's", NULL, run->steps, &run->steps, NULL));
  PetscCall(PetscOptionsString("-restart", "Checkpoint to go on from", NULL, "", run->restart, sizeof(run->restart), NULL));
  PetscCall(PetscOptionsBool("-v", "A line per Newton iteration", NULL, run->verbose, &run->verbose, NULL));
  PetscCall(PetscOptionsBool("-verify", "Exact intersection check after every step", NULL, run->verify, &run->verify, &run->verify_set));
  PetscCall(
    PetscOptionsReal("-walltime", "Minutes after which to checkpoint and stop", NULL, run->walltime, &run->walltime, &has_walltime));
  PetscCall(
    PetscOptionsBool("-abut_view", "Say at the end how work and messages are spread over the ranks", NULL, run->view, &run->view, NULL));
  PetscOptionsEnd();
  AbutCheck(has_directory && run->directory[0], ABUT_ERR_INPUT, "abut run needs a directory for its results: -o DIR");
  AbutCheck(run->steps == -1 || run->steps >= 0, ABUT_ERR_INPUT, "-steps %" PetscInt_FMT " must be at least 0", run->steps);
  AbutCheck(!has_walltime || run->walltime > 0, ABUT_ERR_INPUT, "-walltime %g must be more than 0 minutes", (double)run->walltime);
  PetscFunctionReturn(0);
}

static PetscErrorCode WarnOfBLAS(MPI_Comm comm)
{
  char      blas[PETSC_MAX_PATH_LEN];
  PetscBool optimised;

  PetscFunctionBegin;
  PetscCall(AbutBLASName(blas, sizeof(blas), &optimised));
  if (!optimised)
    PetscCall(
      PetscFPrintf(comm, PETSC_STDERR,
                   "abut: warning: the BLAS is %s, which is none of those known to be fast (OpenBLAS, MKL, BLIS, ATLAS, ArmPL, NVPL, "
                   "Cray LibSci, ESSL); with the reference BLAS factorisations take several times as long\n",
                   blas));
  PetscFunctionReturn(0);
}

/* The directory and those above it. */
static PetscErrorCode MakeDirectoryOnRoot(const char path[])
{
  char part[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(part, path, sizeof(part)));
  for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(part, 0777); /* the last one tells whether all went well */
    *slash = '/';
  }
  if (mkdir(path, 0777)) AbutCheck(errno == EEXIST, ABUT_ERR_IO, "cannot make the directory %s: %s", path, strerror(errno));
  PetscFunctionReturn(0);
}

static PetscErrorCode MakeDirectory(MPI_Comm comm, const char path[])
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(AbutAgree(comm, rank ? 0 : MakeDirectoryOnRoot(path)));
  PetscFunctionReturn(0);
}

/* Reads the state and warns where the scene defines another initial state than that of the checkpoint's run. Collective. */
static PetscErrorCode ReadCheckpoint(Run *run)
{
  char *initial;

  PetscFunctionBegin;
  PetscCall(AbutCheckpointRead(run->model.mesh, run->restart, run->state, &initial));
  PetscCall(AbutSceneWarnOfInitial(run->model.comm, run->model.scene, initial));
  PetscCall(PetscFree(initial));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(Run *run)
{
  Model        *model = &run->model;
  AbutStatsSpec stats = {.directory = run->directory, .scene = model->scene->path, .num_planes = model->scene->num_planes};

  PetscFunctionBegin;
  PetscCall(AbutStepperGetState(model->stepper, &run->state));
  if (run->restart[0]) PetscCall(ReadCheckpoint(run));
  if (!run->verify_set) run->verify = (PetscBool)(model->local->global.faces <= VERIFY_MOST);
  PetscCall(ModelCheckStart(model, run->directory, PETSC_FALSE));
  PetscCall(AbutStepperForget(model->stepper)); /* the check built search trees of its own */
  stats.append = (PetscBool)(run->restart[0] != '\0');
  if (!stats.append) PetscCall(OutputRemoveOldCheckpoint(run));
  stats.first_step = run->state->step;
  stats.first_time = run->state->time;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(AbutStatsCreate(model->mesh, &stats, &run->stats));
  PetscCall(OutputOpenFields(run, stats.append, stats.first_step));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(ProgressCreate(model->comm, run->verbose, run->state, &model->scene->step, &run->progress));
  PetscCall(AbutStepperSetMonitor(model->stepper, run->verbose ? ProgressNewton : NULL, &run->progress));
  PetscCall(AbutStepperSetStop(model->stepper, WatchStop, &run->watch));
  PetscCall(PetscTime(&run->last_checkpoint));
  PetscFunctionReturn(0);
}

/* At the end of time, or after the number of steps that the command line asks for, short ones included. */
static PetscErrorCode IsDone(Run *run, PetscBool *done)
{
  PetscFunctionBegin;
  PetscCall(AbutStepperIsDone(run->model.stepper, done));
  if (run->steps >= 0 && run->state->step >= run->steps) *done = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* A run without steps, from a checkpoint at the end of the scene, say, must not look like one that failed in silence. Collective. */
static PetscErrorCode SayIfDone(Run *run)
{
  const AbutState *state = run->state;
  PetscBool        done;

  PetscFunctionBegin;
  PetscCall(IsDone(run, &done));
  if (done)
    PetscCall(PetscPrintf(run->model.comm, "nothing to do: %s is complete at step %" PetscInt_FMT ", t = %g s%s\n", run->model.scene->path,
                          state->step, (double)state->time,
                          run->restart[0] ? "; time.end, time.steps or -steps beyond it go on from the checkpoint" : ""));
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
  PetscCall(AbutElasticCountInversions(run->model.elastic, x, inversions, &forbidden));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, inversions, 1, MPIU_INT, MPI_SUM, run->model.comm));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_VERIFY));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

/* Everything after an accepted step: check, rows, fields, checkpoint, progress. */
static PetscErrorCode FinishStep(Run *run, const AbutStepReport *report)
{
  PetscInt  intersections, inversions;
  PetscBool last;

  PetscFunctionBegin;
  PetscCall(IsDone(run, &last));
  PetscCall(Verify(run, &intersections, &inversions));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(AbutStatsAddStep(run->stats, run->state->step, run->state->time, report, intersections, inversions));
  PetscCall(OutputPairs(run));
  PetscCall(OutputFields(run, last));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(OutputCheckpointIfDue(run, last));
  PetscCall(ProgressStep(&run->progress, run->state->step, run->state->time, last, report));
  if (run->state->step == run->progress.first + 1)
    PetscCall(ProgressUnreadOptions(&run->progress)); /* by now the solvers have read theirs */
  PetscFunctionReturn(0);
}

/* A step that ends in an error (too many pairs, say) has not touched the state: a checkpoint keeps what was reached. */
static PetscErrorCode StepOrSave(Run *run, AbutStepReport *report)
{
  const PetscErrorCode code = AbutStepperStep(run->model.stepper, report);

  PetscFunctionBegin;
  if (AbutIsVerdict(code)) PetscCall(OutputCheckpoint(run));
  PetscCall(code);
  PetscFunctionReturn(0);
}

/* Time steps until the last one, a failure or a reason to stop. */
static PetscErrorCode Steps(Run *run)
{
  AbutStepReport report;
  PetscBool      stop, done;

  PetscFunctionBegin;
  for (;;) {
    PetscCall(IsDone(run, &done));
    if (done) break;
    PetscCall(WatchStop(&run->watch, &stop));
    if (!stop) PetscCall(StepOrSave(run, &report));
    if (stop || report.stopped) {
      PetscCall(OutputCheckpoint(run));
      PetscFunctionReturn(AbutErrorSet(ABUT_ERR_STOPPED, "stopped by %s after step %" PetscInt_FMT "; go on with -restart %s/checkpoint.h5",
                                       run->watch.reason, run->state->step, run->directory));
    }
    if (!report.converged) {
      PetscCall(OutputCheckpoint(run));
      PetscFunctionReturn(FailureReport(run, &report));
    }
    PetscCall(FinishStep(run, &report));
  }
  PetscFunctionReturn(0);
}

/* How the last step's work and all messages of contact are spread. Collective. */
static PetscErrorCode View(Run *run)
{
  PetscViewer        viewer = PETSC_VIEWER_STDOUT_(run->model.comm);
  PetscLogDouble     traffic[2];
  AbutPotentialStats stats = {0};
  PetscInt           most;
  PetscInt64         sum;
  PetscMPIInt        size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(run->model.comm, &size));
  if (run->state->step > run->progress.first) PetscCall(AbutPotentialGetStats(run->model.potential, &stats)); /* else there is no state */
  PetscCallMPI(MPI_Allreduce(&stats.stencils, &most, 1, MPIU_INT, MPI_MAX, run->model.comm));
  sum = stats.stencils;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_INT64, MPI_SUM, run->model.comm));
  PetscCall(AbutMeshView(run->model.mesh, viewer));
  PetscCall(AbutContactView(run->model.contact, viewer));
  PetscCall(AbutContactGetTraffic(run->model.contact, &traffic[0], &traffic[1]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, traffic, 2, MPI_DOUBLE, MPI_SUM, run->model.comm));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %-24s max %" PetscInt_FMT " avg %.1f a rank\n", "stencils", most, (double)sum / size));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Contact messages of all ranks: %.0f, %.6g MB\n", traffic[0], traffic[1] / 1e6));
  PetscFunctionReturn(0);
}

static PetscErrorCode Finish(Run *run, PetscErrorCode code)
{
  PetscFunctionBegin;
  PetscCall(ProgressEnd(&run->progress));
  if (run->view) PetscCall(View(run));
  PetscCall(
    AbutStatsWriteSummary(run->stats, code ? (AbutExitCode)(code - ABUT_ERR_BASE) : ABUT_EXIT_OK, code ? AbutErrorMessage() : "done"));
  PetscCall(AbutFieldsDestroy(&run->fields));
  PetscCall(AbutStatsDestroy(&run->stats));
  PetscFunctionReturn(0);
}

PetscErrorCode CommandRun(MPI_Comm comm, const char scene[])
{
  Run            run = {.model = {.comm = comm}};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(ReadOptions(&run));
  PetscCall(WatchCreate(comm, run.walltime, &run.watch));
  PetscCall(ModelCreate(comm, scene, run.steps, &run.model));
  PetscCall(MakeDirectory(comm, run.directory));
  PetscCall(SetUp(&run));
  PetscCall(WarnOfBLAS(comm));
  PetscCall(SayIfDone(&run));
  code = Steps(&run);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(Finish(&run, code));
  PetscCall(ModelDestroy(&run.model));
  PetscFunctionReturn(code);
}
