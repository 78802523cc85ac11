/**
  @file geom.h
  @brief Closest features of pairs, squared distances with derivatives, conservative continuous collision detection (CCD), exact predicates.

  All functions are pure: no allocation, no MPI, no errors; they are thread-safe and not collective. dim is 2 or 3. A point is an array of
  dim coordinates [m]. The stencil of a pair is the array of its points, x[dim*v + k]:
  VV: a, b;  EV: p, e0, e1;  FV: p, t0, t1, t2;  EE: a0, a1, b0, b1. FV and EE exist in 3D only. Names with `dist2` are squared distances
  [m^2].
**/
#pragma once
#include <abut/core.h>
#include <abut/dense.h>

/** Rigid motion \f$ x \mapsto R(\mathrm{angle}) \, (x - \mathrm{center}) + \mathrm{center} + \mathrm{shift} \f$. */
typedef struct {
  PetscReal center[3]; /* fixed point of the rotation [m] */
  PetscReal angle[3];  /* rotation vector [rad]: direction = axis, length = angle; 2D: only the third component is used */
  PetscReal shift[3];  /* translation [m] */
} AbutRigidMotion;

/**
  @brief Applies a rigid motion to a point (Rodrigues' formula).
  @param[in]     dim     2 or 3
  @param[in]     motion  the motion
  @param[in,out] x       point [dim]
**/
PETSC_EXTERN void AbutRigidMove(PetscInt dim, const AbutRigidMotion *motion, PetscReal x[]);

/** @brief Signed distance [m] of a point from the plane through `point` with the unit vector `normal`; all three have dim coordinates. */
static inline PetscReal AbutPlaneHeight(PetscInt dim, const PetscReal normal[], const PetscReal point[], const PetscReal x[])
{
  PetscReal height = 0;

  for (PetscInt k = 0; k < dim; k++) height += normal[k] * (x[k] - point[k]);
  return height;
}

/** @brief Normal of the triangle abc in 3D, of the length of twice its area [m^2]: n = (b - a) x (c - a). */
static inline void AbutTriangleNormal(const PetscReal a[3], const PetscReal b[3], const PetscReal c[3], PetscReal n[3])
{
  const PetscReal u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};

  AbutCross(u, v, n);
}

/**
  @brief Normal of a surface facet: of a triangle, its length twice the area [m^2], or of an edge in 2D, as long as the edge [m]. It points
  outwards if the facet is oriented as the surface of a body.
  @param[in]  dim     2 or 3
  @param[in]  x       coordinates [dim] of all vertices
  @param[in]  v       vertices of the facet [dim]
  @param[out] normal  the third component is 0 in 2D
**/
static inline void AbutFacetNormal(PetscInt dim, const PetscReal x[], const PetscInt v[], PetscReal normal[3])
{
  PetscReal e[2][3] = {{0, 0, 0}, {0, 0, 1}};

  for (PetscInt i = 1; i < dim; i++)
    for (PetscInt d = 0; d < dim; d++) e[i - 1][d] = x[v[i] * dim + d] - x[v[0] * dim + d];
  AbutCross(e[0], e[1], normal);
}

/** @brief Area [m^2] of a triangle in 3D. */
static inline PetscReal AbutTriangleArea(const PetscReal a[3], const PetscReal b[3], const PetscReal c[3])
{
  PetscReal n[3];

  AbutTriangleNormal(a, b, c, n);
  return AbutNorm(3, n) / 2;
}

/** Kinds of primitive pairs: vertex-vertex, edge-vertex, face-vertex, edge-edge. */
typedef enum { ABUT_PAIR_VV, ABUT_PAIR_EV, ABUT_PAIR_FV, ABUT_PAIR_EE } AbutPairKind;

/** Closed forms of the squared distance: of 2, 3, 4 and 4 points. */
typedef enum { ABUT_DIST_POINT_POINT, ABUT_DIST_POINT_LINE, ABUT_DIST_POINT_PLANE, ABUT_DIST_LINE_LINE } AbutDistForm;

/** Closest features of a pair: the closed form that equals its squared distance, and the points of the form. */
typedef struct {
  AbutDistForm form; /* closed form of the squared distance */
  PetscInt     n;    /* number of points of the form */
  PetscInt     v[4]; /* [n] indices of these points in the stencil of the pair, in the order of the form's arguments; -1 beyond n */
} AbutClosest;

