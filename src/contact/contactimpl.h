/* WARNING: private header of src/contact. */
#pragma once
#include "bvh.h"
#include <abut/contact.h>

/* Kinds of surface entities; an entity of kind k has 3, 2, 1 vertices. */
enum { FACE, EDGE, POINT, NUM_KINDS };

static inline int AbutKindVertices(int kind)
{
  return NUM_KINDS - kind;
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

/* From global indices to contact vertices. */
typedef struct {
  PetscInt *key; /* [size], -1 where free */
  int32_t  *value;
  size_t    size; /* a power of two, or 0 */
} AbutVertexMap;

/*
  State of one search: where vertices go, and copies of what other ranks have near. The search for candidates has one that lives until
  the next search, the exact check another, so that a check leaves the candidates alone.
*/
typedef struct {
  PetscInt      num_vertices, capacity;
  PetscInt     *global, *id, *body;   /* [capacity] */
  PetscReal    *rest, *x, *p, *x_end; /* [capacity * dim]; x_end = x + step p */
  AbutBox      *box;                  /* [capacity] swept boxes of surface vertices about `origin`, inflated by half the range */
  PetscReal     origin[3];
  PetscReal     step, inflation;
  PetscReal    *plane_x, *plane_p; /* [num_planes * 3] points of the planes and their displacement; NULL in a check */
  unsigned      meets[NUM_KINDS];  /* bit j of meets[k]: entities of kind k are paired with those of kind j */
  AbutEntities  import[NUM_KINDS];
  AbutVertexMap map;
  /* Ranks that exchange with this one; slots partner by partner: vertices that were sent, and what became of those received. */
  PetscMPIInt num_partners, *partner;
  PetscInt   *send_start, *recv_start; /* [num_partners + 1] */
  int32_t    *send_vertex;             /* local vertex */
  int32_t    *recv_vertex;             /* contact vertex; -1 if this rank has the vertex from elsewhere, so that it is summed once */
} AbutSweep;

/* A pair of entities, by position in the two sets that were searched. */
typedef int32_t AbutPair[2];

typedef struct {
  AbutPair *pair;
  PetscInt  n, capacity;
} AbutPairList;

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
  int32_t             *vertex_mark, *vertex_slot; /* [num_local] */
  int32_t              stamp;
  AbutVertexMap        ghosts; /* of the mesh */
  AbutSweep            search, check;
  AbutPairList         pairs, sorted; /* scratch: pairs of one traversal */
  AbutCandidates       candidates;
  PetscInt (*fv)[4], (*ee)[4], (*ev)[3], (*pv)[2];
  PetscInt       fv_capacity, ee_capacity, ev_capacity, pv_capacity;
  PetscLogDouble messages, bytes;
  PetscInt       num_searches, num_builds, num_halvings, max_found;
};

/* Signed distance of a point from a plane. */
static inline PetscReal AbutPlaneHeight(PetscInt dim, const PetscReal normal[], const PetscReal point[], const PetscReal x[])
{
  PetscReal height = 0;

  for (PetscInt k = 0; k < dim; k++) height += normal[k] * (x[k] - point[k]);
  return height;
}

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
PETSC_INTERN PetscErrorCode AbutEntitiesReserve(AbutEntities *entities, int32_t n);
PETSC_INTERN PetscErrorCode AbutEntitiesDestroy(AbutEntities *entities);

/* vertexmap.c */
PETSC_INTERN PetscErrorCode AbutVertexMapReset(AbutVertexMap *map, size_t entries);
PETSC_INTERN PetscErrorCode AbutVertexMapDestroy(AbutVertexMap *map);
PETSC_INTERN int32_t        AbutVertexMapAdd(AbutVertexMap *map, PetscInt key, int32_t value); /* returns the value that was there, or -1 */
PETSC_INTERN int32_t        AbutVertexMapGet(const AbutVertexMap *map, PetscInt key);          /* -1 if absent */

/* A box that holds entities of one kind of one rank, known to all ranks; kind < 0 where there is none. */
typedef struct {
  PetscReal lo[3], hi[3], kind;
} AbutPublicBox;

/* message.c: boxes are those of all ranks, num_boxes each; messages are to be freed with PetscFree() */
PETSC_INTERN PetscErrorCode AbutSweepPack(AbutContact contact, AbutSweep *sweep, const AbutPublicBox boxes[], size_t bytes[],
                                          void *message[]);
PETSC_INTERN PetscErrorCode AbutSweepUnpack(AbutContact contact, AbutSweep *sweep, const PetscInt *const message[]);

/* redistribute.c: brings copies of the entities of other ranks that may meet those of this one. Collective. */
PETSC_INTERN PetscErrorCode AbutSweepRedistribute(AbutContact contact, AbutSweep *sweep);

/* exchange.c: one message to each partner, of any length. Collective over partners. */
PETSC_INTERN PetscErrorCode AbutSweepExchange(AbutContact contact, const AbutSweep *sweep, const size_t send_bytes[], void *const send[],
                                              size_t recv_bytes[], void *recv[]);

/* separate.c: pure; first vertex then edge or face, edge then edge or face; x[] the points of both entities, na of the first, at the start and the end of the sweep */
PETSC_INTERN PetscBool AbutPairSeparated2D(int na, int nb, const PetscReal *const x[], const PetscReal *const x_end[], PetscReal inflation);
PETSC_INTERN PetscBool AbutPairSeparated3D(int na, int nb, const PetscReal *const x[], const PetscReal *const x_end[], PetscReal inflation);

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
