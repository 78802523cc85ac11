/* Building and refitting of bounding volume hierarchies; bvh.h describes their layout. */
#include <abut/bvh.h>
#include <math.h>

/* An entity during the build. Lane 3 of box.hi is its largest extent, by which large entities are separated from small ones. */
typedef struct {
  AbutBox box;
  int32_t entity;
} Item;

enum { KEY_SIZE = 3 };

static const AbutBox empty = {{INFINITY, INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};

PetscErrorCode AbutBVHSetSize(AbutBVH *bvh, int32_t n)
{
  int32_t nodes = 0, count = n;

  PetscFunctionBegin;
  PetscCheck(n <= INT32_MAX / 8, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%d surface entities on one rank, at most %d are possible: use more ranks", n, INT32_MAX / 8);
  bvh->n      = n;
  bvh->levels = 0;
  while (count > 1 || (count == 1 && !bvh->levels)) {
    count                     = (count + 3) / 4;
    bvh->start[bvh->levels++] = nodes;
    nodes += count;
  }
  bvh->start[bvh->levels] = nodes;
  if (n > bvh->capacity || !bvh->order) {
    const int32_t room = n + n / 2 + 64;

    const int32_t most = room / 3 + 2 * ABUT_BVH_MAX_LEVELS;

    PetscCall(PetscFree3(bvh->order, bvh->node, bvh->passive));
    PetscCall(PetscMalloc3(room + 4, &bvh->order, most, &bvh->node, most, &bvh->passive));
    bvh->capacity = room;
  }
  for (int32_t i = 0; i < n; i++) bvh->order[i] = i;
  for (int32_t i = n; i < (n + 3) / 4 * 4; i++) bvh->order[i] = -1;
  PetscCall(PetscArrayzero(bvh->passive, bvh->start[bvh->levels]));
  bvh->cost = bvh->cost_built = 0;
  PetscFunctionReturn(0);
}

void AbutBVHSetPassive(AbutBVH *bvh, const unsigned char passive[])
{
  for (int level = 0; level < bvh->levels; level++) {
    const int32_t        nodes = bvh->start[level + 1] - bvh->start[level];
    const unsigned char *below = level ? bvh->passive + bvh->start[level - 1] : NULL;
    const int32_t        count = level ? bvh->start[level] - bvh->start[level - 1] : bvh->n;

    for (int32_t i = 0; i < nodes; i++) {
      unsigned mask = 0;

      for (int32_t c = 4 * i; c < 4 * i + 4; c++) { /* a lane without a child overlaps nothing */
        const PetscBool is = (PetscBool)(c >= count || (level ? below[c] == 0xF : passive[bvh->order[c]] != 0));
        mask |= (unsigned)is << (c - 4 * i);
      }
      bvh->passive[bvh->start[level] + i] = (unsigned char)mask;
    }
  }
}

PetscErrorCode AbutBVHDestroy(AbutBVH *bvh)
{
  return PetscFree3(bvh->order, bvh->node, bvh->passive);
}

static inline AbutBox Hull(AbutBox a, AbutBox b)
{
  return (AbutBox){AbutMin4(a.lo, b.lo), AbutMax4(a.hi, b.hi)};
}

static inline float Key(const Item *item, int key)
{
  return key == KEY_SIZE ? item->box.hi[3] : item->box.lo[key] + item->box.hi[key];
}

/* Rearranges so that no key of the first m items is larger than one of the rest (Hoare). */
static void Select(Item item[], int32_t n, int32_t m, int key)
{
  int32_t lo = 0, hi = n - 1;

  while (lo < hi) {
    const float a = Key(item + lo, key), b = Key(item + lo + (hi - lo) / 2, key), c = Key(item + hi, key);
    const float pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
    int32_t     i = lo, j = hi;

    do {
      while (Key(item + i, key) < pivot) i++;
      while (Key(item + j, key) > pivot) j--;
      if (i <= j) {
        const Item swap = item[i];

        item[i++] = item[j];
        item[j--] = swap;
      }
    } while (i <= j);
    if (m <= j)
      hi = j;
    else if (m >= i)
      lo = i;
    else
      break;
  }
}

/* Probability, up to a factor, that a randomly placed box with edge length e overlaps this one: half the area of the Minkowski sum. */
static double HitCost(const AbutBox *box, double e)
{
  const AbutFloat4 d = box->hi - box->lo;
  const double     x = d[0] + e, y = d[1] + e, z = d[2] + e;

  return d[0] >= 0 ? x * y + y * z + z * x : 0;
}

static double SplitCost(const Item item[], int32_t n, int32_t m, double e)
{
  AbutBox half[2] = {empty, empty};

  for (int32_t i = 0; i < n; i++) half[i >= m] = Hull(half[i >= m], item[i].box);
  return HitCost(&half[0], e) * m + HitCost(&half[1], e) * (n - m);
}

/* Axis with the largest extent of the centres; also the largest and the mean size of an item. */
static int LongestAxis(const Item item[], int32_t n, double *largest, double *mean)
{
  AbutBox centres = empty;
  double  sum     = 0;
  int     axis    = 0;

  for (int32_t i = 0; i < n; i++) {
    const AbutFloat4 c = item[i].box.lo + item[i].box.hi;

    centres = Hull(centres, (AbutBox){c, c});
    sum += item[i].box.hi[3];
  }
  *mean    = sum / n;
  *largest = centres.hi[3];
  for (int k = 1; k < 3; k++) {
    if (centres.hi[k] - centres.lo[k] > centres.hi[axis] - centres.lo[axis]) axis = k;
  }
  return axis;
}

/* Splits recursively until four items are left. The implicit layout requires splits at multiples of the capacity of a child. */
static void Arrange(Item item[], int32_t n)
{
  while (n > 4) {
    int32_t   child = 4, left;
    double    largest, mean;
    const int axis = LongestAxis(item, n, &largest, &mean);

    while (4 * (int64_t)child < n) child *= 4;
    left = ((n + child - 1) / child / 2) * child;
    Select(item, n, left, axis);
    if (largest > 4 * mean) {
      const double by_place = SplitCost(item, n, left, mean);

      Select(item, n, left, KEY_SIZE);
      if (SplitCost(item, n, left, mean) >= by_place) Select(item, n, left, axis);
    }
    Arrange(item, left);
    item += left;
    n -= left;
  }
}

PetscErrorCode AbutBVHBuild(AbutBVH *bvh, int nv, const int32_t v[], const AbutBox vbox[])
{
  Item *item;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(bvh->n, &item));
  for (int32_t i = 0; i < bvh->n; i++) {
    const AbutBox    box = AbutBVHEntityBox(nv, v + (size_t)nv * i, vbox);
    const AbutFloat4 d   = box.hi - box.lo;

    item[i].box       = box;
    item[i].box.lo[3] = 0;
    item[i].box.hi[3] = d[0] > d[1] ? (d[0] > d[2] ? d[0] : d[2]) : (d[1] > d[2] ? d[1] : d[2]);
    item[i].entity    = i;
  }
  Arrange(item, bvh->n);
  for (int32_t i = 0; i < bvh->n; i++) bvh->order[i] = item[i].entity;
  bvh->cost_built = 0;
  PetscCall(PetscFree(item));
  PetscFunctionReturn(0);
}

/* Sums over boxes that give the sum of HitCost() for any e. */
typedef struct {
  double area, edges, count; /* edges: sum of the three edge lengths of each box */
} CostSum;

static inline void CostAdd(CostSum *sum, const AbutBox *box)
{
  const AbutFloat4 d = box->hi - box->lo;

  sum->area += (double)(d[0] * d[1] + d[1] * d[2] + d[2] * d[0]);
  sum->edges += (double)(d[0] + d[1] + d[2]);
  sum->count++;
}

static double CostValue(const CostSum *sum, double e)
{
  return sum->area + 2 * e * sum->edges + 3 * e * e * sum->count;
}

static inline void SetLane(AbutBVHNode *node, int c, const AbutBox *box)
{
  for (int k = 0; k < 3; k++) {
    node->lo[k][c] = box->lo[k];
    node->hi[k][c] = box->hi[k];
  }
}

static inline AbutBox NodeBox(const AbutBVHNode *node)
{
  AbutBox box = {{0}, {0}};

  for (int k = 0; k < 3; k++) {
    const float *l = (const float *)&node->lo[k], *h = (const float *)&node->hi[k];
    const float  l0 = l[0] < l[1] ? l[0] : l[1], l1 = l[2] < l[3] ? l[2] : l[3];
    const float  h0 = h[0] > h[1] ? h[0] : h[1], h1 = h[2] > h[3] ? h[2] : h[3];

    box.lo[k] = l0 < l1 ? l0 : l1;
    box.hi[k] = h0 > h1 ? h0 : h1;
  }
  return box;
}

void AbutBVHRefit(AbutBVH *bvh, int nv, const int32_t v[], const AbutBox vbox[], double query)
{
  CostSum entities = {0, 0, 0}, nodes = {0, 0, 0};
  double  e;

  for (int32_t i = 0; i < bvh->n; i += 4) {
    AbutBVHNode *node = bvh->node + i / 4;

    for (int c = 0; c < 4; c++) {
      const int32_t entity = bvh->order[i + c];
      const AbutBox box    = entity < 0 ? empty : AbutBVHEntityBox(nv, v + (size_t)nv * entity, vbox);

      SetLane(node, c, &box);
      if (entity >= 0) CostAdd(&entities, &box);
    }
  }
  for (int level = 1; level < bvh->levels; level++) {
    const int32_t first = bvh->start[level - 1], children = bvh->start[level] - first;

    for (int32_t i = 0; i < children; i += 4) {
      AbutBVHNode *node = bvh->node + bvh->start[level] + i / 4;

      for (int c = 0; c < 4; c++) {
        const AbutBox box = i + c < children ? NodeBox(bvh->node + first + i + c) : empty;

        SetLane(node, c, &box);
        if (i + c < children) CostAdd(&nodes, &box);
      }
    }
  }
  bvh->extent = entities.count > 0 ? entities.edges / (3 * entities.count) : 0;
  e           = query > 0 ? query : bvh->extent;
  bvh->cost   = CostValue(&entities, e) > 0 ? CostValue(&nodes, e) / CostValue(&entities, e) : 1;
  if (bvh->cost_built == 0) bvh->cost_built = bvh->cost;
}

PetscErrorCode AbutBVHSetUp(AbutBVH *bvh, PetscInt n, PetscInt nv, const int32_t v[], const AbutBox vbox[])
{
  PetscFunctionBegin;
  PetscCall(AbutBVHSetSize(bvh, (int32_t)PetscMin(n, INT32_MAX))); /* refuses the largest number */
  PetscCall(AbutBVHBuild(bvh, (int)nv, v, vbox));
  AbutBVHRefit(bvh, (int)nv, v, vbox, 0);
  PetscFunctionReturn(0);
}
