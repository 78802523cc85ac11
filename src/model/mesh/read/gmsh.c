/* Reads .geo and CAD files and binary .msh files by the program abut-gmsh, which runs libgmsh in a process of its own. */
#include "read.h"

#ifndef ABUT_GMSH_PROGRAM

PetscErrorCode AbutShapeReadGmsh(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  (void)dim;
  (void)shape;
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
  const AbutBodySpec *spec;
  pid_t               id;
  FILE               *data, *text;
  PetscBool           cut; /* the data have ended early */
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
  *program = (Program){.spec = spec, .id = error ? 0 : program->id, .data = fdopen(data[0], "rb"), .text = fdopen(text[0], "r")};
  AbutSpecCheck(!error, spec, "%s needs libgmsh, but %s does not start: %s", spec->shape.path, path, strerror(error));
  PetscFunctionReturn(0);
}

/* Waits for the end of the program. `code`: of reading its data, which are empty where the program has failed. */
static PetscErrorCode Finish(Program *program, PetscErrorCode code)
{
  const AbutBodySpec *spec                          = program->spec;
  const char         *path                          = spec->shape.path;
  char                text[ABUT_GMSH_TEXT_SIZE + 1] = "";
  int                 status                        = 0;

  PetscFunctionBegin;
  if (program->data) fclose(program->data);
  if (program->id && code) kill(program->id, SIGKILL);
  while (program->id && waitpid(program->id, &status, 0) < 0 && errno == EINTR) {}
  if (program->text) text[fread(text, 1, ABUT_GMSH_TEXT_SIZE, program->text)] = '\0';
  if (program->text) fclose(program->text);
  if (code || !program->id) PetscFunctionReturn(code);
  AbutSpecCheck(!text[0], spec, "%s: %s", path, text);
  AbutSpecCheck(!WIFSIGNALED(status), spec, "%s: libgmsh failed on it (signal %d, %s); the file may be damaged", path, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
  AbutSpecCheck(WEXITSTATUS(status) != 127, spec, "%s needs libgmsh, which abut-gmsh does not find", path);
  AbutSpecCheck(!WEXITSTATUS(status) && !program->cut, spec, "%s: libgmsh ended early on it (exit code %d)", path, WEXITSTATUS(status));
  PetscFunctionReturn(0);
}

/* Reads an array of the program and its length; empty after the end of the data. Free with PetscFree(). */
static PetscErrorCode ReadArray(Program *program, size_t size, size_t *n, void *values)
{
  void **array = (void **)values;

  PetscFunctionBegin;
  *array = NULL;
  if (program->cut || fread(n, sizeof(*n), 1, program->data) != 1) *n = 0, program->cut = PETSC_TRUE;
  AbutSpecCheck(*n < (size_t)PETSC_MAX_INT, program->spec, "%s has %zu numbers in a list, more than the indices of this PETSc can number",
                program->spec->shape.path, *n);
  PetscCall(PetscCalloc(*n * size + 1, array));
  if (*n && fread(*array, size, *n, program->data) != *n) *n = 0, program->cut = PETSC_TRUE;
  PetscFunctionReturn(0);
}

/* Reads the nodes in the order of libgmsh, and their tags. */
static PetscErrorCode ReadNodes(Program *program, AbutShape *shape, AbutTags *table)
{
  const AbutBodySpec *spec = program->spec;
  size_t             *tags, n, num_x;
  double             *x;
  PetscInt            twice;
  PetscErrorCode      ierr = 0;

  PetscFunctionBegin;
  PetscCall(ReadArray(program, sizeof(*tags), &n, &tags));
  PetscCall(ReadArray(program, sizeof(*x), &num_x, &x));
  n = PetscMin(n, num_x / 3);
  PetscCall(PetscMalloc1(3 * n, &shape->x));
  shape->num_vertices = (PetscInt)n;
  for (size_t i = 0; i < n && !ierr; i++) {
    if (tags[i] <= (size_t)PETSC_MAX_INT)
      ierr = AbutTagsPush(table, (PetscInt)tags[i]);
    else
      ierr = AbutSpecError(spec, "%s: node tag %zu is not in [1, %" PetscInt_FMT "]", spec->shape.path, tags[i], PETSC_MAX_INT);
  }
  twice = ierr ? -1 : AbutTagsSort(table);
  if (twice >= 0) ierr = AbutSpecError(spec, "%s: node tag %zu occurs twice", spec->shape.path, tags[twice]);
  for (size_t i = 0; i < 3 * n; i++) shape->x[i] = (PetscReal)x[i];
  PetscCall(PetscFree(tags));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(ierr);
}

/* Reads tags of nodes as numbers of vertices. */
static PetscErrorCode ReadVertices(Program *program, AbutTags *table, PetscInt *num, PetscInt **vertices)
{
  const AbutBodySpec *spec = program->spec;
  size_t             *tags, n;
  PetscErrorCode      ierr = 0;

  PetscFunctionBegin;
  PetscCall(ReadArray(program, sizeof(*tags), &n, &tags));
  PetscCall(PetscMalloc1(n, vertices));
  *num = (PetscInt)n;
  for (size_t i = 0; i < n && !ierr; i++) {
    (*vertices)[i] = tags[i] <= (size_t)PETSC_MAX_INT ? AbutTagsFind(table, (PetscInt)tags[i]) : -1;
    if ((*vertices)[i] < 0)
      ierr = AbutSpecError(spec, "%s: an element names node %zu, which the file does not have", spec->shape.path, tags[i]);
  }
  PetscCall(PetscFree(tags));
  PetscFunctionReturn(ierr);
}

/* Reads the simplices with n nodes each and marks their nodes in `used`. */
static PetscErrorCode ReadSimplices(Program *program, PetscInt n, AbutTags *table, PetscBool used[], PetscInt *num, PetscInt **simplices)
{
  PetscFunctionBegin;
  PetscCall(ReadVertices(program, table, num, simplices));
  for (PetscInt i = 0; i < *num; i++) used[(*simplices)[i]] = PETSC_TRUE;
  *num /= n;
  PetscFunctionReturn(0);
}

/* Reads the cells, all linear or all quadratic. */
static PetscErrorCode ReadCells(Program *program, PetscInt dim, AbutTags *table, PetscBool used[], AbutShape *shape)
{
  const PetscInt corners = dim + 1, edges = AbutNumCellEdges(dim);
  PetscInt       num, *nodes              = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(ReadSimplices(program, corners, table, used, &shape->num_cells, &shape->cells));
  ierr = ReadSimplices(program, corners + edges, table, used, &num, &nodes);
  if (!ierr && num) {
    for (PetscInt c = 0; c < num && dim == 3; c++) { /* Gmsh has edge 23 before edge 13 */
      PetscInt *last = &nodes[10 * c + 8], node = last[0];

      last[0] = last[1];
      last[1] = node;
    }
    PetscCall(PetscFree(shape->cells));
    PetscCall(AbutShapeSetQuadraticCells(dim, num, nodes, shape));
  }
  PetscCall(PetscFree(nodes));
  PetscFunctionReturn(ierr);
}

/* Reads linear and quadratic simplices of a dimension below that of the cells; of quadratic ones their linear parts. */
static PetscErrorCode ReadSides(Program *program, PetscInt corners, AbutTags *table, PetscBool used[], PetscInt *num, PetscInt **sides)
{
  const PetscInt parts = AbutNumParts(corners), nodes = corners == 3 ? 6 : 3;
  PetscInt       num_quadratic, *quadratic            = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(ReadSimplices(program, corners, table, used, num, sides));
  ierr = ReadSimplices(program, nodes, table, used, &num_quadratic, &quadratic);
  if (!ierr && num_quadratic) {
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)(corners * (*num + parts * num_quadratic)), sides));
    for (PetscInt i = 0; i < num_quadratic; i++, *num += parts) AbutSetParts(corners, &quadratic[nodes * i], &(*sides)[corners * *num]);
  }
  PetscCall(PetscFree(quadratic));
  PetscFunctionReturn(ierr);
}

