/* Regions of a body: cells of a physical group of its file, which have a material of their own. */
#include "meshimpl.h"
#include <string.h>

PetscInt AbutMeshGetCellRegion(AbutMesh mesh, PetscInt cell)
{
  return mesh->region ? mesh->region[cell] : -1;
}

/* Index of the group of each region, -1 if no group has its name. Rank 0 has the names of groups. Collective. */
static PetscErrorCode FindGroups(MPI_Comm comm, const AbutBodySpec *spec, const AbutGroups *groups, PetscInt group[])
{
  PetscFunctionBegin;
  for (PetscInt r = 0; r < spec->num_regions; r++) {
    group[r] = -1;
    for (PetscInt g = 0; g < groups->num_names; g++)
      if (!strcmp(groups->names[g], spec->regions[r].group)) group[r] = g;
  }
  PetscCallMPI(MPI_Bcast(group, (PetscMPIInt)spec->num_regions, MPIU_INT, 0, comm));
  PetscFunctionReturn(0);
}

/* Sends pairs of a region and a cell to the ranks that have the cells. first: [size + 1] first cell of each rank. Collective. */
static PetscErrorCode SendCells(MPI_Comm comm, const AbutBodySpec *spec, const AbutShape *shape, const PetscInt group[],
                                const PetscInt first[], PetscInt *num, PetscInt **cells)
{
  const AbutInts *from = &shape->groups.cells;
  AbutInts        send = {0};
  PetscMPIInt    *to;
  AbutExchange    exchange;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < from->n; i += 2)
    for (PetscInt r = 0; r < spec->num_regions; r++)
      if (group[r] == from->a[i]) PetscCall(AbutIntsPush(&send, 2, (PetscInt[]){r, from->a[i + 1]}));
  PetscCall(PetscMalloc1(send.n / 2, &to));
  for (PetscInt i = 0; i < send.n / 2; i++)
    for (to[i] = 0; first[to[i] + 1] <= send.a[2 * i + 1];) to[i]++;
  PetscCall(AbutExchangeRecords(comm, 2 * sizeof(PetscInt), send.n / 2, to, send.a, NULL, &exchange, cells));
  *num = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(send.a));
  PetscFunctionReturn(0);
}

/* Sets the regions of this rank's cells, and counts the cells of each region; an error if a cell is in two of them. */
static PetscErrorCode Fill(const AbutBodySpec *spec, PetscInt num, const PetscInt cells[], PetscInt first, PetscInt regions[],
                           PetscInt count[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < num; i++) {
    PetscInt *at = &regions[cells[2 * i + 1] - first];

    AbutSpecCheck(*at < 0 || *at == cells[2 * i], spec, "cell %" PetscInt_FMT " of %s is in the regions '%s' and '%s', must be in one",
                  cells[2 * i + 1], spec->shape.path, spec->regions[PetscMax(*at, 0)].group, spec->regions[cells[2 * i]].group);
    *at = cells[2 * i];
    count[*at]++;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SetRegions(MPI_Comm comm, const AbutBodySpec *spec, PetscInt group[], PetscInt count[], AbutShape *shape)
{
  PetscMPIInt    rank, size;
  PetscInt      *first, *cells, num = 0;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscCalloc1(size + 1, &first));
  PetscCallMPI(MPI_Allgather(&shape->num_cells, 1, MPIU_INT, first + 1, 1, MPIU_INT, comm));
  for (PetscMPIInt r = 0; r < size; r++) first[r + 1] += first[r];
  PetscCall(FindGroups(comm, spec, &shape->groups, group));
  PetscCall(SendCells(comm, spec, shape, group, first, &num, &cells));
  PetscCall(PetscMalloc1(shape->num_cells, &shape->regions));
  for (PetscInt c = 0; c < shape->num_cells; c++) shape->regions[c] = -1;
  ierr = AbutAgree(comm, Fill(spec, num, cells, first[rank], shape->regions, count));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, (PetscMPIInt)spec->num_regions, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscFree(cells));
  PetscCall(PetscFree(first));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutShapeSetRegions(MPI_Comm comm, const AbutBodySpec *spec, AbutShape *shape)
{
  PetscInt      *group, *count;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (!spec->num_regions) PetscFunctionReturn(0);
  PetscCall(PetscCalloc2(spec->num_regions, &group, spec->num_regions, &count));
  ierr = SetRegions(comm, spec, group, count, shape);
  for (PetscInt r = 0; r < spec->num_regions && !ierr; r++)
    if (!count[r])
      ierr = AbutSpecError(spec, "%s has no cells of the physical group '%s', which is a region", spec->shape.path, spec->regions[r].group);
  PetscCall(PetscFree2(group, count));
  PetscFunctionReturn(ierr);
}
