/* Harmonic continuation from the borders of contact zones, and the directions of displacement (eq. 6). */
#include "responseimpl.h"

PetscErrorCode AbutFieldDiffuse(AbutResponse response, PetscInt num, const PetscReal border[], PetscReal b[])
{
  const AbutLaplace *laplace = &response->laplace;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(b, num * laplace->num));
  for (PetscInt k = 0; k < num; k++) {
    AbutLaplaceAddBorder(laplace, 1, &border[k * response->region.num_border], &b[k * laplace->num]);
    AbutFactorSolve(laplace->factor, NULL, &b[k * laplace->num]);
  }
  PetscFunctionReturn(0);
}

static const PetscReal *MappingDirection(const AbutZoneRegion *region, PetscInt contact)
{
  const AbutDeformContact *at = &region->contact[contact];

  return at->pair->mapping[at->side].direction;
}

/* Sets mean[3 * k + component] for all unknowns k: the outward mapping direction, interpolated between the zones of several contacts. */
static PetscErrorCode SetMappingDirections(AbutResponse response, PetscReal mean[])
{
  const AbutZoneRegion *region = &response->region;
  const PetscInt        n = response->laplace.num, num_border = region->num_border;

  PetscFunctionBegin;
  if (region->num_contacts == 1) {
    for (PetscInt k = 0; k < n; k++)
      for (PetscInt l = 0; l < 3; l++) mean[3 * k + l] = -MappingDirection(region, 0)[l];
    PetscFunctionReturn(0);
  }
  for (PetscInt l = 0; l < 3; l++)
    for (PetscInt b = 0; b < num_border; b++)
      response->border[l * num_border + b] = -MappingDirection(region, region->border_contact[b])[l];
  PetscCall(AbutFieldDiffuse(response, 3, response->border, response->b));
  for (PetscInt k = 0; k < n; k++)
    for (PetscInt l = 0; l < 3; l++) mean[3 * k + l] = response->b[l * n + k];
  PetscFunctionReturn(0);
}

/* Whether a contact is between regions that share vertices. */
static PetscBool HasAdjacent(const AbutZoneRegion *region)
{
  for (PetscInt c = 0; c < region->num_contacts; c++)
    if (region->contact[c].pair->crease) return PETSC_TRUE;
  return PETSC_FALSE;
}

/*
  Multiplies a direction near the zones by the length of the mean mapping direction. Across a crease the mean passes from d to -d: then the
  displacement passes through 0, too. At the zones and far from them the length is 1.
*/
static void Shorten(PetscReal weight, const PetscReal mean[3], PetscReal d[3])
{
  const PetscReal length = weight * PetscMin(1, AbutNorm(3, mean)) + 1 - weight;

  for (PetscInt l = 0; l < 3; l++) d[l] *= length;
}

/* x to a power, with multiplications if the exponent is an integer. */
static PetscReal Power(PetscReal x, PetscReal exponent)
{
  PetscReal power = 1;
  PetscInt  n     = (PetscInt)exponent;

  if ((PetscReal)n != exponent) return PetscPowReal(x, exponent);
  for (; n; n /= 2, x *= x)
    if (n % 2) power *= x;
  return power;
}

PetscErrorCode AbutFieldDirections(AbutResponse response, PetscReal blend_exponent)
{
  const AbutLaplace *laplace  = &response->laplace;
  PetscReal         *mean     = &response->b[3 * laplace->num];
  const PetscBool    adjacent = HasAdjacent(&response->region);

  PetscFunctionBegin;
  PetscCall(SetMappingDirections(response, mean));
  for (PetscInt k = 0; k < laplace->num; k++) {
    const PetscInt   v      = laplace->vertex[k];
    const PetscReal *normal = &response->surface->normal[3 * v], u = response->u[v];
    const PetscReal  weight = u < 1 ? Power(1 - u * u, blend_exponent) : 0;
    PetscReal       *d      = &response->direction[3 * v];

    for (PetscInt l = 0; l < 3; l++) d[l] = weight * mean[3 * k + l] + (1 - weight) * normal[l];
    if (AbutNormalize(3, d) <= 0) PetscCall(PetscArraycpy(d, normal, 3));
    if (adjacent) Shorten(weight, &mean[3 * k], d);
  }
  PetscFunctionReturn(0);
}
