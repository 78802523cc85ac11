/*
  Newmark continues from the state of another integrator: its first acceleration contains all forces at the start but contact and
  friction, which act in the step only.
*/
#include "bench.h"

#define MASS  1000 /* [kg] of a box of side 1 m */
#define G     10.
#define KAPPA 1e4

static void Open(Bench *b, PetscInt dim, AbutIntegrator integrator, PetscReal height)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, 0.01);
  b->spec.integrator                = integrator;
  b->spec.tolerance                 = (AbutQuantity){1e-9, PETSC_FALSE};
  b->spec.gravity[1]                = -G;
  b->spec.kappa                     = integrator == ABUT_INTEGRATOR_NEWMARK
                                        ? KAPPA / 2
                                        : KAPPA; /* in proportion to contact_c2, so that a gap gives the same force with both integrators */
  b->materials[0].damping_stiffness = 0.05;      /* the block comes to rest within tens of steps */
  BenchAddBox(b, "box", 0, 1, 2, 0, 0.5 + height);
  BenchAddPlane(b, "floor", 0, 1);
  BenchOpen(b);
}

/* Copies the state that a checkpoint contains. Both meshes are equal, so each rank owns the same vertices. */
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

/* Vertical momentum after some steps with the first integrator and one Newmark step. */
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

/* A resting block stays at rest. If Newmark started from gravity alone, its momentum would be weight * h / 2. */
static void Rests(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const PetscReal momentum = MomentumAfter(dim, ABUT_INTEGRATOR_EULER, 0.008, 200);
    print_message("%dD: momentum %g of weight times step\n", (int)dim, (double)(momentum / (MASS * G * 0.01)));
    assert_true(PetscAbsReal(momentum) < 1e-3 * MASS * G * 0.01);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Falls), cmocka_unit_test(Rests)};
  return AbutTestMain(argc, argv, tests);
}
