/*
  Gradient, Hessian and contact point of one stencil.

  Hessians are projected in the smallest space that contains them. With the frame of the distance form (geom.h), b the barrier of s = h^2,
  A = 4 s b'' + 2 b' and D = -2 b' > 0,

      H = A (c (x) n) (c (x) n)^T + D h sum_k ((c (x) tau_k) (beta_k (x) n)^T + transpose) + D h^2 sum_k (beta_k (x) n) (beta_k (x) n)^T
          - D (c (x) rest) (c (x) rest)^T,

  `rest` being the directions normal to n and tau. The last term is negative and orthogonal to the others, so clamping removes it. The
  others act on w (x) n, w in the n - 1 dimensions of weights that sum to 0, and on c (x) tau_k: 1, 3 and 5 dimensions for point-point,
  point-line and the two planar forms, instead of 6, 9 and 12. Of a mollified stencil only the translations are separated: 9 dimensions.
  For a negative weight the signs of A and D are reversed, so that the assembled matrix, sign included, is the projected one.
*/
#include "potentialimpl.h"

#define SQRT_1_2 0.70710678118654752440
#define SQRT_1_6 0.40824829046386301637

/* Orthonormal bases of the weights of 2, 3 and 4 points that sum to 0, row by row. */
static const PetscReal weight_basis[3][3][4] = {
  {{SQRT_1_2, -SQRT_1_2, 0, 0}},
  {{0, -SQRT_1_2, SQRT_1_2, 0}, {2 * SQRT_1_6, -SQRT_1_6, -SQRT_1_6, 0}},
  {{-SQRT_1_2, SQRT_1_2, 0, 0}, {0, 0, -SQRT_1_2, SQRT_1_2}, {0.5, 0.5, -0.5, -0.5}},
};

PetscInt AbutStencilFixedPoints(AbutDistForm form, PetscInt at[4])
{
  static const PetscInt points[4][4] = {{0, 2, -1, -1}, {0, 2, 3, -1}, {-1, -1, -1, -1}, {0, 1, 2, 3}};
  static const PetscInt count[4]     = {2, 3, 0, 4};

  for (int a = 0; a < 4; a++) at[a] = points[form][a];
  return count[form];
}

PetscReal AbutFeatureDist2(const AbutClosest *closest, PetscInt dim, PetscInt n, const PetscReal x[], PetscReal g[], PetscReal H[])
{
  const PetscInt N = dim * n, M = dim * closest->n;
  PetscReal      y[12], gy[12], Hy[144];
  PetscReal      s;

  AbutGather(dim, closest->n, closest->v, x, y);
  s = AbutDist2(closest->form, dim, y, g ? gy : NULL, H ? Hy : NULL);
  if (g) (void)PetscArrayzero(g, N);
  if (H) (void)PetscArrayzero(H, N * N);
  for (PetscInt r = 0; g && r < M; r++) {
    const PetscInt row = dim * closest->v[r / dim] + r % dim;
    g[row]             = gy[r];
    for (PetscInt c = 0; H && c < M; c++) H[N * row + dim * closest->v[c / dim] + c % dim] = Hy[M * r + c];
  }
  return s;
}

/* Squared distance of a mollified pair between its closest features or, if `fixed`, between its given features. */
static PetscReal EdgeEdgeDist2(const AbutStencil *st, const PetscReal x[12], PetscReal grad[12], PetscReal hess[144])
{
  AbutClosest closest = {.form = st->form};

  if (st->fixed)
    closest.n = AbutStencilFixedPoints(st->form, closest.v);
  else
    AbutClosestFeatures(ABUT_PAIR_EE, 3, x, &closest);
  return AbutFeatureDist2(&closest, 3, 4, x, grad, hess);
}

