/*
  Distribution of the bulge around the contact zones (section 7): a map of the user times the field of eq. 7. Each vertex p_j of a zone
  contributes A_j |p'_j - p_j| / r max(0, cos)^omega, with r the distance from p_j and cos the cosine of the angle to the mapping
  direction.

  A_j is a third of the areas of the faces at p_j inside the zone. The vertices in the zone of a face that the border cuts share the area
  of its part inside. Thus A_j grows from 0 when a vertex enters the zone, and the field is continuous in time.

  Most time goes into a square root and a division for each pair of a vertex and a source. Single precision doubles the number of pairs in
  a register; positions relative to the zone keep its error at 1e-6 of the field.
*/
#include "responseimpl.h"
#include <math.h>

/* Sources in a block: partial sums that the compiler can keep in SIMD registers. */
#define BLOCK 8

/* Vertices of the zone of one contact in whole blocks; places without vertex have weight 0. */
typedef struct {
  PetscInt         num;       /* vertices and empty places, a multiple of BLOCK */
  float           *x[3];      /* [num] positions relative to the centre of the surface, over its size */
  float           *ahead;     /* [num] these positions along the mapping direction */
  float           *weight;    /* [num] A_j |p'_j - p_j| over the size to the power of 3 */
  const PetscReal *direction; /* mapping direction */
} Sources;

/* Adds the part of a face inside the zones to the areas of its vertices. */
static PetscErrorCode AddArea(const AbutResponse response, PetscInt face, const PetscBool keep[3], PetscReal area[])
{
  const AbutZoneRegion *region  = &response->region;
  AbutDeformSurface     surface = response->surface;
  AbutClipTriangle      triangles[4];
  PetscReal             x[3][3], sum = 0;
  PetscInt              num;

  PetscFunctionBegin;
  PetscCall(AbutClipFace(surface, face, keep, region->num_border, region->border, &num, triangles));
  for (PetscInt t = 0; t < num; t++) {
    for (PetscInt k = 0; k < 3; k++) AbutRegionNode(surface, region, triangles[t].node[k], x[k]);
    sum += triangles[t].weight * AbutTriangleArea(x[0], x[1], x[2]);
  }
  for (PetscInt k = 0; k < 3; k++)
    if (keep[k]) area[surface->face[face][k]] += sum / (keep[0] + keep[1] + keep[2]);
  PetscFunctionReturn(0);
}

/* Sets area[num_vertices] to A_j in the zones. */
static PetscErrorCode SetAreas(const AbutResponse response, PetscReal area[])
{
  AbutDeformSurface surface = response->surface;
  const AbutCSR    *faces   = &surface->vertex_face;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(area, surface->num_vertices));
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    for (PetscInt k = faces->start[v]; response->region.owner[v] >= 0 && k < faces->start[v + 1]; k++) {
      PetscBool keep[3];

      if (AbutRegionHasFace(surface, &response->region, faces->item[k]) &&
          AbutFaceStartsAt(surface, response->region.owner, faces->item[k], v, keep))
        PetscCall(AddArea(response, faces->item[k], keep, area));
    }
  }
  PetscFunctionReturn(0);
}

/* Coordinate k of a position relative to the centre of the surface, over its size. */
static float Relative(AbutDeformSurface surface, const PetscReal x[3], PetscInt k)
{
  return (float)((x[k] - (surface->box[0][k] + surface->box[1][k]) / 2) / surface->size);
}

