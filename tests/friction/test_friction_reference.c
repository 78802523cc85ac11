/* Friction against recorded values of an independent implementation: tables, single contacts, whole surfaces. */
#include "test.h"
#include "../potential/pairs.h"
#include "../../src/model/friction/frictionimpl.h"

#define MAX_UNKNOWNS 192

static PetscReal Number(json_t *one, const char key[])
{
  return AbutTestNumber(json_object_get(one, key));
}

/* Compares relative to the largest entry. Cancellation loses up to 1e3 at thresholds far above the slip. */
static void CloseToSize(const char what[], size_t which, PetscInt n, const PetscReal a[], const PetscReal b[], PetscReal tol)
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(b[i]));
  for (PetscInt i = 0; i < n; i++) {
    if (!(PetscAbsReal(a[i] - b[i]) <= tol * size))
      fail_msg("%s of case %zu: entry %ld is %.17g, recorded %.17g, size %g", what, which, (long)i, (double)a[i], (double)b[i],
               (double)size);
  }
}

static void Tables(void **state)
{
  json_t *root = AbutTestLoadReference("reference/friction.json"), *rows = json_object_get(root, "f_table");
  json_t *blended = json_object_get(root, "smooth_mu_table");

  (void)state;
  assert_true(json_array_size(rows) > 30 && json_array_size(blended) > 30);
  for (size_t i = 0; i < json_array_size(rows); i++) {
    json_t         *one         = json_array_get(rows, i);
    const PetscReal y           = Number(one, "y");
    const PetscReal recorded[3] = {Number(one, "f0"), Number(one, "f1_over_x"), Number(one, "f2")};
    PetscReal       f[3];
    f[0] = AbutFrictionPotential(y, Number(one, "eps_v"), 1, 1, &f[1], &f[2]);
    for (int k = 0; k < 3; k++) CloseToSize("f table", i, 1, &f[k], &recorded[k], 1e-12);
  }
  for (size_t i = 0; i < json_array_size(blended); i++) {
    json_t         *one = json_array_get(blended, i);
    const PetscReal y = Number(one, "y"), eps = Number(one, "eps_v");
    const PetscReal recorded[2] = {Number(one, "mu_f0"), Number(one, "mu_f1")};
    PetscReal       f[2];
    f[0] = AbutFrictionPotential(y, eps, Number(one, "mu_s"), Number(one, "mu_k"), &f[1], NULL);
    f[1] *= y;
    if (PetscAbsReal(f[0] - recorded[0]) > 1e-12 * PetscMax(y, eps)) CloseToSize("mu f0", i, 1, &f[0], &recorded[0], 1e-12);
    CloseToSize("mu f1", i, 1, &f[1], &recorded[1], 1e-12);
  }
  json_decref(root);
}

static AbutDistForm FormOf(const char type[])
{
  if (!strcmp(type, "PP")) return ABUT_DIST_POINT_POINT;
  if (!strcmp(type, "PE")) return ABUT_DIST_POINT_LINE;
  return !strcmp(type, "PT") ? ABUT_DIST_POINT_PLANE : ABUT_DIST_LINE_LINE;
}

/* Energy, gradient and Hessians of a contact over its own vertices at displacements d. */
static PetscReal Evaluate(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, const PetscReal d[], PetscReal g[], PetscReal H[],
                          PetscReal P[])
{
  PetscReal relative[3] = {0, 0, 0}, u[2], force[3];

  for (PetscInt i = 0; i < point->n * dim; i++) relative[i % dim] += point->weight[i / dim] * d[i];
  AbutFrictionSlip(dim, point, relative, u);
  AbutFrictionPointForce(dim, point, eps, u, force);
  for (PetscInt i = 0; i < point->n * dim; i++) g[i] = -point->weight[i / dim] * force[i % dim];
  AbutFrictionPointHessian(dim, point, eps, ABUT_PSD_NONE, u, H);
  AbutFrictionPointHessian(dim, point, eps, ABUT_PSD_CLAMP, u, P);
  return AbutFrictionPointEnergy(dim, point, eps, u);
}

