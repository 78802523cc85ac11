/*
  Distribution of the mesh from blocks of the input to the owners. The partition defines the owner of each vertex. A cell, face or edge
  belongs to the rank that owns most of its vertices (a cell: of its corners); on ties, to the one of these ranks that owns the vertex of
  lowest id. Ghosts of a rank are the vertices of its cells, faces and edges that other ranks own. Global indices are contiguous on each
  rank and ordered by id; ghosts are ordered by global index.
*/
#include "blocks.h"

#define NUM_ARRAYS 14 /* number of integer arrays of AbutMeshPart */

/* The sending side: vertices of the block, then ghosts of the block. */
typedef struct {
  AbutBlocks            *blocks;
  const AbutBlockGhosts *ghosts;
  PetscMPIInt           *owner;        /* [n + number of ghosts] */
  PetscInt              *global_index; /* [n + number of ghosts] */
} Sender;

/* Vertex on its way to its owner. */
typedef struct {
  PetscInt  id, on_surface;
  PetscReal x[3];
} VertexRecord;

/* Simplices that arrived: id, then global indices of `width` vertices. */
typedef struct {
  PetscInt n, width, *row;
} Rows;

/* What arrives at a rank. */
typedef struct {
  VertexRecord *vertex; /* [num_owned] in the order of ids */
  Rows          cells, middles, regions, faces, edges;
  PetscInt     *mark;     /* [2 * num_marks] pairs of a group and the local index of an owned vertex, ascending */
  AbutInts      vertices; /* global indices of ghosts, ascending */
} Arrivals;

/* Sets the integer arrays of a part to consecutive pieces of part->integers; returns their common length. */
static PetscInt SetArrays(AbutMeshPart *part, PetscInt dim, PetscInt num_groups)
{
  PetscInt      *base = part->integers, n = 0;
  PetscInt     **arrays[NUM_ARRAYS]  = {&part->vertex_global, &part->vertex_id,   &part->vertex_body,  &part->cells,  &part->cell_id,
                                        &part->cell_body,     &part->faces,       &part->face_id,      &part->edges,  &part->edge_id,
                                        &part->points,        &part->group_start, &part->group_vertex, &part->middles};
  const PetscInt lengths[NUM_ARRAYS] = {part->num_local,     part->num_local,  part->num_local,     part->num_cells * (dim + 1),
                                        part->num_cells,     part->num_cells,  part->num_faces * 3, part->num_faces,
                                        part->num_edges * 2, part->num_edges,  part->num_points,    num_groups + 1,
                                        part->num_marks,     part->num_middles};

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

/* Data that all ranks hold: counts, bodies, names of groups. */
static void Replicate(AbutMesh mesh, AbutBlocks *m)
{
  AbutMeshLocal *local = &mesh->local;

  local->dim             = m->dim;
  local->num_global      = m->num_vertices;
  local->global          = m->total;
  local->num_bodies      = m->num_bodies;
  local->bodies          = m->bodies;
  local->global.diagonal = m->diagonal;
  mesh->num_groups       = m->groups.num_names;
  mesh->quadratic        = (PetscBool)(m->middles.width > 0);
  mesh->group_names      = m->groups.names;
  m->bodies              = NULL;
  m->groups.names        = NULL;
  m->groups.num_names    = 0;
}

/* Rank that receives a simplex of n vertices v; see the rule at the start of this file. */
static PetscMPIInt HolderOf(const Sender *s, PetscInt n, const PetscInt v[])
{
  PetscInt best = -1, best_votes = 0, best_id = 0;

  for (PetscInt i = 0; i < n; i++) {
    PetscInt votes = 0, lowest = AbutBlockVertexId(s->blocks, s->ghosts, v[i]);
    for (PetscInt j = 0; j < n; j++) {
      if (s->owner[v[j]] != s->owner[v[i]]) continue;
      votes++;
      lowest = PetscMin(lowest, AbutBlockVertexId(s->blocks, s->ghosts, v[j]));
    }
    if (votes > best_votes || (votes == best_votes && lowest < best_id)) {
      best       = i;
      best_votes = votes;
      best_id    = lowest;
    }
  }
  return s->owner[v[best]];
}

/* Returns the global indices of the vertices that arrived to the ranks that sent them, and to the ghosts of these. */
static PetscErrorCode ReturnIndices(Sender *s, const AbutExchange *exchange, const AbutMeshPart *part)
{
  const PetscInt n = s->blocks->n;
  PetscInt      *arrived, *answers, *to;
  AbutCSR        sent = {0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(part->num_owned, &arrived, n, &answers, n, &to));
  for (PetscInt v = 0; v < part->num_owned; v++) arrived[v] = part->first + v;
  for (PetscInt v = 0; v < n; v++) to[v] = s->owner[v];
  PetscCall(AbutExchangeReverse(exchange, sizeof(PetscInt), arrived, answers));
  PetscCall(AbutCSRSetPairs(s->blocks->size, n, 1, to, NULL, &sent)); /* records were sent in this order */
  for (PetscInt i = 0; i < n; i++) s->global_index[sent.item[i]] = answers[i];
  PetscCall(AbutCSRDestroy(&sent));
  PetscCall(PetscFree3(arrived, answers, to));
  PetscCall(AbutSFBcastRows(s->ghosts->sf, MPIU_INT, 1, s->global_index, s->global_index + n));
  PetscFunctionReturn(0);
}

/* Moves the vertices of the block into records. */
static PetscErrorCode PackVertices(AbutBlocks *m, VertexRecord **records)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->n, records));
  for (PetscInt v = 0; v < m->n; v++)
    (*records)[v] = (VertexRecord){m->first + v, m->on_surface[v] ? 1 : 0, {m->x[3 * v], m->x[3 * v + 1], m->x[3 * v + 2]}};
  PetscCall(PetscFree(m->x));
  PetscCall(PetscFree(m->on_surface));
  PetscFunctionReturn(0);
}

