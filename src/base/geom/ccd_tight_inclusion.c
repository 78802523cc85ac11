/*
  ccd_tight_inclusion.c: tight inclusion [Wang et al. 2021, A Large Scale Benchmark and an Inclusion-Based Algorithm for Continuous
  Collision Detection], with a minimum separation.

  F is linear in each of t, u, v. The convex hull of its values at the eight corners of a box of parameters therefore contains its values
  on the box. A box is dropped if the hull, enlarged by rounding errors, is farther than `target` from 0. Two sufficient tests are made:
  the bounding box of the hull, and the separation along the direction of the hull's centre, which also excludes flat configurations.
  The other boxes are bisected, earliest start time first. The distance is at least `target` before the start time of the earliest box.
  This time is the result as soon as the distance there is below target + tolerance, or if the work or the number of boxes exceeds its
  limit.
  Contraction: the separating direction at this time excludes a whole interval of time for all u and v. Without it, nearly parallel edges
  would need boxes as short along the edges as the distance.
*/
#include "ccdimpl.h"

#define MAX_BOXES      1024
#define MAX_BISECTIONS 20000

typedef struct {
  PetscReal lo[3], hi[3]; /* bounds of t, u, v */
} Box;

/* Binary heap of boxes, ordered by start time, then by duration. */
typedef struct {
  PetscInt n;
  Box      box[MAX_BOXES];
} Heap;

static inline PetscBool Before(const Box *a, const Box *b)
{
  return a->lo[0] < b->lo[0] || (a->lo[0] == b->lo[0] && a->hi[0] < b->hi[0]) ? PETSC_TRUE : PETSC_FALSE;
}

static void HeapPush(Heap *heap, const Box *box)
{
  PetscInt i = heap->n++;

  for (; i > 0 && Before(box, &heap->box[(i - 1) / 2]); i = (i - 1) / 2) heap->box[i] = heap->box[(i - 1) / 2];
  heap->box[i] = *box;
}

static void HeapPop(Heap *heap, Box *box)
{
  const Box last = heap->box[--heap->n];
  PetscInt  i    = 0;

  *box = heap->box[0];
  for (PetscInt child = 1; child < heap->n; i = child, child = 2 * i + 1) {
    if (child + 1 < heap->n && Before(&heap->box[child + 1], &heap->box[child])) child++;
    if (!Before(&heap->box[child], &last)) break;
    heap->box[i] = heap->box[child];
  }
  heap->box[i] = last;
}

/* Computes F at the corners of the box, t varying fastest; returns the number of corners. */
static inline PetscInt CornerPoints(const CCDPair *pair, const Box *box, PetscReal F[3][8])
{
  const PetscInt nu = pair->corners > 1 ? 2 : 1, nv = pair->corners > 2 ? 2 : 1;

  for (PetscInt it = 0; it < 2; it++) {
    const PetscReal t = it ? box->hi[0] : box->lo[0];

    for (PetscInt k = 0; k < 3; k++) {
      const PetscReal a = pair->F[0][k] + t * pair->dF[0][k];
      const PetscReal b = pair->F[1][k] + t * pair->dF[1][k];
      const PetscReal c = pair->F[2][k] + t * pair->dF[2][k];

      for (PetscInt iv = 0; iv < nv; iv++) {
        const PetscReal av = a - (iv ? box->hi[2] : box->lo[2]) * c;

        for (PetscInt iu = 0; iu < nu; iu++) F[k][it + 2 * (iu + nu * iv)] = av - (iu ? box->hi[1] : box->lo[1]) * b;
      }
    }
  }
  return 2 * nu * nv;
}

