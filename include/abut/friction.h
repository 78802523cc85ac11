/**
  @file friction.h
  @brief Lagged, smoothed Coulomb friction on the contact points of any potential [Li et al. 2020, Incremental Potential Contact (IPC),
  section 5].

  The dissipative potential of a time step is
  \f[ D(x) = \sum_k N_k \, \phi(|u_k|), \qquad u_k = T_k^T \sum_a w_{ka} (x_a - x_a^{start}), \qquad \phi' = \mu f_1, \f]
  with the normal force \f$N_k\f$ [N], the tangents \f$T_k\f$ and the weights \f$w_{ka}\f$ of the closest points all lagged: computed at the
  state of AbutFrictionLag() and constant until the next lag (IPC eq. 15-17). \f$u_k\f$ is the slip since the start of the step [m]. With
  \f$\epsilon = \epsilon_v h\f$ [m] the slip below which a contact sticks, the force is smoothed by (IPC eq. 14)
  \f[ f_1(y) = 2 y/\epsilon - (y/\epsilon)^2 \text{ for } y < \epsilon, \quad 1 \text{ for larger } y; \qquad
      f_0' = f_1, \quad f_2 = f_1 / y. \f]
  The coefficient \f$\mu(y)\f$ falls from \f$\mu_s\f$ at 0 to \f$\mu_k\f$ (kinetic) at \f$\epsilon\f$ with a continuous slope:
  \f$\mu_s + 2 (\mu_k - \mu_s) z^2\f$ for \f$z = y/\epsilon \le 1/2\f$, \f$\mu_k - 2 (\mu_k - \mu_s)(1 - z)^2\f$ above. A contact holds the
  largest \f$\mu f_1\f$. This is the static coefficient, by the choice of \f$\mu_s\f$, AbutFrictionCoefficientAtRest(). For \f$\mu_s =
  \mu_k\f$, \f$\phi = \mu f_0\f$ (IPC eq. 13). For a contact in the stick state (AbutFrictionSetStickState()), \f$\phi'\f$ keeps its maximum
  beyond the peak slip.

  Contacts stay on the rank whose state they come from. A star forest of their own carries the positions of their vertices, so that later
  searches may replace the contact vertices.

  Order of calls: Create; in each step SetStart, [SetPlaneMotions,] SetLine; Lag whenever contact forces change; then Energy, AddGradient,
  AddHessian along the line.
**/
#pragma once
#include <abut/potential.h>

/**
  Coefficients for every pair of surfaces (AbutBody.surface, AbutPlaneSpec.surface); symmetric. Equal static and kinetic: plain Coulomb.
**/
typedef struct {
  PetscInt   num_surfaces;           /* rows of the table */
  PetscReal *mu_static, *mu_kinetic; /* [num_surfaces * num_surfaces], >= 0, dimensionless; static: what contacts hold */
} AbutFrictionTable;

/** Lagged friction between surfaces. */
typedef struct _p_AbutFriction *AbutFriction;

/**
  @brief Creates friction between the surfaces of a mesh and half spaces. Collective.
  @param[in]  mesh      borrowed: must outlive the friction
  @param[in]  planes    [num_planes] copied
  @param[in]  table     copied
  @param[out] friction  NULL after an error
  Errors: ABUT_ERR_INPUT if a coefficient is negative or not finite, the table is not symmetric or a surface is not in the table.
  @param[in]  num_planes  number of half spaces
**/
PETSC_EXTERN PetscErrorCode AbutFrictionCreate(AbutMesh mesh, PetscInt num_planes, const AbutPlaneSpec planes[],
                                               const AbutFrictionTable *table, AbutFriction *friction);

/** @brief Frees the object; does nothing if *friction is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionDestroy(AbutFriction *friction);

/**
  @brief From the next lag on, contacts whose coefficients are equal have primal-dual Hessians (friction_kernel.c) instead of majorizers.
  Not collective. Quasi-static steps of a ring seal, with a threshold of a thousandth of the travel, then took 0.45 times the iterations,
  local ones included; dynamic steps of a rod that sticks and slips took 1.4 times as many.
**/
PETSC_EXTERN void AbutFrictionUsePrimalDual(AbutFriction friction);

/** @brief Whether a coefficient is above 0. If not, all functions below do nothing. Not collective. */
PETSC_EXTERN PetscBool AbutFrictionIsActive(AbutFriction friction);

