/**
  @file potential.h
  @brief Contact potentials: energies that grow without bound as the distance of two surface primitives tends to 0.

  A potential is a sum over pairs of primitives (vertex, edge, face; half space and vertex),
  \f[ \Psi(x) = \kappa \sum_k w_k \, m_k(x) \, \phi(d_k(x)), \f]
  with stiffness \f$\kappa\f$, weight \f$w_k\f$, mollifier \f$m_k\f$ and a barrier \f$\phi\f$ that is 0 from the activation distance
  \f$\hat d\f$ on. The types differ in these four. In the formulas, \f$n\f$ is the dimension of space, \f$d\f$ the distance of the pair and
  \f[ b(s; \hat s) = -(s - \hat s)^2 \ln(s / \hat s), \quad 0 < s < \hat s \f]
  the clamped log barrier [Li et al. 2020, Incremental Potential Contact (IPC), eq. 6].

  **ipc** [Li et al. 2020]: \f$w_k\f$ = 1 and \f$\phi = b(d^2; \hat d^2)\f$ [m^4]. \f$m_k\f$ is AbutMollifier() of nearly parallel edges
  (IPC eq. 24), else 1. \f$\kappa\f$: energy / m^4.

  **convergent-ipc** [Li et al. 2023, Convergent Incremental Potential Contact]: \f$\phi = b(d^2; \hat d^2) / \hat d^3\f$ [m]; \f$w_k\f$ is
  an area [m^2; 2D: m] that counts each closest feature once; stencils that the sum counts too often have a negative weight. \f$\kappa\f$:
  energy / m^3 (2D: m^2), so Pa (2D: N/m) for an energy in J; independent of mesh refinement.

  **oipc** [Huang et al. 2025, section 4.4]: sum over pairs of primitives a, b with difference \f$d\f$ of their closest points, from a to b,
  \f[ \Psi = \kappa \sum_{a,b} A_a A_b \, \gamma_a(\delta) \, \gamma_b(-\delta) \, \frac{3}{2} \,
       \frac{B(|d| / \epsilon)}{|d|^{n-1}}, \qquad
       A_a = L^{n-1-\dim a} |a|, \f]
  \f[ \gamma_a(\delta) = \prod_t H^{\alpha,\beta}\!\left(-\frac{\delta \cdot t}{|\delta||t|}\right)
       H^{1,0}\!\left(\sum_f H^{\alpha,\beta}\!\left(\frac{\delta \cdot n_f}{|\delta|}\right) - 1\right), \f]
  with \f$\delta\f$ the difference of the mollified closest points, \f$t\f$ the tangents from the primitive into the surface around it,
  \f$n_f\f$ the outward normals of its faces (2D: edges), \f$B\f$ the cubic spline on [-1, 1], \f$H^{\alpha,\beta}\f$ a step from 0 at
  \f$-\alpha\f$ to 1 at \f$\beta\f$, \f$|a|\f$ its AbutPotentialSpec.measure, \f$L\f$ AbutPotentialSpec.length. \f$\epsilon\f$ is the
  smaller activation distance of the two primitives (adaptive dhat). \f$\kappa\f$: energy / m^2 (2D: m).

  **gcp**: oipc as the authors' library computes it: \f$B(|d|/\epsilon) / (|d|/\epsilon)^2\f$, \f$\delta = d\f$, \f$A_a\f$ local areas;
  a pair acts only if its closest points are inside both primitives, and a mollifier fades it out towards their boundaries. \f$\kappa\f$:
  energy / m^4 (2D: m^2).

  A new potential is one file, which defines an AbutPotentialType (src/model/potential/potentialimpl.h), and one line in
  src/model/potential/potential_types.h: scene reader, checks and output query AbutPotentialInfo.
**/
#pragma once
#include <abut/contact.h>
#include <abut/dense.h>
#include <abut/linalg.h>

/** Contact potential of one type. */
typedef struct _p_AbutPotential *AbutPotential;

/** Members of AbutPotentialSpec that a type reads, as bits of AbutPotentialInfo.reads. */
typedef enum { ABUT_SPEC_ALPHA = 1, ABUT_SPEC_BETA = 2, ABUT_SPEC_LENGTH = 4, ABUT_SPEC_MEASURE = 8 } AbutPotentialSpecField;

