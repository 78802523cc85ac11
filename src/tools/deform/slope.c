/*
  Slope of the profile at the border of the contact zones, continued harmonically over the deformable region: lines 46 to 48 of
  Algorithm 2.

  Border point b lies on the edge ij, i inside the zone. Its slope s moves a vertex l outside the zone to p_l + (-a_l + u_l s) d_l. This
  position should lie in two planes (Fig. 8): the tangent plane of S at b, and a plane through p_l that contains the mapping direction and
  is as orthogonal as possible to the line from b to p_l. s is the least-squares solution of these equations.

  The paper uses the vertex l = j alone: s then jumps when a vertex enters the zone. Here l runs over i and its neighbours with the weight
  1 - alpha, and over j and its neighbours with the weight alpha. When the border arrives at a vertex, this vertex has u = 0 and therefore
  no weight, and all border points that meet there have the same slope: s is continuous in time.
*/
#include "responseimpl.h"

static const AbutMapping *Mapping(const AbutZoneRegion *region, PetscInt border)
{
  const AbutDeformContact *contact = &region->contact[region->border_contact[border]];

  return &contact->pair->mapping[contact->side];
}

/*
  Unit vector m along the component of e across the unit vector d; 0 if e is parallel to d. With the line e from b to p_l and the mapping
  direction d, m is the normal of the second of the two planes that determine the slope.
*/
static void DirectionAcross(const PetscReal e[3], const PetscReal d[3], PetscReal m[3])
{
  const PetscReal along = AbutDot(3, e, d);

  for (PetscInt k = 0; k < 3; k++) m[k] = e[k] - along * d[k];
  (void)AbutNormalize(3, m);
}

/* Adds the equations of vertex l to the normal equation sum[0] s = sum[1] of border point b at x. */
static void AddEquations(AbutResponse response, PetscInt b, const PetscReal x[3], PetscInt l, PetscReal weight, PetscReal sum[2])
{
  const AbutBorderPoint *border = &response->region.border[b];
  const PetscReal       *p = &response->surface->x[3 * l], *d = &response->direction[3 * l], *target = border->point.target;
  const PetscReal e[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]}, to_target[3] = {target[0] - p[0], target[1] - p[1], target[2] - p[2]};
  const PetscReal u = response->u[l], a = response->amplitude[l], h = response->surface->mean_edge;
  PetscReal       m[3], first, second;

  DirectionAcross(e, Mapping(&response->region, b)->direction, m);
  weight /= AbutDot(3, e, e) + h * h / 4;
  first  = AbutDot(3, d, border->point.normal);
  second = AbutDot(3, d, m);
  sum[0] += weight * u * u * (first * first + second * second);
  sum[1] += weight * u * (first * (AbutDot(3, to_target, border->point.normal) + a * first) + second * a * second);
}

/* Adds the equations of v and its neighbours outside of the zones. */
static void AddNeighbors(AbutResponse response, PetscInt b, const PetscReal x[3], PetscInt v, PetscReal weight, PetscReal sum[2])
{
  const AbutCSR *edges = &response->surface->vertex_edge;

  if (response->laplace.unknown[v] >= 0) AddEquations(response, b, x, v, weight, sum);
  for (PetscInt k = edges->start[v]; k < edges->start[v + 1]; k++) {
    const PetscInt l = AbutDeformOtherEnd(response->surface, edges->item[k], v);

    if (response->laplace.unknown[l] >= 0) AddEquations(response, b, x, l, weight, sum);
  }
}

/* Sets the boundary values of the slope. */
static void SetBorderSlopes(AbutResponse response)
{
  const AbutZoneRegion *region = &response->region;

  for (PetscInt b = 0; b < region->num_border; b++) {
    const AbutBorderPoint *border = &region->border[b];
    PetscReal              x[3], sum[2] = {0, 0};

    AbutRegionNode(response->surface, region, response->surface->num_vertices + b, x);
    AddNeighbors(response, b, x, border->inside, 1 - border->alpha, sum);
    AddNeighbors(response, b, x, border->outside, border->alpha, sum);
    response->border[b] = sum[0] > 0 ? sum[1] / sum[0] : 0;
  }
}

PetscErrorCode AbutFieldSlopes(AbutResponse response)
{
  const AbutLaplace *laplace = &response->laplace;

  PetscFunctionBegin;
  SetBorderSlopes(response);
  PetscCall(AbutFieldDiffuse(response, 1, response->border, response->b));
  for (PetscInt k = 0; k < laplace->num; k++) response->slope[laplace->vertex[k]] = response->b[k];
  PetscFunctionReturn(0);
}
