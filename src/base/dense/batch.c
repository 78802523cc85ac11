/*
  Negative parts of a SIMD batch of symmetric matrices of one size: Householder reflections, then QL sweeps [Golub & Van Loan 8.3] as in
  eigen.c. Each variable of type SimdReal holds one number of every matrix. Processing several matrices at once hides the latency of square
  roots and divisions. A converged matrix is not changed by further sweeps: its result does not depend on the other matrices of the batch.
*/
#include <abut/dense.h>

#define L           ABUT_SIMD_WIDTH
#define MAX_SWEEPS  40     /* largest number of sweeps per eigenvalue; 2 or 3 are usual */
#define TINY        1e-280 /* squared norms below this are treated as 0 */
#define SCALE_LIMIT 1e10   /* matrices with a norm above this or below 1/SCALE_LIMIT are scaled against over- and underflow */

typedef AbutSimdUnaligned SimdReal;
typedef AbutSimdMask      SimdMask;
#define SELECT   ABUT_SIMD_SELECT
#define AT(x, l) ((x)[l])
#define ABS      ABUT_SIMD_ABS

static inline void Root(SimdReal *x)
{
  for (int l = 0; l < L; l++) AT(*x, l) = PetscSqrtReal(AT(*x, l));
}

/*
  Scales matrices with norms above SCALE_LIMIT or below 1/SCALE_LIMIT to norms near 1. max: largest entry of each scaled matrix; unit:
  factors that undo the scaling.
*/
static void Scale(PetscInt n, SimdReal A[], SimdReal *max, SimdReal *unit)
{
  SimdReal top = {0};

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = i; j < n; j++) {
      const SimdReal size = ABS(A[n * i + j]);
      top                 = SELECT(size > top, size, top);
    }
  }
  for (int l = 0; l < L; l++) {
    const PetscReal size = AT(top, l);
    int             exponent;
    AT(*unit, l) = 1;
    if (PetscLikely(size <= SCALE_LIMIT && size >= 1 / SCALE_LIMIT) || !(size > 0) || PetscIsInfOrNanReal(size)) continue;
    (void)frexp(size, &exponent);
    AT(*unit, l) = ldexp(1, PetscMax(PetscMin(exponent, 1000), -1000)); /* products with powers of two are exact */
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = i; j < n; j++) AT(A[n * i + j], l) *= 1 / AT(*unit, l);
    AT(top, l) *= 1 / AT(*unit, l);
  }
  *max = top;
}

/*
  Computes the Householder reflection I - beta v v^T that maps a vector [m] to (e, 0, ..., 0). v holds the vector on entry and the
  reflection vector on return. beta is 0 if the vector has this form on entry.
*/
static inline void MakeReflection(PetscInt m, SimdReal v[], SimdReal *e, SimdReal *beta)
{
  const SimdReal first = v[0];
  SimdReal       tail  = {0}, end, moved, size2;
  SimdMask       any;

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

/* B <- H B H with H = I - beta v v^T for the last m rows and columns of a symmetric n x n matrix; upper triangle only; w [m]: scratch. */
static inline void ReflectBoth(PetscInt n, PetscInt m, SimdReal B[], const SimdReal v[], const SimdReal *beta, SimdReal w[])
{
  SimdReal along = {0};

  for (PetscInt i = 0; i < m; i++) w[i] = along;
  for (PetscInt i = 0; i < m; i++) {
    const SimdReal *row = B + n * i, vi = v[i];
    SimdReal        sum = w[i] + row[i] * vi;
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
    const SimdReal vi = v[i], wi = w[i];
    for (PetscInt j = i; j < m; j++) B[n * i + j] -= vi * w[j] + wi * v[j];
  }
}

/* Computes the basis in which A is tridiagonal, as the rows of B, from the reflection vectors stored in the rows of A. */
static void FormBasis(PetscInt n, const SimdReal A[], const SimdReal beta[], SimdReal B[])
{
  const SimdReal zero = {0};

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) B[n * i + j] = zero + (PetscReal)(i == j);
  for (PetscInt k = n - 3; k >= 0; k--) {
    const SimdReal *v = A + n * k;
    for (PetscInt i = k + 1; i < n; i++) {
      SimdReal *row = B + n * i, along = zero;
      for (PetscInt j = k + 1; j < n; j++) along += row[j] * v[j];
      along *= beta[k];
      for (PetscInt j = k + 1; j < n; j++) row[j] -= along * v[j];
    }
  }
}

/* Reduces A to tridiagonal form with diagonal d and off-diagonal e in the basis formed by the rows of B. A is overwritten. */
static void Tridiagonalize(PetscInt n, SimdReal A[], SimdReal d[], SimdReal e[], SimdReal B[], SimdReal beta[], SimdReal w[])
{
  for (PetscInt k = 0; k < n - 2; k++) {
    SimdReal *v = A + n * k + k + 1;
    MakeReflection(n - k - 1, v, &e[k], &beta[k]);
    ReflectBoth(n, n - k - 1, A + n * (k + 1) + k + 1, v, &beta[k], w);
  }
  if (n > 1) e[n - 2] = A[n * (n - 2) + n - 1];
  for (PetscInt i = 0; i < n; i++) d[i] = A[n * i + i];
  FormBasis(n, A, beta, B);
}

