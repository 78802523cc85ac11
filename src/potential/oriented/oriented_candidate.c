/* Pairs of primitives that a candidate of the search represents; adaptive activation distances of primitives. */
#include "potentialimpl.h"
#include "orientedimpl.h"

#define PARALLEL 2.5e-16 /* squared sine of the angle between edges below which their closest points are not unique */
#define BORDER   1e-10   /* tolerance of barycentric coordinates */

static inline PetscReal Dhat(const AbutOrientedDhat *dhat, const PetscReal of[], PetscInt i)
{
  return of ? of[i] : dhat->dhat;
}

static inline void Load(PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal x[], PetscReal y[])
{
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt i = 0; i < dim; i++) y[dim * p + i] = x[dim * v[p] + i] - x[dim * v[0] + i];
  }
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

/* Distance of a pair. */
static PetscReal Distance(AbutPairKind kind, PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal x[])
{
  PetscReal y[12] = {0};

  Load(dim, n, v, x, y);
  return PetscSqrtReal(AbutPairDist2(kind, dim, y));
}

PetscReal AbutOrientedCandidateDistance(const AbutOrientedSurface *s, AbutPairKind kind, PetscInt a, PetscInt b, const PetscReal x[])
{
  const PetscInt *f = s->faces ? s->faces[a] : NULL, *e = s->edges ? s->edges[a] : NULL;

  if (kind == ABUT_PAIR_VV) {
    const PetscInt v[2] = {a, b};
    return Distance(kind, s->dim, 2, v, x);
  } else if (kind == ABUT_PAIR_EV) {
    const PetscInt v[3] = {b, e[0], e[1]};
    return Distance(kind, s->dim, 3, v, x);
  } else if (kind == ABUT_PAIR_EE) {
    const PetscInt v[4] = {e[0], e[1], s->edges[b][0], s->edges[b][1]};
    return Distance(kind, 3, 4, v, x);
  } else {
    const PetscInt v[4] = {b, f[0], f[1], f[2]};
    return Distance(kind, 3, 4, v, x);
  }
}

/* Inputs of the search for the pairs of a candidate. */
typedef struct {
  const AbutOrientedSurface *surface;
  AbutOrientedMember         member;
  const AbutOrientedDhat    *dhat;
  const PetscReal           *x;
} Context;

/* Whether a pair at distance `dist` is to be listed: within dhat and, in GCP, with its closest points inside both primitives. */
static PetscBool IsPair(const Context *k, AbutPairKind kind, PetscInt n, const PetscInt v[], PetscReal dist, PetscReal dhat)
{
  PetscReal y[12] = {0};

  if (!(dist < dhat) || k->member == ABUT_ORIENTED_OIPC) return (PetscBool)(dist < dhat);
  Load(k->surface->dim, n, v, k->x, y);
  return IsInside(kind, k->surface->dim, y);
}

static PetscInt AddVV(const Context *k, PetscInt a, PetscInt b, AbutOrientedPair pairs[])
{
  const PetscReal dhat = PetscMin(Dhat(k->dhat, k->dhat->vertex, a), Dhat(k->dhat, k->dhat->vertex, b));
  const PetscInt  v[2] = {a, b};

  if (!(Distance(ABUT_PAIR_VV, k->surface->dim, 2, v, k->x) < dhat)) return 0;
  pairs[0] = (AbutOrientedPair){ABUT_PAIR_VV, PetscMin(a, b), PetscMax(a, b), dhat};
  return 1;
}

static PetscInt AddEV(const Context *k, PetscInt e, PetscInt p, PetscReal dist, AbutOrientedPair pairs[])
{
  const PetscReal dhat = PetscMin(Dhat(k->dhat, k->dhat->edge, e), Dhat(k->dhat, k->dhat->vertex, p));
  const PetscInt *edge = k->surface->edges[e], v[3] = {p, edge[0], edge[1]};

  if (!IsPair(k, ABUT_PAIR_EV, 3, v, dist, dhat)) return 0;
  pairs[0] = (AbutOrientedPair){ABUT_PAIR_EV, e, p, dhat};
  return 1;
}

static PetscInt AddEE(const Context *k, PetscInt a, PetscInt b, PetscReal dist, AbutOrientedPair pairs[])
{
  const PetscReal dhat = PetscMin(Dhat(k->dhat, k->dhat->edge, a), Dhat(k->dhat, k->dhat->edge, b));
  const PetscInt *ea = k->surface->edges[a], *eb = k->surface->edges[b], v[4] = {ea[0], ea[1], eb[0], eb[1]};

  if (!IsPair(k, ABUT_PAIR_EE, 4, v, dist, dhat)) return 0;
  pairs[0] = (AbutOrientedPair){ABUT_PAIR_EE, PetscMin(a, b), PetscMax(a, b), dhat};
  return 1;
}

/*
  Whether `face` is the first face at a vertex or edge without vertex p. The pair of p with the vertex or edge is listed with this face.
*/
static PetscBool IsFirstFace(const AbutOrientedSurface *s, AbutOrientedKind kind, PetscInt i, const PetscInt face[3], PetscInt p)
{
  AbutOrientedPrimitive q;

  AbutOrientedGetPrimitive(s, kind, i, &q);
  for (PetscInt k = 0; k < q.num_normals; k++) {
    const PetscInt a = q.v[q.normal[k][0]], b = q.v[q.normal[k][1]], c = q.v[q.normal[k][2]];
    if (a != p && b != p && c != p) return (PetscBool)(a == face[0] && b == face[1] && c == face[2]);
  }
  return PETSC_TRUE;
}