/**
  @brief Finds the closest features of a pair [Li et al. 2020, Incremental Potential Contact, section 6.1].

  Edges a, b with |a x b| < 1.6e-8 |a| |b| count as parallel: the closest features are then the end point nearest to the other edge and the
  closest part of that edge. The distance of these features exceeds the distance of the edges by at most 1.6e-8 times their length. On ties
  up to rounding the first end point is used. An edge of length 0 is treated as a point, a triangle of area 0 as its longest edge.
  @param[in]  kind, dim  kind of pair; dim 2 or 3
  @param[in]  x          stencil of the pair
  @param[out] closest    form and points
**/
PETSC_EXTERN void AbutClosestFeatures(AbutPairKind kind, PetscInt dim, const PetscReal x[], AbutClosest *closest);

/**
  @brief Squared distance s [m^2] by a closed form, with its derivatives; see AbutDistFrame for the formulas.
  @param[in]  form, dim  the form of n points; dim 2 or 3
  @param[in]  x          points of the form [n * dim]
  @param[out] grad       gradient [n * dim] [m], or NULL
  @param[out] hess       symmetric Hessian [(n * dim) x (n * dim)], or NULL
  @return s
**/
PETSC_EXTERN PetscReal AbutDist2(AbutDistForm form, PetscInt dim, const PetscReal x[], PetscReal grad[], PetscReal hess[]);

/**
  Closest points of a form and their derivatives. The difference of the closest points is \f$ r = \sum_i c_i x_i = h \, n \f$ and \f$ s =
  |r|^2 \f$. The position of the closest points on edges or on the face has k parameters (0, 1, 2, 2 for the four forms). After
  orthonormalisation, parameter j moves r along the unit tangent \f$ \tau_j \f$ and the weights c along \f$ \beta_j \f$. By the envelope and
  implicit function theorems

  \f[ \nabla s = 2 h \, c \otimes n \f]
  \f[ \nabla^2 s = 2 \Big[ c c^T \otimes \big(I - \sum_j \tau_j \tau_j^T\big)
     - h \sum_j \big( (c \otimes \tau_j)(\beta_j \otimes n)^T + (\beta_j \otimes n)(c \otimes \tau_j)^T \big)
     - h^2 \sum_j (\beta_j \otimes n)(\beta_j \otimes n)^T \Big] \f]

  c and each beta sum to 0 over the points; normal and tangents are orthonormal.
**/
typedef struct {
  PetscInt  n;          /* number of points */
  PetscInt  k;          /* number of parameters */
  PetscReal h;          /* distance [m]; signed for point-plane, line-line, and point-line in 2D */
  PetscReal c[4];       /* [n] weights of the points */
  PetscReal beta[2][4]; /* [k][n] derivatives of the weights [1/m] */
  PetscReal normal[3];  /* n, unit vector [dim] */
  PetscReal tau[2][3];  /* [k][dim] unit tangents */
} AbutDistFrame;

/**
  @brief Computes the closest points of a form, their derivatives and the normal.
  @param[in]  form, dim  the form of n points; dim 2 or 3
  @param[in]  x          points of the form [n * dim]
  @param[out] frame      see AbutDistFrame
**/
PETSC_EXTERN void AbutDist2Frame(AbutDistForm form, PetscInt dim, const PetscReal x[], AbutDistFrame *frame);

/**
  @brief Squared distance [m^2] of a pair, bit for bit that of AbutClosestFeatures() and AbutDist2(), but faster.
  @param[in] kind, dim  kind of pair; dim 2 or 3
  @param[in] x          stencil of the pair
**/
PETSC_EXTERN PetscReal AbutPairDist2(AbutPairKind kind, PetscInt dim, const PetscReal x[]);

/**
  @brief \f$ |(a_1 - a_0) \times (b_1 - b_0)|^2 \f$ [m^4] of two edges in 3D: the argument of the mollifier of nearly parallel edges
  [Li et al. 2020, Incremental Potential Contact, eq. 24].
  @param[in]  x     EE stencil [12]
  @param[out] grad  gradient [12], or NULL
  @param[out] hess  symmetric Hessian [12 x 12], or NULL
**/
PETSC_EXTERN PetscReal AbutEdgeEdgeCross2(const PetscReal x[12], PetscReal grad[12], PetscReal hess[144]);

