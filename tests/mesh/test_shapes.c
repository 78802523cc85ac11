/* Generated shapes: counts, volumes, closed outward surfaces, Euler characteristics, shape of cells. */
#include "mesh_support.h"
#include <math.h>

/* Sum over the surface of the area vectors (zero if closed) and of x . n / dim (the volume inside). */
static void CheckClosed(const AbutMeshLocal *local, PetscReal volume)
{
  PetscReal sum[4] = {0, 0, 0, 0};

  for (PetscInt s = 0; s < (local->dim == 3 ? local->num_faces : local->num_edges); s++) {
    PetscReal vector[3], middle[3];
    SurfaceVector(local, s, vector, middle);
    for (PetscInt d = 0; d < 3; d++) sum[d] += vector[d];
    sum[3] += AbutDot(3, vector, middle) / (PetscReal)local->dim;
  }
  for (PetscInt i = 0; i < 4; i++) sum[i] = SumReal(sum[i]);
  AbutTestClose("divergence theorem", 4, sum, (PetscReal[]){0, 0, 0, volume}, 1e-12); /* round-off of a few thousand terms */
}

static PetscInt Euler(const AbutMeshLocal *local)
{
  return SumInt(local->num_points) - SumInt(local->num_edges) + SumInt(local->num_faces);
}

/* Fails unless the volume of each cell is at least `worst` times that of a regular simplex with the same longest edge. */
static void CheckCells(const AbutMeshLocal *local, PetscReal worst)
{
  const PetscInt n = local->dim + 1;

  for (PetscInt c = 0; c < local->num_cells; c++) {
    PetscReal longest = 0;
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = 0; j < i; j++) {
        PetscReal length2 = 0;
        for (PetscInt d = 0; d < local->dim; d++)
          length2 +=
            PetscSqr(local->rest[local->cells[c * n + i] * local->dim + d] - local->rest[local->cells[c * n + j] * local->dim + d]);
        longest = PetscMax(longest, PetscSqrtReal(length2));
      }
    }
    assert_true(CellVolume(local, c) >
                worst * (local->dim == 3 ? pow(longest, 3) / (6 * PetscSqrtReal(2)) : longest * longest * PetscSqrtReal(3) / 4));
  }
}

/* Creates one shape, checks the properties common to all shapes, returns its volume. */
static PetscReal MakeShape(PetscInt dim, const AbutBodySpec *spec, PetscInt cells, PetscInt vertices, PetscInt euler, PetscReal worst)
{
  const AbutMeshLocal *local;
  AbutMesh             mesh   = MakeMesh(PETSC_COMM_WORLD, dim, 1, spec, &local);
  const PetscReal      volume = TotalVolume(local);

  assert_int_equal(SumInt(local->num_cells), cells);
  assert_int_equal(local->global.cells, cells);
  assert_int_equal(SumInt(local->num_owned), vertices);
  assert_int_equal(SumInt(local->num_faces), local->global.faces);
  assert_int_equal(SumInt(local->num_edges), local->global.edges);
  assert_int_equal(SumInt(local->num_points), local->global.points);
  assert_int_equal(Euler(local), euler);
  CheckCells(local, worst);
  CheckClosed(local, volume);
  AbutTestCall(AbutMeshDestroy(&mesh));
  return volume;
}

