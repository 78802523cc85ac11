/* Shared by the files that transfer values between two meshes of the same bodies. */
#pragma once
#include "meshimpl.h"

/* Element in whose coordinates a vertex is given. Vertices beyond `nodes` repeat the first one, with the weight 0. */
typedef struct {
  PetscReal dist2;                  /* squared distance of the vertex at rest [m^2]; PETSC_MAX_REAL: no element found */
  PetscInt  id;                     /* of the element; breaks ties */
  PetscInt  num;                    /* number of corners */
  PetscInt  nodes;                  /* number of vertices: corners, and vertices on the edges of a quadratic cell */
  PetscInt  node[ABUT_MAX_NODES];   /* global indices */
  PetscReal weight[ABUT_MAX_NODES]; /* of a linear element barycentric coordinates, else AbutQuadraticShape(); extrapolated */
} Place;

/*
  Weights of the vertices x [(dim + 1 + edges) * dim] of a quadratic cell at the point p, extrapolated linearly from a near point of the
  cell if p is outside, and the squared distance of this point; 0 inside. PETSC_FALSE if the Jacobian is not positive. Not collective.
*/
PETSC_INTERN PetscBool AbutPlaceInQuadratic(PetscInt dim, const PetscReal x[], const PetscReal p[], PetscReal weight[], PetscReal *dist2);

/*
  Finds the places of points [num_owned * dim], one for each owned vertex of `to`, in the elements of `from`, no farther than limit[body]
  away. body_of[a]: number in `to` of body a of `from`. Collective.
*/
PETSC_INTERN PetscErrorCode AbutTransferLocate(AbutMesh from, AbutMesh to, const PetscInt body_of[], const PetscReal limit[],
                                               const PetscReal points[], Place places[]);
