/* WARNING: private header of src/tools/contact_points. */
#pragma once
#include <abut/bvh.h>
#include <abut/contact_points.h>
#include <abut/dense.h>
#include <abut/geom.h>
#include <abut/option.h>
#include <abut/surface.h>

/* Vertices of the face opposite to vertex k, counter-clockwise seen from outside; vertices of the edges; faces at an edge. */
extern const int AbutTetFace[4][3], AbutTetEdge[6][2], AbutTetEdgeFaces[6][2];

/* A tetrahedron with its face planes. */
typedef struct {
  AbutTetrahedron tet;
  PetscReal       normal[4][3]; /* outward unit normal of the face opposite to vertex k */
} AbutPointCell;

/* Tolerances that all methods share; options of contact_points.c. */
typedef struct {
  PetscReal erosion, erosion_relative; /* [m]; fraction of the mesh diagonal, used if erosion = 0 */
  PetscReal shrink;                    /* factor on the size of each body in place of erosion; 1: erosion */
  PetscReal touch;                     /* fraction of the mesh diagonal */
  PetscReal merge, merge_normal;       /* fraction of the mesh diagonal; length of the difference of unit normals */
  PetscBool opposing_mean;             /* normal: mean of both faces instead of the face of the first cell */
  PetscBool strict;                    /* consistent-vertex: an edge that starts on a plane does not cross it */
  PetscBool unit;                      /* intersection: normals of faces are normalised */
  PetscReal dhat;                      /* activation distance of potentials over the erosion */
  PetscBool lagged_filters;            /* of orientation-aware potentials */
} AbutPointPolicy;

/* Tolerances in force for one mesh. */
typedef struct {
  PetscReal erosion;                   /* [m] */
  PetscReal reach;                     /* [m] largest distance of closest points */
  PetscReal dhat;                      /* [m] activation distance of potentials */
  PetscReal touch;                     /* [m] a point within this distance of a plane is on it; 0: exact predicates decide */
  PetscReal parallel;                  /* sine of the angle below which edges are parallel */
  PetscReal merge;                     /* [m] */
  PetscReal merge_normal;              /* length of the difference of unit normals */
  PetscReal opposing_cosine;           /* as in AbutPointPolicy */
  PetscBool opposing_mean;             /* as in AbutPointPolicy */
  PetscBool strict, unit;              /* as in AbutPointPolicy */
  PetscReal growth_gap, growth_cosine; /* of the growth method: distance over the longest edge of the smaller cell; cosine of an angle */
} AbutPointRules;

/* Appends the contact points of cells A and B of two bodies, the body of A has the lower index. */
typedef PetscErrorCode AbutPointFn(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B,
                                   AbutPointContacts *contacts);

PETSC_INTERN AbutPointFn AbutFindClosestPoints, AbutFindIntersections, AbutFindVertices, AbutFindConsistentVertices, AbutFindVolumeAxis,
  AbutFindSurfaceAxis, AbutFindGrowth, AbutFindOpposing;

/* A method. */
typedef struct {
  const char  *name;
  AbutPointFn *find;   /* NULL: contact potential with the name of the method */
  PetscBool    eroded; /* needs the eroded bodies, and pairs of cells within AbutPointRules.reach */
} AbutPointMethod;

/* Methods that are no contact potentials; contact_points.c. */
#define ABUT_NUM_POINT_METHODS 8
PETSC_INTERN const AbutPointMethod AbutPointMethods[ABUT_NUM_POINT_METHODS];

/* A cell of another rank or of this rank, as it is sent. */
typedef AbutTetrahedron AbutCellRecord;

/* Cells of the generator, with a search tree. */
typedef struct {
  PetscInt       n, capacity;
  AbutPointCell *cell; /* [n] */
  AbutBox       *box;  /* [n] relative to `origin`, inflated by half the reach */
  int32_t       *self; /* [n] 0, 1, ...: each entity of the tree has one box */
  AbutBVH        tree;
} AbutPointCells;

struct _p_AbutContactPoints {
  AbutMesh               mesh;
  const AbutMeshLocal   *m;
  MPI_Comm               comm;
  PetscMPIInt            rank, size;
  char                   name[32];
  const AbutPointMethod *method;
  AbutPointPolicy        policy;
  AbutPointRules         rules;
  PetscInt               num_cells; /* cells of this rank with a surface face */
  PetscInt              *cells;     /* [num_cells] index in the mesh */
  unsigned              *surface;   /* [num_cells] AbutTetrahedron.surface */
  AbutPointCells         local, remote;
  AbutSurface            topology;  /* for vertex normals; NULL until they are needed */
  AbutContact            contact;   /* of eroded surfaces; NULL until it is needed */
  AbutPotential          potential; /* NULL until it is needed */
  AbutPotentialSpec      spec;      /* of the potential */
  PetscReal              origin[3]; /* of the boxes in single precision */
  PetscInt64             num_pairs; /* pairs of cells that this rank evaluated in the last search */
  PetscBool              warned;    /* of cells that the erosion inverts */
  PetscBool              intersect; /* warned of bodies that intersect after the erosion */
  AbutPointContacts      mine;      /* of this rank */
  AbutPointContacts      all;       /* of all ranks, sorted and filtered */
};

