/* Private to src/mesh/generate: one function per shape. Shapes are centred at the origin; their cells are positively oriented. */
#pragma once
#include "meshimpl.h"

/* ABUT_ERR_INPUT if `count` entities exceed PetscInt. The caller computes the product in double precision, which does not overflow. */
PETSC_INTERN PetscErrorCode AbutGenerateCheckCount(const AbutBodySpec *spec, const char entities[], PetscReal count);

/* Allocates num_vertices vertices, all at the origin, and room for num_cells cells; shape->num_cells starts at 0. */
PETSC_INTERN PetscErrorCode AbutGenerateAllocate(PetscInt dim, PetscInt num_vertices, PetscInt num_cells, AbutShape *shape);

static inline void AbutGenerateAddCell(PetscInt dim, const PetscInt v[], AbutShape *shape)
{
  PetscInt *cell = &shape->cells[(dim + 1) * shape->num_cells++];
  for (PetscInt i = 0; i <= dim; i++) cell[i] = v[i];
}

/* Adds two triangles of the counter-clockwise quadrilateral abcd, divided by the diagonal from a or, if odd, from b. */
PETSC_INTERN void AbutGenerateAddQuad(PetscInt a, PetscInt b, PetscInt c, PetscInt d, PetscBool odd, AbutShape *shape);

PETSC_INTERN PetscErrorCode AbutGenerateBox(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutGenerateBall(PetscInt n, PetscReal radius, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutGenerateDisc(PetscInt n, PetscReal radius, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutGenerateSwept(const AbutBodySpec *spec, AbutShape *shape); /* cylinder or torus */
PETSC_INTERN PetscErrorCode AbutGenerateRing(const AbutBodySpec *spec, AbutShape *shape);