/**
  @brief Lags: replaces the contacts, or a part of their forces, by the contact points of a state, without majorizers. Collective.
  Points without force or coefficient are skipped. Start and line stay valid; their values are sent to the new contacts.
  @param[in] candidates  of that state: global index, id and body of the contact vertices; read, not kept
  @param[in] points      [count] of AbutPotentialGetContactPoints(); copied
  @param[in] scale       converts AbutContactPoint.force to newtons; 1 / contact c^2 [1/s^2] of the step that the state ends (objective.h)
  @param[in] threshold   eps_v h [m] > 0
  @param[in] relaxation  in (0, 1], normally 1: share of the points in the normal forces. The contacts so far keep the remainder, also those
                         that the state, or this rank, does not have any more, down to 1e-6 of it (AbutFrictionContact.kept)
  Errors: ABUT_ERR_INPUT if the threshold is not positive and finite; the contacts stay.
  @param[in] count       number of points
**/
PETSC_EXTERN PetscErrorCode AbutFrictionLag(AbutFriction friction, const AbutCandidates *candidates, PetscInt count,
                                            const AbutContactPoint points[], PetscReal scale, PetscReal threshold, PetscReal relaxation);

/**
  @brief Sets the positions that slips are measured from; the line must be set again afterwards. Collective.
  @param[in] x_start  [num_owned * dim] positions at the start of the step; copied
**/
PETSC_EXTERN PetscErrorCode AbutFrictionSetStart(AbutFriction friction, const PetscReal x_start[]);

/**
  @brief Sets the rigid motion M of each half space since the start of the step. Not collective.
  A vertex slips on a half space by x - M(x_start): a vertex that moves with the half space does not slip.
  @param[in] motions  [num_planes] copied; NULL: all at rest
  @param[in] ahead    [num_planes] motions at x + p, the end of the line; copied; NULL: half spaces stay where they are along the line
**/
PETSC_EXTERN PetscErrorCode AbutFrictionSetPlaneMotions(AbutFriction friction, const AbutRigidMotion motions[],
                                                        const AbutRigidMotion ahead[]);

/**
  @brief Sets the line x + t p on which friction is evaluated next, and sends it to the contacts. Collective.
  @param[in] x, p  [num_owned * dim] not kept; p may be NULL for p = 0
  Errors: PETSC_ERR_ORDER before AbutFrictionSetStart().
**/
PETSC_EXTERN PetscErrorCode AbutFrictionSetLine(AbutFriction friction, const PetscReal x[], const PetscReal p[]);

/**
  @brief D at x + t p over the contacts of this rank [J]. Not collective. Errors: PETSC_ERR_ORDER without a line, as all functions below.
**/
PETSC_EXTERN PetscErrorCode AbutFrictionEnergy(AbutFriction friction, PetscReal t, PetscReal *energy);

/**
  @brief g += scale * dD/dx at x + t p over the owned vertices [num_owned * dim] [N]. Collective. Equal bit for bit on repetition with the
  same number of ranks.
**/
PETSC_EXTERN PetscErrorCode AbutFrictionAddGradient(AbutFriction friction, PetscReal t, PetscReal scale, PetscReal g[]);

/**
  @brief Selects the Hessian of each contact, exact or majorizing, from the slip that direction p would cause at x. Not collective.

  Beyond the threshold D has no curvature along a slip, so Newton's method does not see that the slip may end. If p reverses the slip of a
  contact, AbutFrictionAddHessian() uses the curvature phi'/y of the parabola that touches D at the slip and lies above D (majorizer
  [Hunter and Lange 2004]). If p then leaves more than half of the slip, that curvature is halved; if p lengthens the slip, the Hessian is
  exact again. The selection stays until the next lag. It has no effect below the peak slip, or without projection.
  Primal-dual Hessians take Newton's step of the friction force instead.
**/
PETSC_EXTERN PetscErrorCode AbutFrictionUpdateMajorizers(AbutFriction friction);

/** @brief Adds scale * d2D/dx2 at x + t p, projected contact by contact; see AbutFrictionUpdateMajorizers(). Not collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionAddHessian(AbutFriction friction, PetscReal t, PetscReal scale, AbutProjection projection,
                                                   AbutAssembler as);

/**
  @brief Sums lagged and present normal forces, times coefficients, over each body with friction. Collective.
  @param[in]  candidates, count, points  as for AbutFrictionLag()
  @param[in]  scale   factor that makes newtons of AbutContactPoint.force
  @param[out] sums    [2 * bodies] of each body: lagged, present [N]
**/
PETSC_EXTERN PetscErrorCode AbutFrictionSumForces(AbutFriction friction, const AbutCandidates *candidates, PetscInt count,
                                                  const AbutContactPoint points[], PetscReal scale, PetscReal sums[]);

