/*
  Partition of the vertices. Two weights are balanced: number of cells (elasticity) and number of surface entities (contact). Up to
  -mesh_partition_metis vertices, rank 0 gathers the graph and METIS divides it (k-way): two vertices are adjacent if a cell or a primitive
  of an obstacle contains both. Larger meshes are divided by coordinates (bisection.c).
*/
#include "blocks.h"
#include <metis.h>

#define VERTICES_A_PART 8 /* with fewer vertices per part METIS may fail; the vertices are then divided into blocks of ids */

/* Simplices at the vertices of this rank's block. */
typedef struct {
  AbutInts start, vertex; /* ids of the vertices of simplex s are vertex.a[start.a[s] .. start.a[s + 1]) */
  AbutCSR  at;            /* simplices at each vertex of the block, ascending */
} Incidence;

/* Graph in CSR form: on each rank the rows of its block, on rank 0 all rows. */
typedef struct {
  idx_t  num_works;
  idx_t *degree, *column, *weight; /* [n], [sum of degrees], [n * num_works] */
} Graph;

/*
  Sends a simplex to each rank whose block has one of its vertices, and appends the simplices that arrive, in the order of ids. middles:
  more vertices of the same simplices, -1 where there is none.
*/
static PetscErrorCode AppendSimplices(const AbutBlocks *m, const AbutBlockGhosts *ghosts, const AbutSimplices *simplices,
                                      const AbutSimplices *middles, PetscInt first, Incidence *inc)
{
  const PetscInt corners = simplices->width, w = corners + middles->width;
  AbutInts       rows = {0};
  PetscInt       n    = 0, room, *received;
  PetscMPIInt   *to;
  AbutExchange   exchange;

  PetscFunctionBegin;
  room = simplices->n - PetscMax(first - simplices->first, 0);
  PetscCall(PetscMalloc1(PetscMax(room, 0) * w, &to));
  for (PetscInt s = PetscMax(first - simplices->first, 0); s < simplices->n; s++) {
    PetscInt id[10], start = n;

    for (PetscInt i = 0; i < w; i++) {
      const PetscInt v = i < corners ? simplices->vertex[s * corners + i] : middles->vertex[s * middles->width + i - corners];
      id[i]            = v < 0 ? -1 : AbutBlockVertexId(m, ghosts, v);
    }
    for (PetscInt i = 0; i < w && id[i] >= 0; i++) {
      PetscInt k = start;

      to[n] = AbutBlockOwner(m->num_vertices, id[i], m->size);
      while (to[k] != to[n]) k++;
      if (k < n) continue;
      PetscCall(AbutIntsPush(&rows, w, id));
      n++;
    }
  }
  PetscCall(AbutExchangeRecords(m->comm, (size_t)w * sizeof(PetscInt), n, to, rows.a, NULL, &exchange, &received));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(rows.a));
  n = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutIntsGrow(&inc->vertex, n * w));
  PetscCall(AbutIntsGrow(&inc->start, n));
  for (PetscInt s = 0; s < n; s++) {
    const PetscInt used = w > corners && received[s * w + corners] < 0 ? corners : w;

    PetscCall(AbutIntsPush(&inc->vertex, used, &received[s * w]));
    PetscCall(AbutIntsPush(&inc->start, 1, &inc->vertex.n));
  }
  PetscCall(PetscFree(received));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscFunctionReturn(0);
}

/* Id of the first vertex of obstacles. */
static PetscInt FirstObstacleVertex(const AbutBlocks *m)
{
  PetscInt b = 0;

  while (b < m->num_bodies && !m->bodies[b].obstacle) b++;
  return b < m->num_bodies ? m->bodies[b].vertex_start : m->num_vertices;
}

