/*
  Distribution of the bulge around the contact zones (section 7): a map of the user times the field of eq. 7. Each vertex p_j of a zone
  contributes A_j |p'_j - p_j| / r max(0, cos)^omega, with r the distance from p_j and cos the cosine of the angle to the mapping
  direction.
*/
#include "responseimpl.h"

/* Vertices of the zones, component by component: position, weight A_j |p'_j - p_j| and mapping direction. */
typedef struct {
  PetscInt   num;
  PetscReal *x[3], *d[3], *weight;
} Sources;

static PetscErrorCode SourcesCreate(AbutResponse response, Sources *sources)
{
  const AbutZoneRegion *region  = &response->region;
  AbutDeformSurface     surface = response->surface;

  PetscFunctionBegin;
  sources->num = 0;
  for (PetscInt v = 0; v < surface->num_vertices; v++) sources->num += region->owner[v] >= 0;
  PetscCall(PetscMalloc7(sources->num, &sources->x[0], sources->num, &sources->x[1], sources->num, &sources->x[2], sources->num,
                         &sources->d[0], sources->num, &sources->d[1], sources->num, &sources->d[2], sources->num, &sources->weight));
  for (PetscInt v = 0, n = 0; v < surface->num_vertices; v++) {
    const AbutMapping *mapping;

    if (region->owner[v] < 0) continue;
    mapping            = &region->contact[region->owner[v]].pair->mapping[region->contact[region->owner[v]].side];
    sources->weight[n] = surface->vertex_area[v] * mapping->point[mapping->index[v]].shift;
    for (PetscInt k = 0; k < 3; k++) {
      sources->x[k][n] = surface->x[3 * v + k];
      sources->d[k][n] = mapping->direction[k];
    }
    n++;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SourcesDestroy(Sources *sources)
{
  PetscFunctionBegin;
  PetscCall(PetscFree7(sources->x[0], sources->x[1], sources->x[2], sources->d[0], sources->d[1], sources->d[2], sources->weight));
  PetscFunctionReturn(0);
}

/* Contribution of source n at x. omega = 2 needs no power. */
static inline PetscReal Contribution(const Sources *sources, PetscInt n, const PetscReal x[3], PetscReal omega)
{
  const PetscReal r[3]  = {x[0] - sources->x[0][n], x[1] - sources->x[1][n], x[2] - sources->x[2][n]};
  const PetscReal r2    = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + PETSC_SMALL * PETSC_SMALL;
  const PetscReal ahead = PetscMax(sources->d[0][n] * r[0] + sources->d[1][n] * r[1] + sources->d[2][n] * r[2], 0);

  if (omega == 0) return sources->weight[n] / PetscSqrtReal(r2);
  if (omega == 2) return sources->weight[n] * ahead * ahead / (r2 * PetscSqrtReal(r2));
  return sources->weight[n] * PetscPowReal(ahead / PetscSqrtReal(r2), omega) / PetscSqrtReal(r2);
}

static PetscReal Sum(const Sources *sources, const PetscReal x[3], PetscReal omega)
{
  PetscReal sum = 0;

  if (omega == 2)
    for (PetscInt n = 0; n < sources->num; n++) sum += Contribution(sources, n, x, 2);
  else
    for (PetscInt n = 0; n < sources->num; n++) sum += Contribution(sources, n, x, omega);
  return sum;
}

PetscErrorCode AbutFieldBulge(AbutResponse response, const AbutDeformSurfaceControl *control)
{
  const AbutLaplace *laplace = &response->laplace;
  PetscReal          largest = 0;
  Sources            sources;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < laplace->num; k++) response->bulge[laplace->vertex[k]] = 1;
  if (control->omega >= 0) {
    PetscCall(SourcesCreate(response, &sources));
    for (PetscInt k = 0; k < laplace->num; k++) {
      const PetscInt v = laplace->vertex[k];

      response->bulge[v] = response->u[v] < 1 ? Sum(&sources, &response->surface->x[3 * v], control->omega) : 0;
      largest            = PetscMax(largest, response->bulge[v]);
    }
    for (PetscInt k = 0; k < laplace->num && largest > 0; k++) response->bulge[laplace->vertex[k]] /= largest;
    PetscCall(SourcesDestroy(&sources));
  }
  for (PetscInt k = 0; k < laplace->num && control->bulge; k++) response->bulge[laplace->vertex[k]] *= control->bulge[laplace->vertex[k]];
  PetscFunctionReturn(0);
}
