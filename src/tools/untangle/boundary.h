/* Private to src/tools/untangle: surfaces of all bodies and obstacles, whole on every rank, and pairs of their elements. */
#pragma once
#include <abut/bvh.h>
#include <abut/containers.h>
#include <petsc/private/hashmapij.h>
#include <abut/untangle.h>

/*
  Surfaces of all bodies and obstacles in one numbering. Vertices are in the order of their ids, as are elements and edges, so that those
  of a body are contiguous.
*/
typedef struct {
  PetscInt       dim;
  PetscInt       num_bodies;    /* bodies and obstacles of the mesh */
  AbutBody      *bodies;        /* [num_bodies] copies of the records of the mesh; boxes at the start of the passes */
  PetscReal     *stiffness;     /* [num_bodies] Young's modulus [Pa], 0 for obstacles */
  PetscInt       num_vertices;  /* surface vertices */
  PetscInt      *id;            /* [num_vertices] ids, ascending */
  int32_t       *body;          /* [num_vertices] */
  int32_t       *self;          /* [num_vertices] 0, 1, ... */
  PetscReal     *x;             /* [dim * num_vertices] positions [m] */
  PetscBool     *zone;          /* [num_vertices] the vertex has moved to a contact surface */
  PetscBool      may_fold;      /* surfaces that intersect themselves do not count as crossings, because the cells will unfold them */
  PetscInt       num_elements;  /* triangles; 2D: edges */
  int32_t       *element;       /* [dim * num_elements] vertices */
  PetscInt       num_edges;     /* 3D: edges; 2D: 0 */
  int32_t       *edge;          /* [2 * num_edges] vertices */
  PetscInt      *vertex_start;  /* [num_bodies + 1] first vertex of each body */
  PetscInt      *element_start; /* [num_bodies + 1] first element of each body */
  PetscInt      *edge_start;    /* [num_bodies + 1] first edge of each body */
  PetscInt       num_planes;    /* half spaces */
  AbutPlaneSpec *planes;        /* [num_planes] unit normals */

  MPI_Comm           comm;    /* of the mesh */
  AbutContact        contact; /* knows the surfaces that are tied to each other; NULL: none; borrowed */
  AbutUntangleWatch *watch;   /* progress and time limit, NULL: neither; borrowed */
} Boundary;

/* Gathers the surfaces of a mesh at AbutMeshGetStart() on every rank. Collective. */
PETSC_INTERN PetscErrorCode BoundaryCreate(AbutMesh mesh, const PetscReal young[], PetscInt num_planes, const AbutPlaneSpec planes[],
                                           Boundary *boundary);
PETSC_INTERN PetscErrorCode BoundaryDestroy(Boundary *boundary);

/* ---- Geometry */

/* Normal of an element, its length twice the area; 2D: the length of the edge. */
PETSC_INTERN void ElementNormal(const Boundary *boundary, const int32_t v[], PetscReal normal[3]);

/* Parties of contacts: bodies and obstacles [0, num_bodies), then planes. */

static inline const char *BoundaryName(const Boundary *b, PetscInt party)
{
  return party < b->num_bodies ? b->bodies[party].name : b->planes[party - b->num_bodies].name;
}

/* Whether the party is an obstacle or a plane. */
static inline PetscBool BoundaryIsRigid(const Boundary *b, PetscInt party)
{
  return (PetscBool)(party >= b->num_bodies || b->stiffness[party] <= 0);
}

/* Whether two entities with the vertices u[n] and w[m] are tied to each other. */
static inline PetscBool BoundaryIsTied(const Boundary *b, PetscInt n, const int32_t u[], PetscInt m, const int32_t w[])
{
  PetscInt id[2][3] = {{0}};

  for (PetscInt k = 0; k < n; k++) id[0][k] = b->id[u[k]];
  for (PetscInt k = 0; k < m; k++) id[1][k] = b->id[w[k]];
  return AbutContactIsTied(b->contact, n, id[0], m, id[1]);
}

/* Share of the first party in a displacement that separates both: k_1 / (k_0 + k_1), 1 against rigid parties, 0 if it is rigid. */
static inline PetscReal BoundaryShare(const Boundary *b, PetscInt first, PetscInt second)
{
  if (BoundaryIsRigid(b, first)) return 0;
  return BoundaryIsRigid(b, second) ? 1 : b->stiffness[second] / (b->stiffness[first] + b->stiffness[second]);
}

/* Unit normals of the vertices of a body: means of the normals of its elements; 0 without elements [dim * vertices of the body]. */
PETSC_INTERN void BoundaryNormals(const Boundary *boundary, PetscInt body, PetscReal normal[]);

/* The same of all bodies; free with PetscFree(). */
PETSC_INTERN PetscErrorCode BoundaryAllNormals(const Boundary *boundary, PetscReal **normal);

/* ---- Pairs of parties */

