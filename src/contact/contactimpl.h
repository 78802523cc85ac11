/* WARNING: private header of src/contact. */
#pragma once
#include "bvh.h"
#include <abut/contact.h>

/* Kinds of surface entities. Curves are the edges without faces, a second time: they are searched only where rings are wanted. */
enum { FACE, EDGE, POINT, CURVE, NUM_KINDS };

static inline int AbutKindVertices(int kind)
{
  return kind == CURVE ? 2 : POINT + 1 - kind;
}

/* Entities of one kind: those of this rank's mesh, or copies of those of other ranks. */
typedef struct {
  int32_t        n, capacity;
  int            nv;       /* vertices an entity */
  int32_t       *v;        /* [n * nv] contact vertices */
  PetscInt      *id;       /* [n] face id, edge id, vertex id */
  unsigned char *obstacle; /* [n] whether it belongs to an obstacle */
  AbutBVH        tree;
} AbutEntities;

/* From numbers >= 0 to places in arrays: from global indices to contact vertices, for one. */
typedef struct {
  int64_t *key; /* [size], -1 where free */
  int32_t *value;
  size_t   size; /* a power of two, or 0 */
} AbutVertexMap;

/* Ranks to exchange with; slots partner by partner: vertices that are sent, and what they are here when they are received. */
typedef struct {
  PetscMPIInt num, *rank;
  PetscInt   *send_start, *recv_start; /* [num + 1] */
  int32_t    *send_vertex;             /* local vertex */
  int32_t    *recv_vertex;             /* contact vertex; -1 if this rank has the vertex from elsewhere, so that it is summed once */
} AbutPartners;

/*
  State of one search: where vertices go, and copies of what other ranks have near. The search for candidates has one that lives until
  the next search, the exact check another, so that a check leaves the candidates alone.
*/
typedef struct {
  PetscInt      num_vertices, capacity;
  PetscBool     rings;                /* brings rings */
  PetscInt      num_fixed;            /* vertices that are here in every search: those of the mesh and of the rings; copies follow */
  PetscInt     *global, *id, *body;   /* [capacity] */
  PetscReal    *rest, *x, *p, *x_end; /* [capacity * dim]; x_end = x + step p */
  AbutBox      *box;                  /* [capacity] swept boxes of surface vertices about `origin`, inflated by half the range */
  PetscReal     origin[3];
  PetscReal     step, inflation;
  PetscReal    *plane_x, *plane_p; /* [num_planes * 3] points of the planes and their displacement; NULL in a check */
  unsigned      meets[NUM_KINDS];  /* bit j of meets[k]: entities of kind k are paired with those of kind j */
  AbutEntities  import[NUM_KINDS];
  AbutVertexMap map;
  AbutPartners  partners;
} AbutSweep;

/* Lists of items: those of list i are item[start[i], start[i + 1]). */
typedef struct {
  PetscInt *start, *item, start_capacity, capacity;
} AbutLists;

/* Rows that candidates stand for. */
typedef struct {
  PetscInt *row, n, capacity;
} AbutRows;

/* The surface around candidates; what is fixed after AbutRingsSetUp() comes first in every array. */
typedef struct {
  PetscBool on, ready;
  PetscBool ranged; /* primitives have ranges */
  PetscBool curves; /* some rank has edges without faces, in 3D */
  PetscInt *first;  /* [size + 1] first global index of every rank */
  /* Vertices that are not in the mesh of this rank: contact vertices from its num_local on, by ascending global index. */
  PetscInt      num_extra, *extra_global, *extra_id, *extra_body;
  PetscReal    *extra_rest;
  AbutPartners  partners;
  AbutVertexMap extra;
  /* Rows: the faces and edges of the mesh, of what surrounds them, and of what came with the last search. */
  PetscInt num_fixed_faces, num_fixed_edges, num_faces, num_edges, face_capacity, edge_capacity;
  PetscInt (*faces)[3], (*face_edge)[3], *face_id, (*edges)[2];
  PetscReal    *face_range, *edge_range;
  AbutVertexMap face_map[2], edge_map[2]; /* of fixed rows: by id, by vertices; of the others */
  int32_t      *import[NUM_KINDS];        /* [import[].n] rows of the copies of the search */
  int32_t      *curve;                    /* [local[CURVE].n] rows of the edges without faces */
  AbutLists     vertex_face, vertex_edge, edge_face;
  PetscBool     copies;  /* the last search brought some */
  PetscBool     current; /* lists are those of the rows */
  PetscInt      vertex_capacity;
  PetscBool    *closed; /* [num_bodies] */
  PetscBool    *complete, *oriented;
  PetscReal    *vertex_range;
  int32_t      *face_mark, *edge_mark, *star_face, *star_edge; /* scratch of messages: last stamp, list of hits */
  AbutRows      fv, ee, ev, free_ev;
  AbutOneRing   view;
} AbutRingStore;

