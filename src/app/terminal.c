/* Whether standard output reaches a terminal. */
#include "app.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANCESTORS 32 /* processes between the program and the launcher that are looked at */

/* Whether an MPI launcher started this process: it may give the process a pseudo-terminal although its own output goes to a file. */
static PetscBool IsUnderLauncher(void)
{
  static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_STEP_ID"};

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(variables); k++)
    if (getenv(variables[k])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Parent of a process by /proc/PID/stat, "PID (NAME) STATE PARENT ..."; 0 if it is not known. */
static int ParentOf(int process)
{
  char  path[64], text[512] = "", *end;
  FILE *file;
  int   parent = 0;

  snprintf(path, sizeof(path), "/proc/%d/stat", process);
  file = fopen(path, "r");
  if (!file) return 0;
  if (fread(text, 1, sizeof(text) - 1, file) && (end = strrchr(text, ')')) != NULL) (void)sscanf(end, ") %*c %d", &parent);
  fclose(file);
  return parent;
}

/* Path of the standard output of a process, as the system names it. */
static PetscBool OutputOf(int process, char path[PETSC_MAX_PATH_LEN])
{
  char    link[64];
  ssize_t length;

  snprintf(link, sizeof(link), "/proc/%d/fd/1", process);
  length = readlink(link, path, PETSC_MAX_PATH_LEN - 1);
  if (length <= 0) return PETSC_FALSE;
  path[length] = '\0';
  return PETSC_TRUE;
}

/* The launcher is the first ancestor whose standard output differs from ours. */
static PetscBool LauncherHasTerminal(void)
{
  char own[PETSC_MAX_PATH_LEN], other[PETSC_MAX_PATH_LEN];
  int  process = (int)getppid();

  if (!OutputOf((int)getpid(), own)) return PETSC_FALSE;
  for (int k = 0; k < ANCESTORS && process > 0; k++, process = ParentOf(process)) {
    if (!OutputOf(process, other)) return PETSC_FALSE;
    if (strcmp(own, other)) return (PetscBool)(!strncmp(other, "/dev/pts/", 9) || !strncmp(other, "/dev/tty", 8));
  }
  return PETSC_FALSE;
}

PetscBool TerminalHasOutput(void)
{
  return (PetscBool)(isatty(STDOUT_FILENO) && (!IsUnderLauncher() || LauncherHasTerminal()));
}
