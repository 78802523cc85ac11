/*
  Rank 0 deals the mesh out. A vertex is owned by the rank that the partition says. A cell, face or edge goes to the rank that owns most
  of its vertices; on ties, to the one among those that owns the vertex of lowest id. A rank's ghosts are the vertices of what it holds
  that others own. Global indices are contiguous by rank and ordered by id within a rank; ghosts are ordered by global index.
*/
#include "meshimpl.h"

#define NUM_COUNTS 9 /* counts at the head of an AbutShare */
#define NUM_ARRAYS 15

/* Simplices of one kind and the ranks they go to. */
typedef struct {
  PetscInt        num, n; /* count, vertices each */
  const PetscInt *vertices;
  PetscInt       *start; /* [size + 1] into order */
  PetscInt       *order; /* [num] ids by rank, ascending */
} Deal;

/* What rank 0 works with while it builds one share after the other. */
typedef struct {
  const AbutGlobalMesh *global;
  const PetscMPIInt    *owner;
  PetscMPIInt           size;
  Deal                  vertices, cells, faces, edges, points, marks;
  PetscInt             *global_index; /* [num_vertices] */
  PetscInt             *id_of;        /* [num_vertices] by global index: the dealt order of vertices */
  PetscInt             *local;        /* [num_vertices] local index on the rank at hand */
  PetscMPIInt          *stamp;        /* [num_vertices] last rank that has the vertex, owned or ghost */
} Dealer;

typedef struct {
  void       **data;
  PetscInt     n;
  MPI_Datatype type;
} Array;

static void ListArrays(AbutShare *share, PetscInt dim, PetscInt num_groups, Array arrays[NUM_ARRAYS])
{
  const Array list[NUM_ARRAYS] = {
    {(void **)&share->rest, share->num_local * dim, MPIU_REAL},       {(void **)&share->vertex_global, share->num_local, MPIU_INT},
    {(void **)&share->vertex_id, share->num_local, MPIU_INT},         {(void **)&share->vertex_body, share->num_local, MPIU_INT},
    {(void **)&share->cells, share->num_cells * (dim + 1), MPIU_INT}, {(void **)&share->cell_id, share->num_cells, MPIU_INT},
    {(void **)&share->cell_body, share->num_cells, MPIU_INT},         {(void **)&share->faces, share->num_faces * 3, MPIU_INT},
    {(void **)&share->face_id, share->num_faces, MPIU_INT},           {(void **)&share->edges, share->num_edges * 2, MPIU_INT},
    {(void **)&share->edge_id, share->num_edges, MPIU_INT},           {(void **)&share->points, share->num_points, MPIU_INT},
    {(void **)&share->group_start, num_groups + 1, MPIU_INT},         {(void **)&share->group_vertex, share->num_marks, MPIU_INT},
    {(void **)&share->slice_global, share->num_slice, MPIU_INT},
  };
  for (PetscInt i = 0; i < NUM_ARRAYS; i++) arrays[i] = list[i];
}

