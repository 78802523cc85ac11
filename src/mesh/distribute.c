/*
  Distribution of the mesh by rank 0. The partition defines the owner of each vertex. A cell, face or edge belongs to the rank that owns
  most of its vertices; on ties, to the one of these ranks that owns the vertex of lowest id. Ghosts of a rank: the vertices of its cells,
  faces and edges that other ranks own. Global indices are contiguous on each rank and ordered by id; ghosts are ordered by global index.
*/
#include "meshimpl.h"

#define NUM_COUNTS 8  /* number of PetscInt counts at the start of AbutMeshPart */
#define NUM_ARRAYS 13 /* number of integer arrays of AbutMeshPart */

/* Simplices of one kind, sorted by the rank that receives them. */
typedef struct {
  PetscInt        num, n; /* number of simplices, vertices per simplex */
  const PetscInt *vertices;
  PetscInt       *start; /* [size + 1] offsets into order */
  PetscInt       *order; /* [num] ids grouped by rank, ascending within a rank */
} Distribution;

/* Work arrays of rank 0, which builds and sends one part after another. */
typedef struct {
  const AbutGlobalMesh *global;
  const PetscMPIInt    *owner;
  PetscMPIInt           size;
  Distribution          vertices, cells, faces, edges, points, marks;
  PetscInt             *global_index; /* [num_vertices] */
  PetscInt             *id_of;        /* [num_vertices] id of the vertex with a global index */
  PetscInt             *local;        /* [num_vertices] local index on the rank whose part is being built */
  PetscMPIInt          *stamp;        /* [num_vertices] last processed rank that has the vertex, owned or ghost */
} Plan;

/* Sets the integer arrays of a part to consecutive pieces of part->integers; returns their common length. */
static PetscInt SetArrays(AbutMeshPart *part, PetscInt dim, PetscInt num_groups)
{
  PetscInt      *base = part->integers, n = 0;
  PetscInt     **arrays[NUM_ARRAYS]  = {&part->vertex_global, &part->vertex_id,   &part->vertex_body, &part->cells, &part->cell_id,
                                        &part->cell_body,     &part->faces,       &part->face_id,     &part->edges, &part->edge_id,
                                        &part->points,        &part->group_start, &part->group_vertex};
  const PetscInt lengths[NUM_ARRAYS] = {part->num_local,     part->num_local, part->num_local,     part->num_cells * (dim + 1),
                                        part->num_cells,     part->num_cells, part->num_faces * 3, part->num_faces,
                                        part->num_edges * 2, part->num_edges, part->num_points,    num_groups + 1,
                                        part->num_marks};

  for (PetscInt i = 0; i < NUM_ARRAYS; n += lengths[i++]) *arrays[i] = base ? base + n : NULL;
  return n;
}

static PetscErrorCode PartAllocate(AbutMeshPart *part, PetscInt dim, PetscInt num_groups)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(part->num_local * dim, &part->rest, SetArrays(part, dim, num_groups), &part->integers));
  (void)SetArrays(part, dim, num_groups);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshPartFree(AbutMeshPart *part)
{
  return PetscFree2(part->rest, part->integers);
}

/* Sends a part from rank 0 to `rank`: counts, integers, positions. */
static PetscErrorCode PartSend(MPI_Comm comm, PetscMPIInt rank, PetscInt dim, PetscInt num_groups, AbutMeshPart *part)
{
  PetscMPIInt num_integers, num_reals;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(SetArrays(part, dim, num_groups), &num_integers));
  PetscCall(PetscMPIIntCast(part->num_local * dim, &num_reals));
  PetscCallMPI(MPI_Send(&part->num_owned, NUM_COUNTS, MPIU_INT, rank, 0, comm));
  PetscCallMPI(MPI_Send(part->integers, num_integers, MPIU_INT, rank, 1, comm));
  PetscCallMPI(MPI_Send(part->rest, num_reals, MPIU_REAL, rank, 2, comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode PartReceive(MPI_Comm comm, PetscInt dim, PetscInt num_groups, AbutMeshPart *part)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Recv(&part->num_owned, NUM_COUNTS, MPIU_INT, 0, 0, comm, MPI_STATUS_IGNORE));
  PetscCall(PartAllocate(part, dim, num_groups));
  PetscCallMPI(MPI_Recv(part->integers, (PetscMPIInt)SetArrays(part, dim, num_groups), MPIU_INT, 0, 1, comm, MPI_STATUS_IGNORE));
  PetscCallMPI(MPI_Recv(part->rest, (PetscMPIInt)(part->num_local * dim), MPIU_REAL, 0, 2, comm, MPI_STATUS_IGNORE));
  PetscFunctionReturn(0);
}

/* Rank that receives a simplex of n vertices v; see the rule at the start of this file. */
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

