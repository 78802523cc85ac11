/**
  @file surface.h
  @brief One-ring topology of the distributed surface: all faces and edges at each surface vertex, whichever rank owns them.

  The mesh gives each face, edge and surface vertex to one rank. Potentials that depend on the surface around a contact need the whole
  one-ring neighbourhood of its vertices. AbutSurface gathers it: at creation for all vertices of this rank's own entities; during a contact
  search for copies of entities of other ranks, which the search adds.

  Vertices are numbered in three groups: [0, num_local) are the vertices of the mesh; the `remote` vertices of AbutRemoteVertices follow,
  which belong to one-rings of this rank's entities but not to its mesh; then vertices that come with copies, numbered by the search.
**/
#pragma once
#include <abut/containers.h>
#include <abut/mesh.h>

/** One-ring topology of the distributed surface of one mesh. */
typedef struct _p_AbutSurface *AbutSurface;

/**
  Faces and edges of the surface known to this rank, and their incidence. Read-only; owned by the AbutSurface; the arrays are valid
  until the next AbutSurfaceBeginCopies() or AbutSurfaceExtendCopies().

  Faces are oriented outward. In 2D there are no faces, the face arrays are empty, and edges have the body on their left. In 3D the vertex
  with the lower id comes first in an edge, and all edges of the faces are listed. Faces at a vertex or an edge are sorted by face id,
  edges at a vertex by the id of the other end, in 2D then by direction: these orders do not depend on the number of ranks. An edge inside a
  surface has two faces (more where surfaces touch along it), an edge at a border one, an edge of a curve none. A vertex of a curve has only
  edges, an isolated point has neither edges nor faces.
**/
typedef struct {
  PetscInt version;               /* increases whenever anything below changes, values of the activation distances excepted */
  PetscInt num_faces, num_edges;  /* known to this rank */
  const PetscInt (*faces)[3];     /* [num_faces] vertices */
  const PetscInt (*edges)[2];     /* [num_edges] vertices */
  const PetscInt (*face_edge)[3]; /* [num_faces] edges (0 1), (1 2), (2 0) of a face */
  const PetscInt *face_id;        /* [num_faces] face ids of the mesh */
  /* CSR lists: the entries of vertex v are list[start[v]], ..., list[start[v + 1] - 1]. */
  const PetscInt  *vertex_face_start, *vertex_face; /* [num_vertices + 1] faces at a vertex */
  const PetscInt  *vertex_edge_start, *vertex_edge; /* [num_vertices + 1] edges at a vertex */
  const PetscInt  *edge_face_start, *edge_face;     /* [num_edges + 1] faces at an edge */
  const PetscBool *complete;                        /* [num_vertices] the lists of the vertex and of its edges are complete */
  /**
    [num_vertices] the surface of the vertex has an inner and an outer side. True for bodies, and for obstacles unless
    AbutBody.oriented is ABUT_ORIENTED_NONE or the surface has a border; false for curves and points. A surface has a border at an edge
    (2D: vertex) with unequal numbers of faces (edges) in both directions.
  */
  const PetscBool *oriented;
  const PetscReal *vertex_dhat, *edge_dhat, *face_dhat; /* [m] activation distances; NULL before the first AbutSurfaceReduceDhat() */
} AbutOneRing;

/** Vertices of one-rings that the mesh of this rank lacks, sorted by global index. Vertex i has number num_local + i. */
typedef struct {
  PetscInt         num;                /* number of vertices */
  const PetscInt  *global, *id, *body; /* [num] */
  const PetscReal *rest;               /* [num * dim] rest positions [m] */
} AbutRemoteVertices;

/**
  @brief Gathers the one-rings of all vertices of this rank's faces, edges and points. Collective.
  @param[in]  mesh     must outlive the surface
  @param[in]  traffic  counter of the messages that the surface sends, must outlive it; or NULL
  @param[out] surface  AbutSurfaceDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutSurfaceCreate(AbutMesh mesh, AbutTraffic *traffic, AbutSurface *surface);

/**
  @brief Lists the vertices of this rank's faces, edges and points. Not collective.
  @param[in]  m         part of a mesh
  @param[out] num       number of vertices
  @param[out] vertices  [num] local indices, ascending; free with PetscFree()
**/
PETSC_EXTERN PetscErrorCode AbutSurfaceListVertices(const AbutMeshLocal *m, PetscInt *num, PetscInt **vertices);

/** @brief Frees the topology; does nothing if *surface is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutSurfaceDestroy(AbutSurface *surface);

/** @brief Borrows the one-rings; the struct stays at its address. Not collective. */
PETSC_EXTERN const AbutOneRing *AbutSurfaceGetOneRing(AbutSurface surface);

/** @brief Borrows the remote vertices, which are the same for the life of the surface. Not collective. */
PETSC_EXTERN AbutRemoteVertices AbutSurfaceGetRemoteVertices(AbutSurface surface);

