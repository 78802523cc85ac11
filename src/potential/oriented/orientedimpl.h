/*
  The orientation-aware contact potential [Huang et al. 2025]: a sum over pairs (a, b) of surface primitives of

      W_a(d) W_b(-d) p(|d|) m,    W = (weight) (tangent term) (normal term),

  d from the closest point of a to that of b, m a mollifier at the ends of edges and borders of faces. W depends on the one-ring of the
  primitive: a pair's stencil are the vertices of a's stencil, then those of b's; a vertex in both comes twice.

  All factors of a pair that counts are positive, so its derivatives come from those of its logarithm, which is a sum of terms of few
  variables each: with l the gradient of the logarithm and M its Hessian,  grad = value l,  hess = value (l l^T + M).
  The variables are d, taken as independent until the end, and the vertices of the stencil: "slots" of dim numbers, d being slot 0.
*/
#pragma once
#include <abut/potential.h>

/* 1 / x^power; the powers that there are take no logarithms. */
static inline PetscReal AbutOrientedInversePower(PetscReal x, PetscReal power)
{
  return power == 2 ? 1 / (x * x) : power == 1 ? 1 / x : PetscPowReal(x, -power);
}

/* Functions of one variable; derivatives where not NULL */

/* Cubic spline on [-1, 1]: 2/3 - 4 x^2 (1 - |x|) up to 1/2, 4/3 (1 - |x|)^3 beyond. C^2. */
PETSC_INTERN PetscReal AbutOrientedSpline(PetscReal x, PetscReal *df, PetscReal *ddf);
/* The spline over x^power, x > 0. */
PETSC_INTERN PetscReal AbutOrientedBarrier(PetscReal x, PetscReal power, PetscReal *df, PetscReal *ddf);
/*
  The barrier in two, each falling and convex: beyond `split` all of it is far; up to there its Taylor polynomial of second order at `split`
  is, which is finite, and the rest near. Both are C^2. split <= 0: all is near.
*/
PETSC_INTERN PetscReal AbutOrientedFar(PetscReal x, PetscReal power, PetscReal split, PetscReal *df, PetscReal *ddf);
PETSC_INTERN PetscReal AbutOrientedNear(PetscReal x, PetscReal power, PetscReal split, PetscReal *df, PetscReal *ddf);
/* Smoothed step: 0 up to -alpha, 1 from beta on; alpha + beta > 0. C^2. */
PETSC_INTERN PetscReal AbutOrientedStep(PetscReal z, PetscReal alpha, PetscReal beta, PetscReal *df, PetscReal *ddf);
/*
  Blends from 0 to 1 for z from 0 to 1, by smoothness. Blend 1, as published: 1 - (1 - z)^2, C^1 at 1, its slope jumps at 0.
  Blend 2: 1 - (1 - z)^3 (1 + 3 z), C^1 at 0 and C^2 at 1, so that z blend(z) and blend(z^2) are C^2 from 0 on.
*/
PETSC_INTERN PetscReal AbutOrientedBlend(PetscInt smoothness, PetscReal z, PetscReal *df, PetscReal *ddf);
/* C^smoothness at both ends: z^2 (3 - 2 z) or z^3 (10 - 15 z + 6 z^2). */
PETSC_INTERN PetscReal AbutOrientedRamp(PetscInt smoothness, PetscReal z, PetscReal *df, PetscReal *ddf);

/* Vectors that depend on a few points */

typedef struct {
  PetscInt      dim, n;   /* points: at most 4 */
  PetscBool     normal;   /* a normal; else the difference of closest points that `frame` describes */
  PetscReal     v[3];     /* value */
  PetscReal     J[3][12]; /* derivatives: dim x (n dim) */
  AbutDistFrame frame;
} AbutOrientedVector;

