/* Farthest hits along the mapping direction and images on S: closed forms, brute force, watertight edges. */
#include "contacts.h"
#include "pairimpl.h"
#include <abut/geom.h>
#include <math.h>

static void Pair(const Shape shape[2], const PetscReal direction[3], PetscReal k0, AbutDeformPair **pair)
{
  AbutDeformSurface surface[2];
  const PetscReal   length = sqrt(AbutDot(3, direction, direction));

  ShapeSurface(&shape[0], "first", &surface[0]);
  ShapeSurface(&shape[1], "second", &surface[1]);
  AbutTestCall(AbutDeformPairCreate(surface[0], surface[1], pair));
  for (PetscInt k = 0; k < 3; k++) {
    (*pair)->direction[k]            = direction[k] / length;
    (*pair)->mapping[0].direction[k] = direction[k] / length;
    (*pair)->mapping[1].direction[k] = -direction[k] / length;
  }
  (*pair)->mapping[0].stiffness = k0;
  (*pair)->mapping[1].stiffness = 1 - k0;
  AbutTestCall(AbutRaysSet(*pair, (const PetscReal *[]){(*pair)->surface[0]->x, (*pair)->surface[1]->x}));
}

/* The last hit over all faces by barycentric coordinates; false if the ray meets none. *margin is the distance of the ray from edges. */
static PetscBool BruteForce(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], PetscReal *height, PetscReal *margin)
{
  const AbutDeformSurface other = pair->surface[1 - side];
  PetscBool               found = PETSC_FALSE;

  *height = AbutRayHeight(side, start);
  *margin = PETSC_INFINITY;
  for (PetscInt f = 0; f < other->num_faces; f++) {
    const PetscReal *x[3];
    PetscReal        area[3], sum = 0, at = 0, low = PETSC_INFINITY;

    for (PetscInt k = 0; k < 3; k++) x[k] = &pair->rays->position[1 - side][3 * other->face[f][k]];
    for (PetscInt k = 0; k < 3; k++) {
      const PetscReal *p = x[(k + 1) % 3], *q = x[(k + 2) % 3];

      sum += area[k] = (p[0] - start[0]) * (q[1] - start[1]) - (p[1] - start[1]) * (q[0] - start[0]);
    }
    for (PetscInt k = 0; k < 3; k++) {
      low = PetscMin(low, area[k] / sum);
      at += area[k] / sum * AbutRayHeight(side, x[k]);
    }
    *margin = PetscMin(*margin, fabs(low));
    if (low < 0 || at < *height) continue;
    *height = at;
    found   = PETSC_TRUE;
  }
  return found;
}

/* Compares the hits of all vertices with brute force. Rays on edges are left out. Returns the number of hits. */
static PetscInt CompareAll(const AbutDeformPair *pair, PetscInt *compared)
{
  PetscInt hits = 0;

  *compared = 0;
  for (PetscInt s = 0; s < 2; s++) {
    for (PetscInt i = 0; i < pair->surface[s]->num_vertices; i++) {
      const PetscReal *start = &pair->rays->position[s][3 * i];
      PetscReal        height, margin;
      AbutRayHit       hit;
      const PetscBool  expected = BruteForce(pair, s, start, &height, &margin), found = AbutRaysFarthest(pair, s, start, &hit);

      if (margin < 1e-12) continue;
      (*compared)++;
      assert_int_equal(found, expected);
      if (!found) continue;
      hits++;
      assert_true(fabs(hit.height - height) < 1e-12);
    }
  }
  return hits;
}

/* Two spheres in general position. */
static void Spheres(void **state)
{
  const PetscReal centre[2][3] = {{0.1, 0.2, 0.3}, {0.4, -0.1, 1.6}}, direction[3] = {0.3, -0.2, 1};
  PetscInt        compared;
  Shape           shape[2];
  AbutDeformPair *pair;

  (void)state;
  ShapeSphere(8, 1, centre[0], &shape[0]);
  ShapeSphere(11, 0.8, centre[1], &shape[1]);
  Pair(shape, direction, 0.3, &pair);
  assert_true(CompareAll(pair, &compared) > 100);
  assert_true(compared > 700);
  PairFree(&pair, shape);
}

