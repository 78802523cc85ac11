/* Response of one surface to its contact zones: Algorithm 2. */
#include "responseimpl.h"

#define HEAT_TIME      10 /* time of the heat method over the squared mean edge length */
#define BLEND_EXPONENT 6  /* exponent m of the weight (1 - u^2)^m of the mapping direction at distance u from the contact zone */

/* Upper limit of the magnitude of h_v, the height of the bulge, as a fraction of the extent of the deformation. */
#define MAX_BULGE 1
/* Volumes below this, over the cubed size of the surface, are rounding errors. */
#define MIN_VOLUME 1e-14
/* A volume is kept if its change is below this, over the volume that the zone displaces. */
#define VOLUME_TOLERANCE 1e-10

PetscErrorCode AbutResponseCreate(AbutDeformSurface surface, PetscInt working, AbutResponse *response)
{
  const PetscInt nv = surface->num_vertices;

  PetscFunctionBegin;
  PetscCall(PetscNew(response));
  (*response)->surface = surface;
  if (surface->regions) PetscCall(PetscMalloc1(nv, &(*response)->member));
  for (PetscInt v = 0; v < nv && surface->regions; v++) (*response)->member[v] = AbutRegionHas(surface->regions, working, v);
  PetscCall(AbutRegionCreate(surface, (*response)->member, &(*response)->region));
  PetscCall(AbutLaplaceCreate(surface, &(*response)->laplace));
  PetscCall(PetscMalloc5(nv, &(*response)->u, nv, &(*response)->amplitude, nv, &(*response)->slope, nv, &(*response)->bulge, nv,
                         &(*response)->profile));
  PetscCall(
    PetscMalloc4(3 * nv, &(*response)->direction, 3 * nv, &(*response)->fixed, 3 * nv, &(*response)->unit, 6 * nv, &(*response)->b));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutResponseDestroy(AbutResponse *response)
{
  PetscFunctionBegin;
  if (!*response) PetscFunctionReturn(0);
  PetscCall(PetscFree((*response)->member));
  PetscCall(AbutRegionDestroy(&(*response)->region));
  PetscCall(AbutLaplaceDestroy(&(*response)->laplace));
  PetscCall(PetscFree5((*response)->u, (*response)->amplitude, (*response)->slope, (*response)->bulge, (*response)->profile));
  PetscCall(PetscFree4((*response)->direction, (*response)->fixed, (*response)->unit, (*response)->b));
  PetscCall(PetscFree((*response)->border));
  PetscCall(PetscFree(*response));
  PetscFunctionReturn(0);
}

/* Zone vertices move onto S. Returns the largest displacement. */
static PetscReal SetZoneDisplacements(AbutResponse response)
{
  const AbutZoneRegion *region  = &response->region;
  AbutDeformSurface     surface = response->surface;
  PetscReal             largest = 0;

  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    const AbutMapping *mapping;
    PetscReal          square = 0;

    if (region->owner[v] < 0) continue;
    mapping = &region->contact[region->owner[v]].pair->mapping[region->contact[region->owner[v]].side];
    for (PetscInt k = 0; k < 3; k++) {
      response->fixed[3 * v + k] = mapping->point[mapping->index[v]].target[k] - surface->x[3 * v + k];
      square += response->fixed[3 * v + k] * response->fixed[3 * v + k];
    }
    largest = PetscMax(largest, PetscSqrtReal(square));
  }
  return largest;
}

/* Sine that is added to the profile. The window 16 u^2 (1 - u)^2 keeps value and slope at both ends. */
static PetscReal Wave(const AbutDeformSurfaceControl *control, PetscReal amplitude, PetscReal u)
{
  const PetscReal window = 16 * u * u * (1 - u) * (1 - u);

  return control->wave == 0 ? 0 : control->wave * amplitude * window * PetscSinReal(2 * PETSC_PI * control->wave_count * u);
}

/* Evaluates the profiles of the unknowns within the extent, in their order. */
static void SetProfiles(AbutResponse response)
{
  const AbutLaplace *laplace = &response->laplace;
  PetscInt           num     = 0;

  for (PetscInt k = 0; k < laplace->num; k++) {
    const PetscInt v = laplace->vertex[k];

    if (response->u[v] < 1)
      response->profile[num++] = (AbutProfilePoint){.a = response->amplitude[v], .s = response->slope[v], .u = response->u[v]};
  }
  AbutProfileEvaluate(num, response->profile);
}

