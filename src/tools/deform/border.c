/*
  The exact ends of a mapping region on edges with one end in it. Membership changes only where the edge turns away from d, where it
  crosses the other surface, and where its projection crosses a segment of contour.c: the first interval between such points outside of
  the region starts at the border.
*/
#include "pairimpl.h"

/* Adds a position on an edge where membership may change. */
static PetscErrorCode AddEvent(AbutReals *events, PetscReal alpha)
{
  PetscFunctionBegin;
  if (alpha > 0 && alpha < 1) PetscCall(AbutRealsPush(events, 1, &alpha));
  PetscFunctionReturn(0);
}

/* Where the edge turns away from d, and where it crosses the other surface. */
static PetscErrorCode AddOwnEvents(const AbutDeformPair *pair, PetscInt side, PetscInt edge, const PetscInt ends[2], AbutReals *events)
{
  const AbutDeformSurface surface = pair->surface[side];
  const PetscReal        *d       = pair->mapping[side].direction;
  const PetscReal         g[2]    = {AbutDot(3, &surface->normal[3 * ends[0]], d), AbutDot(3, &surface->normal[3 * ends[1]], d)};
  PetscInt                first;
  const PetscInt          n = AbutCurveEdgeCrossings(pair, side, edge, &first);

  PetscFunctionBegin;
  if (g[1] > 0) PetscCall(AddEvent(events, g[0] / (g[0] - g[1])));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal t = pair->curve.crossing[first + i].t;

    PetscCall(AddEvent(events, surface->edge[edge][0] == ends[0] ? t : 1 - t));
  }
  PetscFunctionReturn(0);
}

/* Where the projected edge crosses the segments of the other side. */
static PetscErrorCode AddContourEvents(const AbutDeformPair *pair, PetscInt side, const PetscInt ends[2], AbutReals *events)
{
  const PetscReal *p = &pair->rays->position[side][3 * ends[0]], *q = &pair->rays->position[side][3 * ends[1]];
  const PetscReal  u[2] = {q[0] - p[0], q[1] - p[1]}, lo[2] = {PetscMin(p[0], q[0]), PetscMin(p[1], q[1])};
  const PetscReal  hi[2] = {PetscMax(p[0], q[0]), PetscMax(p[1], q[1])};
  PetscInt         first, end;

  PetscFunctionBegin;
  AbutContourFind(pair, 1 - side, lo[0], hi[0], &first, &end);
  for (PetscInt i = first; i < end; i++) {
    const PetscReal *s = &pair->contour[1 - side].a[4 * i];
    PetscReal        side_s[2], side_p, side_q;

    /* one branch: most segments are elsewhere */
    if ((PetscMax(s[0], s[2]) < lo[0]) | (PetscMin(s[0], s[2]) > hi[0]) | (PetscMax(s[1], s[3]) < lo[1]) | (PetscMin(s[1], s[3]) > hi[1]))
      continue;
    for (PetscInt k = 0; k < 2; k++) side_s[k] = u[0] * (s[2 * k + 1] - p[1]) - u[1] * (s[2 * k] - p[0]);
    side_p = (s[2] - s[0]) * (p[1] - s[1]) - (s[3] - s[1]) * (p[0] - s[0]);
    side_q = (s[2] - s[0]) * (q[1] - s[1]) - (s[3] - s[1]) * (q[0] - s[0]);
    if (side_s[0] * side_s[1] <= 0 && side_p * side_q <= 0 && side_p != side_q) PetscCall(AddEvent(events, side_p / (side_p - side_q)));
  }
  PetscFunctionReturn(0);
}

/* The border between a point inside and a point outside the region by bisection: where a surface without closed body ends. */
static PetscReal Bisect(const AbutDeformPair *pair, PetscInt side, PetscInt edge, const PetscInt ends[2], PetscReal in, PetscReal out)
{
  while (out - in > 1e-13) {
    const PetscReal middle = (in + out) / 2;

    if (AbutMappingContains(pair, side, edge, ends, middle))
      in = middle;
    else
      out = middle;
  }
  return in;
}

