/*
  abut study: the runs of many scenes in one allocation. The ranks are divided into groups; each group computes one scene after the other,
  the next one of a common list. A run has its folder and its log; one that fails does not end the study.
*/
#include "app.h"
#include <abut/private/files.h>
#include <errno.h>
#include <petsctime.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_SIZE    128
#define LOG          "run.log"
#define HASH         ", SHA-256 " /* before the hash of the scene in the first line of the log */
#define MESSAGE_SIZE 512
#define SAME_NAME    "scene" /* file that has the name of its folder: jobs/study_scene.py and abut deform -resolve write scene.yaml */

/* How a run ended; all zeros on ranks that do not speak for it. */
typedef struct {
  int    started, exit_code, steps;
  double seconds;
  char   message[MESSAGE_SIZE];
} Outcome;

typedef struct {
  MPI_Comm    comm, group;
  PetscInt    per_run;      /* -ranks: ranks of a run */
  PetscMPIInt num;          /* scenes */
  char      **scenes;       /* [num], words of the command line */
  char (*names)[NAME_SIZE]; /* [num] folders of the runs below `options.directory` */
  Outcome  *outcomes;       /* [num] */
  MPI_Win   queue;          /* number of scenes that have been taken, on rank 0 */
  int      *taken;          /* memory of the window */
  Run       options;        /* of all runs */
  Interrupt limit;          /* of the whole study */
  PetscBool stopped;        /* this group takes no further scene */
} Study;

/* Name of a scene: its file without folder and ending; for scene.yaml that of its folder. */
static PetscErrorCode NameOf(const char path[], char name[NAME_SIZE])
{
  char copy[PETSC_MAX_PATH_LEN], *base, *dot;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(copy, path, sizeof(copy)));
  base = strrchr(copy, '/');
  dot  = strrchr(base ? base : copy, '.');
  if (dot && dot != copy) *dot = '\0';
  if (base && !strcmp(base + 1, SAME_NAME)) {
    *base = '\0';
    base  = strrchr(copy, '/');
  }
  base = base ? base + 1 : copy;
  AbutCheck(strlen(base) < NAME_SIZE, ABUT_ERR_INPUT, "the name of %s has %zu characters, must have at most %d", path, strlen(base),
            NAME_SIZE - 1);
  PetscCall(PetscStrncpy(name, base, NAME_SIZE));
  PetscFunctionReturn(0);
}

/* The scenes of the command line, up to the first option. */
static PetscErrorCode FindScenes(Study *s)
{
  int    num;
  char **words;

  PetscFunctionBegin;
  PetscCall(PetscGetArgs(&num, &words));
  s->scenes = words + 2;
  for (s->num = 0; 2 + s->num < num && words[2 + s->num][0] != '-';) s->num++;
  PetscCall(PetscCalloc2(s->num, &s->names, s->num, &s->outcomes));
  for (PetscMPIInt i = 0; i < s->num; i++) {
    PetscCall(NameOf(s->scenes[i], s->names[i]));
    for (PetscMPIInt k = 0; k < i; k++)
      AbutCheck(strcmp(s->names[i], s->names[k]) != 0, ABUT_ERR_INPUT, "%s and %s would both write to %s/%s: rename one of the files",
                s->scenes[k], s->scenes[i], s->options.directory, s->names[i]);
  }
  PetscFunctionReturn(0);
}

static const AbutOption options[] = {
  {"-ranks", ABUT_OPTION_INT, offsetof(Study, per_run), 1, 1, PETSC_MAX_INT, "", "Number of ranks of each run"}};
static const AbutOptionTable StudyOptions = {"abut study", PETSC_STATIC_ARRAY_LENGTH(options), options};

static PetscErrorCode ReadOptions(Study *s)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(RunReadOptions(&s->options));
  PetscCall(AbutOptionTableRead(s->comm, &StudyOptions, s));
  PetscCallMPI(MPI_Comm_size(s->comm, &size));
  AbutCheck(s->options.directory[0], ABUT_ERR_INPUT, "abut study needs a folder for the results of its runs: -o DIR");
  AbutCheck(size % s->per_run == 0, ABUT_ERR_INPUT, "-ranks %" PetscInt_FMT " must divide the number of ranks, %d", s->per_run, (int)size);
  PetscFunctionReturn(0);
}

/* Divides the ranks into groups, and puts the counter of the scenes on rank 0. Collective. */
static PetscErrorCode Divide(Study *s)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCallMPI(MPI_Comm_split(s->comm, rank / (PetscMPIInt)s->per_run, rank, &s->group));
  PetscCallMPI(MPI_Win_allocate(rank ? 0 : sizeof(int), sizeof(int), MPI_INFO_NULL, s->comm, &s->taken, &s->queue));
  if (!rank) *s->taken = 0;
  PetscCallMPI(MPI_Barrier(s->comm));
  PetscCallMPI(MPI_Win_lock_all(0, s->queue));
  PetscFunctionReturn(0);
}

