/* Private to src/model/mesh: shapes and the distributed mesh. */
#pragma once
#include <abut/containers.h>
#include <abut/mesh.h>
#include <abut/option.h>
#include <petscbt.h>
#include <stdio.h>

/* Errors that name the body */

/* Records "place: body 'name': message" as ABUT_ERR_INPUT and returns that code. */
PETSC_INTERN PetscErrorCode AbutSpecError(const AbutBodySpec *spec, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);

#define AbutSpecCheck(condition, spec, ...)                                                 \
  do {                                                                                      \
    if (PetscUnlikely(!(condition))) PetscFunctionReturn(AbutSpecError(spec, __VA_ARGS__)); \
  } while (0)

/* Text file with a cursor; in memory is the whole file or a window. */
typedef struct {
  const AbutBodySpec *spec;             /* body or obstacle that the file defines, for messages */
  const char         *path, *why;       /* why: reason why reading failed, or NULL */
  char               *begin, *at, *end; /* text in memory: start, cursor, end; *end = 0 */
  FILE               *file;             /* NULL if the whole file is in memory */
  PetscInt            line;             /* lines before `begin` */
  PetscBool           more;             /* whether the file continues behind `end` */
} AbutTextCursor;

PETSC_INTERN PetscErrorCode AbutTextRead(const AbutBodySpec *spec, const char path[], AbutTextCursor *text); /* the whole file */
/* A window of 4 MiB. data: its source, which AbutTextClose() closes; NULL: the path is opened. */
PETSC_INTERN PetscErrorCode AbutTextOpen(const AbutBodySpec *spec, const char path[], FILE *data, AbutTextCursor *text);
PETSC_INTERN PetscErrorCode AbutTextCheckRead(const AbutTextCursor *text); /* ABUT_ERR_INPUT if reading has failed */
PETSC_INTERN PetscErrorCode AbutTextClose(AbutTextCursor *text);           /* after AbutTextOpen() or AbutTextRead(), also if they failed */
PETSC_INTERN PetscInt       AbutTextLine(const AbutTextCursor *text);      /* 1-based line of the cursor */
PETSC_INTERN PetscErrorCode AbutTextInt(AbutTextCursor *text, PetscInt *value); /* reads the next integer, on this or a later line */
PETSC_INTERN PetscErrorCode AbutTextInts(AbutTextCursor *text, PetscInt n, PetscInt values[]); /* the same for n integers */
PETSC_INTERN PetscErrorCode AbutTextReal(AbutTextCursor *text, PetscReal *value);      /* reads the next number, on this or a later line */
PETSC_INTERN PetscBool      AbutTextMore(AbutTextCursor *text);                        /* skips blanks; whether the line has more text */
PETSC_INTERN void           AbutTextNextLine(AbutTextCursor *text);                    /* moves to the start of the next line */
PETSC_INTERN PetscBool      AbutTextWord(AbutTextCursor *text, size_t n, char word[]); /* reads the next word of this line */

#define AbutTextCheck(condition, text, format, ...) \
  AbutSpecCheck(condition, (text)->spec, "%s:%" PetscInt_FMT ": " format, (text)->path, AbutTextLine(text), __VA_ARGS__)

/* Physical groups of a mesh file: named sets of vertices. */
#define ABUT_GROUP_NAME 64

typedef struct {
  PetscInt num_names, capacity;
  char (*names)[ABUT_GROUP_NAME];
  AbutInts marks; /* pairs (index of the group, vertex) */
  AbutInts edges; /* triples (index of the group, two vertices): edges of its linear simplices, where nodes will be added on edges */
  AbutInts cells; /* pairs (index of the group, cell of the file), on any rank; only for bodies with regions */
} AbutGroups;

/* Index of a name; adds the name if it is new. */
PETSC_INTERN PetscErrorCode AbutGroupsFind(AbutGroups *groups, const char name[], PetscInt *index);
PETSC_INTERN PetscErrorCode AbutGroupsFree(AbutGroups *groups);