static void GradientMollified(const AbutStencil *st, PetscReal shat, const PetscReal x[12], PetscReal g[12])
{
  PetscReal       gs[12], gc[12], db, dm;
  const PetscReal s = EdgeEdgeDist2(st, x, gs, NULL), c = AbutEdgeEdgeCross2(x, gc, NULL);
  const PetscReal b = AbutBarrier(s, shat, &db, NULL), m = AbutMollifier(c, st->eps_cross, &dm, NULL);

  for (int i = 0; i < 12; i++) g[i] = st->weight * (dm * b * gc[i] + m * db * gs[i]);
}

void AbutStencilGradient(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat, const PetscReal x[],
                         PetscReal g[])
{
  AbutDistFrame f;
  PetscReal     db;

  if (plane) {
    const PetscReal h = AbutPlaneHeight(dim, plane->normal, plane->point, x);
    AbutBarrier(h * h, shat, &db, NULL);
    for (PetscInt i = 0; i < dim; i++) g[i] = st->weight * db * 2 * h * plane->normal[i];
    return;
  }
  if (st->eps_cross > 0) {
    GradientMollified(st, shat, x, g);
    return;
  }
  AbutDist2Frame(st->form, dim, x, &f);
  AbutBarrier(f.h * f.h, shat, &db, NULL);
  for (PetscInt a = 0; a < f.n; a++) {
    for (PetscInt i = 0; i < dim; i++) g[dim * a + i] = st->weight * db * 2 * f.h * f.c[a] * f.normal[i];
  }
}

/* The Hessian on the q = n - 1 + k basis vectors w_j (x) n and c (x) tau_k / |c|. */
static inline void ReducedHessian(PetscInt n, PetscInt np, const AbutDistFrame *f, PetscReal A, PetscReal D, PetscReal size, PetscReal S[])
{
  const PetscInt m = n - 1, q = m + np;
  PetscReal      c[3], beta[2][3];

  for (PetscInt j = 0; j < m; j++) {
    c[j] = AbutDot(n, weight_basis[m - 1][j], f->c);
    for (PetscInt k = 0; k < np; k++) beta[k][j] = f->h * AbutDot(n, weight_basis[m - 1][j], f->beta[k]);
  }
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt j = 0; j < m; j++) {
      S[q * i + j] = A * c[i] * c[j];
      for (PetscInt k = 0; k < np; k++) S[q * i + j] += D * beta[k][i] * beta[k][j];
    }
    for (PetscInt k = 0; k < np; k++) S[q * i + m + k] = S[q * (m + k) + i] = D * size * beta[k][i];
  }
  for (PetscInt k = 0; k < np; k++) {
    for (PetscInt l = 0; l < np; l++) S[q * (m + k) + m + l] = 0;
  }
}

/* H = scale Q S Q^T, the columns of Q being the basis vectors. */
static inline void ExpandHessian(PetscInt dim, PetscInt n, PetscInt np, const AbutDistFrame *f, PetscReal scale, PetscReal size,
                                 const PetscReal S[], PetscReal H[])
{
  const PetscInt m = n - 1, q = m + np, N = n * dim;
  PetscReal      Q[12][5], Z[12][5];

  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt i = 0; i < dim; i++) {
      for (PetscInt j = 0; j < m; j++) Q[dim * a + i][j] = weight_basis[m - 1][j][a] * f->normal[i];
      for (PetscInt k = 0; k < np; k++) Q[dim * a + i][m + k] = f->c[a] / size * f->tau[k][i];
    }
  }
  for (PetscInt r = 0; r < N; r++) {
    for (PetscInt j = 0; j < q; j++) Z[r][j] = scale * AbutDot(q, Q[r], S + q * j);
  }
  for (PetscInt r = 0; r < N; r++) {
    for (PetscInt c = 0; c <= r; c++) H[N * r + c] = H[N * c + r] = AbutDot(q, Z[r], Q[c]);
  }
}