/* A pair of entities, by position in the two sets that were searched. */
typedef int32_t AbutPair[2];

typedef struct {
  AbutPair *pair;
  PetscInt  n, capacity;
} AbutPairList;

/* Pairs of one search, kept for the next ones; near.c */
typedef struct {
  PetscBool    on;               /* option */
  PetscReal    margin;           /* [m] the searches that the pairs serve stay within it; 0 = none are kept */
  PetscReal    inflation, reach; /* of the search that found them; inflation + 2 margin */
  PetscReal    step;
  PetscReal   *x, *x_end;          /* [num_surface * dim] the ends of its sweep; then x is the reference r */
  PetscBool    referred;           /* it is */
  PetscReal    t;                  /* of the last call of AbutContactPositions() since the last search */
  PetscReal    pace;               /* [m] how far searches reach, of late */
  PetscReal    gain;               /* margin over pace */
  PetscBool    fresh;              /* the search under way finds them */
  PetscBool    light;              /* they cost little */
  PetscBool    overflow;           /* there is no room for them */
  PetscInt     served;             /* searches, the one that found them included */
  PetscInt     num, room;          /* pairs on this rank */
  PetscInt     candidates;         /* of the last search */
  PetscInt     pause, wait;        /* searches until the next try */
  AbutPairList list[NUM_KINDS][3]; /* by kind of the first entity; here with here, here with copy, copy with here */
  AbutBox     *box[2][NUM_KINDS];  /* of the entities here, of the copies */
  int32_t      box_capacity[2][NUM_KINDS];
} AbutNear;

/* What ranks think of the pairs that a search has kept, to be agreed on: no room on this rank; more than the next searches will gain; not few. */
typedef struct {
  PetscInt overflow, heavy, weighty;
} AbutNearFlags;

struct _p_AbutContact {
  AbutMesh             mesh;
  const AbutMeshLocal *m;
  MPI_Comm             comm;
  PetscMPIInt          rank, size, tag;
  PetscInt             max_pairs, num_boxes; /* options */
  PetscReal            rebuild;              /* option: growth of a tree's cost at which it is built anew */
  PetscInt             num_planes;
  AbutPlaneSpec       *planes;             /* where the next search starts and what a check sees */
  PetscReal           *plane_displacement; /* [num_planes * 3] over the direction of the next search */
  AbutPlaneSpec       *moved_planes;       /* of the candidates: at the t AbutContactPositions() was asked for last */
  AbutEntities         local[NUM_KINDS];
  int32_t             *surface; /* vertices of local entities, ascending */
  int32_t              num_surface;
  int32_t             *entity_mark, *entity_hit;  /* [entities of all kinds] scratch of redistribution: last stamp, list of hits */
  int32_t             *vertex_mark, *vertex_slot; /* [num_local + rings.num_extra] */
  int32_t              stamp;
  AbutVertexMap        ghosts; /* of the mesh */
  AbutSweep            search, check;
  AbutRingStore        rings;
  AbutNear             near;
  AbutPairList         pairs, sorted; /* scratch: pairs of one traversal */
  AbutCandidates       candidates;
  PetscInt (*fv)[4], (*ee)[4], (*ev)[3], (*pv)[2];
  PetscInt       fv_capacity, ee_capacity, ev_capacity, pv_capacity;
  PetscLogDouble messages, bytes;
  PetscInt       num_searches, num_served, num_builds, num_halvings;
};

/* planes.c: planes that move with t */
PETSC_INTERN PetscErrorCode AbutPlanesCreate(AbutContact contact, PetscInt n, const AbutPlaneSpec planes[]);
PETSC_INTERN PetscErrorCode AbutPlanesDestroy(AbutContact contact);
/* Points and displacements of the next search become those of this one; `still`: it has no direction. */
PETSC_INTERN void AbutPlanesBeginSearch(AbutContact contact, PetscBool still);
/* Puts the planes of the candidates where they are at t. */
PETSC_INTERN void AbutPlanesMove(AbutContact contact, PetscReal t);

