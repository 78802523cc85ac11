/* Bordered system: a block compressed between two half spaces, on any number of ranks; a compression that cannot be completed. */
#include "bench.h"
#include "constraintimpl.h"
#include "timeimpl.h"

#define DONE 0.999999 /* leaves at most 2e-7 m of the motion */

/* A block between a floor and a ceiling that moves down. The steps are so long that inertia is negligible. */
static void Press(Bench *b, MPI_Comm comm, PetscInt dim, PetscReal speed, PetscInt max_newton)
{
  BenchInit(b, comm, dim, 10);
  b->spec.max_newton = max_newton;
  b->spec.dhat       = (AbutQuantity){1e-3, PETSC_FALSE};
  b->spec.tolerance  = (AbutQuantity){1e-8, PETSC_FALSE};
  BenchAddBox(b, "block", 0, 1, dim == 2 ? 4 : 2, 0, 0.5005);
  BenchAddPlane(b, "floor", 0, 1);
  BenchAddPlane(b, "ceiling", 1.0015, -2); /* normals need not be unit vectors */
  BenchAddMotion(b, NULL, 0, -speed)->plane = 1;
  BenchOpen(b);
}

static void Lame(const AbutMaterialSpec *m, PetscReal *mu, PetscReal *lambda)
{
  *mu     = m->young / (2 * (1 + m->poisson));
  *lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
}

/* Lateral stress mu (s - 1/s) + lambda ln(J) / s of a uniaxially strained block; 0 if the lateral sides are free. */
static PetscReal Sideways(const Bench *b, PetscReal along)
{
  PetscReal mu, lambda, low = 0.5, high = 2;

  Lame(&b->materials[0], &mu, &lambda);
  for (int k = 0; k < 60; k++) {
    const PetscReal s = (low + high) / 2, J = along * (b->dim == 2 ? s : s * s);
    if (mu * (s - 1 / s) + lambda * PetscLogReal(J) / s > 0)
      high = s;
    else
      low = s;
  }
  return low;
}

/* The strain is uniform, so the mesh represents it exactly, except for the uneven barrier weights at corners in a layer of dhat. */
static void Compresses(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Bench     b;
    PetscReal y[2], x[2], stretch, force[3] = {0}, mu, lambda, *contact;

    Press(&b, PETSC_COMM_WORLD, dim, 0.01, 1000);
    BenchStep(&b, 2);
    assert_true(b.report.boundary_progress >= 0.999);
    AbutTestClose("ceiling", 1, &b.state->plane_point[4], &(PetscReal){1.0015 - 0.2},
                  2e-4); /* a motion counts as complete if 1/1000 of the step is left */
    BenchExtent(&b, 0, 1, &y[0], &y[1]);
    assert_true(y[0] > 0 && y[0] < 1e-3 && y[1] < b.state->plane_point[4] && y[1] > b.state->plane_point[4] - 1e-3);
    BenchExtent(&b, 0, 0, &x[0], &x[1]);
    stretch = Sideways(&b, y[1] - y[0]);
    AbutTestClose("width", 1, &(PetscReal){x[1] - x[0]}, &stretch, 1e-3);
    /* force on the ceiling: axial stress times the area at rest */
    AbutTestCall(PetscMalloc1(b.local->num_owned * dim, &contact));
    AbutTestCall(AbutStepperGetContactForce(b.stepper, contact, NULL));
    for (PetscInt v = 0; v < b.local->num_owned; v++)
      if (contact[v * dim + 1] < 0) force[1] += contact[v * dim + 1];
    MPI_Allreduce(MPI_IN_PLACE, force, 3, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD);
    Lame(&b.materials[0], &mu, &lambda);
    const PetscReal a = y[1] - y[0], J = a * (dim == 2 ? stretch : stretch * stretch);
    const PetscReal expected = mu * (a - 1 / a) + lambda * PetscLogReal(J) / a;
    assert_true(PetscAbsReal(force[1] / expected - 1) < 5e-3);
    AbutTestCall(PetscFree(contact));
    BenchClose(&b);
  }
}

static void SameOnAllRanks(void **state)
{
  Bench      b;
  PetscReal *together, *alone;
  PetscInt   n;

  (void)state;
  Press(&b, PETSC_COMM_WORLD, 2, 0.02, 1000);
  b.stepper->constraint->done = DONE;
  BenchStep(&b, 2);
  together = BenchPositions(&b);
  n        = b.local->num_global * 2;
  BenchClose(&b);
  Press(&b, PETSC_COMM_SELF, 2, 0.02, 1000);
  b.stepper->constraint->done = DONE;
  BenchStep(&b, 2);
  alone = BenchPositions(&b);
  /* Newton stops at directions below 1e-7 m. */
  AbutTestClose("positions", n, together, alone, 1e-6);
  BenchClose(&b);
  AbutTestCall(PetscFree(together));
  AbutTestCall(PetscFree(alone));
}

/* The ceiling is prescribed to pass the floor: it never passes the block, and the failed step names the ceiling. */
static void NeverTeleports(void **state)
{
  Bench     b;
  PetscReal x[8 * 8 * 2];
  PetscInt  crossings;

  (void)state;
  Press(&b, PETSC_COMM_WORLD, 2, 1, 20);
  AbutTestCall(AbutStepperStep(b.stepper, &b.report));
  assert_false(b.report.converged);
  assert_true(b.report.boundary_progress > 0 &&
              b.report.boundary_progress < 1.0015 / 10); /* the floor is 1.0015 m below, the motion 10 m */
  assert_string_equal(b.report.boundary_place, "scene.yaml:20");
  assert_true(b.state->plane_point[4] == 1.0015 && b.state->step == 0);
  assert_true(b.local->num_local <= 64);
  AbutTestCall(PetscArraycpy(x, b.state->x, b.local->num_owned * 2));
  AbutTestCall(AbutMeshUpdateGhosts(b.mesh, 2, x));
  AbutTestCall(AbutStepperForget(b.stepper));
  AbutTestCall(AbutContactCheck(b.contact, x, &crossings, NULL, NULL));
  assert_int_equal(crossings, 0);
  BenchClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Compresses), cmocka_unit_test(SameOnAllRanks), cmocka_unit_test(NeverTeleports)};
  return AbutTestMain(argc, argv, tests);
}
