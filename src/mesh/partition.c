/*
  Partition of the vertices by METIS (k-way). Two vertices are adjacent if a cell or a primitive of an obstacle contains both. Two weights
  are balanced: number of cells (elasticity) and number of surface entities (contact).
*/
#include "meshimpl.h"
#include <metis.h>

#define VERTICES_A_PART 8 /* with fewer vertices per part METIS may fail; the vertices are then divided into blocks of ids */

/* All cells and the primitives of obstacles, and the list of simplices at each vertex. */
typedef struct {
  AbutInts start, vertex; /* vertices of simplex s are vertex.a[start.a[s] .. start.a[s + 1]) */
  AbutInts simplex;       /* [vertex.n] simplex of each entry of vertex */
  AbutCSR  at;            /* simplices at each vertex, ascending */
} Incidence;

static PetscErrorCode AppendSimplices(const AbutGlobalMesh *global, PetscInt num, PetscInt n, const PetscInt simplices[],
                                      PetscBool obstacles_only, Incidence *inc)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < num; i++) {
    const PetscInt *v = &simplices[i * n], s = inc->start.n - 1;

    if (obstacles_only && !global->bodies[global->vertex_body[v[0]]].obstacle) continue;
    PetscCall(AbutIntsPush(&inc->vertex, n, v));
    PetscCall(AbutIntsPush(&inc->simplex, n, (PetscInt[]){s, s, s, s}));
    PetscCall(AbutIntsPush(&inc->start, 1, &inc->vertex.n));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode IncidenceCreate(const AbutGlobalMesh *global, Incidence *inc)
{
  PetscFunctionBegin;
  *inc = (Incidence){0};
  PetscCall(AbutIntsPush(&inc->start, 1, &inc->vertex.n));
  PetscCall(AppendSimplices(global, global->num_cells, global->dim + 1, global->cells, PETSC_FALSE, inc));
  PetscCall(AppendSimplices(global, global->num_faces, 3, global->faces, PETSC_TRUE, inc));
  PetscCall(AppendSimplices(global, global->num_edges, 2, global->edges, PETSC_TRUE, inc));
  PetscCall(AbutCSRSetPairs(global->num_vertices, inc->vertex.n, 1, inc->vertex.a, inc->simplex.a, &inc->at));
  PetscCall(PetscFree(inc->simplex.a));
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
  PetscCall(PetscFree(inc.start.a));
  PetscCall(PetscFree(inc.vertex.a));
  PetscCall(AbutCSRDestroy(&inc.at));
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