/* Sorts simplices by the rank that receives them. Simplex i has the vertices [i * stride, i * stride + n). */
static PetscErrorCode DistributionCreate(PetscInt num, PetscInt n, PetscInt stride, const PetscInt vertices[], PetscMPIInt size,
                                         const PetscMPIInt owner[], Distribution *entities)
{
  PetscInt *holder;
  AbutCSR   csr = {0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num, &holder));
  for (PetscInt i = 0; i < num; i++) holder[i] = HolderOf(n, &vertices[i * stride], owner);
  PetscCall(AbutCSRSetPairs(size, num, 1, holder, NULL, &csr));
  *entities = (Distribution){.num = num, .n = n, .vertices = vertices, .start = csr.start, .order = csr.item};
  PetscCall(PetscFree(holder));
  PetscFunctionReturn(0);
}

static inline PetscInt CountOn(const Distribution *entities, PetscMPIInt rank)
{
  return entities->start[rank + 1] - entities->start[rank];
}

static PetscErrorCode PlanCreate(const AbutGlobalMesh *global, PetscMPIInt size, const PetscMPIInt owner[], Plan *plan)
{
  const PetscInt num = global->num_vertices;
  PetscInt      *identity;

  PetscFunctionBegin;
  *plan = (Plan){.global = global, .owner = owner, .size = size};
  PetscCall(PetscMalloc4(num, &identity, num, &plan->global_index, num, &plan->local, num, &plan->stamp));
  for (PetscInt v = 0; v < num; v++) {
    identity[v]    = v;
    plan->stamp[v] = -1;
  }
  PetscCall(DistributionCreate(num, 1, 1, identity, size, owner, &plan->vertices));
  PetscCall(DistributionCreate(global->num_cells, global->dim + 1, global->dim + 1, global->cells, size, owner, &plan->cells));
  PetscCall(DistributionCreate(global->num_faces, 3, 3, global->faces, size, owner, &plan->faces));
  PetscCall(DistributionCreate(global->num_edges, 2, 2, global->edges, size, owner, &plan->edges));
  PetscCall(DistributionCreate(global->num_points, 1, 1, global->points, size, owner, &plan->points));
  PetscCall(DistributionCreate(global->groups.marks.n / 2, 1, 2, global->groups.marks.a ? global->groups.marks.a + 1 : NULL, size, owner,
                               &plan->marks));
  plan->vertices.vertices = identity;
  plan->id_of             = plan->vertices.order;
  for (PetscInt g = 0; g < num; g++) plan->global_index[plan->id_of[g]] = g;
  PetscFunctionReturn(0);
}

static PetscErrorCode PlanFree(Plan *plan)
{
  Distribution *kinds[6] = {&plan->vertices, &plan->cells, &plan->faces, &plan->edges, &plan->points, &plan->marks};

  PetscFunctionBegin;
  {
    PetscInt *identity = (PetscInt *)plan->vertices.vertices;
    PetscCall(PetscFree4(identity, plan->global_index, plan->local, plan->stamp));
  }
  for (PetscInt i = 0; i < 6; i++) {
    PetscCall(PetscFree(kinds[i]->start));
    PetscCall(PetscFree(kinds[i]->order));
  }
  PetscFunctionReturn(0);
}

/* Appends new ghosts: global indices of vertices of a rank's simplices that the rank does not own and `ghosts` does not contain. */
static PetscErrorCode CollectGhosts(Plan *plan, const Distribution *entities, PetscMPIInt rank, AbutInts *ghosts)
{
  PetscFunctionBegin;
  for (PetscInt k = entities->start[rank]; k < entities->start[rank + 1]; k++) {
    for (PetscInt i = 0; i < entities->n; i++) {
      const PetscInt v = entities->vertices[entities->order[k] * entities->n + i];
      if (plan->stamp[v] == rank) continue;
      plan->stamp[v] = rank;
      PetscCall(AbutIntsPush(ghosts, 1, &plan->global_index[v]));
    }
  }
  PetscFunctionReturn(0);
}

/* Writes the ids and local vertex indices of a rank's simplices. */
static void FillSimplices(const Plan *plan, const Distribution *entities, PetscMPIInt rank, PetscInt ids[], PetscInt simplices[])
{
  for (PetscInt k = entities->start[rank], at = 0; k < entities->start[rank + 1]; k++) {
    const PetscInt id = entities->order[k];
    if (ids) ids[k - entities->start[rank]] = id;
    for (PetscInt i = 0; i < entities->n; i++) simplices[at++] = plan->local[entities->vertices[id * entities->n + i]];
  }
}

static void FillVertices(Plan *plan, const PetscInt ghosts[], AbutMeshPart *part)
{
  const AbutGlobalMesh *global = plan->global;

  for (PetscInt i = 0; i < part->num_local; i++) {
    const PetscInt g = i < part->num_owned ? part->first + i : ghosts[i - part->num_owned], v = plan->id_of[g];

    part->vertex_global[i] = g;
    part->vertex_id[i]     = v;
    part->vertex_body[i]   = global->vertex_body[v];
    plan->local[v]         = i;
    for (PetscInt d = 0; d < global->dim; d++) part->rest[i * global->dim + d] = global->x[v * global->dim + d];
  }
}

