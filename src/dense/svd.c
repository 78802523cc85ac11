/* Signed singular value decomposition of 2 x 2 and 3 x 3 matrices by one-sided Jacobi rotations [Golub & Van Loan 8.6]. */
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

/* Completes the unit vector a to a right-handed orthonormal basis a, b, c [Duff et al. 2017, JCGT 6(1)]. */
static inline void Complement(const PetscReal a[3], PetscReal b[3], PetscReal c[3])
{
  const PetscReal sign = copysign(1, a[2]), f = -1 / (sign + a[2]), g = a[0] * a[1] * f;

  b[0] = 1 + sign * a[0] * a[0] * f;
  b[1] = sign * g;
  b[2] = -sign * a[0];
  c[0] = g;
  c[1] = sign + a[1] * a[1] * f;
  c[2] = -a[1];
}

/* Left singular vectors u and singular values s from three orthogonal columns in order of descending norm; u[2] = u[0] x u[1]. */
static void LeftVectors(PetscReal A[3][3], PetscReal u[3][3], PetscReal s[3])
{
  const PetscReal n0 = AbutDot(3, A[0], A[0]), n1 = AbutDot(3, A[1], A[1]);

  s[0] = PetscSqrtReal(n0);
  s[1] = s[2] = 0;
  for (PetscInt i = 0; i < 3; i++) u[0][i] = n0 > 0 ? A[0][i] / s[0] : (PetscReal)(i == 0);
  if (n1 <= NULL_COLUMN) {
    Complement(u[0], u[1], u[2]);
  } else {
    const PetscReal along = AbutDot(3, u[0], A[1]); /* round-off; removing it keeps U orthogonal */
    PetscReal       norm;

    for (PetscInt i = 0; i < 3; i++) u[1][i] = A[1][i] - along * u[0][i];
    norm = PetscSqrtReal(AbutDot(3, u[1], u[1]));
    for (PetscInt i = 0; i < 3; i++) u[1][i] /= norm;
    s[1] = PetscMin(norm, s[0]);
  }
  AbutCross(u[0], u[1], u[2]);
  if (n1 > NULL_COLUMN) s[2] = PetscMax(-s[1], PetscMin(s[1], AbutDot(3, u[2], A[2])));
}

/*
  Start value of V that saves Jacobi sweeps: the eigenvector of A^T A whose eigenvalue is farthest from the other two, by the closed form of
  the cubic characteristic polynomial, completed to an orthonormal basis. The result of the SVD does not depend on the accuracy of V.
*/
static void StartRight(PetscReal A[3][3], PetscReal v[3][3])
{
  const PetscReal s00 = AbutDot(3, A[0], A[0]), s11 = AbutDot(3, A[1], A[1]), s22 = AbutDot(3, A[2], A[2]), mean = (s00 + s11 + s22) / 3;
  const PetscReal s01 = AbutDot(3, A[0], A[1]), s02 = AbutDot(3, A[0], A[2]), s12 = AbutDot(3, A[1], A[2]);
  const PetscReal k0 = s00 - mean, k1 = s11 - mean, k2 = s22 - mean, off = s01 * s01 + s02 * s02 + s12 * s12;
  const PetscReal q   = PetscSqrtReal(((k0 * k0 + k1 * k1 + k2 * k2) / 2 + off) / 3);
  const PetscReal det = k0 * (k1 * k2 - s12 * s12) - s01 * (s01 * k2 - s12 * s02) + s02 * (s01 * s12 - k1 * s02);
  PetscReal       cross[3][3], norm[3], r, c, e;
  PetscInt        best;

  if (!(q > 1e-12 * mean)) return; /* A is nearly a multiple of a rotation: any V serves */
  r = PetscMin(PetscAbsReal(det) / (2 * q * q * q), 1);
  c = 0.8660254 + r * (0.1666667 + r * (0.0098286 * r - 0.0425206)); /* approximates cos(acos(r) / 3), the root of 4 c^3 - 3 c = r */
  c = (8 * c * c * c + r) / (12 * c * c - 3);
  e = copysign(2 * q * c, det);
  {
    const PetscReal K[3][3] = {{k0 - e, s01, s02}, {s01, k1 - e, s12}, {s02, s12, k2 - e}};
    AbutCross(K[0], K[1], cross[0]);
    AbutCross(K[1], K[2], cross[1]);
    AbutCross(K[2], K[0], cross[2]);
  }
  for (PetscInt i = 0; i < 3; i++) norm[i] = AbutDot(3, cross[i], cross[i]);
  best = norm[0] > norm[1] ? 0 : 1;
  best = norm[best] > norm[2] ? best : 2;
  if (!(norm[best] > 0)) return;
  for (PetscInt i = 0; i < 3; i++) v[0][i] = cross[best][i] / PetscSqrtReal(norm[best]);
  Complement(v[0], v[1], v[2]);
  for (PetscInt i = 0; i < 3; i++) {
    const PetscReal row[3] = {A[0][i], A[1][i], A[2][i]};
    for (PetscInt j = 0; j < 3; j++) A[j][i] = AbutDot(3, row, v[j]);
  }
}

static void SVD3(const PetscReal F[9], PetscReal U[9], PetscReal s[3], PetscReal V[9])
{
  PetscReal       A[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, u[3][3], norm[3];
  const PetscReal scale = LoadColumns(3, F, A);

  StartRight(A, v);
  for (PetscInt sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    PetscBool rotated = Orthogonalize(3, A[1], A[2], v[1], v[2]);
    rotated |= Orthogonalize(3, A[0], A[1], v[0], v[1]);
    rotated |= Orthogonalize(3, A[0], A[2], v[0], v[2]);
    if (!rotated) break;
  }
  for (PetscInt j = 0; j < 3; j++) norm[j] = AbutDot(3, A[j], A[j]);
  for (PetscInt k = 0; k < 3; k++) { /* bubble sort: pairs 01, 12, 01 */
    const PetscInt  p    = k % 2;
    const PetscReal swap = norm[p];
    if (swap >= norm[p + 1]) continue;
    SwapColumns(3, A[p], A[p + 1], v[p], v[p + 1]);
    norm[p]     = norm[p + 1];
    norm[p + 1] = swap;
  }
  LeftVectors(A, u, s);
  for (PetscInt j = 0; j < 3; j++) {
    s[j] *= scale;
    for (PetscInt i = 0; i < 3; i++) {
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
  s[0] = PetscSqrtReal(AbutDot(2, A[0], A[0]));
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
  if (dim == 3)
    SVD3(F, U, s, V);
  else
    SVD2(F, U, s, V);
}