/* Closest point of the form's first side minus that of its second, by the closed form; its value, then its derivatives; both. */
PETSC_INTERN void AbutOrientedDifferenceValue(AbutDistForm form, PetscInt dim, const PetscReal x[], AbutOrientedVector *vector);
PETSC_INTERN void AbutOrientedDifferenceJacobian(AbutOrientedVector *vector);
PETSC_INTERN void AbutOrientedDifference(AbutDistForm form, PetscInt dim, const PetscReal x[], AbutOrientedVector *vector);
/* Outward normal of a face, twice its area long; in 2D of a directed edge (to its right), as long as the edge. */
PETSC_INTERN void AbutOrientedNormal(PetscInt dim, const PetscReal x[], AbutOrientedVector *vector);
/* Hessian of g . v over the points [(n dim)^2]. */
PETSC_INTERN void AbutOrientedVectorHessian(const AbutOrientedVector *vector, const PetscReal g[], PetscReal H[]);
/* Derivatives of the weight frame.c[p] of a point in a difference; H may be NULL. */
PETSC_INTERN void AbutOrientedWeight(const AbutOrientedVector *vector, PetscInt p, PetscReal g[], PetscReal H[]);

/* Sums of terms over slots */

typedef struct {
  PetscInt        dim, size; /* size = dim * slots */
  PetscReal      *g, *H;     /* [size], [size^2] of the logarithm; H is NULL if not wanted */
  PetscReal      *s;         /* [size] gradient of a sum that is an argument of a factor, while it is gathered */
  PetscBool      *used;      /* [slots] set for those that something was added to; NULL if not wanted */
  const PetscInt *place;     /* [slots] where what is added to a slot goes, 0 first; then `size` is dim * places; NULL: to the slot */
} AbutOrientedLog;

static inline PetscInt AbutOrientedPlace(const AbutOrientedLog *log, PetscInt slot)
{
  PetscAssertAbort(!log->place || log->place[slot] >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
                   "Vertex %" PetscInt_FMT " of a stencil has derivatives but no place", slot - 1);
  return log->place ? log->place[slot] : slot;
}

/* target += g, log.H += scale H, over n slots; g [n dim], H [(n dim)^2] or NULL. */
PETSC_INTERN void AbutOrientedAdd(AbutOrientedLog *log, PetscInt n, const PetscInt slot[], const PetscReal g[], const PetscReal H[],
                                  PetscReal scale, PetscReal target[]);
/* log.H += b s s^T, log.g += a s; then s = 0. */
PETSC_INTERN void AbutOrientedAddSum(AbutOrientedLog *log, PetscReal a, PetscReal b);

/* Surface */

typedef enum { ABUT_ORIENTED_VERTEX, ABUT_ORIENTED_EDGE, ABUT_ORIENTED_FACE } AbutOrientedKind;

/* A vertex, edge or face with the vertices that its factor depends on. Arrays belong to the surface. */
typedef struct {
  AbutOrientedKind kind;
  PetscInt         n;           /* vertices of its stencil, its own first */
  const PetscInt  *v;           /* [n] */
  PetscInt         num_normals; /* incident faces; in 2D edges */
  const PetscInt (*normal)[3];  /* their vertices, oriented, as positions in v; in 2D two */
  PetscBool oriented;           /* has an inner and an outer side */
} AbutOrientedPrimitive;

typedef struct {
  PetscInt dim, num_vertices, num_edges, num_faces;
  PetscInt (*edges)[2];     /* [num_edges] those of the faces included */
  PetscInt (*faces)[3];     /* [num_faces] outward */
  PetscInt (*face_edge)[3]; /* [num_faces] edges (0 1), (1 2), (2 0) */
  PetscBool      *oriented; /* [num_vertices] */
  const PetscInt *id;       /* [num_vertices] borrowed: an order of the vertices that all ranks agree on; NULL: that of their numbers */
  struct {
    PetscInt *start, *v;    /* stencil of primitive i: v[start[i], start[i + 1]) */
    PetscInt *first_normal; /* the same for its normals */
    PetscInt (*normal)[3];
  } ring[2]; /* of vertices, of edges */
} AbutOrientedSurface;

/*
  Copies edges and faces and finds one-rings. In 2D edges run with the solid on their left and there are no faces. oriented: which
  vertices belong to a surface with two sides; NULL: all.
*/
PETSC_INTERN PetscErrorCode AbutOrientedSurfaceCreate(PetscInt dim, PetscInt num_vertices, PetscInt num_edges, const PetscInt edges[][2],
                                                      PetscInt num_faces, const PetscInt faces[][3], const PetscBool oriented[],
                                                      AbutOrientedSurface **surface);
