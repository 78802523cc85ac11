/* Transfer between meshes of the same bodies: affine and rigid maps, values inside cells by brute force, equality on ranks, refusals. */
#include "expect_error.h"
#include "transfer.h"

/* The bodies of the test at a resolution: a box, a round body, an obstacle of a round surface; they do not share a grid of cells. */
static AbutMesh Bodies(MPI_Comm comm, PetscInt dim, PetscInt cells, const AbutMeshLocal **local)
{
  AbutBodySpec specs[3] = {Spec("box", ABUT_SHAPE_BOX, 1, 1.3, 1.6, cells, cells + 1, cells),
                           Spec("ball", ABUT_SHAPE_BALL, 0.6, 0, 0, cells, 0, 0), Spec("wall", ABUT_SHAPE_BALL, 0.7, 0, 0, cells, 0, 0)};

  specs[0].shape.rotate[2]    = 20;
  specs[1].shape.translate[0] = 3;
  specs[2].shape.translate[1] = 4;
  specs[2].obstacle           = PETSC_TRUE;
  specs[2].material           = -1;
  return MakeMesh(comm, dim, 3, specs, local);
}

static PetscReal Largest(PetscReal value)
{
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD), 0);
  return value;
}

/* A x + b; with `rigid` A is a rotation, about the third axis in 2D. */
static void Map(PetscInt dim, PetscBool rigid, const PetscReal x[], PetscReal y[])
{
  static const PetscReal A[3][3] = {{0.4, -1.1, 0.1}, {0.9, 0.8, -0.3}, {0.2, 0.1, 1.2}}, b[3] = {0.3, -0.2, 0.1};
  static const PetscReal R[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, turn[2][2] = {{0.6, -0.8}, {0.8, 0.6}};

  for (PetscInt k = 0; k < dim; k++) y[k] = b[k] + AbutDot(dim, rigid ? (dim == 3 ? R[k] : turn[k]) : A[k], x);
}

/* Bodies under an affine map and the obstacle under a rigid one keep it on another mesh, also where that is outside of the first one. */
static void AffineMaps(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const AbutMeshLocal *from, *to;
    AbutMesh             coarse = Bodies(PETSC_COMM_WORLD, dim, 3, &from), fine = Bodies(PETSC_COMM_WORLD, dim, 7, &to);
    PetscReal *x = calloc((size_t)(from->num_owned * dim + 1), sizeof(*x)), *y = calloc((size_t)(to->num_owned * dim + 1), sizeof(*y));
    PetscReal *v = calloc((size_t)(to->num_owned * dim + 1), sizeof(*v)), error[2] = {0, 0}, wanted[3], distance;
    PetscInt   outside;
    AbutMeshTransfer transfer;

    AbutTestCall(AbutMeshTransferCreate(coarse, fine, 0.1, &transfer));
    for (PetscInt i = 0; i < from->num_owned; i++) Map(dim, from->bodies[from->vertex_body[i]].obstacle, &from->rest[dim * i], &x[dim * i]);
    AbutTestCall(AbutMeshTransferPositions(transfer, x, y));
    AbutTestCall(AbutMeshTransferVectors(transfer, x, v));
    for (PetscInt i = 0; i < to->num_owned * dim; i++) {
      const PetscBool rigid = to->bodies[to->vertex_body[i / dim]].obstacle;

      Map(dim, rigid, &to->rest[i / dim * dim], wanted);
      error[0] = PetscMax(error[0], PetscAbsReal(y[i] - wanted[i % dim]));
      if (!rigid) error[1] = PetscMax(error[1], PetscAbsReal(v[i] - wanted[i % dim]));
    }
    AbutMeshTransferGetOutside(transfer, &outside, &distance);
    print_message("%dD: errors %g %g, %d vertices outside by %g\n", (int)dim, (double)Largest(error[0]), (double)Largest(error[1]),
                  (int)outside, (double)distance);
    assert_true(Largest(error[0]) < 1e-13 && Largest(error[1]) < 1e-13);
    assert_true(outside > 10 && distance > 0.005 && distance < 0.1);
    AbutTestCall(AbutMeshTransferPositions(transfer, from->rest, y)); /* no displacement: bit for bit at rest */
    for (PetscInt i = 0; i < to->num_owned * dim; i++) assert_true(y[i] == to->rest[i]);
    free(x);
    free(y);
    free(v);
    AbutTestCall(AbutMeshTransferDestroy(&transfer));
    AbutTestCall(AbutMeshDestroy(&coarse));
    AbutTestCall(AbutMeshDestroy(&fine));
  }
}

/* A value of a vertex that depends on its id only. */
static PetscReal Value(PetscInt id, PetscInt component)
{
  uint64_t seed = 7919 * (uint64_t)id + (uint64_t)component;

  AbutTestRandom(&seed);
  return AbutTestRandom(&seed);
}