/* sweep.c: positions and boxes of one search */
PETSC_INTERN PetscErrorCode AbutSweepCreate(AbutContact contact, AbutSweep *sweep);
PETSC_INTERN PetscErrorCode AbutSweepDestroy(AbutSweep *sweep);
PETSC_INTERN PetscErrorCode AbutSweepReserve(AbutSweep *sweep, PetscInt dim, PetscInt num_vertices);
PETSC_INTERN PetscErrorCode AbutSweepSetPositions(AbutContact contact, AbutSweep *sweep, const PetscReal x[], const PetscReal p[]);
PETSC_INTERN PetscErrorCode AbutSweepSetRange(AbutContact contact, AbutSweep *sweep, PetscReal step, PetscReal inflation,
                                              PetscErrorCode *finite);
PETSC_INTERN PetscErrorCode AbutSweepImportBoxes(AbutContact contact, AbutSweep *sweep);
/* Ends and boxes of the vertices alone: of this rank, of the copies. */
PETSC_INTERN void           AbutSweepPlaceVertices(AbutContact contact, AbutSweep *sweep, PetscReal step, PetscReal inflation);
PETSC_INTERN void           AbutSweepPlaceCopies(AbutContact contact, AbutSweep *sweep);
PETSC_INTERN PetscErrorCode AbutEntitiesReserve(AbutEntities *entities, int32_t n);
PETSC_INTERN PetscErrorCode AbutEntitiesDestroy(AbutEntities *entities);

/* vertexmap.c */
PETSC_INTERN PetscErrorCode AbutVertexMapReset(AbutVertexMap *map, size_t entries);
PETSC_INTERN PetscErrorCode AbutVertexMapDestroy(AbutVertexMap *map);
PETSC_INTERN int32_t        AbutVertexMapAdd(AbutVertexMap *map, int64_t key, int32_t value); /* returns the value that was there, or -1 */
PETSC_INTERN int32_t        AbutVertexMapGet(const AbutVertexMap *map, int64_t key);          /* -1 if absent */

/* A box that holds entities of one kind of one rank, known to all ranks; kind < 0 where there is none. */
typedef struct {
  PetscReal lo[3], hi[3], kind;
} AbutPublicBox;

/* What one partner is to get: entities kind by kind in entity_hit, vertices in the order they came up. */
typedef struct {
  AbutContact contact;
  int32_t     stamp;
  int         kind;
  int32_t     offset[NUM_KINDS + 1]; /* of the kinds in entity_mark and entity_hit */
  int32_t     count[NUM_KINDS];
  int32_t     num_vertices;
  int32_t    *vertices;             /* [num_fixed] */
  int32_t     num_faces, num_edges; /* of rings, besides */
} AbutParcel;

static inline void AbutParcelAddVertex(AbutParcel *parcel, PetscInt v)
{
  AbutContact c = parcel->contact;

  if (c->vertex_mark[v] == parcel->stamp) return;
  c->vertex_mark[v]                        = parcel->stamp;
  c->vertex_slot[v]                        = parcel->num_vertices;
  parcel->vertices[parcel->num_vertices++] = (int32_t)v;
}

/* message.c: boxes are those of all ranks, num_boxes each; messages are to be freed with PetscFree() */
PETSC_INTERN PetscErrorCode AbutSweepPack(AbutContact contact, AbutSweep *sweep, const AbutPublicBox boxes[], size_t bytes[],
                                          void *message[]);
PETSC_INTERN PetscErrorCode AbutSweepUnpack(AbutContact contact, AbutSweep *sweep, const PetscInt *const message[]);

/* ringmessage.c: what messages carry besides if rings are wanted: the rest of the surface at the vertices of entities, and ranges. */
PETSC_INTERN void   AbutRingsFill(AbutParcel *parcel);
PETSC_INTERN size_t AbutRingsBytes(const AbutParcel *parcel);
PETSC_INTERN void   AbutRingsPack(const AbutParcel *parcel, void *to);
/* from[s]: where rings begin in the message of partner s; slot[recv_start[s]...]: contact vertices of its vertices. */
PETSC_INTERN PetscErrorCode AbutRingsUnpack(AbutContact contact, const PetscInt *const message[], const void *const from[],
                                            const int32_t slot[]);