/* Numbers begin, ..., end - 1. */
typedef struct {
  PetscInt begin, end;
} AbutRange;

/* Shape of one body or obstacle; simplices refer to its vertices by numbers from 0 */

typedef struct {
  PetscInt        num_vertices, num_cells, num_faces, num_edges, num_points;
  PetscReal      *x;       /* [num_vertices * 3], also in 2D */
  PetscInt       *cells;   /* [num_cells * (dim + 1)] corners */
  PetscInt       *middles; /* [num_cells * AbutNumCellEdges(dim)] nodes on the edges of a file's quadratic cells; NULL if they are linear */
  PetscInt       *faces;   /* [num_faces * 3] triangles of the file; after AbutShapeKeepSurface(): of the surface */
  PetscInt       *edges;   /* [num_edges * 2] */
  PetscInt       *points;  /* [num_points] surface vertices, ascending */
  PetscInt       *regions; /* [num_cells] region of AbutBodySpec, -1: none; NULL if the body has no regions */
  AbutGroups      groups;
  AbutOrientation oriented; /* solid side; none if an obstacle has a border */
} AbutShape;

PETSC_INTERN PetscErrorCode AbutShapeFree(AbutShape *shape);

/* Removes the vertices v with !keep[v], the cells, faces and edges with a removed vertex, and the group marks of removed vertices. */
PETSC_INTERN PetscErrorCode AbutShapeCompact(PetscInt dim, AbutShape *shape, const PetscBool keep[]);

/* Makes all triangles of a 2D shape counter-clockwise. */
PETSC_INTERN void AbutShapeOrientCells2D(AbutShape *shape);

/* Reverses the orientation of simplices of n vertices by swapping their first two vertices. */
PETSC_INTERN void AbutReverseSimplices(PetscInt num, PetscInt n, PetscInt simplices[]);
/* Puts the nodes on the edges of cells in the order that AbutReverseSimplices() gives to their corners. */
PETSC_INTERN void AbutReverseMiddles(PetscInt dim, PetscInt num, PetscInt middles[]);

/* Sets the triangles of a file, which are faces in 3D and cells in 2D; the shape owns their array from then on. */
PETSC_INTERN void AbutShapeSetTriangles(PetscInt dim, const AbutInts *triangles, AbutShape *shape);

/* Sets corners and nodes on edges of `num` quadratic cells; nodes: of each cell its corners, then the nodes on its edges. */
PETSC_INTERN PetscErrorCode AbutShapeSetQuadraticCells(PetscInt dim, PetscInt num, const PetscInt nodes[], AbutShape *shape);

/* Removes the vertices `dropped` [ascending, of all ranks], which no simplex names; first: number of the first vertex of this rank. */
PETSC_INTERN void AbutShapeDrop(PetscInt dim, PetscInt first, const AbutInts *dropped, AbutShape *shape);

/*
  Removes the nodes on the edges of quadratic cells, whose corners keep their order; *found: whether there are any. Each rank has a part
  of the shape. Collective.
*/
PETSC_INTERN PetscErrorCode AbutShapeTakeCorners(MPI_Comm comm, PetscInt dim, AbutShape *shape, PetscBool *found);

/* Removes the faces and edges that the file defines. */
PETSC_INTERN PetscErrorCode AbutShapeDropSurface(AbutShape *shape);

/*
  Reads or generates, places and checks the shape of a body or obstacle; builds the surface of an obstacle. The communicator of an obstacle,
  and of a generated shape, has one rank. Of a body from a file each rank gets consecutive vertices and cells. Collective; the same code on
  all ranks.
*/
PETSC_INTERN PetscErrorCode AbutShapeCreate(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutShape *shape);

/* Orients the surface of a closed obstacle as specified. */
PETSC_INTERN PetscErrorCode AbutShapeOrient(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape);

