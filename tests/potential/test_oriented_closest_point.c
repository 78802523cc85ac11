/*
  Mollified closest points of "oipc": pairs are smooth for every position of the closest points, repel at every distance, and act between
  points, curves and open surfaces.
*/
#include "oriented.h"

static TestOriented t;

/* Surface of face 0 1 2 and edge 3 4; vertex 3 is the lower end. */
static void MakeScene(PetscReal blend, PetscReal near)
{
  static const PetscInt edges[4][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}}, face[3] = {0, 1, 2};

  t.dim = 3;
  t.nv  = 5;
  t.ne  = 4;
  t.nf  = 1;
  AbutTestCall(PetscArraycpy(t.edges[0], edges[0], 8));
  AbutTestCall(PetscArraycpy(t.faces[0], face, 3));
  for (PetscInt v = 0; v < t.nv; v++) t.oriented[v] = PETSC_TRUE;
  t.spec = (AbutOrientedSpec){0.9, 0.3, 0.8, 0.4, 2, ABUT_ORIENTED_OIPC, .length = 0.5, .mollifier_width = blend, .mollifier_ratio = near};
  t.ranges = (AbutOrientedDhat){.dhat = 2};
  OrientedCreate(&t);
}

/* Places vertex 3 at a u + b v from vertex 0, u and v the sides of the face, and vertex 4 above it. */
static void Place(PetscReal a, PetscReal b, PetscReal height, const PetscReal up[3], PetscReal x[15])
{
  const PetscReal rest[9] = {0, 0, 0, 1, 0, 0, 0.2, 0.9, 0};

  AbutTestCall(PetscArraycpy(x, rest, 9));
  for (int i = 0; i < 3; i++) {
    x[9 + i]  = a * rest[3 + i] + b * rest[6 + i] + (i == 2) * height;
    x[12 + i] = x[9 + i] + up[i];
  }
}

static void Value(const PetscReal x[], PetscReal out[], void *ctx)
{
  out[0] = OrientedAddPair(&t, (const AbutOrientedPair *)ctx, x, ABUT_PSD_NONE, NULL, NULL).value;
}

static void Gradient(const PetscReal x[], PetscReal g[], void *ctx)
{
  AbutTestCall(PetscArrayzero(g, 15));
  OrientedAddPair(&t, (const AbutOrientedPair *)ctx, x, ABUT_PSD_NONE, g, NULL);
}

static PetscReal LargestDifference(PetscInt n, const PetscReal a[], const PetscReal b[], PetscReal *size)
{
  PetscReal most = 0;

  *size = 0;
  for (PetscInt i = 0; i < n; i++) {
    most  = PetscMax(most, PetscAbsReal(a[i] - b[i]));
    *size = PetscMax(*size, PetscAbsReal(b[i]));
  }
  return most;
}

/*
  Compares gradients with differences, also on switches: a kink would give an error of its size, a jump of the curvature 1e-6 (the step)
  times the jump. Compares Hessians where they do not jump; on switches the step is 1e-7. Round-off: 5e-10 in gradients, 8e-9 in Hessians.
*/
static PetscBool CheckAt(AbutOrientedPair *pair, const PetscReal x[], PetscBool is_switch)
{
  PetscReal g[15] = {0}, H[225] = {0}, zero[225] = {0}, J[225], size, curvature, error;

  if (OrientedAddPair(&t, pair, x, ABUT_PSD_NONE, g, H).value < 1e-3) return PETSC_FALSE;
  curvature = LargestDifference(225, H, zero, &size);
  AbutTestJacobian(Value, pair, 15, 1, x, 1e-6, J);
  error = LargestDifference(15, g, J, &size);
  if (!(error < (is_switch ? 1e-6 * curvature : 5e-9 * size))) fail_msg("gradient is wrong by %g of %g", (double)error, (double)size);
  if (is_switch) return PETSC_TRUE;
  AbutTestJacobian(Gradient, pair, 15, 15, x, 1e-7, J);
  error = LargestDifference(225, H, J, &size);
  if (!(error < 5e-8 * size)) fail_msg("Hessian is wrong by %g of %g", (double)error, (double)size);
  return PETSC_TRUE;
}

