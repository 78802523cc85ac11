/* Name of the BLAS library in use. Factorisations are several times slower with the unoptimised reference BLAS. */
#include <abut/core.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name, *mark;
} Product;

/* Optimised BLAS libraries, each recognised by a symbol that no other library exports. */
static const Product symbols[] = {
  {"OpenBLAS", "openblas_get_config"}, {"MKL", "MKL_Get_Version"}, {"BLIS", "bli_info_get_version_str"},
  {"ATLAS", "ATL_buildinfo"},          {"ArmPL", "armplversion"},  {"NVPL", "nvpl_blas_get_version"},
};

/* Optimised BLAS libraries recognised by a part of their path. */
static const Product paths[] = {{"Cray LibSci", "/libsci"}, {"ESSL", "/libessl"}, {"BLIS", "/blis-"}};

/* The place to look for the symbols of the BLAS in use: the library of dgemm_ and the libraries it needs. A process can hold a second
   BLAS, which another library needs under its own name. */
static void *BLASHandle(const void *dgemm, Dl_info *library)
{
  void *handle = dgemm && dladdr(dgemm, library) ? dlopen(library->dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  return handle ? handle : RTLD_DEFAULT; /* a statically linked BLAS has no handle */
}

PetscErrorCode AbutBLASName(char name[], size_t size, PetscBool *optimised)
{
  int (*flexiblas)(char *, size_t);
  const char *(*core)(void);
  Dl_info     library = {.dli_fname = NULL};
  const void *product = dlsym(RTLD_DEFAULT, "dgemm_");
  void       *handle  = BLASHandle(product, &library);
  char        path[PATH_MAX], backend[64] = "";

  PetscFunctionBegin;
  *(void **)(&flexiblas) = dlsym(RTLD_DEFAULT, "flexiblas_current_backend");
  if (flexiblas) { /* FlexiBLAS calls another BLAS library, its backend */
    (void)flexiblas(backend, sizeof(backend));
    *optimised = (PetscBool)(strcmp(backend, "NETLIB") != 0);
    PetscCall(PetscSNPrintf(name, size, "FlexiBLAS (%s)", backend));
    PetscFunctionReturn(0);
  }
  *optimised = PETSC_TRUE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(symbols); k++)
    if (dlsym(handle, symbols[k].mark)) {
      *(void **)(&core) = dlsym(handle, "openblas_get_corename");
      PetscCall(PetscSNPrintf(name, size, core ? "%s (%s)" : "%s", symbols[k].name, core ? core() : ""));
      PetscFunctionReturn(0);
    }
  *optimised = PETSC_FALSE;
  PetscCall(PetscStrncpy(name, "unknown", size));
  if (!library.dli_fname) PetscFunctionReturn(0);
  PetscCall(PetscStrncpy(name, realpath(library.dli_fname, path) ? path : library.dli_fname, size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(paths); k++)
    if (strstr(name, paths[k].mark)) {
      *optimised = PETSC_TRUE;
      PetscCall(PetscStrncpy(name, paths[k].name, size));
    }
  PetscFunctionReturn(0);
}
