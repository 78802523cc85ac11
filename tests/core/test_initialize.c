/* abut as a part of another program: on some of its ranks, with an MPI or a PETSc that the program has initialized. */
#include "test.h"
#include <abut/core.h>

static void OnPartOfTheRanks(int *argc, char ***argv)
{
  PetscMPIInt rank, size, part_size, sum = 1;
  MPI_Comm    part;
  int         ended;

  assert_int_equal(MPI_Comm_rank(MPI_COMM_WORLD, &rank), 0);
  assert_int_equal(MPI_Comm_size(MPI_COMM_WORLD, &size), 0);
  assert_int_equal(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part), 0);
  assert_int_equal(AbutInitialize(part, argc, argv, NULL), 0);
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &part_size), 0);
  assert_int_equal(part_size, rank % 2 ? size / 2 : (size + 1) / 2);
  if (!(rank % 2)) assert_int_equal(AbutAgree(PETSC_COMM_WORLD, AbutErrorSet(ABUT_ERR_INPUT, "even")), ABUT_ERR_INPUT);
  assert_string_equal(AbutErrorMessage(), rank % 2 ? "" : "even");
  assert_int_equal(AbutFinalize(), 0);
  assert_int_equal(MPI_Finalized(&ended), 0);
  assert_false(ended);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), 0);
  assert_int_equal(sum, size);
  assert_int_equal(MPI_Comm_free(&part), 0);
}

static void BesidesPETSc(int *argc, char ***argv)
{
  PetscBool active;

  PETSC_COMM_WORLD = MPI_COMM_WORLD;
  assert_int_equal(PetscInitialize(argc, argv, NULL, NULL), 0);
  assert_int_equal(AbutInitialize(PETSC_COMM_WORLD, argc, argv, NULL), 0);
  assert_int_equal(AbutErrorSet(ABUT_ERR_IO, "message"), ABUT_ERR_IO);
  assert_int_equal(AbutFinalize(), 0);
  assert_int_equal(PetscInitialized(&active), 0);
  assert_true(active);
  assert_int_equal(PetscFinalize(), 0);
}

/* PETSc can be initialized again while MPI is active. */
int main(int argc, char **argv)
{
  if (MPI_Init(&argc, &argv)) return 1;
  OnPartOfTheRanks(&argc, &argv);
  BesidesPETSc(&argc, &argv);
  return MPI_Finalize() ? 1 : 0;
}
