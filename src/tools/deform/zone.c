/*
  Contact zones (eq. 3 and 5): the vertices of a mapping region whose score reaches the threshold and whose normals are within the largest
  angle of the mapping direction, with the exact ends of the zone on the edges.
*/
#include "zoneimpl.h"

#define MAX_ANGLE 80 /* largest angle between the normals of a contact zone and the mapping direction [degrees] */

/* Quantities of eq. 5 at one end of an edge. They are linear along the edge. */
typedef struct {
  PetscReal depth;        /* delta = depth d [m] */
  PetscReal normal;       /* -d . n' */
  PetscReal facing;       /* -d . n */
  PetscReal other_facing; /* d . n'' */
} End;

static End EndAt(const AbutMapping *mapping, const AbutMapPoint *point, const PetscReal own_normal[3])
{
  const PetscReal *d = mapping->direction;

  return (End){.depth        = point->depth,
               .normal       = -AbutDot(3, d, point->normal),
               .facing       = -AbutDot(3, d, own_normal),
               .other_facing = AbutDot(3, d, point->other_normal)};
}

/* Normal of a surface at a point of an edge, interpolated and normalised. */
static void EdgeNormal(AbutDeformSurface surface, PetscInt i, PetscInt j, PetscReal alpha, PetscReal n[3])
{
  for (PetscInt k = 0; k < 3; k++) n[k] = (1 - alpha) * surface->normal[3 * i + k] + alpha * surface->normal[3 * j + k];
  (void)AbutNormalize(3, n);
}

/* Smallest root in [0, 1] of a function that is linear, >= 0 at 0 and b at 1; 1 if it has none. */
static PetscReal LinearRoot(PetscReal a, PetscReal b)
{
  return b < 0 ? PetscMax(a, 0) / (PetscMax(a, 0) - b) : 1;
}

/* Smallest x in [0, 1] at which c0 + c1 x + c2 x^2, c0 >= 0, becomes negative; 1 if it does not. Neither formula has cancellation. */
static PetscReal QuadraticRoot(PetscReal c0, PetscReal c1, PetscReal c2)
{
  const PetscReal discriminant = c1 * c1 - 4 * PetscMax(c0, 0) * c2;

  if (discriminant < 0) return 1;
  if (c1 > 0) return c2 < 0 ? PetscMin((c1 + PetscSqrtReal(discriminant)) / (-2 * c2), 1) : 1;
  if (PetscSqrtReal(discriminant) - c1 <= 0) return 1;
  return PetscMin(2 * PetscMax(c0, 0) / (PetscSqrtReal(discriminant) - c1), 1);
}

/* Fraction of the way from a to b at which the first condition of eq. 5 is violated. */
static PetscReal ZoneEnd(const End *a, const End *b, PetscReal threshold, PetscReal min_facing)
{
  const PetscReal depth = b->depth - a->depth, normal = b->normal - a->normal;
  PetscReal       alpha = QuadraticRoot(a->depth * a->normal - threshold, a->depth * normal + depth * a->normal, depth * normal);

  alpha = PetscMin(alpha, LinearRoot(a->facing - min_facing, b->facing - min_facing));
  return PetscMin(alpha, LinearRoot(a->other_facing - min_facing, b->other_facing - min_facing));
}

/* Image of a border point without a ray that hits: between the images of the ends of the part of the edge on which it lies. */
static void InterpolatePoint(AbutDeformSurface surface, const AbutMapping *mapping, const AbutMapPoint *a, const AbutMapPoint *b,
                             PetscReal fraction, AbutBorderPoint *border)
{
  const PetscReal *xi = &surface->x[3 * border->inside], *xj = &surface->x[3 * border->outside], *d = mapping->direction;
  AbutMapPoint    *p = &border->point;

  *p       = fraction < 0.5 ? *a : *b;
  p->depth = (1 - fraction) * a->depth + fraction * b->depth;
  p->shift = (1 - fraction) * a->shift + fraction * b->shift;
  for (PetscInt k = 0; k < 3; k++) {
    p->target[k]       = (1 - border->alpha) * xi[k] + border->alpha * xj[k] + p->shift * d[k];
    p->normal[k]       = (1 - fraction) * a->normal[k] + fraction * b->normal[k];
    p->other_normal[k] = (1 - fraction) * a->other_normal[k] + fraction * b->other_normal[k];
  }
  (void)AbutNormalize(3, p->normal);
  (void)AbutNormalize(3, p->other_normal);
  p->score  = -p->depth * AbutDot(3, d, p->normal);
  p->facing = (1 - fraction) * a->facing + fraction * b->facing;
}

