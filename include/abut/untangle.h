/**
  @file untangle.h
  @brief Moves bodies that intersect at the start of a scene apart: surfaces to a contact surface, a gap between them, the rest by an
  elastic solve.

  The surfaces are few compared with the cells, so every rank has all of them, and all ranks compute the same positions. The cells stay
  distributed.

  Surfaces have dimension dim - 1: triangles in 3D, oriented edges with the body on their left in 2D. Positions are in metres, vertex by
  vertex.
**/
#pragma once
#include <abut/contact.h>
#include <abut/elastic.h>

/* ---- Progress */

/** Lines about the progress on standard output, and a time limit. Set by AbutUntangleWatchStart(). */
typedef struct {
  MPI_Comm       comm;    /* ranks of the program; rank 0 prints */
  PetscBool      prints;  /* a line every few seconds */
  PetscReal      minutes; /* wall-clock limit [min]; 0: none */
  PetscLogDouble start;   /* [s] */
  PetscLogDouble said;    /* time of the last line [s] */
} AbutUntangleWatch;

/** @brief Starts the clock. Not collective. The parameters are the members of AbutUntangleWatch. */
PETSC_EXTERN PetscErrorCode AbutUntangleWatchStart(MPI_Comm comm, PetscBool prints, PetscReal minutes, AbutUntangleWatch *watch);

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
  @param[in]     hold        stiffness of springs from surface vertices to their positions at the start, over the diagonal of the elastic
                             Hessian at rest. With springs, a body stays in place rather than to turn about the few vertices that are
                             prescribed. 0: none
  @param[in]     watch       progress and time limit, ABUT_ERR_STOPPED when that is reached; NULL: neither
  @param[in,out] x           [num_owned * dim] positions without inverted cells [m]; need not be the rest positions
  @param[out]    report      outcome
**/
PETSC_EXTERN PetscErrorCode AbutUntangleFollow(AbutMesh mesh, AbutElastic elastic, const PetscReal target[], const PetscBool prescribed[],
                                               PetscReal hold, AbutUntangleWatch *watch, PetscReal x[], AbutUntangleFollowReport *report);

/* ---- All */

/** Bodies of a scene that may intersect; borrowed. */
typedef struct {
  AbutMesh                mesh;          /* bodies and obstacles, at AbutMeshGetStart() */
  PetscInt                num_materials; /* length of materials */
  const AbutMaterialSpec *materials;     /* [num_materials] by AbutBody.material; the moduli are used with neo-Hookean cells */
  PetscInt                num_planes;    /* half spaces */
  const AbutPlaneSpec    *planes;        /* [num_planes] */
  AbutContact             contact;       /* knows the surfaces that are tied to each other, which may touch; NULL: none */
  AbutUntangleWatch      *watch;         /* NULL: no progress, no time limit; not read by AbutUntangleShrink() */
} AbutUntangleParts;

/** Change of one body. */
typedef struct {
  PetscInt  num_moved;     /* vertices that moved, interior ones included */
  PetscReal displacement;  /* largest displacement from the start [m] */
  PetscReal whole;         /* length of the displacement of the body as a whole, contained in that [m] */
  PetscReal volume;        /* at rest [m^3]; 2D: area [m^2] */
  PetscReal volume_change; /* against the rest shape [m^3; 2D: m^2] */
  PetscReal smallest_det;  /* smallest determinant of the deformation gradient of its cells */
} AbutUntangleBodyReport;

/** Two bodies that intersected. */
typedef struct {
  PetscInt  party[2];  /* bodies or obstacles [0, num_bodies), then planes */
  PetscInt  crossings; /* edges that crossed faces (2D: edges) when the pair was found; vertices behind a plane */
  PetscReal depth;     /* largest penetration along the direction of the pair [m]; 0 if the bodies only touched */
} AbutUntanglePairReport;

/** What AbutUntangle() did, the same on every rank. */
typedef struct {
  PetscReal                gap;       /* smallest distance of two bodies that was required [m] */
  PetscInt                 passes;    /* over the surfaces */
  PetscInt                 num_pairs; /* pairs that intersected at the start or after a pass */
  AbutUntanglePairReport  *pairs;     /* [num_pairs] */
  AbutUntangleBodyReport  *bodies;    /* [num_bodies of the mesh] */
  AbutUntangleFollowReport follow;    /* elastic solves of all bodies: counts are sums, fraction and smallest_det the smallest */
} AbutUntangleReport;

