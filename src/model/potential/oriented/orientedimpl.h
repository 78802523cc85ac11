/*
  The orientation-aware contact potentials [Huang et al. 2025], "oipc" and "gcp": a sum over pairs (a, b) of surface primitives of

      W_a(d) W_b(-d) p(|d|) m,    W = (measure) (tangent term) (normal term),

  d from the closest point of a to that of b, m a mollifier at the ends of edges and boundaries of faces ("gcp" only). W depends on the
  one-ring neighbourhood of the primitive. The stencil of a pair is the stencil of a followed by the stencil of b; a vertex in both
  occurs twice. At small distances a second pair of the same primitives, without tangent and normal terms, keeps the sides of a crushed body
  from meeting.

  All factors of an active pair are positive. The derivatives of the value follow from its logarithm, a sum of terms of few
  variables: with l the gradient and M the Hessian of the logarithm, grad = value l and hess = value (l l^T + M). Variables are d, which
  is independent until the end, and the vertices of the stencil. They are numbered by slots of dim numbers: slot 0 is d, slot 1 + s is
  vertex s.
*/
#pragma once
#include "potentialimpl.h"

/* 1 / x^power; powers 1 and 2, the usual ones, avoid pow(). */
static inline PetscReal AbutOrientedInversePower(PetscReal x, PetscReal power)
{
  return power == 2 ? 1 / (x * x) : power == 1 ? 1 / x : PetscPowReal(x, -power);
}

/* ---- functions of one variable; derivatives where not NULL ---- */

/* Cubic spline B on [-1, 1]: 2/3 - 4 x^2 (1 - |x|) up to 1/2, 4/3 (1 - |x|)^3 beyond. C^2. */
PETSC_INTERN PetscReal AbutOrientedSpline(PetscReal x, PetscReal *df, PetscReal *ddf);
/* Barrier p: B(x) / x^power, x > 0. */
PETSC_INTERN PetscReal AbutOrientedBarrier(PetscReal x, PetscReal power, PetscReal *df, PetscReal *ddf);
/* Smoothed Heaviside step H^{alpha,beta}: 0 for z <= -alpha, 1 for z >= beta; alpha + beta > 0. C^2. */
PETSC_INTERN PetscReal AbutOrientedStep(PetscReal z, PetscReal alpha, PetscReal beta, PetscReal *df, PetscReal *ddf);
/* Mollifier from 0 at z = 0 to 1 at z = 1: 1 - (1 - z)^2, C^1 at 1, with a jump of the slope at 0. */
PETSC_INTERN PetscReal AbutOrientedBlend(PetscReal z, PetscReal *df, PetscReal *ddf);
/* Mollifier that is C^1 at both ends: z^2 (3 - 2 z). */
PETSC_INTERN PetscReal AbutOrientedRamp(PetscReal z, PetscReal *df, PetscReal *ddf);

/* ---- vectors that depend on a few points ---- */

typedef struct {
  PetscInt      dim, n;   /* n points, at most 4 */
  PetscBool     normal;   /* a normal; else the difference of the closest points of `frame` */
  PetscReal     v[3];     /* value */
  PetscReal     J[3][12]; /* derivatives, dim x (n dim) */
  AbutDistFrame frame;
} AbutOrientedVector;

/*
  Closest point of the first side of the form minus the closest point of its second side. Value: sets the value; Jacobian: adds the
  derivatives to a value; Difference: both.
*/
PETSC_INTERN void AbutOrientedDifferenceValue(AbutDistForm form, PetscInt dim, const PetscReal x[], AbutOrientedVector *vector);
PETSC_INTERN void AbutOrientedDifferenceJacobian(AbutOrientedVector *vector);
PETSC_INTERN void AbutOrientedDifference(AbutDistForm form, PetscInt dim, const PetscReal x[], AbutOrientedVector *vector);
/* Outward normal of a face, its length twice the area. 2D: normal of a directed edge, to its right, of the edge's length. */
PETSC_INTERN void AbutOrientedNormal(PetscInt dim, const PetscReal x[], AbutOrientedVector *vector);
/* Hessian of g . v over the points, [(n dim)^2]. */
PETSC_INTERN void AbutOrientedVectorHessian(const AbutOrientedVector *vector, const PetscReal g[], PetscReal H[]);
/* Gradient and Hessian of the weight frame.c[p] of point p in a difference; H may be NULL. */
PETSC_INTERN void AbutOrientedPointWeight(const AbutOrientedVector *vector, PetscInt p, PetscReal g[], PetscReal H[]);

