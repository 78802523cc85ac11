/* All candidate pairs of a small surface, by brute force, for tests without meshes and searches. */
#pragma once
#include <stdlib.h>
#include <string.h>
#include <abut/potential.h>

#define MAX_VERTICES 64
#define MAX_PAIRS    8192

typedef struct {
  AbutCandidates c;
  PetscInt       index[MAX_VERTICES], body[MAX_VERTICES];
  PetscReal      rest[3 * MAX_VERTICES], x[3 * MAX_VERTICES];
  PetscInt       fv[MAX_PAIRS][4], ee[MAX_PAIRS][4], ev[MAX_PAIRS][3], pv[MAX_VERTICES][2];
} TestSurface;

static inline PetscBool Shares(PetscInt n, const PetscInt a[], PetscInt m, const PetscInt b[])
{
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < m; j++)
      if (a[i] == b[j]) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Sets vertices and candidates. 3D: faces with vertices, edges with edges; 2D: edges with vertices. Ids equal indices. */
static inline void SurfaceInit(TestSurface *s, PetscInt dim, PetscInt nv, const PetscReal rest[], const PetscReal x[])
{
  memset(&s->c, 0, sizeof(s->c));
  for (PetscInt i = 0; i < nv; i++) s->index[i] = i;
  memset(s->body, 0, sizeof(s->body));
  memcpy(s->rest, rest, sizeof(*rest) * (size_t)(dim * nv));
  memcpy(s->x, x, sizeof(*x) * (size_t)(dim * nv));
  s->c = (AbutCandidates){.dim           = dim,
                          .num_vertices  = nv,
                          .vertex_global = s->index,
                          .vertex_id     = s->index,
                          .vertex_body   = s->body,
                          .rest          = s->rest,
                          .x             = s->x,
                          .p             = s->x,
                          .fv            = (const PetscInt(*)[4])s->fv,
                          .ee            = (const PetscInt(*)[4])s->ee,
                          .ev            = (const PetscInt(*)[3])s->ev,
                          .pv            = (const PetscInt(*)[2])s->pv};
}

static inline void SurfaceAddFV(TestSurface *s, PetscInt nf, const PetscInt faces[][3])
{
  for (PetscInt f = 0; f < nf; f++) {
    for (PetscInt v = 0; v < s->c.num_vertices; v++) {
      if (Shares(3, faces[f], 1, &v)) continue;
      if (s->c.num_fv == MAX_PAIRS) abort();
      s->fv[s->c.num_fv][0] = v;
      memcpy(&s->fv[s->c.num_fv++][1], faces[f], sizeof(faces[f]));
    }
  }
}

static inline void SurfaceAddEE(TestSurface *s, PetscInt ne, const PetscInt edges[][2])
{
  for (PetscInt e = 0; e < ne; e++) {
    for (PetscInt g = e + 1; g < ne; g++) {
      if (Shares(2, edges[e], 2, edges[g])) continue;
      if (s->c.num_ee == MAX_PAIRS) abort();
      memcpy(&s->ee[s->c.num_ee][0], edges[e], sizeof(edges[e]));
      memcpy(&s->ee[s->c.num_ee++][2], edges[g], sizeof(edges[g]));
    }
  }
}

static inline void SurfaceAddEV(TestSurface *s, PetscInt ne, const PetscInt edges[][2])
{
  for (PetscInt e = 0; e < ne; e++) {
    for (PetscInt v = 0; v < s->c.num_vertices; v++) {
      if (Shares(2, edges[e], 1, &v)) continue;
      if (s->c.num_ev == MAX_PAIRS) abort();
      s->ev[s->c.num_ev][0] = v;
      memcpy(&s->ev[s->c.num_ev++][1], edges[e], sizeof(edges[e]));
    }
  }
}
