/*
  Weights of the convergent potential. In 3D, with areas a at rest, p and q vertices, e and g edges without common vertex:

      face f, vertex p        a_p / 4; counts for the closest feature of the pair: the face, one of its edges or one of its vertices
      edges e, g              (a_e + a_g) / 4; likewise; a mollified pair (mollifier < 1) is a stencil of its own
      edge e, vertex p        -(k - 1) a_e / 4, k edges g at p that are not mollified with e; k = 0 compensates a mollified pair
                              -(k - 1) a_p / 4, k > 1 faces at e without p
      vertices p, q           +a_p / 4 if q is inside its surface and p is none of its neighbours; likewise with p and q exchanged

  and in 2D

      edge e, vertex p        a_p / 2
      vertices p, q           -(k - 1) a_p / 2, k > 1 edges at q without p; likewise with p and q exchanged

  The corrections, too, count for the closest feature of their pair; that of an edge and a vertex may be two vertices. Where more than two
  faces share an edge, the corrections could cancel the whole weight of its vertices; the vertex-vertex correction then leaves one.
*/
#include "convergent.h"

#define SLACK 1e-3 /* tolerance of cosines and edge parameters in tests that exclude pairs from the sums */

/* ---- areas ---- */

static PetscReal FaceArea(const AbutConvergentSurface *s, PetscInt f)
{
  const PetscInt *v = s->one_ring->faces[f];

  return AbutTriangleArea(s->rest + 3 * v[0], s->rest + 3 * v[1], s->rest + 3 * v[2]);
}

static const AbutConvergentEdge *EdgeOf(const AbutConvergentSurface *s, PetscInt e)
{
  const AbutOneRing  *r    = s->one_ring;
  AbutConvergentEdge *edge = &s->edge[e];

  if (edge->area >= 0) return edge;
  edge->length2 = AbutPointDist2(s->dim, s->rest + s->dim * r->edges[e][0], s->rest + s->dim * r->edges[e][1]);
  edge->area    = 0;
  for (PetscInt i = r->edge_face_start[e]; i < r->edge_face_start[e + 1]; i++) edge->area += FaceArea(s, r->edge_face[i]) / 3;
  if (!(edge->area > 0)) edge->area = PetscSqrtReal(edge->length2) * (s->dim == 3 ? s->length : 1);
  return edge;
}

PetscReal AbutConvergentEdgeArea(const AbutConvergentSurface *s, PetscInt e)
{
  return EdgeOf(s, e)->area;
}

PetscReal AbutConvergentVertexArea(const AbutConvergentSurface *s, PetscInt v)
{
  const AbutOneRing *r    = s->one_ring;
  PetscReal         *area = &s->vertex_area[v];

  if (*area >= 0) return *area;
  *area = 0;
  for (PetscInt i = r->vertex_face_start[v]; s->dim == 3 && i < r->vertex_face_start[v + 1]; i++)
    *area += FaceArea(s, r->vertex_face[i]) / 3;
  if (*area > 0) return *area;
  for (PetscInt i = r->vertex_edge_start[v]; i < r->vertex_edge_start[v + 1]; i++) *area += EdgeOf(s, r->vertex_edge[i])->area / 2;
  if (!(*area > 0)) *area = s->dim == 3 ? PetscSqr(s->length) : s->length;
  return *area;
}

/* ---- closest features ---- */

/* Closest features of a pair of n vertices v. */
static AbutClosest ClosestOf(const AbutConvergentSurface *s, AbutPairKind kind, PetscInt n, const PetscInt v[])
{
  AbutClosest closest;
  PetscReal   x[12];

  AbutGather(s->dim, n, v, s->x, x);
  AbutClosestFeatures(kind, s->dim, x, &closest);
  return closest;
}

/* Whether the closest features of vertex p and a face are p and the vertices at[n]. */
static PetscBool FaceComesClosestAt(const AbutConvergentSurface *s, PetscInt f, PetscInt p, PetscInt n, const PetscInt at[])
{
  const PetscInt   *face = s->one_ring->faces[f], v[4] = {p, face[0], face[1], face[2]};
  const AbutClosest closest = ClosestOf(s, ABUT_PAIR_FV, 4, v);
  PetscInt          met     = 0;

  for (PetscInt a = 1; a < closest.n; a++)
    for (PetscInt b = 0; b < n; b++) met += v[closest.v[a]] == at[b];
  return (PetscBool)(closest.n == n + 1 && met == n);
}

/* Whether the point of an edge that is closest to vertex p is its vertex q or, if q < 0, an inner point. */
static PetscBool EdgeComesClosestAt(const AbutConvergentSurface *s, PetscInt e, PetscInt p, PetscInt q)
{
  const PetscInt    v[3]    = {p, s->one_ring->edges[e][0], s->one_ring->edges[e][1]};
  const AbutClosest closest = ClosestOf(s, ABUT_PAIR_EV, 3, v);

  return (PetscBool)(q < 0 ? closest.form == ABUT_DIST_POINT_LINE : closest.form == ABUT_DIST_POINT_POINT && v[closest.v[1]] == q);
}

