#include "shapes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void Allocate(PetscInt nv, PetscInt nf, Shape *shape)
{
  *shape = (Shape){.num_vertices = nv,
                   .num_faces    = nf,
                   .x            = malloc(3 * (size_t)nv * sizeof(PetscReal)),
                   .face         = malloc(3 * (size_t)nf * sizeof(PetscInt))};
  assert_non_null(shape->x);
  assert_non_null(shape->face);
}

/*
  Vertices of the sphere are the integer points with |i| + |j| + |k| = n. The lower half of the octahedron has the layers k = -n to -1, the
  upper half k = 0 to n: their numbers come from a table of the plane (i, j).
*/
static PetscInt SphereVertex(PetscInt n, const PetscInt *table, const PetscInt p[3])
{
  return table[((p[2] < 0 ? 1 : 0) * (2 * n + 1) + p[1] + n) * (2 * n + 1) + p[0] + n];
}

static void SphereVertices(PetscInt n, PetscReal radius, const PetscReal centre[3], PetscInt *table, Shape *shape)
{
  PetscInt v = 0;

  for (PetscInt lower = 0; lower < 2; lower++) {
    for (PetscInt j = -n; j <= n; j++) {
      for (PetscInt i = -n; i <= n; i++) {
        const PetscInt k    = (n - abs((int)i) - abs((int)j)) * (lower ? -1 : 1);
        const double   norm = sqrt((double)(i * i + j * j + k * k));
        PetscInt      *at   = &table[(lower * (2 * n + 1) + j + n) * (2 * n + 1) + i + n];

        *at = -1;
        if (abs((int)i) + abs((int)j) > n || (lower && !k)) continue;
        *at                 = v;
        shape->x[3 * v]     = centre[0] + radius * (double)i / norm;
        shape->x[3 * v + 1] = centre[1] + radius * (double)j / norm;
        shape->x[3 * v + 2] = centre[2] + radius * (double)k / norm;
        v++;
      }
    }
  }
  assert_int_equal(v, shape->num_vertices);
}

/* Triangle of barycentric integers in the octant with the signs s; its corners are turned so that the normal points outwards. */
static void SphereFace(PetscInt n, const PetscInt *table, const PetscInt s[3], PetscInt p[3][3], PetscInt face[3])
{
  for (PetscInt c = 0; c < 3; c++) {
    for (PetscInt k = 0; k < 3; k++) p[c][k] *= s[k];
    face[c] = SphereVertex(n, table, p[c]);
  }
  if (s[0] * s[1] * s[2] < 0) {
    const PetscInt swap = face[1];

    face[1] = face[2];
    face[2] = swap;
  }
}

void ShapeSphere(PetscInt n, PetscReal radius, const PetscReal centre[3], Shape *shape)
{
  PetscInt *table = malloc(2 * (size_t)((2 * n + 1) * (2 * n + 1)) * sizeof(PetscInt)), f = 0;

  Allocate(4 * n * n + 2, 8 * n * n, shape);
  SphereVertices(n, radius, centre, table, shape);
  for (PetscInt octant = 0; octant < 8; octant++) {
    const PetscInt s[3] = {octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1};

    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = 0; i + j < n; j++) {
        PetscInt up[3][3]   = {{i + 1, j, n - i - j - 1}, {i, j + 1, n - i - j - 1}, {i, j, n - i - j}};
        PetscInt down[3][3] = {{i + 1, j, n - i - j - 1}, {i + 1, j + 1, n - i - j - 2}, {i, j + 1, n - i - j - 1}};

        SphereFace(n, table, s, up, &shape->face[3 * f++]);
        if (i + j + 1 < n) SphereFace(n, table, s, down, &shape->face[3 * f++]);
      }
    }
  }
  assert_int_equal(f, shape->num_faces);
  free(table);
}

void ShapeGrid(PetscInt n, PetscReal width, PetscReal height, Shape *shape)
{
  PetscInt f = 0;

  Allocate((n + 1) * (n + 1), 2 * n * n, shape);
  for (PetscInt j = 0; j <= n; j++) {
    for (PetscInt i = 0; i <= n; i++) {
      PetscReal *x = &shape->x[3 * (j * (n + 1) + i)];

      x[0] = width * ((PetscReal)i / (PetscReal)n - 0.5);
      x[1] = width * ((PetscReal)j / (PetscReal)n - 0.5);
      x[2] = height;
    }
  }
  for (PetscInt j = 0; j < n; j++) {
    for (PetscInt i = 0; i < n; i++) {
      const PetscInt a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      const PetscInt cell[2][2][3] = {{{a, b, d}, {a, d, c}}, {{a, b, c}, {b, d, c}}};

      memcpy(&shape->face[3 * f], cell[(i + j) % 2], 6 * sizeof(PetscInt));
      f += 2;
    }
  }
}

void ShapeBox(const PetscReal half[3], const PetscReal centre[3], Shape *shape)
{
  static const PetscInt faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                        {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

  Allocate(8, 12, shape);
  for (PetscInt v = 0; v < 8; v++)
    for (PetscInt k = 0; k < 3; k++) shape->x[3 * v + k] = centre[k] + (v >> k & 1 ? half[k] : -half[k]);
  memcpy(shape->face, faces, sizeof(faces));
}

void ShapeFree(Shape *shape)
{
  free(shape->x);
  free(shape->face);
}

void ShapeSurface(const Shape *shape, const char name[], AbutDeformSurface *surface)
{
  AbutTestCall(AbutDeformSurfaceCreate(name, shape->num_vertices, shape->num_faces, shape->face, surface));
  AbutTestCall(AbutDeformSurfaceSetPositions(*surface, shape->x));
}

PetscReal ShapeVolume(const Shape *shape, const PetscReal x[])
{
  PetscReal sum = 0;

  for (PetscInt f = 0; f < shape->num_faces; f++) {
    const PetscReal *a = &x[3 * shape->face[3 * f]], *b = &x[3 * shape->face[3 * f + 1]], *c = &x[3 * shape->face[3 * f + 2]];

    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}
