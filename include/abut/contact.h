/**
  @file contact.h
  @brief Contact search: migration of surface patches, distributed swept broad phase, step bound, exact intersection check.

  A search sends each surface entity to the ranks whose swept, inflated boxes it overlaps. Each candidate pair belongs to exactly one rank,
  which evaluates its energy, gradient and Hessian:

  | pair | rank without one-rings ("ipc") | rank with AbutContactSetOneRing() (all other potentials) |
  |---|---|---|
  | two entities of one rank | this rank | this rank |
  | half space and vertex | owner of the vertex | owner of the vertex |
  | FV; in 2D EV | owner of the first entity if the sum of the two ids is even, else of the second | owner of the vertex |
  | EE | owner of the first edge if the sum of the two ids is even, else of the second | the same |
  | vertex and edge without faces (AbutCandidates.free_ev) | no candidate | owner of the vertex |

  AbutContactSetActiveDistance() lets ranks with many candidates send some of them to ranks with few, except half-space candidates and
  AbutCandidates.free_ev. The objective calls it with dhat before each search. The table then names the rank that finds a pair; it is
  still evaluated on exactly one rank.

  First and second: FV face, vertex; EE the edge of lower id, the other; EV edge, vertex; EF (exact check) edge, face. Ids are
  AbutMeshLocal.face_id and edge_id, and for vertices vertex_id. Global and local indices have no influence.

  The *contact vertices* of a rank extend its local mesh vertices: [0, num_local) are the vertices of the mesh, then come copies of remote
  vertices. A search sends positions and direction of the copies. Evaluations along the line x + t p, of energy, gradient and Hessian,
  need no further messages except the sums into the owners.

  Supported range: coordinates, ends of a sweep and the inflation are finite and at most ABUT_CONTACT_MAX_LENGTH in magnitude.
**/
#pragma once
#include <abut/dense.h>
#include <abut/geom.h>
#include <abut/surface.h>
#include <abut/option.h>

/** Largest magnitude of a coordinate, of the end of a sweep and of the inflation [m]: products of four stay finite in double precision. */
#define ABUT_CONTACT_MAX_LENGTH 1e60

/** A half-space obstacle: solid where normal . (x - point) <= 0. */
typedef struct {
  char      name[64];            /* of the obstacle */
  PetscReal point[3], normal[3]; /* [m], unit */
  PetscInt  surface;             /* index into the table of friction coefficients */
} AbutPlaneSpec;

/** Finder of contact candidates of one mesh. */
typedef struct _p_AbutContact *AbutContact;

/**
  Candidates of the last search on this rank. Read-only; owned by the AbutContact; valid until the next search. All indices are contact
  vertices.

  With AbutContactSetOneRing() the owner of the vertex takes each vertex-face (2D: vertex-edge) pair. Pairs of primitives are then found
  among the candidates as follows:
  - face and vertex: fv; edge and edge: ee;
  - edge and vertex: in 3D the edges of the faces of fv, and free_ev; in 2D ev;
  - vertices v and w: v of fv (2D: ev), w of its face (edge), if v has the lower id or no face (edge). Otherwise the pair also appears as w
    with a face (edge) of v and counts there.
  A pair appears once for each face around w or at the edge. Only the candidate with the first of these faces without v counts, in the
  order of AbutOneRing; so exactly one rank evaluates the pair, also where candidates have moved. "convergent-ipc" does not read free_ev:
  it finds these pairs among ee. Pairs of two obstacles are never candidates.

  The address of the struct stays the same for the life of the AbutContact; the next search overwrites its contents. A search that ends in
  an error and a change by AbutContactSetOneRing() make the contents invalid, too. AbutContactPositions() changes `planes` only.
**/
typedef struct {
  PetscInt search; /* number of the search, > 0; data computed from the candidates stays valid while it is the same; 0: not from a search */
  PetscInt dim;    /* 2 or 3 */
  PetscInt num_vertices;                   /* contact vertices, at least num_local of the mesh */
  const PetscInt  *vertex_global;          /* [num_vertices] global index */
  const PetscInt  *vertex_id;              /* [num_vertices] */
  const PetscInt  *vertex_body;            /* [num_vertices] */
  const PetscReal *rest;                   /* [num_vertices * dim] rest positions [m] */
  const PetscReal *x, *p;                  /* [num_vertices * dim] start and direction of the search; p = 0 if none was given */
  PetscInt         num_fv, num_ee, num_ev; /* 3D: fv, ee; 2D: ev */
  const PetscInt (*fv)[4];                 /* vertex, face vertices */
  const PetscInt (*ee)[4];                 /* two vertices of each edge; edge of lower id first */
  const PetscInt (*ev)[3];                 /* vertex, edge vertices */
  PetscInt             num_planes;         /* half spaces */
  const AbutPlaneSpec *planes;             /* [num_planes] at t = 0, then at the t of the last AbutContactPositions() */
  PetscInt             num_pv;             /* pairs of a plane and an owned surface vertex of a body */
  const PetscInt (*pv)[2];                 /* plane, vertex */
  const AbutOneRing *one_ring;             /* NULL without AbutContactSetOneRing(); complete at all vertices of candidates */
  /* Numbers of the candidates' faces and edges in one_ring, in the order of the candidates; NULL without one_ring. */
  const PetscInt *fv_face;      /* [num_fv] */
  const PetscInt (*ee_edge)[2]; /* [num_ee] in the order of ee */
  const PetscInt *ev_edge;      /* [num_ev] */
  PetscInt        num_free_ev;  /* 3D: pairs of a vertex and an edge without faces */
  const PetscInt (*free_ev)[2]; /* vertex, edge of one_ring */
} AbutCandidates;