/** Properties of a type of potential. */
typedef struct {
  const char *name;          /* of AbutPotentialCreate() and of the scene key contact.potential */
  const char *help;          /* description with its source, for the scene reference */
  const char *unit[2];       /* unit of the number contact.stiffness in 2D and 3D */
  PetscBool   oriented;      /* distinguishes the outer side of a closed surface from the inner one */
  PetscBool   adaptive_dhat; /* AbutPotentialSetUp() lowers the activation distance of primitives that are close at the start */
  PetscBool   area_weighted; /* AbutStencil.weight is an area, not a number of merged pairs */
  PetscBool   physical;      /* kappa is a force over a power of a length; else a mass over a power of a length (energy times s^2) */
  unsigned    reads;         /* AbutPotentialSpecField bits */
} AbutPotentialInfo;

/** Names of all types, NULL at the end. */
PETSC_EXTERN const char *const AbutPotentialNames[];

/** Properties of all types, in the order of AbutPotentialNames. */
PETSC_EXTERN const AbutPotentialInfo *const AbutPotentialInfos[];

/**
  @brief Finds the properties of a type. Not collective.
  @param[in]  name  one of AbutPotentialNames
  @param[out] info  static data; NULL after an error
  Errors: ABUT_ERR_INPUT if no type has this name; the message lists the valid names.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialFindInfo(const char name[], const AbutPotentialInfo **info);

/** Statistics of a state on this rank. */
typedef struct {
  PetscInt  contacts;       /* active primitive pairs, each counted once: their sum over ranks does not depend on the number of ranks */
  PetscInt  stencils;       /* after pairs with the same closest features are merged */
  PetscReal min_dist;       /* [m] over all candidates; PETSC_INFINITY if there are none */
  PetscReal min_dist_ratio; /* smallest distance / activation distance of the active pairs; PETSC_INFINITY if there are none */
} AbutPotentialStats;

/**
  @brief Creates a potential with stiffness 1, alpha 1/2 and beta 0. Collective.
  @param[in]  comm  borrowed until AbutPotentialDestroy()
  @param[in]  type  one of AbutPotentialNames; not kept
  @param[out] pot   NULL after an error
  Errors: ABUT_ERR_INPUT if there is no such type.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialCreate(MPI_Comm comm, const char type[], AbutPotential *pot);

/** @brief Frees the object; does nothing if *pot is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialDestroy(AbutPotential *pot);

/** @brief Properties of the potential's type, static data. Not collective. */
PETSC_EXTERN const AbutPotentialInfo *AbutPotentialGetInfo(AbutPotential pot);

/**
  @brief Sets the activation distance; the state is lost. Logically collective.
  @param[in] dhat  [m] > 0
  Errors: ABUT_ERR_INPUT if dhat is not positive and finite; the potential keeps its old value.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialSetDhat(AbutPotential pot, PetscReal dhat);

/** Shape whose measures (lengths, areas) weight the pairs of primitives. */
typedef enum { ABUT_PAIR_MEASURE_DEFORMED, ABUT_PAIR_MEASURE_REST } AbutPairMeasure;
PETSC_EXTERN const char *const AbutPairMeasures[]; /* "deformed", "rest" */

/** Parameters of the orientation-aware potentials "oipc" and "gcp"; "convergent-ipc" reads the length, "ipc" none. */
typedef struct {
  PetscReal alpha;  /* (0, 1]: the orientation filters are 0 below the cosine -alpha ... */
  PetscReal beta;   /* [0, 1] ... and 1 above the cosine beta, with a cubic step in between */
  PetscReal length; /* [m] L of the formula ("convergent-ipc": of surfaces without area); 0: mean length of the surface edges at rest */
  AbutPairMeasure measure; /* |a| of the formula: at the current positions, or at rest */
} AbutPotentialSpec;

