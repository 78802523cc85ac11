/* The deformer: contacts of several bodies; contacts resolved; frames without history; refusals. */
#include "deformerimpl.h"
#include "shapes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUM = 4 };

/* Three balls on a plane, of which two also touch each other. */
typedef struct {
  Shape             shape[NUM];
  AbutDeformSurface surface[NUM];
  AbutDeformer      deformer;
} Set;

static const PetscInt pairs[4][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}};

static void Create(Set *set)
{
  const PetscReal centre[3][3] = {{-0.9, 0.03, 0.82}, {0.88, 0.01, 0.86}, {0.07, 1.9, 0.79}};
  PetscInt        index;

  ShapeGrid(30, 7, 0, &set->shape[0]);
  for (PetscInt i = 0; i < 3; i++) ShapeSphere(9 + i, 1, centre[i], &set->shape[1 + i]);
  AbutTestCall(AbutDeformerCreate(&set->deformer));
  for (PetscInt i = 0; i < NUM; i++) {
    ShapeSurface(&set->shape[i], i ? "ball" : "plane", &set->surface[i]);
    AbutTestCall(AbutDeformerAddSurface(set->deformer, set->surface[i], &index));
    assert_int_equal(index, i);
  }
  for (PetscInt i = 0; i < 4; i++) AbutTestCall(AbutDeformerAddPair(set->deformer, pairs[i], NULL, &index));
}

static void Destroy(Set *set)
{
  AbutTestCall(AbutDeformerDestroy(&set->deformer));
  for (PetscInt i = 0; i < NUM; i++) {
    AbutTestCall(AbutDeformSurfaceDestroy(&set->surface[i]));
    ShapeFree(&set->shape[i]);
  }
}

/* Moves the balls down by `depth` and solves; y is allocated. */
static PetscErrorCode Solve(const Set *set, PetscReal depth, PetscReal *y[NUM])
{
  AbutDeformPairControl    pair[4];
  AbutDeformSurfaceControl surface[NUM];
  const PetscReal         *x[NUM];

  for (PetscInt i = 0; i < 4; i++) AbutDeformPairControlInit(&pair[i]);
  pair[2].stiffness[0] = 0.5;
  for (PetscInt i = 0; i < NUM; i++) {
    AbutDeformSurfaceControlInit(0.6, &surface[i]);
    y[i] = malloc(3 * (size_t)set->shape[i].num_vertices * sizeof(PetscReal));
    memcpy(y[i], set->shape[i].x, 3 * (size_t)set->shape[i].num_vertices * sizeof(PetscReal));
    for (PetscInt v = 0; i && v < set->shape[i].num_vertices; v++) y[i][3 * v + 2] -= depth;
    x[i] = y[i];
  }
  return AbutDeformerSolve(set->deformer, x, pair, surface, y);
}

static void Free(PetscReal *y[NUM])
{
  for (PetscInt i = 0; i < NUM; i++) free(y[i]);
}

static void Equal(const Set *set, PetscReal *const a[NUM], PetscReal *const b[NUM])
{
  for (PetscInt i = 0; i < NUM; i++) assert_memory_equal(a[i], b[i], 3 * (size_t)set->shape[i].num_vertices * sizeof(PetscReal));
}

static void Contacts(void **state)
{
  Set                            set;
  PetscReal                     *y[NUM];
  const AbutDeformPairReport    *pair;
  const AbutDeformSurfaceReport *surface;

  (void)state;
  Create(&set);
  AbutTestCall(Solve(&set, 0.01, y));
  AbutTestCall(AbutDeformerGetReports(set.deformer, &pair, &surface));
  for (PetscInt i = 0; i < 4; i++)
    assert_true(pair[i].intersects && pair[i].num_zone[0] > 3 && pair[i].num_zone[1] > 3 && pair[i].zone_mismatch < 1e-8);
  for (PetscInt i = 0; i < NUM; i++) {
    PetscInt contact[2000], num = 0, most = 0;

    assert_true(surface[i].volume_error < 1e-10);
    AbutTestCall(AbutDeformerGetContacts(set.deformer, i, contact));
    for (PetscInt v = 0; v < set.shape[i].num_vertices; v++) num += contact[v] >= 0;
    for (PetscInt p = 0; p < 4; p++)
      for (PetscInt s = 0; s < 2; s++) most += pairs[p][s] == i ? pair[p].num_zone[s] : 0;
    assert_true(num > 3 && num <= most);
  }
  Free(y);
  Destroy(&set);
}

