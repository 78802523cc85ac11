/*
  Shared declarations of "convergent-ipc" [Li et al. 2023, Convergent Incremental Potential Contact].

  The potential approximates the surface integral of the barrier of the distance to the rest of the surface: each pair is weighted by
  area. Where several pairs have the same closest feature, all but one are subtracted ("improved max operator"). For this, vertices and
  edges have stencils of their own, whose weights are sums over all pairs around them and may be negative. A rank with a candidate of such
  a stencil knows the one-ring neighbourhoods of its vertices. A rule that needs no messages selects exactly one of these ranks, which
  evaluates the whole weight, in an order that does not depend on the number of ranks. So weights are not summed over ranks, and projected
  Hessians are the same for any number of ranks.
*/
#pragma once
#include "incidence.h"
#include "stencil_set.h"

typedef struct {
  PetscReal area;    /* < 0: not computed yet */
  PetscReal length2; /* at rest */
} AbutConvergentEdge;

/* The surface with one-ring neighbourhoods, at a state. */
typedef struct {
  PetscInt            dim;
  const AbutOneRing  *one_ring;
  const PetscReal    *rest, *x;    /* [num_vertices * dim] */
  const PetscInt     *id;          /* [num_vertices] */
  PetscReal           length;      /* [m] width of a curve; width and height of a point's area */
  PetscReal          *vertex_area; /* [num_vertices] < 0: not computed yet */
  AbutConvergentEdge *edge;        /* [num_edges] */
} AbutConvergentSurface;

typedef struct {
  AbutStencilSet        set;   /* first */
  AbutStencilSet        trial; /* stencils found for an energy, not merged */
  AbutConvergentSurface surface;
  PetscInt              version, num_vertices; /* AbutOneRing.version and number of vertices for which the areas were computed */
  PetscInt              vertex_capacity, edge_capacity;
} AbutConvergent;

/* ---- the surface ---- */

/* convergent_weight.c. Areas are computed at the first call and stored. */

/*
  Area of a vertex: a third of the area of its faces; without faces, half the length of its edges times `length`; without edges, length^2.
  In 2D the last factor `length` is left out. Never 0.
*/
PETSC_INTERN PetscReal AbutConvergentVertexArea(const AbutConvergentSurface *s, PetscInt v);
/* Area of an edge: a third of the area of its faces; without faces, its length times `length`. */
PETSC_INTERN PetscReal AbutConvergentEdgeArea(const AbutConvergentSurface *s, PetscInt e);

/*
  Vertices v and points x of two edges without common vertex, in the same order on all ranks. Returns the mollifier threshold, 0 if none.
*/
PETSC_INTERN PetscReal AbutConvergentEdgeEdge(const AbutConvergentSurface *s, PetscInt a, PetscInt b, PetscInt v[4], PetscReal x[12]);

/* Weights of an edge-vertex and of a vertex-vertex stencil. */
PETSC_INTERN PetscReal AbutConvergentWeightEV(const AbutConvergentSurface *s, PetscInt e, PetscInt p);
PETSC_INTERN PetscReal AbutConvergentWeightVV(const AbutConvergentSurface *s, PetscInt p, PetscInt q);

/*
  convergent_stencils.c: sets set->found to all stencils within dhat, and set->min_dist2 to the minimum over all candidates, 0 if bodies
  touch or have passed through each other.
*/
PETSC_INTERN PetscErrorCode AbutConvergentFind(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], AbutStencilSet *set);
