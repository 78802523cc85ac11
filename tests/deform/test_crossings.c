/* Crossings, pieces of the intersection curve and vertices inside: against exact brute force, ties against a real translation. */
#include "pairimpl.h"
#include "shapes.h"
#include <abut/geom.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void Pair(const Shape *first, const Shape *second, AbutDeformPair **pair)
{
  AbutDeformSurface surface[2];

  ShapeSurface(first, "first", &surface[0]);
  ShapeSurface(second, "second", &surface[1]);
  AbutTestCall(AbutDeformPairCreate(surface[0], surface[1], pair));
}

static void Free(AbutDeformPair **pair)
{
  AbutDeformSurface surface[2] = {(*pair)->surface[0], (*pair)->surface[1]};

  AbutTestCall(AbutDeformPairDestroy(pair));
  for (PetscInt s = 0; s < 2; s++) AbutTestCall(AbutDeformSurfaceDestroy(&surface[s]));
}

static const PetscReal *Vertex(AbutDeformSurface surface, PetscInt v)
{
  return &surface->x[3 * v];
}

/* Every edge against every face. */
static PetscInt BruteForce(const AbutDeformPair *pair)
{
  PetscInt count = 0;

  for (PetscInt s = 0; s < 2; s++) {
    const AbutDeformSurface a = pair->surface[s], b = pair->surface[1 - s];

    for (PetscInt e = 0; e < a->num_edges; e++)
      for (PetscInt f = 0; f < b->num_faces; f++)
        count += AbutSegmentTriangleIntersect(Vertex(a, a->edge[e][0]), Vertex(a, a->edge[e][1]), Vertex(b, b->face[f][0]),
                                              Vertex(b, b->face[f][1]), Vertex(b, b->face[f][2]));
  }
  return count;
}

/* A crossing point is the same on the edge and in the face; the edge enters where its direction opposes the normal. */
static void CheckCrossing(const AbutDeformPair *pair, const AbutCrossing *crossing)
{
  const AbutDeformSurface a = pair->surface[crossing->side], b = pair->surface[1 - crossing->side];
  const PetscReal        *p = Vertex(a, a->edge[crossing->edge][0]), *q = Vertex(a, a->edge[crossing->edge][1]);
  const PetscInt         *v       = b->face[crossing->face];
  const PetscReal        *face[3] = {Vertex(b, v[0]), Vertex(b, v[1]), Vertex(b, v[2])};

  for (PetscInt k = 0; k < 3; k++) {
    const PetscReal on_edge = (1 - crossing->t) * p[k] + crossing->t * q[k];
    const PetscReal in_face = crossing->bary[0] * face[0][k] + crossing->bary[1] * face[1][k] + crossing->bary[2] * face[2][k];

    assert_true(crossing->bary[k] >= 0 && crossing->t >= 0 && crossing->t <= 1);
    assert_true(fabs(on_edge - in_face) < 1e-13);
  }
  assert_int_equal(AbutOrient3D(face[0], face[1], face[2], p), crossing->enters ? 1 : -1);
  assert_int_equal(AbutOrient3D(face[0], face[1], face[2], q), crossing->enters ? -1 : 1);
}

/* On a closed curve each crossing is the start of one piece and the end of one piece. */
static void CheckCurve(const AbutDeformPair *pair)
{
  const AbutIntersectionCurve *curve = &pair->curve;
  PetscInt                    *use;

  assert_int_equal(curve->num_pieces, curve->num_crossings);
  assert_int_equal(PetscCalloc1(2 * curve->num_crossings, &use), 0);
  for (PetscInt i = 0; i < curve->num_pieces; i++)
    for (PetscInt k = 0; k < 2; k++) use[2 * curve->piece[i].crossing[k] + k]++;
  for (PetscInt i = 0; i < 2 * curve->num_crossings; i++) assert_int_equal(use[i], 1);
  assert_int_equal(PetscFree(use), 0);
}

