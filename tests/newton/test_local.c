/* Local iterations: vertices of a region and its system against brute force; the same minimum in fewer iterations on all vertices. */
#include "bench.h"
#include "linearimpl.h"
#include "newtonimpl.h"
#include "timeimpl.h"

#define STEPS     4
#define TOLERANCE 1e-8 /* eps_d [m/s] */
#define LIMIT     1e-3 /* of directions, above which vertices move [m] */

/* Two boxes with friction, the upper one fallen until it touches the lower one. */
static void OpenBoxes(Bench *b, PetscInt dim, const char potential[])
{
  BenchInit(b, PETSC_COMM_WORLD, dim, 0.01);
  b->mu[0] = b->mu[1] = 0.3;
  strcpy(b->spec.potential, potential);
  BenchAddBox(b, "lower", 0, 1, 4, 0, 0);
  BenchAddBox(b, "upper", 0, 0.7, 3, 0.05, (1 + 0.7) / 2 + 0.002);
  b->bodies[1].velocity[1] = -0.2;
  BenchOpen(b);
  for (PetscInt step = 0; step < 8 && !(b->stepper->newton->problem.parts.barrier->contacts > 0); step++) BenchStep(b, 1);
}

static PetscInt SumOf(PetscInt value)
{
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  return value;
}

/* Direction whose second component exceeds the limit at the vertices with ids divisible by `every`. */
static void SetDirection(const Bench *b, PetscInt every, PetscReal p[])
{
  for (PetscInt v = 0; v < b->local->num_owned; v++)
    for (PetscInt k = 0; k < b->dim; k++) p[b->dim * v + k] = k == 1 && b->local->vertex_id[v] % every == 0 ? -2 * LIMIT : LIMIT / 2;
}

/* Flags by vertex id of the vertices with ids divisible by 19 and of `layers` layers of cells: a loop over all cells for each layer. */
static PetscInt *Expected(const Bench *b, PetscInt layers)
{
  const PetscInt nv = b->dim + 1, count = b->local->num_global;
  PetscInt      *flag, *next;

  AbutTestCall(PetscCalloc1(count, &flag));
  AbutTestCall(PetscCalloc1(count, &next));
  for (PetscInt i = 0; i < count; i++) flag[i] = i % 19 == 0;
  for (PetscInt l = 0; l < layers; l++) {
    AbutTestCall(PetscArraycpy(next, flag, count));
    for (PetscInt c = 0; c < b->local->num_cells; c++) {
      const PetscInt *cell = b->local->cells + nv * c;
      PetscInt        any  = 0;
      for (PetscInt a = 0; a < nv; a++) any += flag[b->local->vertex_id[cell[a]]];
      for (PetscInt a = 0; a < nv && any; a++) next[b->local->vertex_id[cell[a]]] = 1;
    }
    assert_int_equal(MPI_Allreduce(next, flag, (int)count, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD), 0);
  }
  AbutTestCall(PetscFree(next));
  return flag;
}

static void VerticesOfARegion(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Bench      b;
    AbutNewton n;

    OpenBoxes(&b, dim, "ipc");
    n = b.stepper->newton;
    for (PetscInt layers = 0; layers <= 2; layers++) {
      PetscInt *expected = Expected(&b, layers), count = 0;

      SetDirection(&b, 19, n->problem.at->p);
      AbutTestCall(AbutRegionSelect(&n->local.region, &n->problem, n->problem.at->p, LIMIT, layers));
      for (PetscInt v = 0; v < b.local->num_local; v++) assert_int_equal(n->local.region.member[v], expected[b.local->vertex_id[v]]);
      for (PetscInt v = 0; v < b.local->num_owned; v++) count += n->local.region.member[v];
      assert_int_equal(n->local.region.count, SumOf(count));
      assert_true(PetscAbsReal(n->local.region.share - (PetscReal)n->local.region.count / (PetscReal)b.local->num_global) < 1e-15);
      AbutTestCall(PetscFree(expected));
    }
    BenchClose(&b);
  }
}

