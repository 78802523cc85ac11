/* Curves in 2D: neighbours, tree of edges, crossings of two curves. */
#include "planar.h"

/* ---- Curves */

static void SetNeighbour(PetscInt *entry, PetscInt edge)
{
  *entry = *entry == -1 ? edge : -2;
}

/* Components by passing the lowest number along the edges until nothing changes; curves need two passes per change of direction. */
static void SetComponents(PlanarCurve *c)
{
  PetscBool changed = PETSC_TRUE;

  for (PetscInt v = 0; v < c->surface->num_vertices; v++) c->component[v] = v;
  while (changed) {
    changed = PETSC_FALSE;
    for (PetscInt k = 0; k < 2 * c->surface->num_elements; k++) {
      const PetscInt e = k < c->surface->num_elements ? k : 2 * c->surface->num_elements - 1 - k;
      PetscInt      *a = &c->component[PlanarEnd(c, e, 0)], *b = &c->component[PlanarEnd(c, e, 1)];

      if (*a == *b) continue;
      *a = *b = PetscMin(*a, *b);
      changed = PETSC_TRUE;
    }
  }
}

static PetscErrorCode BuildTree(PlanarCurve *c)
{
  const PetscInt n = c->surface->num_elements;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2 * n; k++) c->tree_edge[k] = (int32_t)c->surface->elements[k];
  for (PetscInt v = 0; v < c->surface->num_vertices; v++) {
    const PetscReal *x = PlanarPoint(c, v);

    c->box[v].lo = (AbutFloat4){AbutFloatBelow(x[0]), AbutFloatBelow(x[1])};
    c->box[v].hi = (AbutFloat4){AbutFloatAbove(x[0]), AbutFloatAbove(x[1])};
  }
  PetscCall(AbutBVHSetSize(&c->tree, (int32_t)n));
  PetscCall(AbutBVHBuild(&c->tree, 2, c->tree_edge, c->box));
  AbutBVHRefit(&c->tree, 2, c->tree_edge, c->box, 0);
  PetscFunctionReturn(0);
}

static void SetNeighbours(PlanarCurve *c)
{
  for (PetscInt v = 0; v < c->surface->num_vertices; v++) c->next[v] = c->prev[v] = -1;
  for (PetscInt e = 0; e < c->surface->num_elements; e++) {
    SetNeighbour(&c->next[PlanarEnd(c, e, 0)], e);
    SetNeighbour(&c->prev[PlanarEnd(c, e, 1)], e);
  }
  for (PetscInt v = 0; v < c->surface->num_vertices; v++)
    if (c->next[v] < 0 || c->prev[v] < 0) c->closed = PETSC_FALSE;
}

/* Diagonal of the bounding box. */
static PetscReal Size(const PlanarCurve *c)
{
  PetscReal low[2] = {PETSC_MAX_REAL, PETSC_MAX_REAL}, high[2] = {-PETSC_MAX_REAL, -PETSC_MAX_REAL};

  for (PetscInt i = 0; i < 2 * c->surface->num_vertices; i++) {
    low[i % 2]  = PetscMin(low[i % 2], c->surface->x[i]);
    high[i % 2] = PetscMax(high[i % 2], c->surface->x[i]);
  }
  return c->surface->num_vertices ? PetscSqrtReal(PetscSqr(high[0] - low[0]) + PetscSqr(high[1] - low[1])) : 0;
}

PetscErrorCode PlanarCurveCreate(const AbutUntangleSurface *surface, PlanarCurve *c)
{
  const PetscInt n = surface->num_vertices;

  PetscFunctionBegin;
  *c = (PlanarCurve){.surface = surface, .closed = PETSC_TRUE};
  PetscCall(PetscMalloc5(n, &c->next, n, &c->prev, n, &c->component, 2 * surface->num_elements, &c->tree_edge, n, &c->box));
  c->size = Size(c);
  SetNeighbours(c);
  SetComponents(c);
  PetscCall(BuildTree(c));
  PetscFunctionReturn(0);
}

PetscErrorCode PlanarCurveDestroy(PlanarCurve *c)
{
  PetscFunctionBegin;
  PetscCall(AbutBVHDestroy(&c->tree));
  PetscCall(PetscFree5(c->next, c->prev, c->component, c->tree_edge, c->box));
  PetscFunctionReturn(0);
}

/* ---- Exact predicates, with side 1 translated by (e, e^2) */

/* Side on which a point of one side lies of the edge a, b of the other side, which is side `side`: 1 left, -1 right. */
static int SideOfEdge(PetscInt side, const PetscReal a[2], const PetscReal b[2], const PetscReal point[2])
{
  const int exact = AbutOrient2D(a, b, point);
  int       tie;

  if (exact) return exact;
  tie = b[1] != a[1] ? (b[1] > a[1] ? -1 : 1) : b[0] > a[0] ? 1 : -1; /* of a point that moves by (e, e^2) */
  return side == 0 ? tie : -tie;
}

static const PetscReal *End(const PlanarPair *p, PetscInt side, PetscInt edge, PetscInt end)
{
  return PlanarPoint(p->curve[side], PlanarEnd(p->curve[side], edge, end));
}

/* Sides of the ends of edge[1 - side] of the line of edge[side]. */
static void SidesOfEnds(const PlanarPair *p, PetscInt side, const PetscInt edge[2], int sign[2])
{
  for (PetscInt k = 0; k < 2; k++)
    sign[k] = SideOfEdge(side, End(p, side, edge[side], 0), End(p, side, edge[side], 1), End(p, 1 - side, edge[1 - side], k));
}

