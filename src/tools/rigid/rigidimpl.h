/* Rigid bodies, the equations of one contact, and the solver for the impulses. */
#pragma once
#include <abut/dense.h>
#include <abut/geom.h>
#include <abut/rigid.h>

/* Options of the contact solver; impulses.c has the table. */
typedef struct {
  PetscReal friction;   /* Coulomb coefficient of all contacts */
  PetscInt  iterations; /* at most, of projected Gauss-Seidel */
  PetscReal tolerance;  /* largest change of an impulse that ends the iteration [N s] */
  PetscReal r_scale;    /* r-factors relative to the inverse of the diagonal block */
  PetscReal r_decrease; /* factor on the r-factors after an iteration with a larger residual than before */
} ImpulseOptions;

/* A body during a step. */
typedef struct {
  PetscReal velocity[6];        /* [m/s], [rad/s] of the centre of mass, and spin */
  PetscReal inverse_mass;       /* [1/kg] */
  PetscReal inverse_inertia[9]; /* [1/(kg m^2)] in the frame of the world */
} MovingBody;

/* Equations of one contact: rows normal, first tangent, second tangent. */
typedef struct {
  PetscInt  body[2];           /* the impulse acts on body[1], its opposite on body[0] */
  PetscReal direction[3][3];   /* [row] unit vector */
  PetscReal moment[2][3][3];   /* [side][row] angular part of the Jacobian [m], with its sign */
  PetscReal response[2][3][6]; /* [side][row] change of the body's velocity by a unit impulse */
  PetscReal r_normal;          /* r-factor of the normal impulse [kg]; 0 if neither body has mass */
  PetscReal r_tangent;         /* r-factor of the tangential impulses [kg] */
  PetscReal impulse[3];        /* [row] lambda [N s] */
} ContactBlock;

struct _p_AbutRigid {
  MPI_Comm             comm;            /* of the mesh */
  const AbutMeshLocal *ml;              /* borrowed */
  PetscReal            gravity[3];      /* [m/s^2] */
  AbutRigidMass       *mass;            /* [num_bodies] */
  PetscReal           *inverse_inertia; /* [num_bodies * 9] at rest [1/(kg m^2)] */
  AbutRigidState      *state;           /* [num_bodies] */
  MovingBody          *moving;          /* [num_bodies] work space of a step */
  ContactBlock        *block;           /* [block_capacity] work space of a step */
  PetscInt             block_capacity;  /* allocated entries of block */
  ImpulseOptions       options;         /* of the contact solver */
};

/* Mass properties of all bodies, the same bits on any number of ranks. Collective. */
PETSC_INTERN PetscErrorCode AbutRigidComputeMass(MPI_Comm comm, const AbutMeshLocal *ml, const PetscReal density[], AbutRigidMass mass[]);

/* Sets the blocks of the contacts; `center` of body b is state[b].center. The impulses start at 0. */
PETSC_INTERN void AbutImpulseSetBlocks(const ImpulseOptions *options, const AbutPointContacts *contacts, const AbutRigidState state[],
                                       const MovingBody body[], ContactBlock block[]);

/* Projected Gauss-Seidel: changes the impulses of n blocks and the velocities of the bodies; reports iterations and residual. */
PETSC_INTERN void AbutImpulseSolve(const ImpulseOptions *options, PetscInt n, ContactBlock block[], MovingBody body[],
                                   AbutRigidReport *report);
