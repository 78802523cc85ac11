/* Fill-reducing order, elimination tree and supernodes of the factorisations on a surface. */
#include "factorimpl.h"
#include <cholmod.h>

/* A column joins a supernode if zeros fill at most this fraction of the panel, or the panel has at most MAX_SMALL entries. */
#define MAX_ZEROS 0.35
#define MAX_SMALL 96

/*
  Minimum degree order of a symmetric pattern, the lower neighbours row[start[v]], ..., row[start[v + 1] - 1] of each vertex v, renumbered
  by a postorder of its elimination tree. The fill is the same, and columns with equal rows become neighbours: a ball of 800 unknowns has
  two thirds of the supernodes.
*/
static PetscErrorCode Order(PetscInt n, int start[], int row[], PetscInt order[])
{
  cholmod_common  common;
  cholmod_factor *factor;
  cholmod_sparse  pattern = {.nrow   = (size_t)n,
                             .ncol   = (size_t)n,
                             .nzmax  = (size_t)start[n],
                             .p      = start,
                             .i      = row,
                             .stype  = 1,
                             .itype  = CHOLMOD_INT,
                             .xtype  = CHOLMOD_PATTERN,
                             .sorted = 1,
                             .packed = 1};

  PetscFunctionBegin;
  cholmod_start(&common);
  common.nmethods           = 1;
  common.method[0].ordering = CHOLMOD_AMD;
  common.supernodal         = CHOLMOD_SIMPLICIAL;
  factor                    = cholmod_analyze(&pattern, &common);
  PetscCheck(factor, PETSC_COMM_SELF, PETSC_ERR_LIB, "cholmod_analyze failed with status %d", common.status);
  for (PetscInt v = 0; v < n; v++) order[v] = ((const int *)factor->Perm)[v];
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorOrder(AbutDeformSurface surface, PetscInt order[])
{
  const PetscInt n   = surface->num_vertices;
  int            num = 0, *start, *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n + 1, &start, surface->num_edges, &row));
  for (PetscInt v = 0; v < n; v++) {
    start[v] = num;
    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
      const PetscInt other = AbutDeformOtherEnd(surface, surface->vertex_edge.item[k], v);

      if (other < v) row[num++] = (int)other;
    }
  }
  start[n] = num;
  PetscCall(Order(n, start, row, order));
  PetscCall(PetscFree2(start, row));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorDestroySymbolic(AbutFactor factor)
{
  AbutSupernodes *whole = &factor->whole, *part = &factor->part;

  PetscFunctionBegin;
  PetscCall(PetscFree6(whole->first, whole->row_start, part->first, part->row_start, factor->value_start, factor->entry_start));
  PetscCall(PetscFree6(factor->parent, factor->count, factor->super, factor->mark, factor->chosen, factor->number));
  PetscCall(PetscFree7(factor->head, factor->next, factor->at, factor->position, factor->update, factor->x, factor->below));
  PetscCall(PetscFree2(whole->row, part->row));
  PetscCall(PetscFree(factor->entry));
  PetscFunctionReturn(0);
}

static PetscErrorCode Allocate(AbutFactor factor, PetscInt n)
{
  const PetscInt  m     = n + ABUT_FACTOR_ROWS;
  AbutSupernodes *whole = &factor->whole, *part = &factor->part;

  PetscFunctionBegin;
  factor->n = n;
  PetscCall(PetscMalloc6(m, &whole->first, m, &whole->row_start, m, &part->first, m, &part->row_start, m, &factor->value_start, m,
                         &factor->entry_start));
  PetscCall(
    PetscMalloc6(m, &factor->parent, m, &factor->count, m, &factor->super, m, &factor->mark, m, &factor->chosen, m, &factor->number));
  PetscCall(PetscMalloc7(m, &factor->head, m, &factor->next, m, &factor->at, m, &factor->position, m, &factor->update, 2 * m, &factor->x, m,
                         &factor->below));
  PetscFunctionReturn(0);
}

