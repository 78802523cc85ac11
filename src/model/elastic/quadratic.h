/* Private to src/model/elastic: quadratic cells. */
#pragma once
#include "elasticimpl.h"

#define ABUT_MAX_POINTS 8 /* of a quadratic cell */

/* Nodes of a quadratic cell. */
static inline PetscInt AbutNodes(PetscInt dim)
{
  return dim == 3 ? 10 : 6;
}

/* Whether quadratic cell i has the rule of higher degree. */
static inline PetscBool AbutIsCurved(AbutElastic el, PetscInt i)
{
  return (PetscBool)(i >= el->quadratic.num_straight);
}

/* Points of quadratic cell i, and the first of them among the points of all cells. */
static inline PetscInt AbutPoints(AbutElastic el, PetscInt i)
{
  return el->local->dim == 2 ? 3 : AbutIsCurved(el, i) ? 8 : 4;
}
static inline PetscInt AbutFirstPoint(AbutElastic el, PetscInt i)
{
  return el->local->dim == 2 ? 3 * i : 4 * (i + PetscMax(i - el->quadratic.num_straight, 0));
}
/* Points of any cell. */
static inline PetscInt AbutPointsOfCell(AbutElastic el, PetscInt c)
{
  return AbutCellIsQuadratic(el->local, c) ? AbutPoints(el, el->quadratic.index[c]) : 1;
}
/* Largest number of points of a cell of the mesh. */
static inline PetscInt AbutPointsOfRow(AbutElastic el)
{
  return !el->local->middles ? 1 : el->local->dim == 3 ? ABUT_MAX_POINTS : 3;
}

/* Barycentric coordinates of point q of cell c; the last dim + 1 points of a quadratic cell are each near a corner, in their order. */
PETSC_INTERN void AbutPointCoordinates(AbutElastic el, PetscInt c, PetscInt q, PetscReal l[4]);

/*
  A linear field in cell c from values at its points: through as many points as it has corners, of a curved tetrahedron the outer ones; in a
  linear cell constant. AbutFieldPoint(): the first of these points; share[b]: share of point b, counted from there, in the value at
  corner a.
*/
static inline PetscInt AbutFieldPoint(AbutElastic el, PetscInt c)
{
  return PetscMax(AbutPointsOfCell(el, c) - el->local->dim - 1, 0);
}
PETSC_INTERN void AbutFieldShares(AbutElastic el, PetscInt c, PetscInt a, PetscReal share[4]);

/* Cauchy stress at the corners of cell c with its viscoelastic branches; in a quadratic cell the linear field from its points. */
PETSC_INTERN void AbutElasticCornerStress(AbutElastic el, PetscInt c, const PetscReal x[], PetscReal corner[4][6]);

/* Derivatives of the shape functions of quadratic cell i at its point q by xi: [nodes - 1][dim], of all nodes but the first. */
static inline const PetscReal *AbutPointDerivatives(AbutElastic el, PetscInt i, PetscInt q)
{
  return el->quadratic.derivatives[AbutIsCurved(el, i)] + el->local->dim * (AbutNodes(el->local->dim) - 1) * q;
}

/* dX/dxi at point q of quadratic cell i at positions x: entry kl is dX_k/dxi_l. */
PETSC_INTERN void AbutQuadraticJacobian(AbutElastic el, PetscInt i, PetscInt q, const PetscReal x[], PetscReal J[]);

/* Smallest Jacobian of quadratic cell c at its corners. */
PETSC_INTERN PetscReal AbutQuadraticSmallestCorner(const AbutMeshLocal *local, PetscInt c, const PetscReal x[]);

/* Whether the Jacobian of quadratic cell c is positive in the whole cell; false also where a bound does not prove it. */
PETSC_INTERN PetscBool AbutQuadraticIsPositive(const AbutMeshLocal *local, PetscInt c, const PetscReal x[]);

/* Finds the quadratic cells and computes their points; ABUT_ERR_INPUT if one is inverted at rest. Not collective. */
PETSC_INTERN PetscErrorCode AbutQuadraticCreate(AbutElastic el);
PETSC_INTERN PetscErrorCode AbutQuadraticDestroy(AbutElastic el);

/*
  Of point q of quadratic cell i: F [dim x dim] from AbutQuadratic.inverse, or its elastic part from elastic_inverse; derivatives of the
  shape functions of all nodes but the first, g[(nodes - 1) * dim].
*/
PETSC_INTERN void AbutQuadraticDeformation(AbutElastic el, const PetscReal inverse[], PetscInt i, PetscInt q, const PetscReal x[],
                                           PetscReal F[]);
PETSC_INTERN void AbutQuadraticGradients(AbutElastic el, PetscInt i, PetscInt q, PetscReal g[]);

/* f_a += scale P grad N_a for the nodes a of quadratic cell i, at its point q. */
PETSC_INTERN void AbutQuadraticAddForces(AbutElastic el, PetscInt i, PetscInt q, PetscReal scale, const PetscReal P[], PetscReal f[]);

/*
  Shares of the vertices in the mass of a cell: integrals of their shape functions, so that a constant acceleration has the forces of the
  exact integral. With nodes on the edges as unknowns the corners of a tetrahedron would have negative shares. Curved cells have the shares
  of straight ones: their own integrals can be negative. The mass is exact, its centroid differs by O(h^2).
*/
PETSC_INTERN void AbutQuadraticMass(PetscInt dim, PetscReal share[]);

/* The functions of elastic.h for the active quadratic cells. */
PETSC_INTERN PetscReal AbutQuadraticEnergy(AbutElastic el, const PetscReal x[]);
PETSC_INTERN void      AbutQuadraticAddGradient(AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[]);
PETSC_INTERN void      AbutQuadraticAddHessian(AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection,
                                               AbutAssembler as);

/* AbutElasticAddBatch() for quadratic cells; H has the blocks on and above the diagonal. */
PETSC_INTERN void AbutQuadraticAddBatch(PetscInt dim, PetscInt count, const PetscInt cells[], AbutSimd H[], AbutAssembler as);

/* Measure of the change of volume and its derivative d[dim * dim]. */
PETSC_INTERN PetscReal AbutVolumeOf(AbutVolumeMeasure measure, PetscInt dim, const PetscReal F[], PetscReal d[]);

/* F and first Piola-Kirchhoff stresses P at the points of quadratic cell i, as matrices of 3 x 3, in 2D of diag(F, 1). */
PETSC_INTERN void AbutQuadraticStresses(AbutElastic el, PetscInt i, const PetscReal x[], PetscReal F[], PetscReal P[]);
