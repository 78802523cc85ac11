/*
  The partition is balanced and reproducible, also if there are fewer vertices than ranks. A SIGTERM during the call of METIS is neither
  lost nor taken for an error of METIS.
*/
#include "mesh_support.h"
#include <petsctime.h>
#include <signal.h>
#include <sys/time.h>

static void WorkIsEven(void **state)
{
  const AbutBodySpec   spec = Spec("box", ABUT_SHAPE_BOX, 3, 1, 1, 30, 10, 10);
  const AbutMeshLocal *local;
  AbutMesh             mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  PetscMPIInt          size;
  PetscInt             most[2] = {local->num_cells, local->num_faces}, ghosts;

  (void)state;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD), 0);
  /* METIS balances the vertex weights to 5 %; the assignment of cells and faces at part boundaries adds imbalance */
  assert_true((PetscReal)most[0] < 1.2 * (PetscReal)local->global.cells / size);
  assert_true((PetscReal)most[1] < 1.3 * (PetscReal)local->global.faces / size);
  /* a cross-section of the bar has 11 x 11 vertices; with a partition that ignores the mesh most vertices would be ghosts */
  ghosts = SumInt(local->num_local - local->num_owned);
  assert_true(ghosts < 2 * 121 * size);
  assert_true(size == 1 ? ghosts == 0 : ghosts > 0);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void PartitionIsReproducible(void **state)
{
  const AbutBodySpec   spec = Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 5, 0, 0);
  const AbutMeshLocal *first, *second;
  AbutMesh             a = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &first), b = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &second);

  (void)state;
  assert_int_equal(first->num_local, second->num_local);
  assert_memory_equal(first->vertex_id, second->vertex_id, sizeof(PetscInt) * (size_t)first->num_local);
  AbutTestCall(AbutMeshDestroy(&a));
  AbutTestCall(AbutMeshDestroy(&b));
}

static void MoreRanksThanVertices(void **state)
{
  AbutBodySpec         specs[2] = {Spec("a", ABUT_SHAPE_BOX, 1, 1, 0, 1, 1, 0), Spec("point", ABUT_SHAPE_FILE, 0, 0, 0, 0, 0, 0)};
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  PetscReal           *values;

  (void)state;
  WriteFile("one.pt", "v 5 5 0\n", specs[1].shape.path);
  specs[1].obstacle = PETSC_TRUE;
  mesh              = MakeMesh(PETSC_COMM_WORLD, 2, 2, specs, &local);
  assert_int_equal(local->num_global, 5);
  assert_int_equal(SumInt(local->num_owned), 5);
  assert_int_equal(SumInt(local->num_cells), 2);
  assert_int_equal(SumInt(local->num_edges), 4);
  assert_int_equal(SumInt(local->num_points), 5);
  values = calloc((size_t)local->num_local + 1, sizeof(*values));
  AbutTestCall(AbutMeshUpdateGhosts(mesh, 1, values));
  free(values);
  AbutTestCall(AbutMeshView(mesh, PETSC_VIEWER_STDOUT_WORLD));
  AbutTestCall(AbutMeshDestroy(&mesh));
  RemoveFile(specs[1].shape.path);
}

/* Without bodies there are no cells, so that their weight is omitted. */
static void ObstaclesOnly(void **state)
{
  AbutBodySpec         spec = Spec("wall", ABUT_SHAPE_BOX, 1, 1, 1, 6, 6, 6);
  const AbutMeshLocal *local;
  AbutMesh             mesh;

  (void)state;
  spec.obstacle = PETSC_TRUE;
  mesh          = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  assert_int_equal(local->global.cells, 0);
  assert_int_equal(SumInt(local->num_faces), 6 * 72);
  assert_true(local->global.diagonal == 0);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* Largest over average number of cells, and number of ghosts, of a partition by METIS up to `most` vertices. */
static void Measure(const AbutBodySpec *spec, const char most[], PetscReal *imbalance, PetscInt *ghosts)
{
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  PetscMPIInt          size;
  PetscInt             cells;

  AbutTestCall(PetscOptionsSetValue(NULL, "-mesh_partition_metis", most));
  mesh  = MakeMesh(PETSC_COMM_WORLD, 3, 1, spec, &local);
  cells = local->num_cells;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &cells, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD), 0);
  *imbalance = (PetscReal)cells * size / (PetscReal)local->global.cells;
  *ghosts    = SumInt(local->num_local - local->num_owned);
  AbutTestCall(AbutMeshDestroy(&mesh));
  AbutTestCall(PetscOptionsClearValue(NULL, "-mesh_partition_metis"));
}

/* Bisection by coordinates is balanced and has at most 1.5 times the ghosts of METIS. */
static void CoordinatesAreNearMetis(void **state)
{
  const AbutBodySpec specs[3] = {Spec("box", ABUT_SHAPE_BOX, 3, 1, 2, 30, 10, 20), Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 10, 0, 0),
                                 Spec("ring", ABUT_SHAPE_TORUS, 1, 0.3, 0, 4, 0, 0)};

  (void)state;
  for (int i = 0; i < 3; i++) {
    PetscReal imbalance, by_metis;
    PetscInt  ghosts, few;

    Measure(&specs[i], "1000000", &by_metis, &few);
    Measure(&specs[i], "0", &imbalance, &ghosts);
    assert_true(imbalance < 1.15);
    assert_true((PetscReal)ghosts <= 1.5 * (PetscReal)few);
  }
}

static volatile sig_atomic_t terminated;

static void CountTermination(int number)
{
  (void)number;
  terminated++;
}

static void Terminate(int number)
{
  (void)number;
  kill(getpid(), SIGTERM); /* to the process: any of its threads may receive it */
}

/* Sends SIGTERM to each rank at TRIES times spread over the set-up of a mesh. After an error of METIS the partition would be another. */
static void SurvivesTermination(void **state)
{
  enum { TRIES = 10 };
  const AbutBodySpec   spec = Spec("box", ABUT_SHAPE_BOX, 1, 1, 1, 20, 20, 20);
  const AbutMeshLocal *expected, *local;
  PetscLogDouble       start, end;
  AbutMesh             undisturbed, mesh;

  (void)state;
  AbutTestCall(PetscTime(&start));
  undisturbed = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &expected);
  AbutTestCall(PetscTime(&end));
  sigaction(SIGTERM, &(struct sigaction){.sa_handler = CountTermination}, NULL);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = Terminate}, NULL);
  for (int k = 0; k < TRIES; k++) {
    const PetscReal        seconds = (end - start) * (k + 0.5) / TRIES;
    const struct itimerval alarm   = {.it_value = {(time_t)seconds, (suseconds_t)(1e6 * (seconds - floor(seconds)))}},
                           none    = {{0, 0}, {0, 0}};
    struct itimerval left;
    terminated = 0;
    setitimer(ITIMER_REAL, &alarm, NULL);
    mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
    setitimer(ITIMER_REAL, &none, &left);
    assert_int_equal(terminated, left.it_value.tv_sec == 0 && left.it_value.tv_usec == 0);
    assert_int_equal(local->num_local, expected->num_local);
    assert_memory_equal(local->vertex_id, expected->vertex_id, sizeof(PetscInt) * (size_t)expected->num_local);
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
  AbutTestCall(AbutMeshDestroy(&undisturbed));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(WorkIsEven),    cmocka_unit_test(PartitionIsReproducible), cmocka_unit_test(MoreRanksThanVertices),
    cmocka_unit_test(ObstaclesOnly), cmocka_unit_test(CoordinatesAreNearMetis), cmocka_unit_test(SurvivesTermination)};
  return AbutTestMain(argc, argv, tests);
}
