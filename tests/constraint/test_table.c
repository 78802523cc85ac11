/* Tables over time: curves and integrals, positions of motions, impulses of loads, steps that end at the points. */
#include "bench.h"

static PetscReal     points[] = {0, 0, 0.25, 1, 0.7, 1, 0.9, -0.5, 1.4, 0.25};
static AbutTimeTable curves[] = {{5, points, ABUT_INTERPOLATION_LINEAR}, {5, points, ABUT_INTERPOLATION_CUBIC}, {0}};

/* Both curves pass through the points, are monotone between them and constant outside; the smooth one has no corners. */
static void Interpolates(void **state)
{
  const PetscReal step = 1e-6;

  (void)state;
  for (int smooth = 0; smooth < 2; smooth++) {
    const AbutTimeTable *table = &curves[smooth];
    for (PetscInt i = 0; i < 5; i++) {
      const PetscReal t = points[2 * i], v = points[2 * i + 1];
      PetscReal       slopes[2];
      assert_true(AbutTimeTableValue(table, t) == v);
      slopes[0] = (v - AbutTimeTableValue(table, t - step)) / step;
      slopes[1] = (AbutTimeTableValue(table, t + step) - v) / step;
      if (smooth) assert_true(PetscAbsReal(slopes[1] - slopes[0]) < 1e-3);
    }
    assert_true(AbutTimeTableValue(table, -5) == 0 && AbutTimeTableValue(table, 9) == 0.25);
    for (PetscInt i = 0; i < 4; i++)
      for (int k = 0; k < 50; k++) {
        const PetscReal t = points[2 * i] + (points[2 * i + 2] - points[2 * i]) * k / 50., dt = (points[2 * i + 2] - points[2 * i]) / 50;
        const PetscReal rise = AbutTimeTableValue(table, t + dt) - AbutTimeTableValue(table, t);
        assert_true(rise * (points[2 * i + 3] - points[2 * i + 1]) >= 0);
        assert_true(PetscAbsReal(rise) <= AbutTimeTableLargestChange(table, dt) * (1 + 1e-12));
      }
    assert_true(AbutTimeTableLargestChange(table, 100) == 1.5);
  }
  AbutTestClose("straight", 1, &(PetscReal){AbutTimeTableValue(&curves[0], 0.8)}, &(PetscReal){0.25}, 1e-15);
  AbutTestClose("symmetric", 1, &(PetscReal){AbutTimeTableValue(&curves[1], 0.8)}, &(PetscReal){0.25}, 1e-15);
  assert_true(AbutTimeTableValue(&curves[2], 3) == 1 && AbutTimeTableLargest(&curves[2]) == 1);
  assert_true(AbutTimeTableLargest(&curves[0]) == 1);
}

/* Steps end at all points that are a step apart, and at the first and last of points that are closer. */
static void EndsSteps(void **state)
{
  static PetscReal      close[] = {0, 0, 1, 1, 1.1, 0, 1.2, 3, 1.3, 1, 3, 0, 3.05, 1};
  static const PetscInt ends[]  = {1, 1, 0, 0, 1, 1, 1};
  const AbutTimeTable   table   = {7, close, ABUT_INTERPOLATION_LINEAR};

  (void)state;
  for (PetscInt i = 0; i < table.num; i++) {
    assert_int_equal(AbutTimeTableEndsStep(&table, i, 0.2), ends[i]);
    assert_int_equal(AbutTimeTableEndsStep(&table, i, 0.05), 1);
    assert_int_equal(AbutTimeTableEndsStep(&table, i, 10), i == 0 || i == table.num - 1);
  }
}

/* Integrals against Simpson's rule, exact for cubic polynomials, on pieces between the points. */
static void Integrates(void **state)
{
  uint64_t seed = 3;

  (void)state;
  for (int k = 0; k < 200; k++) {
    const AbutTimeTable *table = &curves[k % 3];
    PetscReal            end[2], cut[8], sum = 0;
    PetscInt             n = 0;
    for (int i = 0; i < 2; i++) end[i] = 0.7 + 1.2 * AbutTestRandom(&seed);
    PetscCallVoid(PetscSortReal(2, end));
    cut[n++] = end[0];
    for (int i = 0; i < 5; i++)
      if (points[2 * i] > end[0] && points[2 * i] < end[1]) cut[n++] = points[2 * i];
    cut[n++] = end[1];
    for (PetscInt i = 0; i + 1 < n; i++)
      sum += (cut[i + 1] - cut[i]) / 6 *
             (AbutTimeTableValue(table, cut[i]) + 4 * AbutTimeTableValue(table, (cut[i] + cut[i + 1]) / 2) +
              AbutTimeTableValue(table, cut[i + 1]));
    AbutTestClose("integral", 1, &(PetscReal){AbutTimeTableIntegral(table, end[0], end[1])}, &sum, 1e-14);
  }
}

