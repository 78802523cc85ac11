#include "test.h"
#include <math.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

/* cmocka runs a group through an internal entry that takes the count; the macro it offers needs an array in scope. */
extern int _cmocka_run_group_tests(const char *group_name, const struct CMUnitTest *const tests, const size_t num_tests,
                                   CMFixtureFunction group_setup, CMFixtureFunction group_teardown);

void AbutTestClose(const char what[], PetscInt n, const PetscReal a[], const PetscReal b[], PetscReal tol)
{
  for (PetscInt i = 0; i < n; i++) {
    if (!(PetscAbsReal(a[i] - b[i]) <= tol * (1 + PetscAbsReal(b[i]))) && a[i] != b[i])
      fail_msg("%s: entry %ld is %.17g, expected %.17g (tolerance %g)", what, (long)i, (double)a[i], (double)b[i], (double)tol);
  }
}

void AbutTestDirectory(char directory[PETSC_MAX_PATH_LEN])
{
  const char *parent = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir;
  const int   length = snprintf(directory, PETSC_MAX_PATH_LEN, "%s/abut-test-XXXXXX", parent);
  PetscMPIInt rank;

  AbutTestCall((PetscErrorCode)MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (length >= PETSC_MAX_PATH_LEN - 128) fail_msg("TMPDIR '%s' is longer than tests have room for", parent);
  if (!rank && !mkdtemp(directory)) fail_msg("cannot make a directory in %s", parent);
  AbutTestCall((PetscErrorCode)MPI_Bcast(directory, PETSC_MAX_PATH_LEN, MPI_CHAR, 0, PETSC_COMM_WORLD));
}

void AbutTestJacobian(AbutTestFn f, void *ctx, PetscInt n, PetscInt m, const PetscReal x[], PetscReal h, PetscReal J[])
{
  static const PetscReal at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  PetscReal             *y = malloc(sizeof(*y) * (size_t)n), *out = malloc(sizeof(*out) * (size_t)m);

  memcpy(y, x, sizeof(*y) * (size_t)n);
  memset(J, 0, sizeof(*J) * (size_t)(n * m));
  for (PetscInt j = 0; j < n; j++) {
    for (int k = 0; k < 4; k++) {
      y[j] = x[j] + at[k] * h;
      f(y, out, ctx);
      for (PetscInt i = 0; i < m; i++) J[i * n + j] += weight[k] * out[i] / h;
    }
    y[j] = x[j];
  }
  free(y);
  free(out);
}

PetscReal AbutTestRandom(uint64_t *state)
{
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (PetscReal)(int64_t)(*state >> 11 << 11) / 9223372036854775808.0;
}

json_t *AbutTestLoadReference(const char path[])
{
  char         full[PETSC_MAX_PATH_LEN];
  json_error_t error;
  json_t      *root;

  snprintf(full, sizeof(full), "%s/%s", ABUT_REFERENCE_DIR, path);
  if (access(full, R_OK)) {
    printf("SKIPPED: no reference data at %s\n", full);
    exit(77);
  }
  root = json_load_file(full, JSON_DECODE_INT_AS_REAL, &error);
  if (!root) fail_msg("%s:%d: %s", full, error.line, error.text);
  return root;
}

PetscReal AbutTestNumber(json_t *value)
{
  if (json_is_string(value)) return strtod(json_string_value(value), NULL);
  if (!json_is_number(value)) fail_msg("a number was expected in the reference data");
  return json_number_value(value);
}

static PetscInt Flatten(json_t *value, PetscInt n, PetscInt at, PetscReal out[])
{
  if (json_is_array(value)) {
    for (size_t i = 0; i < json_array_size(value); i++) at = Flatten(json_array_get(value, i), n, at, out);
    return at;
  }
  if (at < n) out[at] = AbutTestNumber(value);
  return at + 1;
}

void AbutTestNumbers(json_t *array, PetscInt n, PetscReal out[])
{
  const PetscInt found = Flatten(array, n, 0, out);
  if (found != n) fail_msg("%ld numbers in the reference data where %ld were expected", (long)found, (long)n);
}

int AbutTestMainRun(int argc, char **argv, const char name[], const struct CMUnitTest tests[], size_t count)
{
  int failed, all = 1;

  if (AbutInitialize(MPI_COMM_WORLD, &argc, &argv, NULL)) return 1;
  failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
  if (MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD)) return 1;
  if (AbutFinalize()) return 1;
  return all ? 1 : 0;
}

PetscReal AbutTestLargest(PetscInt n, const PetscReal a[])
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(a[i]));
  return size;
}
