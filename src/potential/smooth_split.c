/* Which pairs of primitives a candidate of a search stands for, and the ranges within which they act. */
#include "potentialimpl.h"
#include "smoothimpl.h"

#define PARALLEL 2.5e-16 /* squared sine of the angle below which edges have no closest points of their own */
#define BORDER   1e-10   /* share of a primitive by which a closest point may be outside */

static inline PetscReal Range(const AbutSmoothRanges *ranges, const PetscReal of[], PetscInt i)
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

/* Distance of a pair; if it is below range, whether the closest points are inside both primitives. */
static PetscReal Distance(AbutPairKind kind, PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal x[], PetscReal range,
                          PetscBool *inside)
{
  AbutClosest closest;
  PetscReal   y[12] = {0}, z[12], dist;

  Load(dim, n, v, x, y);
  AbutClosestFeatures(kind, dim, y, &closest);
  for (PetscInt p = 0; p < closest.n; p++) {
    for (PetscInt i = 0; i < dim; i++) z[dim * p + i] = y[dim * closest.v[p] + i];
  }
  dist    = PetscSqrtReal(AbutDist2(closest.form, dim, z, NULL, NULL));
  *inside = (PetscBool)(dist < range && (closest.form == (AbutDistForm)kind || IsInside(kind, dim, y)));
  return dist;
}

static PetscInt SplitVV(const AbutSmoothSurface *s, const AbutSmoothRanges *r, PetscInt a, PetscInt b, const PetscReal x[],
                        AbutSmoothPair pairs[])
{
  const PetscReal range = PetscMin(Range(r, r->vertex, a), Range(r, r->vertex, b));
  const PetscInt  v[2]  = {a, b};
  PetscBool       inside;

  if (!(Distance(ABUT_PAIR_VV, s->dim, 2, v, x, range, &inside) < range)) return 0;
  pairs[0] = (AbutSmoothPair){ABUT_PAIR_VV, PetscMin(a, b), PetscMax(a, b), range};
  return 1;
}

static PetscInt SplitEV(const AbutSmoothSurface *s, AbutSmoothMember member, const AbutSmoothRanges *r, PetscInt e, PetscInt p,
                        const PetscReal x[], AbutSmoothPair pairs[])
{
  const PetscReal range = PetscMin(Range(r, r->edge, e), Range(r, r->vertex, p));
  const PetscInt  v[3]  = {p, s->edges[e][0], s->edges[e][1]};
  PetscBool       inside;

  if (!(Distance(ABUT_PAIR_EV, s->dim, 3, v, x, range, &inside) < range) || (member == ABUT_SMOOTH_GCP && !inside)) return 0;
  pairs[0] = (AbutSmoothPair){ABUT_PAIR_EV, e, p, range};
  return 1;
}

static PetscInt SplitEE(const AbutSmoothSurface *s, AbutSmoothMember member, const AbutSmoothRanges *r, PetscInt a, PetscInt b,
                        const PetscReal x[], AbutSmoothPair pairs[])
{
  const PetscReal range = PetscMin(Range(r, r->edge, a), Range(r, r->edge, b));
  const PetscInt  v[4]  = {s->edges[a][0], s->edges[a][1], s->edges[b][0], s->edges[b][1]};
  PetscBool       inside;

  if (!(Distance(ABUT_PAIR_EE, 3, 4, v, x, range, &inside) < range) || (member == ABUT_SMOOTH_GCP && !inside)) return 0;
  pairs[0] = (AbutSmoothPair){ABUT_PAIR_EE, PetscMin(a, b), PetscMax(a, b), range};
  return 1;
}

static PetscInt SplitFV(const AbutSmoothSurface *s, AbutSmoothMember member, const AbutSmoothRanges *r, PetscInt f, PetscInt p,
                        const PetscReal x[], AbutSmoothPair pairs[])
{
  const PetscInt *t = s->faces[f], v[4] = {p, t[0], t[1], t[2]};
  PetscBool       inside;
  const PetscReal range = PetscMin(Range(r, r->face, f), Range(r, r->vertex, p));
  const PetscReal dist  = Distance(ABUT_PAIR_FV, 3, 4, v, x, range, &inside);
  PetscInt        count = 0;

  if (!(dist < Range(r, r->vertex, p))) return 0;
  if (inside || (member == ABUT_SMOOTH_OIPC && dist < range)) pairs[count++] = (AbutSmoothPair){ABUT_PAIR_FV, f, p, range};
  for (int k = 0; k < 3; k++) {
    count += SplitVV(s, r, t[k], p, x, pairs + count);
    count += SplitEV(s, member, r, s->face_edge[f][k], p, x, pairs + count);
  }
  return count;
}

/* Edges without faces: their ends meet the other edge, too. */
static PetscInt SplitFreeEdge(const AbutSmoothSurface *s, AbutSmoothMember member, const AbutSmoothRanges *r, PetscInt a, PetscInt b,
                              const PetscReal x[], AbutSmoothPair pairs[])
{
  AbutSmoothPrimitive p;
  PetscInt            count = 0;

  AbutSmoothGetPrimitive(s, ABUT_SMOOTH_EDGE, a, &p);
  if (p.num_normals > 0) return 0;
  for (int k = 0; k < 2; k++) {
    count += SplitEV(s, member, r, b, s->edges[a][k], x, pairs + count);
    for (int l = 0; l < 2; l++) count += SplitVV(s, r, s->edges[a][k], s->edges[b][l], x, pairs + count);
  }
  return count;
}