/* Two parties that intersect, or did. */
typedef struct {
  PetscInt  party[2];     /* ascending; both equal: a body that intersects itself */
  PetscInt  crossings;    /* edges of one that cross elements of the other; vertices behind a plane */
  PetscInt  vertex;       /* id of a vertex of party[0] at one of the crossings */
  PetscReal direction[3]; /* unit vector along which party[0] retreats; party[1] retreats along its opposite; 0 before it is found */
  PetscReal depth;        /* largest penetration along the direction that passes allow for [m] */
  PetscReal found;        /* largest penetration when the first direction was found, 0 before [m] */
  PetscBool around;       /* the overlap is all around, so that each place has a direction of its own; see overlap.c */
} Pair;

typedef struct {
  PetscInt    n, capacity;
  Pair       *a;     /* [n] in the order in which they were found */
  PetscHMapIJ index; /* from parties to the index in `a` */
} Pairs;

/* Whether two parties intersect and have no direction yet. */
static inline PetscBool PairIsActive(const Pair *pair)
{
  return (PetscBool)(pair->party[0] != pair->party[1] && pair->crossings > 0 && pair->depth <= 0);
}

/* Forgets directions and depths, but not the first ones. */
static inline void PairsForget(Pairs *pairs)
{
  for (PetscInt i = 0; i < pairs->n; i++) {
    pairs->a[i].depth  = 0;
    pairs->a[i].around = PETSC_FALSE;
    for (int k = 0; k < 3; k++) pairs->a[i].direction[k] = 0;
  }
}

/* Keeps the depths of pairs that have got their first direction. */
static inline void PairsKeepDepths(Pairs *pairs)
{
  for (PetscInt i = 0; i < pairs->n; i++)
    if (pairs->a[i].found <= 0) pairs->a[i].found = pairs->a[i].depth;
}

