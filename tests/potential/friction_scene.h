/*
  Two stacked bodies above a plane and beside an obstacle, all closer than dhat, with friction between most of them. All random numbers
  depend on vertex ids only.
*/
#pragma once
#include "ranks.h"
#include <abut/friction.h>
#include <string.h>

#define NUM_SURFACES 4 /* three bodies and the plane */

typedef struct {
  MPI_Comm                comm;
  PetscInt                dim, num_points;
  AbutMesh                mesh;
  const AbutMeshLocal    *m;
  AbutContact             contact;
  const AbutCandidates   *c;
  AbutPotential           pot;
  AbutFriction            friction;
  const AbutContactPoint *points;
  PetscReal              *start, *x, *p; /* local */
  PetscReal               threshold, scale;
} FrictionStage;

/* Pseudo-random number in [-1, 1) from vertex id, coordinate and purpose. */
static inline PetscReal Noise(PetscInt id, PetscInt k, PetscInt purpose)
{
  uint64_t seed = (uint64_t)(1 + k + 3 * purpose + 64 * id);

  AbutTestRandom(&seed);
  return AbutTestRandom(&seed);
}

/* Creates a body, a body above it and an obstacle beside it: boxes of 1 m with gaps of 0.02 m. */
static inline AbutMesh CreateMesh(MPI_Comm comm, PetscInt dim)
{
  const PetscReal apart = 1.02;
  AbutBodySpec    specs[3];
  AbutMesh        mesh;

  for (int i = 0; i < 3; i++) {
    AbutTestCall(AbutBodySpecInit(&specs[i]));
    snprintf(specs[i].name, sizeof(specs[i].name), "body %d", i);
    specs[i].shape.kind = ABUT_SHAPE_BOX;
    for (int k = 0; k < 3; k++) {
      specs[i].shape.size[k]  = 1;
      specs[i].shape.cells[k] = dim == 2 ? 6 : 3;
    }
    specs[i].shape.translate[dim - 1] = i == 1 ? apart : 0;
    specs[i].shape.translate[0]       = i == 2 ? apart : 0.013 * i;
    specs[i].obstacle                 = (PetscBool)(i == 2);
    specs[i].material                 = i == 2 ? -1 : 0;
    specs[i].surface                  = i;
  }
  AbutTestCall(AbutMeshCreate(comm, dim, 3, specs, &mesh));
  return mesh;
}

/* Fills the friction table: 0 between the upper body and the obstacle, different static and kinetic coefficients elsewhere. */
static inline void FillTable(PetscReal mu_static[], PetscReal mu_kinetic[])
{
  for (PetscInt i = 0; i < NUM_SURFACES; i++) {
    for (PetscInt j = 0; j < NUM_SURFACES; j++) {
      const PetscBool none             = (PetscBool)(i + j == 3 && i * j == 2);
      mu_static[NUM_SURFACES * i + j]  = none ? 0 : 0.2 + 0.1 * (PetscReal)(i + j);
      mu_kinetic[NUM_SURFACES * i + j] = none ? 0 : 0.1 + 0.1 * (PetscReal)(i + j);
    }
  }
}

/* Sets up the scene: perturbed bodies, displaced since the start by about twice the threshold; friction lagged, line set. */
static inline void StageOpen(MPI_Comm comm, PetscInt dim, const AbutRigidMotion *motion, FrictionStage *s)
{
  PetscReal         mu_static[NUM_SURFACES * NUM_SURFACES], mu_kinetic[NUM_SURFACES * NUM_SURFACES];
  AbutFrictionTable table = {NUM_SURFACES, mu_static, mu_kinetic};
  AbutPlaneSpec     plane = {.name = "floor", .surface = 3};
  PetscReal         step  = 1;

  *s                    = (FrictionStage){.comm = comm, .dim = dim, .mesh = CreateMesh(comm, dim), .threshold = 0.01, .scale = 3};
  plane.point[dim - 1]  = -0.52;
  plane.normal[dim - 1] = 1;
  FillTable(mu_static, mu_kinetic);
  s->m     = AbutMeshGetLocal(s->mesh);
  s->start = malloc(sizeof(PetscReal) * (size_t)(3 * s->m->num_local * dim + 1));
  s->x     = s->start + s->m->num_local * dim;
  s->p     = s->x + s->m->num_local * dim;
  for (PetscInt i = 0; i < s->m->num_local * dim; i++) {
    const PetscInt id = s->m->vertex_id[i / dim];
    s->x[i]           = s->m->rest[i] + 0.004 * Noise(id, i % dim, 0);
    s->start[i]       = s->x[i] - 0.02 * Noise(id, i % dim, 1);
    s->p[i]           = 0.02 * Noise(id, i % dim, 2);
  }
  AbutTestCall(AbutContactCreate(s->mesh, 1, &plane, &s->contact));
  AbutTestCall(AbutContactSearch(s->contact, s->x, NULL, &step, 0.06));
  s->c = AbutContactGetCandidates(s->contact);
  AbutTestCall(AbutPotentialCreate(comm, "ipc", &s->pot));
  AbutTestCall(AbutPotentialSetDhat(s->pot, 0.05));
  AbutTestCall(AbutPotentialSetStiffness(s->pot, 1e5));
  AbutTestCall(AbutPotentialSetState(s->pot, s->c, s->c->x));
  AbutTestCall(AbutPotentialGetContactPoints(s->pot, &s->num_points, &s->points));
  AbutTestCall(AbutFrictionCreate(s->mesh, 1, &plane, &table, &s->friction));
  AbutTestCall(AbutFrictionSetStart(s->friction, s->start));
  AbutTestCall(AbutFrictionSetPlaneMotions(s->friction, motion, NULL));
  AbutTestCall(AbutFrictionLag(s->friction, s->c, s->num_points, s->points, s->scale, s->threshold, 1));
  AbutTestCall(AbutFrictionSetLine(s->friction, s->x, s->p));
}

static inline void StageClose(FrictionStage *s)
{
  AbutTestCall(AbutFrictionDestroy(&s->friction));
  AbutTestCall(AbutPotentialDestroy(&s->pot));
  AbutTestCall(AbutContactDestroy(&s->contact));
  AbutTestCall(AbutMeshDestroy(&s->mesh));
  free(s->start);
}

/* Returns the friction gradient at x + t p on owned vertices. The caller frees it. */
static inline PetscReal *GradientAt(const FrictionStage *s, PetscReal t)
{
  PetscReal *g = calloc((size_t)(s->m->num_owned * s->dim + 1), sizeof(*g));

  AbutTestCall(AbutFrictionAddGradient(s->friction, t, 1, g));
  return g;
}

static inline PetscReal EnergyAt(const FrictionStage *s, PetscReal t)
{
  PetscReal energy;

  AbutTestCall(AbutFrictionEnergy(s->friction, t, &energy));
  MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPIU_REAL, MPIU_SUM, s->comm);
  return energy;
}
