/**
  @file linalg.h
  @brief Assembly of block-sparse symmetric matrices from small dense stencil matrices, directly into the rows that a rank owns.

  A matrix has one block row of `dim` scalar rows per vertex. A stencil is n vertices (global block indices) with a symmetric
  (n dim) x (n dim) matrix. Blocks in rows of other ranks are collected in one buffer per neighbour and exchanged once per assembly. The
  pattern is a superset of the stencils of many assemblies, so that block addresses and symbolic factorisations can be reused.

  One assembly:

      AbutAssemblerRestrict();        // only to assemble some rows
      AbutAssemblerUpdatePattern();   // rebuilds the pattern only if a stencil is missing from it
      AbutAssemblerBegin();
      AbutAssemblerAddFixed(); AbutAssemblerAdd(); AbutAssemblerAddDiagonal();
      AbutAssemblerEnd();
**/
#pragma once
#include <abut/core.h>
#include <petscmat.h>

/** Assembler of a block-sparse matrix. */
typedef struct _p_AbutAssembler *AbutAssembler;

/**
  @brief Creates an assembler. Collective.
  @param[in]  comm       communicator of the matrices
  @param[in]  dim        block size: 2 or 3
  @param[in]  num_owned  block rows owned by this rank; the global numbering is contiguous, rank by rank
  @param[out] as         to be freed with AbutAssemblerDestroy()

  Errors: PETSC_ERR_ARG_OUTOFRANGE for another block size.
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerCreate(MPI_Comm comm, PetscInt dim, PetscInt num_owned, AbutAssembler *as);

/** @brief Frees the assembler and its matrix; does nothing if *as is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutAssemblerDestroy(AbutAssembler *as);

/**
  @brief Declares the stencils that contribute to every assembly of all rows, for example the cells. Drops the pattern. Collective.
  Stencil s is later added with AbutAssemblerAddFixed(), which keeps the places of its blocks.
  @param[in] n         largest number of vertices per stencil
  @param[in] count     number of stencils on this rank
  @param[in] vertices  global block indices [count * n]; copied. A stencil of fewer vertices ends with entries -1
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerSetFixed(AbutAssembler as, PetscInt n, PetscInt count, const PetscInt vertices[]);

/**
  Stencils of any size. The vertices of stencil s are the global block indices v[start[s]], ..., v[start[s + 1] - 1]; negative entries are
  unused, repeated entries are allowed. If start is NULL, every stencil has four entries: v[4 s], ..., v[4 s + 3].
**/
typedef struct {
  PetscInt        count;     /* number of stencils */
  const PetscInt *start, *v; /* offsets [count + 1] or NULL; global block indices */
} AbutStencilList;

/**
  @brief Makes the pattern contain all stencils of the next assembly. Collective.
  If a block of `needed` is missing from the matrix, the pattern is rebuilt from the fixed stencils, all of `needed`, all of `expected` and
  the diagonal blocks; while assemblies are restricted, from the present pattern, too. The first update afterwards rebuilds a pattern that
  has grown by a fifth. If the matrix has all blocks, but a rank adds to rows of other ranks that it did not add to before, only the
  exchange of these rows is set up again: stencils may move between ranks at low cost. Otherwise nothing changes.
  @param[in]  num_needed  number of lists in `needed`
  @param[in]  needed      [num_needed] stencils of the next assembly; not kept
  @param[in]  expected    stencils that may act in later assemblies, or NULL; not kept
  @param[out] rebuilt     whether the matrix and its pattern are new, or NULL

  Errors: PETSC_ERR_SUP if a rank's part of the matrix has more entries than PetscInt can count.
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerUpdatePattern(AbutAssembler as, PetscInt num_needed, const AbutStencilList needed[],
                                                       const AbutStencilList *expected, PetscBool *rebuilt);

/** @brief Drops the pattern and the matrix: the next AbutAssemblerUpdatePattern() rebuilds both. Collective. */
PETSC_EXTERN PetscErrorCode AbutAssemblerForgetPattern(AbutAssembler as);

/**
  @brief Restricts later assemblies to some block rows. Logically collective.
  The other rows hold undefined values after such an assembly. Stencils that AbutAssemblerNeeds() denies may be left out, also fixed ones.
  @param[in] rows  [num_owned] rows to be assembled; borrowed until the next call; NULL: all rows. Not NULL on a rank without rows, unless
    it is on all ranks
**/
PETSC_EXTERN void AbutAssemblerRestrict(AbutAssembler as, const PetscBool rows[]);

/**
  @brief Whether a stencil with the vertices v[n] (global block indices) adds to a row to be assembled. Not collective.
  Stencils with a vertex of another rank always do.
**/
PETSC_EXTERN PetscBool AbutAssemblerNeeds(AbutAssembler as, PetscInt n, const PetscInt v[]);

/**
  @brief Sets the rows to be assembled to zero and opens the matrix for additions. Not collective. Errors: PETSC_ERR_ORDER without a
  pattern.
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerBegin(AbutAssembler as);

/**
  @brief Adds the matrix of fixed stencil s. Not collective.
  @param[in] s       index of the stencil on this rank, in the order of AbutAssemblerSetFixed()
  @param[in] stride  distance between entries of H; above 1 for a matrix of a SIMD batch
  @param[in] H       symmetric matrix [n * dim][n * dim] for the n vertices of this stencil, row-major, unknowns vertex by vertex
**/
PETSC_EXTERN void AbutAssemblerAddFixed(AbutAssembler as, PetscInt s, PetscInt stride, const PetscReal H[]);

/**
  @brief Adds the matrix of a stencil of the pattern. Not collective.
  @param[in] n  number of vertices of the stencil
  @param[in] v  global block indices [n]
  @param[in] H  symmetric matrix [n * dim][n * dim], row-major, unknowns vertex by vertex

  Errors: PETSC_ERR_PLIB if the pattern lacks a pair of vertices; the assembly is then incomplete.
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerAdd(AbutAssembler as, PetscInt n, const PetscInt v[], const PetscReal H[]);

/** @brief Adds d[dim] to the diagonal of block row `row`, an index of this rank in [0, num_owned). Not collective. */
PETSC_EXTERN void AbutAssemblerAddDiagonal(AbutAssembler as, PetscInt row, const PetscReal d[]);

/**
  @brief Sends the blocks in rows of other ranks to their owners, replaces constrained rows and columns by identity rows and columns, and
  closes the matrix. Collective. This concerns the rows to be assembled. Contributions are added in the order of the sending ranks: results
  are reproducible.
  @param[in] constrained  [num_owned * dim] true where the unknown is prescribed, or NULL
**/
PETSC_EXTERN PetscErrorCode AbutAssemblerEnd(AbutAssembler as, const PetscBool constrained[]);

/** @brief The matrix: AIJ with block size dim. Borrowed, valid until the pattern is rebuilt or dropped. Not collective. */
PETSC_EXTERN Mat AbutAssemblerGetMat(AbutAssembler as);
