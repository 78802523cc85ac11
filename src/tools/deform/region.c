/*
  Union of the contact zones of a surface, and the elements around it on which the fields of the deformation are computed.

  Elements have full weight up to a distance that covers the extent. Beyond, their weight w decreases smoothly to 0, so that the fields
  are continuous in time although elements enter and leave the region. Heat v ~ exp(-r / l), l = sqrt(t), solves l^2 div(w grad v) = (w -
  l dw/dr) v: with the mass weight on the right side the decrease does not disturb the heat.
*/
#include "responseimpl.h"

/* Border points keep this distance from the ends of their edges, relative to its length, in elements: it bounds the cotangents. */
#define NODE_DISTANCE 1e-4
/* Upper bound of AbutRegionDistances() over the geodesic distance on regular triangulations. */
#define PATH_FACTOR 1.08
/* Width of the layer in which the weight of elements decreases [mean edge lengths]. With 1 displacements jump between frames. */
#define LAYER 2
/* Elements of smaller weight are left out. */
#define MIN_WEIGHT 1e-9

void AbutRegionNode(AbutDeformSurface surface, const AbutZoneRegion *region, PetscInt node, PetscReal x[3])
{
  if (node < surface->num_vertices) {
    for (PetscInt k = 0; k < 3; k++) x[k] = surface->x[3 * node + k];
  } else {
    const AbutBorderPoint *border = &region->border[node - surface->num_vertices];
    const PetscReal        alpha  = PetscMin(PetscMax(border->alpha, NODE_DISTANCE), 1 - NODE_DISTANCE);

    for (PetscInt k = 0; k < 3; k++) x[k] = (1 - alpha) * surface->x[3 * border->inside + k] + alpha * surface->x[3 * border->outside + k];
  }
}

static const AbutContactZone *Zone(const AbutDeformContact *contact)
{
  return &contact->pair->zone[contact->side];
}

static PetscReal Depth(const AbutDeformContact *contact, PetscInt vertex)
{
  const AbutMapping *mapping = &contact->pair->mapping[contact->side];

  return mapping->point[mapping->index[vertex]].depth;
}

static void SetOwners(AbutDeformSurface surface, AbutZoneRegion *region)
{
  for (PetscInt v = 0; v < surface->num_vertices; v++) region->owner[v] = -1;
  for (PetscInt c = 0; c < region->num_contacts; c++) {
    const AbutContactZone *zone = Zone(&region->contact[c]);

    for (PetscInt k = 0; k < zone->num; k++) {
      const PetscInt v = zone->vertex[k], other = region->owner[v];

      if (region->member && !region->member[v]) continue;
      if (other < 0 || Depth(&region->contact[c], v) > Depth(&region->contact[other], v)) region->owner[v] = c;
    }
  }
}

/*
  Sets the border of the union of zones. If several zones have a border point on an edge, the point nearest to the vertex outside counts.
*/
static PetscErrorCode SetBorder(AbutDeformSurface surface, AbutZoneRegion *region)
{
  PetscInt num = 0, total = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < region->num_contacts; c++) total += Zone(&region->contact[c])->num_border;
  PetscCall(AbutReserveColumns(
    total, &region->border_capacity, 2,
    (const AbutColumn[]){{&region->border, sizeof(*region->border)}, {&region->border_contact, sizeof(*region->border_contact)}}));
  for (PetscInt e = 0; e < surface->num_edges; e++) region->edge_border[e] = -1;
  for (PetscInt c = 0; c < region->num_contacts; c++) {
    const AbutContactZone *zone = Zone(&region->contact[c]);

    for (PetscInt k = 0; k < zone->num_border; k++) {
      const AbutBorderPoint *point = &zone->border[k];
      PetscInt              *at    = &region->edge_border[point->edge];

      if (!AbutRegionHasEdge(surface, region, point->edge)) continue;
      if (region->owner[point->outside] >= 0 || (*at >= 0 && region->border[*at].alpha >= point->alpha)) continue;
      if (*at < 0) *at = num++;
      region->border[*at]         = *point;
      region->border_contact[*at] = c;
    }
  }
  region->num_border = num;
  PetscFunctionReturn(0);
}

/* Sorts the border points by edge. One contact gives them in this order. */
static PetscErrorCode SortBorder(AbutDeformSurface surface, AbutZoneRegion *region)
{
  AbutBorderPoint *copy;
  PetscInt        *contact, num = 0;

  PetscFunctionBegin;
  if (region->num_contacts <= 1) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(region->num_border, &copy, region->num_border, &contact));
  PetscCall(PetscArraycpy(copy, region->border, region->num_border));
  PetscCall(PetscArraycpy(contact, region->border_contact, region->num_border));
  for (PetscInt e = 0; e < surface->num_edges; e++) {
    const PetscInt at = region->edge_border[e];

    if (at < 0) continue;
    region->border[num]         = copy[at];
    region->border_contact[num] = contact[at];
    region->edge_border[e]      = num++;
  }
  PetscCall(PetscFree2(copy, contact));
  PetscFunctionReturn(0);
}

/* Half cotangents of a triangle, times a weight. */
static void SetCotangents(const PetscReal x[3][3], PetscReal area, PetscReal weight, PetscReal cot[3])
{
  const PetscReal factor = -weight / (4 * area);
  PetscReal       edge[3][3];

  for (PetscInt n = 0; n < 3; n++)
    for (PetscInt k = 0; k < 3; k++) edge[n][k] = x[(n + 2) % 3][k] - x[(n + 1) % 3][k];
  for (PetscInt n = 0; n < 3; n++) cot[n] = factor * AbutDot(3, edge[(n + 1) % 3], edge[(n + 2) % 3]);
}

