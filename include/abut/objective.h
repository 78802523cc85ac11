/**
  @file objective.h
  @brief The incremental potential of one time step: a list of terms, evaluated along lines x + t p.

  Each time step minimises, over the positions x of all vertices [Li et al. 2020, eq. 2 to 5] and, while half spaces have not completed
  their motion, over its completed fraction (constraint.h),

  \f[ B(x) = \sum_v \frac{\bar m_v}{2} |x_v - \tilde x_v|^2 - b_v \cdot (x_v - x^n_v)
           + c^2 \Psi(x) + c^2 r\, D_v(x) + \kappa\, C(x) + \bar c^2 D(x) + L(x) + c^2 G(x) + c^2 T(x). \f]

  | symbol | meaning | unit |
  |---|---|---|
  | \f$ \bar m_v \f$ | inertia \f$ W m_v + c^2 r\, a_v \f$: mass \f$ m_v \f$, weight W, mass-proportional damping \f$ a_v \f$ [kg/s] | kg |
  | \f$ \tilde x_v \f$ | predictor with gravity, loads and mass-proportional damping | m |
  | \f$ b_v \f$ | \f$ c^2 f_v \f$ in quasi-static steps, with the force \f$ f_v \f$ of gravity and loads; 0 otherwise | kg m |
  | \f$ c^2 \f$ | factor of elastic forces: see the table of integrators | s^2 |
  | \f$ r \f$ | rate of the integrator: \f$ v = r (x - x_o) \f$, see the table of integrators | 1/s |
  | \f$ \Psi \f$ | elastic energy | J |
  | \f$ D_v \f$ | potential of stiffness-proportional damping, quadratic in the strain of the step, see AbutElasticSetDampingStart() | J s |
  | \f$ \kappa C \f$ | contact potential; kappa is \f$ \bar c^2 \f$ times the scene's number, for "ipc" the number itself | J s^2 |
  | \f$ \bar c^2 \f$ | factor of friction and contact: \f$ c^2 \f$, or \f$ 2 c^2 \f$ for contact-implicit Newmark | s^2 |
  | \f$ D \f$ | lagged friction potential with the stick states in force, see friction.h | J |
  | \f$ G \f$ | energy of follower pressure and gas, see pressure.h | J |
  | \f$ T \f$ | energy of ties between surfaces, see tie.h | J |
  | \f$ L \f$ | augmented Lagrangian of incomplete prescribed motion, see constraint.h | J s^2 |

  | integrator | W | \f$ r \f$ | \f$ c^2 \f$ | \f$ \bar c^2 \f$ | origin \f$ x_o \f$ | predictor \f$ x_p \f$ without loads and damping |
  |---|---|---|---|---|---|---|
  | implicit Euler | 1 | \f$ 1/h \f$ | \f$ h^2 \f$ | \f$ c^2 \f$ | \f$ x^n \f$ | \f$ x^n + h v \f$ |
  | BDF2 | 1 | \f$ (1+2w)/((1+w)h) \f$ | \f$ 1/r^2 \f$ | \f$ c^2 \f$ | \f$ x^n+q (x^n-x^{n-1}) \f$ | \f$ x_o+(v + q (v-v^{n-1}))/r \f$ |
  | both of Newmark | 1 | \f$ 2/h \f$ | \f$ h^2/4 \f$ | \f$ c^2 \f$ or \f$ 2 c^2 \f$ | \f$ x^n + h v / 2 \f$ | \f$ x^n + h v + c^2 a \f$ |
  | quasi-static | \f$ c^2 \rho \f$ | \f$ 1/h \f$ | \f$ \sum m / \sum k \f$ | \f$ c^2 \f$ | \f$ x^n \f$ | \f$ x^n \f$ |

  For BDF2, w = h / h_old and q = w^2 / (1 + 2w). In its first step w is 1, and the step before is the one that the initial acceleration
  continues backwards; if contacts act at the start, it is one of implicit Euler (w = 0). Newmark: a is the acceleration by all forces
  except loads, in the contact-implicit method also except contact and friction; it contains gravity. The first step of Newmark is
  contact-implicit. Quasi-static: \f$ \rho \f$ is AbutStepSpec.regularization [1/s^2]; the sums run over the unknowns of bodies, m their
  lumped masses and k the diagonal of the elastic Hessian at rest.

  With the weight g and the load f, \f$ \tilde x = x_p + (c^2 r a_v (x_o - x_p) + c^2 g + l c^2 f) / \bar m \f$, l = 2 for both methods
  of Newmark, otherwise 1; quasi-static steps have g and f in b. The sum over v runs over free vertices only. \f$ D_v \f$ is quadratic in
  the change of strain in the step, see AbutElasticSetDampingStart().

  Factors of each part, for steps of constant length h and the scene's number N for the stiffness:

  | integrator | elastic \f$ \Psi \f$ | damping \f$ D_v \f$ | friction D | kappa for "ipc" | kappa for other potentials |
  |---|---|---|---|---|---|
  | implicit Euler | \f$ h^2 \f$ | \f$ h \f$ | \f$ h^2 \f$ | N | \f$ h^2 N \f$ |
  | BDF2 | \f$ 4 h^2 / 9 \f$ | \f$ 2 h / 3 \f$ | \f$ 4 h^2 / 9 \f$ | N | \f$ 4 h^2 N / 9 \f$ |
  | Newmark | \f$ h^2 / 4 \f$ | \f$ h / 2 \f$ | \f$ h^2 / 4 \f$ | N | \f$ h^2 N / 4 \f$ |
  | contact-implicit Newmark | \f$ h^2 / 4 \f$ | \f$ h / 2 \f$ | \f$ h^2 / 2 \f$ | N | \f$ h^2 N / 2 \f$ |
  | quasi-static | \f$ c^2 \f$ | \f$ c^2 / h \f$ | \f$ c^2 \f$ | N | \f$ c^2 N \f$ |

  With AbutStepSpec.relative_kappa, kappa is \f$ \bar c^2 \f$ times AbutStiffnessGetRelative() for all potentials, "ipc" included. Without a
  number, kappa is adaptive: AbutStiffnessBeginStep() chooses it at the start of a step, and it may change after each Newton iteration.
  L has no factor c^2.

  B has the unit J s^2. The gradient of contact and friction divided by \f$ \bar c^2 \f$, that of other terms divided by \f$ c^2 \f$, is a
  force in newtons.

  **Lines.** AbutObjectiveSearch() finds the contact candidates of a line x + t p, t in [0, step]. Until the next search every evaluation
  refers to that line and these candidates. AbutObjectiveAccept() makes a point of the line the iterate.

  **Order of terms.** Each of these passes calls the terms in the order in which they were added:
  - energy: a pass over the terms with phase ABUT_PHASE_ELASTIC, then one over all other terms; each adds to the sum of its kind;
  - gradient: a pass of `addgradient`, the sum into the owners, then a pass of `addownedgradient`;
  - `maxstep`, `setline`, `accept`, `getpattern`, `addhessian`: one pass each.
**/
#pragma once
#include <abut/option.h>
#include <abut/pressure.h>
#include <abut/tie.h>

