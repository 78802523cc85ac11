/* Barrier and mollifier against recorded values of an independent implementation. */
#include "test.h"
#include <abut/potential.h>

static void CloseRelative(const char what[], PetscInt n, const PetscReal a[], const PetscReal b[], PetscReal tol)
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscIsInfReal(b[i]) ? 0 : PetscAbsReal(b[i]));
  for (PetscInt i = 0; i < n; i++) {
    if (a[i] != b[i] && !(PetscAbsReal(a[i] - b[i]) <= tol * size)) fail_msg("%s: %.17g, recorded %.17g", what, (double)a[i], (double)b[i]);
  }
}

static PetscReal Field(json_t *one, const char name[])
{
  return AbutTestNumber(json_object_get(one, name));
}

/*
  The recorded values have cancellation near s = shat: log(s / shat) has the relative error eps / (1 - s / shat), and second derivatives are
  differences of terms of size 1.
*/
static void Barrier(void **state)
{
  json_t *root = AbutTestLoadReference("reference/barrier.json"), *cases = json_object_get(root, "barrier_squared");

  (void)state;
  assert_true(json_array_size(cases) > 200);
  for (size_t i = 0; i < json_array_size(cases); i++) {
    json_t         *one = json_array_get(cases, i);
    const PetscReal s = Field(one, "s"), shat = Field(one, "shat"), gap = PetscMax(1 - s / shat, PETSC_MACHINE_EPSILON),
                    tol = 1e-13 + 8 * PETSC_MACHINE_EPSILON / gap;
    PetscReal db, ddb, b = AbutBarrier(s, shat, &db, &ddb), ref;
    ref = Field(one, "b");
    CloseRelative("b", 1, &b, &ref, tol);
    if (!(s > 0)) continue;
    ref = Field(one, "db_ds");
    CloseRelative("db", 1, &db, &ref, tol);
    ref = Field(one, "d2b_ds2");
    CloseRelative("ddb", 1, &ddb, &ref, tol);
  }
  json_decref(root);
}

static void Mollifier(void **state)
{
  json_t *root = AbutTestLoadReference("reference/barrier.json"), *cases = json_object_get(root, "edge_edge_mollifier_scalar");

  (void)state;
  assert_true(json_array_size(cases) > 20);
  for (size_t i = 0; i < json_array_size(cases); i++) {
    json_t         *one = json_array_get(cases, i);
    PetscReal       m[3];
    const PetscReal eps    = Field(one, "eps_x");
    const PetscReal ref[3] = {Field(one, "m"), Field(one, "dm"), Field(one, "d2m")};
    m[0]                   = AbutMollifier(Field(one, "x"), eps, &m[1], &m[2]);
    /* the slope is a difference of terms as large as the slope at 0 */
    for (int k = 0; k < 3; k++) assert_true(PetscAbsReal(m[k] - ref[k]) <= 1e-14 * (k == 0 ? 1 : 2 / PetscPowRealInt(eps, k)));
  }
  cases = json_object_get(root, "edge_edge_mollifier");
  assert_true(json_array_size(cases) > 50);
  for (size_t i = 0; i < json_array_size(cases); i++) {
    json_t   *one = json_array_get(cases, i);
    PetscReal x[12], g[12], H[144], ref[144], m, dm, ddm, m_ref, cross2, cross2_ref = Field(one, "cross2");
    AbutTestNumbers(json_object_get(one, "x"), 12, x);
    cross2 = AbutEdgeEdgeCross2(x, g, H);
    m      = AbutMollifier(cross2, Field(one, "eps_x"), &dm, &ddm);
    m_ref  = Field(one, "m");
    CloseRelative("cross2", 1, &cross2, &cross2_ref, 1e-11);
    CloseRelative("mollifier", 1, &m, &m_ref, 1e-11);
    AbutTestNumbers(json_object_get(one, "hess"), 144, ref);
    for (int k = 0; k < 144; k++) H[k] = ddm * g[k / 12] * g[k % 12] + dm * H[k];
    CloseRelative("Hessian of the mollifier", 144, H, ref, 1e-11);
    AbutTestNumbers(json_object_get(one, "cross2_grad"), 12, ref);
    CloseRelative("gradient of the cross product", 12, g, ref, 1e-11);
  }
  json_decref(root);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Barrier), cmocka_unit_test(Mollifier)};
  return AbutTestMain(argc, argv, tests);
}
