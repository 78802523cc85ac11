/* The program: subcommands, and the one place where errors are printed. */
#include "app.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help_head[] = "abut: intersection-free dynamics of elastic bodies in contact, on MPI ranks.\n\n";
static const char help_tail[] =
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

#define HELP_SIZE 8192

/* Text of abut --help; PETSc prints it too, above the options of -help. */
static void ComposeHelp(const AbutCommand *const commands[], char text[HELP_SIZE])
{
  size_t used = (size_t)snprintf(text, HELP_SIZE, "%s", help_head);

  for (; *commands; commands++) used += (size_t)snprintf(text + used, HELP_SIZE - used, "%s", (*commands)->usage ? (*commands)->usage : "");
  snprintf(text + used, HELP_SIZE - used, "%s", help_tail);
}

/* The commands and all that they bring. */
static PetscErrorCode Register(const AbutCommand *const commands[])
{
  PetscInt keys = 0;

  PetscFunctionBegin;
  for (; *commands; commands++) {
    const AbutCommand *c = *commands;

    PetscCall(AbutRegister(ABUT_COMMAND, c));
    if (c->files) PetscCall(AbutRegister(ABUT_RESULT_FILES, c->files));
    PetscCheck(!c->key || keys++ < ABUT_SCENE_LISTS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %d keys of commands in a scene",
               ABUT_SCENE_LISTS);
    if (c->key) PetscCall(AbutRegister(ABUT_SCENE_KEY, c->key));
    if (c->scene) PetscCall(AbutRegister(ABUT_SCENE_FILE, c->scene));
    if (c->lacking) PetscCall(AbutRegister(ABUT_SCENE_LACKING, c->lacking));
  }
  PetscFunctionReturn(0);
}

static PetscBool HasWord(int argc, char **argv, const char word[])
{
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], word)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The first command of this name; NULL if there is none. */
static const AbutCommand *FindCommand(const AbutCommand *const commands[], const char name[])
{
  while (*commands && strcmp((*commands)->name, name) != 0) commands++;
  return *commands;
}

/* The command that an option puts in place of the one of the same name; else this one. */
static PetscErrorCode Choose(const AbutCommand **command)
{
  const AbutCommand *other;

  PetscFunctionBegin;
  for (PetscInt i = 0; (other = CommandAt(i)); i++) {
    PetscBool set = PETSC_FALSE;

    if (!other->instead || strcmp(other->name, (*command)->name)) continue;
    PetscCall(PetscOptionsGetBool(NULL, NULL, other->instead, &set, NULL));
    if (set) *command = other;
  }
  PetscFunctionReturn(0);
}

/* Whether -help asks for the usage of a command that does not list the options of all parts. PETSc must not see it: it would list them. */
static PetscBool AsksUsage(const AbutCommand *command, int argc, char **argv)
{
  return (PetscBool)(command && command->execute && !command->lists_options && HasWord(argc, argv, "-help"));
}

/* The usage of a command, and of the commands that options put in its place. */
static PetscErrorCode PrintUsage(MPI_Comm comm, const char name[])
{
  const AbutCommand *c;

  PetscFunctionBegin;
  for (PetscInt i = 0; (c = CommandAt(i)); i++)
    if (!strcmp(c->name, name)) PetscCall(PetscPrintf(comm, "%s", c->usage));
  PetscCall(PetscPrintf(comm, "  abut --help                        meaning of the options, exit codes\n"));
  PetscFunctionReturn(0);
}

static PetscErrorCode RefuseCommand(const char name[])
{
  const AbutCommand *c;
  char               names[256] = "";

  PetscFunctionBegin;
  for (PetscInt i = 0; (c = CommandAt(i)); i++) {
    if (!c->execute || c->instead) continue;
    PetscCall(PetscStrlcat(names, c->name, sizeof(names)));
    PetscCall(PetscStrlcat(names, ", ", sizeof(names)));
  }
  PetscFunctionReturn(
    AbutErrorSet(ABUT_ERR_INPUT, "'%s' is no subcommand; the subcommands are %s--scene-reference, --version, --help", name, names));
}

