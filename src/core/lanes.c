/*
  Negative parts of several symmetric matrices of one size at once: Householder reflections, then QL sweeps [Golub & Van Loan 8.3] as in dense.c.

  What is a number there is one of every matrix here, side by side in a vector register, and the roots and quotients of a sweep, which wait for
  one another, are waited for once. A matrix that is done stays as it is while others go on: what becomes of it does not depend on them.
*/
#include <abut/core.h>

#define L           ABUT_LANES
#define MAX_SWEEPS  40   /* for an eigenvalue; never reached */
#define SCALE_LIMIT 1e10 /* matrices of a larger (smaller) norm than this (its inverse) are scaled so that squares stay in range */

/* Comparisons of lanes give masks, bits all set or none. Lanes are no arguments or results of functions: there is more than one way to pass them. */
#if ABUT_LANES > 1
typedef PetscReal Lanes __attribute__((vector_size(L * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));
typedef __typeof__((Lanes){0} < (Lanes){0}) Mask;
#define SELECT(mask, a, b) ((Lanes)(((Mask)(a) & (mask)) | ((Mask)(b) & ~(mask))))
#define LANE(x, l)         ((x)[l])
#else
typedef PetscReal Lanes;
typedef int       Mask;
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define LANE(x, l)         (x)
#endif
#define ABS(x) SELECT((x) < 0, -(x), (x))

static inline void Root(Lanes *x)
{
  for (int l = 0; l < L; l++) LANE(*x, l) = PetscSqrtReal(LANE(*x, l));
}

/* Brings matrices that are far out of range near 1; max: their largest entries then, unit: what undoes it. */
static void Scale(PetscInt n, Lanes A[], Lanes *max, Lanes *unit)
{
  Lanes top = {0};

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = i; j < n; j++) {
      const Lanes size = ABS(A[n * i + j]);
      top              = SELECT(size > top, size, top);
    }
  }
  for (int l = 0; l < L; l++) {
    const PetscReal size = LANE(top, l);
    int             exponent;
    LANE(*unit, l) = 1;
    if (PetscLikely(size <= SCALE_LIMIT && size >= 1 / SCALE_LIMIT) || !(size > 0) || PetscIsInfOrNanReal(size)) continue;
    (void)frexp(size, &exponent);
    LANE(*unit, l) = ldexp(1, PetscMax(PetscMin(exponent, 1000), -1000)); /* products with powers of two are exact */
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = i; j < n; j++) LANE(A[n * i + j], l) *= 1 / LANE(*unit, l);
    LANE(top, l) *= 1 / LANE(*unit, l);
  }
  *max = top;
}

/* The reflection I - beta v v^T that takes a vector v of m numbers, which is overwritten, to (e, 0, ...); beta = 0 if it is that already. */
static inline void MakeReflection(PetscInt m, Lanes v[], Lanes *e, Lanes *beta)
{
  const Lanes first = v[0];
  Lanes       tail  = {0}, end, moved, size2;
  Mask        any;

  for (PetscInt i = 1; i < m; i++) tail += v[i] * v[i];
  end = first * first + tail;
  Root(&end);
  end   = SELECT(first > 0, -end, end);
  moved = first - end;
  size2 = moved * moved + tail;
  any   = tail > 0;
  *e    = SELECT(any, end, first);
  v[0]  = SELECT(any, moved, first);
  *beta = SELECT(any, 2 / SELECT(size2 > 0, size2, tail + 1), tail);
}

/* H B H of a symmetric matrix by its upper part: the last m rows and columns of one of n columns; w [m] is overwritten. */
static inline void ReflectBoth(PetscInt n, PetscInt m, Lanes B[], const Lanes v[], const Lanes *beta, Lanes w[])
{
  Lanes along = {0};

  for (PetscInt i = 0; i < m; i++) w[i] = along;
  for (PetscInt i = 0; i < m; i++) {
    const Lanes *row = B + n * i, vi = v[i];
    Lanes        sum = w[i] + row[i] * vi;
    for (PetscInt j = i + 1; j < m; j++) {
      sum += row[j] * v[j];
      w[j] += row[j] * vi;
    }
    w[i] = sum * *beta;
    along += w[i] * vi;
  }
  along *= *beta / 2;
  for (PetscInt i = 0; i < m; i++) w[i] -= along * v[i];
  for (PetscInt i = 0; i < m; i++) {
    const Lanes vi = v[i], wi = w[i];
    for (PetscInt j = i; j < m; j++) B[n * i + j] -= vi * w[j] + wi * v[j];
  }
}