PETSC_INTERN PetscErrorCode AbutOrientedSurfaceDestroy(AbutOrientedSurface **surface);
PETSC_INTERN void AbutOrientedGetPrimitive(const AbutOrientedSurface *surface, AbutOrientedKind kind, PetscInt i, AbutOrientedPrimitive *p);

/* Factors of one primitive */

#define ABUT_ORIENTED_MAX_SAMPLES 8

/*
  The two published members. GCP: as the authors' library computes it; pairs act where their closest points are inside both primitives
  and are mollified towards the borders; weights are local areas. OIPC: as the paper defines it; pairs act wherever their closest points
  are, angles are those of mollified closest points and are taken along the primitive's own directions too, so that a pair fades as the
  other side leaves its primitive's range of normals; weights are measures times powers of a length.
*/
typedef enum { ABUT_ORIENTED_GCP, ABUT_ORIENTED_OIPC } AbutOrientedMember;

typedef struct {
  PetscReal          alpha_t, beta_t; /* tangent terms: none where the cosine is <= -alpha_t, full from beta_t on */
  PetscReal          alpha_n, beta_n; /* normal terms alike */
  PetscReal          power;           /* of the distance in the barrier; OIPC: dim - 1 */
  AbutOrientedMember member;
  PetscReal          length;      /* OIPC: the width [m] that edges and vertices stand for */
  PetscReal          blend, near; /* OIPC: width of the blend of closest points, share of the primitive and of the distance */
  PetscInt           smoothness;  /* derivatives of mollifiers that are continuous: 2, else 1 */
  PetscInt           samples;     /* OIPC: points of an element that far pairs are integrated with, see oriented_sample_pair.c; 0: none */
  PetscInt           along;       /* of them along an edge */
  PetscReal at[ABUT_ORIENTED_MAX_SAMPLES][3], weight[ABUT_ORIENTED_MAX_SAMPLES]; /* their shares of the element's points; weights, sum 1 */
  PetscReal share; /* of the integral over two surfaces: what closest-point terms tend to, in multiples of it */
} AbutOrientedSpec;

/*
  Value of a factor: x the points of the primitive's stencil, d a vector, side +1 if d points away from the primitive, -1 if towards it.
  0 if the primitive does not take part.
*/
PETSC_INTERN PetscReal AbutOrientedFactor(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                                          const PetscReal d[], const PetscReal x[]);
/* Adds the derivatives of the logarithm of a factor that is not 0; the stencil's slots are first, first + 1, ... */
PETSC_INTERN void AbutOrientedFactorLog(PetscInt dim, const AbutOrientedSpec *spec, const AbutOrientedPrimitive *p, PetscReal side,
                                        const PetscReal d[], const PetscReal x[], PetscInt first, AbutOrientedLog *log);

/* Factors of a pair; core: the points of its primitives in the order of geom.h */

PETSC_INTERN PetscReal AbutOrientedMollifier(const AbutOrientedSpec *spec, AbutPairKind kind, PetscInt dim, const PetscReal core[]);
/* A number with derivatives over the core. */
typedef struct {
  PetscReal v, g[12], H[144];
} AbutOrientedJet;

/* Whether the difference of closest points, `plain`, is not that of the mollified ones, being near an end or border. */
PETSC_INTERN PetscBool AbutOrientedIsBlended(const AbutOrientedSpec *spec, AbutPairKind kind, const AbutClosest *closest,
                                             const AbutOrientedVector *plain, const PetscReal core[]);
/* Difference d of the mollified closest points of the n points of a pair, and its points' weights; order: of the derivatives wanted. */
PETSC_INTERN void AbutOrientedBlendedDirection(const AbutOrientedSpec *spec, AbutPairKind kind, PetscInt dim, const AbutClosest *closest,
                                               PetscInt n, const PetscReal core[], PetscInt order, AbutOrientedJet weight[4],
                                               AbutOrientedVector *d);
/* Hessian of g . d. */
PETSC_INTERN void AbutOrientedBlendedHessian(AbutPairKind kind, PetscInt dim, PetscInt n, const PetscReal core[],
                                             const AbutOrientedJet weight[4], const PetscReal g[], PetscReal H[]);

