/* Mapping direction and regions: symmetric set-ups in closed form, regions against a ray for every vertex, exact borders. */
#include "contacts.h"
#include "pairimpl.h"
#include <abut/geom.h>
#include <math.h>

static void Pair(const Shape shape[2], AbutDeformPair **pair)
{
  AbutDeformSurface surface[2];

  ShapeSurface(&shape[0], "first", &surface[0]);
  ShapeSurface(&shape[1], "second", &surface[1]);
  AbutTestCall(AbutDeformPairCreate(surface[0], surface[1], pair));
}

static void Solve(AbutDeformPair *pair)
{
  AbutTestCall(AbutDeformPairIntersect(pair));
  assert_true(pair->curve.num_crossings > 0);
  AbutTestCall(AbutDeformPairMap(pair));
}

/* Ball of side 1 above the plane of side 0: the plane has no variation of normals, so that d is its normal, exactly. */
static void PlaneDirection(void **state)
{
  const PetscReal centre[3] = {0.03, -0.02, 0.71};
  Shape           shape[2];
  AbutDeformPair *pair;

  (void)state;
  ShapeGrid(20, 4, 0, &shape[0]);
  ShapeSphere(8, 1, centre, &shape[1]);
  Pair(shape, &pair);
  Solve(pair);
  AbutTestClose("direction", 3, pair->direction, (PetscReal[]){0, 0, -1}, 1e-12);
  PairFree(&pair, shape);
}

/* Equal spheres that are mirror images: d is the line of centres. Exchanging the sides reverses it, a rotation rotates it. */
static void SphereDirection(void **state)
{
  const PetscReal c = cos(0.7), s = sin(0.7), origin[3] = {0, 0, 0}, above[3] = {0, 0, 1.5}, line[3] = {s, 0, c};

  (void)state;
  for (PetscInt swap = 0; swap < 2; swap++) {
    Shape           shape[2];
    AbutDeformPair *pair;

    ShapeSphere(9, 1, swap ? above : origin, &shape[0]);
    ShapeSphere(9, 1, swap ? origin : above, &shape[1]);
    for (PetscInt k = 0; k < 2; k++) {
      for (PetscInt v = 0; v < shape[k].num_vertices; v++) {
        PetscReal      *x = &shape[k].x[3 * v];
        const PetscReal a = x[0], b = x[2];

        x[0] = c * a + s * b;
        x[2] = -s * a + c * b;
      }
    }
    Pair(shape, &pair);
    Solve(pair);
    for (PetscInt k = 0; k < 3; k++) assert_true(fabs(pair->direction[k] + (swap ? -1 : 1) * line[k]) < 1e-12);
    PairFree(&pair, shape);
  }
}

