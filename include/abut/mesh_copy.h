/**
  @file mesh_copy.h
  @brief Copies of single bodies of a distributed mesh.
**/
#pragma once
#include <abut/mesh.h>

/**
  @brief Copies a body to one rank, as a mesh of its own at its rest positions. Collective.

  The copy has one body, of the same name, material and surface. Its vertices and cells have the numbers 0, 1, ... in the order of the ids
  in `mesh`; on its only rank these are also the local indices. It has no physical groups.
  @param[in]  mesh  the mesh
  @param[in]  body  index into AbutMeshLocal.bodies; no obstacle
  @param[in]  rank  rank of the communicator of the mesh that receives the copy
  @param[out] copy  mesh on PETSC_COMM_SELF on that rank, freed with AbutMeshDestroy(); NULL on other ranks
**/
PETSC_EXTERN PetscErrorCode AbutMeshCopyBody(AbutMesh mesh, PetscInt body, PetscMPIInt rank, AbutMesh *copy);
