/*
  WARNING: private header of src/tools/deform. Regions of a surface that end inside faces: parts of cut faces as triangles.

  A region is a set of vertices with one AbutBorderPoint on each edge that has one end in the set. A node is a vertex, or the number of
  vertices of the surface plus the index of a border point.
*/
#pragma once
#include "deformimpl.h"

/* Triangle of a cut face. */
typedef struct {
  PetscInt  node[3]; /* counter-clockwise from outside */
  PetscReal weight;  /* 1, or 1/2 in a quadrangle: it is divided along both diagonals */
} AbutClipTriangle;

/* Border point of an edge, -1 if there is none. The points are sorted by edge. O(log num). */
PETSC_INTERN PetscInt AbutBorderFind(PetscInt num, const AbutBorderPoint border[], PetscInt edge);

/*
  Sets keep[k] for the vertices k of a face in a region: member[vertex] >= 0. Returns whether the first of them is `first`: a loop over the
  faces at all vertices of the region selects each face once.
*/
static inline PetscBool AbutFaceStartsAt(AbutDeformSurface surface, const PetscInt member[], PetscInt face, PetscInt first,
                                         PetscBool keep[3])
{
  const PetscInt *v = surface->face[face];

  for (PetscInt k = 0; k < 3; k++) keep[k] = (PetscBool)(member[v[k]] >= 0);
  return (PetscBool)(v[keep[0] ? 0 : (keep[1] ? 1 : 2)] == first);
}

/*
  Divides the part of a face next to its vertices k with keep[k] into triangles[4]; *num = 0 to 4 of them. Both diagonals of a quadrangle
  count half, so that the result is continuous where a change of diagonal would jump. Edges between a vertex that is kept and one that is
  not must have a border point.
*/
PETSC_INTERN PetscErrorCode AbutClipFace(AbutDeformSurface surface, PetscInt face, const PetscBool keep[3], PetscInt num_border,
                                         const AbutBorderPoint border[], PetscInt *num, AbutClipTriangle triangles[4]);
