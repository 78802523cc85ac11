/*
  Mapping regions (section 4.2). A point of a side belongs to the region if it is front-facing, its ray meets the other side, and it lies
  inside the other body or its ray meets B of the other side: the front-facing part of the other intersection region. A point of a fold,
  before which another part of the same side lies, belongs to it only if it moves towards S. The region is found by a search from vertex to
  vertex that starts at the intersection.
*/
#include <abut/geom.h>
#include "pairimpl.h"

/* A point that is tested for membership. */
typedef struct {
  PetscReal start[3]; /* coordinates a, b, c */
  PetscReal facing;   /* g = n . d_s */
  PetscBool inside;   /* the point is inside the other body */
  PetscBool open;     /* `inside` is not known: the ray tells */
} Candidate;

/*
  Whether a point of a face is inside the other body. The segment from the point to vertex 0, of which the state is known, changes sides at
  each piece of the curve that it crosses.
*/
static PetscBool InsideByCurve(const AbutDeformPair *pair, PetscInt side, PetscInt face, const PetscReal bary[3])
{
  const AbutIntersectionCurve *curve     = &pair->curve;
  const AbutCSR               *pieces    = &curve->face_piece[side];
  const PetscReal              origin[2] = {0, 0};
  PetscBool                    inside    = curve->inside[side][pair->surface[side]->face[face][0]];

  for (PetscInt i = pieces->start[face]; i < pieces->start[face + 1]; i++) {
    const AbutCurvePiece *piece = &curve->piece[pieces->item[i]];
    PetscReal             end[2][3];

    for (PetscInt k = 0; k < 2; k++) AbutCrossingBary(pair, side, face, &curve->crossing[piece->crossing[k]], end[k]);
    if ((AbutOrient2D(origin, &bary[1], &end[0][1]) >= 0) == (AbutOrient2D(origin, &bary[1], &end[1][1]) >= 0)) continue;
    if ((AbutOrient2D(&end[0][1], &end[1][1], origin) >= 0) == (AbutOrient2D(&end[0][1], &end[1][1], &bary[1]) >= 0)) continue;
    inside = (PetscBool)!inside;
  }
  return inside;
}

/* Whether a point of a face is inside the other body. */
static PetscBool InsideFace(const AbutDeformPair *pair, PetscInt side, PetscInt face, const PetscReal bary[3])
{
  const PetscInt *v        = pair->surface[side]->face[face];
  PetscReal       start[3] = {0};

  if (!pair->crease) return InsideByCurve(pair, side, face, bary);
  for (PetscInt i = 0; i < 3; i++)
    for (PetscInt k = 0; k < 3; k++) start[k] += bary[i] * pair->rays->position[side][3 * v[i] + k];
  return AbutRaysInside(pair, side, start);
}

/* Whether a hit lies in B of the other side: the front-facing part of its intersection region. */
static PetscBool IsInB(const AbutDeformPair *pair, PetscInt other, const AbutRayHit *hit)
{
  const AbutDeformSurface surface = pair->surface[other];
  PetscReal               facing  = 0;

  for (PetscInt k = 0; k < 3; k++)
    facing += hit->bary[k] * AbutDot(3, &surface->normal[3 * surface->face[hit->face][k]], pair->mapping[other].direction);
  return (PetscBool)(facing <= 0 && InsideFace(pair, other, hit->face, hit->bary));
}

/* Whether a point belongs to the region; then *ends is where its ray ends. */
static PetscBool Contains(const AbutDeformPair *pair, PetscInt side, const Candidate *point, AbutRayEnds *ends)
{
  PetscBool   meets = point->inside;
  AbutRayHits hits;

  if (point->facing > 0) return PETSC_FALSE;
  AbutRaysHits(pair, side, point->start, &hits);
  if (point->open) meets = (PetscBool)(hits.leaves > 0);
  for (PetscInt i = 0; i < hits.num && !meets; i++) meets = IsInB(pair, 1 - side, &hits.hit[i]);
  if (!hits.num || !meets) return PETSC_FALSE;
  ends->image = hits.hit[hits.num - 1];
  return AbutSharedEnds(pair, side, point->start, ends);
}

/* ---- Vertices of the region */

typedef struct {
  AbutDeformPair *pair;
  PetscInt        side;
  PetscBool      *visited; /* [num_vertices] */
  PetscInt       *found;   /* [num_vertices] vertices of the region in the order of the search */
  AbutRayEnds    *ends;    /* [num_vertices] where their rays end */
  PetscInt        num;     /* vertices found */
} Search;

