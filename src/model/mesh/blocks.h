/*
  Private to mesh: the mesh before its partition. Each rank has a block of the vertices and a block of the cells, in the order of ids;
  no rank has the whole mesh.
*/
#pragma once
#include "meshimpl.h"

/* Simplices of one kind on one rank, with the ids first, first + 1, ... */
typedef struct {
  PetscInt  n, width, first; /* number of simplices, vertices of each, id of the first */
  PetscInt *vertex;          /* [n * width] ids of vertices, later their numbers in AbutBlockGhosts */
} AbutSimplices;

typedef struct {
  MPI_Comm       comm; /* borrowed */
  PetscMPIInt    rank, size;
  PetscInt       dim, num_bodies, num_vertices; /* over all ranks */
  AbutBody      *bodies;                        /* [num_bodies] the same on all ranks */
  AbutMeshCounts total;                         /* over all ranks */
  PetscReal      diagonal;
  PetscInt       first, n;                     /* vertices of this rank: ids [first, first + n) */
  PetscReal     *x;                            /* [3 * n] */
  PetscBool     *on_surface;                   /* [n] */
  AbutSimplices  middles;                      /* nodes on the edges of the cells, -1 in linear cells; width 0: all cells are linear */
  AbutSimplices  regions;                      /* region of each cell, -1: none; width 0: no body has regions */
  PetscBool      from_files;                   /* some of `middles` are nodes of files, not yet vertices */
  AbutSimplices  cells, sides, obstacle_sides; /* sides are faces in 3D, edges in 2D; sides of bodies are computed from cells */
  AbutSimplices  edges;                        /* 3D: all surface edges, sorted; before AbutBlocksSurface() edges of obstacles only */
  AbutSimplices  points;                       /* surface vertices of obstacles */
  AbutGroups     groups;                       /* names on all ranks; marks (group, id), each on any rank */
} AbutBlocks;

/* Block of the numbers 0, ..., num - 1 that a rank has. */
static inline PetscInt AbutBlockStart(PetscInt num, PetscMPIInt rank, PetscMPIInt size)
{
  return (PetscInt)((PetscInt64)num * rank / size);
}

/* Rank whose block has number i. */
static inline PetscMPIInt AbutBlockOwner(PetscInt num, PetscInt i, PetscMPIInt size)
{
  return (PetscMPIInt)((((PetscInt64)i + 1) * size - 1) / num);
}

/* Reads or generates all bodies and obstacles: bodies in blocks on all ranks, obstacles on rank 0, which sends them. Collective. */
PETSC_INTERN PetscErrorCode AbutBlocksCreate(MPI_Comm comm, PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[],
                                             AbutBlocks *blocks);
/* The same for one body whose shape is complete on rank 0, placed and without surface; frees the shape. Collective. */
PETSC_INTERN PetscErrorCode AbutBlocksCreateFromShape(MPI_Comm comm, PetscInt dim, const AbutBodySpec *spec, AbutShape *shape,
                                                      AbutBlocks *blocks);
/* Unites the bounding boxes of the bodies of all ranks, and sets the diagonal. Collective. */
PETSC_INTERN PetscErrorCode AbutBlocksReduceBoxes(AbutBlocks *blocks);
PETSC_INTERN PetscErrorCode AbutBlocksFree(AbutBlocks *blocks);

static inline PetscInt AbutNumCopies(const AbutBodySpec *spec)
{
  return spec->shape.copies[0] * spec->shape.copies[1] * spec->shape.copies[2];
}

/* Body with the cell (or else the vertex) of this id. */
PETSC_INTERN PetscInt AbutBodyOf(PetscInt num_bodies, const AbutBody bodies[], PetscBool cell, PetscInt id);

/* Specification of a body. */
PETSC_INTERN const AbutBodySpec *AbutSpecOfBody(const AbutBodySpec specs[], PetscInt body);

/* Appends vertices on the edges of linear cells of bodies of order 2; on_surface: marks of the sides of this rank's cells. Collective. */
PETSC_INTERN PetscErrorCode AbutBlocksRaise(AbutBlocks *blocks, const AbutBodySpec specs[], PetscBT on_surface);

