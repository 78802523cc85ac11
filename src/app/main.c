/* The program: subcommands, and one voice for errors. */
#include "app.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
  "abut: intersection-free dynamics of elastic bodies in contact, on MPI ranks.\n\n"
  "  abut run SCENE.yaml -o DIR [-steps N] [-restart FILE] [-v] [-verify] [-walltime MINUTES] [PETSc options]\n"
  "  abut check SCENE.yaml [-o DIR]     sizes, gaps, initial intersections, memory\n"
  "  abut --scene-reference             the scene file's keys, as Markdown\n"
  "  abut --version | --help\n\n"
  "  -o DIR          results: steps.csv, summary.json, fields.h5 + fields.xdmf, checkpoint.h5\n"
  "  -steps N        time steps to reach, instead of the scene's\n"
  "  -restart FILE   go on from a checkpoint, on any number of ranks\n"
  "  -v              a line per Newton iteration\n"
  "  -verify         exact intersection check after every step, whatever the size (-verify 0: never)\n"
  "  -walltime M     after M minutes: checkpoint, then stop with exit code 5\n\n"
  "Exit codes: 0 done, 1 internal, 2 bad input, 3 initial intersection, 4 not converged, 5 stopped after a checkpoint, 6 I/O.\n";

static PetscErrorCode Dispatch(MPI_Comm comm, int argc, char **argv)
{
  const char *command = argc > 1 ? argv[1] : "--help", *scene = argc > 2 ? argv[2] : "";
  char        blas[PETSC_MAX_PATH_LEN];
  PetscBool   optimised;

  PetscFunctionBegin;
  if (!strcmp(command, "--help") || !strcmp(command, "-h") || !strcmp(command, "help")) {
    PetscCall(PetscPrintf(comm, "%s", help));
  } else if (!strcmp(command, "--version")) {
    PetscCall(AbutBLASName(blas, sizeof(blas), &optimised));
    PetscCall(PetscPrintf(comm, "abut %s (%s), BLAS: %s\n", AbutVersion(), AbutVersionGit(), blas));
  } else if (!strcmp(command, "--scene-reference")) {
    PetscCall(AbutScenePrintReference(comm));
  } else if (!strcmp(command, "run") || !strcmp(command, "check")) {
    AbutCheck(scene[0] && scene[0] != '-', ABUT_ERR_INPUT, "abut %s needs a scene file: abut %s SCENE.yaml", command, command);
    AbutCheck(argc < 4 || argv[3][0] == '-', ABUT_ERR_INPUT, "abut %s takes one scene file; what is '%s'?", command, argv[3]);
    PetscCall(OptionsCheck(argc - 3, argv + 3));
    PetscCall(command[0] == 'r' ? CommandRun(comm, scene) : CommandCheck(comm, scene));
  } else {
    AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT, "'%s' is no subcommand; valid are run, check, --scene-reference, --version, --help", command);
  }
  PetscFunctionReturn(0);
}

/* PETSc would answer --help and --version, wherever they stand; here they are the program's, before all else. NULL: neither is there. */
static char *FindQuestion(int argc, char **argv)
{
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "--version") || (k == 1 && !strcmp(argv[k], "-h"))) return argv[k];
  return NULL;
}

int main(int argc, char **argv)
{
  PetscErrorCode code;
  PetscMPIInt    rank;
  char          *question = FindQuestion(argc, argv), **argv_one = argv;
  int            one = 1;

  KernelsChoose(argv);
  if (question) argv[1] = question;
  if (AbutInitialize(question ? &one : &argc, question ? &argv_one : &argv, help)) return ABUT_EXIT_INTERNAL;
  if (MPI_Comm_rank(PETSC_COMM_WORLD, &rank)) return ABUT_EXIT_INTERNAL;
  signal(SIGPIPE, SIG_DFL); /* a reader that has had enough, such as head, is no error; PETSc would abort with a trace */
  code = Dispatch(PETSC_COMM_WORLD, argc, argv);
  if (code && !AbutIsVerdict(code)) {
    MPI_Abort(PETSC_COMM_WORLD, ABUT_EXIT_INTERNAL);
    return ABUT_EXIT_INTERNAL;
  }
  if (code && !rank) {
    fflush(stdout);
    fprintf(stderr, "abut: %s\n", AbutErrorMessage());
    fflush(stderr);
  }
  if (AbutFinalize()) return ABUT_EXIT_INTERNAL;
  return code ? (int)code - ABUT_ERR_BASE : ABUT_EXIT_OK;
}
