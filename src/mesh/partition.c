/*
  Partition of the vertices by METIS (k-way). Two vertices are adjacent if a cell or a primitive of an obstacle contains both. Two weights
  are balanced: number of cells (elasticity) and number of surface entities (contact).
*/
#include "meshimpl.h"
#include <metis.h>

#define VERTICES_A_PART 8 /* with fewer vertices per part METIS may fail; the vertices are then divided into blocks of ids */

/* One list of all cells and obstacle primitives, and the list of simplices at each vertex. */
typedef struct {
  PetscInt  num_vertices, num;
  PetscInt *start, *vertex;       /* [num + 1]; vertices of simplex s are vertex[start[s] .. start[s + 1]) */
  PetscInt *at_start, *at_vertex; /* simplices at vertex v are at_vertex[at_start[v] .. at_start[v + 1]) */
} Incidence;

static PetscInt AppendSimplices(PetscInt num, PetscInt n, const PetscInt simplices[], const AbutGlobalMesh *global,
                                PetscBool obstacles_only, Incidence *inc)
{
  PetscInt at = inc->start ? inc->start[inc->num] : 0, count = 0;

  for (PetscInt s = 0; s < num; s++) {
    if (obstacles_only && !global->bodies[global->vertex_body[simplices[s * n]]].obstacle) continue;
    count++;
    if (!inc->start) continue;
    for (PetscInt i = 0; i < n; i++) inc->vertex[at++] = simplices[s * n + i];
    inc->start[++inc->num] = at;
  }
  return count;
}

/* Counts the simplices (count[0]) and their vertices (count[1]); fills the arrays if they are allocated. */
static void AppendAll(const AbutGlobalMesh *global, Incidence *inc, PetscInt count[2])
{
  const PetscInt n = global->dim + 1, cells = AppendSimplices(global->num_cells, n, global->cells, global, PETSC_FALSE, inc);
  const PetscInt faces = AppendSimplices(global->num_faces, 3, global->faces, global, PETSC_TRUE, inc),
                 edges = AppendSimplices(global->num_edges, 2, global->edges, global, PETSC_TRUE, inc);

  count[0] = cells + faces + edges;
  count[1] = n * cells + 3 * faces + 2 * edges;
}

static PetscErrorCode IncidenceCreate(const AbutGlobalMesh *global, Incidence *inc)
{
  PetscInt count[2];

  PetscFunctionBegin;
  *inc = (Incidence){.num_vertices = global->num_vertices};
  AppendAll(global, inc, count);
  PetscCall(
    PetscMalloc4(count[0] + 1, &inc->start, count[1], &inc->vertex, global->num_vertices + 1, &inc->at_start, count[1], &inc->at_vertex));
  inc->start[0] = 0;
  AppendAll(global, inc, count);
  PetscCall(PetscArrayzero(inc->at_start, global->num_vertices + 1));
  for (PetscInt i = 0; i < count[1]; i++) inc->at_start[inc->vertex[i] + 1]++;
  for (PetscInt v = 0; v < global->num_vertices; v++) inc->at_start[v + 1] += inc->at_start[v];
  for (PetscInt s = 0; s < inc->num; s++)
    for (PetscInt i = inc->start[s]; i < inc->start[s + 1]; i++) inc->at_vertex[inc->at_start[inc->vertex[i]]++] = s;
  for (PetscInt v = global->num_vertices; v > 0; v--) inc->at_start[v] = inc->at_start[v - 1];
  inc->at_start[0] = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode IncidenceFree(Incidence *inc)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(inc->start, inc->vertex, inc->at_start, inc->at_vertex));
  PetscFunctionReturn(0);
}

/* Number of neighbours of v; writes them to `list` unless it is NULL. stamp[w] == v: neighbour w is already counted. */
static PetscInt Neighbours(const Incidence *inc, PetscInt v, PetscInt stamp[], idx_t list[])
{
  PetscInt count = 0;

  stamp[v] = v;
  for (PetscInt a = inc->at_start[v]; a < inc->at_start[v + 1]; a++) {
    const PetscInt s = inc->at_vertex[a];
    for (PetscInt i = inc->start[s]; i < inc->start[s + 1]; i++) {
      const PetscInt w = inc->vertex[i];
      if (stamp[w] == v) continue;
      stamp[w] = v;
      if (list) list[count] = (idx_t)w;
      count++;
    }
  }
  return count;
}

static PetscErrorCode CheckIndex(PetscInt64 value, const char what[])
{
  PetscFunctionBegin;
  AbutCheck(value <= (PetscInt64)IDX_MAX, ABUT_ERR_INPUT,
            "the graph of the mesh has %lld %s, more than METIS was built for (%lld); use a METIS with IDXTYPEWIDTH 64", (long long)value,
            what, (long long)IDX_MAX);
  PetscFunctionReturn(0);
}