/** @brief Number of a remote vertex by global index, -1 if there is none. Not collective. */
PETSC_EXTERN PetscErrorCode AbutSurfaceFindRemoteVertex(AbutSurface surface, PetscInt global, PetscInt *vertex);

/**
  @brief Edges of the mesh that have no faces, in 3D; none in 2D. Not collective.
  @param[out] num, edges  edges by number, ascending; borrowed
  @param[out] any         some rank has such an edge
**/
PETSC_EXTERN PetscErrorCode AbutSurfaceGetCurves(AbutSurface surface, PetscInt *num, const PetscInt *edges[], PetscBool *any);

/**
  @brief Copies values from the owners to the remote vertices. Collective.
  @param[in]     width   reals per vertex
  @param[in,out] values  [(num_local + remote num) * width] at least; owned entries are read, entries of remote vertices are written
**/
PETSC_EXTERN PetscErrorCode AbutSurfaceBroadcast(AbutSurface surface, PetscInt width, PetscReal values[]);

/** @brief Adds the values of remote vertices to their owners, in rank order. Collective. Arguments: AbutSurfaceBroadcast(). */
PETSC_EXTERN PetscErrorCode AbutSurfaceReduceAdd(AbutSurface surface, PetscInt width, PetscReal values[]);

/* Copies of faces and edges of other ranks, for the time of a search */

/**
  @brief Drops the copies of the last search and makes room for new ones. Not collective.
  @param[in] num_vertices  number of vertices from now on, at least num_local + remote num
  @param[in] vertex_id     [num_vertices] ids; borrowed until AbutSurfaceEndCopies() returns
  @param[in] any           copies follow; if neither this search nor the last one has copies, the one-rings and their version stay
  @param[in] max_faces, max_edges  bounds of the numbers of AbutSurfaceAddFace() and AbutSurfaceAddEdge() calls
**/
PETSC_EXTERN PetscErrorCode AbutSurfaceBeginCopies(AbutSurface surface, PetscInt num_vertices, const PetscInt vertex_id[], PetscBool any,
                                                   PetscInt max_faces, PetscInt max_edges);

/**
  @brief Makes room for further copies beside the present ones; AbutSurfaceEndCopies() must follow once more. Not collective.
  Arguments: AbutSurfaceBeginCopies(), num_vertices not smaller than there.
**/
PETSC_EXTERN PetscErrorCode AbutSurfaceExtendCopies(AbutSurface surface, PetscInt num_vertices, const PetscInt vertex_id[],
                                                    PetscInt max_faces, PetscInt max_edges);

/** @brief Returns the number of the face with this id; adds the face and its edges unless they are known. Not collective. */
PETSC_EXTERN PetscErrorCode AbutSurfaceAddFace(AbutSurface surface, PetscInt id, const PetscInt v[3], PetscInt *face);

/** @brief Returns the number of the edge between two vertices; adds it unless it is known. Not collective. */
PETSC_EXTERN PetscErrorCode AbutSurfaceAddEdge(AbutSurface surface, PetscInt a, PetscInt b, PetscInt *edge);

/** @brief States that the one-rings of v[n] are complete with the copies of this search. Not collective. */
PETSC_EXTERN void AbutSurfaceMarkComplete(AbutSurface surface, PetscInt n, const int32_t v[]);

/**
  @brief Updates AbutOneRing after the last copy. Not collective.
  @param[in] vertex_body  [num_vertices] index into AbutMeshLocal.bodies
**/
PETSC_EXTERN PetscErrorCode AbutSurfaceEndCopies(AbutSurface surface, const PetscInt vertex_body[]);

/* Activation distances */

/** Activation distances [m] of all vertices, edges and faces by number. */
typedef struct {
  PetscReal *vertex, *edge, *face; /* [m] by number of the primitive */
} AbutSurfaceDhat;

/**
  @brief Assigns a permanent activation distance to every vertex, edge and face of the surface: the minimum over ranks of the values passed
  in. Collective. From this call on AbutOneRing has the distances of this rank's entities and of the primitives of candidates; others are
  undefined.
  @param[in] vertex_global  [num_vertices] global indices
  @param[in] vertex, edge, face  this rank's proposals for all vertices, edges and faces of its AbutOneRing [m]
**/
PETSC_EXTERN PetscErrorCode AbutSurfaceReduceDhat(AbutSurface surface, const PetscInt vertex_global[], const PetscReal vertex[],
                                                  const PetscReal edge[], const PetscReal face[]);

/**
  @brief Write access to the activation distances, for copies. Not collective.
  @return arrays by number, valid until the next AbutSurfaceBeginCopies() or AbutSurfaceExtendCopies(); all NULL before
    AbutSurfaceReduceDhat()
**/
PETSC_EXTERN AbutSurfaceDhat AbutSurfaceGetDhat(AbutSurface surface);