/**
  @brief Moves bodies that intersect or are closer than a gap apart. Collective.

  Passes over the surfaces are repeated until they have no intersection and every two bodies, and every body and plane, are at least
  -abut_resolve_gap times dhat apart. Then the cells follow the surfaces. Bodies whose cells cannot follow, or whose surfaces do not come
  apart, move apart as wholes first: half of the way, then all of it.
  Options: AbutUntangleOptions, AbutUntangleFollowOptions.
  Errors, the same on all ranks, with names and a vertex: ABUT_ERR_DIVERGED if a body intersects itself, is wholly inside another or
  behind a plane, if the passes do not separate a pair, or if the cells cannot follow without inversion;
  ABUT_ERR_INPUT if an obstacle of segments or points intersects a body, or if a cell is inverted at the start; ABUT_ERR_STOPPED at the
  time limit. *report can then be destroyed only.
  @param[in]  parts   bodies
  @param[in]  dhat    activation distance of contact [m], > 0: the unit of -abut_resolve_gap
  @param[out] x       [num_owned * dim] positions [m]
  @param[out] report  AbutUntangleReportDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutUntangle(const AbutUntangleParts *parts, PetscReal dhat, PetscReal x[], AbutUntangleReport *report);

/** @brief Frees the arrays of a report. Not collective. */
PETSC_EXTERN PetscErrorCode AbutUntangleReportDestroy(AbutUntangleReport *report);

/* ---- Small intersections */

/** Outcome of AbutUntangleShrink(), the same on every rank. */
typedef struct {
  PetscInt  crossings;    /* intersections at the start */
  PetscInt  left;         /* intersections that remain; 0: success */
  PetscInt  passes;       /* passes that moved surface vertices */
  PetscInt  num_moved;    /* surface vertices that moved */
  PetscReal displacement; /* largest displacement of a surface vertex [m] */
  PetscReal follow;       /* part of the way of the surface that the cells followed: 1 unless they would invert */
} AbutUntangleShrinkReport;

/**
  @brief Moves surface vertices of bodies inwards until no surfaces intersect. Collective.

  For overlaps that are small against the cells, also of a body with itself, as they arise when a state is interpolated to a mesh. Each
  pass checks exactly and moves the vertices of intersecting elements against their normals, by 0.25 dhat, then by
  twice the displacement so far, at most by -abut_shrink_most mean surface edges. Neighbours move half as far. Then all move back by
  bisection as far as no intersection arises. If cells become flat, the vertices inside of the body near the surface follow by
  AbutUntangleFollow(); other vertices stay bit for bit.
  If intersections remain, or if cells would invert, x is unchanged, and the report says so: that is no error.
  @param[in]     parts    mesh and materials; start positions and planes are not read
  @param[in]     contact  of the mesh, half spaces set by AbutContactSetPlanes()
  @param[in]     dhat     activation distance of contact [m]: the unit of the first displacement
  @param[in,out] x        [num_owned * dim] positions [m]
  @param[out]    report   outcome
**/
PETSC_EXTERN PetscErrorCode AbutUntangleShrink(const AbutUntangleParts *parts, AbutContact contact, PetscReal dhat, PetscReal x[],
                                               AbutUntangleShrinkReport *report);

/* ---- Numeric options */

/** Constants of `abut deform -resolve`; see AbutUntangleOptions for defaults and units. */
typedef struct {
  PetscReal gap; /* smallest distance between two bodies afterwards, over dhat */
} AbutUntangleConstants;

/** Defaults, ranges and help of AbutUntangleConstants. */
PETSC_EXTERN const AbutOptionTable AbutUntangleOptions;

PETSC_EXTERN const AbutOptionTable AbutUntangleFollowOptions; /**< Steps and tolerances of AbutUntangleFollow() */

PETSC_EXTERN const AbutOptionTable AbutUntangleShrinkOptions; /**< Displacements of AbutUntangleShrink() */