/* rings.c */
PETSC_INTERN PetscErrorCode AbutRingsDestroy(AbutContact contact);
/* Brings positions to the vertices of rings that the mesh here has not. */
PETSC_INTERN PetscErrorCode AbutRingsSetPositions(AbutContact contact, PetscBool moving);
/* Notes what rows the candidates stand for that come next. */
PETSC_INTERN PetscErrorCode AbutRingsCollect(AbutContact contact, int kind, const AbutEntities *A, const AbutEntities *B, PetscInt n,
                                             const AbutPair pairs[]);
/* Lists of what the search brought; before the first candidates, and after the last. */
PETSC_INTERN void           AbutRingsBegin(AbutContact contact);
PETSC_INTERN PetscErrorCode AbutRingsPublish(AbutContact contact);
/* contact.c: which kinds a search pairs */
PETSC_INTERN void AbutContactSetMeetings(AbutContact contact);

/* redistribute.c: brings copies of the entities of other ranks that may meet those of this one. Collective. */
PETSC_INTERN PetscErrorCode AbutSweepRedistribute(AbutContact contact, AbutSweep *sweep);

/* exchange.c: one message to each partner, of any length. Collective over partners. */
PETSC_INTERN PetscErrorCode AbutPartnersExchange(AbutContact contact, const AbutPartners *partners, const size_t send_bytes[],
                                                 void *const send[], size_t recv_bytes[], void *recv[]);
/* Adds what this rank has summed for the vertices it received to those they came from, partner by partner; width reals a vertex. */
PETSC_INTERN PetscErrorCode AbutPartnersReturn(AbutContact contact, const AbutPartners *partners, PetscInt width, PetscReal values[]);
/* Brings `width` reals of every vertex that is sent to those that receive it; send and recv slot by slot. */
PETSC_INTERN PetscErrorCode AbutPartnersForward(AbutContact contact, const AbutPartners *partners, PetscInt width, PetscReal send[],
                                                PetscReal recv[]);
PETSC_INTERN PetscErrorCode AbutPartnersDestroy(AbutPartners *partners);

/* separate.c: pure; first vertex then edge or face, edge then edge or face; x[] the points of both entities, na of the first, at the start and the end of the sweep */
PETSC_INTERN PetscBool AbutPairSeparated2D(int na, int nb, const PetscReal *const x[], const PetscReal *const x_end[], PetscReal inflation);
PETSC_INTERN PetscBool AbutPairSeparated3D(int na, int nb, const PetscReal *const x[], const PetscReal *const x_end[], PetscReal inflation);

/* near.c: does a search find its candidates among the kept pairs? Collective. */
PETSC_INTERN PetscErrorCode AbutNearServes(AbutContact contact, PetscReal step, PetscReal inflation, PetscBool *serves);
/* Positions of a search that is served. Collective. */
PETSC_INTERN PetscErrorCode AbutNearMove(AbutContact contact, PetscReal step, PetscReal inflation);
/* Boxes by which pairs are chosen from the kept ones. */
PETSC_INTERN PetscErrorCode AbutNearSetBoxes(AbutContact contact, PetscReal step, PetscReal inflation);
/* A search that finds pairs anew: near.margin > 0 if they are to be kept; then they are looked for within near.reach. */
PETSC_INTERN void AbutNearBegin(AbutContact contact, PetscReal step, PetscReal inflation);
/* After a search: flags of this rank, what follows from those of all. */
PETSC_INTERN void           AbutNearVerdict(AbutContact contact, AbutNearFlags *flags);
PETSC_INTERN void           AbutNearEnd(AbutContact contact, PetscInt found, const AbutNearFlags *flags, PetscBool failed);
PETSC_INTERN void           AbutNearForget(AbutContact contact);
PETSC_INTERN PetscErrorCode AbutNearCreate(AbutContact contact);
PETSC_INTERN PetscErrorCode AbutNearDestroy(AbutContact contact);

/*
  pairs.c: the pairs of entities of kind `first` with those of kind `second` that this rank takes, whether both are here or one is a copy.
  `emit` is called for each set of pairs, sorted by position in the first and the second set; it may use the list's memory until it returns.
*/
typedef PetscErrorCode (*AbutPairsEmitFn)(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n,
                                          const AbutPair pairs[], void *ctx);
PETSC_INTERN PetscErrorCode AbutSweepPairs(AbutContact contact, const AbutSweep *sweep, int first, int second, PetscInt max_pairs,
                                           PetscInt *found, AbutPairsEmitFn emit, void *ctx);

/* candidates.c: fills contact->candidates from contact->search; *found > max_pairs if there were too many */
PETSC_INTERN PetscErrorCode AbutContactCollect(AbutContact contact, PetscInt *found);
