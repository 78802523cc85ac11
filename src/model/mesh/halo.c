/* Ghost exchange by a star forest (PetscSF). */
#include "meshimpl.h"

/* Creates the star forest from owned vertices (roots) to their ghosts on other ranks (leaves). */
PetscErrorCode AbutMeshSetUpHalo(AbutMesh mesh)
{
  const AbutMeshLocal *m = &mesh->local;

  return AbutSFCreate(mesh->comm, m->num_owned, m->num_local - m->num_owned, m->vertex_global + m->num_owned, &mesh->halo);
}

/* MPI type of `width` reals. Cached, because PetscSF caches its packing by type. */
static PetscErrorCode GetUnit(AbutMesh mesh, PetscInt width, MPI_Datatype *unit)
{
  PetscFunctionBegin;
  PetscCheck(width >= 1 && width <= ABUT_MAX_CACHED_WIDTH, mesh->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " reals a vertex; must be in [1, %d]", width, ABUT_MAX_CACHED_WIDTH);
  if (width == 1) { /* PetscSF can sum MPIU_REAL, but not a contiguous type of one MPIU_REAL */
    *unit = MPIU_REAL;
    PetscFunctionReturn(0);
  }
  if (mesh->unit[width] == MPI_DATATYPE_NULL) {
    PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)width, MPIU_REAL, &mesh->unit[width]));
    PetscCallMPI(MPI_Type_commit(&mesh->unit[width]));
  }
  *unit = mesh->unit[width];
  PetscFunctionReturn(0);
}

/* Copies owned values to ghosts, or adds ghosts to owned values. Nothing to do on one rank, which has no ghosts. */
static PetscErrorCode Exchange(AbutMesh mesh, PetscBool add, PetscInt width, PetscReal values[])
{
  PetscReal   *ghosts = values + mesh->local.num_owned * width;
  MPI_Datatype unit;

  PetscFunctionBegin;
  if (mesh->size == 1) PetscFunctionReturn(0);
  PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
  PetscCall(GetUnit(mesh, width, &unit));
  if (add) {
    PetscCall(PetscSFReduceBegin(mesh->halo, unit, ghosts, values, MPI_SUM));
    PetscCall(PetscSFReduceEnd(mesh->halo, unit, ghosts, values, MPI_SUM));
  } else {
    PetscCall(PetscSFBcastBegin(mesh->halo, unit, values, ghosts, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(mesh->halo, unit, values, ghosts, MPI_REPLACE));
  }
  PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshUpdateGhosts(AbutMesh mesh, PetscInt width, PetscReal values[])
{
  return Exchange(mesh, PETSC_FALSE, width, values);
}

PetscErrorCode AbutMeshReduceAdd(AbutMesh mesh, PetscInt width, PetscReal values[])
{
  return Exchange(mesh, PETSC_TRUE, width, values);
}
