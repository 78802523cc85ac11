/* Fill-reducing order, elimination tree and supernodes of the factorisations on a surface. */
#include "factorimpl.h"
#include <metis.h>

/* A column joins a supernode if zeros fill at most this fraction of the panel, or the panel has at most MAX_SMALL entries. */
#define MAX_ZEROS 0.35
#define MAX_SMALL 96

/* Elimination tree of the edge graph in an order, inverse[v] the number of vertex v [Liu 1990]. `ancestor` is work space. */
static void SetSurfaceTree(AbutDeformSurface surface, const PetscInt order[], const PetscInt inverse[], PetscInt parent[],
                           PetscInt ancestor[])
{
  for (PetscInt i = 0; i < surface->num_vertices; i++) {
    parent[i] = ancestor[i] = -1;
    for (PetscInt l = surface->vertex_edge.start[order[i]]; l < surface->vertex_edge.start[order[i] + 1]; l++) {
      PetscInt k = inverse[AbutDeformOtherEnd(surface, surface->vertex_edge.item[l], order[i])];

      while (k >= 0 && k < i) {
        const PetscInt next = ancestor[k];

        ancestor[k] = i;
        if (next < 0) parent[k] = i;
        k = next;
      }
    }
  }
}

/* Numbers the nodes of a tree so that each subtree is consecutive: node[i] is the number i. The arrays head and next are work space. */
static void Postorder(PetscInt n, const PetscInt parent[], PetscInt node[], PetscInt head[], PetscInt next[])
{
  PetscInt top = -1, num = n;

  for (PetscInt i = 0; i < n; i++) head[i] = -1;
  for (PetscInt i = 0; i < n; i++) {
    PetscInt *list = parent[i] < 0 ? &top : &head[parent[i]];

    next[i] = *list;
    *list   = i;
  }
  while (top >= 0) { /* a stack, linked by next: the reverse of an order in which parents come first */
    const PetscInt i = top;

    node[--num] = i;
    top         = next[i];
    while (head[i] >= 0) {
      const PetscInt child = head[i];

      head[i]     = next[child];
      next[child] = top;
      top         = child;
    }
  }
}

/*
  Renumbers an order by a postorder of its elimination tree. The fill is the same, and columns with equal rows become neighbours: a ball of
  800 unknowns has two thirds of the supernodes.
*/
static PetscErrorCode SortByTree(AbutDeformSurface surface, PetscInt order[])
{
  const PetscInt n = surface->num_vertices;
  PetscInt      *inverse, *parent, *head, *next, *node;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(n, &inverse, n, &parent, n, &head, n, &next, n, &node));
  for (PetscInt i = 0; i < n; i++) inverse[order[i]] = i;
  SetSurfaceTree(surface, order, inverse, parent, head);
  Postorder(n, parent, node, head, next);
  for (PetscInt i = 0; i < n; i++) inverse[i] = order[node[i]];
  PetscCall(PetscArraycpy(order, inverse, n));
  PetscCall(PetscFree5(inverse, parent, head, next, node));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorOrder(AbutDeformSurface surface, PetscInt order[])
{
  const PetscInt  n = surface->num_vertices;
  idx_t          *start, *neighbor, *perm, *inverse, vertices = (idx_t)n, options[METIS_NOPTIONS];
  AbutTermination termination;
  int             status;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n + 1, &start, 2 * surface->num_edges, &neighbor, n, &perm, n, &inverse));
  for (PetscInt v = 0; v <= n; v++) start[v] = (idx_t)surface->vertex_edge.start[v];
  for (PetscInt v = 0; v < n; v++)
    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++)
      neighbor[k] = (idx_t)AbutDeformOtherEnd(surface, surface->vertex_edge.item[k], v);
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  AbutTerminationBlock(&termination);
  status = METIS_NodeND(&vertices, start, neighbor, NULL, options, perm, inverse);
  AbutTerminationRestore(&termination);
  PetscCheck(status == METIS_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "METIS_NodeND failed with status %d", status);
  for (PetscInt v = 0; v < n; v++) order[v] = (PetscInt)perm[v];
  PetscCall(PetscFree4(start, neighbor, perm, inverse));
  PetscCall(SortByTree(surface, order));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetSizes(AbutFactor factor, PetscInt n, PetscInt entries)
{
  const AbutColumn columns[] = {
    {&factor->start, sizeof(PetscInt)},  {&factor->first, sizeof(PetscInt)},  {&factor->row_start, sizeof(PetscInt)},
    {&factor->super, sizeof(PetscInt)},  {&factor->parent, sizeof(PetscInt)}, {&factor->value_start, sizeof(PetscInt)},
    {&factor->count, sizeof(PetscInt)},  {&factor->mark, sizeof(PetscInt)},   {&factor->head, sizeof(PetscInt)},
    {&factor->next, sizeof(PetscInt)},   {&factor->at, sizeof(PetscInt)},     {&factor->position, sizeof(PetscInt)},
    {&factor->update, sizeof(PetscInt)}, {&factor->x, sizeof(AbutLanes)},     {&factor->below, sizeof(AbutLanes)}};

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(n + ABUT_FACTOR_ROWS, &factor->n_capacity, PETSC_STATIC_ARRAY_LENGTH(columns), columns));
  PetscCall(AbutReserve(entries, &factor->entry_capacity, &factor->neighbor));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorDestroySymbolic(AbutFactor factor)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(factor->start));
  PetscCall(PetscFree(factor->neighbor));
  PetscCall(PetscFree(factor->first));
  PetscCall(PetscFree(factor->row_start));
  PetscCall(PetscFree(factor->value_start));
  PetscCall(PetscFree(factor->super));
  PetscCall(PetscFree(factor->parent));
  PetscCall(PetscFree(factor->count));
  PetscCall(PetscFree(factor->mark));
  PetscCall(PetscFree(factor->head));
  PetscCall(PetscFree(factor->next));
  PetscCall(PetscFree(factor->at));
  PetscCall(PetscFree(factor->position));
  PetscCall(PetscFree(factor->update));
  PetscCall(PetscFree(factor->x));
  PetscCall(PetscFree(factor->below));
  PetscCall(PetscFree(factor->row));
  PetscFunctionReturn(0);
}

