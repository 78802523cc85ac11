/* Which BLAS is at work. Factorisations are matrix products for the most part: with the reference BLAS they take several times as long. */
#define _GNU_SOURCE /* RTLD_DEFAULT, dladdr() */
#include <abut/core.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What only the library of that name has. */
static const struct {
  const char *name, *symbol;
} known[] = {
  {"OpenBLAS", "openblas_get_config"}, {"MKL", "MKL_Get_Version"}, {"BLIS", "bli_info_get_version_str"},
  {"ATLAS", "ATL_buildinfo"},          {"ArmPL", "armplversion"},  {"NVPL", "nvpl_blas_get_version"},
};

/* Those without such a symbol, by the path of the library. */
static const struct {
  const char *name, *part;
} places[] = {
  {"Cray LibSci", "/libsci"},
  {"ESSL", "/libessl"},
};

/* FlexiBLAS stands before the library that does the work. */
static PetscErrorCode NameFlexiBLAS(char name[], size_t size, PetscBool *found, PetscBool *optimised)
{
  int (*backend)(char *, size_t);
  char behind[64] = "";

  PetscFunctionBegin;
  *(void **)(&backend) = dlsym(RTLD_DEFAULT, "flexiblas_current_backend");
  *found               = (PetscBool)(backend != NULL);
  if (!backend) PetscFunctionReturn(0);
  (void)backend(behind, sizeof(behind));
  PetscCall(PetscSNPrintf(name, size, "FlexiBLAS (%s)", behind));
  *optimised = (PetscBool)(strcmp(behind, "NETLIB") != 0);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBLASName(char name[], size_t size, PetscBool *optimised)
{
  const char *(*core)(void);
  Dl_info     library;
  const void *product = dlsym(RTLD_DEFAULT, "dgemm_");
  char        path[PATH_MAX];
  const char *file;
  PetscBool   found;

  PetscFunctionBegin;
  *optimised = PETSC_TRUE;
  PetscCall(NameFlexiBLAS(name, size, &found, optimised));
  if (found) PetscFunctionReturn(0);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(known); k++)
    if (dlsym(RTLD_DEFAULT, known[k].symbol)) {
      PetscCall(PetscStrncpy(name, known[k].name, size));
      *(void **)(&core) = dlsym(RTLD_DEFAULT, "openblas_get_corename");
      if (core) PetscCall(PetscSNPrintf(name, size, "%s (%s)", known[k].name, core()));
      PetscFunctionReturn(0);
    }
  *optimised = PETSC_FALSE;
  PetscCall(PetscStrncpy(name, "unknown", size));
  if (!product || !dladdr(product, &library)) PetscFunctionReturn(0);
  file = realpath(library.dli_fname, path) ? path : library.dli_fname;
  PetscCall(PetscStrncpy(name, file, size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(places); k++)
    if (strstr(file, places[k].part)) {
      *optimised = PETSC_TRUE;
      PetscCall(PetscStrncpy(name, places[k].name, size));
    }
  PetscFunctionReturn(0);
}
