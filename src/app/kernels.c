/* The kernels of an OpenBLAS that is older than the processor. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "app.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNELS "OPENBLAS_CORETYPE"

/*
  OpenBLAS chooses its kernels when it is loaded, by a list of processors; where the one at hand is newer than the list it takes those of 2004,
  with a quarter of the speed. What the environment asks for it obeys, but only if that is there when the program starts.
*/
void KernelsChoose(char **argv)
{
#if defined(__x86_64__)
  const char *(*core)(void);
  PetscBool wide;

  *(void **)(&core) = dlsym(RTLD_DEFAULT, "openblas_get_corename");
  if (!core || strcmp(core(), "Prescott") != 0 || getenv(KERNELS)) return;
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  wide = (PetscBool)(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"));
  setenv(KERNELS, wide ? "SkylakeX" : "Haswell", 0);
  execv("/proc/self/exe", argv); /* returns only if that is not possible: then it goes on slowly */
#else
  (void)argv;
#endif
}
