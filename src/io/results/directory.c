/* Result files in a folder. */
#include "resultsimpl.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *const results[] = {"summary.json",   "steps.csv",     "pairs.csv",   "motions.csv",
                                      "cavities.csv",   "fields.h5",     "fields.xdmf", "fields.vtkhdf",
                                      "surface.vtkhdf", "checkpoint.h5", NULL};

/* Files that state how a run ended. They do not hold for a run that starts or continues. */
static const char *const endings[] = {"summary.json", "failure.xdmf", "intersections.xdmf", NULL};

/* The i-th list of result files: first a run's, then the registered ones; NULL past the end. */
static const char *const *ListOf(PetscInt i)
{
  return i ? (const char *const *)AbutRegistered(ABUT_RESULT_FILES, i - 1) : results;
}

const char *AbutResultsFind(const char directory[])
{
  char path[PETSC_MAX_PATH_LEN];

  for (PetscInt i = 0; ListOf(i); i++)
    for (const char *const *name = ListOf(i); *name; name++)
      if (!AbutPathJoin(directory, *name, path) && !access(path, F_OK)) return *name;
  return NULL;
}

static PetscErrorCode Remove(const char directory[], const char *const names[], const char keep[])
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (PetscInt k = 0; names[k]; k++) {
    if (keep && !strcmp(keep, names[k])) continue;
    PetscCall(AbutPathJoin(directory, names[k], path));
    AbutCheck(!unlink(path) || errno == ENOENT, ABUT_ERR_IO, "cannot remove the old %s: %s", path, strerror(errno));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutResultsRemove(const char directory[], PetscBool all, const char keep[])
{
  PetscFunctionBegin;
  PetscCall(Remove(directory, endings, keep));
  for (PetscInt i = 0; all && ListOf(i); i++) PetscCall(Remove(directory, ListOf(i), keep));
  PetscFunctionReturn(0);
}
