/* Stencils of the vertices and edges of a surface, from its one-rings. */
#include "orientedimpl.h"

/*
  Incidence: a list of the primitives at a vertex or edge. Stencils use the edges at a vertex, normals its faces; both use the faces at an
  edge. Corner k of primitive i is owner[width i + k].
*/
typedef struct {
  PetscInt        count, width;
  const PetscInt *owner, *start;
} Incidence;

static Incidence IncidenceOf(const AbutOrientedSurface *s, AbutOrientedKind kind, PetscBool normals)
{
  const AbutOneRing *r = s->r;

  if (kind == ABUT_ORIENTED_EDGE) return (Incidence){r->num_faces, 3, (const PetscInt *)r->face_edge, r->edge_face_start};
  if (normals) return (Incidence){r->num_faces, 3, (const PetscInt *)r->faces, r->vertex_face_start};
  return (Incidence){r->num_edges, 2, (const PetscInt *)r->edges, r->vertex_edge_start};
}

/* Sets the stencils: the one of primitive i begins at start[i] + own i, because each has `own` vertices of its own. */
static PetscErrorCode SetStencils(AbutOrientedSurface *s, AbutOrientedKind kind)
{
  const Incidence at  = IncidenceOf(s, kind, PETSC_FALSE);
  const PetscInt  own = (PetscInt)kind + 1, n = s->num[kind];
  const PetscInt *v = (const PetscInt *)(kind == ABUT_ORIENTED_EDGE ? (const void *)s->r->faces : (const void *)s->r->edges);
  PetscInt       *next, *stencil;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &next));
  PetscCall(PetscMalloc1(at.start[n] + own * n, &stencil));
  for (PetscInt i = 0; i < n; i++) {
    next[i] = at.start[i] + own * i;
    for (PetscInt k = 0; k < own; k++) stencil[next[i]++] = kind == ABUT_ORIENTED_EDGE ? s->r->edges[i][k] : i;
  }
  for (PetscInt i = 0; i < at.count * at.width; i++) {
    const PetscInt k             = i % at.width;
    stencil[next[at.owner[i]]++] = v[i - k + (k + at.width - 1) % at.width];
  }
  s->stencil[kind] = stencil;
  PetscCall(PetscFree(next));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetNormals(AbutOrientedSurface *s, AbutOrientedKind kind)
{
  const Incidence at = IncidenceOf(s, kind, PETSC_TRUE);
  PetscInt       *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->num[kind], &next));
  PetscCall(PetscMalloc1(at.start[s->num[kind]], &s->normal[kind]));
  PetscCall(PetscArraycpy(next, at.start, s->num[kind]));
  for (PetscInt i = 0; i < 3 * at.count; i++) {
    PetscInt             *normal = s->normal[kind][next[at.owner[i]]++];
    AbutOrientedPrimitive p;
    AbutOrientedGetPrimitive(s, kind, at.owner[i], &p);
    for (int j = 0; j < 3; j++) {
      for (normal[j] = 0; p.v[normal[j]] != s->r->faces[i / 3][j];) normal[j]++;
    }
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedSurfaceCreate(PetscInt dim, PetscInt num_vertices, const AbutOneRing *r, AbutOrientedSurface **surface)
{
  AbutOrientedSurface *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *s = (AbutOrientedSurface){.dim = dim, .num = {num_vertices, r->num_edges, r->num_faces}, .r = r};
  for (int kind = 0; kind < 2; kind++) {
    PetscCall(SetStencils(s, (AbutOrientedKind)kind));
    if (dim == 3) PetscCall(SetNormals(s, (AbutOrientedKind)kind));
  }
  *surface = s;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedSurfaceDestroy(AbutOrientedSurface **surface)
{
  PetscFunctionBegin;
  for (int kind = 0; *surface && kind < 2; kind++) {
    PetscCall(PetscFree((*surface)->stencil[kind]));
    PetscCall(PetscFree((*surface)->normal[kind]));
  }
  for (int kind = 0; *surface && kind < 3; kind++) PetscCall(PetscFree((*surface)->rest[kind]));
  PetscCall(PetscFree(*surface));
  PetscFunctionReturn(0);
}

/* 2D: a vertex has normals if one edge starts (normal 0) and one edge ends there (normal 1). */
static void VertexNormals2D(const AbutOrientedSurface *s, PetscInt i, AbutOrientedPrimitive *p)
{
  static const PetscInt normals[2][2][3] = {{{0, 2, -1}, {1, 0, -1}}, {{0, 1, -1}, {2, 0, -1}}};
  const AbutOneRing    *r                = s->r;
  const PetscInt       *e                = r->vertex_edge + r->vertex_edge_start[i];

  if (p->n != 3) return;
  const PetscBool first = (PetscBool)(r->edges[PetscMin(e[0], e[1])][0] == i), second = (PetscBool)(r->edges[PetscMax(e[0], e[1])][0] == i);
  if (first == second) return;
  p->num_normals = 2;
  p->normal      = normals[first];
}

/* A primitive without faces (2D: edges) has no orientation. */
void AbutOrientedGetPrimitive(const AbutOrientedSurface *s, AbutOrientedKind kind, PetscInt i, AbutOrientedPrimitive *p)
{
  static const PetscInt own[1][3] = {{0, 1, 2}};
  const AbutOneRing    *r         = s->r;

  *p = (AbutOrientedPrimitive){.kind = kind, .rest = s->rest[kind] ? s->rest[kind][i] : 0};
  if (kind == ABUT_ORIENTED_FACE) {
    p->n = 3;
    p->v = r->faces[i];
  } else {
    const PetscInt *start = (kind == ABUT_ORIENTED_EDGE ? r->edge_face_start : r->vertex_edge_start) + i;
    p->n                  = start[1] - start[0] + (PetscInt)kind + 1;
    p->v                  = s->stencil[kind] + start[0] + ((PetscInt)kind + 1) * i;
  }
  if (kind == ABUT_ORIENTED_FACE || (s->dim == 2 && kind == ABUT_ORIENTED_EDGE)) {
    p->num_normals = 1;
    p->normal      = own;
  } else if (s->dim == 2) {
    VertexNormals2D(s, i, p);
  } else {
    const PetscInt *start = (kind == ABUT_ORIENTED_EDGE ? r->edge_face_start : r->vertex_face_start) + i;
    p->num_normals        = start[1] - start[0];
    p->normal             = (const PetscInt(*)[3])(s->normal[kind] + start[0]);
  }
  p->oriented = (PetscBool)(p->num_normals > 0);
  for (PetscInt k = 0; k <= (PetscInt)kind; k++) p->oriented = (PetscBool)(p->oriented && r->oriented[p->v[k]]);
}

PetscErrorCode AbutOrientedSurfaceSetRest(AbutOrientedSurface *s, const AbutOrientedSpec *spec, const PetscReal rest[])
{
  AbutOrientedPrimitive p;
  AbutReals             x = {0};

  PetscFunctionBegin;
  for (int kind = 0; kind < 3; kind++) {
    PetscCall(PetscFree(s->rest[kind]));
    PetscReal *measure;
    PetscCall(PetscMalloc1(s->num[kind], &measure));
    for (PetscInt i = 0; i < s->num[kind]; i++) {
      AbutOrientedGetPrimitive(s, (AbutOrientedKind)kind, i, &p);
      PetscCall(AbutReserve(s->dim * p.n, &x.capacity, &x.a));
      AbutGather(s->dim, p.n, p.v, rest, x.a);
      measure[i] = AbutOrientedMeasure(s->dim, spec, &p, x.a);
    }
    s->rest[kind] = measure;
  }
  PetscCall(PetscFree(x.a));
  PetscFunctionReturn(0);
}
