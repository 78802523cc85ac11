/* WARNING: private header of src/model/contact. */
#pragma once
#include <abut/bvh.h>
#include <abut/contact.h>
#include <abut/option.h>
#include <abut/simd.h>
#include <petsc/private/hashmapi.h>

/* Kinds of surface entities. CURVE: the edges without faces a second time, because searches with one-rings also pair them with vertices. */
enum { FACE, EDGE, POINT, CURVE, NUM_KINDS };

static inline int AbutKindVertices(int kind)
{
  return kind == CURVE ? 2 : POINT + 1 - kind;
}

/* Entities of one kind: of this rank's mesh, or copies of entities of other ranks. */
typedef struct {
  int32_t        n;
  int            nv;       /* vertices per entity */
  int32_t       *v;        /* [n * nv] contact vertices */
  PetscInt      *id;       /* [n] face id, edge id, vertex id */
  unsigned char *obstacle; /* [n] whether it belongs to an obstacle */
  unsigned char *held;     /* [n] neither its vertices nor, with one-rings, their neighbours move; set in restricted searches */
  PetscInt       capacity;
  AbutBVH        tree;
} AbutEntities;

/* Ranks whose boxes overlap the boxes of this rank, and the exchange of vertex data with them. */
typedef struct {
  AbutExchange exchange;
  int32_t     *sent; /* [exchange.send_start[num]] local vertices */
  int32_t *received; /* [exchange.recv_start[num]] contact vertices; -1 for a vertex that this rank already has, so that it is added once */
  PetscInt sent_capacity, received_capacity;
} AbutNeighbours;

/* Values of AbutSweep.motion. RING_MOVES: the vertex does not move, but one at the end of an edge does. */
enum { STILL, RING_MOVES, MOVES };

/*
  Sweep of one search: positions, boxes, copies of entities of other ranks. The search for candidates and the exact check have one each, so
  that a check leaves the candidates alone.
*/
typedef struct {
  PetscInt   num_vertices, capacity;
  PetscInt   num_fixed; /* vertices present in every search, before the copies: vertices of the mesh and remote vertices of one-rings */
  PetscBool  one_ring;  /* messages include the one-rings of entities */
  PetscInt  *global, *id, *body;   /* [num_vertices] */
  PetscReal *rest, *x, *p, *x_end; /* [num_vertices * dim]; x_end = x + step p */
  const PetscBool *moving;         /* [num_local of the mesh] vertices that move, see AbutContactRestrict(); NULL: all */
  PetscBool        restricted;     /* whether the last search left out pairs that do not move */
  unsigned char   *motion;         /* [num_vertices] whether the vertex moves, see held.c; set in restricted searches */
  AbutBox         *box;            /* [num_vertices] swept boxes about `origin`, inflated by inflation / 2 */
  PetscReal        origin[3];      /* centre of the surface: single precision is most accurate about it */
  PetscReal        step, inflation;
  unsigned         meets[NUM_KINDS]; /* bit j of meets[k] is set if entities of kinds j and k are paired */
  AbutEntities     copies[NUM_KINDS];
  PetscHMapI       map; /* global index -> contact vertex of the copies */
  AbutNeighbours   neighbours;
} AbutSweep;

/* Half spaces. */
typedef struct {
  PetscInt       num;
  AbutPlaneSpec *next;                 /* points for the next search; exact checks use them */
  PetscReal     *next_displacement;    /* [num * 3] displacements for the next search */
  PetscReal     *start, *displacement; /* [num * 3] points at t = 0 and displacements up to t = 1 in the last search */
  AbutPlaneSpec *current;              /* half spaces of the candidates, at the t of the last AbutContactPositions() */
} AbutPlaneSet;

/* A pair of entities by their positions in the two sets that were searched. */
typedef int32_t AbutPair[2];

typedef struct {
  AbutPair *pair;
  PetscInt  n, capacity;
} AbutPairList;

/* Work arrays of messages, with a capacity for each pair: an item is marked if its mark equals the current stamp. */
typedef struct {
  int32_t  stamp;
  int32_t *entity, *entity_list; /* entities of this rank, of all kinds */
  int32_t *vertex, *vertex_slot; /* contact vertices */
  int32_t *face, *face_list;     /* of the one-rings that this rank knows */
  int32_t *edge, *edge_list;
  PetscInt entities, vertices, faces, edges;
} AbutMarks;

