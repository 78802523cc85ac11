/* Friction of one contact: derivatives against finite differences for every kind of contact, below and above the threshold; projection. */
#include "test.h"
#include "../../src/model/friction/frictionimpl.h"
#include "../../src/model/potential/potentialimpl.h"

#define EPS 0.3 /* threshold; displacements are of order 1 */

static const struct {
  PetscInt     dim, n;
  AbutDistForm form;
  PetscBool    plane;
} kinds[] = {
  {2, 2, ABUT_DIST_POINT_POINT, PETSC_FALSE}, {3, 2, ABUT_DIST_POINT_POINT, PETSC_FALSE}, {2, 3, ABUT_DIST_POINT_LINE, PETSC_FALSE},
  {3, 3, ABUT_DIST_POINT_LINE, PETSC_FALSE},  {3, 4, ABUT_DIST_POINT_PLANE, PETSC_FALSE}, {3, 4, ABUT_DIST_LINE_LINE, PETSC_FALSE},
  {2, 1, ABUT_DIST_POINT_PLANE, PETSC_TRUE},  {3, 1, ABUT_DIST_POINT_PLANE, PETSC_TRUE},
};
#define NUM_KINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

typedef struct {
  PetscInt          dim;
  AbutFrictionPoint point;
} Case;

static void SlipOf(const Case *c, const PetscReal d[], PetscReal u[2])
{
  PetscReal relative[3] = {0, 0, 0};

  for (PetscInt a = 0; a < c->point.n; a++) {
    for (PetscInt k = 0; k < c->dim; k++) relative[k] += c->point.weight[a] * d[c->dim * a + k];
  }
  AbutFrictionSlip(c->dim, &c->point, relative, u);
}

static void Value(const PetscReal d[], PetscReal out[], void *ctx)
{
  const Case *c = ctx;
  PetscReal   u[2];

  SlipOf(c, d, u);
  out[0] = AbutFrictionPointEnergy(c->dim, &c->point, EPS, u);
}

static void Gradient(const PetscReal d[], PetscReal out[], void *ctx)
{
  const Case *c = ctx;
  PetscReal   u[2], force[3];

  SlipOf(c, d, u);
  AbutFrictionPointForce(c->dim, &c->point, EPS, u, force);
  for (PetscInt i = 0; i < c->point.n * c->dim; i++) out[i] = -c->point.weight[i / c->dim] * force[i % c->dim];
}

/* Creates a contact of random points and checks its closest points and normal. */
static void RandomCase(uint64_t *seed, int kind, PetscReal mu_static, PetscReal mu_kinetic, Case *c)
{
  const PetscInt      dim   = kinds[kind].dim;
  const AbutPlaneSpec plane = {"tilted", {-2, -2, -2}, {0.6, dim == 2 ? 0.8 : 0, dim == 2 ? 0 : 0.8}};
  AbutStencil      st = {.n = kinds[kind].n, .v = {0, 1, 2, 3}, .form = kinds[kind].form, .plane = kinds[kind].plane ? 0 : -1, .weight = 2};
  AbutContactPoint p;
  PetscReal        x[12], sum[3] = {0, 0, 0};

  for (int i = 0; i < 12; i++) x[i] = AbutTestRandom(seed);
  AbutStencilContactPoint(dim, &st, kinds[kind].plane ? &plane : NULL, 100, 3, x, &p);
  assert_true(p.force > 0 && p.dist > 0);
  assert_true(p.first == (st.form == ABUT_DIST_LINE_LINE ? 2 : 1) && p.pairs == 2 && p.n == st.n);
  for (PetscInt a = 0; a < p.n; a++) {
    for (PetscInt k = 0; k < dim; k++) sum[k] += p.weight[a] * x[dim * a + k];
  }
  for (PetscInt k = 0; k < dim && !kinds[kind].plane; k++) sum[k] -= p.dist * p.normal[k];
  if (!kinds[kind].plane) AbutTestClose("difference of the closest points", dim, sum, (PetscReal[3]){0, 0, 0}, 1e-9);
  c->dim   = dim;
  c->point = (AbutFrictionPoint){.n = p.n, .normal_force = 2, .mu_static = mu_static, .mu_kinetic = mu_kinetic};
  for (int a = 0; a < 4; a++) c->point.weight[a] = a < p.n ? p.weight[a] : 0;
  AbutTangents(dim, p.normal, c->point.tangent);
  for (PetscInt k = 0; k < dim - 1; k++) {
    assert_true(PetscAbsReal(AbutDot(3, c->point.tangent[k], p.normal)) < 1e-14);
    for (PetscInt l = 0; l <= k; l++) assert_true(PetscAbsReal(AbutDot(3, c->point.tangent[k], c->point.tangent[l]) - (k == l)) < 1e-14);
  }
}