/* Two spheres in general position. */
static void Spheres(void **state)
{
  const PetscReal centre[2][3] = {{0.1, 0.2, 0.3}, {0.43, -0.11, 1.61}}, radius[2] = {1, 0.8};
  Shape           shape[2];
  AbutDeformPair *pair;

  (void)state;
  ShapeSphere(8, radius[0], centre[0], &shape[0]);
  ShapeSphere(11, radius[1], centre[1], &shape[1]);
  Pair(&shape[0], &shape[1], &pair);
  AbutTestCall(AbutDeformPairIntersect(pair));
  assert_int_equal(pair->curve.num_crossings, BruteForce(pair));
  assert_true(pair->curve.num_crossings > 60);
  for (PetscInt i = 0; i < pair->curve.num_crossings; i++) CheckCrossing(pair, &pair->curve.crossing[i]);
  CheckCurve(pair);
  for (PetscInt s = 0; s < 2; s++) {
    PetscInt count = 0;

    for (PetscInt v = 0; v < shape[s].num_vertices; v++) {
      PetscReal d2 = 0;

      for (PetscInt k = 0; k < 3; k++) d2 += PetscSqr(shape[s].x[3 * v + k] - centre[1 - s][k]);
      count += pair->curve.inside[s][v];
      /* between the inscribed sphere of the other polyhedron and its sphere either answer is possible */
      if (sqrt(d2) > radius[1 - s]) assert_false(pair->curve.inside[s][v]);
      if (sqrt(d2) < 0.97 * radius[1 - s]) assert_true(pair->curve.inside[s][v]);
    }
    assert_true(count > 10);
  }
  Free(&pair);
  for (PetscInt s = 0; s < 2; s++) ShapeFree(&shape[s]);
}

/*
  Boxes with corners at integers: vertices touch faces, edges cross edges, faces are coplanar. The results are equal to
  the results after an exact translation of the second box by (2^-10, 2^-21, 2^-32).
*/
static void Ties(void **state)
{
  const PetscReal shift[3] = {0x1p-10, 0x1p-21, 0x1p-32}, origin[3] = {0, 0, 0};
  PetscInt        touching = 0;
  uint64_t        seed     = 5;

  (void)state;
  for (PetscInt trial = 0; trial < 300; trial++) {
    PetscReal       half[2][3], centre[3];
    Shape           shape[3];
    AbutDeformPair *tie, *moved;

    for (PetscInt k = 0; k < 3; k++) {
      half[0][k] = 2;
      half[1][k] = 1 + (trial % 2) + (trial % 3 == k);
      centre[k]  = floor(4 * AbutTestRandom(&seed));
    }
    ShapeBox(half[0], origin, &shape[0]);
    ShapeBox(half[1], centre, &shape[1]);
    for (PetscInt k = 0; k < 3; k++) centre[k] += shift[k];
    ShapeBox(half[1], centre, &shape[2]);
    Pair(&shape[0], &shape[1], &tie);
    Pair(&shape[0], &shape[2], &moved);
    if (AbutDeformPairIntersect(moved)) {
      AbutErrorClear();
      assert_int_equal(AbutDeformPairIntersect(tie), ABUT_ERR_DIVERGED);
      AbutErrorClear();
    } else {
      AbutTestCall(AbutDeformPairIntersect(tie));
      assert_int_equal(tie->curve.num_crossings, moved->curve.num_crossings);
      assert_int_equal(tie->curve.num_crossings, BruteForce(moved));
      touching += BruteForce(tie) != BruteForce(moved);
      for (PetscInt i = 0; i < tie->curve.num_crossings; i++) {
        const AbutCrossing *a = &tie->curve.crossing[i];
        PetscInt            j = 0;

        while (j < tie->curve.num_crossings && (moved->curve.crossing[j].side != a->side || moved->curve.crossing[j].edge != a->edge ||
                                                moved->curve.crossing[j].face != a->face))
          j++;
        assert_true(j < tie->curve.num_crossings);
        assert_int_equal(a->enters, moved->curve.crossing[j].enters);
      }
      for (PetscInt s = 0; s < 2; s++) assert_memory_equal(tie->curve.inside[s], moved->curve.inside[s], 8 * sizeof(**tie->curve.inside));
      CheckCurve(tie);
    }
    Free(&tie);
    Free(&moved);
    for (PetscInt k = 0; k < 3; k++) ShapeFree(&shape[k]);
  }
  assert_true(touching > 100);
}

