/* abut deform: surfaces that intersect become surfaces in contact, frame by frame. */
#include "animation.h"
#include <abut/private/tools.h>
#include <petsctime.h>
#include <stdio.h>
#include <time.h>

/* Frames are written together, but none waits longer than this for others [s]. */
#define FLUSH_SECONDS 5

#define AT(member) offsetof(Animation, member)

static const AbutOption options[] = {
  {"-o", ABUT_OPTION_TEXT, AT(directory), 0, 0, 0, "", "Folder of the results"},
  {"-overwrite", ABUT_OPTION_BOOL, AT(overwrite), 0, 0, 1, "", "Replace results of another run in the folder"},
  {"-abut_view", ABUT_OPTION_BOOL, AT(view), 0, 0, 1, "", "Print the surfaces, the pairs and the options in force"},
  {"-progress", ABUT_OPTION_ENUM, AT(progress), PROGRESS_AUTO, 0, 0, "", PROGRESS_HELP, ProgressModes},
  {"-walltime", ABUT_OPTION_REAL, AT(walltime), 0, 0, PETSC_INFINITY, "min", "Wall-clock time after which the program stops; 0: no limit"}};
static const AbutOptionTable DeformOptions = {"abut deform", PETSC_STATIC_ARRAY_LENGTH(options), options};

static PetscErrorCode CreateDeformer(Animation *a)
{
  PetscInt index;

  PetscFunctionBegin;
  PetscCall(AbutDeformerCreate(&a->deformer));
  for (PetscInt i = 0; i < a->scene->num_surfaces; i++) PetscCall(AbutDeformerAddSurface(a->deformer, a->surface[i].surface, &index));
  for (PetscInt i = 0; i < a->scene->num_pairs; i++) {
    const AbutDeformPairSpec *pair = &a->scene->pairs[i];

    PetscCall(AbutDeformerAddPair(a->deformer, pair->index, pair->has_regions ? pair->region : NULL, &index));
  }
  if (a->view && !a->rank) PetscCall(AbutDeformerView(a->deformer, PETSC_VIEWER_STDOUT_SELF));
  PetscFunctionReturn(0);
}

/* ---- Frames */

static PetscErrorCode SolveFrame(Animation *a, PetscInt frame)
{
  const PetscInt    n = a->scene->num_surfaces;
  const PetscReal **x;
  PetscReal       **y;
  PetscLogDouble    from, to;
  struct timespec   cpu[2];
  PetscErrorCode    code;

  PetscFunctionBegin;
  PetscCall(AnimationSetFrame(a, frame));
  PetscCall(PetscMalloc2(n, &x, n, &y));
  for (PetscInt i = 0; i < n; i++) {
    x[i] = a->surface[i].x;
    y[i] = a->surface[i].y;
  }
  PetscCall(PetscTime(&from));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[0]);
  code = AbutDeformerSolve(a->deformer, x, a->pair_control, a->surface_control, y);
  PetscCall(PetscTime(&to));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu[1]);
  a->seconds[0] += to - from;
  a->seconds[1] += (double)(cpu[1].tv_sec - cpu[0].tv_sec) + 1e-9 * (double)(cpu[1].tv_nsec - cpu[0].tv_nsec);
  PetscCall(PetscFree2(x, y));
  PetscCall(code);
  for (PetscInt i = 0; i < n; i++) PetscCall(AbutDeformerGetContacts(a->deformer, i, a->surface[i].contact));
  PetscFunctionReturn(0);
}

