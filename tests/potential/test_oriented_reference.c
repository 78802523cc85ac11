/* The orientation-aware potential on small surfaces against recorded values of an independent implementation. */
#include <string.h>
#include "oriented.h"

/*
  Tolerance relative to the largest entry. Recorded factors use other formulas; derivatives of the barrier amplify their round-off. In
  scenes far from the origin the round-off of coordinates is 1e4 times as large.
*/
static PetscReal Tolerance(const char name[])
{
  return strstr(name, "large_coordinates") ? 1e-7 : 1e-9;
}

typedef struct {
  const char *name, *set;
  PetscReal   dhat, tol, max_error[3];
  PetscInt    loose; /* activation distances that round-off decides */
} Info;

static void CloseToSize(Info *info, int which, const char what[], PetscInt n, const PetscReal a[], const PetscReal b[], PetscReal floor)
{
  PetscReal size = floor;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(b[i]));
  for (PetscInt i = 0; i < n; i++) {
    if (size > 0) info->max_error[which] = PetscMax(info->max_error[which], PetscAbsReal(a[i] - b[i]) / size);
    if (!(PetscAbsReal(a[i] - b[i]) <= info->tol * size))
      fail_msg("%s %s dhat %g: %s: entry %ld is %.17g, recorded %.17g, size %g", info->name, info->set, (double)info->dhat, what, (long)i,
               (double)a[i], (double)b[i], (double)size);
  }
}

static PetscReal Get(json_t *object, const char key[])
{
  return AbutTestNumber(json_object_get(object, key));
}

static PetscInt LoadIndices(json_t *array, PetscInt width, PetscInt out[])
{
  for (size_t i = 0; i < json_array_size(array); i++) {
    for (PetscInt k = 0; k < width; k++)
      out[width * (PetscInt)i + k] = (PetscInt)AbutTestNumber(json_array_get(json_array_get(array, i), (size_t)k));
  }
  return (PetscInt)json_array_size(array);
}

static void LoadCase(json_t *one, Info *info, TestOriented *t, PetscReal rest[], PetscReal x[])
{
  *info   = (Info){.name = json_string_value(json_object_get(one, "name")), .set = json_string_value(json_object_get(one, "set"))};
  t->dim  = (PetscInt)Get(one, "dim");
  t->nv   = (PetscInt)json_array_size(json_object_get(one, "V"));
  t->ne   = LoadIndices(json_object_get(one, "E"), 2, t->edges[0]);
  t->nf   = LoadIndices(json_object_get(one, "F"), 3, t->faces[0]);
  t->spec = (AbutOrientedSpec){Get(one, "alpha_t"), Get(one, "beta_t"), Get(one, "alpha_n"), Get(one, "beta_n"), Get(one, "r")};
  assert_true(t->nv <= MAX_VERTICES && t->ne <= MAX_EDGES && t->nf <= MAX_FACES);
  for (PetscInt v = 0; v < t->nv; v++) t->oriented[v] = (PetscBool)json_is_true(json_object_get(one, "oriented"));
  AbutTestNumbers(json_object_get(one, "V_rest"), t->dim * t->nv, rest);
  AbutTestNumbers(json_object_get(one, "V"), t->dim * t->nv, x);
  info->dhat = Get(one, "dhat");
  info->tol  = Tolerance(info->name);
  t->ratio   = Get(one, "adaptive_dhat_ratio");
  t->ranges  = (AbutOrientedDhat){.dhat = info->dhat};
  OrientedCreate(t);
}

/*
  At rest, round-off decides whether a pair at a boundary of its active region is in contact. Checks without >= recorded >= with, then
  uses the recorded activation distances.
*/
static void CheckRange(json_t *one, Info *info, const char key[], PetscInt n, PetscReal with[], const PetscReal without[])
{
  PetscReal recorded[MAX_EDGES];

  AbutTestNumbers(json_object_get(one, key), n, recorded);
  for (PetscInt i = 0; i < n; i++) {
    if (!(with[i] <= recorded[i] + info->tol * info->dhat && recorded[i] <= without[i] + info->tol * info->dhat))
      fail_msg("%s %s dhat %g: %s %ld is in [%.17g, %.17g], recorded %.17g", info->name, info->set, (double)info->dhat, key, (long)i,
               (double)with[i], (double)without[i], (double)recorded[i]);
    info->loose += with[i] < without[i];
    with[i] = recorded[i];
  }
}

static void CheckRanges(json_t *one, Info *info, TestOriented *t, const PetscReal rest[])
{
  PetscReal        vertex[MAX_VERTICES], edge[MAX_EDGES], face[MAX_FACES];
  AbutOrientedDhat without = {.dhat = info->dhat, .of = {vertex, edge, face}};
  PetscInt         inside  = 0;

  OrientedAdapt(t, rest);
  for (PetscInt k = 0; k < t->num_pairs; k++) {
    const AbutOrientedPairState state = OrientedAddPair(t, &t->pairs[k], rest, ABUT_PSD_NONE, NULL, NULL);
    if (state.mollifier > 1e-9) t->pairs[inside++] = t->pairs[k];
  }
  OrientedAdaptTo(t, inside, rest, &without);
  CheckRange(one, info, "vert_dhat", t->nv, t->vertex, vertex);
  CheckRange(one, info, "edge_dhat", t->ne, t->edge, edge);
  if (t->dim == 3) CheckRange(one, info, "face_dhat", t->nf, t->face, face);
}

