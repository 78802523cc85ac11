/**
  @file mesh.h
  @brief Bodies and obstacles: read or generated in blocks on all ranks, placed, checked, partitioned, distributed with ghost layers.

  One numbering contains all vertices, including the vertices of obstacles, which are prescribed unknowns. A vertex has three numbers: its
  *id* (input order over all bodies, then obstacles; independent of the number of ranks; used in files and messages), its *global* index
  (solver order, contiguous on each rank) and its *local* index (owned vertices first, then ghosts).
**/
#pragma once
#include <abut/core.h>
#include <abut/option.h>
#include <petscsf.h>

/* Specification of bodies and obstacles */

/** Kinds of shapes: from a file, or generated. */
typedef enum { ABUT_SHAPE_FILE, ABUT_SHAPE_BOX, ABUT_SHAPE_BALL, ABUT_SHAPE_CYLINDER, ABUT_SHAPE_TORUS } AbutShapeKind;

/** Names of the kinds for PetscOptionsEnum(): "file", "box", "ball", "cylinder", "torus". */
PETSC_EXTERN const char *const AbutShapeKinds[];

/**
  Shape and placement: \f$ p' = R_x R_y R_z \, \mathrm{diag}(\mathrm{scale}) \, p + \mathrm{translate} \f$. Generated shapes are centred at
  the origin.
  An odd number of negative scales mirrors the shape; the vertex order of its cells and triangles is then reversed. In 2D BALL is a disc,
  TORUS a ring, CYLINDER invalid; only the third rotation may differ from 0.
**/
typedef struct {
  AbutShapeKind kind;                     /* file or generated */
  char          path[PETSC_MAX_PATH_LEN]; /* FILE: .msh, .geo, .step, .iges, .brep (libgmsh); .obj, .seg, .pt (obstacles) */
  PetscReal     mesh_size;                /* [m] target edge length for .geo and CAD after scaling; 0 = the file's own */
  PetscReal     size[3]; /* BOX: edge lengths; BALL: radius; CYLINDER: radius, height (along z); TORUS: major, minor radius (axis z) */
  PetscInt
    cells[3]; /* BOX: cells per edge; others: cells[0] = cells across the radius (TORUS: minor radius), CYLINDER: cells[1] along height */
  PetscReal scale[3];     /* factors, finite and not 0 */
  PetscReal rotate[3];    /* angles about the axes [degrees] */
  PetscReal translate[3]; /* [m] */
  PetscBool center;       /* subtract the mean of the vertices before scaling */
  PetscInt  order;        /* degree of the shape functions: 1, 2; 0: of the file, otherwise 1. 2 adds nodes on the edges of linear cells */
  PetscBool corners;      /* quadratic cells of a file become linear cells on their corners */
  PetscInt  copies[3];    /* numbers of copies in a grid, each a separate body with the name NAME[i,j,k]; 1 1 1 = one body NAME */
  PetscReal spacing[3];   /* [m] translation between copies */
} AbutShapeSpec;

/**
  Solid side of a closed obstacle: outward, the obstacle is solid inside; inward, it is solid outside, a container for bodies; none, it
  repels on both sides. The faces (2D: edges) are reordered so that their normals point out of the solid. An obstacle with a border repels
  on both sides.
**/
typedef enum { ABUT_ORIENTED_OUTWARD, ABUT_ORIENTED_INWARD, ABUT_ORIENTED_NONE } AbutOrientation;

/** Names of the orientations for PetscOptionsEnum(): "outward", "inward", "none". */
PETSC_EXTERN const char *const AbutOrientations[];

/** Cells of a body with a material of their own. */
typedef struct {
  char     group[64]; /* physical group of cells of the body's file */
  PetscInt material;  /* index into the scene's materials */
} AbutRegionSpec;

