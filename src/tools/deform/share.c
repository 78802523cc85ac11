/* Messages of the deformer: results of pairs and surfaces go from the rank that computed them to all ranks. */
#include "deformerimpl.h"

static PetscErrorCode Broadcast(AbutDeformer deformer, PetscMPIInt rank, PetscInt count, size_t bytes, void *data)
{
  char  *at   = data;
  size_t left = (size_t)count * bytes;

  PetscFunctionBegin;
  while (left) {
    const size_t part = PetscMin(left, (size_t)1 << 30);

    PetscCallMPI(MPI_Bcast(at, (PetscMPIInt)part, MPI_BYTE, rank, deformer->comm));
    at += part;
    left -= part;
  }
  PetscFunctionReturn(0);
}

/* The images of the zone are all that responses read of a mapping region: on other ranks the region has the vertices of the zone only. */
static PetscErrorCode ShareSide(AbutDeformer deformer, DeformerPair *at, PetscInt side)
{
  AbutMapping     *mapping  = &at->pair->mapping[side];
  AbutContactZone *zone     = &at->pair->zone[side];
  const PetscBool  own      = (PetscBool)(at->rank == deformer->rank);
  PetscInt         count[2] = {zone->num, zone->num_border};
  AbutMapPoint    *point;

  PetscFunctionBegin;
  PetscCall(Broadcast(deformer, at->rank, 2, sizeof(*count), count));
  PetscCall(PetscMalloc1(count[0], &point));
  if (own) {
    for (PetscInt i = 0; i < count[0]; i++) point[i] = mapping->point[mapping->index[zone->vertex[i]]];
  } else {
    zone->num        = count[0];
    zone->num_border = count[1];
    PetscCall(AbutReserve(count[1], &zone->border_capacity, &zone->border));
    PetscCall(AbutMappingClear(mapping));
    PetscCall(AbutReserve(count[0], &mapping->point_capacity, &mapping->point));
    mapping->num = count[0];
  }
  PetscCall(Broadcast(deformer, at->rank, count[0], sizeof(*zone->vertex), zone->vertex));
  PetscCall(Broadcast(deformer, at->rank, count[1], sizeof(*zone->border), zone->border));
  PetscCall(Broadcast(deformer, at->rank, count[0], sizeof(*point), point));
  PetscCall(Broadcast(deformer, at->rank, 3, sizeof(PetscReal), mapping->direction));
  PetscCall(Broadcast(deformer, at->rank, 1, sizeof(PetscReal), &mapping->stiffness));
  for (PetscInt i = 0; i < count[0] && !own; i++) {
    const PetscInt v = zone->vertex[i];

    zone->contains[v]  = PETSC_TRUE;
    mapping->vertex[i] = v;
    mapping->index[v]  = i;
    mapping->point[i]  = point[i];
  }
  PetscCall(PetscFree(point));
  PetscFunctionReturn(0);
}

