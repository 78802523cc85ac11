/*
  B as a whole, with contact, friction, both kinds of damping, loads and Newmark or quasi-static weights: gradient and Hessian are
  derivatives of the energy along a line, on any rank count.
*/
#include "bench.h"
#include "solveimpl.h"

/* Two boxes, one upon the other, on a moving floor, after one step. */
static void Open(Bench *b, PetscInt dim, AbutIntegrator integrator, PetscReal slip_rate)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, 0.01);
  b->spec.integrator                = integrator;
  b->spec.regularization            = 100;
  b->spec.gravity[0]                = 2;
  b->spec.gravity[1]                = -10;
  b->mu[0]                          = 0.5;
  b->mu[1]                          = 0.3;
  b->spec.friction_speed            = (AbutQuantity){slip_rate, PETSC_FALSE};
  b->materials[0].damping_mass      = 3;
  b->materials[0].damping_stiffness = 0.02;
  BenchAddBox(b, "lower", 0, 1, 2, 0, 0.505);
  BenchAddBox(b, "upper", 0, 0.8, 2, 0.1, 1.412);
  if (dim == 3) b->bodies[1].shape.rotate[1] = 20; /* edges that are nearly parallel would bend within the line */
  BenchAddPlane(b, "floor", 0, 1);
  BenchAddMotion(b, NULL, 0.05, 0)->plane = 0;
  BenchAddLoad(b, "upper")->force[0]      = 20;
  BenchOpen(b);
  BenchStep(b, 1);
}

/* A direction of so many metres, the same for every rank count, zero where constrained; in s->p with ghosts. */
static void SetLine(AbutStepper s, uint64_t seed, PetscReal size)
{
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    uint64_t state = seed + 977 * (uint64_t)s->ml->vertex_id[v];
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) s->p[i] = s->boundary.constrained[i] ? 0 : size * AbutTestRandom(&state);
  }
  AbutTestCall(AbutMeshHaloBegin(s->mesh, s->dim, s->p));
  AbutTestCall(AbutMeshHaloEnd(s->mesh, s->dim, s->p));
}

static PetscReal Dot(AbutStepper s, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = AbutDot(s->n, a, b);

  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, s->comm), 0);
  return sum;
}

/* H p at the iterate into out. */
static void ApplyHessian(AbutStepper s, const PetscReal p[], PetscReal out[])
{
  Mat          A;
  PetscScalar *array;

  AbutTestCall(AbutObjectiveUpdatePattern(s));
  AbutTestCall(AbutObjectiveHessian(s, ABUT_PSD_NONE));
  AbutTestCall(AbutAssemblerGetMat(s->assembler, &A));
  AbutTestCall(VecGetArray(s->X, &array));
  memcpy(array, p, sizeof(*p) * (size_t)s->n);
  AbutTestCall(VecRestoreArray(s->X, &array));
  AbutTestCall(MatMult(A, s->X, s->F));
  AbutTestCall(VecGetArray(s->F, &array));
  memcpy(out, array, sizeof(*p) * (size_t)s->n);
  AbutTestCall(VecRestoreArray(s->F, &array));
}

static void Derivatives(PetscInt dim, AbutIntegrator integrator, PetscReal slip_rate)
{
  static const PetscReal at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  const PetscReal        size = 1e-6, h = 0.1;
  Bench                  b;
  AbutStepper            s;
  Energy                 energy;
  PetscReal              step = 1, numeric = 0, exact, *p, *g, *Hp, *turned, norm;

  Open(&b, dim, integrator, slip_rate);
  s = b.stepper;
  AbutTestCall(PetscCalloc4(s->n, &p, s->n, &g, s->n, &Hp, s->n, &turned));
  SetLine(s, 7, 1e-4); /* away from the minimum */
  AbutTestCall(AbutObjectiveSearch(s, s->p, &step));
  AbutTestCall(AbutObjectiveAccept(s, 1));
  SetLine(s, 77, size);
  memcpy(p, s->p, sizeof(*p) * (size_t)s->n);
  AbutTestCall(AbutObjectiveSearch(s, s->p, &step));
  AbutTestCall(AbutObjectiveEnergy(s, 0.5, &energy));
  assert_true(energy.contact > 0 && energy.friction > 0 && energy.damping > 0 && energy.elastic > 0);
  for (int k = 0; k < 4; k++) {
    AbutTestCall(AbutObjectiveEnergy(s, 0.5 + at[k] * h, &energy));
    numeric += weight[k] * EnergyTotal(&energy) / h;
  }
  for (int k = 0; k < 4; k++) {
    AbutTestCall(AbutObjectiveAccept(s, 0.5 + at[k] * h));
    AbutTestCall(AbutObjectiveGradient(s));
    for (PetscInt i = 0; i < s->n; i++) g[i] += weight[k] * s->gradient[i] / h;
  }
  AbutTestCall(AbutObjectiveAccept(s, 0.5));
  AbutTestCall(AbutObjectiveGradient(s));
  exact = Dot(s, s->gradient, p);
  norm  = PetscSqrtReal(Dot(s, s->gradient, s->gradient) * Dot(s, p, p));
  print_message("%dD %s: dB %.9e, differences %.9e\n", (int)dim, AbutIntegrators[integrator], (double)exact, (double)numeric);
  assert_true(PetscAbsReal(exact) > 1e-3 * norm);
  assert_true(PetscAbsReal(numeric - exact) < 1e-6 * norm); /* round-off of B, some 1e-16 of its terms over h */
  ApplyHessian(s, p, Hp);
  for (PetscInt i = 0; i < s->n; i++) turned[i] = Hp[i] - g[i];
  assert_true(PetscSqrtReal(Dot(s, turned, turned)) < 1e-6 * PetscSqrtReal(Dot(s, g, g)));
  AbutTestCall(PetscFree4(p, g, Hp, turned));
  BenchClose(&b);
}

static void AllTerms(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Derivatives(dim, ABUT_INTEGRATOR_NEWMARK, 1);
    Derivatives(dim, ABUT_INTEGRATOR_NEWMARK, 1e-3);
    Derivatives(dim, ABUT_INTEGRATOR_BDF2, 1);
    Derivatives(dim, ABUT_INTEGRATOR_STATIC, 1);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(AllTerms)};
  return AbutTestMain(argc, argv, tests);
}