/* Position of the crossing on edge[1 - side]. */
static PetscReal PositionOnOther(const PlanarPair *p, PetscInt side, const PetscInt edge[2])
{
  const PetscReal *a = End(p, side, edge[side], 0), *b = End(p, side, edge[side], 1);
  PetscReal        h[2];

  for (PetscInt k = 0; k < 2; k++) {
    const PetscReal *x = End(p, 1 - side, edge[1 - side], k);

    h[k] = PetscAbsReal((b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]));
  }
  return h[0] + h[1] > 0 ? h[0] / (h[0] + h[1]) : 0.5;
}

/* ---- Crossings */

typedef struct {
  PlanarPair    *pair;
  PetscErrorCode code;
} Search;

static PetscErrorCode TestEdges(PlanarPair *p, const PetscInt edge[2])
{
  int of_first[2], of_second[2]; /* ends of the second edge against the first one, and the other way round */

  PetscFunctionBegin;
  SidesOfEnds(p, 0, edge, of_first);
  SidesOfEnds(p, 1, edge, of_second);
  if (of_first[0] == of_first[1] || of_second[0] == of_second[1]) PetscFunctionReturn(0);
  PetscCall(AbutReserve(p->num + 1, &p->capacity, &p->crossing));
  p->crossing[p->num++] =
    (PlanarCrossing){{edge[0], edge[1]}, {PositionOnOther(p, 1, edge), PositionOnOther(p, 0, edge)}, (PetscBool)(of_second[1] > 0)};
  PetscFunctionReturn(0);
}

static PetscBool TestPairs(void *ctx, int count, const int32_t (*pairs)[2])
{
  Search *search = (Search *)ctx;

  for (int k = 0; k < count && !search->code; k++) search->code = TestEdges(search->pair, (const PetscInt[2]){pairs[k][0], pairs[k][1]});
  return (PetscBool)!search->code;
}

/* Lists the crossings on each edge of a side by their position. */
static PetscErrorCode SortCrossings(PlanarPair *p, PetscInt side)
{
  PetscInt  *rows, *order;
  PetscReal *t;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(p->num, &rows, p->num, &order, p->num, &t));
  for (PetscInt i = 0; i < p->num; i++) {
    t[i]     = p->crossing[i].t[side];
    order[i] = i;
  }
  PetscCall(PetscSortRealWithPermutation(p->num, t, order));
  for (PetscInt i = 0; i < p->num; i++) rows[i] = p->crossing[order[i]].edge[side];
  PetscCall(AbutCSRSetPairs(p->curve[side]->surface->num_elements, p->num, 1, rows, order, &p->at[side]));
  PetscCall(PetscFree3(rows, order, t));
  PetscFunctionReturn(0);
}

/* ---- Parts of a curve in the other body */

/* Winding number of a closed curve, side `side`, around a point of the other side. */
static int Winding(const PlanarPair *p, PetscInt side, const PetscReal x[2])
{
  int winding = 0;

  for (PetscInt e = 0; e < p->curve[side]->surface->num_elements; e++) {
    const PetscReal *a = End(p, side, e, 0), *b = End(p, side, e, 1);
    /* whether an end lies above x, both translated: side 1 by (e, e^2) */
    const PetscBool above_a = (PetscBool)(side ? a[1] >= x[1] : a[1] > x[1]), above_b = (PetscBool)(side ? b[1] >= x[1] : b[1] > x[1]);

    if (above_a == above_b) continue;
    if (above_b && SideOfEdge(side, a, b, x) > 0) winding++;
    if (above_a && SideOfEdge(side, a, b, x) < 0) winding--;
  }
  return winding;
}

/* Refuses a component of a side without crossings that lies in the closed curve of the other side. */
static PetscErrorCode RefuseWhole(const PlanarPair *p, PetscInt side)
{
  const PlanarCurve *c = p->curve[side];
  PetscBool         *known;

  PetscFunctionBegin;
  if (!p->curve[1 - side]->closed) PetscFunctionReturn(0);
  PetscCall(PetscCalloc1(c->surface->num_vertices, &known));
  for (PetscInt i = 0; i < p->num; i++) known[c->component[PlanarEnd(c, p->crossing[i].edge[side], 0)]] = PETSC_TRUE;
  for (PetscInt v = 0; v < c->surface->num_vertices; v++) {
    if (c->component[v] != v || known[v] || Winding(p, 1 - side, PlanarPoint(c, v)) <= 0) continue;
    PetscCall(PetscFree(known));
    PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED, "a part of the curve of %s lies wholly inside of %s: vertex %" PetscInt_FMT,
                                     c->surface->name, p->curve[1 - side]->surface->name, PlanarId(c, v)));
  }
  PetscCall(PetscFree(known));
  PetscFunctionReturn(0);
}

PetscErrorCode PlanarPairIntersect(const PlanarCurve *first, const PlanarCurve *second, PlanarPair *p)
{
  Search search = {.pair = p};

  PetscFunctionBegin;
  p->curve[0] = first;
  p->curve[1] = second;
  p->num      = 0;
  AbutBVHOverlap(&first->tree, &second->tree, TestPairs, &search);
  PetscCall(search.code);
  for (PetscInt side = 0; side < 2; side++) {
    PetscCall(SortCrossings(p, side));
    PetscCall(RefuseWhole(p, side));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode PlanarPairDestroy(PlanarPair *p)
{
  PetscFunctionBegin;
  for (PetscInt side = 0; side < 2; side++) PetscCall(AbutCSRDestroy(&p->at[side]));
  PetscCall(PetscFree(p->crossing));
  PetscFunctionReturn(0);
}
