/**
  @file contact.h
  @brief Finds what may touch: redistribution of surface patches, distributed swept broad phase, step bound, exact intersection check.

  Contact is found where it is, not where the mesh lives. A search sends every surface entity to the ranks whose swept, inflated boxes
  it overlaps, and each candidate pair comes out on exactly one rank: pairs of entities of one rank stay there; a pair across ranks is
  taken by the owner of its first entity if the sum of the two ids is even, else by the owner of its second.
  First and second: FV face, vertex; EE the edge of lower id, the other; EV edge, vertex; EF edge, face.

  The *contact vertices* of a rank extend its local mesh vertices: [0, num_local) are the mesh's own, then come copies of remote
  vertices. Positions and direction of the copies travel once, with the search: every evaluation along the line x + t p, the gradient and
  the Hessian at its end need no further messages but the sums.
**/
#pragma once
#include <abut/geom.h>
#include <abut/mesh.h>

/** A half-space obstacle: solid where normal . (x - point) <= 0. */
typedef struct {
  char      name[64];
  PetscReal point[3], normal[3]; /* [m], unit */
  PetscInt  surface;             /* index into the table of friction coefficients */
} AbutPlaneSpec;

typedef struct _p_AbutContact *AbutContact;

/**
  Surface around the candidates of the last search: a list of faces and edges in contact vertices, among them, for every vertex, edge and
  face that a candidate has (and the edges and vertices of its faces), *all* surface faces and edges at it, whichever rank has them. What
  is listed besides is there because those need it, with rings that may have gaps. Vertices of rings are contact vertices like others:
  they move with AbutContactPositions(), their share of a gradient reaches the owner with AbutContactReduceAdd().

  Faces are outward, edges in 2D have the body on their left; in 3D edges have the lower vertex id first, and all edges of the faces are
  listed. At a vertex faces come by ascending id, edges by ascending id of their other end; at an edge faces come by ascending id: an
  order that is the same for all rank counts. An edge inside a surface has two faces (more where surfaces touch along it), at a border
  one, of a curve none; a vertex of a curve has edges only, a point of an obstacle has neither. In 2D there are no faces and the arrays
  of faces are empty.

  Pairs of primitives, each on exactly one rank. While rings are on, a vertex meets a face (2D: an edge) on the rank that owns the
  vertex, so that all candidates that stand for one pair are on one rank:
  - face, vertex: fv;   edge, edge: ee;
  - edge, vertex: in 3D the edges of the faces of fv, and free_ev; in 2D ev;
  - vertex v, vertex w: v of fv (2D: ev), w of its face (edge), if v has the lower id or no face (edge); else the pair comes up a second
    time, as w with a face (edge) of v, and counts there.
  This is all: pairs of two obstacles are never candidates, and what is no obstacle has faces (edges). Pairs come up several times from
  the faces around w or at an edge.
**/
typedef struct {
  PetscInt version; /* changes with every search that changes more than the candidates below; on one rank only the first one does */
  PetscInt num_faces, num_edges;
  const PetscInt (*faces)[3];     /* contact vertices */
  const PetscInt (*edges)[2];     /* contact vertices */
  const PetscInt (*face_edge)[3]; /* edges of a face: (0 1), (1 2), (2 0) */
  const PetscInt *face_id;        /* of the mesh */
  /* Lists: those of vertex v are list[start[v], start[v + 1]). */
  const PetscInt  *vertex_face_start, *vertex_face; /* [num_vertices + 1] faces at a vertex */
  const PetscInt  *vertex_edge_start, *vertex_edge; /* [num_vertices + 1] edges at a vertex */
  const PetscInt  *edge_face_start, *edge_face;     /* [num_edges + 1] faces at an edge */
  const PetscBool *complete; /* [num_vertices] whether the lists at this vertex have no gaps; then those at its edges have none either */
  /*
    [num_vertices] whether the vertex is of a surface with an inner and an outer side: that of a body, or an obstacle's whose edges have as
    many faces one way round as the other way (2D: at whose vertices as many edges start as end), but for AbutBody.oriented none. False for sheets, curves, points.
  */
  const PetscBool *oriented;
  const PetscReal *vertex_range, *edge_range, *face_range; /* see AbutContactSetRanges(); NULL before it */
  /* Candidates as primitives, in the order of AbutCandidates. */
  const PetscInt *fv_face;      /* [num_fv] */
  const PetscInt (*ee_edge)[2]; /* [num_ee] edges in the order of ee */
  const PetscInt *ev_edge;      /* [num_ev] */
  PetscInt        num_free_ev;  /* 3D: vertices near edges without faces */
  const PetscInt (*free_ev)[2]; /* vertex, edge */
} AbutOneRing;

