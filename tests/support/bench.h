/* A few bodies, planes, motions and loads under a stepper, in one call. */
#pragma once
#include "test.h"
#include <abut/simulation.h>
#include <string.h>

typedef struct {
  MPI_Comm             comm;
  PetscInt             dim, num_bodies, num_planes, num_motions, num_loads;
  AbutBodySpec         bodies[8];
  AbutPlaneSpec        planes[4];
  AbutMotionSpec       motions[32];
  AbutLoadSpec         loads[4];
  PetscInt             num_ties;
  AbutTieSpec          ties[2];
  AbutMaterialSpec     materials[2];
  PetscReal            mu[2]; /* static, kinetic */
  AbutStepSpec         spec;
  AbutSimulation       sim;
  AbutMesh             mesh; /* objects of sim */
  const AbutMeshLocal *local;
  AbutElastic          elastic;
  AbutContact          contact;
  AbutPotential        potential;
  AbutStepper          stepper;
  AbutState           *state;
  AbutStepReport       report;
} Bench;

/* Implicit Euler, one rubber-like material and another 10^4 times as dense; everything else empty. */
static inline void BenchInit(Bench *b, MPI_Comm comm, PetscInt dim, PetscReal dt)
{
  memset(b, 0, sizeof(*b));
  b->comm                   = comm;
  b->dim                    = dim;
  b->materials[0]           = (AbutMaterialSpec){"rubber", ABUT_MATERIAL_NEO_HOOKEAN, 1e5, 0.3, 1000};
  b->materials[1]           = (AbutMaterialSpec){"heavy", ABUT_MATERIAL_NEO_HOOKEAN, 1e9, 0.3, 1e7};
  b->spec.dt                = dt;
  b->spec.dt_min            = dt;
  b->spec.steps             = 1000000;
  b->spec.friction          = (AbutFrictionTable){1, &b->mu[0], &b->mu[1]};
  b->spec.friction_speed    = (AbutQuantity){1e-3, PETSC_TRUE};
  b->spec.friction_lags     = 1;
  b->spec.friction_most     = 100;
  b->spec.tolerance         = (AbutQuantity){1e-6, PETSC_FALSE};
  b->spec.max_newton        = 300;
  b->spec.dhat              = (AbutQuantity){1e-2, PETSC_FALSE};
  b->spec.orientation.alpha = 0.5;
  strcpy(b->spec.potential, "ipc");
}

/* A box of cells^dim at a place; material < 0: an obstacle. */
static inline void BenchAddBox(Bench *b, const char name[], PetscInt material, PetscReal size, PetscInt cells, PetscReal x, PetscReal y)
{
  AbutBodySpec *body = &b->bodies[b->num_bodies++];

  AbutTestCall(AbutBodySpecInit(body));
  strcpy(body->name, name);
  strcpy(body->place, "scene.yaml:5");
  body->shape.kind = ABUT_SHAPE_BOX;
  for (int i = 0; i < 3; i++) {
    body->shape.size[i]  = size;
    body->shape.cells[i] = cells;
  }
  body->shape.translate[0] = x;
  body->shape.translate[1] = y;
  body->material           = material;
  body->obstacle           = (PetscBool)(material < 0);
}

static inline AbutPlaneSpec *BenchAddPlane(Bench *b, const char name[], PetscReal y, PetscReal normal)
{
  AbutPlaneSpec *plane = &b->planes[b->num_planes++];

  strcpy(plane->name, name);
  plane->point[1]  = y;
  plane->normal[1] = normal;
  return plane;
}

/* A motion for all time of a body (NULL: of a plane, to be set by the caller). */
static inline AbutMotionSpec *BenchAddMotion(Bench *b, const char body[], PetscReal vx, PetscReal vy)
{
  AbutMotionSpec *motion = &b->motions[b->num_motions++];

  if (body) strcpy(motion->selection.body, body);
  motion->plane       = -1;
  motion->velocity[0] = vx;
  motion->velocity[1] = vy;
  motion->end         = PETSC_INFINITY;
  snprintf(motion->place, sizeof(motion->place), "scene.yaml:%d", 19 + (int)b->num_motions);
  return motion;
}

static inline AbutLoadSpec *BenchAddLoad(Bench *b, const char body[])
{
  AbutLoadSpec *load = &b->loads[b->num_loads++];

  strcpy(load->selection.body, body);
  load->end = PETSC_INFINITY;
  snprintf(load->place, sizeof(load->place), "scene.yaml:%d", 39 + (int)b->num_loads);
  return load;
}