/* Reads a physical group; its name is the digits of its tag if it has none. */
static PetscErrorCode ReadGroup(Program *program, int tag, AbutTags *table, AbutGroups *groups)
{
  char          *name, digits[ABUT_GROUP_NAME];
  size_t         length, num_cells, *cells;
  PetscInt       group, num, *vertices = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(ReadArray(program, 1, &length, &name)); /* ends with 0 */
  PetscCall(PetscSNPrintf(digits, sizeof(digits), "%d", tag));
  PetscCall(AbutGroupsFind(groups, name[0] ? name : digits, &group));
  PetscCall(PetscFree(name));
  ierr = ReadVertices(program, table, &num, &vertices);
  for (PetscInt i = 0; i < num && !ierr; i++) ierr = AbutIntsPush(&groups->marks, 2, (PetscInt[]){group, vertices[i]});
  PetscCall(PetscFree(vertices));
  PetscCall(ierr);
  PetscCall(ReadArray(program, sizeof(*cells), &num_cells, &cells));
  for (size_t i = 0; i < num_cells && program->spec->num_regions; i++)
    PetscCall(AbutIntsPush(&groups->cells, 2, (PetscInt[]){group, (PetscInt)cells[i]}));
  PetscCall(PetscFree(cells));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadGroups(Program *program, AbutTags *table, AbutGroups *groups)
{
  int           *pairs;
  size_t         num;
  PetscErrorCode ierr = 0;

  PetscFunctionBegin;
  PetscCall(ReadArray(program, sizeof(*pairs), &num, &pairs));
  for (size_t i = 0; i + 1 < num && !ierr; i += 2) ierr = ReadGroup(program, pairs[i + 1], table, groups);
  PetscCall(PetscFree(pairs));
  PetscFunctionReturn(ierr);
}

/* Reads the shape. used: nodes of simplices; others, such as centres of arcs, are no vertices. */
static PetscErrorCode ReadShape(Program *program, PetscInt dim, AbutTags *table, AbutShape *shape, PetscBool **used)
{
  PetscFunctionBegin;
  PetscCall(ReadNodes(program, shape, table));
  PetscCall(PetscCalloc1(shape->num_vertices, used));
  PetscCall(ReadCells(program, dim, table, *used, shape));
  if (dim == 3) PetscCall(ReadSides(program, 3, table, *used, &shape->num_faces, &shape->faces));
  PetscCall(ReadSides(program, 2, table, *used, &shape->num_edges, &shape->edges));
  PetscCall(ReadGroups(program, table, &shape->groups));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeReadGmsh(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  const char    *extension = strrchr(spec->shape.path, '.');
  AbutTags       table     = {0};
  Program        program   = {.spec = spec};
  PetscBool     *used      = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutScriptCheck(spec));
  PetscCall(AbutShapeCheckPlacement(spec, dim));
  ierr = Start(spec, dim, &program);
  if (!ierr) ierr = ReadShape(&program, dim, &table, shape, &used);
  ierr = Finish(&program, ierr);
  if (!ierr) ierr = AbutShapeCompact(dim, shape, used);
  PetscCall(PetscFree(used));
  PetscCall(PetscFree(table.run));
  if (!ierr && dim == 2 && strcmp(extension, ".msh")) AbutShapeOrientCells2D(shape);
  PetscFunctionReturn(ierr);
}

#endif