/* tetrahedron.c: pure kernels of one cell */

/* Sets the normals of the faces from tet. */
PETSC_INTERN void AbutPointCellSetUp(AbutPointCell *cell);

/* Signed distance [m] of a point from the plane of face k; negative: inside. */
static inline PetscReal AbutFaceHeight(const AbutPointCell *cell, int k, const PetscReal x[3])
{
  return AbutPlaneHeight(3, cell->normal[k], cell->tet.x[AbutTetFace[k][0]], x);
}

/* Side of a point from the plane of face k: -1 inside, 0 on the plane up to the tolerance, 1 outside. */
PETSC_INTERN int AbutFaceSide(const AbutPointRules *rules, const AbutPointCell *cell, int k, const PetscReal x[3]);

/* Whether the projection of a point onto the plane of face k is in the closed face, up to the tolerance. */
PETSC_INTERN PetscBool AbutIsOverFace(const AbutPointRules *rules, const AbutPointCell *cell, int k, const PetscReal x[3]);

/* Closest points of two edges: unit vector from the first to the second, of either sign where they cross; distance [m]; middle. */
typedef struct {
  PetscReal normal[3], distance, middle[3];
} AbutEdgeClosest;

/* Edge i of cell[0] and edge j of cell[1]. PETSC_FALSE if they are parallel or the closest points are not inside both edges. */
PETSC_INTERN PetscBool AbutClosestInEdges(const AbutPointRules *rules, const AbutPointCell *const cell[2], int i, int j,
                                          AbutEdgeClosest *closest);

/* pair.c: pure kernels of a pair of cells */

/* A pair of cells: cell[0] of the body of lower index. */
typedef struct {
  const AbutPointRules *rules;
  const AbutPointCell  *cell[2];
  PetscReal             height[2][4][4]; /* height[s][f][v]: of vertex v of the other cell over face f of cell s [m] */
  signed char           side[2][4][4];   /* its side: AbutFaceSide() */
} AbutCellPair;

/* Sets heights and sides. Returns PETSC_FALSE if the plane of a face separates the cells; the pair is then incomplete. */
PETSC_INTERN PetscBool AbutCellPairSetUp(AbutCellPair *pair, const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B);

/* Whether vertex v of cell s is inside the closed other cell. */
static inline PetscBool AbutIsVertexInside(const AbutCellPair *pair, int s, int v)
{
  const signed char(*side)[4] = pair->side[1 - s];

  return (PetscBool)(side[0][v] <= 0 && side[1][v] <= 0 && side[2][v] <= 0 && side[3][v] <= 0);
}

/* A direction along which two cells overlap: unit vector from cell[0] to cell[1], and the separation along it [m], negative. */
typedef struct {
  PetscReal normal[3], separation;
} AbutOverlap;

/*
  Separating axis test with the normals of the faces and the cross products of the edges. Returns PETSC_FALSE if an axis separates the
  cells. Else finds the direction of least overlap; an edge axis must have less overlap than all face axes by more than the tolerance.
  surface_only: only axes of surface faces and of edges of surface faces compete; overlap->separation = -infinity if there are none.
*/
PETSC_INTERN PetscBool AbutCellPairOverlap(const AbutCellPair *pair, PetscBool surface_only, AbutOverlap *overlap);

/* A point of the boundary of the intersection of two cells, and the features of the cells that define it. */
typedef struct {
  PetscReal x[3];
  unsigned  feature[2];
} AbutPointCrossing;

#define ABUT_MAX_CROSSINGS 56 /* 4 + 4 vertices, 6 + 6 edges with 4 faces each */

/*
  Vertices of each cell inside the other, and points where an edge of one crosses a face of the other; each position once up to the
  tolerance of the post-filter. Returns their number.
*/
PETSC_INTERN int AbutCellPairCrossings(const AbutCellPair *pair, AbutPointCrossing crossing[ABUT_MAX_CROSSINGS]);

/* Least and largest coordinate of the crossings along a normal. */
PETSC_INTERN void AbutCrossingsExtent(int n, const AbutPointCrossing crossing[], const PetscReal normal[3], PetscReal extent[2]);

/* Whether edge e of a cell is an edge of a surface face of the cell. */
static inline PetscBool AbutIsSurfaceEdge(const AbutPointCell *cell, int e)
{
  return (PetscBool)((cell->tet.surface >> AbutTetEdgeFaces[e][0] | cell->tet.surface >> AbutTetEdgeFaces[e][1]) & 1);
}