/* Positions on a grid in the plane of the face, whose points include borders and corners, and between grid points. */
static void CheckPlane(AbutPairKind kind, PetscInt a, PetscInt b, PetscReal height, const PetscReal up[3])
{
  AbutOrientedPair pair    = {kind, a, b, 2};
  PetscInt         checked = 0;
  PetscReal        x[15];

  for (int i = -8; i <= 28; i++) {
    for (int j = -8; j <= 28; j++) {
      Place(0.05 * i, 0.05 * j, height, up, x);
      checked += CheckAt(&pair, x, PETSC_TRUE);
      Place(0.05 * i + 0.0137, 0.05 * j + 0.0071, height, up, x);
      if ((i + j) % 3 == 0) checked += CheckAt(&pair, x, PETSC_FALSE);
    }
  }
  assert_true(checked > 400);
}

static void test_smooth_everywhere(void **state)
{
  const PetscReal up[3] = {0.1, 0.2, 0.9}, across[3] = {0.4, 0.7, 0.1};

  (void)state;
  MakeScene(0.15, 0.5);
  CheckPlane(ABUT_PAIR_FV, 0, 3, 0.3, up);
  CheckPlane(ABUT_PAIR_EV, 2, 3, 0.3, up);
  CheckPlane(ABUT_PAIR_EE, 0, 3, 0.3, across);
  OrientedDestroy(&t);
}

/* Edges whose closest points are at ends of one or both edges, and near these ends. */
static void test_ends_of_edges(void **state)
{
  AbutOrientedPair pair    = {ABUT_PAIR_EE, 0, 3, 2};
  PetscInt         checked = 0;
  PetscReal        x[15];

  (void)state;
  MakeScene(0.15, 0.5);
  for (int c = 0; c < 2; c++) {
    const PetscReal up[3] = {c ? 0.4 : -0.4, 0.7, 0};
    for (int k = 0; k <= 40; k++) {
      Place(0, 0, 0.3, up, x); /* vertex 0 below a point of edge 3 4 */
      for (int i = 0; i < 6; i++) x[9 + i] -= (0.05 * (k - 10)) * up[i % 3];
      checked += CheckAt(&pair, x, PETSC_TRUE);
      Place(0.05 * (k - 10), 0, 0.3, up, x); /* vertex 3 above edge 0 1 */
      checked += CheckAt(&pair, x, PETSC_TRUE);
    }
  }
  assert_true(checked > 80);
  OrientedDestroy(&t);
}

/* Above a corner of the face, where round-off decides between the corner, its two sides and the face as closest feature. */
static void test_corners(void **state)
{
  static const PetscReal corner[3][2] = {{0, 0}, {1, 0}, {0, 1}}, up[3] = {0.1, 0.2, 0.9};
  AbutOrientedPair       pair = {ABUT_PAIR_FV, 0, 3, 2};
  PetscReal              x[15], y[15];

  (void)state;
  MakeScene(0.15, 0.5);
  for (int k = 0; k < 3000; k++) {
    const PetscReal *at = corner[k % 3], c[2] = {PetscCosReal(0.01 * k), PetscCosReal(0.37 * k)};
    const PetscReal  s[2]  = {PetscSinReal(0.01 * k), PetscSinReal(0.37 * k)};
    PetscReal        g[15] = {0}, H[225] = {0}, value;
    Place(at[0], at[1], 1e-4, up, y);
    for (int p = 0; p < 5; p++) {
      const PetscReal q[3] = {c[0] * y[3 * p] - s[0] * y[3 * p + 1], s[0] * y[3 * p] + c[0] * y[3 * p + 1], y[3 * p + 2]};
      x[3 * p]             = q[0] + 10;
      x[3 * p + 1]         = c[1] * q[1] - s[1] * q[2];
      x[3 * p + 2]         = s[1] * q[1] + c[1] * q[2];
    }
    value = OrientedAddPair(&t, &pair, x, ABUT_PSD_NONE, g, H).value;
    assert_true(value > 0);
    for (int i = 0; i < 15; i++)
      assert_true(PetscAbsReal(g[i]) < 2.1 * value / 1e-4); /* energy ~ height^-2: gradient at most 2 value / height */
    for (int i = 0; i < 225; i++)
      assert_true(PetscAbsReal(H[i]) < 13 * value / 1e-8); /* Hessian at most 6 value / height^2, doubled by the mollifier */
  }
  OrientedDestroy(&t);
}