/** Kind of a term, for reports. The total energy adds kinds in this order. */
typedef enum {
  ABUT_ENERGY_INERTIA,
  ABUT_ENERGY_ELASTIC,
  ABUT_ENERGY_CONTACT,
  ABUT_ENERGY_CONSTRAINT,
  ABUT_ENERGY_FRICTION,
  ABUT_ENERGY_DAMPING,
  ABUT_ENERGY_OTHER,
  ABUT_ENERGY_PRESSURE,
  ABUT_ENERGY_TIE,
  ABUT_NUM_ENERGIES
} AbutEnergyKind;

/** Values of the terms of B by kind, summed over ranks [J s^2]. */
typedef struct {
  PetscReal kind[ABUT_NUM_ENERGIES]; /* [J s^2] by AbutEnergyKind */
} AbutEnergy;

/** @brief B: the sum over kinds. */
PETSC_EXTERN PetscReal AbutEnergyTotal(const AbutEnergy *energy);

/** @brief Sum of magnitudes over kinds: round-off of B is relative to it. */
PETSC_EXTERN PetscReal AbutEnergySize(const AbutEnergy *energy);

/** Point of the searched line at which terms are evaluated. */
typedef struct {
  PetscReal             t; /* parameter on the line x + t p of the last search */
  const PetscReal      *x; /* positions of local vertices; for `energy` and `accept` of all contact vertices [num_vertices * dim] [m] */
  const AbutCandidates *candidates; /* of the last search */
} AbutTrial;