/* Sends an array to a rank and receives another one from there. */
static PetscErrorCode Swap(AbutDeformer deformer, PetscMPIInt rank, size_t bytes, PetscInt send_count, const void *send,
                           PetscInt receive_count, void *receive)
{
  PetscMPIInt count[2];

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast((PetscInt)((size_t)send_count * bytes), &count[0]));
  PetscCall(PetscMPIIntCast((PetscInt)((size_t)receive_count * bytes), &count[1]));
  PetscCallMPI(MPI_Sendrecv(send, count[0], MPI_BYTE, rank, 0, receive, count[1], MPI_BYTE, rank, 0, deformer->comm, MPI_STATUS_IGNORE));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerSwapSides(AbutDeformer deformer, DeformerPair *at)
{
  const PetscInt    mine = at->rank != deformer->rank;
  const PetscMPIInt peer = mine ? at->rank : at->helper;
  AbutMapping      *own = &at->pair->mapping[mine], *other = &at->pair->mapping[1 - mine];
  PetscInt          count[2];

  PetscFunctionBegin;
  PetscCall(Swap(deformer, peer, sizeof(PetscInt), 1, &own->num, 1, &count[0]));
  PetscCall(Swap(deformer, peer, sizeof(PetscInt), 1, &own->num_border, 1, &count[1]));
  PetscCall(AbutMappingClear(other));
  PetscCall(AbutReserve(count[0], &other->point_capacity, &other->point));
  PetscCall(AbutReserve(count[1], &other->border_capacity, &other->border));
  PetscCall(Swap(deformer, peer, sizeof(*own->vertex), own->num, own->vertex, count[0], other->vertex));
  PetscCall(Swap(deformer, peer, sizeof(*own->point), own->num, own->point, count[0], other->point));
  PetscCall(Swap(deformer, peer, sizeof(*own->border), own->num_border, own->border, count[1], other->border));
  other->num        = count[0];
  other->num_border = count[1];
  for (PetscInt i = 0; i < other->num; i++) other->index[other->vertex[i]] = i;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerSharePairs(AbutDeformer deformer)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < deformer->num_pairs && deformer->size > 1; i++) {
    DeformerPair *at = &deformer->pair[i];

    PetscCall(Broadcast(deformer, at->rank, 1, sizeof(deformer->pair_report[i]), &deformer->pair_report[i]));
    PetscCall(Broadcast(deformer, at->rank, 3, sizeof(PetscReal), at->pair->direction));
    for (PetscInt s = 0; s < 2; s++) PetscCall(ShareSide(deformer, at, s));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformerShareSurfaces(AbutDeformer deformer, PetscReal *const y[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < deformer->num_surfaces && deformer->size > 1; i++) {
    const DeformerSurface *at = &deformer->surface[i];

    PetscCall(Broadcast(deformer, at->rank, 1, sizeof(deformer->surface_report[i]), &deformer->surface_report[i]));
    PetscCall(Broadcast(deformer, at->rank, 3 * at->surface->num_vertices, sizeof(PetscReal), y[i]));
  }
  PetscFunctionReturn(0);
}

/* ---- Distance of displaced zone vertices from S as the other side defines it */

/* Whether a vertex is in the zone of another pair, too. */
static PetscBool IsShared(AbutDeformer deformer, PetscInt pair, PetscInt side, PetscInt vertex)
{
  for (PetscInt p = 0; p < deformer->num_pairs; p++) {
    for (PetscInt s = 0; s < 2; s++)
      if (p != pair && deformer->pair[p].side[s] == deformer->pair[pair].side[side] && deformer->pair[p].pair->zone[s].contains[vertex])
        return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/*
  Distance of the displaced position y of a vertex of a zone from the image of its own image. At an outline of the surface across d the
  rounded ray back may pass the vertex; the vertex itself is then the end of the ray.
*/
static PetscReal Distance(const AbutDeformPair *pair, PetscInt side, PetscInt vertex, const PetscReal y[3])
{
  const PetscInt          other   = 1 - side;
  const AbutDeformSurface surface = pair->surface[other];
  const AbutMapping      *mapping = &pair->mapping[side];
  const AbutMapPoint     *point   = &mapping->point[mapping->index[vertex]];
  PetscReal               x[3] = {0}, start[3] = {0}, square = 0;
  AbutRayEnds             ray;
  AbutMapPoint            back;

  for (PetscInt k = 0; k < 3; k++) {
    const PetscInt v = surface->face[point->face][k];

    for (PetscInt l = 0; l < 3; l++) {
      x[l] += point->bary[k] * surface->x[3 * v + l];
      start[l] += point->bary[k] * pair->rays->position[other][3 * v + l];
    }
  }
  if (!AbutRaysFarthest(pair, other, start, &ray.image) || !AbutSharedEnds(pair, other, start, &ray)) return 0;
  AbutSharedPoint(pair, other, x, point->other_normal, &ray, &back);
  if (back.depth < point->depth) back.shift = (1 - pair->mapping[other].stiffness) * point->depth;
  for (PetscInt l = 0; l < 3; l++) square += PetscSqr(x[l] + back.shift * pair->mapping[other].direction[l] - y[l]);
  return PetscSqrtReal(square);
}

PetscErrorCode AbutDeformerSetMismatch(AbutDeformer deformer, PetscReal *const y[])
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < deformer->num_pairs; p++) {
    const DeformerPair *at      = &deformer->pair[p];
    PetscReal           most[2] = {0, 0};

    for (PetscInt s = 0; s < 2; s++) {
      const PetscMPIInt rank = s ? at->helper : at->rank;

      for (PetscInt i = 0; i < at->pair->zone[s].num && rank == deformer->rank; i++) {
        const PetscInt v = at->pair->zone[s].vertex[i];

        if (!IsShared(deformer, p, s, v)) most[s] = PetscMax(most[s], Distance(at->pair, s, v, &y[at->side[s]][3 * v]));
      }
    }
    for (PetscInt s = 0; s < 2 && deformer->size > 1; s++)
      PetscCall(Broadcast(deformer, s ? at->helper : at->rank, 1, sizeof(*most), &most[s]));
    deformer->pair_report[p].zone_mismatch = PetscMax(most[0], most[1]) / PetscMax(at->pair->surface[0]->size, at->pair->surface[1]->size);
  }
  PetscFunctionReturn(0);
}
