/* Every entity is on exactly one rank and equals the entity of a serial mesh with the same id, with both methods of partition. */
#include "mesh_support.h"

enum { NUM_SPECS = 5 };

/* Bodies of all generated shapes, one of them a grid of copies, and an obstacle; so small that every body is divided on 7 ranks. */
static PetscInt MakeScene(PetscInt dim, AbutBodySpec specs[NUM_SPECS])
{
  specs[0]                    = Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 3, 0, 0);
  specs[1]                    = Spec("brick", ABUT_SHAPE_BOX, 0.5, 0.4, 0.3, 2, 3, 2);
  specs[2]                    = Spec("ring", ABUT_SHAPE_TORUS, 1, 0.4, 0, 2, 0, 0);
  specs[3]                    = Spec("rod", dim == 3 ? ABUT_SHAPE_CYLINDER : ABUT_SHAPE_BALL, 0.5, 2, 0, 2, 5, 0);
  specs[4]                    = Spec("mat", ABUT_SHAPE_BOX, 4, 0.1, 4, 5, 1, 5);
  specs[0].shape.center       = PETSC_TRUE;
  specs[2].shape.scale[1]     = -1.25;
  specs[2].shape.rotate[2]    = 20;
  specs[2].shape.translate[0] = 8;
  specs[3].shape.translate[0] = 16;
  specs[1].shape.translate[1] = 3;
  specs[1].shape.copies[0]    = 2;
  specs[1].shape.copies[1]    = 2;
  specs[1].shape.copies[2]    = dim == 3 ? 3 : 1;
  specs[1].shape.spacing[0] = specs[1].shape.spacing[1] = specs[1].shape.spacing[2] = 1;
  specs[4].shape.translate[1]                                                       = -2;
  specs[4].obstacle                                                                 = PETSC_TRUE;
  return NUM_SPECS;
}

