/**
  @file geom.h
  @brief Pure geometry: closest features, squared distances with derivatives, conservative continuous collision detection, exact
  predicates. No mesh, no MPI, no allocation: numbers in, numbers out; thread-safe.

  Points are arrays of `dim` reals, a stencil is its points one after the other (vertex-major): x[dim*v + k]. Vertex order is
  VV: a, b;  EV: p, e0, e1;  FV: p, t0, t1, t2;  EE: a0, a1, b0, b1. Distances are squared wherever a name says dist2.
**/
#pragma once
#include <abut/core.h>

/** A rigid motion: x -> R(angle) (x - center) + center + shift. */
typedef struct {
  PetscReal center[3], angle[3], shift[3]; /* [m], rotation vector [rad] (2D: third component), [m] */
} AbutRigidMotion;

/** @brief Moves a point of dim coordinates. */
PETSC_EXTERN void AbutRigidMove(PetscInt dim, const AbutRigidMotion *motion, PetscReal x[]);

/** @brief Signed distance [m] of a point from the plane through `point` with the unit vector `normal`; all three have dim coordinates. */
static inline PetscReal AbutPlaneHeight(PetscInt dim, const PetscReal normal[], const PetscReal point[], const PetscReal x[])
{
  PetscReal height = 0;

  for (PetscInt k = 0; k < dim; k++) height += normal[k] * (x[k] - point[k]);
  return height;
}

/** Kinds of primitive pairs: vertex-vertex, edge-vertex, face-vertex, edge-edge. */
typedef enum { ABUT_PAIR_VV, ABUT_PAIR_EV, ABUT_PAIR_FV, ABUT_PAIR_EE } AbutPairKind;

/** Closed forms of squared distance, over 2, 3, 4, 4 points. */
typedef enum { ABUT_DIST_POINT_POINT, ABUT_DIST_POINT_LINE, ABUT_DIST_POINT_PLANE, ABUT_DIST_LINE_LINE } AbutDistForm;

/** Which closed form is the distance of a pair, and on which of the pair's points. */
typedef struct {
  AbutDistForm form;
  PetscInt     n;    /* points that take part: 2, 3, 4, 4 */
  PetscInt     v[4]; /* positions in the pair's stencil of those points, in the order the form takes */
} AbutClosest;

/**
  @brief Closest features of a pair (IPC section 6.1): the form whose value is the squared distance of the two primitives.
  Ties go to the lower-dimensional feature's neighbour consistently; edge-edge pairs whose cross product is below 1.6e-8 |a||b| are
  treated as parallel and resolved to the end point nearest to the other edge (the first of those that tie but for rounding), which is
  at most that angle times the edges' length farther than the edges. Never selects the line-line form for parallel edges. An edge of
  length 0 is taken as a point, a triangle without area as its longest edge.
**/
PETSC_EXTERN void AbutClosestFeatures(AbutPairKind kind, PetscInt dim, const PetscReal x[], AbutClosest *closest);

/**
  @brief Squared distance by a closed form, with derivatives over the form's n points.
  @param[in]  x     n x dim
  @param[out] grad  n dim, or NULL
  @param[out] hess  (n dim) x (n dim), symmetric, or NULL
**/
PETSC_EXTERN PetscReal AbutDist2(AbutDistForm form, PetscInt dim, const PetscReal x[], PetscReal grad[], PetscReal hess[]);

/**
  A closed form at a point, resolved: s = |r|^2 with r = sum_i c_i x_i = h normal, the difference of the closest points. The k parameters
  of the closest points (along edges, on the face), orthonormalised, move r along the unit tangents tau and the weights c along beta:

      grad s = 2 h c (x) normal
      hess s = 2 [ c c^T (x) (I - sum_k tau_k tau_k^T) - h sum_k ((c (x) tau_k) (beta_k (x) normal)^T + its transpose)
                   - h^2 sum_k (beta_k (x) normal) (beta_k (x) normal)^T ]

  c and beta_k sum to 0 over the points; normal and tau are orthonormal.
**/
typedef struct {
  PetscInt  n, k; /* points; parameters: 0, 1, 2, 2 for the four forms */
  PetscReal h;    /* signed distance */
  PetscReal c[4], beta[2][4], normal[3], tau[2][3];
} AbutDistFrame;

