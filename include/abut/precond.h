/**
  @file precond.h
  @brief Preconditioners of sparse symmetric positive definite matrices, as types of PETSc: "abut-cholesky", "abut-substructure" and
  "abut-multigrid", and the ordering "abut-nd".

  They know matrices with dense blocks of equal size (MatSetBlockSize()) and nothing of meshes. After AbutPrecondRegister() they can be
  chosen by -pc_type, -sub_pc_type or PCSetType(). A matrix that is not positive definite is no error of PCSetUp(): ask
  AbutPrecondIsDefinite() before a solution; of factors inside another preconditioner (-sub_pc_type), the caller.

  - "abut-cholesky": Cholesky factorisation on one rank, in double or single precision; blocks may lack entries.
  - "abut-substructure": Cholesky factorisation on all ranks, by nested dissection.
  - "abut-multigrid": aggregates of strongly coupled vertices; uses the near null space (MatSetNearNullSpace()); without
    one, translations alone.
**/
#pragma once
#include <petscksp.h>

/** Counts of a Cholesky factorisation, of the busiest or fullest rank. */
typedef struct {
  PetscReal flops;   /* operations, one after the other; 0 = not counted */
  PetscReal entries; /* of the factor */
  PetscReal bytes;   /* memory of the factor */
} AbutFactorCounts;

/** @brief Registers the types and their log events, which all ranks must know before -log_view compares them. Collective. */
PETSC_EXTERN PetscErrorCode AbutPrecondRegister(void);
/** @brief Begins the log event "abut_prediction", which the caller ends by PetscLogEventEnd(). Not collective. */
PETSC_EXTERN PetscErrorCode AbutPrecondLogPrediction(PetscLogEvent *event);
/** @brief Name of a preconditioner: one of the names above, or its PCType. Not collective. */
PETSC_EXTERN const char *AbutPrecondName(PC pc);
/**
  @brief Whether the last factorisation of a preconditioner of this file succeeded, on this rank; true before the first, and for all other
  preconditioners; for "abut-multigrid" ask the solvers of its levels (AbutMultigridCycle()). Not collective.
**/
PETSC_EXTERN PetscBool AbutPrecondIsDefinite(PC pc);

/* ---- "abut-cholesky" */

/** @brief Whether the last factorisation of an "abut-cholesky" preconditioner succeeded; true before the first. Not collective. */
PETSC_EXTERN PetscBool AbutCholeskyIsDefinite(PC pc);
/**
  @brief Asks for factors in single precision from the next PCSetUp() on. One fails if round-off makes a pivot negative. Not collective.
**/
PETSC_EXTERN void AbutCholeskySetSingle(PC pc, PetscBool single);
/** @brief Whether the last factor is in single precision. Not collective. */
PETSC_EXTERN PetscBool AbutCholeskyIsSingle(PC pc);
/**
  @brief A factor in single precision with a pivot below this fraction of the diagonal entry is replaced by one in double precision;
  default 0. Not collective.
**/
PETSC_EXTERN void AbutCholeskySetLeastPivot(PC pc, PetscReal least);
/** @brief Lets the next analysis order the vertices independently of earlier patterns. Not collective. */
PETSC_EXTERN void AbutCholeskyForget(PC pc);
/**
  @brief Counts of a factorisation. The first call, and the first after AbutCholeskyForget(), analyses A, which replaces the factor; other
  calls return the counts of the last analysis, because an earlier factor may still precondition A. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutCholeskyAnalyze(PC pc, Mat A, AbutFactorCounts *counts);

/* ---- "abut-substructure" */

/**
  @brief Whether the last factorisation of an "abut-substructure" preconditioner succeeded; true before the first. Equal on all ranks. Not
  collective.
**/
PETSC_EXTERN PetscBool AbutSubstructureIsDefinite(PC pc);
/** @brief Asks for factors in single precision from the next PCSetUp() on, and for predictions of their memory. Not collective. */
PETSC_EXTERN void AbutSubstructureSetSingle(PC pc, PetscBool single);
/** @brief Whether the current factor is in single precision; equal on all ranks. Not collective. */
PETSC_EXTERN PetscBool AbutSubstructureIsSingle(PC pc);
/** Predicted work and memory of a factorisation on all ranks. */
typedef struct {
  PetscInt  interface;        /* unknowns of all separators */
  PetscReal flops, flops_max; /* operations: sum over ranks, busiest rank */
  PetscReal path;             /* operations one after the other, with waiting for other ranks */
  PetscReal bytes, bytes_max; /* memory: sum over ranks, fullest rank */
  PetscReal array_bytes;      /* largest dense array of a rank */
  PetscReal entries_max;      /* entries of the factor on the fullest rank */
} AbutFactorCost;
/** @brief Symbolic factorisation of A. The current factor stays usable until the next PCSetUp(). Collective. */
PETSC_EXTERN PetscErrorCode AbutSubstructureAnalyze(PC pc, Mat A, AbutFactorCost *cost);
/** @brief With fewer unknowns a rank only the first ranks eliminate; 0 (default): all ranks. For the next mapping. Not collective. */
PETSC_EXTERN void AbutSubstructureSetLeast(PC pc, PetscInt unknowns);
/** @brief Lets the next analysis map vertices to ranks anew, independently of earlier patterns. The factor stays usable. Not collective. */
PETSC_EXTERN void AbutSubstructureForget(PC pc);

/* ---- "abut-multigrid" */

/** @brief Vertices of an aggregate, largest number of unknowns of the coarsest level; for the next hierarchy. Not collective. */
PETSC_EXTERN void AbutMultigridSetSizes(PC pc, PetscInt aggregate, PetscInt coarse);
/**
  @brief Prepares a solution with a lagged set-up: gives the finest level the pattern and the values of the matrix and factorises its
  aggregates. Collective.
**/
PETSC_EXTERN PetscErrorCode AbutMultigridRenewFinest(PC pc);
/**
  @brief Whether the intervals of the smoothers were estimated in an earlier set-up, so that AbutMultigridForget() may help. Not collective.
**/
PETSC_EXTERN PetscBool AbutMultigridIsKept(PC pc);
/** @brief Whether the user chose solvers of levels, by options; false before the first set-up. Equal on all ranks. Not collective. */
PETSC_EXTERN PetscBool AbutMultigridHasChosen(PC pc);
/** @brief The next set-up of another matrix builds the hierarchy again. Not collective. */
PETSC_EXTERN void AbutMultigridExpire(PC pc);
/** @brief The next set-up builds the hierarchy again, also for the same matrix. Collective. */
PETSC_EXTERN PetscErrorCode AbutMultigridForget(PC pc);
/**
  @brief Counts the iterations of a solution with the last set-up; many of them ask for a new hierarchy. Logically collective.
**/
PETSC_EXTERN void AbutMultigridCount(PC pc, PetscInt iterations);
/** @brief The PCMG inside; NULL before the first set-up. Not collective. */
PETSC_EXTERN PC AbutMultigridCycle(PC pc);
