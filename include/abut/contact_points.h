/**
  @file contact_points.h
  @brief Contact points of pairs of tetrahedral bodies by exchangeable methods [Erleben 2018, Methodology for Assessing Mesh-Based Contact
  Point Methods], and measures of their quality.

  A method of the paper maps one pair of tetrahedra of two bodies, both with a face on the surface, to contact points. It is refused for a
  mesh with obstacles, which have no cells. A contact potential gives one contact for each pair of closest features of two bodies,
  with the contact force at unit stiffness as weight. The generator finds the pairs, evaluates each on exactly one rank, and removes
  redundant points. Its output is sorted by body, cell and feature. It is the same on any number of ranks, bit for bit. Where a vertex is
  exactly over an edge, the contact of a potential has only the vertices with weight in the closest points, so that rounding does not
  change it.

  Every method commutes with rotation, translation and scale of all bodies as long as -points_touch is larger than the rounding error of
  positions: features that tie within this distance are chosen by the order of vertices. With -points_touch 0 rounding decides. Lengths set
  with -points_erosion do not scale with the bodies, and the normals of intersection have areas as lengths.
**/
#pragma once
#include <abut/mesh.h>
#include <abut/option.h>
#include <abut/potential.h>

/** Kinds of mesh features. */
typedef enum { ABUT_FEATURE_VERTEX, ABUT_FEATURE_EDGE, ABUT_FEATURE_FACE } AbutFeatureKind;

/** A tetrahedron of a body at its current position. */
typedef struct {
  PetscReal x[4][3];   /* [m] vertices, positively oriented */
  PetscInt  vertex[4]; /* vertex ids */
  PetscInt  cell;      /* id */
  PetscInt  body;      /* index */
  unsigned  surface;   /* bit k: the face opposite to vertex k is on the surface of the body */
} AbutTetrahedron;

/** A point contact between two bodies. */
typedef struct {
  PetscReal       position[3];  /* [m] */
  PetscReal       normal[3];    /* unit vector: direction of the force on body[1] */
  PetscReal       length;       /* of the normal before it was normalised; only intersection has normals of another length than 1 */
  PetscReal       separation;   /* [m] along the normal; negative: the bodies penetrate */
  PetscReal       weight;       /* contact force of a potential over its stiffness; 1 for the methods of the paper */
  PetscInt        body[2];      /* body[0] < body[1] */
  PetscInt        cell[2];      /* ids; -1 for barrier potentials */
  AbutFeatureKind feature[2];   /* kinds of the features of the two bodies that define the point */
  PetscInt        vertex[2][3]; /* vertex ids of these features, -1 beyond their number */
} AbutPointContact;

/** Growable list of point contacts. Initialise with zeros; free with PetscFree(contacts.a). */
typedef struct {
  PetscInt          n, capacity; /* used and allocated entries */
  AbutPointContact *a;           /* [n] */
} AbutPointContacts;

/** Generator of point contacts of the bodies of one mesh by one method. */
typedef struct _p_AbutContactPoints *AbutContactPoints;

/** @brief Name of method i: the methods of the paper, then AbutPotentialNames; NULL after the last. Not collective. */
PETSC_EXTERN const char *AbutContactPointMethodName(PetscInt i);

/**
  @brief Creates a generator. Collective.
  @param[in]  mesh    borrowed; three-dimensional; must outlive the generator
  @param[in]  method  a name of AbutContactPointMethodName(); copied
  @param[out] points  NULL after an error
  Errors: ABUT_ERR_INPUT if there is no such method, if the mesh is not three-dimensional, or if it has an obstacle and the method is not a
  contact potential.
**/
PETSC_EXTERN PetscErrorCode AbutContactPointsCreate(AbutMesh mesh, const char method[], AbutContactPoints *points);

/** @brief Frees the generator; does nothing if *points is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutContactPointsDestroy(AbutContactPoints *points);

/**
  @brief Sets tolerances from the options database (-points_...); -help lists them. Collective. Errors: ABUT_ERR_INPUT if a value is out of
  its range.
**/
PETSC_EXTERN PetscErrorCode AbutContactPointsSetFromOptions(AbutContactPoints points);

/**
  @brief Sets the parameters of a contact potential; other methods ignore them. Default: alpha 1/2, beta 0. Logically collective.
  @param[in] spec  copied; AbutContactPointsFind() raises ABUT_ERR_INPUT if a value is out of its range
**/
PETSC_EXTERN PetscErrorCode AbutContactPointsSetPotentialSpec(AbutContactPoints points, const AbutPotentialSpec *spec);

/**
  @brief Finds the point contacts of all pairs of bodies. Collective.
  @param[in]  x         local positions [num_local * 3], ghosts current [m]
  @param[out] found  on every rank the contacts of all ranks, after the post-filter, sorted by bodies, cells and features; borrowed, valid
                     until the next call
  Errors: ABUT_ERR_INPUT if a coordinate is not finite or a cell is inverted; ABUT_ERR_INTERSECTION if a barrier potential is infinite.
**/
PETSC_EXTERN PetscErrorCode AbutContactPointsFind(AbutContactPoints points, const PetscReal x[], const AbutPointContacts **found);

/* Options: the program checks the command line by this table */

PETSC_EXTERN const AbutOptionTable AbutContactPointsOptions; /**< Contact points */