/**
  @brief Sets the stick state of each contact: on if its slip at x + t p is less than `most` [m]; primal-dual Hessians start from the
  force at this slip. Not collective.

  If the kinetic coefficient is below the static one, a step can have two solutions, one that sticks and one that slides. In the stick
  state the force does not fall beyond the peak slip but stays at its maximum, so that a solution that sticks is found if there is one.
  Contacts whose force never falls have no stick state.
**/
PETSC_EXTERN PetscErrorCode AbutFrictionSetStickState(AbutFriction friction, PetscReal t, PetscReal most);

/**
  @brief Ends the stick state of contacts that slip beyond their peak slip at x + t p; count: their number on this rank. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutFrictionRelease(AbutFriction friction, PetscReal t, PetscInt *count);

/**
  @brief Adds derivatives of D by the fraction of the motion of the half spaces from `motions` to `ahead`, at x + t p. Not collective.
  @param[in]     ahead   [num_planes] read, not kept
  @param[in,out] first   += scale * dD, this rank's part
  @param[in,out] second  += scale * d2D
  @param[in,out] mixed   [num_owned * dim] += scale * derivative of dD/dx
  @param[in]     t           point of the line
  @param[in]     scale       factor of all derivatives
  @param[in]     projection  of the second derivative
**/
PETSC_EXTERN PetscErrorCode AbutFrictionAddPlaneDerivatives(AbutFriction friction, PetscReal t, PetscReal scale, AbutProjection projection,
                                                            const AbutRigidMotion ahead[], PetscReal *first, PetscReal *second,
                                                            PetscReal mixed[]);

/** @brief Stencils of the contacts for the matrix pattern, in global vertex indices; valid until the next lag. Not collective. */
PETSC_EXTERN void AbutFrictionGetPattern(AbutFriction friction, AbutStencilList *stencils);

/** A contact with friction, for output and tests. */
typedef struct {
  PetscInt  vertex_id[ABUT_POINT_VERTICES], body[2]; /* -1 where unused; body[1] = -1 - plane for a half space */
  PetscReal normal_force;                            /* [N] lagged; negative if AbutContactPoint.force is */
  PetscReal slip;                                    /* |u| [m] */
  PetscReal friction_force[3];                       /* [N] on the first side */
  PetscBool sticking;                                /* |u| < eps_v h */
  PetscBool kept;                                    /* the state does not have it any more: relaxation keeps a part of its force */
} AbutFrictionContact;

/** @brief Contacts of this rank at x + t p; borrowed until the next call. Not collective. */
PETSC_EXTERN PetscErrorCode AbutFrictionGetContacts(AbutFriction friction, PetscReal t, PetscInt *count,
                                                    const AbutFrictionContact **contacts);

/**
  @brief Slips of the owned vertices at x + t p: the mean |u| of the contacts of a vertex, weighted by normal force times the weight of the
  vertex in the closest point. Collective.
  @param[in]  t      point of the line
  @param[out] slip   [num_owned] [m]; 0 without contact
  @param[out] stick  [num_owned] AbutStickState
**/
PETSC_EXTERN PetscErrorCode AbutFrictionGetVertexSlips(AbutFriction friction, PetscReal t, PetscReal slip[], PetscReal stick[]);

/** Friction at a vertex: no contact with friction; slip of at least eps_v h; less. */
typedef enum { ABUT_STICK_OPEN, ABUT_STICK_SLIDES, ABUT_STICK_STICKS } AbutStickState;

/**
  @brief Adds the friction forces of half spaces on bodies at x + t p, this rank's part. Not collective.
  @param[in]     t       point of the line
  @param[in]     center  [num_planes * 3] points that moments refer to [m]
  @param[in,out] force   [num_planes * 3] [N]
  @param[in,out] moment  [num_planes * 3] [N m]
**/
PETSC_EXTERN PetscErrorCode AbutFrictionAddPlaneForces(AbutFriction friction, PetscReal t, const PetscReal center[], PetscReal force[],
                                                       PetscReal moment[]);