/* Largest |H Y - F| over the unknowns of the region with the Hessian of all cells, over |F|. */
static PetscReal Residual(const Bench *b, AbutNewton n, Vec F, Vec Y)
{
  const PetscScalar *f, *r;
  PetscReal          most[2] = {0, 0};
  Mat                A;
  Vec                R;

  AbutTestCall(AbutRegionEnd(&n->local.region, &n->problem));
  AbutTestCall(AbutProblemSearchAndEvaluate(&n->problem));
  AbutTestCall(AbutObjectiveHessian(n->problem.parts.objective, ABUT_PSD_CLAMP, &A));
  AbutTestCall(VecDuplicate(F, &R));
  AbutTestCall(MatMult(A, Y, R));
  AbutTestCall(VecGetArrayRead(F, &f));
  AbutTestCall(VecGetArrayRead(R, &r));
  for (PetscInt i = 0; i < b->local->num_owned * b->dim; i++) {
    most[1] = PetscMax(most[1], PetscAbsScalar(f[i]));
    if (n->local.region.member[i / b->dim]) most[0] = PetscMax(most[0], PetscAbsScalar(r[i] - f[i]));
  }
  AbutTestCall(VecRestoreArrayRead(F, &f));
  AbutTestCall(VecRestoreArrayRead(R, &r));
  AbutTestCall(VecDestroy(&R));
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, b->comm), 0);
  return most[0] / most[1];
}

/* Whether Y is bit for bit the vector Z outside of the region. */
static PetscBool IsOutside(const Bench *b, AbutNewton n, Vec Y, Vec Z)
{
  const PetscScalar *y, *z;
  PetscBool          same = PETSC_TRUE;

  AbutTestCall(VecGetArrayRead(Y, &y));
  AbutTestCall(VecGetArrayRead(Z, &z));
  for (PetscInt i = 0; i < b->local->num_owned * b->dim; i++)
    if (!n->local.region.member[i / b->dim] && y[i] != z[i]) same = PETSC_FALSE;
  AbutTestCall(VecRestoreArrayRead(Y, &y));
  AbutTestCall(VecRestoreArrayRead(Z, &z));
  return same;
}

/* Right-hand side by vertex id, the same on any number of ranks. */
static void SetRightHandSide(const Bench *b, Vec F)
{
  PetscScalar *f;

  AbutTestCall(VecGetArrayWrite(F, &f));
  for (PetscInt v = 0; v < b->local->num_owned; v++)
    for (PetscInt k = 0; k < b->dim; k++) f[b->dim * v + k] = sin(1 + (double)(b->dim * b->local->vertex_id[v] + k));
  AbutTestCall(VecRestoreArrayWrite(F, &f));
}

/*
  The solution for a region equals the one of the whole system in which all other vertices are held; a correction in the region, the one in
  which all others keep their part of the direction.
*/
static void SystemOfARegion(void **state)
{
  (void)state;
  for (PetscInt k = 0; k < 6; k++) {
    const PetscInt dim = 2 + k / 3;
    Bench          b;
    AbutNewton     n;
    PetscReal      slope;
    PetscBool      descent;
    Vec            F, Y, Z;

    OpenBoxes(&b, dim, (const char *[]){"ipc", "convergent-ipc", "oipc"}[k % 3]);
    n = b.stepper->newton;
    if (!(n->problem.parts.barrier->contacts > 0)) fail_msg("no contacts with potential %ld in %ldD", (long)k % 3, (long)dim);
    AbutTestCall(VecDuplicate(n->F, &F));
    AbutTestCall(VecDuplicate(n->F, &Y));
    AbutTestCall(VecDuplicate(n->F, &Z));
    SetRightHandSide(&b, F);
    SetDirection(&b, 19, n->problem.at->p);
    AbutTestCall(AbutRegionSelect(&n->local.region, &n->problem, n->problem.at->p, LIMIT, 1));
    assert_true(n->local.region.share > 0.1 && n->local.region.share < 0.95);
    AbutTestCall(AbutRegionRestrict(&n->local.region, &n->problem));
    AbutTestCall(AbutRegionSolve(&n->local.region, &n->direction, F, F, Y, &slope, &descent));
    assert_true(descent && slope < 0);
    assert_true(Residual(&b, n, F, Y) < 1e-10);
    AbutTestCall(VecSet(Z, 0));
    assert_true(IsOutside(&b, n, Y, Z));
    AbutTestCall(VecCopy(F, Y));
    AbutTestCall(VecScale(Y, 1e-3));
    AbutTestCall(VecCopy(Y, Z));
    assert_true(Residual(&b, n, F, Y) > 1e-3);
    AbutTestCall(AbutRegionCorrect(&n->local.region, &n->direction, F, F, Y, &slope, &descent));
    assert_true(descent && slope < 0);
    assert_true(Residual(&b, n, F, Y) < 1e-10);
    assert_true(IsOutside(&b, n, Y, Z));
    AbutTestCall(VecDestroy(&F));
    AbutTestCall(VecDestroy(&Y));
    AbutTestCall(VecDestroy(&Z));
    BenchClose(&b);
  }
}

