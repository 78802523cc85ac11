/*
  Surfaces with regions that overlap: each region responds on its own, and the displacements are blended by the partition of unity
  (section 6). One bulge h_v for all regions of a surface keeps its volume exactly.
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

/* Whether a region contains vertices of a contact zone. */
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

/* Adds displacements of a region times its weights to sum [6 * num_vertices]: `fixed`, then `unit`. */
static void AddWeighted(AbutDeformSurface surface, PetscInt region, const AbutResponse response, PetscReal sum[])
{
  const PetscInt nv = surface->num_vertices;

  for (PetscInt v = 0; v < nv; v++) {
    const PetscReal beta = AbutRegionWeight(surface->regions, region, v);

    for (PetscInt k = 3 * v; k < 3 * v + 3; k++) {
      sum[k] += beta * response->fixed[k];
      sum[3 * nv + k] += beta * response->unit[k];
    }
  }
}

static PetscErrorCode Solve(AbutDeformer deformer, PetscInt i, const AbutDeformSurfaceControl *control, AbutDeformContact contacts[],
                            PetscReal sum[])
{
  DeformerSurface *at = &deformer->surface[i];
  PetscInt         num;

  PetscFunctionBegin;
  AbutDeformerListContacts(deformer, i, &num, contacts);
  for (PetscInt l = 0; l < at->surface->regions->num; l++) {
    if (!IsActive(deformer, i, l)) continue;
    if (!at->working[l]) PetscCall(AbutResponseCreateRegion(at->surface, l, &at->working[l]));
    PetscCall(AbutResponseFields(at->working[l], num, contacts, control));
    AddWeighted(at->surface, l, at->working[l], sum);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerSolveRegions(AbutDeformer deformer, PetscInt i, const AbutDeformSurfaceControl *control, PetscReal y[])
{
  DeformerSurface   *at = &deformer->surface[i];
  const PetscInt     nv = at->surface->num_vertices;
  AbutDeformContact *contacts;
  PetscReal         *sum;
  PetscErrorCode     verdict;

  PetscFunctionBegin;
  if (!at->working) PetscCall(PetscCalloc1(at->surface->regions->num, &at->working));
  PetscCall(PetscMalloc1(2 * deformer->num_pairs, &contacts));
  PetscCall(PetscCalloc1(6 * nv, &sum));
  verdict = Solve(deformer, i, control, contacts, sum);
  if (!verdict) verdict = AbutResponseDisplace(at->surface, control, sum, &sum[3 * nv], y, &deformer->surface_report[i]);
  PetscCall(PetscFree(contacts));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(verdict);
}
