/* Choice of OpenBLAS kernels on a processor that is newer than the installed OpenBLAS. */
#include "app.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNELS "OPENBLAS_CORETYPE"

#if defined(__x86_64__)
/* The newest kernels of OpenBLAS 0.3 that this processor can execute; NULL if it lacks AVX2. */
static const char *BestKernels(void)
{
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return NULL;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    return "SkylakeX";
  return "Haswell";
}

/* Executes the program file again. The kernel names a process after the last part of the path, so "/proc/self/exe" would rename it. */
static void Restart(char **argv)
{
  char          path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

  if (length <= 0) return;
  path[length] = '\0';
  execv(path, argv); /* returns only if it fails */
}
#endif

/*
  OpenBLAS chooses its kernels from a list of processors when it is loaded. For a processor newer than the list it chooses the kernels of
  2004 ("Prescott"), which have a quarter of the speed. An environment variable changes the choice if it is set before the program starts.
*/
void KernelsChoose(char **argv)
{
#if defined(__x86_64__)
  const char *(*core)(void);
  const char *best = BestKernels();

  *(void **)(&core) = dlsym(RTLD_DEFAULT, "openblas_get_corename");
  if (!best || !core || strcmp(core(), "Prescott") != 0 || getenv(KERNELS)) return;
  setenv(KERNELS, best, 0);
  Restart(argv);
#else
  (void)argv;
#endif
}