static AbutPairKind KindOf(json_t *pair)
{
  static const char *const names[] = {"VV", "EV", "FV", "EE"};
  const char              *type    = json_string_value(json_object_get(pair, "type"));

  for (int k = 0; k < 4; k++)
    if (!strcmp(names[k], type)) return (AbutPairKind)k;
  fail_msg("unknown type %s", type);
  return ABUT_PAIR_VV;
}

/* The recorded gradient of a pair, over all vertices. */
static void LoadGradient(json_t *pair, const TestOriented *t, PetscReal g[])
{
  json_t        *stencil = json_object_get(pair, "stencil");
  const PetscInt n       = (PetscInt)json_array_size(stencil);
  PetscReal      local[MAX_SIZE];

  AbutTestNumbers(json_object_get(pair, "local_grad"), t->dim * n, local);
  AbutTestCall(PetscArrayzero(g, t->dim * t->nv));
  for (PetscInt i = 0; i < t->dim * n; i++)
    g[t->dim * (PetscInt)AbutTestNumber(json_array_get(stencil, (size_t)(i / t->dim))) + i % t->dim] += local[i];
}

static void CheckPair(json_t *one, Info *info, TestOriented *t, const AbutOrientedPair *pair, const PetscReal x[], PetscReal size)
{
  PetscReal             d[3], g[MAX_SIZE] = {0}, gr[MAX_SIZE];
  AbutOrientedPairState state;
  PetscReal             recorded[6] = {Get(one, "dhat"),    Get(one, "factor_a"),  Get(one, "factor_b"),
                                       Get(one, "barrier"), Get(one, "mollifier"), Get(one, "value")};

  state = OrientedAddPair(t, pair, x, ABUT_PSD_NONE, g, NULL);
  AbutTestNumbers(json_object_get(one, "direction_a_to_b"), t->dim, d);
  CloseToSize(info, 0, "direction", t->dim, state.d, d, 0);
  for (int k = 0; k < 6; k++) {
    const PetscReal mine[6] = {pair->dhat, state.factor[0], state.factor[1], state.barrier, state.mollifier, state.value};
    CloseToSize(info, 0, "factor", 1, &mine[k], &recorded[k], k == 5 ? size : k ? 1 : 0);
  }
  LoadGradient(one, t, gr);
  CloseToSize(info, 1, "gradient of a pair", t->dim * t->nv, g, gr, size);
}

/*
  Compares both sets of pairs. A recorded pair without contribution may be missing here: it is on a boundary of the active region, for
  example an end of an edge exactly above another edge. Second derivatives jump there, and round-off decides between both values.
*/
static void CheckPairs(json_t *pairs, Info *info, TestOriented *t, const PetscReal x[], PetscReal total)
{
  PetscBool found[MAX_PAIRS] = {PETSC_FALSE};
  PetscInt  kept             = 0;

  for (size_t i = 0; i < json_array_size(pairs); i++) {
    json_t        *one = json_array_get(pairs, i), *ids = json_object_get(one, "primitives");
    const PetscInt a = (PetscInt)AbutTestNumber(json_array_get(ids, 0)), b = (PetscInt)AbutTestNumber(json_array_get(ids, 1));
    PetscInt       k = 0;
    while (k < t->num_pairs && (t->pairs[k].kind != KindOf(one) || t->pairs[k].a != a || t->pairs[k].b != b)) k++;
    if (k < t->num_pairs) {
      found[k] = PETSC_TRUE;
      CheckPair(one, info, t, &t->pairs[k], x, total);
    } else if (Get(one, "value") > 1e-12 * total)
      fail_msg("%s %s dhat %g: pair %d %ld %ld of value %g is missing", info->name, info->set, (double)info->dhat, KindOf(one), (long)a,
               (long)b, (double)Get(one, "value"));
  }
  for (PetscInt k = 0; k < t->num_pairs; k++) {
    const AbutOrientedPairState state = OrientedAddPair(t, &t->pairs[k], x, ABUT_PSD_NONE, NULL, NULL);
    if (!found[k] && (state.value > 1e-12 * total || state.mollifier > 1e-9))
      fail_msg("%s %s dhat %g: pair %d %ld %ld of value %g is not recorded", info->name, info->set, (double)info->dhat, t->pairs[k].kind,
               (long)t->pairs[k].a, (long)t->pairs[k].b, (double)state.value);
  }
  for (PetscInt k = 0; k < t->num_pairs; k++)
    if (found[k]) t->pairs[kept++] = t->pairs[k];
  t->num_pairs = kept;
}