/* Whether a point lies in a convex surface. */
static PetscBool InConvex(AbutDeformSurface surface, const PetscReal x[3])
{
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscReal *a = &surface->x[3 * surface->face[f][0]], *b = &surface->x[3 * surface->face[f][1]],
                    *c = &surface->x[3 * surface->face[f][2]];

    if (AbutOrient3D(a, b, c, x) > 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Mean normal and variation over the part of a surface in a convex surface: sums over a fine subdivision of every face. */
static void Sums(AbutDeformSurface surface, AbutDeformSurface other, PetscReal mean[3], PetscReal *variation)
{
  const PetscInt fine   = 60;
  PetscReal      square = 0, area = 0, length;

  for (PetscInt k = 0; k < 3; k++) mean[k] = 0;
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscReal *a[3], *n[3];
    PetscReal        cross[3], da;

    for (PetscInt k = 0; k < 3; k++) {
      a[k] = &surface->x[3 * surface->face[f][k]];
      n[k] = &surface->normal[3 * surface->face[f][k]];
    }
    for (PetscInt k = 0; k < 3; k++) {
      const PetscInt l = (k + 1) % 3, m = (k + 2) % 3;

      cross[k] = (a[1][l] - a[0][l]) * (a[2][m] - a[0][m]) - (a[1][m] - a[0][m]) * (a[2][l] - a[0][l]);
    }
    da = sqrt(AbutDot(3, cross, cross)) / 2 / (PetscReal)(fine * fine);
    for (PetscInt i = 0; i < fine; i++) {
      for (PetscInt j = 0; j < 2 * (fine - i) - 1; j++) {
        const PetscReal third = (j % 2 ? 2. : 1.) / 3, p = ((PetscReal)i + third) / (PetscReal)fine;
        const PetscReal q = ((PetscReal)(j / 2) + third) / (PetscReal)fine;
        PetscReal       x[3], at[3];

        for (PetscInt k = 0; k < 3; k++) {
          x[k]  = (1 - p - q) * a[0][k] + p * a[1][k] + q * a[2][k];
          at[k] = (1 - p - q) * n[0][k] + p * n[1][k] + q * n[2][k];
        }
        if (!InConvex(other, x)) continue;
        area += da;
        square += da * AbutDot(3, at, at);
        for (PetscInt k = 0; k < 3; k++) mean[k] += da * at[k];
      }
    }
  }
  length = sqrt(AbutDot(3, mean, mean));
  for (PetscInt k = 0; k < 3; k++) mean[k] /= length;
  *variation = square / area - PetscSqr(length / area);
}

/* Eq. 2 with exact integrals over cut faces against sums: spheres of different size and resolution, not aligned with their edges. */
static void DirectionOfIntegrals(void **state)
{
  const PetscReal centre[2][3] = {{0, 0, 0}, {0.5, 0.3, 1.1}};
  PetscReal       mean[2][3], variation[2], expected[3], weighted[3], length = 0;
  Shape           shape[2];
  AbutDeformPair *pair;

  (void)state;
  ShapeSphere(3, 1, centre[0], &shape[0]);
  ShapeSphere(2, 0.6, centre[1], &shape[1]);
  Pair(shape, &pair);
  Solve(pair);
  for (PetscInt s = 0; s < 2; s++) Sums(pair->surface[s], pair->surface[1 - s], mean[s], &variation[s]);
  for (PetscInt k = 0; k < 3; k++) {
    expected[k] = mean[1][k] * variation[0] - mean[0][k] * variation[1];
    weighted[k] = mean[1][k] - mean[0][k];
  }
  length = sqrt(AbutDot(3, expected, expected));
  for (PetscInt k = 0; k < 3; k++) assert_true(fabs(pair->direction[k] - expected[k] / length) < 5e-4);
  /* equal weights give another direction: the test distinguishes them */
  length = sqrt(AbutDot(3, weighted, weighted));
  assert_true(fabs(AbutDot(3, pair->direction, weighted) / length - 1) > 1e-5);
  PairFree(&pair, shape);
}

/*
  Every vertex by brute force: front-facing and inside, or its ray meets a point that is front-facing and inside. For a deep ball in a
  plane these are closed forms: the disk of the ball's radius, and the lower half of the ball.
*/
static void DeepBall(void **state)
{
  const PetscReal centre[3] = {0.013, -0.027, -0.5};
  Shape           shape[2];
  AbutDeformPair *pair;
  PetscInt        beyond = 0;

  (void)state;
  ShapeGrid(40, 4, 0, &shape[0]);
  ShapeSphere(16, 1, centre, &shape[1]);
  Pair(shape, &pair);
  pair->control.direction[2] = -3;
  Solve(pair);
  for (PetscInt v = 0; v < shape[0].num_vertices; v++) {
    const PetscReal r = hypot(shape[0].x[3 * v] - centre[0], shape[0].x[3 * v + 1] - centre[1]);

    if (r < 0.985) assert_true(pair->mapping[0].index[v] >= 0);
    if (r > 1) assert_true(pair->mapping[0].index[v] < 0);
    beyond += pair->mapping[0].index[v] >= 0 && !pair->curve.inside[0][v];
  }
  assert_true(beyond > 30);
  for (PetscInt v = 0; v < shape[1].num_vertices; v++)
    assert_int_equal(pair->mapping[1].index[v] >= 0, pair->surface[1]->normal[3 * v + 2] <= 0);
  for (PetscInt i = 0; i < pair->mapping[0].num; i++) {
    const AbutMapPoint *point = &pair->mapping[0].point[i];
    const PetscReal    *x     = &shape[0].x[3 * pair->mapping[0].vertex[i]];
    const PetscReal     r     = hypot(x[0] - centre[0], x[1] - centre[1]);

    assert_true(fabs(point->depth - (0.5 + sqrt(PetscMax(0, 1 - r * r)))) < (r < 0.9 ? 0.02 : 0.2));
    assert_true(fabs(point->target[2] + point->depth / 2) < 1e-14);
  }
  /* the border of the region in the plane is the contour of the ball: a polygon between the circles of its vertices and edges */
  for (PetscInt i = 0; i < pair->mapping[0].num_border; i++) {
    const AbutBorderPoint *border = &pair->mapping[0].border[i];
    const PetscReal       *a = &shape[0].x[3 * border->inside], *b = &shape[0].x[3 * border->outside];
    const PetscReal        x = (1 - border->alpha) * a[0] + border->alpha * b[0], y = (1 - border->alpha) * a[1] + border->alpha * b[1];
    const PetscReal        r = hypot(x - centre[0], y - centre[1]);

    assert_true(r > 0.985 && r < 1);
    assert_true(fabs(border->point.facing) < 1e-6);
  }
  PairFree(&pair, shape);
}

/* Shallow spheres: the regions end at the intersection curve, with depth 0 there. */
static void ShallowSpheres(void **state)
{
  const PetscReal centre[2][3] = {{0.1, 0.2, 0.3}, {0.43, -0.11, 1.81}};
  Shape           shape[2];
  AbutDeformPair *pair;

  (void)state;
  ShapeSphere(16, 1, centre[0], &shape[0]);
  ShapeSphere(22, 0.8, centre[1], &shape[1]);
  Pair(shape, &pair);
  pair->control.stiffness[0] = 3;
  Solve(pair);
  for (PetscInt s = 0; s < 2; s++) {
    const AbutMapping *mapping = &pair->mapping[s];
    PetscReal          last    = -1;

    assert_true(mapping->stiffness == (s ? 0.25 : 0.75));
    assert_true(mapping->num > 20);
    for (PetscInt v = 0; v < shape[s].num_vertices; v++) assert_int_equal(mapping->index[v] >= 0, pair->curve.inside[s][v]);
    for (PetscInt i = 0; i < mapping->num; i++) assert_int_equal(mapping->index[mapping->vertex[i]], i);
    for (PetscInt i = 0; i < mapping->num_border; i++) {
      const AbutBorderPoint *border = &mapping->border[i];

      assert_true(mapping->index[border->inside] >= 0 && mapping->index[border->outside] < 0);
      assert_true(border->edge > last);
      assert_true(border->point.depth < 1e-12);
      last = border->edge;
    }
  }
  PairFree(&pair, shape);
}

/* The images of both sides lie on one surface: the other side, mapped at the image of a vertex, has its image at the same point. */
static void OneSharedSurface(void **state)
{
  const PetscReal centre[2][3] = {{0.1, 0.2, 0.3}, {0.43, -0.11, 1.61}};
  Shape           shape[2];
  AbutDeformPair *pair;

  (void)state;
  ShapeSphere(12, 1, centre[0], &shape[0]);
  ShapeSphere(16, 0.8, centre[1], &shape[1]);
  Pair(shape, &pair);
  pair->control.stiffness[0] = 2;
  Solve(pair);
  for (PetscInt s = 0; s < 2; s++) {
    for (PetscInt i = 0; i < pair->mapping[s].num; i++) {
      const AbutMapPoint     *point = &pair->mapping[s].point[i];
      const AbutDeformSurface other = pair->surface[1 - s];
      PetscReal               x[3] = {0}, start[3] = {0}, n[3] = {0};
      AbutRayEnds             ray;
      AbutMapPoint            back;

      for (PetscInt k = 0; k < 3; k++) {
        for (PetscInt l = 0; l < 3; l++) {
          x[l] += point->bary[k] * other->x[3 * other->face[point->face][k] + l];
          n[l] += point->bary[k] * other->normal[3 * other->face[point->face][k] + l];
          start[l] += point->bary[k] * pair->rays->position[1 - s][3 * other->face[point->face][k] + l];
        }
      }
      assert_true(AbutRaysFarthest(pair, 1 - s, start, &ray.image));
      assert_true(AbutSharedEnds(pair, 1 - s, start, &ray));
      for (PetscInt l = 0; l < 3; l++) n[l] = point->other_normal[l];
      AbutSharedPoint(pair, 1 - s, x, n, &ray, &back);
      AbutTestClose("image", 3, back.target, point->target, 1e-13);
      for (PetscInt l = 0; l < 3; l++) assert_true(fabs(back.normal[l] + point->normal[l]) < 1e-6);
    }
  }
  PairFree(&pair, shape);
}

/* Boxes that touch along a face: an intersection without area maps nothing. */
static void Touching(void **state)
{
  const PetscReal half[3] = {1, 1, 1}, centre[2][3] = {{0, 0, 0}, {0.25, 0.5, 2}};

  (void)state;
  for (PetscInt swap = 0; swap < 2; swap++) {
    Shape           shape[2];
    AbutDeformPair *pair;

    ShapeBox(half, centre[swap], &shape[0]);
    ShapeBox(half, centre[1 - swap], &shape[1]);
    Pair(shape, &pair);
    AbutTestCall(AbutDeformPairIntersect(pair));
    if (pair->curve.num_crossings) AbutTestCall(AbutDeformPairMap(pair));
    for (PetscInt s = 0; s < 2; s++)
      for (PetscInt i = 0; i < pair->mapping[s].num; i++) assert_true(pair->mapping[s].point[i].depth < 1e-15);
    PairFree(&pair, shape);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest mapping[] = {
    cmocka_unit_test(PlaneDirection), cmocka_unit_test(SphereDirection), cmocka_unit_test(DirectionOfIntegrals),
    cmocka_unit_test(DeepBall),       cmocka_unit_test(ShallowSpheres),  cmocka_unit_test(OneSharedSurface),
    cmocka_unit_test(Touching)};

  return AbutTestMain(argc, argv, mapping);
}
