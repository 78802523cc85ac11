/*
  Signed singular value decomposition of 2 x 2 and 3 x 3 matrices by one-sided Jacobi rotations [Golub & Van Loan 8.6]; 3 x 3 matrices in
  SIMD batches.
*/
#include "denseimpl.h"

#define MAX_SWEEPS  40     /* limit of sweeps; convergence is quadratic, random matrices need 3 to 8 */
#define NEGLIGIBLE  1e-150 /* smaller inner products of columns count as zero, because their squares would underflow */
#define NULL_COLUMN 1e-130 /* a column with a smaller squared norm counts as a zero column */

/*
  Cosine and sine of the rotation p' = c p + s q, q' = c q - s p after which p' . q' = 0. Input: pp = p . p, qq = q . q, pq = p . q.
*/
static inline void Rotation(PetscReal pp, PetscReal qq, PetscReal pq, PetscReal *c, PetscReal *s)
{
  const PetscReal d = pp - qq, y = 2 * pq, x = PetscAbsReal(d) + PetscSqrtReal(d * d + y * y), r = 1 / PetscSqrtReal(x * x + y * y);

  *c = x * r;
  *s = d >= 0 ? y * r : -y * r;
}

static inline PetscBool NeedsRotation(PetscReal pp, PetscReal qq, PetscReal pq)
{
  const PetscReal tol = 4 * PETSC_MACHINE_EPSILON;
  return (PetscBool)(pq * pq > tol * tol * pp * qq && PetscAbsReal(pq) > NEGLIGIBLE);
}

/* Makes the columns Ap, Aq of A orthogonal by a rotation, which is also applied to the columns Vp, Vq of V. */
static inline PetscBool Orthogonalize(PetscInt n, PetscReal Ap[], PetscReal Aq[], PetscReal Vp[], PetscReal Vq[])
{
  const PetscReal pp = AbutDot(n, Ap, Ap), qq = AbutDot(n, Aq, Aq), pq = AbutDot(n, Ap, Aq);
  PetscReal       c, s;

  if (!NeedsRotation(pp, qq, pq)) return PETSC_FALSE;
  Rotation(pp, qq, pq, &c, &s);
  RotateColumns(n, c, s, Ap, Aq);
  RotateColumns(n, c, s, Vp, Vq);
  return PETSC_TRUE;
}

/* Exchanges two columns of A and of V and negates one of them, so that det V keeps its sign. */
static inline void SwapColumns(PetscInt n, PetscReal Ap[], PetscReal Aq[], PetscReal Vp[], PetscReal Vq[])
{
  RotateColumns(n, 0, 1, Ap, Aq);
  RotateColumns(n, 0, 1, Vp, Vq);
}

/* Copies the columns of F to A, scaled so that squares neither over- nor underflow; returns the factor that undoes the scaling. */
static PetscReal LoadColumns(PetscInt n, const PetscReal F[], PetscReal A[3][3])
{
  PetscReal max = 0, scale = 1;
  int       exponent;

  for (PetscInt i = 0; i < n * n; i++) max = PetscMax(max, PetscAbsReal(F[i]));
  if (PetscUnlikely(max > SCALE_LIMIT || max < 1 / SCALE_LIMIT) && max > 0 && !PetscIsInfOrNanReal(max)) {
    (void)frexp(max, &exponent);
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < n; j++) A[j][i] = ldexp(F[n * i + j], -exponent);
    return ldexp(scale, PetscMin(exponent, 1023)) * (exponent > 1023 ? 2 : 1);
  }
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) A[j][i] = F[n * i + j];
  return scale;
}

/* Matrices [3][3] of the batch, column by column: A[j][i] is entry (i, j). */
typedef AbutSimd Columns[3][3];

#define SELECT    ABUT_SIMD_SELECT
#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