/*
  The first position at which an edge leaves the region. Intervals after the first one are mostly outside: their starts are tested first,
  because two positions inside are needed to pass them.
*/
static PetscReal FindBorder(const AbutDeformPair *pair, PetscInt side, PetscInt edge, const PetscInt ends[2], AbutReals *events)
{
  PetscReal start = 0;

  for (PetscInt i = 0; i <= events->n; i++) {
    const PetscReal end = i < events->n ? events->a[i] : 1, middle = (start + end) / 2, after = start + 1e-6 * (end - start);

    if (end <= start) continue;
    if (i && !AbutMappingContains(pair, side, edge, ends, after)) return start;
    if (!AbutMappingContains(pair, side, edge, ends, middle))
      return i || AbutMappingContains(pair, side, edge, ends, after) ? Bisect(pair, side, edge, ends, after, middle) : start;
    start = end;
  }
  return 1;
}

/* Adds the border point of an edge. Rounding may move it out of the projection of the other surface: then it moves towards the vertex. */
static PetscErrorCode AddBorder(AbutDeformPair *pair, PetscInt side, PetscInt edge, PetscReal alpha)
{
  AbutMapping     *mapping = &pair->mapping[side];
  const PetscInt  *end     = pair->surface[side]->edge[edge];
  const PetscInt   inside = mapping->index[end[0]] >= 0 ? end[0] : end[1], ends[2] = {inside, end[0] + end[1] - inside};
  const PetscReal  shrink[4] = {0, 1e-12, 1e-9, 1e-6};
  PetscBool        found     = PETSC_FALSE;
  AbutBorderPoint *border;

  PetscFunctionBegin;
  PetscCall(AbutReserve(mapping->num_border + 1, &mapping->border_capacity, &mapping->border));
  border  = &mapping->border[mapping->num_border++];
  *border = (AbutBorderPoint){.edge = edge, .inside = ends[0], .outside = ends[1]};
  for (PetscInt i = 0; i < 4 && !found; i++) {
    border->alpha = alpha * (1 - shrink[i]);
    PetscCall(AbutDeformPairMapEdgePoint(pair, side, ends, border->alpha, &border->point, &found));
  }
  if (!found) {
    border->alpha = 0;
    border->point = mapping->point[mapping->index[inside]];
  }
  PetscFunctionReturn(0);
}

/* Edges with one end in the region, ascending. */
static PetscErrorCode FindEdges(const AbutDeformPair *pair, PetscInt side, AbutInts *edges)
{
  const AbutDeformSurface surface = pair->surface[side];
  const AbutMapping      *mapping = &pair->mapping[side];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < mapping->num; i++) {
    const PetscInt v = mapping->vertex[i];

    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
      const PetscInt e = surface->vertex_edge.item[k];

      if (mapping->index[AbutDeformOtherEnd(surface, e, v)] < 0) PetscCall(AbutIntsPush(edges, 1, &e));
    }
  }
  PetscCall(PetscSortInt(edges->n, edges->a));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBorderSet(AbutDeformPair *pair, PetscInt side)
{
  const AbutMapping *mapping = &pair->mapping[side];
  AbutInts           edges   = {0};
  AbutReals          events  = {0};

  PetscFunctionBegin;
  PetscCall(FindEdges(pair, side, &edges));
  for (PetscInt i = 0; i < edges.n; i++) {
    const PetscInt *end    = pair->surface[side]->edge[edges.a[i]];
    const PetscInt  inside = mapping->index[end[0]] >= 0 ? end[0] : end[1], ends[2] = {inside, end[0] + end[1] - inside};

    events.n = 0;
    PetscCall(AddOwnEvents(pair, side, edges.a[i], ends, &events));
    PetscCall(AddContourEvents(pair, side, ends, &events));
    PetscCall(PetscSortReal(events.n, events.a));
    PetscCall(AddBorder(pair, side, edges.a[i], FindBorder(pair, side, edges.a[i], ends, &events)));
  }
  PetscCall(PetscFree(edges.a));
  PetscCall(PetscFree(events.a));
  PetscFunctionReturn(0);
}
