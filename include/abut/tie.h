/**
  @file tie.h
  @brief Ties: surfaces of bodies that are bonded to surfaces of other bodies, with any meshes.

  At the start each point x of the first surface is tied to a place x' in the second body. x' is a weighted mean of four vertices (2D:
  three): of the closest face, and of the corner of its cell that is not on the face. So x' equals x at the start, also where the surfaces
  have a gap, and ties resist neither rigid motions nor affine deformations. Weights refer to the start and never change.

  The functions \f$ \phi_j \f$ of the vertices j of the first surface are biorthogonal to its linear functions \f$ N_k \f$ on each face,
  \f$ \int \phi_j N_k = a_j \delta_{jk} \f$, so that their sum is 1 and the mean gap at vertex j is

  \f[ c_j = \frac{1}{a_j} \int \phi_j \, (x - x') \, dA = x_j - \frac{1}{a_j} \int \phi_j \, x' \, dA. \f]

  The energy is \f$ \sum_j K_j / 2 \, |c_j|^2 \f$ [dual mortar method: Wohlmuth 2000, A mortar finite element method using dual spaces for
  the Lagrange multiplier]. A uniform stress passes a tie unchanged but for the integration: within 1e-5 if the first surface has the finer
  mesh, else within 1e-3.

  \f$ K_j = k a_j \f$, so that a uniform stress causes a uniform gap. Let d be the elastic stiffness of vertex j, or the mean of vertices
  that it is tied to if that is less; k is ABUT_TIE_STIFFNESS times the sum of d over the sum of a. A tie thus adds about 1 /
  ABUT_TIE_STIFFNESS to the elongation of the softer cells beside it.

  A gap strains with the cells beside it, but has no stress: their stress is too large by gap / height of the cells. Surfaces should touch.
**/
#pragma once
#include <abut/contact.h>
#include <abut/linalg.h>

#define ABUT_TIE_STIFFNESS 1000 /**< stiffness of a tie over the elastic stiffness of its vertices */
#define ABUT_TIES_MAX      64   /**< largest number of ties */

/** A tie. */
typedef struct {
  AbutSelectionSpec select;     /* vertices of the surface that is tied */
  AbutSelectionSpec to;         /* vertices of the surface that it is tied to */
  char              place[128]; /* "scene.yaml:12" */
} AbutTieSpec;

/** Ties between surfaces. */
typedef struct _p_AbutTies *AbutTies;

/** Result of the search for closest points; equal on all ranks. */
typedef struct {
  PetscInt  vertices; /* that are tied */
  PetscReal area;     /* tied [m^2, in 2D m] */
  PetscReal gap;      /* largest distance of a point from the surface it is tied to [m] */
  PetscReal lever;    /* mean distance, below 0 inside of the second body, over the height of its cells: error of their stress */
} AbutTieReport;

/**
  @brief Finds the closest points, and leaves contact between tied surfaces out of all later searches. Collective.
  @param[in]  mesh     borrowed
  @param[in]  contact  gets the tied vertices
  @param[in]  num      number of ties
  @param[in]  specs    [num]; not needed after the call
  @param[out] ties     to be freed with AbutTiesDestroy(); NULL if num is 0
  Errors: ABUT_ERR_INPUT, with the place of the tie: no surface, a vertex in both surfaces, a point farther than half an edge of its face
  from the second surface.
**/
PETSC_EXTERN PetscErrorCode AbutTiesCreate(AbutMesh mesh, AbutContact contact, PetscInt num, const AbutTieSpec specs[], AbutTies *ties);

/** @brief Frees the object; does nothing if *ties is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutTiesDestroy(AbutTies *ties);

/**
  @brief Sets the stiffness of the ties. Collective.
  @param[in] diagonal  [num_owned * dim] diagonal of the elastic Hessian at rest [N/m]
**/
PETSC_EXTERN PetscErrorCode AbutTiesSetStiffness(AbutTies ties, const PetscReal diagonal[]);

/** @brief Largest stiffness of a tie at a vertex of each body [num_bodies] [N/m], equal on all ranks. Collective. */
PETSC_EXTERN PetscErrorCode AbutTiesGetLargestStiffness(AbutTies ties, PetscReal stiffness[]);

/** @brief Sets the line x + t p of later energies: owned positions x and direction p, NULL: none, [num_owned * dim]. Collective. */
PETSC_EXTERN PetscErrorCode AbutTiesSetLine(AbutTies ties, const PetscReal x[], const PetscReal p[]);

/** @brief Energy at the point t of the line, this rank's share [J]. Not collective. */
PETSC_EXTERN PetscReal AbutTiesEnergy(AbutTies ties, PetscReal t);

/** @brief Makes the point t of the line the point of the gradient. Not collective. */
PETSC_EXTERN void AbutTiesSetState(AbutTies ties, PetscReal t);

/** @brief Adds `scale` times the gradient of the energy to g [num_owned * dim]. Collective. */
PETSC_EXTERN PetscErrorCode AbutTiesAddGradient(AbutTies ties, PetscReal scale, PetscReal g[]);

/** @brief Stencils of the Hessian, in global indices; borrowed. Not collective. */
PETSC_EXTERN void AbutTiesGetPattern(AbutTies ties, AbutStencilList *stencils);

/** @brief Adds `scale` times the Hessian, which is constant and positive semidefinite. Not collective. */
PETSC_EXTERN PetscErrorCode AbutTiesAddHessian(AbutTies ties, PetscReal scale, AbutAssembler assembler);

/** @brief Lowest body that ties connect a body with, itself without ties (NULL). Not collective. */
PETSC_EXTERN PetscInt AbutTiesGetFirstBody(AbutTies ties, PetscInt body);

/** @brief The report of a tie. Not collective. */
PETSC_EXTERN const AbutTieReport *AbutTiesGetReport(AbutTies ties, PetscInt tie);