/* A ball on two triangles that are forty times as long as its edges or more, and a ball beside another: one cell, and no cell. */
static void Extremes(void **state)
{
  const PetscReal centre[2][3] = {{0.31, 0.17, 0.4}, {5, 0, 0}}, direction[3] = {0.1, -0.2, -1};
  PetscInt        compared;
  Shape           shape[2];
  AbutDeformPair *pair;

  (void)state;
  for (PetscInt k = 0; k < 2; k++) {
    ShapeSphere(14, 1, centre[0], &shape[0]);
    if (k)
      ShapeSphere(5, 1, centre[1], &shape[1]);
    else
      ShapeGrid(1, 40, 0, &shape[1]);
    Pair(shape, direction, 0.3, &pair);
    if (k)
      assert_int_equal(CompareAll(pair, &compared), 0);
    else
      assert_true(CompareAll(pair, &compared) > 100);
    assert_true(compared > 700);
    PairFree(&pair, shape);
  }
}

/* Aligned grids: every ray of a vertex meets vertices and edges of the other grid exactly, and hits one face. */
static void Watertight(void **state)
{
  const PetscReal direction[3] = {0, 0, -1};
  Shape           shape[2];
  AbutDeformPair *pair;
  PetscInt        found = 0;

  (void)state;
  ShapeGrid(8, 4, 0.5, &shape[0]);
  ShapeGrid(16, 4, 0, &shape[1]);
  Pair(shape, direction, 0.5, &pair);
  for (PetscInt i = 0; i < shape[0].num_vertices; i++) {
    AbutRayHit hit;

    if (!AbutRaysFarthest(pair, 0, &pair->rays->position[0][3 * i], &hit)) continue;
    found++;
    assert_true(fabs(hit.height) < 1e-15);
  }
  /* the infinitesimal translation moves one row and one column of vertices out of the grid */
  assert_int_equal(found, 64);
  PairFree(&pair, shape);
}

/* S lies at the fraction kbar of the depth from the image, and its normal is the normal of the interpolated heights. */
static void SharedPlane(void **state)
{
  const PetscReal direction[3] = {0, 0, -1}, k0 = 0.3, slope[2] = {0.5, -0.2};
  Shape           shape[2];
  AbutDeformPair *pair;

  (void)state;
  ShapeGrid(4, 4, 0, &shape[0]);
  ShapeGrid(6, 6, 0, &shape[1]);
  for (PetscInt s = 0; s < 2; s++)
    for (PetscInt i = 0; i < shape[s].num_vertices; i++) shape[s].x[3 * i + 2] = (s ? -1 : 0.25) + slope[s] * shape[s].x[3 * i];
  for (PetscInt f = 0; f < shape[1].num_faces; f++) {
    const PetscInt swap = shape[1].face[3 * f];

    shape[1].face[3 * f]     = shape[1].face[3 * f + 1];
    shape[1].face[3 * f + 1] = swap;
  }
  Pair(shape, direction, k0, &pair);
  for (PetscInt s = 0; s < 2; s++) {
    const PetscInt  ends[2] = {s ? 17 : 6, s ? 18 : 7};
    const PetscReal alpha = 0.3, sign = s ? -1 : 1, tilt = k0 * slope[0] + (1 - k0) * slope[1], norm = sqrt(1 + tilt * tilt);
    const PetscReal x   = 0.7 * shape[s].x[3 * ends[0]] + 0.3 * shape[s].x[3 * ends[1]];
    const PetscReal top = 0.25 + slope[0] * x, bottom = -1 + slope[1] * x, on_s = k0 * top + (1 - k0) * bottom;
    AbutMapPoint    point;
    PetscBool       found;

    AbutTestCall(AbutDeformPairMapEdgePoint(pair, s, ends, alpha, &point, &found));
    assert_true(found);
    AbutTestClose("depth", 1, &point.depth, (PetscReal[]){top - bottom}, 1e-14);
    AbutTestClose("target", 1, &point.target[2], &on_s, 1e-14);
    AbutTestClose("normal", 3, point.normal, (PetscReal[]){-sign * tilt / norm, 0, sign / norm}, 1e-14);
    AbutTestClose("score", 1, &point.score, (PetscReal[]){(top - bottom) / norm}, 1e-14);
    AbutTestClose("facing", 1, &point.facing, (PetscReal[]){1 / sqrt(1 + slope[0] * slope[0])}, 1e-14);
  }
  PairFree(&pair, shape);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest rays[] = {cmocka_unit_test(Spheres), cmocka_unit_test(Extremes), cmocka_unit_test(Watertight),
                                    cmocka_unit_test(SharedPlane)};

  return AbutTestMain(argc, argv, rays);
}