/* Elimination tree and number of entries below the diagonal of each column of L [Davis 2005, Algorithm 849, ACM TOMS 31(4)]. */
static void SetTree(AbutFactor factor)
{
  for (PetscInt i = 0; i < factor->n; i++) {
    factor->parent[i] = -1;
    factor->mark[i]   = i;
    factor->count[i]  = 0;
    for (PetscInt l = factor->start[i]; l < factor->start[i + 1]; l++) {
      if (factor->neighbor[l] > i) continue;
      for (PetscInt k = factor->neighbor[l]; factor->mark[k] != i; k = factor->parent[k]) {
        if (factor->parent[k] < 0) factor->parent[k] = i;
        factor->count[k]++;
        factor->mark[k] = i;
      }
    }
  }
}

/* Whether column j joins the supernode of `width` columns that ends before it, with `zeros` entries that are 0. Updates the zeros. */
static PetscBool Joins(const AbutFactor factor, PetscInt j, PetscInt width, PetscInt *zeros)
{
  const PetscInt more = *zeros + width * (factor->count[j] + 1 - factor->count[j - 1]), size = (width + 1) * (width + 1 + factor->count[j]);

  if (factor->parent[j - 1] != j || (more > MAX_ZEROS * size && size > MAX_SMALL)) return PETSC_FALSE;
  *zeros = more;
  return PETSC_TRUE;
}

static void SetSupernodes(AbutFactor factor)
{
  PetscInt zeros = 0;

  factor->num = 0;
  for (PetscInt j = 0; j < factor->n; j++) {
    if (j == 0 || !Joins(factor, j, j - factor->first[factor->num - 1], &zeros)) {
      factor->first[factor->num++] = j;
      zeros                        = 0;
    }
    factor->super[j] = factor->num - 1;
  }
  factor->first[factor->num] = factor->n;
  factor->row_start[0] = factor->value_start[0] = 0;
  for (PetscInt k = 0; k < factor->num; k++) {
    const PetscInt width = factor->first[k + 1] - factor->first[k], rows = factor->count[factor->first[k + 1] - 1];

    factor->row_start[k + 1]   = factor->row_start[k] + rows;
    factor->value_start[k + 1] = factor->value_start[k] + width * AbutFactorStride(width, rows);
  }
}

/* Rows below each supernode: row i is in all supernodes on the paths of the tree from its neighbours to i. */
static PetscErrorCode SetRows(AbutFactor factor)
{
  PetscInt *end = factor->next;

  PetscFunctionBegin;
  PetscCall(AbutReserve(factor->row_start[factor->num], &factor->row_capacity, &factor->row));
  for (PetscInt k = 0; k < factor->num; k++) {
    factor->mark[k] = -1;
    end[k]          = factor->row_start[k];
  }
  for (PetscInt i = 0; i < factor->n; i++) {
    factor->mark[factor->super[i]] = i;
    for (PetscInt l = factor->start[i]; l < factor->start[i + 1]; l++) {
      if (factor->neighbor[l] > i) continue;
      for (PetscInt k = factor->super[factor->neighbor[l]]; factor->mark[k] != i;
           k          = factor->super[factor->parent[factor->first[k + 1] - 1]]) {
        factor->row[end[k]++] = i;
        factor->mark[k]       = i;
      }
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorAnalyze(AbutFactor factor, PetscInt n, const PetscInt start[], const PetscInt neighbor[])
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  if (factor->n == n && factor->start) PetscCall(PetscArraycmp(start, factor->start, n + 1, &same));
  if (same) PetscCall(PetscArraycmp(neighbor, factor->neighbor, start[n], &same));
  if (same) PetscFunctionReturn(0);
  factor->n = 0;
  PetscCall(SetSizes(factor, n, start[n]));
  PetscCall(PetscArraycpy(factor->start, start, n + 1));
  PetscCall(PetscArraycpy(factor->neighbor, neighbor, start[n]));
  factor->n = n;
  SetTree(factor);
  SetSupernodes(factor);
  PetscCall(SetRows(factor));
  PetscFunctionReturn(0);
}