static void Box3D(void **state)
{
  const AbutBodySpec   spec = Spec("box", ABUT_SHAPE_BOX, 2, 3, 0.5, 4, 5, 3);
  const AbutMeshLocal *local;
  AbutMesh             mesh;
  PetscReal            area = 0;

  (void)state;
  AbutTestClose("volume", 1, (PetscReal[]){MakeShape(3, &spec, 300, 120, 2, 0.02)}, (PetscReal[]){3}, 1e-13);
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  for (PetscInt f = 0; f < local->num_faces; f++) {
    PetscReal vector[3], middle[3];
    SurfaceVector(local, f, vector, middle);
    area += PetscSqrtReal(AbutDot(3, vector, vector));
  }
  AbutTestClose("area", 1, (PetscReal[]){SumReal(area)}, (PetscReal[]){2 * (6 + 1 + 1.5)}, 1e-13);
  AbutTestClose("diagonal", 1, &local->global.diagonal, (PetscReal[]){PetscSqrtReal(4 + 9 + 0.25)}, 1e-15);
  AbutTestClose("bounding box", 6, local->bodies[0].box[0], (PetscReal[]){-1, -1.5, -0.25, 1, 1.5, 0.25}, 1e-15);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* Volumes of inscribed meshes approach the ball's and the torus's with the square of the edge length. */
static void RoundShapes3D(void **state)
{
  const AbutBodySpec coarse = Spec("ball", ABUT_SHAPE_BALL, 1.5, 0, 0, 3, 0, 0), fine = Spec("ball", ABUT_SHAPE_BALL, 1.5, 0, 0, 6, 0, 0);
  const AbutBodySpec thick      = Spec("torus", ABUT_SHAPE_TORUS, 1, 0.4, 0, 2, 0, 0),
                     fine_torus = Spec("torus", ABUT_SHAPE_TORUS, 1, 0.4, 0, 4, 0, 0);
  const PetscReal ball = 4 * PETSC_PI / 3 * pow(1.5, 3), torus = 2 * PETSC_PI * PETSC_PI * 0.16;
  PetscReal       error[2];

  (void)state;
  error[0] = ball - MakeShape(3, &coarse, 540, 147, 2, 0.2);
  error[1] = ball - MakeShape(3, &fine, 4320, 923, 2, 0.2);
  assert_true(error[1] > 0 && error[1] < 0.03 * ball);
  assert_true(error[0] / error[1] > 3.5 && error[0] / error[1] < 4.5);
  /* sections: 2 round(pi major n / minor), 18 n^2 cells and 3 n (n + 1) + 1 vertices each */
  error[0] = torus - MakeShape(3, &thick, 32 * 72, 32 * 19, 0, 0.05);
  error[1] = torus - MakeShape(3, &fine_torus, 62 * 288, 62 * 61, 0, 0.05);
  assert_true(error[1] > 0 && error[1] < 0.03 * torus);
  assert_true(error[0] / error[1] > 3.3 && error[0] / error[1] < 4.7);
}

static void Cylinder3D(void **state)
{
  const AbutBodySpec spec = Spec("can", ABUT_SHAPE_CYLINDER, 2, 5, 0, 3, 7, 0);
  /* the prism over a regular polygon of 18 corners */
  const PetscReal exact = 5 * 9 * 4 * sin(PETSC_PI / 9);

  (void)state;
  AbutTestClose("volume", 1, (PetscReal[]){MakeShape(3, &spec, 3 * 54 * 7, 37 * 8, 2, 0.05)}, &exact, 1e-13);
}

static void Shapes2D(void **state)
{
  const AbutBodySpec box = Spec("box", ABUT_SHAPE_BOX, 2, 3, 0, 4, 5, 0), disc = Spec("disc", ABUT_SHAPE_BALL, 2, 0, 0, 4, 0, 0),
                     ring = Spec("ring", ABUT_SHAPE_TORUS, 2, 0.5, 0, 2, 0, 0);

  (void)state;
  /* in 2D the surface is a set of closed curves: as many vertices as edges */
  AbutTestClose("box", 1, (PetscReal[]){MakeShape(2, &box, 40, 30, 0, 0.5)}, (PetscReal[]){6}, 1e-14);
  AbutTestClose("disc", 1, (PetscReal[]){MakeShape(2, &disc, 96, 61, 0, 0.5)}, (PetscReal[]){12 * 4 * sin(PETSC_PI / 12)}, 1e-14);
  AbutTestClose("ring", 1, (PetscReal[]){MakeShape(2, &ring, 50 * 8, 50 * 5, 0, 0.3)},
                (PetscReal[]){25 * sin(PETSC_PI / 25) * (6.25 - 2.25)}, 1e-14);
}

static void ObstaclesKeepTheirSurface(void **state)
{
  const AbutMeshLocal *local;
  AbutBodySpec         specs[2] = {Spec("ball", ABUT_SHAPE_BALL, 1, 0, 0, 2, 0, 0), Spec("block", ABUT_SHAPE_BOX, 1, 1, 1, 4, 4, 4)};
  AbutMesh             mesh;

  (void)state;
  specs[1].obstacle           = PETSC_TRUE;
  specs[1].shape.translate[1] = -3;
  mesh                        = MakeMesh(PETSC_COMM_WORLD, 3, 2, specs, &local);
  assert_int_equal(local->global.cells, 160);
  assert_int_equal(local->bodies[1].vertex_end - local->bodies[1].vertex_start, 98); /* 5^3 - 3^3 */
  assert_int_equal(local->bodies[1].material, -1);
  assert_int_equal(local->global.faces, 80 + 192);
  assert_int_equal(Euler(local), 4);
  AbutTestClose("diagonal of the ball", 1, &local->global.diagonal, (PetscReal[]){PetscSqrtReal(PetscSqr(local->bodies[0].box[1][0]) * 12)},
                1e-12);
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(Box3D),
    cmocka_unit_test(RoundShapes3D),
    cmocka_unit_test(Cylinder3D),
    cmocka_unit_test(Shapes2D),
    cmocka_unit_test(ObstaclesKeepTheirSurface),
  };
  return AbutTestMain(argc, argv, tests);
}
