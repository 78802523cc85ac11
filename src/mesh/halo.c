/* Ghost exchange and conversion to input order by star forests (PetscSF). */
#include "meshimpl.h"

/* Creates a star forest: roots are the owned vertices; leaf i is the vertex with global index global[i], 0 <= i < num. */
static PetscErrorCode CreateForest(AbutMesh mesh, PetscInt num, const PetscInt global[], PetscSF *sf)
{
  PetscLayout layout;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(mesh->comm, mesh->local.num_owned, mesh->local.num_global, 1, &layout));
  PetscCall(PetscSFCreate(mesh->comm, sf));
  PetscCall(PetscSFSetGraphLayout(*sf, layout, num, NULL, PETSC_COPY_VALUES, global));
  PetscCall(PetscSFSetUp(*sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshSetUpHalo(AbutMesh mesh)
{
  const AbutMeshLocal *local = &mesh->local;

  PetscFunctionBegin;
  PetscCall(CreateForest(mesh, local->num_local - local->num_owned, local->vertex_global + local->num_owned, &mesh->halo));
  PetscCall(CreateForest(mesh, mesh->part.num_slice, mesh->part.slice_global, &mesh->input_order));
  PetscFunctionReturn(0);
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

PetscErrorCode AbutMeshHaloBegin(AbutMesh mesh, PetscInt width, PetscReal values[])
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  if (mesh->size == 1) PetscFunctionReturn(0);
  PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
  PetscCall(GetUnit(mesh, width, &unit));
  PetscCall(PetscSFBcastBegin(mesh->halo, unit, values, values + mesh->local.num_owned * width, MPI_REPLACE));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshHaloEnd(AbutMesh mesh, PetscInt width, PetscReal values[])
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  if (mesh->size == 1) PetscFunctionReturn(0);
  PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
  PetscCall(GetUnit(mesh, width, &unit));
  PetscCall(PetscSFBcastEnd(mesh->halo, unit, values, values + mesh->local.num_owned * width, MPI_REPLACE));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshReduceAdd(AbutMesh mesh, PetscInt width, PetscReal values[])
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  if (mesh->size == 1) PetscFunctionReturn(0);
  PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
  PetscCall(GetUnit(mesh, width, &unit));
  PetscCall(PetscSFReduceBegin(mesh->halo, unit, values + mesh->local.num_owned * width, values, MPI_SUM));
  PetscCall(PetscSFReduceEnd(mesh->halo, unit, values + mesh->local.num_owned * width, values, MPI_SUM));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshFromInputOrder(AbutMesh mesh, PetscInt width, const PetscReal slice[], PetscReal owned[])
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  PetscCall(GetUnit(mesh, width, &unit));
  PetscCall(PetscSFReduceBegin(mesh->input_order, unit, slice, owned, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(mesh->input_order, unit, slice, owned, MPI_REPLACE));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshGetInputOrder(AbutMesh mesh, PetscSF *sf, PetscInt *slice_start, PetscInt *slice_end)
{
  PetscFunctionBegin;
  *sf          = mesh->input_order;
  *slice_start = mesh->slice_start;
  *slice_end   = mesh->slice_end;
  PetscFunctionReturn(0);
}
