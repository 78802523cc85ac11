/* Complete one-rings of a small surface with the pairs of pairs.h, in the form that a search over a mesh gives. */
#pragma once
#include "pairs.h"

typedef struct {
  AbutOneRing r;
  PetscInt    edges[MAX_PAIRS][2], faces[MAX_PAIRS][3], face_edge[MAX_PAIRS][3], face_id[MAX_PAIRS];
  PetscInt    start[3][MAX_PAIRS], item[3][4 * MAX_PAIRS];
  PetscInt    fv_face[MAX_PAIRS], ee_edge[MAX_PAIRS][2], ev_edge[MAX_PAIRS];
  PetscBool   yes[MAX_PAIRS];
} TestRings;

static inline PetscInt RingEdge(const TestRings *t, PetscInt a, PetscInt b)
{
  for (PetscInt e = 0; e < t->r.num_edges; e++)
    if ((t->edges[e][0] == a && t->edges[e][1] == b) || (t->edges[e][0] == b && t->edges[e][1] == a)) return e;
  return -1;
}

/* CSR lists of the faces at each vertex, and of the edges at each vertex in the order of their other end. */
static inline void RingLists(TestRings *t, PetscInt nv)
{
  PetscInt n[3] = {0, 0, 0};

  for (PetscInt v = 0; v < nv; v++) {
    t->start[0][v] = n[0];
    t->start[1][v] = n[1];
    for (PetscInt f = 0; f < t->r.num_faces; f++)
      if (Shares(3, t->faces[f], 1, &v)) t->item[0][n[0]++] = f;
    for (PetscInt w = 0; w < nv; w++) {
      const PetscInt e = RingEdge(t, v, w);
      if (w != v && e >= 0) t->item[1][n[1]++] = e;
    }
  }
  for (PetscInt e = 0; e < t->r.num_edges; e++) {
    t->start[2][e] = n[2];
    for (PetscInt f = 0; f < t->r.num_faces; f++)
      if (Shares(3, t->face_edge[f], 1, &e)) t->item[2][n[2]++] = f;
  }
  t->start[0][nv]             = n[0];
  t->start[1][nv]             = n[1];
  t->start[2][t->r.num_edges] = n[2];
}

/* Builds the one-rings after SurfaceInit(). `edges` include the edges of faces; in 3D the lower vertex comes first. */
static inline void RingsInit(TestRings *t, TestSurface *s, PetscInt ne, const PetscInt edges[][2], PetscInt nf, const PetscInt faces[][3])
{
  const PetscInt dim = s->c.dim;

  memset(t, 0, sizeof(*t));
  t->r = (AbutOneRing){.version = 1, .num_faces = nf, .num_edges = ne};
  for (PetscInt e = 0; e < ne; e++) {
    const int swap = dim == 3 && edges[e][0] > edges[e][1];
    t->edges[e][0] = edges[e][swap];
    t->edges[e][1] = edges[e][1 - swap];
  }
  for (PetscInt f = 0; f < nf; f++) {
    t->face_id[f] = f;
    for (int k = 0; k < 3; k++) t->faces[f][k] = faces[f][k];
    for (int k = 0; k < 3; k++) t->face_edge[f][k] = RingEdge(t, faces[f][k], faces[f][(k + 1) % 3]);
  }
  RingLists(t, s->c.num_vertices);
  for (PetscInt i = 0; i < s->c.num_fv; i++) {
    for (PetscInt f = 0; f < nf; f++)
      if (!memcmp(&s->fv[i][1], faces[f], sizeof(faces[f]))) t->fv_face[i] = f;
  }
  for (PetscInt i = 0; i < s->c.num_ee; i++) {
    for (int k = 0; k < 2; k++) t->ee_edge[i][k] = RingEdge(t, s->ee[i][2 * k], s->ee[i][2 * k + 1]);
  }
  for (PetscInt i = 0; i < s->c.num_ev; i++) t->ev_edge[i] = RingEdge(t, s->ev[i][1], s->ev[i][2]);
  for (PetscInt v = 0; v < s->c.num_vertices; v++) t->yes[v] = PETSC_TRUE;
  t->r.edges             = (const PetscInt(*)[2])t->edges;
  t->r.faces             = (const PetscInt(*)[3])t->faces;
  t->r.face_edge         = (const PetscInt(*)[3])t->face_edge;
  t->r.face_id           = t->face_id;
  t->r.vertex_face_start = t->start[0];
  t->r.vertex_face       = t->item[0];
  t->r.vertex_edge_start = t->start[1];
  t->r.vertex_edge       = t->item[1];
  t->r.edge_face_start   = t->start[2];
  t->r.edge_face         = t->item[2];
  t->r.complete = t->r.oriented = t->yes;
  s->c.fv_face                  = t->fv_face;
  s->c.ee_edge                  = (const PetscInt(*)[2])t->ee_edge;
  s->c.ev_edge                  = t->ev_edge;
  s->c.one_ring                 = &t->r;
}