/* Random displacements whose slip has the given length. */
static void RandomDisplacements(uint64_t *seed, const Case *c, PetscReal length, PetscReal d[12])
{
  PetscReal u[2], y;

  for (int i = 0; i < 12; i++) d[i] = AbutTestRandom(seed);
  SlipOf(c, d, u);
  y = PetscSqrtReal(AbutDot(c->dim - 1, u, u));
  for (int i = 0; i < 12; i++) d[i] *= length / y;
}

/*
  4th-order differences with step 1e-4 in the slip. The truncation error is 1e-16 times fifth derivatives of order 1 / EPS^5 or 1 / y^4.
  Near rest, where third derivatives of |u| are unbounded, it is (1e-4)^2 / y^2 f'' / EPS. No slip is near a kink of the second derivative.
*/
static void DerivativesMatchDifferences(void **state)
{
  static const PetscReal slips[] = {0.02, 0.1, 0.3, 0.45, 0.55, 0.8, 0.95, 1.05, 1.5, 8}; /* in units of EPS */
  static const PetscReal mu[][2] = {{0.5, 0.5}, {0.8, 0.3}, {0.2, 0.7}, {0.9, 0}};
  uint64_t               seed    = 1;

  (void)state;
  for (int trial = 0; trial < NUM_KINDS * 10 * 4; trial++) {
    const int kind = trial % NUM_KINDS, m = trial / NUM_KINDS % 4;
    Case      c;
    PetscReal d[12], u[2], g[12], H[144], g_fd[12], H_fd[144], weight = 0;
    PetscInt  N;
    RandomCase(&seed, kind, mu[m][0], mu[m][1], &c);
    RandomDisplacements(&seed, &c, EPS * slips[trial / NUM_KINDS / 4], d);
    N = c.point.n * c.dim;
    for (PetscInt a = 0; a < c.point.n; a++) weight = PetscMax(weight, PetscAbsReal(c.point.weight[a]));
    SlipOf(&c, d, u);
    Gradient(d, g, &c);
    AbutFrictionPointHessian(c.dim, &c.point, EPS, ABUT_PSD_NONE, u, H);
    AbutTestJacobian(Value, &c, N, 1, d, 1e-4 / weight, g_fd);
    AbutTestJacobian(Gradient, &c, N, N, d, 1e-4 / weight, H_fd);
    for (PetscInt i = 0; i < N; i++) g_fd[i] /= weight, g[i] /= weight;
    for (PetscInt i = 0; i < N * N; i++) H_fd[i] /= weight * weight, H[i] /= weight * weight;
    AbutTestClose("gradient", N, g, g_fd, 1e-7);
    AbutTestClose("Hessian", N * N, H, H_fd, 1e-6);
  }
}

/*
  phi, phi' / y and phi'' are continuous at rest, at half the threshold and at the threshold: their changes over 1e-8 EPS are of that order.
*/
static void CoefficientIsContinuous(void **state)
{
  static const PetscReal at[] = {0, 0.5, 1};

  (void)state;
  for (int i = 0; i < 3; i++) {
    PetscReal       below[3], above[3];
    const PetscReal y = EPS * at[i], dy = i ? 1e-8 * EPS : 0;
    below[0] = AbutFrictionPotential(y - dy, EPS, 0.8, 0.3, &below[1], &below[2]);
    above[0] = AbutFrictionPotential(y + 1e-8 * EPS, EPS, 0.8, 0.3, &above[1], &above[2]);
    AbutTestClose("value, slope over slip, curvature", 3, below, above, 1e-6);
  }
}

