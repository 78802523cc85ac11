/*
  Vertices inside the other body: the ends of edges with crossings, and from there all vertices that edges without crossings reach. Refuses
  curves that end at a border, surfaces that intersect themselves, and parts that lie in the other body as a whole.
*/
#include "pairimpl.h"

enum { OUTSIDE = -1, UNKNOWN = 0, INSIDE = 1 };

/* A side of a pair and the state of its vertices. */
typedef struct {
  const AbutDeformPair *pair;
  PetscInt              side;
  AbutDeformSurface     surface; /* of this side */
  const char           *other;   /* name of the other surface */
  signed char          *state;   /* [num_vertices] */
  PetscBool            *met;     /* [num_components] the part has crossings */
  PetscBool            *crossed; /* [num_vertices] an edge of the vertex has crossings */
} Region;

static PetscErrorCode SetState(Region *region, PetscInt v, signed char state)
{
  PetscFunctionBegin;
  AbutCheck(region->state[v] != -state, ABUT_ERR_DIVERGED,
            "surfaces %s and %s: the vertex %" PetscInt_FMT
            " of %s is both inside and outside of the other; one of them intersects itself, or ends inside the other",
            region->pair->surface[0]->name, region->pair->surface[1]->name, v, region->surface->name);
  region->state[v] = state;
  PetscFunctionReturn(0);
}

/*
  States of both ends of an edge with n crossings. If as many enter as leave, both ends have the same state, and the first crossing
  decides; crossings too close for rounded positions decide nothing.
*/
static PetscErrorCode SetEnds(Region *region, const AbutCrossing crossing[], PetscInt n)
{
  const PetscInt *end = region->surface->edge[crossing[0].edge];
  PetscInt        sum = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) sum += crossing[i].enters ? 1 : -1;
  AbutCheck(PetscAbsInt(sum) <= 1, ABUT_ERR_DIVERGED,
            "surfaces %s and %s: the edge of %s from the vertex %" PetscInt_FMT " to %" PetscInt_FMT
            " enters or leaves the other surface twice; %s intersects itself",
            region->pair->surface[0]->name, region->pair->surface[1]->name, region->surface->name, end[0], end[1], region->other);
  if (sum) {
    PetscCall(SetState(region, end[0], sum > 0 ? OUTSIDE : INSIDE));
    PetscCall(SetState(region, end[1], sum > 0 ? INSIDE : OUTSIDE));
  } else if (crossing[1].t - crossing[0].t > 1e-12) {
    for (PetscInt k = 0; k < 2; k++) PetscCall(SetState(region, end[k], crossing[0].enters ? OUTSIDE : INSIDE));
  }
  PetscFunctionReturn(0);
}

/* States of the ends of all edges with crossings. */
static PetscErrorCode SetSeeds(Region *region)
{
  const AbutIntersectionCurve *curve = &region->pair->curve;
  PetscInt                     n;

  PetscFunctionBegin;
  for (PetscInt i = curve->side_start[region->side]; i < curve->side_start[region->side + 1]; i += n) {
    const PetscInt e = curve->crossing[i].edge, *end = region->surface->edge[e], *face = region->surface->edge_face[e];

    AbutCheck(face[0] >= 0 && face[1] >= 0 && AbutPairCutsFace(region->pair, region->side, face[0]) &&
                AbutPairCutsFace(region->pair, region->side, face[1]),
              ABUT_ERR_DIVERGED,
              "surfaces %s and %s: the border edge of %s from the vertex %" PetscInt_FMT " to %" PetscInt_FMT
              " passes through the other surface: the intersection curve ends there",
              region->pair->surface[0]->name, region->pair->surface[1]->name, region->surface->name, end[0], end[1]);
    n = 1;
    while (i + n < curve->side_start[region->side + 1] && curve->crossing[i + n].edge == e) n++;
    PetscCall(SetEnds(region, &curve->crossing[i], n));
    region->met[region->surface->component[end[0]]] = PETSC_TRUE;
    region->crossed[end[0]] = region->crossed[end[1]] = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

/* Spreads the state INSIDE along edges without crossings; stack[num_vertices] is work space. */
static PetscErrorCode Spread(Region *region, PetscInt stack[])
{
  const AbutDeformSurface surface = region->surface;
  PetscInt                top     = 0, first;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < surface->num_vertices; v++)
    if (region->state[v] == INSIDE) stack[top++] = v;
  while (top) {
    const PetscInt v = stack[--top];

    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
      const PetscInt e = surface->vertex_edge.item[k], next = AbutDeformOtherEnd(surface, e, v);

      if (region->state[next] == INSIDE) continue;
      if (region->crossed[v] && AbutCurveEdgeCrossings(region->pair, region->side, e, &first)) continue;
      PetscCall(SetState(region, next, INSIDE));
      stack[top++] = next;
    }
  }
  PetscFunctionReturn(0);
}

