/* Transfer between meshes of linear and quadratic cells: affine maps, quadratic fields, curved cells, equal bits on all rank counts. */
#include "expect_error.h"
#include "transfer.h"

/* A box and a round body, of different cells; with order 2 the round body has curved cells. */
static AbutMesh Bodies(MPI_Comm comm, PetscInt dim, PetscInt cells, PetscInt box_order, PetscInt ball_order, const AbutMeshLocal **local)
{
  AbutBodySpec specs[2] = {Spec("box", ABUT_SHAPE_BOX, 1, 1.3, 1.6, cells, cells + 1, cells),
                           Spec("ball", ABUT_SHAPE_BALL, 0.6, 0, 0, cells, 0, 0)};

  specs[0].shape.order        = box_order;
  specs[1].shape.order        = ball_order;
  specs[0].shape.rotate[2]    = 20;
  specs[1].shape.translate[0] = 3;
  return MakeMesh(comm, dim, 2, specs, local);
}

static PetscReal Largest(PetscReal value)
{
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD), 0);
  return value;
}

/* A vector field: affine, or quadratic. */
static PetscReal Field(PetscInt dim, PetscBool quadratic, const PetscReal x[], PetscInt k)
{
  static const PetscReal A[3][3] = {{0.4, -1.1, 0.1}, {0.9, 0.8, -0.3}, {0.2, 0.1, 1.2}};
  PetscReal              value   = 0.3 + AbutDot(dim, A[k], x);

  for (PetscInt i = 0; quadratic && i < dim; i++) value += (0.3 + 0.2 * (PetscReal)i) * x[i] * x[(i + k) % dim];
  return value;
}

static PetscReal *Zeros(const AbutMeshLocal *m)
{
  return calloc((size_t)(m->num_local * m->dim + 1), sizeof(PetscReal));
}

/* Values at vertices: such that the nodes of cells have the values of the field. */
static void SetField(AbutMesh mesh, PetscBool quadratic, PetscReal values[])
{
  const AbutMeshLocal *m     = AbutMeshGetLocal(mesh);
  PetscReal           *nodes = Zeros(m), *field = Zeros(m);

  AbutTestCall(AbutMeshVerticesToNodes(mesh, m->rest, nodes));
  for (PetscInt i = 0; i < m->num_owned * m->dim; i++) field[i] = Field(m->dim, quadratic, &nodes[i / m->dim * m->dim], i % m->dim);
  AbutTestCall(AbutMeshUpdateGhosts(mesh, m->dim, field));
  AbutTestCall(AbutMeshNodesToVertices(mesh, field, values));
  free(nodes);
  free(field);
}

/* Largest error of a field at the vertices of body 0, or of all bodies. */
static PetscReal Error(AbutMesh mesh, PetscBool quadratic, PetscInt bodies, const PetscReal values[])
{
  const AbutMeshLocal *m      = AbutMeshGetLocal(mesh);
  PetscReal           *wanted = Zeros(m), error = 0;

  SetField(mesh, quadratic, wanted);
  for (PetscInt i = 0; i < m->num_owned * m->dim; i++)
    if (m->vertex_body[i / m->dim] < bodies) error = PetscMax(error, PetscAbsReal(values[i] - wanted[i]));
  free(wanted);
  return Largest(error);
}

/* A field of cells that is affine, at the corners of each cell, is exact at the centroids of the cells of the other box. */
static void FieldOfCells(AbutMeshTransfer transfer, const AbutMeshLocal *from, const AbutMeshLocal *to)
{
  const PetscInt dim = from->dim, n = dim + 1;
  PetscReal     *corners = calloc((size_t)(from->num_cells * n + 1), sizeof(*corners)), *points, *values, error = 0;
  PetscInt      *body = calloc((size_t)(to->num_cells + 1), sizeof(*body)), num = 0;

  points = calloc((size_t)(to->num_cells * dim + 1), sizeof(*points));
  values = calloc((size_t)(to->num_cells + 1), sizeof(*values));
  for (PetscInt i = 0; i < from->num_cells * n; i++) corners[i] = Field(dim, PETSC_FALSE, &from->rest[dim * from->cells[i]], 0);
  for (PetscInt c = 0; c < to->num_cells; c++) {
    if (to->cell_body[c]) continue;
    for (PetscInt k = 0; k < dim; k++) {
      points[dim * num + k] = 0;
      for (PetscInt a = 0; a < n; a++) points[dim * num + k] += to->rest[dim * to->cells[n * c + a] + k] / (PetscReal)n;
    }
    num++;
  }
  AbutTestCall(AbutMeshTransferCells(transfer, 1, corners, num, points, body, values));
  for (PetscInt i = 0; i < num; i++) error = PetscMax(error, PetscAbsReal(values[i] - Field(dim, PETSC_FALSE, &points[dim * i], 0)));
  assert_true(Largest(error) < 1e-13);
  free(corners);
  free(points);
  free(body);
  free(values);
}