/* Energies at 0 and 1/2 of the line that moves the vertices of the region by up to 1e-4 m. Collective. */
static void Energies(const Bench *b, AbutNewton n, AbutEnergy energy[2])
{
  PetscReal step = 1;

  for (PetscInt v = 0; v < b->local->num_owned; v++)
    for (PetscInt k = 0; k < b->dim; k++)
      n->problem.at->p[b->dim * v + k] = n->local.region.member[v] ? 1e-4 * sin((double)(b->dim * b->local->vertex_id[v] + k)) : 0;
  AbutTestCall(AbutObjectiveUpdateGhosts(n->problem.parts.objective, n->problem.at->p));
  AbutTestCall(AbutObjectiveSearch(n->problem.parts.objective, n->problem.at->p, &step));
  AbutTestCall(AbutObjectiveAccept(n->problem.parts.objective, 0));
  for (int k = 0; k < 2; k++) AbutTestCall(AbutObjectiveEnergy(n->problem.parts.objective, 0.5 * k, &energy[k]));
}

/*
  Energies along a line and gradients: of the restricted objective against the objective of all vertices. *contacts: how many of all the
  restricted one has.
*/
static void CompareRestricted(const Bench *b, AbutNewton n, PetscReal *contacts)
{
  const PetscInt unknowns = b->local->num_owned * b->dim;
  AbutEnergy     all[2], part[2];
  PetscReal     *gradient, change[2];

  AbutTestCall(PetscMalloc1(unknowns, &gradient));
  AbutTestCall(AbutRegionRestrict(&n->local.region, &n->problem));
  Energies(b, n, part);
  AbutTestCall(AbutObjectiveGradient(n->problem.parts.objective));
  *contacts = n->problem.parts.barrier->contacts;
  AbutTestCall(PetscArraycpy(gradient, n->problem.at->gradient, unknowns));
  AbutTestCall(AbutObjectiveRestrict(n->problem.parts.objective, NULL));
  Energies(b, n, all);
  AbutTestCall(AbutObjectiveGradient(n->problem.parts.objective));
  *contacts /= n->problem.parts.barrier->contacts;
  for (PetscInt i = 0; i < unknowns; i++) {
    if (n->local.region.member[i / b->dim])
      AbutTestClose("gradient", 1, &gradient[i], &n->problem.at->gradient[i], 1e-14);
    else if (!n->local.region.moving[i / b->dim])
      assert_true(gradient[i] == 0);
  }
  change[0] = AbutEnergyTotal(&all[1]) - AbutEnergyTotal(&all[0]);
  change[1] = AbutEnergyTotal(&part[1]) - AbutEnergyTotal(&part[0]);
  assert_true(change[0] != 0 && PetscAbsReal(change[1] - change[0]) < 1e-9 * PetscAbsReal(change[0]));
  AbutTestCall(AbutObjectiveRestrict(n->problem.parts.objective, n->local.region.moving));
  AbutTestCall(PetscFree(gradient));
}

