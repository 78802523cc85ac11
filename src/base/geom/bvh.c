/* Traversal of bounding volume hierarchies; bvh.h describes their layout. */
#include <abut/bvh.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define BATCH 1024

typedef struct {
  int32_t level, a, b;
} Visit;

typedef struct {
  AbutBVHPairFn fn;
  void         *ctx;
  int           count;
  PetscBool     go;
  int32_t       pairs[BATCH + 16][2]; /* a pair of nodes adds at most 16 */
} Batch;

static inline AbutFloat4 Splat(float s)
{
  return (AbutFloat4){s, s, s, s};
}

#if !defined(__AVX512F__)
/* Bit i: child i of node n overlaps child c of node q. */
static inline unsigned HitsLane(const AbutBVHNode *n, const AbutBVHNode *q, int c)
{
  AbutInt4 m = (n->lo[0] <= Splat(q->hi[0][c])) & (n->hi[0] >= Splat(q->lo[0][c]));

  m &= (n->lo[1] <= Splat(q->hi[1][c])) & (n->hi[1] >= Splat(q->lo[1][c]));
  m &= (n->lo[2] <= Splat(q->hi[2][c])) & (n->hi[2] >= Splat(q->lo[2][c]));
  return AbutMask4(m);
}
#endif

/* Bit 4 i + j: child i of node a overlaps child j of node b. */
static inline unsigned HitsNode(const AbutBVHNode *a, const AbutBVHNode *b)
{
#if defined(__AVX512F__)
  const __m512i spread = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  __mmask16     hits   = 0xFFFF;

  for (int k = 0; k < 3; k++) {
    const __m512 a_lo = _mm512_permutexvar_ps(spread, _mm512_castps128_ps512((__m128)a->lo[k]));
    const __m512 a_hi = _mm512_permutexvar_ps(spread, _mm512_castps128_ps512((__m128)a->hi[k]));

    hits = _mm512_mask_cmp_ps_mask(hits, _mm512_broadcast_f32x4((__m128)b->lo[k]), a_hi, _CMP_LE_OQ);
    hits = _mm512_mask_cmp_ps_mask(hits, _mm512_broadcast_f32x4((__m128)b->hi[k]), a_lo, _CMP_GE_OQ);
  }
  return hits;
#else
  return HitsLane(b, a, 0) | HitsLane(b, a, 1) << 4 | HitsLane(b, a, 2) << 8 | HitsLane(b, a, 3) << 12;
#endif
}

/* Bit 4 i + j: child i of a node and child j of another one are passive; a, b: masks of the passive children. */
static inline unsigned BothPassive(unsigned a, unsigned b)
{
  const unsigned spread = (a & 1) * 0x000F | (a & 2) * 0x0078 | (a & 4) * 0x03C0 | (a & 8) * 0x1E00;

  return spread & b * 0x1111;
}

static inline unsigned HitsBox(const AbutBVHNode *n, const AbutBox *box)
{
  AbutInt4 m = (n->lo[0] <= Splat(box->hi[0])) & (n->hi[0] >= Splat(box->lo[0]));

  m &= (n->lo[1] <= Splat(box->hi[1])) & (n->hi[1] >= Splat(box->lo[1]));
  m &= (n->lo[2] <= Splat(box->hi[2])) & (n->hi[2] >= Splat(box->lo[2]));
  return AbutMask4(m);
}

static void Flush(Batch *batch)
{
  if (batch->count && !batch->fn(batch->ctx, batch->count, (const int32_t(*)[2])batch->pairs)) batch->go = PETSC_FALSE;
  batch->count = 0;
}

/*
  Pairs of nodes of equal level, depth first. A node paired with itself follows children b >= a only (entities: b > a): each pair is found
  once.
*/
static void VisitPairs(const AbutBVH *A, const AbutBVH *B, Visit first, Batch *batch)
{
  const PetscBool self = (PetscBool)(A == B);
  Visit           stack[16 * ABUT_BVH_MAX_LEVELS];
  int             top = 0;

  stack[top++] = first;
  while (top && batch->go) {
    const Visit   at = stack[--top];
    const int32_t a = A->start[at.level] + at.a, b = B->start[at.level] + at.b;
    unsigned      hits = HitsNode(A->node + a, B->node + b) & ~BothPassive(A->passive[a], B->passive[b]);

    if (self && at.a == at.b) hits &= at.level ? 0x8CEF : 0x08CE; /* j >= i, j > i */
    for (; hits; hits &= hits - 1) {
      const int     bit = __builtin_ctz(hits);
      const int32_t ca = 4 * at.a + bit / 4, cb = 4 * at.b + bit % 4;

      if (at.level)
        stack[top++] = (Visit){at.level - 1, ca, cb};
      else {
        batch->pairs[batch->count][0]   = A->order[ca];
        batch->pairs[batch->count++][1] = B->order[cb];
      }
    }
    if (batch->count >= BATCH) Flush(batch);
  }
}

/* Hull of all entities; empty if there are none. */
static AbutBox RootBox(const AbutBVH *bvh)
{
  AbutBox box = {Splat(PETSC_INFINITY), Splat(-PETSC_INFINITY)};

  if (!bvh->levels) return box;
  box.lo[3] = box.hi[3]   = 0;
  const AbutBVHNode *root = bvh->node + bvh->start[bvh->levels - 1];
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 4; c++) {
      if (root->lo[k][c] < box.lo[k]) box.lo[k] = root->lo[k][c];
      if (root->hi[k][c] > box.hi[k]) box.hi[k] = root->hi[k][c];
    }
  }
  return box;
}

