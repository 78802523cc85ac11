/* Derivatives of the closed forms and of the edge-edge cross product against finite differences; properties of AbutDistFrame. */
#include "test.h"
#include <abut/dense.h>
#include <abut/geom.h>

/* 4th-order differences at step 1e-3 of functions of size 1: truncation 1e-12 times the fifth derivative, rounding 1e-13. The forms are
   rational in the coordinates and the random stencils stay away from their poles. */
#define STEP 1e-3
#define TOL  2e-8

typedef struct {
  AbutDistForm form;
  PetscInt     dim;
} Form;

static const PetscInt form_points[] = {2, 3, 4, 4};

static void Value(const PetscReal x[], PetscReal out[], void *ctx)
{
  const Form *f = ctx;
  out[0]        = AbutDist2(f->form, f->dim, x, NULL, NULL);
}

static void Gradient(const PetscReal x[], PetscReal out[], void *ctx)
{
  const Form *f = ctx;
  AbutDist2(f->form, f->dim, x, out, NULL);
}

static void CheckForm(Form f, const PetscReal x[])
{
  const PetscInt  n = form_points[f.form] * f.dim;
  PetscReal       g[12], H[144], g_fd[12], H_fd[144];
  const PetscReal s = AbutDist2(f.form, f.dim, x, g, H);

  AbutTestJacobian(Value, &f, n, 1, x, STEP, g_fd);
  AbutTestJacobian(Gradient, &f, n, n, x, STEP, H_fd);
  AbutTestClose("gradient", n, g, g_fd, TOL);
  AbutTestClose("Hessian", n * n, H, H_fd, TOL);
  AbutTestClose("value with and without derivatives", 1, &s, (PetscReal[]){AbutDist2(f.form, f.dim, x, NULL, NULL)}, 0);
}

static const Form forms[] = {{ABUT_DIST_POINT_POINT, 2}, {ABUT_DIST_POINT_POINT, 3}, {ABUT_DIST_POINT_LINE, 2},
                             {ABUT_DIST_POINT_LINE, 3},  {ABUT_DIST_POINT_PLANE, 3}, {ABUT_DIST_LINE_LINE, 3}};
#define NUM_FORMS ((int)(sizeof(forms) / sizeof(forms[0])))

/* Points far from degenerate positions: a skewed frame with random displacements of up to 0.15 per coordinate. */
static void RandomPoints(uint64_t *seed, AbutDistForm form, PetscInt dim, PetscReal x[12])
{
  static const PetscReal face[12]  = {0.2, 0.3, 0.9, -0.7, -0.6, 0, 1.1, -0.4, 0.1, 0.1, 1.2, -0.2},
                         lines[12] = {-1, 0.1, 0.4, 0.9, 0, 0.5, 0.1, -1, -0.3, 0, 1.1, -0.2};
  const PetscReal *base            = form == ABUT_DIST_LINE_LINE ? lines : face;

  for (PetscInt a = 0; a < form_points[form]; a++) {
    for (PetscInt i = 0; i < dim; i++) x[dim * a + i] = base[3 * a + i] + 0.15 * AbutTestRandom(seed);
  }
}

static void FormsMatchDifferences(void **state)
{
  uint64_t seed = 1;

  (void)state;
  for (int i = 0; i < NUM_FORMS; i++) {
    for (int trial = 0; trial < 50; trial++) {
      PetscReal x[12];
      RandomPoints(&seed, forms[i].form, forms[i].dim, x);
      CheckForm(forms[i], x);
    }
  }
}

/* A point on the line or plane: s = 0, gradient 0, Hessian still that of the form. */
static void TouchingFormsMatchDifferences(void **state)
{
  static const PetscReal line2[6] = {0.25, 0.5, 0, 0, 0.5, 1}, line3[9] = {0.25, 0.5, -0.25, 0, 0, 0, 0.5, 1, -0.5},
                         line_x[9] = {0.5, 0, 0, 0, 0, 0, 1, 0, 0};
  static const PetscReal plane[12] = {0.25, 0.25, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1}, lines[12] = {-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0};

  (void)state;
  CheckForm((Form){ABUT_DIST_POINT_LINE, 2}, line2);
  CheckForm((Form){ABUT_DIST_POINT_LINE, 3}, line3);
  CheckForm((Form){ABUT_DIST_POINT_LINE, 3}, line_x);
  CheckForm((Form){ABUT_DIST_POINT_PLANE, 3}, plane);
  CheckForm((Form){ABUT_DIST_LINE_LINE, 3}, lines);
  CheckForm((Form){ABUT_DIST_POINT_POINT, 3}, (PetscReal[]){1, 2, 3, 1, 2, 3});
}

