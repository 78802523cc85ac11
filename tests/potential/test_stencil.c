/* One stencil of every form, half space and mollified pair: derivatives against differences, projection against the dense projection. */
#include "test.h"
#include "stencil_energy.h"
#include <string.h>

typedef struct {
  PetscInt       dim;
  AbutStencil    st;
  AbutPlaneSpec *plane;
  PetscReal      shat;
} Case;

static AbutPlaneSpec tilted = {"tilted", {0.1, -0.2, 0.3}, {2. / 3, 1. / 3, 2. / 3}};

#define POINT(count, which, epsilon)                                          \
  {                                                                           \
    .n = count, .form = which, .plane = -1, .weight = 2, .eps_cross = epsilon \
  }
/* Stencils of negative weight, mollified, with fixed features */
#define TAKEN(count, which, epsilon)                                           \
  {                                                                            \
    .n = count, .form = which, .plane = -1, .weight = -2, .eps_cross = epsilon \
  }
#define FIXED(size, which)                                                                  \
  {                                                                                         \
    .n = 4, .form = which, .plane = -1, .weight = size, .eps_cross = 8, .fixed = PETSC_TRUE \
  }
static const Case cases[] = {
  {2, POINT(2, ABUT_DIST_POINT_POINT, 0), NULL, 0}, {3, POINT(2, ABUT_DIST_POINT_POINT, 0), NULL, 0},
  {2, POINT(3, ABUT_DIST_POINT_LINE, 0), NULL, 0},  {3, POINT(3, ABUT_DIST_POINT_LINE, 0), NULL, 0},
  {3, POINT(4, ABUT_DIST_POINT_PLANE, 0), NULL, 0}, {3, POINT(4, ABUT_DIST_LINE_LINE, 0), NULL, 0},
  {3, POINT(4, ABUT_DIST_LINE_LINE, 8), NULL, 0},   {3, {.n = 1, .form = ABUT_DIST_POINT_PLANE, .weight = 2}, &tilted, 0},
  {2, TAKEN(2, ABUT_DIST_POINT_POINT, 0), NULL, 0}, {3, TAKEN(2, ABUT_DIST_POINT_POINT, 0), NULL, 0},
  {2, TAKEN(3, ABUT_DIST_POINT_LINE, 0), NULL, 0},  {3, TAKEN(3, ABUT_DIST_POINT_LINE, 0), NULL, 0},
  {3, TAKEN(4, ABUT_DIST_POINT_PLANE, 0), NULL, 0}, {3, TAKEN(4, ABUT_DIST_LINE_LINE, 0), NULL, 0},
  {3, FIXED(2, ABUT_DIST_POINT_POINT), NULL, 0},    {3, FIXED(2, ABUT_DIST_POINT_LINE), NULL, 0},
  {3, FIXED(2, ABUT_DIST_LINE_LINE), NULL, 0},      {3, FIXED(-2, ABUT_DIST_POINT_POINT), NULL, 0},
  {3, FIXED(-2, ABUT_DIST_POINT_LINE), NULL, 0},    {3, FIXED(-2, ABUT_DIST_LINE_LINE), NULL, 0},
};
#define NUM_CASES ((int)(sizeof(cases) / sizeof(cases[0])))

static PetscReal Distance2(const Case *c, const PetscReal x[])
{
  PetscReal h = 0;

  if (c->st.fixed) {
    PetscInt  at[4], n = AbutStencilFixedPoints(c->st.form, at);
    PetscReal y[12];
    for (PetscInt i = 0; i < 3 * n; i++) y[i] = x[3 * at[i / 3] + i % 3];
    return AbutDist2(c->st.form, 3, y, NULL, NULL);
  }
  if (c->st.eps_cross > 0) return AbutPairDist2(ABUT_PAIR_EE, 3, x);
  if (!c->plane) return AbutDist2(c->st.form, c->dim, x, NULL, NULL);
  for (int i = 0; i < 3; i++) h += c->plane->normal[i] * (x[i] - c->plane->point[i]);
  return h * h;
}

/* Points of size 1 at a distance below dhat, but large enough for differences of step 1e-4. */
static PetscBool RandomCase(uint64_t *seed, int i, Case *c, PetscReal x[12])
{
  PetscReal s;

  *c = cases[i];
  for (int k = 0; k < 12; k++) x[k] = AbutTestRandom(seed);
  s       = Distance2(c, x);
  c->shat = s * (1.05 + 2 * PetscAbsReal(AbutTestRandom(seed)));
  if (c->plane) {
    PetscReal h = 0;
    for (int k = 0; k < 3; k++) h += c->plane->normal[k] * (x[k] - c->plane->point[k]);
    if (h < 0.1) return PETSC_FALSE;
  }
  return (PetscBool)(s > 0.05 && (c->dim == 2 || c->st.n < 4 || AbutEdgeEdgeCross2(x, NULL, NULL) > 0.1));
}

