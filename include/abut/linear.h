/**
  @file linear.h
  @brief Linear solver of the Newton systems \f$ A x = b \f$: choice of KSP and PC, Cholesky factorisations, lagged factorisation.

  An AbutLinear configures one KSP. It knows the matrix, the block size and the rest coordinates of the vertices; it does not know time
  steps. Options `-ksp_*` and `-pc_*` of the user replace the choices made here, each its own. With `-pc_type` alone the KSP is
  KSPPREONLY for `lu` and `cholesky` if the kind is direct (also by "auto"), else KSPCG; `-ksp_type` alone leaves the PC. Either turns
  lagged factors off.

  Choice: ABUT_LINEAR_AUTO becomes ABUT_LINEAR_DIRECT or ABUT_LINEAR_MULTIGRID by predicted work in AbutLinearSetPattern(): at the first
  call, at the first one after AbutLinearForget() and, while the direct solver serves, at each. After a solution with multigrid that
  failed, the next set-up takes the direct solver, which then serves until AbutLinearForget(). docs/linear_solvers.md has the rule.

  Set-ups of the preconditioner:

  | PC | reused for a matrix of the same pattern | reused for a new pattern, AbutLinearSetPattern() |
  |---|---|---|
  | Cholesky, one rank | symbolic factorisation | whole factor, if lagged; order of elimination until the work grows by 10 % |
  | Cholesky, several ranks | symbolic factorisation | whole factor, if lagged |
  | multigrid | distribution of the matrix, interpolation, intervals of the smoothers | distribution, aggregates, intervals |

  A Cholesky factor of at least `-abut_single_min_unknowns` unknowns is in single precision, and the KSP is conjugate gradients. Where
  that fails, or takes more than `-abut_reuse` iterations, factors are in double precision for a pause. All ranks decide alike. Aggregates
  of multigrid are factorised in single precision where pivots allow it.

  Each of them can also be lagged: factors as a whole, multigrid except its finest level. "Lagged factor" includes the set-up of multigrid.
  docs/linear_solvers.md says when multigrid builds its hierarchy again.

  Registered with PETSc: the preconditioners "abut-cholesky" (multifrontal Cholesky, one rank), "abut-substructure" (the same
  with nested substructures, several ranks), both in single and double precision, and "abut-multigrid" (multigrid by
  aggregates), and the matrix ordering "abut-nd" (nested dissection or multisection of the vertex graph).

  Use in one Newton iteration:

      AbutLinearSetPattern(linear, A);                  // if the pattern is new
      lag = AbutLinearMayLag(linear);
      AbutLinearSetUp(linear, A, lag, &definite);       // if not definite: project A and call again, or AbutLinearSetUpShifted()
      AbutLinearSolve(linear, b, x);                    // or KSPSolve() by SNES
      AbutLinearGetResult(linear, &result);             // failed and AbutLinearMayImprove(): AbutLinearRetire(), repeat, twice at most
      AbutLinearCountUse(linear, result.iterations);

  SNES sets the flag "reuse preconditioner" of the KSP again after its Jacobian callback. A caller that uses SNES therefore copies the flag
  after every set-up: `KSPGetReusePreconditioner(ksp, &keep); SNESSetLagPreconditioner(snes, keep ? -1 : 1)`.
**/
#pragma once
#include <abut/core.h>
#include <abut/option.h>
#include <petscksp.h>

/** Linear solver; names "auto", "direct", "multigrid". */
typedef enum {
  ABUT_LINEAR_AUTO,   /* the direct solver or multigrid, by predicted work */
  ABUT_LINEAR_DIRECT, /* Cholesky factorisation, with nested substructures on several ranks; in single precision with conjugate gradients */
  ABUT_LINEAR_MULTIGRID /* conjugate gradients, multigrid by aggregates with rigid-body modes as coarse unknowns */
} AbutLinearKind;
PETSC_EXTERN const char *const AbutLinearKinds[]; /* for PetscOptionsEnum() */

/** Linear solver of the Newton systems. */
typedef struct _p_AbutLinear *AbutLinear;

/** Outcome of the last solution of the KSP. */
typedef struct {
  PetscInt           iterations; /* Krylov iterations; 1 for a direct solver */
  KSPConvergedReason reason;     /* PETSc's reason for the end of the iteration */
  PetscBool          solved;     /* converged, finite, and with a valid factorisation */
} AbutLinearResult;

