/* Two regions of a bent skinned capsule that collide with each other: exact results on any number of ranks, contact resolved. */
#include "bent.h"
#include "deformerimpl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES (PETSC_PI / 180)

/* A bent capsule and its deformer. */
typedef struct {
  Bent                           bent;
  const PetscInt                *number; /* numbers of the regions, NULL: 0, 1, ... */
  AbutDeformSurface              surface;
  AbutDeformer                   deformer;
  PetscReal                     *y; /* displaced positions */
  const AbutDeformPairReport    *pair;
  const AbutDeformSurfaceReport *report;
} Elbow;

/* Resolves the collision of two regions of elbow->bent with a relative stiffness of the first one. */
static void Solve(const PetscInt regions[2], PetscReal tau, PetscReal stiffness, Elbow *elbow)
{
  AbutDeformPairControl    pair;
  AbutDeformSurfaceControl surface;
  PetscInt                 index;

  elbow->y = malloc(3 * (size_t)elbow->bent.rest.num_vertices * sizeof(PetscReal));
  ShapeSurface(&elbow->bent.rest, "arm", &elbow->surface);
  AbutTestCall(BentSetRegions(&elbow->bent, elbow->number, elbow->surface));
  AbutTestCall(AbutDeformerCreate(&elbow->deformer));
  AbutTestCall(AbutDeformerAddSurface(elbow->deformer, elbow->surface, &index));
  AbutTestCall(AbutDeformerAddPair(elbow->deformer, (PetscInt[]){0, 0}, (PetscInt[]){regions[0], regions[1]}, &index));
  AbutDeformPairControlInit(&pair);
  AbutDeformSurfaceControlInit(0.9, &surface);
  pair.tau          = tau;
  pair.stiffness[0] = stiffness;
  pair.stiffness[1] = 1 - stiffness;
  AbutTestCall(AbutDeformerSolve(elbow->deformer, (const PetscReal *[1]){elbow->bent.x}, &pair, &surface, &elbow->y));
  AbutTestCall(AbutDeformerGetReports(elbow->deformer, &elbow->pair, &elbow->report));
}

/* A bent capsule of divisions n. */
static void Create(PetscInt n, PetscReal degrees, PetscReal tau, PetscReal stiffness, Elbow *elbow)
{
  elbow->number = NULL;
  BentCreate(n, degrees * DEGREES, &elbow->bent);
  Solve((PetscInt[]){0, 1}, tau, stiffness, elbow);
}

static void Destroy(Elbow *elbow)
{
  AbutTestCall(AbutDeformerDestroy(&elbow->deformer));
  AbutTestCall(AbutDeformSurfaceDestroy(&elbow->surface));
  BentFree(&elbow->bent);
  free(elbow->y);
}

static void Zones(void **state)
{
  Elbow    elbow;
  PetscInt contact[2000], num = 0;

  (void)state;
  Create(20, 110, -1, 0.4, &elbow);
  assert_true(elbow.pair->num_zone[0] > 20 && elbow.pair->num_zone[1] > 20);
  assert_true(elbow.pair->zone_mismatch < 1e-8 && elbow.report->bulge > 0);
  AbutTestCall(AbutDeformerGetContacts(elbow.deformer, 0, contact));
  for (PetscInt v = 0; v < elbow.bent.rest.num_vertices; v++) num += contact[v] == 0;
  assert_int_equal(num, elbow.pair->num_zone[0] + elbow.pair->num_zone[1]);
  Destroy(&elbow);
}

/* Volumes by the divergence theorem, of input and output. */
static void Volume(void **state)
{
  (void)state;
  for (PetscInt k = 0; k < 3; k++) {
    const PetscReal stiffness[3] = {0.5, 0, 1}, degrees[3] = {80, 100, 120};
    Elbow           elbow;
    PetscReal       before, after;

    Create(20, degrees[k], -1, stiffness[k], &elbow);
    before = ShapeVolume(&elbow.bent.rest, elbow.bent.x);
    after  = ShapeVolume(&elbow.bent.rest, elbow.y);
    assert_true(elbow.report->volume_error < 1e-10 && elbow.report->displacement > 1e-3);
    if (fabs(after - before) > 1e-13 * before) fail_msg("the volume changes by %g", (double)(after / before - 1));
    Destroy(&elbow);
  }
}

