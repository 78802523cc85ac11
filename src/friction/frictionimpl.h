/* One contact with friction, evaluated at a slip: pure functions. */
#pragma once
#include <abut/friction.h>

/* What friction keeps of a contact: closest points, tangents and normal force of the lag point, coefficients. */
typedef struct {
  PetscInt  n;                           /* vertices */
  PetscReal weight[ABUT_POINT_VERTICES]; /* sum of weight x displacement = displacement of the first side relative to the second */
  PetscReal tangent[2][3];               /* orthonormal; 2D: one */
  PetscReal normal_force;                /* [N], of either sign */
  PetscReal mu_static, mu_kinetic;
  PetscReal hold;  /* slip of the largest force, in shares of eps */
  PetscBool holds; /* beyond it the largest force goes on, rather than fall */
  PetscReal bend;  /* of the curvature of the parabola above the energy: the least that the Hessian has along the slip */
} AbutFrictionPoint;

/* Size of a slip. */
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

/* Hessian in the displacement of the first side: T M T^T. */
PETSC_INTERN void AbutFrictionTangentialHessian(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, AbutProjection projection,
                                                const PetscReal u[], PetscReal K[3][3]);

/* Hessian over the n vertices, (n dim) x (n dim), its projection exact: that of the (dim - 1) x (dim - 1) matrix in the slip. */
PETSC_INTERN void AbutFrictionPointHessian(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, AbutProjection projection,
                                           const PetscReal u[], PetscReal H[]);

/* A contact of this rank: where its numbers come from and its slip on the line x + t p. */
typedef struct {
  AbutFrictionPoint point;
  PetscReal         u[2], du[2];            /* slip at x and its change along p [m] */
  PetscInt          v[ABUT_POINT_VERTICES]; /* owned vertices; beyond num_owned: num_owned + place among the remote ones */
  PetscInt          id[ABUT_POINT_VERTICES], body[2], plane;
  PetscInt          pairs;
} AbutFrictionLagged;

struct _p_AbutFriction {
  MPI_Comm             comm;
  PetscMPIInt          size;
  const AbutMeshLocal *local;
  PetscInt             num_planes;
  AbutPlaneSpec       *planes;
  AbutRigidMotion     *motions, *ahead; /* of the planes at x and x + p; NULL: all at rest; ahead as at x */
  AbutFrictionTable    table;
  PetscBool            active;
  PetscReal            threshold; /* [m] */
  PetscInt             count, capacity;
  AbutFrictionLagged  *contacts;
  PetscInt            *stencil_start, *stencils; /* global indices of contact i: stencils[stencil_start[i], ...) */
  PetscBool            has_start, has_line;
  PetscReal           *start, *line; /* owned: position at the start of the step; displacement since and p, 2 dim a vertex */
  PetscInt             num_remote;   /* vertices of other ranks that contacts here need */
  PetscSF              forest;       /* owned vertices to the remote ones; NULL if no rank needs any */
  MPI_Datatype         unit[2];      /* dim and 2 dim reals */
  PetscReal           *remote_line, *remote_sum;
  PetscInt             report_capacity;
  AbutFrictionContact *report;
};

#define AbutFrictionCheckLine(friction)                                                     \
  PetscCheck((friction)->has_line || !(friction)->count, (friction)->comm, PETSC_ERR_ORDER, \
             "Call AbutFrictionSetLine() first, and after each AbutFrictionSetStart()")

/* Slip of a contact at x + t p. */
static inline void AbutFrictionSlipAt(const AbutFrictionLagged *c, PetscReal t, PetscReal u[2])
{
  for (int k = 0; k < 2; k++) u[k] = c->u[k] + t * c->du[k];
}
