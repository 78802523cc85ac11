/*
  Time steps with the orientation-aware potential: bodies that are close at rest do not move; a falling block comes to rest equally on any
  number of ranks.
*/
#include "bench.h"

#define RANGE 0.05

/* Two blocks separated by a vertical gap; the lower one is fixed at its bottom. */
static void Open(MPI_Comm comm, PetscInt dim, PetscReal gap, PetscReal gravity, Bench *b)
{
  BenchInit(b, comm, dim, 0.01);
  strcpy(b->spec.potential, "oipc");
  b->spec.orientation = (AbutPotentialSpec){0.5, 0, 0};
  b->spec.dhat        = (AbutQuantity){RANGE, PETSC_FALSE};
  b->spec.tolerance   = (AbutQuantity){1e-7, PETSC_FALSE};
  b->spec.gravity[1]  = -gravity;
  BenchAddBox(b, "lower", -1, 1, 3, 0, 0);
  BenchAddBox(b, "upper", 0, 0.5, 2, 0.13, 0.75 + gap); /* shifted, so that no vertex lies above another */
  BenchOpen(b);
}

static PetscInt Crossings(Bench *b)
{
  PetscInt   count, local;
  PetscReal *x;

  AbutTestCall(PetscCalloc1(b->local->num_local * b->dim, &x));
  AbutTestCall(PetscArraycpy(x, b->state->x, b->local->num_owned * b->dim));
  AbutTestCall(AbutMeshUpdateGhosts(b->mesh, b->dim, x));
  AbutTestCall(AbutContactCheck(b->contact, x, &count, &local, NULL));
  AbutTestCall(PetscFree(x));
  return count;
}

/* Activation distances are adapted to the gap: there are no contact forces, so nothing moves. */
static void NothingActsAtRest(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Bench      b;
    PetscReal *before, *after;

    Open(PETSC_COMM_WORLD, dim, RANGE / 5, 0, &b);
    before = BenchPositions(&b);
    for (int k = 0; k < 3; k++) {
      BenchStep(&b, 1);
      assert_int_equal(b.report.count.newton, 0);
      assert_int_equal(b.report.contact.count, 0);
      assert_true(b.report.contact.min_gap < RANGE / 4); /* the gap is below the dhat of the scene */
      assert_true(b.report.force.contact_max == 0);
    }
    after = BenchPositions(&b);
    for (PetscInt i = 0; i < b.local->num_global * dim; i++) assert_true(after[i] == before[i]);
    AbutTestCall(PetscFree(before));
    AbutTestCall(PetscFree(after));
    BenchClose(&b);
  }
}

/* The block falls and is stopped. Vertex positions agree within the accumulated Newton tolerance, 1e-9 m per step. */
static void FallsAlikeOnAnyRanks(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Bench      b[2];
    PetscReal *x[2], most = 0;
    PetscInt   touching = 0;

    for (int k = 0; k < 2; k++) {
      Open(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, dim, 0.01, 10, &b[k]);
      for (int step = 0; step < 12; step++) {
        BenchStep(&b[k], 1);
        assert_int_equal(Crossings(&b[k]), 0);
        touching += b[k].report.contact.count > 0;
      }
      x[k] = BenchPositions(&b[k]);
    }
    for (PetscInt i = 0; i < b[0].local->num_global * dim; i++) most = PetscMax(most, PetscAbsReal(x[0][i] - x[1][i]));
    print_message("%dD: %ld steps in contact, positions differ by %.2e m\n", (int)dim, (long)touching, (double)most);
    assert_true(touching >= 6);
    assert_true(most < 1e-7);
    for (int k = 0; k < 2; k++) {
      AbutTestCall(PetscFree(x[k]));
      BenchClose(&b[k]);
    }
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(NothingActsAtRest), cmocka_unit_test(FallsAlikeOnAnyRanks)};
  return AbutTestMain(argc, argv, tests);
}
