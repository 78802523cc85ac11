/* Which pairs of primitives are within range, on the surface that comes with the candidates. */
#include "smooth.h"

/* Ranges of the primitives, if there are any of their own, at most dhat. */
static PetscErrorCode CopyRanges(PetscInt n, const PetscReal from[], PetscReal dhat, Buffer *buffer, PetscReal **to)
{
  PetscFunctionBegin;
  *to = NULL;
  if (!from) PetscFunctionReturn(0);
  PetscCall(Reserve(buffer, n, sizeof(PetscReal)));
  *to = buffer->data;
  for (PetscInt i = 0; i < n; i++) (*to)[i] = PetscMin(from[i], dhat);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSmoothTakeSurface(AbutPotential pot, const AbutCandidates *c)
{
  AbutSmooth      *sm = pot->data;
  const AbutRings *r  = c->rings;

  PetscFunctionBegin;
  PetscCheck(r, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Potential \"%s\" needs AbutContactSetRings() before the search", pot->type);
  if (!sm->surface || sm->rings != r || sm->version != r->version || sm->surface->num_vertices != c->num_vertices) {
    PetscCall(AbutSmoothSurfaceDestroy(&sm->surface));
    PetscCall(AbutSmoothSurfaceCreate(c->dim, c->num_vertices, r->num_edges, r->edges, r->num_faces, r->faces, r->oriented, &sm->surface));
    sm->rings       = r;
    sm->version     = r->version;
    sm->ranges.dhat = -1;
  }
  sm->surface->id = c->vertex_id;
  if (sm->ranges.dhat != pot->dhat) {
    sm->ranges.dhat = pot->dhat;
    PetscCall(CopyRanges(c->num_vertices, r->vertex_range, pot->dhat, &sm->vertex_range, &sm->ranges.vertex));
    PetscCall(CopyRanges(r->num_edges, r->edge_range, pot->dhat, &sm->edge_range, &sm->ranges.edge));
    PetscCall(CopyRanges(r->num_faces, r->face_range, pot->dhat, &sm->face_range, &sm->ranges.face));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Keep(AbutSmooth *sm, PetscInt n, const AbutSmoothPair pairs[], PetscInt plane)
{
  PetscFunctionBegin;
  PetscCall(Reserve(&sm->found, sm->num_found + n, sizeof(AbutSmoothContact)));
  for (PetscInt k = 0; k < n; k++)
    ((AbutSmoothContact *)sm->found.data)[sm->num_found++] = (AbutSmoothContact){.pair = pairs[k], .plane = plane};
  PetscFunctionReturn(0);
}

/* The longest edge of a primitive and at it, at rest. */
static PetscReal RestLength(const AbutCandidates *c, const AbutSmoothPrimitive *p)
{
  PetscReal most = 0;

  for (PetscInt k = 1; k < p->n; k++) {
    PetscReal d[3] = {0};
    for (PetscInt i = 0; i < c->dim; i++) d[i] = c->rest[c->dim * p->v[k] + i] - c->rest[c->dim * p->v[0] + i];
    most = PetscMax(most, AbutDot(c->dim, d, d));
  }
  return PetscSqrtReal(most);
}

/* Where samples take over from a pair; nowhere while ranges are sought, which at rest keep all of the barrier off. */
static void SetSplit(const AbutSmooth *sm, const AbutCandidates *c, AbutSmoothPair *pair)
{
  const PetscBool     is_edge[2] = {(PetscBool)(pair->kind != ABUT_PAIR_VV), (PetscBool)(pair->kind == ABUT_PAIR_EE)};
  AbutSmoothPrimitive p[2];
  PetscReal           split;

  if (sm->spec.samples == 0 || !sm->ranges.vertex) return;
  AbutSmoothGetPrimitive(sm->surface, is_edge[0] ? ABUT_SMOOTH_EDGE : ABUT_SMOOTH_VERTEX, pair->a, &p[0]);
  AbutSmoothGetPrimitive(sm->surface, is_edge[1] ? ABUT_SMOOTH_EDGE : ABUT_SMOOTH_VERTEX, pair->b, &p[1]);
  if (p[0].n == 1 || p[1].n == 1) return; /* a vertex without edges, which have the samples */
  split = AbutSmoothSplitLength(&sm->spec, PetscMax(RestLength(c, &p[0]), RestLength(c, &p[1])));
  if (split < pair->range) pair->split = split;
}

/* Leaves those of n pairs, of a candidate at this distance, that are not so far apart that samples act in their place. */
static PetscInt KeepNear(const AbutSmooth *sm, const AbutCandidates *c, PetscReal dist2, const PetscReal xt[], PetscInt n,
                         AbutSmoothPair pairs[])
{
  PetscInt count = 0;

  for (PetscInt k = 0; k < n; k++) {
    const PetscInt v[2] = {pairs[k].a, pairs[k].b};
    PetscReal      x[4], s = dist2;
    SetSplit(sm, c, &pairs[k]);
    if (pairs[k].kind == ABUT_PAIR_VV) {
      Gather(2, 2, v, xt, x);
      s = AbutPairDist2(ABUT_PAIR_VV, 2, x);
    }
    if (!(pairs[k].split > 0) || s < pairs[k].split * pairs[k].split) pairs[count++] = pairs[k];
  }
  return count;
}

/* Whether vertex v is the one of the lowest id among the ends of edges e (its own) and f that are within range of the other edge. */
static PetscBool IsFirstEnd(const AbutCandidates *c, const PetscInt e[2], const PetscInt f[2], PetscInt v, const PetscReal xt[],
                            PetscReal dhat2)
{
  for (int k = 0; k < 4; k++) {
    const PetscInt w = k < 2 ? e[k] : f[k - 2], *other = k < 2 ? f : e, at[3] = {w, other[0], other[1]};
    PetscReal      x[6];
    if (c->vertex_id[w] >= c->vertex_id[v]) continue;
    Gather(2, 3, at, xt, x);
    if (AbutPairDist2(ABUT_PAIR_EV, 2, x) < dhat2) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/*
  Pairs of edges that the candidate of an edge and a vertex stands for. Two edges are closest at an end of one, so that each pair within
  range comes up, at most four times; all ends of both are known wherever it does.
*/
static PetscErrorCode FindSamples(AbutPotential pot, const AbutCandidates *c, PetscInt e, PetscInt v, const PetscReal xt[])
{
  AbutSmooth      *sm = pot->data;
  const AbutRings *r  = c->rings;

  PetscFunctionBegin;
  for (PetscInt i = r->vertex_edge_start[v]; i < r->vertex_edge_start[v + 1]; i++) {
    const PetscInt  f = r->vertex_edge[i], *a = r->edges[e], *b = r->edges[f];
    const PetscReal range = sm->ranges.edge ? PetscMin(sm->ranges.edge[e], sm->ranges.edge[f]) : pot->dhat;
    AbutSmoothPair  pair  = {ABUT_PAIR_EE, PetscMin(e, f), PetscMax(e, f), range, 0};
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) continue;
    if (!IsFirstEnd(c, b, a, v, xt, pot->dhat * pot->dhat)) continue;
    SetSplit(sm, c, &pair);
    if (pair.split > 0 || !sm->ranges.vertex) PetscCall(Keep(sm, 1, &pair, -1));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode FindPairs(AbutPotential pot, const AbutCandidates *c, const PairSet *set, const PetscReal xt[], PetscReal *min_dist2)
{
  AbutSmooth     *sm    = pot->data;
  const PetscReal dhat2 = pot->dhat * pot->dhat;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < set->count; p++) {
    const PetscInt *v = PairOf(set, p);
    PetscInt        a, b, n;
    PetscReal       x[12], s;
    AbutSmoothPair  pairs[ABUT_SMOOTH_MAX_SPLIT];
    if (!IsNear(set, c->dim, v, xt, PetscMax(dhat2, *min_dist2), x, &s)) continue;
    *min_dist2 = PetscMin(*min_dist2, s);
    if (s >= dhat2) continue;
    a = set->kind == ABUT_PAIR_FV ? c->rings->fv_face[p] : set->kind == ABUT_PAIR_EE ? c->rings->ee_edge[p][0] : c->rings->ev_edge[p];
    b = set->kind == ABUT_PAIR_EE ? c->rings->ee_edge[p][1] : v[0];
    n = AbutSmoothSplit(sm->surface, sm->spec.member, &sm->ranges, set->kind, a, b, PetscSqrtReal(s), xt, pairs);
    if (sm->spec.samples > 0) n = KeepNear(sm, c, s, xt, n, pairs);
    PetscCall(Keep(sm, n, pairs, -1));
    if (sm->spec.samples > 0) PetscCall(FindSamples(pot, c, a, b, xt));
  }
  PetscFunctionReturn(0);
}

/* Vertices near edges without faces: their distances are among those of the faces and edges. */
static PetscErrorCode FindFree(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutSmooth *sm = pot->data;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < c->rings->num_free_ev; p++) {
    const PetscInt *ev = c->rings->free_ev[p];
    AbutSmoothPair  pairs[ABUT_SMOOTH_MAX_SPLIT];
    const PetscReal dist = AbutSmoothCandidateDistance(sm->surface, ABUT_PAIR_EV, ev[1], ev[0], xt);
    const PetscInt  n    = AbutSmoothSplit(sm->surface, sm->spec.member, &sm->ranges, ABUT_PAIR_EV, ev[1], ev[0], dist, xt, pairs);
    PetscCall(Keep(sm, n, pairs, -1));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSmoothFind(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *min_dist2)
{
  AbutSmooth *sm = pot->data;
  PairSet     sets[NUM_SETS];

  PetscFunctionBegin;
  PetscCall(AbutSmoothTakeSurface(pot, c));
  sm->num_found = sm->known.search = 0;
  *min_dist2                       = PETSC_INFINITY;
  PairSets(c, sets);
  for (int i = 0; i < NUM_SETS; i++) PetscCall(FindPairs(pot, c, &sets[i], xt, min_dist2));
  PetscCall(FindFree(pot, c, xt));
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const PetscReal h         = PlaneHeight(c, c->pv[i][0], c->pv[i][1], xt),
                    range     = sm->ranges.vertex ? sm->ranges.vertex[c->pv[i][1]] : pot->dhat;
    const AbutSmoothPair pair = {ABUT_PAIR_VV, c->pv[i][1], -1, range};
    *min_dist2                = PetscMin(*min_dist2, h > 0 ? h * h : 0);
    if (h < range) PetscCall(Keep(sm, 1, &pair, c->pv[i][0]));
  }
  PetscFunctionReturn(0);
}