PetscInt AbutSmoothSplit(const AbutSmoothSurface *s, AbutSmoothMember member, const AbutSmoothRanges *ranges, AbutPairKind kind, PetscInt a,
                         PetscInt b, const PetscReal x[], AbutSmoothPair pairs[ABUT_SMOOTH_MAX_SPLIT])
{
  PetscInt count;

  switch (kind) {
  case ABUT_PAIR_EV:
    count = SplitEV(s, member, ranges, a, b, x, pairs);
    for (int k = 0; k < 2; k++) count += SplitVV(s, ranges, s->edges[a][k], b, x, pairs + count);
    return count;
  case ABUT_PAIR_EE:
    count = SplitEE(s, member, ranges, a, b, x, pairs);
    count += SplitFreeEdge(s, member, ranges, a, b, x, pairs + count);
    return count + SplitFreeEdge(s, member, ranges, b, a, x, pairs + count);
  case ABUT_PAIR_FV: return SplitFV(s, member, ranges, a, b, x, pairs);
  default: return SplitVV(s, ranges, a, b, x, pairs);
  }
}

PetscErrorCode AbutSmoothSortPairs(PetscInt *count, AbutSmoothPair pairs[])
{
  const PetscInt  n = *count;
  AbutSmoothPair *sorted;
  PetscInt(*key)[ABUT_KEY_LENGTH], *perm, *work, m = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &sorted, n, &key, n, &perm, n, &work));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt k[ABUT_KEY_LENGTH] = {pairs[i].kind, pairs[i].a, pairs[i].b};
    PetscCall(PetscArraycpy(key[i], k, ABUT_KEY_LENGTH));
  }
  AbutSortKeys(n, (const PetscInt(*)[ABUT_KEY_LENGTH])key, perm, work);
  for (PetscInt i = 0; i < n; i++) {
    const AbutSmoothPair *pair = &pairs[perm[i]], *last = m ? &sorted[m - 1] : NULL;
    if (!last || last->kind != pair->kind || last->a != pair->a || last->b != pair->b) sorted[m++] = *pair;
  }
  PetscCall(PetscArraycpy(pairs, sorted, m));
  PetscCall(PetscFree4(sorted, key, perm, work));
  *count = m;
  PetscFunctionReturn(0);
}

/* ---- ranges adapted to a rest shape ---- */

static inline void Lower(PetscReal *range, PetscReal to)
{
  *range = PetscMin(*range, to);
}

static void LowerPair(const AbutSmoothSurface *s, PetscReal ratio, const AbutSmoothPair *pair, const PetscReal rest[], AbutSmoothRanges *r)
{
  const PetscInt *f = s->faces ? s->faces[pair->a] : NULL, *e = s->edges ? s->edges[pair->a] : NULL;
  PetscBool       inside;

  if (pair->kind == ABUT_PAIR_VV) {
    const PetscInt  v[2] = {pair->a, pair->b};
    const PetscReal to   = ratio * Distance(ABUT_PAIR_VV, s->dim, 2, v, rest, 0, &inside);
    Lower(&r->vertex[pair->a], to);
    Lower(&r->vertex[pair->b], to);
  } else if (pair->kind == ABUT_PAIR_EV) {
    const PetscInt  v[3] = {pair->b, e[0], e[1]};
    const PetscReal to   = ratio * Distance(ABUT_PAIR_EV, s->dim, 3, v, rest, 0, &inside);
    Lower(&r->edge[pair->a], to);
    Lower(&r->vertex[pair->b], to);
  } else if (pair->kind == ABUT_PAIR_EE) {
    const PetscInt  v[4] = {e[0], e[1], s->edges[pair->b][0], s->edges[pair->b][1]};
    const PetscReal to   = ratio * Distance(ABUT_PAIR_EE, 3, 4, v, rest, 0, &inside);
    Lower(&r->edge[pair->a], to);
    Lower(&r->edge[pair->b], to);
  } else {
    const PetscInt  v[4] = {pair->b, f[0], f[1], f[2]};
    const PetscReal to   = ratio * Distance(ABUT_PAIR_FV, 3, 4, v, rest, 0, &inside);
    Lower(&r->face[pair->a], to);
    Lower(&r->vertex[pair->b], to);
  }
}

void AbutSmoothAdaptRanges(const AbutSmoothSurface *s, PetscReal ratio, PetscInt count, const AbutSmoothPair pairs[],
                           const PetscReal rest[], AbutSmoothRanges *r)
{
  for (PetscInt i = 0; i < s->num_vertices; i++) r->vertex[i] = r->dhat;
  for (PetscInt i = 0; i < s->num_edges; i++) r->edge[i] = r->dhat;
  for (PetscInt i = 0; i < s->num_faces; i++) r->face[i] = r->dhat;
  for (PetscInt i = 0; i < count; i++) LowerPair(s, ratio, &pairs[i], rest, r);
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