/**
  @brief Computes a step along the straight trajectories x + t dx in which a pair keeps the fraction 1 - slack of its distance.

  For all t in [0, toi] the distance of the rounded positions x + t dx is at least (1 - slack) times the distance at t = 0; all rounding
  errors are bounded. toi is a lower bound of the largest such step. Additive CCD: time advances by steps in which the distance cannot fall
  below the target; the step is (distance - target) divided by the speed of approach along the separating direction [Li et al. 2021,
  Codimensional Incremental Potential Contact, Alg. 1].
  @param[in]  kind, dim  kind of pair; dim 2 or 3
  @param[in]  x          stencil at t = 0
  @param[in]  dx         displacements of its points [m], same layout
  @param[in]  tmax       end of the interval, in (0, 1]
  @param[in]  slack      fraction of the initial distance that may be lost, in (0, 1); the program uses 0.8
  @param[out] toi        safe step in [0, tmax]. 0 only if the pair touches at t = 0, up to 1e-17 of its size, or if the input is not finite
  @return whether toi < tmax
**/
PETSC_EXTERN PetscBool AbutCCD(AbutPairKind kind, PetscInt dim, const PetscReal x[], const PetscReal dx[], PetscReal tmax, PetscReal slack,
                               PetscReal *toi);

/**
  @brief Exact sign (-1, 0, 1) of the signed area of the triangle abc, positive if it is counter-clockwise. Adaptive precision
  [Shewchuk 1997, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates].
**/
PETSC_EXTERN int AbutOrient2D(const PetscReal a[2], const PetscReal b[2], const PetscReal c[2]);

/**
  @brief Exact sign (-1, 0, 1) of \f$ \det(b - a, c - a, d - a) \f$, six times the signed volume of a tetrahedron; positive for the vertex
  order of cells. Adaptive precision [Shewchuk 1997].
**/
PETSC_EXTERN int AbutOrient3D(const PetscReal a[3], const PetscReal b[3], const PetscReal c[3], const PetscReal d[3]);

/** @brief Exact sign (-1, 0, 1) of the cross product \f$ (b - a) \times (d - c) \f$ in 2D. Adaptive precision [Shewchuk 1997]. */
PETSC_EXTERN int AbutCross2D(const PetscReal a[2], const PetscReal b[2], const PetscReal c[2], const PetscReal d[2]);

/** @brief Whether the closed segments ab and cd in 2D have a common point; exact. */
PETSC_EXTERN PetscBool AbutSegmentsIntersect2D(const PetscReal a[2], const PetscReal b[2], const PetscReal c[2], const PetscReal d[2]);

/** @brief Whether the closed segment pq and the closed triangle abc in 3D have a common point; exact, also if they are coplanar. */
PETSC_EXTERN PetscBool AbutSegmentTriangleIntersect(const PetscReal p[3], const PetscReal q[3], const PetscReal a[3], const PetscReal b[3],
                                                    const PetscReal c[3]);

/**
  @brief Unit vectors normal to a unit normal and to each other: normal, tangent[0] and tangent[1] are right-handed. 2D: tangent[1] is 0.
  @param[in]  dim      2 or 3
  @param[in]  normal   [dim]
  @param[out] tangent  the first one is normal to the axis along which the normal is smallest
**/
PETSC_EXTERN void AbutTangents(PetscInt dim, const PetscReal normal[], PetscReal tangent[2][3]);

/**
  @brief Signed solid angle of a triangle seen from a point [van Oosterom and Strackee 1983]; 2D: angle of an edge.

  The sum over a closed surface that faces outward is 4 pi (2D: 2 pi) for points inside, 0 outside.
  @param[in] dim     2 or 3
  @param[in] p       the point [dim]
  @param[in] corner  [dim] corners of the triangle or edge
  @return in [-2 pi, 2 pi]; 2D: in [-pi, pi]
**/
PETSC_EXTERN PetscReal AbutSolidAngle(PetscInt dim, const PetscReal p[], const PetscReal *corner[]);
