/* Geometry of a surface in one frame: vertex normals, mean edge length, bounding box, boxes of the face tree. */
#include "deformimpl.h"
#include <math.h>

static PetscErrorCode SetNormalsAndAreas(AbutDeformSurface surface)
{
  const PetscReal *x = surface->x;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(surface->normal, 3 * surface->num_vertices));
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt *v = surface->face[f];
    PetscReal       n[3], twice;

    AbutTriangleNormal(&x[3 * v[0]], &x[3 * v[1]], &x[3 * v[2]], n);
    twice = AbutNorm(3, n);
    AbutCheck(twice > 0 && isfinite(twice), ABUT_ERR_INPUT,
              "surface %s: triangle %" PetscInt_FMT " has the area %g, must be above 0 and finite", surface->name, f, (double)(twice / 2));
    surface->area[f] = twice / 2;
    for (PetscInt k = 0; k < 3; k++) {
      for (PetscInt l = 0; l < 3; l++) surface->normal[3 * v[k] + l] += n[l];
    }
  }
  /* the sum is 0 where faces cancel, as at the tip of a fold: then any unit vector serves, because no zone contains the vertex */
  for (PetscInt i = 0; i < surface->num_vertices; i++) {
    PetscReal      *n      = &surface->normal[3 * i];
    const PetscReal length = AbutNorm(3, n);

    for (PetscInt k = 0; k < 3; k++) n[k] = length > 0 ? n[k] / length : (PetscReal)(k == 2);
  }
  PetscFunctionReturn(0);
}

static void SetLengths(AbutDeformSurface surface)
{
  PetscReal sum = 0, low[3], high[3], size[3];

  for (PetscInt e = 0; e < surface->num_edges; e++) {
    const PetscReal *a = &surface->x[3 * surface->edge[e][0]], *b = &surface->x[3 * surface->edge[e][1]];
    const PetscReal  d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};

    surface->length[e] = AbutNorm(3, d);
    sum += surface->length[e];
  }
  surface->mean_edge = sum / surface->num_edges;
  for (PetscInt k = 0; k < 3; k++) low[k] = high[k] = surface->x[k];
  for (PetscInt i = 1; i < surface->num_vertices; i++) {
    for (PetscInt k = 0; k < 3; k++) {
      low[k]  = PetscMin(low[k], surface->x[3 * i + k]);
      high[k] = PetscMax(high[k], surface->x[3 * i + k]);
    }
  }
  for (PetscInt k = 0; k < 3; k++) {
    surface->box[0][k] = low[k];
    surface->box[1][k] = high[k];
    size[k]            = high[k] - low[k];
  }
  surface->size = AbutNorm(3, size);
}

static PetscErrorCode SetTree(AbutDeformSurface surface)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < surface->num_vertices; i++) surface->tree_input.box[i] = AbutBoxAround(3, &surface->x[3 * i], 0);
  if (!surface->tree_input.built) PetscCall(AbutBVHBuild(&surface->tree, 3, surface->tree_input.face, surface->tree_input.box));
  surface->tree_input.built = PETSC_TRUE;
  PetscFunctionReturn(0);
}

const AbutBVH *AbutDeformSurfaceTree(AbutDeformSurface surface)
{
  if (surface->tree_input.fits != surface->revision) AbutBVHRefit(&surface->tree, 3, surface->tree_input.face, surface->tree_input.box, 0);
  surface->tree_input.fits = surface->revision;
  return &surface->tree;
}

PetscErrorCode AbutDeformSurfaceSetPositions(AbutDeformSurface surface, const PetscReal x[])
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  if (surface->mean_edge > 0) PetscCall(PetscArraycmp(x, surface->x, 3 * surface->num_vertices, &same));
  if (same) PetscFunctionReturn(0); /* the surface did not move since the last frame */
  surface->mean_edge = 0;           /* until the geometry is complete */
  surface->revision++;
  for (PetscInt i = 0; i < 3 * surface->num_vertices; i++)
    AbutCheck(isfinite(x[i]), ABUT_ERR_INPUT, "surface %s: a coordinate of the vertex %" PetscInt_FMT " is not finite", surface->name,
              i / 3);
  PetscCall(PetscArraycpy(surface->x, x, 3 * surface->num_vertices));
  PetscCall(SetNormalsAndAreas(surface));
  SetLengths(surface);
  PetscCall(SetTree(surface));
  PetscFunctionReturn(0);
}