/* Candidates by kind of their first entity (FACE: face-vertex, EDGE: edge-edge, 2D: edge-vertex, CURVE: see AbutCandidates.free_ev). */
typedef struct {
  AbutInts v;      /* contact vertices of the candidates; empty for CURVE */
  AbutInts number; /* numbers of their faces and edges in the one-rings; for CURVE the vertex and the edge */
} AbutCandidateList;

/* One-rings of the candidates; onering.c. */
typedef struct {
  PetscBool          on;
  AbutSurface        surface;  /* NULL until they are first turned on */
  const AbutOneRing *one_ring; /* borrowed from surface */
  AbutRemoteVertices remote;
  const PetscInt    *curve; /* [local[CURVE].n] edges without faces */
  PetscBool          any_curves;
  AbutInts           copied[NUM_KINDS]; /* numbers in the one-rings of the entities that the last search copied from other ranks */
} AbutContactRing;

/* Option and constants of the redistribution of candidates; balance.c. */
typedef struct {
  PetscReal tolerance; /* load of a rank over the mean load up to which it keeps its candidates */
  PetscInt  minimum;   /* load that a rank keeps in any case */
  PetscInt  contact;   /* load of a candidate closer than AbutBalance.distance; other candidates have load 1 */
} AbutBalancePolicy;

/* Candidates that a rank sends to another one for evaluation; balance.c. */
typedef struct {
  AbutBalancePolicy policy;
  PetscReal         distance;     /* [m] of AbutContactSetActiveDistance(); 0: no candidates are sent */
  AbutNeighbours    neighbours;   /* receivers and senders of candidates; records are vertices */
  PetscBool         active;       /* candidates of the last search moved on some rank */
  PetscInt          num_vertices; /* contact vertices before candidates moved */
  PetscInt          moved;        /* candidates that this rank sent away */
  PetscHMapI        map;          /* global index -> contact vertex of vertices that came with candidates */
} AbutBalance;

/* Options and constants of the search; contact.c. */
typedef struct {
  PetscInt  max_pairs, num_boxes;
  PetscReal rebuild;
} AbutContactParams;

/* Counters since creation. */
typedef struct {
  PetscInt searches, builds, halvings;
  PetscInt motions, motion_pairs; /* motions checked by AbutContactCheckMotion(), and their pairs */
} AbutContactCounts;

/* Vertices of tied surfaces; tied.c. */
typedef struct {
  PetscHMapI number; /* id of a vertex -> place in `set`; NULL without ties */
  PetscInt   num, capacity;
  uint64_t (*set)[2]; /* [num] bits of the ties in whose first, second surface the vertex is */
} AbutTied;

struct _p_AbutContact {
  AbutMesh             mesh;
  const AbutMeshLocal *m;
  MPI_Comm             comm;
  PetscMPIInt          rank, size, tag;
  AbutContactParams    params;
  AbutPlaneSet         planes;
  AbutEntities         local[NUM_KINDS];
  PetscInt            *surface; /* [num_surface] vertices of local entities, ascending */
  PetscInt             num_surface;
  AbutMarks            marks;
  PetscHMapI           ghosts; /* global index of a ghost -> local vertex */
  AbutSweep            search, check;
  AbutContactRing      ring;
  AbutPairList         scratch[2]; /* pairs of one traversal, work array of their sort */
  AbutCandidates       candidates;
  AbutCandidateList    lists[NUM_KINDS];
  AbutInts             pv; /* AbutCandidates.pv */
  AbutTraffic          traffic;
  AbutContactCounts    counts;
  AbutBalance          balance;
  AbutTied             tied;
};

/* tied.c: whether one entity has a vertex in the first surface of a tie and the other one in the second. Not collective. */
PETSC_INTERN PetscBool AbutContactAreTied(const AbutTied *tied, const AbutSweep *sweep, int na, const int32_t a[], int nb,
                                          const int32_t b[]);

/*
  sweep.c: sets the local entities of a kind to entities which[n] of a list (NULL: the first n). id NULL: entities have their vertices'
  ids.
*/
PETSC_INTERN PetscErrorCode AbutContactSetEntities(AbutContact contact, int kind, PetscInt n, const PetscInt which[], const PetscInt v[],
                                                   const PetscInt id[]);