/* ---- derivatives of a logarithm over slots ---- */

typedef struct {
  PetscInt        dim, size; /* size = dim * number of slots */
  PetscReal      *g, *H;     /* [size], [size^2] derivatives of the logarithm; H is NULL if not wanted */
  PetscReal      *s;         /* [size] work space: gradient of the sum that is the argument of a factor */
  PetscBool      *used;      /* [slots] set to true for each slot that receives a contribution; NULL if not wanted */
  const PetscInt *index;     /* [slots] AbutOrientedSupport.index: g and H are over support vertices; NULL: over slots */
} AbutOrientedLog;

/* Row of g and H to which contributions to a slot are added; marks the slot as used. */
static inline PetscInt AbutOrientedIndex(const AbutOrientedLog *log, PetscInt slot)
{
  if (log->used) log->used[slot] = PETSC_TRUE;
  PetscAssertAbort(!log->index || log->index[slot] >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                   "Vertex %" PetscInt_FMT " of a stencil has derivatives but is not in the support", slot - 1);
  return log->index ? log->index[slot] : slot;
}

/* log.g += g, log.H += H over n slots; g [n dim], H [(n dim)^2] or NULL. */
PETSC_INTERN void AbutOrientedAdd(AbutOrientedLog *log, PetscInt n, const PetscInt slot[], const PetscReal g[], const PetscReal H[]);
/* log.H += H over n points whose first rows in log.H are `at`; H [(n dim)^2]. */
PETSC_INTERN void AbutOrientedAddBlocks(AbutOrientedLog *log, PetscInt n, const PetscInt at[], const PetscReal H[]);
/* log.H += b s s^T, log.g += a s; then s = 0. */
PETSC_INTERN void AbutOrientedAddSum(AbutOrientedLog *log, PetscReal a, PetscReal b);

/* ---- surface ---- */

typedef enum { ABUT_ORIENTED_VERTEX, ABUT_ORIENTED_EDGE, ABUT_ORIENTED_FACE } AbutOrientedKind;

/* A vertex, edge or face with the one-ring neighbourhood that its weight depends on. The arrays belong to the surface. */
typedef struct {
  AbutOrientedKind kind;
  PetscInt         n;           /* vertices of its stencil, its own first */
  const PetscInt  *v;           /* [n] contact vertices */
  PetscInt         num_normals; /* incident faces; in 2D edges */
  const PetscInt (*normal)[3];  /* [num_normals] their vertices as positions in v, oriented: three, in 2D two */
  PetscBool oriented;           /* has an inner and an outer side */
  PetscBool anywhere;           /* repels in all directions: its weight has no angle terms */
  PetscReal rest;               /* measure at rest, used instead of the current one; 0: the current one is used */
} AbutOrientedPrimitive;

/* The one-rings of a surface with the stencils of its vertices and edges. */
typedef struct {
  PetscInt           dim;
  PetscInt           num[3]; /* vertices, edges, faces: by AbutOrientedKind */
  const AbutOneRing *r;      /* borrowed */
  const PetscInt    *id;     /* [num[0]] borrowed: numbers that order the vertices equally on all ranks; NULL: their indices */
  PetscInt
    *stencil[2]; /* of vertices: own vertex, then the far ends of its edges; of edges: own vertices, then the far vertices of its faces */
  PetscInt (*normal[2])[3]; /* 3D: faces at vertices, at edges, as positions in the stencil */
  PetscReal *rest[3];       /* [num] measures at rest of all primitives; NULL: measures follow the deformation */
} AbutOrientedSurface;

