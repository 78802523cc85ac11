/* Each method on pairs of cells whose contacts are known: a point in a face, two crossing edges, coplanar faces, cells apart. */
#include "cells.h"
#include <math.h>
#include <string.h>

enum { CLOSEST, INTERSECTION, VERTEX, CONSISTENT, VOLUME_SAT, SURFACE_SAT, GROWTH, OPPOSING };

/* Fails unless a contact has this position, normal and separation. */
static void Expect(int method, const AbutPointContacts *contacts, const PetscReal position[3], const PetscReal normal[3],
                   PetscReal separation)
{
  for (PetscInt k = 0; k < contacts->n; k++) {
    const AbutPointContact *c     = &contacts->a[k];
    PetscReal               error = fabs(c->separation - separation);

    for (int i = 0; i < 3; i++) error = PetscMax(error, PetscMax(fabs(c->position[i] - position[i]), fabs(c->normal[i] - normal[i])));
    if (error < 1e-12) return;
  }
  fail_msg("%s: none of %d contacts is at (%g, %g, %g) with normal (%g, %g, %g) and separation %g", AbutPointMethods[method].name,
           (int)contacts->n, (double)position[0], (double)position[1], (double)position[2], (double)normal[0], (double)normal[1],
           (double)normal[2], (double)separation);
}

static const PetscReal up[3] = {0, 1, 0};

/* A cell with a face at y = 0, and a cell with a point at height h over this face. */
static AbutPointContacts PointOverFace(int method, PetscReal h)
{
  const AbutPointRules rules = TestRules(1);
  const AbutPointCell  A     = TestCell(0, (const PetscReal[4][3]){{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0.25, -1, 0.25}});
  const AbutPointCell  B     = TestCell(1, (const PetscReal[4][3]){{0.25, h, 0.25}, {0.2, 1, 0.2}, {0.4, 1, 0.2}, {0.2, 1, 0.4}});

  return FindContacts(&AbutPointMethods[method], &rules, &A, &B);
}

/* A cell with a point at height h over the face of another cell: a point on the face is a contact unless `strict` is set. */
static void Strict(void **state)
{
  const PetscReal     height[] = {0, -0.05};
  const AbutPointCell A        = TestCell(0, (const PetscReal[4][3]){{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0.25, -1, 0.25}});

  (void)state;
  for (int k = 0; k < 2; k++)
    for (int strict = 0; strict < 2; strict++) {
      const PetscReal     h     = height[k];
      const AbutPointCell B     = TestCell(1, (const PetscReal[4][3]){{0.25, h, 0.25}, {0.2, 1, 0.2}, {0.4, 1, 0.2}, {0.2, 1, 0.4}});
      AbutPointRules      rules = TestRules(1);
      AbutPointContacts   found;

      rules.strict = (PetscBool)strict;
      found        = FindContacts(&AbutPointMethods[CONSISTENT], &rules, &A, &B);
      assert_int_equal(found.n, h < 0 || !strict);
      AbutTestCall(PetscFree(found.a));
    }
}

/* Length of the normal of the contacts at a position; fails if there is none or if they differ. */
static PetscReal LengthAt(const AbutPointContacts *contacts, const PetscReal position[3])
{
  PetscReal length = 0;

  for (PetscInt k = 0; k < contacts->n; k++) {
    const AbutPointContact *c = &contacts->a[k];

    if (fabs(c->position[0] - position[0]) + fabs(c->position[1] - position[1]) + fabs(c->position[2] - position[2]) > 1e-12) continue;
    assert_true(length == 0 || length == c->length);
    length = c->length;
  }
  assert_true(length > 0);
  return length;
}

/* Intersection: a point at any depth, its normal has twice the area of the face as length; no contact of triangles that do not overlap. */
static void DeepPoint(void **state)
{
  const AbutPointCell A     = TestCell(0, (const PetscReal[4][3]){{0, 0, 0}, {2, 0, 0}, {0, 0, 2}, {0.5, -2, 0.5}});
  const AbutPointCell B     = TestCell(1, (const PetscReal[4][3]){{0.5, -1, 0.5}, {0.4, 1, 0.4}, {0.8, 1, 0.4}, {0.4, 1, 0.8}});
  const AbutPointCell C     = TestCell(1, (const PetscReal[4][3]){{0.5, -1, 0.5}, {0.5, -0.8, 0.5}, {0.6, -0.8, 0.5}, {0.5, -0.8, 0.6}});
  AbutPointRules      rules = TestRules(1);
  AbutPointContacts   found;

  (void)state;
  for (int unit = 0; unit < 2; unit++) {
    rules.unit = (PetscBool)unit;
    found      = FindContacts(&AbutPointMethods[INTERSECTION], &rules, &A, &B);
    Expect(INTERSECTION, &found, B.tet.x[0], up, -1);
    assert_true(fabs(LengthAt(&found, B.tet.x[0]) - (unit ? 1 : 4)) < 1e-12);
    AbutTestCall(PetscFree(found.a));
  }
  found = FindContacts(&AbutPointMethods[INTERSECTION], &rules, &A, &C); /* inside: no triangles overlap */
  assert_int_equal(found.n, 0);
  AbutTestCall(PetscFree(found.a));
}