/* Pairs */

/* VV: two vertices, EV: edge, vertex; EE: two edges; FV: face, vertex. Of equal kinds the lower number first. */
typedef struct {
  AbutPairKind kind;
  PetscInt     a, b;
  PetscReal    range;   /* [m] beyond which the pair does not act */
  PetscReal    split;   /* [m] from which on pairs of samples act in its place; 0: nowhere */
  PetscBool    sampled; /* a pair of samples of elements, edges in 2D and faces in 3D: beyond the split; kind says nothing */
} AbutOrientedPair;

/* Of the first (side 0) and the second primitive of a pair. */
static inline AbutOrientedKind AbutOrientedKindOf(PetscInt dim, const AbutOrientedPair *pair, int side)
{
  static const AbutOrientedKind kind[][2] = {{ABUT_ORIENTED_VERTEX, ABUT_ORIENTED_VERTEX},
                                             {ABUT_ORIENTED_EDGE, ABUT_ORIENTED_VERTEX},
                                             {ABUT_ORIENTED_FACE, ABUT_ORIENTED_VERTEX},
                                             {ABUT_ORIENTED_EDGE, ABUT_ORIENTED_EDGE}};

  if (pair->sampled) return dim == 3 ? ABUT_ORIENTED_FACE : ABUT_ORIENTED_EDGE;
  return kind[pair->kind][side];
}

/*
  Derivatives of the logarithm of barrier and mollifier over the core's slots; closest: the features that the distance is between; d: the direction,
  slot 0, if its length is the distance, else NULL.
*/
PETSC_INTERN void AbutOrientedCoreLog(const AbutOrientedSpec *spec, const AbutOrientedPair *pair, PetscInt dim, const AbutClosest *closest,
                                      const PetscReal d[], const PetscReal core[], const PetscInt slot[], AbutOrientedLog *log);

/* A pair at a state. */
typedef struct {
  PetscInt  n;                             /* vertices of the stencil */
  PetscReal dist, d[3];                    /* distance, direction of the angles */
  PetscReal factor[2], barrier, mollifier; /* value = product of the four factors; of samples, whose sum it is: 1, 1, value, 1 */
  PetscReal value;
  PetscReal mean[2][3]; /* of samples: where on either element those that act are in the mean, as shares of its points */
} AbutOrientedPairState;

/*
  Where the derivatives of a pair go that depend on few of its stencil: place[1 + s] in 1 ... n of vertex s of the stencil, the same for
  two that are one vertex, -1 for those that nothing depends on; place[0] = 0.
*/
typedef struct {
  PetscInt        n;
  const PetscInt *place; /* [1 + stencil]; NULL: over the stencil as it is, n vertices */
  PetscReal       value; /* > 0, of the pair, which then is not evaluated anew */
} AbutOrientedPlaces;

/* Vertices of a pair's stencil. */
PETSC_INTERN PetscInt AbutOrientedPairSize(const AbutOrientedSurface *surface, const AbutOrientedPair *pair);
/* Vertices of the stencil: those of a's, then those of b's [size]. */
PETSC_INTERN void AbutOrientedPairVertices(const AbutOrientedSurface *surface, const AbutOrientedPair *pair, PetscInt v[]);
/* Numbers of scratch that pairs of n vertices need. */
PETSC_INTERN size_t AbutOrientedScratch(PetscInt dim, PetscInt n);
/*
  Value of a pair and its derivatives over its stencil: g [n dim], H [(n dim)^2], NULL if not wanted. value == 0: does not act, the
  derivatives are 0. used [1 + n]: after one that means nothing, which vertices of the stencil the value depends on now; NULL if not wanted. places: if not NULL, derivatives are over these n. x: positions of all vertices;
  scratch: of AbutOrientedScratch().
*/
PETSC_INTERN void AbutOrientedEvaluate(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec, const AbutOrientedPair *pair,
                                       const PetscReal x[], PetscReal scratch[], const AbutOrientedPlaces *places,
                                       AbutOrientedPairState *state, PetscBool used[], PetscReal g[], PetscReal H[]);
