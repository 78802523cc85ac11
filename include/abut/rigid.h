/**
  @file rigid.h
  @brief Rigid bodies with frictional point contacts: velocity-level time stepping with projected Gauss-Seidel on proximal maps
  [Erleben 2017, Rigid Body Contact Problems using Proximal Operators].

  All ranks hold the state of all bodies and compute the same bits. Positions of mesh vertices follow from the state.

  A step takes the velocities u to \f$ u + h M^{-1} f + M^{-1} J^T \lambda \f$ and then moves the bodies with the new velocities for the
  time h (semi-implicit Euler). f is gravity and the gyroscopic torque \f$ -\omega \times I \omega \f$. The impulses \f$ \lambda \f$ of each
  contact satisfy the proximal maps, with the relative velocity \f$ w = J u \f$ after the step,

  \f[ \lambda_n = \max(0, \lambda_n - r_n w_n), \qquad
      \lambda_t = \mathrm{proj}_{|\lambda_t| \le \mu \lambda_n} (\lambda_t - r_t w_t). \f]

  A contact is active whatever its separation: impacts are inelastic, and penetration is not corrected.
**/
#pragma once
#include <abut/contact_points.h>
#include <abut/option.h>

/** Rigid bodies of one mesh. */
typedef struct _p_AbutRigid *AbutRigid;

/* Options: the program checks the command line by these tables */

PETSC_EXTERN const AbutOptionTable AbutRigidOptions; /**< Contact impulses of rigid bodies */

/** State of one body. */
typedef struct {
  PetscReal center[3];      /* [m] centre of mass; of a body without mass the centre of its bounding box */
  PetscReal orientation[4]; /* unit quaternion w, x, y, z that rotates the shape at rest */
  PetscReal velocity[3];    /* [m/s] of the centre */
  PetscReal spin[3];        /* [rad/s] angular velocity in the frame of the world */
} AbutRigidState;

/** Mass properties of one body at rest. */
typedef struct {
  PetscReal mass;       /* [kg]; 0: the body keeps its velocity and spin whatever touches it */
  PetscReal center[3];  /* [m] centre of mass, or centre of the bounding box if the mass is 0 */
  PetscReal inertia[9]; /* [kg m^2] tensor about the centre of mass, row-major */
} AbutRigidMass;

/** Energies and contacts of one step. */
typedef struct {
  PetscReal kinetic, potential; /* [J] at the end of the step; potential: in the field of gravity, 0 at the origin */
  PetscReal penetration;        /* [m] largest penetration of the contacts at the start of the step */
  PetscReal residual;           /* [N s] largest change of an impulse in the last iteration */
  PetscInt  contacts;           /* number of point contacts */
  PetscInt  iterations;         /* of projected Gauss-Seidel */
} AbutRigidReport;

/**
  @brief Creates the bodies at rest shape and with the initial velocities of the mesh; computes their mass properties from exact integrals
  over the tetrahedra. Collective.
  @param[in]  mesh     borrowed; three-dimensional; must outlive the object
  @param[in]  density  [num_bodies] [kg/m^3] >= 0; 0: the body is not accelerated; ignored for obstacles, whose mass is 0; copied
  @param[in]  gravity  [3] [m/s^2]; copied
  @param[out] rigid    NULL after an error
  Errors: ABUT_ERR_INPUT if a density is negative or not finite, or if the mesh is not three-dimensional.
**/
PETSC_EXTERN PetscErrorCode AbutRigidCreate(AbutMesh mesh, const PetscReal density[], const PetscReal gravity[3], AbutRigid *rigid);

/** @brief Frees the object; does nothing if *rigid is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutRigidDestroy(AbutRigid *rigid);

/**
  @brief Sets friction coefficient, iterations and tolerance (-rigid_...) from the options database. Collective. Errors: ABUT_ERR_INPUT if a
  value is out of its range.
**/
PETSC_EXTERN PetscErrorCode AbutRigidSetFromOptions(AbutRigid rigid);

/**
  @brief Mass properties and states of all bodies. Not collective.
  @param[in]  rigid  the bodies
  @param[out] mass   [num_bodies] borrowed
  @param[out] state  [num_bodies] borrowed; the caller may change the states, equally on all ranks
**/
PETSC_EXTERN PetscErrorCode AbutRigidGetBodies(AbutRigid rigid, const AbutRigidMass **mass, AbutRigidState **state);

/**
  @brief Positions of the local vertices in the current state; at the initial state bit for bit the positions at rest. Not collective.
  @param[in]  rigid  the bodies
  @param[out] x      [num_local * 3] [m] owned vertices and ghosts
**/
PETSC_EXTERN PetscErrorCode AbutRigidGetPositions(AbutRigid rigid, PetscReal x[]);

/**
  @brief Advances all bodies by one step with given contacts. Not collective; every rank must pass the same contacts.
  @param[in]  rigid     the bodies; after an error their state is undefined
  @param[in]  dt        [s] > 0
  @param[in]  contacts  at the state at the start of the step; contacts of two bodies without mass have no effect
  @param[out] report    energies and contacts of the step
  Errors: ABUT_ERR_DIVERGED if the state is not finite.
**/
PETSC_EXTERN PetscErrorCode AbutRigidStep(AbutRigid rigid, PetscReal dt, const AbutPointContacts *contacts, AbutRigidReport *report);
