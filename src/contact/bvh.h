/*
  WARNING: private header of src/contact. Bounding volume hierarchy (BVH) in flat arrays: four children per node, boxes in single
  precision.
*/
#pragma once
#include <petscsys.h>
#include <stdint.h>

typedef float   AbutFloat4 __attribute__((vector_size(16)));
typedef int32_t AbutInt4 __attribute__((vector_size(16)));

/* An axis-aligned box; the fourth lane of both is padding. Empty if lo > hi. */
typedef struct {
  AbutFloat4 lo, hi;
} AbutBox;

/* Boxes of four children, one SIMD lane each. A lane without a child holds an empty box, which overlaps no other box. */
typedef struct {
  AbutFloat4 lo[3], hi[3];
} AbutBVHNode;

#define ABUT_BVH_MAX_LEVELS 17

/*
  Implicit tree: `order` is a sequence of the entities. A node of level 0 holds four consecutive entities, a node of level l four
  consecutive nodes of level l - 1. Any sequence gives a valid tree. AbutBVHBuild() finds a sequence with small boxes; AbutBVHRefit()
  computes the boxes of the current sequence.
*/
typedef struct {
  int32_t      n;                              /* number of entities */
  int          levels;                         /* 0 if n = 0 */
  int32_t      start[ABUT_BVH_MAX_LEVELS + 1]; /* first node of a level; level 0 comes first */
  int32_t     *order;                          /* [4 * nodes of level 0], -1 beyond n */
  AbutBVHNode *node;
  int32_t      capacity;   /* number of entities that fit the arrays */
  double       extent;     /* mean edge length of the entities' boxes */
  double       cost;       /* expected nodes visited by a query per entity found: see AbutBVHRefit() */
  double       cost_built; /* cost after the last build; 0: not built yet */
} AbutBVH;

/* Receives overlapping pairs in batches; returns PETSC_FALSE to end the traversal. */
typedef PetscBool (*AbutBVHPairFn)(void *ctx, int count, const int32_t (*pairs)[2]);
typedef void (*AbutBVHHitFn)(void *ctx, int32_t entity);

/* Makes room for n entities and sets the sequence 0, 1, ..., n - 1. Boxes are undefined until AbutBVHRefit(). */
PETSC_INTERN PetscErrorCode AbutBVHSetSize(AbutBVH *bvh, int32_t n);
PETSC_INTERN PetscErrorCode AbutBVHDestroy(AbutBVH *bvh);

/*
  Finds a sequence with small boxes; the box of entity e is the hull of vbox[v[e * nv + i]], 0 <= i < nv. O(n log n). AbutBVHRefit() must
  follow.
*/
PETSC_INTERN PetscErrorCode AbutBVHBuild(AbutBVH *bvh, int nv, const int32_t v[], const AbutBox vbox[]);

/*
  Computes all boxes of the current sequence and the `cost` of queries with boxes of edge length `query` (0: mean extent of the entities).
  O(n).
*/
PETSC_INTERN void AbutBVHRefit(AbutBVH *bvh, int nv, const int32_t v[], const AbutBox vbox[], double query);

/* All pairs of an entity of A and an entity of B whose closed boxes overlap; if A == B each unordered pair of different entities once. */
PETSC_INTERN void AbutBVHOverlap(const AbutBVH *A, const AbutBVH *B, AbutBVHPairFn fn, void *ctx);

/* All entities whose boxes overlap `box`. */
PETSC_INTERN void AbutBVHOverlapBox(const AbutBVH *bvh, AbutBox box, AbutBVHHitFn fn, void *ctx);

/*
  Covers the entities of several trees by at most max >= trees boxes: replaces the largest box by the boxes of its children as long as they
  fit.
*/
PETSC_INTERN PetscErrorCode AbutBVHCover(int trees, const AbutBVH *const bvh[], int max, int *count, AbutBox box[], int tree[]);

/* Hull of all entities. */
PETSC_INTERN AbutBox AbutBVHRootBox(const AbutBVH *bvh);

/*
  Largest magnitude of a box coordinate up to rounding: extents, their sums and products of two extents stay finite in single precision.
  Larger coordinates are clamped to it. Clamping is monotone: boxes that overlap still do.
*/
#define ABUT_BOX_LIMIT 2e18

/* A single-precision number that is not above d (unless d < -ABUT_BOX_LIMIT); -ABUT_BOX_LIMIT for NaN. */
static inline float AbutFloatBelow(PetscReal d)
{
  const PetscReal c = d > -ABUT_BOX_LIMIT ? d : -ABUT_BOX_LIMIT;
  const float     f = (float)(c < ABUT_BOX_LIMIT ? c : ABUT_BOX_LIMIT);
  return f - ((f < 0 ? -f : f) * 1.8e-7f + 1e-37f);
}

/* A single-precision number that is not below d (unless d > ABUT_BOX_LIMIT); ABUT_BOX_LIMIT for NaN. */
static inline float AbutFloatAbove(PetscReal d)
{
  const PetscReal c = d < ABUT_BOX_LIMIT ? d : ABUT_BOX_LIMIT;
  const float     f = (float)(c > -ABUT_BOX_LIMIT ? c : -ABUT_BOX_LIMIT);
  return f + ((f < 0 ? -f : f) * 1.8e-7f + 1e-37f);
}

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

/* Bit i of the result is lane i of a comparison. */
static inline unsigned AbutMask4(AbutInt4 m)
{
#if defined(__SSE__)
  return (unsigned)__builtin_ia32_movmskps((AbutFloat4)m);
#else
  return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}

static inline PetscBool AbutBoxesOverlap(const AbutBox *a, const AbutBox *b)
{
  return (PetscBool)(AbutMask4((a->lo <= b->hi) & (a->hi >= b->lo)) == 15);
}
