/* Mesh object: created from blocks of the input. */
#include "blocks.h"

static const AbutOption options[] = {
  {"-mesh_allow_system_calls", ABUT_OPTION_BOOL, offsetof(AbutMeshSettings, allow_system_calls), 0, 0, 1, "",
   "Gmsh scripts (.geo) may run other programs and write files"}, /* AbutScriptCheck() reads it again */
  {"-mesh_partition_seed", ABUT_OPTION_INT, offsetof(AbutMeshSettings, seed), 0, -1, 2147483647, "",
   "Seed of METIS; the same seed gives the same partition"},
  {"-mesh_partition_imbalance", ABUT_OPTION_REAL, offsetof(AbutMeshSettings, imbalance), 1.05, 1.001, 1000, "",
   "Largest over average work a rank may have, cells and surface alike"},
  {"-mesh_partition_metis", ABUT_OPTION_INT, offsetof(AbutMeshSettings, metis_most), 4e6, 0, 1e9, "",
   "Largest number of vertices that METIS partitions, on rank 0; larger meshes are divided by their coordinates"},
};
const AbutOptionTable AbutMeshOptions = {"Reading and partition of the mesh", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Reads the positions at the start of a body from its file. Collective. */
static PetscErrorCode ReadStart(AbutMesh mesh, PetscInt body, const AbutBodySpec *spec)
{
  const PetscInt size = mesh->local.dim * mesh->local.num_local;

  PetscFunctionBegin;
  if (!mesh->start) {
    PetscCall(PetscMalloc1(size, &mesh->start));
    PetscCall(PetscArraycpy(mesh->start, mesh->local.rest, size));
  }
  PetscCall(AbutMeshReadPositions(mesh, body, spec->start, spec->place, mesh->start));
  PetscCall(AbutMeshUpdateGhosts(mesh, mesh->local.dim, mesh->start));
  PetscFunctionReturn(0);
}

/* Positions at the start of the bodies that have a file of them. Collective. */
static PetscErrorCode SetStart(AbutMesh mesh, PetscInt num_specs, const AbutBodySpec specs[])
{
  PetscFunctionBegin;
  for (PetscInt s = 0, body = 0; s < num_specs; s++) {
    const PetscInt *copies = specs[s].shape.copies;

    if (specs[s].start[0]) PetscCall(ReadStart(mesh, body, &specs[s]));
    body += copies[0] * copies[1] * copies[2];
  }
  PetscFunctionReturn(0);
}

/* Partitions and distributes blocks with their surface. */
static PetscErrorCode Distribute(AbutMesh mesh, AbutBlocks *blocks, const AbutBodySpec specs[])
{
  AbutBlockGhosts ghosts = {0};
  PetscMPIInt    *owner  = NULL;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(AbutBlocksLocalise(blocks, &ghosts));
  ierr = AbutBlocksCheck(blocks, &ghosts, specs, PETSC_FALSE);
  PetscCall(PetscMalloc1(blocks->n, &owner));
  if (!ierr) ierr = AbutPartition(blocks, &ghosts, &mesh->options, owner);
  if (!ierr) PetscCall(AbutMeshDistribute(mesh, blocks, &ghosts, owner));
  PetscCall(PetscFree(owner));
  PetscCall(AbutBlockGhostsFree(&ghosts));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutMeshDistributeBlocks(AbutMesh mesh, AbutBlocks *blocks, const AbutBodySpec specs[])
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = AbutBlocksSurface(blocks, specs);
  if (!ierr) ierr = Distribute(mesh, blocks, specs);
  PetscCall(AbutBlocksFree(blocks));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutMeshCreateEmpty(MPI_Comm comm, AbutMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(mesh));
  PetscCall(PetscCommDuplicate(comm, &(*mesh)->comm, NULL));
  PetscCallMPI(MPI_Comm_size(comm, &(*mesh)->size));
  for (PetscInt i = 0; i <= ABUT_MAX_CACHED_WIDTH; i++) (*mesh)->unit[i] = MPI_DATATYPE_NULL;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshCreate(MPI_Comm comm, PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[], AbutMesh *mesh)
{
  AbutBlocks     blocks = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutMeshCreateEmpty(comm, mesh));
  ierr = AbutOptionTableRead(comm, &AbutMeshOptions, &(*mesh)->options);
  if (!ierr) ierr = AbutBlocksCreate((*mesh)->comm, dim, num_specs, specs, &blocks);
  if (!ierr) ierr = AbutMeshDistributeBlocks(*mesh, &blocks, specs);
  if (!ierr) ierr = SetStart(*mesh, num_specs, specs);
  if (ierr) PetscCall(AbutMeshDestroy(mesh));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutMeshDestroy(AbutMesh *mesh)
{
  PetscFunctionBegin;
  if (!*mesh) PetscFunctionReturn(0);
  PetscCall(PetscSFDestroy(&(*mesh)->halo));
  for (PetscInt i = 0; i <= ABUT_MAX_CACHED_WIDTH; i++)
    if ((*mesh)->unit[i] != MPI_DATATYPE_NULL) PetscCallMPI(MPI_Type_free(&(*mesh)->unit[i]));
  PetscCall(AbutMeshPartFree(&(*mesh)->part));
  PetscCall(PetscFree((*mesh)->start));
  PetscCall(PetscFree((*mesh)->region));
  PetscCall(PetscFree((*mesh)->local.bodies));
  PetscCall(PetscFree((*mesh)->group_names));
  PetscCall(PetscCommDestroy(&(*mesh)->comm));
  PetscCall(PetscFree(*mesh));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshViewOptions(AbutMesh mesh, PetscViewer viewer)
{
  return AbutOptionTableView(&AbutMeshOptions, &mesh->options, viewer);
}

MPI_Comm AbutMeshGetComm(AbutMesh mesh)
{
  return mesh->comm;
}

const AbutMeshLocal *AbutMeshGetLocal(AbutMesh mesh)
{
  return &mesh->local;
}

const PetscReal *AbutMeshGetStart(AbutMesh mesh)
{
  return mesh->start ? mesh->start : mesh->local.rest;
}