/** Candidates of the last search on this rank; read-only, valid until the next search. All indices are contact vertices. */
typedef struct {
  PetscInt search; /* number of the search, > 0: what was computed of these candidates holds while it is the same; 0: made without one */
  PetscInt dim;
  PetscInt num_vertices;                   /* >= mesh num_local */
  const PetscInt  *vertex_global;          /* [num_vertices] global index, for the assembler */
  const PetscInt  *vertex_id;              /* [num_vertices] */
  const PetscInt  *vertex_body;            /* [num_vertices] */
  const PetscReal *rest;                   /* [num_vertices * dim] */
  const PetscReal *x, *p;                  /* [num_vertices * dim] start and direction of the search; p = 0 if none was given */
  PetscInt         num_fv, num_ee, num_ev; /* 3D: fv, ee; 2D: ev */
  const PetscInt (*fv)[4];                 /* vertex, face vertices */
  const PetscInt (*ee)[4];                 /* two vertices an edge; lower vertex id first */
  const PetscInt (*ev)[3];                 /* vertex, edge vertices */
  PetscInt             num_planes;         /* obstacles; each meets every owned surface vertex of the bodies */
  const AbutPlaneSpec *planes;             /* at t = 0, then at the t of the last AbutContactPositions() */
  PetscInt             num_pv;             /* plane-vertex candidates */
  const PetscInt (*pv)[2];                 /* plane, vertex */
  const AbutOneRing *rings;                /* NULL unless AbutContactSetOneRing() asked for them */
} AbutCandidates;

/** Two entities that cross in an exact check. */
typedef struct {
  PetscInt edge[2],
    face[3];        /* vertex ids; 2D: a second edge, face[2] = -1; a vertex behind a plane: edge[1] = -1, face[0] = plane, rest -1 */
  PetscInt body[2]; /* of the edge, of the face (-1: plane) */
} AbutIntersection;

/**
  @brief Creates the finder for a mesh, which must outlive it, and planes, which are copied. Collective.
  Pairs of two obstacles and pairs that share a vertex are never candidates, and never crossings.
**/
PETSC_EXTERN PetscErrorCode AbutContactCreate(AbutMesh mesh, PetscInt num_planes, const AbutPlaneSpec planes[], AbutContact *contact);
PETSC_EXTERN PetscErrorCode AbutContactDestroy(AbutContact *contact);

/** @brief Reads -contact_max_pairs (candidates a rank may hold), -contact_boxes (boxes a rank publishes) and the like. Collective. */
PETSC_EXTERN PetscErrorCode AbutContactSetFromOptions(AbutContact contact);

/**
  @brief Swept broad phase: all pairs that come within `inflation` of each other on x + t p, t in [0, *step]. Collective.
  Besides these, pairs are left for which no direction of a few (axes, centre to centre, normals) separates the two by more than
  `inflation` at both ends of the sweep. Pairs and their order depend on positions and rank count only, not on earlier searches.
  If that would give more pairs on some rank than its bound, the step is halved, on all ranks alike, until it does not; if even step 0
  does not fit, error (ABUT_ERR_DIVERGED) that says how many pairs were found and names the option.
  @param[in]     x     local positions [num_local * dim], ghosts current
  @param[in]     p     local direction, ghosts current; NULL for a static search
  @param[in,out] step  on entry the end of the sweep, on return the end that was searched; not used if p is NULL
  @param[in]     inflation  [m] distance below which no pair may be missed
**/
PETSC_EXTERN PetscErrorCode AbutContactSearch(AbutContact contact, const PetscReal x[], const PetscReal p[], PetscReal *step,
                                              PetscReal inflation);

/**
  @brief Moves planes: their points from the next search on, and their displacement over the direction of the next search, not of later
  ones (none if that search has no direction) [num_planes * 3]; displacement NULL: none. Not collective.
  Normals never change. Candidates and step bound take planes as moving with t; checks see the points set last.
**/
PETSC_EXTERN PetscErrorCode AbutContactSetPlanes(AbutContact contact, const PetscReal points[], const PetscReal displacement[]);

