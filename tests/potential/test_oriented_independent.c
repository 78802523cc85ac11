/*
  The potential "oipc" on small surfaces against oipc_independent.py: energies, gradients and Hessians from automatic differentiation of the
  published formulas in extended precision.
*/
#include <string.h>
#include <unistd.h>
#include "oriented.h"

/*
  Relative to the largest entry. Hessians in the mollified zone of an end are differences of terms that are the inverse width, 1e3 to 1e4,
  times as large.
*/
static const PetscReal tolerance[3] = {1e-12, 1e-11, 1e-11};
static const char     *quantity[3]  = {"energy", "gradient", "Hessian"};

typedef struct {
  json_t   *recorded;
  PetscReal x[MAX_SIZE], rest[MAX_SIZE], dhat;
  PetscInt  N, active;
} Case;

static TestOriented t;

static PetscReal Get(json_t *object, const char key[])
{
  return AbutTestNumber(json_object_get(object, key));
}

static PetscInt LoadIndices(json_t *array, PetscInt width, PetscInt out[])
{
  const PetscInt n = (PetscInt)json_array_size(array);

  for (PetscInt i = 0; i < n * width; i++)
    out[i] = (PetscInt)AbutTestNumber(json_array_get(json_array_get(array, (size_t)(i / width)), (size_t)(i % width)));
  return n;
}

static void Load(json_t *one, Case *c)
{
  t    = (TestOriented){.dim = (PetscInt)Get(one, "dim"), .nv = (PetscInt)json_array_size(json_object_get(one, "x")), .ratio = 0.5};
  t.ne = LoadIndices(json_object_get(one, "edges"), 2, t.edges[0]);
  t.nf = LoadIndices(json_object_get(one, "faces"), 3, t.faces[0]);
  assert_true(t.nv <= MAX_VERTICES && t.ne <= MAX_EDGES && t.nf <= MAX_FACES);
  for (PetscInt v = 0; v < t.nv; v++) t.oriented[v] = (PetscBool)json_is_true(json_array_get(json_object_get(one, "oriented"), (size_t)v));
  t.spec = (AbutOrientedSpec){.alpha_t         = Get(one, "alpha"),
                              .alpha_n         = Get(one, "alpha"),
                              .beta_t          = Get(one, "beta"),
                              .beta_n          = Get(one, "beta"),
                              .power           = (PetscReal)(t.dim - 1),
                              .member          = ABUT_ORIENTED_OIPC,
                              .length          = Get(one, "length"),
                              .mollifier_width = 1e-3,
                              .mollifier_ratio = 0.1};
  *c     = (Case){.recorded = one, .N = t.dim * t.nv, .dhat = Get(one, "dhat")};
  AbutTestNumbers(json_object_get(one, "x"), c->N, c->x);
  AbutTestNumbers(json_object_get(one, "rest"), c->N, c->rest);
  OrientedCreate(&t);
}

/* Pairs at the positions, with activation distances and measures as the configuration asks. */
static void FindPairs(Case *c)
{
  t.ranges = (AbutOrientedDhat){.dhat = c->dhat, .inner = ABUT_ORIENTED_INNER * t.spec.length};
  if (!strcmp(json_string_value(json_object_get(c->recorded, "measure")), "rest"))
    AbutTestCall(AbutOrientedSurfaceSetRest(t.surface, &t.spec, c->rest));
  if (json_is_true(json_object_get(c->recorded, "adaptive"))) OrientedAdapt(&t, c->rest);
  OrientedFindPairs(&t, c->x);
}

/* Adds a vertex and a half space to energy, gradient and Hessian. */
static PetscReal AddPlane(const Case *c, PetscInt v, const PetscReal point[], const PetscReal normal[], PetscReal g[], PetscReal H[])
{
  static PetscReal       scratch[MAX_SCRATCH], Hp[MAX_SIZE * MAX_SIZE];
  const AbutOrientedPair pair = {ABUT_PAIR_VV, v, -1, c->dhat};
  PetscInt               at[MAX_VERTICES];
  PetscReal              height = 0, gp[MAX_SIZE];
  AbutOrientedPairState  state;

  for (PetscInt i = 0; i < t.dim; i++) height += normal[i] * (c->x[t.dim * v + i] - point[i]);
  AbutOrientedEvaluatePlane(t.surface, &t.spec, &pair, normal, height, c->x, &(AbutOrientedOutput){.scratch = scratch, .g = gp, .H = Hp},
                            &state);
  AbutOrientedPairVertices(t.surface, &pair, at);
  for (PetscInt r = 0; r < t.dim * state.n; r++) {
    const PetscInt row = t.dim * at[r / t.dim] + r % t.dim;
    g[row] += gp[r];
    for (PetscInt q = 0; q < t.dim * state.n; q++) H[c->N * row + t.dim * at[q / t.dim] + q % t.dim] += Hp[t.dim * state.n * r + q];
  }
  return state.value;
}