/* The next scene of the list, at least `num` if there is none. Collective on the group. */
static PetscErrorCode Take(Study *s, PetscMPIInt *scene)
{
  const int one = 1;

  PetscFunctionBegin;
  if (AbutIsRoot(s->group)) {
    PetscCallMPI(MPI_Fetch_and_op(&one, scene, MPI_INT, 0, 0, MPI_SUM, s->queue));
    PetscCallMPI(MPI_Win_flush(0, s->queue));
  }
  PetscCallMPI(MPI_Bcast(scene, 1, MPI_INT, 0, s->group));
  PetscFunctionReturn(0);
}

/* Options of run i; it continues from the checkpoint that it finds in its folder. Collective on the group. */
static PetscErrorCode SetUpRun(const Study *s, PetscMPIInt i, Run *run)
{
  PetscLogDouble now;
  PetscMPIInt    found[2]; /* checkpoint, log of a study */
  char           log[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  *run            = s->options;
  run->model.comm = s->group;
  PetscCall(AbutPathJoin(s->options.directory, s->names[i], run->directory));
  PetscCall(AbutPathJoin(run->directory, "checkpoint.h5", run->restart));
  PetscCall(AbutPathJoin(run->directory, LOG, log));
  found[0] = !run->overwrite && !access(run->restart, R_OK);
  found[1] = !access(log, F_OK);
  PetscCallMPI(MPI_Bcast(found, 2, MPI_INT, 0, s->group));
  if (!found[0]) run->restart[0] = '\0';
  run->overwrite = (PetscBool)(!found[0] && (run->overwrite || found[1])); /* a run of a study that ended before its first checkpoint */
  PetscCall(PetscTime(&now));
  if (s->limit.limit > 0) run->walltime = PetscMax((s->limit.limit - (now - s->limit.start)) / 60, 1e-9);
  PetscFunctionReturn(0);
}

/*
  Refuses to continue a run of another scene: its log names the file by its hash. A log without a hash counts as of this scene. Not
  collective.
*/
static PetscErrorCode CheckScene(const Run *run, const char scene[], const char hash[])
{
  char  path[PETSC_MAX_PATH_LEN], line[PETSC_MAX_PATH_LEN + 128], *found;
  FILE *log;

  PetscFunctionBegin;
  PetscCall(AbutPathJoin(run->directory, LOG, path));
  log = run->restart[0] ? fopen(path, "r") : NULL;
  if (!log) PetscFunctionReturn(0);
  found = fgets(line, sizeof(line), log) ? strstr(line, HASH) : NULL;
  fclose(log);
  AbutCheck(!found || !strncmp(found + strlen(HASH), hash, strlen(hash)), ABUT_ERR_INPUT,
            "%s has changed since the results in %s were computed: use -overwrite, or another folder", scene, run->directory);
  PetscFunctionReturn(0);
}

/* Redirects what rank 0 of the group prints to run.log in the folder of the run; NULL: back to the terminal. Not collective. */
static PetscErrorCode OpenLog(const Run *run, const char scene[], FILE **log)
{
  char path[PETSC_MAX_PATH_LEN], hash[ABUT_SHA256_SIZE];

  PetscFunctionBegin;
  AbutFileSHA256(scene, hash);
  PetscCall(CheckScene(run, scene, hash));
  PetscCall(AbutPathJoin(run->directory, LOG, path));
  *log = fopen(path, run->restart[0] ? "a" : "w");
  AbutCheck(*log, ABUT_ERR_IO, "cannot write %s: %s", path, strerror(errno));
  if (!run->restart[0]) fprintf(*log, "scene %s" HASH "%s\n", scene, hash);
  PETSC_STDOUT = PETSC_STDERR = *log;
  PetscFunctionReturn(0);
}

static void CloseLog(FILE *log)
{
  PETSC_STDOUT = stdout;
  PETSC_STDERR = stderr;
  if (log) fclose(log);
}

static const char *Ending(int exit_code)
{
  static const char *const endings[] = {"done",    "failed",        "wrong input", "intersects at the start", "did not converge",
                                        "stopped", "file or memory"};

  return endings[exit_code];
}

/* Records how run i ended, and prints a line. Not collective: on rank 0 of the group. */
static void Record(Study *s, PetscMPIInt i, const Run *run, PetscErrorCode code)
{
  Outcome *outcome = &s->outcomes[i];

  *outcome = (Outcome){.started = 1, .exit_code = (int)AbutErrorExitCode(code), .steps = (int)run->last, .seconds = AbutPhaseElapsed()};
  snprintf(outcome->message, sizeof(outcome->message), "%s", code ? AbutErrorMessage() : "");
  printf("%s: %s after step %d, %.1f s%s%s\n", s->names[i], Ending(outcome->exit_code), outcome->steps, outcome->seconds, code ? ": " : "",
         outcome->message);
  fflush(stdout);
}

/* Computes scene i. Errors of abut's own checks end the run, not the study. Collective on the group. */
static PetscErrorCode Compute(Study *s, PetscMPIInt i)
{
  Run            run;
  PetscErrorCode code;
  FILE          *log = NULL;

  PetscFunctionBegin;
  PetscCall(AbutPhaseRestart());
  PetscCall(SetUpRun(s, i, &run));
  code = DirectoryPrepare(s->group, run.directory, (PetscBool)(run.overwrite || run.restart[0]), PETSC_FALSE);
  if (!code) code = AbutAgree(s->group, AbutIsRoot(s->group) ? OpenLog(&run, s->scenes[i], &log) : 0);
  if (!code) code = RunScene(&run, s->scenes[i]);
  if (log && code) fprintf(log, "abut: %s\n", AbutErrorMessage());
  CloseLog(log);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  if (AbutIsRoot(s->group)) Record(s, i, &run, code);
  s->stopped = (PetscBool)(code == ABUT_ERR_STOPPED);
  AbutErrorClear();
  PetscFunctionReturn(0);
}

/* Computes scenes until none is left, a signal or the end of the time. Collective on the group. */
static PetscErrorCode ComputeAll(Study *s)
{
  PetscMPIInt scene;

  PetscFunctionBegin;
  while (!s->stopped) {
    PetscCall(Take(s, &scene));
    if (scene >= s->num) break;
    PetscCall(Compute(s, scene));
  }
  PetscFunctionReturn(0);
}

/* Verdict on all runs. Collective. */
static PetscErrorCode Conclude(Study *s)
{
  int failed = 0, missing = 0, worst = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, s->outcomes, (PetscMPIInt)sizeof(*s->outcomes) * s->num, MPI_BYTE, MPI_BOR, s->comm));
  for (PetscMPIInt i = 0; i < s->num; i++) {
    missing += !s->outcomes[i].started;
    failed += s->outcomes[i].exit_code != 0;
    worst = PetscMax(worst, s->outcomes[i].exit_code);
  }
  PetscCall(PetscPrintf(s->comm, "%d of %d runs done, %d failed or stopped, %d not started\n", (int)s->num - failed - missing, (int)s->num,
                        failed, missing));
  AbutCheck(!failed && !missing, ABUT_ERR_BASE + PetscMax(worst, missing ? ABUT_EXIT_STOPPED : 0),
            "%d of %d runs are not done; the same command repeats them, from their checkpoints if they have any", failed + missing,
            (int)s->num);
  PetscFunctionReturn(0);
}