PetscReal AbutConvergentEdgeEdge(const AbutConvergentSurface *s, PetscInt a, PetscInt b, PetscInt v[4], PetscReal x[12])
{
  const PetscInt *edge[2] = {s->one_ring->edges[a], s->one_ring->edges[b]}, *id = s->id;
  const PetscInt  first = id[edge[0][0]] != id[edge[1][0]] ? id[edge[0][0]] > id[edge[1][0]] : id[edge[0][1]] > id[edge[1][1]];
  PetscReal       eps;

  for (int k = 0; k < 4; k++) v[k] = edge[k / 2 == 0 ? first : 1 - first][k % 2];
  AbutGather(3, 4, v, s->x, x);
  eps = EpsCross(EdgeOf(s, a)->length2, EdgeOf(s, b)->length2);
  return AbutEdgeEdgeCross2(x, NULL, NULL) < eps ? eps : 0;
}

/* Whether the closest points of two edges are vertex p of one and vertex q of the other or, if q < 0, an inner point of the other. */
static PetscBool EdgesComeClosestAt(const PetscInt v[4], const PetscReal x[12], PetscInt p, PetscInt q)
{
  AbutClosest closest;

  AbutClosestFeatures(ABUT_PAIR_EE, 3, x, &closest);
  if (q < 0) return (PetscBool)(closest.form == ABUT_DIST_POINT_LINE && v[closest.v[0]] == p);
  return (PetscBool)(closest.form == ABUT_DIST_POINT_POINT &&
                     ((v[closest.v[0]] == p && v[closest.v[1]] == q) || (v[closest.v[0]] == q && v[closest.v[1]] == p)));
}

/* (x - a) . (b - a) */
static PetscReal Along(const PetscReal a[3], const PetscReal b[3], const PetscReal x[3])
{
  PetscReal along = 0;

  for (int k = 0; k < 3; k++) along += (x[k] - a[k]) * (b[k] - a[k]);
  return along;
}

/* Whether edge e at q has points closer to p than q, beyond rounding; then q is not the closest feature of any pair with p. */
static PetscBool LeadsTo(const AbutConvergentSurface *s, PetscInt e, PetscInt q, PetscInt p)
{
  const PetscInt  *edge = s->one_ring->edges[e];
  const PetscReal *xq = s->x + 3 * q, *xp = s->x + 3 * p, *xo = s->x + 3 * (edge[0] == q ? edge[1] : edge[0]);

  return (PetscBool)(Along(xq, xo, xp) > SLACK * PetscSqrtReal(AbutPointDist2(3, xp, xq) * AbutPointDist2(3, xo, xq)));
}

/* Whether the projection of p on the line of an edge lies on the edge, within SLACK. */
static PetscBool IsBeside(const AbutConvergentSurface *s, PetscInt e, PetscInt p)
{
  const PetscReal *a = s->x + 3 * s->one_ring->edges[e][0], *b = s->x + 3 * s->one_ring->edges[e][1];
  const PetscReal  along = Along(a, b, s->x + 3 * p), size = AbutPointDist2(3, a, b);

  return (PetscBool)(along >= -SLACK * size && along <= (1 + SLACK) * size);
}

/* ---- sums ---- */

/*
  Multiple of the area of edge e in the corrections for e and the edges at vertex p. at: vertex of e that is the closest feature, -1 if an
  inner point is. candidate: pairs may be closest there. Adds the areas of the other edges to `sum`, unless it is NULL.
*/
static PetscInt CountEdges(const AbutConvergentSurface *s, PetscInt e, PetscInt p, PetscInt at, PetscBool candidate, PetscBool closest,
                           PetscReal *sum)
{
  const AbutOneRing *r     = s->one_ring;
  PetscInt           plain = 0, met = 0, all = 0;

  for (PetscInt i = r->vertex_edge_start[p]; i < r->vertex_edge_start[p + 1]; i++) {
    const PetscInt g = r->vertex_edge[i];
    PetscInt       v[4];
    PetscReal      x[12];
    if (EdgesMeet(r, e, g)) continue;
    all++;
    if (AbutConvergentEdgeEdge(s, e, g, v, x) > 0) continue;
    plain++;
    if (!candidate || (at >= 0 && LeadsTo(s, g, p, at)) || !EdgesComeClosestAt(v, x, p, at)) continue;
    met++;
    if (sum) *sum += AbutConvergentEdgeArea(s, g);
  }
  return met - (all && closest ? plain - 1 : 0);
}