/* AbutCross() of vectors of the batch. */
static inline void Cross(const AbutSimd a[3], const AbutSimd b[3], AbutSimd c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* LoadColumns() of the batch; *scale: factors that undo the scaling. */
static inline void LoadBatch(const AbutSimd F[9], Columns A, AbutSimd *scale)
{
  AbutSimd max = {0};

  for (int i = 0; i < 9; i++) {
    const AbutSimd size = ABUT_SIMD_ABS(F[i]);
    max                 = ABUT_SIMD_MAX(size, max);
    A[i % 3][i / 3]     = F[i];
  }
  *scale = (AbutSimd){0} + 1;
  for (int l = 0; l < ABUT_SIMD_WIDTH; l++) {
    PetscReal f[9], a[3][3];

    if (PetscLikely(max[l] <= SCALE_LIMIT && max[l] >= 1 / SCALE_LIMIT)) continue;
    for (int i = 0; i < 9; i++) f[i] = F[i][l];
    (*scale)[l] = LoadColumns(3, f, a);
    for (int i = 0; i < 9; i++) A[i % 3][i / 3][l] = a[i % 3][i / 3];
  }
}

/*
  Makes the columns p and q of A orthogonal by a rotation, which is also applied to the columns of V; *rotated becomes set where a rotation
  is not the identity.
*/
static inline void Turn(int p, int q, Columns A, Columns V, AbutSimdMask *rotated)
{
  const PetscReal    tol  = 4 * PETSC_MACHINE_EPSILON;
  const AbutSimd     zero = {0}, one = zero + 1, pp = DOT(A[p], A[p]), qq = DOT(A[q], A[q]), pq = DOT(A[p], A[q]);
  const AbutSimdMask needs = (pq * pq > tol * tol * pp * qq) & (ABUT_SIMD_ABS(pq) > NEGLIGIBLE);
  const AbutSimd     d = pp - qq, y = 2 * pq;
  AbutSimd           x = d * d + y * y, r, c, s;

  if (!AbutSimdAny(&needs)) return;
  AbutSimdRoot(&x);
  x += ABUT_SIMD_ABS(d);
  r = x * x + y * y;
  AbutSimdRoot(&r);
  r = 1 / SELECT(needs, r, one);
  c = SELECT(needs, x * r, one);
  s = y * r;
  s = SELECT(needs, SELECT(d >= 0, s, -s), zero);
  for (int i = 0; i < 3; i++) {
    const AbutSimd a = A[p][i], b = A[q][i], v = V[p][i], w = V[q][i];
    A[p][i] = c * a + s * b;
    A[q][i] = c * b - s * a;
    V[p][i] = c * v + s * w;
    V[q][i] = c * w - s * v;
  }
  *rotated |= needs;
}

/* Completes the unit vector a to a right-handed orthonormal basis a, b, c [Duff et al. 2017, JCGT 6(1)]. */
static inline void Complement(const AbutSimd a[3], AbutSimd b[3], AbutSimd c[3])
{
  const AbutSimd one = (AbutSimd){0} + 1, sign = SELECT(a[2] >= 0, one, -one), f = -1 / (sign + a[2]), g = a[0] * a[1] * f;

  b[0] = 1 + sign * a[0] * a[0] * f;
  b[1] = sign * g;
  b[2] = -sign * a[0];
  c[0] = g;
  c[1] = sign + a[1] * a[1] * f;
  c[2] = -a[1];
}

/* Left singular vectors u and singular values s from three orthogonal columns in order of descending norm; u[2] = u[0] x u[1]. */
static inline void LeftVectors(Columns A, Columns u, AbutSimd s[3])
{
  const AbutSimd     zero = {0}, one = zero + 1, n0 = DOT(A[0], A[0]), n1 = DOT(A[1], A[1]);
  const AbutSimdMask any = n0 > 0, null = n1 <= NULL_COLUMN;
  AbutSimd           along, norm, r;

  s[0] = n0;
  AbutSimdRoot(&s[0]);
  r = 1 / SELECT(any, s[0], one);
  for (int i = 0; i < 3; i++) u[0][i] = SELECT(any, A[0][i] * r, zero + (PetscReal)(i == 0));
  along = DOT(u[0], A[1]); /* round-off; removing it keeps U orthogonal */
  for (int i = 0; i < 3; i++) u[1][i] = A[1][i] - along * u[0][i];
  norm = DOT(u[1], u[1]);
  AbutSimdRoot(&norm);
  r = 1 / SELECT(null, one, norm);
  for (int i = 0; i < 3; i++) u[1][i] *= r;
  if (AbutSimdAny(&null)) {
    AbutSimd b[3], c[3];
    Complement(u[0], b, c);
    for (int i = 0; i < 3; i++) u[1][i] = SELECT(null, b[i], u[1][i]);
  }
  Cross(u[0], u[1], u[2]);
  s[1] = SELECT(null, zero, ABUT_SIMD_MIN(norm, s[0]));
  s[2] = DOT(u[2], A[2]);
  s[2] = ABUT_SIMD_MIN(s[2], s[1]);
  s[2] = ABUT_SIMD_MAX(s[2], -s[1]);
}

/*
  The eigenvector v of A^T A whose eigenvalue is farthest from the other two, by the closed form of the cubic characteristic polynomial; not
  *found if A is nearly a multiple of a rotation, for which every vector serves.
*/
static inline void FarthestVector(Columns A, AbutSimd v[3], AbutSimdMask *found)
{
  const AbutSimd s00 = DOT(A[0], A[0]), s11 = DOT(A[1], A[1]), s22 = DOT(A[2], A[2]), mean = (s00 + s11 + s22) / 3;
  const AbutSimd s01 = DOT(A[0], A[1]), s02 = DOT(A[0], A[2]), s12 = DOT(A[1], A[2]);
  const AbutSimd k0 = s00 - mean, k1 = s11 - mean, k2 = s22 - mean, off = s01 * s01 + s02 * s02 + s12 * s12;
  const AbutSimd det = k0 * (k1 * k2 - s12 * s12) - s01 * (s01 * k2 - s12 * s02) + s02 * (s01 * s12 - k1 * s02), one = mean * 0 + 1;
  AbutSimd       q = ((k0 * k0 + k1 * k1 + k2 * k2) / 2 + off) / 3, cross[3][3], norm[3], r, c, e;

  AbutSimdRoot(&q);
  r = ABUT_SIMD_ABS(det) / (2 * q * q * q);
  r = ABUT_SIMD_MIN(r, one);
  c = 0.8660254 + r * (0.1666667 + r * (0.0098286 * r - 0.0425206)); /* approximates cos(acos(r) / 3), the root of 4 c^3 - 3 c = r */
  c = (8 * c * c * c + r) / (12 * c * c - 3);
  e = SELECT(det >= 0, 2 * q * c, -2 * q * c);
  {
    const AbutSimd K[3][3] = {{k0 - e, s01, s02}, {s01, k1 - e, s12}, {s02, s12, k2 - e}};
    Cross(K[0], K[1], cross[0]);
    Cross(K[1], K[2], cross[1]);
    Cross(K[2], K[0], cross[2]);
  }
  for (int i = 0; i < 3; i++) norm[i] = DOT(cross[i], cross[i]);
  for (int k = 1; k < 3; k++) {
    const AbutSimdMask better = norm[k] > norm[0];
    for (int i = 0; i < 3; i++) cross[0][i] = SELECT(better, cross[k][i], cross[0][i]);
    norm[0] = SELECT(better, norm[k], norm[0]);
  }
  r = norm[0];
  AbutSimdRoot(&r);
  for (int i = 0; i < 3; i++) v[i] = cross[0][i] / r;
  *found = (q > 1e-12 * mean) & (norm[0] > 0);
}

/*
  Start value of V that saves Jacobi sweeps: the eigenvector of A^T A whose eigenvalue is farthest from the other two, completed to an
  orthonormal basis. The result of the SVD does not depend on the accuracy of V.
*/
static inline void StartRight(Columns A, Columns V)
{
  Columns      v;
  AbutSimdMask found;

  FarthestVector(A, v[0], &found);
  Complement(v[0], v[1], v[2]);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) V[j][i] = SELECT(found, v[j][i], (AbutSimd){0} + (PetscReal)(i == j));
  for (int i = 0; i < 3; i++) {
    const AbutSimd row[3] = {A[0][i], A[1][i], A[2][i]};
    for (int j = 0; j < 3; j++) A[j][i] = DOT(row, V[j]);
  }
}

