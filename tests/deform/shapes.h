/* Surfaces for the tests of the deformer. */
#pragma once
#include "test.h"
#include <abut/deform.h>

/* Triangle surface as arrays; ShapeFree() frees them. */
typedef struct {
  PetscInt   num_vertices, num_faces;
  PetscReal *x;    /* [3 * num_vertices] */
  PetscInt  *face; /* [3 * num_faces] counter-clockwise from outside */
} Shape;

/* Sphere: an octahedron whose edges are divided into n parts; 4 n^2 + 2 vertices. */
void ShapeSphere(PetscInt n, PetscReal radius, const PetscReal centre[3], Shape *shape);

/* Square grid of n x n cells in the plane z = height, centred at (0, 0), normal +z. */
void ShapeGrid(PetscInt n, PetscReal width, PetscReal height, Shape *shape);

/* Box [-a, a] x [-b, b] x [-c, c] + centre: 8 vertices, 12 triangles. */
void ShapeBox(const PetscReal half[3], const PetscReal centre[3], Shape *shape);

void ShapeFree(Shape *shape);

/* Creates the surface of a shape at its positions. */
void ShapeSurface(const Shape *shape, const char name[], AbutDeformSurface *surface);

/* Volume inside a surface by the divergence theorem. */
PetscReal ShapeVolume(const Shape *shape, const PetscReal x[]);