/* Without contact nothing moves. */
static void Straight(void **state)
{
  Elbow elbow;

  (void)state;
  Create(12, 40, -1, 0.5, &elbow);
  assert_true(!elbow.pair->intersects && elbow.report->num_deformed == 0);
  assert_memory_equal(elbow.y, elbow.bent.x, 3 * (size_t)elbow.bent.rest.num_vertices * sizeof(PetscReal));
  Destroy(&elbow);
}

/*
  Exact number of crossings of the faces of both sides after they are moved apart along the mapping direction by `gap` in total; the sides
  are the ones of the cut of the frame.
*/
static PetscInt Crossings(const Elbow *elbow, const PetscReal x[], PetscReal gap)
{
  const AbutDeformPair *solved = elbow->deformer->pair[0].pair;
  const PetscInt        nv     = elbow->bent.rest.num_vertices;
  AbutDeformSurface     surface[2];
  AbutDeformPair       *pair;
  PetscReal            *moved = malloc(3 * (size_t)nv * sizeof(PetscReal));
  PetscInt              num   = 0;

  for (PetscInt s = 0; s < 2; s++) {
    for (PetscInt i = 0; i < 3 * nv; i++) moved[i] = x[i] + (s ? -0.5 : 0.5) * gap * solved->direction[i % 3];
    AbutTestCall(AbutDeformSurfaceCreate("side", nv, elbow->bent.rest.num_faces, elbow->bent.rest.face, &surface[s]));
    AbutTestCall(AbutDeformSurfaceSetPositions(surface[s], moved));
  }
  AbutTestCall(AbutDeformPairCreate(surface[0], surface[1], &pair));
  for (PetscInt s = 0; s < 2; s++) {
    AbutTestCall(PetscMalloc1(nv, &pair->part[s]));
    memcpy(pair->part[s], solved->part[s], (size_t)nv * sizeof(PetscBool));
  }
  AbutTestCall(AbutCrossingsFind(pair));
  for (PetscInt i = 0; i < pair->curve.num_pieces; i++)
    num += AbutPairHasFace(pair, 0, pair->curve.piece[i].face[0]) && AbutPairHasFace(pair, 1, pair->curve.piece[i].face[1]);
  AbutTestCall(AbutDeformPairDestroy(&pair));
  for (PetscInt s = 0; s < 2; s++) AbutTestCall(AbutDeformSurfaceDestroy(&surface[s]));
  free(moved);
  return num;
}

/* Both sides of the output intersect by the mesh error at most: moved apart by 1/60 of the depth of the input they are separate. */
static void Resolved(void **state)
{
  const PetscReal stiffness[2] = {0.5, 0.8};

  (void)state;
  for (PetscInt k = 0; k < 4; k++) {
    Elbow elbow;

    Create(k / 2 ? 40 : 20, 115, -3, stiffness[k % 2], &elbow);
    if (!(elbow.pair->depth > 0.3)) fail_msg("depth %g", (double)elbow.pair->depth);
    assert_true(Crossings(&elbow, elbow.bent.x, 0.01) > 50);
    assert_int_equal(Crossings(&elbow, elbow.y, 0.005), 0);
    Destroy(&elbow);
  }
}

/* Regions without common vertices collide like two surfaces: the ends of a ring. Their direction is computed from the normals. */
static void Separate(void **state)
{
  const PetscReal along[3] = {1, 0, 0};
  Elbow           one;

  (void)state;
  one.number = NULL;
  BentRing(24, 0.75, &one.bent);
  Solve((PetscInt[]){0, 2}, -3, 0.3, &one);
  if (fabs(fabs(AbutDot(3, one.pair->direction, along)) - 1) > 1e-3) fail_msg("direction %g", (double)one.pair->direction[0]);
  assert_true(one.pair->num_zone[0] > 20 && one.pair->num_zone[1] > 20 && one.pair->zone_mismatch < 1e-8);
  assert_true(one.report->volume_error < 1e-10);
  assert_true(Crossings(&one, one.bent.x, 0.005) > 50);
  assert_int_equal(Crossings(&one, one.y, 0.005), 0);
  Destroy(&one);
}