/* A frame after others equals the same frame of a new deformer. */
static void History(void **state)
{
  Set        used, fresh;
  PetscReal *y[4][NUM];

  (void)state;
  Create(&used);
  Create(&fresh);
  AbutTestCall(Solve(&used, 0.15, y[0]));
  AbutTestCall(Solve(&used, -1, y[1]));
  AbutTestCall(Solve(&used, 0.05, y[2]));
  AbutTestCall(Solve(&fresh, 0.05, y[3]));
  Equal(&used, y[2], y[3]);
  /* without contact nothing moves */
  assert_memory_equal(y[1][0], used.shape[0].x, 3 * (size_t)used.shape[0].num_vertices * sizeof(PetscReal));
  for (PetscInt k = 0; k < 4; k++) Free(y[k]);
  Destroy(&used);
  Destroy(&fresh);
}

/* A ball on a rigid plane of two triangles: the zone of the plane has no vertex, the ball becomes flat at the height of the plane. */
static void CoarseObstacle(void **state)
{
  const PetscReal                centre[3] = {0.21, 0.13, 0.8};
  Shape                          shape[2];
  AbutDeformSurface              surface[2];
  AbutDeformer                   deformer;
  AbutDeformPairControl          pair;
  AbutDeformSurfaceControl       control[2];
  const AbutDeformPairReport    *report;
  const AbutDeformSurfaceReport *reports;
  PetscReal                     *y[2], low = 0;
  PetscInt                       index;

  (void)state;
  ShapeGrid(1, 6, 0, &shape[0]);
  ShapeSphere(12, 1, centre, &shape[1]);
  AbutTestCall(AbutDeformerCreate(&deformer));
  for (PetscInt i = 0; i < 2; i++) {
    ShapeSurface(&shape[i], i ? "ball" : "plane", &surface[i]);
    AbutTestCall(AbutDeformerAddSurface(deformer, surface[i], &index));
    AbutDeformSurfaceControlInit(0.8, &control[i]);
    y[i] = malloc(3 * (size_t)shape[i].num_vertices * sizeof(PetscReal));
  }
  AbutTestCall(AbutDeformerAddPair(deformer, (PetscInt[]){0, 1}, NULL, &index));
  AbutDeformPairControlInit(&pair);
  pair.stiffness[1] = 0;
  pair.tau          = -1;
  AbutTestCall(AbutDeformerSolve(deformer, (const PetscReal *[2]){shape[0].x, shape[1].x}, &pair, control, y));
  AbutTestCall(AbutDeformerGetReports(deformer, &report, &reports));
  assert_true(report->num_zone[0] == 0 && report->num_zone[1] > 10);
  assert_true(reports[1].volume_error < 1e-10);
  assert_memory_equal(y[0], shape[0].x, 3 * (size_t)shape[0].num_vertices * sizeof(PetscReal));
  for (PetscInt v = 0; v < shape[1].num_vertices; v++) low = PetscMin(low, y[1][3 * v + 2]);
  if (low < -0.02) fail_msg("a vertex stays %g below the plane", (double)-low); /* of 0.2 before */
  AbutTestCall(AbutDeformerDestroy(&deformer));
  for (PetscInt i = 0; i < 2; i++) {
    AbutTestCall(AbutDeformSurfaceDestroy(&surface[i]));
    ShapeFree(&shape[i]);
    free(y[i]);
  }
}

static void Refusals(void **state)
{
  Set        set;
  PetscReal *y[NUM];
  PetscInt   index;

  (void)state;
  Create(&set);
  assert_int_equal(AbutDeformerAddPair(set.deformer, (PetscInt[]){1, 1}, NULL, &index), ABUT_ERR_INPUT);
  AbutErrorClear();
  for (PetscInt v = 0; v < set.shape[3].num_vertices; v++) set.shape[3].x[3 * v + 1] += 1.4; /* over the border of the plane */
  assert_int_equal(Solve(&set, 0.05, y), ABUT_ERR_DIVERGED);
  assert_non_null(strstr(AbutErrorMessage(), "surfaces plane and ball: the border edge of plane"));
  AbutErrorClear();
  Free(y);
  Destroy(&set);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest deformer[] = {cmocka_unit_test(Contacts), cmocka_unit_test(History), cmocka_unit_test(CoarseObstacle),
                                        cmocka_unit_test(Refusals)};

  return AbutTestMain(argc, argv, deformer);
}
