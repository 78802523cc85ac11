/* WARNING: private header of src/contact_points. */
#pragma once
#include <abut/bvh.h>
#include <abut/contact_points.h>
#include <abut/dense.h>
#include <abut/geom.h>
#include <abut/option.h>

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
  PetscReal threshold;                 /* distance of closest points / erosion */
  PetscReal touch;                     /* fraction of the mesh diagonal */
  PetscReal parallel;                  /* sine of an angle */
  PetscReal merge, merge_normal;       /* fraction of the mesh diagonal; length of the difference of unit normals */
} AbutPointPolicy;

/* Tolerances in force for one mesh. */
typedef struct {
  PetscReal erosion;      /* [m] */
  PetscReal reach;        /* [m] largest distance of closest points */
  PetscReal touch;        /* [m] a point within this distance of a plane is on it; 0: exact predicates decide */
  PetscReal parallel;     /* sine of the angle below which edges are parallel */
  PetscReal merge;        /* [m] */
  PetscReal merge_normal; /* length of the difference of unit normals */
} AbutPointRules;

/* Appends the contact points of cells A and B of two bodies, the body of A has the lower index. */
typedef PetscErrorCode (*AbutPointFn)(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B,
                                      AbutPointContacts *contacts);

/* A method of Erleben 2018. */
typedef struct {
  AbutPointFn find;
  PetscBool   eroded; /* needs the eroded bodies, and pairs of cells within AbutPointRules.reach */
} AbutPointMethod;

/* List of the methods: table of functions, name. */
#define ABUT_POINT_METHODS(METHOD) METHOD(AbutVertexOnly, "vertex-only")

#define ABUT_DECLARE_POINT_METHOD(method, name) PETSC_INTERN const AbutPointMethod method;
ABUT_POINT_METHODS(ABUT_DECLARE_POINT_METHOD)

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
  PetscReal              origin[3]; /* of the boxes in single precision */
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

/* Whether a point is inside the closed cell up to the tolerance. */
PETSC_INTERN PetscBool AbutIsInside(const AbutPointRules *rules, const AbutPointCell *cell, const PetscReal x[3]);

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

/* surface_cells.c: finds the cells of this rank with a face on the surface. Collective. */
PETSC_INTERN PetscErrorCode AbutPointsFindSurfaceCells(AbutContactPoints points);

/* generate.c: fills points->mine from all pairs of cells of different bodies that belong to this rank. Collective. */
PETSC_INTERN PetscErrorCode AbutPointsGenerate(AbutContactPoints points, const PetscReal x[]);
PETSC_INTERN PetscErrorCode AbutPointCellsDestroy(AbutPointCells *cells);

/* gather.c: points->all = points->mine of all ranks, sorted. Collective. */
PETSC_INTERN PetscErrorCode AbutPointsGather(AbutContactPoints points);

/* filter.c: removes each contact with the bodies, position and normal of an earlier contact. */
PETSC_INTERN PetscErrorCode AbutPointContactsFilter(const AbutPointRules *rules, AbutPointContacts *contacts);