/* Id of the first edge of obstacles in 3D; edges of bodies behind it add nothing to the graph. */
static PetscErrorCode FirstObstacleEdge(const AbutBlocks *m, const AbutBlockGhosts *ghosts, PetscInt *first)
{
  const PetscInt start = FirstObstacleVertex(m);

  PetscFunctionBegin;
  *first = m->total.edges;
  for (PetscInt e = m->edges.n - 1; e >= 0 && AbutBlockVertexId(m, ghosts, m->edges.vertex[2 * e]) >= start; e--)
    *first = m->edges.first + e;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, first, 1, MPIU_INT, MPI_MIN, m->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode IncidenceCreate(const AbutBlocks *m, const AbutBlockGhosts *ghosts, Incidence *inc)
{
  const AbutSimplices none = {0};
  PetscInt           *row, edge, s = 0;

  PetscFunctionBegin;
  *inc = (Incidence){0};
  PetscCall(AbutIntsPush(&inc->start, 1, &inc->vertex.n));
  PetscCall(AppendSimplices(m, ghosts, &m->cells, &m->middles, 0, inc));
  PetscCall(AppendSimplices(m, ghosts, &m->obstacle_sides, &none, 0, inc));
  PetscCall(FirstObstacleEdge(m, ghosts, &edge));
  PetscCall(AppendSimplices(m, ghosts, &m->edges, &none, edge, inc));
  PetscCall(PetscMalloc1(2 * inc->vertex.n, &row));
  for (PetscInt i = 0; i < inc->vertex.n; i++) {
    const PetscInt v = inc->vertex.a[i] - m->first;

    while (i >= inc->start.a[s + 1]) s++;
    row[i]                 = v >= 0 && v < m->n ? v : -1;
    row[inc->vertex.n + i] = s;
  }
  PetscCall(AbutCSRSetPairs(m->n, inc->vertex.n, 1, row, row + inc->vertex.n, &inc->at));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(0);
}

static PetscErrorCode IncidenceFree(Incidence *inc)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(inc->start.a));
  PetscCall(PetscFree(inc->vertex.a));
  PetscCall(AbutCSRDestroy(&inc->at));
  PetscFunctionReturn(0);
}

/* Replaces ids in the incidence by numbers: vertices of the block first, then the ids `other`, ascending. */
static PetscErrorCode NumberVertices(const AbutBlocks *m, Incidence *inc, AbutInts *other)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < inc->vertex.n; i++) {
    const PetscInt v = inc->vertex.a[i] - m->first;
    if (v < 0 || v >= m->n) PetscCall(AbutIntsPush(other, 1, &inc->vertex.a[i]));
  }
  PetscCall(PetscSortRemoveDupsInt(&other->n, other->a));
  for (PetscInt i = 0; i < inc->vertex.n; i++) {
    PetscInt at, v = inc->vertex.a[i] - m->first;

    if (v < 0 || v >= m->n) {
      PetscCall(PetscFindInt(inc->vertex.a[i], other->n, other->a, &at));
      v = m->n + at;
    }
    inc->vertex.a[i] = v;
  }
  PetscFunctionReturn(0);
}

/* Number of neighbours of v; writes them to `list` unless it is NULL. stamp[w] == v: neighbour w is already counted. */
static PetscInt Neighbours(const Incidence *inc, PetscInt v, PetscInt stamp[], idx_t list[])
{
  PetscInt count = 0;

  stamp[v] = v;
  for (PetscInt a = inc->at.start[v]; a < inc->at.start[v + 1]; a++) {
    const PetscInt s = inc->at.item[a];
    for (PetscInt i = inc->start.a[s]; i < inc->start.a[s + 1]; i++) {
      const PetscInt w = inc->vertex.a[i];
      if (stamp[w] == v) continue;
      stamp[w] = v;
      if (list) list[count] = (idx_t)w;
      count++;
    }
  }
  return count;
}

