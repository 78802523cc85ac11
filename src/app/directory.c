/* Folder of the results: creates it, rejects results of another run, removes files that are out of date. */
#include "app.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the folder and the folders above it. Only the last one is checked: the others may exist and not be writable. */
static PetscErrorCode Make(const char path[])
{
  char        part[PETSC_MAX_PATH_LEN];
  struct stat status;
  int         above = 0;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(part, path, sizeof(part)));
  for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(part, 0777) && !above && errno != EEXIST) above = errno;
    *slash = '/';
  }
  if (mkdir(path, 0777)) /* without the folder above, the reason is why that one could not be made */
    AbutCheck(errno == EEXIST, ABUT_ERR_IO, "cannot make the folder %s: %s", path, strerror(errno == ENOENT && above ? above : errno));
  AbutCheck(!stat(path, &status) && S_ISDIR(status.st_mode), ABUT_ERR_IO, "%s is a file, not a folder for results", path);
  PetscFunctionReturn(0);
}

static PetscErrorCode PrepareOnRoot(const char directory[], PetscBool replace, PetscBool can_restart)
{
  const char *found                            = AbutResultsFind(directory);
  char        restart[PETSC_MAX_PATH_LEN + 64] = "";

  PetscFunctionBegin;
  if (can_restart) PetscCall(PetscSNPrintf(restart, sizeof(restart), ", or continue that run with -restart %s/checkpoint.h5", directory));
  AbutCheck(!found || replace, ABUT_ERR_INPUT,
            "the folder %s has results of another run (%s): choose another folder with -o, or replace them with -overwrite%s", directory,
            found, restart);
  PetscCall(Make(directory));
  AbutCheck(!access(directory, W_OK), ABUT_ERR_IO, "cannot write into the folder %s: %s", directory, strerror(errno));
  PetscFunctionReturn(0);
}

PetscErrorCode DirectoryPrepare(MPI_Comm comm, const char directory[], PetscBool replace, PetscBool can_restart)
{
  return AbutAgree(comm, AbutIsRoot(comm) ? PrepareOnRoot(directory, replace, can_restart) : 0);
}

PetscErrorCode DirectoryClear(const Run *run)
{
  PetscFunctionBegin;
  PetscCall(
    AbutAgree(run->model.comm, AbutIsRoot(run->model.comm) ? AbutResultsRemove(run->directory, (PetscBool)!RunContinues(run), NULL) : 0));
  PetscFunctionReturn(0);
}

PetscErrorCode DirectorySetUpFailed(const Run *run, PetscErrorCode code)
{
  PetscFunctionBegin;
  if (AbutIsRoot(run->model.comm))
    PetscCall(AbutResultsRemove(run->directory, PETSC_FALSE, code == ABUT_ERR_INTERSECTION ? "intersections.xdmf" : NULL));
  PetscFunctionReturn(0);
}