/** Two entities that intersect in an exact check. */
typedef struct {
  PetscInt edge[2]; /* vertex ids; a vertex behind a plane: edge[1] = -1 */
  PetscInt face[3]; /* vertex ids; 2D: a second edge, face[2] = -1; plane: face[0] = its index, the others -1 */
  PetscInt body[2]; /* of the edge, of the face (-1: plane) */
} AbutIntersection;

#define ABUT_INTERSECTION_KEYS 5 /**< of AbutSortRecords(): vertices of edge and face */

/**
  @brief Creates the contact search. Collective. Pairs of two obstacles and pairs that share a vertex are neither candidates nor
  intersections.
  @param[in]  mesh     borrowed; must outlive the contact
  @param[in]  num_planes, planes  half spaces; copied, normals need not have length 1
  @param[out] contact  AbutContactDestroy() frees it
  Errors: ABUT_ERR_INPUT if a normal is zero or not finite.
**/
PETSC_EXTERN PetscErrorCode AbutContactCreate(AbutMesh mesh, PetscInt num_planes, const AbutPlaneSpec planes[], AbutContact *contact);

/** @brief Frees the finder; does nothing if *contact is NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutContactDestroy(AbutContact *contact);

/**
  @brief Sets the options of the search (-contact_...) from the options database; -help lists
  them. Collective. Errors: ABUT_ERR_INPUT if a value is out of its range.
**/
PETSC_EXTERN PetscErrorCode AbutContactSetFromOptions(AbutContact contact);

/**
  @brief Swept broad phase: finds all pairs that come within `inflation` on x + t p, t in [0, *step]; while AbutContactRestrict() is in
  force, all of these that move. Collective.

  Further pairs may be candidates: a pair is discarded only if one of a few directions (axes, centre to centre, normals) separates it by
  more than `inflation` at both ends of the sweep. Candidates and their order depend on positions, restriction and number of ranks, not on
  earlier searches. If a rank finds more than -contact_max_pairs pairs, all ranks halve the step and search again.
  @param[in]     x          local positions [num_local * dim], ghosts current [m]
  @param[in]     p          local direction, ghosts current [m]; NULL: static search
  @param[in,out] step       on entry the end of the sweep, on return the end that was searched; ignored if p is NULL
  @param[in]     inflation  [m] pairs that come closer are never missed
  Errors, the same on all ranks: ABUT_ERR_DIVERGED if even step 0 has too many pairs, or if a coordinate, an end of the sweep or the
  inflation is not finite or exceeds ABUT_CONTACT_MAX_LENGTH. The candidates are then undefined until a search succeeds.
**/
PETSC_EXTERN PetscErrorCode AbutContactSearch(AbutContact contact, const PetscReal x[], const PetscReal p[], PetscReal *step,
                                              PetscReal inflation);

/**
  @brief Sets points and displacements of the planes; normals never change. Not collective.
  @param[in] points        [num_planes * 3] points from the next search on [m]; exact checks use them as they are
  @param[in] displacement  [num_planes * 3] displacement for t from 0 to 1 in the next search only [m]; NULL: none. Ignored by a static
    search
**/
PETSC_EXTERN PetscErrorCode AbutContactSetPlanes(AbutContact contact, const PetscReal points[], const PetscReal displacement[]);

