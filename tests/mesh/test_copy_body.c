/* A copy of a body on one rank: same vertices and cells in the order of ids, same surface as a mesh of that body alone. */
#include "../support/test.h"
#include <abut/mesh_copy.h>
#include <string.h>

#define NUM 3

static void Specs(PetscInt dim, AbutBodySpec specs[NUM])
{
  for (PetscInt i = 0; i < NUM; i++) {
    AbutTestCall(AbutBodySpecInit(&specs[i]));
    snprintf(specs[i].name, sizeof(specs[i].name), "body%d", (int)i);
    specs[i].material           = 5 + i;
    specs[i].surface            = i;
    specs[i].shape.kind         = i == 1 ? ABUT_SHAPE_BALL : ABUT_SHAPE_BOX;
    specs[i].shape.translate[0] = 3 * (PetscReal)i;
    for (PetscInt k = 0; k < 3; k++) {
      specs[i].shape.size[k]  = 1 + 0.25 * (PetscReal)k;
      specs[i].shape.cells[k] = k < dim ? 2 + i : 1;
    }
  }
}

static void CompareInts(const char what[], PetscInt n, const PetscInt a[], const PetscInt b[])
{
  for (PetscInt i = 0; i < n; i++)
    if (a[i] != b[i]) fail_msg("%s: entry %ld is %ld, expected %ld", what, (long)i, (long)a[i], (long)b[i]);
}

static void Compare(PetscInt body, AbutMesh copy, AbutMesh alone)
{
  const AbutMeshLocal *c = AbutMeshGetLocal(copy), *a = AbutMeshGetLocal(alone);

  assert_int_equal(c->num_owned, a->num_owned);
  assert_int_equal(c->num_cells, a->num_cells);
  assert_int_equal(c->num_faces, a->num_faces);
  assert_int_equal(c->num_edges, a->num_edges);
  assert_int_equal(c->num_points, a->num_points);
  for (PetscInt i = 0; i < c->dim * c->num_owned; i++) assert_true(c->rest[i] == a->rest[i]);
  CompareInts("cells", (c->dim + 1) * c->num_cells, c->cells, a->cells);
  CompareInts("faces", 3 * c->num_faces, c->faces, a->faces);
  CompareInts("edges", 2 * c->num_edges, c->edges, a->edges);
  CompareInts("points", c->num_points, c->points, a->points);
  assert_int_equal(c->num_bodies, 1);
  assert_int_equal(c->bodies[0].material, 5 + body);
  assert_int_equal(c->bodies[0].surface, body);
  assert_string_equal(c->bodies[0].name, a->bodies[0].name);
}

static void CopiesEqualBodies(void **state)
{
  PetscMPIInt rank, size;

  (void)state;
  AbutTestCall((PetscErrorCode)MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  AbutTestCall((PetscErrorCode)MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt dim = 2; dim <= 3; dim++) {
    AbutBodySpec specs[NUM];
    AbutMesh     mesh, copy, alone;

    Specs(dim, specs);
    AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, dim, NUM, specs, &mesh));
    for (PetscInt b = 0; b < NUM; b++) {
      const PetscMPIInt to = (PetscMPIInt)(b + 1) % size;

      AbutTestCall(AbutMeshCopyBody(mesh, b, to, &copy));
      assert_int_equal(copy != NULL, rank == to);
      if (!copy) continue;
      AbutTestCall(AbutMeshCreate(PETSC_COMM_SELF, dim, 1, &specs[b], &alone));
      Compare(b, copy, alone);
      AbutTestCall(AbutMeshDestroy(&alone));
      AbutTestCall(AbutMeshDestroy(&copy));
    }
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(CopiesEqualBodies)};
  return AbutTestMain(argc, argv, tests);
}