static PetscErrorCode CommandStudy(MPI_Comm comm, const char scene[], PetscBool terminal)
{
  Study          s = {.comm = comm, .options = {.model = {.comm = comm}}};
  PetscErrorCode verdict;

  PetscFunctionBegin;
  (void)scene, (void)terminal;
  PetscCall(ReadOptions(&s));
  PetscCall(RunCheckOptions(&s.options));
  PetscCall(FindScenes(&s));
  PetscCall(InterruptCreate(comm, s.options.walltime, &s.limit));
  PetscCall(Divide(&s));
  InterruptBeginSteps();
  PetscCall(ComputeAll(&s));
  verdict = Conclude(&s);
  PetscCallMPI(MPI_Win_unlock_all(s.queue));
  PetscCallMPI(MPI_Win_free(&s.queue));
  PetscCallMPI(MPI_Comm_free(&s.group));
  PetscCall(PetscFree2(s.names, s.outcomes));
  PetscFunctionReturn(verdict);
}

const AbutCommand AbutCommandStudy = {
  .name       = "study",
  .usage      = "  abut study SCENE.yaml [SCENE.yaml ...] -o DIR [-ranks R] [-steps N] [-overwrite] [-walltime MINUTES]\n"
                "                                     a run of each scene on R ranks, several at a time, into DIR/NAME\n",
  .files_read = ABUT_FILES_MANY,
  .execute    = CommandStudy,
  .options    = (const AbutOptionTable *const[]){&RunOptions, &StudyOptions, NULL},
};
