/* Newmark that goes on from a state of another integrator starts from the forces at that state, contact among them. */
#include "bench.h"

#define MASS  1000 /* of a box of 1 m */
#define G     10.
#define KAPPA 1e4

static void Open(Bench *b, PetscInt dim, AbutIntegrator integrator, PetscReal height)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, 0.01);
  b->spec.integrator = integrator;
  b->spec.tolerance  = (AbutQuantity){1e-9, PETSC_FALSE};
  b->spec.gravity[1] = -G;
  b->spec.kappa =
    integrator == ABUT_INTEGRATOR_NEWMARK ? KAPPA / 2 : KAPPA; /* as its factor of contact forces is, so that a gap has one force */
  b->materials[0].damping_stiffness = 0.05;                    /* comes to rest within some tens of steps */
  BenchAddBox(b, "box", 0, 1, 2, 0, 0.5 + height);
  BenchAddPlane(b, "floor", 0, 1);
  BenchOpen(b);
}

/* What a checkpoint keeps; the meshes are the same, so that ranks own the same vertices. */
static void HandOver(const Bench *from, Bench *to)
{
  const AbutState *old  = from->state;
  AbutState       *now  = to->state;
  const size_t     size = sizeof(PetscReal) * (size_t)(from->local->num_owned * from->dim);

  assert_int_equal(from->local->num_owned, to->local->num_owned);
  memcpy(now->x, old->x, size);
  memcpy(now->v, old->v, size);
  memcpy(now->a, old->a, size);
  memcpy(now->x_old, old->x_old, size);
  memcpy(now->v_old, old->v_old, size);
  now->a_known = old->a_known;
  now->step    = old->step;
  now->time    = old->time;
  now->kappa   = old->kappa;
  now->c2      = old->c2;
  now->dt_old  = old->dt_old;
}

/* Momentum along the fall after some steps with one integrator and one with Newmark. */
static PetscReal MomentumAfter(PetscInt dim, AbutIntegrator first, PetscReal height, PetscInt steps)
{
  Bench     from, to;
  PetscReal momentum;

  Open(&from, dim, first, height);
  Open(&to, dim, ABUT_INTEGRATOR_NEWMARK, height);
  BenchStep(&from, steps);
  assert_int_equal(from.state->a_known, first == ABUT_INTEGRATOR_NEWMARK);
  HandOver(&from, &to);
  BenchStep(&to, 1);
  assert_true(to.state->a_known);
  assert_true((height > 0.1) == (to.report.contact.count == 0));
  momentum = to.report.momentum[1];
  BenchClose(&from);
  BenchClose(&to);
  return momentum;
}

static void Falls(void **state)
{
  const AbutIntegrator integrators[] = {ABUT_INTEGRATOR_EULER, ABUT_INTEGRATOR_BDF2, ABUT_INTEGRATOR_NEWMARK};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 3; k++) {
      const PetscReal momentum = MomentumAfter(dim, integrators[k], 1, 10);
      AbutTestClose(AbutIntegrators[integrators[k]], 1, &momentum, &(PetscReal){-MASS * G * 11 * 0.01}, 1e-9);
    }
}

/* Gravity alone at the start would give half of the weight times the step. */
static void Rests(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const PetscReal momentum = MomentumAfter(dim, ABUT_INTEGRATOR_EULER, 0.008, 150);
    print_message("%dD: momentum %g of weight times step\n", (int)dim, (double)(momentum / (MASS * G * 0.01)));
    assert_true(PetscAbsReal(momentum) < 1e-3 * MASS * G * 0.01);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Falls), cmocka_unit_test(Rests)};
  return AbutTestMain(argc, argv, tests);
}