static PetscReal Evaluate(Case *c, PetscReal g[], PetscReal H[])
{
  json_t   *planes = json_object_get(c->recorded, "planes");
  PetscReal energy = OrientedTotal(&t, c->x, ABUT_PSD_NONE, g, H), point[3], normal[3];

  c->active = 0;
  for (PetscInt k = 0; k < t.num_pairs; k++) c->active += OrientedAddPair(&t, &t.pairs[k], c->x, ABUT_PSD_NONE, NULL, NULL).value > 0;
  for (size_t p = 0; p < json_array_size(planes); p++) {
    AbutTestNumbers(json_array_get(json_array_get(planes, p), 0), t.dim, point);
    AbutTestNumbers(json_array_get(json_array_get(planes, p), 1), t.dim, normal);
    for (PetscInt v = 0; v < t.nv; v++) {
      const PetscReal value = AddPlane(c, v, point, normal, g, H);
      energy += value;
      c->active += value > 0;
    }
  }
  return energy;
}

/* Differences of energy, gradient and Hessian from the recorded ones over the largest recorded entry. */
static void Compare(Case *c, PetscReal error[3])
{
  static PetscReal mine[MAX_SIZE * MAX_SIZE + MAX_SIZE + 1], recorded[MAX_SIZE * MAX_SIZE + MAX_SIZE + 1];
  const PetscInt   start[] = {0, 1, 1 + c->N, 1 + c->N + c->N * c->N};

  FindPairs(c);
  mine[0]     = Evaluate(c, mine + 1, mine + 1 + c->N);
  recorded[0] = Get(c->recorded, "energy");
  AbutTestNumbers(json_object_get(c->recorded, "gradient"), c->N, recorded + 1);
  AbutTestNumbers(json_object_get(c->recorded, "hessian"), c->N * c->N, recorded + 1 + c->N);
  for (int k = 0; k < 3; k++) {
    PetscReal size = 0, most = 0;
    for (PetscInt i = start[k]; i < start[k + 1]; i++) {
      size = PetscMax(size, PetscAbsReal(recorded[i]));
      most = PetscMax(most, PetscAbsReal(mine[i] - recorded[i]));
    }
    assert_true(size > 0);
    error[k] = most / size;
  }
}

static json_t *LoadCases(void)
{
  json_error_t error;
  json_t      *root;

  if (access(ABUT_INDEPENDENT_VALUES, R_OK)) {
    printf("SKIPPED: oipc_independent.py has not written %s\n", ABUT_INDEPENDENT_VALUES);
    exit(77);
  }
  root = json_load_file(ABUT_INDEPENDENT_VALUES, JSON_DECODE_INT_AS_REAL, &error);
  if (!root) fail_msg("%s:%d: %s", ABUT_INDEPENDENT_VALUES, error.line, error.text);
  return root;
}

static void test_values(void **state)
{
  json_t      *root = LoadCases(), *cases = json_object_get(root, "cases");
  static Case  c;
  PetscReal    error[3], most[3] = {0};
  const size_t count = json_array_size(cases);

  (void)state;
  assert_true(count >= 30);
  for (size_t i = 0; i < count; i++) {
    json_t     *one  = json_array_get(cases, i);
    const char *name = json_string_value(json_object_get(one, "name"));
    Load(one, &c);
    Compare(&c, error);
    for (int k = 0; k < 3; k++) {
      if (!(error[k] <= tolerance[k])) fail_msg("%s: %s differs by %g of its largest entry", name, quantity[k], (double)error[k]);
      most[k] = PetscMax(most[k], error[k]);
    }
    assert_int_equal(c.active, (PetscInt)Get(one, "active"));
    OrientedDestroy(&t);
  }
  print_message("%zu configurations: relative differences of energies %.1e, gradients %.1e, Hessians %.1e\n", count, (double)most[0],
                (double)most[1], (double)most[2]);
  json_decref(root);
}

/* A parameter that differs by 1e-6 of its value is noticed in several configurations. */
static void test_sensitive(void **state)
{
  json_t     *root = LoadCases(), *cases = json_object_get(root, "cases");
  static Case c;

  (void)state;
  for (int parameter = 0; parameter < 6; parameter++) {
    PetscInt noticed = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) {
      PetscReal error[3];
      Load(json_array_get(cases, i), &c);
      PetscReal *const changed[] = {&t.spec.alpha_t,         &t.spec.alpha_n,         &t.spec.length,
                                    &t.spec.mollifier_width, &t.spec.mollifier_ratio, &c.dhat};
      *changed[parameter] *= 1 + 1e-6;
      Compare(&c, error);
      noticed += error[0] > tolerance[0] || error[1] > tolerance[1] || error[2] > tolerance[2];
      OrientedDestroy(&t);
    }
    print_message("parameter %d: noticed in %ld configurations\n", parameter, (long)noticed);
    assert_true(noticed >= 3);
  }
  json_decref(root);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_sensitive)};
  return AbutTestMain(argc, argv, tests);
}
