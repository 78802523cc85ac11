/* abut run: time steps from a scene or a checkpoint, with everything a run leaves behind. */
#include "app.h"
#include <errno.h>
#include <petsctime.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERIFY_MOST 100000 /* surface triangles up to which every step is checked exactly without being asked */

typedef struct {
  char           directory[PETSC_MAX_PATH_LEN], restart[PETSC_MAX_PATH_LEN];
  PetscInt       steps; /* to reach */
  PetscBool      verbose, verify, verify_set, view;
  PetscReal      walltime; /* minutes */
  Model          model;
  AbutState     *state;
  AbutStats      stats;
  AbutFields     fields;
  Watch          watch;
  Progress       progress;
  PetscLogDouble last_checkpoint;
} Run;

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

static PetscErrorCode WriteFields(Run *run)
{
  const AbutOutputSpec *output = &run->model.scene->output;
  const AbutMeshLocal  *local  = run->model.local;
  AbutFieldsLevel       level  = {.step = run->state->step, .time = run->state->time, .x = run->state->x, .v = run->state->v};
  PetscReal            *x, *force = NULL, *cauchy = NULL, *mises = NULL;

  PetscFunctionBegin;
  PetscCall(ModelGetPositions(&run->model, &x));
  if (output->contact_force) {
    PetscCall(PetscCalloc1(local->num_owned * local->dim, &force));
    if (run->state->step > 0) PetscCall(AbutStepperGetContactForce(run->model.stepper, force, NULL));
  }
  if (output->stress) {
    PetscCall(PetscMalloc2(local->num_cells * 6, &cauchy, local->num_cells, &mises));
    PetscCall(AbutElasticGetStress(run->model.elastic, x, cauchy, mises));
  }
  level.contact_force = force;
  level.cauchy        = cauchy;
  level.mises         = mises;
  PetscCall(AbutFieldsWrite(run->fields, &level));
  PetscCall(PetscFree(force));
  PetscCall(PetscFree2(cauchy, mises));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

/* A checkpoint is also a point where the run forgets what a restart cannot know, so that both go on alike. */
static PetscErrorCode WriteCheckpoint(Run *run)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/checkpoint.h5", run->directory));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(AbutCheckpointWrite(run->model.mesh, path, run->state));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(AbutStepperForget(run->model.stepper));
  PetscCall(PetscTime(&run->last_checkpoint));
  PetscFunctionReturn(0);
}

/* Whether a checkpoint is due by steps or by minutes; the minutes are rank 0's, so that all agree. */
static PetscErrorCode CheckpointDue(Run *run, PetscBool *due)
{
  const AbutOutputSpec *output = &run->model.scene->output;
  PetscLogDouble        now;
  PetscMPIInt           late;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  late = output->checkpoint_minutes > 0 && now - run->last_checkpoint > 60.0 * output->checkpoint_minutes;
  PetscCallMPI(MPI_Bcast(&late, 1, MPI_INT, 0, run->model.comm));
  *due = (PetscBool)(late || (output->checkpoint_every > 0 && run->state->step % output->checkpoint_every == 0));
  PetscFunctionReturn(0);
}

/* A checkpoint of an earlier run in this directory must not pass for one of this run. */
static PetscErrorCode RemoveOldCheckpoint(Run *run)
{
  PetscMPIInt rank;
  char        path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(run->model.comm, &rank));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/checkpoint.h5", run->directory));
  if (!rank && unlink(path) && errno != ENOENT)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "abut: warning: cannot remove the old %s: %s\n", path, strerror(errno)));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(Run *run)
{
  Model        *model = &run->model;
  AbutStatsSpec stats = {.directory = run->directory, .scene = model->scene->path};

  PetscFunctionBegin;
  PetscCall(AbutStepperGetState(model->stepper, &run->state));
  if (run->restart[0]) PetscCall(AbutCheckpointRead(model->mesh, run->restart, run->state));
  if (run->steps < 0) run->steps = model->scene->step.steps;
  if (!run->verify_set) run->verify = (PetscBool)(model->local->num_faces_global <= VERIFY_MOST);
  PetscCall(ModelCheckStart(model, run->directory, PETSC_FALSE));
  PetscCall(AbutStepperForget(model->stepper)); /* the check built search trees of its own */
  stats.append = (PetscBool)(run->restart[0] != '\0');
  if (!stats.append) PetscCall(RemoveOldCheckpoint(run));
  stats.first_step = run->state->step;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(AbutStatsCreate(model->mesh, &stats, &run->stats));
  if (model->scene->output.fields_every > 0) {
    PetscCall(AbutFieldsCreate(model->mesh, run->directory, stats.append, stats.first_step, &run->fields));
    if (!stats.append) PetscCall(WriteFields(run));
  }
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(ProgressCreate(model->comm, run->verbose, run->state->step, run->steps, &run->progress));
  PetscCall(AbutStepperSetMonitor(model->stepper, run->verbose ? ProgressNewton : NULL, &run->progress));
  PetscCall(AbutStepperSetStop(model->stepper, WatchStop, &run->watch));
  PetscCall(PetscTime(&run->last_checkpoint));
  PetscFunctionReturn(0);
}

