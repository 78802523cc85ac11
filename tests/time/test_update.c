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
  b->spec.tolerance                 = (AbutQuantity){1e-11, PETSC_FALSE};
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

static PetscBool IsNewmark(const Bench *b)
{
  return (PetscBool)(b->spec.integrator == ABUT_INTEGRATOR_NEWMARK || b->spec.integrator == ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK);
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

/* Strain from which the damping of a step counts (AbutElasticSetDampingStart()), and the rate of the integrator. */
typedef struct {
  const PetscReal *x0, *direction; /* origin - x0 = share direction */
  PetscReal        share, curvature, rate;
} Viscosity;

/* Largest |M a + grad Psi(x) + b rate grad D(x) + c M v - external| over |M g|, b and c the damping coefficients. */
static PetscReal Imbalance(Bench *b, const Viscosity *viscosity, const PetscReal x[], const PetscReal v[], const PetscReal a[])
{
  const PetscInt  num = b->local->num_local * b->dim, owned = b->local->num_owned;
  const PetscReal load = IsNewmark(b) ? 0 : 1; /* Newmark's acceleration is without loads */
  PetscReal      *at, *start, *origin, *g, *mass, *damping, worst = 0;

  AbutTestCall(PetscCalloc6(num, &at, num, &start, num, &origin, num, &g, owned, &mass, owned, &damping));
  AbutTestCall(AbutElasticGetMass(b->elastic, mass, damping));
  Local(b, x, at);
  Local(b, viscosity->x0, start);
  Local(b, viscosity->direction, origin);
  for (PetscInt i = 0; i < num; i++) origin[i] = start[i] + viscosity->share * origin[i];
  AbutElasticAddGradient(b->elastic, at, 1, g);
  AbutElasticSetDampingStart(b->elastic, start, origin, viscosity->curvature);
  AbutElasticAddDampingGradient(b->elastic, at, viscosity->rate, g);
  AbutTestCall(AbutMeshReduceAdd(b->mesh, b->dim, g));
  for (PetscInt k = 0; k < owned; k++)
    for (PetscInt i = 0; i < b->dim; i++) {
      const PetscInt  j        = k * b->dim + i;
      const PetscReal external = mass[k] * (b->spec.gravity[i] + load * b->loads[0].acceleration[i]);
      worst                    = PetscMax(worst, PetscAbsReal(mass[k] * a[j] + g[j] + damping[k] * v[j] - external) / (mass[k] * 10));
    }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_REAL, MPIU_MAX, b->comm), 0);
  AbutTestCall(PetscFree6(at, start, origin, g, mass, damping));
  return worst;
}

/* Compares velocity and acceleration of the state with the textbook update computed from positions. */
static void ExpectUpdate(Bench *b, PetscReal h, PetscReal before, const Fields *f, const Fields *f0, const Fields *f00)
{
  const PetscReal w    = before > 0 ? h / before : 0;
  PetscReal       most = 0;

  for (PetscInt i = 0; i < b->local->num_owned * b->dim; i++) {
    const PetscReal load = b->loads[0].acceleration[i % b->dim];
    PetscReal       v, a, given = f->a[i];
    switch (b->spec.integrator) {
    case ABUT_INTEGRATOR_NEWMARK:
    case ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK: /* x = x0 + h v0 + h^2 (a0 + a) / 4 + h^2 / 2 load, v = v0 + h (a0 + a) / 2 + h load */
      a = 4 / (h * h) * (f->x[i] - f0->x[i] - h * f0->v[i]) - f0->a[i] - 2 * load;
      v = f0->v[i] + h / 2 * (f0->a[i] + a) + h * load;
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

/*
  The accelerations before the first step balance the forces at the start. Newmark: solved from the positions. BDF2: the step before the
  first one has that acceleration, which follows from the new velocity; sets the state before.
*/
static void CheckStart(Bench *b, PetscReal h, const Fields *f, Fields *f0, Fields *f00)
{
  const Viscosity viscosity = {.x0 = f0->x, .direction = f0->v, .share = -h, .rate = 1 / h};

  if (b->spec.integrator == ABUT_INTEGRATOR_EULER) return;
  for (PetscInt i = 0; i < b->local->num_owned * b->dim; i++) {
    if (IsNewmark(b))
      f0->a[i] = 4 / (h * h) * (f->x[i] - f0->x[i] - h * f0->v[i]) - f->a[i] - 2 * b->loads[0].acceleration[i % b->dim];
    else
      f0->a[i] = 2 / (h * h) * (2 * h * f->v[i] - 3 * f->x[i] + 3 * f0->x[i] + h * f0->v[i]);
    f00->x[i] = f0->x[i] - h * f0->v[i] + h * h / 2 * f0->a[i];
    f00->v[i] = f0->v[i] - h * f0->a[i];
  }
  assert_true(Imbalance(b, &viscosity, f0->x, f0->v, f0->a) < 1e-6);
}

static void Follows(AbutIntegrator integrator, PetscInt dim)
{
  const PetscReal h = 0.01;
  Bench           b;
  Fields          f[3];

  Open(&b, dim, integrator);
  for (int k = 0; k < 3; k++)
    AbutTestCall(PetscCalloc3(b.local->num_owned * dim, &f[k].x, b.local->num_owned * dim, &f[k].v, b.local->num_owned * dim, &f[k].a));
  Copy(&b, &f[1]);
  for (int step = 0; step < 3; step++) {
    Viscosity viscosity = {.x0 = f[1].x, .direction = f[1].v, .share = 0, .rate = 1 / h};
    PetscReal worst;
    BenchStep(&b, 1);
    Copy(&b, &f[2]);
    if (step == 0) CheckStart(&b, h, &f[2], &f[1], &f[0]);
    if (IsNewmark(&b)) viscosity.share = h / 2, viscosity.rate = 2 / h;
    if (integrator == ABUT_INTEGRATOR_BDF2) { /* origin - x0 = (x0 - x00) / 3 */
      for (PetscInt i = 0; i < b.local->num_owned * dim; i++) f[0].a[i] = f[1].x[i] - f[0].x[i];
      viscosity = (Viscosity){.x0 = f[1].x, .direction = f[0].a, .share = 1. / 3, .curvature = 3, .rate = 1.5 / h};
    }
    ExpectUpdate(&b, h, integrator == ABUT_INTEGRATOR_BDF2 ? h : 0, &f[2], &f[1], &f[0]);
    worst = Imbalance(&b, &viscosity, f[2].x, f[2].v, f[2].a);
    if (worst > 1e-6)
      fail_msg("%s, step %d: forces miss balance by %g of the weight", AbutIntegrators[integrator], step + 1, (double)worst);
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
    for (int k = 0; k <= ABUT_INTEGRATOR_BDF2; k++) Follows((AbutIntegrator)k, dim);
}

/* Under gravity alone Newmark follows the parabola, and every integrator has the exact velocity. */
static void FreeFlight(void **state)
{
  (void)state;
  for (int k = 0; k <= ABUT_INTEGRATOR_BDF2; k++) {
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
    if (IsNewmark(&b)) assert_true(error[1] < 1e-10);
    AbutTestClose("momentum", 1, &b.report.momentum[1], &(PetscReal){1000 * speed}, 1e-9);
    BenchClose(&b);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TextbookUpdates), cmocka_unit_test(FreeFlight)};
  return AbutTestMain(argc, argv, tests);
}
