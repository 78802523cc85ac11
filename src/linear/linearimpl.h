/* Private to src/linear. */
#pragma once
#include <abut/linear.h>

/* ---- ordering.c */
PETSC_INTERN PetscErrorCode AbutOrderingRegister(void);
/* Fill-reducing order of a sequential matrix with dim x dim blocks; row == col. */
PETSC_INTERN PetscErrorCode AbutOrderingGet(Mat A, IS *row, IS *col);
/* Fill-reducing order of a graph without loops: order[k] is the vertex to eliminate k-th. Not collective. */
PETSC_INTERN PetscErrorCode AbutOrderingDissect(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt order[]);

/* ---- shell.c: what makes a preconditioner of ours */
typedef struct {
  const char *name;
  PetscErrorCode (*setup)(PC pc);
  PetscErrorCode (*apply)(PC pc, Vec b, Vec x);
  PetscErrorCode (*view)(PC pc, PetscViewer viewer);
  PetscErrorCode (*destroy)(PC pc);
} AbutShell;
/* Makes a shell of a preconditioner; destroy() frees its context. Not collective. */
PETSC_INTERN PetscErrorCode AbutShellCreate(PC pc, const AbutShell *shell, void *context);
PETSC_INTERN void          *AbutShellContext(PC pc);
/* What a factorisation does if the matrix has no factor: x = b over the size of the diagonal. Not a solution, but b . x > 0. Collective. */
PETSC_INTERN PetscErrorCode AbutShellScale(PC pc, Vec b, Vec x);

/* ---- cholesky.c: the preconditioner "abut-cholesky", and how many matrices on this rank it has found indefinite since the start */
PETSC_INTERN PetscErrorCode AbutCholeskyRegister(void);
PETSC_INTERN PetscInt       AbutCholeskyFailures(void);
PETSC_INTERN void           AbutCholeskyCountFailure(void);

/* ---- substructure.c: the preconditioner "abut-substructure" for several ranks */
PETSC_INTERN PetscErrorCode AbutSubstructureRegister(void);
/* Prepares it for a matrix; operations that its factorisation takes on the busiest rank, and on the interface while all others wait. Collective. */
PETSC_INTERN PetscErrorCode AbutSubstructureAnalyze(PC pc, Mat A, PetscReal *interior, PetscReal *interface);
