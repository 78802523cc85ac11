/* Generated meshes and random states for tests of the elastic object. */
#pragma once
#include "material.h"

typedef struct {
  AbutMesh             mesh;
  const AbutMeshLocal *local;
  AbutElastic          elastic;
} Solid;

/* A box of the first material and beside it a ball (2D: a disk) of the second; orders of their cells. */
static inline void SolidCreateOfOrder(MPI_Comm comm, PetscInt dim, PetscInt cells, const AbutMaterialSpec materials[2],
                                      const PetscInt orders[2], Solid *solid)
{
  AbutBodySpec specs[2];

  memset(specs, 0, sizeof(specs));
  for (PetscInt b = 0; b < 2; b++) {
    AbutShapeSpec *shape = &specs[b].shape;
    strcpy(specs[b].name, b ? "ball" : "box");
    strcpy(specs[b].place, "test");
    specs[b].material = b;
    shape->kind       = b ? ABUT_SHAPE_BALL : ABUT_SHAPE_BOX;
    for (PetscInt k = 0; k < 3; k++) {
      shape->size[k]   = b ? 0.6 : 1 + 0.3 * (PetscReal)k;
      shape->cells[k]  = cells + (b ? 0 : k);
      shape->scale[k]  = 1 + 0.2 * (PetscReal)k;
      shape->copies[k] = 1;
    }
    shape->order        = orders[b];
    shape->rotate[2]    = 30 + 15 * (PetscReal)b;
    shape->translate[0] = 4 * (PetscReal)b;
  }
  AbutTestCall(AbutMeshCreate(comm, dim, 2, specs, &solid->mesh));
  solid->local = AbutMeshGetLocal(solid->mesh);
  AbutTestCall(AbutElasticCreate(solid->mesh, 2, materials, &solid->elastic));
}

static inline void SolidCreateOf(MPI_Comm comm, PetscInt dim, PetscInt cells, const AbutMaterialSpec materials[2], Solid *solid)
{
  SolidCreateOfOrder(comm, dim, cells, materials, (PetscInt[]){1, 1}, solid);
}

/* The first material has mean dilatation, which linear cells ignore. */
static inline void SolidCreateMixed(MPI_Comm comm, PetscInt dim, PetscInt cells, AbutMaterialKind first, AbutMaterialKind second,
                                    const PetscInt orders[2], Solid *solid)
{
  const AbutMaterialSpec materials[2] = {
    {.name           = "first",
     .kind           = first,
     .young          = 3e4,
     .poisson        = 0.3,
     .density        = 800,
     .mooney         = 0.3,
     .yield          = 3,
     .hardening      = 600,
     .incompressible = ABUT_INCOMPRESSIBLE_MEAN_DILATATION},
    {.name = "second", .kind = second, .young = 2e4, .poisson = 0.4, .density = 1100, .mooney = 0.3, .yield = 2, .hardening = 400}};

  AbutOgdenTerm          terms[2][3];
  const AbutMaterialSpec completed[2] = {WithOgden(materials[0], terms[0]), WithOgden(materials[1], terms[1])};

  SolidCreateOfOrder(comm, dim, cells, completed, orders, solid);
}

static inline void SolidCreate(MPI_Comm comm, PetscInt dim, PetscInt cells, AbutMaterialKind first, AbutMaterialKind second, Solid *solid)
{
  SolidCreateMixed(comm, dim, cells, first, second, (PetscInt[]){1, 1}, solid);
}

static inline void SolidDestroy(Solid *solid)
{
  AbutTestCall(AbutElasticDestroy(&solid->elastic));
  AbutTestCall(AbutMeshDestroy(&solid->mesh));
}

/* values = amplitude * random, [num_local * dim], the same for a vertex on every rank and rank count. */
static inline PetscReal *RandomField(const Solid *solid, PetscReal amplitude, uint64_t salt)
{
  const AbutMeshLocal *local  = solid->local;
  PetscReal           *values = malloc(sizeof(*values) * (size_t)(local->num_local * local->dim + 1));

  for (PetscInt v = 0; v < local->num_local; v++) {
    uint64_t seed = salt + 7919 * (uint64_t)local->vertex_id[v];
    AbutTestRandom(&seed);
    for (PetscInt k = 0; k < local->dim; k++) values[local->dim * v + k] = amplitude * AbutTestRandom(&seed);
  }
  return values;
}

/* Positions at rest plus a random field. */
static inline PetscReal *RandomState(const Solid *solid, PetscReal amplitude, uint64_t salt)
{
  PetscReal *x = RandomField(solid, amplitude, salt);
  for (PetscInt i = 0; i < solid->local->num_local * solid->local->dim; i++) x[i] += solid->local->rest[i];
  return x;
}

/* dPsi/dx at the owned vertices, all ranks' cells included. Collective. */
static inline PetscReal *Gradient(const Solid *solid, const PetscReal x[])
{
  PetscReal *g = calloc((size_t)(solid->local->num_local * solid->local->dim + 1), sizeof(*g));

  AbutElasticAddGradient(solid->elastic, x, 1, g);
  AbutTestCall(AbutMeshReduceAdd(solid->mesh, solid->local->dim, g));
  return g;
}

static inline PetscReal Sum(PetscReal value)
{
  PetscReal sum;
  assert_int_equal(MPI_Allreduce(&value, &sum, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD), 0);
  return sum;
}

/* Energy of this rank's cells. */
static inline PetscReal Energy(const Solid *solid, const PetscReal x[])
{
  PetscReal energy;
  energy = AbutElasticEnergy(solid->elastic, x);
  return energy;
}