static PetscErrorCode ShareAllocate(AbutShare *share, PetscInt dim, PetscInt num_groups)
{
  Array arrays[NUM_ARRAYS];

  PetscFunctionBegin;
  ListArrays(share, dim, num_groups, arrays);
  for (PetscInt i = 0; i < NUM_ARRAYS; i++)
    PetscCall(PetscMalloc((size_t)arrays[i].n * (arrays[i].type == MPIU_REAL ? sizeof(PetscReal) : sizeof(PetscInt)), arrays[i].data));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShareFree(AbutShare *share)
{
  Array arrays[NUM_ARRAYS];

  PetscFunctionBegin;
  ListArrays(share, 0, 0, arrays);
  for (PetscInt i = 0; i < NUM_ARRAYS; i++) PetscCall(PetscFree(*arrays[i].data));
  PetscFunctionReturn(0);
}

/* Hands a share from rank 0 to `rank`: its counts, then its arrays. */
static PetscErrorCode ShareSend(MPI_Comm comm, PetscMPIInt rank, PetscInt dim, PetscInt num_groups, AbutShare *share)
{
  Array       arrays[NUM_ARRAYS];
  PetscMPIInt n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Send(&share->num_owned, NUM_COUNTS, MPIU_INT, rank, 0, comm));
  ListArrays(share, dim, num_groups, arrays);
  for (PetscInt i = 0; i < NUM_ARRAYS; i++) {
    PetscCall(PetscMPIIntCast(arrays[i].n, &n));
    PetscCallMPI(MPI_Send(*arrays[i].data, n, arrays[i].type, rank, (PetscMPIInt)(1 + i), comm));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode ShareReceive(MPI_Comm comm, PetscInt dim, PetscInt num_groups, AbutShare *share)
{
  Array arrays[NUM_ARRAYS];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Recv(&share->num_owned, NUM_COUNTS, MPIU_INT, 0, 0, comm, MPI_STATUS_IGNORE));
  PetscCall(ShareAllocate(share, dim, num_groups));
  ListArrays(share, dim, num_groups, arrays);
  for (PetscInt i = 0; i < NUM_ARRAYS; i++)
    PetscCallMPI(MPI_Recv(*arrays[i].data, (PetscMPIInt)arrays[i].n, arrays[i].type, 0, (PetscMPIInt)(1 + i), comm, MPI_STATUS_IGNORE));
  PetscFunctionReturn(0);
}

/* The rule at the head of this file. */
static PetscMPIInt HolderOf(PetscInt n, const PetscInt v[], const PetscMPIInt owner[])
{
  PetscInt best = 0, best_votes = 0;

  for (PetscInt i = 0; i < n; i++) {
    PetscInt votes = 0, lowest = i;
    for (PetscInt j = 0; j < n; j++) {
      if (owner[v[j]] != owner[v[i]]) continue;
      votes++;
      if (v[j] < v[lowest]) lowest = j;
    }
    if (votes > best_votes || (votes == best_votes && v[lowest] < v[best])) {
      best       = lowest;
      best_votes = votes;
    }
  }
  return owner[v[best]];
}

/* Sorts simplices by the rank that gets them. The vertices of simplex i are vertices[i * stride .. i * stride + n). */
static PetscErrorCode DealCreate(PetscInt num, PetscInt n, PetscInt stride, const PetscInt vertices[], PetscMPIInt size,
                                 const PetscMPIInt owner[], Deal *deal)
{
  PetscMPIInt *holder;

  PetscFunctionBegin;
  *deal = (Deal){.num = num, .n = n, .vertices = vertices};
  PetscCall(PetscMalloc2(size + 1, &deal->start, num, &deal->order));
  PetscCall(PetscMalloc1(num, &holder));
  PetscCall(PetscArrayzero(deal->start, size + 1));
  for (PetscInt i = 0; i < num; i++) {
    holder[i] = HolderOf(n, &vertices[i * stride], owner);
    deal->start[holder[i] + 1]++;
  }
  for (PetscMPIInt r = 0; r < size; r++) deal->start[r + 1] += deal->start[r];
  for (PetscInt i = 0; i < num; i++) deal->order[deal->start[holder[i]]++] = i;
  for (PetscMPIInt r = size; r > 0; r--) deal->start[r] = deal->start[r - 1];
  deal->start[0] = 0;
  PetscCall(PetscFree(holder));
  PetscFunctionReturn(0);
}

static inline PetscInt DealCount(const Deal *deal, PetscMPIInt rank)
{
  return deal->start[rank + 1] - deal->start[rank];
}

static PetscErrorCode DealerCreate(const AbutGlobalMesh *global, PetscMPIInt size, const PetscMPIInt owner[], Dealer *dealer)
{
  const PetscInt num = global->num_vertices;
  PetscInt      *identity;

  PetscFunctionBegin;
  *dealer = (Dealer){.global = global, .owner = owner, .size = size};
  PetscCall(PetscMalloc4(num, &identity, num, &dealer->global_index, num, &dealer->local, num, &dealer->stamp));
  for (PetscInt v = 0; v < num; v++) {
    identity[v]      = v;
    dealer->stamp[v] = -1;
  }
  PetscCall(DealCreate(num, 1, 1, identity, size, owner, &dealer->vertices));
  PetscCall(DealCreate(global->num_cells, global->dim + 1, global->dim + 1, global->cells, size, owner, &dealer->cells));
  PetscCall(DealCreate(global->num_faces, 3, 3, global->faces, size, owner, &dealer->faces));
  PetscCall(DealCreate(global->num_edges, 2, 2, global->edges, size, owner, &dealer->edges));
  PetscCall(DealCreate(global->num_points, 1, 1, global->points, size, owner, &dealer->points));
  PetscCall(
    DealCreate(global->groups.marks.n / 2, 1, 2, global->groups.marks.a ? global->groups.marks.a + 1 : NULL, size, owner, &dealer->marks));
  dealer->vertices.vertices = identity;
  dealer->id_of             = dealer->vertices.order;
  for (PetscInt g = 0; g < num; g++) dealer->global_index[dealer->id_of[g]] = g;
  PetscFunctionReturn(0);
}

static PetscErrorCode DealerFree(Dealer *dealer)
{
  Deal *deals[6] = {&dealer->vertices, &dealer->cells, &dealer->faces, &dealer->edges, &dealer->points, &dealer->marks};

  PetscFunctionBegin;
  {
    PetscInt *identity = (PetscInt *)dealer->vertices.vertices;
    PetscCall(PetscFree4(identity, dealer->global_index, dealer->local, dealer->stamp));
  }
  for (PetscInt i = 0; i < 6; i++) PetscCall(PetscFree2(deals[i]->start, deals[i]->order));
  PetscFunctionReturn(0);
}

/* Adds the vertices of a rank's simplices that it does not have yet, as global indices. */
static PetscErrorCode CollectGhosts(Dealer *dealer, const Deal *deal, PetscMPIInt rank, AbutInts *ghosts)
{
  PetscFunctionBegin;
  for (PetscInt k = deal->start[rank]; k < deal->start[rank + 1]; k++) {
    for (PetscInt i = 0; i < deal->n; i++) {
      const PetscInt v = deal->vertices[deal->order[k] * deal->n + i];
      if (dealer->stamp[v] == rank) continue;
      dealer->stamp[v] = rank;
      PetscCall(AbutIntsPush(ghosts, 1, &dealer->global_index[v]));
    }
  }
  PetscFunctionReturn(0);
}

/* Ids and local vertices of a rank's simplices. */
static void FillSimplices(const Dealer *dealer, const Deal *deal, PetscMPIInt rank, PetscInt ids[], PetscInt simplices[])
{
  for (PetscInt k = deal->start[rank], at = 0; k < deal->start[rank + 1]; k++) {
    const PetscInt id = deal->order[k];
    if (ids) ids[k - deal->start[rank]] = id;
    for (PetscInt i = 0; i < deal->n; i++) simplices[at++] = dealer->local[deal->vertices[id * deal->n + i]];
  }
}

static void FillVertices(Dealer *dealer, const PetscInt ghosts[], AbutShare *share)
{
  const AbutGlobalMesh *global = dealer->global;

  for (PetscInt i = 0; i < share->num_local; i++) {
    const PetscInt g = i < share->num_owned ? share->first + i : ghosts[i - share->num_owned], v = dealer->id_of[g];

    share->vertex_global[i] = g;
    share->vertex_id[i]     = v;
    share->vertex_body[i]   = global->vertex_body[v];
    dealer->local[v]        = i;
    for (PetscInt d = 0; d < global->dim; d++) share->rest[i * global->dim + d] = global->x[v * global->dim + d];
  }
}

/* Owned vertices of each group: the marks are sorted by group within a body only, so they are counted and placed. */
static void FillGroups(const Dealer *dealer, PetscMPIInt rank, AbutShare *share)
{
  const PetscInt *marks = dealer->global->groups.marks.a, num_groups = dealer->global->groups.num_names,
                 *order = &dealer->marks.order[dealer->marks.start[rank]];
  PetscInt *start       = share->group_start;

  for (PetscInt g = 0; g <= num_groups; g++) start[g] = 0;
  for (PetscInt k = 0; k < share->num_marks; k++) start[marks[2 * order[k]] + 1]++;
  for (PetscInt g = 0; g < num_groups; g++) start[g + 1] += start[g];
  for (PetscInt k = 0; k < share->num_marks; k++)
    share->group_vertex[start[marks[2 * order[k]]]++] = dealer->local[marks[2 * order[k] + 1]];
  for (PetscInt g = num_groups; g > 0; g--) start[g] = start[g - 1];
  start[0] = 0;
}

static PetscInt SliceStart(PetscInt num, PetscMPIInt size, PetscMPIInt rank)
{
  return num / size * rank + PetscMin(num % size, (PetscInt)rank);
}

static PetscErrorCode BuildShare(Dealer *dealer, PetscMPIInt rank, AbutShare *share)
{
  const AbutGlobalMesh *global = dealer->global;
  const PetscInt        slice  = SliceStart(global->num_vertices, dealer->size, rank);
  AbutInts              ghosts = {0};

  PetscFunctionBegin;
  *share            = (AbutShare){0};
  share->first      = dealer->vertices.start[rank];
  share->num_owned  = DealCount(&dealer->vertices, rank);
  share->num_cells  = DealCount(&dealer->cells, rank);
  share->num_faces  = DealCount(&dealer->faces, rank);
  share->num_edges  = DealCount(&dealer->edges, rank);
  share->num_points = DealCount(&dealer->points, rank);
  share->num_marks  = DealCount(&dealer->marks, rank);
  share->num_slice  = SliceStart(global->num_vertices, dealer->size, rank + 1) - slice;
  for (PetscInt i = 0; i < share->num_owned; i++) dealer->stamp[dealer->id_of[share->first + i]] = rank;
  PetscCall(CollectGhosts(dealer, &dealer->cells, rank, &ghosts));
  PetscCall(CollectGhosts(dealer, &dealer->faces, rank, &ghosts));
  PetscCall(CollectGhosts(dealer, &dealer->edges, rank, &ghosts));
  PetscCall(PetscSortInt(ghosts.n, ghosts.a));
  share->num_local = share->num_owned + ghosts.n;
  PetscCall(ShareAllocate(share, global->dim, global->groups.num_names));
  FillVertices(dealer, ghosts.a, share);
  FillSimplices(dealer, &dealer->cells, rank, share->cell_id, share->cells);
  FillSimplices(dealer, &dealer->faces, rank, share->face_id, share->faces);
  FillSimplices(dealer, &dealer->edges, rank, share->edge_id, share->edges);
  FillSimplices(dealer, &dealer->points, rank, NULL, share->points);
  for (PetscInt c = 0; c < share->num_cells; c++) share->cell_body[c] = global->cell_body[share->cell_id[c]];
  FillGroups(dealer, rank, share);
  for (PetscInt i = 0; i < share->num_slice; i++) share->slice_global[i] = dealer->global_index[slice + i];
  PetscCall(PetscFree(ghosts.a));
  PetscFunctionReturn(0);
}

/* Broadcasts what all ranks have alike: counts, bodies, names of groups. */
static PetscErrorCode Replicate(AbutMesh mesh, const AbutGlobalMesh *global)
{
  PetscInt    head[8] = {0};
  PetscMPIInt bytes;
  AbutBody   *bodies;

  PetscFunctionBegin;
  if (global) {
    const PetscInt counts[8] = {global->dim,       global->num_vertices, global->num_cells,  global->num_faces,
                                global->num_edges, global->num_points,   global->num_bodies, global->groups.num_names};
    PetscCall(PetscArraycpy(head, counts, 8));
    mesh->local.diagonal = global->diagonal;
  }
  PetscCallMPI(MPI_Bcast(head, 8, MPIU_INT, 0, mesh->comm));
  PetscCallMPI(MPI_Bcast(&mesh->local.diagonal, 1, MPIU_REAL, 0, mesh->comm));
  mesh->local.dim           = head[0];
  mesh->local.num_global    = head[1];
  mesh->local.global.cells  = head[2];
  mesh->local.global.faces  = head[3];
  mesh->local.global.edges  = head[4];
  mesh->local.global.points = head[5];
  mesh->local.num_bodies    = head[6];
  mesh->num_groups          = head[7];
  PetscCall(PetscMalloc1(head[6], &bodies));
  mesh->local.bodies = bodies;
  PetscCall(PetscMalloc1(head[7], &mesh->group_names));
  if (global) {
    PetscCall(PetscArraycpy(bodies, global->bodies, head[6]));
    PetscCall(PetscArraycpy(mesh->group_names, global->groups.names, head[7]));
  }
  PetscCall(PetscMPIIntCast((PetscInt)((size_t)head[6] * sizeof(*bodies)), &bytes));
  PetscCallMPI(MPI_Bcast(bodies, bytes, MPI_BYTE, 0, mesh->comm));
  PetscCall(PetscMPIIntCast(head[7] * ABUT_GROUP_NAME, &bytes));
  PetscCallMPI(MPI_Bcast(mesh->group_names, bytes, MPI_CHAR, 0, mesh->comm));
  PetscFunctionReturn(0);
}

/* The public view of the share. */
static void PublishShare(AbutMesh mesh)
{
  const AbutShare *share = &mesh->share;
  AbutMeshLocal   *local = &mesh->local;

  local->num_owned     = share->num_owned;
  local->num_local     = share->num_local;
  local->first         = share->first;
  local->vertex_global = share->vertex_global;
  local->vertex_id     = share->vertex_id;
  local->vertex_body   = share->vertex_body;
  local->rest          = share->rest;
  local->num_cells     = share->num_cells;
  local->cells         = share->cells;
  local->cell_id       = share->cell_id;
  local->cell_body     = share->cell_body;
  local->num_faces     = share->num_faces;
  local->faces         = share->faces;
  local->face_id       = share->face_id;
  local->num_edges     = share->num_edges;
  local->edges         = share->edges;
  local->edge_id       = share->edge_id;
  local->num_points    = share->num_points;
  local->points        = share->points;
}

PetscErrorCode AbutMeshDistribute(AbutMesh mesh, const AbutGlobalMesh *global, const PetscMPIInt owner[])
{
  Dealer      dealer;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &rank));
  PetscCallMPI(MPI_Comm_size(mesh->comm, &size));
  PetscCall(Replicate(mesh, global));
  if (global) {
    PetscCall(DealerCreate(global, size, owner, &dealer));
    for (PetscMPIInt r = 1; r < size; r++) {
      AbutShare share;
      PetscCall(BuildShare(&dealer, r, &share));
      PetscCall(ShareSend(mesh->comm, r, global->dim, global->groups.num_names, &share));
      PetscCall(AbutShareFree(&share));
    }
    PetscCall(BuildShare(&dealer, 0, &mesh->share));
    PetscCall(DealerFree(&dealer));
  } else {
    PetscCall(ShareReceive(mesh->comm, mesh->local.dim, mesh->num_groups, &mesh->share));
  }
  mesh->slice_start = SliceStart(mesh->local.num_global, size, rank);
  mesh->slice_end   = SliceStart(mesh->local.num_global, size, rank + 1);
  PublishShare(mesh);
  PetscFunctionReturn(0);
}