/* Sets up the stencils, in which edges and faces are in the order of their numbers. */
PETSC_INTERN PetscErrorCode AbutOrientedSurfaceCreate(PetscInt dim, PetscInt num_vertices, const AbutOneRing *r,
                                                      AbutOrientedSurface **surface);
PETSC_INTERN PetscErrorCode AbutOrientedSurfaceDestroy(AbutOrientedSurface **surface);
PETSC_INTERN void AbutOrientedGetPrimitive(const AbutOrientedSurface *surface, AbutOrientedKind kind, PetscInt i, AbutOrientedPrimitive *p);

/* ---- weight W of one primitive ---- */

/*
  The two published forms. GCP [authors' library]: a pair acts only if its closest points are inside both primitives; a mollifier reduces
  it towards their boundaries; measures are local areas. OIPC [paper]: a pair acts wherever its closest points are; angles use mollified
  closest points and are also tested along the primitive itself; measures are multiplied by powers of the length L.
*/
typedef enum { ABUT_ORIENTED_GCP, ABUT_ORIENTED_OIPC } AbutOrientedMember;

typedef struct {
  PetscReal          alpha_t, beta_t; /* tangent terms: steps H^{alpha_t,beta_t} */
  PetscReal          alpha_n, beta_n; /* normal terms: steps H^{alpha_n,beta_n} */
  PetscReal          power;           /* power of the distance in the barrier; OIPC: dim - 1 */
  AbutOrientedMember member;
  PetscReal          length;          /* OIPC: length L that multiplies measures [m] */
  PetscReal          mollifier_width; /* OIPC: largest width of the mollifier of closest points, as a fraction of the primitive */
  PetscReal          mollifier_ratio; /* OIPC: largest width of the mollifier over the distance of the pair */
} AbutOrientedSpec;

/* Measure of a primitive at points x of its stencil, without the powers of the length L. */
PETSC_INTERN PetscReal AbutOrientedMeasure(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, const PetscReal x[]);
/* Replaces the measures of all primitives by those at positions `rest` of the vertices. */
PETSC_INTERN PetscErrorCode AbutOrientedSurfaceSetRest(AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const PetscReal rest[]);
/*
  Weight W of a primitive, 0 if it is inactive. x: points of its stencil; d: difference of the closest points; side: +1 if d points away
  from the primitive, -1 if towards it.
*/
PETSC_INTERN PetscReal AbutOrientedWeightValue(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                                               const PetscReal d[], const PetscReal x[]);
/* Adds the derivatives of log W, for W > 0. Vertex k of the primitive's stencil has slot first + k. */
PETSC_INTERN void AbutOrientedWeightLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                                        const PetscReal d[], const PetscReal x[], PetscInt first, AbutOrientedLog *log);

/* ---- closest points of a pair ---- */

/* A function of the core with its derivatives. */
typedef struct {
  PetscReal v, g[12], H[144];
} AbutOrientedJet;

/* Vertices of both primitives of a pair ("core") in the order of geom.h, and the features that are closest. */
typedef struct {
  const AbutOrientedSpec *spec;
  AbutPairKind            kind;
  PetscInt                dim, n, N; /* n vertices, N = n dim */
  PetscInt                order;     /* highest order of the requested derivatives */
  const PetscReal        *x;         /* [N] */
  const AbutClosest      *closest;
} AbutOrientedCore;

/* Mollifier m of a pair. */
PETSC_INTERN PetscReal AbutOrientedMollifier(const AbutOrientedCore *core);
/* Whether a closest point is so near to an end or boundary that mollification moves it. d: difference of the closest points. */
PETSC_INTERN PetscBool AbutOrientedIsMollified(const AbutOrientedCore *core, const AbutOrientedVector *d);
/* Difference d of the mollified closest points and the weights of the vertices in it, with derivatives up to core->order. */
PETSC_INTERN void AbutOrientedMollifiedDirection(const AbutOrientedCore *core, AbutOrientedJet weight[4], AbutOrientedVector *d);
/* Hessian of g . d. */
PETSC_INTERN void AbutOrientedMollifiedHessian(const AbutOrientedCore *core, const AbutOrientedJet weight[4], const PetscReal g[],
                                               PetscReal H[]);