/* Unit vector normal to two edges; PETSC_FALSE if the sine of their angle is at most `parallel`. */
PETSC_INTERN PetscBool AbutEdgeAxis(const PetscReal a[3], const PetscReal b[3], PetscReal parallel, PetscReal axis[3]);

/*
  Separations of vertices of two cells, as sets, along an axis: with cell[1] ahead of cell[0] along it, and behind [m]; negative: they
  overlap. Returns the distance from the lower end of cell[0] along the axis to that of cell[1] [m].
*/
PETSC_INTERN PetscReal AbutAxisSeparations(const AbutCellPair *pair, const unsigned vertices[2], const PetscReal axis[3],
                                           PetscReal separation[2]);

/*
  Appends one contact for each different projection of the points of the intersection onto the plane in the middle of their extent along a
  normal. separation: NULL: minus this extent.
*/
PETSC_INTERN PetscErrorCode AbutAddProjected(const AbutCellPair *pair, const PetscReal normal[3], const PetscReal *separation,
                                             AbutPointContacts *contacts);

/* add.c: appends contacts. A feature of a cell is the set of its vertices: bit k for vertex k. */
PETSC_INTERN PetscErrorCode AbutPointContactsReserve(AbutPointContacts *contacts, PetscInt more);

/* The two cells of a contact and the features that define it. */
typedef struct {
  const AbutPointCell *cell[2];
  unsigned             feature[2];
} AbutFeaturePair;
/* normal: unit vector from cell[0] to cell[1]. */
PETSC_INTERN PetscErrorCode AbutPointContactsAdd(AbutPointContacts *contacts, const AbutFeaturePair *pair, const PetscReal position[3],
                                                 const PetscReal normal[3], PetscReal separation);

/* Contact of vertex v of the other cell and face f of cell s: at the vertex, with the normal of the face. */
PETSC_INTERN PetscErrorCode AbutAddVertexFace(const AbutCellPair *pair, int s, int f, int v, AbutPointContacts *contacts);

/* Chooses faces of cell s, as a set, for vertex v of the other cell, which is inside cell s. */
typedef unsigned (*AbutFacesOfVertexFn)(const AbutCellPair *pair, int s, int v);
/* Contacts of every vertex inside the other cell with the faces chosen. */
PETSC_INTERN PetscErrorCode AbutAddVerticesInside(const AbutCellPair *pair, AbutFacesOfVertexFn choose, AbutPointContacts *contacts);

/* surface_cells.c: finds the cells of this rank with a face on the surface. Collective. */
PETSC_INTERN PetscErrorCode AbutPointsFindSurfaceCells(AbutContactPoints points);

/* erode.c: positions [num_local * 3] of the eroded bodies; free with PetscFree(). Obstacles are not eroded. Collective. */
PETSC_INTERN PetscErrorCode AbutPointsErode(AbutContactPoints points, const PetscReal x[], PetscReal **eroded);

/* shrink.c: positions of the bodies scaled by policy.shrink about the mean of their vertices; free with PetscFree(). Collective. */
PETSC_INTERN PetscErrorCode AbutPointsShrink(AbutContactPoints points, const PetscReal x[], PetscReal **shrunk);

/* generate.c: fills points->mine from all pairs of cells of different bodies that belong to this rank. Collective. */
PETSC_INTERN PetscErrorCode AbutPointsGenerate(AbutContactPoints points, const PetscReal x[]);

/* cells.c: room for n cells; keeps cells, not boxes. */
PETSC_INTERN PetscErrorCode AbutPointCellsReserve(AbutPointCells *cells, PetscInt n);
PETSC_INTERN PetscErrorCode AbutPointCellsDestroy(AbutPointCells *cells);

/* barrier.c: contact potentials */
PETSC_INTERN PetscErrorCode AbutPointsBarrierReset(AbutContactPoints points);
/* Fills points->mine from the active pairs at the eroded positions [num_local * 3]. Collective. */
PETSC_INTERN PetscErrorCode AbutPointsBarrierFind(AbutContactPoints points, const PetscReal x[]);
/* Merges the parts of a contact that several ranks have found; drops contacts without force. The contacts must be sorted. */
PETSC_INTERN PetscErrorCode AbutPointsBarrierMerge(AbutContactPoints points, AbutPointContacts *contacts);

/* gather.c: points->all = points->mine of all ranks, sorted. Collective. */
PETSC_INTERN PetscErrorCode AbutPointsGather(AbutContactPoints points);

/*
  filter.c: removes each contact that has the bodies, position and normal of an earlier contact. With add_weights the earlier contact
  receives the weight of the removed one.
*/
PETSC_INTERN PetscErrorCode AbutPointContactsFilter(const AbutPointRules *rules, PetscBool add_weights, AbutPointContacts *contacts);