/**
  @brief Drops search trees and pairs kept for later searches, which the next search finds anew; keeps the candidates. Not collective.
  They decide what a rank gets besides what it needs, and with it the order of sums over ranks: after this call results are those of a
  finder just created, bit for bit.
**/
PETSC_EXTERN PetscErrorCode AbutContactForget(AbutContact contact);

/**
  @brief Whether later searches bring the rings of surface around their candidates; off at first, and then free. Collective.
  The first call that turns them on learns which ranks have what of the surface at the vertices of each. Candidates of earlier searches
  are gone after a change.
**/
PETSC_EXTERN PetscErrorCode AbutContactSetOneRing(AbutContact contact, PetscBool rings);

/**
  @brief Gives every vertex, edge and face of the surface a number for good: the smallest of what ranks say. Collective.
  Each rank says something for all that its rings list now. From this call on AbutOneRing has the numbers of all that has a complete ring, and of
  the faces at candidate edges and at the vertices of fv; the others are meaningless. Meant for ranges adapted at rest: all start from the same, and the pairs of a rank lower some.
  @param[in] vertex, edge, face  [num_vertices], [num_edges], [num_faces] of AbutOneRing
**/
PETSC_EXTERN PetscErrorCode AbutContactSetRanges(AbutContact contact, const PetscReal vertex[], const PetscReal edge[],
                                                 const PetscReal face[]);

/** @brief Borrows the candidates of the last search. Not collective. */
PETSC_EXTERN PetscErrorCode AbutContactGetCandidates(AbutContact contact, const AbutCandidates **candidates);

/** @brief Positions x + t p of all contact vertices [num_vertices * dim]; AbutCandidates.planes move to where they are at t. Not collective. */
PETSC_EXTERN PetscErrorCode AbutContactPositions(AbutContact contact, PetscReal t, PetscReal xt[]);

/** Pair that limits a step. */
typedef struct {
  PetscInt    vertex_id[4], body[2]; /* -1 where unused; body[1] = -1 - plane for a plane */
  PetscReal   distance;              /* at the start of the step [m] */
  PetscMPIInt rank;
} AbutLimitingPair;

/**
  @brief Conservative step bound over the candidates of the last search (see AbutCCD()); planes included. Collective: the result is the
  minimum over ranks, blame that of the pair that gives it (the lowest rank on ties); ids and rank are -1 if nothing shortens the step.
  @param[in,out] step  on entry the step wanted, at most what was searched
**/
PETSC_EXTERN PetscErrorCode AbutContactMaxStep(AbutContact contact, AbutCCDMethod method, PetscReal slack, PetscReal *step,
                                               AbutLimitingPair *blame);

/** @brief Sums `width` reals a contact vertex into the owners: values[0, num_owned * width) on return. Deterministic for a fixed rank count. Collective. */
PETSC_EXTERN PetscErrorCode AbutContactReduceAdd(AbutContact contact, PetscInt width, PetscReal values[]);

/**
  @brief Exact check of a state: every surface edge against every surface triangle that shares no vertex with it (2D: edges against edges),
  and surface vertices against planes, pairs of two obstacles left out. Collective; leaves the candidates of the last search untouched.
  @param[in]  x      local positions, ghosts current
  @param[out] count  crossings over all ranks
  @param[out] local_count, crossings  those found on this rank, at most 1000 with the lowest among them, sorted by ids; may be NULL; free with PetscFree()
**/
PETSC_EXTERN PetscErrorCode AbutContactCheck(AbutContact contact, const PetscReal x[], PetscInt *count, PetscInt *local_count,
                                             AbutIntersection **crossings);

/** @brief Bytes and messages sent by searches, checks and reductions since the start, on this rank, those of the mesh left out. Not collective. */
PETSC_EXTERN PetscErrorCode AbutContactGetTraffic(AbutContact contact, PetscLogDouble *messages, PetscLogDouble *bytes);

/** @brief Prints boxes, remote copies, candidates by kind, max/avg over ranks. Collective. */
PETSC_EXTERN PetscErrorCode AbutContactView(AbutContact contact, PetscViewer viewer);