void AbutBVHOverlap(const AbutBVH *A, const AbutBVH *B, AbutBVHPairFn fn, void *ctx)
{
  const PetscBool a_taller = (PetscBool)(A->levels >= B->levels);
  const AbutBVH  *tall = a_taller ? A : B, *low = a_taller ? B : A;
  const AbutBox   box = RootBox(low);
  int32_t         stack[4 * ABUT_BVH_MAX_LEVELS][2];
  int             top = 0;
  Batch           batch;

  if (!low->levels) return;
  batch.fn    = fn;
  batch.ctx   = ctx;
  batch.count = 0;
  batch.go    = PETSC_TRUE;

  stack[top][0]   = tall->levels - 1;
  stack[top++][1] = 0;
  while (top && batch.go) {
    const int32_t level = stack[--top][0], i = stack[top][1];

    if (level == low->levels - 1)
      VisitPairs(A, B, (Visit){level, a_taller ? i : 0, a_taller ? 0 : i}, &batch);
    else {
      for (unsigned hits = HitsBox(tall->node + tall->start[level] + i, &box); hits; hits &= hits - 1) {
        stack[top][0]   = level - 1;
        stack[top++][1] = 4 * i + __builtin_ctz(hits);
      }
    }
  }
  if (batch.go) Flush(&batch);
}

void AbutBVHOverlapBox(const AbutBVH *bvh, AbutBox box, AbutBVHHitFn fn, void *ctx)
{
  int32_t stack[4 * ABUT_BVH_MAX_LEVELS][2];
  int     top = 0;

  if (!bvh->levels) return;
  stack[top][0]   = bvh->levels - 1;
  stack[top++][1] = 0;
  while (top) {
    const int32_t level = stack[--top][0], i = stack[top][1];

    for (unsigned hits = HitsBox(bvh->node + bvh->start[level] + i, &box); hits; hits &= hits - 1) {
      const int32_t child = 4 * i + __builtin_ctz(hits);

      if (level) {
        stack[top][0]   = level - 1;
        stack[top++][1] = child;
      } else
        fn(ctx, bvh->order[child]);
    }
  }
}

/* The node of a patch of AbutBVHCover(), and the size of the box; size 0 for an entity, which has no children. */
typedef struct {
  int     level;
  int32_t index;
  float   size;
} Cover;

static float BoxSize(const AbutBox *box)
{
  const AbutFloat4 d = box->hi - box->lo;
  return d[0] + d[1] + d[2];
}

static PetscBool IsNeeded(const AbutBVHPatch *patch, const AbutBox reach[])
{
  return (PetscBool)(!reach || AbutBoxesOverlap(&patch->box, &reach[0]) || (!patch->passive && AbutBoxesOverlap(&patch->box, &reach[1])));
}

/* Replaces entry `slot` of the cover by the children of its node that are needed; returns the new number of entries. */
static int CoverOpen(const AbutBVH *bvh, const AbutBox reach[], int slot, int count, Cover cover[], AbutBVHPatch patch[])
{
  const Cover        at       = cover[slot];
  const int          tree     = patch[slot].tree;
  const int32_t      n        = bvh->start[at.level] + at.index;
  const AbutBVHNode *node     = bvh->node + n;
  const int32_t      children = at.level ? bvh->start[at.level] - bvh->start[at.level - 1] : bvh->n;

  cover[slot] = cover[--count];
  patch[slot] = patch[count];
  for (int c = 0; c < 4 && 4 * at.index + c < children; c++) {
    const AbutBox box = {{node->lo[0][c], node->lo[1][c], node->lo[2][c], 0}, {node->hi[0][c], node->hi[1][c], node->hi[2][c], 0}};

    patch[count] = (AbutBVHPatch){box, tree, (PetscBool)(bvh->passive[n] >> c & 1)};
    cover[count] = (Cover){at.level - 1, 4 * at.index + c, at.level ? BoxSize(&box) : 0};
    count += IsNeeded(&patch[count], reach);
  }
  return count;
}

/* Starts the cover with the boxes of the roots; returns their number. */
static int CoverRoots(int trees, const AbutBVH *const bvh[], const AbutBox reach[], Cover cover[], AbutBVHPatch patch[])
{
  int n = 0;

  for (int t = 0; t < trees; t++) {
    const int top = bvh[t]->levels - 1;

    if (top < 0) continue;
    patch[n] = (AbutBVHPatch){RootBox(bvh[t]), t, (PetscBool)(bvh[t]->passive[bvh[t]->start[top]] == 0xF)};
    cover[n] = (Cover){top, 0, BoxSize(&patch[n].box)};
    n += IsNeeded(&patch[n], reach);
  }
  return n;
}

PetscErrorCode AbutBVHCover(int trees, const AbutBVH *const bvh[], const AbutBox reach[], int max, int *count, AbutBVHPatch patch[])
{
  Cover *cover = NULL;
  int    n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(max, &cover));
  n = CoverRoots(trees, bvh, reach, cover, patch);
  while (n && n + 3 <= max) {
    int largest = 0;

    for (int i = 1; i < n; i++) {
      if (cover[i].size > cover[largest].size) largest = i;
    }
    if (!(cover[largest].size > 0)) break;
    n = CoverOpen(bvh[patch[largest].tree], reach, largest, n, cover, patch);
  }
  *count = n;
  PetscCall(PetscFree(cover));
  PetscFunctionReturn(0);
}
