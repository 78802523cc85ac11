/* Mesh object: rank 0 builds and partitions the mesh, then distributes it. */
#include "meshimpl.h"

static PetscErrorCode GetOptions(MPI_Comm comm, AbutPartitionOptions *options)
{
  PetscBool allow_system_calls = PETSC_FALSE;

  PetscFunctionBegin;
  *options = (AbutPartitionOptions){.seed = 0, .imbalance = 1.05};
  PetscOptionsBegin(comm, NULL, "Reading and partition of the mesh", "AbutMesh");
  PetscCall(PetscOptionsBool("-mesh_allow_system_calls", "Gmsh scripts (.geo) may run other programs and write files", "AbutMeshCreate",
                             allow_system_calls, &allow_system_calls, NULL)); /* read again by AbutScriptCheck() */
  PetscCall(PetscOptionsInt("-mesh_partition_seed", "Seed of METIS; the same seed gives the same partition", "AbutMeshCreate",
                            options->seed, &options->seed, NULL));
  PetscCall(PetscOptionsReal("-mesh_partition_imbalance", "Largest over average work a rank may have, cells and surface alike (> 1)",
                             "AbutMeshCreate", options->imbalance, &options->imbalance, NULL));
  PetscOptionsEnd();
  AbutCheck(options->imbalance > 1, ABUT_ERR_INPUT, "-mesh_partition_imbalance is %g; it must be larger than 1",
            (double)options->imbalance);
  PetscFunctionReturn(0);
}

/* Builds and partitions the serial mesh; executed on rank 0 only, so that errors occur on rank 0 only. */
static PetscErrorCode BuildOnRoot(PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[], const AbutPartitionOptions *options,
                                  PetscMPIInt size, AbutGlobalMesh *global, PetscMPIInt **owner)
{
  PetscFunctionBegin;
  PetscCall(AbutGlobalMeshCreate(dim, num_specs, specs, global));
  PetscCall(PetscMalloc1(global->num_vertices, owner));
  PetscCall(AbutPartition(global, options, size, *owner));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshCreate(MPI_Comm comm, PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[], AbutMesh *mesh)
{
  AbutGlobalMesh       global = {0};
  AbutPartitionOptions options;
  PetscMPIInt          rank, size, *owner = NULL;
  PetscErrorCode       ierr = 0;

  PetscFunctionBegin;
  *mesh = NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(GetOptions(comm, &options));
  if (!rank) ierr = BuildOnRoot(dim, num_specs, specs, &options, size, &global, &owner);
  ierr = AbutAgree(comm, ierr);
  if (!ierr) {
    PetscCall(PetscNew(mesh));
    PetscCall(PetscCommDuplicate(comm, &(*mesh)->comm, NULL));
    PetscCallMPI(MPI_Comm_size(comm, &(*mesh)->size));
    for (PetscInt i = 0; i <= ABUT_MAX_CACHED_WIDTH; i++) (*mesh)->unit[i] = MPI_DATATYPE_NULL;
    PetscCall(AbutMeshDistribute(*mesh, rank ? NULL : &global, owner));
    PetscCall(AbutMeshSetUpHalo(*mesh));
  }
  PetscCall(PetscFree(owner));
  PetscCall(AbutGlobalMeshFree(&global));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutMeshDestroy(AbutMesh *mesh)
{
  PetscFunctionBegin;
  if (!*mesh) PetscFunctionReturn(0);
  PetscCall(PetscSFDestroy(&(*mesh)->halo));
  PetscCall(PetscSFDestroy(&(*mesh)->input_order));
  for (PetscInt i = 0; i <= ABUT_MAX_CACHED_WIDTH; i++)
    if ((*mesh)->unit[i] != MPI_DATATYPE_NULL) PetscCallMPI(MPI_Type_free(&(*mesh)->unit[i]));
  PetscCall(AbutMeshPartFree(&(*mesh)->part));
  PetscCall(PetscFree((*mesh)->local.bodies));
  PetscCall(PetscFree((*mesh)->group_names));
  PetscCall(PetscCommDestroy(&(*mesh)->comm));
  PetscCall(PetscFree(*mesh));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshGetComm(AbutMesh mesh, MPI_Comm *comm)
{
  PetscFunctionBegin;
  *comm = mesh->comm;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshGetLocal(AbutMesh mesh, const AbutMeshLocal **local)
{
  PetscFunctionBegin;
  *local = &mesh->local;
  PetscFunctionReturn(0);
}
