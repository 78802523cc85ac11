/*
  Queries of recorded simulations with exact ground truth [Wang et al. 2021]: no collision may be missed. False positives are
  expected, because a hit means that the distance falls to 1 - slack of its initial value, not to 0. Their rate and the mean time of a
  call are printed, not checked.
*/
#include "test.h"
#include <abut/geom.h>
#include <unistd.h>
#include "pair_distance.h"
#include "rational.h"

#define MAX_QUERIES 300
#define REPEATS     20

typedef struct {
  PetscReal x[12], dx[12];
  int       truth;
} Query;

static const char *const folders[] = {"erleben-cube-cliff-edges", "erleben-sliding-spike", "erleben-spike-crack",
                                      "erleben-spikes",           "erleben-wedges",        "unit-tests"};

/* Points of `end` minus points of `start`, rounded once. */
static void SetQuery(mpq_t coordinates[24], Query *q)
{
  mpq_t d;

  mpq_init(d);
  for (int i = 0; i < 12; i++) {
    q->x[i] = mpq_get_d(coordinates[i]);
    mpq_set_d(d, q->x[i]);
    assert_true(mpq_equal(d, coordinates[i]));
    mpq_sub(d, coordinates[12 + i], coordinates[i]);
    q->dx[i] = mpq_get_d(d);
  }
  mpq_clear(d);
}

/* Appends the queries of a file to q[n, MAX_QUERIES); returns the new n. */
static int Load(const char path[], int n, Query q[])
{
  char  line[1024];
  FILE *file = fopen(path, "r");
  mpq_t value[24];
  int   row = 0;

  if (!file) {
    printf("SKIPPED: no reference data at %s\n", path);
    exit(77);
  }
  for (int i = 0; i < 24; i++) mpq_init(value[i]);
  while (fgets(line, sizeof(line), file)) {
    char *field = strtok(line, ",");

    for (int k = 0; k < 3; k++) {
      assert_int_equal(mpz_set_str(mpq_numref(value[3 * row + k]), field, 10), 0);
      field = strtok(NULL, ",");
      assert_int_equal(mpz_set_str(mpq_denref(value[3 * row + k]), field, 10), 0);
      field = strtok(NULL, ",");
      mpq_canonicalize(value[3 * row + k]);
    }
    if (++row < 8) continue;
    assert_true(n < MAX_QUERIES);
    q[n].truth = atoi(field);
    SetQuery(value, &q[n++]);
    row = 0;
  }
  assert_int_equal(row, 0);
  for (int i = 0; i < 24; i++) mpq_clear(value[i]);
  fclose(file);
  return n;
}

static int CheckQuery(AbutPairKind kind, const Query *q, PetscReal slack, const char path[])
{
  PetscReal       toi;
  const PetscBool hit  = AbutCCD(kind, 3, q->x, q->dx, 1, slack, &toi);
  const Wide      d0   = WidePairDistance(kind, 3, q->x, q->dx, 0);
  Wide            size = 0;

  if (q->truth && !hit) fail_msg("%s: a collision was missed", path);
  for (int i = 0; i < 12; i++) size = fmaxl(size, fabs(q->x[i]) + fabs(q->dx[i]));
  for (int i = 0; i <= 16; i++) {
    const Wide d = WidePairDistance(kind, 3, q->x, q->dx, toi * (Wide)i / 16);
    if (d < (1 - slack) * d0 - 1e-17L * size) fail_msg("%s: from distance %Lg to %Lg", path, d0, d);
  }
  if (toi == 0 && d0 > 1e-17L * size) fail_msg("%s: no step from distance %Lg", path, d0);
  return hit && !q->truth;
}

static void CheckFolder(AbutPairKind kind, const char folder[])
{
  static const PetscReal slacks[] = {0.8, 0.99, 0.999, 1 - 1e-10};
  const char            *pairs    = kind == ABUT_PAIR_EE ? "edge-edge" : "vertex-face";
  static Query           q[MAX_QUERIES];
  char                   path[PETSC_MAX_PATH_LEN];
  int                    n = 0, clear = 0;

  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof(path), "%s/ccd-queries/%s/%s/data_0_%d.csv", ABUT_REFERENCE_DIR, folder, pairs, i);
    n = Load(path, n, q);
  }
  for (int i = 0; i < n; i++) clear += !q[i].truth;
  for (int s = 0; s < 4; s++) {
    PetscReal      toi;
    PetscLogDouble start, end, least = PETSC_MAX_REAL;
    int            false_positives = 0;

    for (int i = 0; i < n; i++) false_positives += CheckQuery(kind, &q[i], slacks[s], path);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
      PetscTime(&start);
      for (int i = 0; i < n; i++) AbutCCD(kind, 3, q[i].x, q[i].dx, 1, slacks[s], &toi);
      PetscTime(&end);
      least = PetscMin(least, end - start);
    }
    printf("%-25s %-11s slack 1 - %-5g: %3d false positives of %3d, %5.0f ns\n", folder, pairs, 1 - (double)slacks[s], false_positives,
           clear, 1e9 * least / n);
  }
}

static void TestFaceVertex(void **unused)
{
  for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) CheckFolder(ABUT_PAIR_FV, folders[i]);
  (void)unused;
}

static void TestEdgeEdge(void **unused)
{
  for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) CheckFolder(ABUT_PAIR_EE, folders[i]);
  (void)unused;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestFaceVertex), cmocka_unit_test(TestEdgeEdge)};
  return AbutTestMain(argc, argv, tests);
}