/* Sends the vertices to their owners, which number them. */
static PetscErrorCode SendVertices(Sender *s, AbutMeshPart *part, VertexRecord **received)
{
  AbutBlocks   *m = s->blocks;
  VertexRecord *records;
  AbutExchange  exchange;
  PetscInt      end;

  PetscFunctionBegin;
  PetscCall(PackVertices(m, &records));
  PetscCall(AbutExchangeRecords(m->comm, sizeof(VertexRecord), m->n, s->owner, records, NULL, &exchange, received));
  PetscCall(PetscFree(records));
  part->num_owned = end = exchange.recv_start[exchange.num_recv];
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, &end, 1, MPIU_INT, MPI_SUM, m->comm));
  part->first = end - part->num_owned;
  for (PetscInt v = 0; v < part->num_owned; v++) part->num_points += (*received)[v].on_surface;
  PetscCall(ReturnIndices(s, &exchange, part));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscFunctionReturn(0);
}

/* Appends rows and frees them. */
static PetscErrorCode AppendRows(PetscInt n, PetscInt *row, Rows *rows)
{
  const PetscInt w = rows->width + 1;

  PetscFunctionBegin;
  PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)((rows->n + n) * w), &rows->row));
  PetscCall(PetscArraycpy(&rows->row[rows->n * w], row, n * w));
  rows->n += n;
  PetscCall(PetscFree(row));
  PetscFunctionReturn(0);
}

/*
  Sends the vertices of simplices, or other numbers (`plain`), to the ranks that hold the simplices, and frees them; received rows are in
  the order of ids. corners: vertices of the same simplices that decide on the rank.
*/
static PetscErrorCode SendRowsOf(const Sender *s, AbutSimplices *simplices, const AbutSimplices *corners, PetscBool plain, Rows *rows)
{
  const PetscInt w = simplices->width;
  PetscMPIInt   *to;
  PetscInt      *records, *received;
  AbutExchange   exchange;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(simplices->n, &to));
  PetscCall(PetscMalloc1(simplices->n * (w + 1), &records));
  for (PetscInt i = 0; i < simplices->n; i++) {
    const PetscInt *v = &simplices->vertex[i * w];

    to[i]                = HolderOf(s, corners->width, &corners->vertex[i * corners->width]);
    records[i * (w + 1)] = simplices->first + i;
    for (PetscInt k = 0; k < w; k++) records[i * (w + 1) + 1 + k] = plain || v[k] < 0 ? v[k] : s->global_index[v[k]];
  }
  PetscCall(PetscFree(simplices->vertex));
  PetscCall(
    AbutExchangeRecords(s->blocks->comm, (size_t)(w + 1) * sizeof(PetscInt), simplices->n, to, records, NULL, &exchange, &received));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(records));
  rows->width = w;
  PetscCall(AppendRows(exchange.recv_start[exchange.num_recv], received, rows));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscFunctionReturn(0);
}

static PetscErrorCode SendSimplices(const Sender *s, AbutSimplices *simplices, Rows *rows)
{
  return SendRowsOf(s, simplices, simplices, PETSC_FALSE, rows);
}

/* Sends pairs of integers; returns how many arrive. */
static PetscErrorCode SendPairs(MPI_Comm comm, PetscInt n, const PetscMPIInt to[], const PetscInt pairs[], PetscInt *num,
                                PetscInt **received)
{
  AbutExchange exchange;

  PetscFunctionBegin;
  PetscCall(AbutExchangeRecords(comm, 2 * sizeof(PetscInt), n, to, pairs, NULL, &exchange, received));
  *num = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscFunctionReturn(0);
}