/* Edges that rotate through the parallel position, where their closest points jump. */
static void test_parallel_edges(void **state)
{
  AbutOrientedPair pair    = {ABUT_PAIR_EE, 0, 3, 2};
  PetscInt         checked = 0;
  PetscReal        x[15], last = -1;

  (void)state;
  MakeScene(0.15, 0.5);
  for (int k = -40; k <= 40; k++) {
    const PetscReal up[3] = {0.9, 1e-3 * k, 0.001};
    PetscReal       value;
    Place(-0.1, 0, 0.3, up, x);
    value = OrientedAddPair(&t, &pair, x, ABUT_PSD_NONE, NULL, NULL).value;
    if (last >= 0) assert_true(PetscAbsReal(value - last) < 0.15); /* total change 1.55 over about twenty of these steps */
    if (k % 4 == 2 || k % 4 == -2) checked += CheckAt(&pair, x, PETSC_FALSE);
    last = value;
  }
  assert_true(checked >= 18);
  OrientedDestroy(&t);
}

/* A vertex above an edge close to its end: the energy grows as the distance falls, also within the mollified zone. */
static void test_barrier_near_ends(void **state)
{
  const PetscReal up[3] = {0.1, 0.2, 0.9};
  PetscReal       x[15], energy[2][8];

  (void)state;
  for (int c = 0; c < 2; c++) {
    MakeScene(1e-3, c ? 1e10 : 0.1);
    t.spec.alpha_t = 0.5;
    t.spec.beta_t  = 0;
    for (int k = 0; k < 8; k++) {
      Place(3e-4, 0, PetscPowReal(10, -1 - k), up, x);
      OrientedFindPairs(&t, x);
      energy[c][k] = OrientedTotal(&t, x, ABUT_PSD_NONE, NULL, NULL);
    }
    OrientedDestroy(&t);
  }
  for (int k = 1; k < 8; k++) assert_true(energy[0][k] > 50 * energy[0][k - 1]);
  for (int k = 5; k < 8; k++)
    assert_true(PetscAbsReal(energy[0][k] / energy[0][k - 1] - 100) < 1e-3); /* energy ~ height^-2, constant mollifier */
  for (int k = 3; k < 8; k++) assert_true(energy[1][k] == 0);                /* mollifier of constant width, as published: no repulsion */
}

/* The energy of all pairs of a scene in 3D without surfaces. */
static PetscReal CurveEnergy(PetscInt ne, const PetscInt edges[][2], PetscInt nv, const PetscReal x[])
{
  PetscReal energy;

  t.dim = 3;
  t.nv  = nv;
  t.ne  = ne;
  t.nf  = 0;
  for (PetscInt e = 0; e < ne; e++) AbutTestCall(PetscArraycpy(t.edges[e], edges[e], 2));
  OrientedCreate(&t);
  OrientedFindPairs(&t, x);
  energy = OrientedTotal(&t, x, ABUT_PSD_NONE, NULL, NULL);
  OrientedDestroy(&t);
  return energy;
}

static void test_curves_and_points(void **state)
{
  static const PetscInt edges[2][2] = {{0, 1}, {2, 3}};
  const PetscReal       cross[12] = {-1, 0, 0, 1, 0, 0, 0, -1, 0.1, 0, 1, 0.1}, tip[12] = {-1, 0, 0, 1, 0, 0, 0, 0, 0.1, 0, 0, 1};
  const PetscReal       up[3] = {0, 0, 1};
  AbutOrientedPair      pair  = {ABUT_PAIR_VV, 0, 1, 2};
  AbutOrientedPairState vv;
  PetscReal             x[15];

  (void)state;
  MakeScene(1e-3, 0.1);
  Place(0.3, 0.3, 0.1, up, x);
  t.ne = 3;
  OrientedDestroy(&t);
  OrientedCreate(&t);
  OrientedFindPairs(&t, x);
  assert_true(OrientedTotal(&t, x, ABUT_PSD_NONE, NULL, NULL) > 0.1); /* vertex 3 has no edges any more */
  OrientedDestroy(&t);
  t.spec.beta_t = 0;
  assert_true(CurveEnergy(2, edges, 4, cross) > 1);
  assert_true(CurveEnergy(2, edges, 4, tip) > 1);
  t.nv = 2;
  t.ne = 0;
  OrientedCreate(&t);
  vv = OrientedAddPair(&t, &pair, tip + 6, ABUT_PSD_NONE, NULL, NULL);
  assert_true(PetscAbsReal(vv.value - 0.0625 * 1.5 * AbutOrientedSpline(0.45, NULL, NULL) / 0.81) < 1e-14); /* L^4 p(0.9) */
  OrientedDestroy(&t);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_smooth_everywhere), cmocka_unit_test(test_ends_of_edges),     cmocka_unit_test(test_corners),
    cmocka_unit_test(test_parallel_edges),    cmocka_unit_test(test_barrier_near_ends), cmocka_unit_test(test_curves_and_points),
  };
  return AbutTestMain(argc, argv, tests);
}
