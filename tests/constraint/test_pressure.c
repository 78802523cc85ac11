/*
  Follower pressure and gas: derivatives of the energy by finite differences, on closed surfaces and between symmetry planes, with linear
  and quadratic cells; resultants; refusals.
*/
#include "bench.h"
#include "timeimpl.h"

/* Prescribes the component along `axis` of the face of the box at the fraction `side`. */
static void Slide(Bench *b, PetscInt axis, PetscReal side)
{
  AbutMotionSpec *motion = BenchAddMotion(b, "box", 0, 0);

  motion->selection.has_box = motion->selection.relative = PETSC_TRUE;
  for (int i = 0; i < 3; i++) motion->selection.box[0][i] = i == axis ? side : 0, motion->selection.box[1][i] = i == axis ? side : 1;
  motion->components = 1 << axis;
}

/*
  A box with a gas around it, and a pressure on it. open: on its upper side only, whose border slides in the planes of the other sides.
*/
static void Open(Bench *b, PetscInt dim, PetscInt order, PetscBool open)
{
  AbutLoadSpec *load;

  BenchInit(b, PETSC_COMM_WORLD, dim, 0.1);
  BenchAddBox(b, "box", 0, 1, 2, 0, 0);
  b->bodies[0].shape.order = order;
  for (int k = 0; k < 2; k++) {
    load = BenchAddLoad(b, "box");
    if (k == 0) {
      load->kind     = ABUT_LOAD_PRESSURE;
      load->pressure = 700;
    } else {
      load->kind = ABUT_LOAD_GAS;
      load->gas  = (AbutGasSpec){.pressure = 500, .exponent = 1.4, .ambient = 100, .volume = 3};
    }
    if (!open) continue;
    load->selection.has_box = load->selection.relative = PETSC_TRUE;
    for (int i = 0; i < 3; i++) load->selection.box[0][i] = i == 1, load->selection.box[1][i] = 1;
  }
  for (PetscInt axis = 0; axis < dim && open; axis += 2)
    for (int side = 0; side < 2; side++) Slide(b, axis, side);
  BenchOpen(b);
}

/* Positions of the start with a smooth and large change on free unknowns, the same on all ranks; ghosts current. */
static void Deform(const Bench *b, const AbutPrescribedMotion *motion, PetscReal t, PetscReal x[])
{
  const PetscInt dim = b->dim;

  for (PetscInt i = 0; i < b->local->num_owned * dim; i++) {
    const PetscReal *X = b->local->rest + i / dim * dim;
    const PetscReal  u = 0.2 * PetscSinReal(3 * X[0] + 2 * X[1] + (dim == 3 ? X[2] : 0) + (PetscReal)(i % dim));
    x[i]               = X[i % dim] + (motion->state[i] == ABUT_BOUNDARY_FREE ? u + t * PetscCosReal(7 * X[i % dim] + X[0] - X[1]) : 0);
  }
  AbutTestCall(AbutMeshUpdateGhosts(b->mesh, dim, x));
}

static PetscReal Dot(const Bench *b, const PetscReal g[], const PetscReal p[])
{
  PetscReal sum = AbutDot(b->local->num_owned * b->dim, g, p);

  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD), 0);
  return sum;
}

/* Gradient at the state, 0 for prescribed unknowns. */
static void Gradient(const Bench *b, AbutPressures s, const AbutPrescribedMotion *motion, const PetscReal x[], PetscReal g[])
{
  AbutTestCall(AbutPressuresSetState(s, x));
  AbutTestCall(PetscArrayzero(g, b->local->num_local * b->dim));
  AbutPressuresAddGradient(s, 1, g);
  AbutTestCall(AbutMeshReduceAdd(b->mesh, b->dim, g));
  for (PetscInt i = 0; i < b->local->num_owned * b->dim; i++)
    if (motion->state[i] != ABUT_BOUNDARY_FREE) g[i] = 0;
}