/* Counts how often a ray in the direction of the first coordinate leaves a surface, minus how often it enters it. */
typedef struct {
  AbutDeformSurface surface;
  const PetscReal  *x;     /* start of the ray */
  int               shift; /* 1 if the start is on side 1, -1 if the surface is */
  int               count;
} WindingQuery;

static void CountFace(void *ctx, int32_t face)
{
  WindingQuery    *q    = ctx;
  const PetscInt  *v    = q->surface->face[face];
  const PetscReal *x[3] = {&q->surface->x[3 * v[0]], &q->surface->x[3 * v[1]], &q->surface->x[3 * v[2]]};
  const int        sign = AbutShiftedOrientation(&x[0][1], &x[1][1], &q->x[1], q->shift);

  if (!sign || AbutShiftedOrientation(&x[1][1], &x[2][1], &q->x[1], q->shift) != sign) return;
  if (AbutShiftedOrientation(&x[2][1], &x[0][1], &q->x[1], q->shift) != sign) return;
  if (AbutPlaneSide(x, q->x, q->shift) * sign < 0) q->count += sign;
}

/* Refuses parts without crossings that lie inside the other body, if this is another surface and closed. */
static PetscErrorCode RefuseWhole(Region *region)
{
  const AbutDeformSurface surface = region->surface, other = region->pair->surface[1 - region->side];
  PetscInt                next = 0;

  PetscFunctionBegin;
  if (!other->closed || other == surface) PetscFunctionReturn(0);
  for (PetscInt v = 0; v < surface->num_vertices && next < surface->num_components; v++) {
    const PetscReal *x     = &surface->x[3 * v];
    WindingQuery     query = {other, x, region->side ? 1 : -1, 0};
    AbutBox          ray   = AbutBoxAround(3, x, 0);

    if (surface->component[v] != next) continue;
    if (region->met[next++]) continue;
    ray.hi[0] = (float)ABUT_BOX_LIMIT;
    AbutBVHOverlapBox(AbutDeformSurfaceTree(other), ray, CountFace, &query);
    AbutCheck(query.count <= 0, ABUT_ERR_DIVERGED,
              "surfaces %s and %s: the part of %s with the vertex %" PetscInt_FMT " lies inside the other as a whole; it passed through it",
              region->pair->surface[0]->name, region->pair->surface[1]->name, surface->name, v);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode FindRegion(Region *region, PetscInt stack[], PetscBool inside[])
{
  PetscFunctionBegin;
  PetscCall(SetSeeds(region));
  PetscCall(Spread(region, stack));
  PetscCall(RefuseWhole(region));
  for (PetscInt v = 0; v < region->surface->num_vertices; v++) inside[v] = (PetscBool)(region->state[v] == INSIDE);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutInsideSet(AbutDeformPair *pair, PetscInt side)
{
  const AbutDeformSurface surface = pair->surface[side];
  Region                  region  = {.pair = pair, .side = side, .surface = surface, .other = pair->surface[1 - side]->name};
  PetscErrorCode          verdict;
  PetscInt               *stack;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(surface->num_vertices, &region.state, surface->num_components, &region.met, surface->num_vertices, &region.crossed,
                         surface->num_vertices, &stack));
  verdict = FindRegion(&region, stack, pair->curve.inside[side]);
  PetscCall(PetscFree4(region.state, region.met, region.crossed, stack));
  PetscFunctionReturn(verdict);
}
