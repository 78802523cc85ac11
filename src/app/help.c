/* -help: the options of all parts of the program, with defaults and units. */
#include "app.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Objects print their options when they are created: the smallest scene creates all of them. */
static const char smallest[] = "abut: 1\n"
                               "dim: 3\n"
                               "time: {step: 1, steps: 1}\n"
                               "materials: {m: {model: neo-hookean, young: 1, poisson: 0.3, density: 1}}\n"
                               "bodies:\n"
                               "  - {name: b, material: m, shape: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n";

/* Prints the options of a command; abut run comes first, and others that have its options do not repeat them. */
static PetscErrorCode PrintTables(MPI_Comm comm, PetscBool first, const AbutOptionTable *const *table)
{
  PetscFunctionBegin;
  for (; table && *table; table++)
    if (first || *table != &RunOptions) PetscCall(AbutOptionTableShow(comm, *table, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode CommandHelp(MPI_Comm comm)
{
  char               path[64];
  const int          file  = memfd_create("smallest.yaml", 0);
  Model              model = {.comm = comm};
  const AbutCommand *command;

  PetscFunctionBegin;
  AbutCheck(file >= 0 && write(file, smallest, strlen(smallest)) == (ssize_t)strlen(smallest), ABUT_ERR_IO,
            "cannot write a scene to memory: %s", strerror(errno));
  PetscCall(PetscSNPrintf(path, sizeof(path), "/proc/self/fd/%d", file));
  for (PetscInt i = 0; (command = CommandAt(i)); i++) {
    PetscCall(PrintTables(comm, (PetscBool)!i, command->options));
    PetscCall(PrintTables(comm, (PetscBool)!i, command->tables));
  }
  PetscCall(ModelCreate(comm, path, -1, &model));
  PetscCall(ModelDestroy(&model));
  close(file);
  PetscFunctionReturn(0);
}
