/* Friction of one contact, evaluated at a slip (pure functions), and the lagged contacts of a rank. */
#pragma once
#include <abut/friction.h>

/* A lagged contact: closest points, tangents, normal force and coefficients. */
typedef struct {
  PetscInt  n;                           /* vertices */
  PetscReal weight[ABUT_POINT_VERTICES]; /* sum of weight x displacement = displacement of the first side relative to the second */
  PetscReal tangent[2][3];               /* orthonormal; 2D: one */
  PetscReal normal_force;                /* [N], of either sign */
  PetscReal mu_static, mu_kinetic;
  PetscReal peak;      /* AbutFrictionPeakSlip() */
  PetscBool sticks;    /* stick state: beyond the peak slip the force stays at its maximum */
  PetscReal majorizer; /* least curvature along the slip in the Hessian, as a fraction of the majorizer's */
} AbutFrictionPoint;

/* Norm of a slip. */
static inline PetscReal AbutFrictionNorm(PetscInt dim, const PetscReal u[])
{
  return dim == 2 ? PetscAbsReal(u[0]) : PetscSqrtReal(u[0] * u[0] + u[1] * u[1]);
}

/* Orthonormal tangents of a unit normal. */
PETSC_INTERN void AbutFrictionTangents(PetscInt dim, const PetscReal normal[], PetscReal tangent[2][3]);

/* Tangential part u[dim - 1] of a relative displacement. */
PETSC_INTERN void AbutFrictionSlip(PetscInt dim, const AbutFrictionPoint *point, const PetscReal displacement[], PetscReal u[]);

/* Energy [J] at slip u, threshold eps [m]. */
PETSC_INTERN PetscReal AbutFrictionPointEnergy(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, const PetscReal u[]);

/* Force on the first side [N]; the gradient over vertex a is -weight[a] times it. */
PETSC_INTERN void AbutFrictionPointForce(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, const PetscReal u[],
                                         PetscReal force[3]);

/* Hessian in the displacement of the first side: K = T M T^T, M projected. */
PETSC_INTERN void AbutFrictionTangentialHessian(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, AbutProjection projection,
                                                const PetscReal u[], PetscReal K[3][3]);

/* Hessian over the n vertices, (n dim) x (n dim): w w^T (x) K. */
PETSC_INTERN void AbutFrictionPointHessian(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, AbutProjection projection,
                                           const PetscReal u[], PetscReal H[]);

/* A contact of this rank. */
typedef struct {
  AbutFrictionPoint point;
  PetscReal         u[2], du[2];            /* slip at x and its change along p [m] */
  PetscInt          v[ABUT_POINT_VERTICES]; /* index of an owned vertex, or num_owned + index among the remote vertices */
  PetscInt          id[ABUT_POINT_VERTICES], body[2], plane;
  PetscInt          pairs; /* AbutContactPoint.pairs */
} AbutFrictionLagged;

struct _p_AbutFriction {
  MPI_Comm             comm;
  PetscMPIInt          size; /* ranks */
  const AbutMeshLocal *local;
  PetscInt             num_planes;
  AbutPlaneSpec       *planes;
  AbutRigidMotion     *motions, *ahead; /* of the half spaces at x and x + p; motions NULL: at rest; ahead NULL: as at x */
  AbutFrictionTable    table;
  PetscBool            active;          /* a coefficient is above 0 */
  PetscReal            threshold;       /* eps_v h [m] */
  PetscInt             count, capacity; /* contacts */
  AbutFrictionLagged  *contacts;
  PetscInt            *stencil_start, *stencils; /* global indices of contact i: stencils[stencil_start[i], stencil_start[i + 1]) */
  PetscBool            has_start, has_line;      /* start and line are set */
  PetscReal           *start, *line;             /* owned: positions at the start of the step; displacement since and p, 2 dim a vertex */
  PetscInt             num_remote;               /* vertices of contacts that other ranks own */
  PetscSF              forest;                   /* owned vertices to remote vertices; NULL if no rank has any */
  MPI_Datatype         unit[2];                  /* dim and 2 dim reals */
  PetscReal           *remote_line, *remote_sum; /* of the remote vertices: line, gradient */
  PetscInt             report_capacity;
  AbutFrictionContact *report; /* lent by AbutFrictionGetContacts() */
};

/* d += scale * displacement of the half space of a contact, by its motion, at the position of the contact at the start of the step. */
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