/* Adds the number of the frame to the message of a refusal. */
static PetscErrorCode NameFrame(PetscErrorCode code, PetscInt frame)
{
  char message[2048];

  PetscFunctionBegin;
  if (!AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(PetscStrncpy(message, AbutErrorMessage(), sizeof(message)));
  AbutErrorClear();
  PetscFunctionReturn(AbutErrorSet(code, "frame %" PetscInt_FMT ": %s", frame, message));
}

/* Frames [done, next) are computed. */
static PetscErrorCode PrintProgress(const Animation *a, PetscInt done, PetscInt next)
{
  const PetscInt num = a->scene->num_frames;
  PetscLogDouble now;
  char           text[64];

  PetscFunctionBegin;
  if (a->progress == PROGRESS_NONE || next == done) PetscFunctionReturn(0);
  PetscCall(PetscTime(&now));
  if (a->progress == PROGRESS_BAR) {
    PetscCall(PetscSNPrintf(text, sizeof(text), "frame %" PetscInt_FMT "/%" PetscInt_FMT, next, num));
    PetscCall(ProgressPrintBar(a->comm, (PetscReal)next / (PetscReal)num, text, (now - a->start) * ((double)num / (double)next - 1)));
    if (next == num) PetscCall(PetscPrintf(a->comm, "\n"));
  } else {
    for (PetscInt frame = done; frame < next; frame++)
      PetscCall(PetscPrintf(a->comm, "frame %" PetscInt_FMT "/%" PetscInt_FMT " wall_s=%.2f\n", frame + 1, num, (double)(now - a->start)));
  }
  fflush(stdout);
  PetscFunctionReturn(0);
}

/*
  Computes the frames [first, next), one on each rank, and adds them to the results. If some are refused, those before the first of them are
  added, as on one rank, and its error is returned.
*/
static PetscErrorCode RunBatch(Animation *a, PetscInt first, PetscInt next)
{
  const PetscInt frame = first + a->rank;
  PetscInt       end;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  if (frame < next) code = SolveFrame(a, frame);
  if (code) code = NameFrame(code, frame);
  end = code ? frame : next;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPIU_INT, MPI_MIN, a->comm));
  PetscCall(FramesAdd(a, frame < end ? frame : -1));
  PetscCall(PrintProgress(a, first, end));
  PetscFunctionReturn(AbutAgree(a->comm, code)); /* of the lowest rank, which has the first refused frame */
}

/* Writes the frames that are held, if FLUSH_SECONDS have passed since `last` on rank 0. */
static PetscErrorCode FlushFrames(Animation *a, PetscLogDouble *last)
{
  PetscLogDouble now;
  PetscMPIInt    due;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  due = now - *last > FLUSH_SECONDS;
  PetscCallMPI(MPI_Bcast(&due, 1, MPI_INT, 0, a->comm));
  if (!due) PetscFunctionReturn(0);
  PetscCall(FramesFlush(a));
  *last = now;
  PetscFunctionReturn(0);
}

static PetscErrorCode RunBatches(Animation *a)
{
  PetscLogDouble last = a->start;

  PetscFunctionBegin;
  for (PetscInt first = 0; first < a->scene->num_frames; first += a->size) {
    PetscBool stop;

    PetscCall(InterruptCheck(&a->interrupt, &stop));
    if (stop) PetscFunctionReturn(AbutErrorSet(ABUT_ERR_STOPPED, "stopped by %s before frame %" PetscInt_FMT, a->interrupt.reason, first));
    PetscCall(RunBatch(a, first, PetscMin(first + a->size, a->scene->num_frames)));
    PetscCall(FlushFrames(a, &last));
  }
  PetscFunctionReturn(0);
}

/* Frames before an error are written. */
static PetscErrorCode RunFrames(Animation *a)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscTime(&a->start));
  code = RunBatches(a);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(FramesFlush(a));
  PetscFunctionReturn(code);
}

static PetscErrorCode SetUp(Animation *a, const char scene[])
{
  PetscFunctionBegin;
  PetscCall(DirectoryPrepare(a->comm, a->directory, a->overwrite, PETSC_FALSE));
  PetscCall(FolderLockTake(a->comm, a->directory, NULL));
  PetscCall(AbutDeformSceneRead(a->comm, scene, &a->scene));
  PetscCall(AnimationCreateSurfaces(a));
  PetscCall(CreateDeformer(a));
  PetscCall(AbutAgree(a->comm, a->rank ? 0 : AbutResultsRemove(a->directory, PETSC_TRUE, NULL)));
  PetscCall(FramesCreate(a));
  PetscFunctionReturn(0);
}

