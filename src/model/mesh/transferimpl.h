/* Shared by the files that transfer values between two meshes of the same bodies. */
#pragma once
#include "meshimpl.h"

/* Element in whose coordinates a vertex is given. Corners beyond `num` repeat the first one, with the weight 0. */
typedef struct {
  PetscReal dist2;     /* squared distance of the vertex at rest [m^2]; PETSC_MAX_REAL: no element found */
  PetscInt  id;        /* of the element; breaks ties */
  PetscInt  num;       /* number of corners */
  PetscInt  corner[4]; /* global indices */
  PetscReal weight[4]; /* barycentric coordinates, extrapolated */
} Place;

/*
  Finds the places of all owned vertices of `to` in the elements of `from`, no farther than limit[body] away. body_of[a]: number in `to`
  of body a of `from`. Collective.
*/
PETSC_INTERN PetscErrorCode AbutTransferLocate(AbutMesh from, AbutMesh to, const PetscInt body_of[], const PetscReal limit[],
                                               Place places[]);
