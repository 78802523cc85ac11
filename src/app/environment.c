/* Environment variables that have an effect only if they are set before the program starts: kernels of OpenBLAS, huge pages. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "app.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNELS    "OPENBLAS_CORETYPE"
#define TUNABLES   "GLIBC_TUNABLES"
#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage/enabled"

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
#endif

/*
  OpenBLAS chooses its kernels from a list of processors when it is loaded. For a processor newer than the list it chooses the kernels of
  2004 ("Prescott"), which have a quarter of the speed.
*/
static PetscBool SetKernels(void)
{
#if defined(__x86_64__)
  const char *(*core)(void);
  const char *best = BestKernels();

  *(void **)(&core) = dlsym(RTLD_DEFAULT, "openblas_get_corename");
  if (!best || !core || strcmp(core(), "Prescott") != 0 || getenv(KERNELS)) return PETSC_FALSE;
  return (PetscBool)(setenv(KERNELS, best, 0) == 0);
#else
  return PETSC_FALSE;
#endif
}

/*
  Where the system gives huge pages only to programs that ask for them, the C library of GNU (from 2.35 on) can ask for all large arrays.
  Otherwise the first access to every 4 KiB enters the system, which takes up to 20 microseconds on virtual machines.
*/
static PetscBool SetHugePages(void)
{
  char      line[128] = "";
  FILE     *file;
  PetscBool on_request;

  if (getenv(TUNABLES) || !(file = fopen(HUGE_PAGES, "r"))) return PETSC_FALSE;
  on_request = (PetscBool)(fgets(line, sizeof(line), file) && strstr(line, "[madvise]"));
  (void)fclose(file);
  return (PetscBool)(on_request && setenv(TUNABLES, "glibc.malloc.hugetlb=1", 0) == 0);
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

void EnvironmentChoose(char **argv)
{
  const PetscBool kernels = SetKernels(), pages = SetHugePages();

  if (kernels || pages) Restart(argv);
}