/* H p of the assembled Hessian and of the columns of gases, for free unknowns. */
static void Multiply(const Bench *b, AbutPressures s, const AbutPrescribedMotion *motion, const PetscReal p[], PetscReal Hp[])
{
  const PetscInt  n = b->local->num_owned * b->dim;
  AbutAssembler   as;
  AbutStencilList list;
  PetscScalar    *array;
  PetscReal      *z, c;
  Vec             in, out;

  AbutPressuresGetPattern(s, &list);
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, b->dim, b->local->num_owned, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, b->dim + 1, 0, NULL));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 1, &list, NULL, NULL));
  AbutTestCall(AbutAssemblerBegin(as));
  AbutTestCall(AbutPressuresAddHessian(s, 1, ABUT_PSD_NONE, as));
  AbutTestCall(AbutAssemblerEnd(as, NULL));
  AbutTestCall(MatCreateVecs(AbutAssemblerGetMat(as), &in, &out));
  AbutTestCall(VecGetArray(in, &array));
  for (PetscInt i = 0; i < n; i++) array[i] = p[i];
  AbutTestCall(VecRestoreArray(in, &array));
  AbutTestCall(MatMult(AbutAssemblerGetMat(as), in, out));
  AbutTestCall(VecGetArray(out, &array));
  for (PetscInt i = 0; i < n; i++) Hp[i] = motion->state[i] == ABUT_BOUNDARY_FREE ? array[i] : 0;
  AbutTestCall(VecRestoreArray(out, &array));
  AbutTestCall(PetscMalloc1(n, &z));
  assert_int_equal(AbutPressuresNumGases(s), 1);
  AbutTestCall(AbutPressuresGetColumn(s, 0, motion->fixed, &c, z));
  c *= Dot(b, z, p);
  for (PetscInt i = 0; i < n; i++) Hp[i] += motion->state[i] == ABUT_BOUNDARY_FREE ? c * z[i] : 0;
  AbutTestCall(PetscFree(z));
  AbutTestCall(VecDestroy(&in));
  AbutTestCall(VecDestroy(&out));
  AbutTestCall(AbutAssemblerDestroy(&as));
}

static void Derivatives(void **state)
{
  const PetscReal h = 1e-3;

  (void)state;
  for (int k = 0; k < 8; k++) {
    Bench                       b;
    AbutPressures               s;
    const AbutPrescribedMotion *motion;
    PetscReal                  *x, *p, *g[5], *Hp, energy[5], error = 0, size = 0;
    PetscInt                    n;

    Open(&b, 2 + k % 2, 1 + k / 2 % 2, (PetscBool)(k / 4));
    s      = b.stepper->terms.pressure.pressures;
    motion = AbutConstraintGetMotion(b.stepper->constraint);
    n      = b.local->num_owned * b.dim;
    AbutTestCall(PetscCalloc3(b.local->num_local * b.dim, &x, n, &p, n, &Hp));
    AbutTestCall(AbutConstraintBeginStep(b.stepper->constraint, 0, 0.1));
    AbutTestCall(AbutPressuresBeginStep(s, motion, 0, 0.1, PETSC_TRUE));
    for (int i = 0; i < 5; i++) {
      AbutTestCall(PetscMalloc1(b.local->num_local * b.dim, &g[i]));
      Deform(&b, motion, (i - 2) * h, x);
      AbutTestCall(AbutPressuresEnergy(s, x, &energy[i]));
      Gradient(&b, s, motion, x, g[i]);
    }
    Deform(&b, motion, 1, x);
    for (PetscInt i = 0; i < n; i++) p[i] = x[i];
    Deform(&b, motion, 0, x);
    for (PetscInt i = 0; i < n; i++) p[i] -= x[i];
    AbutTestCall(AbutPressuresSetState(s, x));
    AbutTestClose("gradient", 1, &(PetscReal){Dot(&b, g[2], p)},
                  &(PetscReal){(8 * (energy[3] - energy[1]) - energy[4] + energy[0]) / (12 * h)}, 1e-8);
    Multiply(&b, s, motion, p, Hp);
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal difference = (8 * (g[3][i] - g[1][i]) - g[4][i] + g[0][i]) / (12 * h);
      error                      = PetscMax(error, PetscAbsReal(difference - Hp[i]));
      size                       = PetscMax(size, PetscAbsReal(difference));
    }
    assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD), 0);
    assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD), 0);
    print_message("case %d: slope %g, Hessian off by %g of %g\n", k, (double)Dot(&b, g[2], p), (double)error, (double)size);
    assert_true(size > 1 && error < 1e-7 * size);
    for (int i = 0; i < 5; i++) AbutTestCall(PetscFree(g[i]));
    AbutTestCall(PetscFree3(x, p, Hp));
    BenchClose(&b);
  }
}

/* Pressure on a closed deformed surface has neither resultant nor moment; on the upper side its resultant is p times the area. */
static void Resultants(void **state)
{
  (void)state;
  for (int k = 0; k < 8; k++) {
    const PetscBool             open = (PetscBool)(k / 4);
    const PetscInt              dim  = 2 + k % 2;
    Bench                       b;
    AbutPressures               s;
    const AbutPrescribedMotion *motion;
    PetscReal                  *x, *g, sums[6] = {0};

    Open(&b, dim, 1 + k / 2 % 2, open);
    s      = b.stepper->terms.pressure.pressures;
    motion = AbutConstraintGetMotion(b.stepper->constraint);
    AbutTestCall(PetscCalloc2(b.local->num_local * dim, &x, b.local->num_local * dim, &g));
    AbutTestCall(AbutConstraintBeginStep(b.stepper->constraint, 0, 0.1));
    AbutTestCall(AbutPressuresBeginStep(s, motion, 0, 0.1, PETSC_TRUE));
    if (open)
      AbutTestCall(PetscArraycpy(x, b.local->rest, b.local->num_local * dim));
    else
      Deform(&b, motion, 0, x);
    Gradient(&b, s, motion, x, g);
    for (PetscInt v = 0; v < b.local->num_owned; v++) {
      PetscReal r[3] = {0, 0, 0}, f[3] = {0, 0, 0}, moment[3];
      for (PetscInt i = 0; i < dim; i++) r[i] = x[v * dim + i], f[i] = -g[v * dim + i];
      AbutCross(r, f, moment);
      for (int i = 0; i < 3; i++) sums[i] += f[i], sums[3 + i] += moment[i];
    }
    assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, sums, 6, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD), 0);
    AbutTestClose("resultant", 6, sums, (PetscReal[]){0, open ? -(700 + 500 - 100) : 0, 0, 0, 0, 0}, 1e-11);
    AbutTestCall(PetscFree2(x, g));
    BenchClose(&b);
  }
}

