/*
  The convergent form of incremental potential contact [Li et al. 2023, Convergent Incremental Potential Contact], what its files share.

  It approximates an integral over the surface of the barrier of the distance to the rest of it: every pair counts by area, and where the
  closest points of several pairs are the same vertex or edge point, all but one are taken away again ("improved max operator"). So vertices
  and edges have stencils of their own, whose weights are sums over all pairs around them, and may be negative. With rings all that is
  around a pair of edge and vertex, or of two vertices, is known on any rank that has one of its candidates: one of them, the same for all,
  evaluates the whole weight, in an order that does not depend on ranks. Nothing is summed over ranks, so what is projected is the
  same, too, on any number of them.
*/
#pragma once
#include "stencil_set.h"

typedef struct {
  PetscReal area;    /* < 0: not known yet */
  PetscReal length2; /* at rest */
} AbutConvergentEdge;

/* The surface around the candidates, at a state. */
typedef struct {
  PetscInt            dim;
  const AbutOneRing  *rings;
  const PetscReal    *rest, *x;    /* [num_vertices * dim] */
  const PetscInt     *id;          /* [num_vertices] */
  PetscReal           length;      /* [m] the width of a curve; that and the height of a point */
  PetscReal          *vertex_area; /* [num_vertices] < 0: not known yet */
  AbutConvergentEdge *edge;        /* [num_edges] */
} AbutConvergentSurface;

typedef struct {
  AbutStencilSet        set;   /* first */
  AbutStencilSet        trial; /* of energies: what was found, no more */
  AbutConvergentSurface surface;
  PetscInt              version, num_vertices; /* of the rings that areas are of */
  Buffer                vertex_area, edge;
} AbutConvergent;

/* ---- the surface ---- */

static inline PetscBool EdgeHas(const AbutOneRing *r, PetscInt e, PetscInt v)
{
  return (PetscBool)(r->edges[e][0] == v || r->edges[e][1] == v);
}

static inline PetscBool FaceHas(const AbutOneRing *r, PetscInt f, PetscInt v)
{
  return (PetscBool)(r->faces[f][0] == v || r->faces[f][1] == v || r->faces[f][2] == v);
}

/* Whether two edges have a vertex in common. */
static inline PetscBool EdgesMeet(const AbutOneRing *r, PetscInt e, PetscInt g)
{
  return (PetscBool)(EdgeHas(r, e, r->edges[g][0]) || EdgeHas(r, e, r->edges[g][1]));
}

/* The first face at an edge, at a vertex, the first edge at a vertex that does not have vertex v; -1 if there is none. */
static inline PetscInt EdgeFaceWithout(const AbutOneRing *r, PetscInt e, PetscInt v)
{
  for (PetscInt i = r->edge_face_start[e]; i < r->edge_face_start[e + 1]; i++)
    if (!FaceHas(r, r->edge_face[i], v)) return r->edge_face[i];
  return -1;
}

static inline PetscInt VertexFaceWithout(const AbutOneRing *r, PetscInt at, PetscInt v)
{
  for (PetscInt i = r->vertex_face_start[at]; i < r->vertex_face_start[at + 1]; i++)
    if (!FaceHas(r, r->vertex_face[i], v)) return r->vertex_face[i];
  return -1;
}

static inline PetscInt VertexEdgeWithout(const AbutOneRing *r, PetscInt at, PetscInt v)
{
  for (PetscInt i = r->vertex_edge_start[at]; i < r->vertex_edge_start[at + 1]; i++)
    if (!EdgeHas(r, r->vertex_edge[i], v)) return r->vertex_edge[i];
  return -1;
}

/* convergent_weight.c: pure but for areas, which are computed when they are first asked for */

/* Area of a vertex: a third of its faces; without any half of its edges times the length; without either a square of it. Never 0; 2D alike. */
PETSC_INTERN PetscReal AbutConvergentVertexArea(const AbutConvergentSurface *s, PetscInt v);
/* Area of an edge: a third of its faces; without any its length times the length. */
PETSC_INTERN PetscReal AbutConvergentEdgeArea(const AbutConvergentSurface *s, PetscInt e);

/* Points of two edges without common vertex, in an order that all ranks agree on; v: their vertices. Returns the mollifier's threshold, 0 if it is 1. */
PETSC_INTERN PetscReal AbutConvergentEdgeEdge(const AbutConvergentSurface *s, PetscInt a, PetscInt b, PetscInt v[4], PetscReal x[12]);

/* Total weights of the stencil of an edge and a vertex, of two vertices. */
PETSC_INTERN PetscReal AbutConvergentWeightEV(const AbutConvergentSurface *s, PetscInt e, PetscInt p);
PETSC_INTERN PetscReal AbutConvergentWeightVV(const AbutConvergentSurface *s, PetscInt p, PetscInt q);

/* convergent_find.c: set->found become all stencils within range, set->min_dist2 that of all candidates (0: something is touched or passed). */
PETSC_INTERN PetscErrorCode AbutConvergentFind(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], AbutStencilSet *set);
