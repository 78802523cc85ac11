/**
  @file friction.h
  @brief Lagged, smoothed Coulomb friction on the contacts of any potential (Li et al. 2020, section 5).

      D(x) = sum_k N_k mu(|u_k|) f0(|u_k|),   u_k = T_k^T (displacement of one side relative to the other since x_start)

  Normal forces N, tangents T and weights of the closest points are those of the lag point. Contacts stay on the rank that found them; the
  positions of their vertices travel by a star forest of their own, so that later searches may forget those vertices.
**/
#pragma once
#include <abut/dense.h>
#include <abut/potential.h>

/** Coefficients for every pair of surfaces (AbutBody.surface, AbutPlaneSpec.surface); symmetric. Equal static and kinetic: plain Coulomb. */
typedef struct {
  PetscInt   num_surfaces;
  PetscReal *mu_static, *mu_kinetic; /* [num_surfaces * num_surfaces], >= 0 */
} AbutFrictionTable;

typedef struct _p_AbutFriction *AbutFriction;

/** @brief Creates friction between surfaces of a mesh and planes; mesh borrowed, table copied. Collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionCreate(AbutMesh mesh, PetscInt num_planes, const AbutPlaneSpec planes[],
                                               const AbutFrictionTable *table, AbutFriction *friction);
PETSC_EXTERN PetscErrorCode AbutFrictionDestroy(AbutFriction *friction);

/** @brief Whether any coefficient is above 0. Not collective. */
PETSC_EXTERN PetscBool AbutFrictionIsActive(AbutFriction friction);

/**
  @brief Lags: takes normal forces, tangents and weights from contact points of a state. Collective.
  Contacts without force or coefficient are left out. Start and line of the moment stay: they travel to the new contacts.
  @param[in] candidates  of that state: names the contact vertices (global index, body)
  @param[in] scale       turns AbutContactPoint.force into newtons: 1 / c_h^2
  @param[in] threshold   eps_v h [m]: tangential displacement in the step at which sticking ends
**/
PETSC_EXTERN PetscErrorCode AbutFrictionLag(AbutFriction friction, const AbutCandidates *candidates, PetscInt count,
                                            const AbutContactPoint points[], PetscReal scale, PetscReal threshold);

/** @brief Where displacements are measured from: owned positions at the start of the step [num_owned * dim], copied. The line must be set after it. Collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionSetStart(AbutFriction friction, const PetscReal x_start[]);

/**
  @brief Rigid motion of each plane over the step so far [num_planes]; NULL: all at rest. Not collective.
  A vertex slips by x - M(x_start), M the motion of its plane: one that moves with the plane, turned about its normal or not, does not slip.
  @param[in] ahead  their motions at the end of the line x + t p; NULL: planes stay where they are along it
**/
PETSC_EXTERN PetscErrorCode AbutFrictionSetPlaneMotions(AbutFriction friction, const AbutRigidMotion motions[],
                                                        const AbutRigidMotion ahead[]);