static void CheckHessian(json_t *one, Info *info, TestOriented *t, const PetscReal x[], AbutProjection projection, const char product[],
                         const char dense[])
{
  static PetscReal H[MAX_SIZE * MAX_SIZE], recorded[MAX_SIZE * MAX_SIZE];
  const PetscInt   N = t->dim * t->nv;
  PetscReal        probe[MAX_SIZE], Hv[MAX_SIZE], Hvr[MAX_SIZE];

  OrientedTotal(t, x, projection, NULL, H);
  AbutTestNumbers(json_object_get(one, "probe"), N, probe);
  AbutTestNumbers(json_object_get(one, product), N, Hvr);
  for (PetscInt i = 0; i < N; i++) Hv[i] = AbutDot(N, H + N * i, probe);
  CloseToSize(info, 2, product, N, Hv, Hvr, 0);
  if (!json_object_get(one, dense)) return;
  AbutTestNumbers(json_object_get(one, dense), N * N, recorded);
  CloseToSize(info, 2, dense, N * N, H, recorded, 0);
}

static void CheckCase(json_t *one, PetscReal max_error[3])
{
  static TestOriented t;
  Info                info;
  PetscReal           rest[MAX_SIZE], x[MAX_SIZE], g[MAX_SIZE], gr[MAX_SIZE], energy, recorded;

  LoadCase(one, &info, &t, rest, x);
  if (json_is_true(json_object_get(one, "adaptive_dhat"))) {
    CheckRanges(one, &info, &t, rest);
    if (info.loose) print_message("%s %s: %ld ranges decided by rounding\n", info.name, info.set, (long)info.loose);
  }
  OrientedFindPairs(&t, x);
  recorded = Get(one, "potential");
  CheckPairs(json_object_get(one, "collisions"), &info, &t, x, recorded);
  energy = OrientedTotal(&t, x, ABUT_PSD_NONE, g, NULL);
  CloseToSize(&info, 0, "potential", 1, &energy, &recorded, 0);
  AbutTestNumbers(json_object_get(one, "grad"), t.dim * t.nv, gr);
  CloseToSize(&info, 1, "gradient", t.dim * t.nv, g, gr, recorded);
  CheckHessian(one, &info, &t, x, ABUT_PSD_NONE, "hess_times_probe", "hess");
  CheckHessian(one, &info, &t, x, ABUT_PSD_CLAMP, "hess_psd_clamp_times_probe", "hess_psd_clamp");
  for (int k = 0; k < 3; k++) max_error[k] = PetscMax(max_error[k], info.max_error[k]);
  OrientedDestroy(&t);
}

static void CheckFile(const char path[])
{
  json_t   *root = AbutTestLoadReference(path), *cases = json_object_get(root, "cases");
  PetscReal max_error[3] = {0};
  size_t    count        = json_array_size(cases);

  assert_true(count > 100);
  for (size_t i = 0; i < count; i++) CheckCase(json_array_get(cases, i), max_error);
  print_message("%s: %zu cases, relative errors of values %.1e, gradients %.1e, Hessians %.1e\n", path, count, (double)max_error[0],
                (double)max_error[1], (double)max_error[2]);
  json_decref(root);
}

typedef enum { SPLINE, STEP, BLEND, BARRIER, NUM_TABLES } Table;

static void CheckRow(json_t *row, Table table, const char name[])
{
  const PetscReal x = Get(row, "x"), recorded[3] = {Get(row, "f"), Get(row, "df"), Get(row, "d2f")};
  PetscReal       mine[3];

  switch (table) {
  case SPLINE: mine[0] = AbutOrientedSpline(x, &mine[1], &mine[2]); break;
  case STEP: mine[0] = AbutOrientedStep(x, Get(row, "alpha"), Get(row, "beta"), &mine[1], &mine[2]); break;
  case BLEND: mine[0] = AbutOrientedBlend(x, &mine[1], &mine[2]); break;
  default: mine[0] = AbutOrientedBarrier(x, Get(row, "r"), &mine[1], &mine[2]);
  }
  AbutTestClose(name, 3, mine, recorded, 1e-12); /* round-off of arguments times slopes of up to 1e2 near the ends of the step */
}

static void test_functions(void **state)
{
  static const char *const names[NUM_TABLES] = {"cubic_spline", "smooth_heaviside", "mollifier_h", "inv_barrier"};
  json_t                  *root              = AbutTestLoadReference("reference/oipc_functions.json");

  (void)state;
  for (int table = 0; table < NUM_TABLES; table++) {
    json_t *rows = json_object_get(root, names[table]);
    assert_true(json_array_size(rows) > 20);
    for (size_t i = 0; i < json_array_size(rows); i++) CheckRow(json_array_get(rows, i), (Table)table, names[table]);
  }
  json_decref(root);
}

static void test_2d(void **state)
{
  (void)state;
  CheckFile("reference/smooth_potential_2d.json");
}

static void test_3d(void **state)
{
  (void)state;
  CheckFile("reference/smooth_potential_3d.json");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_functions),
    cmocka_unit_test(test_2d),
    cmocka_unit_test(test_3d),
  };
  return AbutTestMain(argc, argv, tests);
}
