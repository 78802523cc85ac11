/* Motions of single components: uniaxial tension between symmetry planes, conflicts, rigid motions that rollers leave. */
#include "bench.h"

/* Prescribes the component along `axis` of the face of "bar" at the fraction `side` of its length along that axis. */
static AbutMotionSpec *Face(Bench *b, PetscInt axis, PetscReal side)
{
  AbutMotionSpec *motion = BenchAddMotion(b, "bar", 0, 0);

  motion->selection.has_box = motion->selection.relative = PETSC_TRUE;
  for (int i = 0; i < 3; i++) motion->selection.box[0][i] = i == axis ? side : 0, motion->selection.box[1][i] = i == axis ? side : 1;
  motion->components = 1 << axis;
  return motion;
}

/* Lateral stretch of a neo-Hookean bar with the stretch `along` and free sides, one in plane strain, by Newton's method. */
static PetscReal Lateral(PetscInt dim, const AbutMaterialSpec *m, PetscReal along)
{
  const PetscReal mu = m->young / (2 * (1 + m->poisson)), lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
  const PetscReal sides = (PetscReal)(dim - 1);
  PetscReal       s     = 1;

  for (int k = 0; k < 50; k++) {
    const PetscReal f = mu * (s * s - 1) + lambda * (PetscLogReal(along) + sides * PetscLogReal(s));
    s -= f / (2 * mu * s + lambda * sides / s);
  }
  return s;
}

/* Every vertex has its place in the uniform deformation to round-off: linear and quadratic cells, quasi-static. */
static void Stretches(void **state)
{
  const PetscReal along = 1.3;

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscInt order = 1; order <= 2; order++) {
      Bench     b;
      PetscReal worst = 0, across;

      BenchInit(&b, PETSC_COMM_WORLD, dim, 0.5);
      b.spec.integrator = ABUT_INTEGRATOR_STATIC;
      b.spec.tolerance  = (AbutQuantity){1e-12, PETSC_FALSE};
      BenchAddBox(&b, "bar", 0, 1, 2, 0.5, 0.5);
      b.bodies[0].shape.translate[2] = 0.5;
      b.bodies[0].shape.order        = order;
      across                         = Lateral(dim, &b.materials[0], along);
      for (PetscInt axis = 0; axis < dim; axis++) Face(&b, axis, 0);
      Face(&b, 0, 1)->velocity[0] = along - 1;
      BenchOpen(&b);
      BenchStep(&b, 2);
      for (PetscInt i = 0; i < b.local->num_owned * dim; i++)
        worst = PetscMax(worst, PetscAbsReal(b.state->x[i] - (i % dim ? across : along) * b.local->rest[i]));
      assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_REAL, MPIU_MAX, b.comm), 0);
      print_message("%ldD, order %ld: %g\n", (long)dim, (long)order, (double)worst);
      assert_true(worst < 1e-13);
      BenchClose(&b);
    }
}

/* A free component keeps its velocity: a block that is driven along x flies on along y, with every integrator. */
static void OthersStayFree(void **state)
{
  (void)state;
  for (int k = ABUT_INTEGRATOR_EULER; k <= ABUT_INTEGRATOR_BDF2; k++) {
    Bench     b;
    PetscReal low[2], high;

    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.1);
    b.spec.integrator = (AbutIntegrator)k;
    BenchAddBox(&b, "bar", 0, 1, 2, 0, 0);
    b.bodies[0].velocity[1]                     = 2;
    BenchAddMotion(&b, "bar", 1, 0)->components = 1;
    BenchOpen(&b);
    BenchStep(&b, 5);
    for (int i = 0; i < 2; i++) BenchExtent(&b, 0, i, &low[i], &high);
    AbutTestClose("corner", 2, low, (PetscReal[]){0, 0.5}, 1e-9);
    AbutTestClose("momentum", 1, &b.report.momentum[1], &(PetscReal){2000}, 1e-9);
    BenchClose(&b);
  }
}

/* A slow press closes the last part of its way by the augmented Lagrangian, in one component only. */
static void PushesThroughContact(void **state)
{
  Bench     b;
  PetscReal low, high;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.1);
  b.spec.integrator = ABUT_INTEGRATOR_STATIC;
  b.spec.tolerance  = (AbutQuantity){1e-8, PETSC_FALSE};
  BenchAddBox(&b, "bar", 0, 1, 4, 0, 0.505);
  BenchAddPlane(&b, "floor", 0, 1);
  Face(&b, 0, 0);
  Face(&b, 1, 1)->velocity[1] = -1;
  BenchOpen(&b);
  BenchStep(&b, 2);
  BenchExtent(&b, 0, 1, &low, &high);
  assert_true(low > 0 && low < 0.01);
  AbutTestClose("top", 1, &high, &(PetscReal){0.805}, 1e-3); /* a motion is complete at 99.9 % */
  BenchExtent(&b, 0, 0, &low, &high);
  AbutTestClose("symmetry plane", 1, &low, &(PetscReal){-0.5}, 1e-15);
  assert_true(high > 0.55); /* the other side is free */
  BenchClose(&b);
}

