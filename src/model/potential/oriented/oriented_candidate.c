/* Pairs of primitives that a candidate of the search represents; adaptive activation distances of primitives. */
#include "incidence.h"
#include "orientedimpl.h"

#define PARALLEL 2.5e-16 /* squared sine of the angle between edges below which their closest points are not unique */
#define BORDER   1e-10   /* tolerance of barycentric coordinates */

/* Positions of a pair's vertices, in the order of geom.h, relative to the first one. */
static void PairPoints(const AbutOrientedSurface *s, AbutPairKind kind, PetscInt a, PetscInt b, const PetscReal x[], PetscReal y[12])
{
  static const PetscInt num[] = {2, 3, 4, 4};
  const AbutOneRing    *r     = s->r;
  PetscInt              v[4]  = {b};

  if (kind == ABUT_PAIR_VV) {
    v[0] = a;
    v[1] = b;
  } else if (kind == ABUT_PAIR_FV) {
    (void)PetscArraycpy(v + 1, r->faces[a], 3);
  } else if (kind == ABUT_PAIR_EV) {
    (void)PetscArraycpy(v + 1, r->edges[a], 2);
  } else {
    (void)PetscArraycpy(v, r->edges[a], 2);
    (void)PetscArraycpy(v + 2, r->edges[b], 2);
  }
  AbutGatherFrom(s->dim, num[kind], v, x, x + s->dim * v[0], y);
}

