/* Reads .geo and CAD files and binary .msh files by the program abut-gmsh, which runs libgmsh in a process of its own. */
#include "read.h"

#ifndef ABUT_GMSH_PROGRAM

PetscErrorCode AbutShapeReadGmsh(const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, AbutShape *shape)
{
  (void)dim, (void)parts, (void)shape;
  return AbutSpecError(
    spec, "%s needs libgmsh, and this program was built without it (ABUT_WITH_GMSH); write an ASCII .msh file of version 2.2 or 4.1",
    spec->shape.path);
}

#else

#include "gmsh_program.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The running program and the ends of its pipes that abut reads. */
typedef struct {
  pid_t id; /* 0: not started */
  FILE *data, *text;
} Program;

/* Path of abut-gmsh: beside this program, in the build, or where it is installed. */
static void FindProgram(size_t size, char path[])
{
  static const char *const others[] = {ABUT_GMSH_BUILT, ABUT_GMSH_PROGRAM};
  char                     own[PETSC_MAX_PATH_LEN];
  const ssize_t            length = readlink("/proc/self/exe", own, sizeof(own) - 1);

  if (length > 0) {
    own[length] = '\0';
    snprintf(path, size, "%s/abut-gmsh", dirname(own));
    if (!access(path, X_OK)) return;
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(others); k++) {
    snprintf(path, size, "%s", others[k]);
    if (!access(path, X_OK)) return;
  }
}

/* Edge length in the unit of the file: its cells have the mean edge `mesh_size` after `scale`. */
static PetscReal FileSize(const AbutShapeSpec *shape, PetscInt dim)
{
  PetscReal scale = 1;

  for (PetscInt d = 0; d < dim; d++) scale *= PetscAbsReal(shape->scale[d]);
  return scale > 0 ? shape->mesh_size / PetscPowReal(scale, 1 / (PetscReal)dim) : shape->mesh_size;
}

/* Starts the program with the write ends of two pipes. posix_spawn() runs no handlers of fork() that MPI libraries have installed. */
static int Spawn(const char path[], char *const arguments[], const int data[2], const int text[2], pid_t *id)
{
  posix_spawn_file_actions_t actions;
  int                        error = posix_spawn_file_actions_init(&actions), high[2];

  if (error) return error;
  for (int fd = 0; fd < 3 && !error; fd++) error = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
  high[0] = fcntl(data[1], F_DUPFD_CLOEXEC, ABUT_GMSH_TEXT + 1); /* above both targets, so that neither dup2() closes the other */
  high[1] = fcntl(text[1], F_DUPFD_CLOEXEC, ABUT_GMSH_TEXT + 1);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, high[0], ABUT_GMSH_DATA);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, high[1], ABUT_GMSH_TEXT);
  if (!error) error = posix_spawn(id, path, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  for (int k = 0; k < 2; k++) close(high[k]);
  return error;
}

static PetscErrorCode Start(const AbutBodySpec *spec, PetscInt dim, Program *program)
{
  char        path[PETSC_MAX_PATH_LEN + 16] = "", dimension[8], size[32], order[8];
  char *const arguments[]                   = {path, (char *)(uintptr_t)spec->shape.path, dimension, size, order, NULL};
  int         data[2], text[2], error;

  PetscFunctionBegin;
  FindProgram(sizeof(path), path);
  snprintf(dimension, sizeof(dimension), "%d", (int)dim);
  snprintf(size, sizeof(size), "%.17g", (double)FileSize(&spec->shape, dim));
  snprintf(order, sizeof(order), "%d", spec->shape.order == 2 ? 2 : 1);
  AbutSpecCheck(!pipe2(data, O_CLOEXEC), spec, "%s: no pipe to libgmsh: %s", spec->shape.path, strerror(errno));
  if (pipe2(text, O_CLOEXEC)) {
    for (int k = 0; k < 2; k++) close(data[k]);
    PetscFunctionReturn(AbutSpecError(spec, "%s: no pipe to libgmsh: %s", spec->shape.path, strerror(errno)));
  }
  error = Spawn(path, arguments, data, text, &program->id);
  close(data[1]);
  close(text[1]);
  *program = (Program){.id = error ? 0 : program->id, .data = fdopen(data[0], "rb"), .text = fdopen(text[0], "r")};
  AbutSpecCheck(!error, spec, "%s needs libgmsh, but %s does not start: %s", spec->shape.path, path, strerror(error));
  PetscFunctionReturn(0);
}

/*
  Waits for the end of the program. `code`: of reading its data. The program ends by SIGKILL or SIGPIPE because reading has failed; if it
  has failed itself, its reason replaces the code.
*/
static PetscErrorCode Finish(const AbutBodySpec *spec, const Program *program, PetscErrorCode code)
{
  const char *path                          = spec->shape.path;
  char        text[ABUT_GMSH_TEXT_SIZE + 1] = "";
  int         status                        = 0, signal;

  PetscFunctionBegin;
  if (!program->id && program->data) fclose(program->data); /* nothing has read it */
  if (program->id && code) kill(program->id, SIGKILL);
  while (program->id && waitpid(program->id, &status, 0) < 0 && errno == EINTR) {}
  if (program->text) text[fread(text, 1, ABUT_GMSH_TEXT_SIZE, program->text)] = '\0';
  if (program->text) fclose(program->text);
  signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (code && !text[0] && (!status || signal == SIGKILL || signal == SIGPIPE)) PetscFunctionReturn(code);
  AbutErrorClear();
  AbutSpecCheck(!text[0], spec, "%s: %s", path, text);
  AbutSpecCheck(!signal, spec, "%s: libgmsh failed on it (signal %d, %s); the file may be damaged", path, signal, strsignal(signal));
  AbutSpecCheck(WEXITSTATUS(status) != 127, spec, "%s needs libgmsh, which abut-gmsh does not find", path);
  AbutSpecCheck(!WEXITSTATUS(status), spec, "%s: libgmsh ended early on it (exit code %d)", path, WEXITSTATUS(status));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeReadGmsh(const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, AbutShape *shape)
{
  const char    *extension  = strrchr(spec->shape.path, '.');
  PetscBool      understood = PETSC_TRUE;
  Program        program    = {0};
  MPI_Comm       self;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutScriptCheck(spec));
  PetscCall(AbutShapeCheckPlacement(spec, dim));
  PetscCall(PetscCommDuplicate(PETSC_COMM_SELF, &self, NULL));
  ierr = Start(spec, dim, &program);
  if (!ierr) ierr = AbutShapeReadMsh(self, spec, dim, parts, program.data, shape, &understood);
  ierr = Finish(spec, &program, ierr);
  PetscCall(PetscCommDestroy(&self));
  if (!ierr && dim == 2 && strcmp(extension, ".msh")) AbutShapeOrientCells2D(shape);
  PetscFunctionReturn(ierr);
}

#endif