/* Elimination tree and number of entries below the diagonal of each column of L [Davis 2005, Algorithm 849, ACM TOMS 31(4)]. */
static void SetTree(AbutFactor factor, const PetscInt start[], const PetscInt neighbor[])
{
  for (PetscInt i = 0; i < factor->n; i++) {
    factor->parent[i] = -1;
    factor->mark[i]   = i;
    factor->count[i]  = 0;
    for (PetscInt l = start[i]; l < start[i + 1]; l++) {
      if (neighbor[l] > i) continue;
      for (PetscInt k = neighbor[l]; factor->mark[k] != i; k = factor->parent[k]) {
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
  AbutSupernodes *whole = &factor->whole;
  PetscInt        zeros = 0;

  whole->num = 0;
  for (PetscInt j = 0; j < factor->n; j++) {
    if (j == 0 || !Joins(factor, j, j - whole->first[whole->num - 1], &zeros)) {
      whole->first[whole->num++] = j;
      zeros                      = 0;
    }
    factor->super[j] = whole->num - 1;
  }
  whole->first[whole->num] = factor->n;
  whole->row_start[0]      = 0;
  for (PetscInt k = 0; k < whole->num; k++) whole->row_start[k + 1] = whole->row_start[k] + factor->count[whole->first[k + 1] - 1];
}

/* Rows below each supernode: row i is in all supernodes on the paths of the tree from its neighbours to i. */
static PetscErrorCode SetRows(AbutFactor factor, const PetscInt start[], const PetscInt neighbor[])
{
  AbutSupernodes *whole = &factor->whole;
  PetscInt       *end   = factor->next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(whole->row_start[whole->num], &whole->row, whole->row_start[whole->num] + 1, &factor->part.row));
  for (PetscInt k = 0; k < whole->num; k++) {
    factor->mark[k] = -1;
    end[k]          = whole->row_start[k];
  }
  for (PetscInt i = 0; i < factor->n; i++) {
    factor->mark[factor->super[i]] = i;
    for (PetscInt l = start[i]; l < start[i + 1]; l++) {
      if (neighbor[l] > i) continue;
      for (PetscInt k = factor->super[neighbor[l]]; factor->mark[k] != i; k = factor->super[factor->parent[whole->first[k + 1] - 1]]) {
        whole->row[end[k]++] = i;
        factor->mark[k]      = i;
      }
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SetEntries(AbutFactor factor, const PetscInt start[], const PetscInt neighbor[], const PetscInt weight[])
{
  PetscInt num = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(start[factor->n], &factor->entry));
  for (PetscInt c = 0; c < factor->n; c++) {
    factor->entry_start[c] = num;
    for (PetscInt l = start[c]; l < start[c + 1]; l++)
      if (neighbor[l] > c) factor->entry[num++] = (AbutFactorEntry){neighbor[l], weight[l]};
  }
  factor->entry_start[factor->n] = num;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorAnalyze(AbutFactor factor, PetscInt n, const PetscInt start[], const PetscInt neighbor[], const PetscInt weight[])
{
  PetscFunctionBegin;
  PetscCall(AbutFactorDestroySymbolic(factor));
  PetscCall(Allocate(factor, n));
  SetTree(factor, start, neighbor);
  SetSupernodes(factor);
  PetscCall(SetRows(factor, start, neighbor));
  PetscCall(SetEntries(factor, start, neighbor, weight));
  PetscFunctionReturn(0);
}

/* Numbers the chosen unknowns. */
static void SetNumbers(AbutFactor factor, PetscInt num, const PetscInt chosen[])
{
  factor->num_chosen = num;
  for (PetscInt i = 0; i < factor->n; i++) factor->number[i] = -1;
  for (PetscInt i = 0; i < num; i++) {
    factor->chosen[i]                 = chosen ? chosen[i] : i;
    factor->number[factor->chosen[i]] = i;
  }
}

PetscErrorCode AbutFactorChoose(AbutFactor factor, PetscInt num, const PetscInt chosen[])
{
  const AbutSupernodes *whole = &factor->whole;
  AbutSupernodes       *part  = &factor->part;
  PetscInt              next = 0, rows = 0, values = 0;

  PetscFunctionBegin;
  SetNumbers(factor, num, chosen);
  part->num = 0;
  for (PetscInt k = 0; k < whole->num && next < num; k++) {
    const PetscInt first = next, start = rows;

    for (; next < num && factor->chosen[next] < whole->first[k + 1]; next++) factor->super[next] = part->num;
    if (next == first) continue;
    for (PetscInt l = whole->row_start[k]; l < whole->row_start[k + 1]; l++) {
      part->row[rows] = factor->number[whole->row[l]];
      rows += part->row[rows] >= 0;
    }
    part->first[part->num]         = first;
    part->row_start[part->num]     = start;
    factor->value_start[part->num] = values;
    values += (next - first) * AbutFactorStride(next - first, rows - start);
    part->num++;
  }
  part->first[part->num]         = num;
  part->row_start[part->num]     = rows;
  factor->value_start[part->num] = values;
  PetscCall(AbutReserve(values, &factor->value_capacity, &factor->values));
  PetscFunctionReturn(0);
}
