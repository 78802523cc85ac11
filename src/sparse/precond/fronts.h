/*
  Multifrontal Cholesky factorisation [Duff and Reid 1983; Liu 1992] of a symmetric positive definite matrix of bs x bs blocks. A vertex
  is a block row. I: eliminated vertices; B: the border, vertices that are not eliminated. The factorisation also computes
  -A_BI A_II^-1 A_IB, the contribution of I to the Schur complement of the border.
*/
#pragma once
#include "store.h"
#include <petscmat.h>

/*
  Scalar rows (CSR) of a sequential matrix with uniform blocks, and a vertex number for each block column: in [0, n) it is eliminated, in
  [n, n + num_border) it belongs to the border, -1: the column is ignored.
*/
typedef struct {
  const PetscInt    *ia, *ja;
  const PetscScalar *values;
  const PetscInt    *number;
} FrontRows;

/*
  The lower triangle of an update matrix, or of the Schur complement of the border, is stored in block columns of `width` vertices: block
  b has the columns from vertex b width on, each from row b width down, column-major. This takes little more than half the memory of the
  square, in several arrays. Wide blocks suit the dense kernels; eight blocks waste a sixteenth of the square.
*/
static inline PetscInt FrontsWidth(PetscInt vertices)
{
  return PetscMax(32, PetscMin(128, vertices / 8));
}

static inline PetscInt FrontsNumBlocks(PetscInt vertices)
{
  const PetscInt width = FrontsWidth(vertices);

  return (vertices + width - 1) / width;
}

/* A pivot that is not positive: its column of L; -1 if all are positive. */
typedef struct {
  PetscInt  column;
  PetscReal value;
} FrontsPivot;

/* Place of a block column: its chunk and its first entry in it. */
typedef struct {
  PetscInt chunk, offset;
} FrontsPlace;

/*
  The elimination tree of supernodes (symbolic.c) and the numerical factor L (fronts_kernels.h). A supernode is a set of consecutive columns
  of L with one pattern. The numbers of L are of type PetscScalar (fronts.c) or float (fronts_single.c), one type at a time.
*/
typedef struct {
  PetscInt     bs, n, num_border;
  PetscInt    *row;       /* [n] block row of the matrix of each vertex to eliminate */
  PetscInt    *order;     /* [n] order[k]: vertex eliminated as number k */
  PetscInt    *position;  /* [n + num_border] inverse of order; border vertices keep their number */
  PetscInt     num;       /* number of supernodes */
  PetscInt    *first;     /* [num + 1] first column of each supernode */
  PetscInt    *start;     /* [num + 1] rows of supernode s: rows[start[s]], ..., rows[start[s + 1] - 1] */
  PetscInt    *rows;      /* positions of the rows of L below the diagonal block of each supernode, ascending */
  PetscInt    *parent;    /* [num] parent in the elimination tree, to which the update matrix is added; -1: the border, or none */
  size_t      *panel;     /* [num + 1] offset of each supernode's columns of L in values; column-major, diagonal block first */
  PetscInt     max_below; /* largest number of rows below the diagonal block of a supernode */
  PetscReal    flops;     /* floating-point operations of a factorisation */
  PetscInt    *update;    /* [num + 1] block columns of the update matrix of supernode s: place[update[s]], ..., place[update[s + 1] - 1] */
  FrontsPlace *place;     /* [update[num]] */
  PetscInt     num_chunks; /* number of arrays that hold update matrices */
  PetscInt    *chunk_size; /* [num_chunks] entries */
  void       **chunk;      /* [num_chunks]; like the next arrays and `run`, NULL before the first factorisation */
  void        *values;     /* L */
  void        *work;       /* right-hand side of the current front */
  PetscInt    *front_row;  /* [n + num_border] block row in the current front of the vertex at each position */
  PetscInt    *run;        /* [max_below] ends of runs of rows of a child that are consecutive in the current front, see FindRuns() */
  Store        own;        /* memory of L and of the chunks, unless the caller sets `store` to memory that outlives the fronts */
  Store       *store;      /* &own, or the caller's */
} Fronts;

/*
  Symbolic factorisation of the block rows row[n] of a matrix whose columns are split into `parts`. n and num_border may be 0. dissect:
  vertices are eliminated in a fill-reducing order, otherwise in the order of `row`. Not collective.
*/
PETSC_INTERN PetscErrorCode FrontsCreate(PetscInt bs, PetscInt n, PetscInt num_border, const PetscInt row[], PetscInt num_parts,
                                         const FrontRows parts[], PetscBool dissect, Fronts **fronts);
PETSC_INTERN PetscErrorCode FrontsDestroy(Fronts **fronts);
/* Frees the arrays of numbers, so that the next factorisation may have the other precision. Not collective. */
PETSC_INTERN PetscErrorCode FrontsRelease(Fronts *f);
/* Places the update matrices of fronts whose elimination tree is known (updates.c). Not collective. */
PETSC_INTERN PetscErrorCode FrontsPlaceUpdates(Fronts *f);
/* Memory of a factorisation: entries of all arrays of numbers together, and of the largest array besides L. Not collective. */
PETSC_INTERN void FrontsCountEntries(const Fronts *f, PetscReal *all, PetscReal *largest);
/*
  Numerical factorisation. Adds -A_BI A_II^-1 A_IB to schur: FrontsNumBlocks(num_border) block columns in the precision of the factor.
  It ends at a pivot that is not positive; the factor is then unusable. Not collective.
*/
PETSC_INTERN PetscErrorCode FrontsFactor(Fronts *f, PetscInt num_parts, const FrontRows parts[], void *const schur[], FrontsPivot *failed);
/*
  Triangular solutions in place; y [(n + num_border) * bs] is in the order of positions. Forward: y_I <- L^-1 y_I, and y_B becomes the
  right-hand side of the interface problem. Backward: y_I <- L^-T y_I for the solution y_B of the interface problem.
*/
PETSC_INTERN void FrontsForward(Fronts *f, PetscScalar y[]);
PETSC_INTERN void FrontsBackward(Fronts *f, PetscScalar y[]);
/* The three functions above in single precision. If entries exceed the range of float, solutions may be NaN or infinite. */
PETSC_INTERN PetscErrorCode FrontsFactorSingle(Fronts *f, PetscInt num_parts, const FrontRows parts[], void *const schur[],
                                               FrontsPivot *failed);
PETSC_INTERN void           FrontsForwardSingle(Fronts *f, float y[]);
PETSC_INTERN void           FrontsBackwardSingle(Fronts *f, float y[]);
/*
  Triangular solutions with k dense columns of L, leading dimension ld. w [ld]: the solution overwrites rows [0, k); rows [k, ld) are
  updated (lower) or read (upper).
  Not collective.
*/
PETSC_INTERN void FrontsSolveLower(PetscInt k, PetscInt ld, const PetscScalar L[], PetscScalar w[]);
PETSC_INTERN void FrontsSolveUpper(PetscInt k, PetscInt ld, const PetscScalar L[], PetscScalar w[]);
PETSC_INTERN void FrontsSolveLowerSingle(PetscInt k, PetscInt ld, const float L[], float w[]);
PETSC_INTERN void FrontsSolveUpperSingle(PetscInt k, PetscInt ld, const float L[], float w[]);