/**
  @brief Creates the linear solver of a KSP and registers the preconditioners of this folder. Collective on the communicator of the KSP.
  @param[in]  ksp        the KSP to configure; a reference is taken
  @param[in]  dim        block size of the matrices: 2 or 3 unknowns per vertex
  @param[in]  num_owned  vertices (block rows) owned by this rank
  @param[in]  rest       rest coordinates of the owned vertices [num_owned * dim] [m]; borrowed until AbutLinearDestroy(). They define the
                         rigid-body modes of the multigrid solver.
  @param[out] linear     the solver, to be freed with AbutLinearDestroy()
**/
PETSC_EXTERN PetscErrorCode AbutLinearCreate(KSP ksp, PetscInt dim, PetscInt num_owned, const PetscReal rest[], AbutLinear *linear);

/**
  @brief Reads the options `-abut_linear`, `-abut_cg_rtol`, `-abut_forcing`, `-abut_reuse` ..., sets the resulting types
  and tolerances on the KSP and its PC, and then applies the user's `-ksp_*` and `-pc_*` options. Collective.
  To be called once, after the options database is complete and before the first AbutLinearSetUp(). Writes nothing into the options
  database.

  Errors: ABUT_ERR_INPUT for a value out of its range, an unknown KSP or PC, with the valid names, or an unknown solver package. The object
  can only be destroyed after an error.
**/
PETSC_EXTERN PetscErrorCode AbutLinearSetFromOptions(AbutLinear linear);

/**
  @brief Declares the current coordinates of the vertices, for the rigid-body modes of the multigrid solver and for `-abut_linear_write`.
  Not collective.
  @param[in] positions  [num_owned * dim] [m]; borrowed: the array is read by each set-up and each solution. NULL: rest coordinates
**/
PETSC_EXTERN void AbutLinearSetPositions(AbutLinear linear, const PetscReal positions[]);

/** @brief Prints all current values: the kind of solver, the constants of its choice and of the lagged factorisation. Collective. */
PETSC_EXTERN PetscErrorCode AbutLinearView(AbutLinear linear, PetscViewer viewer);

/** @brief Frees the solver and its reference to the KSP; does nothing if *linear is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutLinearDestroy(AbutLinear *linear);

/**
  @brief Whether abut chooses the solver: the options contain neither `-ksp_type` nor `-pc_type`. Valid after AbutLinearSetFromOptions().
  Not collective.
**/
PETSC_EXTERN PetscBool AbutLinearIsOwn(AbutLinear linear);

/**
  @brief Declares that the next matrices have the nonzero pattern of A. Collective.
  With ABUT_LINEAR_AUTO the prediction for the new pattern may change the solver. On several ranks the mapping of vertices to ranks serves
  for later patterns until their work has grown by 30 %, or until AbutLinearForget(). A factor of the earlier pattern can still serve as
  lagged preconditioner of the new matrix unless the solver changes or its PC keeps arrays of the old matrix.
  @param[in] A  matrix with block size dim; its values are not read
**/
PETSC_EXTERN PetscErrorCode AbutLinearSetPattern(AbutLinear linear, Mat A);

/**
  @brief Drops all that depends on earlier matrices: the lagged factorisation and its cost statistics, failures of multigrid, the mapping
  of vertices to ranks, and the hierarchy of multigrid.
  The next AbutLinearMayLag() returns false, and the next AbutLinearSetPattern() decides as that of a restarted run. Not collective.
**/
PETSC_EXTERN void AbutLinearForget(AbutLinear linear);

/**
  @brief Decides whether the factor of an earlier matrix should precondition the next one. Not collective; equal on all ranks.
  True if such a factor exists, abut chooses the solver, the matrix has at least 2000 unknowns, the last use took no
  more iterations than the uses of this factor on average (the factorisation counted as `-abut_reuse` iterations), and no pause is left.
  Every call counts one iteration of a pause that AbutLinearRetire() started. To be called once per Newton iteration.
**/
PETSC_EXTERN PetscBool AbutLinearMayLag(AbutLinear linear);

/**
  @brief Sets the operator of the KSP and, unless `lag`, factorises it or sets up its preconditioner. Collective. Timed as
  ABUT_PHASE_LINEAR_SETUP. With `lag` the last factor is kept; multigrid keeps its coarser levels, and its finest level gets A with new
  factors of the aggregates. The KSP becomes conjugate gradients that end with KSP_DIVERGED_ITS at a slow rate of convergence: if the
  solution would exceed the average cost of a use, with multigrid also only if the iterations that are left exceed
  `-abut_reuse`.
  @param[in]  A         symmetric matrix with block size dim, with the pattern of the last AbutLinearSetPattern(); referenced by the KSP
  @param[in]  lag       keeps the last factor; only after AbutLinearMayLag() returned true
  @param[out] definite  false if a Cholesky factorisation on any rank met a pivot that is not positive. The PC then scales by the diagonal.
                        With `lag` only multigrid can return false: it factorises the aggregates of its finest level.

  Errors: ABUT_ERR_INPUT if PETSc lacks a solver type or package named by the user's options.
**/
PETSC_EXTERN PetscErrorCode AbutLinearSetUp(AbutLinear linear, Mat A, PetscBool lag, PetscBool *definite);

