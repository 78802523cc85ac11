/* Which BLAS is at work. Factorisations are matrix products for the most part: with the reference BLAS they take several times as long. */
#define _GNU_SOURCE /* RTLD_DEFAULT, dladdr() */
#include <abut/core.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

/* What only the library of that name has. */
static const struct {
  const char *name, *symbol;
} known[] = {
  {"OpenBLAS", "openblas_get_config"}, {"MKL", "MKL_Get_Version"}, {"BLIS", "bli_info_get_version_str"},
  {"ATLAS", "ATL_buildinfo"},          {"ArmPL", "armplversion"},  {"NVPL", "nvpl_blas_get_version"},
};

PetscErrorCode AbutBLASName(char name[], size_t size, PetscBool *optimised)
{
  Dl_info     library;
  const void *product = dlsym(RTLD_DEFAULT, "dgemm_");
  char        path[PATH_MAX];

  PetscFunctionBegin;
  *optimised = PETSC_TRUE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(known); k++)
    if (dlsym(RTLD_DEFAULT, known[k].symbol)) {
      PetscCall(PetscStrncpy(name, known[k].name, size));
      PetscFunctionReturn(0);
    }
  *optimised = PETSC_FALSE;
  if (product && dladdr(product, &library))
    PetscCall(PetscStrncpy(name, realpath(library.dli_fname, path) ? path : library.dli_fname, size));
  else
    PetscCall(PetscStrncpy(name, "unknown", size));
  PetscFunctionReturn(0);
}