/* H += scale E (c c^T) (x) (I - n n^T - sum tau tau^T) */
static void AddRest(PetscInt dim, const AbutDistFrame *f, PetscReal scale, PetscReal E, PetscReal H[])
{
  const PetscInt N = f->n * dim;

  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) {
      PetscReal rest = (i == j) - f->normal[i] * f->normal[j];
      for (PetscInt k = 0; k < f->k; k++) rest -= f->tau[k][i] * f->tau[k][j];
      for (PetscInt a = 0; a < f->n; a++) {
        for (PetscInt b = 0; b < f->n; b++) H[N * (dim * a + i) + dim * b + j] += scale * E * f->c[a] * f->c[b] * rest;
      }
    }
  }
}

/* A and D of the Hessian's formula, and the factor of all its terms. */
typedef struct {
  PetscReal scale, A, D;
} Curvature;

/* Inlined once for each form with n points and np parameters, so that all loops have constant bounds. */
static inline void HessianForm(PetscInt dim, PetscInt n, PetscInt np, const AbutDistFrame *f, const Curvature *k, AbutProjection projection,
                               PetscReal H[])
{
  const PetscReal size = AbutNorm(n, f->c);
  PetscReal       S[25];

  ReducedHessian(n, np, f, k->A, k->D, size, S);
  if (np)
    AbutProject(n - 1 + np, projection, S);
  else
    S[0] = AbutProjectScalar(projection, S[0]);
  ExpandHessian(dim, n, np, f, k->scale, size, S, H);
}

static void HessianPlain(PetscInt dim, const AbutStencil *st, PetscReal shat, AbutProjection projection, const PetscReal x[], PetscReal H[])
{
  const PetscReal sign = st->weight < 0 ? -1 : 1, size = sign * st->weight;
  AbutDistFrame   f;
  Curvature       k;
  PetscReal       A, D, db, ddb, rest;

  AbutDist2Frame(st->form, dim, x, &f);
  AbutBarrier(f.h * f.h, shat, &db, &ddb);
  A = sign * (4 * f.h * f.h * ddb + 2 * db);
  D = sign * (-2 * db);
  k = (Curvature){size, A, D};
  if (st->n == 4)
    HessianForm(3, 4, 2, &f, &k, projection, H);
  else if (st->n == 3 && dim == 3)
    HessianForm(3, 3, 1, &f, &k, projection, H);
  else if (st->n == 3)
    HessianForm(2, 3, 1, &f, &k, projection, H);
  else if (dim == 3)
    HessianForm(3, 2, 0, &f, &k, projection, H);
  else
    HessianForm(2, 2, 0, &f, &k, projection, H);
  rest = AbutProjectScalar(projection, -D);
  if (f.k < dim - 1 && rest != 0) AddRest(dim, &f, size, rest, H);
}

/* R = (W (x) I) H (W (x) I)^T, 9 x 9: the Hessian of four points without translations. AddTranslations() is the inverse. */
static void RemoveTranslations(const PetscReal H[144], PetscReal R[81])
{
  PetscReal Z[9][12];

  for (int r = 0; r < 9; r++) {
    for (int c = 0; c < 12; c++) {
      Z[r][c] = 0;
      for (int a = 0; a < 4; a++) Z[r][c] += weight_basis[2][r / 3][a] * H[12 * (3 * a + r % 3) + c];
    }
  }
  for (int r = 0; r < 9; r++) {
    for (int c = 0; c <= r; c++) {
      PetscReal sum = 0;
      for (int a = 0; a < 4; a++) sum += Z[r][3 * a + c % 3] * weight_basis[2][c / 3][a];
      R[9 * r + c] = R[9 * c + r] = sum;
    }
  }
}

static void AddTranslations(const PetscReal R[81], PetscReal H[144])
{
  PetscReal Z[12][9];

  for (int r = 0; r < 12; r++) {
    for (int c = 0; c < 9; c++) {
      Z[r][c] = 0;
      for (int j = 0; j < 3; j++) Z[r][c] += weight_basis[2][j][r / 3] * R[9 * (3 * j + r % 3) + c];
    }
  }
  for (int r = 0; r < 12; r++) {
    for (int c = 0; c <= r; c++) {
      PetscReal sum = 0;
      for (int j = 0; j < 3; j++) sum += Z[r][3 * j + c % 3] * weight_basis[2][j][c / 3];
      H[12 * r + c] = H[12 * c + r] = sum;
    }
  }
}

