/* Graph distances around contact zones: they bound the region on which the deformation is computed. */
#include "responseimpl.h"

static PetscReal Length(const PetscReal a[3], const PetscReal b[3])
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < 3; k++) sum += (b[k] - a[k]) * (b[k] - a[k]);
  return PetscSqrtReal(sum);
}

/* Vertex of a face opposite to one of its edges. */
static PetscInt Opposite(AbutDeformSurface surface, PetscInt face, PetscInt edge)
{
  PetscInt k = 0;

  while (surface->face_edge[face][k] != edge) k++;
  return surface->face[face][(k + 2) % 3];
}

/* Coordinates of a point along an edge from its vertex a, and across it. */
static void EdgeCoordinates(const PetscReal a[3], const PetscReal b[3], const PetscReal x[3], PetscReal length, PetscReal *along,
                            PetscReal *across)
{
  PetscReal dot = 0, square = 0;

  for (PetscInt k = 0; k < 3; k++) {
    dot += (b[k] - a[k]) * (x[k] - a[k]);
    square += (x[k] - a[k]) * (x[k] - a[k]);
  }
  *along  = dot / length;
  *across = PetscSqrtReal(PetscMax(square - *along * *along, 0));
}

/*
  Distance between the vertices opposite to an edge in its two faces, laid flat; PETSC_MAX_REAL if the line between them misses the edge.
*/
static PetscReal LengthAcross(AbutDeformSurface surface, PetscInt e, PetscReal length)
{
  const PetscReal *a = &surface->x[3 * surface->edge[e][0]], *b = &surface->x[3 * surface->edge[e][1]];
  PetscReal        along[2], across[2], at;

  if (surface->edge_face[e][0] < 0 || surface->edge_face[e][1] < 0) return PETSC_MAX_REAL;
  for (PetscInt s = 0; s < 2; s++) {
    const PetscInt v = Opposite(surface, surface->edge_face[e][s], e);

    EdgeCoordinates(a, b, &surface->x[3 * v], length, &along[s], &across[s]);
  }
  at = (along[0] * across[1] + along[1] * across[0]) / (across[0] + across[1]);
  if (!(at >= 0 && at <= length)) return PETSC_MAX_REAL;
  return PetscSqrtReal((along[1] - along[0]) * (along[1] - along[0]) + (across[0] + across[1]) * (across[0] + across[1]));
}

static void Enter(PetscInt num_vertices, AbutZoneRegion *region, PetscInt v, PetscInt head, PetscInt *count)
{
  if (region->queued[v]) return;
  region->queued[v]                                 = PETSC_TRUE;
  region->queue[(head + (*count)++) % num_vertices] = v;
}

static void Relax(PetscInt num_vertices, AbutZoneRegion *region, PetscInt v, PetscReal distance, PetscReal limit, PetscInt head,
                  PetscInt *count)
{
  if (region->owner[v] >= 0 || distance >= region->distance[v] || distance > limit) return;
  region->distance[v] = distance;
  Enter(num_vertices, region, v, head, count);
}

/* Shortens the paths to the vertices around v: over the edges of v and across the edges opposite to v. */
static void RelaxAround(AbutDeformSurface surface, AbutZoneRegion *region, PetscInt v, PetscReal limit, PetscInt head, PetscInt *count)
{
  const PetscInt nv = surface->num_vertices;

  for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
    const PetscInt e = surface->vertex_edge.item[k];

    Relax(nv, region, AbutDeformOtherEnd(surface, e, v), region->distance[v] + region->length[e][0], limit, head, count);
  }
  for (PetscInt k = surface->vertex_face.start[v]; k < surface->vertex_face.start[v + 1]; k++) {
    const PetscInt face = surface->vertex_face.item[k];
    PetscInt       l    = 0, e, other;

    while (surface->face[face][l] != v) l++;
    e     = surface->face_edge[face][(l + 1) % 3];
    other = surface->edge_face[e][0] + surface->edge_face[e][1] - face;
    if (region->length[e][1] < limit)
      Relax(nv, region, Opposite(surface, other, e), region->distance[v] + region->length[e][1], limit, head, count);
  }
}

/* Label correction with a circular queue: the result does not depend on the sequence. */
void AbutRegionDistances(AbutDeformSurface surface, AbutZoneRegion *region, PetscReal limit)
{
  const PetscInt nv   = surface->num_vertices;
  PetscInt       head = 0, count = 0;

  for (PetscInt v = 0; v < nv; v++) {
    region->distance[v] = PETSC_MAX_REAL;
    region->queued[v]   = PETSC_FALSE;
  }
  for (PetscInt e = 0; e < surface->num_edges; e++) {
    region->length[e][0] = Length(&surface->x[3 * surface->edge[e][0]], &surface->x[3 * surface->edge[e][1]]);
    region->length[e][1] = LengthAcross(surface, e, region->length[e][0]);
  }
  for (PetscInt b = 0; b < region->num_border; b++) {
    const AbutBorderPoint *border = &region->border[b];
    const PetscInt         v      = border->outside;

    region->distance[v] = PetscMin(region->distance[v], (1 - border->alpha) * region->length[border->edge][0]);
    Enter(nv, region, v, head, &count);
  }
  while (count) {
    const PetscInt v = region->queue[head];

    head              = head + 1 == nv ? 0 : head + 1;
    region->queued[v] = PETSC_FALSE;
    count--;
    RelaxAround(surface, region, v, limit, head, &count);
  }
}
