/*
  Search for the pairs of elements (2D: edges, 3D: faces) that are integrated by quadrature: elements within dhat without a common vertex,
  each pair on one rank.

  The closest features of two elements form a candidate of the search. A pair has up to 4 (2D) or 15 (3D) candidates, on several ranks,
  each of which knows all points of both elements. Each rank determines the first candidate within dhat, vertices before edges, in the
  order of ids. The rank that owns the first candidate evaluates the pair.
*/
#include "oriented.h"

#define SURE 0.98 /* fraction of dhat^2 below which a distance is within dhat whatever the rounding */

/* ---- elements ---- */

static inline const PetscInt *Points(const AbutOrientedSurface *surface, PetscInt i)
{
  return surface->dim == 3 ? surface->r->faces[i] : surface->r->edges[i];
}

PetscErrorCode AbutOrientedUpdateElements(AbutOriented *sm, const PetscReal x[])
{
  const AbutOrientedSurface *s   = sm->surface;
  const PetscInt             dim = s->dim, n = s->num[dim - 1];

  PetscFunctionBegin;
  PetscCall(AbutReserve(n, &sm->element_capacity, &sm->elements));
  for (PetscInt i = 0; i < n; i++) {
    AbutOrientedElement  *e = &sm->elements[i];
    AbutOrientedPrimitive p;
    AbutOrientedVector    normal;
    PetscReal             y[9], size;
    AbutOrientedGetPrimitive(s, (AbutOrientedKind)(dim - 1), i, &p);
    AbutGather(dim, dim, p.v, x, y);
    AbutOrientedNormal(dim, y, &normal);
    size = PetscSqrtReal(AbutDot(dim, normal.v, normal.v));
    *e   = (AbutOrientedElement){.oriented = p.oriented};
    for (PetscInt k = 0; k < dim * dim; k++) e->center[k % dim] += y[k] / (PetscReal)dim;
    for (PetscInt k = 0; k < dim; k++) {
      e->unit[k] = size > 0 ? normal.v[k] / size : 0;
      e->radius  = PetscMax(e->radius, PetscSqrtReal(AbutPointDist2(dim, e->center, y + dim * k)));
    }
  }
  PetscFunctionReturn(0);
}

/* ---- pairs that may act ---- */

/*
  Whether the angle factor of element e is 0 for all points of another element. These are at most `top` above the plane of e; a sine below
  alpha allows a tangential distance of tan(asin alpha) top.
*/
static PetscBool IsAside(const AbutOriented *sm, const AbutOrientedElement *e, const AbutOrientedElement *other, const PetscInt points[],
                         const PetscReal x[])
{
  const PetscInt  dim   = sm->dim;
  const PetscReal alpha = sm->spec.alpha_t, cosine2 = 1 - alpha * alpha;
  const PetscBool above = (PetscBool)(e->oriented && sm->spec.alpha_n * sm->spec.alpha_n <= cosine2);
  PetscReal       top   = 0, along, aside2, width;

  for (PetscInt p = 0; p < dim; p++) {
    PetscReal height = 0;
    for (PetscInt i = 0; i < dim; i++) height += e->unit[i] * (x[dim * points[p] + i] - e->center[i]);
    top = PetscMax(top, above ? height : PetscAbsReal(height));
  }
  if (top == 0) return PETSC_TRUE;
  if (!(cosine2 > 0)) return PETSC_FALSE;
  along = 0;
  for (PetscInt i = 0; i < dim; i++) along += e->unit[i] * (other->center[i] - e->center[i]);
  aside2 = AbutPointDist2(dim, e->center, other->center) - along * along;
  width  = alpha / PetscSqrtReal(cosine2) * top + e->radius + other->radius;
  return (PetscBool)(aside2 > width * width);
}