/* Sorts the columns of A by descending norm; an exchange negates one of the columns of A and of V, so that det V keeps its sign. */
static inline void SortBatch(Columns A, Columns V)
{
  AbutSimd norm[3];

  for (int j = 0; j < 3; j++) norm[j] = DOT(A[j], A[j]);
  for (int k = 0; k < 3; k++) { /* bubble sort: pairs 01, 12, 01 */
    const int          p = k % 2, q = p + 1;
    const AbutSimd     a = norm[p], b = norm[q];
    const AbutSimdMask swap = a < b;
    norm[p]                 = SELECT(swap, b, a);
    norm[q]                 = SELECT(swap, a, b);
    for (int i = 0; i < 3; i++) {
      const AbutSimd ap = A[p][i], vp = V[p][i];
      A[p][i] = SELECT(swap, A[q][i], ap);
      A[q][i] = SELECT(swap, -ap, A[q][i]);
      V[p][i] = SELECT(swap, V[q][i], vp);
      V[q][i] = SELECT(swap, -vp, V[q][i]);
    }
  }
}

static void SVD3(const AbutSimd F[9], AbutSimd U[9], AbutSimd s[3], AbutSimd V[9])
{
  Columns  A, v, u;
  AbutSimd scale;

  LoadBatch(F, A, &scale);
  StartRight(A, v);
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    AbutSimdMask rotated = {0};
    Turn(1, 2, A, v, &rotated);
    Turn(0, 1, A, v, &rotated);
    Turn(0, 2, A, v, &rotated);
    if (!AbutSimdAny(&rotated)) break;
  }
  SortBatch(A, v);
  LeftVectors(A, u, s);
  for (int j = 0; j < 3; j++) {
    s[j] *= scale;
    for (int i = 0; i < 3; i++) {
      U[3 * i + j] = u[j][i];
      V[3 * i + j] = v[j][i];
    }
  }
}

