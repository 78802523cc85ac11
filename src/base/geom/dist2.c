/*
  Squared distances by closed form with closest points and derivatives; AbutDistFrame states the formulas. Results depend on differences
  of coordinates only.
*/
#include "distimpl.h"

/* A unit vector normal to e, for a point on the line, where the direction of the distance is not defined. */
static void AnyNormal(const PetscReal e[3], PetscReal n[3])
{
  const PetscReal axis[3] = {PetscAbsReal(e[0]) < 0.6, PetscAbsReal(e[0]) >= 0.6, 0};

  AbutCross(e, axis, n);
  (void)AbutNormalize(3, n);
}

static void FramePointPoint(PetscInt dim, const PetscReal x[], AbutDistFrame *f)
{
  f->n = 2;
  f->k = 0;
  AbutSub_Private(dim, x, x + dim, f->normal);
  f->h    = AbutNorm(dim, f->normal);
  f->c[0] = 1;
  f->c[1] = -1;
  for (PetscInt i = 0; i < dim; i++) f->normal[i] = f->h > 0 ? f->normal[i] / f->h : (PetscReal)(i == 0);
}

static void FramePointLine(PetscInt dim, const PetscReal x[], AbutDistFrame *f)
{
  const PetscReal *p = x, *e0 = x + dim, *e1 = x + 2 * dim;
  PetscReal       *e = f->tau[0], d[3], length, along;

  f->n = 3;
  f->k = 1;
  AbutSub_Private(dim, e1, e0, e);
  AbutSub_Private(dim, p, e0, d);
  length = AbutNorm(dim, e);
  for (PetscInt i = 0; i < dim; i++) e[i] /= length;
  along         = AbutDot(dim, d, e) / length;
  f->c[0]       = 1;
  f->c[1]       = along - 1;
  f->c[2]       = -along;
  f->beta[0][0] = 0;
  f->beta[0][1] = -1 / length;
  f->beta[0][2] = 1 / length;
  if (dim == 2) {
    f->h         = AbutPointLineCross2D_Private(p, e0, e1) / length;
    f->normal[0] = -e[1];
    f->normal[1] = e[0];
  } else {
    PetscReal q[3], size;
    AbutPointLineCross3D_Private(p, e0, e1, q);
    size = AbutNorm(3, q);
    f->h = size / length;
    if (size > 0) {
      AbutCross(q, e, f->normal);
      for (int i = 0; i < 3; i++) f->normal[i] /= size;
    } else
      AnyNormal(e, f->normal);
  }
}

/* Normal n and tangents of the plane of a and b: a = l00 tau_0, b = l10 tau_0 + l11 tau_1. */
typedef struct {
  PetscReal n[3], nn, l00, l10, l11;
} PlaneBasis;

static void PlaneFrame(const PetscReal a[3], const PetscReal b[3], PlaneBasis *p, AbutDistFrame *f)
{
  PetscReal size;

  AbutCross(a, b, p->n);
  p->nn  = AbutDot(3, p->n, p->n);
  p->l00 = AbutNorm(3, a);
  size   = PetscSqrtReal(p->nn);
  for (int i = 0; i < 3; i++) {
    f->normal[i] = p->n[i] / size;
    f->tau[0][i] = a[i] / p->l00;
  }
  AbutCross(f->normal, f->tau[0], f->tau[1]);
  p->l10 = AbutDot(3, b, f->tau[0]);
  p->l11 = size / p->l00;
}

/*
  Plane of the edges a, b of a face and a point at distance d from it, or of the directions a, b of two lines. Parameters of the closest
  points: u, v on the face; -u, v on the lines.
*/
static void FramePlane(PetscBool lines, const PetscReal x[12], AbutDistFrame *f)
{
  static const int       ends[2][3][2] = {{{6, 3}, {9, 3}, {0, 3}}, {{3, 0}, {9, 6}, {0, 6}}}; /* a, b, d: coordinates of both ends */
  static const PetscReal B[2][2][4]    = {{{0, -1, 1, 0}, {0, -1, 0, 1}}, {{-1, 1, 0, 0}, {0, 0, -1, 1}}};
  PetscReal              e[3][3], m[3], u, v;
  PlaneBasis             p;

  f->n = 4;
  f->k = 2;
  for (int i = 0; i < 3; i++) AbutSub_Private(3, x + ends[lines][i][0], x + ends[lines][i][1], e[i]);
  PlaneFrame(e[0], e[1], &p, f);
  f->h = (lines ? AbutLineLineHeight_Private(e[0], e[2], p.n) : AbutDot(3, e[2], p.n)) / PetscSqrtReal(p.nn);
  AbutCross(e[2], e[1], m);
  u = AbutDot(3, m, p.n) / p.nn;
  AbutCross(e[0], e[2], m);
  v       = AbutDot(3, m, p.n) / p.nn;
  f->c[0] = lines ? 1 + u : 1;
  f->c[1] = lines ? -u : u + v - 1;
  f->c[2] = lines ? v - 1 : -u;
  f->c[3] = -v;
  for (int i = 0; i < 4; i++) { /* derivatives by the parameters along a and b, then by orthonormal parameters */
    f->beta[0][i] = B[lines][0][i] / p.l00;
    f->beta[1][i] = (B[lines][1][i] - p.l10 * f->beta[0][i]) / p.l11;
  }
}