/* Builds the surface of an obstacle and removes its cells and interior vertices. */
PETSC_INTERN PetscErrorCode AbutShapeKeepSurface(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape);

/* Sets the regions of the cells from groups.cells, if the body has any. Each rank has a part of the shape. Collective. */
PETSC_INTERN PetscErrorCode AbutShapeSetRegions(MPI_Comm comm, const AbutBodySpec *spec, AbutShape *shape);

/* Parts of a file that a reader may keep. */
typedef enum {
  ABUT_FILE_VERTICES, /* vertices alone */
  ABUT_FILE_CELLS,    /* vertices and cells; a file without cells is an error */
  ABUT_FILE_ALL       /* vertices, cells, triangles and edges */
} AbutFileParts;

/* Each rank gets consecutive vertices and cells of the file; names of groups are on rank 0. Collective; the same code on all ranks. */
PETSC_INTERN PetscErrorCode AbutShapeReadFile(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, AbutShape *shape);
/* Numbers of vertices and cells of a generated shape; checks its parameters. */
PETSC_INTERN PetscErrorCode AbutShapeGenerateCount(const AbutBodySpec *spec, PetscInt dim, PetscInt *num_vertices, PetscInt *num_cells);
/* Generates the given vertices and cells of a shape; cells refer to vertices of the whole shape. */
PETSC_INTERN PetscErrorCode AbutShapeGenerate(const AbutBodySpec *spec, PetscInt dim, AbutRange vertices, AbutRange cells,
                                              AbutShape *shape);
/* Mean of all vertices of a generated shape, without storing them. */
PETSC_INTERN PetscErrorCode AbutShapeGenerateMean(const AbutBodySpec *spec, PetscInt dim, PetscReal mean[3]);

/* Adds the contribution of the vertices of `shape` to the mean of num_vertices vertices. */
PETSC_INTERN void           AbutShapeAddMean(const AbutShape *shape, PetscInt num_vertices, PetscReal mean[3]);
PETSC_INTERN PetscErrorCode AbutShapeCheckPlacement(const AbutBodySpec *spec, PetscInt dim);
/* Places a shape or a part of it, after AbutShapeCheckPlacement(); `mean` of the whole shape is used if the shape is centred. */
PETSC_INTERN void AbutShapePlace(const AbutBodySpec *spec, PetscInt dim, const PetscReal mean[3], AbutShape *shape);

/* Places one point; and the reverse, from a placed point to the shape. */
PETSC_INTERN void AbutShapePlacePoint(const AbutBodySpec *spec, PetscInt dim, const PetscReal mean[3], PetscReal p[3]);
PETSC_INTERN void AbutShapeUnplace(const AbutBodySpec *spec, PetscInt dim, const PetscReal mean[3], PetscReal p[3]);

#define ABUT_COORDINATE_MAX 1e12 /* [m] largest valid coordinate; the comparison also rejects NaN */