/**
  Specification of a body (deformable, with cells of dimension dim) or of an obstacle (prescribed motion; triangles, segments or points).
**/
typedef struct {
  char            name[64];                  /* unique in the scene */
  AbutShapeSpec   shape;                     /* shape and placement */
  PetscBool       obstacle;                  /* obstacle rather than deformable body */
  AbutOrientation oriented;                  /* solid side of an obstacle */
  PetscInt        material;                  /* index into the scene's materials; -1 for an obstacle */
  PetscInt        surface;                   /* index into the table of friction coefficients */
  PetscReal       velocity[3];               /* [m/s] initial */
  PetscReal       angular_velocity[3];       /* [rad/s] initial, about the body's bounding-box centre */
  char            start[PETSC_MAX_PATH_LEN]; /* mesh file with the positions at the start; "": rest shape. Not with copies, obstacles */
  PetscInt        num_regions;               /* entries of `regions` */
  AbutRegionSpec *regions;                   /* [num_regions] disjoint; borrowed until AbutMeshDestroy() */
  char            place[128];                /* "scene.yaml:12", for messages */
} AbutBodySpec;

/** @brief Sets a specification to zero, except scale = 1 and copies = 1. Not collective. */
PETSC_EXTERN PetscErrorCode AbutBodySpecInit(AbutBodySpec *spec);

/** Selection of vertices, for motions and loads: the intersection of all criteria that are given. */
typedef struct {
  char      body[64];  /* name, "" = all bodies and obstacles; the name of a grid of copies = all its copies */
  PetscBool has_box;   /* the selection has a box */
  PetscReal box[2][3]; /* lower and upper corner; [m], or fractions if relative */
  PetscBool relative;  /* the box is in fractions of the bounding box at rest of the bodies selected by name */
  char      group[64]; /* gmsh physical group of the body's file (the digits of its tag if it has no name), "" = none */
  PetscInt  num_ids;   /* number of explicit vertex numbers, 0 = none */
  PetscInt *ids;       /* [num_ids] vertex numbers from 0 in each selected body, in file order; obstacles: among surface vertices */
} AbutSelectionSpec;

/** Distributed mesh; opaque. */
typedef struct _p_AbutMesh *AbutMesh;

/* Distributed mesh */

/** Body or obstacle of the distributed mesh; the same on all ranks. */
typedef struct {
  char            name[80];            /* name of the specification, with the indices of a copy */
  PetscBool       obstacle;            /* obstacle rather than deformable body */
  AbutOrientation oriented;            /* none for an obstacle with a border; outward for bodies */
  PetscInt        order;               /* degree of its shape functions: 1 or 2; with `corners` of the ones in the file */
  PetscInt        surface_dim;         /* highest dimension of its surface entities: 0 points, 1 edges, 2 faces */
  PetscInt        material;            /* as in AbutBodySpec */
  PetscInt        surface;             /* as in AbutBodySpec */
  PetscInt        vertex_start;        /* its vertices have the ids [vertex_start, vertex_end) */
  PetscInt        vertex_end;          /* see vertex_start */
  PetscInt        cell_start;          /* its cells have the ids [cell_start, cell_end); empty for obstacles */
  PetscInt        cell_end;            /* see cell_start */
  PetscReal       box[2][3];           /* bounding box at rest [m]: lower and upper corner */
  PetscReal       velocity[3];         /* [m/s] initial */
  PetscReal       angular_velocity[3]; /* [rad/s] initial, about the centre of the bounding box */
  PetscInt        num_regions;         /* as in AbutBodySpec */
  AbutRegionSpec *regions;             /* as in AbutBodySpec; borrowed */
} AbutBody;

/** Material of a region of a body; of the cells in no region for -1. */
static inline PetscInt AbutBodyMaterial(const AbutBody *body, PetscInt region)
{
  return region < 0 ? body->material : body->regions[region].material;
}