/**
  Functions of a term; a NULL function does nothing. `ctx` is the pointer given to AbutObjectiveAddTerm(). Energies and derivatives
  contain all factors of B. "Contact vertices" extend the local vertices of the mesh, see contact.h. Each function is collective.
  Positions and directions that a function receives are valid during the call only, candidates until the next search. Gradients may be
  computed several times at one iterate.
**/
typedef struct {
  const char    *name;       /* for reports */
  AbutEnergyKind kind;       /* kind of the energy; ABUT_ENERGY_CONTACT is reserved for AbutContactTerm */
  AbutPhase      phase;      /* timer of addgradient and addhessian; ABUT_PHASE_ELASTIC: of energy, too */
  PetscBool      replicated; /* the energy is equal on all ranks and is added once; otherwise ranks contribute shares */

  /** After the contact search of a line: owned and ghost positions x and direction p (NULL: none) of the line, [num_local * dim]. */
  PetscErrorCode (*setline)(void *ctx, const PetscReal x[], const PetscReal p[]);
  /** Adds this rank's share of the energy at a trial point to *energy; PETSC_INFINITY for an inadmissible point. */
  PetscErrorCode (*energy)(void *ctx, const AbutTrial *trial, PetscReal *energy);
  /**
    Reduces *step to a bound below which x + t p stays admissible; this rank's bound, of which the objective takes the minimum. It is called
    before the contact search and `setline` of this line. Reports call the limiter "inversion".
  */
  PetscErrorCode (*maxstep)(void *ctx, const PetscReal x[], const PetscReal p[], PetscReal *step);
  /**
    Replaces the state that gradient and Hessian need by the state at the trial point. The line search also calls `accept` and the
    gradients at points that it then rejects; the last call before addhessian is at the iterate.
  */
  PetscErrorCode (*accept)(void *ctx, const AbutTrial *trial);
  /**
    Adds the gradient at the iterate to g [num_vertices * dim] over contact vertices; shares of other ranks' vertices are sent to their
    owners. iterate->x has local vertices only: a term saves positions of other contact vertices in `accept`.
  **/
  PetscErrorCode (*addgradient)(void *ctx, const AbutTrial *iterate, PetscReal g[]);
  /** Adds a gradient that is complete on owned vertices to g [num_owned * dim]; called after all `addgradient`. */
  PetscErrorCode (*addownedgradient)(void *ctx, const AbutTrial *iterate, PetscReal g[]);
  /**
    Stencils of the Hessian at the iterate for the matrix pattern, in global indices; borrowed until the next call. `lookahead`: candidate
    pairs closer than dhat, or all of them. All terms share this one list, and the contact term sets it: other terms leave it unchanged.
  **/
  PetscErrorCode (*getpattern)(void *ctx, PetscBool all, AbutStencilList *needed, AbutStencilList *lookahead);
  /**
    Adds the Hessian at the iterate, each stencil projected as asked. With ABUT_STRATEGY_DEMAND it may be called again at the same iterate
    with another projection.
  */
  PetscErrorCode (*addhessian)(void *ctx, const AbutTrial *iterate, AbutProjection projection, AbutAssembler assembler);
  /** Only the vertices `moving` move from now on, see AbutObjectiveRestrict(): energies of held vertices alone may be left out. */
  PetscErrorCode (*setmoving)(void *ctx, const PetscBool moving[]);
} AbutTermOps;

