/* Bounding volume hierarchies against brute force: overlaps within a tree, between trees, with a box; covers; refits after motion. */
#include <abut/bvh.h>
#include "test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 700 };

/* Entities with one vertex each: the vertex boxes are the boxes. */
typedef struct {
  int32_t       n, v[MAX];
  AbutBox       box[MAX];
  unsigned char passive[MAX];
  AbutBVH       tree;
} Boxes;

static void SetBoxes(Boxes *b, PetscReal size, PetscReal huge, uint64_t *seed)
{
  for (int32_t i = 0; i < b->n; i++) {
    b->v[i] = i;
    for (int k = 0; k < 3; k++) {
      const PetscReal c = AbutTestRandom(seed), r = (i % 50 == 7 ? huge : size) * PetscAbsReal(AbutTestRandom(seed));

      b->box[i].lo[k] = (float)(c - r);
      b->box[i].hi[k] = (float)(c + r);
    }
    b->box[i].lo[3] = b->box[i].hi[3] = 0;
  }
}

static PetscBool Overlap(const AbutBox *a, const AbutBox *b)
{
  for (int k = 0; k < 3; k++) {
    if (a->lo[k] > b->hi[k] || b->lo[k] > a->hi[k]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Whether a search must find entity i of a and entity j of b. */
static PetscBool IsFound(const Boxes *a, int32_t i, const Boxes *b, int32_t j)
{
  return (PetscBool)(Overlap(&a->box[i], &b->box[j]) && !(a->passive[i] && b->passive[j]));
}

static unsigned char seen[MAX][MAX];

static PetscBool See(void *ctx, int count, const int32_t (*pairs)[2])
{
  (void)ctx;
  for (int i = 0; i < count; i++) seen[pairs[i][0]][pairs[i][1]]++;
  return PETSC_TRUE;
}

static void ExpectSelf(const Boxes *b)
{
  memset(seen, 0, sizeof(seen));
  AbutBVHOverlap(&b->tree, &b->tree, See, NULL);
  for (int32_t i = 0; i < b->n; i++) {
    assert_int_equal(seen[i][i], 0);
    for (int32_t j = 0; j < i; j++) assert_int_equal(seen[i][j] + seen[j][i], IsFound(b, i, b, j));
  }
}

static void ExpectPairs(const Boxes *a, const Boxes *b)
{
  memset(seen, 0, sizeof(seen));
  AbutBVHOverlap(&a->tree, &b->tree, See, NULL);
  for (int32_t i = 0; i < a->n; i++) {
    for (int32_t j = 0; j < b->n; j++) assert_int_equal(seen[i][j], IsFound(a, i, b, j));
  }
}

static void Make(Boxes *b, int32_t n, PetscReal size, PetscReal huge, PetscBool build, uint64_t *seed)
{
  memset(b, 0, sizeof(*b));
  b->n = n;
  SetBoxes(b, size, huge, seed);
  AbutTestCall(AbutBVHSetSize(&b->tree, n));
  if (build) AbutTestCall(AbutBVHBuild(&b->tree, 1, b->v, b->box));
  AbutBVHRefit(&b->tree, 1, b->v, b->box, 0);
}

static void AllSizes(void **state)
{
  static const int32_t sizes[] = {0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 256, 257, MAX};
  static Boxes         a, b;
  uint64_t             seed = 1;

  (void)state;
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    for (int build = 0; build < 2; build++) {
      Make(&a, sizes[i], 0.1, 1, (PetscBool)build, &seed);
      ExpectSelf(&a);
      for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j += 2) {
        Make(&b, sizes[j], 0.1, 0.1, PETSC_TRUE, &seed);
        ExpectPairs(&a, &b);
        AbutTestCall(AbutBVHDestroy(&b.tree));
      }
      AbutTestCall(AbutBVHDestroy(&a.tree));
    }
  }
}

/* Groups of passive entities, as surfaces of obstacles are, and single ones. */
static void Passive(void **state)
{
  static const int32_t sizes[] = {1, 4, 5, 17, 65, 257, MAX};
  static Boxes         a, b;
  uint64_t             seed = 6;

  (void)state;
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    Make(&a, sizes[i], 0.1, 1, PETSC_TRUE, &seed);
    Make(&b, MAX / 2, 0.1, 0.1, PETSC_FALSE, &seed);
    for (int32_t k = 0; k < a.n; k++) a.passive[k] = (unsigned char)(a.box[k].lo[0] > 0 || k % 7 == 0);
    for (int32_t k = 0; k < b.n; k++) b.passive[k] = (unsigned char)(k < b.n / 2);
    AbutBVHSetPassive(&a.tree, a.passive);
    AbutBVHSetPassive(&b.tree, b.passive);
    ExpectSelf(&a);
    ExpectSelf(&b);
    ExpectPairs(&a, &b);
    memset(a.passive, 1, MAX);
    AbutBVHSetPassive(&a.tree, a.passive);
    ExpectSelf(&a); /* finds nothing */
    AbutTestCall(AbutBVHDestroy(&a.tree));
    AbutTestCall(AbutBVHDestroy(&b.tree));
  }
}

