/*
  Amplitude and slope of the profile at the border of the contact zones, continued harmonically over the deformable region: lines 45 to 48
  of Algorithm 2.

  The slope at a vertex j next to the border puts its displaced position p_j + (-a_j + u_j s) d_j into the tangent plane of S at the
  border point, in the least-squares sense together with the plane through p_j that contains the mapping direction and is most orthogonal
  to the edge (Fig. 8). The border points of all edges of j are weighted with the inverse squares of their distances from j: the paper's
  weight alpha has no bound if a border point approaches j. The slope of j is the boundary value at these points.
*/
#include "responseimpl.h"

/* Smallest u of a vertex in the quotient that gives the slope, times extent over mean edge length. */
#define MIN_DISTANCE 1e-3

static PetscReal Dot(const PetscReal a[3], const PetscReal b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const AbutMapping *Mapping(const AbutZoneRegion *region, PetscInt border)
{
  const AbutDeformContact *contact = &region->contact[region->border_contact[border]];

  return &contact->pair->mapping[contact->side];
}

/* Edge from i to j without its component along d, normalised: normal of the second plane. Returns the length of the edge. */
static PetscReal EdgeAcross(const PetscReal xi[3], const PetscReal xj[3], const PetscReal d[3], PetscReal m[3])
{
  const PetscReal e[3] = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]}, along = Dot(e, d);
  PetscReal       length;

  for (PetscInt k = 0; k < 3; k++) m[k] = e[k] - along * d[k];
  length = PetscSqrtReal(Dot(m, m));
  for (PetscInt k = 0; k < 3 && length > 0; k++) m[k] /= length;
  return PetscSqrtReal(Dot(e, e));
}

/* Adds the two equations for u_j s of a border point to the normal equation of its vertex j: sum[0] u_j s = sum[1]. */
static void AddEquations(AbutResponse response, PetscInt b, PetscReal sum[2])
{
  const AbutBorderPoint *border = &response->region.border[b];
  const PetscReal       *xi = &response->surface->x[3 * border->inside], *xj = &response->surface->x[3 * border->outside];
  const PetscReal       *d = &response->direction[3 * border->outside], a = response->amplitude[border->outside];
  const PetscReal       *target = border->point.target, to_target[3] = {target[0] - xj[0], target[1] - xj[1], target[2] - xj[2]};
  PetscReal              m[3], x[3], distance2 = 0, first, second, weight, length;

  length = EdgeAcross(xi, xj, Mapping(&response->region, b)->direction, m);
  AbutRegionNode(response->surface, &response->region, response->surface->num_vertices + b, x);
  for (PetscInt k = 0; k < 3; k++) distance2 += (x[k] - xj[k]) * (x[k] - xj[k]);
  weight = length * length / distance2;
  first  = Dot(d, border->point.normal);
  second = Dot(d, m);
  sum[0] += weight * (first * first + second * second);
  sum[1] += weight * (first * (Dot(to_target, border->point.normal) + a * first) + second * a * second);
}

/* Sets the boundary values of the slope. */
static PetscErrorCode SetBorderSlopes(AbutResponse response, PetscReal extent)
{
  const AbutZoneRegion *region = &response->region;
  const PetscReal       min_u  = MIN_DISTANCE * response->surface->mean_edge / extent;
  PetscReal            *sum    = response->b;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(sum, 2 * response->laplace.num));
  for (PetscInt b = 0; b < region->num_border; b++)
    AddEquations(response, b, &sum[2 * response->laplace.unknown[region->border[b].outside]]);
  for (PetscInt b = 0; b < region->num_border; b++) {
    const PetscInt   j  = region->border[b].outside;
    const PetscReal *at = &sum[2 * response->laplace.unknown[j]];

    response->border[b] = at[0] > 0 ? at[1] / at[0] / PetscMax(response->u[j], min_u) : 0;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Continue(AbutResponse response, PetscReal values[])
{
  const AbutLaplace *laplace = &response->laplace;

  PetscFunctionBegin;
  PetscCall(AbutFieldDiffuse(response, 1, response->border, response->b));
  for (PetscInt k = 0; k < laplace->num; k++) values[laplace->vertex[k]] = response->b[k];
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldAmplitudes(AbutResponse response, PetscReal extent)
{
  const AbutZoneRegion *region = &response->region;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < region->num_border; b++)
    response->border[b] = (1 - Mapping(region, b)->stiffness) * region->border[b].point.depth;
  PetscCall(Continue(response, response->amplitude));
  PetscCall(SetBorderSlopes(response, extent));
  PetscCall(Continue(response, response->slope));
  PetscFunctionReturn(0);
}