/** @brief The frame of a closed form: what its derivatives, projections and contact forces are made of. */
PETSC_EXTERN void AbutDist2Frame(AbutDistForm form, PetscInt dim, const PetscReal x[], AbutDistFrame *frame);

/** @brief Squared distance of a pair: AbutClosestFeatures() followed by AbutDist2(), without derivatives; fast path of searches and line searches. */
PETSC_EXTERN PetscReal AbutPairDist2(AbutPairKind kind, PetscInt dim, const PetscReal x[]);

/** @brief |(a1-a0) x (b1-b0)|^2 of an edge-edge stencil in 3D, with derivatives (12, 12 x 12; NULL if unwanted): the argument of the mollifier of IPC eq. 24. */
PETSC_EXTERN PetscReal AbutEdgeEdgeCross2(const PetscReal x[12], PetscReal grad[12], PetscReal hess[144]);

/** Methods of conservative continuous collision detection; names for PetscOptionsEnum(): "additive", "tight-inclusion". */
typedef enum { ABUT_CCD_ADDITIVE, ABUT_CCD_TIGHT_INCLUSION } AbutCCDMethod;
PETSC_EXTERN const char *const AbutCCDMethods[];

/**
  @brief Largest safe step of a pair along straight trajectories x + t dx: no contact in [0, toi], in floating point, and the distance
  at toi is at least (1 - slack) times the distance at t = 0.
  Additive CCD [Li et al. 2021, Codimensional IPC, Alg. 1] or tight inclusion [Wang et al. 2021].
  @param[in]  kind, dim    the pair
  @param[in]  x            positions at t = 0, n x dim
  @param[in]  dx           displacements, n x dim
  @param[in]  tmax         end of the interval, in (0, 1]
  @param[in]  slack        share of the initial distance that may be used up, in (0, 1); the program uses 0.8
  @param[out] toi          safe step in [0, tmax]; tmax if the pair stays clear. 0 only if the pair touches at t = 0, up to 1e-17 of its
                           size, or if the input is not finite
  @return whether toi < tmax
**/
PETSC_EXTERN PetscBool AbutCCD(AbutCCDMethod method, AbutPairKind kind, PetscInt dim, const PetscReal x[], const PetscReal dx[],
                               PetscReal tmax, PetscReal slack, PetscReal *toi);

/** @brief Exact sign (-1, 0, 1) of the area of the triangle abc in 2D: positive if counter-clockwise. Adaptive precision [Shewchuk 1997]. */
PETSC_EXTERN int AbutOrient2D(const PetscReal a[2], const PetscReal b[2], const PetscReal c[2]);

/** @brief Exact sign (-1, 0, 1) of det(b-a, c-a, d-a): the orientation of a tetrahedron (positive: valid cell order). Adaptive precision. */
PETSC_EXTERN int AbutOrient3D(const PetscReal a[3], const PetscReal b[3], const PetscReal c[3], const PetscReal d[3]);

/** @brief Whether the closed segments ab and cd share a point; exact. 2D. */
PETSC_EXTERN PetscBool AbutSegmentsIntersect2D(const PetscReal a[2], const PetscReal b[2], const PetscReal c[2], const PetscReal d[2]);

/** @brief Whether the closed segment pq and the closed triangle abc share a point; exact, coplanar cases included. 3D. */
PETSC_EXTERN PetscBool AbutSegmentTriangleIntersect(const PetscReal p[3], const PetscReal q[3], const PetscReal a[3], const PetscReal b[3],
                                                    const PetscReal c[3]);