/* planes.c */
PETSC_INTERN PetscErrorCode AbutPlanesCreate(AbutContact contact, PetscInt n, const AbutPlaneSpec planes[]);
PETSC_INTERN PetscErrorCode AbutPlanesDestroy(AbutPlaneSet *planes);
/* Starts a search with the points and displacements that were set last. `still`: the search has no direction. */
PETSC_INTERN void AbutPlanesBeginSearch(AbutPlaneSet *planes, PetscBool still);
/* Moves the planes of the candidates to t. */
PETSC_INTERN void AbutPlanesMove(AbutPlaneSet *planes, PetscReal t);

/* sweep.c: positions and boxes of one search */
PETSC_INTERN PetscErrorCode AbutSweepCreate(AbutContact contact, AbutSweep *sweep);
PETSC_INTERN PetscErrorCode AbutSweepDestroy(AbutSweep *sweep);
PETSC_INTERN PetscErrorCode AbutSweepReserve(AbutSweep *sweep, PetscInt dim, PetscInt num_vertices);
/* Appends vertices that are present in every search, at their rest positions. */
PETSC_INTERN PetscErrorCode AbutSweepAddFixed(AbutSweep *sweep, PetscInt dim, const AbutRemoteVertices *vertices);
PETSC_INTERN PetscErrorCode AbutSweepSetPositions(AbutContact contact, AbutSweep *sweep, const PetscReal x[], const PetscReal p[]);
/* ABUT_ERR_DIVERGED if a position, an end of the sweep or the inflation of this rank is out of range. Not collective. */
PETSC_INTERN PetscErrorCode AbutSweepCheckRange(AbutContact contact, const AbutSweep *sweep, PetscReal step, PetscReal inflation);
/*
  Fits the trees of the local entities to the boxes. A tree is built at its first use, and again when its cost has grown by the factor
  params.rebuild. The tree of edges is fitted first: its mean box size is the query size for the cost of all trees.
*/
PETSC_INTERN PetscErrorCode AbutSweepFitTrees(AbutContact contact, const AbutSweep *sweep);
/*
  PlaceVertices: sets step, inflation, ends and boxes of the vertices of this rank. PlaceCopies: ends and boxes of the vertices of copies.
*/
PETSC_INTERN void AbutSweepPlaceVertices(AbutContact contact, AbutSweep *sweep, PetscReal step, PetscReal inflation);
PETSC_INTERN void AbutSweepPlaceCopies(AbutContact contact, AbutSweep *sweep);
/* Sets AbutSweep.meets: the kinds that are paired in the search and in the check. */
PETSC_INTERN void AbutSweepSetKinds(AbutContact contact);
/* Sets meets[] to the kinds that collide in a motion: faces with points, edges with edges; in 2D edges with points. */
PETSC_INTERN void           AbutSweepSetMotionKinds(PetscInt dim, unsigned meets[NUM_KINDS]);
PETSC_INTERN PetscErrorCode AbutEntitiesReserve(AbutEntities *entities, int32_t n);
PETSC_INTERN PetscErrorCode AbutEntitiesDestroy(AbutEntities *entities);

/* A box around entities of one kind of one rank, for other ranks. kind < 0: unused. passive: 1 if all its entities are passive. */
typedef struct {
  PetscReal lo[3], hi[3], kind, passive;
} AbutRankBox;

/* Contents of the message to one neighbour, and its entities and vertices as positions in entity_list and vertices. */
typedef struct {
  AbutContact          contact;
  int32_t              stamp;
  int                  kind;
  const unsigned char *passive;               /* marks of the entities of this kind that the message leaves out; NULL: none */
  int32_t              offset[NUM_KINDS + 1]; /* first mark of each kind of entities in AbutMarks.entity */
  PetscInt             count[NUM_KINDS];
  PetscInt             num_vertices;
  int32_t             *vertices;             /* [contact vertices] */
  int32_t              num_faces, num_edges; /* of the one-rings, without the entities themselves */
  AbutInts             ints;
  AbutReals            reals;
} AbutSendBuffer;

/* A received message. */
typedef struct {
  const PetscInt  *count; /* [1 + NUM_KINDS] numbers of vertices, of entities of each kind */
  const PetscInt  *ints;  /* next integers to be read */
  const PetscReal *reals;
} AbutReader;

static inline void AbutSendBufferAddVertex(AbutSendBuffer *buffer, PetscInt v)
{
  AbutMarks *marks = &buffer->contact->marks;

  if (marks->vertex[v] == buffer->stamp) return;
  marks->vertex[v]                         = buffer->stamp;
  marks->vertex_slot[v]                    = (int32_t)buffer->num_vertices;
  buffer->vertices[buffer->num_vertices++] = (int32_t)v;
}

