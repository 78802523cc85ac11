/* Versions of the program, its libraries and its compiler; cmake/AbutVersion.cmake generates the header at build time. */
#include <abut/results.h>
#include <abut/private/files.h>
#include "abut_version.h"
#include <string.h>

const char *AbutVersion(void)
{
  return ABUT_VERSION;
}

const char *AbutVersionGit(void)
{
  return ABUT_VERSION_GIT;
}

static void PETScVersion(char text[ABUT_VERSION_SIZE])
{
  PetscInt major, minor, micro;

  (void)PetscGetVersionNumber(&major, &minor, &micro, NULL);
  snprintf(text, ABUT_VERSION_SIZE, "%d.%d.%d, %d-bit indices", (int)major, (int)minor, (int)micro, (int)(8 * sizeof(PetscInt)));
}

/* The first line without what follows a comma: MPICH lists its configuration. */
static void MPIVersion(char text[ABUT_VERSION_SIZE])
{
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int  length;

  (void)MPI_Get_library_version(library, &length);
  library[strcspn(library, ",\n")] = '\0';
  for (char *c = library; *c; c++)
    if (*c == '\t') *c = ' ';
  snprintf(text, ABUT_VERSION_SIZE, "%s", library);
}

static void HDF5Version(char text[ABUT_VERSION_SIZE])
{
  unsigned major = 0, minor = 0, micro = 0;

  (void)H5get_libversion(&major, &minor, &micro);
  snprintf(text, ABUT_VERSION_SIZE, "%u.%u.%u", major, minor, micro);
}

static void BLASVersion(char text[ABUT_VERSION_SIZE])
{
  PetscBool optimised;

  if (AbutBLASName(text, ABUT_VERSION_SIZE, &optimised)) text[0] = '\0';
}

static void Compiler(char text[ABUT_VERSION_SIZE])
{
#if defined(__clang__)
  snprintf(text, ABUT_VERSION_SIZE, "%s", __VERSION__);
#elif defined(__GNUC__)
  snprintf(text, ABUT_VERSION_SIZE, "GCC %s", __VERSION__);
#else
  snprintf(text, ABUT_VERSION_SIZE, "unknown");
#endif
}

static void Flags(char text[ABUT_VERSION_SIZE])
{
  snprintf(text, ABUT_VERSION_SIZE, "%s", ABUT_FLAGS);
}

PetscBool AbutVersionPart(PetscInt i, const char **part, char text[ABUT_VERSION_SIZE])
{
  static const struct {
    const char *name;
    void (*write)(char[ABUT_VERSION_SIZE]);
  } parts[] = {{"petsc", PETScVersion}, {"mpi", MPIVersion},    {"hdf5", HDF5Version},
               {"blas", BLASVersion},   {"compiler", Compiler}, {"flags", Flags}};

  if (i >= (PetscInt)PETSC_STATIC_ARRAY_LENGTH(parts)) return PETSC_FALSE;
  *part = parts[i].name;
  parts[i].write(text);
  return PETSC_TRUE;
}