/** Diagonal of the bounding box of a body [m]. */
static inline PetscReal AbutBodyDiagonal(PetscInt dim, const AbutBody *body)
{
  PetscReal square = 0;

  for (PetscInt i = 0; i < dim; i++) square += PetscSqr(body->box[1][i] - body->box[0][i]);
  return PetscSqrtReal(square);
}

/**
  Edges of a cell: of a triangle 01 12 20, of a tetrahedron 01 12 20 03 13 23, by their corners. The node of a quadratic cell on an edge has
  the number of the edge. VTK has the same order.
**/
static inline PetscInt AbutNumCellEdges(PetscInt dim)
{
  return dim == 3 ? 6 : 3;
}

/**
  Weights of the node of a quadratic cell on an edge: 3/4 of the vertex on the edge and 1/8 of each corner. A uniform pressure on a plane
  face of area A loads the nodes of the face with 0 at corners and A/3 on edges, but four triangles with A/12 and A/4: loads that differ
  would bend the face. With these weights both are the same. On a curved edge the vertex is 4/3 times as far from the chord as the node, so
  that in 2D the two segments enclose the area of the parabola.
**/
#define ABUT_NODE_MIDDLE 0.75
#define ABUT_NODE_CORNER 0.125 /**< see ABUT_NODE_MIDDLE */

/** Node of a quadratic cell on an edge from the values at the corners a, b and at the vertex on the edge, or one component of them. */
static inline PetscReal AbutEdgeNode(PetscReal a, PetscReal b, PetscReal middle)
{
  return ABUT_NODE_MIDDLE * middle + ABUT_NODE_CORNER * (a + b);
}

/** The reverse of AbutEdgeNode(): value at the vertex on the edge from the node. */
static inline PetscReal AbutEdgeVertex(PetscReal a, PetscReal b, PetscReal node)
{
  return (node - ABUT_NODE_CORNER * (a + b)) / ABUT_NODE_MIDDLE;
}

/** First and second corner (end 0 and 1) of an edge of a cell. */
static inline PetscInt AbutCellEdgeCorner(PetscInt edge, PetscInt end)
{
  return edge < 3 ? (edge + end) % 3 : end ? 3 : edge - 3;
}

/** Edge of a cell between two of its corners. */
static inline PetscInt AbutCellEdgeBetween(PetscInt a, PetscInt b)
{
  return a == 3 ? 3 + b : b == 3 ? 3 + a : (a + 1) % 3 == b ? a : b;
}

/** Numbers of entities over all ranks, and their size. */
typedef struct {
  PetscInt  cells;    /* cells */
  PetscInt  faces;    /* surface triangles */
  PetscInt  edges;    /* surface edges */
  PetscInt  points;   /* surface vertices */
  PetscReal diagonal; /* of the bounding box of the deformable bodies at rest [m]: unit of relative lengths in scenes */
} AbutMeshCounts;