/* Sets the displacements with and by the bulge at all vertices. */
static void SetDisplacements(AbutResponse response, const AbutDeformSurfaceControl *control)
{
  const AbutLaplace      *laplace = &response->laplace;
  const PetscReal         largest = SetZoneDisplacements(response);
  const AbutProfilePoint *profile = response->profile;

  SetProfiles(response);
  for (PetscInt k = 0; k < laplace->num; k++) {
    const PetscInt v = laplace->vertex[k];
    PetscReal      height, shape;

    if (response->u[v] >= 1) continue;
    height = profile->height + Wave(control, largest, profile->u);
    shape  = profile->shape * response->bulge[v];
    profile++;
    for (PetscInt l = 0; l < 3; l++) {
      response->fixed[3 * v + l] = height * response->direction[3 * v + l];
      response->unit[3 * v + l]  = shape * response->direction[3 * v + l];
    }
  }
}

/* Whether the volume polynomial does not vanish at h, although there is a volume to be kept. */
static PetscBool IsLimited(AbutDeformSurface surface, const PetscReal volume[4], PetscReal h)
{
  const PetscReal left = volume[0] + h * (volume[1] + h * (volume[2] + h * volume[3]));

  return (PetscBool)(PetscAbsReal(volume[0]) > MIN_VOLUME * surface->size * surface->size * surface->size &&
                     PetscAbsReal(left) > VOLUME_TOLERANCE * PetscAbsReal(volume[0]));
}

/* Adds bulge * unit to the displacement `fixed`, and sets the positions y to the displaced ones. */
static void Displace(AbutDeformSurface surface, PetscReal bulge, PetscReal fixed[], const PetscReal unit[], PetscReal y[],
                     AbutDeformSurfaceReport *report)
{
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    PetscReal square = 0;

    for (PetscInt k = 3 * v; k < 3 * v + 3; k++) {
      fixed[k] += bulge * unit[k];
      y[k] = surface->x[k] + fixed[k];
      square += fixed[k] * fixed[k];
    }
    report->displacement = PetscMax(report->displacement, PetscSqrtReal(square));
    report->num_deformed += square > 0;
  }
}

PetscErrorCode AbutResponseDisplace(AbutDeformSurface surface, const AbutDeformSurfaceControl *control, PetscReal fixed[],
                                    const PetscReal unit[], PetscReal y[], AbutDeformSurfaceReport *report)
{
  PetscReal volume[4], change[4], root;
  PetscInt *faces, num;

  PetscFunctionBegin;
  *report = (AbutDeformSurfaceReport){0};
  PetscCall(PetscMalloc1(surface->num_faces, &faces));
  PetscCall(AbutVolumeListFaces(surface, fixed, unit, &num, faces));
  AbutVolumePolynomial(surface, num, faces, fixed, unit, volume);
  root            = AbutVolumeRoot(volume, MAX_BULGE * control->extent);
  report->bulge   = control->volume * root;
  report->limited = (PetscBool)(control->volume != 0 && IsLimited(surface, volume, root));
  Displace(surface, report->bulge, fixed, unit, y, report);
  AbutVolumePolynomial(surface, num, faces, fixed, NULL, change);
  report->volume_change = change[0];
  report->volume_error  = volume[0] != 0 ? PetscAbsReal(change[0] / volume[0]) : 0;
  PetscCall(PetscFree(faces));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutResponseFields(AbutResponse response, PetscInt num_contacts, const AbutDeformContact contacts[],
                                  const AbutDeformSurfaceControl *control)
{
  AbutDeformSurface surface     = response->surface;
  const PetscReal   heat_length = PetscSqrtReal(HEAT_TIME) * surface->mean_edge;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(response->fixed, 3 * surface->num_vertices));
  PetscCall(PetscArrayzero(response->unit, 3 * surface->num_vertices));
  PetscCall(AbutRegionSet(surface, num_contacts, contacts, control->extent, heat_length, &response->region));
  PetscCall(AbutReserve(3 * response->region.num_border, &response->border_capacity, &response->border));
  PetscCall(AbutLaplaceSet(surface, &response->region, &response->laplace));
  if (response->laplace.num) {
    PetscCall(AbutHeatDistance(response, heat_length, control->extent));
    PetscCall(AbutFieldDirections(response, BLEND_EXPONENT));
    PetscCall(AbutFieldSlopes(response));
    PetscCall(AbutFieldBulge(response, control));
  }
  SetDisplacements(response, control);
  PetscFunctionReturn(0);
}
