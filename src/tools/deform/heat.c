/*
  Distance from the contact zones by the heat method [Crane, Weischedel, Wardetzky 2013, Geodesics in Heat, ACM TOG 32(5)], lines 33 to 36
  of Algorithm 2: heat v from the border after the time t, X = -grad v / |grad v|, and L phi = -div X with phi = 0 on the border.

  On a triangle with the half cotangents c, |grad v|^2 area is the sum of c (v_i - v_j)^2 over its edges, and the integral of grad v .
  grad N_i is the sum of c (v_i - v_j): the element needs no gradients.
*/
#include "responseimpl.h"

static PetscReal NodeValue(const AbutLaplace *laplace, PetscInt num_vertices, const PetscReal v[], PetscReal border, PetscInt node)
{
  return node < num_vertices ? v[laplace->unknown[node]] : border;
}

/* Adds the integrals of X . grad N_i over an element to b. The heat v is 1 on the border. */
static void AddDivergence(const AbutLaplace *laplace, PetscInt num_vertices, const AbutElement *element, const PetscReal v[], PetscReal b[])
{
  PetscReal value[3], flow[3], energy = 0, factor;

  for (PetscInt n = 0; n < 3; n++) value[n] = NodeValue(laplace, num_vertices, v, 1, element->node[n]);
  for (PetscInt n = 0; n < 3; n++) {
    const PetscReal difference = value[(n + 1) % 3] - value[(n + 2) % 3];

    flow[n] = element->cot[n] * difference;
    energy += flow[n] * difference;
  }
  if (energy <= 0) return;
  factor = PetscSqrtReal(element->area / energy);
  for (PetscInt n = 0; n < 3; n++)
    if (element->node[n] < num_vertices) b[laplace->unknown[element->node[n]]] += factor * (flow[(n + 1) % 3] - flow[(n + 2) % 3]);
}

/* Sums of the contributions of the border to the right-hand sides of the heat and of the amplitude. */
static void SetSources(AbutResponse response, PetscReal time, PetscReal heat[], PetscReal amplitude[])
{
  const AbutZoneRegion *region = &response->region;

  for (PetscInt b = 0; b < region->num_border; b++) response->border[b] = 1;
  AbutLaplaceAddBorder(&response->laplace, time, response->border, heat);
  for (PetscInt b = 0; b < region->num_border; b++) response->border[b] = region->border[b].point.shift;
  AbutLaplaceAddBorder(&response->laplace, 1, response->border, amplitude);
}

PetscErrorCode AbutHeatDistance(AbutResponse response, PetscReal heat_length, PetscReal extent)
{
  const PetscReal time    = heat_length * heat_length;
  AbutLaplace    *laplace = &response->laplace;
  PetscReal      *heat = response->b, *phi = &response->b[laplace->num], *amplitude = &response->b[2 * laplace->num];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(response->b, 3 * laplace->num));
  SetSources(response, time, heat, amplitude);
  PetscCall(AbutLaplaceFactor(laplace, time));
  AbutFactorSolve(laplace->factor, heat, amplitude);
  for (PetscInt k = 0; k < response->region.num_elements; k++)
    AddDivergence(laplace, response->surface->num_vertices, &response->region.element[k], heat, phi);
  AbutFactorSolve(laplace->factor, NULL, phi);
  for (PetscInt k = 0; k < laplace->num; k++) {
    response->u[laplace->vertex[k]]         = PetscMax(phi[k], 0) / extent;
    response->amplitude[laplace->vertex[k]] = amplitude[k];
  }
  PetscFunctionReturn(0);
}
