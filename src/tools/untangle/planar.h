/* Private to src/tools/untangle: contact deformer in 2D. */
#pragma once
#include <abut/bvh.h>
#include <abut/containers.h>
#include <abut/geom.h>
#include <abut/untangle.h>

/* A curve with its neighbours along it. Edges have the body on their left. */
typedef struct {
  const AbutUntangleSurface *surface;   /* borrowed */
  PetscInt                  *next;      /* [num_vertices] the edge that starts at a vertex; -1 none, -2 several */
  PetscInt                  *prev;      /* [num_vertices] the edge that ends at a vertex; -1 none, -2 several */
  PetscInt                  *component; /* [num_vertices] lowest vertex that edges connect with it */
  PetscBool                  closed;    /* each vertex has one `next` and one `prev` */
  PetscReal                  size;      /* diagonal of the bounding box [m] */
  AbutBVH                    tree;      /* edges */
  int32_t                   *tree_edge; /* [2 * num_elements] elements in the integers of the tree */
  AbutBox                   *box;       /* [num_vertices] boxes of the vertices */
} PlanarCurve;

/* Point where an edge of side 0 and an edge of side 1 cross. */
typedef struct {
  PetscInt  edge[2]; /* of each side */
  PetscReal t[2];    /* position on each edge, in [0, 1] */
  PetscBool enters;  /* side 0 enters the body of side 1 there, and side 1 leaves the body of side 0 */
} PlanarCrossing;

/* Crossings of two curves. */
typedef struct {
  const PlanarCurve *curve[2];      /* borrowed */
  PetscInt           num, capacity; /* crossings; allocated */
  PlanarCrossing    *crossing;      /* [num] */
  AbutCSR            at[2];         /* crossings on each edge of a side, by t */
} PlanarPair;

PETSC_INTERN PetscErrorCode PlanarCurveCreate(const AbutUntangleSurface *surface, PlanarCurve *curve);
PETSC_INTERN PetscErrorCode PlanarCurveDestroy(PlanarCurve *curve);

/*
  Finds the crossings. ABUT_ERR_DIVERGED if a part of one curve without crossings lies in the other body. Decisions are exact; ties are
  resolved as if side 1 were translated by (e, e^2) with an infinitesimal e > 0.
*/
PETSC_INTERN PetscErrorCode PlanarPairIntersect(const PlanarCurve *first, const PlanarCurve *second, PlanarPair *pair);
PETSC_INTERN PetscErrorCode PlanarPairDestroy(PlanarPair *pair);

/*
  A contact: a connected part of the plane that both bodies share. Its border consists of chains of both curves. Side s maps along d_s,
  from a point of its chain into its own body and on to the chain of the other side: d_1 = -d_0.
*/
typedef struct {
  PetscReal direction[2]; /* d_0, unit */
  AbutInts  vertex[2];    /* vertices of each side in the other body */
  AbutInts  edge[2];      /* edges of each side on the border, with repetitions */
  AbutReals segment[2];   /* [4 * segments] ends of the straight parts of the border of each side [m] */
  AbutReals chain[2];     /* [2 * chains] integral of the normal over each chain [m] */
  AbutReals depth[2];     /* [vertices] length of the way along d_s to the other side [m], >= 0 */
  PetscReal deepest;      /* largest depth of both sides [m] */
} PlanarContact;

/* Called for each contact of a pair. */
typedef PetscErrorCode (*PlanarContactFn)(void *ctx, const PlanarPair *pair, const PlanarContact *contact);

/* Finds all contacts of a pair. ABUT_ERR_DIVERGED if a body passes through the other one, or a curve ends in the other body. */
PETSC_INTERN PetscErrorCode PlanarPairMap(const PlanarPair *pair, PlanarContactFn fn, void *ctx);

/* Position of a vertex of a curve. */
static inline const PetscReal *PlanarPoint(const PlanarCurve *curve, PetscInt vertex)
{
  return curve->surface->x + 2 * vertex;
}

/* Number of a vertex in messages. */
static inline PetscInt PlanarId(const PlanarCurve *curve, PetscInt v)
{
  return curve->surface->ids ? curve->surface->ids[v] : v;
}

/* End 0 or 1 of an edge. */
static inline PetscInt PlanarEnd(const PlanarCurve *curve, PetscInt edge, PetscInt end)
{
  return curve->surface->elements[2 * edge + end];
}