static void SingleContacts(void **state)
{
  json_t *root = AbutTestLoadReference("reference/friction.json"), *pairs = json_object_get(root, "pairs");

  (void)state;
  assert_true(json_array_size(pairs) > 100);
  for (size_t i = 0; i < json_array_size(pairs); i++) {
    json_t           *one   = json_array_get(pairs, i);
    const PetscInt    dim   = (PetscInt)Number(one, "dim");
    AbutFrictionPoint point = {
      .normal_force = Number(one, "normal_force"), .mu_static = Number(one, "mu_s"), .mu_kinetic = Number(one, "mu_k")};
    AbutDistFrame f;
    PetscReal     x[12], d[12], g[12], H[144], P[144], energy, e_ref = Number(one, "potential"), g_ref[12], H_ref[144];
    PetscInt      N;
    point.n = (PetscInt)json_array_size(json_object_get(one, "x_lagged"));
    N       = point.n * dim;
    AbutTestNumbers(json_object_get(one, "x_lagged"), N, x);
    AbutTestNumbers(json_object_get(one, "velocity"), N, d);
    AbutDist2Frame(FormOf(json_string_value(json_object_get(one, "type"))), dim, x, &f);
    for (PetscInt a = 0; a < point.n; a++) point.weight[a] = f.c[a];
    AbutTangents(dim, f.normal, point.tangent);
    energy = Evaluate(dim, &point, Number(one, "eps_v"), d, g, H, P);
    CloseToSize("potential", i, 1, &energy, &e_ref, 1e-9);
    AbutTestNumbers(json_object_get(one, "grad"), N, g_ref);
    CloseToSize("gradient", i, N, g, g_ref, 1e-9);
    AbutTestNumbers(json_object_get(one, "hess"), N * N, H_ref);
    CloseToSize("Hessian", i, N * N, H, H_ref, 1e-9);
    AbutTestNumbers(json_object_get(one, "hess_psd_clamp"), N * N, H_ref);
    CloseToSize("projected Hessian", i, N * N, P, H_ref, 1e-9);
  }
  json_decref(root);
}

static void LoadIndices(json_t *array, PetscInt width, PetscInt out[])
{
  for (size_t i = 0; i < json_array_size(array); i++) {
    for (PetscInt k = 0; k < width; k++)
      out[width * (PetscInt)i + k] = (PetscInt)AbutTestNumber(json_array_get(json_array_get(array, i), (size_t)k));
  }
}

static void LoadSurface(json_t *one, PetscInt dim, TestSurface *s)
{
  static PetscInt edges[MAX_PAIRS][2], faces[MAX_PAIRS][3];
  PetscReal       rest[3 * MAX_VERTICES], x[3 * MAX_VERTICES];
  const PetscInt  nv = (PetscInt)json_array_size(json_object_get(one, "V"));
  json_t         *E = json_object_get(one, "E"), *F = json_object_get(one, "F");

  AbutTestNumbers(json_object_get(one, "V_rest"), dim * nv, rest);
  AbutTestNumbers(json_object_get(one, "V"), dim * nv, x);
  LoadIndices(E, 2, edges[0]);
  LoadIndices(F, 3, faces[0]);
  SurfaceInit(s, dim, nv, rest, x);
  if (dim == 2)
    SurfaceAddEV(s, (PetscInt)json_array_size(E), (const PetscInt(*)[2])edges);
  else {
    SurfaceAddFV(s, (PetscInt)json_array_size(F), (const PetscInt(*)[3])faces);
    SurfaceAddEE(s, (PetscInt)json_array_size(E), (const PetscInt(*)[2])edges);
  }
}

/* Copies contact points. Nearly parallel edges get no force: the other implementation leaves them out. */
static void CopyPoints(AbutPotential pot, const TestSurface *s, const AbutContactPoint points[], AbutContactPoint copies[])
{
  const AbutStencil *st;
  PetscInt           count, num = 0;

  AbutTestCall(AbutPotentialGetStencils(pot, &count, &st));
  for (PetscInt i = 0; i < count; i++) {
    PetscReal x[12];
    for (PetscInt k = 0; k < 12 && st[i].eps_cross > 0; k++) x[k] = s->x[3 * st[i].v[k / 3] + k % 3];
    if (st[i].eps_cross > 0 && AbutEdgeEdgeCross2(x, NULL, NULL) == 0) continue; /* without a point */
    copies[num] = points[num];
    if (st[i].eps_cross > 0) copies[num].force = 0;
    num++;
  }
}

