/* Placement: p' = Rx Ry Rz (scale .* p) + translate, mirrored shapes stay positive. */
#include "mesh_support.h"
#include <math.h>

/* Position of vertex `id` on every rank. */
static void Position(const AbutMeshLocal *local, PetscInt id, PetscReal x[3])
{
  for (PetscInt d = 0; d < 3; d++) x[d] = 0;
  for (PetscInt v = 0; v < local->num_owned; v++)
    for (PetscInt d = 0; d < local->dim && local->vertex_id[v] == id; d++) x[d] = local->rest[v * local->dim + d];
  for (PetscInt d = 0; d < 3; d++) x[d] = SumReal(x[d]);
}

static void RotationOrder(void **state)
{
  AbutBodySpec         spec = Spec("box", ABUT_SHAPE_BOX, 2, 4, 6, 1, 1, 1);
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  PetscReal            x[3];

  (void)state;
  for (PetscInt d = 0; d < 3; d++) {
    spec.shape.scale[d]     = (PetscReal)(d + 1);
    spec.shape.rotate[d]    = 90;
    spec.shape.translate[d] = 10 * (PetscReal)(d + 1);
  }
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  /* the last corner (1, 2, 3), scaled (1, 4, 9); z: (-4, 1, 9); y: (9, 1, 4); x: (9, -4, 1) */
  Position(local, 7, x);
  AbutTestClose("corner", 3, x, (PetscReal[]){19, 16, 31}, 0);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void ObliqueRotation(void **state)
{
  AbutBodySpec         spec = Spec("box", ABUT_SHAPE_BOX, 2, 2, 0, 1, 1, 0);
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  PetscReal            x[3];

  (void)state;
  spec.shape.rotate[2] = 30;
  mesh                 = MakeMesh(PETSC_COMM_WORLD, 2, 1, &spec, &local);
  Position(local, 3, x);
  AbutTestClose("corner", 2, x, (PetscReal[]){sqrt(3) / 2 - 0.5, sqrt(3) / 2 + 0.5}, 1e-15);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

static void MirrorKeepsOrientation(void **state)
{
  for (PetscInt dim = 2; dim <= 3; dim++) {
    AbutBodySpec         spec = Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 3, 0, 0), mirrored = spec;
    const AbutMeshLocal *local, *local_mirrored;
    AbutMesh             mesh   = MakeMesh(PETSC_COMM_WORLD, dim, 1, &spec, &local), other;
    PetscReal            inside = 0;

    mirrored.shape.scale[1]     = -2;
    mirrored.shape.translate[0] = 7;
    other                       = MakeMesh(PETSC_COMM_WORLD, dim, 1, &mirrored, &local_mirrored);
    AbutTestClose("volume", 1, (PetscReal[]){TotalVolume(local_mirrored)}, (PetscReal[]){2 * TotalVolume(local)}, 1e-13);
    for (PetscInt c = 0; c < local_mirrored->num_cells; c++) assert_true(CellVolume(local_mirrored, c) > 0);
    for (PetscInt s = 0; s < (dim == 3 ? local_mirrored->num_faces : local_mirrored->num_edges); s++) {
      PetscReal vector[3], middle[3];
      SurfaceVector(local_mirrored, s, vector, middle);
      inside += AbutDot(3, vector, middle) / (PetscReal)dim;
    }
    AbutTestClose("volume inside the surface", 1, (PetscReal[]){SumReal(inside)}, (PetscReal[]){2 * TotalVolume(local)}, 1e-12);
    AbutTestCall(AbutMeshDestroy(&mesh));
    AbutTestCall(AbutMeshDestroy(&other));
  }
  (void)state;
}

/* With `center` the mean of the vertices is subtracted before scaling, rotation and translation. */
static void CenterComesFirst(void **state)
{
  AbutBodySpec         spec;
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  char                 path[PETSC_MAX_PATH_LEN];
  PetscReal            x[3];

  (void)state;
  WriteFile("center.obj", "v 1 1 0\nv 4 1 0\nv 1 7 3\nf 1 2 3\n", path);
  spec                    = FileSpec("sheet", path);
  spec.obstacle           = PETSC_TRUE;
  spec.shape.center       = PETSC_TRUE;
  spec.shape.scale[0]     = 2;
  spec.shape.translate[2] = 1;
  mesh                    = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  Position(local, 2, x);
  AbutTestClose("third vertex", 3, x, (PetscReal[]){-2, 4, 3}, 1e-15);
  AbutTestCall(AbutMeshDestroy(&mesh));
  RemoveFile(path);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(RotationOrder), cmocka_unit_test(ObliqueRotation),
                                     cmocka_unit_test(MirrorKeepsOrientation), cmocka_unit_test(CenterComesFirst)};
  return AbutTestMain(argc, argv, tests);
}
