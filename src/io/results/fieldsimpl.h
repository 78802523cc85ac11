/* Writer of fields.h5: mesh (fieldsmesh.c), contact surface (fieldssurface.c) and time levels (fields.c). */
#pragma once
#include "resultsimpl.h"

#define ABUT_FIELDS_FORMAT  1
#define ABUT_FIELD_VELOCITY 0 /* index in AbutFieldInfos */

/* The contact surface: triangles, in 2D segments, of bodies and obstacles, over vertices that are numbered in the order of their ids. */
typedef struct {
  PetscInt   count, *vertices; /* owned vertices of the surface, local indices */
  PetscInt   num_facets;       /* of this rank */
  PetscInt  *facets;           /* [num_facets * dim] numbers of vertices on the surface */
  AbutSlices slices;           /* of these numbers; leaves are `vertices` */
} AbutFieldsSurface;

struct _p_AbutFields {
  AbutMesh          mesh;
  MPI_Comm          comm;
  char              path[PETSC_MAX_PATH_LEN], xdmf[PETSC_MAX_PATH_LEN];
  PetscInt          first_step; /* later levels belong to a run that this one replaces */
  AbutFingerprint   print;
  AbutSlices        vertices, cells;
  PetscReal        *rest, *vertex_buffer; /* [vertices.size * 3] */
  PetscReal        *rest_nodes; /* [vertices.size * 3] nodes of quadratic cells at rest, and other vertices; NULL without such cells */
  AbutFieldsSurface surface;
  AbutXdmfIndex     index;
  char              vtkhdf[2][PETSC_MAX_PATH_LEN]; /* bodies, contact surface */
  PetscInt          num_vtkhdf;                    /* levels in these files */
  PetscLogDouble    next_xdmf, next_vtkhdf;        /* [s] times from which the indices may be written again */
  PetscInt          compression;                   /* of time levels: AbutH5.compression */
};

/* Writes the dataset "planes" of a time level; its normals have length 1. Collective. */
PETSC_INTERN PetscErrorCode AbutFieldsWritePlanes(const AbutH5 *h5, AbutFields f, hid_t group, const AbutFieldsLevel *level);

/* This rank's slice of the entities of one kind, in input order. */
typedef struct {
  PetscInt  count, width;
  PetscInt *vertices; /* [count * width] */
  PetscInt *body;     /* [count] */
} AbutEntitySlice;

/* Contents of the group /mesh. */
typedef struct {
  AbutFields      f;
  PetscInt       *vertex_body;    /* [vertices.size] */
  PetscInt       *cell_rank;      /* [cells.size] */
  AbutEntitySlice cells, surface; /* cells: corners; surface: triangles in 3D, segments in 2D */
  PetscInt       *middles; /* [cells.count * AbutNumCellEdges(dim)] nodes of quadratic cells, -1 in linear ones; NULL if all are linear */
  PetscInt        num_topology; /* length of topology */
  PetscInt       *topology;     /* all nodes of the cells as XDMF's topology "Mixed"; NULL if all cells are linear */
  AbutEntitySlice obstacles[3]; /* points, segments, triangles of obstacles: the entities of their highest dimension */
} AbutFieldsMesh;

/* Collects the contents of /mesh and sets the counts of f->index. Collective. */
PETSC_INTERN PetscErrorCode AbutFieldsMeshCreate(AbutFields f, AbutFieldsMesh *display);
PETSC_INTERN PetscErrorCode AbutFieldsMeshDestroy(AbutFieldsMesh *display);

/* Upper bound of the bytes that AbutFieldsMeshWork() writes. Not collective. */
PETSC_INTERN PetscInt64 AbutFieldsMeshBytes(const AbutFieldsMesh *display);

/* AbutH5Work that writes root attributes, /mesh and an empty /steps; ctx is an AbutFieldsMesh. */
PETSC_INTERN PetscErrorCode AbutFieldsMeshWork(const AbutH5 *h5, void *ctx);

/* Writes the region of each cell, -1: none, to the group /mesh if bodies have regions, unless that has it. Collective. */
PETSC_INTERN PetscErrorCode AbutFieldsRegionsAdd(const AbutH5 *h5, AbutFields f);

/* Numbers the contact surface, and sets f->index.num_surface; frees it. Collective. */
PETSC_INTERN PetscErrorCode AbutFieldsSurfaceCreate(AbutFields f);
PETSC_INTERN PetscErrorCode AbutFieldsSurfaceDestroy(AbutFields f);
/* Bytes of its datasets. Not collective. */
PETSC_INTERN PetscInt64 AbutFieldsSurfaceBytes(AbutFields f);
/* Writes its datasets to the group /mesh, unless that has them. Collective. */
PETSC_INTERN PetscErrorCode AbutFieldsSurfaceAdd(const AbutH5 *h5, AbutFields f);

/*
  Writes the indices in VTKHDF of all levels: bodies and obstacles with their fields, and the contact surface, unless a level has no
  fields there. Not collective: ABUT_ERR_IO on this rank.
*/
PETSC_INTERN PetscErrorCode AbutVTKHDFWrite(AbutMesh mesh, const AbutXdmfIndex *index, const char fields[], const char surface[]);

/* Whether a level with these fields has positions of the contact surface. */
PETSC_INTERN PetscBool AbutFieldsHaveSurface(int fields);
