/* One-ring neighbourhoods of the vertices and edges of a surface, as CSR lists. */
#include "orientedimpl.h"

enum { VERTICES, EDGES };

static PetscErrorCode CopyInput(AbutOrientedSurface *s, const PetscInt edges[][2], const PetscInt faces[][3], const PetscBool oriented[])
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc4(s->num_edges, &s->edges, s->num_faces, &s->faces, s->num_faces, &s->face_edge, s->num_vertices, &s->oriented));
  PetscCall(PetscArraycpy((PetscInt *)s->edges, (const PetscInt *)edges, 2 * s->num_edges));
  PetscCall(PetscArraycpy((PetscInt *)s->faces, (const PetscInt *)faces, 3 * s->num_faces));
  for (PetscInt v = 0; v < s->num_vertices; v++) s->oriented[v] = oriented ? oriented[v] : PETSC_TRUE;
  PetscFunctionReturn(0);
}

static void Accumulate(PetscInt n, PetscInt start[])
{
  for (PetscInt i = 0; i < n; i++) start[i + 1] += start[i];
}

/* Restores start[] after filling, which advances each start to the end of its list. */
static void Rewind(PetscInt n, PetscInt start[])
{
  for (PetscInt i = n; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

/* Stencil of a vertex: the vertex, then the other ends of its edges. */
static PetscErrorCode VertexStencils(AbutOrientedSurface *s)
{
  const PetscInt n = s->num_vertices;
  PetscInt      *start;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + 1, &start));
  for (PetscInt v = 0; v < n; v++) start[v + 1] = 1;
  for (PetscInt e = 0; e < s->num_edges; e++) {
    for (int k = 0; k < 2; k++) start[s->edges[e][k] + 1]++;
  }
  Accumulate(n, start);
  PetscCall(PetscMalloc1(start[n], &s->ring[VERTICES].v));
  for (PetscInt v = 0; v < n; v++) s->ring[VERTICES].v[start[v]++] = v;
  for (PetscInt e = 0; e < s->num_edges; e++) {
    for (int k = 0; k < 2; k++) s->ring[VERTICES].v[start[s->edges[e][k]]++] = s->edges[e][1 - k];
  }
  Rewind(n, start);
  s->ring[VERTICES].start = start;
  PetscFunctionReturn(0);
}

static PetscInt PositionOf(PetscInt n, const PetscInt v[], PetscInt vertex)
{
  for (PetscInt k = 0; k < n; k++)
    if (v[k] == vertex) return k;
  return -1;
}

static PetscInt RingPosition(const AbutOrientedSurface *s, int which, PetscInt i, PetscInt vertex)
{
  const PetscInt *start = s->ring[which].start + i;
  return PositionOf(start[1] - start[0], s->ring[which].v + start[0], vertex);
}

/* Sets the edges of each face, searched among the edges of the lower vertex. */
static PetscErrorCode FaceEdges(AbutOrientedSurface *s)
{
  PetscInt *start, *list;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(s->num_vertices + 1, &start));
  PetscCall(PetscMalloc1(s->num_edges, &list));
  for (PetscInt e = 0; e < s->num_edges; e++) start[PetscMin(s->edges[e][0], s->edges[e][1]) + 1]++;
  Accumulate(s->num_vertices, start);
  for (PetscInt e = 0; e < s->num_edges; e++) list[start[PetscMin(s->edges[e][0], s->edges[e][1])]++] = e;
  Rewind(s->num_vertices, start);
  for (PetscInt f = 0; f < s->num_faces; f++) {
    for (int k = 0; k < 3; k++) {
      const PetscInt a = s->faces[f][k], b = s->faces[f][(k + 1) % 3], low = PetscMin(a, b), high = PetscMax(a, b);
      s->face_edge[f][k] = -1;
      for (PetscInt i = start[low]; i < start[low + 1]; i++) {
        if (s->edges[list[i]][0] + s->edges[list[i]][1] == low + high) s->face_edge[f][k] = list[i];
      }
      PetscCheck(s->face_edge[f][k] >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "Edge %" PetscInt_FMT "-%" PetscInt_FMT " of face %" PetscInt_FMT " is not among the edges", a, b, f);
    }
  }
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(0);
}

/* Stencil of an edge: its ends, then the third vertices of its faces. */
static PetscErrorCode EdgeStencils(AbutOrientedSurface *s)
{
  const PetscInt n = s->num_edges;
  PetscInt      *start, *v;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + 1, &start));
  for (PetscInt e = 0; e < n; e++) start[e + 1] = 2;
  for (PetscInt i = 0; i < 3 * s->num_faces; i++) start[s->face_edge[i / 3][i % 3] + 1]++;
  Accumulate(n, start);
  PetscCall(PetscMalloc1(start[n], &v));
  for (PetscInt e = 0; e < n; e++) {
    for (int k = 0; k < 2; k++) v[start[e]++] = s->edges[e][k];
  }
  for (PetscInt f = 0; f < s->num_faces; f++) {
    for (int k = 0; k < 3; k++) v[start[s->face_edge[f][k]]++] = s->faces[f][(k + 2) % 3];
  }
  Rewind(n, start);
  s->ring[EDGES].start = start;
  s->ring[EDGES].v     = v;
  PetscFunctionReturn(0);
}