/* Rows of B become the basis in which A is tridiagonal, from the reflections that the rows of A keep. */
static void FormBasis(PetscInt n, const Lanes A[], const Lanes beta[], Lanes B[])
{
  const Lanes zero = {0};

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) B[n * i + j] = zero + (PetscReal)(i == j);
  for (PetscInt k = n - 3; k >= 0; k--) {
    const Lanes *v = A + n * k;
    for (PetscInt i = k + 1; i < n; i++) {
      Lanes *row = B + n * i, along = zero;
      for (PetscInt j = k + 1; j < n; j++) along += row[j] * v[j];
      along *= beta[k];
      for (PetscInt j = k + 1; j < n; j++) row[j] -= along * v[j];
    }
  }
}

/* A becomes tridiagonal: diagonal d, off-diagonal e, in the basis B. */
static void Tridiagonalize(PetscInt n, Lanes A[], Lanes d[], Lanes e[], Lanes B[], Lanes beta[], Lanes w[])
{
  for (PetscInt k = 0; k < n - 2; k++) {
    Lanes *v = A + n * k + k + 1;
    MakeReflection(n - k - 1, v, &e[k], &beta[k]);
    ReflectBoth(n, n - k - 1, A + n * (k + 1) + k + 1, v, &beta[k], w);
  }
  if (n > 1) e[n - 2] = A[n * (n - 2) + n - 1];
  for (PetscInt i = 0; i < n; i++) d[i] = A[n * i + i];
  FormBasis(n, A, beta, B);
}

/* What a sweep carries from row to row: the bulge, the last rotation, the shift so far; and the rows that every matrix is at. */
typedef struct {
  Lanes g, s, c, p, first, end;
} Chase;

/*
  The first part of every matrix that is not diagonal yet, at or after k->first, which ends where an off-diagonal number is at most `limit`, round-off
  of the matrix; it is empty if there is none. The rows of all are from `from` to `to`.
*/
static inline void FindParts(PetscInt n, const Lanes *limit, const Lanes e[], Chase *k, PetscInt *from, PetscInt *to)
{
  *from = n;
  *to   = 0;
  for (int l = 0; l < L; l++) {
    PetscInt first = (PetscInt)LANE(k->first, l), end;
    while (first < n - 1 && !(PetscAbsReal(LANE(e[first], l)) > LANE(*limit, l))) first++;
    end = first;
    while (end < n - 1 && PetscAbsReal(LANE(e[end], l)) > LANE(*limit, l)) end++;
    LANE(k->first, l) = (PetscReal)first;
    LANE(k->end, l)   = (PetscReal)end;
    if (first == end) continue;
    *from = PetscMin(*from, first);
    *to   = PetscMax(*to, end);
  }
}

static inline void Start(const Lanes d[], Lanes e[], Chase *k)
{
  for (int l = 0; l < L; l++) {
    const PetscInt f = (PetscInt)LANE(k->first, l), m = (PetscInt)LANE(k->end, l);
    LANE(k->g, l) = 0;
    LANE(k->s, l) = 1;
    LANE(k->c, l) = 1;
    LANE(k->p, l) = 0;
    if (f < m) {
      const PetscReal off = LANE(e[f], l), half = (LANE(d[f + 1], l) - LANE(d[f], l)) / (2 * off), root = PetscSqrtReal(half * half + 1);
      LANE(k->g, l) = LANE(d[m], l) - LANE(d[f], l) + off / (half + (half >= 0 ? root : -root));
      LANE(e[m], l) = 0; /* negligible, and not transformed below */
    }
  }
}

