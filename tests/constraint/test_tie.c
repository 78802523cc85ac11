/*
  Ties: derivatives of the energy by finite differences; no resistance to affine motions; forces of a uniform gap against loads of a
  traction; equal energies on all numbers of ranks. Meshes that do not match, linear and quadratic, with and without a gap.
*/
#include "bench.h"
#include "tieimpl.h"
#include "timeimpl.h"

#define GAP 0.01

/* Two boxes of edge 1 beside each other, of 3 and 2 cells an edge; `second` is tied to `first`. */
static void Open(Bench *b, MPI_Comm comm, PetscInt dim, PetscInt order, PetscReal gap)
{
  BenchInit(b, comm, dim, 0.1);
  BenchAddBox(b, "first", 0, 1, 2, 0, 0);
  BenchAddBox(b, "second", 1, 1, 3, 1 + gap, 0);
  b->bodies[0].shape.order = order;
  b->bodies[1].shape.order = 3 - order;
  b->num_ties              = 1;
  for (int side = 0; side < 2; side++) {
    AbutSelectionSpec *selection = side ? &b->ties[0].to : &b->ties[0].select;
    strcpy(selection->body, side ? "first" : "second");
    selection->has_box = selection->relative = PETSC_TRUE;
    for (int i = 0; i < 3; i++) selection->box[0][i] = i ? 0 : side, selection->box[1][i] = i ? 1 : side;
  }
  strcpy(b->ties[0].place, "scene.yaml:50");
  BenchOpen(b);
}

static AbutTies TiesOf(const Bench *b)
{
  return b->stepper->terms.tie.ties;
}

static PetscReal Energy(const Bench *b, const PetscReal x[])
{
  PetscReal energy;

  AbutTestCall(AbutTiesSetLine(TiesOf(b), x, NULL));
  energy = AbutTiesEnergy(TiesOf(b), 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPIU_REAL, MPIU_SUM, b->comm), 0);
  return energy;
}

static void Gradient(const Bench *b, const PetscReal x[], PetscReal g[])
{
  AbutTestCall(AbutTiesSetLine(TiesOf(b), x, NULL));
  AbutTiesSetState(TiesOf(b), 0);
  AbutTestCall(PetscArrayzero(g, b->local->num_owned * b->dim));
  AbutTestCall(AbutTiesAddGradient(TiesOf(b), 1, g));
}

/* A smooth displacement, the same on all numbers of ranks. */
static void Deform(const Bench *b, PetscReal t, PetscReal x[])
{
  const PetscInt dim = b->dim;

  for (PetscInt i = 0; i < b->local->num_owned * dim; i++) {
    const PetscReal *X = b->local->rest + i / dim * dim, side = X[0] > 0.5 + GAP / 2 ? 1 : 0;
    x[i] = X[i % dim] + 0.2 * PetscSinReal(3 * X[0] + 2 * X[1] + (PetscReal)(i % dim) + side) + t * PetscCosReal(7 * X[i % dim] + X[1]);
  }
}

static PetscReal Dot(const Bench *b, const PetscReal u[], const PetscReal v[])
{
  PetscReal sum = AbutDot(b->local->num_owned * b->dim, u, v);

  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, b->comm), 0);
  return sum;
}

static void Multiply(const Bench *b, const PetscReal p[], PetscReal Hp[])
{
  const PetscInt  n = b->local->num_owned * b->dim;
  AbutAssembler   as;
  AbutStencilList list;
  PetscScalar    *array;
  Vec             in, out;

  AbutTiesGetPattern(TiesOf(b), &list);
  AbutTestCall(AbutAssemblerCreate(b->comm, b->dim, b->local->num_owned, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, b->dim + 1, 0, NULL));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 1, &list, NULL, NULL));
  AbutTestCall(AbutAssemblerBegin(as));
  AbutTestCall(AbutTiesAddHessian(TiesOf(b), 1, as));
  AbutTestCall(AbutAssemblerEnd(as, NULL));
  AbutTestCall(MatCreateVecs(AbutAssemblerGetMat(as), &in, &out));
  AbutTestCall(VecGetArray(in, &array));
  for (PetscInt i = 0; i < n; i++) array[i] = p[i];
  AbutTestCall(VecRestoreArray(in, &array));
  AbutTestCall(MatMult(AbutAssemblerGetMat(as), in, out));
  AbutTestCall(VecGetArray(out, &array));
  for (PetscInt i = 0; i < n; i++) Hp[i] = array[i];
  AbutTestCall(VecRestoreArray(out, &array));
  AbutTestCall(VecDestroy(&in));
  AbutTestCall(VecDestroy(&out));
  AbutTestCall(AbutAssemblerDestroy(&as));
}