/**
  Part of the mesh on one rank. Read-only; owned by the mesh and valid until AbutMeshDestroy(). Each cell, face, edge and surface vertex is
  on exactly one rank, its owner: the rank that owns most of its vertices, of a cell its corners; on ties, of these ranks the one that owns
  the vertex of lowest id. Ids follow the input order and do not depend on the number of ranks. Faces are oriented outward; in 2D there are
  no faces, and edges have the body on their left. The surface is piecewise linear on all its vertices: a face of a quadratic cell is four
  triangles, in 2D two edges. Surface entities include obstacles; an obstacle of points has surface vertices only.
**/
typedef struct {
  PetscInt         dim;           /* 2 or 3 */
  PetscInt         num_owned;     /* owned vertices: local indices [0, num_owned) */
  PetscInt         num_local;     /* owned vertices and ghosts: ghosts are [num_owned, num_local) */
  PetscInt         num_global;    /* vertices over all ranks */
  PetscInt         first;         /* global index of the first owned vertex */
  const PetscInt  *vertex_global; /* [num_local] global index */
  const PetscInt  *vertex_id;     /* [num_local] id */
  const PetscInt  *vertex_body;   /* [num_local] index into bodies */
  const PetscReal *rest;          /* [num_local * dim] rest positions [m], vertex by vertex */
  PetscInt         num_cells;     /* cells of this rank */
  const PetscInt  *cells;         /* [num_cells * (dim + 1)] corners: local vertices, positively oriented */
  const PetscInt  *middles;       /* [num_cells * AbutNumCellEdges(dim)] nodes on the edges of quadratic cells, -1 in linear cells; NULL on
                                     all ranks if all cells are linear */
  const PetscInt  *cell_id;       /* [num_cells] id */
  const PetscInt  *cell_body;     /* [num_cells] index into bodies */
  PetscInt         num_faces;     /* surface triangles, 3D only */
  const PetscInt  *faces;         /* [num_faces * 3] local vertices */
  const PetscInt  *face_id;       /* [num_faces] id */
  PetscInt         num_edges;     /* surface edges */
  const PetscInt  *edges;         /* [num_edges * 2] local vertices; 3D: lower vertex id first; 2D: oriented */
  const PetscInt  *edge_id;       /* [num_edges] id */
  PetscInt         num_points;    /* surface vertices */
  const PetscInt  *points;        /* [num_points] local indices, all of them owned */
  AbutMeshCounts   global;        /* entities over all ranks */
  PetscInt         num_bodies;    /* bodies and obstacles */
  const AbutBody  *bodies;        /* [num_bodies] bodies and obstacles, the same on every rank */
} AbutMeshLocal;

/** Number of facets of the surface: triangles, in 2D edges. */
static inline PetscInt AbutNumFacets(const AbutMeshLocal *mesh)
{
  return mesh->dim == 3 ? mesh->num_faces : mesh->num_edges;
}

/** Vertices of the facets [AbutNumFacets() * dim]; in 3D edges of obstacles without a triangle have none. */
static inline const PetscInt *AbutFacets(const AbutMeshLocal *mesh)
{
  return mesh->dim == 3 ? mesh->faces : mesh->edges;
}

/** Local vertex of a node of cell c: corners, then nodes on the edges; -1 behind the corners of a linear cell. */
static inline PetscInt AbutCellNode(const AbutMeshLocal *mesh, PetscInt c, PetscInt node)
{
  const PetscInt corners = mesh->dim + 1;

  if (node < corners) return mesh->cells[corners * c + node];
  return mesh->middles ? mesh->middles[AbutNumCellEdges(mesh->dim) * c + node - corners] : -1;
}

/** Whether cell c is quadratic. */
static inline PetscBool AbutCellIsQuadratic(const AbutMeshLocal *mesh, PetscInt c)
{
  return (PetscBool)(mesh->middles && mesh->middles[AbutNumCellEdges(mesh->dim) * c] >= 0);
}

#define ABUT_MAX_NODES 10 /**< vertices of a quadratic tetrahedron */

/**
  @brief Functions of the vertices of a quadratic cell, corners before vertices on edges; AbutEdgeNode() makes them from the shape functions
  of the nodes. Not collective.
  @param[in]  dim  2 or 3
  @param[in]  l    [dim + 1] barycentric coordinates
  @param[out] N    [nodes] values
  @param[out] D    [dim * nodes] derivatives by the coordinates 1 to dim: D[nodes * k + a] of vertex a by coordinate k + 1
**/
PETSC_EXTERN void AbutQuadraticShape(PetscInt dim, const PetscReal l[], PetscReal N[], PetscReal D[]);

/**
  @brief Derivatives of the position by the barycentric coordinates 1 to dim. Not collective.
  @param[in] mesh  the mesh
  @param[in] c     cell of this rank
  @param[in]  l     barycentric coordinates [dim + 1] of a point; without effect in a linear cell
  @param[in]  x     local positions [m]
  @param[out] J     [dim * dim] J[dim * k + d] of component d by coordinate k + 1
**/
PETSC_EXTERN void AbutCellDerivatives(const AbutMeshLocal *mesh, PetscInt c, const PetscReal l[], const PetscReal x[], PetscReal J[]);