static void Degenerate(void **state)
{
  static Boxes a;
  uint64_t     seed = 2;

  (void)state;
  Make(&a, 200, 0, 0, PETSC_TRUE, &seed);
  for (int32_t i = 0; i < a.n; i++) a.box[i] = a.box[0];
  AbutTestCall(AbutBVHBuild(&a.tree, 1, a.v, a.box));
  AbutBVHRefit(&a.tree, 1, a.v, a.box, 0);
  ExpectSelf(&a);
  for (int32_t i = 0; i < a.n; i++) a.box[i].lo[0] = a.box[i].hi[0] = (float)(i % 20);
  AbutTestCall(AbutBVHBuild(&a.tree, 1, a.v, a.box));
  AbutBVHRefit(&a.tree, 1, a.v, a.box, 0);
  ExpectSelf(&a);
  AbutTestCall(AbutBVHDestroy(&a.tree));
}

static void Refit(void **state)
{
  static Boxes a;
  uint64_t     seed = 3;
  double       built;

  (void)state;
  Make(&a, 600, 0.05, 0.05, PETSC_TRUE, &seed);
  built = a.tree.cost_built;
  SetBoxes(&a, 0.05, 0.05, &seed);
  AbutBVHRefit(&a.tree, 1, a.v, a.box, 0);
  ExpectSelf(&a);
  assert_true(a.tree.cost > 2 * built); /* all entities moved: the cost of the tree must grow */
  AbutTestCall(AbutBVHBuild(&a.tree, 1, a.v, a.box));
  AbutBVHRefit(&a.tree, 1, a.v, a.box, 0);
  assert_true(a.tree.cost < 1.3 * built);
  AbutTestCall(AbutBVHDestroy(&a.tree));
}

static void HugeAmongSmall(void **state)
{
  static Boxes a, b;
  uint64_t     seed = 4;

  (void)state;
  Make(&a, 600, 0.01, 0.01, PETSC_TRUE, &seed);
  seed = 4;
  Make(&b, 600, 0.01, 1, PETSC_TRUE, &seed);
  ExpectSelf(&b);
  /* 12 huge boxes among 600 must not enlarge the boxes of the others: only their own boxes increase the cost */
  assert_true(b.tree.cost < 2 * a.tree.cost);
  AbutTestCall(AbutBVHDestroy(&a.tree));
  AbutTestCall(AbutBVHDestroy(&b.tree));
}

static void Mark(void *ctx, int32_t entity)
{
  ((unsigned char *)ctx)[entity]++;
}

/* Whether a cover needs to contain an entity. */
static PetscBool IsNeeded(const Boxes *b, int32_t i, const AbutBox reach[])
{
  return (PetscBool)(!reach || Overlap(&b->box[i], &reach[0]) || (!b->passive[i] && Overlap(&b->box[i], &reach[1])));
}

/* Whether a patch holds entity i of tree t. */
static PetscBool Holds(const AbutBVHPatch *patch, int t, const Boxes *b, int32_t i)
{
  PetscBool inside = (PetscBool)(patch->tree == t && (!patch->passive || b->passive[i]));

  for (int k = 0; k < 3; k++) inside &= (PetscBool)(patch->box.lo[k] <= b->box[i].lo[k] && b->box[i].hi[k] <= patch->box.hi[k]);
  return inside;
}

