/* Closest features, squared distances and derivatives against recorded values of an independent implementation. */
#include "test.h"
#include <abut/dense.h>
#include <abut/geom.h>
#include <string.h>

/* Relative tolerance. Rounding errors are amplified by the condition number of the stencil, at most 1e4 except in the categories below. */
#define TOL 1e-9

typedef struct {
  const char  *array;
  AbutPairKind kind;
  PetscInt     points;
} Kind;

static const Kind kinds[] = {
  {"point_point", ABUT_PAIR_VV, 2}, {"point_edge", ABUT_PAIR_EV, 3}, {"point_triangle", ABUT_PAIR_FV, 4}, {"edge_edge", ABUT_PAIR_EE, 4}};

/* Name of a closest feature in the data. */
static void TypeName(AbutPairKind kind, const AbutClosest *c, char name[16])
{
  static const char *const ends[4] = {"EA0", "EA1", "EB0", "EB1"};

  if (kind == ABUT_PAIR_VV) strcpy(name, "P_P");
  if (kind == ABUT_PAIR_EV) strcpy(name, c->n == 3 ? "P_E" : c->v[1] == 1 ? "P_E0" : "P_E1");
  if (kind == ABUT_PAIR_FV) {
    if (c->n == 4)
      strcpy(name, "P_T");
    else
      sprintf(name, c->n == 2 ? "P_T%d" : "P_E%d", (int)c->v[1] - 1);
  }
  if (kind == ABUT_PAIR_EE) {
    if (c->n == 4)
      strcpy(name, "EA_EB");
    else if (c->n == 2)
      sprintf(name, "%s_%s", ends[c->v[0]], ends[c->v[1]]);
    else if (c->v[0] < 2)
      sprintf(name, "%s_EB", ends[c->v[0]]);
    else
      sprintf(name, "EA_%s", ends[c->v[0]]);
  }
}

/* Converts the derivatives with respect to the points of the form to all points of the pair. */
static void Scatter(const AbutClosest *c, PetscInt dim, PetscInt N, const PetscReal g[], const PetscReal H[], PetscReal grad[],
                    PetscReal hess[])
{
  const PetscInt n = c->n * dim;

  memset(grad, 0, sizeof(*grad) * (size_t)N);
  memset(hess, 0, sizeof(*hess) * (size_t)(N * N));
  for (PetscInt r = 0; r < n; r++) {
    const PetscInt R = dim * c->v[r / dim] + r % dim;
    grad[R]          = g[r];
    for (PetscInt s = 0; s < n; s++) hess[N * R + dim * c->v[s / dim] + s % dim] = H[n * r + s];
  }
}

static void CloseRelative(const char what[], const char category[], PetscInt n, const PetscReal a[], const PetscReal b[], PetscReal size,
                          PetscReal tol)
{
  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(b[i]));
  for (PetscInt i = 0; i < n; i++) {
    if (!(PetscAbsReal(a[i] - b[i]) <= tol * size))
      fail_msg("%s (%s): entry %ld is %.17g, recorded %.17g, size %g, tolerance %g", what, category, (long)i, (double)a[i], (double)b[i],
               (double)size, (double)tol);
  }
}

/* Sine of the angle of the two edges. */
static PetscReal Sine(const PetscReal x[12])
{
  PetscReal u[3], v[3];

  for (int i = 0; i < 3; i++) {
    u[i] = x[3 + i] - x[i];
    v[i] = x[9 + i] - x[6 + i];
  }
  return PetscSqrtReal(AbutEdgeEdgeCross2(x, NULL, NULL) / (AbutDot(3, u, u) * AbutDot(3, v, v)));
}

/* Returns whether the types agree, so that derivatives could be compared. */
static PetscBool CheckCase(const Kind *kind, json_t *one)
{
  const char *category = json_string_value(json_object_get(one, "category"));
  PetscInt    dim = (PetscInt)json_array_size(json_array_get(json_object_get(one, "x"), 0)), N = dim * kind->points;
  PetscReal   x[12], y[12], g[12], H[144], grad[12], hess[144], grad_ref[12], hess_ref[144], s, s_ref, size2 = 0, tol = TOL;
  AbutClosest closest;
  char        name[16];

  AbutTestNumbers(json_object_get(one, "x"), N, x);
  for (PetscInt a = 1; a < kind->points; a++) {
    PetscReal d2 = 0;
    for (PetscInt i = 0; i < dim; i++) d2 += PetscSqr(x[dim * a + i] - x[i]);
    size2 = PetscMax(size2, d2);
  }
  /* the recorded 2D point-line values multiply absolute coordinates of size 1e4: error 1e8 times machine precision */
  if (!strcmp(category, "large") && kind->kind == ABUT_PAIR_EV && dim == 2) tol = 1e-7;
  s_ref = AbutTestNumber(json_object_get(one, "dist2"));
  s     = AbutPairDist2(kind->kind, dim, x);
  CloseRelative("squared distance", category, 1, &s, &s_ref, size2, tol);
  AbutClosestFeatures(kind->kind, dim, x, &closest);
  TypeName(kind->kind, &closest, name);
  if (strcmp(name, json_string_value(json_object_get(one, "type")))) return PETSC_FALSE;
  for (PetscInt a = 0; a < closest.n; a++) memcpy(y + dim * a, x + dim * closest.v[a], sizeof(*y) * (size_t)dim);
  AbutDist2(closest.form, dim, y, g, H);
  Scatter(&closest, dim, N, g, H, grad, hess);
  /*
    rounding of the coordinates moves the closest points of lines at a small angle along them by eps / angle^2; the distance does not suffer
  */
  if (!strcmp(category, "nearly_parallel")) tol = PetscMax(tol, 100 * PETSC_MACHINE_EPSILON / PetscSqr(Sine(x)));
  AbutTestNumbers(json_object_get(one, "grad"), N, grad_ref);
  AbutTestNumbers(json_object_get(one, "hess"), N * N, hess_ref);
  CloseRelative("gradient", category, N, grad, grad_ref, PetscSqrtReal(size2), tol);
  CloseRelative("Hessian", category, N * N, hess, hess_ref, 1, tol);
  return PETSC_TRUE;
}

static void AllCases(void **state)
{
  json_t *root = AbutTestLoadReference("reference/distances.json");

  (void)state;
  for (int k = 0; k < 4; k++) {
    json_t *cases = json_object_get(root, kinds[k].array);
    size_t  same = 0, total = json_array_size(cases);
    for (size_t i = 0; i < total; i++) same += CheckCase(&kinds[k], json_array_get(cases, i));
    print_message("%s: %zu cases, %zu of the same type\n", kinds[k].array, total, same);
    assert_true(total > 200 && same >= total - total / 50); /* on ties the feature may differ */
  }
  json_decref(root);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(AllCases)};
  return AbutTestMain(argc, argv, tests);
}