/* At zero slip the force is 0, and the stiffness is 2 mu_static N / eps in all tangential directions. */
static void RestIsStiff(void **state)
{
  uint64_t seed = 3;

  (void)state;
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const PetscReal u[2] = {0, 0};
    Case            c;
    PetscReal       force[3], H[144], expected, trace = 0;
    RandomCase(&seed, kind, 0.8, 0.3, &c);
    AbutFrictionPointForce(c.dim, &c.point, EPS, u, force);
    assert_true(force[0] == 0 && force[1] == 0 && force[2] == 0);
    AbutFrictionPointHessian(c.dim, &c.point, EPS, ABUT_PSD_CLAMP, u, H);
    for (PetscInt i = 0; i < c.point.n * c.dim; i++) trace += H[(c.point.n * c.dim + 1) * i];
    expected = (PetscReal)(c.dim - 1) * 2 * 0.8 * 2 / EPS * AbutDot(c.point.n, c.point.weight, c.point.weight);
    AbutTestClose("trace at rest", 1, &trace, &expected, 1e-13);
  }
}

/* The projection of M equals the dense projection of the full Hessian up to round-off, for normal forces of both signs. */
static void ProjectionsMatchDense(void **state)
{
  uint64_t  seed   = 5;
  PetscReal change = 0;

  (void)state;
  for (int trial = 0; trial < NUM_KINDS * 40; trial++) {
    Case      c;
    PetscReal d[12], u[2], H[144], P[144], size = 0;
    PetscInt  N;
    RandomCase(&seed, trial % NUM_KINDS, 1, 0.2, &c);
    if (trial / NUM_KINDS / 2 % 2) c.point.normal_force *= -1;
    RandomDisplacements(&seed, &c, EPS * (trial / NUM_KINDS + 1) / 41., d);
    N = c.point.n * c.dim;
    SlipOf(&c, d, u);
    AbutFrictionPointHessian(c.dim, &c.point, EPS, ABUT_PSD_NONE, u, H);
    AbutFrictionPointHessian(c.dim, &c.point, EPS, ABUT_PSD_CLAMP, u, P);
    for (PetscInt i = 0; i < N * N; i++) size = PetscMax(size, PetscAbsReal(H[i]));
    for (PetscInt i = 0; i < N * N; i++) change = PetscMax(change, PetscAbsReal(P[i] - H[i]) / size);
    AbutProject(N, ABUT_PSD_CLAMP, H);
    for (PetscInt i = 0; i < N * N; i++) H[i] /= size, P[i] /= size;
    AbutTestClose("projection", N * N, P, H, 1e-12);
  }
  assert_true(change > 0.1); /* the falling coefficient causes negative curvature */
}

/*
  Beyond the threshold the quadratic model with the majorizer touches the energy and bounds it from above. The model with the exact Hessian
  is below the energy between the slip and 0.
*/
static void MajorizerBoundsFromAbove(void **state)
{
  static const PetscReal mu[][2] = {{0.5, 0.5}, {0.8, 0.3}, {0.9, 0}};
  uint64_t               seed    = 7;
  PetscInt               below   = 0;

  (void)state;
  for (int trial = 0; trial < NUM_KINDS * 3 * 40; trial++) {
    const int m = trial / NUM_KINDS % 3;
    Case      c;
    PetscReal d[12], e[12], u[2], H[144], K[144], g[12], size, model[2];
    PetscInt  N;
    RandomCase(&seed, trial % NUM_KINDS, mu[m][0], mu[m][1], &c);
    RandomDisplacements(&seed, &c, EPS * (1 + 4 * PetscAbsReal(AbutTestRandom(&seed))), d);
    RandomDisplacements(&seed, &c, EPS * 4 * PetscAbsReal(AbutTestRandom(&seed)), e);
    N = c.point.n * c.dim;
    SlipOf(&c, d, u);
    Gradient(d, g, &c);
    AbutFrictionPointHessian(c.dim, &c.point, EPS, ABUT_PSD_CLAMP, u, K);
    c.point.majorizer = 1;
    AbutFrictionPointHessian(c.dim, &c.point, EPS, ABUT_PSD_CLAMP, u, H);
    Value(d, &model[0], &c);
    model[1] = model[0];
    for (PetscInt i = 0; i < N; i++) {
      model[0] += g[i] * (e[i] - d[i]);
      model[1] += g[i] * (e[i] - d[i]);
      for (PetscInt j = 0; j < N; j++) {
        model[0] += H[N * i + j] * (e[i] - d[i]) * (e[j] - d[j]) / 2;
        model[1] += K[N * i + j] * (e[i] - d[i]) * (e[j] - d[j]) / 2;
      }
    }
    Value(e, &size, &c);
    assert_true(model[0] >= size - 1e-12 * (PetscAbsReal(model[0]) + PetscAbsReal(size)));
    below += model[1] < size - 1e-3 * size;
  }
  assert_true(below > 100);
}