/* Whether any pair intersects. */
static inline PetscBool PairsCross(const Pairs *pairs)
{
  for (PetscInt i = 0; i < pairs->n; i++)
    if (pairs->a[i].crossings) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Whether any pair needs a direction. */
static inline PetscBool PairsAreActive(const Pairs *pairs)
{
  for (PetscInt i = 0; i < pairs->n; i++)
    if (PairIsActive(&pairs->a[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* refuse.c: refuses bodies that intersect themselves, and bodies behind planes as a whole. */
PETSC_INTERN PetscErrorCode RefusePairs(const Boundary *boundary, const Pairs *pairs);
/* Refuses obstacles of points or segments with a vertex inside a body: no surfaces cross there, and points have no normals. */
PETSC_INTERN PetscErrorCode RefusePoints(const Boundary *boundary);
/* Refuses a body wholly inside another; adds pairs whose surfaces do not cross although the bodies overlap all around. */
PETSC_INTERN PetscErrorCode CheckAllInside(const Boundary *boundary, Pairs *pairs);
/* Names a pair that the passes did not separate. */
PETSC_INTERN PetscErrorCode RefuseUnresolved(const Boundary *boundary, const Pairs *pairs, PetscInt passes);

/* sheets.c: whether a surface is open. */
PETSC_INTERN PetscBool BoundaryIsSheet(const Boundary *boundary, PetscInt body);
/* Reverses the normals of an open obstacle if all bodies that cross it come from behind. */
PETSC_INTERN PetscErrorCode SheetsTurn(Boundary *boundary, const Pairs *pairs);

/* Intersection of the bounding boxes of both bodies of a pair, each enlarged by `margin`. */
PETSC_INTERN void PairCommonBox(const Boundary *boundary, const Pair *pair, PetscReal margin, PetscReal box[2][3]);

/* Whether the box of an entity with n vertices meets a box. */
PETSC_INTERN PetscBool BoundaryMeetsBox(const Boundary *boundary, PetscReal box[2][3], PetscInt n, const int32_t v[]);

/* The pair of two parties, NULL if there is none. */
PETSC_INTERN PetscErrorCode PairsFind(const Pairs *pairs, PetscInt first, PetscInt second, Pair **pair);
/* As PairsFind(); adds the pair if there is none. */
PETSC_INTERN PetscErrorCode PairsAdd(Pairs *pairs, PetscInt first, PetscInt second, Pair **pair);
PETSC_INTERN PetscErrorCode PairsDestroy(Pairs *pairs);

/* ---- Search */

/*
  Sets *box [num_vertices]: the box of each vertex, enlarged by `margin`, for all bodies or for two. With a direction: the box of its
  projection along the direction. Free with PetscFree().
*/
PETSC_INTERN PetscErrorCode BoundaryBoxes(const Boundary *boundary, PetscReal margin, const PetscReal direction[3],
                                          const PetscInt bodies[2], AbutBox **box);

/* Vertices of a pair of elements of different bodies: vertex and face, two edges; 2D: vertex and edge. */
typedef struct {
  int32_t v[4];
} Stencil;

typedef struct {
  PetscInt n, capacity;
  Stencil *a;
} Stencils;

/* Lists of vertex-element pairs (2D: all) and of edge-edge pairs. */
typedef struct {
  Stencils vertex, edge;
} Near;

/* Counts the crossings of each pair with exact predicates, and adds new pairs. A body can cross itself; two obstacles do not count. */
PETSC_INTERN PetscErrorCode FindCrossings(const Boundary *boundary, Pairs *pairs, PetscInt *count);

/* Finds all pairs of elements closer than `distance`: of two parties, or of all different bodies (parties NULL). */
PETSC_INTERN PetscErrorCode FindNear(const Boundary *boundary, const PetscInt parties[2], PetscReal distance, Near *near);

/* Finds all pairs of elements of both bodies of a pair whose projections along its direction overlap, in PairCommonBox(margin). */
PETSC_INTERN PetscErrorCode FindOpposite(const Boundary *boundary, const Pair *pair, PetscReal margin, Near *near);
PETSC_INTERN PetscErrorCode NearDestroy(Near *near);

/* Number of vertices in the overlap of two parties if the overlap is all around; else 0. */
PETSC_INTERN PetscErrorCode AroundFind(const Boundary *boundary, PetscInt first, PetscInt second, PetscInt *num);
/* Whether no pair that overlapped all around still does. */
PETSC_INTERN PetscErrorCode AroundIsOpen(const Boundary *boundary, const Pairs *pairs, PetscBool *open);

/* ---- Stages */

#define TOUCHING 1e-6 /* distance over the gap below which elements touch: the line between their closest points has no direction */

/* Largest distance by which opposite elements of a pair overlap along its direction [m]: the pair must retreat by this distance. */
PETSC_INTERN PetscErrorCode BoundaryDepth(const Boundary *boundary, const Pair *pair, PetscReal *depth);

/* Finds direction and depth of each pair that needs them and has a vertex in the other party; moves both to a surface between them. */
PETSC_INTERN PetscErrorCode BoundaryMeet(PetscReal gap, const Boundary *boundary, Pairs *pairs);

/*
  Finds the directions of pairs that touch without penetration; their depth is TOUCHING gaps. A pair without any direction gets the normal
  with the least depth. ABUT_ERR_DIVERGED if there is none.
*/
PETSC_INTERN PetscErrorCode BoundaryTouch(PetscReal gap, const Boundary *boundary, Pairs *pairs);

/* Depth of a pair along its direction [m]; values above `most` need not be exact. */
typedef PetscErrorCode (*BoundaryDepthOf)(const Boundary *boundary, const Pair *pair, PetscReal most, PetscReal *depth);

/*
  Gives two bodies the direction of the least depth among the normals of both surfaces in their common box, unless the pair has a direction
  with a smaller depth.
*/
PETSC_INTERN PetscErrorCode BoundaryLeast(const Boundary *boundary, BoundaryDepthOf depth, Pair *pair);

/* As BoundaryMeet() and BoundaryTouch(), but nothing moves. */
PETSC_INTERN PetscErrorCode BoundaryDirect(PetscReal gap, const Boundary *boundary, Pairs *pairs);

/*
  Moves vertices until no pair with a direction intersects and all bodies are at least `gap` apart [m], or until crossings do not become
  fewer. `done`: this is so, and nothing intersects. Collective.
*/
PETSC_INTERN PetscErrorCode BoundaryOpen(PetscReal gap, Boundary *boundary, Pairs *pairs, PetscBool *done);
/* BoundaryOpen() after setting the directions of the pairs that need one. */
PETSC_INTERN PetscErrorCode BoundaryPass(PetscReal gap, Boundary *boundary, Pairs *pairs, PetscBool *done);
/* Whether nothing intersects and all bodies are at least `gap` apart [m]. */
PETSC_INTERN PetscErrorCode BoundaryIsOpen(PetscReal gap, const Boundary *boundary, Pairs *pairs, PetscBool *open);

/*
  Moves bodies apart as wholes. part [num_bodies]: part of the depth of its pairs by which a body retreats; 0: it stays. A body that another
  one meets on its way retreats, too. Directions and depths of the pairs are of no use afterwards.
  way  [dim * num_bodies] displacements [m]
*/
PETSC_INTERN PetscErrorCode BoundaryRetreat(PetscReal gap, Boundary *boundary, Pairs *pairs, PetscReal part[], PetscReal way[]);

/* Input of CellsFollow() and its report. */
typedef struct {
  AbutMesh                  mesh;
  PetscInt                  num_materials;
  const AbutMaterialSpec   *materials; /* [num_materials] */
  Boundary                 *boundary;  /* target positions of surfaces; CellsFollow() moves its free vertices */
  Pairs                    *pairs;
  const PetscReal          *start;  /* [dim * num_vertices] positions of the boundary at the start [m] */
  const PetscReal          *origin; /* [dim * num_owned] positions of all vertices at the start [m] */
  PetscReal                 gap;    /* smallest distance of two bodies [m] */
  PetscReal                 least;  /* smallest determinant of a cell over that at rest */
  PetscBool                *failed; /* [num_bodies] bodies on which an error depends, else false */
  AbutUntangleFollowReport *report;
} CellsParts;

/* Moves the cells to the boundary: x [num_owned * dim]. Collective. ABUT_ERR_DIVERGED if cells would invert or become too flat. */
PETSC_INTERN PetscErrorCode CellsFollow(const CellsParts *parts, PetscReal x[]);