/**
  @brief Sets the parameters; before AbutPotentialSetUp(). Logically collective.
  @param[in] spec  copied
  Errors: ABUT_ERR_INPUT if a value is out of its range; the potential keeps its old values.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialSetSpec(AbutPotential pot, const AbutPotentialSpec *spec);

/**
  @brief Prepares the potential from the mesh; after AbutPotentialSetDhat(), before the searches that it evaluates. Collective.

  All types but "ipc" switch on the one-ring neighbourhoods of `contact`. "oipc" and "gcp" also search pairs at AbutMeshGetStart() and
  lower the activation distance of each primitive of a pair that would be active there to half the distance of the pair [Huang et al. 2025,
  section 4.4]. A face gets at most the activation distance of its vertices and edges, an edge at most that of its vertices.
  @param[in]     mesh     read, not kept
  @param[in,out] contact  receives the activation distances and is searched; not kept
  Errors: ABUT_ERR_INPUT if the mesh or dimension does not suit the parameters; the potential cannot be used then.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact);

/**
  @brief Number of pairs, over all ranks, that would be active at the start with dhat for all primitives. Not collective.
  AbutPotentialSetUp() has lowered activation distances so that none of them is active. 0 for types without adaptive dhat.
**/
PETSC_EXTERN PetscInt64 AbutPotentialGetRestPairs(AbutPotential pot);

/**
  @brief Representative activation distance of the first contacts [m]. Not collective.
  The geometric mean of the lowered activation distances of vertices, since primitives that are close at the start touch first; dhat if
  none is lowered.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialGetRestDhat(AbutPotential pot, PetscReal *dhat);

/**
  @brief Contact force of one vertex at half its activation distance for unit stiffness [energy / m per unit of kappa]. Not collective.
  Relates kappa to a contact pressure.
  @param[in] dhat  [m] activation distance of the vertex, > 0
  @param[out] force  >= 0
**/
PETSC_EXTERN PetscErrorCode AbutPotentialGetReferenceForce(AbutPotential pot, PetscReal dhat, PetscReal *force);

/**
  @brief Sets the barrier stiffness. Logically collective. The state stays valid: derivatives use the stiffness at the time of the call.
  @param[in] kappa  > 0, in the unit of the energy per m^4 (ipc), m^3 (convergent-ipc; 2D: m^2), m^2 (oipc; 2D: m), m^4 (gcp; 2D: m^2). The
                    energy of AbutStepper is in J s^2: for physical types it passes the scene's number times contact c^2 [s^2], for
                    "ipc" the number itself (objective.h)
  Errors: ABUT_ERR_INPUT if kappa is not positive and finite; the potential keeps its old value.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialSetStiffness(AbutPotential pot, PetscReal kappa);

/**
  @brief Energy of all candidates, without a state. Not collective.
  @param[in]  candidates  of AbutContactGetCandidates(); borrowed during the call
  @param[in]  xt          [num_vertices * dim] positions of the contact vertices
  @param[out] energy      of this rank's candidates; PETSC_INFINITY if a distance is 0 or a vertex is on or behind a half space
**/
PETSC_EXTERN PetscErrorCode AbutPotentialEnergy(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[],
                                                PetscReal *energy);

/**
  @brief Finds the active stencils at positions xt, merged by closest features, in an order that only depends on vertex ids. Not collective.

  Gradient, Hessian and all queries below use this state, at the stiffness at the time of the call.
  @param[in] candidates  borrowed: must not change until the next state
  @param[in] xt          [num_vertices * dim] copied
  A state of infinite energy is no error: min_dist is 0, and its derivatives are meaningless.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialSetState(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[]);

/** @brief Statistics of the state on this rank. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialGetStats(AbutPotential pot, AbutPotentialStats *stats);

/** @brief g += scale * gradient of the state's energy, over contact vertices [num_vertices * dim]. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialAddGradient(AbutPotential pot, PetscReal scale, PetscReal g[]);

/** @brief Adds scale * Hessian of the state's energy, projected stencil by stencil. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);

/**
  @brief Stencils for the matrix pattern, in global vertex indices. Not collective.
  @param[in]  all     all candidates are listed ahead of their activation; otherwise pairs closer than dhat, whose stencils may change
  @param[out] active  stencils of the state
  @param[out] ahead   these pairs; the arrays of both lists belong to the potential, until the next call
**/
PETSC_EXTERN PetscErrorCode AbutPotentialGetPattern(AbutPotential pot, PetscBool all, AbutStencilList *active, AbutStencilList *ahead);