/* On a region boundary the two forms that meet agree in value and gradient: the distance is continuously differentiable there. */
static void FormsMeetAtSwitches(void **state)
{
  static const PetscReal edge[9] = {0, 0, 0.7, 0, 0, 0, 1, 0, 0}, face[12] = {0.5, 0, 0.7, 0, 0, 0, 1, 0, 0, 0, 1, 0},
                         cross[12] = {0, 0, 0, 1, 0, 0, 0, -1, 0.7, 0.2, 1, 0.7};
  PetscReal a[12], b[12] = {0}, s, t;

  (void)state;
  s = AbutDist2(ABUT_DIST_POINT_LINE, 3, edge, a, NULL);
  t = AbutDist2(ABUT_DIST_POINT_POINT, 3, edge, b, NULL);
  AbutTestClose("end of an edge", 1, &s, &t, 1e-15);
  AbutTestClose("gradient at the end of an edge", 9, a, b, 1e-15);
  s = AbutDist2(ABUT_DIST_POINT_PLANE, 3, face, a, NULL);
  t = AbutDist2(ABUT_DIST_POINT_LINE, 3, face, b, NULL);
  AbutTestClose("edge of a face", 1, &s, &t, 1e-15);
  AbutTestClose("gradient at the edge of a face", 9, a, b, 1e-15);
  s = AbutDist2(ABUT_DIST_LINE_LINE, 3, cross, a, NULL);
  assert_true(s > 0.48 && s < 0.5);
}

static void FrameIsOrthonormal(void **state)
{
  uint64_t seed = 2;

  (void)state;
  for (int trial = 0; trial < 100; trial++) {
    const Form    form = forms[trial % NUM_FORMS];
    PetscReal     x[12], r[3] = {0, 0, 0}, hn[3] = {0, 0, 0};
    AbutDistFrame f;
    RandomPoints(&seed, form.form, form.dim, x);
    AbutDist2Frame(form.form, form.dim, x, &f);
    for (PetscInt i = 0; i < form.dim; i++) {
      for (PetscInt a = 0; a < f.n; a++) r[i] += f.c[a] * x[form.dim * a + i];
      hn[i] = f.h * f.normal[i];
    }
    AbutTestClose("difference of the closest points", form.dim, r, hn, 1e-14);
    AbutTestClose("normal", 1, (PetscReal[]){AbutDot(form.dim, f.normal, f.normal)}, (PetscReal[]){1}, 1e-14);
    for (PetscInt k = 0; k < f.k; k++) {
      AbutTestClose("tangent", 1, (PetscReal[]){AbutDot(form.dim, f.tau[k], f.tau[k])}, (PetscReal[]){1}, 1e-14);
      AbutTestClose("angle", 1, (PetscReal[]){AbutDot(form.dim, f.tau[k], f.normal)}, (PetscReal[]){0}, 1e-14);
    }
    if (f.k == 2) AbutTestClose("angle of tangents", 1, (PetscReal[]){AbutDot(3, f.tau[0], f.tau[1])}, (PetscReal[]){0}, 1e-14);
  }
}

static void CrossValue(const PetscReal x[], PetscReal out[], void *ctx)
{
  (void)ctx;
  out[0] = AbutEdgeEdgeCross2(x, NULL, NULL);
}

static void CrossGradient(const PetscReal x[], PetscReal out[], void *ctx)
{
  (void)ctx;
  AbutEdgeEdgeCross2(x, out, NULL);
}

/* A polynomial of degree 4: differences of 4th order are exact but for rounding. */
static void CrossMatchesDifferences(void **state)
{
  uint64_t seed = 3;

  (void)state;
  for (int trial = 0; trial < 50; trial++) {
    PetscReal x[12], g[12], H[144], g_fd[12], H_fd[144];
    for (int i = 0; i < 12; i++) x[i] = AbutTestRandom(&seed);
    if (trial == 0) {
      for (int i = 0; i < 3; i++) x[9 + i] = x[6 + i] + 0.5 * (x[3 + i] - x[i]); /* parallel */
    }
    AbutEdgeEdgeCross2(x, g, H);
    AbutTestJacobian(CrossValue, NULL, 12, 1, x, STEP, g_fd);
    AbutTestJacobian(CrossGradient, NULL, 12, 12, x, STEP, H_fd);
    AbutTestClose("gradient of the cross product", 12, g, g_fd, 1e-10);
    AbutTestClose("Hessian of the cross product", 144, H, H_fd, 1e-10);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(FormsMatchDifferences), cmocka_unit_test(TouchingFormsMatchDifferences), cmocka_unit_test(FormsMeetAtSwitches),
    cmocka_unit_test(FrameIsOrthonormal),    cmocka_unit_test(CrossMatchesDifferences),
  };
  return AbutTestMain(argc, argv, tests);
}