static void HessianMollified(const AbutStencil *st, PetscReal shat, AbutProjection projection, const PetscReal x[12], PetscReal H[144])
{
  PetscReal       gs[12], gc[12], Hs[144], Hc[144], R[81], db, ddb, dm, ddm;
  const PetscReal s = EdgeEdgeDist2(st, x, gs, Hs), c = AbutEdgeEdgeCross2(x, gc, Hc);
  const PetscReal b = AbutBarrier(s, shat, &db, &ddb), m = AbutMollifier(c, st->eps_cross, &dm, &ddm);

  for (int i = 0; i < 12; i++) {
    for (int j = 0; j < 12; j++) {
      const PetscReal mollifier = b * (ddm * gc[i] * gc[j] + dm * Hc[12 * i + j]);
      const PetscReal mixed     = dm * db * (gc[i] * gs[j] + gs[i] * gc[j]);
      H[12 * i + j]             = st->weight * (mollifier + mixed + m * (ddb * gs[i] * gs[j] + db * Hs[12 * i + j]));
    }
  }
  if (projection) {
    RemoveTranslations(H, R);
    AbutProject(9, projection, R);
    AddTranslations(R, H);
  }
}

void AbutStencilHessian(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat, AbutProjection projection,
                        const PetscReal x[], PetscReal H[])
{
  if (plane) {
    PetscReal       A, db, ddb;
    const PetscReal h = AbutPlaneHeight(dim, plane->normal, plane->point, x);
    AbutBarrier(h * h, shat, &db, &ddb);
    A = 4 * h * h * ddb + 2 * db;
    A = AbutProjectScalar(projection, A);
    for (PetscInt i = 0; i < dim; i++) {
      for (PetscInt j = 0; j < dim; j++) H[dim * i + j] = st->weight * A * plane->normal[i] * plane->normal[j];
    }
  } else if (st->eps_cross > 0)
    HessianMollified(st, shat, projection, x, H);
  else
    HessianPlain(dim, st, shat, projection, x, H);
}

/* Number of vertices on the first side of a stencil, indexed by AbutDistForm. */
static const PetscInt first_side[] = {1, 1, 1, 2};

void AbutStencilContactPoint(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat, PetscReal kappa,
                             const PetscReal x[], AbutContactPoint *point)
{
  PetscReal db;

  *point =
    (AbutContactPoint){.n = st->n, .plane = st->plane, .first = 1, .dhat = PetscSqrtReal(shat), .pairs = (PetscInt)(st->weight + 0.5)};
  for (int a = 0; a < ABUT_POINT_VERTICES; a++) point->v[a] = a < 4 ? st->v[a] : -1;
  if (plane) {
    point->weight[0] = 1;
    point->dist      = AbutPlaneHeight(dim, plane->normal, plane->point, x);
    for (PetscInt i = 0; i < dim; i++) point->normal[i] = plane->normal[i];
  } else {
    AbutDistFrame f;
    PetscReal     sign;
    AbutDist2Frame(st->form, dim, x, &f);
    sign         = f.h < 0 ? -1 : 1;
    point->first = first_side[st->form];
    point->dist  = sign * f.h;
    for (PetscInt a = 0; a < f.n; a++) point->weight[a] = f.c[a];
    for (PetscInt i = 0; i < dim; i++) point->normal[i] = sign * f.normal[i];
  }
  AbutBarrier(point->dist * point->dist, shat, &db, NULL);
  point->force = -2 * kappa * st->weight * point->dist * db;
  for (PetscInt i = 0; i < dim; i++) point->force_vector[i] = point->force * point->normal[i];
}
