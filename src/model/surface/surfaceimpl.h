/* WARNING: private header of src/model/surface. */
#pragma once
#include <abut/surface.h>
#include <petsc/private/hashmapi.h>
#include <petsc/private/hashmapij.h>

/* A face, or an edge if v[2] < 0, by global indices of its vertices. */
typedef struct {
  PetscInt id, v[3];
} AbutSurfacePart;

/* Vertices that one-rings of this rank need and its mesh lacks. */
typedef struct {
  PetscInt   num, *global, *id, *body; /* number of vertices; [num] sorted by global index */
  PetscReal *rest;                     /* [num * dim] */
  PetscHMapI map;                      /* global index -> number */
  PetscSF    sf;                       /* roots: owned vertices; leaves in the order of `global` */
} AbutRemoteStore;

/*
  Faces and edges by number: first the mesh in its order, then faces and edges at vertices of this rank's entities, then copies of the
  last search. The first two groups are the fixed part, which lives as long as the surface.
*/
typedef struct {
  PetscInt num_faces, num_edges, num_fixed_faces, num_fixed_edges, face_capacity, edge_capacity;
  PetscInt (*faces)[3], (*face_edge)[3], *face_id, (*edges)[2];
  PetscReal  *face_dhat, *edge_dhat;   /* [m] infinity until set */
  PetscHMapI  fixed_face, copied_face; /* face id -> number */
  PetscHMapIJ fixed_edge, copied_edge; /* vertices -> number */
  AbutCSR     vertex_face, vertex_edge, edge_face;
} AbutTable;

/* Data of each vertex. */
typedef struct {
  PetscInt        num, capacity;
  PetscBool      *complete, *oriented;
  PetscReal      *dhat; /* [m] */
  const PetscInt *id;   /* borrowed from the search */
} AbutVertexTable;

struct _p_AbutSurface {
  AbutMesh             mesh;
  const AbutMeshLocal *m;
  MPI_Comm             comm;
  PetscLayout          layout;      /* owners of global indices */
  AbutTraffic         *traffic;     /* borrowed, may be NULL */
  PetscHMapI           ghost;       /* global index of a ghost -> local vertex */
  PetscInt             num_surface; /* vertices of this rank's faces, edges and points */
  PetscInt            *surface;     /* [num_surface] ascending */
  AbutRemoteStore      remote;
  AbutTable            table;
  AbutVertexTable      vertices;
  PetscInt             num_curves; /* edges of this rank without faces */
  PetscInt            *curve;      /* [num_curves] */
  PetscBool            any_curves; /* some rank has such edges */
  PetscBool            has_copies; /* the last search brought copies */
  PetscBool            current;    /* one_ring shows the tables as they are */
  PetscBool            has_dhat;
  AbutOneRing          one_ring;
};

/* remote.c */

/* Local or remote vertex of a global index; -1 if this rank has neither. */
PETSC_INTERN PetscErrorCode AbutSurfaceFindVertex(AbutSurface surface, PetscInt global, PetscInt *vertex);
/* Sends each global index to its owner. Collective. `asked` is to be freed with PetscFree(). */
PETSC_INTERN PetscErrorCode AbutSurfaceAskOwners(AbutSurface surface, PetscInt n, const PetscInt global[], AbutExchange *exchange,
                                                 PetscInt **asked);
/* Finds the vertices of the parts that the mesh of this rank lacks, and sets up their exchange. Collective. */
PETSC_INTERN PetscErrorCode AbutRemoteCreate(AbutSurface surface, PetscInt n, const AbutSurfacePart parts[]);
PETSC_INTERN PetscErrorCode AbutRemoteDestroy(AbutRemoteStore *remote);

/* gather.c: all faces and edges at the vertices of this rank's entities, each once per sending rank. Collective. Free with PetscFree(). */
PETSC_INTERN PetscErrorCode AbutSurfaceGather(AbutSurface surface, PetscInt *n, AbutSurfacePart **parts);

/* table.c */
PETSC_INTERN PetscErrorCode AbutTableCreate(AbutSurface surface, PetscInt n, const AbutSurfacePart parts[]);
PETSC_INTERN PetscErrorCode AbutTableBuildLists(AbutSurface surface);
PETSC_INTERN PetscErrorCode AbutTableDestroy(AbutTable *table);
PETSC_INTERN PetscErrorCode AbutVertexTableReserve(AbutVertexTable *vertices, PetscInt num);
PETSC_INTERN PetscErrorCode AbutTableReserve(AbutTable *table, PetscInt num_faces, PetscInt num_edges);

/* curve.c: edges without faces. Collective. */
PETSC_INTERN PetscErrorCode AbutSurfaceFindCurves(AbutSurface surface);
