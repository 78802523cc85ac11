/* Regions of a surface: partition of unity, refused maps, the cut along the crease against all other rows. */
#include "bent.h"
#include "pairimpl.h"
#include <math.h>
#include <string.h>

/* The weights of two regions are harmonic: linear along a cylinder up to the mesh error, and their sum is 1. */
static void PartitionOfUnity(void **state)
{
  Bent                      bent;
  AbutDeformSurface         surface;
  const AbutSurfaceRegions *regions;

  (void)state;
  BentCreate(20, 0, &bent);
  for (PetscInt v = 0; v < bent.rest.num_vertices; v++)
    if (bent.region[v] > 0 && bent.region[v] < 1) bent.region[v] = 0.3; /* values between two integers do not matter */
  ShapeSurface(&bent.rest, "arm", &surface);
  AbutTestCall(BentSetRegions(&bent, NULL, surface));
  regions = surface->regions;
  assert_int_equal(regions->num, 2);
  for (PetscInt v = 0; v < bent.rest.num_vertices; v++) {
    const PetscReal first = AbutRegionWeight(regions, 0, v), second = AbutRegionWeight(regions, 1, v), x = bent.rest.x[3 * v];

    assert_true(first >= 0 && second >= 0 && fabs(first + second - 1) <= 1e-15);
    if (bent.region[v] == 0 || bent.region[v] == 1) {
      assert_true(second == bent.region[v]);
    } else
      assert_true(AbutRegionHas(regions, 0, v) && AbutRegionHas(regions, 1, v));
    /* the ends of the shared region lie on rows of vertices up to an edge beyond 0.7 */
    if (fabs(x) < 0.6 && fabs(second - (x / 1.55 + 0.5)) > 0.04) fail_msg("weight %g at x = %g", (double)second, (double)x);
  }
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  BentFree(&bent);
}

/*
  Three sectors of a ball around the z axis that overlap: all three meet at both poles. The weights have the sum 1, are 0 outside of their
  region, and equal at a pole by symmetry up to the mesh error. Shared regions touch each other there.
*/
static void ThreeMeet(void **state)
{
  const PetscReal           centre[3] = {0, 0, 0};
  PetscInt                  start[4000], region[12000], num = 0, poles = 0;
  Shape                     ball;
  AbutDeformSurface         surface;
  const AbutSurfaceRegions *regions;

  (void)state;
  ShapeSphere(24, 1, centre, &ball);
  assert_true(ball.num_vertices < 4000);
  for (PetscInt v = 0; v < ball.num_vertices; v++) {
    const PetscReal *x = &ball.x[3 * v];

    start[v] = num;
    for (PetscInt l = 0; l < 3; l++) {
      const PetscReal angle = 2 * PETSC_PI * (PetscReal)l / 3;

      if (cos(angle) * x[0] + sin(angle) * x[1] > 0.5 * hypot(x[0], x[1]) - 0.15) region[num++] = l;
    }
  }
  start[ball.num_vertices] = num;
  ShapeSurface(&ball, "ball", &surface);
  AbutTestCall(AbutDeformSurfaceSetRegions(surface, ball.x, start, region));
  regions = surface->regions;
  assert_int_equal(regions->num, 3);
  for (PetscInt v = 0; v < ball.num_vertices; v++) {
    PetscReal sum = 0;

    for (PetscInt l = 0; l < 3; l++) {
      const PetscReal beta = AbutRegionWeight(regions, l, v);

      assert_true(beta >= 0 && (beta == 0 || AbutRegionHas(regions, l, v)));
      if (AbutRegionOwns(regions, l, v)) assert_true(beta == 1);
      if (fabs(ball.x[3 * v + 2]) > 0.9999 && fabs(beta - 1.0 / 3) > 0.03) fail_msg("weight %g at a pole", (double)beta);
      sum += beta;
    }
    poles += fabs(ball.x[3 * v + 2]) > 0.9999;
    assert_true(fabs(sum - 1) <= 1e-15);
  }
  assert_int_equal(poles, 2);
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  ShapeFree(&ball);
}

static void Refused(AbutDeformSurface surface, const Bent *bent, const char *words)
{
  assert_int_equal(BentSetRegions(bent, NULL, surface), ABUT_ERR_INPUT);
  if (!strstr(AbutErrorMessage(), words)) fail_msg("\"%s\" lacks \"%s\"", AbutErrorMessage(), words);
  AbutErrorClear();
  assert_null(surface->regions);
}