/* Sets the normals of vertices or edges: vertices of the faces as positions in the stencil. owner[f][k]: primitive k of face f. */
static PetscErrorCode FaceNormals(AbutOrientedSurface *s, int which, PetscInt n, PetscInt (*owner)[3])
{
  PetscInt *start;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + 1, &start));
  for (PetscInt i = 0; i < 3 * s->num_faces; i++) start[owner[i / 3][i % 3] + 1]++;
  Accumulate(n, start);
  PetscCall(PetscMalloc1(start[n], &s->ring[which].normal));
  for (PetscInt f = 0; f < s->num_faces; f++) {
    for (int k = 0; k < 3; k++) {
      const PetscInt i      = owner[f][k];
      PetscInt      *normal = s->ring[which].normal[start[i]++];
      for (int j = 0; j < 3; j++) normal[j] = RingPosition(s, which, i, s->faces[f][j]);
    }
  }
  Rewind(n, start);
  s->ring[which].first_normal = start;
  PetscFunctionReturn(0);
}

/* 2D: a vertex has normals if one edge ends and one edge starts there. */
static PetscErrorCode VertexNormals2D(AbutOrientedSurface *s)
{
  const PetscInt n = s->num_vertices;
  PetscInt(*next)[2], *ends, *start;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &next, n, &ends));
  PetscCall(PetscCalloc1(n + 1, &start));
  PetscCall(PetscArrayzero(ends, n));
  for (PetscInt v = 0; v < n; v++) next[v][0] = next[v][1] = -1;
  for (PetscInt e = 0; e < s->num_edges; e++) {
    for (int k = 0; k < 2; k++) {
      ends[s->edges[e][k]]++;
      next[s->edges[e][k]][k] = s->edges[e][1 - k];
    }
  }
  for (PetscInt v = 0; v < n; v++) start[v + 1] = start[v] + (ends[v] == 2 && next[v][0] >= 0 && next[v][1] >= 0 ? 2 : 0);
  PetscCall(PetscMalloc1(start[n], &s->ring[VERTICES].normal));
  for (PetscInt v = 0; v < n; v++) {
    if (start[v + 1] == start[v]) continue;
    for (int k = 0; k < 2; k++) {
      PetscInt *normal = s->ring[VERTICES].normal[start[v] + k];
      normal[k]        = 0;
      normal[1 - k]    = RingPosition(s, VERTICES, v, next[v][k]);
      normal[2]        = -1;
    }
  }
  PetscCall(PetscFree2(next, ends));
  s->ring[VERTICES].first_normal = start;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedSurfaceCreate(PetscInt dim, PetscInt num_vertices, PetscInt num_edges, const PetscInt edges[][2],
                                         PetscInt num_faces, const PetscInt faces[][3], const PetscBool oriented[],
                                         AbutOrientedSurface **surface)
{
  AbutOrientedSurface *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  s->dim          = dim;
  s->num_vertices = num_vertices;
  s->num_edges    = num_edges;
  s->num_faces    = num_faces;
  PetscCall(CopyInput(s, edges, faces, oriented));
  PetscCall(VertexStencils(s));
  PetscCall(FaceEdges(s));
  PetscCall(EdgeStencils(s));
  if (dim == 3) {
    PetscCall(FaceNormals(s, VERTICES, num_vertices, s->faces));
    PetscCall(FaceNormals(s, EDGES, num_edges, s->face_edge));
  } else
    PetscCall(VertexNormals2D(s));
  *surface = s;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedSurfaceDestroy(AbutOrientedSurface **surface)
{
  AbutOrientedSurface *s = *surface;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  PetscCall(PetscFree4(s->edges, s->faces, s->face_edge, s->oriented));
  for (int which = 0; which < 2; which++) {
    PetscCall(PetscFree(s->ring[which].start));
    PetscCall(PetscFree(s->ring[which].v));
    PetscCall(PetscFree(s->ring[which].first_normal));
    PetscCall(PetscFree(s->ring[which].normal));
  }
  PetscCall(PetscFree(*surface));
  PetscFunctionReturn(0);
}

/* A primitive without faces (2D: edges) has no orientation. */
void AbutOrientedGetPrimitive(const AbutOrientedSurface *s, AbutOrientedKind kind, PetscInt i, AbutOrientedPrimitive *p)
{
  static const PetscInt own[1][3]     = {{0, 1, 2}};
  const PetscInt        num_own[]     = {1, 2, 3};
  const PetscBool       is_own_normal = (PetscBool)(kind == ABUT_ORIENTED_FACE || (s->dim == 2 && kind == ABUT_ORIENTED_EDGE));

  p->kind = kind;
  if (kind == ABUT_ORIENTED_FACE) {
    p->n = 3;
    p->v = s->faces[i];
  } else {
    p->n = s->ring[kind].start[i + 1] - s->ring[kind].start[i];
    p->v = s->ring[kind].v + s->ring[kind].start[i];
  }
  if (is_own_normal) {
    p->num_normals = 1;
    p->normal      = own;
  } else {
    const PetscInt *first = s->ring[kind].first_normal + i;
    p->num_normals        = first[1] - first[0];
    p->normal             = (const PetscInt(*)[3])(s->ring[kind].normal + first[0]);
  }
  p->oriented = (PetscBool)(p->num_normals > 0);
  for (PetscInt k = 0; k < num_own[kind]; k++) p->oriented = (PetscBool)(p->oriented && s->oriented[p->v[k]]);
}
