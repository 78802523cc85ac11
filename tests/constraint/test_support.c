/* Quasi-static steps: uniaxial compression, unsupported bodies, regularization. */
#include "bench.h"

/* Prescribes the velocity of the vertices of a body with low <= y <= high, both as fractions of its height. */
static AbutMotionSpec *Prescribe(Bench *b, PetscReal low, PetscReal high, PetscReal speed)
{
  AbutMotionSpec *motion = BenchAddMotion(b, "bar", 0, speed);

  motion->selection.has_box  = PETSC_TRUE;
  motion->selection.relative = PETSC_TRUE;
  for (int i = 0; i < 3; i++) motion->selection.box[0][i] = -1, motion->selection.box[1][i] = 2;
  motion->selection.box[0][1] = low;
  motion->selection.box[1][1] = high;
  return motion;
}

static void Open(Bench *b, PetscInt dim, PetscReal dt)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, dt);
  b->spec.integrator      = ABUT_INTEGRATOR_STATIC;
  b->materials[0].poisson = 0;
  BenchAddBox(b, "bar", 0, 1, 3, 0, 0.5);
}

/*
  With Poisson's ratio 0 the strain is uniform with stretch s; the neo-Hookean energy per volume is mu / 2 (s^2 - 1) - mu ln s. One step
  and several steps give the same result.
*/
static void Compresses(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscInt steps = 1; steps <= 4; steps += 3) {
      const PetscReal stretch = 0.8, mu = 5e4, energy = mu / 2 * (stretch * stretch - 1) - mu * PetscLogReal(stretch);
      Bench           b;
      PetscReal       worst = 0;
      Open(&b, dim, 1. / (PetscReal)steps);
      Prescribe(&b, -1, 0.01, 0);
      Prescribe(&b, 0.99, 2, stretch - 1);
      BenchOpen(&b);
      BenchStep(&b, steps);
      for (PetscInt v = 0; v < b.local->num_owned; v++)
        for (PetscInt i = 0; i < dim; i++) {
          const PetscReal X = b.local->rest[v * dim + i];
          worst             = PetscMax(worst, PetscAbsReal(b.state->x[v * dim + i] - (i == 1 ? stretch * X : X)));
        }
      assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_REAL, MPIU_MAX, b.comm), 0);
      assert_true(worst < 1e-6); /* the last Newton step was below 1e-6 m/s */
      AbutTestClose("energy", 1, &b.report.energy.elastic, &energy, 1e-6);
      AbutTestClose("kinetic energy", 1, &b.report.energy.kinetic, &(PetscReal){0}, 0);
      BenchClose(&b);
    }
}

/* A bar fixed at one end under a dead load: one step gives equilibrium; mean strain from the energy balance 2 W = work of the load. */
static void HangsUnderLoad(void **state)
{
  Bench     b;
  PetscReal work = 0, *mass;

  (void)state;
  Open(&b, 3, 1);
  b.materials[0].kind = ABUT_MATERIAL_LINEAR;
  b.spec.gravity[1]   = -10;
  Prescribe(&b, -1, 0.01, 0);
  BenchOpen(&b);
  BenchStep(&b, 1);
  AbutTestCall(PetscCalloc1(b.local->num_owned, &mass));
  AbutTestCall(AbutElasticGetMass(b.elastic, mass, NULL));
  for (PetscInt v = 0; v < b.local->num_owned; v++) work -= 10 * mass[v] * (b.state->x[3 * v + 1] - b.local->rest[3 * v + 1]);
  AbutTestCall(PetscFree(mass));
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &work, 1, MPIU_REAL, MPIU_SUM, b.comm), 0);
  assert_true(work > 100);
  AbutTestClose("work", 1, &(PetscReal){work / (2 * b.report.energy.elastic)}, &(PetscReal){1}, 1e-6);
  BenchClose(&b);
}

static void RefusesFreeBodies(void **state)
{
  Bench          b;
  AbutStepReport report;

  (void)state;
  Open(&b, 2, 1);
  b.spec.gravity[1] = -10;
  BenchOpen(&b);
  assert_int_equal(AbutStepperStep(b.stepper, &report), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "'bar' can move freely"));
  assert_non_null(strstr(AbutErrorMessage(), "regularization"));
  AbutErrorClear();
  BenchClose(&b);
}

/* Three collinear prescribed vertices leave a hinge: error. A fourth vertex off the line prevents rotation. */
static void RefusesHinges(void **state)
{
  (void)state;
  for (int corners = 1; corners <= 2; corners++) {
    Bench           b;
    AbutStepReport  report;
    AbutMotionSpec *motion;
    PetscErrorCode  code;

    Open(&b, 3, 1);
    for (int k = 0; k < corners; k++) { /* along x at one side or both */
      motion                      = Prescribe(&b, -1, 0.01, 0);
      motion->selection.box[0][2] = k ? 0.99 : -1;
      motion->selection.box[1][2] = k ? 2 : 0.01;
    }
    BenchOpen(&b);
    code = AbutStepperStep(b.stepper, &report);
    assert_int_equal(code, corners == 1 ? ABUT_ERR_INPUT : 0);
    if (code)
      assert_non_null(strstr(AbutErrorMessage(),
                             "'bar' can move freely as a rigid body: for quasi-static steps prescribe at least 3 of its "
                             "vertices that are not on a line by motions, or"));
    AbutErrorClear();
    BenchClose(&b);
  }
}

/* A regularized free body moves by load / (mass * regularization) per step. */
static void Regularizes(void **state)
{
  (void)state;
  Bench b;
  Open(&b, 2, 0.1);
  b.spec.gravity[1]     = -10;
  b.spec.regularization = 50;
  BenchOpen(&b);
  BenchStep(&b, 3);
  for (PetscInt v = 0; v < b.local->num_owned; v++)
    AbutTestClose("shift", 1, &(PetscReal){b.state->x[2 * v + 1] - b.local->rest[2 * v + 1]}, &(PetscReal){-3 * 10. / 50}, 1e-9);
  BenchClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Compresses), cmocka_unit_test(HangsUnderLoad), cmocka_unit_test(RefusesFreeBodies),
                                     cmocka_unit_test(RefusesHinges), cmocka_unit_test(Regularizes)};
  return AbutTestMain(argc, argv, tests);
}