/** @brief Determinant of AbutCellDerivatives(); in these coordinates a cell has the volume 1 / dim!. Not collective. */
PETSC_EXTERN PetscReal AbutCellJacobian(const AbutMeshLocal *mesh, PetscInt c, const PetscReal l[], const PetscReal x[]);

/** @brief Volume of a cell [m^3], in 2D area [m^2], at local positions x; of a quadratic cell with its curved sides. Not collective. */
PETSC_EXTERN PetscReal AbutCellMeasure(const AbutMeshLocal *mesh, PetscInt c, const PetscReal x[]);

/**
  @brief Smallest ratio of the Jacobian at local positions `to` over its value at `from` in a cell: in a quadratic cell at its nodes and its
  centre. Not collective.
**/
PETSC_EXTERN PetscReal AbutCellStretch(const AbutMeshLocal *mesh, PetscInt c, const PetscReal from[], const PetscReal to[]);

/**
  @brief Creates a mesh. Bodies are generated or read in blocks on all ranks. Rank 0 holds obstacles and bodies that libgmsh reads. METIS
  partitions the mesh on rank 0, or recursive coordinate bisection if it has more vertices than -mesh_partition_metis. Collective.

  Options: -mesh_partition_metis, -mesh_partition_seed, -mesh_partition_imbalance, -mesh_allow_system_calls; AbutMeshViewOptions() prints
  their values.
  Errors: ABUT_ERR_INPUT, on all ranks, for a file that is missing, malformed or without cells of dimension dim; a Gmsh script that would
  run programs;
  an inverted or degenerate cell; two vertices of a body that coincide; a vertex without a cell; an obstacle without faces, segments and
  points; a parameter out of range. The message names the body and its place in the scene. *mesh is then NULL.
  @param[in]  comm       communicator; duplicated
  @param[in]  dim        2 or 3
  @param[in]  num_specs  number of specifications
  @param[in]  specs      [num_specs] equal on all ranks; their order defines the ids, bodies before obstacles; not kept
  @param[out] mesh       AbutMeshDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutMeshCreate(MPI_Comm comm, PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[], AbutMesh *mesh);

/** @brief Frees a mesh and sets *mesh to NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutMeshDestroy(AbutMesh *mesh);

/** @brief Communicator of the mesh, borrowed. Not collective. */
PETSC_EXTERN MPI_Comm AbutMeshGetComm(AbutMesh mesh);

/**
  @brief Mean length of surface edges at rest. Collective.
  @param[in]  mesh          the mesh
  @param[in]  of_obstacles  edges of obstacles instead of bodies
  @param[out] mean          [m]; 0 if there are no such edges
**/
PETSC_EXTERN PetscErrorCode AbutMeshGetMeanEdge(AbutMesh mesh, PetscBool of_obstacles, PetscReal *mean);

/**
  @brief Tributary areas of the surface vertices: a third of each triangle at the vertex, in 2D half of each segment. Collective.

  A vertex with a force counts the facets that face the force, projected along it: a pressure p on these facets has a force of length
  p times this area. So a face that is pressed has the same pressure on its edges, where further facets meet that carry no load. The whole
  area counts where less than a tenth of it faces the force.
  With these areas a uniform pressure on a plane face loads its vertices uniformly, also on quadratic cells (ABUT_NODE_MIDDLE).
  @param[in]  mesh   the mesh
  @param[in]  x      local positions [num_local * dim], ghosts current [m]
  @param[in]  force  [num_local * dim], ghosts current; NULL: none
  @param[out] area   [num_owned] [m^2; 2D: m]; 0 inside of bodies and on obstacles of points or, in 3D, of segments
**/
PETSC_EXTERN PetscErrorCode AbutMeshGetVertexAreas(AbutMesh mesh, const PetscReal x[], const PetscReal force[], PetscReal area[]);

