/* The result of a step satisfies the textbook update of its integrator, with loads, gravity and damping, on any number of ranks. */
#include "bench.h"

typedef struct {
  PetscReal *x, *v, *a;
} Fields;

/* A deformed, moving box: neo-hookean, damped, under gravity and a traction. */
static void Open(Bench *b, PetscInt dim, AbutIntegrator integrator)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, 0.01);
  b->spec.integrator                = integrator;
  b->spec.tolerance                 = (AbutQuantity){1e-10, PETSC_FALSE};
  b->spec.gravity[1]                = -10;
  b->materials[0].damping_mass      = 3;
  b->materials[0].damping_stiffness = 0.01;
  BenchAddBox(b, "box", 0, 1, 2, 0, 0);
  BenchAddLoad(b, "box")->acceleration[0] = 4;
  BenchOpen(b);
  for (PetscInt v = 0; v < b->local->num_owned; v++)
    for (PetscInt i = 0; i < dim; i++) {
      const PetscReal *X = b->local->rest + v * dim;
      b->state->x[v * dim + i] += 0.1 * X[(i + 1) % dim] * X[i];
      b->state->v[v * dim + i] = 0.5 * X[(i + 1) % dim] - 0.3 * X[i] + 0.2;
    }
}

static void Copy(const Bench *b, Fields *f)
{
  const size_t size = sizeof(PetscReal) * (size_t)(b->local->num_owned * b->dim);

  memcpy(f->x, b->state->x, size);
  memcpy(f->v, b->state->v, size);
  memcpy(f->a, b->state->a, size);
}

static void Local(Bench *b, const PetscReal owned[], PetscReal local[])
{
  memcpy(local, owned, sizeof(PetscReal) * (size_t)(b->local->num_owned * b->dim));
  AbutTestCall(AbutMeshUpdateGhosts(b->mesh, b->dim, local));
}

/* Largest |M a + grad Psi(x) + b K(x0) v + c M v - external| over |M g|, b and c the damping coefficients, x0 the start of the step. */
static PetscReal Imbalance(Bench *b, const PetscReal x0[], const PetscReal x[], const PetscReal v[], const PetscReal a[])
{
  const PetscInt num = b->local->num_local * b->dim, owned = b->local->num_owned;
  PetscReal     *at, *start, *moved, *g, *mass, *damping, worst = 0;

  AbutTestCall(PetscCalloc6(num, &at, num, &start, num, &moved, num, &g, owned, &mass, owned, &damping));
  AbutTestCall(AbutElasticGetMass(b->elastic, mass, damping));
  Local(b, x, at);
  Local(b, x0, start);
  Local(b, v, moved);
  for (PetscInt i = 0; i < num; i++) moved[i] = start[i] + moved[i];
  AbutElasticAddGradient(b->elastic, at, 1, g);
  AbutElasticSetDampingStart(b->elastic, start);
  AbutElasticAddDampingGradient(b->elastic, moved, 1, g);
  AbutTestCall(AbutMeshReduceAdd(b->mesh, b->dim, g));
  for (PetscInt k = 0; k < owned; k++)
    for (PetscInt i = 0; i < b->dim; i++) {
      const PetscInt  j        = k * b->dim + i;
      const PetscReal external = mass[k] * (b->spec.gravity[i] + b->loads[0].acceleration[i]);
      worst                    = PetscMax(worst, PetscAbsReal(mass[k] * a[j] + g[j] + damping[k] * v[j] - external) / (mass[k] * 10));
    }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_REAL, MPIU_MAX, b->comm), 0);
  AbutTestCall(PetscFree6(at, start, moved, g, mass, damping));
  return worst;
}

