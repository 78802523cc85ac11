/*
  Search for the stencils of the convergent potential at a state. An edge-vertex or vertex-vertex stencil belongs to several candidates:
  one for every face (2D: edge) and every two edges around it. It is created for the first of them only, on the rank with that candidate:

      edge e, vertex p    from p and the first face at e without p; if there is none, from e and the first edge at p that does not meet e
      vertices p, q       p the lower id: from p and the first face at q without p; if there is none, from q and the first face at p without
                          q; if there is none either, from the first two edges at p and q that do not meet

  On closed surfaces there is always a face without p; at corners of sheets and on curves there may be none. In 2D, edges take the role of
  faces.
*/
#include "convergent.h"

typedef struct {
  AbutConvergentSurface *s;
  AbutStencilSet        *set;
  const AbutCandidates  *c;
  PetscReal              shat;
} Search;

/* ---- one stencil ---- */

static PetscErrorCode Add(Search *f, PetscInt n, const PetscInt v[], AbutDistForm form, PetscReal weight, PetscReal dist2)
{
  AbutStencil st = {.n = n, .v = {-1, -1, -1, -1}, .form = form, .plane = -1, .weight = weight, .dist2 = dist2};

  PetscFunctionBegin;
  if (weight == 0) PetscFunctionReturn(0);
  for (PetscInt a = 0; a < n; a++) st.v[a] = v[a];
  PetscCall(AbutStencilSetAdd(f->set, &st));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddEV(Search *f, PetscInt e, PetscInt p)
{
  const PetscInt *edge = f->s->one_ring->edges[e], swap = f->s->id[edge[0]] > f->s->id[edge[1]];
  const PetscInt  v[3] = {p, edge[swap], edge[1 - swap]};
  PetscReal       x[9];

  PetscFunctionBegin;
  AbutGather(f->s->dim, 3, v, f->s->x, x);
  if (AbutPairDist2(ABUT_PAIR_EV, f->s->dim, x) < f->shat)
    PetscCall(
      Add(f, 3, v, ABUT_DIST_POINT_LINE, AbutConvergentWeightEV(f->s, e, p), AbutDist2(ABUT_DIST_POINT_LINE, f->s->dim, x, NULL, NULL)));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddVV(Search *f, PetscInt p, PetscInt q)
{
  const PetscInt swap = f->s->id[p] > f->s->id[q], v[2] = {swap ? q : p, swap ? p : q};
  PetscReal      x[6], dist2;

  PetscFunctionBegin;
  AbutGather(f->s->dim, 2, v, f->s->x, x);
  dist2 = AbutDist2(ABUT_DIST_POINT_POINT, f->s->dim, x, NULL, NULL);
  if (dist2 < f->shat) PetscCall(Add(f, 2, v, ABUT_DIST_POINT_POINT, AbutConvergentWeightVV(f->s, p, q), dist2));
  PetscFunctionReturn(0);
}

/* ---- faces and vertices; 2D: edges and vertices ---- */

static inline PetscInt FirstWithout(const AbutConvergentSurface *s, PetscInt at, PetscInt v)
{
  return s->dim == 3 ? VertexFaceWithout(s->one_ring, at, v) : VertexEdgeWithout(s->one_ring, at, v);
}

/* Stencils of vertex p with the vertices of a face (2D: edge) within dhat of p. */
static PetscErrorCode SplitVertices(Search *f, PetscInt p, PetscInt face, PetscInt n, const PetscInt v[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt q = v[k];
    if (FirstWithout(f->s, q, p) != face) continue;
    if (f->s->id[p] < f->s->id[q] || FirstWithout(f->s, p, q) < 0) PetscCall(AddVV(f, p, q));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SplitFV(Search *f, const PetscInt v[4], const PetscReal x[12], PetscReal s, PetscInt face)
{
  const AbutOneRing *r = f->s->one_ring;
  AbutClosest        closest;

  PetscFunctionBegin;
  AbutClosestFeatures(ABUT_PAIR_FV, 3, x, &closest);
  if (closest.form == ABUT_DIST_POINT_PLANE) PetscCall(Add(f, 4, v, ABUT_DIST_POINT_PLANE, AbutConvergentVertexArea(f->s, v[0]) / 4, s));
  for (int k = 0; k < 3; k++)
    if (EdgeFaceWithout(r, r->face_edge[face][k], v[0]) == face) PetscCall(AddEV(f, r->face_edge[face][k], v[0]));
  PetscCall(SplitVertices(f, v[0], face, 3, r->faces[face]));
  PetscFunctionReturn(0);
}

/* ---- edges and edges ---- */

/* One stencil of a mollified pair: between the closest features of the pair, or of an end of one edge and the other edge. */
typedef struct {
  AbutDistForm form;
  PetscInt     at[4], count[2]; /* order of the pair's points in the stencil; multiples of the areas of both edges in its weight */
} Feature;

static void CountFeature(Feature list[5], PetscInt *n, AbutDistForm form, PetscInt i, PetscInt j, PetscInt count_a, PetscInt count_b)
{
  const PetscInt other = i < 2 ? 2 : 0; /* first vertex of the other edge */
  Feature        one   = {form, {0, 1, 2, 3}, {count_a, count_b}};

  if (form == ABUT_DIST_POINT_POINT && j < i) {
    CountFeature(list, n, form, j, i, count_a, count_b);
    return;
  }
  if (form != ABUT_DIST_LINE_LINE) {
    one.at[0] = i;
    one.at[1] = i ^ 1;
    one.at[2] = form == ABUT_DIST_POINT_POINT ? j : other;
    one.at[3] = one.at[2] ^ 1;
  }
  for (PetscInt k = 0; k < *n; k++) {
    if (list[k].form != form || list[k].at[0] != one.at[0] || list[k].at[2] != one.at[2]) continue;
    list[k].count[0] += count_a;
    list[k].count[1] += count_b;
    return;
  }
  list[(*n)++] = one;
}

static void ListFeatures(const PetscReal x[12], PetscReal shat, Feature list[5], PetscInt *n)
{
  AbutClosest closest;

  *n = 0;
  AbutClosestFeatures(ABUT_PAIR_EE, 3, x, &closest);
  CountFeature(list, n, closest.form, closest.v[0], closest.v[1], 1, 1);
  for (PetscInt i = 0; i < 4; i++) { /* point i and the other edge */
    const PetscInt first = i < 2 ? 2 : 0, v[3] = {i, first, first + 1};
    PetscReal      y[9];
    AbutGather(3, 3, v, x, y);
    if (!(AbutPairDist2(ABUT_PAIR_EV, 3, y) < shat)) continue;
    AbutClosestFeatures(ABUT_PAIR_EV, 3, y, &closest);
    CountFeature(list, n, closest.form, i, v[closest.v[1]], first ? 0 : -1, first ? -1 : 0);
  }
}

static PetscErrorCode AddMollified(Search *f, PetscInt a, PetscInt b, const PetscInt v[4], const PetscReal x[12], PetscReal eps)
{
  const PetscBool turned  = (PetscBool)(v[0] != f->s->one_ring->edges[a][0]); /* b comes first */
  const PetscReal area[2] = {AbutConvergentEdgeArea(f->s, turned ? b : a), AbutConvergentEdgeArea(f->s, turned ? a : b)};
  Feature         list[5];
  PetscInt        n;

  PetscFunctionBegin;
  ListFeatures(x, f->shat, list, &n);
  for (PetscInt k = 0; k < n; k++) {
    AbutStencil st = {.n = 4, .form = list[k].form, .plane = -1, .eps_cross = eps, .fixed = PETSC_TRUE};
    PetscReal   y[9];
    PetscInt    at[4], m = AbutStencilFixedPoints(st.form, at);
    st.weight = ((PetscReal)list[k].count[0] * area[0] + (PetscReal)list[k].count[1] * area[1]) / 4;
    if (st.weight == 0) continue;
    for (int i = 0; i < 4; i++) st.v[i] = v[list[k].at[i]];
    for (PetscInt i = 0; i < m; i++) at[i] = list[k].at[at[i]];
    if (m < 4) AbutGather(3, m, at, x, y);
    st.dist2 = AbutDist2(st.form, 3, m < 4 ? y : x, NULL, NULL);
    PetscCall(AbutStencilSetAdd(f->set, &st));
  }
  PetscFunctionReturn(0);
}

static PetscInt FirstApart(const AbutOneRing *r, PetscInt e, PetscInt p)
{
  for (PetscInt i = r->vertex_edge_start[p]; i < r->vertex_edge_start[p + 1]; i++)
    if (!EdgesMeet(r, e, r->vertex_edge[i])) return r->vertex_edge[i];
  return -1;
}

/* Whether a at p and b at q are the first two edges at p and q without a common vertex. */
static PetscBool AreFirstApart(const AbutOneRing *r, PetscInt p, PetscInt a, PetscInt q, PetscInt b)
{
  for (PetscInt i = r->vertex_edge_start[p]; i < r->vertex_edge_start[p + 1]; i++) {
    const PetscInt g = EdgeHas(r, r->vertex_edge[i], q) ? -1 : FirstApart(r, r->vertex_edge[i], q);
    if (g >= 0) return (PetscBool)(r->vertex_edge[i] == a && g == b);
  }
  return PETSC_FALSE;
}

/* Adds the stencils that no face represents: edge a with the ends of b, ends of a with ends of b. */
static PetscErrorCode SplitBare(Search *f, PetscInt a, PetscInt b, PetscBool first)
{
  const AbutOneRing *r = f->s->one_ring;

  PetscFunctionBegin;
  for (int j = 0; j < 2; j++) {
    const PetscInt q = r->edges[b][j];
    if (EdgeFaceWithout(r, a, q) < 0 && FirstApart(r, a, q) == b) PetscCall(AddEV(f, a, q));
    for (int i = 0; i < 2 && first; i++) {
      const PetscInt  p     = r->edges[a][i];
      const PetscBool lower = (PetscBool)(f->s->id[p] < f->s->id[q]);
      if (VertexFaceWithout(r, p, q) >= 0 || VertexFaceWithout(r, q, p) >= 0) continue;
      if (lower ? AreFirstApart(r, p, a, q, b) : AreFirstApart(r, q, b, p, a)) PetscCall(AddVV(f, p, q));
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SplitEE(Search *f, PetscInt a, PetscInt b, PetscReal s)
{
  PetscInt        v[4];
  PetscReal       x[12];
  const PetscReal eps = AbutConvergentEdgeEdge(f->s, a, b, v, x);

  PetscFunctionBegin;
  if (eps > 0) {
    PetscCall(AddMollified(f, a, b, v, x, eps));
  } else {
    AbutClosest closest;
    AbutClosestFeatures(ABUT_PAIR_EE, 3, x, &closest);
    if (closest.form == ABUT_DIST_LINE_LINE)
      PetscCall(Add(f, 4, v, ABUT_DIST_LINE_LINE, (AbutConvergentEdgeArea(f->s, a) + AbutConvergentEdgeArea(f->s, b)) / 4, s));
  }
  PetscCall(SplitBare(f, a, b, PETSC_TRUE));
  PetscCall(SplitBare(f, b, a, PETSC_FALSE));
  PetscFunctionReturn(0);
}

/* ---- all ---- */

static PetscErrorCode Split(AbutPairKind kind, PetscInt p, const PetscInt v[], const PetscReal x[], PetscReal s, void *ctx)
{
  Search               *f = ctx;
  const AbutCandidates *c = f->c;

  PetscFunctionBegin;
  if (!(s > 0)) PetscFunctionReturn(0);
  if (kind == ABUT_PAIR_FV) {
    PetscCall(SplitFV(f, v, x, s, c->fv_face[p]));
  } else if (kind == ABUT_PAIR_EE) {
    PetscCall(SplitEE(f, c->ee_edge[p][0], c->ee_edge[p][1], s));
  } else {
    PetscCall(AddEV(f, c->ev_edge[p], v[0]));
    PetscCall(SplitVertices(f, v[0], c->ev_edge[p], 2, v + 1));
  }
  PetscFunctionReturn(0);
}

/* Updates the surface. Areas are computed again if the one-ring topology has changed. */
static PetscErrorCode TakeSurface(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutConvergent        *cv = pot->data;
  AbutConvergentSurface *s  = &cv->surface;
  const AbutOneRing     *r  = c->one_ring;

  PetscFunctionBegin;
  PetscCheck(r, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Potential \"%s\" needs AbutContactSetOneRing() before the search", pot->info->name);
  if (s->one_ring != r || cv->version != r->version || cv->num_vertices != c->num_vertices) {
    PetscCall(AbutReserve(c->num_vertices, &cv->vertex_capacity, &s->vertex_area));
    PetscCall(AbutReserve(r->num_edges, &cv->edge_capacity, &s->edge));
    for (PetscInt v = 0; v < c->num_vertices; v++) s->vertex_area[v] = -1;
    for (PetscInt e = 0; e < r->num_edges; e++) s->edge[e].area = -1;
    s->one_ring      = r;
    cv->version      = r->version;
    cv->num_vertices = c->num_vertices;
  }
  s->dim  = c->dim;
  s->rest = c->rest;
  s->id   = c->vertex_id;
  s->x    = xt;
  PetscFunctionReturn(0);
}

/*
  The weight of a half-space contact is the whole area of the vertex: as large as the weights of all pairs between two surfaces together.
*/
PetscErrorCode AbutConvergentFind(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], AbutStencilSet *set)
{
  AbutConvergent *cv = pot->data;
  Search          f  = {&cv->surface, set, c, pot->dhat * pot->dhat};
  PetscInt        num_pairs;

  PetscFunctionBegin;
  PetscCall(TakeSurface(pot, c, xt));
  AbutStencilSetBegin(set, c);
  PetscCall(AbutCandidatesVisit(c, xt, f.shat, &set->min_dist2, Split, &f));
  num_pairs = set->num_found;
  PetscCall(AbutStencilSetAddPlanes(set, xt, f.shat));
  for (PetscInt k = num_pairs; k < set->num_found; k++) set->found[k].weight = AbutConvergentVertexArea(f.s, set->found[k].v[0]);
  PetscFunctionReturn(0);
}
