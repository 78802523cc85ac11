/* Private to src/model/mesh/read: tags of nodes, rows of a mesh file on their way from rank 0 to all ranks. */
#pragma once
#include "meshimpl.h"

/* Node tags */

/* Consecutive tags first, ..., first + n - 1 of the vertices vertex, ..., vertex + n - 1. */
typedef struct {
  PetscInt first, n, vertex;
} AbutTagRun;

/* Map from node tags to vertex numbers. Initialise with zeros; PetscFree(run) frees it. */
typedef struct {
  PetscInt    num, n, capacity, found; /* tags, runs, allocated runs, run of the tag that was found last */
  AbutTagRun *run;                     /* [n] */
} AbutTags;

PETSC_INTERN PetscErrorCode AbutTagsPush(AbutTags *tags, PetscInt tag); /* appends the tag of the next vertex */

/* Sorts the runs after the last AbutTagsPush(); returns a vertex whose tag an earlier vertex has too, or -1. */
PETSC_INTERN PetscInt AbutTagsSort(AbutTags *tags);

PETSC_INTERN PetscInt AbutTagsFind(AbutTags *tags, PetscInt tag); /* vertex of a tag, -1 if there is none; after AbutTagsSort() */

/* Rows */

#define ABUT_MAX_ROW_GROUPS 64 /* groups that a simplex may belong to */
#define ABUT_MAX_ROW_NODES  10 /* nodes of a quadratic tetrahedron */

/* Description of consecutive rows of the same kind. */
typedef struct {
  PetscInt num, width; /* rows; nodes of each simplex, 0: positions of vertices, -1: end of the file */
  PetscInt num_groups, group[ABUT_MAX_ROW_GROUPS];
} AbutRowsHead;

/* Rows of a rank. Initialise with zeros. */
typedef struct {
  AbutReals x;                                 /* triples */
  AbutInts  simplices[ABUT_MAX_ROW_NODES + 1]; /* [n]: nodes of the simplices with n nodes */
  AbutInts  marks, edges, cells;               /* see AbutGroups; of cells the numbers on this rank */
} AbutRows;

/* Rows that rank 0 reads in the order of the file and sends to all ranks; it holds few of them at a time. */
typedef struct {
  MPI_Comm     comm;
  PetscMPIInt  rank, size, tag, to;          /* to: receiver of the buffered rows */
  PetscBool    keep[ABUT_MAX_ROW_NODES + 1]; /* [n]: whether simplices with n nodes are kept; others only mark their nodes */
  PetscBool    marks;                        /* whether simplices mark the vertices of their groups */
  PetscBool    edges;                        /* whether linear simplices add their edges to their groups */
  PetscBool    cells;                        /* whether simplices that are kept add themselves to their groups */
  AbutRowsHead head;                         /* of the buffered rows */
  AbutReals    x;                            /* buffered positions */
  AbutInts     v;                            /* buffered simplices */
  AbutRows     rows;                         /* rows of this rank */
} AbutRowStream;

/* Starts a stream; `comm` is a communicator of PETSc. Collective. */
PETSC_INTERN PetscErrorCode AbutRowStreamBegin(MPI_Comm comm, AbutRowStream *stream);

/* Row i of `total` rows of positions; rank 0. The rank whose block of 0, ..., total - 1 contains i receives it. */
PETSC_INTERN PetscErrorCode AbutRowStreamPutVertex(AbutRowStream *stream, PetscInt i, PetscInt total, const PetscReal x[3]);

/*
  Row i of `total` elements: a simplex of n nodes v that belongs to groups; rank 0. Rows between the calls may be missing; an element may
  have several. A quadratic cell has the nodes of its edges in the order of AbutCellEdgeCorner().
*/
PETSC_INTERN PetscErrorCode AbutRowStreamPutSimplex(AbutRowStream *stream, PetscInt i, PetscInt total, PetscInt n, const PetscInt v[],
                                                    PetscInt num_groups, const PetscInt groups[]);

/* Ends the stream on rank 0, also after an error; receives all rows on the other ranks. */
PETSC_INTERN PetscErrorCode AbutRowStreamEnd(AbutRowStream *stream);
PETSC_INTERN PetscErrorCode AbutRowStreamReceive(AbutRowStream *stream);
/* Moves the rows of all ranks to the shape, without the nodes `dropped` [ascending, on rank 0], which no simplex names. Collective. */
PETSC_INTERN PetscErrorCode AbutRowStreamFinish(AbutRowStream *stream, PetscInt dim, AbutInts *dropped, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutRowStreamFree(AbutRowStream *stream);

/* Element types of Gmsh */

PETSC_INTERN PetscInt AbutGmshCorners(PetscInt type);   /* corners of a linear or quadratic simplex, 0 for other types */
PETSC_INTERN PetscInt AbutGmshNodes(PetscInt type);     /* corners, and nodes on the edges if it is quadratic */
PETSC_INTERN PetscInt AbutGmshDimension(PetscInt type); /* of any type; -1 if it is unknown */

/* Number of linear parts of a quadratic line or triangle, which has this number of corners. */
static inline PetscInt AbutNumParts(PetscInt corners)
{
  return corners == 2 ? 2 : 4;
}

/* Sets the parts of a quadratic line or triangle v: corners, then the nodes on its edges. parts: [AbutNumParts() * corners] */
PETSC_INTERN void AbutSetParts(PetscInt corners, const PetscInt v[], PetscInt parts[]);

/* Readers. A collective one returns the same code on all ranks; each rank gets consecutive vertices and simplices of the shape. */

/* data: text of the file from a program, closed on return; NULL: the file is opened. */
PETSC_INTERN PetscErrorCode AbutShapeReadMsh(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, FILE *data,
                                             AbutShape *shape, PetscBool *understood);
PETSC_INTERN PetscErrorCode AbutShapeReadHDF5(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, AbutShape *shape);
/* On one rank */
PETSC_INTERN PetscErrorCode AbutShapeReadGmsh(const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, AbutShape *shape);
PETSC_INTERN PetscErrorCode AbutShapeReadSurface(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape);
/* ABUT_ERR_INPUT if a Gmsh script would end the process or, without -mesh_allow_system_calls, run other programs. */
PETSC_INTERN PetscErrorCode AbutScriptCheck(const AbutBodySpec *spec);
