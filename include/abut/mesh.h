/**
  @file mesh.h
  @brief Bodies and obstacles: read or generated on rank 0, placed, checked, partitioned with METIS, distributed with ghost layers.

  One numbering holds all vertices, those of obstacles included: an obstacle's vertices are prescribed unknowns. Three numbers name a
  vertex: its *id* (input order over all bodies, then obstacles; what files and messages show; independent of the rank count), its
  *global* index (solver order, contiguous on every rank) and its *local* index (owned first, then ghosts).
**/
#pragma once
#include <abut/core.h>
#include <petscsf.h>

/* What the user asks for: plain data */

typedef enum { ABUT_SHAPE_FILE, ABUT_SHAPE_BOX, ABUT_SHAPE_BALL, ABUT_SHAPE_CYLINDER, ABUT_SHAPE_TORUS } AbutShapeKind;
PETSC_EXTERN const char *const AbutShapeKinds[]; /* "file", "box", "ball", "cylinder", "torus", "AbutShapeKind", "ABUT_SHAPE_", NULL */

/**
  A shape and where it stands: p' = R (scale .* p) + translate, R = Rx Ry Rz (the z rotation is applied first). Generated shapes are
  centred at the origin. An odd number of negative scales mirrors the shape; its cells and triangles are turned over accordingly.
  In 2D: BALL is a disc, TORUS a ring, CYLINDER invalid; only the third rotation may differ from 0.
**/
typedef struct {
  AbutShapeKind kind;
  char          path[PETSC_MAX_PATH_LEN]; /* FILE: .msh, .geo, .step, .brep (libgmsh); .obj, .seg, .pt (obstacles) */
  PetscReal     mesh_size;                /* [m] target edge length for .geo and CAD; 0 = the file's own */
  PetscReal     size[3]; /* BOX: edge lengths; BALL: radius; CYLINDER: radius, height (along z); TORUS: major, minor radius (axis z) */
  PetscInt
    cells[3]; /* BOX: cells per edge; others: cells[0] = cells across the radius (TORUS: minor radius), CYLINDER: cells[1] along height */
  PetscReal scale[3], rotate[3], translate[3]; /* 1, [degrees], [m] */
  PetscBool center;                            /* subtract the mean of the vertices first */
  PetscInt  copies[3];                         /* grid of copies, each a body of its own, named name[i,j,k]; 1 1 1 = one */
  PetscReal spacing[3];                        /* [m] translation between copies */
} AbutShapeSpec;

/**
  The side that a closed obstacle is met from: outward, it is solid; inward, it is the wall around a cavity that bodies are in; none: from
  both. Its faces (2D: edges) are turned so, however they come; an obstacle whose surface has a border is met from both sides.
**/
typedef enum { ABUT_ORIENTED_OUTWARD, ABUT_ORIENTED_INWARD, ABUT_ORIENTED_NONE } AbutOrientation;
PETSC_EXTERN const char *const AbutOrientations[]; /* "outward", "inward", "none", "AbutOrientation", "ABUT_ORIENTED_", NULL */

/** A body (deformable: cells of dimension dim) or an obstacle (kinematic: triangles, segments or points). */
typedef struct {
  char            name[64];
  AbutShapeSpec   shape;
  PetscBool       obstacle;
  AbutOrientation oriented;            /* of an obstacle */
  PetscInt        material;            /* index into the scene's materials; -1 for an obstacle */
  PetscInt        surface;             /* index into the table of friction coefficients */
  PetscReal       velocity[3];         /* [m/s] initial */
  PetscReal       angular_velocity[3]; /* [rad/s] initial, about the body's bounding-box centre */
  char            place[128];          /* "scene.yaml:12", for messages */
} AbutBodySpec;

/** @brief Sets a spec to zero but for what zero would not mean: scale 1, copies 1. Not collective. */
PETSC_EXTERN PetscErrorCode AbutBodySpecInit(AbutBodySpec *spec);

/** Which vertices a motion takes: the intersection of all criteria given. */
typedef struct {
  char      body[64]; /* name, "" = every body and obstacle; the name of a grid of copies = all its copies */
  PetscBool has_box;
  PetscReal box[2][3]; /* lower and upper corner */
  PetscBool relative;  /* box in fractions of the chosen bodies' bounding box at rest rather than [m] */
  char      group[64]; /* gmsh physical group of the body's file (the digits of its tag if it has no name), "" = none */
  PetscInt
    num_ids; /* explicit vertex numbers within each body chosen (0-based, in file order, of an obstacle among its surface vertices); 0 = none */
  PetscInt *ids; /* owned by the spec */
} AbutSelectionSpec;

typedef struct _p_AbutMesh *AbutMesh;

/* What every rank holds */

/** A body or obstacle as distributed; replicated on all ranks. */
typedef struct {
  char            name[80];
  PetscBool       obstacle;
  AbutOrientation oriented; /* none of an obstacle whose surface has a border; bodies: outward */
  PetscInt        material, surface;
  PetscInt        vertex_start, vertex_end; /* vertex ids */
  PetscInt        cell_start, cell_end;     /* cell ids; empty for obstacles */
  PetscReal       box[2][3];                /* bounding box at rest [m] */
  PetscReal       velocity[3], angular_velocity[3];
} AbutBody;

/** Numbers of entities over all ranks. */
typedef struct {
  PetscInt cells, faces, edges, points;
} AbutMeshCounts;