/* message.c: makes room in AbutContact.marks for everything that this rank knows, after a search its copies included */
PETSC_INTERN PetscErrorCode AbutMarksReserve(AbutContact contact);
PETSC_INTERN PetscErrorCode AbutMarksDestroy(AbutMarks *marks);

/* message.c: parts of messages that carry vertices; see the head of the file */
PETSC_INTERN PetscErrorCode AbutMessagePackVertices(const AbutSweep *sweep, AbutSendBuffer *buffer);
PETSC_INTERN PetscErrorCode AbutMessageCreate(const AbutSendBuffer *buffer, size_t *bytes, void **message);
PETSC_INTERN AbutReader     AbutMessageOpen(const void *message);
/*
  Stores the received vertices. map: vertices that are new to the sweep. slot[]: contact vertex of each received vertex; received[]: the
  same, but -1 for vertices that this rank already has.
*/
PETSC_INTERN PetscErrorCode AbutMessageUnpackVertices(AbutContact contact, AbutSweep *sweep, PetscHMapI map, AbutReader *from,
                                                      int32_t slot[], int32_t received[]);

/* message.c: a box of another rank in coordinates about the origin of this rank. */
PETSC_INTERN AbutBox AbutSweepLocalBox(const AbutSweep *sweep, const AbutRankBox *theirs);
/* message.c: boxes of the neighbours, num_boxes each; free the messages with PetscFree() */
PETSC_INTERN PetscErrorCode AbutSweepPack(AbutContact contact, AbutSweep *sweep, const AbutRankBox boxes[], size_t bytes[],
                                          void *message[]);
PETSC_INTERN PetscErrorCode AbutSweepUnpack(AbutContact contact, AbutSweep *sweep, void *const message[]);

/* onering_message.c: the part of a message that describes one-rings. Collect: lists the faces and edges at the vertices of the message. */
PETSC_INTERN void           AbutRingCollect(AbutSendBuffer *buffer);
PETSC_INTERN PetscErrorCode AbutRingPack(AbutSendBuffer *buffer);
/* reader[s]: stands at the one-ring part of the message of neighbour s. slot[recv_start[s]...]: contact vertices of its vertices. */
PETSC_INTERN PetscErrorCode AbutRingUnpack(AbutContact contact, AbutReader reader[], const int32_t slot[]);
/* The listed faces and edges, and the activation distances of the vertices. slot[]: contact vertices of the message. */
PETSC_INTERN PetscErrorCode AbutRingPackSurrounding(AbutSendBuffer *buffer);
PETSC_INTERN PetscErrorCode AbutRingUnpackSurrounding(AbutContact contact, const int32_t slot[], AbutReader *from);
/* A face or edge of a moved candidate, by its number on this rank. v[]: its contact vertices. */
PETSC_INTERN PetscErrorCode AbutRingPackPrimitive(AbutSendBuffer *buffer, int kind, PetscInt number);
PETSC_INTERN PetscErrorCode AbutRingUnpackPrimitive(AbutContact contact, int kind, const PetscInt v[], AbutReader *from, PetscInt *number);

/* onering.c */
PETSC_INTERN PetscErrorCode AbutRingCreate(AbutContact contact);
PETSC_INTERN PetscErrorCode AbutRingDestroy(AbutContactRing *ring);
/* Sends positions and direction to the remote vertices. Collective. */
PETSC_INTERN PetscErrorCode AbutRingSetPositions(AbutContact contact);

/* redistribute.c: sets boxes and trees; receives copies of the entities of other ranks that may meet entities of this rank. Collective. */
PETSC_INTERN PetscErrorCode AbutSweepRedistribute(AbutContact contact, AbutSweep *sweep, PetscReal step, PetscReal inflation);

/* neighbours.c: `width` reals per vertex. Collective over neighbours. */

/* Values of all contact vertices, `bytes` bytes a vertex. */
typedef struct {
  void  *values;
  size_t bytes;
} AbutField;

/* Sends n fields of the vertices to their copies. */
PETSC_INTERN PetscErrorCode AbutNeighboursForward(const AbutNeighbours *neighbours, PetscInt n, const AbutField field[]);
PETSC_INTERN PetscErrorCode AbutNeighboursDestroy(AbutNeighbours *neighbours);