/* `first`: number of the first vertex of this rank. */
PETSC_INTERN PetscErrorCode AbutShapeCheckFinite(const AbutBodySpec *spec, PetscInt first, const AbutShape *shape);
/* Refuses degenerate cells, vertices without cells and vertices that coincide, if the shape has cells. Collective. */
PETSC_INTERN PetscErrorCode AbutShapeCheckBody(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutShapeCheckObstacle(const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape);

/* Whether side s contains an edge of its cell. */
PETSC_INTERN PetscBool AbutSideHasEdge(PetscInt dim, PetscInt s, PetscInt edge);

/*
  Moves the midpoint of an edge on the surface of a generated shape, between the vertices a and b, to the true surface: of a ball, cylinder
  or torus (2D: disc, ring). All positions are of the shape before its placement.
*/
PETSC_INTERN void AbutShapeCurve(const AbutShapeSpec *shape, PetscInt dim, const PetscReal a[3], const PetscReal b[3], PetscReal middle[3]);

/* Six times the signed volume of a tetrahedron or twice the signed area of a triangle; x has three coordinates per vertex. */
PETSC_INTERN PetscReal AbutCellDeterminant(PetscInt dim, const PetscReal x[], const PetscInt cell[]);

/* Whether a cell is degenerate or inverted; x has three coordinates per vertex. */
PETSC_INTERN PetscBool AbutCellIsFlat(PetscInt dim, const PetscReal x[], const PetscInt cell[]);

/*
  The error for such a cell of a body: its number and its vertices in the body; bad of num_cells cells of the body are degenerate or
  inverted.
*/
PETSC_INTERN PetscErrorCode AbutFlatCellError(const AbutBodySpec *spec, PetscInt dim, const PetscReal x[], const PetscInt cell[],
                                              PetscInt number, const PetscInt vertices[], PetscInt bad, PetscInt num_cells);

/* Options of AbutMeshCreate(). */
typedef struct {
  PetscBool allow_system_calls; /* Gmsh scripts may run other programs */
  PetscInt  seed;               /* random seed of METIS; the same seed gives the same partition */
  PetscReal imbalance;          /* largest allowed ratio of a part's work to the average */
  PetscInt  metis_most;         /* largest number of vertices that METIS partitions */
} AbutMeshSettings;

/* The distributed mesh */

/* Part of the mesh on a rank: counts, then arrays whose lengths follow from the counts. */
typedef struct {
  PetscInt   num_owned, num_local, first, num_cells, num_faces, num_edges, num_points, num_marks, num_middles;
  PetscReal *rest;
  PetscInt  *integers; /* memory of the arrays below */
  PetscInt  *vertex_global, *vertex_id, *vertex_body, *cells, *middles, *cell_id, *cell_body, *faces, *face_id, *edges, *edge_id, *points;
  PetscInt  *group_start;  /* [num_groups + 1] offsets into group_vertex */
  PetscInt  *group_vertex; /* [num_marks] owned local vertices, ascending within a group */
} AbutMeshPart;

#define ABUT_MAX_CACHED_WIDTH 16

struct _p_AbutMesh {
  MPI_Comm         comm;
  PetscMPIInt      size;
  AbutMeshSettings options;
  AbutMeshLocal    local; /* its pointers refer to arrays of part */
  AbutMeshPart     part;
  PetscBool        quadratic; /* a body has quadratic cells */
  PetscInt        *region;    /* [num_cells] region of each cell in AbutBody.regions, -1: none; NULL if no body has regions */
  PetscReal       *start;     /* [num_local * dim] positions at the start; NULL: the rest positions */
  PetscInt         num_groups;
  char (*group_names)[ABUT_GROUP_NAME];
  PetscSF      halo;                            /* owned vertices to ghosts */
  MPI_Datatype unit[ABUT_MAX_CACHED_WIDTH + 1]; /* [width]: MPI type of `width` reals */
};

/*
  Gathers the vertices at x [num_owned * dim], the cells and the group marks of a body on one rank; the shape is empty on other ranks.
  Marks refer to the groups of the mesh. Free with AbutShapeFree(). Collective.
*/
PETSC_INTERN PetscErrorCode AbutMeshGatherBody(AbutMesh mesh, PetscInt body, PetscMPIInt rank, const PetscReal x[], AbutShape *shape);
/*
  Values of owned vertices [num_owned * dim]: of a vertex on the edge of a quadratic cell convert(a, b, vertex) with the values of the
  corners a and b, which convert() treats alike; others stay. The same bits on all numbers of ranks. result may be `owned`. Collective.
*/
PETSC_INTERN PetscErrorCode AbutMeshConvertEdges(AbutMesh        mesh, PetscReal (*convert)(PetscReal, PetscReal, PetscReal),
                                                 const PetscReal owned[], PetscReal result[]);
PETSC_INTERN PetscErrorCode AbutMeshPartFree(AbutMeshPart *part);
PETSC_INTERN PetscErrorCode AbutMeshSetUpHalo(AbutMesh mesh);
