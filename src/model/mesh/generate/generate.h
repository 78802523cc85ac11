/*
  Private to mesh/generate: one function per shape, which creates the vertices and cells of a piece of the shape. Shapes are centred at
  the origin; their cells are positively oriented. The union of the pieces does not depend on their number.
*/
#pragma once
#include "meshimpl.h"

/* Piece of a shape that is being generated. */
typedef struct {
  PetscInt   dim;
  AbutRange  vertices, cells; /* numbers in the whole shape */
  PetscInt   next;            /* number of the next cell in the whole shape */
  AbutShape *shape;           /* has the vertices and cells of the piece; cells refer to vertices of the whole shape */
} AbutPiece;

/* ABUT_ERR_INPUT if `count` entities exceed PetscInt. The caller computes the product in double precision, which does not overflow. */
PETSC_INTERN PetscErrorCode AbutGenerateCheckCount(const AbutBodySpec *spec, const char entities[], PetscReal count);

/* Allocates vertices at the origin and room for the cells of the piece. */
PETSC_INTERN PetscErrorCode AbutGenerateAllocate(PetscInt dim, AbutRange vertices, AbutRange cells, AbutShape *shape, AbutPiece *piece);

/* Position of vertex v of the whole shape; NULL if the piece does not contain it. */
static inline PetscReal *AbutGenerateVertex(const AbutPiece *piece, PetscInt v)
{
  return v >= piece->vertices.begin && v < piece->vertices.end ? &piece->shape->x[3 * (v - piece->vertices.begin)] : NULL;
}

/* Adds the next cell, if the piece contains it. */
static inline void AbutGenerateAddCell(AbutPiece *piece, const PetscInt v[])
{
  const PetscInt at = piece->next++ - piece->cells.begin, n = piece->dim + 1;

  if (at < 0 || piece->next > piece->cells.end) return;
  for (PetscInt i = 0; i < n; i++) piece->shape->cells[n * at + i] = v[i];
}

/* Whether the piece has some of the next `num` cells; if not, skips them. */
static inline PetscBool AbutGenerateHasCells(AbutPiece *piece, PetscInt num)
{
  if (piece->next < piece->cells.end && piece->next + num > piece->cells.begin) return PETSC_TRUE;
  piece->next += num;
  return PETSC_FALSE;
}

/* Adds two triangles of the counter-clockwise quadrilateral abcd, divided by the diagonal from a or, if odd, from b. */
PETSC_INTERN void AbutGenerateAddQuad(AbutPiece *piece, PetscInt a, PetscInt b, PetscInt c, PetscInt d, PetscBool odd);

PETSC_INTERN PetscErrorCode AbutGenerateBox(const AbutBodySpec *spec, AbutPiece *piece);
PETSC_INTERN PetscErrorCode AbutGenerateBall(const AbutBodySpec *spec, AbutPiece *piece);
PETSC_INTERN PetscErrorCode AbutGenerateDisc(PetscInt n, PetscReal radius, AbutPiece *piece);
PETSC_INTERN PetscErrorCode AbutGenerateSwept(const AbutBodySpec *spec, AbutPiece *piece); /* cylinder or torus */
PETSC_INTERN PetscErrorCode AbutGenerateRing(const AbutBodySpec *spec, AbutPiece *piece);

/* Numbers of vertices and cells of the whole shape; ABUT_ERR_INPUT if they exceed PetscInt or the parameters contradict each other. */
PETSC_INTERN PetscErrorCode AbutGenerateCountBox(const AbutBodySpec *spec, PetscInt dim, PetscInt *num_vertices, PetscInt *num_cells);
PETSC_INTERN PetscErrorCode AbutGenerateCountBall(const AbutBodySpec *spec, PetscInt *num_vertices, PetscInt *num_cells);
PETSC_INTERN PetscErrorCode AbutGenerateCountDisc(const AbutBodySpec *spec, PetscInt *num_vertices, PetscInt *num_cells);
PETSC_INTERN PetscErrorCode AbutGenerateCountSwept(const AbutBodySpec *spec, PetscInt *num_vertices, PetscInt *num_cells);
PETSC_INTERN PetscErrorCode AbutGenerateCountRing(const AbutBodySpec *spec, PetscInt *num_vertices, PetscInt *num_cells);