/* Whether the closest points are inside both primitives, or on a boundary within rounding. */
static PetscBool IsInside(AbutPairKind kind, PetscInt dim, const PetscReal y[])
{
  AbutDistFrame frame;
  AbutClosest   closest;

  AbutClosestFeatures(kind, dim, y, &closest);
  if (closest.form == (AbutDistForm)kind) return PETSC_TRUE;
  if (kind == ABUT_PAIR_EE) {
    const PetscReal a[3] = {y[3] - y[0], y[4] - y[1], y[5] - y[2]}, b[3] = {y[9] - y[6], y[10] - y[7], y[11] - y[8]};
    if (AbutEdgeEdgeCross2(y, NULL, NULL) < PARALLEL * AbutDot(3, a, a) * AbutDot(3, b, b)) return PETSC_FALSE;
  }
  AbutDist2Frame((AbutDistForm)kind, dim, y, &frame);
  for (PetscInt p = 0; p < frame.n; p++) {
    const PetscReal sign = p < (kind == ABUT_PAIR_EE ? 2 : 1) ? 1 : -1;
    if (sign * frame.c[p] < -BORDER) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscReal AbutOrientedCandidateDistance(const AbutOrientedSurface *s, AbutPairKind kind, PetscInt a, PetscInt b, const PetscReal x[])
{
  PetscReal y[12];

  PairPoints(s, kind, a, b, x, y);
  return PetscSqrtReal(AbutPairDist2(kind, s->dim, y));
}

/* Inputs and result of the search for the pairs of a candidate. */
typedef struct {
  const AbutOrientedSurface *surface;
  AbutOrientedMember         member;
  const AbutOrientedDhat    *dhat;
  const PetscReal           *x;
  PetscInt                   count;
  AbutOrientedPair          *pairs;
} Search;

static inline PetscReal Dhat(const Search *k, AbutOrientedKind kind, PetscInt i)
{
  return k->dhat->of[kind] ? k->dhat->of[kind][i] : k->dhat->dhat;
}

/* Whether the normal term of a primitive may be 0. */
static PetscBool IsOriented(const AbutOrientedSurface *s, AbutOrientedKind kind, PetscInt i)
{
  AbutOrientedPrimitive p;

  AbutOrientedGetPrimitive(s, kind, i, &p);
  return p.oriented;
}

/* Lists the pair again without angle terms, so that opposite sides of a body that is crushed flat never meet. */
static void AddInner(Search *k, const AbutOrientedPair *pair, PetscReal dist)
{
  AbutOrientedPair inner = *pair;

  inner.dhat  = PetscMin(ABUT_ORIENTED_INNER * pair->dhat, k->dhat->inner);
  inner.inner = PETSC_TRUE;
  if (!(dist < inner.dhat)) return;
  if (!IsOriented(k->surface, AbutOrientedKindOf(pair, 0), pair->a) && !IsOriented(k->surface, AbutOrientedKindOf(pair, 1), pair->b))
    return;
  k->pairs[k->count++] = inner;
}

/* Lists a pair at distance `dist` if that is within dhat and, in GCP, the closest points are inside both primitives. */
static void Add(Search *k, AbutPairKind kind, PetscInt a, PetscInt b, PetscReal dist)
{
  const PetscInt   dim   = k->surface->dim;
  const PetscBool  equal = (PetscBool)(kind == ABUT_PAIR_VV || kind == ABUT_PAIR_EE);
  AbutOrientedPair pair  = {kind, equal ? PetscMin(a, b) : a, equal ? PetscMax(a, b) : b};
  PetscReal        y[12];

  pair.dhat = PetscMin(Dhat(k, AbutOrientedKindOf(&pair, 0), pair.a), Dhat(k, AbutOrientedKindOf(&pair, 1), pair.b));
  if (!(dist < pair.dhat)) return;
  if (k->member == ABUT_ORIENTED_GCP) {
    PairPoints(k->surface, kind, a, b, k->x, y);
    if (!IsInside(kind, dim, y)) return;
  }
  k->pairs[k->count++] = pair;
  AddInner(k, &pair, dist);
}

static void AddNew(Search *k, AbutPairKind kind, PetscInt a, PetscInt b)
{
  Add(k, kind, a, b, AbutOrientedCandidateDistance(k->surface, kind, a, b, k->x));
}

/*
  Whether this side lists the pair of vertices p and w. If both have a face (2D: an edge), the pair is found from both sides, and the side
  where p has the lower id lists it.
*/
static PetscBool IsFirstSide(const AbutOrientedSurface *s, PetscInt p, PetscInt w)
{
  AbutOrientedPrimitive q;

  if (s->id ? s->id[p] < s->id[w] : p < w) return PETSC_TRUE;
  AbutOrientedGetPrimitive(s, ABUT_ORIENTED_VERTEX, p, &q);
  return (PetscBool)(s->dim == 3 ? q.num_normals == 0 : q.n == 1);
}

/* Pairs of vertex p with a face, its vertices and its edges. */
static void AddFV(Search *k, PetscInt f, PetscInt p, PetscReal dist)
{
  const AbutOrientedSurface *s = k->surface;
  const PetscInt            *t = s->r->faces[f];

  if (!(dist < Dhat(k, ABUT_ORIENTED_VERTEX, p))) return;
  Add(k, ABUT_PAIR_FV, f, p, dist);
  for (int i = 0; i < 3; i++) {
    const PetscInt e = s->r->face_edge[f][i];
    if (IsFirstSide(s, p, t[i]) && VertexFaceWithout(s->r, t[i], p) == f) AddNew(k, ABUT_PAIR_VV, t[i], p);
    if (EdgeFaceWithout(s->r, e, p) == f) AddNew(k, ABUT_PAIR_EV, e, p);
  }
}

PetscInt AbutOrientedCandidatePairs(const AbutOrientedSurface *s, AbutOrientedMember member, const AbutOrientedDhat *dhat,
                                    const AbutOrientedCandidate *c, const PetscReal x[], AbutOrientedPair pairs[ABUT_ORIENTED_MAX_PAIRS])
{
  Search k = {s, member, dhat, x, 0, pairs};

  if (c->kind == ABUT_PAIR_FV)
    AddFV(&k, c->a, c->b, c->dist);
  else
    Add(&k, c->kind, c->a, c->b, c->dist);
  for (int i = 0; i < 2 && s->dim == 2; i++) {
    const PetscInt w = s->r->edges[c->a][i];
    if (IsFirstSide(s, c->b, w) && VertexEdgeWithout(s->r, w, c->b) == c->a) AddNew(&k, ABUT_PAIR_VV, w, c->b);
  }
  return k.count;
}

/* ---- adaptive activation distances ---- */

static inline void Lower(PetscReal *dhat, PetscReal to)
{
  *dhat = PetscMin(*dhat, to);
}

void AbutOrientedLowerDhat(const AbutOrientedPair *pair, PetscReal to, AbutOrientedDhat *dhat)
{
  Lower(&dhat->of[AbutOrientedKindOf(pair, 0)][pair->a], to);
  if (pair->b >= 0) Lower(&dhat->of[AbutOrientedKindOf(pair, 1)][pair->b], to);
}

void AbutOrientedPropagateDhat(const AbutOrientedSurface *s, AbutOrientedDhat *dhat)
{
  PetscReal *const vertex = dhat->of[ABUT_ORIENTED_VERTEX], *const edge = dhat->of[ABUT_ORIENTED_EDGE];

  for (PetscInt f = 0; f < s->r->num_faces; f++) {
    for (int k = 0; k < 3; k++) {
      Lower(&dhat->of[ABUT_ORIENTED_FACE][f], vertex[s->r->faces[f][k]]);
      Lower(&dhat->of[ABUT_ORIENTED_FACE][f], edge[s->r->face_edge[f][k]]);
    }
  }
  for (PetscInt e = 0; e < s->r->num_edges; e++) {
    for (int k = 0; k < 2; k++) Lower(&edge[e], vertex[s->r->edges[e][k]]);
  }
}