/* Whether |F| > target for all parameters of the box, rounding included. */
static PetscBool IsClear(const CCDPair *pair, const Box *box, PetscReal target)
{
  const PetscReal reach = target + pair->round;
  PetscReal       F[3][8], center[3], outside2 = 0, smallest = PETSC_MAX_REAL;
  PetscInt        n;

  if (pair->corners == 3 && box->lo[1] + box->lo[2] > 1)
    return PETSC_TRUE; /* u + v > 1: outside the triangle; halving intervals is exact */
  n = CornerPoints(pair, box, F);
  for (PetscInt k = 0; k < 3; k++) {
    PetscReal lo = F[k][0], hi = F[k][0], sum = F[k][0];

    for (PetscInt i = 1; i < n; i++) {
      lo = PetscMin(lo, F[k][i]);
      hi = PetscMax(hi, F[k][i]);
      sum += F[k][i];
    }
    const PetscReal outside = PetscMax(0, PetscMax(lo, -hi));
    outside2 += outside * outside;
    center[k] = sum;
  }
  if (outside2 > reach * reach) return PETSC_TRUE;
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal along = center[0] * F[0][i] + center[1] * F[1][i] + center[2] * F[2][i];

    smallest = PetscMin(smallest, along);
  }
  return smallest > 0 && smallest * smallest > reach * reach * CCDDot(center, center) ? PETSC_TRUE : PETSC_FALSE;
}

/* Index of the parameter along which the image of the box is longest; -1 if the interval cannot be halved in floating point. */
static PetscInt LongestSide(const Box *box, const PetscReal length[3])
{
  PetscInt  side    = 0;
  PetscReal longest = 0;

  for (PetscInt i = 0; i < 3; i++) {
    const PetscReal extent = length[i] * (box->hi[i] - box->lo[i]);

    if (extent > longest) {
      longest = extent;
      side    = i;
    }
  }
  const PetscReal middle = 0.5 * (box->lo[side] + box->hi[side]);
  return middle > box->lo[side] && middle < box->hi[side] ? side : -1;
}

/* Bounds of the derivatives of F with respect to t, u, v over the remaining time. */
static void DerivativeBounds(const CCDPair *pair, PetscReal speed, PetscReal length[3])
{
  length[0] = speed;
  for (PetscInt i = 1; i < 3; i++) {
    PetscReal end[3];

    for (PetscInt k = 0; k < 3; k++) end[k] = pair->F[i][k] + pair->tmax * pair->dF[i][k];
    length[i] = PetscSqrtReal(PetscMax(CCDDot(pair->F[i], pair->F[i]), CCDDot(end, end)));
  }
}

PetscReal CCDAdvance_TightInclusion(const CCDPair *pair, PetscReal t, PetscReal speed, PetscReal target, PetscReal tolerance)
{
  Heap      heap;
  Box       box    = {{t, 0, 0}, {pair->tmax, 1, 1}};
  PetscReal tested = -1, clear = t, length[3];

  DerivativeBounds(pair, speed, length);
  heap.n = 0;
  if (!IsClear(pair, &box, target)) HeapPush(&heap, &box);
  for (PetscInt i = 0; heap.n > 0; i++) {
    HeapPop(&heap, &box);
    if (box.hi[0] <= clear) continue;
    box.lo[0] = PetscMax(box.lo[0], clear);
    if (box.lo[0] > tested) {
      CCDSeparation sep;

      tested = box.lo[0];
      CCDSeparate(pair, tested, &sep);
      if (sep.upper <= target + tolerance) return tested;
      clear = tested + CCDDirectionalStep(pair, &sep, target) * (1 - 4 * PETSC_MACHINE_EPSILON);
      if (box.hi[0] <= clear) continue;
      box.lo[0] = clear;
    }
    const PetscInt side = LongestSide(&box, length);
    if (side < 0 || heap.n + 2 > MAX_BOXES || i >= MAX_BISECTIONS) return box.lo[0];
    const PetscReal middle  = 0.5 * (box.lo[side] + box.hi[side]);
    Box             half[2] = {box, box};

    half[0].hi[side] = half[1].lo[side] = middle;
    for (PetscInt j = 0; j < 2; j++) {
      if (!IsClear(pair, &half[j], target)) HeapPush(&heap, &half[j]);
    }
  }
  return pair->tmax;
}