/* Sends each mark of rank 0 to the block of its vertex, and from there to the owner. */
static PetscErrorCode SendMarks(const Sender *s, AbutMeshPart *part, PetscInt **marks)
{
  const AbutBlocks *m = s->blocks;
  PetscInt          n = m->groups.marks.n / 2, *middle;
  PetscMPIInt      *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = AbutBlockOwner(m->num_vertices, m->groups.marks.a[2 * i + 1], m->size);
  PetscCall(SendPairs(m->comm, n, to, m->groups.marks.a, &n, &middle));
  PetscCall(PetscFree(to));
  PetscCall(PetscMalloc1(n, &to));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt v  = middle[2 * i + 1] - m->first;
    to[i]             = s->owner[v];
    middle[2 * i + 1] = s->global_index[v];
  }
  PetscCall(SendPairs(m->comm, n, to, middle, &part->num_marks, marks));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(middle));
  for (PetscInt i = 0; i < part->num_marks; i++) (*marks)[2 * i + 1] -= part->first;
  PetscCall(AbutUniqueTuples(&part->num_marks, 2, PetscMax(part->num_owned, m->groups.num_names), *marks));
  PetscFunctionReturn(0);
}

static PetscErrorCode SendAll(Sender *s, AbutMeshPart *part, Arrivals *in)
{
  AbutBlocks *m = s->blocks;

  PetscFunctionBegin;
  PetscCall(SendVertices(s, part, &in->vertex));
  if (m->middles.width) PetscCall(SendRowsOf(s, &m->middles, &m->cells, PETSC_FALSE, &in->middles));
  if (m->regions.width) PetscCall(SendRowsOf(s, &m->regions, &m->cells, PETSC_TRUE, &in->regions));
  PetscCall(SendSimplices(s, &m->cells, &in->cells));
  PetscCall(SendSimplices(s, &m->sides, m->dim == 3 ? &in->faces : &in->edges));
  PetscCall(SendSimplices(s, &m->obstacle_sides, m->dim == 3 ? &in->faces : &in->edges));
  if (m->dim == 3) PetscCall(SendSimplices(s, &m->edges, &in->edges));
  PetscCall(SendMarks(s, part, &in->mark));
  part->num_cells   = in->cells.n;
  part->num_middles = in->middles.n * in->middles.width;
  part->num_faces   = in->faces.n;
  part->num_edges   = in->edges.n;
  PetscFunctionReturn(0);
}

/* Adds the ghosts of simplices. */
static PetscErrorCode CollectGhosts(const AbutMeshPart *part, const Rows *rows, AbutInts *ghosts)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->n * (rows->width + 1); i++) {
    const PetscInt v = rows->row[i] - part->first;
    if (i % (rows->width + 1) && rows->row[i] >= 0 && (v < 0 || v >= part->num_owned)) PetscCall(AbutIntsPush(ghosts, 1, &rows->row[i]));
  }
  PetscCall(PetscSortRemoveDupsInt(&ghosts->n, ghosts->a));
  PetscFunctionReturn(0);
}

/* Writes ids (or not, if ids is NULL) and local vertices of simplices, and frees the rows. */
static PetscErrorCode FillSimplices(const AbutMeshPart *part, const AbutInts *ghosts, Rows *rows, PetscInt ids[], PetscInt simplices[])
{
  const PetscInt w = rows->width;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < rows->n; i++) {
    const PetscInt *row = &rows->row[i * (w + 1)];

    if (ids) ids[i] = row[0];
    for (PetscInt k = 0; k < w; k++) {
      PetscInt v = row[1 + k] - part->first, at;

      if (row[1 + k] < 0) {
        v = -1;
      } else if (v < 0 || v >= part->num_owned) {
        PetscCall(PetscFindInt(row[1 + k], ghosts->n, ghosts->a, &at));
        v = part->num_owned + at;
      }
      simplices[i * w + k] = v;
    }
  }
  PetscCall(PetscFree(rows->row));
  PetscFunctionReturn(0);
}

static void FillVertices(PetscInt dim, const Arrivals *in, AbutMeshPart *part)
{
  for (PetscInt v = 0, at = 0; v < part->num_owned; v++) {
    part->vertex_id[v] = in->vertex[v].id;
    for (PetscInt d = 0; d < dim; d++) part->rest[v * dim + d] = in->vertex[v].x[d];
    if (in->vertex[v].on_surface) part->points[at++] = v;
  }
  for (PetscInt i = 0; i < part->num_local; i++)
    part->vertex_global[i] = i < part->num_owned ? part->first + i : in->vertices.a[i - part->num_owned];
}

