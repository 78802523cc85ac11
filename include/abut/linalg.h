/**
  @file linalg.h
  @brief Assembly of block-sparse matrices from small dense stencil matrices, straight into the rows a rank owns.

  A matrix has one block row of `dim` scalar rows per vertex. Contributions come as stencils: n vertices (global block indices) and an
  (n dim) x (n dim) symmetric matrix. Blocks of rows that other ranks own are collected in one buffer a neighbour and exchanged once
  an assembly. The pattern is a superset kept over many assemblies, so that maps and symbolic factorisations survive.
**/
#pragma once
#include <abut/core.h>
#include <abut/dense.h>
#include <petscmat.h>

typedef struct _p_AbutAssembler *AbutAssembler;

/**
  @brief Creates an assembler for matrices with `num_owned` block rows here, numbered rank by rank, of block size `dim`. Collective.
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerCreate(MPI_Comm comm, PetscInt dim, PetscInt num_owned, AbutAssembler *as);
PETSC_EXTERN PetscErrorCode AbutAssemblerDestroy(AbutAssembler *as);

/**
  @brief Declares stencils that contribute in every assembly (the cells). Collective.
  @param[in] n          vertices a stencil
  @param[in] count      stencils on this rank
  @param[in] vertices   global block indices, count x n; copied
  Stencil s is later added with AbutAssemblerAddFixed(). Invalidates the pattern.
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerSetFixed(AbutAssembler as, PetscInt n, PetscInt count, const PetscInt vertices[]);

/**
  Stencils of any size: vertices of stencil s, global block indices, are v[start[s], start[s + 1]); one may come twice. If start is NULL
  there are four each, -1 where unused.
**/
typedef struct {
  PetscInt        count;
  const PetscInt *start, *v;
} AbutStencilList;

/**
  @brief Makes sure the pattern holds the stencils of the next assembly. Collective.
  If on some rank a stencil among the `num_needed` lists `needed` is not in the pattern, the pattern is rebuilt from the fixed stencils,
  all of `needed` and all of `near` (what may become active soon; NULL: none); otherwise nothing is done.
  @param[out] rebuilt   whether the matrix and its pattern are new
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerUpdatePattern(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[],
                                                       const AbutStencilList *near, PetscBool *rebuilt);

/** @brief Drops the pattern: the next AbutAssemblerUpdatePattern() builds it anew. Collective. */
PETSC_EXTERN PetscErrorCode AbutAssemblerForgetPattern(AbutAssembler as);

/** @brief Sets all values to zero and opens the matrix for additions. Collective. */
PETSC_EXTERN PetscErrorCode AbutAssemblerBegin(AbutAssembler as);

/** @brief Adds the symmetric (n dim) x (n dim) matrix H (row-major, vertex by vertex) of fixed stencil s. Not collective. */
PETSC_EXTERN PetscErrorCode AbutAssemblerAddFixed(AbutAssembler as, PetscInt s, const PetscReal H[]);

/**
  @brief Adds the symmetric matrix H of a stencil of n vertices with global block indices v; H is row-major, vertex by vertex, and
  every pair of v must be in the pattern. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerAdd(AbutAssembler as, PetscInt n, const PetscInt v[], const PetscReal H[]);

/** @brief Adds values to the diagonal of an owned block row (owned index), dim values. Not collective. */
PETSC_EXTERN PetscErrorCode AbutAssemblerAddDiagonal(AbutAssembler as, PetscInt row, const PetscReal d[]);

/**
  @brief Exchanges the rows of other ranks, replaces constrained rows and columns by the identity, and closes the matrix. Collective.
  @param[in] constrained  [num_owned * dim] true where the unknown is prescribed; NULL if none
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerEnd(AbutAssembler as, const PetscBool constrained[]);

/** @brief The matrix (AIJ, block size dim). Borrowed; replaced whenever the pattern is rebuilt. Not collective. */
PETSC_EXTERN PetscErrorCode AbutAssemblerGetMat(AbutAssembler as, Mat *A);