/* Index of the first option of the command line. ABUT_ERR_INPUT if the command needs more or fewer files than stand before it. */
static PetscErrorCode CheckFiles(const AbutCommand *command, int argc, char **argv, int *first)
{
  const char *name = command->name;

  PetscFunctionBegin;
  for (*first = 2; *first < argc && argv[*first][0] && argv[*first][0] != '-'; (*first)++)
    AbutCheck(strlen(argv[*first]) < PETSC_MAX_PATH_LEN, ABUT_ERR_INPUT, "the path of the scene has %zu characters, must have at most %d",
              strlen(argv[*first]), PETSC_MAX_PATH_LEN - 1);
  AbutCheck(command->files_read != ABUT_FILES_NONE || *first == 2, ABUT_ERR_INPUT, "abut %s reads no file; '%s' is no option", name,
            argv[2]);
  AbutCheck(command->files_read == ABUT_FILES_NONE || *first > 2, ABUT_ERR_INPUT,
            "abut %s needs a scene file as its first argument: abut %s SCENE.yaml", name, name);
  AbutCheck(command->files_read != ABUT_FILES_ONE || *first == 3, ABUT_ERR_INPUT,
            "abut %s reads one scene file; '%s' is neither a second one nor an option", name, argv[3]);
  PetscFunctionReturn(0);
}

static PetscErrorCode Execute(MPI_Comm comm, const AbutCommand *command, int argc, char **argv, PetscBool terminal)
{
  const char *name = command->name;
  int         first;

  PetscFunctionBegin;
  AbutCheck(command->execute, ABUT_ERR_INPUT, "this build has no subcommand '%s': " ABUT_NO_TOOLS, name);
  PetscCall(CheckFiles(command, argc, argv, &first));
  PetscCall(OptionsCheck(name, argc - first, argv + first));
  PetscCall(Choose(&command));
  PetscCall(command->execute(comm, first > 2 ? argv[2] : "", terminal));
  PetscFunctionReturn(0);
}

static PetscErrorCode PrintVersions(MPI_Comm comm)
{
  const char *part;
  char        text[ABUT_VERSION_SIZE];

  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "abut %s (%s)\n", AbutVersion(), AbutVersionGit()));
  for (PetscInt i = 0; AbutVersionPart(i, &part, text); i++) PetscCall(PetscPrintf(comm, "%-9s %s\n", part, text));
  PetscFunctionReturn(0);
}

static PetscErrorCode Dispatch(MPI_Comm comm, const AbutCommand *command, int argc, char **argv, const char help[], PetscBool terminal)
{
  const char *name = argc > 1 ? argv[1] : "--help";

  PetscFunctionBegin;
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
    PetscCall(PetscPrintf(comm, "%s", help));
  } else if (!strcmp(name, "--version")) {
    PetscCall(PrintVersions(comm));
  } else if (!strcmp(name, "--scene-reference")) {
    PetscCall(AbutScenePrintReference(comm));
  } else if (!strcmp(name, "-help") || (command && command->lists_options && HasWord(argc, argv, "-help"))) {
    PetscCall(CommandHelp(comm));
  } else if (AsksUsage(command, argc, argv)) {
    PetscCall(PrintUsage(comm, name));
  } else if (command) {
    PetscCall(Execute(comm, command, argc, argv, terminal));
  } else {
    PetscCall(RefuseCommand(name));
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

/*
  Whether standard output is a terminal. MPI launchers may give rank 0 a pseudo-terminal although their own output goes to a file. To be
  called before MPI_Init(), which makes a single process look like one of mpiexec.
*/
static PetscBool HasTerminal(void)
{
  static const char *const launched[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_STEP_ID"};

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(launched); k++)
    if (getenv(launched[k])) return PETSC_FALSE;
  return (PetscBool)isatty(STDOUT_FILENO);
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

int AbutMain(int argc, char **argv, const AbutCommand *const commands[])
{
  PetscErrorCode     code;
  PetscMPIInt        rank;
  char               help[HELP_SIZE], *question = FindQuestion(argc, argv), **argv_one = argv;
  int                one = 1;
  PetscBool          terminal, hidden; /* hidden: from PETSc, which sees the name of the program only */
  const AbutCommand *command;

  KernelsChoose(argv);
  ComposeHelp(commands, help);
  terminal = HasTerminal();
  if (question) argv[1] = question;
  command = argc > 1 ? FindCommand(commands, argv[1]) : NULL;
  hidden  = (PetscBool)(question || AsksUsage(command, argc, argv));
  code    = AbutInitialize(MPI_COMM_WORLD, hidden ? &one : &argc, hidden ? &argv_one : &argv, help);
  if (code) return AbutErrorExitCode(code);
  if (MPI_Comm_rank(PETSC_COMM_WORLD, &rank)) return ABUT_EXIT_INTERNAL;
  InterruptBeginSetUp(rank);
  code = Register(commands);
  if (!code) code = Dispatch(PETSC_COMM_WORLD, command, argc, argv, help, terminal);
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