static void PointInFace(void **state)
{
  const PetscReal   tip[3] = {0.25, -0.05, 0.25};
  AbutPointContacts found;

  (void)state;
  for (int m = INTERSECTION; m <= CONSISTENT; m++) {
    found = PointOverFace(m, tip[1]);
    Expect(m, &found, tip, up, tip[1]);
    if (m != INTERSECTION) assert_int_equal(found.n, 1);
    assert_int_equal(found.a[0].feature[1], ABUT_FEATURE_VERTEX);
    assert_int_equal(found.a[0].feature[0], ABUT_FEATURE_FACE);
    assert_int_equal(found.a[0].vertex[1][0], 10);
    AbutTestCall(PetscFree(found.a));
  }
  for (int m = VOLUME_SAT; m <= GROWTH; m++) { /* the point and three edges that cross the face */
    const PetscReal offset = m == GROWTH ? tip[1] : tip[1] / 2, t = -tip[1] / (1 - tip[1]);
    const PetscReal edges[3][3] = {{0.2, 1, 0.2}, {0.4, 1, 0.2}, {0.2, 1, 0.4}};

    found = PointOverFace(m, tip[1]);
    assert_int_equal(found.n, 4);
    Expect(m, &found, (PetscReal[]){tip[0], offset, tip[2]}, up, tip[1]);
    for (int e = 0; e < 3; e++) {
      const PetscReal x = tip[0] + t * (edges[e][0] - tip[0]), z = tip[2] + t * (edges[e][2] - tip[2]);
      Expect(m, &found, (PetscReal[]){x, m == GROWTH ? 0 : offset, z}, up, tip[1]);
    }
    AbutTestCall(PetscFree(found.a));
  }
  found = PointOverFace(CLOSEST, 0.05);
  assert_int_equal(found.n, 1);
  Expect(CLOSEST, &found, (PetscReal[]){0.25, 0.025, 0.25}, up, 0.05);
  AbutTestCall(PetscFree(found.a));
}

/* An edge along x at y = 0 with its cell below, an edge along z at y = h with its cell above. */
static AbutPointContacts Edges(int method, PetscReal h)
{
  const AbutPointRules rules = TestRules(1);
  const AbutPointCell  A     = TestCell(0, (const PetscReal[4][3]){{-1, 0, 0}, {1, 0, 0}, {0, -1, -0.5}, {0, -1, 0.5}});
  const AbutPointCell  B     = TestCell(1, (const PetscReal[4][3]){{0, h, -1}, {0, h, 1}, {-0.5, 1 + h, 0}, {0.5, 1 + h, 0}});

  return FindContacts(&AbutPointMethods[method], &rules, &A, &B);
}

static void CrossingEdges(void **state)
{
  AbutPointContacts found;

  (void)state;
  found = Edges(CLOSEST, 0.08);
  assert_int_equal(found.n, 1);
  Expect(CLOSEST, &found, (PetscReal[]){0, 0.04, 0}, up, 0.08);
  assert_int_equal(found.a[0].feature[0], ABUT_FEATURE_EDGE);
  assert_int_equal(found.a[0].feature[1], ABUT_FEATURE_EDGE);
  AbutTestCall(PetscFree(found.a));
  found = Edges(INTERSECTION, -0.06); /* and contacts of other edges of the cells */
  assert_true(found.n > 1);
  Expect(INTERSECTION, &found, (PetscReal[]){0, -0.03, 0}, up, -0.06);
  AbutTestCall(PetscFree(found.a));
  for (int m = VERTEX; m <= CONSISTENT; m++) {
    found = Edges(m, -0.06);
    assert_int_equal(found.n, 0);
    AbutTestCall(PetscFree(found.a));
  }
  for (int m = VOLUME_SAT; m <= GROWTH; m++) { /* each edge crosses two faces of the other cell: a vertical edge of the intersection */
    found = Edges(m, -0.06);
    assert_int_equal(found.n, 4);
    for (int side = -1; side <= 1; side += 2) {
      Expect(m, &found, (PetscReal[]){side * 0.03, m == GROWTH ? 0 : -0.03, 0}, up, -0.06);
      Expect(m, &found, (PetscReal[]){0, m == GROWTH ? -0.06 : -0.03, side * 0.03}, up, -0.06);
    }
    AbutTestCall(PetscFree(found.a));
  }
}

