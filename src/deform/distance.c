/* Graph distances around contact zones: they bound the region on which the deformation is computed. */
#include "responseimpl.h"

static PetscReal Length(const PetscReal a[3], const PetscReal b[3])
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < 3; k++) sum += (b[k] - a[k]) * (b[k] - a[k]);
  return PetscSqrtReal(sum);
}

/* Coordinates of a point along the edge ab from a, times the length of the edge, and squared distance from a. */
static PetscReal AlongEdge(const PetscReal a[3], const PetscReal b[3], const PetscReal x[3], PetscReal *square)
{
  const PetscReal e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, d[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};

  *square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  return e[0] * d[0] + e[1] * d[1] + e[2] * d[2];
}

/* Length of an edge, computed at its first use in a frame. */
static inline PetscReal EdgeLength(AbutDeformSurface surface, AbutZoneRegion *region, PetscInt edge)
{
  PetscReal *length = &region->length[edge][0];

  if (*length < 0) *length = Length(&surface->x[3 * surface->edge[edge][0]], &surface->x[3 * surface->edge[edge][1]]);
  return *length;
}

/*
  Distance between the vertices opposite to an edge in its two faces, laid flat; PETSC_MAX_REAL if the line between them misses the edge.
  Coordinates along and across the edge are multiplied by its length.
*/
static PetscReal LengthAcross(AbutDeformSurface surface, const AbutZoneRegion *region, PetscInt edge)
{
  const PetscReal *a = &surface->x[3 * surface->edge[edge][0]], *b = &surface->x[3 * surface->edge[edge][1]];
  const PetscReal  e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, length2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
  PetscReal        along[2], across[2], at;

  if (AbutRegionEndsAt(surface, region, edge)) return PETSC_MAX_REAL;
  for (PetscInt s = 0; s < 2; s++) {
    PetscReal square;

    along[s]  = AlongEdge(a, b, &surface->x[3 * region->opposite[edge][s]], &square);
    across[s] = PetscSqrtReal(PetscMax(length2 * square - along[s] * along[s], 0));
  }
  at = along[0] * across[1] + along[1] * across[0];
  if (!(at >= 0 && at <= length2 * (across[0] + across[1]))) return PETSC_MAX_REAL;
  return PetscSqrtReal(((along[1] - along[0]) * (along[1] - along[0]) + (across[0] + across[1]) * (across[0] + across[1])) / length2);
}

/* Circular queue of vertices. */
typedef struct {
  PetscInt size, head, count;
} Queue;

/* Sets a shorter distance. A vertex that is nearer than the head of the queue enters before it, others behind its end. */
static inline void Relax(AbutZoneRegion *region, Queue *queue, PetscInt v, PetscReal distance, PetscReal limit)
{
  PetscInt at;

  if (distance >= region->distance[v] || distance > limit || region->owner[v] >= 0) return;
  region->distance[v] = distance;
  if (region->queued[v]) return;
  region->queued[v] = PETSC_TRUE;
  if (queue->count && distance < region->distance[region->queue[queue->head]]) {
    at = queue->head = queue->head ? queue->head - 1 : queue->size - 1;
  } else {
    at = queue->head + queue->count;
    if (at >= queue->size) at -= queue->size;
  }
  queue->count++;
  region->queue[at] = v;
}