/** @brief Part of the mesh on this rank, borrowed. Not collective. */
PETSC_EXTERN const AbutMeshLocal *AbutMeshGetLocal(AbutMesh mesh);

/**
  @brief Copies values of owned vertices to their ghosts on other ranks. Collective.
  @param[in]     mesh    the mesh
  @param[in]     width   reals per vertex, 1 to 16
  @param[in,out] values  local array [num_local * width]
**/
PETSC_EXTERN PetscErrorCode AbutMeshUpdateGhosts(AbutMesh mesh, PetscInt width, PetscReal values[]);

/**
  @brief Adds the values of ghosts to their owners, in the order of ranks. Collective.
  @param[in]     mesh    the mesh
  @param[in]     width   reals per vertex, 1 to 16
  @param[in,out] values  local array [num_local * width]; values of ghosts stay unchanged
**/
PETSC_EXTERN PetscErrorCode AbutMeshReduceAdd(AbutMesh mesh, PetscInt width, PetscReal values[]);

/**
  @brief Nodes of quadratic cells from vertices, for example to draw the cells; corners and vertices of linear cells stay. Collective.
  @param[in]  mesh   the mesh
  @param[in]  x      [num_owned * dim] values at vertices, for example positions
  @param[out] nodes  [num_owned * dim] values at nodes: AbutEdgeNode() of the vertices of each edge; may be x
**/
PETSC_EXTERN PetscErrorCode AbutMeshVerticesToNodes(AbutMesh mesh, const PetscReal x[], PetscReal nodes[]);

/** @brief The reverse of AbutMeshVerticesToNodes(): values at nodes to values at vertices. Collective. */
PETSC_EXTERN PetscErrorCode AbutMeshNodesToVertices(AbutMesh mesh, const PetscReal nodes[], PetscReal x[]);

/**
  @brief Finds the owned vertices of a selection. Collective.
  Errors: ABUT_ERR_INPUT, on all ranks, if the selection is empty over all ranks, names an unknown body or group, or an id is out of range.
  @param[in]  mesh       the mesh
  @param[in]  selection  criteria
  @param[in]  place      "scene.yaml:12", for messages
  @param[out] count      number of owned vertices of this rank in the selection
  @param[out] vertices   [count] local indices, ascending; free with PetscFree()
**/
PETSC_EXTERN PetscErrorCode AbutMeshSelect(AbutMesh mesh, const AbutSelectionSpec *selection, const char place[], PetscInt *count,
                                           PetscInt **vertices);

/** Triangle surface as arrays. */
typedef struct {
  PetscInt   num_vertices, num_faces; /* vertices, triangles */
  PetscReal *x;                       /* [3 * num_vertices] positions [m] */
  PetscInt  *face;                    /* [3 * num_faces] vertices of the triangles */
} AbutSurfaceArrays;

/**
  @brief Reads or generates the surface of a shape in 3D, and places it, on the calling rank. Not collective.

  Interior vertices of volume meshes are removed; the remaining ones keep their order. A closed surface is oriented outwards.
  Errors: ABUT_ERR_INPUT if the file cannot be read or has no surface.
  @param[in]  spec     specification with `obstacle`; copies do not count
  @param[out] surface  free with AbutSurfaceArraysFree()
**/
PETSC_EXTERN PetscErrorCode AbutSurfaceRead(const AbutBodySpec *spec, AbutSurfaceArrays *surface);

/** @brief Frees the arrays of a surface. Not collective. */
PETSC_EXTERN PetscErrorCode AbutSurfaceArraysFree(AbutSurfaceArrays *surface);

