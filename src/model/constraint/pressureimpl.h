/* Private to src/model/constraint: surfaces with pressure. */
#pragma once
#include "constraintimpl.h"
#include <abut/pressure.h>

/* Surface of a load: faces of this rank, and the part of its border that belongs to them. */
typedef struct {
  const AbutLoadSpec *spec;
  PetscInt            num, *face;          /* [num * dim] local vertices */
  PetscInt            num_border, *border; /* [num_border * (dim - 1)] local vertices, in 3D in the order of their face */
  PetscInt           *sign;                /* [num_border] 2D: 1 for the first vertex of its edge, -1 for the second */
  PetscBool           open;                /* some rank has a border */
  PetscReal           origin[3];           /* of the determinants: centre of the surface at the start [m] */
  PetscReal           start_volume;        /* of a gas at the start; otherwise measured from the origin [m^3, in 2D m^2] */
  PetscReal           offset;              /* volume minus the sum of the determinants */
  PetscReal           factor;              /* of the pressure in the step */
  PetscReal           ambient;             /* pressure on the other side in the step [Pa] */
} Surface;

struct _p_AbutPressures {
  MPI_Comm             comm;
  AbutMesh             mesh;
  const AbutMeshLocal *ml;
  PetscInt             num, num_gases;
  Surface             *surface;                                /* [num] */
  AbutPressureReport  *report;                                 /* [num] at the state */
  PetscReal           *volume, *trial;                         /* [num] at the state, at a trial point */
  PetscReal           *x, *gradient;                           /* [num_local * dim] positions of the state; work space */
  PetscReal           *anchor;                                 /* [num_local * dim] places to which borders are closed [m] */
  PetscReal           *prescribed;                             /* [num_local * dim] 1 for prescribed unknowns in the step */
  PetscInt             num_stencils, *stencil_start, *stencil; /* faces of all surfaces in global indices */
};

/* pressure.c: this rank's share of the sum of the determinants. Not collective. */
PETSC_INTERN PetscReal AbutSurfaceVolume(AbutPressures pressures, const Surface *surface, const PetscReal x[]);
