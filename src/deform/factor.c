/* Sparse Cholesky factorisation of the operators on a surface by CHOLMOD. */
#include "responseimpl.h"
#include <cholmod.h>

#if defined(PETSC_USE_64BIT_INDICES)
#define CHOLMOD(name) cholmod_l_##name
#define INTEGERS      CHOLMOD_LONG
typedef SuiteSparse_long Index;
#else
#define CHOLMOD(name) cholmod_##name
#define INTEGERS      CHOLMOD_INT
typedef int Index;
#endif

struct _p_AbutFactor {
  cholmod_common  common;
  cholmod_factor *factor;
  cholmod_dense  *x, *y, *e;            /* solution and workspace, reused between solutions */
  PetscInt        n;                    /* rows of the analysed matrix */
  PetscInt       *start, *row;          /* its lower triangle by columns */
  PetscInt        n_capacity, capacity; /* allocated columns and entries */
};

PetscErrorCode AbutFactorCreate(AbutFactor *factor)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(factor));
  CHOLMOD(start)(&(*factor)->common);
  (*factor)->common.nmethods           = 1;
  (*factor)->common.method[0].ordering = CHOLMOD_NATURAL;
  (*factor)->common.print              = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorDestroy(AbutFactor *factor)
{
  PetscFunctionBegin;
  if (!*factor) PetscFunctionReturn(0);
  CHOLMOD(free_factor)(&(*factor)->factor, &(*factor)->common);
  CHOLMOD(free_dense)(&(*factor)->x, &(*factor)->common);
  CHOLMOD(free_dense)(&(*factor)->y, &(*factor)->common);
  CHOLMOD(free_dense)(&(*factor)->e, &(*factor)->common);
  CHOLMOD(finish)(&(*factor)->common);
  PetscCall(PetscFree((*factor)->start));
  PetscCall(PetscFree((*factor)->row));
  PetscCall(PetscFree(*factor));
  PetscFunctionReturn(0);
}

/* View of a symmetric matrix by its lower triangle. */
static cholmod_sparse View(PetscInt n, const PetscInt start[], const PetscInt row[], const PetscReal values[])
{
  return (cholmod_sparse){.nrow   = (size_t)n,
                          .ncol   = (size_t)n,
                          .nzmax  = (size_t)start[n],
                          .p      = (void *)start,
                          .i      = (void *)row,
                          .x      = (void *)values,
                          .stype  = -1,
                          .itype  = INTEGERS,
                          .xtype  = values ? CHOLMOD_REAL : CHOLMOD_PATTERN,
                          .dtype  = CHOLMOD_DOUBLE,
                          .sorted = 0,
                          .packed = 1};
}

PetscErrorCode AbutFactorOrder(AbutDeformSurface surface, PetscInt order[])
{
  const PetscInt n = surface->num_vertices;
  cholmod_common common;
  cholmod_sparse graph;
  PetscInt      *start, *row, count = 0;
  int            done;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n + 1, &start, surface->num_edges, &row));
  for (PetscInt v = 0; v < n; v++) {
    start[v] = count;
    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
      const PetscInt w = AbutDeformOtherEnd(surface, surface->vertex_edge.item[k], v);

      if (w > v) row[count++] = w;
    }
  }
  start[n] = count;
  graph    = View(n, start, row, NULL);
  CHOLMOD(start)(&common);
  common.print = 0;
  done         = CHOLMOD(metis)(&graph, NULL, 0, 1, (Index *)order, &common);
  CHOLMOD(finish)(&common);
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD's nested dissection failed with status %d", common.status);
  PetscCall(PetscFree2(start, row));
  PetscFunctionReturn(0);
}

static PetscErrorCode CopyPattern(AbutFactor factor, PetscInt n, const PetscInt start[], const PetscInt row[])
{
  PetscFunctionBegin;
  PetscCall(AbutReserve(n + 1, &factor->n_capacity, &factor->start));
  PetscCall(AbutReserve(start[n], &factor->capacity, &factor->row));
  PetscCall(PetscArraycpy(factor->start, start, n + 1));
  PetscCall(PetscArraycpy(factor->row, row, start[n]));
  factor->n = n;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorAnalyze(AbutFactor factor, PetscInt n, const PetscInt start[], const PetscInt row[])
{
  cholmod_sparse pattern;
  PetscBool      same = PETSC_FALSE;

  PetscFunctionBegin;
  if (factor->factor && factor->n == n) PetscCall(PetscArraycmp(start, factor->start, n + 1, &same));
  if (same) PetscCall(PetscArraycmp(row, factor->row, start[n], &same));
  if (same) PetscFunctionReturn(0);
  PetscCall(CopyPattern(factor, n, start, row));
  pattern = View(n, factor->start, factor->row, NULL);
  CHOLMOD(free_factor)(&factor->factor, &factor->common);
  if (n == 0) PetscFunctionReturn(0);
  factor->factor = CHOLMOD(analyze)(&pattern, &factor->common);
  PetscCheck(factor->factor, PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD's symbolic factorisation failed with status %d",
             factor->common.status);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorCompute(AbutFactor factor, const PetscReal values[])
{
  cholmod_sparse matrix = View(factor->n, factor->start, factor->row, values);
  int            done;

  PetscFunctionBegin;
  if (factor->n == 0) PetscFunctionReturn(0);
  done = CHOLMOD(factorize)(&matrix, factor->factor, &factor->common);
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD's factorisation failed with status %d", factor->common.status);
  AbutCheck(factor->common.status != CHOLMOD_NOT_POSDEF, ABUT_ERR_DIVERGED,
            "the operator of a surface is not positive definite at the unknown %" PetscInt_FMT " of %" PetscInt_FMT,
            (PetscInt)factor->factor->minor, factor->n);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFactorSolve(AbutFactor factor, PetscInt num, PetscReal b[])
{
  const size_t  n   = (size_t)factor->n;
  cholmod_dense rhs = {
    .nrow = n, .ncol = (size_t)num, .nzmax = n * (size_t)num, .d = n, .x = b, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
  int done;

  PetscFunctionBegin;
  if (n == 0) PetscFunctionReturn(0);
  done = CHOLMOD(solve2)(CHOLMOD_A, factor->factor, &rhs, NULL, &factor->x, NULL, &factor->y, &factor->e, &factor->common);
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD's solution failed with status %d", factor->common.status);
  PetscCall(PetscArraycpy(b, (PetscReal *)factor->x->x, factor->n * num));
  PetscFunctionReturn(0);
}