/* Compares velocity and acceleration of the state with the textbook update computed from positions. */
static void ExpectUpdate(Bench *b, PetscReal h, PetscReal before, const Fields *f, const Fields *f0, const Fields *f00)
{
  const PetscReal w    = before > 0 ? h / before : 0;
  PetscReal       most = 0;

  for (PetscInt i = 0; i < b->local->num_owned * b->dim; i++) {
    PetscReal v, a, given = f->a[i];
    switch (b->spec.integrator) {
    case ABUT_INTEGRATOR_NEWMARK: /* x = x0 + h v0 + h^2 (a0 + a) / 4, v = v0 + h (a0 + a) / 2 */
      a = 4 / (h * h) * (f->x[i] - f0->x[i] - h * f0->v[i]) - f0->a[i];
      v = f0->v[i] + h / 2 * (f0->a[i] + a);
      break;
    case ABUT_INTEGRATOR_BDF2:
      v = ((1 + 2 * w) / (1 + w) * f->x[i] - (1 + w) * f0->x[i] + w * w / (1 + w) * f00->x[i]) / h;
      a = given = ((1 + 2 * w) / (1 + w) * v - (1 + w) * f0->v[i] + w * w / (1 + w) * f00->v[i]) / h;
      break;
    default: v = (f->x[i] - f0->x[i]) / h; a = given = (v - f0->v[i]) / h;
    }
    most    = PetscMax(most, PetscAbsReal(v - f->v[i]) + h * PetscAbsReal(a - given));
    f->a[i] = a;
  }
  assert_true(most < 1e-10); /* round-off of positions of size 1 over h */
}

static void Follows(AbutIntegrator integrator, PetscInt dim)
{
  Bench     b;
  Fields    f[3];
  PetscReal before = 0;

  Open(&b, dim, integrator);
  for (int k = 0; k < 3; k++)
    AbutTestCall(PetscCalloc3(b.local->num_owned * dim, &f[k].x, b.local->num_owned * dim, &f[k].v, b.local->num_owned * dim, &f[k].a));
  Copy(&b, &f[1]);
  for (int step = 0; step < 3; step++) {
    PetscReal worst;
    BenchStep(&b, 1);
    Copy(&b, &f[2]);
    if (step == 0 && integrator == ABUT_INTEGRATOR_NEWMARK) { /* the first acceleration balances the forces at the start */
      for (PetscInt i = 0; i < b.local->num_owned * dim; i++) f[1].a[i] = 4e4 * (f[2].x[i] - f[1].x[i] - 0.01 * f[1].v[i]) - f[2].a[i];
      assert_true(Imbalance(&b, f[1].x, f[1].x, f[1].v, f[1].a) < 1e-6);
    }
    ExpectUpdate(&b, 0.01, integrator == ABUT_INTEGRATOR_BDF2 ? before : 0, &f[2], &f[1], &f[0]);
    worst = Imbalance(&b, f[1].x, f[2].x, f[2].v, f[2].a);
    if (worst > 1e-6)
      fail_msg("%s, step %d: forces miss balance by %g of the weight", AbutIntegrators[integrator], step + 1, (double)worst);
    before = 0.01;
    for (PetscInt i = 0; i < b.local->num_owned * dim; i++)
      for (int k = 0; k < 2; k++) f[k].x[i] = f[k + 1].x[i], f[k].v[i] = f[k + 1].v[i], f[k].a[i] = f[k + 1].a[i];
  }
  for (int k = 0; k < 3; k++) AbutTestCall(PetscFree3(f[k].x, f[k].v, f[k].a));
  BenchClose(&b);
}

static void TextbookUpdates(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 3; k++) Follows((AbutIntegrator)k, dim);
}

/* Under gravity alone Newmark follows the parabola, and every integrator has the exact velocity. */
static void FreeFlight(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    Bench     b;
    PetscReal t, speed = 0, error[2] = {0, 0};
    BenchInit(&b, PETSC_COMM_WORLD, 3, 0.01);
    b.spec.integrator = (AbutIntegrator)k;
    b.spec.tolerance  = (AbutQuantity){1e-10, PETSC_FALSE};
    b.spec.gravity[1] = -10;
    BenchAddBox(&b, "box", 0, 1, 2, 0, 0);
    b.bodies[0].velocity[1] = 3;
    BenchOpen(&b);
    BenchStep(&b, 50);
    t     = b.state->time;
    speed = 3 - 10 * t;
    for (PetscInt v = 0; v < b.local->num_owned; v++) {
      error[0] = PetscMax(error[0], PetscAbsReal(b.state->v[3 * v + 1] - speed));
      error[1] = PetscMax(error[1], PetscAbsReal(b.state->x[3 * v + 1] - b.local->rest[3 * v + 1] - 3 * t + 5 * t * t));
    }
    assert_true(error[0] < 1e-9);
    if (b.spec.integrator == ABUT_INTEGRATOR_NEWMARK) assert_true(error[1] < 1e-10);
    AbutTestClose("momentum", 1, &b.report.momentum[1], &(PetscReal){1000 * speed}, 1e-9);
    BenchClose(&b);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TextbookUpdates), cmocka_unit_test(FreeFlight)};
  return AbutTestMain(argc, argv, tests);
}