/* Contact vertices of ABUT_SIMD_WIDTH pairs; in each pair the vertices of the first entity come first. */
enum { ABUT_PAIR_POINTS = 5 };
typedef int32_t AbutPairPoints[ABUT_SIMD_WIDTH][ABUT_PAIR_POINTS];

/*
  separate.c: tells for each of ABUT_SIMD_WIDTH pairs whether one of a few directions separates its entities by more than `inflation` at
  both ends of a sweep. The entities have na and nb vertices v: a vertex and an edge or face, or an edge and an edge or face. x[],
  x_end[]: positions of the contact vertices at both ends. The result of a pair does not depend on the other pairs.
*/
PETSC_INTERN void AbutPairsSeparated(int dim, int na, int nb, const AbutPairPoints v, const PetscReal x[], const PetscReal x_end[],
                                     PetscReal inflation, PetscBool separated[]);

/*
  pairs.c: finds the pairs of an entity of kind `first` with one of kind `second` that belong to this rank. `emit` receives the pairs set
  by set, sorted by position in the first and the second set. It may overwrite the list until it returns.
*/
typedef PetscErrorCode (*AbutPairsEmitFn)(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n,
                                          const AbutPair pairs[], void *ctx);
PETSC_INTERN PetscErrorCode AbutSweepPairs(AbutContact contact, const AbutSweep *sweep, int first, int second, PetscInt max_pairs,
                                           PetscInt *found, AbutPairsEmitFn emit, void *ctx);

/*
  held.c: in a restricted search, sets `motion` of vertices and `held` of entities: of this rank's mesh, before its trees are fitted and
  messages sent, and of copies, after they arrived. Trees skip pairs of held entities. Collective over neighbours.
*/
PETSC_INTERN PetscErrorCode AbutSweepHoldLocal(AbutContact contact);
PETSC_INTERN PetscErrorCode AbutSweepHoldCopies(AbutContact contact);

/* Marks of passive entities, no two of which are a pair: held ones in a restricted search, else obstacles. */
static inline const unsigned char *AbutSweepPassive(const AbutSweep *sweep, const AbutEntities *e)
{
  return sweep->restricted ? e->held : e->obstacle;
}

/* candidates.c: fills contact->candidates from contact->search; *found > max_pairs if there were too many */
PETSC_INTERN PetscErrorCode AbutContactCollect(AbutContact contact, PetscInt *found);
/* Sets contact->candidates to the lists of candidates and the vertices of contact->search. */
PETSC_INTERN void AbutContactPublish(AbutContact contact);

/* The pair of this rank that ends a motion first: n contact vertices, or vertex v[0] and a half space if plane >= 0; n = 0: none. */
typedef struct {
  AbutPairKind kind;
  PetscInt     n, v[4], plane;
} AbutFirstPair;

/*
  motion.c: *time becomes its minimum over ranks; `pair` describes the pair of the lowest rank that attains it, with its distance at the
  start of the sweep, on all ranks. Ids and rank are -1 if no rank has a pair at this time. Collective.
*/
PETSC_INTERN PetscErrorCode AbutFirstPairReduce(AbutContact contact, const AbutSweep *sweep, const AbutFirstPair *first, PetscReal *time,
                                                AbutLimitingPair *pair);

/*
  balance_plan.c: pure; all ranks compute the same plan from own[] (loads before, [size]). limit: largest load of a rank after the
  transfers. load[r]: load that moves between rank `me` and rank r; rank `me` sends it if own[me] > *limit.
*/
PETSC_INTERN void AbutBalancePlan(PetscMPIInt size, PetscMPIInt me, const PetscInt64 own[], const AbutBalancePolicy *policy,
                                  PetscInt64 *limit, PetscInt64 room[], PetscInt64 load[]);

/* balance.c */
PETSC_INTERN PetscErrorCode AbutBalanceCreate(AbutBalance *balance);
PETSC_INTERN PetscErrorCode AbutBalanceDestroy(AbutBalance *balance);
/* Removes the vertices that came with candidates of the last search. */
PETSC_INTERN PetscErrorCode AbutBalanceReset(AbutContact contact);
/* Moves candidates of the search that has just ended, from ranks with many to ranks with few. Collective. */
PETSC_INTERN PetscErrorCode AbutBalanceCandidates(AbutContact contact);
