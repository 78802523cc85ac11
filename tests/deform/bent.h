/* A skinned capsule that bends until its halves collide, for the tests of regions. */
#pragma once
#include "shapes.h"

typedef struct {
  Shape      rest;   /* capsule along x: radius 0.5, cylinder of length 4 */
  PetscReal *x;      /* [3 * num_vertices] bent positions */
  PetscReal *region; /* [num_vertices] region map: 0 for x <= -0.7, 1 for x >= 0.7 at rest, between them where both share a vertex */
} Bent;

/* n: divisions of an octant. The half x > 0 turns by `angle` about y; linear blend skinning passes over -0.5 < x < 0.5. */
void BentCreate(PetscInt n, PetscReal angle, Bent *bent);

/* The capsule along a circle of the given radius, so that its ends meet, with three regions: 0 and 2 at the ends share no vertices. */
void BentRing(PetscInt n, PetscReal radius, Bent *bent);

/*
  Sets the regions of a surface by the map: an integer is one region, a number between two integers means both. `number` [regions] renumbers
  them, NULL keeps them.
*/
PetscErrorCode BentSetRegions(const Bent *bent, const PetscInt number[], AbutDeformSurface surface);

void BentFree(Bent *bent);