/* Affine fields on all bodies, quadratic ones in the straight quadratic cells of the box. */
static void Fields(PetscInt dim, PetscInt from_order, PetscInt to_order)
{
  const AbutMeshLocal *from, *to;
  AbutMesh             coarse = Bodies(PETSC_COMM_WORLD, dim, 2, from_order, from_order, &from);
  AbutMesh             fine   = Bodies(PETSC_COMM_WORLD, dim, 3, to_order, 3 - from_order, &to);
  PetscReal           *x = Zeros(from), *y = Zeros(to), distance, error;
  PetscInt             outside;
  AbutMeshTransfer     transfer;

  AbutTestCall(AbutMeshTransferCreate(coarse, fine, 0.1, &transfer));
  SetField(coarse, PETSC_FALSE, x);
  AbutTestCall(AbutMeshTransferVectors(transfer, x, y));
  assert_true(Error(fine, PETSC_FALSE, 2, y) < 1e-13);
  SetField(coarse, PETSC_TRUE, x);
  AbutTestCall(AbutMeshTransferVectors(transfer, x, y));
  error = Error(fine, PETSC_TRUE, 1, y);
  assert_true(from_order == 2 ? error < 1e-13 : error > 1e-3);
  AbutTestCall(AbutMeshTransferPositions(transfer, from->rest, y));
  for (PetscInt i = 0; i < to->num_owned * dim; i++) assert_true(y[i] == to->rest[i]);
  FieldOfCells(transfer, from, to);
  AbutMeshTransferGetOutside(transfer, &outside, &distance);
  print_message("%dD, order %d to %d: %d vertices outside by %g\n", (int)dim, (int)from_order, (int)to_order, (int)outside,
                (double)distance);
  free(x);
  free(y);
  AbutTestCall(AbutMeshTransferDestroy(&transfer));
  AbutTestCall(AbutMeshDestroy(&coarse));
  AbutTestCall(AbutMeshDestroy(&fine));
}

static void AllOrders(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscInt i = 0; i < 4; i++) Fields(dim, 1 + i / 2, 1 + i % 2);
}

/* A value that depends on the id of a vertex only. */
static PetscReal Value(PetscInt id, PetscInt component)
{
  uint64_t seed = 7919 * (uint64_t)id + (uint64_t)component;

  AbutTestRandom(&seed);
  return AbutTestRandom(&seed);
}

static void SetValues(const AbutMeshLocal *m, PetscReal values[])
{
  for (PetscInt i = 0; i < m->num_owned * m->dim; i++) values[i] = Value(m->vertex_id[i / m->dim], i % m->dim);
}

/* The vertices of a mesh with curved cells are in its cells: each one keeps its value. */
static void CurvedCells(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const AbutMeshLocal *from, *to;
    AbutMesh             one = Bodies(PETSC_COMM_WORLD, dim, 2, 2, 2, &from), other = Bodies(PETSC_COMM_WORLD, dim, 2, 2, 2, &to);
    PetscReal           *x = Zeros(from), *y = Zeros(to), error = 0, distance;
    PetscInt             outside;
    AbutMeshTransfer     transfer;

    AbutTestCall(AbutMeshTransferCreate(one, other, 1e-10, &transfer));
    AbutMeshTransferGetOutside(transfer, &outside, &distance);
    assert_int_equal(outside, 0);
    SetValues(from, x);
    AbutTestCall(AbutMeshTransferVectors(transfer, x, y));
    for (PetscInt i = 0; i < to->num_owned * dim; i++) error = PetscMax(error, PetscAbsReal(y[i] - Value(to->vertex_id[i / dim], i % dim)));
    assert_true(Largest(error) < 1e-11);
    free(x);
    free(y);
    AbutTestCall(AbutMeshTransferDestroy(&transfer));
    AbutTestCall(AbutMeshDestroy(&one));
    AbutTestCall(AbutMeshDestroy(&other));
  }
}

/* Values from curved cells on a finer mesh [num_global * dim] by vertex id; free with free(). */
static PetscReal *Transferred(MPI_Comm comm, PetscInt dim, PetscInt *num, PetscInt *outside)
{
  const AbutMeshLocal *from, *to;
  AbutMesh             coarse = Bodies(comm, dim, 2, 2, 2, &from), fine = Bodies(comm, dim, 3, 1, 2, &to);
  PetscReal           *x = Zeros(from), *y = Zeros(to), *all = calloc((size_t)(to->num_global * dim), sizeof(*all)), distance;
  AbutMeshTransfer     transfer;

  AbutTestCall(AbutMeshTransferCreate(coarse, fine, 0.1, &transfer));
  AbutMeshTransferGetOutside(transfer, outside, &distance);
  SetValues(from, x);
  AbutTestCall(AbutMeshTransferVectors(transfer, x, y));
  *num = to->num_global * dim;
  for (PetscInt i = 0; i < to->num_owned * dim; i++) all[to->vertex_id[i / dim] * dim + i % dim] = y[i];
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, all, (PetscMPIInt)*num, MPIU_REAL, MPI_SUM, comm), 0);
  free(x);
  free(y);
  AbutTestCall(AbutMeshTransferDestroy(&transfer));
  AbutTestCall(AbutMeshDestroy(&coarse));
  AbutTestCall(AbutMeshDestroy(&fine));
  return all;
}

static void EqualOnRanks(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    PetscInt   num[2], outside[2];
    PetscReal *many = Transferred(PETSC_COMM_WORLD, dim, &num[0], &outside[0]),
              *one  = Transferred(PETSC_COMM_SELF, dim, &num[1], &outside[1]);

    assert_int_equal(num[0], num[1]);
    assert_int_equal(outside[0], outside[1]);
    for (PetscInt i = 0; i < num[0]; i++) assert_true(many[i] == one[i]);
    free(many);
    free(one);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(AllOrders), cmocka_unit_test(CurvedCells), cmocka_unit_test(EqualOnRanks)};
  return AbutTestMain(argc, argv, tests);
}