static void SVD2(const PetscReal F[4], PetscReal U[4], PetscReal s[2], PetscReal V[4])
{
  PetscReal       A[3][3], v[2][2] = {{1, 0}, {0, 1}}, u[2] = {1, 0};
  const PetscReal scale = LoadColumns(2, F, A);

  for (PetscInt sweep = 0; sweep < MAX_SWEEPS; sweep++) /* usually one rotation; a second one after cancellation */
    if (!Orthogonalize(2, A[0], A[1], v[0], v[1])) break;
  if (AbutDot(2, A[0], A[0]) < AbutDot(2, A[1], A[1])) SwapColumns(2, A[0], A[1], v[0], v[1]);
  s[0] = AbutNorm(2, A[0]);
  for (PetscInt i = 0; i < 2 && s[0] > 0; i++) u[i] = A[0][i] / s[0];
  s[1] = PetscMax(-s[0], PetscMin(s[0], u[0] * A[1][1] - u[1] * A[1][0])) * scale;
  s[0] *= scale;
  U[0] = U[3] = u[0];
  U[2]        = u[1];
  U[1]        = -u[1];
  for (PetscInt i = 0; i < 2; i++)
    for (PetscInt j = 0; j < 2; j++) V[2 * i + j] = v[j][i];
}

void AbutSVD(PetscInt dim, const PetscReal F[], PetscReal U[], PetscReal s[], PetscReal V[])
{
  AbutSimd f[9], u[9], t[3], v[9];

  if (dim == 2) {
    SVD2(F, U, s, V);
    return;
  }
  for (int i = 0; i < 9; i++) f[i] = (AbutSimd){0} + F[i];
  SVD3(f, u, t, v);
  for (int i = 0; i < 9; i++) {
    U[i] = u[i][0];
    V[i] = v[i][0];
  }
  for (int i = 0; i < 3; i++) s[i] = t[i][0];
}

void AbutSVDBatch(PetscInt dim, const AbutSimd F[], AbutSimd U[], AbutSimd s[], AbutSimd V[])
{
  if (dim == 3) {
    SVD3(F, U, s, V);
    return;
  }
  for (int l = 0; l < ABUT_SIMD_WIDTH; l++) {
    PetscReal f[4], u[4], t[2], v[4];
    for (int i = 0; i < 4; i++) f[i] = F[i][l];
    SVD2(f, u, t, v);
    for (int i = 0; i < 4; i++) {
      U[i][l] = u[i];
      V[i][l] = v[i];
    }
    for (int i = 0; i < 2; i++) s[i][l] = t[i];
  }
}