/*
  Shortens the paths to the vertices around v: over the edges of v and across the edges opposite to v. Each face at v gives the edge that
  starts at v in its direction; the edge that ends at v belongs to the next face, or to none. Nearer vertices need no lengths.
*/
static void RelaxAround(AbutDeformSurface surface, AbutZoneRegion *region, Queue *queue, PetscInt v, PetscReal limit)
{
  const PetscReal distance = region->distance[v];

  for (PetscInt k = surface->vertex_face.start[v]; k < surface->vertex_face.start[v + 1]; k++) {
    const PetscInt face = surface->vertex_face.item[k], *f = surface->face[face], *e = surface->face_edge[face];
    const PetscInt l = f[0] == v ? 0 : (f[1] == v ? 1 : 2), next = l == 2 ? 0 : l + 1, last = l ? l - 1 : 2, across = e[next];
    const PetscInt beyond = region->opposite[across][surface->edge_face[across][0] == face];

    if (!AbutRegionHasFace(surface, region, face)) continue;
    if (region->distance[f[next]] > distance) Relax(region, queue, f[next], distance + EdgeLength(surface, region, e[l]), limit);
    if (AbutRegionEndsAt(surface, region, e[last])) Relax(region, queue, f[last], distance + EdgeLength(surface, region, e[last]), limit);
    if (beyond < 0 || region->distance[beyond] <= distance) continue;
    if (region->length[across][1] < 0) region->length[across][1] = LengthAcross(surface, region, across);
    if (region->length[across][1] <= limit) Relax(region, queue, beyond, distance + region->length[across][1], limit);
  }
}

/* Label correction: the result does not depend on the sequence. */
void AbutRegionDistances(AbutDeformSurface surface, AbutZoneRegion *region, PetscReal limit)
{
  Queue queue = {.size = surface->num_vertices};

  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    region->distance[v] = PETSC_MAX_REAL;
    region->queued[v]   = PETSC_FALSE;
  }
  for (PetscInt e = 0; e < surface->num_edges; e++) region->length[e][0] = region->length[e][1] = -1;
  for (PetscInt b = 0; b < region->num_border; b++) {
    const AbutBorderPoint *border = &region->border[b];

    Relax(region, &queue, border->outside, (1 - border->alpha) * EdgeLength(surface, region, border->edge), PETSC_MAX_REAL);
  }
  while (queue.count) {
    const PetscInt v = region->queue[queue.head];

    queue.head        = queue.head + 1 == queue.size ? 0 : queue.head + 1;
    region->queued[v] = PETSC_FALSE;
    queue.count--;
    RelaxAround(surface, region, &queue, v, limit);
  }
}

/* Cosine of the angle between the gradient of the distance in a face and the normal of its edge k that points out of the face. */
static PetscReal Outflow(AbutDeformSurface surface, AbutZoneRegion *region, PetscInt face, PetscInt k)
{
  const PetscInt *f = surface->face[face], a = f[k], b = f[(k + 1) % 3], c = f[(k + 2) % 3], v[3] = {a, b, c};
  const PetscReal length = EdgeLength(surface, region, surface->face_edge[face][k]);
  PetscReal       distance[3], square, along, height, normal, tangent;

  for (PetscInt l = 0; l < 3; l++) {
    distance[l] = region->owner[v[l]] >= 0 ? 0 : region->distance[v[l]];
    if (distance[l] == PETSC_MAX_REAL) return 0;
  }
  along   = AlongEdge(&surface->x[3 * a], &surface->x[3 * b], &surface->x[3 * c], &square) / length;
  height  = PetscSqrtReal(PetscMax(square - along * along, 0));
  tangent = (distance[1] - distance[0]) / length;
  normal  = (distance[0] + along * tangent - distance[2]) / height;
  return normal > 0 ? normal / PetscSqrtReal(normal * normal + tangent * tangent) : 0;
}

void AbutRegionOpenEdges(AbutDeformSurface surface, AbutZoneRegion *region, PetscInt face, PetscReal factor)
{
  for (PetscInt k = 0; k < 3; k++) {
    const PetscInt e = surface->face_edge[face][k], *v = surface->edge[e];
    PetscReal      mass;

    if (!AbutRegionEndsAt(surface, region, e)) continue;
    mass = factor * Outflow(surface, region, face, k) * EdgeLength(surface, region, e) / 2;
    if (region->edge_border[e] >= 0) mass *= 1 - region->border[region->edge_border[e]].alpha;
    for (PetscInt l = 0; l < 2; l++)
      if (region->owner[v[l]] < 0) region->open_mass[v[l]] += mass;
  }
}
