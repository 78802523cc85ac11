/* Name of the BLAS library in use. Factorisations are several times slower with the unoptimised reference BLAS. */
#define _GNU_SOURCE /* RTLD_DEFAULT, dladdr() */
#include <abut/core.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Optimised BLAS libraries, each recognised by a symbol that no other library exports. */
static const struct {
  const char *name, *symbol;
} symbols[] = {
  {"OpenBLAS", "openblas_get_config"}, {"MKL", "MKL_Get_Version"}, {"BLIS", "bli_info_get_version_str"},
  {"ATLAS", "ATL_buildinfo"},          {"ArmPL", "armplversion"},  {"NVPL", "nvpl_blas_get_version"},
};

/* Optimised BLAS libraries recognised by a part of their path. */
static const struct {
  const char *name, *part;
} paths[] = {
  {"Cray LibSci", "/libsci"},
  {"ESSL", "/libessl"},
  {"BLIS", "/blis-"},
};

/* Name of FlexiBLAS and its backend, the BLAS library that FlexiBLAS calls. found: FlexiBLAS is in use. */
static PetscErrorCode NameFlexiBLAS(char name[], size_t size, PetscBool *found, PetscBool *optimised)
{
  int (*backend)(char *, size_t);
  char library[64] = "";

  PetscFunctionBegin;
  *(void **)(&backend) = dlsym(RTLD_DEFAULT, "flexiblas_current_backend");
  *found               = (PetscBool)(backend != NULL);
  if (!backend) PetscFunctionReturn(0);
  (void)backend(library, sizeof(library));
  PetscCall(PetscSNPrintf(name, size, "FlexiBLAS (%s)", library));
  *optimised = (PetscBool)(strcmp(library, "NETLIB") != 0);
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
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(symbols); k++)
    if (dlsym(RTLD_DEFAULT, symbols[k].symbol)) {
      PetscCall(PetscStrncpy(name, symbols[k].name, size));
      *(void **)(&core) = dlsym(RTLD_DEFAULT, "openblas_get_corename");
      if (core) PetscCall(PetscSNPrintf(name, size, "%s (%s)", symbols[k].name, core()));
      PetscFunctionReturn(0);
    }
  *optimised = PETSC_FALSE;
  PetscCall(PetscStrncpy(name, "unknown", size));
  if (!product || !dladdr(product, &library)) PetscFunctionReturn(0);
  file = realpath(library.dli_fname, path) ? path : library.dli_fname;
  PetscCall(PetscStrncpy(name, file, size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(paths); k++)
    if (strstr(file, paths[k].part)) {
      *optimised = PETSC_TRUE;
      PetscCall(PetscStrncpy(name, paths[k].name, size));
    }
  PetscFunctionReturn(0);
}