/* Exact check of an accepted step. Collective. */
static PetscErrorCode Verify(Run *run, PetscInt *intersections, PetscInt *inversions)
{
  PetscReal *x;
  PetscInt   first;

  PetscFunctionBegin;
  *intersections = *inversions = -1;
  if (!run->verify) PetscFunctionReturn(0);
  PetscCall(ModelGetPositions(&run->model, &x));
  PetscCall(AbutContactCheck(run->model.contact, x, intersections, NULL, NULL));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_VERIFY));
  PetscCall(AbutElasticCountInversions(run->model.elastic, x, inversions, &first));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, inversions, 1, MPIU_INT, MPI_SUM, run->model.comm));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_VERIFY));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

/* Everything after an accepted step: check, row, fields, checkpoint, progress. */
static PetscErrorCode FinishStep(Run *run, const AbutStepReport *report)
{
  const AbutOutputSpec *output = &run->model.scene->output;
  const PetscBool       last   = (PetscBool)(run->state->step == run->steps);
  PetscInt              intersections, inversions;
  PetscBool             checkpoint = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Verify(run, &intersections, &inversions));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_OUTPUT));
  PetscCall(AbutStatsAddStep(run->stats, run->state->step, run->state->time, run->model.scene->step.dt, report, intersections, inversions));
  if (output->fields_every > 0 && (last || run->state->step % output->fields_every == 0)) PetscCall(WriteFields(run));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_OUTPUT));
  PetscCall(CheckpointDue(run, &checkpoint));
  if (checkpoint || last) PetscCall(WriteCheckpoint(run));
  PetscCall(ProgressStep(&run->progress, run->state->step, run->state->time, report));
  if (run->state->step == run->progress.first + 1)
    PetscCall(ProgressUnreadOptions(&run->progress)); /* by now the solvers have read theirs */
  PetscFunctionReturn(0);
}

static PetscErrorCode DescribeFailure(Run *run, const AbutStepReport *report)
{
  const AbutBody *bodies    = run->model.local->bodies;
  char            pair[512] = "";

  PetscFunctionBegin;
  if (report->blame.rank >= 0)
    PetscCall(PetscSNPrintf(pair, sizeof(pair),
                            "; the shortest step was limited by vertices %" PetscInt_FMT " %" PetscInt_FMT " %" PetscInt_FMT
                            " %" PetscInt_FMT " of '%s' and '%s' at a gap of %g m on rank %d",
                            report->blame.vertex_id[0], report->blame.vertex_id[1], report->blame.vertex_id[2], report->blame.vertex_id[3],
                            bodies[report->blame.body[0]].name, report->blame.body[1] >= 0 ? bodies[report->blame.body[1]].name : "a plane",
                            (double)report->blame.distance, report->blame.rank));
  PetscFunctionReturn(AbutErrorSet(
    ABUT_ERR_DIVERGED,
    "step %" PetscInt_FMT " (t = %g s) did not converge after %" PetscInt_FMT
    " Newton iterations%s: steps were limited most often by '%s', smallest %g, %g of the prescribed motion done%s; the last accepted "
    "state is in %s/checkpoint.h5",
    run->state->step + 1, (double)(run->state->time + run->model.scene->step.dt), report->newton_iterations,
    report->linear_failed ? ", when the linear solver failed (see -abut_linear)" : "", AbutLimiters[report->limiter],
    (double)report->smallest_step, (double)report->boundary_progress, pair, run->directory));
}

/* A step that ends in an error (too many pairs, say) has not touched the state: a checkpoint keeps what was reached. */
static PetscErrorCode StepOrSave(Run *run, AbutStepReport *report)
{
  const PetscErrorCode code = AbutStepperStep(run->model.stepper, report);

  PetscFunctionBegin;
  if (AbutIsVerdict(code)) PetscCall(WriteCheckpoint(run));
  PetscCall(code);
  PetscFunctionReturn(0);
}

/* Time steps until the last one, a failure or a reason to stop. */
static PetscErrorCode Steps(Run *run)
{
  AbutStepReport report;
  PetscBool      stop;

  PetscFunctionBegin;
  while (run->state->step < run->steps) {
    PetscCall(WatchStop(&run->watch, &stop));
    if (!stop) PetscCall(StepOrSave(run, &report));
    if (stop || report.stopped) {
      PetscCall(WriteCheckpoint(run));
      PetscFunctionReturn(AbutErrorSet(ABUT_ERR_STOPPED, "stopped by %s after step %" PetscInt_FMT "; go on with -restart %s/checkpoint.h5",
                                       run->watch.reason, run->state->step, run->directory));
    }
    if (!report.converged) {
      PetscCall(WriteCheckpoint(run));
      PetscFunctionReturn(DescribeFailure(run, &report));
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
  AbutPotentialStats stats;
  PetscInt           most, sum;
  PetscMPIInt        size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(run->model.comm, &size));
  PetscCall(AbutPotentialGetStats(run->model.potential, &stats));
  PetscCallMPI(MPI_Allreduce(&stats.stencils, &most, 1, MPIU_INT, MPI_MAX, run->model.comm));
  PetscCallMPI(MPI_Allreduce(&stats.stencils, &sum, 1, MPIU_INT, MPI_SUM, run->model.comm));
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
  PetscCall(ModelCreate(comm, scene, &run.model));
  PetscCall(MakeDirectory(comm, run.directory));
  PetscCall(SetUp(&run));
  code = Steps(&run);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(Finish(&run, code));
  PetscCall(ModelDestroy(&run.model));
  PetscFunctionReturn(code);
}
