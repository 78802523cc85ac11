/* Mesh object: rank 0 builds and partitions the mesh, then distributes it. */
#include "meshimpl.h"

static const AbutOption options[] = {
  {"-mesh_allow_system_calls", ABUT_OPTION_BOOL, offsetof(AbutMeshSettings, allow_system_calls), 0, 0, 1, "",
   "Gmsh scripts (.geo) may run other programs and write files"}, /* AbutScriptCheck() reads it again */
  {"-mesh_partition_seed", ABUT_OPTION_INT, offsetof(AbutMeshSettings, seed), 0, -1, 2147483647, "",
   "Seed of METIS; the same seed gives the same partition"},
  {"-mesh_partition_imbalance", ABUT_OPTION_REAL, offsetof(AbutMeshSettings, imbalance), 1.05, 1.001, 1000, "",
   "Largest over average work a rank may have, cells and surface alike"},
};
const AbutOptionTable AbutMeshOptions = {"Reading and partition of the mesh", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Builds and partitions the serial mesh; executed on rank 0 only, so that errors occur on rank 0 only. */
static PetscErrorCode BuildOnRoot(PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[], const AbutMeshSettings *values,
                                  PetscMPIInt size, AbutGlobalMesh *global, PetscMPIInt **owner)
{
  PetscFunctionBegin;
  PetscCall(AbutGlobalMeshCreate(dim, num_specs, specs, global));
  PetscCall(PetscMalloc1(global->num_vertices, owner));
  PetscCall(AbutPartition(global, values, size, *owner));
  PetscFunctionReturn(0);
}

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

/* Creates the mesh from the serial mesh of rank 0. Collective. */
static PetscErrorCode Distribute(MPI_Comm comm, const AbutMeshSettings *values, const AbutGlobalMesh *global, const PetscMPIInt owner[],
                                 AbutMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(mesh));
  PetscCall(PetscCommDuplicate(comm, &(*mesh)->comm, NULL));
  PetscCallMPI(MPI_Comm_size(comm, &(*mesh)->size));
  (*mesh)->options = *values;
  for (PetscInt i = 0; i <= ABUT_MAX_CACHED_WIDTH; i++) (*mesh)->unit[i] = MPI_DATATYPE_NULL;
  PetscCall(AbutMeshDistribute(*mesh, AbutIsRoot(comm) ? global : NULL, owner));
  PetscCall(AbutMeshSetUpHalo(*mesh));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshCreate(MPI_Comm comm, PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[], AbutMesh *mesh)
{
  AbutGlobalMesh   global = {0};
  AbutMeshSettings values;
  PetscMPIInt      size, *owner = NULL;
  PetscErrorCode   ierr;

  PetscFunctionBegin;
  *mesh = NULL;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  AbutOptionTableSetDefaults(&AbutMeshOptions, &values);
  PetscCall(AbutOptionTableSetFromOptions(comm, &AbutMeshOptions, &values));
  ierr = AbutAgree(comm, AbutIsRoot(comm) ? BuildOnRoot(dim, num_specs, specs, &values, size, &global, &owner) : 0);
  if (!ierr) PetscCall(Distribute(comm, &values, &global, owner, mesh));
  PetscCall(PetscFree(owner));
  PetscCall(AbutGlobalMeshFree(&global));
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