/* Rows that a sweep processes: [first, end] for each matrix, stored as reals, and the smallest range [from, to] that contains them all. */
typedef struct {
  SimdReal first, end;
  PetscInt from, to;
} Parts;

/*
  Finds in each matrix the first block, from row p->from on, that is not yet diagonal. The block ends at the first off-diagonal entry of
  magnitude at most `limit`, the round-off of the matrix. The block of a diagonal matrix is empty.
*/
static inline void FindParts(PetscInt n, const SimdReal *limit, const SimdReal e[], Parts *p)
{
  const SimdReal last = (SimdReal){0} + (PetscReal)(n - 1);
  SimdReal       end  = last;
  PetscInt       from = n, to = 0;

  p->first = p->end = last;
  for (PetscInt i = n - 2; i >= p->from; i--) {
    const SimdReal here   = (SimdReal){0} + (PetscReal)i;
    const SimdMask joined = ABS(e[i]) > *limit;
    end                   = SELECT(joined, end, here);
    p->first              = SELECT(joined, here, p->first);
    p->end                = SELECT(joined, end, p->end);
  }
  for (int l = 0; l < L; l++) {
    if (!(AT(p->first, l) < AT(p->end, l))) continue;
    from = PetscMin(from, (PetscInt)AT(p->first, l));
    to   = PetscMax(to, (PetscInt)AT(p->end, l));
  }
  p->from = from;
  p->to   = to;
}

/* Start value g of a sweep: the last diagonal entry of the block minus the shift of the 2 x 2 matrix at the start of the block. */
static inline void Shift(const SimdReal d[], const SimdReal e[], const Parts *p, SimdReal *g)
{
  SimdReal front = {0}, next = front, last = front, off = front + 1, half, root;

  for (int l = 0; l < L; l++) {
    const PetscInt f = (PetscInt)AT(p->first, l), m = (PetscInt)AT(p->end, l);
    if (f >= m) continue;
    AT(front, l) = AT(d[f], l);
    AT(next, l)  = AT(d[f + 1], l);
    AT(off, l)   = AT(e[f], l);
    AT(last, l)  = AT(d[m], l);
  }
  half = (next - front) / (2 * off);
  root = half * half + 1;
  Root(&root);
  *g = last - front + off / (half + SELECT(half >= 0, root, -root));
}

static inline void Rotate(PetscInt n, const SimdReal *cosine, const SimdReal *sine, SimdReal *restrict p, SimdReal *restrict q)
{
  const SimdReal c = *cosine, s = *sine; /* local copies stay in registers */

  for (PetscInt j = 0; j < n; j++) {
    const SimdReal a = p[j], b = q[j];
    p[j] = c * a + s * b;
    q[j] = c * b - s * a;
  }
}

/*
  One implicit QL sweep over the blocks. g: bulge; s, c: last rotation; p: accumulated shift. If a block splits (r = 0), the sweep undoes
  the shift and leaves the remaining rows to the next sweep.
*/
static void Sweep(PetscInt n, const Parts *parts, SimdReal d[], SimdReal e[], SimdReal B[])
{
  const SimdReal zero = {0}, one = zero + 1, first = parts->first;
  SimdReal       end = parts->end, g = zero, s = one, c = one, p = zero;

  Shift(d, e, parts, &g);
  for (PetscInt i = parts->to - 1; i >= parts->from; i--) {
    const PetscReal row = (PetscReal)i;
    const SimdReal  f = s * e[i], b = c * e[i], r2 = f * f + g * g;
    const SimdMask  inside = (end > row) & (first <= row), turns = inside & (r2 > TINY), front = turns & (first >= row);
    SimdReal        r = r2, inverse = 1 / SELECT(turns, r2, one), s1, c1, t, st; /* the divisions overlap with the square root */
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

/* Computes `width` entries of row p of the sum over k of size_k q_k q_k^T; the sums are kept in registers. */
static inline void SumColumns(PetscInt width, PetscInt n, PetscInt count, const SimdReal size[], const SimdReal p[], const SimdReal q[],
                              SimdReal to[])
{
  SimdReal sum[4] = {{0}};

  for (PetscInt k = 0; k < count; k++) {
    const SimdReal share = size[k] * p[n * k];
    for (PetscInt j = 0; j < width; j++) sum[j] += share * q[n * k + j];
  }
  for (PetscInt j = 0; j < width; j++) to[j] = sum[j];
}

/*
  A <- sum over the negative eigenvalues d_k of |d_k| q_k q_k^T, with the eigenvectors q_k in the rows of B. Skips index k if d_k >= 0 in
  every matrix of the batch.
*/
static void Sum(PetscInt n, const SimdReal d[], const SimdReal *unit, SimdReal B[], SimdReal A[], SimdReal size[])
{
  const SimdReal zero  = {0};
  PetscInt       count = 0;

  for (PetscInt k = 0; k < n; k++) {
    PetscBool any = PETSC_FALSE;
    size[count]   = SELECT(d[k] < 0, -d[k] * *unit, zero);
    for (int l = 0; l < L; l++) any = (PetscBool)(any || AT(size[count], l) > 0);
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
  SimdReal *A = (SimdReal *)matrices, *B = (SimdReal *)scratch, *d = B + n * n, *e = d + n, *beta = e + n, *w = beta + n, max, unit, limit;
  Parts     parts = {.from = 0};

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