/** @brief The line x + t p along which friction is evaluated next: owned arrays; p may be NULL. Travels to the contacts. Collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionSetLine(AbutFriction friction, const PetscReal x[], const PetscReal p[]);

/** @brief D at x + t p, this rank's contacts [J]. Not collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionEnergy(AbutFriction friction, PetscReal t, PetscReal *energy);

/** @brief g += scale * dD/dx at x + t p, over owned vertices [num_owned * dim]. Deterministic for a rank count. Collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionAddGradient(AbutFriction friction, PetscReal t, PetscReal scale, PetscReal g[]);

/**
  @brief How contacts bend, by what p would do to their slips at x. Beyond the threshold the energy has no curvature along a slip, and Newton's method
  does not see where it ends: of a contact whose slip p turns round AbutFrictionAddHessian() has from then on the parabola in the slip that touches the
  energy and lies above it [a majoriser: Hunter and Lange 2004], of one that p leaves most of its slip half of that curvature, and so on,
  of one whose slip p lengthens the Hessian again. Until the next lag. Up to the slip of the largest force, and without projection, the Hessian
  is what it is. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutFrictionUpdateMajorizers(AbutFriction friction);

/** @brief Adds scale * d2D/dx2 at x + t p, every contact's part projected; see AbutFrictionUpdateMajorizers(). Not collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionAddHessian(AbutFriction friction, PetscReal t, PetscReal scale, AbutProjection projection,
                                                   AbutAssembler as);

/**
  @brief Contacts that slip less than `most` [m] at x + t p hold: where friction falls from static to kinetic, one step may have two solutions, one
  that sticks and one that slides. What holds feels the largest static force however far it slips, so that the solution which sticks is found
  if there is one. No contact holds after a lag. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutFrictionSetStickState(AbutFriction friction, PetscReal t, PetscReal most);

/** @brief Lets go of the contacts that hold but slip beyond their largest force at x + t p; their number on this rank. Not collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionRelease(AbutFriction friction, PetscReal t, PetscInt *count);

/**
  @brief Derivatives by a share of the way on which planes go from where they are to `ahead`, at x + t p, this rank's part times scale:
  *first += dD, *second += d2D, mixed[num_owned * dim] += the derivative of dD/dx. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutFrictionAddPlaneDerivatives(AbutFriction friction, PetscReal t, PetscReal scale, AbutProjection projection,
                                                            const AbutRigidMotion ahead[], PetscReal *first, PetscReal *second,
                                                            PetscReal mixed[]);

/** @brief Stencils of the contacts for the matrix pattern: global block indices. Valid until the next lag. Not collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionGetPattern(AbutFriction friction, AbutStencilList *stencils);

/** A contact with friction, for output and tests. */
typedef struct {
  PetscInt  vertex_id[ABUT_POINT_VERTICES], body[2]; /* ids, -1 where unused; body[1] = -1 - plane for a plane */
  PetscReal normal_force;                            /* [N] lagged; negative where AbutContactPoint.force is */
  PetscReal slip;                                    /* |u| [m] */
  PetscReal friction_force[3];                       /* [N] on the first side */
  PetscBool sticking;                                /* |u| < eps_v h */
} AbutFrictionContact;

/** @brief Contacts of this rank at x + t p; borrowed until the next call. Not collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionGetContacts(AbutFriction friction, PetscReal t, PetscInt *count,
                                                    const AbutFrictionContact **contacts);

/** Resultants between two bodies: forces on the first; 0 between the parts of one body. Contacts are primitive pairs: independent of the rank count. */
typedef struct {
  PetscInt  body[2]; /* ascending; a plane k is num_bodies + k */
  PetscInt  contacts, sticking;
  PetscReal normal[3], friction[3]; /* [N] */
} AbutPairForce;

/**
  @brief Resultants of normal forces (contact points of a state) and friction (at x + t p) by pair of bodies, ascending, equal on all ranks. Collective.
  @param[in]  scale  as in AbutFrictionLag()
  @param[out] pairs  free with PetscFree()
**/
PETSC_EXTERN PetscErrorCode AbutFrictionPairForces(AbutFriction friction, const AbutCandidates *candidates, PetscInt num_points,
                                                   const AbutContactPoint points[], PetscReal scale, PetscReal t, PetscInt *count,
                                                   AbutPairForce **pairs);

/* Smoothed Coulomb friction: pure functions of the slip y >= 0, threshold eps (IPC eq. 13-15) */

/**
  @brief mu f0 at slip y: its derivative is mu(y) f1(y), with f1 = (2 - y/eps) y/eps below eps and 1 beyond, and mu(y) falling smoothly from
  mu_static at 0 to mu_kinetic at eps. Equal to mu_kinetic y beyond eps.
  @param[out] f1_over_y  mu(y) f1(y) / y, finite at 0; or NULL
  @param[out] df1        d(mu f1)/dy; or NULL
**/
PETSC_EXTERN PetscReal AbutFrictionPotential(PetscReal y, PetscReal eps, PetscReal mu_static, PetscReal mu_kinetic, PetscReal *f1_over_y,
                                             PetscReal *df1);

/** @brief The slip, in shares of eps, at which mu f1 is largest: what friction holds at most. */
PETSC_EXTERN PetscReal AbutFrictionPeakSlip(PetscReal mu_static, PetscReal mu_kinetic);