/* Rows of the vertices of the block; columns are ids. */
static PetscErrorCode BuildRows(const AbutBlocks *m, const AbutBlockGhosts *ghosts, PetscInt *total, Graph *graph)
{
  AbutInts  other = {0};
  PetscInt *stamp;
  Incidence inc;

  PetscFunctionBegin;
  PetscCall(IncidenceCreate(m, ghosts, &inc));
  PetscCall(NumberVertices(m, &inc, &other));
  PetscCall(PetscMalloc1(m->n + other.n, &stamp));
  PetscCall(PetscMalloc1(m->n, &graph->degree));
  *total = 0;
  for (PetscInt v = 0; v < m->n + other.n; v++) stamp[v] = -1;
  for (PetscInt v = 0; v < m->n; v++) {
    graph->degree[v] = (idx_t)Neighbours(&inc, v, stamp, NULL);
    *total += (PetscInt)graph->degree[v];
  }
  PetscCall(PetscMalloc1(*total, &graph->column));
  for (PetscInt v = 0; v < m->n + other.n; v++) stamp[v] = -1;
  *total = 0;
  for (PetscInt v = 0; v < m->n; v++) *total += Neighbours(&inc, v, stamp, &graph->column[*total]);
  for (PetscInt i = 0; i < *total; i++) {
    const idx_t w    = graph->column[i];
    graph->column[i] = (idx_t)(w < m->n ? m->first + w : other.a[w - m->n]);
  }
  PetscCall(PetscFree(stamp));
  PetscCall(PetscFree(other.a));
  PetscCall(IncidenceFree(&inc));
  PetscFunctionReturn(0);
}

/* A weight that is zero everywhere is omitted, because METIS divides by the sum of a weight. */
static PetscErrorCode BuildWeights(const AbutBlocks *m, const AbutBlockGhosts *ghosts, Graph *graph)
{
  const PetscInt omitted = m->total.cells ? 0 : 1, n = ABUT_NUM_WORKS - omitted;
  PetscReal     *works;

  PetscFunctionBegin;
  PetscCall(AbutBlockWorks(m, ghosts, &works));
  PetscCall(PetscMalloc1(n * m->n, &graph->weight));
  for (PetscInt i = 0; i < n * m->n; i++) graph->weight[i] = (idx_t)works[i / n * ABUT_NUM_WORKS + omitted + i % n];
  PetscCall(PetscFree(works));
  graph->num_works = (idx_t)n;
  PetscFunctionReturn(0);
}

/* Moves the values of all ranks to rank 0; *values is NULL on other ranks. */
static PetscErrorCode GatherValues(const AbutBlocks *m, PetscInt n, idx_t **values)
{
  const MPI_Datatype type = sizeof(idx_t) == 8 ? MPI_INT64_T : MPI_INT32_T;
  PetscMPIInt       *counts, *starts, count;
  idx_t             *all = NULL;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCall(PetscMalloc2(m->size, &counts, m->size + 1, &starts));
  PetscCallMPI(MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, m->comm));
  starts[0] = 0;
  for (PetscMPIInt r = 0; r < m->size && !m->rank; r++) starts[r + 1] = starts[r] + counts[r];
  if (!m->rank) PetscCall(PetscMalloc1(starts[m->size], &all));
  PetscCallMPI(MPI_Gatherv(*values, count, type, all, counts, starts, type, 0, m->comm));
  PetscCall(PetscFree(*values));
  *values = all;
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(0);
}

static PetscErrorCode GraphFree(Graph *graph)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(graph->degree));
  PetscCall(PetscFree(graph->column));
  PetscCall(PetscFree(graph->weight));
  PetscFunctionReturn(0);
}

/* Gathers the graph on rank 0; an error if METIS or MPI cannot number its connections. */
static PetscErrorCode GatherGraph(const AbutBlocks *m, const AbutBlockGhosts *ghosts, Graph *graph)
{
  const PetscInt64 most = PetscMin((PetscInt64)IDX_MAX, (PetscInt64)PETSC_MPI_INT_MAX);
  PetscInt64       all;
  PetscInt         total = 0;

  PetscFunctionBegin;
  PetscCall(BuildRows(m, ghosts, &total, graph));
  PetscCall(BuildWeights(m, ghosts, graph));
  all = total;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_INT64, MPI_SUM, m->comm));
  AbutCheck(
    all <= most, ABUT_ERR_INPUT,
    "the graph of the mesh has %lld connections, more than METIS can number (%lld); reduce -mesh_partition_metis below its %" PetscInt_FMT
    " vertices",
    (long long)all, (long long)most, m->num_vertices);
  PetscCall(GatherValues(m, m->n, &graph->degree));
  PetscCall(GatherValues(m, total, &graph->column));
  PetscCall(GatherValues(m, graph->num_works * m->n, &graph->weight));
  PetscFunctionReturn(0);
}