/* The error of creating the objects, if any. */
static inline PetscErrorCode BenchTry(Bench *b)
{
  const AbutSimulationSpec spec = {b->dim,       b->num_bodies, 2,          b->num_planes, b->num_motions, b->num_loads, b->bodies,
                                   b->materials, b->planes,     b->motions, b->loads,      b->spec,        b->num_ties,  b->ties};
  const PetscErrorCode     code = AbutSimulationCreate(b->comm, &spec, &b->sim);

  b->mesh      = b->sim.mesh;
  b->local     = b->sim.local;
  b->elastic   = b->sim.elastic;
  b->contact   = b->sim.contact;
  b->potential = b->sim.potential;
  b->stepper   = b->sim.stepper;
  return code;
}

static inline void BenchOpen(Bench *b)
{
  AbutTestCall(BenchTry(b));
  AbutTestCall(AbutStepperSetFromOptions(b->stepper));
  b->state = AbutStepperGetState(b->stepper);
}

static inline void BenchClose(Bench *b)
{
  AbutTestCall(AbutSimulationDestroy(&b->sim));
}

static inline void BenchStep(Bench *b, PetscInt steps)
{
  for (PetscInt k = 0; k < steps; k++) {
    AbutTestCall(AbutStepperStep(b->stepper, &b->report));
    if (!b->report.converged)
      fail_msg("step %ld did not converge: progress %g of %s", (long)b->state->step + 1, (double)b->report.boundary_progress,
               b->report.boundary_place ? b->report.boundary_place : "nothing");
  }
}

/* Lowest and highest coordinate of a body along an axis. Collective. */
static inline void BenchExtent(Bench *b, PetscInt body, PetscInt axis, PetscReal *low, PetscReal *high)
{
  PetscReal extent[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL};

  for (PetscInt v = 0; v < b->local->num_owned; v++) {
    if (b->local->vertex_body[v] != body) continue;
    extent[0] = PetscMin(extent[0], b->state->x[v * b->dim + axis]);
    extent[1] = PetscMin(extent[1], -b->state->x[v * b->dim + axis]);
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, extent, 2, MPIU_REAL, MPIU_MIN, b->comm), 0);
  *low  = extent[0];
  *high = -extent[1];
}

static inline PetscReal BenchLowest(Bench *b, PetscInt body, PetscInt axis)
{
  PetscReal low, high;
  BenchExtent(b, body, axis, &low, &high);
  return low;
}

/* All positions by vertex id, [num_global * dim]; free with PetscFree(). Collective. */
static inline PetscReal *BenchPositions(Bench *b)
{
  PetscReal *x;

  AbutTestCall(PetscCalloc1(b->local->num_global * b->dim, &x));
  for (PetscInt v = 0; v < b->local->num_owned; v++)
    for (PetscInt i = 0; i < b->dim; i++) x[b->local->vertex_id[v] * b->dim + i] = b->state->x[v * b->dim + i];
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, x, (int)(b->local->num_global * b->dim), MPIU_REAL, MPIU_SUM, b->comm), 0);
  return x;
}

/* A slender column "column", body 0, above a floor; it moves sideways slowly, in 3D a little inclined. */
static inline void BenchAddColumn(Bench *b)
{
  BenchAddBox(b, "column", 0, 0.1, 1, 0, 0.55);
  b->bodies[0].shape.size[1]  = 1;
  b->bodies[0].shape.cells[1] = 16;
  if (b->dim == 3) b->bodies[0].shape.rotate[2] = 5;
  b->bodies[0].velocity[0] = 0.1;
  BenchAddPlane(b, "floor", 0, 1);
}

/* Watches the iterations of a run. */
typedef struct {
  PetscInt  rises;  /* of B by more than round-off */
  PetscInt  step;   /* of the last iteration */
  PetscReal energy; /* after it */
} BenchIterations;

/* Newton monitor with a context BenchIterations. */
static inline PetscErrorCode BenchWatch(const AbutNewtonReport *line, void *ctx)
{
  BenchIterations *it = (BenchIterations *)ctx;

  it->rises += line->step == it->step && line->energy > it->energy + 1e-12 * PetscAbsReal(it->energy);
  it->step   = line->step;
  it->energy = line->energy;
  return 0;
}
