/*
  Vectors of a few points with two derivatives: differences of closest points, normals.

  A difference of closest points is r = sum_i c_i x_i with parameters such that r . tau_k = 0 (frame of geom.h, tau_k = sum_i beta_ki x_i).
  The parameters move by -a_k . dx, a_k = c (x) tau_k + beta_k (x) r, so that with Q the projection normal to all tau

      dr  = c . dx - sum_k tau_k (a_k . dx)
      ddr = -2 sum_k [ (a_k . dx) Q (beta_k . dx) + tau_k (dr . (beta_k . dx)) ].
*/
#include "orientedimpl.h"

/* a_k over the points. */
static void ParameterGradient(const AbutOrientedVector *w, PetscInt k, PetscReal a[12])
{
  for (PetscInt p = 0; p < w->n; p++) {
    for (PetscInt i = 0; i < w->dim; i++) a[w->dim * p + i] = w->frame.c[p] * w->frame.tau[k][i] + w->frame.beta[k][p] * w->v[i];
  }
}

void AbutOrientedDifferenceValue(AbutDistForm form, PetscInt dim, const PetscReal x[], AbutOrientedVector *w)
{
  w->dim    = dim;
  w->normal = PETSC_FALSE;
  AbutDist2Frame(form, dim, x, &w->frame);
  w->n = w->frame.n;
  for (PetscInt i = 0; i < dim; i++) w->v[i] = w->frame.h * w->frame.normal[i];
}

/* Inlined for each dimension. */
static inline void Jacobian(PetscInt dim, AbutOrientedVector *w)
{
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt p = 0; p < w->n; p++) {
      for (PetscInt j = 0; j < dim; j++) w->J[i][dim * p + j] = i == j ? w->frame.c[p] : 0;
    }
  }
  for (PetscInt k = 0; k < w->frame.k; k++) {
    PetscReal a[12];
    ParameterGradient(w, k, a);
    for (PetscInt i = 0; i < dim; i++) {
      for (PetscInt j = 0; j < dim * w->n; j++) w->J[i][j] -= w->frame.tau[k][i] * a[j];
    }
  }
}

void AbutOrientedDifferenceJacobian(AbutOrientedVector *w)
{
  ABUT_BY_DIM(w->dim, Jacobian, w);
}

void AbutOrientedDifference(AbutDistForm form, PetscInt dim, const PetscReal x[], AbutOrientedVector *w)
{
  AbutOrientedDifferenceValue(form, dim, x, w);
  AbutOrientedDifferenceJacobian(w);
}

/* J of a cross product a x b, a = x1 - x0, b = x2 - x0: column j of point p is the change with e_j. */
static void CrossJacobian(const PetscReal a[3], const PetscReal b[3], PetscReal J[3][12])
{
  for (PetscInt j = 0; j < 3; j++) {
    PetscReal unit[3] = {0}, da[3], db[3];
    unit[j]           = 1;
    AbutCross(unit, b, da);
    AbutCross(a, unit, db);
    for (PetscInt i = 0; i < 3; i++) {
      J[i][j]     = -da[i] - db[i];
      J[i][3 + j] = da[i];
      J[i][6 + j] = db[i];
    }
  }
}

void AbutOrientedNormal(PetscInt dim, const PetscReal x[], AbutOrientedVector *w)
{
  w->dim    = dim;
  w->n      = dim;
  w->normal = PETSC_TRUE;
  if (dim == 2) {
    static const PetscReal right[2][4] = {{0, -1, 0, 1}, {1, 0, -1, 0}};
    for (PetscInt i = 0; i < 2; i++) {
      (void)PetscArraycpy(w->J[i], right[i], 4);
      w->v[i] = AbutDot(4, right[i], x);
    }
  } else {
    const PetscReal a[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]}, b[3] = {x[6] - x[0], x[7] - x[1], x[8] - x[2]};
    AbutCross(a, b, w->v);
    CrossJacobian(a, b, w->J);
  }
}