/* Regions need not be numbered along the surface: other numbers give the same result up to the rounding of sums over regions. */
static void Renumbered(void **state)
{
  Elbow one, other;

  (void)state;
  one.number   = (PetscInt[]){0, 1, 2};
  other.number = (PetscInt[]){4, 0, 1};
  BentRing(24, 0.75, &one.bent);
  BentRing(24, 0.75, &other.bent);
  Solve((PetscInt[]){0, 2}, -3, 0.3, &one);
  Solve((PetscInt[]){4, 1}, -3, 0.3, &other);
  assert_true(one.report->displacement > 0.01 && one.pair->num_zone[0] == other.pair->num_zone[0]);
  AbutTestClose("positions", 3 * one.bent.rest.num_vertices, other.y, one.y, 1e-12);
  Destroy(&one);
  Destroy(&other);
}

/*
  Three regions of a bent capsule meet: the half x > 0 is divided into two that overlap by their sides y. Each collides with the half x < 0,
  and vertices at the ends of the crease belong to all three.
*/
static void Meeting(Elbow *elbow)
{
  PetscInt                *start, *region, num = 0, index, triple = 0;
  AbutDeformPairControl    pair[2];
  AbutDeformSurfaceControl surface;

  elbow->number = NULL;
  BentCreate(24, 115 * DEGREES, &elbow->bent);
  start    = malloc((size_t)(elbow->bent.rest.num_vertices + 1) * sizeof(PetscInt));
  region   = malloc(3 * (size_t)elbow->bent.rest.num_vertices * sizeof(PetscInt));
  elbow->y = malloc(3 * (size_t)elbow->bent.rest.num_vertices * sizeof(PetscReal));
  for (PetscInt v = 0; v < elbow->bent.rest.num_vertices; v++) {
    const PetscReal *x = &elbow->bent.rest.x[3 * v];

    start[v] = num;
    if (x[0] < 0.7) region[num++] = 0;
    if (x[0] > -0.7 && x[1] < 0.2) region[num++] = 1;
    if (x[0] > -0.7 && x[1] > -0.2) region[num++] = 2;
    triple += num == start[v] + 3;
  }
  start[elbow->bent.rest.num_vertices] = num;
  assert_true(triple > 10);
  ShapeSurface(&elbow->bent.rest, "arm", &elbow->surface);
  AbutTestCall(AbutDeformSurfaceSetRegions(elbow->surface, elbow->bent.rest.x, start, region));
  AbutTestCall(AbutDeformerCreate(&elbow->deformer));
  AbutTestCall(AbutDeformerAddSurface(elbow->deformer, elbow->surface, &index));
  for (PetscInt k = 0; k < 2; k++) {
    AbutTestCall(AbutDeformerAddPair(elbow->deformer, (PetscInt[]){0, 0}, (PetscInt[]){0, k + 1}, &index));
    AbutDeformPairControlInit(&pair[k]);
    pair[k].tau          = -3;
    pair[k].direction[0] = -cos(115 * DEGREES / 2);
    pair[k].direction[2] = sin(115 * DEGREES / 2);
  }
  AbutDeformSurfaceControlInit(0.9, &surface);
  AbutTestCall(AbutDeformerSolve(elbow->deformer, (const PetscReal *[1]){elbow->bent.x}, pair, &surface, &elbow->y));
  AbutTestCall(AbutDeformerGetReports(elbow->deformer, &elbow->pair, &elbow->report));
  free(start);
  free(region);
}

/* Largest value of y and of -y of the vertices whose displacement is above a limit. */
static void Reach(const Elbow *elbow, PetscReal limit, PetscReal reach[2])
{
  reach[0] = reach[1] = -1;
  for (PetscInt v = 0; v < elbow->bent.rest.num_vertices; v++) {
    const PetscReal *x = &elbow->bent.x[3 * v], *y = &elbow->y[3 * v];

    if (hypot(hypot(y[0] - x[0], y[1] - x[1]), y[2] - x[2]) < limit) continue;
    for (PetscInt k = 0; k < 2; k++) reach[k] = PetscMax(reach[k], k ? -x[1] : x[1]);
  }
}

