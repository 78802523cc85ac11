/* One-rings of a small surface from its edges and faces, for tests without meshes and searches. */
#pragma once
#include <abut/surface.h>

typedef struct {
  AbutOneRing r;
  AbutCSR     vertex_face, vertex_edge, edge_face;
  PetscInt (*face_edge)[3];
  PetscBool *oriented;
} TestOneRing;

/* `edges` include the edges of faces; edges and faces are borrowed. oriented[nv] is copied; NULL: all vertices. */
static inline void OneRingCreate(PetscInt nv, PetscInt ne, const PetscInt edges[][2], PetscInt nf, const PetscInt faces[][3],
                                 const PetscBool oriented[], TestOneRing *t)
{
  memset(t, 0, sizeof(*t));
  AbutTestCall(PetscMalloc1(nf, &t->face_edge));
  AbutTestCall(PetscMalloc1(nv, &t->oriented));
  for (PetscInt v = 0; v < nv; v++) t->oriented[v] = oriented ? oriented[v] : PETSC_TRUE;
  AbutTestCall(AbutCSRSetPairs(nv, nf, 3, (const PetscInt *)faces, NULL, &t->vertex_face));
  AbutTestCall(AbutCSRSetPairs(nv, ne, 2, (const PetscInt *)edges, NULL, &t->vertex_edge));
  for (PetscInt i = 0; i < 3 * nf; i++) {
    const PetscInt  a = faces[i / 3][i % 3], b = faces[i / 3][(i % 3 + 1) % 3];
    const PetscInt *e = t->vertex_edge.item + t->vertex_edge.start[a];
    while (edges[*e][0] + edges[*e][1] != a + b) assert_true(++e < t->vertex_edge.item + t->vertex_edge.start[a + 1]);
    t->face_edge[i / 3][i % 3] = *e;
  }
  AbutTestCall(AbutCSRSetPairs(ne, nf, 3, (const PetscInt *)t->face_edge, NULL, &t->edge_face));
  t->r = (AbutOneRing){.num_faces         = nf,
                       .num_edges         = ne,
                       .faces             = faces,
                       .edges             = edges,
                       .face_edge         = (const PetscInt(*)[3])t->face_edge,
                       .vertex_face_start = t->vertex_face.start,
                       .vertex_face       = t->vertex_face.item,
                       .vertex_edge_start = t->vertex_edge.start,
                       .vertex_edge       = t->vertex_edge.item,
                       .edge_face_start   = t->edge_face.start,
                       .edge_face         = t->edge_face.item,
                       .oriented          = t->oriented};
}

static inline void OneRingDestroy(TestOneRing *t)
{
  AbutTestCall(AbutCSRDestroy(&t->vertex_face));
  AbutTestCall(AbutCSRDestroy(&t->vertex_edge));
  AbutTestCall(AbutCSRDestroy(&t->edge_face));
  AbutTestCall(PetscFree(t->face_edge));
  AbutTestCall(PetscFree(t->oriented));
}
