/* Graph distances around contact zones: they bound the region on which the deformation is computed. */
#include "responseimpl.h"

/* (x - a) . (b - a); *square = |x - a|^2. */
static PetscReal AlongEdge(const PetscReal a[3], const PetscReal b[3], const PetscReal x[3], PetscReal *square)
{
  const PetscReal e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, d[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};

  *square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  return e[0] * d[0] + e[1] * d[1] + e[2] * d[2];
}

/* Third vertices of both faces of an edge. */
static void SetOpposite(AbutDeformSurface surface, PetscInt edge, PetscInt end[2])
{
  for (PetscInt s = 0; s < 2; s++) {
    const PetscInt face = surface->edge_face[edge][s], *e = surface->face_edge[face];

    end[s] = surface->face[face][e[0] == edge ? 2 : (e[1] == edge ? 0 : 1)];
  }
}

PetscErrorCode AbutPathsCreate(AbutDeformSurface surface, AbutZoneRegion *region)
{
  AbutSurfacePaths *paths = &region->paths;
  AbutCSR           at    = {0};

  PetscFunctionBegin;
  PetscCall(
    PetscMalloc3(2 * surface->num_edges, &paths->end, 2 * surface->num_edges, &paths->edge, 2 * surface->num_edges, &paths->length));
  for (PetscInt across = 0; across < 2; across++) {
    for (PetscInt e = 0; e < surface->num_edges; e++) {
      if (across ? AbutRegionEndsAt(surface, region, e) : !AbutRegionHasEdge(surface, region, e)) continue;
      if (across)
        SetOpposite(surface, e, paths->end[paths->num]);
      else
        PetscCall(PetscArraycpy(paths->end[paths->num], surface->edge[e], 2));
      paths->edge[paths->num++] = e;
    }
    if (!across) paths->num_along = paths->num;
  }
  PetscCall(AbutCSRSetPairs(surface->num_vertices, paths->num, 2, &paths->end[0][0], NULL, &at));
  PetscCall(PetscMalloc2(surface->num_vertices + 1, &paths->start, 2 * paths->num, &paths->link));
  PetscCall(PetscArraycpy(paths->start, at.start, surface->num_vertices + 1));
  for (PetscInt v = 0; v < surface->num_vertices; v++)
    for (PetscInt k = at.start[v]; k < at.start[v + 1]; k++) {
      const PetscInt *end = paths->end[at.item[k]];

      paths->link[k] = (AbutPathLink){end[0] + end[1] - v, at.item[k]};
    }
  PetscCall(AbutCSRDestroy(&at));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPathsDestroy(AbutSurfacePaths *paths)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(paths->end, paths->edge, paths->length));
  PetscCall(PetscFree2(paths->start, paths->link));
  PetscFunctionReturn(0);
}

/*
  Distance between the vertices `end` opposite to an edge in its two faces, laid flat; PETSC_MAX_REAL if the line between them misses the
  edge. Coordinates along and across the edge are multiplied by its length.
*/
static PetscReal LengthAcross(AbutDeformSurface surface, PetscInt edge, const PetscInt end[2])
{
  const PetscReal *a = &surface->x[3 * surface->edge[edge][0]], *b = &surface->x[3 * surface->edge[edge][1]];
  const PetscReal  length = surface->length[edge];
  PetscReal        along[2], across[2], at;

  for (PetscInt s = 0; s < 2; s++) {
    PetscReal square;

    along[s]  = AlongEdge(a, b, &surface->x[3 * end[s]], &square);
    across[s] = 2 * surface->area[surface->edge_face[edge][s]];
  }
  at = along[0] * across[1] + along[1] * across[0];
  if (!(at >= 0 && at <= length * length * (across[0] + across[1]))) return PETSC_MAX_REAL;
  return PetscSqrtReal(PetscSqr(along[1] - along[0]) + PetscSqr(across[0] + across[1])) / length;
}

/* Circular queue of vertices. */
typedef struct {
  PetscInt size, head, count;
} Queue;

/* Sets a shorter distance. A vertex that is nearer than the head of the queue enters before it, others behind its end. */
static inline void Relax(AbutZoneRegion *region, Queue *queue, PetscInt v, PetscReal distance, PetscReal limit)
{
  PetscInt at;

  if (distance >= region->distance[v] || distance > limit) return;
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

/* Shortens the paths to the vertices around v. */
static void RelaxAround(AbutDeformSurface surface, AbutZoneRegion *region, Queue *queue, PetscInt v, PetscReal limit)
{
  const AbutSurfacePaths *paths    = &region->paths;
  const PetscReal         distance = region->distance[v];

  for (PetscInt k = paths->start[v]; k < paths->start[v + 1]; k++) {
    const PetscInt path   = paths->link[k].path;
    PetscReal     *length = &paths->length[path];

    if (*length < 0)
      *length = path < paths->num_along ? surface->length[paths->edge[path]] : LengthAcross(surface, paths->edge[path], paths->end[path]);
    Relax(region, queue, paths->link[k].vertex, distance + *length, limit);
  }
}

/* Label correction: the result does not depend on the sequence. */
void AbutRegionDistances(AbutDeformSurface surface, AbutZoneRegion *region, PetscReal limit)
{
  AbutSurfacePaths *paths = &region->paths;
  Queue             queue = {.size = surface->num_vertices};

  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    region->distance[v] = region->owner[v] < 0 ? PETSC_MAX_REAL : 0;
    region->queued[v]   = PETSC_FALSE;
  }
  if (paths->revision != surface->revision) {
    for (PetscInt k = 0; k < paths->num; k++) paths->length[k] = -1;
    paths->revision = surface->revision;
  }
  for (PetscInt b = 0; b < region->num_border; b++) {
    const AbutBorderPoint *border = &region->border[b];

    Relax(region, &queue, border->outside, (1 - border->alpha) * surface->length[border->edge], PETSC_MAX_REAL);
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
  const PetscReal length = surface->length[surface->face_edge[face][k]];
  PetscReal       distance[3], square, along, height, normal, tangent;

  for (PetscInt l = 0; l < 3; l++) {
    distance[l] = region->distance[v[l]];
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
    mass = factor * Outflow(surface, region, face, k) * surface->length[e] / 2;
    if (region->edge_border[e] >= 0) mass *= 1 - region->border[region->edge_border[e]].alpha;
    for (PetscInt l = 0; l < 2; l++)
      if (region->owner[v[l]] < 0) region->open_mass[v[l]] += mass;
  }
}
