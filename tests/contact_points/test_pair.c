/*
  Kernels of a pair of cells: points of the intersection against exact predicates; least overlap against many directions and against moving
  the cells apart.
*/
#include "cells.h"
#include <math.h>

enum { PAIRS = 400 };

static PetscBool IsInside(const AbutPointCell *cell, const PetscReal x[3], PetscReal tolerance)
{
  for (int f = 0; f < 4; f++)
    if (AbutFaceHeight(cell, f, x) > tolerance) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Vertices of B inside A, and edges of B that cross faces of A, by exact predicates. */
static int CountCrossings(const AbutPointCell *A, const AbutPointCell *B)
{
  int count = 0;

  for (int v = 0; v < 4; v++) {
    PetscBool inside = PETSC_TRUE;

    for (int f = 0; f < 4; f++)
      inside &=
        (PetscBool)(AbutOrient3D(A->tet.x[AbutTetFace[f][0]], A->tet.x[AbutTetFace[f][1]], A->tet.x[AbutTetFace[f][2]], B->tet.x[v]) < 0);
    count += inside;
  }
  for (int e = 0; e < 6; e++)
    for (int f = 0; f < 4; f++)
      count += AbutSegmentTriangleIntersect(B->tet.x[AbutTetEdge[e][0]], B->tet.x[AbutTetEdge[e][1]], A->tet.x[AbutTetFace[f][0]],
                                            A->tet.x[AbutTetFace[f][1]], A->tet.x[AbutTetFace[f][2]]);
  return count;
}

/* Tolerances: exact predicates, or a distance. */
static void Crossings(void **state)
{
  const PetscReal touch[] = {0, 1e-9};

  (void)state;
  for (int t = 0; t < 2; t++) {
    AbutPointRules rules = TestRules(1);
    uint64_t       seed  = 3;
    int            total = 0;

    rules.touch = touch[t];
    for (int k = 0; k < PAIRS; k++) {
      const AbutPointCell A = RandomCell(0, (PetscReal[]){0, 0, 0}, &seed), B = RandomCell(1, (PetscReal[]){0.3, 0, 0}, &seed);
      const int           expected = CountCrossings(&A, &B) + CountCrossings(&B, &A);
      AbutPointCrossing   crossing[ABUT_MAX_CROSSINGS];
      AbutCellPair        pair;
      const int           n = AbutCellPairSetUp(&pair, &rules, &A, &B) ? AbutCellPairCrossings(&pair, crossing) : 0;

      assert_int_equal(n, expected);
      for (int i = 0; i < n; i++) assert_true(IsInside(&A, crossing[i].x, 1e-12) && IsInside(&B, crossing[i].x, 1e-12));
      total += n;
    }
    assert_true(total > PAIRS);
  }
}

static AbutPointCell Shifted(const AbutPointCell *cell, const PetscReal direction[3], PetscReal length)
{
  AbutPointCell shifted = *cell;

  for (int v = 0; v < 4; v++)
    for (int i = 0; i < 3; i++) shifted.tet.x[v][i] += length * direction[i];
  return shifted;
}

static PetscBool Overlap(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B)
{
  AbutCellPair pair;
  AbutOverlap  overlap;

  return (PetscBool)(AbutCellPairSetUp(&pair, rules, A, B) && AbutCellPairOverlap(&pair, PETSC_FALSE, &overlap));
}

/* Separation of B ahead of A along a direction. */
static PetscReal Separation(const AbutPointCell *A, const AbutPointCell *B, const PetscReal direction[3])
{
  PetscReal hi = -PETSC_INFINITY, lo = PETSC_INFINITY;

  for (int v = 0; v < 4; v++) {
    hi = PetscMax(hi, AbutDot(3, direction, A->tet.x[v]));
    lo = PetscMin(lo, AbutDot(3, direction, B->tet.x[v]));
  }
  return lo - hi;
}

static void LeastOverlap(void **state)
{
  const AbutPointRules rules = TestRules(1);
  uint64_t             seed  = 7;
  int                  found = 0, apart = 0;

  (void)state;
  for (int k = 0; k < PAIRS; k++) {
    const AbutPointCell A = RandomCell(0, (PetscReal[]){0, 0, 0}, &seed), B = RandomCell(1, (PetscReal[]){0.4, 0, 0}, &seed);
    AbutCellPair        pair;
    AbutOverlap         overlap;
    PetscReal           most = -PETSC_INFINITY;

    for (int i = 0; i < 2000; i++) {
      PetscReal       d[3]   = {AbutTestRandom(&seed), AbutTestRandom(&seed), AbutTestRandom(&seed)};
      const PetscReal length = sqrt(AbutDot(3, d, d));

      for (int c = 0; c < 3; c++) d[c] /= length;
      most = PetscMax(most, Separation(&A, &B, d));
    }
    if (!AbutCellPairSetUp(&pair, &rules, &A, &B) || !AbutCellPairOverlap(&pair, PETSC_FALSE, &overlap)) {
      apart++;
      assert_int_equal(CountCrossings(&A, &B) + CountCrossings(&B, &A), 0);
      continue;
    }
    found++;
    assert_true(overlap.separation < 0 && most <= overlap.separation + 1e-12);
    assert_true(fabs(Separation(&A, &B, overlap.normal) - overlap.separation) < 1e-12);
    const AbutPointCell inside  = Shifted(&B, overlap.normal, -0.999 * overlap.separation),
                        outside = Shifted(&B, overlap.normal, -1.001 * overlap.separation);
    assert_true(Overlap(&rules, &A, &inside) && !Overlap(&rules, &A, &outside));
  }
  assert_true(found > PAIRS / 4 && apart > PAIRS / 10);
}

/* Interior faces and their edges define no axis of surface-SAT; a cell without surface axes gives no contact. */
static void SurfaceAxes(void **state)
{
  const AbutPointRules rules  = TestRules(1);
  uint64_t             seed   = 13;
  int                  deeper = 0;

  (void)state;
  for (int k = 0; k < PAIRS; k++) {
    AbutPointCell A = RandomCell(0, (PetscReal[]){0, 0, 0}, &seed), B = RandomCell(1, (PetscReal[]){0.2, 0, 0}, &seed);
    AbutCellPair  pair;
    AbutOverlap   all, surface;

    A.tet.surface = 1u << k % 4;
    B.tet.surface = 0;
    if (!AbutCellPairSetUp(&pair, &rules, &A, &B) || !AbutCellPairOverlap(&pair, PETSC_FALSE, &all)) continue;
    assert_true(AbutCellPairOverlap(&pair, PETSC_TRUE, &surface));
    assert_true(surface.separation <= all.separation);
    assert_true(fabs(fabs(AbutDot(3, surface.normal, A.normal[k % 4])) - 1) < 1e-12);
    deeper += surface.separation < all.separation - 1e-9;
    A.tet.surface = 0;
    assert_true(AbutCellPairOverlap(&pair, PETSC_TRUE, &surface) && surface.separation == -PETSC_INFINITY);
  }
  assert_true(deeper > 20);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Crossings), cmocka_unit_test(LeastOverlap), cmocka_unit_test(SurfaceAxes)};
  return AbutTestMain(argc, argv, tests);
}
