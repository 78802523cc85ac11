/* Private to src/tools/untangle. */
#pragma once
#include <abut/dense.h>
#include <abut/untangle.h>

/* Constants of AbutUntangleFollow(); see AbutUntangleFollowOptions. */
typedef struct {
  PetscInt alone; /* most vertices of a body that one rank solves alone */
} FollowConstants;

/*
  watch.c: prints a line if the last one is some seconds old. ABUT_ERR_STOPPED, with the line as the reason, if the time is over. Collective
  on comm, ranks of watch->comm that compute together. watch: NULL is allowed.
*/
PETSC_INTERN PetscErrorCode WatchLook(MPI_Comm comm, AbutUntangleWatch *watch, const char *format, ...);

/* bodies.c: elastic energy of these materials with neo-Hookean cells, which cannot invert. Collective. */
PETSC_INTERN PetscErrorCode CellsCreateElastic(AbutMesh mesh, PetscInt num_materials, const AbutMaterialSpec given[], AbutElastic *elastic);

/*
  Number of the cells of this rank that are inverted at the local positions x. Sets the smallest determinant of the deformation gradient
  against the rest shape (infinity without cells), and its cell (-1).
*/
PETSC_INTERN PetscInt CellsInverted(const AbutMeshLocal *mesh, const PetscReal x[], PetscReal *smallest, PetscInt *cell);

/* Bodies whose volumes follow their surfaces; borrowed. */
typedef struct {
  AbutMesh                mesh;
  PetscInt                num_materials;
  const AbutMaterialSpec *materials;  /* [num_materials] their moduli are used with neo-Hookean cells */
  const PetscReal        *target;     /* [num_owned * dim] of prescribed vertices [m] */
  const PetscBool        *prescribed; /* [num_owned] */
  AbutUntangleWatch      *watch;      /* NULL is allowed */
} BodiesParts;

/*
  Runs AbutUntangleFollow() on each body with solve[body] by itself; the other bodies stay at x. Results do not depend on the number of
  ranks, except for bodies with more vertices than -abut_follow_alone, which agree to the tolerance. Collective.

  x [num_owned * dim]: on return, for each body that was solved, its last positions without inversion.

  reports [num_bodies]: set for the bodies that were solved. `body` and `cell` are numbers of `mesh`. Bodies that are solved together
  reach their targets together or not at all: `body` is then the one that blocks the others, and smallest_det is finite in the report of
  this body only.
*/
PETSC_INTERN PetscErrorCode BodiesFollow(const BodiesParts *parts, const PetscBool solve[], PetscReal x[],
                                         AbutUntangleFollowReport reports[]);