/*
  A block that follows a table by displacement, a roller by rotation, a plane by velocity. Steps of 0.2 s end at all points, which are at
  least 0.2 s apart; with steps of 0.3 s they end at none but cross them. Positions at the ends of steps are exact in both cases.
*/
static void MotionsFollow(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    const AbutTimeTable *table   = &curves[k % 2];
    const PetscReal      dt      = k < 2 ? 0.2 : 0.3;
    PetscInt             touched = 0;
    Bench                b;

    BenchInit(&b, PETSC_COMM_WORLD, 2, dt);
    BenchAddBox(&b, "block", 0, 0.2, 2, 0, 3);
    BenchAddBox(&b, "roller", -1, 0.2, 2, 0, 0);
    BenchAddPlane(&b, "floor", -5, 1);
    for (int m = 0; m < 3; m++) BenchAddMotion(&b, m == 0 ? "block" : m == 1 ? "roller" : NULL, 0, m == 2 ? 1 : 0)->table = *table;
    b.motions[0].displacement[0] = 2;
    b.motions[1].rotation[2]     = 0.2;
    b.motions[2].plane           = 0;
    BenchOpen(&b);
    for (int step = 0; step < 10; step++) {
      PetscReal value, low, high;
      BenchStep(&b, 1);
      value = AbutTimeTableValue(table, b.state->time);
      BenchExtent(&b, 0, 0, &low, &high);
      AbutTestClose("block", 2, (PetscReal[]){low, high}, (PetscReal[]){2 * value - 0.1, 2 * value + 0.1}, 1e-14);
      BenchExtent(&b, 1, 0, &low, &high);
      AbutTestClose("roller", 1, &high, &(PetscReal){0.1 * (PetscCosReal(0.2 * value) + PetscSinReal(0.2 * PetscAbsReal(value)))}, 1e-14);
      AbutTestClose("plane", 1, &b.state->plane_point[1], &(PetscReal){-5 + AbutTimeTableIntegral(table, 0, b.state->time)}, 1e-14);
      for (int i = 1; i < 5; i++) touched += b.state->time == points[2 * i];
    }
    assert_int_equal(touched, 4); /* no point lies between two others that are closer than 0.3 s */
    BenchClose(&b);
  }
}

/* Velocity of the centre of mass of a free block under a table of force: exact with implicit Euler and Newmark, whatever the steps are. */
static void LoadsHaveTheirImpulse(void **state)
{
  static const AbutIntegrator integrators[] = {ABUT_INTEGRATOR_EULER, ABUT_INTEGRATOR_NEWMARK};

  (void)state;
  for (int k = 0; k < 4; k++) {
    const PetscReal end = 0.75;
    Bench           b;
    AbutLoadSpec   *load;

    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.3);
    b.spec.integrator = integrators[k / 2];
    BenchAddBox(&b, "block", 0, 0.2, 2, 0, 3);
    load           = BenchAddLoad(&b, "block");
    load->table    = curves[k % 2];
    load->force[1] = 40;
    load->end      = end;
    BenchOpen(&b);
    BenchStep(&b, 4);
    AbutTestClose("momentum", 1, &b.report.momentum[1], &(PetscReal){40 * AbutTimeTableIntegral(&curves[k % 2], 0, end)}, 1e-9);
    BenchClose(&b);
  }
}

/* Quasi-static steps have the load at their end: a linear bar in tension follows the table. */
static void LoadsActAtTheEnd(void **state)
{
  Bench           b;
  AbutLoadSpec   *load;
  AbutMotionSpec *hold;
  PetscReal       unit = 1;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.3);
  b.spec.integrator   = ABUT_INTEGRATOR_STATIC;
  b.spec.tolerance    = (AbutQuantity){1e-9, PETSC_FALSE};
  b.materials[0].kind = ABUT_MATERIAL_LINEAR;
  BenchAddBox(&b, "bar", 0, 1, 2, 0, 0);
  hold                    = BenchAddMotion(&b, "bar", 0, 0);
  hold->selection.has_box = hold->selection.relative = PETSC_TRUE;
  hold->selection.box[1][1]                          = 1;
  load                                               = BenchAddLoad(&b, "bar");
  load->selection.has_box = load->selection.relative = PETSC_TRUE;
  load->selection.box[0][0] = load->selection.box[1][0] = 1;
  load->selection.box[1][1]                             = 1;
  load->traction[0]                                     = 1e3;
  load->table                                           = curves[1];
  BenchOpen(&b);
  for (int step = 0; step < 5; step++) {
    const PetscReal factor = (BenchStep(&b, 1), AbutTimeTableValue(&curves[1], b.state->time));
    if (!step) unit = b.report.energy.elastic / PetscSqr(factor);
    AbutTestClose("elastic energy", 1, &(PetscReal){b.report.energy.elastic / unit}, &(PetscReal){PetscSqr(factor)}, 1e-6);
  }
  BenchClose(&b);
}

/* The limit of turns in a step counts tables: 2 rad within 0.25 s is more than 45 degrees in 0.1 s. */
static void TurnsAreLimited(void **state)
{
  Bench b;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.1);
  BenchAddBox(&b, "block", 0, 0.2, 2, 0, 3);
  BenchAddBox(&b, "roller", -1, 0.2, 2, 0, 0);
  BenchAddMotion(&b, "roller", 0, 0)->table = curves[0];
  b.motions[0].rotation[2]                  = 2;
  assert_int_equal(BenchTry(&b), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "scene.yaml:20: obstacle 'roller' turns by 85.94 degrees in a time step of 0.1 s"));
  AbutErrorClear();
  BenchClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Interpolates),
                                     cmocka_unit_test(EndsSteps),
                                     cmocka_unit_test(Integrates),
                                     cmocka_unit_test(MotionsFollow),
                                     cmocka_unit_test(LoadsHaveTheirImpulse),
                                     cmocka_unit_test(LoadsActAtTheEnd),
                                     cmocka_unit_test(TurnsAreLimited)};
  return AbutTestMain(argc, argv, tests);
}