/**
  Fraction of the largest pressure of a pair above which a contact point counts as part of the area of contact. A barrier acts up to dhat:
  pressures above 0 reach too far. Errors of the width of a Hertz contact (cylinder, contact radius a, edges h = a / 4, a / 8, a / 16):
  p > 0: 5.4, 0.0, -0.6 %, gcp 32, 12, 6 %; above 1 %: 5.4, 0.0, -0.6 % with all potentials, to the next vertex; above 10 % on quadratic
  cells -2 % instead of 1 to 4 %; (integral of p)^2 over the integral of p^2: -8.4 % for any h, since it depends on the profile of the
  pressure (closed forms: 0.925 of the width, 8/9 of the area of a sphere's contact). A block of 1 m^2 on a plane, under a pressure that
  is not quite uniform: above 1 % 1.003 m^2, as wide as the block has become, and 0.96 m^2 by the integrals.
**/
#define ABUT_AREA_LEAST 0.01

/** Contact points of a state, for resultants. */
typedef struct {
  const AbutCandidates   *candidates; /* of the state */
  PetscInt                count;      /* number of points */
  const AbutContactPoint *points;     /* [count] over `candidates` */
  PetscReal               scale;      /* as in AbutFrictionLag() */
  const PetscReal        *x;          /* [num_vertices * dim] positions of the contact vertices [m]; NULL: no areas and centres */
  const PetscReal        *pressure;   /* [num_vertices] contact force of each vertex over its tributary area [Pa] */
  const PetscReal        *outer;      /* [num_vertices] 0: within the pressure on a deformable body, else 1; NULL: all 1 */
} AbutPointForces;

/**
  Resultant forces on the first of two bodies; 0 between parts of one body. Contacts are primitive pairs: independent of the number of
  ranks.

  The area of contact is sum f_k / p_k over the contact points k with forces f_k and pressures p_k, interpolated on one side, above
  ABUT_AREA_LEAST of their largest one: the tributary areas under load, divided among pairs by force. Of the areas with the pressures of the
  two sides it is the smaller one, because a coarse side smears its pressure over its facets; the larger one if its part at inner vertices
  exceeds the smaller one. A fine rigid side then touches only single vertices: a sphere with edges of a fifth of the edges of the block
  has 0.046 times the area of Hertz, the block 0.92 times.
**/
typedef struct {
  PetscInt  body[2];                /* ascending; half space k is num_bodies + k */
  PetscInt  contacts, sticking;     /* numbers of contacts */
  PetscReal normal[3], friction[3]; /* [N] */
  PetscReal area;                   /* of contact [m^2; 2D: m]; 0 without contact points */
  PetscReal center[3];              /* mean of the middles of the contact points, weighted by their forces [m]; nan without points */
  PetscReal normal_sum;             /* F: sum of the forces of the contact points, which may cancel in `normal` [N] */
  PetscReal friction_sum;           /* sum of the lengths of the friction forces, negative where the normal force is [N] */
  PetscReal peak[2];                /* largest p_k on each side [Pa] */
} AbutPairForce;

/**
  @brief Resultants of normal forces (contact points of a state) and friction (at x + t p) by pair of bodies, equal on all ranks.
  Collective.
  @param[in]  normal  contact points of the state; read, not kept
  @param[in]  t       point of the line
  @param[out] count   number of pairs
  @param[out] pairs   [count] ascending by bodies; free with PetscFree()
**/
PETSC_EXTERN PetscErrorCode AbutFrictionPairForces(AbutFriction friction, const AbutPointForces *normal, PetscReal t, PetscInt *count,
                                                   AbutPairForce **pairs);

/* Pure functions of one contact */

/**
  @brief phi at slip y, with phi' = mu f1 as defined at the head of this file and phi = mu_kinetic y for y >= eps.
  @param[in]  y          [m] >= 0
  @param[in]  eps        [m] > 0
  @param[out] f1_over_y  mu(y) f1(y) / y = mu f2 [1/m], finite at 0; NULL if not needed
  @param[out] df1        d(mu f1)/dy [1/m]; NULL if not needed
  @return [m]; times the normal force: energy in J
  @param[in]  mu_static   mu_s, coefficient at rest
  @param[in]  mu_kinetic  coefficient from eps on
**/
PETSC_EXTERN PetscReal AbutFrictionPotential(PetscReal y, PetscReal eps, PetscReal mu_static, PetscReal mu_kinetic, PetscReal *f1_over_y,
                                             PetscReal *df1);

/** @brief The peak slip, at which mu f1 is largest, as a fraction of eps; 1 if mu f1 never falls. */
PETSC_EXTERN PetscReal AbutFrictionPeakSlip(PetscReal mu_static, PetscReal mu_kinetic);

/** @brief The coefficient at rest mu_s for which the largest mu f1 is `held`, the static coefficient; `held` up to mu_kinetic. */
PETSC_EXTERN PetscReal AbutFrictionCoefficientAtRest(PetscReal held, PetscReal mu_kinetic);
