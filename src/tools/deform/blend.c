/*
  Algorithm 2 for one surface. Of regions that overlap each responds on its own, and the displacements are blended by the partition of unity
  (section 6). One bulge h_v for all regions of a surface keeps its volume exactly. A surface without regions is one region.
*/
#include "deformerimpl.h"
#include "responseimpl.h"

/* Lists the contacts of a surface with zones that are not empty: at most two for each pair. */
static void ListContacts(AbutDeformer deformer, PetscInt surface, PetscInt *num, AbutDeformContact contacts[])
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
  const AbutSurfaceRegions *regions = deformer->surface[surface].surface->regions;

  if (!regions) return PETSC_TRUE;
  for (PetscInt p = 0; p < deformer->num_pairs; p++) {
    for (PetscInt s = 0; s < 2; s++) {
      const AbutContactZone *zone = &deformer->pair[p].pair->zone[s];

      for (PetscInt k = 0; deformer->pair[p].side[s] == surface && k < zone->num; k++)
        if (AbutRegionHas(regions, region, zone->vertex[k])) return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* Adds displacements of a region times its weights to sum [6 * num_vertices]: `fixed`, then `unit`. */
static void AddWeighted(AbutDeformSurface surface, PetscInt region, const AbutResponse response, PetscReal sum[])
{
  const PetscInt nv = surface->num_vertices;

  for (PetscInt v = 0; v < nv; v++) {
    const PetscReal beta = surface->regions ? AbutRegionWeight(surface->regions, region, v) : 1;

    for (PetscInt k = 3 * v; k < 3 * v + 3; k++) {
      sum[k] += beta * response->fixed[k];
      sum[3 * nv + k] += beta * response->unit[k];
    }
  }
}

static PetscErrorCode Solve(AbutDeformer deformer, PetscInt i, const AbutDeformSurfaceControl *control, PetscInt num,
                            const AbutDeformContact contacts[], PetscReal sum[])
{
  DeformerSurface *at = &deformer->surface[i];

  PetscFunctionBegin;
  for (PetscInt l = 0; l < DeformerNumRegions(at); l++) {
    if (!IsActive(deformer, i, l)) continue;
    if (!at->response[l]) PetscCall(AbutResponseCreate(at->surface, l, &at->response[l]));
    PetscCall(AbutResponseFields(at->response[l], num, contacts, control));
    AddWeighted(at->surface, l, at->response[l], sum);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerSolveSurface(AbutDeformer deformer, PetscInt i, const AbutDeformSurfaceControl *control, PetscReal y[])
{
  DeformerSurface   *at = &deformer->surface[i];
  const PetscInt     nv = at->surface->num_vertices;
  AbutDeformContact *contacts;
  PetscReal         *sum;
  PetscErrorCode     verdict = 0;
  PetscInt           num;

  PetscFunctionBegin;
  deformer->surface_report[i] = (AbutDeformSurfaceReport){0};
  if (!at->response) PetscCall(PetscCalloc1(DeformerNumRegions(at), &at->response));
  PetscCall(PetscMalloc1(2 * deformer->num_pairs, &contacts));
  PetscCall(PetscCalloc1(6 * nv, &sum));
  ListContacts(deformer, i, &num, contacts);
  if (num) verdict = Solve(deformer, i, control, num, contacts, sum);
  if (num && !verdict) verdict = AbutResponseDisplace(at->surface, control, sum, &sum[3 * nv], y, &deformer->surface_report[i]);
  if (!num) PetscCall(PetscArraycpy(y, at->surface->x, 3 * nv)); /* a surface without contact keeps its positions */
  PetscCall(PetscFree(contacts));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(verdict);
}