/* Whether two elements may have an active pair of quadrature points; false only if bounds exclude it. */
static PetscBool MayAct(const AbutOriented *sm, const AbutOrientedPair *pair, const PetscInt *const points[2], const PetscReal x[])
{
  const AbutOrientedElement *a = &sm->elements[pair->a], *b = &sm->elements[pair->b];
  const PetscReal            reach = pair->dhat + a->radius + b->radius;

  if (!(AbutPointDist2(sm->dim, a->center, b->center) < reach * reach)) return PETSC_FALSE;
  return (PetscBool)(!IsAside(sm, a, b, points[1], x) && !IsAside(sm, b, a, points[0], x));
}

/* ---- every pair once ---- */

/* Two elements with positions. */
typedef struct {
  const AbutCandidates *c;
  const PetscReal      *x;
  PetscReal             dhat2;
  const PetscInt       *points[2];
  const PetscReal      *center[2];
} Two;

/* Whether point k of element e is within dhat of the other element. */
static PetscBool PointMeets(const Two *t, int e, PetscInt k)
{
  const PetscInt dim = t->c->dim, v = t->points[e][k], *other = t->points[1 - e];
  const PetscInt at[4] = {v, other[0], other[1], dim == 3 ? other[2] : 0};
  PetscReal      y[12];

  if (AbutPointDist2(dim, t->x + dim * v, t->center[1 - e]) < SURE * t->dhat2) return PETSC_TRUE;
  AbutGather(dim, dim + 1, at, t->x, y);
  return (PetscBool)((dim == 3 ? AbutPairDist2(ABUT_PAIR_FV, 3, y) : AbutPairDist2(ABUT_PAIR_EV, 2, y)) < t->dhat2);
}

/* Whether the edges opposite to corners i and j of the two faces are within dhat; vertices in the same order on all ranks. */
static PetscBool EdgesMeet(const Two *t, PetscInt i, PetscInt j)
{
  const PetscInt *id = t->c->vertex_id, corner[2] = {i, j};
  PetscInt        low[2], high[2];
  PetscReal       y[12];

  for (int e = 0; e < 2; e++) {
    const PetscInt p = t->points[e][(corner[e] + 1) % 3], q = t->points[e][(corner[e] + 2) % 3];
    low[e]  = id[p] < id[q] ? p : q;
    high[e] = p + q - low[e];
  }
  const int first = id[low[1]] < id[low[0]];
  AbutGather(3, 4, (PetscInt[]){low[first], high[first], low[1 - first], high[1 - first]}, t->x, y);
  return (PetscBool)(AbutPairDist2(ABUT_PAIR_EE, 3, y) < t->dhat2);
}

/* Order of pairs of corners by ids. */
static PetscBool IsBefore(const PetscInt id[], const PetscInt a[2], const PetscInt b[2])
{
  const PetscInt low[2]  = {PetscMin(id[a[0]], id[a[1]]), PetscMin(id[b[0]], id[b[1]])};
  const PetscInt high[2] = {PetscMax(id[a[0]], id[a[1]]), PetscMax(id[b[0]], id[b[1]])};

  return (PetscBool)(low[0] != low[1] ? low[0] < low[1] : high[0] < high[1]);
}

/* Whether vertex v of one element is the one with the lowest id within dhat of the other element. */
static PetscBool IsFirstPoint(const Two *t, PetscInt v)
{
  const PetscInt dim = t->c->dim, *id = t->c->vertex_id;
  PetscBool      meets = PETSC_FALSE;

  for (int e = 0; e < 2; e++) {
    for (PetscInt k = 0; k < dim; k++) {
      const PetscInt w = t->points[e][k];
      if (id[w] > id[v] || !PointMeets(t, e, k)) continue;
      if (w != v) return PETSC_FALSE;
      meets = PETSC_TRUE;
    }
  }
  return meets;
}

