/*
  Negative parts of several symmetric matrices of one size at once: Householder reflections, then QL sweeps [Golub & Van Loan 8.3] as in dense.c.

  What is a number there is one of every matrix here, side by side in a vector register, and the roots and quotients of a sweep, which wait for
  one another, are waited for once. A matrix that is done stays as it is while others go on: what becomes of it does not depend on them.
*/
#include <abut/core.h>

#define L           ABUT_LANES
#define MAX_SWEEPS  40     /* for an eigenvalue; never reached */
#define TINY        1e-280 /* a square that is nothing beside the others */
#define SCALE_LIMIT 1e10   /* matrices of a larger (smaller) norm than this (its inverse) are scaled so that squares stay in range */

/* Comparisons of lanes give masks, bits all set or none. Lanes are no arguments or results of functions: there is more than one way to pass them. */
typedef PetscReal Lanes __attribute__((vector_size(L * sizeof(PetscReal)), aligned(sizeof(PetscReal)), may_alias));
typedef __typeof__((Lanes){0} < (Lanes){0}) Mask;
#define SELECT(mask, a, b) ((Lanes)(((Mask)(a) & (mask)) | ((Mask)(b) & ~(mask))))
#define LANE(x, l)         ((x)[l])
#define ABS(x)             SELECT((x) < 0, -(x), (x))

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

/* The part of every matrix that a sweep goes over: rows first ... end, numbers as those of the matrices; and the rows of all, from ... to. */
typedef struct {
  Lanes    first, end;
  PetscInt from, to;
} Parts;

/*
  The first part of every matrix that is not diagonal yet, from row p->from on: it ends where an off-diagonal number is at most `limit`, round-off of the
  matrix, and is empty if there is none.
*/
static inline void FindParts(PetscInt n, const Lanes *limit, const Lanes e[], Parts *p)
{
  const Lanes last = (Lanes){0} + (PetscReal)(n - 1);
  Lanes       end  = last;
  PetscInt    from = n, to = 0;

  p->first = p->end = last;
  for (PetscInt i = n - 2; i >= p->from; i--) {
    const Lanes here   = (Lanes){0} + (PetscReal)i;
    const Mask  joined = ABS(e[i]) > *limit;
    end                = SELECT(joined, end, here);
    p->first           = SELECT(joined, here, p->first);
    p->end             = SELECT(joined, end, p->end);
  }
  for (int l = 0; l < L; l++) {
    if (!(LANE(p->first, l) < LANE(p->end, l))) continue;
    from = PetscMin(from, (PetscInt)LANE(p->first, l));
    to   = PetscMax(to, (PetscInt)LANE(p->end, l));
  }
  p->from = from;
  p->to   = to;
}