/* Sum of friction over contact points of the potential, with derivatives over the vertices of the surface. */
static PetscReal SumOverPoints(const TestSurface *s, PetscInt count, const AbutContactPoint points[], PetscReal mu, PetscReal eps,
                               const PetscReal velocity[], PetscReal g[], PetscReal H[])
{
  const PetscInt dim = s->c.dim, N = dim * s->c.num_vertices;
  PetscReal      energy = 0;

  memset(g, 0, sizeof(*g) * (size_t)N);
  memset(H, 0, sizeof(*H) * (size_t)(N * N));
  for (PetscInt i = 0; i < count; i++) {
    const AbutContactPoint *p     = &points[i];
    AbutFrictionPoint       point = {.n = p->n, .normal_force = p->force, .mu_static = mu, .mu_kinetic = mu};
    PetscReal               d[12], local[12], K[144], P[144];
    for (PetscInt k = 0; k < p->n * dim; k++) d[k] = velocity[dim * p->v[k / dim] + k % dim];
    for (PetscInt a = 0; a < p->n; a++) point.weight[a] = p->weight[a];
    AbutTangents(dim, p->normal, point.tangent);
    energy += Evaluate(dim, &point, eps, d, local, K, P);
    for (PetscInt r = 0; r < p->n * dim; r++) {
      const PetscInt row = dim * p->v[r / dim] + r % dim;
      g[row] += local[r];
      for (PetscInt c = 0; c < p->n * dim; c++) H[N * row + dim * p->v[c / dim] + c % dim] += K[p->n * dim * r + c];
    }
  }
  return energy;
}

/* Normal forces are derivatives of the barrier at recorded distances: as in test_potential_reference.c. */
static PetscReal Tolerance(const char name[])
{
  if (!strcmp(name, "squares_large_coordinates")) return 1e-6;
  return strstr(name, "large_coordinates") ? 1e-8 : 1e-10;
}

static void CheckSurface(json_t *one, PetscInt dim, size_t which)
{
  static TestSurface      s;
  static PetscReal        H[MAX_UNKNOWNS * MAX_UNKNOWNS], H_ref[MAX_UNKNOWNS * MAX_UNKNOWNS];
  json_t                 *friction = json_object_get(one, "friction");
  const PetscReal         tol      = Tolerance(json_string_value(json_object_get(one, "name")));
  PetscReal               velocity[MAX_UNKNOWNS], g[MAX_UNKNOWNS], g_ref[MAX_UNKNOWNS], energy, e_ref = Number(friction, "potential");
  AbutPotential           pot;
  const AbutContactPoint *points;
  AbutContactPoint       *copies;
  PetscInt                N, count;

  LoadSurface(one, dim, &s);
  N = dim * s.c.num_vertices;
  assert_true(N <= MAX_UNKNOWNS);
  AbutTestNumbers(json_object_get(friction, "velocity"), N, velocity);
  AbutTestCall(AbutPotentialCreate(PETSC_COMM_SELF, "ipc", &pot));
  AbutTestCall(AbutPotentialSetDhat(pot, Number(one, "dhat")));
  AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
  AbutTestCall(AbutPotentialGetContactPoints(pot, &count, &points));
  AbutTestCall(PetscMalloc1(count, &copies));
  CopyPoints(pot, &s, points, copies);
  energy = SumOverPoints(&s, count, copies, Number(friction, "mu"), Number(friction, "eps_v"), velocity, g, H);
  CloseToSize("energy", which, 1, &energy, &e_ref, tol);
  AbutTestNumbers(json_object_get(friction, "grad"), N, g_ref);
  CloseToSize("gradient", which, N, g, g_ref, tol);
  AbutTestNumbers(json_object_get(friction, "hess"), N * N, H_ref);
  CloseToSize("Hessian", which, N * N, H, H_ref, tol);
  AbutTestCall(PetscFree(copies));
  AbutTestCall(AbutPotentialDestroy(&pot));
}

static void CheckFile(const char path[], PetscInt dim)
{
  json_t *root = AbutTestLoadReference(path), *cases = json_object_get(root, "cases");
  int     count = 0;

  for (size_t i = 0; i < json_array_size(cases); i++) {
    json_t     *one  = json_array_get(cases, i);
    const char *name = json_string_value(json_object_get(one, "name"));
    if (strcmp(json_string_value(json_object_get(one, "set")), "ipc") || !json_object_get(one, "friction")) continue;
    if (!strncmp(name, "points_", 7)) continue; /* pairs of two vertices without edges are no candidates */
    CheckSurface(one, dim, i);
    count++;
  }
  print_message("%s: %d cases\n", path, count);
  assert_true(count > 10);
  json_decref(root);
}

static void Surfaces(void **state)
{
  (void)state;
  CheckFile("reference/ipc_potential_2d.json", 2);
  CheckFile("reference/ipc_potential_3d.json", 3);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Tables), cmocka_unit_test(SingleContacts), cmocka_unit_test(Surfaces)};
  return AbutTestMain(argc, argv, tests);
}