static PetscErrorCode SourcesCreate(const AbutResponse response, PetscInt contact, const PetscReal area[], Sources *sources)
{
  const AbutZoneRegion *region  = &response->region;
  const AbutMapping    *mapping = &region->contact[contact].pair->mapping[region->contact[contact].side];
  const PetscReal       size    = response->surface->size;
  PetscInt              n       = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < response->surface->num_vertices; v++) n += region->owner[v] == contact;
  sources->num       = (n + BLOCK - 1) / BLOCK * BLOCK;
  sources->direction = mapping->direction;
  n                  = sources->num;
  PetscCall(PetscCalloc5(n, &sources->x[0], n, &sources->x[1], n, &sources->x[2], n, &sources->ahead, n, &sources->weight));
  n = 0;
  for (PetscInt v = 0; v < response->surface->num_vertices; v++) {
    const PetscReal *x = &response->surface->x[3 * v];

    if (region->owner[v] != contact) continue;
    for (PetscInt k = 0; k < 3; k++) {
      sources->x[k][n] = Relative(response->surface, x, k);
      sources->ahead[n] += sources->x[k][n] * (float)mapping->direction[k];
    }
    sources->weight[n++] = (float)(area[v] / (size * size) * mapping->point[mapping->index[v]].shift / size);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SourcesDestroy(Sources *sources)
{
  PetscFunctionBegin;
  PetscCall(PetscFree5(sources->x[0], sources->x[1], sources->x[2], sources->ahead, sources->weight));
  PetscFunctionReturn(0);
}

/* Adds the contributions of a block of sources from `first` on at x to sum. The exponents 0 and 2 need no power. */
static inline void AddBlock(const Sources *sources, PetscInt first, const float x[3], float ahead, float omega, float sum[])
{
  const float *x0 = &sources->x[0][first], *x1 = &sources->x[1][first], *x2 = &sources->x[2][first];
  const float *start = &sources->ahead[first], *weight = &sources->weight[first];

  for (PetscInt l = 0; l < BLOCK; l++) {
    const float r0 = x[0] - x0[l], r1 = x[1] - x1[l], r2 = x[2] - x2[l], square = r0 * r0 + r1 * r1 + r2 * r2 + 1e-20F, r = sqrtf(square);
    const float way = (ahead - start[l] + fabsf(ahead - start[l])) / 2; /* the larger of 0 and the difference, without a branch */

    if (omega == 2)
      sum[l] += weight[l] * way * way / (square * r);
    else if (omega == 0)
      sum[l] += weight[l] / r;
    else
      sum[l] += weight[l] * powf(way / r, omega) / r;
  }
}

/* Field of the sources at x. */
static PetscReal Sum(const Sources *sources, const float x[3], float omega)
{
  const PetscReal *d          = sources->direction;
  const float      ahead      = (float)d[0] * x[0] + (float)d[1] * x[1] + (float)d[2] * x[2];
  float            sum[BLOCK] = {0};
  PetscReal        total      = 0;

  if (omega == 2)
    for (PetscInt n = 0; n < sources->num; n += BLOCK) AddBlock(sources, n, x, ahead, 2, sum);
  else
    for (PetscInt n = 0; n < sources->num; n += BLOCK) AddBlock(sources, n, x, ahead, omega, sum);
  for (PetscInt l = 0; l < BLOCK; l++) total += sum[l];
  return total;
}

/* Adds the field of one contact to the bulge where u < 1. */
static PetscErrorCode AddContact(AbutResponse response, PetscInt contact, const PetscReal area[], PetscReal omega)
{
  Sources sources;

  PetscFunctionBegin;
  PetscCall(SourcesCreate(response, contact, area, &sources));
  for (PetscInt k = 0; k < response->laplace.num; k++) {
    const PetscInt v = response->laplace.vertex[k];

    float x[3];

    for (PetscInt l = 0; l < 3; l++) x[l] = Relative(response->surface, &response->surface->x[3 * v], l);
    if (response->u[v] < 1) response->bulge[v] += Sum(&sources, x, (float)omega);
  }
  PetscCall(SourcesDestroy(&sources));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldBulge(AbutResponse response, const AbutDeformSurfaceControl *control)
{
  const AbutLaplace *laplace = &response->laplace;
  PetscReal          largest = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < laplace->num; k++) response->bulge[laplace->vertex[k]] = control->omega < 0;
  if (control->omega >= 0) {
    PetscCall(SetAreas(response, response->b));
    for (PetscInt c = 0; c < response->region.num_contacts; c++) PetscCall(AddContact(response, c, response->b, control->omega));
    for (PetscInt k = 0; k < laplace->num; k++) largest = PetscMax(largest, response->bulge[laplace->vertex[k]]);
    for (PetscInt k = 0; k < laplace->num && largest > 0; k++) response->bulge[laplace->vertex[k]] /= largest;
  }
  for (PetscInt k = 0; k < laplace->num && control->bulge; k++) response->bulge[laplace->vertex[k]] *= control->bulge[laplace->vertex[k]];
  PetscFunctionReturn(0);
}
