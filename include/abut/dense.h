/**
  @file dense.h
  @brief Small dense algebra: products, signed singular value decomposition, symmetric eigenproblem, projection to semidefinite matrices.

  Matrices are row-major: \f$ A_{ij} \f$ is at A[n*i + j]. All functions are pure, allocate nothing, raise no error and are not collective.
  A matrix that contains NaN or infinity gives NaN in the result; every loop ends.
**/
#pragma once
#include <abut/simd.h>

/** Largest n of AbutEigenSymmetric() and AbutProject(): the coordinates of four points in 3D. */
#define ABUT_EIGEN_MAX 12

/** Calls a function that is inlined for each dimension, so that its loops have constant bounds and the compiler unrolls them. */
#define ABUT_BY_DIM(dim, function, ...) ((dim) == 3 ? function(3, __VA_ARGS__) : function(2, __VA_ARGS__))

/** Treatment of the negative eigenvalues of a local Hessian before assembly. */
typedef enum {
  ABUT_PSD_NONE, /* unchanged */
  ABUT_PSD_CLAMP /* set to 0: the nearest positive semidefinite matrix in the Frobenius norm [Teran et al. 2005] */
} AbutProjection;

/**
  @brief Signed singular value decomposition \f$ F = U \, \mathrm{diag}(s) \, V^T \f$ with \f$ \det U = \det V = 1 \f$, by one-sided
  Jacobi rotations.
  The residual is a few units of round-off times s[0] for every finite input, including repeated and zero singular values.
  @param[in]  dim  2 or 3
  @param[in]  F    matrix [dim x dim]
  @param[out] U    rotation [dim x dim]
  @param[out] s    singular values [dim], by descending magnitude; only the last one may be negative, it carries the sign of det F
  @param[out] V    rotation [dim x dim]; none of the outputs may overlap F
**/
PETSC_EXTERN void AbutSVD(PetscInt dim, const PetscReal F[], PetscReal U[], PetscReal s[], PetscReal V[]);

/**
  @brief AbutSVD() of ABUT_SIMD_WIDTH matrices at once: element l of each vector belongs to matrix l. The result for one matrix does not
  depend on the others.
  @param[in]  dim      2 or 3
  @param[in]  F        matrices [dim x dim]
  @param[out] U, s, V  see AbutSVD()
**/
PETSC_EXTERN void AbutSVDBatch(PetscInt dim, const AbutSimd F[], AbutSimd U[], AbutSimd s[], AbutSimd V[]);

/**
  @brief Eigenvalues and eigenvectors of a symmetric matrix, \f$ A = Q \, \mathrm{diag}(w) \, Q^T \f$, by Householder reflections and
  implicit QL sweeps [Golub & Van Loan, Matrix Computations, 8.3].
  @param[in]  n  1 to ABUT_EIGEN_MAX
  @param[in]  A  symmetric matrix [n x n], both triangles
  @param[out] w  eigenvalues [n], ascending
  @param[out] Q  eigenvectors [n x n], column k belongs to w[k]; may be A
**/
PETSC_EXTERN void AbutEigenSymmetric(PetscInt n, const PetscReal A[], PetscReal w[], PetscReal Q[]);

/**
  @brief Replaces a symmetric matrix by its projection.
  @param[in]     n           1 to ABUT_EIGEN_MAX
  @param[in]     projection  treatment of negative eigenvalues
  @param[in,out] A           symmetric matrix [n x n], both triangles; unchanged bit for bit if it is positive definite beyond round-off
**/
PETSC_EXTERN void AbutProject(PetscInt n, AbutProjection projection, PetscReal A[]);

/** @brief Projection of a single eigenvalue. */
static inline PetscReal AbutProjectScalar(AbutProjection projection, PetscReal w)
{
  return w >= 0 || projection == ABUT_PSD_NONE ? w : 0;
}

/**
  @brief Negative parts of a SIMD batch of symmetric matrices of one size: \f$ A \leftarrow \sum_{w_k < 0} |w_k| \, q_k q_k^T \f$ with the
  eigenvalues \f$ w_k \f$ and eigenvectors \f$ q_k \f$ of \f$ A \f$. The matrix plus its negative part is the nearest positive
  semidefinite matrix.
  The result for one matrix does not depend on the others of the batch.
  @param[in]     n        at least 1, no upper limit
  @param[in,out] A        matrices [n x n x ABUT_SIMD_WIDTH]: entry (i, j) of matrix l at A[(n*i + j)*ABUT_SIMD_WIDTH + l]; entries with j
                          < i are
                          neither read as input nor valid as output
  @param[out]    scratch  work space [(n*n + 4*n)*ABUT_SIMD_WIDTH]
**/
PETSC_EXTERN void AbutNegativeParts(PetscInt n, PetscReal A[], PetscReal scratch[]);

/** @brief Scalar product of two vectors [n]. */
static inline PetscReal AbutDot(PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = 0;
  for (PetscInt i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/** @brief Euclidean length of a vector [n]. */
static inline PetscReal AbutNorm(PetscInt n, const PetscReal v[])
{
  return PetscSqrtReal(AbutDot(n, v, v));
}

/** @brief Divides a vector [n] by its length unless that is 0; returns the length. */
static inline PetscReal AbutNormalize(PetscInt n, PetscReal v[])
{
  const PetscReal length = AbutNorm(n, v);

  for (PetscInt k = 0; k < n && length > 0; k++) v[k] /= length;
  return length;
}

/** @brief Vector product c = a x b; c must not overlap a or b. */
static inline void AbutCross(const PetscReal a[3], const PetscReal b[3], PetscReal c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