/* Moves the regions of cells from the rows, if any body has regions. */
static PetscErrorCode FillRegions(Rows *rows, AbutMesh mesh)
{
  PetscFunctionBegin;
  if (!rows->width) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(rows->n + 1, &mesh->region)); /* not NULL on a rank without cells */
  for (PetscInt i = 0; i < rows->n; i++) mesh->region[i] = rows->row[2 * i + 1];
  PetscCall(PetscFree(rows->row));
  PetscFunctionReturn(0);
}

static void FillGroups(PetscInt num_groups, const PetscInt marks[], AbutMeshPart *part)
{
  for (PetscInt g = 0; g <= num_groups; g++) part->group_start[g] = 0;
  for (PetscInt i = 0; i < part->num_marks; i++) {
    part->group_start[marks[2 * i] + 1]++;
    part->group_vertex[i] = marks[2 * i + 1];
  }
  for (PetscInt g = 0; g < num_groups; g++) part->group_start[g + 1] += part->group_start[g];
}

/* Builds the part of this rank, except ids, bodies and positions of ghosts. */
static PetscErrorCode BuildPart(PetscInt dim, PetscInt num_groups, Arrivals *in, AbutMeshPart *part)
{
  PetscFunctionBegin;
  PetscCall(CollectGhosts(part, &in->cells, &in->vertices));
  PetscCall(CollectGhosts(part, &in->middles, &in->vertices));
  PetscCall(CollectGhosts(part, &in->faces, &in->vertices));
  PetscCall(CollectGhosts(part, &in->edges, &in->vertices));
  part->num_local = part->num_owned + in->vertices.n;
  PetscCall(PartAllocate(part, dim, num_groups));
  FillVertices(dim, in, part);
  PetscCall(PetscFree(in->vertex));
  PetscCall(FillSimplices(part, &in->vertices, &in->cells, part->cell_id, part->cells));
  PetscCall(FillSimplices(part, &in->vertices, &in->middles, NULL, part->middles));
  PetscCall(FillSimplices(part, &in->vertices, &in->faces, part->face_id, part->faces));
  PetscCall(FillSimplices(part, &in->vertices, &in->edges, part->edge_id, part->edges));
  FillGroups(num_groups, in->mark, part);
  PetscCall(PetscFree(in->mark));
  PetscCall(PetscFree(in->vertices.a));
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
  local->middles       = mesh->quadratic ? part->middles : NULL;
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

/* Ids and positions of ghosts, from their owners; bodies of all vertices and cells. */
static PetscErrorCode CompleteGhosts(AbutMesh mesh)
{
  const AbutMeshLocal *local = &mesh->local;
  AbutMeshPart        *part  = &mesh->part;

  PetscFunctionBegin;
  PetscCall(AbutSFBcastRows(mesh->halo, MPIU_INT, 1, part->vertex_id, part->vertex_id + part->num_owned));
  PetscCall(AbutSFBcastRows(mesh->halo, MPIU_REAL, local->dim, part->rest, part->rest + local->dim * part->num_owned));
  for (PetscInt v = 0; v < part->num_local; v++)
    part->vertex_body[v] = AbutBodyOf(local->num_bodies, local->bodies, PETSC_FALSE, part->vertex_id[v]);
  for (PetscInt c = 0; c < part->num_cells; c++)
    part->cell_body[c] = AbutBodyOf(local->num_bodies, local->bodies, PETSC_TRUE, part->cell_id[c]);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshDistribute(AbutMesh mesh, AbutBlocks *m, const AbutBlockGhosts *ghosts, const PetscMPIInt owner[])
{
  const PetscInt num_groups = m->groups.num_names, n = m->n + ghosts->n;
  Sender         sender = {.blocks = m, .ghosts = ghosts};
  Arrivals       in     = {0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &sender.owner, n, &sender.global_index));
  PetscCall(PetscArraycpy(sender.owner, owner, m->n));
  PetscCall(AbutSFBcastRows(ghosts->sf, MPI_INT, 1, sender.owner, sender.owner + m->n));
  PetscCall(SendAll(&sender, &mesh->part, &in));
  PetscCall(PetscFree2(sender.owner, sender.global_index));
  Replicate(mesh, m);
  PetscCall(BuildPart(m->dim, num_groups, &in, &mesh->part));
  PetscCall(FillRegions(&in.regions, mesh));
  SetLocal(mesh);
  PetscCall(AbutMeshSetUpHalo(mesh));
  PetscCall(CompleteGhosts(mesh));
  PetscFunctionReturn(0);
}
