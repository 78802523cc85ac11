/* The program: subcommands, and the one place where errors are printed. */
#include "app.h"
#include <stdio.h>
#include <string.h>

static const char help[] =
  "abut: intersection-free dynamics of elastic bodies in contact, on MPI ranks.\n\n"
  "  abut run SCENE.yaml -o DIR [-steps N] [-restart FILE [-restart_interpolate SCENE] | -overwrite] [-v] [-progress MODE] [-verify]\n"
  "           [-walltime MINUTES] [PETSc options]\n"
  "  abut check SCENE.yaml [-o DIR]     sizes, gaps, initial intersections, memory\n"
  "  abut contacts SCENE.yaml -o DIR [-method all|NAME[,NAME]] [-steps N] [-overwrite] [-progress MODE] [-walltime MINUTES]\n"
  "                                     quality of contact-point methods on the scene's tetrahedral bodies\n"
  "  abut deform SCENE.yaml -o DIR [-overwrite] [-progress MODE] [-walltime MINUTES]\n"
  "                                     surfaces that intersect become surfaces in contact, frame by frame\n"
  "  abut deform SCENE.yaml -resolve -o DIR [-resolve_rest new|keep] [-overwrite]\n"
  "                                     a new scene in which bodies that intersect at the start are moved apart\n"
  "  abut run -help                     all options with defaults and units\n"
  "  abut --scene-reference             the scene file's keys, as Markdown\n"
  "  abut --version | --help\n\n"
  "  -o DIR          results: steps.csv, summary.json, fields.h5 + fields.xdmf, checkpoint.h5\n"
  "  -steps N        end after step N, whatever the end time of the scene is\n"
  "  -restart FILE   continue from a checkpoint, on any number of ranks\n"
  "  -restart_interpolate SCENE   the checkpoint is of SCENE, which has other meshes of the same bodies\n"
  "  -restart_distance F          largest distance of a vertex from its body in that mesh, over the diagonal of its body [0.05]\n"
  "  -overwrite      replace results of another run in DIR\n"
  "  -v              a line for each Newton iteration\n"
  "  -progress MODE  bar, lines or none; auto: a bar on a terminal, else lines\n"
  "  -verify         exact intersection check after every step, for surfaces of any size (-verify 0: never)\n"
  "  -heartbeat S    log lines: state of the Newton iterations at least every S seconds [60]; 0: never\n"
  "  -walltime M     after M minutes: checkpoint, then stop with exit code 5; 0: no limit\n\n"
  "Exit codes: 0 done, 1 internal error, 2 wrong input, 3 initial intersection, 4 not converged, 5 stopped early, 6 file or memory.\n";

static PetscBool HasWord(int argc, char **argv, const char word[])
{
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], word)) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode Dispatch(MPI_Comm comm, int argc, char **argv, PetscBool terminal)
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
  } else if (!strcmp(command, "-help") || ((!strcmp(command, "run") || !strcmp(command, "contacts")) && HasWord(argc, argv, "-help"))) {
    PetscCall(CommandHelp(comm));
  } else if (!strcmp(command, "run") || !strcmp(command, "check") || !strcmp(command, "contacts") || !strcmp(command, "deform")) {
    AbutCheck(scene[0] && scene[0] != '-', ABUT_ERR_INPUT, "abut %s needs a scene file as its first argument: abut %s SCENE.yaml", command,
              command);
    AbutCheck(strlen(scene) < PETSC_MAX_PATH_LEN, ABUT_ERR_INPUT, "the path of the scene has %zu characters, must have at most %d",
              strlen(scene), PETSC_MAX_PATH_LEN - 1);
    AbutCheck(argc < 4 || argv[3][0] == '-', ABUT_ERR_INPUT, "abut %s reads one scene file; '%s' is neither a second one nor an option",
              command, argv[3]);
    PetscCall(OptionsCheck(command, argc - 3, argv + 3));
    if (!strcmp(command, "run")) PetscCall(CommandRun(comm, scene, terminal));
    if (!strcmp(command, "check")) PetscCall(CommandCheck(comm, scene));
    if (!strcmp(command, "contacts")) PetscCall(CommandContacts(comm, scene, terminal));
    if (!strcmp(command, "deform")) PetscCall(CommandDeform(comm, scene, terminal));
  } else {
    AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT,
              "'%s' is no subcommand; the subcommands are run, check, contacts, deform, --scene-reference, --version, --help", command);
  }
  PetscFunctionReturn(0);
}

/* The first word --help or --version, or -h as first word; NULL if there is none. PETSc must not see it: it would print its own answer. */
static char *FindQuestion(int argc, char **argv)
{
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "--version") || (k == 1 && !strcmp(argv[k], "-h"))) return argv[k];
  return NULL;
}

/* Prints the message of an error: of abut's own checks on rank 0, of other errors on the rank where they occurred. */
static void Report(PetscErrorCode code, PetscMPIInt rank)
{
  const AbutExitCode exit_code = AbutErrorExitCode(code);

  if (!code || (AbutIsVerdict(code) && rank)) return;
  fflush(stdout);
  if (exit_code == ABUT_EXIT_INTERNAL)
    fprintf(stderr, "abut: internal error on rank %d: %s\n%s", rank, AbutErrorMessage(), AbutErrorTrace());
  else
    fprintf(stderr, "abut: %s\n", AbutErrorMessage());
  fflush(stderr);
}

int main(int argc, char **argv)
{
  PetscErrorCode code;
  PetscMPIInt    rank;
  char          *question = FindQuestion(argc, argv), **argv_one = argv;
  int            one = 1;
  PetscBool      terminal;

  KernelsChoose(argv);
  terminal = TerminalHasOutput();
  if (question) argv[1] = question;
  code = AbutInitialize(question ? &one : &argc, question ? &argv_one : &argv, help);
  if (code) return AbutErrorExitCode(code);
  if (MPI_Comm_rank(PETSC_COMM_WORLD, &rank)) return ABUT_EXIT_INTERNAL;
  InterruptBeginSetUp(rank);
  code = Dispatch(PETSC_COMM_WORLD, argc, argv, terminal);
  Report(code, rank);
  if (!code || AbutIsVerdict(code)) {
    const PetscErrorCode end = AbutFinalize();
    if (!end) return AbutErrorExitCode(code);
    Report(end, rank);
    code = end;
  }
  MPI_Abort(MPI_COMM_WORLD, AbutErrorExitCode(code)); /* other ranks may wait for this one */
  return AbutErrorExitCode(code);
}