/* Whether the closest features of two edges change within a displacement of 2e-3: the Hessian of a mollified pair jumps there. */
static PetscBool NearSwitch(const PetscReal x[12])
{
  AbutClosest here, there;
  PetscReal   y[12];

  AbutClosestFeatures(ABUT_PAIR_EE, 3, x, &here);
  for (int k = 0; k < 24; k++) {
    memcpy(y, x, sizeof(y));
    y[k / 2] += k % 2 ? 2e-3 : -2e-3;
    AbutClosestFeatures(ABUT_PAIR_EE, 3, y, &there);
    if (memcmp(&here, &there, sizeof(here))) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static void Value(const PetscReal x[], PetscReal out[], void *ctx)
{
  const Case *c = ctx;
  out[0]        = StencilEnergy(c->dim, &c->st, c->plane, c->shat, x);
}

static void Gradient(const PetscReal x[], PetscReal out[], void *ctx)
{
  const Case *c = ctx;
  AbutStencilGradient(c->dim, &c->st, c->plane, c->shat, x, out);
}

static void CloseToSize(const char what[], int which, PetscInt n, const PetscReal a[], const PetscReal b[], PetscReal tol)
{
  const PetscReal size = AbutTestLargest(n, b);

  for (PetscInt i = 0; i < n; i++) {
    if (!(PetscAbsReal(a[i] - b[i]) <= tol * (size + 1e-3)))
      fail_msg("%s of case %d: entry %ld is %.17g, expected %.17g, size %g", what, which, (long)i, (double)a[i], (double)b[i],
               (double)size);
  }
}

/*
  4th-order differences with step 1e-4 on lengths of at least 0.2: truncation (5e-4)^4, round-off 1e-12. All distances are 5 % away from
  shat, where the third derivative of the barrier jumps.
*/
static void DerivativesMatchDifferences(void **state)
{
  uint64_t seed = 1;

  (void)state;
  for (int i = 0; i < NUM_CASES; i++) {
    for (int trial = 0, done = 0; done < 40; trial++) {
      Case      c;
      PetscReal x[12], g[12], H[144], g_fd[12], H_fd[144];
      PetscInt  N;
      assert_true(trial < 2000);
      if (!RandomCase(&seed, i, &c, x) || (c.st.eps_cross > 0 && !c.st.fixed && NearSwitch(x))) continue;
      done++;
      N = c.st.n * c.dim;
      AbutStencilGradient(c.dim, &c.st, c.plane, c.shat, x, g);
      AbutStencilHessian(c.dim, &c.st, c.plane, c.shat, ABUT_PSD_NONE, x, H);
      AbutTestJacobian(Value, &c, N, 1, x, 1e-4, g_fd);
      AbutTestJacobian(Gradient, &c, N, N, x, 1e-4, H_fd);
      CloseToSize("gradient", i, N, g, g_fd, 1e-7);
      CloseToSize("Hessian", i, N * N, H, H_fd, 1e-6);
    }
  }
}

/* The reduced projection equals the dense projection up to round-off, 1e-10 of the largest entry. */
static void ProjectionsMatchDense(void **state)
{
  uint64_t seed = 2;

  (void)state;
  for (int i = 0; i < NUM_CASES; i++) {
    PetscReal change = 0;
    for (int trial = 0; trial < 400; trial++) {
      Case      c;
      PetscReal x[12], H[144], P[144];
      PetscInt  N;
      if (!RandomCase(&seed, i, &c, x)) continue;
      N = c.st.n * c.dim;
      c.shat *= trial / 2 % 3 ? 1 : 1e4; /* includes distances far below dhat */
      AbutStencilHessian(c.dim, &c.st, c.plane, c.shat, ABUT_PSD_NONE, x, H);
      AbutStencilHessian(c.dim, &c.st, c.plane, c.shat, ABUT_PSD_CLAMP, x, P);
      for (PetscInt k = 0; k < N * N; k++) change = PetscMax(change, PetscAbsReal(P[k] - H[k]) / AbutTestLargest(N * N, H));
      AbutProject(N, ABUT_PSD_CLAMP, H);
      CloseToSize("clamped", i, N * N, P, H, 1e-10);
    }
    assert_true(cases[i].plane || change > 1e-3); /* the projection changes the Hessian; the barrier of a half space is convex */
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(DerivativesMatchDifferences), cmocka_unit_test(ProjectionsMatchDense)};
  return AbutTestMain(argc, argv, tests);
}
