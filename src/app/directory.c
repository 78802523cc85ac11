/* Folder of the results: it is made, it must not hold results of another run, and results that no longer hold are removed. */
#include "app.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Makes the folder and the folders above it. Only the last one is checked: the others may exist and not be writable. */
static PetscErrorCode Make(const char path[])
{
  char part[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(part, path, sizeof(part)));
  for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(part, 0777);
    *slash = '/';
  }
  if (mkdir(path, 0777)) AbutCheck(errno == EEXIST, ABUT_ERR_IO, "cannot make the folder %s: %s", path, strerror(errno));
  PetscFunctionReturn(0);
}

static PetscErrorCode PrepareOnRoot(const Run *run)
{
  const char *found = AbutResultsFind(run->directory);

  PetscFunctionBegin;
  AbutCheck(!found || run->overwrite || run->restart[0], ABUT_ERR_INPUT,
            "the folder %s has results of another run (%s): choose another folder with -o, replace them with -overwrite, or continue "
            "that run with -restart %s/checkpoint.h5",
            run->directory, found, run->directory);
  PetscCall(Make(run->directory));
  PetscCall(AbutResultsRemove(run->directory, PETSC_FALSE));
  PetscFunctionReturn(0);
}

PetscErrorCode DirectoryPrepare(const Run *run)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(run->model.comm, &rank));
  PetscCall(AbutAgree(run->model.comm, rank ? 0 : PrepareOnRoot(run)));
  PetscFunctionReturn(0);
}

PetscErrorCode DirectoryClear(const Run *run)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(run->model.comm, &rank));
  PetscCall(AbutAgree(run->model.comm, rank ? 0 : AbutResultsRemove(run->directory, PETSC_TRUE)));
  PetscFunctionReturn(0);
}