static void Refuse(const Shape *first, const Shape *second, const char text[])
{
  AbutDeformPair *pair;

  Pair(first, second, &pair);
  assert_int_equal(AbutDeformPairIntersect(pair), ABUT_ERR_DIVERGED);
  if (!strstr(AbutErrorMessage(), "surfaces first and second") || !strstr(AbutErrorMessage(), text))
    fail_msg("\"%s\" lacks \"%s\"", AbutErrorMessage(), text);
  AbutErrorClear();
  Free(&pair);
}

/* Moves the vertices of a shape, and appends another shape. */
static void Append(Shape *shape, const Shape *other)
{
  const PetscInt nv = shape->num_vertices, nf = shape->num_faces;

  shape->x    = realloc(shape->x, 3 * (size_t)(nv + other->num_vertices) * sizeof(PetscReal));
  shape->face = realloc(shape->face, 3 * (size_t)(nf + other->num_faces) * sizeof(PetscInt));
  memcpy(shape->x + 3 * nv, other->x, 3 * (size_t)other->num_vertices * sizeof(PetscReal));
  for (PetscInt i = 0; i < 3 * other->num_faces; i++) shape->face[3 * nf + i] = other->face[i] + nv;
  shape->num_vertices += other->num_vertices;
  shape->num_faces += other->num_faces;
}

static void Refusals(void **state)
{
  const PetscReal origin[3] = {0, 0, 0}, aside[3] = {2.5, 0.1, 0.2}, near[3] = {0.3, 0.1, 0.05}, up[3] = {0.1, 0.2, 0.9};
  Shape           large, small, plane, two;

  (void)state;
  ShapeSphere(6, 2, origin, &large);
  ShapeSphere(4, 0.5, near, &small);
  Refuse(&large, &small, "the part of second with the vertex 0 lies inside the other as a whole");
  ShapeFree(&small);
  ShapeSphere(4, 0.5, aside, &small);
  ShapeGrid(3, 1.1, 0.1, &plane);
  Refuse(&plane, &large, "the part of first with the vertex 0 lies inside the other as a whole");
  ShapeFree(&plane);
  ShapeGrid(3, 4.1, 1.2, &plane);
  for (PetscInt v = 0; v < plane.num_vertices; v++) plane.x[3 * v] += 2;
  Refuse(&plane, &large, "the border edge of first from the vertex ");
  ShapeFree(&plane);
  /* two overlapping spheres in one surface meet a third one */
  ShapeSphere(6, 1, origin, &two);
  ShapeFree(&small);
  ShapeSphere(6, 1, near, &small);
  Append(&two, &small);
  ShapeFree(&small);
  ShapeSphere(9, 0.7, up, &small);
  Refuse(&two, &small, "intersects itself");
  ShapeFree(&two);
  ShapeFree(&small);
  ShapeFree(&large);
}

/* Surfaces that do not intersect have no crossings; a needle that passes through a plate has both ends outside. */
static void Apart(void **state)
{
  const PetscReal half[2][3] = {{2, 2, 0.25}, {0.01, 0.02, 3}}, centre[2][3] = {{0, 0, 0}, {0.3, 0.2, 0.1}}, far[3] = {9, 0, 0};
  Shape           plate, needle;
  AbutDeformPair *pair;

  (void)state;
  ShapeBox(half[0], centre[0], &plate);
  ShapeBox(half[1], centre[1], &needle);
  Pair(&plate, &needle, &pair);
  AbutTestCall(AbutDeformPairIntersect(pair));
  assert_int_equal(pair->curve.num_crossings, BruteForce(pair));
  CheckCurve(pair);
  for (PetscInt s = 0; s < 2; s++)
    for (PetscInt v = 0; v < 8; v++) assert_false(pair->curve.inside[s][v]);
  Free(&pair);
  ShapeFree(&needle);
  ShapeBox(half[1], far, &needle);
  Pair(&plate, &needle, &pair);
  AbutTestCall(AbutDeformPairIntersect(pair));
  assert_int_equal(pair->curve.num_crossings, 0);
  Free(&pair);
  ShapeFree(&plate);
  ShapeFree(&needle);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest crossings[] = {cmocka_unit_test(Spheres), cmocka_unit_test(Ties), cmocka_unit_test(Refusals),
                                         cmocka_unit_test(Apart)};

  return AbutTestMain(argc, argv, crossings);
}