/* Sets the border point of the edge ij, i in the zone and j not. The end of the mapping region replaces j outside of it. */
static PetscErrorCode SetBorderPoint(AbutDeformPair *pair, PetscInt side, PetscReal threshold, PetscReal min_facing,
                                     AbutBorderPoint *border)
{
  AbutDeformSurface   surface = pair->surface[side];
  const AbutMapping  *mapping = &pair->mapping[side];
  const PetscInt      i = border->inside, j = border->outside, at = mapping->index[j];
  const AbutMapPoint *a     = &mapping->point[mapping->index[i]], *b;
  PetscReal           reach = 1, fraction, n[3];
  PetscBool           found;
  End                 ends[2];

  PetscFunctionBegin;
  if (at >= 0)
    b = &mapping->point[at];
  else {
    const PetscInt end = AbutBorderFind(mapping->num_border, mapping->border, border->edge);

    PetscCheck(end >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "surface %s: the mapping region has no end on the edge %" PetscInt_FMT,
               surface->name, border->edge);
    b     = &mapping->border[end].point;
    reach = mapping->border[end].alpha;
  }
  ends[0] = EndAt(mapping, a, &surface->normal[3 * i]);
  EdgeNormal(surface, i, j, reach, n);
  ends[1]       = EndAt(mapping, b, n);
  fraction      = ZoneEnd(&ends[0], &ends[1], threshold, min_facing);
  border->alpha = fraction * reach;
  PetscCall(AbutDeformPairMapEdgePoint(pair, side, (PetscInt[]){i, j}, border->alpha, &border->point, &found));
  if (!found) InterpolatePoint(surface, mapping, a, b, fraction, border);
  PetscFunctionReturn(0);
}

/* Edges with one end in the zone, ascending. */
static PetscErrorCode FindEdges(AbutDeformSurface surface, const AbutContactZone *zone, AbutInts *edges)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < zone->num; i++) {
    const PetscInt v = zone->vertex[i];

    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
      const PetscInt e = surface->vertex_edge.item[k];

      if (!zone->contains[AbutDeformOtherEnd(surface, e, v)]) PetscCall(AbutIntsPush(edges, 1, &e));
    }
  }
  PetscCall(PetscSortInt(edges->n, edges->a));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetBorder(AbutDeformPair *pair, PetscInt side, PetscReal threshold, PetscReal min_facing)
{
  AbutDeformSurface surface = pair->surface[side];
  AbutContactZone  *zone    = &pair->zone[side];
  AbutInts          edges   = {0};

  PetscFunctionBegin;
  PetscCall(FindEdges(surface, zone, &edges));
  PetscCall(AbutReserve(edges.n, &zone->border_capacity, &zone->border));
  zone->num_border = edges.n;
  for (PetscInt i = 0; i < edges.n; i++) {
    const PetscInt *v = surface->edge[edges.a[i]], first = zone->contains[v[0]];

    zone->border[i] = (AbutBorderPoint){.edge = edges.a[i], .inside = v[!first], .outside = v[first]};
    PetscCall(SetBorderPoint(pair, side, threshold, min_facing, &zone->border[i]));
  }
  PetscCall(PetscFree(edges.a));
  PetscFunctionReturn(0);
}

static void SetVertices(const AbutMapping *mapping, PetscInt num_vertices, PetscReal threshold, PetscReal min_facing, AbutContactZone *zone)
{
  zone->num = 0;
  for (PetscInt v = 0; v < num_vertices; v++) zone->contains[v] = PETSC_FALSE;
  for (PetscInt k = 0; k < mapping->num; k++) {
    const AbutMapPoint *point = &mapping->point[k];

    if (point->score < threshold || point->facing < min_facing) continue;
    zone->vertex[zone->num++]          = mapping->vertex[k];
    zone->contains[mapping->vertex[k]] = PETSC_TRUE;
  }
}

PetscErrorCode AbutZoneExtract(AbutDeformPair *pair, PetscReal threshold)
{
  const PetscReal min_facing = PetscCosReal(MAX_ANGLE * PETSC_PI / 180);

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) SetVertices(&pair->mapping[s], pair->surface[s]->num_vertices, threshold, min_facing, &pair->zone[s]);
  for (PetscInt s = 0; s < 2; s++) PetscCall(SetBorder(pair, s, threshold, min_facing));
  PetscFunctionReturn(0);
}
