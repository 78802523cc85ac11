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
  AbutDeformSurface              surface;
  AbutDeformer                   deformer;
  PetscReal                     *y; /* displaced positions */
  const AbutDeformPairReport    *pair;
  const AbutDeformSurfaceReport *report;
} Elbow;

/* Resolves the collision of two regions of elbow->bent with a relative stiffness of the first one. */
static void Solve(MPI_Comm comm, const PetscInt regions[2], PetscReal tau, PetscReal stiffness, Elbow *elbow)
{
  AbutDeformPairControl    pair;
  AbutDeformSurfaceControl surface;
  PetscInt                 index;

  elbow->y = malloc(3 * (size_t)elbow->bent.rest.num_vertices * sizeof(PetscReal));
  ShapeSurface(&elbow->bent.rest, "arm", &elbow->surface);
  AbutTestCall(AbutDeformSurfaceSetRegions(elbow->surface, elbow->bent.rest.x, elbow->bent.region));
  AbutTestCall(AbutDeformerCreate(comm, &elbow->deformer));
  AbutTestCall(AbutDeformerAddSurface(elbow->deformer, elbow->surface, &index));
  AbutTestCall(AbutDeformerAddSelfPair(elbow->deformer, 0, regions[0], regions[1], &index));
  AbutDeformPairControlInit(&pair);
  AbutDeformSurfaceControlInit(0.9, &surface);
  pair.tau          = tau;
  pair.stiffness[0] = stiffness;
  pair.stiffness[1] = 1 - stiffness;
  AbutTestCall(AbutDeformerSolve(elbow->deformer, (const PetscReal *[1]){elbow->bent.x}, &pair, &surface, &elbow->y));
  AbutTestCall(AbutDeformerGetReports(elbow->deformer, &elbow->pair, &elbow->report));
}

/* A bent capsule of divisions n. */
static void Create(MPI_Comm comm, PetscInt n, PetscReal degrees, PetscReal tau, PetscReal stiffness, Elbow *elbow)
{
  BentCreate(n, degrees * DEGREES, &elbow->bent);
  Solve(comm, (PetscInt[]){0, 1}, tau, stiffness, elbow);
}

static void Destroy(Elbow *elbow)
{
  AbutTestCall(AbutDeformerDestroy(&elbow->deformer));
  AbutTestCall(AbutDeformSurfaceDestroy(&elbow->surface));
  BentFree(&elbow->bent);
  free(elbow->y);
}

static void Ranks(void **state)
{
  Elbow    one, all;
  PetscInt contact[2][2000];

  (void)state;
  Create(PETSC_COMM_SELF, 20, 110, -1, 0.4, &one);
  Create(PETSC_COMM_WORLD, 20, 110, -1, 0.4, &all);
  assert_memory_equal(one.y, all.y, 3 * (size_t)one.bent.rest.num_vertices * sizeof(PetscReal));
  assert_true(one.pair->num_zone[0] > 20 && one.pair->num_zone[1] > 20);
  assert_true(one.pair->num_zone[0] == all.pair->num_zone[0] && one.pair->threshold == all.pair->threshold);
  assert_true(all.pair->zone_mismatch == one.pair->zone_mismatch && all.pair->zone_mismatch < 1e-8);
  assert_true(all.report->bulge == one.report->bulge && all.report->bulge > 0);
  AbutTestCall(AbutDeformerGetContacts(one.deformer, 0, contact[0]));
  AbutTestCall(AbutDeformerGetContacts(all.deformer, 0, contact[1]));
  assert_memory_equal(contact[0], contact[1], (size_t)one.bent.rest.num_vertices * sizeof(PetscInt));
  Destroy(&one);
  Destroy(&all);
}

/* Volumes by the divergence theorem, of input and output. */
static void Volume(void **state)
{
  (void)state;
  for (PetscInt k = 0; k < 3; k++) {
    const PetscReal stiffness[3] = {0.5, 0, 1}, degrees[3] = {80, 100, 120};
    Elbow           elbow;
    PetscReal       before, after;

    Create(PETSC_COMM_WORLD, 20, degrees[k], -1, stiffness[k], &elbow);
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
  Create(PETSC_COMM_WORLD, 12, 40, -1, 0.5, &elbow);
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
  PetscInt              num;

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
  num = pair->curve.num_crossings;
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

    Create(PETSC_COMM_SELF, k / 2 ? 40 : 20, 115, -3, stiffness[k % 2], &elbow);
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
  Elbow           one, all;

  (void)state;
  BentRing(24, 0.75, &one.bent);
  BentRing(24, 0.75, &all.bent);
  Solve(PETSC_COMM_SELF, (PetscInt[]){0, 2}, -3, 0.3, &one);
  Solve(PETSC_COMM_WORLD, (PetscInt[]){0, 2}, -3, 0.3, &all);
  assert_memory_equal(one.y, all.y, 3 * (size_t)one.bent.rest.num_vertices * sizeof(PetscReal));
  if (fabs(fabs(AbutDot(3, one.pair->direction, along)) - 1) > 1e-3) fail_msg("direction %g", (double)one.pair->direction[0]);
  assert_true(one.pair->num_zone[0] > 20 && one.pair->num_zone[1] > 20 && one.pair->zone_mismatch < 1e-8);
  assert_true(one.report->volume_error < 1e-10);
  assert_true(Crossings(&one, one.bent.x, 0.005) > 50);
  assert_int_equal(Crossings(&one, one.y, 0.005), 0);
  Destroy(&one);
  Destroy(&all);
}

/* Largest difference of the displacements of two neighbours. */
static PetscReal LargestJump(PetscInt n, PetscReal tau)
{
  Elbow     elbow;
  PetscReal largest = 0;

  Create(PETSC_COMM_SELF, n, 115, tau, 0.5, &elbow);
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

int main(int argc, char **argv)
{
  const struct CMUnitTest adjacent[] = {cmocka_unit_test(Ranks),    cmocka_unit_test(Volume),   cmocka_unit_test(Straight),
                                        cmocka_unit_test(Resolved), cmocka_unit_test(Separate), cmocka_unit_test(Continuous)};

  return AbutTestMain(argc, argv, adjacent);
}
