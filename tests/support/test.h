/* What every test uses: cmocka under MPI, finite differences, reference data in JSON. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <abut/core.h>

/* Fails the test at this line if a PetscErrorCode is not zero, with abut's message. */
#define AbutTestCall(call)                                                                                \
  do {                                                                                                    \
    PetscErrorCode abut_test_ierr_ = (call);                                                              \
    if (abut_test_ierr_) fail_msg("%s returned %d: %s", #call, (int)abut_test_ierr_, AbutErrorMessage()); \
  } while (0)

/* Fails unless |a - b| <= tol (1 + |b|) entry by entry; says which entry. */
void AbutTestClose(const char what[], PetscInt n, const PetscReal a[], const PetscReal b[], PetscReal tol);

/* Largest absolute value of n numbers. */
PetscReal AbutTestLargest(PetscInt n, const PetscReal a[]);

/* f(x, out, ctx) with n inputs and m outputs: central differences J[m*n], J[i*n + j] = df_i / dx_j, at step h, 4th order. */
typedef void (*AbutTestFn)(const PetscReal x[], PetscReal out[], void *ctx);
void AbutTestJacobian(AbutTestFn f, void *ctx, PetscInt n, PetscInt m, const PetscReal x[], PetscReal h, PetscReal J[]);

/* Uniform pseudo-random number in [-1, 1), the same sequence everywhere for the same state. */
PetscReal AbutTestRandom(uint64_t *state);

/* Loads ABUT_REFERENCE_DIR/path; ends the program with exit code 77 (skipped) and a sentence if the file is absent. */
json_t *AbutTestLoadReference(const char path[]);

/* Numbers of a (nested) JSON array in order, flattened; fails if there are not exactly n. "inf", "-inf", "nan" are understood. */
void      AbutTestNumbers(json_t *array, PetscInt n, PetscReal out[]);
PetscReal AbutTestNumber(json_t *value);

/*
  A new empty directory for files, the same on all ranks, where TMPDIR says or in /tmp; the caller removes it. Names of up to 127 bytes of
  files in it make paths shorter than PETSC_MAX_PATH_LEN. Collective.
*/
void AbutTestDirectory(char directory[PETSC_MAX_PATH_LEN]);

/* Runs a cmocka group between AbutInitialize() and AbutFinalize(); the result is agreed by all ranks. */
#define AbutTestMain(argc, argv, tests) AbutTestMainRun(argc, argv, #tests, tests, sizeof(tests) / sizeof((tests)[0]))
int AbutTestMainRun(int argc, char **argv, const char name[], const struct CMUnitTest tests[], size_t count);