/* Triangles in the plane y = 0 whose intersection is the unit square. */
static void CoplanarFaces(void **state)
{
  const AbutPointRules rules = TestRules(1);
  const AbutPointCell  A     = TestCell(0, (const PetscReal[4][3]){{0, 0, 0}, {2, 0, 0}, {0, 0, 2}, {0.5, -2, 0.5}});
  const AbutPointCell  B     = TestCell(1, (const PetscReal[4][3]){{1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {0.2, 2, 0.4}});

  (void)state;
  for (int m = VOLUME_SAT; m <= OPPOSING; m++) {
    AbutPointContacts found = FindContacts(&AbutPointMethods[m], &rules, &A, &B);

    assert_int_equal(found.n, 4);
    for (int k = 0; k < 4; k++) Expect(m, &found, (PetscReal[]){k % 2, 0, k / 2}, up, 0);
    AbutTestCall(PetscFree(found.a));
  }
}

/* Number of contacts of the intersection method with a normal along y. */
static PetscInt NumUp(const AbutPointCell *A, const AbutPointCell *B)
{
  const AbutPointRules rules = TestRules(1);
  AbutPointContacts    found = FindContacts(&AbutPointMethods[INTERSECTION], &rules, A, B);
  PetscInt             n     = 0;

  for (PetscInt k = 0; k < found.n; k++) n += found.a[k].normal[1] > 0.999;
  AbutTestCall(PetscFree(found.a));
  return n;
}

/* Intersection: cells that touch in a plane. An edge axis separates them, so that faces which come after it have no contacts. */
static void EndOfSearch(void **state)
{
  const AbutPointCell first[2] = {TestCell(0, (const PetscReal[4][3]){{0.5, -2, 0.5}, {0, 0, 0}, {2, 0, 0}, {0, 0, 2}}),
                                  TestCell(1, (const PetscReal[4][3]){{0.2, 2, 0.4}, {1, 0, 1}, {-1, 0, 1}, {1, 0, -1}})};
  const AbutPointCell last[2]  = {TestCell(0, (const PetscReal[4][3]){{0, 0, 0}, {2, 0, 0}, {0, 0, 2}, {0.5, -2, 0.5}}),
                                  TestCell(1, (const PetscReal[4][3]){{1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {0.2, 2, 0.4}})};

  (void)state;
  assert_int_equal(NumUp(&first[0], &first[1]), 2); /* the corner of each triangle inside the other */
  assert_int_equal(NumUp(&last[0], &last[1]), 0);
}

/* A common vertex, opposite cells. */
static void CommonVertex(void **state)
{
  const AbutPointRules rules = TestRules(1);
  const AbutPointCell  A     = TestCell(0, (const PetscReal[4][3]){{0, 0, 0}, {-1, -2, -1}, {1, -2, -1}, {0, -2, 1}});
  const AbutPointCell  B     = TestCell(1, (const PetscReal[4][3]){{0, 0, 0}, {-1, 2, -1}, {1, 2, -1}, {0, 2, 1}});

  (void)state;
  for (int m = VERTEX; m <= OPPOSING; m++) {
    AbutPointContacts found = FindContacts(&AbutPointMethods[m], &rules, &A, &B);

    assert_true(found.n > 0);
    for (PetscInt k = 0; k < found.n; k++) {
      assert_true(AbutDot(3, found.a[k].position, found.a[k].position) < 1e-20);
      assert_true(fabs(AbutDot(3, found.a[k].normal, found.a[k].normal) - 1) < 1e-12 && found.a[k].normal[1] > 0);
    }
    AbutTestCall(PetscFree(found.a));
  }
}

static void Apart(void **state)
{
  (void)state;
  for (int m = 0; m < NUM_METHODS; m++) {
    AbutPointContacts face = PointOverFace(m, 0.2), edges = Edges(m, 0.2);

    assert_int_equal(face.n, 0);
    assert_int_equal(edges.n, 0);
    AbutTestCall(PetscFree(face.a));
    AbutTestCall(PetscFree(edges.a));
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(PointInFace),  cmocka_unit_test(Strict),        cmocka_unit_test(DeepPoint),
                                     cmocka_unit_test(EndOfSearch),  cmocka_unit_test(CrossingEdges), cmocka_unit_test(CoplanarFaces),
                                     cmocka_unit_test(CommonVertex), cmocka_unit_test(Apart)};
  return AbutTestMain(argc, argv, tests);
}