/** Cause that limits a step along a line. */
typedef enum { ABUT_LIMIT_NONE, ABUT_LIMIT_CCD, ABUT_LIMIT_INVERSION, ABUT_LIMIT_ENERGY, ABUT_LIMIT_BOUND, ABUT_NUM_LIMITS } AbutLimiter;
PETSC_EXTERN const char *const AbutLimiters[]; /* "none", "ccd", "inversion", "energy", "pair-bound" */

/** Largest admissible step along a line, and what limits it. */
typedef struct {
  PetscReal        step;    /* in [0, 1] */
  AbutLimiter      limiter; /* cause that limits the step */
  AbutLimitingPair pair;    /* the pair that limits the step if limiter is ABUT_LIMIT_CCD */
} AbutStepBound;

/** Sum of the terms of one time step. */
typedef struct _p_AbutObjective *AbutObjective;

/**
  @brief Creates an objective without terms. Collective.
  @param[in] mesh     borrowed
  @param[in] contact  finder of the candidates of each line; borrowed
  @param[in] dhat     activation distance [m]
  @param[in] fixed    [num_owned * dim] unknowns that keep their value; borrowed, read at each evaluation
  @param[out] objective  to be freed with AbutObjectiveDestroy()
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveCreate(AbutMesh mesh, AbutContact contact, PetscReal dhat, const PetscBool fixed[],
                                                AbutObjective *objective);

/** @brief Frees the object; does nothing if *objective is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutObjectiveDestroy(AbutObjective *objective);

/** @brief Reads -check_iterates. Collective. Errors: ABUT_ERR_INPUT for a value out of range. */
PETSC_EXTERN PetscErrorCode AbutObjectiveSetFromOptions(AbutObjective objective);

/** @brief Prints the terms and the option values in force. Collective. */
PETSC_EXTERN PetscErrorCode AbutObjectiveView(AbutObjective objective, PetscViewer viewer);

/**
  @brief Appends a term. Collective. To be called before the first step.
  @param[in] ops  functions of the term; borrowed, must outlive the objective
  @param[in] ctx  passed to each function; borrowed
  Errors: ABUT_ERR_INPUT if there are already ABUT_TERMS_MAX terms.
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveAddTerm(AbutObjective objective, const AbutTermOps *ops, void *ctx);
#define ABUT_TERMS_MAX 16 /* largest number of terms */

/** Iterate and direction. The arrays live as long as the objective. */
typedef struct {
  PetscReal *x;        /* [num_local * dim] iterate, ghosts current [m] */
  PetscReal *p;        /* [num_local * dim] direction of the line that is searched next, ghosts current [m] */
  PetscReal  t;        /* the iterate is the point t of the line of the last search */
  PetscReal *gradient; /* [num_owned * dim] of B at the iterate, 0 for fixed unknowns [kg m] */
  AbutEnergy energy;   /* B at the iterate */
} AbutIterate;

/** @brief The iterate; borrowed, the caller may write x, p and energy. Not collective. */
PETSC_EXTERN AbutIterate *AbutObjectiveGetIterate(AbutObjective objective);

/** @brief Number of unknowns of this rank: num_owned * dim. Not collective. */
PETSC_EXTERN PetscInt AbutObjectiveGetSize(AbutObjective objective);

/** @brief Updates the ghosts of x or p. Collective. @param[in,out] values [num_local * dim] */
PETSC_EXTERN PetscErrorCode AbutObjectiveUpdateGhosts(AbutObjective objective, PetscReal values[]);

