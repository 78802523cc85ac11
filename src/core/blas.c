/* Which BLAS is at work. Factorisations are matrix products for the most part: with the reference BLAS they take several times as long. */
#define _GNU_SOURCE /* RTLD_DEFAULT, dladdr() */
#include <abut/core.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNELS "OPENBLAS_CORETYPE"

/* What only the library of that name has. */
static const struct {
  const char *name, *symbol;
} known[] = {
  {"OpenBLAS", "openblas_get_config"}, {"MKL", "MKL_Get_Version"}, {"BLIS", "bli_info_get_version_str"},
  {"ATLAS", "ATL_buildinfo"},          {"ArmPL", "armplversion"},  {"NVPL", "nvpl_blas_get_version"},
};

PetscErrorCode AbutBLASName(char name[], size_t size, PetscBool *optimised)
{
  const char *(*core)(void);
  Dl_info     library;
  const void *product = dlsym(RTLD_DEFAULT, "dgemm_");
  char        path[PATH_MAX];

  PetscFunctionBegin;
  *optimised = PETSC_TRUE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(known); k++)
    if (dlsym(RTLD_DEFAULT, known[k].symbol)) {
      PetscCall(PetscStrncpy(name, known[k].name, size));
      *(void **)(&core) = dlsym(RTLD_DEFAULT, "openblas_get_corename");
      if (core) PetscCall(PetscSNPrintf(name, size, "%s (%s)", known[k].name, core()));
      PetscFunctionReturn(0);
    }
  *optimised = PETSC_FALSE;
  if (product && dladdr(product, &library))
    PetscCall(PetscStrncpy(name, realpath(library.dli_fname, path) ? path : library.dli_fname, size));
  else
    PetscCall(PetscStrncpy(name, "unknown", size));
  PetscFunctionReturn(0);
}

/*
  OpenBLAS chooses its kernels when it is loaded, by a list of processors; where the one at hand is newer than the list it takes those of 2004,
  with a quarter of the speed. What the environment asks for it obeys, but only if that is there when the program starts.
*/
void AbutBLASChooseKernels(char **argv)
{
#if defined(__x86_64__)
  const char *(*core)(void);
  PetscBool wide;

  *(void **)(&core) = dlsym(RTLD_DEFAULT, "openblas_get_corename");
  if (!core || strcmp(core(), "Prescott") != 0 || getenv(KERNELS)) return;
  __builtin_cpu_init();
  wide = (PetscBool)(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"));
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  setenv(KERNELS, wide ? "SkylakeX" : "Haswell", 0);
  execv("/proc/self/exe", argv); /* returns only if that is not possible: then it goes on slowly */
#else
  (void)argv;
#endif
}