/* Symmetry planes along all axes hold a body; without one of them it can slide, and on rollers along one line it can turn. */
static void Supports(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int missing = -1; missing < (int)dim; missing++) {
      Bench          b;
      AbutStepReport report;
      PetscErrorCode code;

      BenchInit(&b, PETSC_COMM_WORLD, dim, 1);
      b.spec.integrator = ABUT_INTEGRATOR_STATIC;
      BenchAddBox(&b, "bar", 0, 1, 2, 7, -3);
      for (PetscInt axis = 0; axis < dim; axis++)
        if (axis != missing) Face(&b, axis, 0);
      BenchOpen(&b);
      code = AbutStepperStep(b.stepper, &report);
      assert_int_equal(code, missing < 0 ? 0 : ABUT_ERR_INPUT);
      if (code) assert_non_null(strstr(AbutErrorMessage(), "or single components that prevent every rigid motion"));
      AbutErrorClear();
      BenchClose(&b);
    }
}

/* Statically determinate support of a block in 3D: three corners with 3, 2 and 1 components. Without the last one it turns. */
static void SupportsByCorners(void **state)
{
  static const PetscInt components[3] = {7, 6, 2};
  static const int      corner[3][3]  = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};

  (void)state;
  for (int num = 2; num <= 3; num++) {
    Bench          b;
    AbutStepReport report;
    PetscErrorCode code;

    BenchInit(&b, PETSC_COMM_WORLD, 3, 1);
    b.spec.integrator = ABUT_INTEGRATOR_STATIC;
    BenchAddBox(&b, "bar", 0, 1, 2, 7, -3);
    for (int k = 0; k < num; k++) {
      AbutMotionSpec *motion = Face(&b, 0, 0);
      for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++) motion->selection.box[side][i] = corner[k][i];
      motion->components = components[k];
    }
    BenchOpen(&b);
    code = AbutStepperStep(b.stepper, &report);
    assert_int_equal(code, num == 3 ? 0 : ABUT_ERR_INPUT);
    AbutErrorClear();
    BenchClose(&b);
  }
}

/* Two motions of one component of a vertex: refused if one of them moves it, with both places and the vertex. */
static void RefusesConflicts(void **state)
{
  (void)state;
  for (int k = 0; k < 6; k++) {
    Bench           b;
    AbutMotionSpec *other;
    PetscErrorCode  code;

    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.1);
    BenchAddBox(&b, "block", 0, 1, 2, 5, 0);
    BenchAddBox(&b, "bar", 0, 1, 2, 0, 0);
    Face(&b, 1, 1);
    other              = Face(&b, 0, 0);
    other->components  = k == 0 ? 3 : k == 1 ? 1 : 0;
    other->velocity[0] = 1;
    if (k < 2) other->velocity[1] = k == 0 ? 1 : 0;
    if (k == 2) other->velocity[1] = 1, other->start = 1, b.motions[0].end = 1;
    if (k == 3) other->angular_velocity[2] = 1;
    if (k == 4) other->components = 1, other->angular_velocity[2] = 1;
    if (k == 5) other->components = 2;
    code = BenchTry(&b);
    assert_int_equal(code, k == 1 || k == 2 ? 0 : ABUT_ERR_INPUT);
    if (k == 0 || k == 3)
      assert_non_null(strstr(AbutErrorMessage(),
                             "scene.yaml:20 and scene.yaml:21: both motions prescribe the same component of vertex 6 of "
                             "'bar' at the same time, and one moves it"));
    if (k == 4) assert_non_null(strstr(AbutErrorMessage(), "scene.yaml:21: single components are not possible for rotations"));
    if (k == 5) assert_non_null(strstr(AbutErrorMessage(), "scene.yaml:21: the motion moves along x, which is not among its components"));
    AbutErrorClear();
    BenchClose(&b);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(Stretches), cmocka_unit_test(OthersStayFree),    cmocka_unit_test(PushesThroughContact),
    cmocka_unit_test(Supports),  cmocka_unit_test(SupportsByCorners), cmocka_unit_test(RefusesConflicts)};
  return AbutTestMain(argc, argv, tests);
}