/**
  @brief Adds vertices to a surface of a tie: later searches and checks leave out pairs of an entity with a vertex of the first surface and
  one with a vertex of the second. Logically collective.
  @param[in] tie     number of the tie, below 64
  @param[in] side    0 first surface, 1 second
  @param[in] num     number of vertices
  @param[in] ids     [num] ids of the vertices, repetitions allowed; the same on all ranks
**/
PETSC_EXTERN PetscErrorCode AbutContactAddTied(AbutContact contact, PetscInt tie, PetscInt side, PetscInt num, const PetscInt ids[]);

/** @brief Whether two entities with the vertices of ids a[na] and b[nb] are such a pair; false if contact is NULL. Not collective. */
PETSC_EXTERN PetscBool AbutContactIsTied(AbutContact contact, PetscInt na, const PetscInt a[], PetscInt nb, const PetscInt b[]);

/**
  @brief Restricts later searches to pairs that move: pairs of two entities none of whose vertices moves are no candidates. Logically
  collective. With AbutContactSetOneRing(), pairs stay candidates also if only a neighbour of their vertices along an edge moves. Half-space
  candidates are complete.
  @param[in] moving  [num_local] whether a vertex moves, ghosts current; borrowed until the next call; NULL: all do. Not NULL on a rank
    without vertices, unless it is on all ranks
**/
PETSC_EXTERN void AbutContactRestrict(AbutContact contact, const PetscBool moving[]);

/** @brief Whether pairs that do not move were left out in the last search. Not collective. */
PETSC_EXTERN PetscBool AbutContactIsRestricted(AbutContact contact);

/**
  @brief Drops the search trees; the candidates stay. Not collective.
  Trees and list determine which further vertices a rank receives, and so the order of sums over ranks. After this call results are
  bitwise the same as with an AbutContact just created.
**/
PETSC_EXTERN PetscErrorCode AbutContactForget(AbutContact contact);

/**
  @brief Lets later searches distribute their candidates evenly; off by default. Logically collective.

  After a search, a rank whose load exceeds the mean by the factor -contact_balance sends candidates to ranks with lower load, in patches
  that are compact in space. Their vertices become contact vertices there. Load: 1 for a candidate, 16 for one that is
  closer than `distance` at the start of the search, 1 for a half-space candidate at any distance. A rank keeps at least the load
  64. The distribution depends on positions and the number of ranks, not on earlier searches.
  @param[in] distance  [m] activation distance of the contacts, >= 0; 0: candidates stay where they were found
**/
PETSC_EXTERN PetscErrorCode AbutContactSetActiveDistance(AbutContact contact, PetscReal distance);

/**
  @brief Whether later searches provide the one-ring neighbourhood of their candidates (AbutCandidates.one_ring); off by default.
  Collective. The first call with PETSC_TRUE creates an AbutSurface. A change empties the candidates.
**/
PETSC_EXTERN PetscErrorCode AbutContactSetOneRing(AbutContact contact, PetscBool one_ring);

/**
  @brief Assigns a permanent activation distance to every surface vertex, edge and face: the minimum over ranks of the values passed in.
  Collective; after a search with one-rings (PETSC_ERR_ORDER otherwise). Result: AbutOneRing.vertex_dhat, edge_dhat, face_dhat.
  @param[in] vertex, edge, face  [num_vertices], [num_edges], [num_faces] of the current one_ring [m]
**/
PETSC_EXTERN PetscErrorCode AbutContactSetDhat(AbutContact contact, const PetscReal vertex[], const PetscReal edge[],
                                               const PetscReal face[]);

/** @brief Borrows the candidates of the last search. Not collective. */
PETSC_EXTERN const AbutCandidates *AbutContactGetCandidates(AbutContact contact);

/**
  @brief Computes x + t p of all contact vertices and moves AbutCandidates.planes to t. Not collective.
  @param[in]  t   at most the step that was searched
  @param[out] xt  [num_vertices * dim] [m]
**/
PETSC_EXTERN PetscErrorCode AbutContactPositions(AbutContact contact, PetscReal t, PetscReal xt[]);

/** Pair that limits a step. */
typedef struct {
  PetscInt    vertex_id[4], body[2]; /* -1 where unused; body[1] = -1 - plane for a plane */
  PetscReal   distance;              /* at the start of the step [m] */
  PetscMPIInt rank;                  /* that evaluated the pair */
} AbutLimitingPair;

