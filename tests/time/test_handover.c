/*
  Both methods of Newmark continue from the state of another integrator: their first acceleration contains all forces at the start but
  contact and friction, which act in the step only.
*/
#include "bench.h"

#define MASS  1000 /* [kg] of a box of side 1 m */
#define G     10.
#define KAPPA 1e4

static PetscBool IsNewmark(AbutIntegrator integrator)
{
  return (PetscBool)(integrator == ABUT_INTEGRATOR_NEWMARK || integrator == ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK);
}

static void Open(Bench *b, PetscInt dim, AbutIntegrator integrator, PetscReal height)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, 0.01);
  b->spec.integrator = integrator;
  b->spec.tolerance  = (AbutQuantity){1e-9, PETSC_FALSE};
  b->spec.gravity[1] = -G;
  b->spec.kappa =
    IsNewmark(integrator) ? KAPPA / 2 : KAPPA; /* in proportion to contact_c2, so that a gap gives the same force with both integrators */
  b->materials[0].damping_stiffness = 0.05;    /* the block comes to rest within tens of steps */
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
  now->a_of   = old->a_of;
  now->step   = old->step;
  now->time   = old->time;
  now->kappa  = old->kappa;
  now->c2     = old->c2;
  now->dt_old = old->dt_old;
}

/* Vertical momentum after some steps with the first integrator and one with the second. */
static PetscReal MomentumAfter(PetscInt dim, AbutIntegrator first, AbutIntegrator second, PetscReal height, PetscInt steps)
{
  Bench     from, to;
  PetscReal momentum;

  Open(&from, dim, first, height);
  Open(&to, dim, second, height);
  BenchStep(&from, steps);
  assert_int_equal(from.state->a_of, first);
  HandOver(&from, &to);
  BenchStep(&to, 1);
  assert_int_equal(to.state->a_of, second);
  assert_true((height > 0.1) == (to.report.contact.count == 0));
  momentum = to.report.momentum[1];
  BenchClose(&from);
  BenchClose(&to);
  return momentum;
}

static void Falls(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int first = ABUT_INTEGRATOR_EULER; first <= ABUT_INTEGRATOR_BDF2; first++)
      for (int second = ABUT_INTEGRATOR_NEWMARK; second <= ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK; second++) {
        const PetscReal momentum = MomentumAfter(dim, (AbutIntegrator)first, (AbutIntegrator)second, 1, 10);
        AbutTestClose(AbutIntegrators[first], 1, &momentum, &(PetscReal){-MASS * G * 11 * 0.01}, 1e-9);
      }
}

/* A resting block stays at rest. If the second method started from gravity alone, the momentum would be weight * h / 2. */
static void Rests(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (int second = ABUT_INTEGRATOR_NEWMARK; second <= ABUT_INTEGRATOR_CONTACT_IMPLICIT_NEWMARK; second++) {
      const PetscReal momentum = MomentumAfter(dim, ABUT_INTEGRATOR_EULER, (AbutIntegrator)second, 0.008, 200);
      print_message("%dD, %s: momentum %g of weight times step\n", (int)dim, AbutIntegrators[second],
                    (double)(momentum / (MASS * G * 0.01)));
      assert_true(PetscAbsReal(momentum) < 1e-3 * MASS * G * 0.01);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Falls), cmocka_unit_test(Rests)};
  return AbutTestMain(argc, argv, tests);
}