/* Sorts the owned vertices of a rank by group. */
static void FillGroups(const Plan *plan, PetscMPIInt rank, AbutMeshPart *part)
{
  const PetscInt *marks = plan->global->groups.marks.a, num_groups = plan->global->groups.num_names,
                 *order = &plan->marks.order[plan->marks.start[rank]];
  PetscInt *start       = part->group_start;

  for (PetscInt g = 0; g <= num_groups; g++) start[g] = 0;
  for (PetscInt k = 0; k < part->num_marks; k++) start[marks[2 * order[k]] + 1]++;
  for (PetscInt g = 0; g < num_groups; g++) start[g + 1] += start[g];
  for (PetscInt k = 0; k < part->num_marks; k++) part->group_vertex[start[marks[2 * order[k]]]++] = plan->local[marks[2 * order[k] + 1]];
  for (PetscInt g = num_groups; g > 0; g--) start[g] = start[g - 1];
  start[0] = 0;
}

static PetscErrorCode BuildPart(Plan *plan, PetscMPIInt rank, AbutMeshPart *part)
{
  const AbutGlobalMesh *global = plan->global;
  AbutInts              ghosts = {0};

  PetscFunctionBegin;
  *part            = (AbutMeshPart){0};
  part->first      = plan->vertices.start[rank];
  part->num_owned  = CountOn(&plan->vertices, rank);
  part->num_cells  = CountOn(&plan->cells, rank);
  part->num_faces  = CountOn(&plan->faces, rank);
  part->num_edges  = CountOn(&plan->edges, rank);
  part->num_points = CountOn(&plan->points, rank);
  part->num_marks  = CountOn(&plan->marks, rank);
  for (PetscInt i = 0; i < part->num_owned; i++) plan->stamp[plan->id_of[part->first + i]] = rank;
  PetscCall(CollectGhosts(plan, &plan->cells, rank, &ghosts));
  PetscCall(CollectGhosts(plan, &plan->faces, rank, &ghosts));
  PetscCall(CollectGhosts(plan, &plan->edges, rank, &ghosts));
  PetscCall(PetscSortInt(ghosts.n, ghosts.a));
  part->num_local = part->num_owned + ghosts.n;
  PetscCall(PartAllocate(part, global->dim, global->groups.num_names));
  FillVertices(plan, ghosts.a, part);
  FillSimplices(plan, &plan->cells, rank, part->cell_id, part->cells);
  FillSimplices(plan, &plan->faces, rank, part->face_id, part->faces);
  FillSimplices(plan, &plan->edges, rank, part->edge_id, part->edges);
  FillSimplices(plan, &plan->points, rank, NULL, part->points);
  for (PetscInt c = 0; c < part->num_cells; c++) part->cell_body[c] = global->cell_body[part->cell_id[c]];
  FillGroups(plan, rank, part);
  PetscCall(PetscFree(ghosts.a));
  PetscFunctionReturn(0);
}

/* Broadcasts the data that all ranks hold: counts, bodies, names of groups. */
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

/* Sets the pointers of AbutMeshLocal to the arrays of this rank's part. */
static void SetLocal(AbutMesh mesh)
{
  const AbutMeshPart *part  = &mesh->part;
  AbutMeshLocal      *local = &mesh->local;

  local->num_owned     = part->num_owned;
  local->num_local     = part->num_local;
  local->first         = part->first;
  local->vertex_global = part->vertex_global;
  local->vertex_id     = part->vertex_id;
  local->vertex_body   = part->vertex_body;
  local->rest          = part->rest;
  local->num_cells     = part->num_cells;
  local->cells         = part->cells;
  local->cell_id       = part->cell_id;
  local->cell_body     = part->cell_body;
  local->num_faces     = part->num_faces;
  local->faces         = part->faces;
  local->face_id       = part->face_id;
  local->num_edges     = part->num_edges;
  local->edges         = part->edges;
  local->edge_id       = part->edge_id;
  local->num_points    = part->num_points;
  local->points        = part->points;
}

PetscErrorCode AbutMeshDistribute(AbutMesh mesh, const AbutGlobalMesh *global, const PetscMPIInt owner[])
{
  const PetscMPIInt size = mesh->size;
  Plan              plan;

  PetscFunctionBegin;
  PetscCall(Replicate(mesh, global));
  if (global) {
    PetscCall(PlanCreate(global, size, owner, &plan));
    for (PetscMPIInt r = 1; r < size; r++) {
      AbutMeshPart part;
      PetscCall(BuildPart(&plan, r, &part));
      PetscCall(PartSend(mesh->comm, r, global->dim, global->groups.num_names, &part));
      PetscCall(AbutMeshPartFree(&part));
    }
    PetscCall(BuildPart(&plan, 0, &mesh->part));
    PetscCall(PlanFree(&plan));
  } else {
    PetscCall(PartReceive(mesh->comm, mesh->local.dim, mesh->num_groups, &mesh->part));
  }
  SetLocal(mesh);
  PetscFunctionReturn(0);
}