/**
  @brief Factorises A with its diagonal slightly enlarged as the preconditioner of conjugate gradients on A itself.
  Collective. For a matrix that is semidefinite but whose Cholesky factorisation fails by round-off. The values of A are unchanged on
  return.
  @param[in]  A         as for AbutLinearSetUp()
  @param[out] definite  false if the shifted matrix has no Cholesky factor either
**/
PETSC_EXTERN PetscErrorCode AbutLinearSetUpShifted(AbutLinear linear, Mat A, PetscBool *definite);

/** @brief Whether the current set-up uses the factor of an earlier matrix. False after AbutLinearSetUpShifted(). Not collective. */
PETSC_EXTERN PetscBool AbutLinearIsLagged(AbutLinear linear);

/**
  @brief Whether another AbutLinearSetUp() may give a better factor: the current one belongs to an earlier matrix, as a whole or in parts
  (multigrid), or is in single precision. Not collective.
**/
PETSC_EXTERN PetscBool AbutLinearMayImprove(AbutLinear linear);

/**
  @brief Solves A x = b with the current set-up. Collective. Timed as ABUT_PHASE_LINEAR_SOLVE. Failure is no error: see
  AbutLinearGetResult().
  @param[in]  b  right-hand side
  @param[out] x  solution; its values on entry are ignored, except in the first call after AbutLinearRetire(), see there
**/
PETSC_EXTERN PetscErrorCode AbutLinearSolve(AbutLinear linear, Vec b, Vec x);

/** @brief Outcome of the last KSPSolve(), by SNES or by AbutLinearSolve(). Collective. */
PETSC_EXTERN PetscErrorCode AbutLinearGetResult(AbutLinear linear, AbutLinearResult *result);

/**
  @brief Describes why the last solution failed: solver, preconditioner, PETSc's reason, iterations. "" if it did not fail. Not collective.
  @param[out] text  [size] for example "cg with preconditioner gamg stopped after 3 iterations: DIVERGED_NANORINF"
  @param[in]  size  length of the array text
**/
PETSC_EXTERN PetscErrorCode AbutLinearDescribeFailure(AbutLinear linear, char text[], size_t size);

/**
  @brief Keeps the current factor from being reused for the next matrix, without a pause of AbutLinearMayLag(): after a matrix that differs
  much from those before and after it. Not collective.
**/
PETSC_EXTERN void AbutLinearDropFactor(AbutLinear linear);

/**
  @brief Discards the current factor or hierarchy, with which a solution failed: to be called if AbutLinearMayImprove(). A lagged factor:
  starts a pause of AbutLinearMayLag(). A new factor in single precision: starts a pause of single precision, so that the next factorisation
  is in double precision. Pauses double up to a limit. Multigrid: the next set-up builds the hierarchy again. If a solution
  of multigrid with a lagged set-up took too many iterations, the next AbutLinearSolve() starts at its x, which must be the
  iterate of that solution, or 0. Collective.
**/
PETSC_EXTERN PetscErrorCode AbutLinearRetire(AbutLinear linear);

/**
  @brief Adds an accepted solution to the cost statistics of the factor; one with a lagged factor resets the length of pauses. If the
  solution failed and ABUT_LINEAR_AUTO chose multigrid, the direct solver replaces it at the next set-up. Not collective.
  @param[in] iterations  Krylov iterations of the accepted solution
**/
PETSC_EXTERN void AbutLinearCountUse(AbutLinear linear, PetscInt iterations);

/** @brief Removes the bound on iterations that a lagged factor sets, for further solutions with the same matrix. Not collective. */
PETSC_EXTERN PetscErrorCode AbutLinearFinishLagged(AbutLinear linear);

/* Options: the program checks the command line by these tables */

PETSC_EXTERN const AbutOptionTable AbutLinearChoiceOptions; /**< Choice of the linear solver */
PETSC_EXTERN const AbutOptionTable AbutKrylovOptions;       /**< Linear solver */
PETSC_EXTERN const AbutOptionTable AbutFactorLagOptions;    /**< Lagged factorisation */
PETSC_EXTERN const AbutOptionTable AbutPrecisionOptions;    /**< Precision of factors */
