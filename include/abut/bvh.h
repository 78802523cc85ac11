/**
  @file bvh.h
  @brief Bounding volume hierarchy (BVH) of axis-aligned boxes in flat arrays: four children per node, boxes in single precision.

  Functions are not collective. Only AbutBVHSetSize(), AbutBVHBuild(), AbutBVHSetUp() and AbutBVHCover() allocate.
**/
#pragma once
#include <abut/core.h>
#include <stdint.h>

/** Four floats in one SIMD register. */
typedef float AbutFloat4 __attribute__((vector_size(16)));
/** Four integers in one SIMD register: the result of a comparison of AbutFloat4. */
typedef int32_t AbutInt4 __attribute__((vector_size(16)));

/** An axis-aligned box; the fourth lane of both corners is padding. Empty if lo > hi. */
typedef struct {
  AbutFloat4 lo; /* lower corner */
  AbutFloat4 hi; /* upper corner */
} AbutBox;

/** Boxes of four children, one SIMD lane each. A lane without a child holds an empty box, which overlaps no other box. */
typedef struct {
  AbutFloat4 lo[3]; /* lower corners by coordinate */
  AbutFloat4 hi[3]; /* upper corners by coordinate */
} AbutBVHNode;

#define ABUT_BVH_MAX_LEVELS 17 /* levels of a tree with 2^31 entities and one to spare */

/**
  Implicit tree: `order` is a sequence of the entities. A node of level 0 holds four consecutive entities, a node of level l four
  consecutive nodes of level l - 1. Any sequence gives a valid tree. AbutBVHBuild() finds a sequence with small boxes; AbutBVHRefit()
  computes the boxes of the current sequence. Initialise with zeros.
*/
typedef struct {
  int32_t      n;                              /* number of entities */
  int          levels;                         /* 0 if n = 0 */
  int32_t      start[ABUT_BVH_MAX_LEVELS + 1]; /* first node of a level; level 0 comes first */
  int32_t     *order;                          /* [4 * nodes of level 0], -1 beyond n */
  AbutBVHNode *node;                           /* [start[levels]] */
  uint8_t     *passive;                        /* [start[levels]] bit c: all entities below child c are passive */
  int32_t      capacity;                       /* number of entities that fit the arrays */
  double       extent;                         /* mean edge length of the entities' boxes */
  double       cost;                           /* expected nodes visited by a query per entity found: see AbutBVHRefit() */
  double       cost_built;                     /* cost after the last build; 0: not built yet */
} AbutBVH;

/** Receives overlapping pairs in batches; returns PETSC_FALSE to end the traversal. */
typedef PetscBool (*AbutBVHPairFn)(void *ctx, int count, const int32_t (*pairs)[2]);
/** Receives one entity. */
typedef void (*AbutBVHHitFn)(void *ctx, int32_t entity);

/**
  @brief Makes room for n entities and sets the sequence 0, 1, ..., n - 1. Boxes are undefined until AbutBVHRefit(). Not collective.
  @param[in,out] bvh  tree, reusable
  @param[in]     n    number of entities
  Errors: PETSC_ERR_ARG_OUTOFRANGE if n > INT32_MAX / 8.
**/
PETSC_EXTERN PetscErrorCode AbutBVHSetSize(AbutBVH *bvh, int32_t n);

/** @brief Frees the arrays of a tree. Not collective. */
PETSC_EXTERN PetscErrorCode AbutBVHDestroy(AbutBVH *bvh);

/**
  @brief Finds a sequence with small boxes in O(n log n); AbutBVHRefit() must follow. Not collective.
  @param[in,out] bvh   after AbutBVHSetSize()
  @param[in]     nv    vertices per entity
  @param[in]     v     [n * nv] vertices of the entities
  @param[in]     vbox  boxes of the vertices; the box of an entity is their hull
**/
PETSC_EXTERN PetscErrorCode AbutBVHBuild(AbutBVH *bvh, int nv, const int32_t v[], const AbutBox vbox[]);

/**
  @brief Computes all boxes of the current sequence in O(n), and the `cost` of queries. Not collective.
  @param[in,out] bvh    after AbutBVHSetSize()
  @param[in]     nv     vertices per entity
  @param[in]     v      [n * nv] vertices of the entities
  @param[in]     vbox   boxes of the vertices
  @param[in]     query  edge length of the boxes of queries; 0: mean extent of the entities
**/
PETSC_EXTERN void AbutBVHRefit(AbutBVH *bvh, int nv, const int32_t v[], const AbutBox vbox[], double query);

/** @brief A tree of n entities in one call: AbutBVHSetSize(), AbutBVHBuild(), AbutBVHRefit(). Not collective. */
PETSC_EXTERN PetscErrorCode AbutBVHSetUp(AbutBVH *bvh, PetscInt n, PetscInt nv, const int32_t v[], const AbutBox vbox[]);

/**
  @brief Marks entities as passive: AbutBVHOverlap() finds no pairs of two passive entities. Not collective.
  @param[in,out] bvh      tree with its final sequence; AbutBVHSetSize() makes all entities active again, AbutBVHBuild() needs new marks
  @param[in]     passive  [n] not 0: passive
**/
PETSC_EXTERN void AbutBVHSetPassive(AbutBVH *bvh, const unsigned char passive[]);

