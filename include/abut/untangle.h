/**
  @file untangle.h
  @brief Moves bodies that intersect at the start of a scene apart: surfaces into contact by the geometric contact deformer, a gap between
  them, the volume by an elastic solve.

  The surfaces are few compared with the cells, so every rank has all of them, and all ranks compute the same positions. The cells stay
  distributed.

  Surfaces have dimension dim - 1: triangles in 3D, oriented edges with the body on their left in 2D. Positions are in metres, vertex by
  vertex.
**/
#pragma once
#include <abut/contact.h>
#include <abut/deform.h>
#include <abut/elastic.h>

/* ---- Surfaces */

/** Surface of a body or obstacle, whole on every rank. The arrays are borrowed. */
typedef struct {
  const char      *name;         /* for messages */
  PetscInt         num_vertices; /* surface vertices */
  PetscInt         num_elements; /* triangles; 2D: edges */
  const PetscInt  *elements;     /* [dim * num_elements] vertices, counter-clockwise seen from outside; 2D: body on the left */
  PetscReal        stiffness;    /* Young's modulus [Pa]; 0 for an obstacle, which is rigid */
  const PetscReal *x;            /* [dim * num_vertices] positions [m] */
} AbutUntangleSurface;

/** Two surfaces that may intersect. */
typedef struct {
  PetscInt surface[2]; /* numbers of the surfaces */
} AbutUntanglePair;

/**
  @brief Contact deformer in 2D: curves that intersect become curves in contact. Not collective: every rank that calls it with the same
  curves computes the same result.

  The method follows deform.h with curves instead of surfaces. Each part of the plane that two bodies share is a contact: mapping direction
  by eq. 2, shared curve S at the fraction of the stiffnesses, vertices in the other body move onto S. Beside its contacts a closed curve
  bulges, within the extent, so that its area is kept.
  Errors: ABUT_ERR_DIVERGED with the pair, the reason and a vertex if a curve passes through the other one as a whole, ends inside the other
  body, or intersects itself.
  @param[in]  num_surfaces  length of surfaces
  @param[in]  surfaces      [num_surfaces] curves; a stiffness of 0 is rigid
  @param[in]  num_pairs     length of pairs
  @param[in]  pairs         [num_pairs]
  @param[in]  extent        [num_surfaces] distance from the contact at which the deformation ends [m]
  @param[out] y             [num_surfaces] displaced positions of each curve [2 * num_vertices]
  @param[out] contact       [num_surfaces] number of the pair with which each vertex of a curve moves, -1 for none [num_vertices]
  @param[out] reports       [num_pairs] as AbutDeformerGetReports() returns them; direction: of the deepest contact; threshold,
                            zone_mismatch and third components are 0
**/
PETSC_EXTERN PetscErrorCode AbutUntangleCurves(PetscInt num_surfaces, const AbutUntangleSurface surfaces[], PetscInt num_pairs,
                                               const AbutUntanglePair pairs[], const PetscReal extent[], PetscReal *const y[],
                                               PetscInt *const contact[], AbutDeformPairReport reports[]);

/* ---- Volume */

/** Outcome of AbutUntangleFollow(), the same on every rank. */
typedef struct {
  PetscBool reached;      /* all prescribed vertices are at their targets */
  PetscReal fraction;     /* of the way to the targets that is completed, 1 if reached */
  PetscInt  increments;   /* increments of the prescribed vertices */
  PetscInt  iterations;   /* Newton iterations */
  PetscReal smallest_det; /* smallest determinant of the deformation gradient against the rest shape over all cells */
  PetscInt  cell, body;   /* cell with that determinant: its id and its body. If not reached, the cell that limits the increments */
} AbutUntangleFollowReport;

/**
  @brief Moves prescribed vertices to their targets and minimises the elastic energy over the other vertices. Collective.

  The prescribed vertices move in increments; no cell inverts on the way. On success prescribed vertices are at their targets bit for bit,
  and the other vertices in equilibrium with them: residual forces are small against the elastic forces (see the options).
  If the targets cannot be reached without an inversion, x is the last state without one, and report->reached is false: that is no error.
  @param[in]     mesh        the mesh, 2D or 3D
  @param[in]     elastic     elastic energy of the mesh; all materials are barrier materials (AbutMaterialOps.barrier), so that their
                             energy forbids inversion
  @param[in]     target      [num_owned * dim] targets of prescribed vertices [m]; others are ignored
  @param[in]     prescribed  [num_owned] vertices that move to their targets. Vertices of obstacles whose entry is false
                             stay at x
  @param[in,out] x           [num_owned * dim] positions without inverted cells [m]; need not be the rest positions
  @param[out]    report      outcome
**/
PETSC_EXTERN PetscErrorCode AbutUntangleFollow(AbutMesh mesh, AbutElastic elastic, const PetscReal target[], const PetscBool prescribed[],
                                               PetscReal x[], AbutUntangleFollowReport *report);

/* ---- Numeric options */

/** Constants of `abut deform -resolve`; see AbutUntangleOptions for defaults and units. */
typedef struct {
  PetscReal gap;        /* smallest distance between two bodies afterwards, over dhat */
  PetscReal tau;        /* AbutDeformPairControl.tau: smaller values give larger contact zones */
  PetscInt  max_passes; /* passes of the deformer: surfaces that it moves can meet further bodies */
} AbutUntangleConstants;

/** Defaults, ranges and help of AbutUntangleConstants. */
PETSC_EXTERN const AbutOptionTable AbutUntangleOptions;

PETSC_EXTERN const AbutOptionTable AbutUntangleFollowOptions; /**< Steps and tolerances of AbutUntangleFollow() */
