/**
  @file rigid.h
  @brief Rigid bodies with frictional point contacts: velocity-level time stepping with projected Gauss-Seidel on proximal maps
  [Erleben 2017, Rigid Body Contact Problems using Proximal Operators].

  All ranks hold the state of all bodies and compute the same bits. Positions of mesh vertices follow from the state.
**/
#pragma once
#include <abut/contact_points.h>

/** Rigid bodies of one mesh. Obstacles are fixed. */
typedef struct _p_AbutRigid *AbutRigid;

/** State of one body. */
typedef struct {
  PetscReal center[3];      /* [m] centre of mass */
  PetscReal orientation[4]; /* unit quaternion w, x, y, z that rotates the shape at rest */
  PetscReal velocity[3];    /* [m/s] of the centre of mass */
  PetscReal spin[3];        /* [rad/s] angular velocity in the frame of the world */
} AbutRigidState;

/** Mass properties of one body at rest. */
typedef struct {
  PetscReal mass;       /* [kg]; 0: fixed */
  PetscReal center[3];  /* [m] centre of mass */
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
  @brief Creates the bodies at rest shape and with the initial velocities of the mesh; computes their mass properties. Collective.
  @param[in]  mesh     borrowed; must outlive the object
  @param[in]  density  [num_bodies] [kg/m^3] > 0; ignored for obstacles; copied
  @param[in]  gravity  [3] [m/s^2]; copied
  @param[out] rigid    NULL after an error
  Errors: ABUT_ERR_INPUT if a density is not positive and finite.
**/
PETSC_EXTERN PetscErrorCode AbutRigidCreate(AbutMesh mesh, const PetscReal density[], const PetscReal gravity[3], AbutRigid *rigid);

/** @brief Frees the object; does nothing if *rigid is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutRigidDestroy(AbutRigid *rigid);

/**
  @brief Sets friction coefficient, iterations and tolerances (-rigid_...) from the options database. Collective. Errors: ABUT_ERR_INPUT if a
  value is out of its range.
**/
PETSC_EXTERN PetscErrorCode AbutRigidSetFromOptions(AbutRigid rigid);

/** @brief Prints bodies and values in force. Collective on the viewer. */
PETSC_EXTERN PetscErrorCode AbutRigidView(AbutRigid rigid, PetscViewer viewer);

/** @brief Mass properties and states of all bodies, [num_bodies] each; borrowed, the states may be changed by the caller. Not collective. */
PETSC_EXTERN void AbutRigidGetBodies(AbutRigid rigid, const AbutRigidMass **mass, AbutRigidState **state);

/** @brief Positions of the local vertices [num_local * 3] [m] of the current state. Not collective. */
PETSC_EXTERN PetscErrorCode AbutRigidGetPositions(AbutRigid rigid, PetscReal x[]);

/**
  @brief Advances all bodies by one step with given contacts: semi-implicit Euler, Coulomb friction, no stabilisation. Collective.
  @param[in]  dt        [s] > 0
  @param[in]  contacts  at the state at the start of the step, equal on all ranks
  @param[out] report    energies and contacts of the step
  Errors: ABUT_ERR_DIVERGED if the state is not finite.
**/
PETSC_EXTERN PetscErrorCode AbutRigidStep(AbutRigid rigid, PetscReal dt, const AbutPointContacts *contacts, AbutRigidReport *report);