/* ---- pairs ---- */

/*
  A pair of primitives. VV: two vertices, EV: edge a and vertex b, EE: two edges, FV: face a and vertex b. In VV and EE, a < b. A vertex a
  with a half space has kind VV and b = -1.
*/
typedef struct {
  AbutPairKind kind;
  PetscInt     a, b;
  PetscReal    dhat;  /* [m] activation distance of the pair */
  PetscBool    inner; /* without angle terms: also repels through the inside of a body */
} AbutOrientedPair;

/* Kind of the first (side 0) or second primitive of a pair. */
static inline AbutOrientedKind AbutOrientedKindOf(const AbutOrientedPair *pair, int side)
{
  static const AbutOrientedKind kind[][2] = {{ABUT_ORIENTED_VERTEX, ABUT_ORIENTED_VERTEX},
                                             {ABUT_ORIENTED_EDGE, ABUT_ORIENTED_VERTEX},
                                             {ABUT_ORIENTED_FACE, ABUT_ORIENTED_VERTEX},
                                             {ABUT_ORIENTED_EDGE, ABUT_ORIENTED_EDGE}};

  return kind[pair->kind][side];
}

/* Adds the derivatives of log(barrier * mollifier) over the slots of the core. d: the value of slot 0 if the distance is |d|, else NULL. */
PETSC_INTERN void AbutOrientedCoreLog(const AbutOrientedPair *pair, const AbutOrientedCore *core, const PetscReal d[],
                                      const PetscInt slot[], AbutOrientedLog *log);

/* Value of a pair at a state. */
typedef struct {
  PetscInt  n;                             /* vertices of the stencil */
  PetscReal dist, d[3];                    /* distance [m] and direction of the angles */
  PetscReal factor[2], barrier, mollifier; /* value = product of these four */
  PetscReal value;                         /* 0: the pair is inactive */
} AbutOrientedPairState;

/*
  The support of a pair: the distinct vertices that it depends on. Most vertices of its stencil have no influence. index[0] = 0; index[1 +
  s]: 1 + position of stencil vertex s in the support, or -1 if it has no influence.
*/
typedef struct {
  PetscInt        n;     /* support vertices */
  const PetscInt *index; /* [1 + stencil vertices]; NULL: derivatives are over the n vertices of the stencil */
  PetscReal       value; /* > 0, known value of the pair, which is not evaluated again */
} AbutOrientedSupport;

/* Requested derivatives of a pair and work space. */
typedef struct {
  PetscReal *scratch; /* [AbutOrientedScratch()] */
  const AbutOrientedSupport
    *support;      /* support over which derivatives are wanted, with the known value; NULL: the whole stencil, and the value is computed */
  PetscBool *used; /* [1 + n] result: used[1 + s] tells whether stencil vertex s has influence; NULL: not wanted */
  PetscReal *g, *H; /* [n dim], [(n dim)^2] results; 0 for inactive pairs; NULL: not wanted */
} AbutOrientedOutput;

/* Number of vertices of a pair's stencil. */
PETSC_INTERN PetscInt AbutOrientedPairSize(const AbutOrientedSurface *surface, const AbutOrientedPair *pair);
/* Lists the vertices of the stencil [size]: first of a, then of b. */
PETSC_INTERN void AbutOrientedPairVertices(const AbutOrientedSurface *surface, const AbutOrientedPair *pair, PetscInt v[]);
/*
  Size of the stiffness of a pair at half its activation distance, where no angle reduces it: its value there over the square of that
  distance. scratch: [dim * vertices of its stencil].
*/
PETSC_INTERN PetscReal AbutOrientedPairStiffness(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec,
                                                 const AbutOrientedPair *pair, const PetscReal x[], PetscReal scratch[]);
