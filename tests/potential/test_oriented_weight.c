/* Weight of single primitives: derivatives over direction and one-ring, for directions across all switches. */
#include "oriented.h"

#define MAX_SLOTS (3 * (1 + MAX_VERTICES))

static TestOriented     t;
static AbutOrientedSpec spec = {0.9, 0.3, 0.8, 0.4, 2};

typedef struct {
  AbutOrientedPrimitive p;
  PetscReal             side;
} Factor;

/* Gradient of the logarithm over direction and stencil. */
static void Gradient(const PetscReal y[], PetscReal g[], void *ctx)
{
  const Factor   *f = (const Factor *)ctx;
  PetscReal       s[MAX_SLOTS];
  AbutOrientedLog log = {.dim = t.dim, .size = t.dim * (f->p.n + 1), .g = g, .s = s};

  AbutTestCall(PetscArrayzero(g, log.size));
  AbutTestCall(PetscArrayzero(s, log.size));
  AbutOrientedWeightLog(t.dim, &spec, &f->p, f->side, y, y + t.dim, 1, &log);
}

static void Value(const PetscReal y[], PetscReal out[], void *ctx)
{
  const Factor *f = (const Factor *)ctx;
  out[0]          = PetscLogReal(AbutOrientedWeightValue(t.dim, &spec, &f->p, f->side, y, y + t.dim));
}

/* Checks the weight at one direction; false if it is 0 or too small for differences of its logarithm. */
static PetscBool CheckAt(Factor *f, const PetscReal x[], const PetscReal d[])
{
  static PetscReal H[MAX_SLOTS * MAX_SLOTS], J[MAX_SLOTS * MAX_SLOTS];
  PetscReal        y[MAX_SLOTS], g[MAX_SLOTS], s[MAX_SLOTS];
  const PetscInt   N   = t.dim * (f->p.n + 1);
  AbutOrientedLog  log = {.dim = t.dim, .size = N, .g = g, .s = s, .H = H};

  AbutTestCall(PetscArraycpy(y, d, t.dim));
  for (PetscInt i = 0; i < t.dim * f->p.n; i++) y[t.dim + i] = x[t.dim * f->p.v[i / t.dim] + i % t.dim];
  if (AbutOrientedWeightValue(t.dim, &spec, &f->p, f->side, y, y + t.dim) < 1e-3) return PETSC_FALSE;
  AbutTestCall(PetscArrayzero(g, N));
  AbutTestCall(PetscArrayzero(s, N));
  AbutTestCall(PetscArrayzero(H, N * N));
  AbutOrientedWeightLog(t.dim, &spec, &f->p, f->side, y, y + t.dim, 1, &log);
  AbutTestJacobian(Value, f, N, 1, y, 1e-4, J);
  AbutTestClose("gradient", N, g, J, 1e-6); /* third derivatives jump by up to 1e3; error: jump times the squared step */
  AbutTestJacobian(Gradient, f, N, N, y, 1e-6, J);
  AbutTestClose("Hessian", N * N, H, J, 2e-3); /* error at a switch: jump times the step */
  return PETSC_TRUE;
}

/* Checks directions that rotate in planes through d0. */
static void Sweep(AbutOrientedKind kind, PetscInt i, const PetscReal x[], const PetscReal d0[], const PetscReal d1[], PetscReal side)
{
  Factor   f       = {.side = side};
  PetscInt checked = 0;

  AbutOrientedGetPrimitive(t.surface, kind, i, &f.p);
  for (int k = -30; k <= 30; k++) {
    const PetscReal angle = 0.05 * k + 0.0123;
    PetscReal       d[3];
    for (PetscInt j = 0; j < t.dim; j++) d[j] = side * (PetscCosReal(angle) * d0[j] + PetscSinReal(angle) * d1[j]);
    checked += CheckAt(&f, x, d);
  }
  assert_true(checked >= 4);
}

/* Six faces around vertex 0. open: without the last face; fin: with a third face at the edge from 0 to 1. */
static void MakeRoof(PetscBool open, PetscBool fin, PetscReal x[])
{
  const PetscInt  n         = 6;
  uint64_t        seed      = 5;
  const PetscReal center[3] = {0, 0, 0.3};

  t.dim = 3;
  t.nv  = n + 1;
  t.nf = t.ne = 0;
  for (PetscInt i = 0; i < 3; i++) x[i] = center[i];
  for (PetscInt k = 1; k <= n; k++) {
    const PetscReal angle = 2 * PETSC_PI * (PetscReal)k / (PetscReal)n, p[3] = {PetscCosReal(angle), PetscSinReal(angle), 0};
    for (PetscInt i = 0; i < 3; i++) x[3 * k + i] = p[i] + 0.15 * AbutTestRandom(&seed);
  }
  for (PetscInt k = 1; k <= n; k++) {
    const PetscInt next = k % n + 1, face[3] = {0, k, next};
    t.edges[t.ne][0]   = 0;
    t.edges[t.ne++][1] = k;
    if (open && k == n) continue;
    t.edges[t.ne][0]   = next;
    t.edges[t.ne++][1] = k;
    for (int j = 0; j < 3; j++) t.faces[t.nf][(j + (int)k) % 3] = face[j];
    t.nf++;
  }
  if (fin) {
    const PetscInt face[3] = {0, 1, 4};
    for (int j = 0; j < 3; j++) t.faces[t.nf][j] = face[j];
    t.nf++;
    t.edges[t.ne][0]   = 1;
    t.edges[t.ne++][1] = 4;
  }
  for (PetscInt v = 0; v < t.nv; v++) t.oriented[v] = PETSC_TRUE;
  OrientedCreate(&t);
}

