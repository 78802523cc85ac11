/* Result files in a folder. */
#include "resultsimpl.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *const results[] = {"summary.json",  "steps.csv",   "pairs.csv",   "fields.h5",    "fields.xdmf",
                                      "checkpoint.h5", "quality.csv", "areas.csv",   "rigid.csv",    "contacts.h5",
                                      "contacts.xdmf", "frames.h5",   "frames.xdmf", "contacts.csv", "surfaces.csv"};

/* Files that state how a run ended. They do not hold for a run that starts or continues. */
static const char *const endings[] = {"summary.json", "failure.xdmf", "intersections.xdmf"};

const char *AbutResultsFind(const char directory[])
{
  char path[PETSC_MAX_PATH_LEN];

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(results); k++)
    if (!AbutPathJoin(directory, results[k], path) && !access(path, F_OK)) return results[k];
  return NULL;
}

static PetscErrorCode Remove(const char directory[], size_t num, const char *const names[], const char keep[])
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (size_t k = 0; k < num; k++) {
    if (keep && !strcmp(keep, names[k])) continue;
    PetscCall(AbutPathJoin(directory, names[k], path));
    AbutCheck(!unlink(path) || errno == ENOENT, ABUT_ERR_IO, "cannot remove the old %s: %s", path, strerror(errno));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutResultsRemove(const char directory[], PetscBool all, const char keep[])
{
  PetscFunctionBegin;
  PetscCall(Remove(directory, PETSC_STATIC_ARRAY_LENGTH(endings), endings, keep));
  if (all) PetscCall(Remove(directory, PETSC_STATIC_ARRAY_LENGTH(results), results, keep));
  PetscFunctionReturn(0);
}