/* Adjacency of the vertices in CSR form; the caller frees both arrays with PetscFree(). */
static PetscErrorCode BuildGraph(const AbutGlobalMesh *global, idx_t **rows, idx_t **columns)
{
  const PetscInt num = global->num_vertices;
  PetscInt      *stamp;
  PetscInt64     total = 0;
  Incidence      inc;

  PetscFunctionBegin;
  PetscCall(IncidenceCreate(global, &inc));
  PetscCall(PetscMalloc1(num, &stamp));
  PetscCall(PetscMalloc1(num + 1, rows));
  for (PetscInt v = 0; v < num; v++) stamp[v] = -1;
  (*rows)[0] = 0;
  for (PetscInt v = 0; v < num; v++) {
    total += Neighbours(&inc, v, stamp, NULL);
    PetscCall(CheckIndex(total, "connections"));
    (*rows)[v + 1] = (idx_t)total;
  }
  PetscCall(PetscMalloc1(total, columns));
  for (PetscInt v = 0; v < num; v++) stamp[v] = -1;
  for (PetscInt v = 0; v < num; v++) (void)Neighbours(&inc, v, stamp, &(*columns)[(*rows)[v]]);
  PetscCall(PetscFree(stamp));
  PetscCall(IncidenceFree(&inc));
  PetscFunctionReturn(0);
}

/*
  Weights of each vertex: number of its cells, number of its surface entities. A weight that is zero everywhere is omitted, because METIS
  divides by the sum of a weight.
*/
static PetscErrorCode BuildWeights(const AbutGlobalMesh *global, idx_t *num_works, idx_t **weights)
{
  const idx_t has_cells = global->num_cells ? 1 : 0, n = has_cells + 1;
  idx_t      *w;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n * global->num_vertices, &w));
  for (PetscInt i = 0; i < global->num_cells * (global->dim + 1); i++) w[n * global->cells[i]]++;
  for (PetscInt i = 0; i < global->num_faces * 3; i++) w[n * global->faces[i] + has_cells]++;
  for (PetscInt i = 0; i < global->num_edges * 2; i++) w[n * global->edges[i] + has_cells]++;
  for (PetscInt i = 0; i < global->num_points; i++) w[n * global->points[i] + has_cells]++;
  *num_works = n;
  *weights   = w;
  PetscFunctionReturn(0);
}

/* Replaces owner[] by the partition of METIS; leaves owner[] unchanged if METIS fails. */
static PetscErrorCode CallMetis(const AbutGlobalMesh *global, const AbutMeshSettings *options, idx_t rows[], idx_t columns[],
                                idx_t num_works, idx_t weights[], PetscMPIInt num_parts, PetscMPIInt owner[])
{
  idx_t           num = (idx_t)global->num_vertices, parts = num_parts, cut = 0, *part, settings[METIS_NOPTIONS];
  real_t          imbalance[2] = {(real_t)options->imbalance, (real_t)options->imbalance};
  int             status;
  AbutTermination termination;

  PetscFunctionBegin;
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_NUMBERING] = 0;
  settings[METIS_OPTION_SEED]      = (idx_t)options->seed;
  PetscCall(PetscMalloc1(num, &part));
  AbutTerminationBlock(&termination);
  status = METIS_PartGraphKway(&num, &num_works, rows, columns, weights, NULL, NULL, &parts, NULL, imbalance, settings, &cut, part);
  AbutTerminationRestore(&termination);
  for (PetscInt v = 0; v < global->num_vertices && status == METIS_OK; v++) owner[v] = (PetscMPIInt)part[v];
  PetscCall(PetscFree(part));
  PetscCall(PetscInfo(NULL, "METIS returned %d for %" PetscInt_FMT " vertices in %d parts and cut %lld connections\n", status,
                      global->num_vertices, num_parts, (long long)cut));
  PetscFunctionReturn(0);
}

/* Divides the vertices into blocks of ids of equal size. */
static void PartitionIntoBlocks(PetscInt num, PetscMPIInt num_parts, PetscMPIInt owner[])
{
  for (PetscInt v = 0; v < num; v++) owner[v] = (PetscMPIInt)((PetscInt64)v * num_parts / num);
}

PetscErrorCode AbutPartition(const AbutGlobalMesh *global, const AbutMeshSettings *options, PetscMPIInt num_parts, PetscMPIInt owner[])
{
  const PetscInt num = global->num_vertices;
  idx_t         *rows, *columns, *weights = NULL, num_works = 0;

  PetscFunctionBegin;
  PartitionIntoBlocks(num, num_parts, owner);
  if (num_parts == 1 || num / VERTICES_A_PART < num_parts) PetscFunctionReturn(0);
  PetscCall(CheckIndex(2 * (PetscInt64)num, "vertices times works"));
  PetscCall(BuildGraph(global, &rows, &columns));
  PetscCall(BuildWeights(global, &num_works, &weights));
  PetscCall(CallMetis(global, options, rows, columns, num_works, weights, num_parts, owner));
  PetscCall(PetscFree(rows));
  PetscCall(PetscFree(columns));
  PetscCall(PetscFree(weights));
  PetscFunctionReturn(0);
}
