/* Private to src/mesh/generate: one function a shape. All shapes are centred at the origin and have positive cells only. */
#pragma once
#include "meshimpl.h"

/* Checks that PetscInt can number `count` entities; the product is formed in double precision, which does not overflow here. */
PETSC_INTERN PetscErrorCode AbutGenerateCheckCount(const AbutBodySpec *spec, const char entities[], PetscReal count);

/* Allocates vertices at the origin, and cells, of which num_cells counts those added so far. */
PETSC_INTERN PetscErrorCode AbutGenerateAllocate(PetscInt dim, PetscInt num_vertices, PetscInt num_cells, AbutShape *shape);

static inline void AbutGenerateAddCell(PetscInt dim, const PetscInt v[], AbutShape *shape)
{
  PetscInt *cell = &shape->cells[(dim + 1) * shape->num_cells++];
  for (PetscInt i = 0; i <= dim; i++) cell[i] = v[i];
}

/* Two triangles of a quadrilateral given counter-clockwise, cut from corner a, or from corner b if odd. */
PETSC_INTERN void AbutGenerateAddQuad(PetscInt a, PetscInt b, PetscInt c, PetscInt d, PetscBool odd, AbutShape *shape);

PETSC_INTERN PetscErrorCode AbutGenerateBox(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutGenerateBall(PetscInt n, PetscReal radius, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutGenerateDisc(PetscInt n, PetscReal radius, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutGenerateCylinder(const AbutBodySpec *spec, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutGenerateTorus(const AbutBodySpec *spec, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutGenerateRing(const AbutBodySpec *spec, AbutShape *shape);