/* The energy is quadratic, so that differences are exact but for round-off. */
static void Derivatives(const Bench *b)
{
  const PetscInt n = b->local->num_owned * b->dim;
  PetscReal     *x, *p, *g[3], *Hp, energy[2], error[2] = {0, 0};

  AbutTestCall(PetscMalloc6(n, &x, n, &p, n, &Hp, n, &g[0], n, &g[1], n, &g[2]));
  for (int i = 0; i < 2; i++) {
    Deform(b, i ? 1 : -1, x);
    energy[i] = Energy(b, x);
    Gradient(b, x, g[i]);
    for (PetscInt k = 0; k < n; k++) p[k] = i ? (x[k] - p[k]) / 2 : x[k];
  }
  Deform(b, 0, x);
  Gradient(b, x, g[2]);
  Multiply(b, p, Hp);
  AbutTestClose("gradient", 1, &(PetscReal){Dot(b, g[2], p)}, &(PetscReal){(energy[1] - energy[0]) / 2}, 1e-10);
  for (PetscInt i = 0; i < n; i++) {
    error[0] = PetscMax(error[0], PetscAbsReal((g[1][i] - g[0][i]) / 2 - Hp[i]));
    error[1] = PetscMax(error[1], PetscAbsReal(Hp[i]));
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, error, 2, MPIU_REAL, MPIU_MAX, b->comm), 0);
  if (!(error[0] <= 1e-10 * error[1])) fail_msg("Hessian: error %g, size %g", (double)error[0], (double)error[1]);
  AbutTestCall(PetscFree6(x, p, Hp, g[0], g[1], g[2]));
}

/* A large rotation with stretch and shear, then a displacement of the second body by d along x. */
static void Affine(const Bench *b, PetscReal d, PetscReal x[])
{
  static const PetscReal F[9] = {0.3, -1.2, 0.1, 0.9, 0.4, 0.2, -0.1, 0.3, 1.1};
  const PetscInt         dim  = b->dim;

  for (PetscInt i = 0; i < b->local->num_owned * dim; i++) {
    x[i] = i % dim == 0 && b->local->vertex_body[i / dim] == 1 ? d : 0;
    for (PetscInt k = 0; k < dim; k++) x[i] += F[3 * (i % dim) + k] * b->local->rest[i / dim * dim + k];
  }
}

/* A uniform gap d acts as a traction k d on either surface, with the stiffness k per area. */
static void UniformGap(const Bench *b)
{
  const PetscReal d = 1e-3;
  const PetscInt  n = b->local->num_owned * b->dim;
  const AbutTies  t = TiesOf(b);
  PetscReal       k = t->num_rows ? t->stiffness[0] / t->area[0] : 0, error[2] = {0, 0}, *x, *g, *force;
  AbutLoadSpec    load[2];
  AbutLoads       loads;

  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &k, 1, MPIU_REAL, MPIU_MAX, b->comm), 0);
  for (PetscInt r = 0; r < t->num_rows; r++) AbutTestClose("stiffness over area", 1, &(PetscReal){t->stiffness[r] / t->area[r]}, &k, 1e-12);
  AbutTestCall(PetscMalloc3(n, &x, n, &g, n, &force));
  Affine(b, 0, x);
  assert_true(Energy(b, x) < 1e-20 * k);
  Affine(b, d, x);
  AbutTestClose("energy", 1, &(PetscReal){Energy(b, x)}, &(PetscReal){k * d * d / 2}, 1e-9); /* area 1 */
  Gradient(b, x, g);
  for (int side = 0; side < 2; side++) {
    load[side]             = (AbutLoadSpec){.selection = side ? b->ties[0].to : b->ties[0].select, .end = PETSC_INFINITY};
    load[side].traction[0] = side ? -k * d : k * d;
  }
  AbutTestCall(AbutLoadsCreate(b->mesh, &b->stepper->scales.mass, 2, load, &loads));
  AbutTestCall(AbutLoadsEvaluate(loads, 0, 1, PETSC_TRUE, force));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt second = b->local->vertex_body[i / b->dim];
    error[second]         = PetscMax(error[second], PetscAbsReal(g[i] - force[i]) / (k * d));
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, error, 2, MPIU_REAL, MPIU_MAX, b->comm), 0);
  /* exact on the tied surface; on the other one integrals of functions with kinks, and the lever of the gap: GAP / (1 / 2) of a load */
  if (!(error[1] <= 1e-9 && error[0] <= 2e-3 + (t->report[0].gap > 0 ? 2 * GAP : 0)))
    fail_msg("forces of a uniform gap are wrong by %g and %g of the traction", (double)error[1], (double)error[0]);
  AbutTestCall(AbutLoadsDestroy(&loads));
  AbutTestCall(PetscFree3(x, g, force));
}

static void Ties(void **state)
{
  (void)state;
  for (int k = 0; k < 8; k++) {
    const PetscReal gap = k / 4 ? GAP : 0;
    Bench           b, one;
    PetscReal      *x[2];

    Open(&b, PETSC_COMM_WORLD, 2 + k % 2, 1 + k / 2 % 2, gap);
    Open(&one, PETSC_COMM_SELF, 2 + k % 2, 1 + k / 2 % 2, gap);
    AbutTestClose("area", 1, &AbutStepperGetTie(b.stepper, 0)->area, &(PetscReal){1}, 1e-12);
    AbutTestClose("gap", 1, &AbutStepperGetTie(b.stepper, 0)->gap, &gap, 1e-12);
    assert_true(AbutStepperAreTied(b.stepper, 0, 1));
    Derivatives(&b);
    UniformGap(&b);
    AbutTestCall(PetscMalloc2(b.local->num_owned * b.dim, &x[0], one.local->num_owned * b.dim, &x[1]));
    Deform(&b, 0, x[0]);
    Deform(&one, 0, x[1]);
    AbutTestClose("energy on several ranks", 1, &(PetscReal){Energy(&b, x[0])}, &(PetscReal){Energy(&one, x[1])}, 1e-10);
    AbutTestCall(PetscFree2(x[0], x[1]));
    BenchClose(&b);
    BenchClose(&one);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Ties)};

  return AbutTestMain(argc, argv, tests);
}