/* g . ((x1 - x0) x (x2 - x0)): the blocks of points p and q are +-[g], cyclic order positive. */
static void CrossHessian(const PetscReal g[3], PetscReal H[81])
{
  const PetscReal cross[3][3] = {{0, g[2], -g[1]}, {-g[2], 0, g[0]}, {g[1], -g[0], 0}};

  for (PetscInt p = 0; p < 3; p++) {
    const PetscInt next = (p + 1) % 3;
    for (PetscInt i = 0; i < 3; i++) {
      for (PetscInt j = 0; j < 3; j++) {
        H[9 * (3 * p + i) + 3 * p + j]    = 0;
        H[9 * (3 * p + i) + 3 * next + j] = cross[i][j];
        H[9 * (3 * next + i) + 3 * p + j] = cross[j][i];
      }
    }
  }
}

/* Inlined for the numbers of points that occur, so that loops have constant bounds. */
static inline void DifferenceHessian(PetscInt dim, PetscInt n, const AbutOrientedVector *w, const PetscReal g[], PetscReal H[])
{
  const PetscInt N = dim * n;
  PetscReal      rest[3], half[12][12] = {{0}};

  for (PetscInt i = 0; i < dim; i++) rest[i] = g[i];
  for (PetscInt k = 0; k < w->frame.k; k++) {
    const PetscReal along = AbutDot(dim, g, w->frame.tau[k]);
    for (PetscInt i = 0; i < dim; i++) rest[i] -= along * w->frame.tau[k][i];
  }
  for (PetscInt k = 0; k < w->frame.k; k++) {
    const PetscReal along = AbutDot(dim, g, w->frame.tau[k]);
    PetscReal       a[12];
    ParameterGradient(w, k, a);
    for (PetscInt r = 0; r < N; r++) {
      const PetscReal beta = w->frame.beta[k][r / dim], across = beta * rest[r % dim], turned = beta * along, *J = w->J[r % dim];
      for (PetscInt c = 0; c < N; c++) half[r][c] -= across * a[c] + turned * J[c];
    }
  }
  for (PetscInt r = 0; r < N; r++) {
    for (PetscInt c = 0; c < N; c++) H[N * r + c] = half[r][c] + half[c][r];
  }
}

void AbutOrientedVectorHessian(const AbutOrientedVector *w, const PetscReal g[], PetscReal H[])
{
  const PetscInt N = w->dim * w->n;

  if (w->normal && w->dim == 3) {
    CrossHessian(g, H);
    return;
  }
  if (w->normal || w->frame.k == 0)
    (void)PetscArrayzero(H, N * N);
  else if (N == 9)
    DifferenceHessian(3, 3, w, g, H);
  else if (N == 12)
    DifferenceHessian(3, 4, w, g, H);
  else
    DifferenceHessian(2, 3, w, g, H);
}

/* c_p moves by sum_k beta_kp eta_k, d eta_k = -a_k . dx, dd eta_k = -2 dr . (beta_k . dx) + 2 sum_l (a_l . dx) tau_k . (beta_l . dx). */
void AbutOrientedPointWeight(const AbutOrientedVector *w, PetscInt p, PetscReal g[], PetscReal H[])
{
  const PetscInt dim = w->dim, N = dim * w->n;
  PetscReal      a[2][12];

  (void)PetscArrayzero(g, N);
  if (H) (void)PetscArrayzero(H, N * N);
  for (PetscInt k = 0; k < w->frame.k; k++) ParameterGradient(w, k, a[k]);
  for (PetscInt k = 0; k < w->frame.k; k++) {
    const PetscReal scale = w->frame.beta[k][p];
    for (PetscInt r = 0; r < N; r++) {
      g[r] -= scale * a[k][r];
      for (PetscInt c = 0; H && c < N; c++) {
        PetscReal sum = -w->J[c % dim][r] * w->frame.beta[k][c / dim] - w->J[r % dim][c] * w->frame.beta[k][r / dim];
        for (PetscInt l = 0; l < w->frame.k; l++) {
          sum += a[l][r] * w->frame.beta[l][c / dim] * w->frame.tau[k][c % dim];
          sum += a[l][c] * w->frame.beta[l][r / dim] * w->frame.tau[k][r % dim];
        }
        H[N * r + c] += scale * sum;
      }
    }
  }
}
