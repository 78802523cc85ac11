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
  AbutTestCall(AbutDeformSurfaceSetRegions(surface, bent.rest.x, bent.region));
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

static void Refused(AbutDeformSurface surface, const Bent *bent, const char *words)
{
  assert_int_equal(AbutDeformSurfaceSetRegions(surface, bent->rest.x, bent->region), ABUT_ERR_INPUT);
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

static PetscReal TouchingShares(PetscReal x)
{
  return x < -1 ? 0 : x < 0 ? 0.5 : x < 1 ? 1.5 : 2;
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
  Refused(surface, &bent, "surface arm: the region map has -0.5 at the vertex");
  SetMap(&bent, Jump);
  Refused(surface, &bent, "have the regions");
  SetMap(&bent, TouchingShares);
  Refused(surface, &bent, "between two shared regions");
  SetMap(&bent, SharedOnly);
  Refused(surface, &bent, "touches no vertex that belongs to one region only");
  AbutTestCall(AbutDeformerCreate(PETSC_COMM_WORLD, &deformer));
  AbutTestCall(AbutDeformerAddSurface(deformer, surface, &index));
  assert_int_equal(AbutDeformerAddSelfPair(deformer, 0, 0, 1, &index), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "needs a region map"));
  AbutErrorClear();
  for (PetscInt v = 0; v < bent.rest.num_vertices; v++) bent.region[v] = bent.rest.x[3 * v] < 0 ? 0 : 0.5;
  AbutTestCall(AbutDeformSurfaceSetRegions(surface, bent.rest.x, bent.region));
  assert_int_equal(AbutDeformerAddSelfPair(deformer, 0, 0, 0, &index), ABUT_ERR_INPUT);
  AbutErrorClear();
  assert_int_equal(AbutDeformerAddSelfPair(deformer, 0, 0, 1, &index), ABUT_ERR_INPUT);
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
  AbutTestCall(AbutDeformSurfaceSetRegions(surface, bent.rest.x, bent.region));
  AbutTestCall(AbutDeformSurfaceSetPositions(surface, bent.x));
  AbutTestCall(AbutDeformPairCreateSelf(surface, 0, 1, &pair));
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
  const struct CMUnitTest regions[] = {cmocka_unit_test(PartitionOfUnity), cmocka_unit_test(Refusals), cmocka_unit_test(Crease)};

  return AbutTestMain(argc, argv, regions);
}