/* Primal-dual Hessians equal the exact ones where the dual variable is the force at the slip, and are semidefinite for every other one. */
static void PrimalDualIsExactAtItsForce(void **state)
{
  const PetscReal none[2] = {0, 0};
  uint64_t        seed    = 11;

  (void)state;
  for (int trial = 0; trial < NUM_KINDS * 60; trial++) {
    Case      c;
    PetscReal d[12], u[2] = {0, 0}, H[144], P[144], K[144];
    PetscInt  N;
    RandomCase(&seed, trial % NUM_KINDS, 0.5, 0.5, &c);
    RandomDisplacements(&seed, &c, EPS * 3 * PetscAbsReal(AbutTestRandom(&seed)), d);
    N = c.point.n * c.dim;
    SlipOf(&c, d, u);
    AbutFrictionPointHessian(c.dim, &c.point, EPS, ABUT_PSD_NONE, u, H);
    c.point.dual[0] = c.point.dual[1] = 0;
    c.point.primal_dual               = PETSC_TRUE;
    AbutFrictionUpdateDual(EPS, u, none, c.point.dual);
    AbutFrictionPointHessian(c.dim, &c.point, EPS, ABUT_PSD_NONE, u, P);
    AbutTestClose("Hessian at the force of its slip", N * N, P, H, 1e-10);
    for (PetscInt k = 0; k < c.dim - 1; k++) c.point.dual[k] = AbutTestRandom(&seed) / 2;
    AbutFrictionPointHessian(c.dim, &c.point, EPS, ABUT_PSD_NONE, u, P);
    for (PetscInt i = 0; i < N * N; i++) K[i] = P[i];
    AbutProject(N, ABUT_PSD_CLAMP, K);
    AbutTestClose("projection of a primal-dual Hessian", N * N, P, K, 1e-10);
  }
}

/* Newton iterations, without line search, until a point on a spring of stiffness 1 that a force pulls is in equilibrium with friction 1. */
static int IterationsToRest(PetscReal eps, PetscReal pull, PetscReal start, PetscBool primal_dual)
{
  AbutFrictionPoint p    = {.n            = 1,
                            .weight       = {1},
                            .tangent      = {{1, 0, 0}},
                            .normal_force = 2,
                            .mu_static    = 0.5,
                            .mu_kinetic   = 0.5,
                            .peak         = 1,
                            .primal_dual  = primal_dual};
  PetscReal         u[2] = {start, 0}, du[2] = {0, 0}, force[3], K[3][3];

  for (int k = 0; k < 100; k++) {
    AbutFrictionPointForce(2, &p, eps, u, force);
    if (PetscAbsReal(force[0] + pull - u[0]) < 1e-9) return k;
    AbutFrictionTangentialHessian(2, &p, eps, ABUT_PSD_CLAMP, u, K);
    du[0] = (force[0] + pull - u[0]) / (1 + K[0][0]);
    AbutFrictionUpdateDual(eps, u, du, p.dual);
    u[0] += du[0];
  }
  return 100;
}

/* A point that is pulled by less than friction sticks after a few iterations, however small the threshold; exact Hessians fail. */
static void PrimalDualFindsTheStickingPoint(void **state)
{
  PetscInt lost = 0;

  (void)state;
  for (PetscReal eps = 1e-2; eps > 1e-11; eps /= 10) {
    for (PetscReal pull = -1.8; pull < 2; pull += 0.3) {
      assert_true(IterationsToRest(eps, pull, 1, PETSC_TRUE) <= 14);
      assert_true(IterationsToRest(eps, pull, -0.2, PETSC_TRUE) <= 14);
      lost += IterationsToRest(eps, pull, 1, PETSC_FALSE) == 100;
    }
  }
  assert_true(lost > 20);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(DerivativesMatchDifferences),
                                     cmocka_unit_test(CoefficientIsContinuous),
                                     cmocka_unit_test(RestIsStiff),
                                     cmocka_unit_test(ProjectionsMatchDense),
                                     cmocka_unit_test(MajorizerBoundsFromAbove),
                                     cmocka_unit_test(PrimalDualIsExactAtItsForce),
                                     cmocka_unit_test(PrimalDualFindsTheStickingPoint)};
  return AbutTestMain(argc, argv, tests);
}
