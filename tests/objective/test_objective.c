/*
  The objective B with all terms (contact, friction, both kinds of damping, loads; Newmark and quasi-static): gradient and Hessian equal
  finite differences of the energy along a line, on any number of ranks.
*/
#include "bench.h"
#include "timeimpl.h"

/* Two stacked boxes on a moving floor, after one step. */
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
  if (dim == 3)
    b->bodies[1].shape.rotate[1] = 20; /* no nearly parallel edges: the Hessian of mollified pairs would change along the line */
  BenchAddPlane(b, "floor", 0, 1);
  BenchAddMotion(b, NULL, 0.05, 0)->plane = 0;
  BenchAddLoad(b, "upper")->force[0]      = 20;
  BenchOpen(b);
  BenchStep(b, 1);
}

/* Parts of a stepper that the tests use. */
typedef struct {
  MPI_Comm                    comm;
  PetscInt                    dim, n;
  const AbutMeshLocal        *ml;
  AbutObjective               objective;
  AbutIterate                *at;
  const AbutPrescribedMotion *motion;
} View;

static View Look(Bench *b)
{
  View v = {.comm = b->comm, .dim = b->dim, .ml = b->local};

  v.objective = AbutStepperGetObjective(b->stepper);
  v.at        = AbutObjectiveGetIterate(v.objective);
  v.n         = AbutObjectiveGetSize(v.objective);
  v.motion    = AbutConstraintGetMotion(b->stepper->constraint);
  return v;
}

/* Sets the direction p, ghosts included: random components up to `size` [m], equal on all rank counts, zero where fixed. */
static void SetLine(const View *s, uint64_t seed, PetscReal size)
{
  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    uint64_t state = seed + 977 * (uint64_t)s->ml->vertex_id[v];
    for (PetscInt i = v * s->dim; i < (v + 1) * s->dim; i++) s->at->p[i] = s->motion->fixed[i] ? 0 : size * AbutTestRandom(&state);
  }
  AbutTestCall(AbutObjectiveUpdateGhosts(s->objective, s->at->p));
}

static PetscReal Dot(const View *s, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = AbutDot(s->n, a, b);

  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, s->comm), 0);
  return sum;
}

/* out = H p, H the Hessian at the iterate. */
static void ApplyHessian(const View *s, const PetscReal p[], PetscReal out[])
{
  PetscBool    rebuilt;
  Mat          A;
  Vec          in, product;
  PetscScalar *array;

  AbutTestCall(AbutObjectiveUpdatePattern(s->objective, &rebuilt, &A));
  AbutTestCall(AbutObjectiveHessian(s->objective, ABUT_PSD_NONE, &A));
  AbutTestCall(MatCreateVecs(A, &in, &product));
  AbutTestCall(VecGetArray(in, &array));
  memcpy(array, p, sizeof(*p) * (size_t)s->n);
  AbutTestCall(VecRestoreArray(in, &array));
  AbutTestCall(MatMult(A, in, product));
  AbutTestCall(VecGetArray(product, &array));
  memcpy(out, array, sizeof(*p) * (size_t)s->n);
  AbutTestCall(VecRestoreArray(product, &array));
  AbutTestCall(VecDestroy(&in));
  AbutTestCall(VecDestroy(&product));
}

static void CheckDerivatives(const View *s, const char name[])
{
  static const PetscReal t[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  const PetscReal        h    = 0.1;
  PetscReal              step = 1, numeric = 0, exact, *p, *g, *Hp, *difference, norm;
  AbutEnergy             energy;

  AbutTestCall(PetscCalloc4(s->n, &p, s->n, &g, s->n, &Hp, s->n, &difference));
  SetLine(s, 77, 1e-6);
  memcpy(p, s->at->p, sizeof(*p) * (size_t)s->n);
  AbutTestCall(AbutObjectiveSearch(s->objective, s->at->p, &step));
  for (int k = 0; k < 4; k++) {
    AbutTestCall(AbutObjectiveEnergy(s->objective, 0.5 + t[k] * h, &energy));
    numeric += weight[k] * AbutEnergyTotal(&energy) / h;
  }
  for (int k = 0; k < 4; k++) {
    AbutTestCall(AbutObjectiveAccept(s->objective, 0.5 + t[k] * h));
    AbutTestCall(AbutObjectiveGradient(s->objective));
    for (PetscInt i = 0; i < s->n; i++) g[i] += weight[k] * s->at->gradient[i] / h;
  }
  AbutTestCall(AbutObjectiveAccept(s->objective, 0.5));
  AbutTestCall(AbutObjectiveGradient(s->objective));
  exact = Dot(s, s->at->gradient, p);
  norm  = PetscSqrtReal(Dot(s, s->at->gradient, s->at->gradient) * Dot(s, p, p));
  print_message("%s: dB %.9e, differences %.9e\n", name, (double)exact, (double)numeric);
  assert_true(PetscAbsReal(exact) > 1e-3 * norm);
  assert_true(PetscAbsReal(numeric - exact) < 1e-6 * norm); /* round-off of B, about 1e-16 of its terms, divided by h */
  ApplyHessian(s, p, Hp);
  for (PetscInt i = 0; i < s->n; i++) difference[i] = Hp[i] - g[i];
  assert_true(PetscSqrtReal(Dot(s, difference, difference)) < 1e-6 * PetscSqrtReal(Dot(s, g, g)));
  AbutTestCall(PetscFree4(p, g, Hp, difference));
}

static void Derivatives(PetscInt dim, AbutIntegrator integrator, PetscReal slip_rate)
{
  PetscReal  step = 1;
  AbutEnergy energy;
  Bench      b;
  View       s;

  Open(&b, dim, integrator, slip_rate);
  s = Look(&b);
  SetLine(&s, 7, 1e-4); /* away from the minimum */
  AbutTestCall(AbutObjectiveSearch(s.objective, s.at->p, &step));
  AbutTestCall(AbutObjectiveAccept(s.objective, 1));
  AbutTestCall(AbutObjectiveEnergy(s.objective, 1, &energy));
  assert_true(energy.kind[ABUT_ENERGY_CONTACT] > 0 && energy.kind[ABUT_ENERGY_FRICTION] != 0);
  assert_true(energy.kind[ABUT_ENERGY_DAMPING] > 0 && energy.kind[ABUT_ENERGY_ELASTIC] > 0);
  CheckDerivatives(&s, AbutIntegrators[integrator]);
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
