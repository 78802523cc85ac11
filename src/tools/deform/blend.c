/*
  Surfaces with regions that overlap: each region responds on its own, and the displacements are blended by the partition of unity
  (section 6). One bulge h_v for all regions of a surface keeps its volume exactly. The regions are units of work.
*/
#include "deformerimpl.h"
#include "responseimpl.h"

void AbutDeformerListContacts(AbutDeformer deformer, PetscInt surface, PetscInt *num, AbutDeformContact contacts[])
{
  *num = 0;
  for (PetscInt p = 0; p < deformer->num_pairs; p++) {
    for (PetscInt s = 0; s < 2; s++)
      if (deformer->pair[p].side[s] == surface && deformer->pair[p].pair->zone[s].num)
        contacts[(*num)++] = (AbutDeformContact){deformer->pair[p].pair, s};
  }
}

static PetscMPIInt RegionRank(AbutDeformer deformer, PetscInt surface, PetscInt region)
{
  return (PetscMPIInt)((deformer->surface[surface].rank + region) % deformer->size);
}

/* Whether a region contains vertices of a contact zone; equal on all ranks. */
static PetscBool IsActive(AbutDeformer deformer, PetscInt surface, PetscInt region)
{
  for (PetscInt p = 0; p < deformer->num_pairs; p++) {
    for (PetscInt s = 0; s < 2; s++) {
      const AbutContactZone *zone = &deformer->pair[p].pair->zone[s];

      for (PetscInt k = 0; deformer->pair[p].side[s] == surface && k < zone->num; k++)
        if (AbutRegionHas(deformer->surface[surface].surface->regions, region, zone->vertex[k])) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

PetscErrorCode AbutDeformerSetUpRegion(AbutDeformer deformer, PetscInt i, PetscInt region)
{
  DeformerSurface *at = &deformer->surface[i];

  PetscFunctionBegin;
  if (!at->working) PetscCall(PetscCalloc1(at->surface->regions->num, &at->working));
  if (RegionRank(deformer, i, region) == deformer->rank && !at->working[region])
    PetscCall(AbutResponseCreateRegion(at->surface, region, &at->working[region]));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerSolveRegions(AbutDeformer deformer, PetscInt i, const AbutDeformSurfaceControl *control)
{
  DeformerSurface   *at = &deformer->surface[i];
  AbutDeformContact *contacts;
  PetscErrorCode     verdict = 0;
  PetscInt           num;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * deformer->num_pairs, &contacts));
  AbutDeformerListContacts(deformer, i, &num, contacts);
  for (PetscInt l = 0; l < at->surface->regions->num && !verdict; l++) {
    if (RegionRank(deformer, i, l) != deformer->rank || !IsActive(deformer, i, l)) continue;
    PetscCall(AbutDeformerSetUpRegion(deformer, i, l));
    verdict = AbutResponseFields(at->working[l], num, contacts, control);
  }
  PetscCall(PetscFree(contacts));
  PetscFunctionReturn(verdict);
}

/* Copies displacements of a region times its weights to fields [6 * num_vertices]: `fixed`, then `unit`. */
static void Weigh(AbutDeformSurface surface, PetscInt region, const AbutResponse response, PetscReal fields[])
{
  const PetscInt nv = surface->num_vertices;

  for (PetscInt v = 0; v < nv; v++) {
    const PetscReal beta = AbutRegionWeight(surface->regions, region, v);

    for (PetscInt k = 3 * v; k < 3 * v + 3; k++) {
      fields[k]          = beta * response->fixed[k];
      fields[3 * nv + k] = beta * response->unit[k];
    }
  }
}

/* Adds the fields of a region to sum [6 * num_vertices] on the rank of the surface; fields [6 * num_vertices] is work space. */
static PetscErrorCode Gather(AbutDeformer deformer, PetscInt i, PetscInt region, PetscReal fields[], PetscReal sum[])
{
  const DeformerSurface *at    = &deformer->surface[i];
  const PetscMPIInt      from  = RegionRank(deformer, i, region);
  const PetscInt         count = 6 * at->surface->num_vertices;

  PetscFunctionBegin;
  if (from == deformer->rank) Weigh(at->surface, region, at->working[region], fields);
  if (from != at->rank) {
    PetscMPIInt n;

    PetscCall(PetscMPIIntCast(count, &n));
    if (from == deformer->rank) PetscCallMPI(MPI_Send(fields, n, MPIU_REAL, at->rank, 0, deformer->comm));
    if (at->rank == deformer->rank) PetscCallMPI(MPI_Recv(fields, n, MPIU_REAL, from, 0, deformer->comm, MPI_STATUS_IGNORE));
  }
  for (PetscInt k = 0; k < count && at->rank == deformer->rank; k++) sum[k] += fields[k];
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerBlend(AbutDeformer deformer, PetscInt i, const AbutDeformSurfaceControl *control, PetscReal y[])
{
  const DeformerSurface *at = &deformer->surface[i];
  const PetscInt         nv = at->surface->num_vertices;
  PetscReal             *fields, *sum;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(6 * nv, &fields));
  PetscCall(PetscCalloc1(6 * nv, &sum));
  for (PetscInt l = 0; l < at->surface->regions->num; l++)
    if (IsActive(deformer, i, l)) PetscCall(Gather(deformer, i, l, fields, sum));
  if (at->rank == deformer->rank) PetscCall(AbutResponseDisplace(at->surface, control, sum, &sum[3 * nv], y, &deformer->surface_report[i]));
  PetscCall(PetscFree(fields));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(0);
}