static void Visit(Search *search, PetscInt v)
{
  const AbutDeformPair   *pair    = search->pair;
  const PetscInt          side    = search->side;
  const AbutDeformSurface surface = pair->surface[side];
  Candidate               point   = {.inside = pair->curve.inside[side][v]};

  if (search->visited[v] || (pair->part[side] && !pair->part[side][v])) return;
  search->visited[v] = PETSC_TRUE;
  point.facing       = AbutDot(3, &surface->normal[3 * v], pair->mapping[side].direction);
  for (PetscInt k = 0; k < 3; k++) point.start[k] = pair->rays->position[side][3 * v + k];
  if (Contains(pair, side, &point, &search->ends[search->num])) search->found[search->num++] = v;
}

/* Starts at the vertices inside the other body and at the faces that the curve passes. */
static void VisitAll(Search *search)
{
  const AbutDeformPair   *pair    = search->pair;
  const AbutDeformSurface surface = pair->surface[search->side];

  for (PetscInt v = 0; v < surface->num_vertices; v++)
    if (pair->curve.inside[search->side][v]) Visit(search, v);
  for (PetscInt i = 0; i < pair->curve.num_pieces; i++)
    for (PetscInt k = 0; k < 3; k++) Visit(search, surface->face[pair->curve.piece[i].face[search->side]][k]);
  for (PetscInt i = 0; i < search->num; i++) {
    const PetscInt v = search->found[i];

    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++)
      Visit(search, AbutDeformOtherEnd(surface, surface->vertex_edge.item[k], v));
  }
}

/* Copies the vertices in ascending order and computes their images. */
static PetscErrorCode SetVertices(Search *search)
{
  AbutMapping            *mapping = &search->pair->mapping[search->side];
  const AbutDeformSurface surface = search->pair->surface[search->side];

  PetscFunctionBegin;
  PetscCall(AbutReserve(search->num, &mapping->point_capacity, &mapping->point));
  for (PetscInt i = 0; i < search->num; i++) mapping->index[search->found[i]] = i;
  for (PetscInt v = 0; v < surface->num_vertices && mapping->num < search->num; v++) {
    const PetscInt at = mapping->index[v];

    if (at < 0) continue;
    AbutSharedPoint(search->pair, search->side, &surface->x[3 * v], &surface->normal[3 * v], &search->ends[at],
                    &mapping->point[mapping->num]);
    mapping->index[v]               = mapping->num;
    mapping->vertex[mapping->num++] = v;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMappingSet(AbutDeformPair *pair, PetscInt side)
{
  const PetscInt nv     = pair->surface[side]->num_vertices;
  Search         search = {.pair = pair, .side = side};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(nv, &search.found, nv, &search.ends));
  PetscCall(PetscCalloc1(nv, &search.visited));
  VisitAll(&search);
  PetscCall(SetVertices(&search));
  PetscCall(PetscFree2(search.found, search.ends));
  PetscCall(PetscFree(search.visited));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMappingClear(AbutMapping *mapping)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < mapping->num; i++) mapping->index[mapping->vertex[i]] = -1;
  mapping->num = mapping->num_border = 0;
  PetscFunctionReturn(0);
}

PetscBool AbutMappingContains(const AbutDeformPair *pair, PetscInt side, PetscInt edge, const PetscInt ends[2], PetscReal alpha)
{
  const AbutDeformSurface surface = pair->surface[side];
  const PetscReal        *d       = pair->mapping[side].direction;
  const PetscBool         forward = (PetscBool)(surface->edge[edge][0] == ends[0]);
  const PetscReal         t       = forward ? alpha : 1 - alpha;
  Candidate               point   = {.inside = pair->curve.inside[side][surface->edge[edge][0]]};
  PetscInt                first, n = AbutCurveEdgeCrossings(pair, side, edge, &first);
  AbutRayEnds             ray;

  point.facing = (1 - alpha) * AbutDot(3, &surface->normal[3 * ends[0]], d) + alpha * AbutDot(3, &surface->normal[3 * ends[1]], d);
  for (PetscInt k = 0; k < 3; k++)
    point.start[k] = (1 - alpha) * pair->rays->position[side][3 * ends[0] + k] + alpha * pair->rays->position[side][3 * ends[1] + k];
  for (PetscInt i = 0; i < n && pair->curve.crossing[first + i].t < t; i++) point.inside = (PetscBool)!point.inside;
  point.open = (PetscBool)(pair->crease != NULL);
  return Contains(pair, side, &point, &ray);
}