/* The cover holds every entity that is needed, and no box that is out of reach. */
static void ExpectCover(const Boxes *a, const Boxes *b, int max, const AbutBox reach[])
{
  const AbutBVH *tree[2] = {&a->tree, &b->tree};
  AbutBVHPatch   patch[100];
  int            count;

  AbutTestCall(AbutBVHCover(2, tree, reach, max, &count, patch));
  assert_true(count <= max);
  if (!reach) assert_true(count >= 2 && count >= max - 3);
  for (int c = 0; c < count && reach; c++)
    assert_true(Overlap(&patch[c].box, &reach[0]) || (!patch[c].passive && Overlap(&patch[c].box, &reach[1])));
  for (int t = 0; t < 2; t++) {
    const Boxes *of = t ? b : a;
    for (int32_t i = 0; i < of->n; i++) {
      PetscBool held = PETSC_FALSE;
      for (int c = 0; c < count && !held; c++) held = Holds(&patch[c], t, of, i);
      assert_true(held || !IsNeeded(of, i, reach));
    }
  }
}

static void BoxesAndCovers(void **state)
{
  static Boxes a, b;
  uint64_t     seed = 5;

  (void)state;
  Make(&a, MAX, 0.02, 0.02, PETSC_TRUE, &seed);
  Make(&b, 40, 0.3, 0.3, PETSC_TRUE, &seed);
  for (int32_t i = 0; i < a.n; i++) a.passive[i] = a.box[i].lo[0] < 0;
  AbutBVHSetPassive(&a.tree, a.passive);
  for (int32_t i = 0; i < b.n; i++) {
    unsigned char hit[MAX] = {0};

    AbutBVHOverlapBox(&a.tree, b.box[i], Mark, hit);
    for (int32_t j = 0; j < a.n; j++) assert_int_equal(hit[j], Overlap(&a.box[j], &b.box[i]));
  }
  for (int max = 2; max <= 100; max += 7) ExpectCover(&a, &b, max, NULL);
  for (int max = 2; max <= 100; max += 7) {
    const AbutBox reach[2] = {{{-0.3f, -0.3f, -0.3f, 0}, {0.1f, 0.2f, 0.3f, 0}}, {{-0.5f, -1, -1, 0}, {0.4f, 0.5f, 1, 0}}};
    const AbutBox none[2]  = {{{9, 9, 9, 0}, {9, 9, 9, 0}}, {{9, 9, 9, 0}, {9, 9, 9, 0}}};

    ExpectCover(&a, &b, max, reach);
    ExpectCover(&a, &b, max, none);
  }
  AbutTestCall(AbutBVHDestroy(&a.tree));
  AbutTestCall(AbutBVHDestroy(&b.tree));
}

/* Conversions to single precision bound the number from both sides and stay finite; clamped boxes of overlapping intervals overlap. */
static void Conversions(void **state)
{
  static const PetscReal number[] = {0, 1e-300, 1, 3.3e7, 1e17, 1e19, 1e39, 1e300, PETSC_MAX_REAL};

  (void)state;
  for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      const PetscReal d     = sign * number[i];
      const float     below = AbutFloatBelow(d), above = AbutFloatAbove(d), extent = above - AbutFloatBelow(-d);

      assert_true(below < above && below - below == 0 && above - above == 0 && extent * extent * 3 - extent * extent * 3 == 0);
      if (number[i] <= 1e17) assert_true((PetscReal)below < d && (PetscReal)above > d);
      if (sign > 0) assert_true((PetscReal)below <= d);
      if (sign < 0) assert_true((PetscReal)above >= d);
    }
  }
  assert_true(AbutFloatBelow(NAN) < -1e18f && AbutFloatAbove(NAN) > 1e18f);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(AllSizes),   cmocka_unit_test(Passive),        cmocka_unit_test(Degenerate),
                                     cmocka_unit_test(Refit),      cmocka_unit_test(HugeAmongSmall), cmocka_unit_test(BoxesAndCovers),
                                     cmocka_unit_test(Conversions)};
  return AbutTestMain(argc, argv, tests);
}