/**
  Part of the mesh on one rank. Read-only; owned by the mesh and valid until AbutMeshDestroy(). Each cell, face, edge and surface vertex is on
  exactly one rank. Ids follow the input order and do not depend on the number of ranks. Faces are oriented outward; in 2D there are no faces,
  and edges have the body on their left. Surface entities include those of obstacles; an obstacle of points has surface vertices only.
**/
typedef struct {
  PetscInt         dim;                              /* 2 or 3 */
  PetscInt         num_owned, num_local, num_global; /* vertices: local indices [0, num_owned) are owned, [num_owned, num_local) ghosts */
  PetscInt         first;                            /* global index of the first owned vertex */
  const PetscInt  *vertex_global;                    /* [num_local] global index */
  const PetscInt  *vertex_id;                        /* [num_local] id */
  const PetscInt  *vertex_body;                      /* [num_local] index into bodies */
  const PetscReal *rest;                             /* [num_local * dim] rest positions [m], vertex by vertex */
  PetscInt         num_cells;
  const PetscInt  *cells;      /* [num_cells * (dim + 1)] local vertices, positively oriented */
  const PetscInt  *cell_id;    /* [num_cells] id */
  const PetscInt  *cell_body;  /* [num_cells] index into bodies */
  PetscInt         num_faces;  /* surface triangles, 3D only */
  const PetscInt  *faces;      /* [num_faces * 3] local vertices */
  const PetscInt  *face_id;    /* [num_faces] id */
  PetscInt         num_edges;  /* surface edges */
  const PetscInt  *edges;      /* [num_edges * 2] local vertices; 3D: lower vertex id first; 2D: oriented */
  const PetscInt  *edge_id;    /* [num_edges] id */
  PetscInt         num_points; /* surface vertices */
  const PetscInt  *points;     /* [num_points] local indices, all of them owned */
  AbutMeshCounts   global;
  PetscInt         num_bodies;
  const AbutBody  *bodies;   /* [num_bodies] bodies and obstacles, the same on every rank */
  PetscReal        diagonal; /* of the bounding box of the deformable bodies at rest [m]: the unit of relative lengths in scene files */
} AbutMeshLocal;

/**
  @brief Reads or generates all bodies and obstacles on rank 0, checks them, partitions and distributes them. Collective.
  Errors (ABUT_ERR_INPUT): missing or unreadable file, no cells of dimension dim, inverted or degenerate cell (named by body, cell and
  volume), two vertices of a body at one place, vertex without a cell, unknown physical group.
  @param[in] specs  needed on rank 0 only; the order gives the ids: bodies first, then obstacles
**/
PETSC_EXTERN PetscErrorCode AbutMeshCreate(MPI_Comm comm, PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[], AbutMesh *mesh);
PETSC_EXTERN PetscErrorCode AbutMeshDestroy(AbutMesh *mesh);
PETSC_EXTERN PetscErrorCode AbutMeshGetComm(AbutMesh mesh, MPI_Comm *comm);

/** @brief Mean length at rest of the edges on the surfaces of bodies, or of obstacles [m]; 0 if there are none. Collective. */
PETSC_EXTERN PetscErrorCode AbutMeshGetMeanEdge(AbutMesh mesh, PetscBool of_obstacles, PetscReal *mean);

/** @brief Borrows the rank's share. Not collective. */
PETSC_EXTERN PetscErrorCode AbutMeshGetLocal(AbutMesh mesh, const AbutMeshLocal **local);

/** @brief Copies owner values of `width` reals a vertex into the ghosts of a local array [num_local * width]. Collective; Begin may be overlapped with work that leaves the array alone. */
PETSC_EXTERN PetscErrorCode AbutMeshHaloBegin(AbutMesh mesh, PetscInt width, PetscReal values[]);
PETSC_EXTERN PetscErrorCode AbutMeshHaloEnd(AbutMesh mesh, PetscInt width, PetscReal values[]);

/** @brief Sums ghost values into their owners (ghost entries keep what they were). Collective. */
PETSC_EXTERN PetscErrorCode AbutMeshReduceAdd(AbutMesh mesh, PetscInt width, PetscReal values[]);

/**
  @brief Local indices of the owned vertices of a selection, ascending. Collective.
  Error if the selection is empty over all ranks, names an unknown body or group, or an id is out of range.
  @param[in]  place   "scene.yaml:12", for messages
  @param[out] count, vertices  to be freed with PetscFree()
**/
PETSC_EXTERN PetscErrorCode AbutMeshSelect(AbutMesh mesh, const AbutSelectionSpec *selection, const char place[], PetscInt *count,
                                           PetscInt **vertices);

/**
  @brief A star forest between the vertices in input order, dealt out in contiguous even slices, and their owners: roots are the
  owned vertices (local index), leaves the slots of this rank's slice [slice_start, slice_end) of ids. For files that do not depend on
  the rank count: PetscSFBcast fills a slice for writing, PetscSFReduce(MPI_REPLACE) brings a slice that was read to the owners. Collective.
**/
PETSC_EXTERN PetscErrorCode AbutMeshGetInputOrder(AbutMesh mesh, PetscSF *sf, PetscInt *slice_start, PetscInt *slice_end);

/**
  @brief Positions of the vertices of one body or obstacle from a file (.obj, .seg, .pt, .msh, ...), which rank 0 reads; vertices in the
  order of the body's own file, taken as they are, not placed. Collective. ABUT_ERR_INPUT if it cannot be read or has another number of
  vertices; the message names place, body and file.
  @param[in]  body  index into AbutMeshLocal.bodies
  @param[out] x     owned positions [num_owned * dim]: those of the body are written, the others left alone
**/
PETSC_EXTERN PetscErrorCode AbutMeshReadPositions(AbutMesh mesh, PetscInt body, const char path[], const char place[], PetscReal x[]);

/** @brief Prints vertices, cells, surface entities and ghosts, and their max/avg over ranks. Collective. */
PETSC_EXTERN PetscErrorCode AbutMeshView(AbutMesh mesh, PetscViewer viewer);