/* 2D: whether edge (w, other) is the first edge at w without vertex p. */
static PetscBool IsFirstEdge(const AbutOrientedSurface *s, PetscInt w, PetscInt other, PetscInt p)
{
  AbutOrientedPrimitive q;

  AbutOrientedGetPrimitive(s, ABUT_ORIENTED_VERTEX, w, &q);
  for (PetscInt k = 1; k < q.n; k++)
    if (q.v[k] != p) return (PetscBool)(q.v[k] == other);
  return PETSC_TRUE;
}

/* Two vertices that both have a face (2D: an edge) are found from both sides; the pair is listed on the side where p has the lower id. */
static PetscBool IsFirstSide(const AbutOrientedSurface *s, PetscInt p, PetscInt w)
{
  AbutOrientedPrimitive q;

  if (s->id ? s->id[p] < s->id[w] : p < w) return PETSC_TRUE;
  AbutOrientedGetPrimitive(s, ABUT_ORIENTED_VERTEX, p, &q);
  return (PetscBool)(s->dim == 3 ? q.num_normals == 0 : q.n == 1);
}

/* Pairs of vertex p with a face, its vertices and its edges. */
static PetscInt AddFV(const Context *k, PetscInt f, PetscInt p, PetscReal dist, AbutOrientedPair pairs[])
{
  const AbutOrientedSurface *s = k->surface;
  const PetscInt            *t = s->faces[f], v[4] = {p, t[0], t[1], t[2]};
  const PetscReal            most = Dhat(k->dhat, k->dhat->vertex, p), dhat = PetscMin(Dhat(k->dhat, k->dhat->face, f), most);
  PetscInt                   count = 0;

  if (!(dist < most)) return 0;
  if (IsPair(k, ABUT_PAIR_FV, 4, v, dist, dhat)) pairs[count++] = (AbutOrientedPair){ABUT_PAIR_FV, f, p, dhat};
  for (int i = 0; i < 3; i++) {
    const PetscInt e = s->face_edge[f][i];
    if (IsFirstSide(s, p, t[i]) && IsFirstFace(s, ABUT_ORIENTED_VERTEX, t[i], t, p)) count += AddVV(k, t[i], p, pairs + count);
    if (IsFirstFace(s, ABUT_ORIENTED_EDGE, e, t, p))
      count += AddEV(k, e, p, AbutOrientedCandidateDistance(s, ABUT_PAIR_EV, e, p, k->x), pairs + count);
  }
  return count;
}

PetscInt AbutOrientedCandidatePairs(const AbutOrientedSurface *s, AbutOrientedMember member, const AbutOrientedDhat *dhat,
                                    const AbutOrientedCandidate *c, const PetscReal x[], AbutOrientedPair pairs[ABUT_ORIENTED_MAX_PAIRS])
{
  const Context k = {s, member, dhat, x};
  PetscInt      count;

  if (c->kind == ABUT_PAIR_FV) return AddFV(&k, c->a, c->b, c->dist, pairs);
  if (c->kind == ABUT_PAIR_EE) return AddEE(&k, c->a, c->b, c->dist, pairs);
  count = AddEV(&k, c->a, c->b, c->dist, pairs);
  for (int i = 0; i < 2 && s->dim == 2; i++) {
    const PetscInt w = s->edges[c->a][i];
    if (IsFirstSide(s, c->b, w) && IsFirstEdge(s, w, s->edges[c->a][1 - i], c->b)) count += AddVV(&k, w, c->b, pairs + count);
  }
  return count;
}

/* ---- adaptive activation distances ---- */

static inline void Lower(PetscReal *dhat, PetscReal to)
{
  *dhat = PetscMin(*dhat, to);
}

static void LowerPair(const AbutOrientedSurface *s, PetscReal ratio, const AbutOrientedPair *pair, const PetscReal rest[],
                      AbutOrientedDhat *r)
{
  const PetscReal to      = ratio * AbutOrientedCandidateDistance(s, pair->kind, pair->a, pair->b, rest);
  PetscReal      *first[] = {r->vertex, r->edge, r->face, r->edge}, *second = pair->kind == ABUT_PAIR_EE ? r->edge : r->vertex;

  Lower(&first[pair->kind][pair->a], to);
  Lower(&second[pair->b], to);
}

void AbutOrientedAdaptDhat(const AbutOrientedSurface *s, PetscReal ratio, PetscInt count, const AbutOrientedPair pairs[],
                           const PetscReal rest[], AbutOrientedDhat *r)
{
  for (PetscInt i = 0; i < s->num_vertices; i++) r->vertex[i] = r->dhat;
  for (PetscInt i = 0; i < s->num_edges; i++) r->edge[i] = r->dhat;
  for (PetscInt i = 0; i < s->num_faces; i++) r->face[i] = r->dhat;
  for (PetscInt i = 0; i < count; i++) LowerPair(s, ratio, &pairs[i], rest, r);
}

void AbutOrientedPropagateDhat(const AbutOrientedSurface *s, AbutOrientedDhat *r)
{
  for (PetscInt f = 0; f < s->num_faces; f++) {
    for (int k = 0; k < 3; k++) {
      Lower(&r->face[f], r->vertex[s->faces[f][k]]);
      Lower(&r->face[f], r->edge[s->face_edge[f][k]]);
    }
  }
  for (PetscInt e = 0; e < s->num_edges; e++) {
    for (int k = 0; k < 2; k++) Lower(&r->edge[e], r->vertex[s->edges[e][k]]);
  }
}
