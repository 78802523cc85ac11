/* Which pairs of primitives a candidate of a search stands for, and the ranges within which they act. */
#include "potentialimpl.h"
#include "orientedimpl.h"

#define PARALLEL 2.5e-16 /* squared sine of the angle below which edges have no closest points of their own */
#define BORDER   1e-10   /* share of a primitive by which a closest point may be outside */

static inline PetscReal Range(const AbutOrientedRanges *ranges, const PetscReal of[], PetscInt i)
{
  return of ? of[i] : ranges->dhat;
}

static inline void Load(PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal x[], PetscReal y[])
{
  for (PetscInt p = 0; p < n; p++) {
    for (PetscInt i = 0; i < dim; i++) y[dim * p + i] = x[dim * v[p] + i] - x[dim * v[0] + i];
  }
}

/* Whether the closest points are inside both primitives or, but for rounding, on a border: there any motion may bring them inside. */
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

/* Whether a pair at this distance is within range and, in GCP, the closest points are inside both primitives. */
static PetscBool IsPair(AbutOrientedMember member, AbutPairKind kind, PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal x[],
                        PetscReal dist, PetscReal range)
{
  PetscReal y[12] = {0};

  if (!(dist < range) || member == ABUT_ORIENTED_OIPC) return (PetscBool)(dist < range);
  Load(dim, n, v, x, y);
  return IsInside(kind, dim, y);
}

static PetscInt SplitVV(const AbutOrientedSurface *s, const AbutOrientedRanges *r, PetscInt a, PetscInt b, const PetscReal x[],
                        AbutOrientedPair pairs[])
{
  const PetscReal range = PetscMin(Range(r, r->vertex, a), Range(r, r->vertex, b));
  const PetscInt  v[2]  = {a, b};

  if (!(Distance(ABUT_PAIR_VV, s->dim, 2, v, x) < range)) return 0;
  pairs[0] = (AbutOrientedPair){ABUT_PAIR_VV, PetscMin(a, b), PetscMax(a, b), range};
  return 1;
}

static PetscInt SplitEV(const AbutOrientedSurface *s, AbutOrientedMember member, const AbutOrientedRanges *r, PetscInt e, PetscInt p,
                        PetscReal dist, const PetscReal x[], AbutOrientedPair pairs[])
{
  const PetscReal range = PetscMin(Range(r, r->edge, e), Range(r, r->vertex, p));
  const PetscInt  v[3]  = {p, s->edges[e][0], s->edges[e][1]};

  if (!IsPair(member, ABUT_PAIR_EV, s->dim, 3, v, x, dist, range)) return 0;
  pairs[0] = (AbutOrientedPair){ABUT_PAIR_EV, e, p, range};
  return 1;
}

static PetscInt SplitEE(const AbutOrientedSurface *s, AbutOrientedMember member, const AbutOrientedRanges *r, PetscInt a, PetscInt b,
                        PetscReal dist, const PetscReal x[], AbutOrientedPair pairs[])
{
  const PetscReal range = PetscMin(Range(r, r->edge, a), Range(r, r->edge, b));
  const PetscInt  v[4]  = {s->edges[a][0], s->edges[a][1], s->edges[b][0], s->edges[b][1]};

  if (!IsPair(member, ABUT_PAIR_EE, 3, 4, v, x, dist, range)) return 0;
  pairs[0] = (AbutOrientedPair){ABUT_PAIR_EE, PetscMin(a, b), PetscMax(a, b), range};
  return 1;
}

/* Whether a face is the first at a vertex or edge of those that vertex p has no part in: the one among whose pairs theirs is counted. */
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

/* In 2D: whether the edge between vertices w and other is the first at w. */
static PetscBool IsFirstEdge(const AbutOrientedSurface *s, PetscInt w, PetscInt other, PetscInt p)
{
  AbutOrientedPrimitive q;

  AbutOrientedGetPrimitive(s, ABUT_ORIENTED_VERTEX, w, &q);
  for (PetscInt k = 1; k < q.n; k++)
    if (q.v[k] != p) return (PetscBool)(q.v[k] == other);
  return PETSC_TRUE;
}