/* Whether no vertex is within dhat of the other element, and the edges opposite to these corners are the first ones within dhat. */
static PetscBool AreFirstEdges(const Two *t, const PetscInt corner[2])
{
  PetscBool meet = PETSC_FALSE;

  for (int e = 0; e < 2; e++) {
    for (PetscInt k = 0; k < 3; k++)
      if (PointMeets(t, e, k)) return PETSC_FALSE;
  }
  for (PetscInt i = 0; i < 3; i++) {
    for (PetscInt j = 0; j < 3; j++) {
      const PetscInt own[2] = {t->points[0][i], t->points[1][j]};
      if (IsBefore(t->c->vertex_id, corner, own) || !EdgesMeet(t, i, j)) continue;
      if (own[0] != corner[0] || own[1] != corner[1]) return PETSC_FALSE;
      meet = PETSC_TRUE;
    }
  }
  return meet;
}

/* Corner of a face opposite to an edge. */
static PetscInt Opposite(const PetscInt face[3], const PetscInt edge[2])
{
  for (int k = 0; k < 2; k++)
    if (face[k] != edge[0] && face[k] != edge[1]) return face[k];
  return face[2];
}

/* Appends the pair of elements i and j if it may be active and this candidate (a vertex, or edges of both) is its first one. */
static PetscErrorCode Try(AbutPotential pot, const AbutCandidates *c, PetscInt i, PetscInt j, PetscInt point, const PetscInt edges[2],
                          const PetscReal x[])
{
  AbutOriented              *sm       = pot->data;
  const AbutOrientedElement *elements = sm->elements;
  const PetscReal           *dhat     = sm->adaptive.of[sm->dim - 1];
  AbutOrientedPair           pair     = {.a = PetscMin(i, j), .b = PetscMax(i, j), .sampled = PETSC_TRUE};
  const Two t = {c, x, pot->dhat * pot->dhat, {Points(sm->surface, i), Points(sm->surface, j)}, {elements[i].center, elements[j].center}};
  const PetscInt *const points[2] = {Points(sm->surface, pair.a), Points(sm->surface, pair.b)};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < sm->dim * sm->dim; k++)
    if (points[0][k / sm->dim] == points[1][k % sm->dim]) PetscFunctionReturn(0);
  pair.dhat  = dhat ? PetscMin(dhat[i], dhat[j]) : pot->dhat;
  pair.split = AbutOrientedSplitDistance(sm, &pair);
  if (!(pair.split > 0) && dhat) PetscFunctionReturn(0);
  if (!MayAct(sm, &pair, points, x)) PetscFunctionReturn(0);
  if (edges) {
    const PetscInt corner[2] = {Opposite(t.points[0], sm->surface->r->edges[edges[0]]),
                                Opposite(t.points[1], sm->surface->r->edges[edges[1]])};
    if (!AreFirstEdges(&t, corner)) PetscFunctionReturn(0);
  } else if (!IsFirstPoint(&t, point))
    PetscFunctionReturn(0);
  PetscCall(AbutOrientedAddPair(sm, &pair, -1));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedAddElementPairs(AbutPotential pot, const AbutCandidates *c, const AbutOrientedCandidate *candidate,
                                           const PetscReal x[])
{
  const AbutOneRing *r = c->one_ring;
  const PetscInt     a = candidate->a, b = candidate->b;

  PetscFunctionBegin;
  if (c->dim == 3 && candidate->kind == ABUT_PAIR_EE) {
    const PetscInt edges[2] = {a, b};
    for (PetscInt i = r->edge_face_start[a]; i < r->edge_face_start[a + 1]; i++) {
      for (PetscInt j = r->edge_face_start[b]; j < r->edge_face_start[b + 1]; j++)
        PetscCall(Try(pot, c, r->edge_face[i], r->edge_face[j], -1, edges, x));
    }
  } else {
    const PetscInt *start = c->dim == 3 ? r->vertex_face_start : r->vertex_edge_start;
    const PetscInt *at    = c->dim == 3 ? r->vertex_face : r->vertex_edge;
    for (PetscInt i = start[b]; i < start[b + 1]; i++) PetscCall(Try(pot, c, a, at[i], b, NULL, x));
  }
  PetscFunctionReturn(0);
}