/* Interpolated value at p by a loop over all cells of a mesh on one rank; PETSC_FALSE if p is outside of them. */
static PetscBool BruteForce(const AbutMeshLocal *m, const PetscReal p[], PetscReal value[])
{
  const PetscInt dim = m->dim;

  for (PetscInt c = 0; c < m->num_cells; c++) {
    const PetscInt *v    = &m->cells[(dim + 1) * c];
    AbutMeshLocal   part = *m;
    PetscReal       rest[12], weight[4], whole = CellVolume(m, c), least = 1;
    PetscInt        own[4] = {0, 1, 2, 3};

    part.rest  = rest;
    part.cells = own;
    for (PetscInt j = 0; j <= dim; j++) { /* volume of the cell with p instead of corner j */
      for (PetscInt i = 0; i < (dim + 1) * dim; i++) rest[i] = i / dim == j ? p[i % dim] : m->rest[dim * v[i / dim] + i % dim];
      weight[j] = CellVolume(&part, 0) / whole;
      least     = PetscMin(least, weight[j]);
    }
    if (least < -1e-12) continue;
    for (PetscInt k = 0; k < dim; k++) {
      value[k] = 0;
      for (PetscInt j = 0; j <= dim; j++) value[k] += weight[j] * Value(m->vertex_id[v[j]], k);
    }
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static void InsideCells(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const AbutMeshLocal *from, *to, *serial;
    AbutMesh             coarse = Bodies(PETSC_COMM_WORLD, dim, 3, &from), fine = Bodies(PETSC_COMM_WORLD, dim, 5, &to),
             own = Bodies(PETSC_COMM_SELF, dim, 3, &serial);
    PetscReal *x = calloc((size_t)(from->num_owned * dim + 1), sizeof(*x)), *y = calloc((size_t)(to->num_owned * dim + 1), sizeof(*y));
    PetscReal  error = 0, wanted[3], distance;
    PetscInt   outside, found = 0;
    AbutMeshTransfer transfer;

    AbutTestCall(AbutMeshTransferCreate(coarse, fine, 0.1, &transfer));
    for (PetscInt i = 0; i < from->num_owned * dim; i++) x[i] = Value(from->vertex_id[i / dim], i % dim);
    AbutTestCall(AbutMeshTransferVectors(transfer, x, y));
    for (PetscInt v = 0; v < to->num_owned; v++) {
      if (to->bodies[to->vertex_body[v]].obstacle || !BruteForce(serial, &to->rest[dim * v], wanted)) continue;
      found++;
      for (PetscInt k = 0; k < dim; k++) error = PetscMax(error, PetscAbsReal(y[dim * v + k] - wanted[k]));
    }
    found = SumInt(found);
    AbutMeshTransferGetOutside(transfer, &outside, &distance);
    print_message("%dD: %d vertices, error %g\n", (int)dim, (int)found, (double)Largest(error));
    assert_int_equal(found + outside, to->bodies[1].vertex_end);
    assert_true(found > 30 && Largest(error) < 1e-10);
    free(x);
    free(y);
    AbutTestCall(AbutMeshTransferDestroy(&transfer));
    AbutTestCall(AbutMeshDestroy(&coarse));
    AbutTestCall(AbutMeshDestroy(&fine));
    AbutTestCall(AbutMeshDestroy(&own));
  }
}

static void Refuses(PetscInt dim, const AbutBodySpec *a, PetscInt num, const AbutBodySpec b[], const char first[], const char second[])
{
  const AbutMeshLocal *local;
  AbutMesh             from = MakeMesh(PETSC_COMM_WORLD, 3, 1, a, &local), to = MakeMesh(PETSC_COMM_WORLD, dim, num, b, &local);
  AbutMeshTransfer     transfer;

  ExpectError(AbutMeshTransferCreate(from, to, 0.05, &transfer), first, second);
  AbutTestCall(AbutMeshTransferDestroy(&transfer));
  AbutTestCall(AbutMeshDestroy(&from));
  AbutTestCall(AbutMeshDestroy(&to));
}

static void Refusals(void **state)
{
  const AbutBodySpec a    = Spec("a", ABUT_SHAPE_BOX, 1, 1, 1, 2, 2, 2);
  AbutBodySpec       b[2] = {Spec("b", ABUT_SHAPE_BOX, 1, 1, 1, 2, 2, 2), Spec("a", ABUT_SHAPE_BOX, 1, 1, 1, 3, 3, 3)};

  (void)state;
  Refuses(2, &a, 1, &b[1], "in 3D", "in 2D");
  Refuses(3, &a, 1, &b[0], "'a'", "not in this scene");
  b[0].shape.translate[0] = 4;
  Refuses(3, &a, 2, b, "'b'", "missing in the mesh of the checkpoint");
  b[1].shape.size[0] = 1.1; /* by 0.05 on either side, less than 0.05 of the diagonal 1.79 */
  b[1].shape.size[1] = 1.3;
  Refuses(3, &a, 1, &b[1], "of 'a' is farther than 0.0987 m", "rest shapes differ");
  b[1].obstacle = PETSC_TRUE;
  b[1].material = -1;
  Refuses(3, &a, 1, &b[1], "'a' is a body in the mesh of the checkpoint", "an obstacle of triangles here");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(AffineMaps), cmocka_unit_test(InsideCells), cmocka_unit_test(Refusals)};
  return AbutTestMain(argc, argv, tests);
}
