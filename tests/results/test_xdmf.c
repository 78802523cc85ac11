/* The XDMF index is complete at any time: a process is killed in each call that replaces it. */
#define _GNU_SOURCE
#include "results.h"
#include "resultsimpl.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUM_LEVELS 7

static int            calls_left = -1; /* calls until the process is killed; -1: never */
static char           directory[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN], other[PETSC_MAX_PATH_LEN];
static char          *reference[NUM_LEVELS + 1]; /* [number of levels] the index, NULL without levels */
static AbutLevelIndex levels[NUM_LEVELS];

/* Whether the process is to be killed in this call. */
static PetscBool IsLast(void)
{
  return (PetscBool)(calls_left >= 0 && calls_left-- == 0);
}

static void Kill(void)
{
  (void)kill(getpid(), SIGKILL);
}

/* Functions of the C library, replaced in this program */

int rename(const char *from, const char *to)
{
  if (IsLast()) Kill();
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* Text of a file; NULL if there is none. */
static char *Text(const char name[])
{
  FILE *file = fopen(name, "r");
  char *text = NULL;

  if (!file) return NULL;
  text                                      = calloc(1, 1 << 16);
  text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
  fclose(file);
  return text;
}

static AbutXdmfIndex Index(PetscInt num)
{
  return (AbutXdmfIndex){.dim = 3, .num_vertices = 4, .num_cells = 1, .num_levels = num, .levels = levels};
}

static int Begin(void **state)
{
  (void)state;
  AbutTestDirectory(directory);
  PathIn(directory, "fields.xdmf", path);
  PathIn(directory, "reference.xdmf", other);
  for (PetscInt i = 0; i < NUM_LEVELS; i++) levels[i] = (AbutLevelIndex){.step = i, .time = (PetscReal)i};
  for (PetscInt num = 1; num <= NUM_LEVELS; num++) {
    AbutXdmfIndex index = Index(num);

    AbutTestCall(AbutXdmfWrite(&index, other));
    AbutTestCall(AbutTextDestroy(&index.text));
    reference[num] = Text(other);
  }
  return 0;
}

static int End(void **state)
{
  (void)state;
  for (PetscInt num = 1; num <= NUM_LEVELS; num++) free(reference[num]);
  RemoveDirectory(directory);
  return 0;
}

/* Writes the levels one by one; *done: number of levels that are written. */
static void WriteLevels(volatile PetscInt *done)
{
  AbutXdmfIndex index = Index(0);

  for (PetscInt num = 1; num <= NUM_LEVELS; num++) {
    index.num_levels = num;
    AbutTestCall(AbutXdmfWrite(&index, path));
    *done = num;
  }
  AbutTestCall(AbutTextDestroy(&index.text));
}

static void CheckFile(PetscInt done)
{
  char *text = Text(path);

  if (done || text) {
    assert_non_null(text);
    if (strcmp(text, reference[PetscMax(done, 1)]) && (done == NUM_LEVELS || strcmp(text, reference[done + 1])))
      fail_msg("after %d levels the index is\n%s", (int)done, text);
  }
  free(text);
}

/* A process that is killed in its call number `calls` that changes files. Returns whether it reached its end before. */
static PetscBool WriteInProcess(int calls, volatile PetscInt *done)
{
  int   status = 0;
  pid_t child;

  *done = 0;
  child = fork();
  assert_true(child >= 0);
  if (!child) {
    calls_left = calls;
    WriteLevels(done);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGKILL);
  return (PetscBool)WIFEXITED(status);
}

static void KilledProcess(void **state)
{
  volatile PetscInt *done  = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  PetscInt           again = 0;
  PetscBool          ended = PETSC_FALSE;
  int                calls;

  (void)state;
  for (calls = 0; !ended; calls++) {
    ended = WriteInProcess(calls, done);
    CheckFile(*done);
    WriteLevels(&again); /* the next run finds the files of the killed one */
    CheckFile(NUM_LEVELS);
    (void)unlink(path);
  }
  assert_true(calls > NUM_LEVELS);
  munmap((void *)done, sizeof(*done));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(KilledProcess, Begin, End),
  };
  return AbutTestMain(argc, argv, tests);
}