/* Number of faces at an edge without vertex p. */
static PetscInt CountOpposite(const AbutOneRing *r, PetscInt e, PetscInt p)
{
  PetscInt count = 0;

  for (PetscInt i = r->edge_face_start[e]; i < r->edge_face_start[e + 1]; i++) count += !FaceHas(r, r->edge_face[i], p);
  return count;
}

/* Sums integer multiples of each area first, so that areas cancel exactly. */
PetscReal AbutConvergentWeightEV(const AbutConvergentSurface *s, PetscInt e, PetscInt p)
{
  const AbutOneRing *r       = s->one_ring;
  const PetscBool    closest = EdgeComesClosestAt(s, e, p, -1);
  const PetscInt     k       = CountOpposite(r, e, p);
  PetscReal          others  = 0;
  PetscInt           count_e, count_p = closest && k > 1 ? 1 - k : 0;

  if (s->dim == 2) return closest ? AbutConvergentVertexArea(s, p) / 2 : 0;
  if (!closest && !IsBeside(s, e, p)) return 0;
  for (PetscInt i = r->edge_face_start[e]; i < r->edge_face_start[e + 1]; i++) {
    const PetscInt f = r->edge_face[i];
    if (!FaceHas(r, f, p)) count_p += FaceComesClosestAt(s, f, p, 2, r->edges[e]);
  }
  count_e = CountEdges(s, e, p, -1, PETSC_TRUE, closest, &others);
  return ((PetscReal)count_p * AbutConvergentVertexArea(s, p) + (PetscReal)count_e * AbutConvergentEdgeArea(s, e) + others) / 4;
}

/* Whether a vertex has an edge with two faces (the authors' criterion of an inner vertex) and is no neighbour of p. */
static PetscBool IsInsideApart(const AbutOneRing *r, PetscInt q, PetscInt p)
{
  PetscBool inside = PETSC_FALSE;

  for (PetscInt i = r->vertex_edge_start[q]; i < r->vertex_edge_start[q + 1]; i++) {
    const PetscInt e = r->vertex_edge[i];
    if (EdgeHas(r, e, p)) return PETSC_FALSE;
    if (r->edge_face_start[e + 1] - r->edge_face_start[e] >= 2) inside = PETSC_TRUE;
  }
  return inside;
}

/* 4 times the contribution of the faces and edges at vertex q to the weight of the stencil of p and q. */
static PetscReal Share3D(const AbutConvergentSurface *s, PetscInt p, PetscInt q)
{
  const AbutOneRing *r     = s->one_ring;
  PetscReal          sum   = 0;
  PetscInt           count = 0, faces = 0, taken = 0;

  for (PetscInt i = r->vertex_face_start[q]; i < r->vertex_face_start[q + 1]; i++) {
    if (FaceHas(r, r->vertex_face[i], p)) continue;
    faces++;
    count += FaceComesClosestAt(s, r->vertex_face[i], p, 1, &q);
  }
  for (PetscInt i = r->vertex_edge_start[q]; i < r->vertex_edge_start[q + 1]; i++) {
    const PetscInt e = r->vertex_edge[i], k = CountOpposite(r, e, p);
    PetscBool      closest, candidate;
    PetscInt       count_e;
    if (EdgeHas(r, e, p)) continue;
    if (k > 1) taken += k - 1;
    closest   = EdgeComesClosestAt(s, e, p, q);
    candidate = (PetscBool)!LeadsTo(s, e, q, p);
    if (!closest && !candidate) continue;
    if (closest && k > 1) count -= k - 1;
    count_e = CountEdges(s, e, p, q, candidate, closest, NULL);
    sum += (PetscReal)count_e * AbutConvergentEdgeArea(s, e);
  }
  if (faces) count += PetscMax((PetscInt)IsInsideApart(r, q, p), 1 - faces + taken);
  return sum + (PetscReal)count * AbutConvergentVertexArea(s, p);
}

/* 2D: twice the contribution of the edges at vertex q to the weight of the stencil of p and q. */
static PetscReal Share2D(const AbutConvergentSurface *s, PetscInt p, PetscInt q)
{
  const AbutOneRing *r     = s->one_ring;
  PetscInt           count = 0, edges = 0;

  for (PetscInt i = r->vertex_edge_start[q]; i < r->vertex_edge_start[q + 1]; i++) {
    if (EdgeHas(r, r->vertex_edge[i], p)) continue;
    edges++;
    count += EdgeComesClosestAt(s, r->vertex_edge[i], p, q);
  }
  if (edges > 1) count -= edges - 1;
  return (PetscReal)count * AbutConvergentVertexArea(s, p);
}

PetscReal AbutConvergentWeightVV(const AbutConvergentSurface *s, PetscInt p, PetscInt q)
{
  const PetscInt low = s->id[p] < s->id[q] ? p : q, high = low == p ? q : p;

  return s->dim == 2 ? (Share2D(s, low, high) + Share2D(s, high, low)) / 2 : (Share3D(s, low, high) + Share3D(s, high, low)) / 4;
}