/**
  @brief Finds the candidates of the line x + t p, t in [0, *step]. Collective.
  @param[in]     p     [num_local * dim] direction, ghosts current; NULL: the point x alone
  @param[in,out] step  end of the line; reduced if the candidates exceed their limit, see AbutContactSearch()
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveSearch(AbutObjective objective, const PetscReal p[], PetscReal *step);

/** @brief Finds the contacts of the iterate: a search without direction, then AbutObjectiveAccept(). Collective. */
PETSC_EXTERN PetscErrorCode AbutObjectiveFindContacts(AbutObjective objective);

/**
  @brief Searches the line along AbutIterate.p and finds the largest step without intersection or inversion. Collective.
  @param[in]  slack, floor  gaps that the step keeps, see AbutContactMaxStep()
  @param[out] bound         step, its limiter and pair
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveBoundStep(AbutObjective objective, PetscReal slack, PetscReal floor, AbutStepBound *bound);

/** @brief B at the point t of the searched line. Collective. Infinite if the point is not admissible. */
PETSC_EXTERN PetscErrorCode AbutObjectiveEnergy(AbutObjective objective, PetscReal t, AbutEnergy *energy);

/**
  @brief Number of the step and of the Newton iteration that leads to the next iterate, for messages of -check_iterates; iteration 0: start
  of the step. Not collective.
**/
PETSC_EXTERN void AbutObjectiveSetIteration(AbutObjective objective, PetscInt step, PetscInt iteration);

/** @brief Makes the point t of the searched line the iterate: positions and state of the terms, not yet energy and gradient. Collective.
  Errors: with -check_iterates ABUT_ERR_DIVERGED if surfaces pass through each other on the way. */
PETSC_EXTERN PetscErrorCode AbutObjectiveAccept(AbutObjective objective, PetscReal t);

/**
  @brief Restricts B to the motion of some vertices, until the next call. Collective. Energies then differ from the full ones by a constant
  as long as only these vertices move; gradient and Hessian are complete at these vertices, and the gradient is 0 elsewhere. Contacts of
  held vertices alone are left out from the next search on. After each call AbutObjectiveFindContacts() and evaluations must follow, unless
  only a Hessian is computed before the restriction ends.
  @param[in] moving  [num_local] whether a vertex moves, ghosts current; NULL: all do; borrowed until the next call
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveRestrict(AbutObjective objective, const PetscBool moving[]);

/** @brief Gradient of B at the iterate into AbutIterate.gradient. Collective. */
PETSC_EXTERN PetscErrorCode AbutObjectiveGradient(AbutObjective objective);

/**
  @brief Slope of B along the direction at the iterate: the product of AbutIterate.gradient and AbutIterate.p over all ranks. Collective.
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveSlope(AbutObjective objective, PetscReal *slope);

/**
  @brief Sum of the gradients of some kinds of terms at the iterate. Collective.
  @param[in]  kinds  bits 1 << AbutEnergyKind
  @param[out] g      [num_owned * dim] borrowed until the next evaluation; fixed unknowns are not set to zero
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveGradientOf(AbutObjective objective, unsigned kinds, const PetscReal **g);

/**
  @brief Assembles the Hessian of B at the iterate. Collective. The pattern must be current, see AbutObjectiveUpdatePattern().
  @param[in]  projection  of each stencil's matrix
  @param[out] A           the matrix, borrowed until the pattern is rebuilt or dropped; rows and columns of fixed unknowns are identity
    ones. While B is restricted, only rows of vertices that move are defined
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveHessian(AbutObjective objective, AbutProjection projection, Mat *A);

/**
  @brief Rebuilds the matrix pattern if there is none, or if a block of a stencil of the iterate is missing from the matrix. Collective.
  A pattern that is not rebuilt stays as it is, over iterations and time steps. While B is restricted, a new pattern contains the
  former one; the first update afterwards rebuilds a pattern that has grown much. A new pattern is a new matrix: pointers to the old one are
  invalid.
  @param[out] rebuilt  the matrix is a new one
  @param[out] A        the matrix; borrowed
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveUpdatePattern(AbutObjective objective, PetscBool *rebuilt, Mat *A);

/** @brief Drops pattern and contact search structures, so that a run that continues equals a restarted one bit for bit. Collective. */
PETSC_EXTERN PetscErrorCode AbutObjectiveForget(AbutObjective objective);