/*
  Weight w of a face: 1 if its nearest vertex is within reach[0], 0 if it is beyond reach[1]; and -dw/dr with the distance r. With the
  nearest vertex each element is connected to the border through elements.
*/
static PetscReal FaceWeight(AbutDeformSurface surface, const AbutZoneRegion *region, PetscInt face, const PetscReal reach[2],
                            PetscReal *decrease)
{
  PetscReal distance = PETSC_MAX_REAL, x;

  for (PetscInt k = 0; k < 3; k++) {
    const PetscInt v = surface->face[face][k];

    if (region->owner[v] < 0) distance = PetscMin(distance, region->distance[v]);
  }
  *decrease = 0;
  if (distance <= reach[0]) return 1;
  if (distance >= reach[1]) return 0;
  x         = (reach[1] - distance) / (reach[1] - reach[0]);
  *decrease = 6 * x * (1 - x) / (reach[1] - reach[0]);
  return x * x * (3 - 2 * x);
}

/* Appends an element of the nodes of a triangle. */
static void AddElement(AbutDeformSurface surface, AbutZoneRegion *region, PetscInt face, const PetscInt node[3], PetscReal weight,
                       PetscReal mass_factor)
{
  AbutElement    *element = &region->element[region->num_elements++];
  const PetscBool whole   = (PetscBool)(node[2] < surface->num_vertices);
  PetscReal       x[3][3], area;

  element->face = face;
  for (PetscInt k = 0; k < 3; k++) {
    element->node[k] = node[k];
    if (whole)
      for (PetscInt l = 0; l < 3; l++) x[k][l] = surface->x[3 * node[k] + l];
    else
      AbutRegionNode(surface, region, node[k], x[k]);
  }
  area = whole ? surface->area[face] : AbutTriangleArea(x[0], x[1], x[2]);
  SetCotangents((const PetscReal(*)[3])x, area, weight, element->cot);
  element->area = weight * area;
  element->mass = element->area * mass_factor;
}

static PetscErrorCode SetElements(AbutDeformSurface surface, AbutZoneRegion *region, const PetscReal reach[2], PetscReal heat_length)
{
  PetscFunctionBegin;
  region->num_elements = 0;
  /* a face that the border cuts has two border points and up to four elements */
  PetscCall(AbutReserve(surface->num_faces + 4 * region->num_border, &region->element_capacity, &region->element));
  PetscCall(PetscArrayzero(region->open_mass, surface->num_vertices));
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt  *v = surface->face[f];
    PetscReal        decrease, weight = FaceWeight(surface, region, f, reach, &decrease);
    const PetscBool  keep[3] = {region->owner[v[0]] < 0, region->owner[v[1]] < 0, region->owner[v[2]] < 0};
    AbutClipTriangle triangles[4];
    PetscInt         num;

    if (weight < MIN_WEIGHT || !AbutRegionHasFace(surface, region, f)) continue;
    if (!surface->closed || region->member) AbutRegionOpenEdges(surface, region, f, weight * heat_length);
    if (keep[0] && keep[1] && keep[2]) {
      AddElement(surface, region, f, v, weight, 1 + heat_length * decrease / weight);
      continue;
    }
    PetscCall(AbutClipFace(surface, f, keep, region->num_border, region->border, &num, triangles));
    for (PetscInt t = 0; t < num; t++)
      AddElement(surface, region, f, triangles[t].node, weight * triangles[t].weight, 1 + heat_length * decrease / weight);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRegionSet(AbutDeformSurface surface, PetscInt num_contacts, const AbutDeformContact contacts[], PetscReal extent,
                             PetscReal heat_length, AbutZoneRegion *region)
{
  const PetscReal reach[2] = {PATH_FACTOR * extent, PATH_FACTOR * extent + LAYER * surface->mean_edge};

  PetscFunctionBegin;
  region->num_contacts = num_contacts;
  region->contact      = contacts;
  SetOwners(surface, region);
  PetscCall(SetBorder(surface, region));
  PetscCall(SortBorder(surface, region));
  AbutRegionDistances(surface, region, reach[1]);
  PetscCall(SetElements(surface, region, reach, heat_length));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRegionCreate(AbutDeformSurface surface, const PetscBool member[], AbutZoneRegion *region)
{
  const PetscInt nv = surface->num_vertices;

  PetscFunctionBegin;
  *region = (AbutZoneRegion){.member = member};
  PetscCall(PetscMalloc6(nv, &region->owner, nv, &region->distance, nv, &region->queue, nv, &region->queued, nv, &region->open_mass,
                         surface->num_edges, &region->edge_border));
  PetscCall(AbutPathsCreate(surface, region));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRegionDestroy(AbutZoneRegion *region)
{
  PetscFunctionBegin;
  PetscCall(PetscFree6(region->owner, region->distance, region->queue, region->queued, region->open_mass, region->edge_border));
  PetscCall(AbutPathsDestroy(&region->paths));
  PetscCall(PetscFree(region->border));
  PetscCall(PetscFree(region->border_contact));
  PetscCall(PetscFree(region->element));
  PetscFunctionReturn(0);
}
