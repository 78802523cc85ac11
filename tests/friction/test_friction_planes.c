/* Moving planes: derivatives in the completed fraction of their motion against finite differences; stick states. */
#include "../potential/friction_scene.h"
#include "../../src/model/friction/frictionimpl.h"

#define STEP \
  1e-4 /* step of differences in the fraction of the planes' motion; their error is the step squared, except where curvatures jump */

static AbutRigidMotion Between(const AbutRigidMotion *from, const AbutRigidMotion *to, PetscReal share)
{
  AbutRigidMotion m = *from;

  for (int i = 0; i < 3; i++) {
    m.angle[i] += share * (to->angle[i] - from->angle[i]);
    m.shift[i] += share * (to->shift[i] - from->shift[i]);
  }
  return m;
}

/* Evaluation at t with moving planes equals evaluation with planes at rest at their positions at t. */
static void MoveAlongTheLine(void **state)
{
  const AbutRigidMotion now = {.shift = {0.003, -0.001, 0}}, ahead = {.shift = {0.012, 0.01, 0}};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const PetscReal       t    = 0.3;
    const AbutRigidMotion then = Between(&now, &ahead, t);
    FrictionStage         s;
    PetscReal             moving, standing, without;

    StageOpen(PETSC_COMM_WORLD, dim, &now, &s);
    without = EnergyAt(&s, t);
    AbutTestCall(AbutFrictionSetPlaneMotions(s.friction, &now, &ahead));
    moving = EnergyAt(&s, t);
    AbutTestCall(AbutFrictionSetPlaneMotions(s.friction, &then, NULL));
    standing = EnergyAt(&s, t);
    AbutTestClose("energy", 1, &moving, &standing, 1e-12);
    assert_true(PetscAbsReal(moving - without) > 1e-6 * without);
    StageClose(&s);
  }
}

/* Energy and, unless g is NULL, gradient with the planes at a fraction `share` of their motion. */
static PetscReal At(FrictionStage *s, const AbutRigidMotion *now, const AbutRigidMotion *ahead, PetscReal share, PetscReal t, PetscReal **g)
{
  const AbutRigidMotion there = Between(now, ahead, share);

  AbutTestCall(AbutFrictionSetPlaneMotions(s->friction, &there, NULL));
  if (g) *g = GradientAt(s, t);
  return EnergyAt(s, t);
}

static void DerivativesByTheWay(void **state)
{
  const AbutRigidMotion now = {.shift = {0.003, -0.001, 0}}, ahead = {.shift = {0.012, 0.01, 0}};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const PetscReal t = 0.3;
    FrictionStage   s;
    PetscReal       sums[2] = {0, 0}, wanted[2], energy[3], *mixed, *g[2], worst = 0, most = 0;

    StageOpen(PETSC_COMM_WORLD, dim, &now, &s);
    mixed = calloc((size_t)(s.m->num_owned * dim + 1), sizeof(*mixed));
    AbutTestCall(AbutFrictionAddPlaneDerivatives(s.friction, t, 1, ABUT_PSD_NONE, &ahead, &sums[0], &sums[1], mixed));
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, s.comm);
    energy[0] = At(&s, &now, &ahead, -STEP, t, &g[0]);
    energy[1] = At(&s, &now, &ahead, 0, t, NULL);
    energy[2] = At(&s, &now, &ahead, STEP, t, &g[1]);
    wanted[0] = (energy[2] - energy[0]) / (2 * STEP);
    wanted[1] = (energy[2] - 2 * energy[1] + energy[0]) / (STEP * STEP);
    AbutTestClose("first", 1, &sums[0], &wanted[0], 1e-6);
    AbutTestClose("second", 1, &sums[1], &wanted[1], 1e-3); /* round-off of energies divided by the squared step */
    for (PetscInt i = 0; i < s.m->num_owned * dim; i++) {
      const PetscReal difference = (g[1][i] - g[0][i]) / (2 * STEP);
      worst                      = PetscMax(worst, PetscAbsReal(difference - mixed[i]));
      most                       = PetscMax(most, PetscAbsReal(mixed[i]));
    }
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_REAL, MPIU_MAX, s.comm);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_REAL, MPIU_MAX, s.comm);
    print_message("%dD: mixed derivatives to %g of %g\n", (int)dim, (double)worst, (double)most);
    assert_true(most > 0 && worst < 1e-3 * most);
    free(mixed), free(g[0]), free(g[1]);
    StageClose(&s);
  }
}

/*
  The maximum of mu f1 on a grid of slips is the static coefficient. In the stick state the force follows mu f1 up to the peak slip and
  stays constant beyond.
*/
static void Holds(void **state)
{
  const PetscReal coefficients[][2] = {{1.2, 0.3}, {0.6, 0.3}, {0.5, 0.27}, {0.5, 0.3}, {0.5, 0.4}, {0.4, 0.4}, {1, 0}}, eps = 0.01;

  (void)state;
  for (size_t k = 0; k < sizeof(coefficients) / sizeof(coefficients[0]); k++) {
    const PetscReal held = coefficients[k][0], mu_kinetic = coefficients[k][1], mu_static = AbutFrictionCoefficientAtRest(held, mu_kinetic);
    AbutFrictionPoint p    = {1, {1}, {{1, 0, 0}}, 7, mu_static, mu_kinetic, AbutFrictionPeakSlip(mu_static, mu_kinetic), PETSC_TRUE};
    PetscReal         most = 0, before = 0, force[3], f1_over_y;

    for (int i = 1; i <= 2000; i++) {
      const PetscReal y = 2 * eps * i / 2000;
      AbutFrictionPotential(y, eps, mu_static, mu_kinetic, &f1_over_y, NULL);
      most = PetscMax(most, 7 * y * f1_over_y);
      AbutFrictionPointForce(2, &p, eps, &y, force);
      assert_true(-force[0] >= before - 1e-12);
      before = -force[0];
      if (y < p.peak * eps) AbutTestClose("below", 1, &before, &(PetscReal){7 * y * f1_over_y}, 1e-14);
      const PetscReal high = y + 1e-6, low = y - 1e-6;
      const PetscReal slope = (AbutFrictionPointEnergy(2, &p, eps, &high) - AbutFrictionPointEnergy(2, &p, eps, &low)) / 2e-6;
      assert_true(PetscAbsReal(slope + force[0]) < 1e-5);
    }
    assert_true(PetscAbsReal(before - most) < 1e-5 * most); /* squared distance of the grid points from the maximum */
    assert_true(PetscAbsReal(before - 7 * held) < 1e-12 * before);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(MoveAlongTheLine), cmocka_unit_test(DerivativesByTheWay), cmocka_unit_test(Holds)};
  return AbutTestMain(argc, argv, tests);
}