/**
  @brief Work space over the contact vertices of the last search [num_vertices * dim]; borrowed until the next evaluation. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveGetWork(AbutObjective objective, PetscReal **work);

/**
  @brief Elastic stiffness at rest: diagonal of the Hessian of the elastic energy into owned d [num_owned * dim] [N/m]. Collective. Drops
  the pattern.
**/
PETSC_EXTERN PetscErrorCode AbutObjectiveElasticDiagonal(AbutObjective objective, AbutElastic elastic, PetscReal d[]);

/* ---- The terms of abut. Contexts are owned by the caller and may change between evaluations. */

/** Inertia and loads of one step. */
typedef struct {
  PetscInt                 num_owned, dim; /* owned vertices; 2 or 3 */
  const AbutBoundaryState *state;          /* [num_owned * dim] inertia acts on free unknowns only */
  PetscReal               *inertia;        /* [num_owned] [kg] */
  PetscReal               *hold;           /* [num_owned] in the Hessian only, so that it holds directions without resistance [kg] */
  PetscReal               *x_tilde;        /* [num_owned * dim] [m] */
  PetscReal               *impulse;        /* [num_owned * dim] [kg m] */
  PetscReal               *load;           /* [num_owned * dim] c^2 gravity + c^2 or 2 c^2 loads, in x_tilde or impulse [kg m] */
  PetscReal               *x_start;        /* [num_local * dim] positions at the start of the step, ghosts current [m] */
} AbutInertiaPart;
PETSC_EXTERN const AbutTermOps AbutInertiaTerm; /* ctx: AbutInertiaPart */

/** Elastic energy, or stiffness-proportional damping. */
typedef struct {
  AbutElastic elastic; /* borrowed */
  PetscBool   damping; /* damping rather than elastic energy */
  PetscReal   factor;  /* c2 [s^2]; damping: c2 rate [s] */
} AbutElasticPart;
PETSC_EXTERN const AbutTermOps AbutElasticTerm; /* ctx: AbutElasticPart */
PETSC_EXTERN const AbutTermOps AbutDampingTerm; /* ctx: AbutElasticPart with damping; add only if a material has this damping */

/** Contact: the potential, and the contacts at the iterate, equal on all ranks; while B is restricted, contacts that move only. */
typedef struct {
  MPI_Comm      comm;             /* borrowed */
  AbutContact   contact;          /* finder of the candidates; borrowed */
  AbutPotential potential;        /* borrowed */
  PetscInt      dim;              /* 2 or 3 */
  PetscInt      contacts;         /* at the iterate */
  PetscInt      contacts_max;     /* largest number since the caller set it to 0 */
  PetscInt      candidates_max;   /* largest number on a rank since the caller set it to 0 */
  PetscReal     min_gap;          /* [m] smallest distance of the candidates; HUGE_VAL without any */
  PetscReal     min_relative_gap; /* minimum of distance / activation distance over the active pairs */
} AbutContactPart;
PETSC_EXTERN const AbutTermOps AbutContactTerm; /* ctx: AbutContactPart */

