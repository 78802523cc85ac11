/* Topology and geometry of surfaces against closed forms; surfaces that must be refused. */
#include "deformimpl.h"
#include "shapes.h"
#include <math.h>
#include <string.h>

static void Topology(AbutDeformSurface surface)
{
  for (PetscInt e = 0; e < surface->num_edges; e++) {
    assert_true(surface->edge[e][0] < surface->edge[e][1]);
    for (PetscInt side = 0; side < 2; side++) {
      const PetscInt f = surface->edge_face[e][side];
      PetscInt       k = 0;

      if (f < 0) continue;
      while (k < 3 && surface->face_edge[f][k] != e) k++;
      assert_in_range(k, 0, 2);
      assert_int_equal(surface->face[f][k], surface->edge[e][side]);
      assert_int_equal(surface->face[f][(k + 1) % 3], surface->edge[e][1 - side]);
    }
  }
}

static void Sphere(void **state)
{
  const PetscReal   centre[3] = {1, 2, 3};
  Shape             shape;
  AbutDeformSurface surface;
  PetscReal         area = 0;

  (void)state;
  ShapeSphere(12, 2, centre, &shape);
  ShapeSurface(&shape, "ball", &surface);
  assert_int_equal(surface->num_vertices - surface->num_edges + surface->num_faces, 2);
  assert_int_equal(surface->num_components, 1);
  assert_true(surface->closed);
  Topology(surface);
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt *v = surface->face[f];

    area += AbutTriangleArea(&surface->x[3 * v[0]], &surface->x[3 * v[1]], &surface->x[3 * v[2]]);
  }
  for (PetscInt i = 0; i < shape.num_vertices; i++) {
    for (PetscInt k = 0; k < 3; k++) assert_true(fabs(surface->normal[3 * i + k] - (shape.x[3 * i + k] - centre[k]) / 2) < 0.06);
  }
  assert_true(fabs(area / (16 * M_PI) - 1) < 0.01);
  assert_true(fabs(ShapeVolume(&shape, shape.x) / (32 * M_PI / 3) - 1) < 0.02);
  assert_true(fabs(surface->size - 4 * sqrt(3)) < 1e-12);
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  ShapeFree(&shape);
}

static void Grid(void **state)
{
  Shape             shape;
  AbutDeformSurface surface;

  (void)state;
  ShapeGrid(6, 3, 0.5, &shape);
  ShapeSurface(&shape, "plane", &surface);
  Topology(surface);
  assert_false(surface->closed);
  assert_int_equal(surface->num_edges, 3 * 36 + 12);
  for (PetscInt i = 0; i < shape.num_vertices; i++) assert_true(surface->normal[3 * i + 2] == 1);
  assert_true(fabs(surface->mean_edge - (84 * 0.5 + 36 * 0.5 * sqrt(2)) / 120) < 1e-14);
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  ShapeFree(&shape);
}

static void Refuse(PetscInt nv, PetscInt nf, const PetscInt faces[], const char text[])
{
  AbutDeformSurface surface;

  assert_int_equal(AbutDeformSurfaceCreate("skin", nv, nf, faces, &surface), ABUT_ERR_INPUT);
  if (!strstr(AbutErrorMessage(), "surface skin") || !strstr(AbutErrorMessage(), text))
    fail_msg("\"%s\" lacks \"%s\"", AbutErrorMessage(), text);
  assert_null(surface);
  AbutErrorClear();
}

static void Refusals(void **state)
{
  (void)state;
  Refuse(4, 2, (PetscInt[]){0, 1, 2, 1, 2, 4}, "triangle 1 has the vertex 4, must be in 0..3");
  Refuse(4, 2, (PetscInt[]){0, 1, 2, 1, 3, 3}, "triangle 1 has the vertex 3 twice");
  Refuse(4, 2, (PetscInt[]){0, 1, 2, 1, 2, 3}, "vertices 1 and 2 has more than two triangles, or neighbours of opposite orientation");
  Refuse(5, 3, (PetscInt[]){0, 1, 2, 1, 0, 3, 0, 1, 4}, "vertices 0 and 1 has more than two triangles");
  Refuse(4, 1, (PetscInt[]){0, 1, 2}, "the vertex 3 has no triangle");
}

static void RefusedPositions(void **state)
{
  const PetscInt    face[3]    = {0, 1, 2};
  const PetscReal   line[9]    = {0, 0, 0, 1, 1, 1, 2, 2, 2};
  const PetscReal   nowhere[9] = {0, 0, 0, 1, 0, 0, 0, NAN, 0};
  AbutDeformSurface surface;

  (void)state;
  AbutTestCall(AbutDeformSurfaceCreate("skin", 3, 1, face, &surface));
  assert_int_equal(AbutDeformSurfaceSetPositions(surface, line), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "triangle 0 has the area 0"));
  AbutErrorClear();
  assert_int_equal(AbutDeformSurfaceSetPositions(surface, nowhere), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "coordinate of the vertex 2 is not finite"));
  AbutErrorClear();
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest surfaces[] = {cmocka_unit_test(Sphere), cmocka_unit_test(Grid), cmocka_unit_test(Refusals),
                                        cmocka_unit_test(RefusedPositions)};

  return AbutTestMain(argc, argv, surfaces);
}