#define ABUT_POINT_VERTICES 4 /* most vertices of a contact: a face and a vertex, or two edges */

/**
  An active stencil of the state, for output, tests and the check of quasi-static bodies without support.

  A mollified pair of edges (eps_cross > 0) has n = 4 vertices: two of edge a, then two of edge b. `form` names its closest features. If
  `fixed`, the distance is between vertices 0 and 2 (POINT_POINT), vertex 0 and line 2 3 (POINT_LINE) or lines 0 1 and 2 3 (LINE_LINE);
  else it is AbutPairDist2(ABUT_PAIR_EE, ...). The vertices of a vertex-vertex stencil and the ends of the edge of an edge-vertex stencil
  are in the order of their ids.
**/
typedef struct {
  PetscInt     n, v[ABUT_POINT_VERTICES]; /* contact vertices in the order of the form; a half-space contact has n = 1 */
  AbutDistForm form;                      /* closest features */
  PetscInt     plane;                     /* half space, or -1 */
  PetscReal    weight;                    /* multiplicity; if AbutPotentialInfo.area_weighted: area [m^2, 2D: m], which may be negative */
  PetscReal    dist2;                     /* [m^2] */
  PetscReal    eps_cross;                 /* mollifier threshold [m^4], 0 if there is no mollifier */
  PetscBool    fixed; /* the distance of a mollified pair is between the features of `form`, even if others are closer */
} AbutStencil;

/** @brief Stencils of the state; borrowed until the next state. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);

/** A contact for friction, adaptive stiffness, moving half spaces and output: two closest points and the force between them. */
typedef struct {
  PetscInt n, v[ABUT_POINT_VERTICES]; /* contact vertices: first side, then second side */
  PetscInt plane;                     /* half space that is the second side, or -1 */
  PetscInt first;                     /* number of vertices of the first side */
  PetscReal
    weight[ABUT_POINT_VERTICES]; /* sum of weight x = closest point of the first side - closest point of the second (half space: 0) */
  PetscReal normal[3];           /* unit vector from the second side to the first */
  PetscReal dist;                /* [m] */
  PetscReal dhat;                /* [m] activation distance of the pair */
  PetscReal force;               /* - d energy / d dist with weight, mollifier and stiffness [energy / m]; < 0 if the weight is */
  PetscReal force_vector[3];     /* force on the first side [energy / m]: force * normal; "oipc", "gcp": total force of the pair */
  PetscInt  pairs;               /* merged primitive pairs: their sum over ranks does not depend on the number of ranks */
} AbutContactPoint;

/**
  @brief Contact points of the state at the current stiffness; borrowed until the next call. Not collective. Their forces sum to the
  contact force: a mollified pair of edges acts at its closest points, with the mollifier as weight. The points of "convergent-ipc" include
  negative weights.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);

/* The clamped log barrier of IPC: pure functions */

/**
  @brief \f$b(s; \hat s) = -(s - \hat s)^2 \ln(s / \hat s)\f$ for \f$0 < s < \hat s\f$, 0 for larger s, PETSC_INFINITY for s <= 0.
  Source: IPC eq. 6, in squared distances.
  @param[in]  s, shat  [m^2] squared distance and squared activation distance
  @param[out] db, ddb  first and second derivative in s; NULL if not needed
  @return [m^4]
**/
PETSC_EXTERN PetscReal AbutBarrier(PetscReal s, PetscReal shat, PetscReal *db, PetscReal *ddb);

/**
  @brief Edge-edge mollifier \f$(2 - c/\epsilon) \, c/\epsilon\f$ for \f$c < \epsilon\f$, 1 for larger c. Source: IPC eq. 24.
  @param[in]  c, eps   [m^4] squared norm of the cross product of the edges and its threshold
  @param[out] dm, ddm  first and second derivative in c; NULL if not needed
**/
PETSC_EXTERN PetscReal AbutMollifier(PetscReal c, PetscReal eps, PetscReal *dm, PetscReal *ddm);