void AbutDist2Frame(AbutDistForm form, PetscInt dim, const PetscReal x[], AbutDistFrame *frame)
{
  switch (form) {
  case ABUT_DIST_POINT_POINT: FramePointPoint(dim, x, frame); break;
  case ABUT_DIST_POINT_LINE: FramePointLine(dim, x, frame); break;
  case ABUT_DIST_POINT_PLANE: FramePlane(PETSC_FALSE, x, frame); break;
  case ABUT_DIST_LINE_LINE: FramePlane(PETSC_TRUE, x, frame); break;
  }
}

static inline void FrameGradient(PetscInt dim, const AbutDistFrame *f, PetscReal grad[])
{
  for (PetscInt a = 0; a < f->n; a++) {
    for (PetscInt i = 0; i < dim; i++) grad[dim * a + i] = 2 * f->h * f->c[a] * f->normal[i];
  }
}

static inline void FrameHessian(PetscInt dim, const AbutDistFrame *f, PetscReal hess[])
{
  const PetscInt N = f->n * dim;
  PetscReal      P[3][3], z[4][3]; /* I - sum tau tau^T; z_a = h sum_k beta_k,a tau_k */

  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++) {
      P[i][j] = i == j;
      for (PetscInt k = 0; k < f->k; k++) P[i][j] -= f->tau[k][i] * f->tau[k][j];
    }
  }
  for (PetscInt a = 0; a < f->n; a++) {
    for (PetscInt i = 0; i < dim; i++) {
      z[a][i] = 0;
      for (PetscInt k = 0; k < f->k; k++) z[a][i] += f->h * f->beta[k][a] * f->tau[k][i];
    }
  }
  for (PetscInt a = 0; a < f->n; a++) {
    for (PetscInt b = 0; b <= a; b++) {
      const PetscReal cc = f->c[a] * f->c[b];
      PetscReal       bb = 0;
      for (PetscInt k = 0; k < f->k; k++) bb += f->h * f->beta[k][a] * f->h * f->beta[k][b];
      for (PetscInt i = 0; i < dim; i++) {
        for (PetscInt j = 0; j < dim; j++) {
          const PetscReal mixed                 = f->c[a] * z[b][i] * f->normal[j] + f->c[b] * f->normal[i] * z[a][j];
          const PetscReal value                 = 2 * (cc * P[i][j] - mixed - bb * f->normal[i] * f->normal[j]);
          hess[N * (dim * a + i) + dim * b + j] = value;
          hess[N * (dim * b + j) + dim * a + i] = value;
        }
      }
    }
  }
}

PetscReal AbutDist2(AbutDistForm form, PetscInt dim, const PetscReal x[], PetscReal grad[], PetscReal hess[])
{
  static const PetscInt all[4] = {0, 1, 2, 3};

  if (grad || hess) {
    AbutDistFrame f;
    AbutDist2Frame(form, dim, x, &f);
    if (grad) FrameGradient(dim, &f, grad);
    if (hess && dim == 3)
      FrameHessian(3, &f, hess);
    else if (hess)
      FrameHessian(2, &f, hess);
  }
  return AbutFormDist2_Private(form, dim, x, all);
}

/* f = |n|^2, n = u x v: f_u = 2 v x n, f_v = 2 n x u; u = a1 - a0 and v = b1 - b0 give the signs of the blocks. */
PetscReal AbutEdgeEdgeCross2(const PetscReal x[12], PetscReal grad[12], PetscReal hess[144])
{
  static const int edge[4] = {0, 0, 1, 1}, sign[4] = {-1, 1, -1, 1};
  PetscReal        u[3], v[3], n[3];

  AbutSub_Private(3, x + 3, x, u);
  AbutSub_Private(3, x + 9, x + 6, v);
  AbutCross(u, v, n);
  if (grad) {
    PetscReal g[2][3];
    AbutCross(v, n, g[0]);
    AbutCross(n, u, g[1]);
    for (int a = 0; a < 4; a++) {
      for (int i = 0; i < 3; i++) grad[3 * a + i] = 2 * sign[a] * g[edge[a]][i];
    }
  }
  if (hess) {
    const PetscReal uu = AbutDot(3, u, u), vv = AbutDot(3, v, v), uv = AbutDot(3, u, v);
    PetscReal       H[2][2][3][3];
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        H[0][0][i][j] = 2 * ((i == j) * vv - v[i] * v[j]);
        H[1][1][i][j] = 2 * ((i == j) * uu - u[i] * u[j]);
        H[0][1][i][j] = 2 * (2 * u[i] * v[j] - v[i] * u[j] - (i == j) * uv);
        H[1][0][j][i] = H[0][1][i][j];
      }
    }
    for (int a = 0; a < 4; a++) {
      for (int b = 0; b < 4; b++) {
        for (int i = 0; i < 3; i++) {
          for (int j = 0; j < 3; j++) hess[12 * (3 * a + i) + 3 * b + j] = sign[a] * sign[b] * H[edge[a]][edge[b]][i][j];
        }
      }
    }
  }
  return AbutDot(3, n, n);
}
