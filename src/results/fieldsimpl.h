/* The writer of fields.h5, split between its mesh (fieldsmesh.c) and its time levels (fields.c). */
#pragma once
#include "resultsimpl.h"

#define ABUT_FIELDS_FORMAT 1

struct _p_AbutFields {
  AbutMesh        mesh;
  MPI_Comm        comm;
  char            path[PETSC_MAX_PATH_LEN], xdmf[PETSC_MAX_PATH_LEN];
  PetscInt        first_step; /* levels beyond it are of a run that this one replaces */
  AbutFingerprint print;
  PetscInt        slice_vertices;
  PetscReal      *rest, *vertex_buffer; /* [slice_vertices * 3] */
  AbutSlices      cells;
  AbutXdmfIndex   index;
};

/* Entities of one kind in input order, this rank's share: vertex ids and body. */
typedef struct {
  PetscInt  count, width;
  PetscInt *vertices; /* [count * width] */
  PetscInt *body;     /* [count] */
} AbutEntitySlice;

/* Everything under /mesh. */
typedef struct {
  AbutFields      f;
  PetscInt       *vertex_body;                 /* [slice_vertices] */
  PetscInt       *cell_rank;                   /* [cells.slice_size] */
  AbutEntitySlice cells, surface;              /* surface: triangles in 3D, segments in 2D */
  AbutEntitySlice triangles, segments, points; /* of obstacles; what an obstacle is made of shows once */
} AbutFieldsMesh;

/* Collects what /mesh holds and fills the counts of f->index. Collective. */
PETSC_INTERN PetscErrorCode AbutFieldsMeshCreate(AbutFields f, AbutFieldsMesh *display);
PETSC_INTERN PetscErrorCode AbutFieldsMeshDestroy(AbutFieldsMesh *display);

/* A bound on the bytes that AbutFieldsMeshWork() writes. Not collective. */
PETSC_INTERN PetscInt64 AbutFieldsMeshBytes(const AbutFieldsMesh *display);

/* AbutH5Work that writes root attributes, /mesh and an empty /steps; ctx is an AbutFieldsMesh. */
PETSC_INTERN PetscErrorCode AbutFieldsMeshWork(const AbutH5 *h5, void *ctx);