/** @brief Fraction of a distance d > 0 that a step may use up, so that min((1 - slack) d, floor) is left. */
static inline PetscReal AbutContactSlack(PetscReal slack, PetscReal floor, PetscReal d)
{
  return PetscMax(slack, 1 - floor / d);
}

/**
  @brief Conservative bound of the step by additive CCD over the candidates of the last search, planes included. Collective.
  @param[in]     slack, floor  each distance d keeps at least min((1 - slack) d, floor), d its value at the start; slack in (0, 1),
    floor > 0 [m], PETSC_INFINITY: the fraction alone; see AbutContactSlack()
  @param[in,out] step    on entry the wanted step, at most the step that was searched; on return the minimum over ranks
  @param[out]    limiting  pair that gives the minimum, of the lowest rank on ties; ids and rank are -1 if no pair limits the step
**/
PETSC_EXTERN PetscErrorCode AbutContactMaxStep(AbutContact contact, PetscReal slack, PetscReal floor, PetscReal *step,
                                               AbutLimitingPair *limiting);

/**
  @brief Sums values of contact vertices into their owners. Collective. Bitwise reproducible for a fixed number of ranks.

  Values return the way the vertices came, each stage in rank order: vertices of moved candidates to the rank that sent the candidates,
  copies to the rank that sent the surface entity, remote vertices of one-rings and ghosts of the mesh to the owner.
  @param[in]     width   reals per vertex
  @param[in,out] values  [num_vertices * width]; on return the first num_owned * width are the sums
**/
PETSC_EXTERN PetscErrorCode AbutContactReduceAdd(AbutContact contact, PetscInt width, PetscReal values[]);

/**
  @brief Star forest from the owned vertices of the mesh (roots) to the contact vertices of the last search (leaves, in their order).
  Collective; AbutSFBcastRows() then copies values of owners to all contact vertices.
  @param[out] forest  PetscSFDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutContactCreateForest(AbutContact contact, PetscSF *forest);

/**
  @brief Exact check of a state: every surface edge against every surface triangle without a common vertex (2D: edges against edges), and
  surface vertices of bodies against planes. Collective; the candidates of the last search stay valid.
  @param[in]  x            local positions [num_local * dim], ghosts current [m]
  @param[out] count        intersections over all ranks
  @param[out] local_count, crossings  intersections found on this rank, sorted by ids: at most 1000, the lowest included; free with
    PetscFree(); may be NULL
  Errors: ABUT_ERR_DIVERGED on all ranks if a coordinate is out of the supported range.
**/
PETSC_EXTERN PetscErrorCode AbutContactCheck(AbutContact contact, const PetscReal x[], PetscInt *count, PetscInt *local_count,
                                             AbutIntersection **crossings);

/**
  @brief Checks a motion of all vertices on straight lines for surfaces that pass through each other, also completely.

  Collective; the candidates of the last search stay valid.
  All pairs of the motion are searched anew and tested by conservative continuous collision detection, which misses no collision. A pair is
  also reported if its distance falls below 1e-10 of its value at the start. Surface vertices of bodies must be above the half
  spaces of the last AbutContactPositions() at the end of the motion, because heights are linear in time.
  @param[in]  from, to  local positions [num_local * dim], ghosts current [m]
  @param[out] pair      earliest colliding pair with its distance at the start, the same on all ranks; pair->rank is -1 if there is none
  Errors: ABUT_ERR_DIVERGED on all ranks if a coordinate is out of the supported range.
**/
PETSC_EXTERN PetscErrorCode AbutContactCheckMotion(AbutContact contact, const PetscReal from[], const PetscReal to[],
                                                   AbutLimitingPair *pair);

/**
  @brief Messages and bytes that this rank has sent in searches, checks and sums, without the messages of star forests: of the mesh and of
  the remote vertices of one-rings. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutContactGetTraffic(AbutContact contact, PetscLogDouble *messages, PetscLogDouble *bytes);

/** @brief Prints the options in force, then entities, copies and candidates as maximum and mean over ranks. Collective. */
PETSC_EXTERN PetscErrorCode AbutContactView(AbutContact contact, PetscViewer viewer);

/* Options: the program checks the command line by these tables */

PETSC_EXTERN const AbutOptionTable AbutContactOptions; /**< Search */
PETSC_EXTERN const AbutOptionTable AbutBalanceOptions; /**< Redistribution of candidates */