/* The rotation by c and s of rows i and i + 1 where they are inside. Where the matrix splits the shift is undone and the rest left to the next sweep. */
static inline void Turn(PetscReal i, const Lanes *d, const Lanes *e, Lanes *d_next, Lanes *e_next, Chase *k, Lanes *c, Lanes *s)
{
  const Lanes zero = {0}, one = zero + 1, f = k->s * *e, b = k->c * *e;
  Lanes       r = f * f + k->g * k->g, over, s1, c1, t, st;
  Mask        inside, turns;

  Root(&r);
  inside  = (k->end > i) & (k->first <= i);
  turns   = inside & (r > 0);
  over    = SELECT(r > 0, r, one);
  s1      = f / over;
  c1      = k->g / over;
  t       = (*d - *d_next + k->p) * s1 + 2 * c1 * b;
  st      = s1 * t;
  *e_next = SELECT(inside & (k->end > i + 1), r, *e_next);
  *d_next += SELECT(inside, SELECT(turns, st, zero) - k->p, zero);
  k->g   = SELECT(turns, c1 * t - b, k->g);
  k->p   = SELECT(turns, st, k->p);
  k->s   = SELECT(turns, s1, k->s);
  k->c   = SELECT(turns, c1, k->c);
  k->end = SELECT(inside & ~turns, k->first, k->end);
  *s     = SELECT(turns, s1, zero);
  *c     = SELECT(turns, c1, one);
}

static inline void Rotate(PetscInt n, const Lanes *cosine, const Lanes *sine, Lanes *restrict p, Lanes *restrict q)
{
  const Lanes c = *cosine, s = *sine; /* in registers */

  for (PetscInt j = 0; j < n; j++) {
    const Lanes a = p[j], b = q[j];
    p[j] = c * a + s * b;
    q[j] = c * b - s * a;
  }
}

/* One implicit QL sweep over the parts that were found. */
static void Sweep(PetscInt n, PetscInt from, PetscInt to, Chase *k, Lanes d[], Lanes e[], Lanes B[])
{
  Start(d, e, k);
  for (PetscInt i = to - 1; i >= from; i--) {
    Lanes c, s;
    Turn((PetscReal)i, &d[i], &e[i], &d[i + 1], &e[i + 1], k, &c, &s);
    Rotate(n, &c, &s, B + n * (i + 1), B + n * i);
  }
  for (int l = 0; l < L; l++) {
    const PetscInt f = (PetscInt)LANE(k->first, l);
    if (!(LANE(k->end, l) > LANE(k->first, l))) continue;
    LANE(d[f], l) -= LANE(k->p, l);
    LANE(e[f], l) = LANE(k->g, l);
  }
}

/* Sum of the negative eigenvalues' sizes times the projections on their vectors. */
static void Sum(PetscInt n, const Lanes d[], const Lanes *unit, const Lanes B[], Lanes A[])
{
  const Lanes zero = {0};

  for (PetscInt i = 0; i < n * n; i++) A[i] = zero;
  for (PetscInt k = 0; k < n; k++) {
    const Lanes *v = B + n * k, size = SELECT(d[k] < 0, -d[k] * *unit, zero);
    PetscBool    any = PETSC_FALSE;
    for (int l = 0; l < L; l++) any = (PetscBool)(any || LANE(size, l) > 0);
    for (PetscInt i = 0; i < n && any; i++) {
      const Lanes share = size * v[i];
      for (PetscInt j = i; j < n; j++) A[n * i + j] += share * v[j];
    }
  }
}

void AbutNegativeParts(PetscInt n, PetscReal matrices[], PetscReal scratch[])
{
  Lanes   *A = (Lanes *)matrices, *B = (Lanes *)scratch, *d = B + n * n, *e = d + n, *beta = e + n, *w = beta + n, max, unit, limit;
  Chase    k = {.first = {0}};
  PetscInt from, to;

  Scale(n, A, &max, &unit);
  Tridiagonalize(n, A, d, e, B, beta, w);
  limit = PETSC_MACHINE_EPSILON * max;
  for (PetscInt sweep = 0; sweep < MAX_SWEEPS * n; sweep++) {
    FindParts(n, &limit, e, &k, &from, &to);
    if (from == n) break;
    Sweep(n, from, to, &k, d, e, B);
  }
  Sum(n, d, &unit, B, A);
}