/*
  The region shrinks a little, so that the restriction stays, to less than half, and grows beyond the restriction. After its end energies
  are bit for bit the ones of before.
*/
static void ObjectiveOfARegion(void **state)
{
  static const PetscInt every[] = {7, 14, 28, 5};

  (void)state;
  for (PetscInt c = 0; c < 8; c++) {
    const PetscInt dim = 2 + c / 4;
    Bench          b;
    AbutNewton     n;
    AbutEnergy     before[2], after[2];
    PetscReal      differs = 0, contacts, least = 1, most = 0;

    OpenBoxes(&b, dim, (const char *[]){"ipc", "convergent-ipc", "oipc", "gcp"}[c % 4]);
    n = b.stepper->newton;
    for (PetscInt i = 0; i < b.local->num_local * dim; i++) n->problem.at->x[i] += 1e-3 * sin((double)b.local->vertex_id[i / dim]);
    for (PetscInt k = 0; k < 4; k++) {
      const PetscInt moving = n->local.region.num_moving;
      SetDirection(&b, every[k], n->problem.at->p);
      AbutTestCall(AbutRegionSelect(&n->local.region, &n->problem, n->problem.at->p, LIMIT, 0));
      if (k == 0) Energies(&b, n, before);
      CompareRestricted(&b, n, &contacts);
      least = PetscMin(least, contacts);
      most  = PetscMax(most, contacts);
      assert_true(k != 1 || n->local.region.num_moving == moving);
      assert_true(k != 2 || n->local.region.num_moving < moving);
      assert_true(k != 3 || n->local.region.num_moving > moving);
    }
    assert_true(least < 1 && most > 0 && most <= 1);
    AbutTestCall(AbutRegionEnd(&n->local.region, &n->problem));
    SetDirection(&b, every[0], n->problem.at->p);
    AbutTestCall(AbutRegionSelect(&n->local.region, &n->problem, n->problem.at->p, LIMIT, 0));
    Energies(&b, n, after);
    for (int k = 0; k < 2; k++) differs += PetscAbsReal(AbutEnergyTotal(&after[k]) - AbutEnergyTotal(&before[k]));
    assert_true(differs == 0 && !n->local.region.active);
    BenchClose(&b);
  }
}

typedef struct {
  PetscInt        newton, local;
  BenchIterations iterations;
} Watched;

/* A slender column falls on a floor and buckles, far from a body at rest with more vertices. */
static PetscReal *Fall(PetscInt dim, PetscBool local, Watched *w)
{
  Bench      b;
  PetscReal *x;

  AbutTestCall(PetscOptionsSetValue(NULL, "-abut_local", local ? "1" : "0"));
  BenchInit(&b, PETSC_COMM_WORLD, dim, 0.1);
  b.spec.tolerance = (AbutQuantity){TOLERANCE, PETSC_FALSE};
  b.spec.kappa     = 1e6; /* adaptive kappa depends on the iterates, so results would differ */
  BenchAddColumn(&b);
  b.bodies[0].velocity[1] = -1;
  BenchAddBox(&b, "still", 0, 1, dim == 2 ? 8 : 5, 4, 4);
  BenchOpen(&b);
  *w = (Watched){0};
  AbutNewtonSetMonitor(AbutStepperGetNewton(b.stepper), BenchWatch, &w->iterations);
  for (PetscInt k = 0; k < STEPS; k++) {
    BenchStep(&b, 1);
    w->newton += b.report.count.newton;
    w->local += b.report.count.local;
  }
  x = BenchPositions(&b);
  BenchClose(&b);
  AbutTestCall(PetscOptionsClearValue(NULL, "-abut_local"));
  return x;
}

static void SameMinimum(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const PetscInt count = dim == 2 ? 17 * 2 + 9 * 9 : 17 * 4 + 6 * 6 * 6;
    Watched        without, with;
    PetscReal     *expected = Fall(dim, PETSC_FALSE, &without), *x = Fall(dim, PETSC_TRUE, &with);

    print_message("%dD: %ld iterations and %ld local ones; %ld without\n", (int)dim, (long)with.newton, (long)with.local,
                  (long)without.newton);
    AbutTestClose("positions", count * dim, x, expected, 1e-6);
    assert_int_equal(with.iterations.rises, 0);
    assert_int_equal(without.local, 0);
    assert_true(with.local > 0 && 2 * with.newton < without.newton);
    AbutTestCall(PetscFree(expected));
    AbutTestCall(PetscFree(x));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(VerticesOfARegion), cmocka_unit_test(SystemOfARegion),
                                     cmocka_unit_test(ObjectiveOfARegion), cmocka_unit_test(SameMinimum)};
  return AbutTestMain(argc, argv, tests);
}