/* What a sweep starts with at the end of every part: its last diagonal number less the shift, which is that of the 2 x 2 block at its front. */
static inline void Shift(const Lanes d[], const Lanes e[], const Parts *p, Lanes *g)
{
  Lanes front = {0}, next = front, last = front, off = front + 1, half, root;

  for (int l = 0; l < L; l++) {
    const PetscInt f = (PetscInt)LANE(p->first, l), m = (PetscInt)LANE(p->end, l);
    if (f >= m) continue;
    LANE(front, l) = LANE(d[f], l);
    LANE(next, l)  = LANE(d[f + 1], l);
    LANE(off, l)   = LANE(e[f], l);
    LANE(last, l)  = LANE(d[m], l);
  }
  half = (next - front) / (2 * off);
  root = half * half + 1;
  Root(&root);
  *g = last - front + off / (half + SELECT(half >= 0, root, -root));
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

/*
  One implicit QL sweep over the parts that were found. g: the bulge, s and c: the last rotation, p: what the shift has come to. Where a matrix splits
  the shift is undone and the rest left to the next sweep.
*/
static void Sweep(PetscInt n, const Parts *parts, Lanes d[], Lanes e[], Lanes B[])
{
  const Lanes zero = {0}, one = zero + 1, first = parts->first;
  Lanes       end = parts->end, g = zero, s = one, c = one, p = zero;

  Shift(d, e, parts, &g);
  for (PetscInt i = parts->to - 1; i >= parts->from; i--) {
    const PetscReal row = (PetscReal)i;
    const Lanes     f = s * e[i], b = c * e[i], r2 = f * f + g * g;
    const Mask      inside = (end > row) & (first <= row), turns = inside & (r2 > TINY), front = turns & (first >= row);
    Lanes           r = r2, inverse = 1 / SELECT(turns, r2, one), s1, c1, t, st; /* while the root is on its way */
    Root(&r);
    inverse *= r;
    s1       = f * inverse;
    c1       = g * inverse;
    t        = (d[i] - d[i + 1] + p) * s1 + c1 * (2 * b);
    st       = s1 * t;
    e[i + 1] = SELECT(inside & (end > row + 1), r, e[i + 1]);
    d[i + 1] += SELECT(inside, SELECT(turns, st, zero) - p, zero);
    g   = SELECT(turns, c1 * t - b, g);
    p   = SELECT(turns, st, p);
    s   = SELECT(turns, s1, s);
    c   = SELECT(turns, c1, c);
    end = SELECT(inside & ~turns, first, end);
    d[i] -= SELECT(front, p, zero);
    e[i] = SELECT(front, g, e[i]);
    s1   = SELECT(turns, s1, zero);
    c1   = SELECT(turns, c1, one);
    Rotate(n, &c1, &s1, B + n * (i + 1), B + n * i);
  }
}

/* A few numbers of a row of the sum below: of component p of the vectors and some components q beside one another, kept in registers. */
static inline void SumColumns(PetscInt width, PetscInt n, PetscInt count, const Lanes size[], const Lanes p[], const Lanes q[], Lanes to[])
{
  Lanes sum[4] = {{0}};

  for (PetscInt k = 0; k < count; k++) {
    const Lanes share = size[k] * p[n * k];
    for (PetscInt j = 0; j < width; j++) sum[j] += share * q[n * k + j];
  }
  for (PetscInt j = 0; j < width; j++) to[j] = sum[j];
}

/* Sum of the negative eigenvalues' sizes times the projections on their vectors, the rows of B; those that are not wanted in any matrix are left out. */
static void Sum(PetscInt n, const Lanes d[], const Lanes *unit, Lanes B[], Lanes A[], Lanes size[])
{
  const Lanes zero  = {0};
  PetscInt    count = 0;

  for (PetscInt k = 0; k < n; k++) {
    PetscBool any = PETSC_FALSE;
    size[count]   = SELECT(d[k] < 0, -d[k] * *unit, zero);
    for (int l = 0; l < L; l++) any = (PetscBool)(any || LANE(size[count], l) > 0);
    if (!any) continue;
    for (PetscInt j = 0; j < n; j++) B[n * count + j] = B[n * k + j];
    count++;
  }
  for (PetscInt i = 0; i < n; i++) {
    PetscInt j = i;
    for (; j + 4 <= n; j += 4) SumColumns(4, n, count, size, B + i, B + j, A + n * i + j);
    for (; j < n; j++) SumColumns(1, n, count, size, B + i, B + j, A + n * i + j);
  }
}

void AbutNegativeParts(PetscInt n, PetscReal matrices[], PetscReal scratch[])
{
  Lanes *A = (Lanes *)matrices, *B = (Lanes *)scratch, *d = B + n * n, *e = d + n, *beta = e + n, *w = beta + n, max, unit, limit;
  Parts  parts = {.from = 0};

  Scale(n, A, &max, &unit);
  Tridiagonalize(n, A, d, e, B, beta, w);
  limit = PETSC_MACHINE_EPSILON * max;
  for (PetscInt sweep = 0; sweep < MAX_SWEEPS * n; sweep++) {
    FindParts(n, &limit, e, &parts);
    if (parts.from == n) break;
    Sweep(n, &parts, d, e, B);
  }
  Sum(n, d, &unit, B, A, w);
}