/**
  @brief All pairs of an entity of A and an entity of B, not both passive, whose closed boxes overlap. Not collective.
  @param[in] A, B  trees; if A == B each unordered pair of different entities is found once
  @param[in] fn    receives the pairs
  @param[in] ctx   passed on to fn
**/
PETSC_EXTERN void AbutBVHOverlap(const AbutBVH *A, const AbutBVH *B, AbutBVHPairFn fn, void *ctx);

/**
  @brief All entities whose boxes overlap a box. Not collective.
  @param[in] bvh  tree
  @param[in] box  query
  @param[in] fn   receives each entity
  @param[in] ctx  passed on to fn
**/
PETSC_EXTERN void AbutBVHOverlapBox(const AbutBVH *bvh, AbutBox box, AbutBVHHitFn fn, void *ctx);

/** A box of AbutBVHCover(). */
typedef struct {
  AbutBox   box;     /* hull of some entities */
  int       tree;    /* the box covers entities of this tree */
  PetscBool passive; /* all of them are passive */
} AbutBVHPatch;

/**
  @brief Covers the entities of several trees by few boxes: replaces the largest box by the boxes of its children as long as they fit. Not
  collective.
  @param[in]  trees  number of trees
  @param[in]  bvh    [trees]
  @param[in]  reach  [2] boxes: only entities that overlap reach[0], or are not passive and overlap reach[1], need be covered; NULL: all
  @param[in]  max    largest number of boxes, >= trees
  @param[out] count  number of boxes
  @param[out] patch  [max] the boxes
**/
PETSC_EXTERN PetscErrorCode AbutBVHCover(int trees, const AbutBVH *const bvh[], const AbutBox reach[], int max, int *count,
                                         AbutBVHPatch patch[]);

/**
  Largest magnitude of a box coordinate up to rounding: extents, their sums and products of two extents stay finite in single precision.
  Larger coordinates are clamped to it. Clamping is monotone: boxes that overlap still do.
*/
#define ABUT_BOX_LIMIT 2e18

/** @brief A single-precision number that is not above d (unless d < -ABUT_BOX_LIMIT); -ABUT_BOX_LIMIT for NaN. */
static inline float AbutFloatBelow(PetscReal d)
{
  const PetscReal c = d > -ABUT_BOX_LIMIT ? d : -ABUT_BOX_LIMIT;
  const float     f = (float)(c < ABUT_BOX_LIMIT ? c : ABUT_BOX_LIMIT);
  return f - ((f < 0 ? -f : f) * 1.8e-7f + 1e-37f);
}

/** @brief A single-precision number that is not below d (unless d > ABUT_BOX_LIMIT); ABUT_BOX_LIMIT for NaN. */
static inline float AbutFloatAbove(PetscReal d)
{
  const PetscReal c = d < ABUT_BOX_LIMIT ? d : ABUT_BOX_LIMIT;
  const float     f = (float)(c > -ABUT_BOX_LIMIT ? c : -ABUT_BOX_LIMIT);
  return f + ((f < 0 ? -f : f) * 1.8e-7f + 1e-37f);
}

/** @brief Box that contains all points of which no coordinate differs by more than `margin` from that of a point. */
static inline AbutBox AbutBoxAround(PetscInt dim, const PetscReal x[], PetscReal margin)
{
  AbutBox box = {{0}, {0}};

  for (PetscInt k = 0; k < dim; k++) {
    box.lo[k] = AbutFloatBelow(x[k] - margin);
    box.hi[k] = AbutFloatAbove(x[k] + margin);
  }
  return box;
}

/** @brief Lane by lane minimum; b where a lane is NaN. */
static inline AbutFloat4 AbutMin4(AbutFloat4 a, AbutFloat4 b)
{
#if defined(__SSE__) && defined(__GNUC__) && !defined(__clang__)
  return __builtin_ia32_minps(a, b);
#else
  AbutFloat4 c;
  for (int i = 0; i < 4; i++) c[i] = a[i] < b[i] ? a[i] : b[i];
  return c;
#endif
}

/** @brief Lane by lane maximum; b where a lane is NaN. */
static inline AbutFloat4 AbutMax4(AbutFloat4 a, AbutFloat4 b)
{
#if defined(__SSE__) && defined(__GNUC__) && !defined(__clang__)
  return __builtin_ia32_maxps(a, b);
#else
  AbutFloat4 c;
  for (int i = 0; i < 4; i++) c[i] = a[i] > b[i] ? a[i] : b[i];
  return c;
#endif
}

/** @brief Bit i of the result is lane i of a comparison. */
static inline unsigned AbutMask4(AbutInt4 m)
{
#if defined(__SSE__)
  return (unsigned)__builtin_ia32_movmskps((AbutFloat4)m);
#else
  return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}

/** @brief Whether two closed boxes have a common point. */
static inline PetscBool AbutBoxesOverlap(const AbutBox *a, const AbutBox *b)
{
  return (PetscBool)(AbutMask4((a->lo <= b->hi) & (a->hi >= b->lo)) == 15);
}

/** @brief Box of an entity: the hull of vbox[v[0]], ..., vbox[v[nv - 1]]. */
static inline AbutBox AbutBVHEntityBox(int nv, const int32_t v[], const AbutBox vbox[])
{
  AbutBox box = vbox[v[0]];

  for (int i = 1; i < nv; i++) box = (AbutBox){AbutMin4(box.lo, vbox[v[i]].lo), AbutMax4(box.hi, vbox[v[i]].hi)};
  return box;
}