/* Fails unless each simplex of the serial mesh is on exactly one rank, with the same id and vertices. */
static void CompareSimplices(const char what[], PetscInt n, PetscInt num, const PetscInt ids[], const PetscInt simplices[],
                             const AbutMeshLocal *local, PetscInt num_global, const PetscInt reference[])
{
  PetscInt *seen = calloc((size_t)num_global + 1, sizeof(*seen));

  for (PetscInt i = 0; i < num; i++) {
    const PetscInt id = ids ? ids[i] : i;
    assert_in_range(id, 0, num_global - 1);
    seen[id]++;
    for (PetscInt k = 0; k < n; k++) assert_int_equal(local->vertex_id[simplices[i * n + k]], reference[id * n + k]);
    if (ids && i) assert_true(ids[i] > ids[i - 1]);
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, seen, (PetscMPIInt)num_global, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  for (PetscInt id = 0; id < num_global; id++)
    if (seen[id] != 1) fail_msg("%s %ld is on %ld ranks", what, (long)id, (long)seen[id]);
  free(seen);
}

static void CompareVertices(const AbutMeshLocal *local, const AbutMeshLocal *serial)
{
  PetscInt *owners = calloc((size_t)serial->num_global, sizeof(*owners)), *surface = calloc((size_t)serial->num_global, sizeof(*surface)),
           end = 0;

  assert_int_equal(local->num_global, serial->num_global);
  for (PetscInt v = 0; v < local->num_local; v++) {
    const PetscInt id = local->vertex_id[v];
    if (v < local->num_owned) owners[id]++;
    assert_int_equal(local->vertex_body[v], serial->vertex_body[id]);
    assert_memory_equal(&local->rest[v * local->dim], &serial->rest[id * local->dim], sizeof(PetscReal) * (size_t)local->dim);
    if (v < local->num_owned) assert_int_equal(local->vertex_global[v], local->first + v);
    if (v && v < local->num_owned) assert_true(id > local->vertex_id[v - 1]);
  }
  for (PetscInt i = 0; i < local->num_points; i++) {
    assert_true(local->points[i] < local->num_owned);
    surface[local->vertex_id[local->points[i]]]++;
  }
  assert_int_equal(MPI_Exscan(&local->num_owned, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  assert_int_equal(local->first, Rank() ? end : 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, owners, (PetscMPIInt)serial->num_global, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, surface, (PetscMPIInt)serial->num_global, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  for (PetscInt v = 0; v < serial->num_global; v++) assert_int_equal(owners[v], 1);
  for (PetscInt i = 0; i < serial->num_points; i++) surface[serial->points[i]]--;
  for (PetscInt v = 0; v < serial->num_global; v++) assert_int_equal(surface[v], 0);
  free(owners);
  free(surface);
}

/* Every ghost belongs to an entity of its rank. */
static void CheckGhostsAreUsed(const AbutMeshLocal *local)
{
  PetscBool *used = calloc((size_t)local->num_local + 1, sizeof(*used));

  for (PetscInt i = 0; i < local->num_cells * (local->dim + 1); i++) used[local->cells[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < local->num_faces * 3; i++) used[local->faces[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < local->num_edges * 2; i++) used[local->edges[i]] = PETSC_TRUE;
  for (PetscInt v = local->num_owned; v < local->num_local; v++) assert_true(used[v]);
  free(used);
}

static void CompareWithSerial(PetscInt dim)
{
  AbutBodySpec         specs[NUM_SPECS];
  const PetscInt       num = MakeScene(dim, specs);
  const AbutMeshLocal *local, *serial;
  AbutMesh mesh = MakeMesh(PETSC_COMM_WORLD, dim, num, specs, &local), alone = MakeMesh(PETSC_COMM_SELF, dim, num, specs, &serial);

  assert_int_equal(local->num_bodies, serial->num_bodies);
  assert_memory_equal(local->bodies, serial->bodies, sizeof(AbutBody) * (size_t)serial->num_bodies);
  assert_true(local->diagonal == serial->diagonal);
  assert_int_equal(serial->num_local, serial->num_owned);
  CompareVertices(local, serial);
  CompareSimplices("cell", dim + 1, local->num_cells, local->cell_id, local->cells, local, serial->num_cells, serial->cells);
  CompareSimplices("face", 3, local->num_faces, local->face_id, local->faces, local, serial->num_faces, serial->faces);
  CompareSimplices("edge", 2, local->num_edges, local->edge_id, local->edges, local, serial->num_edges, serial->edges);
  for (PetscInt c = 0; c < local->num_cells; c++) assert_int_equal(local->cell_body[c], serial->cell_body[local->cell_id[c]]);
  CheckGhostsAreUsed(local);
  AbutTestCall(AbutMeshDestroy(&mesh));
  AbutTestCall(AbutMeshDestroy(&alone));
}

static void PartitionedByMetis(void **state)
{
  (void)state;
  CompareWithSerial(3);
  CompareWithSerial(2);
}

static void PartitionedByCoordinates(void **state)
{
  (void)state;
  AbutTestCall(PetscOptionsSetValue(NULL, "-mesh_partition_metis", "0"));
  CompareWithSerial(3);
  CompareWithSerial(2);
  AbutTestCall(PetscOptionsClearValue(NULL, "-mesh_partition_metis"));
}

/* Ids are ascending over bodies in order; copies are numbered with z fastest. */
static void BodiesAndCopies(void **state)
{
  AbutBodySpec         specs[NUM_SPECS];
  const PetscInt       num = MakeScene(3, specs);
  const AbutMeshLocal *local;
  AbutMesh             mesh = MakeMesh(PETSC_COMM_WORLD, 3, num, specs, &local);

  (void)state;
  assert_int_equal(local->num_bodies, 1 + 12 + 3);
  assert_string_equal(local->bodies[0].name, "ball");
  assert_string_equal(local->bodies[1].name, "brick[0,0,0]");
  assert_string_equal(local->bodies[2].name, "brick[0,0,1]");
  assert_string_equal(local->bodies[12].name, "brick[1,1,2]");
  assert_string_equal(local->bodies[15].name, "mat");
  for (PetscInt b = 1; b < 16; b++) {
    assert_int_equal(local->bodies[b].vertex_start, local->bodies[b - 1].vertex_end);
    assert_int_equal(local->bodies[b].cell_start, local->bodies[b - 1].cell_end);
  }
  AbutTestClose("lower corner of the last copy", 3, local->bodies[12].box[0], (PetscReal[]){0.75, 3.8, 1.85}, 1e-14);
  assert_int_equal(local->bodies[15].cell_end, local->bodies[15].cell_start);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(PartitionedByMetis), cmocka_unit_test(PartitionedByCoordinates),
                                     cmocka_unit_test(BodiesAndCopies)};
  return AbutTestMain(argc, argv, tests);
}