/* Two vertices come up on both sides, if both have a face (2D: an edge): they are counted on that of the lower id. */
static PetscBool IsFirstSide(const AbutOrientedSurface *s, PetscInt p, PetscInt w)
{
  AbutOrientedPrimitive q;

  if (s->id ? s->id[p] < s->id[w] : p < w) return PETSC_TRUE;
  AbutOrientedGetPrimitive(s, ABUT_ORIENTED_VERTEX, p, &q);
  return (PetscBool)(s->dim == 3 ? q.num_normals == 0 : q.n == 1);
}

static PetscInt SplitFV(const AbutOrientedSurface *s, AbutOrientedMember member, const AbutOrientedRanges *r, PetscInt f, PetscInt p,
                        PetscReal dist, const PetscReal x[], AbutOrientedPair pairs[])
{
  const PetscInt *t = s->faces[f], v[4] = {p, t[0], t[1], t[2]};
  const PetscReal reach = Range(r, r->vertex, p), range = PetscMin(Range(r, r->face, f), reach);
  PetscInt        count = 0;

  if (!(dist < reach)) return 0;
  if (IsPair(member, ABUT_PAIR_FV, 3, 4, v, x, dist, range)) pairs[count++] = (AbutOrientedPair){ABUT_PAIR_FV, f, p, range};
  for (int k = 0; k < 3; k++) {
    const PetscInt e = s->face_edge[f][k];
    if (IsFirstSide(s, p, t[k]) && IsFirstFace(s, ABUT_ORIENTED_VERTEX, t[k], t, p)) count += SplitVV(s, r, t[k], p, x, pairs + count);
    if (IsFirstFace(s, ABUT_ORIENTED_EDGE, e, t, p))
      count += SplitEV(s, member, r, e, p, AbutOrientedCandidateDistance(s, ABUT_PAIR_EV, e, p, x), x, pairs + count);
  }
  return count;
}

PetscInt AbutOrientedSplit(const AbutOrientedSurface *s, AbutOrientedMember member, const AbutOrientedRanges *ranges, AbutPairKind kind,
                           PetscInt a, PetscInt b, PetscReal dist, const PetscReal x[], AbutOrientedPair pairs[ABUT_ORIENTED_MAX_SPLIT])
{
  PetscInt count;

  if (kind == ABUT_PAIR_FV) return SplitFV(s, member, ranges, a, b, dist, x, pairs);
  if (kind == ABUT_PAIR_EE) return SplitEE(s, member, ranges, a, b, dist, x, pairs);
  count = SplitEV(s, member, ranges, a, b, dist, x, pairs);
  for (int k = 0; k < 2 && s->dim == 2; k++) {
    const PetscInt w = s->edges[a][k];
    if (IsFirstSide(s, b, w) && IsFirstEdge(s, w, s->edges[a][1 - k], b)) count += SplitVV(s, ranges, w, b, x, pairs + count);
  }
  return count;
}

/* ---- ranges adapted to a rest shape ---- */

static inline void Lower(PetscReal *range, PetscReal to)
{
  *range = PetscMin(*range, to);
}

static void LowerPair(const AbutOrientedSurface *s, PetscReal ratio, const AbutOrientedPair *pair, const PetscReal rest[],
                      AbutOrientedRanges *r)
{
  const PetscReal to      = ratio * AbutOrientedCandidateDistance(s, pair->kind, pair->a, pair->b, rest);
  PetscReal      *first[] = {r->vertex, r->edge, r->face, r->edge}, *second = pair->kind == ABUT_PAIR_EE ? r->edge : r->vertex;

  Lower(&first[pair->kind][pair->a], to);
  Lower(&second[pair->b], to);
}

void AbutOrientedAdaptRanges(const AbutOrientedSurface *s, PetscReal ratio, PetscInt count, const AbutOrientedPair pairs[],
                             const PetscReal rest[], AbutOrientedRanges *r)
{
  for (PetscInt i = 0; i < s->num_vertices; i++) r->vertex[i] = r->dhat;
  for (PetscInt i = 0; i < s->num_edges; i++) r->edge[i] = r->dhat;
  for (PetscInt i = 0; i < s->num_faces; i++) r->face[i] = r->dhat;
  for (PetscInt i = 0; i < count; i++) LowerPair(s, ratio, &pairs[i], rest, r);
}

void AbutOrientedSpreadRanges(const AbutOrientedSurface *s, AbutOrientedRanges *r)
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