/* Moves the nodes on edges that files have to the places of vertices. Collective. */
PETSC_INTERN PetscErrorCode AbutBlocksNodesToVertices(AbutBlocks *blocks);

/* Computes sides, edges and surface vertices from the cells, and their numbers over all ranks. Collective. */
PETSC_INTERN PetscErrorCode AbutBlocksSurface(AbutBlocks *blocks, const AbutBodySpec specs[]);

/* Vertices of this rank's simplices: numbers [0, n) are the block of the rank, the numbers from n on are ghosts. */
typedef struct {
  PetscInt n, *id; /* [n] ids of ghosts, ascending */
  PetscSF  sf;     /* from blocks to ghosts */
} AbutBlockGhosts;

/* Sets ghosts->sf; the ids are set. Collective. */
PETSC_INTERN PetscErrorCode AbutBlockGhostsConnect(const AbutBlocks *blocks, AbutBlockGhosts *ghosts);

/* Replaces ids of vertices in all simplices by numbers. Collective. */
PETSC_INTERN PetscErrorCode AbutBlocksLocalise(AbutBlocks *blocks, AbutBlockGhosts *ghosts);
PETSC_INTERN PetscErrorCode AbutBlockGhostsFree(AbutBlockGhosts *ghosts);

/* Number of the vertex with an id that is in the block or a ghost. */
static inline PetscErrorCode AbutBlockNumberOf(const AbutBlocks *blocks, const AbutBlockGhosts *ghosts, PetscInt id, PetscInt *number)
{
  PetscFunctionBegin;
  *number = id - blocks->first;
  if (*number >= 0 && *number < blocks->n) PetscFunctionReturn(0);
  PetscCall(PetscFindInt(id, ghosts->n, ghosts->id, number));
  *number += blocks->n;
  PetscFunctionReturn(0);
}

/* Id of the vertex with a number of AbutBlockGhosts. */
static inline PetscInt AbutBlockVertexId(const AbutBlocks *blocks, const AbutBlockGhosts *ghosts, PetscInt v)
{
  return v < blocks->n ? blocks->first + v : ghosts->id[v - blocks->n];
}

/* Refuses degenerate cells of generated bodies, and of others if `read` is set; after AbutBlocksLocalise(). Collective. */
PETSC_INTERN PetscErrorCode AbutBlocksCheck(const AbutBlocks *blocks, const AbutBlockGhosts *ghosts, const AbutBodySpec specs[],
                                            PetscBool read);

/* Owner of each vertex of the block: owner[n] in [0, size). After AbutBlocksLocalise(). Collective. */
PETSC_INTERN PetscErrorCode AbutPartition(const AbutBlocks *blocks, const AbutBlockGhosts *ghosts, const AbutMeshSettings *options,
                                          PetscMPIInt owner[]);

#define ABUT_NUM_WORKS 2

/* Numbers of cells and of surface entities at each vertex: [ABUT_NUM_WORKS * n], then partial sums of ghosts. Free with PetscFree(). */
PETSC_INTERN PetscErrorCode AbutBlockWorks(const AbutBlocks *blocks, const AbutBlockGhosts *ghosts, PetscReal **works);

/* Recursive coordinate bisection, without the graph. Collective. */
PETSC_INTERN PetscErrorCode AbutPartitionByCoordinates(const AbutBlocks *blocks, const AbutBlockGhosts *ghosts, PetscMPIInt owner[]);

/* Sends each part of the mesh to its owner; frees arrays of the blocks when they are sent. Collective. */
PETSC_INTERN PetscErrorCode AbutMeshDistribute(AbutMesh mesh, AbutBlocks *blocks, const AbutBlockGhosts *ghosts, const PetscMPIInt owner[]);

/* Mesh without parts; collective. */
PETSC_INTERN PetscErrorCode AbutMeshCreateEmpty(MPI_Comm comm, AbutMesh *mesh);

/* Builds the surface of the blocks, partitions them and distributes them with AbutMeshDistribute(); frees the blocks. Collective. */
PETSC_INTERN PetscErrorCode AbutMeshDistributeBlocks(AbutMesh mesh, AbutBlocks *blocks, const AbutBodySpec specs[]);