/* A free border is refused with its place, a moved one for a gas alone; an enclosing surface has no volume for a gas. */
static void Refuses(void **state)
{
  (void)state;
  for (int k = 0; k < 5; k++) {
    Bench           b;
    AbutLoadSpec   *load;
    AbutStepReport  report;
    PetscErrorCode  code;
    AbutMotionSpec *motion;

    BenchInit(&b, PETSC_COMM_WORLD, 3, 0.1);
    BenchAddBox(&b, "box", 0, 1, 2, 0, 0);
    load                    = BenchAddLoad(&b, "box");
    load->gas               = (AbutGasSpec){.pressure = 500, .exponent = 1, .volume = k == 2 ? 1 : 0};
    load->kind              = k == 1 || k == 3 ? ABUT_LOAD_PRESSURE : ABUT_LOAD_GAS;
    load->pressure          = 100;
    load->selection.has_box = load->selection.relative = (PetscBool)(k > 0);
    for (int i = 0; i < 3; i++) load->selection.box[0][i] = i == 1, load->selection.box[1][i] = 1;
    if (k == 2 || k == 3) {
      motion            = BenchAddMotion(&b, "box", 0, 0.1);
      motion->selection = load->selection;
    }
    code = BenchTry(&b);
    if (!code) code = AbutStepperStep(b.stepper, &report);
    if (code) print_message("%s\n", AbutErrorMessage());
    assert_int_equal(code, k == 3 ? 0 : ABUT_ERR_INPUT);
    if (k == 0) assert_non_null(strstr(AbutErrorMessage(), "scene.yaml:40: the selected surface encloses its body, not a cavity"));
    if (k == 1) assert_non_null(strstr(AbutErrorMessage(), "scene.yaml:40: the surface is open, and its border at vertex"));
    if (k == 2) assert_non_null(strstr(AbutErrorMessage(), "is moved by a motion, so that the volume of the gas is not known"));
    if (k == 4) assert_non_null(strstr(AbutErrorMessage(), "so that it does not tell the volume; give gas.volume"));
    AbutErrorClear();
    BenchClose(&b);
  }
}

/* A cube under uniform pressure has the uniform strain of the closed form, in quasi-static steps. */
static void CompressesUniformly(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    const PetscInt dim = 2 + k % 2;
    Bench          b;
    PetscReal      low, high, mu, lambda, s;

    BenchInit(&b, PETSC_COMM_WORLD, dim, 1);
    b.spec.integrator     = ABUT_INTEGRATOR_STATIC;
    b.spec.balance        = 0.01;
    b.spec.tolerance      = (AbutQuantity){1e-10, PETSC_FALSE};
    b.spec.regularization = 1;
    BenchAddBox(&b, "box", 0, 1, 2, 0, 0);
    b.bodies[0].shape.order       = 1 + k / 2;
    BenchAddLoad(&b, "box")->kind = ABUT_LOAD_PRESSURE;
    b.loads[0].pressure           = 4e4;
    BenchOpen(&b);
    BenchStep(&b, 8);
    BenchExtent(&b, 0, 0, &low, &high);
    mu     = b.materials[0].young / (2 * (1 + b.materials[0].poisson));
    lambda = b.materials[0].young * b.materials[0].poisson / ((1 + b.materials[0].poisson) * (1 - 2 * b.materials[0].poisson));
    s      = high - low;
    print_message("%ldD: stretch %g, %ld iterations in the last step\n", (long)dim, (double)s, (long)b.report.count.newton);
    /* first Piola-Kirchhoff stress mu (s - 1/s) + lambda ln J / s = - p s^(dim - 1) */
    AbutTestClose("pressure", 1,
                  &(PetscReal){(mu * (s - 1 / s) + lambda * (PetscReal)dim * PetscLogReal(s) / s) / PetscPowRealInt(s, (int)dim - 1) / 4e4},
                  &(PetscReal){-1}, 1e-6);
    BenchClose(&b);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Derivatives), cmocka_unit_test(Resultants), cmocka_unit_test(Refuses),
                                     cmocka_unit_test(CompressesUniformly)};
  return AbutTestMain(argc, argv, tests);
}