/* Warns of frames in which surfaces still intersect, or do not keep their volume. */
static PetscErrorCode WarnOfFrames(const Animation *a)
{
  const FrameTotals        *totals = &a->results.totals;
  const FrameEvent         *open = &totals->unresolved, *limited = &totals->limited;
  const AbutDeformPairSpec *pair = &a->scene->pairs[open->item], *after = &a->scene->pairs[totals->after.item];

  PetscFunctionBegin;
  if (open->num)
    PetscCall(AbutWarn(a->comm,
                       "in %" PetscInt_FMT " frames surfaces intersect and stay as they are, first %s and %s in frame %" PetscInt_FMT
                       ": the mapping direction points away from the collision, tau is too large, or the edges are longer than the "
                       "contact zone; see contacts.csv",
                       open->num, pair->surface[0], pair->surface[1], open->frame));
  if (totals->after.value > MOST_AFTER * totals->depth)
    PetscCall(AbutWarn(a->comm,
                       "%s and %s still penetrate each other by %.3g m in frame %" PetscInt_FMT
                       ", %.0f %% of the largest depth: the edges are long, the zone is small (tau), or one surface surrounds the other "
                       "along the mapping direction; see penetration_after_m in contacts.csv",
                       after->surface[0], after->surface[1], (double)totals->after.value, totals->after.frame,
                       100 * (double)(totals->after.value / totals->depth)));
  if (limited->num)
    PetscCall(AbutWarn(a->comm,
                       "in %" PetscInt_FMT
                       " frames no bulge within the extent keeps the volume of a surface, first of %s in frame %" PetscInt_FMT
                       ": the extent is too small for the depth; see volume_error in surfaces.csv",
                       limited->num, a->scene->surfaces[limited->item].body.name, limited->frame));
  PetscFunctionReturn(0);
}

static PetscErrorCode TearDown(Animation *a, PetscErrorCode code)
{
  PetscFunctionBegin;
  PetscCall(WarnOfFrames(a));
  PetscCall(FramesFinish(a, code));
  PetscCall(AbutDeformerDestroy(&a->deformer));
  PetscCall(AnimationDestroySurfaces(a));
  PetscCall(AbutDeformSceneDestroy(&a->scene));
  PetscFunctionReturn(0);
}

static PetscErrorCode CommandDeform(MPI_Comm comm, const char scene[], PetscBool terminal)
{
  Animation      a = {.comm = comm};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &a.rank));
  PetscCallMPI(MPI_Comm_size(comm, &a.size));
  PetscCall(AbutOptionTableRead(comm, &DeformOptions, &a));
  AbutCheck(a.directory[0], ABUT_ERR_INPUT, "abut deform needs a folder for its results: -o DIR");
  if (a.progress == PROGRESS_AUTO) a.progress = terminal ? PROGRESS_BAR : PROGRESS_LINES;
  PetscCall(SetUp(&a, scene));
  PetscCall(WarnOfUnusedOptions(comm));
  PetscCall(InterruptCreate(comm, a.walltime, &a.interrupt));
  InterruptBeginSteps();
  code = RunFrames(&a);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(TearDown(&a, code));
  PetscFunctionReturn(code);
}

const AbutCommand AbutCommandDeform = {
  .name    = "deform",
  .usage   = "  abut deform SCENE.yaml -o DIR [-overwrite] [-progress MODE] [-walltime MINUTES]\n"
             "                                     surfaces that intersect become surfaces in contact, frame by frame\n",
  .execute = CommandDeform,
  .options = (const AbutOptionTable *const[]){&DeformOptions, NULL},
  .files   = (const char *const[]){"frames.h5", "frames.xdmf", "contacts.csv", "surfaces.csv", NULL},
  .scene   = &AbutSceneDeformRoot,
};