/* Length of AbutOrientedOutput.scratch for pairs of n vertices. */
PETSC_INTERN size_t AbutOrientedScratch(PetscInt dim, PetscInt n);
/* Value of a pair and requested derivatives; x: positions of all vertices. */
PETSC_INTERN void AbutOrientedEvaluate(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                                       const PetscReal x[], const AbutOrientedOutput *out, AbutOrientedPairState *state);

/*
  AbutOrientedEvaluate() of a vertex and a half space, which counts as a face of area L^(dim-1) without angle terms. height: of the vertex
  above the half space [m], > 0.
*/
PETSC_INTERN void AbutOrientedEvaluatePlane(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                                            const PetscReal normal[], PetscReal height, const PetscReal x[], const AbutOrientedOutput *out,
                                            AbutOrientedPairState *state);

/*
  Projects count <= ABUT_SIMD_WIDTH symmetric matrices, stored one after the other in A, to positive semidefinite. Matrix l is over m[l]
  points. free: translations are in its kernel. The result for a matrix does not depend on the others. The largest matrix determines the
  cost.
*/
PETSC_INTERN void AbutOrientedProject(PetscInt dim, PetscBool free, AbutProjection projection, PetscInt count, const PetscInt m[],
                                      PetscReal A[], PetscReal scratch[]);
/* Length of the scratch array for matrices of at most n rows. */
PETSC_INTERN size_t AbutOrientedProjectScratch(PetscInt n);

/* ---- pairs of a candidate, adaptive activation distances ---- */

/* Activation distances of primitives [m]. */
typedef struct {
  PetscReal  dhat;  /* of all primitives of a kind whose array is NULL */
  PetscReal *of[3]; /* [AbutOrientedSurface.num] per vertex, edge, face */
  PetscReal  inner; /* largest activation distance of a pair without angle terms; 0: there are no such pairs */
} AbutOrientedDhat;

#define ABUT_ORIENTED_MAX_PAIRS 14 /* largest number of pairs of a candidate */
#define ABUT_ORIENTED_INNER \
  1e-2 /* largest activation distance of a pair without angle terms, over that of the pair and over the length L */

/* A candidate of the search at a distance [m]: edge and vertex, face and vertex, or two edges. */
typedef struct {
  AbutPairKind kind;
  PetscInt     a, b;
  PetscReal    dist;
} AbutOrientedCandidate;

/* Distance of a candidate [m] at positions x. */
PETSC_INTERN PetscReal AbutOrientedCandidateDistance(const AbutOrientedSurface *surface, AbutPairKind kind, PetscInt a, PetscInt b,
                                                     const PetscReal x[]);
/*
  Lists the pairs of primitives that a candidate represents, active or not: in OIPC all pairs within the activation distance, in GCP only
  pairs whose closest points are inside both primitives. Returns their number. Each pair occurs at exactly one of the candidates within
  dhat. Candidates are edge-vertex pairs in 2D; in 3D face-vertex, edge-edge, and vertices with edges that have no face.
*/
PETSC_INTERN PetscInt AbutOrientedCandidatePairs(const AbutOrientedSurface *surface, AbutOrientedMember member,
                                                 const AbutOrientedDhat *dhat, const AbutOrientedCandidate *candidate, const PetscReal x[],
                                                 AbutOrientedPair pairs[ABUT_ORIENTED_MAX_PAIRS]);
/* Limits the activation distances of both primitives of a pair to `to` [m]. */
PETSC_INTERN void AbutOrientedLowerDhat(const AbutOrientedPair *pair, PetscReal to, AbutOrientedDhat *dhat);
/* Limits the activation distance of a face to the minimum over its vertices and edges, of an edge to the minimum over its vertices. */
PETSC_INTERN void AbutOrientedPropagateDhat(const AbutOrientedSurface *surface, AbutOrientedDhat *dhat);