static void CheckRoof(PetscBool open, PetscBool fin)
{
  const PetscReal up[3] = {0.1, -0.05, 0.7}, side[3] = {0.5, 0.4, 0.1}, other[3] = {-0.3, 0.6, 0};
  PetscReal       x[3 * MAX_VERTICES];

  MakeRoof(open, fin, x);
  for (int member = 0; member < 2; member++) {
    spec.member = (AbutOrientedMember)member;
    Sweep(ABUT_ORIENTED_VERTEX, 0, x, up, side, 1);
    Sweep(ABUT_ORIENTED_VERTEX, 0, x, up, other, -1);
    Sweep(ABUT_ORIENTED_EDGE, 0, x, up, other, 1);
    Sweep(ABUT_ORIENTED_EDGE, 1, x, up, side, -1);
    Sweep(ABUT_ORIENTED_FACE, 2, x, up, side, 1);
  }
  OrientedDestroy(&t);
}

static void test_closed(void **state)
{
  (void)state;
  CheckRoof(PETSC_FALSE, PETSC_FALSE);
}

static void test_open(void **state)
{
  (void)state;
  CheckRoof(PETSC_TRUE, PETSC_FALSE);
}

static void test_three_faces_at_an_edge(void **state)
{
  (void)state;
  CheckRoof(PETSC_FALSE, PETSC_TRUE);
}

/* A chain 1 -> 0 -> 2 and a free point 3. */
static void test_2d(void **state)
{
  const PetscReal x[8] = {0.02, 0.3, 1, 0.1, -0.9, -0.1, 4, 4}, up[2] = {0.1, 0.7}, side[2] = {0.6, -0.1};

  (void)state;
  t.dim         = 2;
  t.nv          = 4;
  t.ne          = 2;
  t.nf          = 0;
  t.edges[0][0] = 1;
  t.edges[0][1] = t.edges[1][0] = 0;
  t.edges[1][1]                 = 2;
  for (PetscInt v = 0; v < t.nv; v++) t.oriented[v] = PETSC_TRUE;
  OrientedCreate(&t);
  for (int member = 0; member < 2; member++) {
    spec.member = (AbutOrientedMember)member;
    Sweep(ABUT_ORIENTED_VERTEX, 0, x, up, side, 1);
    Sweep(ABUT_ORIENTED_VERTEX, 1, x, up, side, -1);
    Sweep(ABUT_ORIENTED_VERTEX, 3, x, up, side, 1);
    Sweep(ABUT_ORIENTED_EDGE, 0, x, up, side, 1);
  }
  OrientedDestroy(&t);
}

/* The weight is 0 from below and along a neighbour, and full from above. */
static void test_sides(void **state)
{
  static const AbutOrientedSpec sharp = {0.1, 0, 0.1, 0, 2};
  const PetscReal               up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
  PetscReal                     x[3 * MAX_VERTICES], y[3 * MAX_VERTICES], along[3], weight = 0;
  AbutOrientedPrimitive         p;

  (void)state;
  MakeRoof(PETSC_FALSE, PETSC_FALSE, x);
  AbutOrientedGetPrimitive(t.surface, ABUT_ORIENTED_VERTEX, 0, &p);
  assert_int_equal(p.n, 7);
  assert_int_equal(p.num_normals, 6);
  for (int i = 0; i < 3; i++) along[i] = x[3 + i] - x[i];
  for (PetscInt i = 3; i < 21; i++) weight += (x[i] - x[i % 3]) * (x[i] - x[i % 3]) / 3;
  for (PetscInt i = 0; i < 21; i++) y[i] = x[3 * p.v[i / 3] + i % 3];
  assert_true(PetscAbsReal(AbutOrientedWeightValue(3, &sharp, &p, 1, up, y) - weight) < 1e-12);
  assert_true(PetscAbsReal(AbutOrientedWeightValue(3, &sharp, &p, -1, down, y) - weight) < 1e-12);
  assert_true(AbutOrientedWeightValue(3, &sharp, &p, 1, down, y) == 0);
  assert_true(AbutOrientedWeightValue(3, &sharp, &p, 1, along, y) == 0);
  OrientedDestroy(&t);
}

/* OIPC: the weight of a face falls to 0 beyond its sides, and does not fall towards opposite corners. */
static void test_face_fades_outwards(void **state)
{
  static const AbutOrientedSpec tilt = {.alpha_t = 0.3, .alpha_n = 0.1, .power = 2, .member = ABUT_ORIENTED_OIPC};
  const PetscReal               h = PetscSqrtReal(0.75), x[9] = {0, 0, 0, 1, 0, 0, 0.5, h, 0};
  const PetscReal               out[3][2] = {{h, 0.5}, {-h, 0.5}, {0, -1}};
  AbutOrientedPrimitive         p;

  (void)state;
  MakeRoof(PETSC_FALSE, PETSC_FALSE, (PetscReal[3 * MAX_VERTICES]){0});
  AbutOrientedGetPrimitive(t.surface, ABUT_ORIENTED_FACE, 0, &p);
  for (int k = 0; k < 3; k++) {
    const PetscReal over[3] = {0.45 * out[k][0], 0.45 * out[k][1], 1}, away[3] = {-0.45 * out[k][0], -0.45 * out[k][1], 1};
    assert_true(AbutOrientedWeightValue(3, &tilt, &p, 1, over, x) == 0);
    assert_true(AbutOrientedWeightValue(3, &tilt, &p, 1, away, x) > 0);
  }
  OrientedDestroy(&t);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_closed), cmocka_unit_test(test_open),  cmocka_unit_test(test_three_faces_at_an_edge),
    cmocka_unit_test(test_2d),     cmocka_unit_test(test_sides), cmocka_unit_test(test_face_fades_outwards),
  };
  return AbutTestMain(argc, argv, tests);
}
