/* Private to src/sparse/precond. */
#pragma once
#include <abut/precond.h>

/* ---- ordering.c */

/*
  The matrix ordering "abut-nd": fill-reducing, for a sequential matrix with uniform dense blocks. *row and *col are references to the
  same IS. Not collective.
*/
PETSC_INTERN PetscErrorCode AbutOrderingGet(Mat A, MatOrderingType type, IS *row, IS *col);
/*
  Finds separators of a graph (CSR without diagonal). height: [n] 0 for vertices of parts, otherwise the height of the vertex's separator
  above the parts; *levels: largest height. Not collective.
*/
PETSC_INTERN PetscErrorCode AbutOrderingHeights(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt height[],
                                                PetscInt *levels);
/*
  Orders vertices by their heights from AbutOrderingHeights(): order[k] is the vertex eliminated as number k. The parts come first, then
  the separators up to the height `together` as one set, then the other separators height by height; within a set, by minimum degree.
  together = 1: nested dissection. together = largest height: multisection [Ashcraft and Liu 1998], which takes 38 % fewer operations for
  four twisted rods, and 42 % more for a block of 2 x 2 x 2 boxes. Not collective.
*/
PETSC_INTERN PetscErrorCode AbutOrderingFromHeights(PetscInt together, PetscInt n, const PetscInt ptr[], const PetscInt adj[],
                                                    const PetscInt height[], PetscInt order[]);
/* Orders by nested dissection or multisection, whichever takes fewer operations. Not collective. */
PETSC_INTERN PetscErrorCode AbutOrderingDissect(PetscInt n, const PetscInt ptr[], const PetscInt adj[], PetscInt order[]);

/* ---- events.c */

/* Registers the log events, all of them on all ranks: -log_view compares events by their numbers. Collective. */
PETSC_INTERN PetscErrorCode AbutPrecondLogRegister(void);

/*
  Begins a log event, which the caller ends by PetscLogEventEnd(): "abut_dissection" and "abut_parts", in which ranks wait for the first
  rank; "abut_symbolic", the symbolic factorisation of a pattern; "abut_prediction", symbolic factorisations that only serve to choose a
  solver. Not collective.
*/
PETSC_INTERN PetscErrorCode AbutPrecondLogBegin(const char name[], PetscLogEvent *event);

/* ---- shell.c: symmetric preconditioners of this folder, implemented as PCSHELL */

/* Name of the PC type and its methods; destroy() frees the context. */
typedef struct {
  const char *name;
  PetscErrorCode (*setup)(PC pc);
  PetscErrorCode (*apply)(PC pc, Vec b, Vec x);
  PetscErrorCode (*view)(PC pc, PetscViewer viewer);
  PetscErrorCode (*destroy)(PC pc);
} AbutShell;
/* Makes pc a PCSHELL with the methods of `shell`; takes ownership of `context`. Not collective. */
PETSC_INTERN PetscErrorCode AbutShellCreate(PC pc, const AbutShell *shell, void *context);
PETSC_INTERN void          *AbutShellContext(PC pc);
/* x_i = b_i / |A_ii|, used instead of a factor that does not exist; keeps b . x >= 0. Collective. */
PETSC_INTERN PetscErrorCode AbutShellScale(PC pc, Vec b, Vec x);

/* ---- the preconditioners: PCCreate functions for PCRegister() */

PETSC_INTERN PetscErrorCode AbutCholeskyCreate(PC pc);
PETSC_INTERN PetscErrorCode AbutSubstructureCreate(PC pc);
PETSC_INTERN PetscErrorCode AbutMultigridCreate(PC pc);

/* ---- interval.c */

/* Keeps the interval of a Chebyshev iteration that was set up, unless the user sets it or takes another iteration. Collective. */
PETSC_INTERN PetscErrorCode AbutIntervalKeep(KSP ksp);