/*
  The same of a vertex and a half space: a face as large as the square (2D: as long as) the length that the potential goes by, wherever
  the vertex is; the factor of the vertex is that of a pair. height: of the vertex over the plane, > 0.
*/
typedef struct {
  PetscInt         vertex;
  const PetscReal *normal;
  PetscReal        height, range;
} AbutOrientedPlanePair;

PETSC_INTERN void AbutOrientedEvaluatePlane(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec,
                                            const AbutOrientedPlanePair *pair, const PetscReal x[], PetscReal scratch[],
                                            const AbutOrientedPlaces *places, AbutOrientedPairState *state, PetscBool used[], PetscReal g[],
                                            PetscReal H[]);

/*
  Projection of count <= ABUT_SIMD_WIDTH symmetric matrices, the l-th over m[l] points, one after the other in A [(dim m[0])^2 + ...]; free:
  translations are in their kernels. The result for a matrix does not depend on the others, the cost on the largest.
*/
PETSC_INTERN void AbutOrientedProject(PetscInt dim, PetscBool free, AbutProjection projection, PetscInt count, const PetscInt m[],
                                      PetscReal A[], PetscReal scratch[]);
/* Numbers of scratch for matrices of at most n rows. */
PETSC_INTERN size_t AbutOrientedProjectScratch(PetscInt n);

/* Samples */

/* The rule with n points along an edge, at most AbutPotentialInfo.max_quadrature; mean: length of the edges [m]. After spec->length. */
PETSC_INTERN PetscErrorCode AbutOrientedSetSamples(PetscInt dim, PetscInt n, PetscReal mean, AbutOrientedSpec *spec);
/* The distance from which on samples of elements with edges of this length at rest tell distances apart. */
PETSC_INTERN PetscReal AbutOrientedSplitLength(const AbutOrientedSpec *spec, PetscReal edge);
/* AbutOrientedEvaluate() of a pair of samples; g and H over the points of both elements in the order of the stencil. */
PETSC_INTERN void AbutOrientedEvaluateSamples(const AbutOrientedSurface *surface, const AbutOrientedSpec *spec,
                                              const AbutOrientedPair *pair, const PetscReal x[], AbutOrientedPairState *state,
                                              PetscBool used[], PetscReal g[], PetscReal H[]);

/* Which pairs there are */

/* Ranges of primitives [m]: adapted to the rest shape, or all the same. */
typedef struct {
  PetscReal  dhat;
  PetscReal *vertex, *edge, *face; /* NULL: dhat everywhere */
} AbutOrientedRanges;

#define ABUT_ORIENTED_MAX_SPLIT 7

/* Distance of a candidate: of vertex b from edge or face a, of two edges or vertices. */
PETSC_INTERN PetscReal AbutOrientedCandidateDistance(const AbutOrientedSurface *surface, AbutPairKind kind, PetscInt a, PetscInt b,
                                                     const PetscReal x[]);
/*
  Pairs that an edge-vertex, face-vertex or edge-edge candidate stands for, inactive ones included: those within range whose closest
  points are inside the primitives (GCP), all within range (OIPC); dist: that of the candidate. Returns how many. Every pair comes once, if all candidates within
  range are split: in 2D edges and vertices; in 3D faces and vertices, edges and edges, edges without faces and vertices that have some.
*/
PETSC_INTERN PetscInt AbutOrientedSplit(const AbutOrientedSurface *surface, AbutOrientedMember member, const AbutOrientedRanges *ranges,
                                        AbutPairKind kind, PetscInt a, PetscInt b, PetscReal dist, const PetscReal x[],
                                        AbutOrientedPair pairs[ABUT_ORIENTED_MAX_SPLIT]);
/* Sets ranges so that none of these pairs, all active at rest, acts there: to dhat or `ratio` of their distances. */
PETSC_INTERN void AbutOrientedAdaptRanges(const AbutOrientedSurface *surface, PetscReal ratio, PetscInt count,
                                          const AbutOrientedPair pairs[], const PetscReal rest[], AbutOrientedRanges *ranges);
/* Then: a range is at most those of the primitive's parts. */
PETSC_INTERN void AbutOrientedSpreadRanges(const AbutOrientedSurface *surface, AbutOrientedRanges *ranges);
