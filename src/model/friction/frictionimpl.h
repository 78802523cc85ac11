/* Friction of one contact, evaluated at a slip (pure functions), and the lagged contacts of a rank. */
#pragma once
#include <abut/containers.h>
#include <abut/friction.h>
#include <abut/geom.h>

/* A lagged contact: closest points, tangents, normal force and coefficients. */
typedef struct {
  PetscInt  n;                           /* vertices */
  PetscReal weight[ABUT_POINT_VERTICES]; /* relative displacement of the two sides = sum of weight[a] * displacement of vertex a */
  PetscReal tangent[2][3];               /* orthonormal; 2D: one */
  PetscReal normal_force;                /* [N], of either sign */
  PetscReal mu_static, mu_kinetic;
  PetscReal peak;        /* AbutFrictionPeakSlip() */
  PetscBool sticks;      /* stick state: beyond the peak slip the force stays at its maximum */
  PetscReal majorizer;   /* in [0, 1]: lower limit of the curvature along the slip, as a fraction of the curvature of the majorizer */
  PetscBool primal_dual; /* the Hessian is primal-dual */
  PetscReal dual[2];     /* its dual variable: friction force in the tangents over -mu N, of length <= 1 */
} AbutFrictionPoint;

/* Euclidean norm of a slip u[dim - 1]. */
static inline PetscReal AbutFrictionNorm(PetscInt dim, const PetscReal u[])
{
  return dim == 2 ? PetscAbsReal(u[0]) : PetscSqrtReal(u[0] * u[0] + u[1] * u[1]);
}

/* Tangential part u[dim - 1] of a relative displacement. */
PETSC_INTERN void AbutFrictionSlip(PetscInt dim, const AbutFrictionPoint *point, const PetscReal displacement[], PetscReal u[]);

/* Energy [J] at slip u [m]; eps [m]: slip threshold. */
PETSC_INTERN PetscReal AbutFrictionPointEnergy(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, const PetscReal u[]);

/* Force on the first side [N]; the gradient over vertex a is -weight[a] times it. */
PETSC_INTERN void AbutFrictionPointForce(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, const PetscReal u[],
                                         PetscReal force[3]);

/* Hessian K = T M T^T over the displacement of the first side, with the projected M of friction_kernel.c. */
PETSC_INTERN void AbutFrictionTangentialHessian(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, AbutProjection projection,
                                                const PetscReal u[], PetscReal K[3][3]);

/* Newton's step of the dual variable for a change du of slip u, limited to length 1. eps [m]: slip threshold. */
PETSC_INTERN void AbutFrictionUpdateDual(PetscReal eps, const PetscReal u[2], const PetscReal du[2], PetscReal dual[2]);

/* Hessian over the n vertices, [(n dim)^2]: w w^T (x) K. */
PETSC_INTERN void AbutFrictionPointHessian(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, AbutProjection projection,
                                           const PetscReal u[], PetscReal H[]);

/* A lagged contact with its slip and its vertices. */
typedef struct {
  AbutFrictionPoint point;
  PetscReal         u[2], du[2];            /* slip at x and its change along p [m] */
  PetscInt          v[ABUT_POINT_VERTICES]; /* owned vertex, or num_owned + position among the remote vertices */
  PetscInt          id[ABUT_POINT_VERTICES], body[2], plane;
  PetscInt          pairs; /* AbutContactPoint.pairs; 0 if relaxation keeps the contact */
  PetscReal         share; /* of its force when the state last had it; below 1: relaxation keeps it, with the closest points of then */
} AbutFrictionLagged;

/* Exchange with the owners of remote vertices: vertices of this rank's contacts that other ranks own. */
typedef struct {
  PetscInt   num;        /* remote vertices */
  PetscSF    forest;     /* from owned to remote vertices; NULL if no rank has remote vertices */
  PetscReal *line, *sum; /* [num * 2 dim] AbutFriction.line, [num * dim] gradient of the remote vertices */
} AbutFrictionExchange;

struct _p_AbutFriction {
  MPI_Comm             comm;
  PetscMPIInt          size; /* ranks */
  const AbutMeshLocal *local;
  PetscInt             num_planes;
  AbutPlaneSpec       *planes;
  AbutRigidMotion     *motions,
    *ahead; /* [num_planes] motion of the half spaces since the start of the step: at x (NULL: none), at x + p (NULL: as at x) */
  AbutFrictionTable   table;           /* mu_static: AbutFrictionCoefficientAtRest() */
  PetscReal          *peak;            /* [entries of the table] AbutFrictionPeakSlip() */
  PetscBool           active;          /* some coefficient is above 0 */
  PetscBool           primal_dual;     /* contacts with one coefficient have primal-dual Hessians */
  PetscReal           threshold;       /* eps_v h [m] */
  PetscInt            count, capacity; /* length of `contacts`, allocated length */
  AbutFrictionLagged *contacts;
  AbutInts            stencil_start, stencils; /* global indices of contact i: stencils[stencil_start[i], stencil_start[i + 1]) */
  PetscBool           has_start, has_line;     /* start and line are set */
  PetscReal *start, *line; /* [num_owned * dim] positions at the start of the step; [num_owned * 2 dim] displacement since then, p */
  AbutFrictionExchange exchange;
  PetscInt             report_capacity;
  AbutFrictionContact *report; /* array that AbutFrictionGetContacts() returns */
};

/* d += scale * displacement of the half space of a contact at the start position of the contact. */
PETSC_INTERN void           AbutFrictionAddPlaneDisplacement(const AbutFriction friction, const AbutFrictionLagged *c,
                                                             const AbutRigidMotion motions[], PetscReal scale, PetscReal d[3]);
PETSC_INTERN PetscErrorCode AbutFrictionDestroyForest(AbutFriction friction);

#define AbutFrictionCheckLine(friction)                                                     \
  PetscCheck((friction)->has_line || !(friction)->count, (friction)->comm, PETSC_ERR_ORDER, \
             "Call AbutFrictionSetLine() first, and after each AbutFrictionSetStart()")

/* Slip of a contact at x + t p. */
static inline void AbutFrictionSlipAt(const AbutFrictionLagged *c, PetscReal t, PetscReal u[2])
{
  for (int k = 0; k < 2; k++) u[k] = c->u[k] + t * c->du[k];
}