/**
  @brief Reads positions of the vertices of one body or obstacle from a mesh file. Collective.
  The file lists the vertices in the order of the body's own file; scale, rotation and translation of the body are not applied. On the
  edges of quadratic cells it has nodes. It may have the corners of such cells alone, for example the linear mesh of a body of order 2:
  vertices on edges then have the mean displacement of the two corners. All ranks read blocks of an HDF5 file of a body; rank 0 sends blocks
  of an ASCII .msh file of version 2 or 4.1. Rank 0 reads other files as a whole, and all files of an obstacle, of which only the surface
  vertices count.
  Errors: ABUT_ERR_INPUT, on all ranks, if the file cannot be read or has another number of vertices; x is then unchanged.
  @param[in]     mesh   the mesh
  @param[in]     body   index into AbutMeshLocal.bodies
  @param[in]     path   file of any kind that a body or obstacle can have
  @param[in]     place  "scene.yaml:12", for messages
  @param[in,out] x      [num_owned * dim] positions [m]; the positions of the body are replaced
**/
PETSC_EXTERN PetscErrorCode AbutMeshReadPositions(AbutMesh mesh, PetscInt body, const char path[], const char place[], PetscReal x[]);

/**
  @brief Positions of the vertices at the start of a run: from AbutBodySpec.start for bodies that have it, else the rest positions.
  Not collective.
  @return [num_local * dim] positions [m]; owned by the mesh
**/
PETSC_EXTERN const PetscReal *AbutMeshGetStart(AbutMesh mesh);

/** @brief Vertices of side s of cells, whose sides are numbered cell by cell: dim corners, oriented outwards. Not collective. */
PETSC_EXTERN void AbutSideVertices(PetscInt dim, const PetscInt cells[], PetscInt s, PetscInt side[]);

#define ABUT_SIDE_PARTS 4 /**< largest number of parts of a side */

/**
  @brief Linear parts of side s, each with dim vertices: the side itself, or for a quadratic cell four triangles (2D: two edges) on the
  corners and the vertices on the edges. Not collective.
  @param[in]  dim      2 or 3
  @param[in]  cells    corners of all cells, as AbutMeshLocal.cells
  @param[in]  middles  as AbutMeshLocal.middles, or NULL
  @param[in]  s        number of the side
  @param[out] parts    [ABUT_SIDE_PARTS * dim] vertices
  @return number of parts
**/
PETSC_EXTERN PetscInt AbutSideParts(PetscInt dim, const PetscInt cells[], const PetscInt middles[], PetscInt s, PetscInt parts[]);

/** @brief Region of a cell of this rank: an index into AbutBody.regions, -1: none. Not collective. */
PETSC_EXTERN PetscInt AbutMeshGetCellRegion(AbutMesh mesh, PetscInt cell);

/**
  @brief Writes one body with given positions to a mesh file (Gmsh 2.2). Collective.

  Vertices and cells keep the order of the body's own file, and vertices keep their physical groups, so that selections stay valid. The file
  is written under a temporary name and renamed.
  Errors: ABUT_ERR_IO, on all ranks, if the file cannot be written.
  @param[in] mesh  the mesh
  @param[in] body  index into AbutMeshLocal.bodies; no obstacle
  @param[in] x     [num_owned * dim] positions [m]
  @param[in] path  file, ".msh"; read on rank 0
**/
PETSC_EXTERN PetscErrorCode AbutMeshWriteBody(AbutMesh mesh, PetscInt body, const PetscReal x[], const char path[]);

/**
  @brief Prints the numbers of vertices, cells, surface entities and ghosts, and the ratio of their maximum over ranks to the average.
  Collective.
**/
PETSC_EXTERN PetscErrorCode AbutMeshView(AbutMesh mesh, PetscViewer viewer);

/** @brief Prints the values in force of the options of AbutMeshCreate(). Collective on the viewer. */
PETSC_EXTERN PetscErrorCode AbutMeshViewOptions(AbutMesh mesh, PetscViewer viewer);

/* Options: the program checks the command line by these tables */

PETSC_EXTERN const AbutOptionTable AbutMeshOptions; /**< Reading and partition of the mesh */