static void SetMap(Bent *bent, PetscReal (*value)(PetscReal x))
{
  for (PetscInt v = 0; v < bent->rest.num_vertices; v++) bent->region[v] = value(bent->rest.x[3 * v]);
}

static PetscReal Negative(PetscReal x)
{
  return x < 0 ? -0.5 : 0;
}

static PetscReal Jump(PetscReal x)
{
  return x < 0 ? 0 : 1;
}

static PetscReal SharedOnly(PetscReal x)
{
  (void)x;
  return 0.5;
}

static void Refusals(void **state)
{
  Bent              bent;
  AbutDeformSurface surface;
  AbutDeformer      deformer;
  PetscInt          index;

  (void)state;
  BentCreate(12, 0, &bent);
  ShapeSurface(&bent.rest, "arm", &surface);
  SetMap(&bent, Negative);
  Refused(surface, &bent, "has the region -1, must be in 0..999");
  SetMap(&bent, Jump);
  Refused(surface, &bent, "have the regions");
  SetMap(&bent, SharedOnly);
  Refused(surface, &bent, "touches no vertex that belongs to one region only");
  AbutTestCall(AbutDeformerCreate(&deformer));
  AbutTestCall(AbutDeformerAddSurface(deformer, surface, &index));
  assert_int_equal(AbutDeformerAddPair(deformer, (PetscInt[]){0, 0}, (PetscInt[]){0, 1}, &index), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "needs a region map"));
  AbutErrorClear();
  for (PetscInt v = 0; v < bent.rest.num_vertices; v++) bent.region[v] = bent.rest.x[3 * v] < 0 ? 0 : 0.5;
  AbutTestCall(BentSetRegions(&bent, NULL, surface));
  assert_int_equal(AbutDeformerAddPair(deformer, (PetscInt[]){0, 0}, (PetscInt[]){0, 0}, &index), ABUT_ERR_INPUT);
  AbutErrorClear();
  assert_int_equal(AbutDeformerAddPair(deformer, (PetscInt[]){0, 0}, (PetscInt[]){0, 1}, &index), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "the region 1 of a pair has no vertex that belongs to it alone"));
  AbutErrorClear();
  AbutTestCall(AbutDeformerDestroy(&deformer));
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  BentFree(&bent);
}

/*
  The bone direction of a bent capsule is orthogonal to the bisector. Vertices beyond the outline of the fold, as seen along the direction,
  belong to the side that they face: the cut follows the crease.
*/
static void Crease(void **state)
{
  const PetscReal   angle = 110 * PETSC_PI / 180, expected[3] = {-cos(angle / 2), 0, sin(angle / 2)};
  Bent              bent;
  AbutDeformSurface surface;
  AbutDeformPair   *pair;
  PetscInt          wrong = 0, num = 0;

  (void)state;
  BentCreate(32, angle, &bent);
  ShapeSurface(&bent.rest, "arm", &surface);
  AbutTestCall(BentSetRegions(&bent, NULL, surface));
  AbutTestCall(AbutDeformSurfaceSetPositions(surface, bent.x));
  AbutTestCall(AbutDeformPairCreate(surface, surface, &pair));
  AbutTestCall(AbutDeformPairSetRegions(pair, (PetscInt[]){0, 1}));
  AbutTestCall(AbutDeformPairIntersect(pair));
  AbutTestClose("direction", 3, pair->direction, expected, 0.01);
  for (PetscInt v = 0; v < bent.rest.num_vertices; v++) {
    const PetscReal *x = &bent.rest.x[3 * v], facing = AbutDot(3, &surface->normal[3 * v], pair->direction);

    assert_true(pair->part[0][v] != pair->part[1][v]); /* two regions cover this surface */
    if (bent.region[v] == 0 || bent.region[v] == 1) assert_true(pair->part[1][v] == (PetscBool)(bent.region[v] == 1));
    if (fabs(x[0]) > 0.3 || x[2] > -0.35 || fabs(facing) < 0.5) continue; /* inner side of the elbow, off the outline */
    num++;
    wrong += pair->part[0][v] != (PetscBool)(facing < 0);
  }
  assert_true(num > 20);
  assert_int_equal(wrong, 0);
  AbutTestCall(AbutDeformPairDestroy(&pair));
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  BentFree(&bent);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest regions[] = {cmocka_unit_test(PartitionOfUnity), cmocka_unit_test(ThreeMeet), cmocka_unit_test(Refusals),
                                       cmocka_unit_test(Crease)};

  return AbutTestMain(argc, argv, regions);
}