static void ThreeRegions(void **state)
{
  Elbow     one;
  PetscReal reach[2];

  (void)state;
  Meeting(&one);
  for (PetscInt k = 0; k < 2; k++) {
    assert_true(one.pair[k].num_zone[0] > 20 && one.pair[k].num_zone[1] > 20);
    assert_true(one.pair[k].zone_mismatch < 1e-8);
  }
  assert_true(one.report->volume_error < 1e-10);
  Reach(&one, 0.02, reach);
  if (!(reach[0] > 0.3 && reach[1] > 0.3)) fail_msg("displaced up to y = %g and y = %g", (double)reach[0], -(double)reach[1]);
  Destroy(&one);
}

/* Largest difference of the displacements of two neighbours. */
static PetscReal LargestJump(PetscInt n, PetscReal tau)
{
  Elbow     elbow;
  PetscReal largest = 0;

  Create(n, 115, tau, 0.5, &elbow);
  for (PetscInt e = 0; e < elbow.surface->num_edges; e++) {
    const PetscInt *v      = elbow.surface->edge[e];
    PetscReal       square = 0;

    for (PetscInt k = 0; k < 3; k++)
      square += PetscSqr(elbow.y[3 * v[0] + k] - elbow.bent.x[3 * v[0] + k] - elbow.y[3 * v[1] + k] + elbow.bent.x[3 * v[1] + k]);
    largest = PetscMax(largest, sqrt(square));
  }
  Destroy(&elbow);
  return largest;
}

/* The displacement is continuous over the crease and the ends of both regions: differences along edges decrease with the edges. */
static void Continuous(void **state)
{
  const PetscReal coarse = LargestJump(20, -1), fine = LargestJump(40, -1);

  (void)state;
  if (!(fine < 0.65 * coarse)) fail_msg("the largest differences along edges are %g and %g", (double)coarse, (double)fine);
}

/* Largest change of a displacement between frames of a capsule that bends from 80 to 110 degrees, and the largest displacement. */
static PetscReal LargestChange(PetscInt frames, PetscReal *displacement)
{
  PetscReal largest = 0, *last = NULL;

  *displacement = 0;
  for (PetscInt f = 0; f <= frames; f++) {
    Elbow      elbow;
    PetscReal *moved;

    Create(24, 80 + 30 * (PetscReal)f / (PetscReal)frames, -1, 0.5, &elbow);
    moved = malloc(3 * (size_t)elbow.bent.rest.num_vertices * sizeof(PetscReal));
    for (PetscInt v = 0; v < elbow.bent.rest.num_vertices; v++) {
      PetscReal square = 0;

      for (PetscInt k = 3 * v; k < 3 * v + 3; k++) {
        moved[k] = elbow.y[k] - elbow.bent.x[k];
        if (last) square += PetscSqr(moved[k] - last[k]);
      }
      largest = PetscMax(largest, sqrt(square));
    }
    *displacement = PetscMax(*displacement, elbow.report->displacement);
    free(last);
    last = moved;
    Destroy(&elbow);
  }
  free(last);
  return largest;
}

/*
  The displacement is continuous in time, also at the crease where the cut passes to other edges: ten times finer frames have changes about
  a tenth as large. 0.2 leaves room for the vertices that start to move in the middle of a frame.
*/
static void ContinuousInTime(void **state)
{
  PetscReal       displacement;
  const PetscReal coarse = LargestChange(8, &displacement), fine = LargestChange(80, &displacement);

  (void)state;
  assert_true(displacement > 0.05);
  if (!(fine < 0.2 * coarse)) fail_msg("the largest changes between frames are %g and %g", (double)coarse, (double)fine);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest adjacent[] = {cmocka_unit_test(Zones),      cmocka_unit_test(Volume),       cmocka_unit_test(Straight),
                                        cmocka_unit_test(Resolved),   cmocka_unit_test(Separate),     cmocka_unit_test(Continuous),
                                        cmocka_unit_test(Renumbered), cmocka_unit_test(ThreeRegions), cmocka_unit_test(ContinuousInTime)};

  return AbutTestMain(argc, argv, adjacent);
}
