/* Transfer of vectors and positions from a mesh to another mesh of the same bodies. */
#pragma once
#include <abut/containers.h>
#include <abut/mesh.h>

/** Place of each owned vertex of a mesh in the rest shape of another mesh of the same bodies; opaque. */
typedef struct _p_AbutMeshTransfer *AbutMeshTransfer;

/**
  @brief Locates the vertices of a mesh in another mesh of the same bodies, at rest. Collective.

  A vertex of a body belongs to the cell of the same body that contains it, else to the nearest cell; of several cells to the one of lowest
  id. Its barycentric coordinates, in a quadratic cell its shape functions, are extrapolated linearly outside of the cell, so that affine
  fields are transferred exactly. A vertex of an obstacle belongs to the nearest element of the obstacle: triangle, edge or point. The two
  meshes have different partitions in general: each rank broadcasts its elements in turn, so that no rank holds the whole mesh.
  Errors: ABUT_ERR_INPUT, on all ranks, if the dimensions differ, if the bodies differ by name or kind, or if a vertex is too far away.
  @param[in]  from      mesh that has the values; borrowed until AbutMeshTransferDestroy()
  @param[in]  to        mesh that receives them, on as many ranks; borrowed until AbutMeshTransferDestroy()
  @param[in]  limit     largest distance of a vertex from its element over the diagonal of the bounding box of its body, >= 0; for a body of
                        one point over AbutMeshCounts.diagonal
  @param[out] transfer  AbutMeshTransferDestroy() frees it
**/
PETSC_INTERN PetscErrorCode AbutMeshTransferCreate(AbutMesh from, AbutMesh to, PetscReal limit, AbutMeshTransfer *transfer);

/** @brief Frees a transfer and sets *transfer to NULL. Collective. */
PETSC_INTERN PetscErrorCode AbutMeshTransferDestroy(AbutMeshTransfer *transfer);

/** @brief Number in `to` of each body of `from`. Not collective. */
PETSC_INTERN const PetscInt *AbutMeshTransferBodies(AbutMeshTransfer transfer);

/**
  @brief Interpolates vectors of the vertices in each element, linearly or, in a quadratic cell, by its shape functions. Collective.
  @param[in]  transfer  from AbutMeshTransferCreate()
  @param[in]  values    [num_owned of `from` * dim]
  @param[out] result    [num_owned of `to` * dim]
**/
PETSC_INTERN PetscErrorCode AbutMeshTransferVectors(AbutMeshTransfer transfer, const PetscReal values[], PetscReal result[]);

/**
  @brief Interpolates positions: rest position plus interpolated displacement. Collective. Without displacement the rest positions result
  bit for bit. The distance of a vertex of an obstacle from its element turns with the element.
  @param[in]  transfer  from AbutMeshTransferCreate()
  @param[in]  x         [num_owned of `from` * dim] positions [m]
  @param[out] result    [num_owned of `to` * dim] positions [m]
**/
PETSC_INTERN PetscErrorCode AbutMeshTransferPositions(AbutMeshTransfer transfer, const PetscReal x[], PetscReal result[]);

/**
  @brief Interpolates fields that are linear in each cell of bodies, and may jump between cells. Collective. A point outside of all cells
  has a value of the nearest one.
  @param[in]  transfer  from AbutMeshTransferCreate()
  @param[in]  width     numbers of a value
  @param[in]  corners   [num_cells of `from` * (dim + 1) * width] values at the corners of each cell
  @param[in]  num       points of this rank
  @param[in]  points    [num * dim] their rest positions [m]
  @param[in]  body      [num] their bodies in `to`
  @param[out] values    [num * width]
**/
PETSC_INTERN PetscErrorCode AbutMeshTransferCells(AbutMeshTransfer transfer, PetscInt width, const PetscReal corners[], PetscInt num,
                                                  const PetscReal points[], const PetscInt body[], PetscReal values[]);

/**
  @brief Vertices of bodies outside of the other mesh. Not collective.
  @param[in]  transfer  from AbutMeshTransferCreate()
  @param[out] count     number of vertices over all ranks that are outside of all cells
  @param[out] distance  largest distance from the nearest cell [m]
**/
PETSC_INTERN void AbutMeshTransferGetOutside(AbutMeshTransfer transfer, PetscInt *count, PetscReal *distance);

/* Shared by the files of the transfer */

/* Element in whose coordinates a point is given. Vertices beyond `nodes` repeat the first one, with the weight 0. */
typedef struct {
  PetscReal dist2;                  /* squared distance of the point at rest [m^2]; PETSC_MAX_REAL: no element found */
  PetscInt  cell;                   /* number of a cell, counted over the ranks of `from` */
  PetscInt  id;                     /* of the element; breaks ties */
  PetscInt  num;                    /* number of corners */
  PetscInt  nodes;                  /* number of vertices: corners, and vertices on the edges of a quadratic cell */
  PetscInt  node[ABUT_MAX_NODES];   /* global indices */
  PetscReal weight[ABUT_MAX_NODES]; /* of a linear element barycentric coordinates, else AbutQuadraticShape(); extrapolated */
} Place;

/*
  Weights of the vertices x [(dim + 1 + edges) * dim] of a quadratic cell at the point p, extrapolated linearly from a near point of the
  cell if p is outside, and the squared distance of this point; 0 inside. PETSC_FALSE if the Jacobian is not positive. Not collective.
*/
PETSC_INTERN PetscBool AbutPlaceInQuadratic(PetscInt dim, const PetscReal x[], const PetscReal p[], PetscReal weight[], PetscReal *dist2);

/*
  Finds the places of points [num * dim] of bodies of `to`, in the elements of `from`, no farther than limit[body] away. body_of[a]: number
  in `to` of body a of `from`. Collective.
*/
PETSC_INTERN PetscErrorCode AbutTransferLocate(AbutMesh from, const PetscInt body_of[], const PetscReal limit[], PetscInt num,
                                               const PetscReal points[], const PetscInt body[], Place places[]);