/**
  @brief Contact forces on owned vertices at the iterate. Collective.
  @param[in]  scale      factor of the gradient of kappa C; -1 / contact_c2 gives newtons
  @param      work       [num_vertices * dim] work space, see AbutObjectiveGetWork()
  @param[in]  num_owned  vertices of this rank
  @param[out] force      [num_owned * dim]
**/
PETSC_EXTERN PetscErrorCode AbutContactPartForce(const AbutContactPart *barrier, PetscReal scale, PetscReal work[], PetscInt num_owned,
                                                 PetscReal force[]);

/** Follower pressure and gas. */
typedef struct {
  AbutPressures pressures; /* borrowed; NULL: none */
  PetscReal     factor;    /* c2 [s^2] */
} AbutPressurePart;
PETSC_EXTERN const AbutTermOps AbutPressureTerm; /* ctx: AbutPressurePart with pressures */

/** Ties between surfaces. */
typedef struct {
  AbutTies  ties;   /* borrowed; NULL: none */
  PetscReal factor; /* c2 [s^2] */
} AbutTiePart;
PETSC_EXTERN const AbutTermOps AbutTieTerm; /* ctx: AbutTiePart with ties */

/** Lagged friction. */
typedef struct {
  AbutFriction   friction;   /* borrowed */
  AbutConstraint constraint; /* motion of half spaces */
  PetscReal      contact_c2; /* [s^2] */
} AbutFrictionPart;
PETSC_EXTERN const AbutTermOps AbutFrictionTerm; /* ctx: AbutFrictionPart */

PETSC_EXTERN const AbutTermOps AbutVertexConstraintTerm; /* ctx: AbutConstraint; augmented Lagrangian of prescribed vertices */
PETSC_EXTERN const AbutTermOps AbutPlaneConstraintTerm;  /* ctx: AbutConstraint; augmented Lagrangian of half spaces */

/**
  Predicted contacts: the first pairs that a direction p would bring closer than a limit, as springs of the Hessian without energy. The
  spring of a pair is stiffness / 2 (r + u . p')^2 for another direction p': r + u . p' is the gap at the end of p', linearised where CCD
  stops p, minus the wanted gap. Initialise with zeros but for the first three members.
**/
typedef struct {
  MPI_Comm    comm;          /* borrowed */
  AbutContact contact;       /* finder of the candidates; borrowed */
  PetscInt    dim;           /* 2 or 3 */
  PetscReal   stiffness;     /* of each spring [kg] */
  PetscInt    num, capacity; /* springs on this rank; a caller removes all by num = 0 */
  PetscInt   *vertices;      /* [num * 4] global indices; -1 beyond the vertices of the pair */
  PetscReal  *slopes;        /* [num * 12] u: gradient of the gap by the vertices */
} AbutPrediction;
PETSC_EXTERN const AbutTermOps AbutPredictionTerm; /* ctx: AbutPrediction */

/** Pairs to predict, and their gaps. */
typedef struct {
  PetscReal slack, floor; /* pairs that fall below min((1 - slack) d, floor [m]), d their distance at the start of the direction */
  PetscReal horizon;      /* fraction of the direction within which they do so, in (0, 1] */
  PetscReal wanted;       /* [m] gap that a spring aims at, but half the distance at the start if that is less */
} AbutPredictionLimit;

/**
  @brief Adds a spring for each candidate that the last searched line brings closer than the limit up to the horizon. Collective.
  @param[in]  limit     see AbutPredictionLimit
  @param[out] gradient  [num_vertices * dim] work space, see AbutObjectiveGetWork(); on return the owned part is the sum of the gradients
                        of the new springs at p' = 0 [kg m]
  @param[out] added     new springs on all ranks
**/
PETSC_EXTERN PetscErrorCode AbutPredictionAdd(AbutPrediction *prediction, const AbutPredictionLimit *limit, PetscReal gradient[],
                                              PetscInt *added);

/** @brief Frees the arrays. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPredictionFree(AbutPrediction *prediction);

/* Options: the program checks the command line by these tables */

PETSC_EXTERN const AbutOptionTable AbutObjectiveOptions; /**< Incremental potential */