/* On rank 0: replaces owner[] of all vertices by the partition of METIS; leaves it unchanged if METIS fails. */
static PetscErrorCode CallMetis(const AbutBlocks *m, const AbutMeshSettings *options, Graph *graph, PetscMPIInt owner[])
{
  idx_t           num = (idx_t)m->num_vertices, parts = m->size, cut = 0, *part, *row, settings[METIS_NOPTIONS];
  real_t          imbalance[ABUT_NUM_WORKS] = {(real_t)options->imbalance, (real_t)options->imbalance};
  int             status;
  AbutTermination termination;

  PetscFunctionBegin;
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_NUMBERING] = 0;
  settings[METIS_OPTION_SEED]      = (idx_t)options->seed;
  PetscCall(PetscMalloc2(num, &part, num + 1, &row));
  row[0] = 0;
  for (idx_t v = 0; v < num; v++) row[v + 1] = row[v] + graph->degree[v];
  AbutTerminationBlock(&termination);
  status = METIS_PartGraphKway(&num, &graph->num_works, row, graph->column, graph->weight, NULL, NULL, &parts, NULL, imbalance, settings,
                               &cut, part);
  AbutTerminationRestore(&termination);
  for (PetscInt v = 0; v < m->num_vertices && status == METIS_OK; v++) owner[v] = (PetscMPIInt)part[v];
  PetscCall(PetscFree2(part, row));
  PetscCall(PetscInfo(NULL, "METIS returned %d for %" PetscInt_FMT " vertices in %d parts and cut %lld connections\n", status,
                      m->num_vertices, m->size, (long long)cut));
  PetscFunctionReturn(0);
}

/* Divides all vertices into blocks of ids of equal size. */
static void PartitionIntoBlocks(const AbutBlocks *m, AbutRange range, PetscMPIInt owner[])
{
  for (PetscInt v = range.begin; v < range.end; v++) owner[v - range.begin] = (PetscMPIInt)((PetscInt64)v * m->size / m->num_vertices);
}

/* Blocks of all ranks, for MPI_Scatterv(). */
static void ListBlocks(const AbutBlocks *m, PetscMPIInt counts[], PetscMPIInt starts[])
{
  for (PetscMPIInt r = 0; r < m->size; r++) {
    starts[r] = (PetscMPIInt)AbutBlockStart(m->num_vertices, r, m->size);
    counts[r] = (PetscMPIInt)AbutBlockStart(m->num_vertices, r + 1, m->size) - starts[r];
  }
}

/* Rank 0 calls METIS and sends each rank the owners of its block. */
static PetscErrorCode PartitionByMetis(const AbutBlocks *m, const AbutBlockGhosts *ghosts, const AbutMeshSettings *options,
                                       PetscMPIInt owner[])
{
  Graph        graph = {0};
  PetscMPIInt *all   = NULL, *counts, *starts, count;

  PetscFunctionBegin;
  PetscCall(GatherGraph(m, ghosts, &graph));
  PetscCall(PetscMalloc2(m->size, &counts, m->size, &starts));
  ListBlocks(m, counts, starts);
  if (!m->rank) {
    PetscCall(PetscMalloc1(m->num_vertices, &all));
    PartitionIntoBlocks(m, (AbutRange){0, m->num_vertices}, all);
    PetscCall(CallMetis(m, options, &graph, all));
  }
  PetscCall(GraphFree(&graph));
  PetscCall(PetscMPIIntCast(m->n, &count));
  PetscCallMPI(MPI_Scatterv(all, counts, starts, MPI_INT, owner, count, MPI_INT, 0, m->comm));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree2(counts, starts));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPartition(const AbutBlocks *m, const AbutBlockGhosts *ghosts, const AbutMeshSettings *options, PetscMPIInt owner[])
{
  PetscFunctionBegin;
  if (m->size == 1 || m->num_vertices / VERTICES_A_PART < m->size)
    PartitionIntoBlocks(m, (AbutRange){m->first, m->first + m->n}, owner);
  else if (m->num_vertices <= options->metis_most)
    PetscCall(PartitionByMetis(m, ghosts, options, owner));
  else
    PetscCall(AbutPartitionByCoordinates(m, ghosts, owner));
  PetscFunctionReturn(0);
}
