/* Factorisations of two matrices at once: residuals, order, parts of a pattern, matrices that are not positive definite. */
#include "responseimpl.h"
#include "shapes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Matrix m has the entries scale[m] times weights off the diagonal. */
static const PetscReal scale[2] = {-1, 0.5};

typedef struct {
  PetscInt n, *start, *neighbor, *edge, *place;
  PetscReal (*diagonal)[2], *weight;
} Matrix;

/* Diagonally dominant matrices on the graph of the chosen vertices of a surface in fill-reducing order, with random entries. */
static void MatrixCreate(AbutDeformSurface surface, const PetscBool chosen[], Matrix *A)
{
  const PetscInt nv = surface->num_vertices, ne = surface->num_edges;
  PetscInt      *order, *unknown, count = 0;

  AbutTestCall(PetscMalloc2(nv, &order, nv, &unknown));
  AbutTestCall(PetscMalloc6(nv + 1, &A->start, 2 * ne, &A->neighbor, 2 * ne, &A->edge, nv, &A->place, nv, &A->diagonal, ne, &A->weight));
  AbutTestCall(AbutFactorOrder(surface, order));
  A->n = 0;
  for (PetscInt v = 0; v < nv; v++) unknown[v] = -1;
  for (PetscInt k = 0; k < nv; k++)
    if (chosen[order[k]]) unknown[order[k]] = A->n++;
  for (PetscInt e = 0; e < ne; e++) A->weight[e] = (PetscReal)rand() / RAND_MAX;
  for (PetscInt k = 0; k < nv; k++) {
    const PetscInt v = order[k], i = unknown[v];

    if (i < 0) continue;
    A->place[i]       = k;
    A->start[i]       = count;
    A->diagonal[i][0] = 0.01;
    A->diagonal[i][1] = 1;
    for (PetscInt l = surface->vertex_edge.start[v]; l < surface->vertex_edge.start[v + 1]; l++) {
      const PetscInt e = surface->vertex_edge.item[l], j = unknown[AbutDeformOtherEnd(surface, e, v)];

      if (j < 0) continue;
      A->edge[count]       = e;
      A->neighbor[count++] = j;
      A->diagonal[i][0] += A->weight[e];
      A->diagonal[i][1] += A->weight[e];
    }
  }
  A->start[A->n] = count;
  AbutTestCall(PetscFree2(order, unknown));
}

static void MatrixFree(Matrix *A)
{
  AbutTestCall(PetscFree6(A->start, A->neighbor, A->edge, A->place, A->diagonal, A->weight));
}

static void CheckSolutions(AbutFactor factor, const Matrix *A)
{
  PetscReal *x, *b;

  AbutTestCall(PetscMalloc2(2 * A->n, &x, 2 * A->n, &b));
  /* both matrices in one pass, then each of them alone */
  for (PetscInt pass = 0; pass < 3; pass++) {
    for (PetscInt k = 0; k < 2 * A->n; k++) x[k] = b[k] = (PetscReal)rand() / RAND_MAX - 0.5;
    AbutFactorSolve(factor, pass == 2 ? NULL : x, pass == 1 ? NULL : &x[A->n]);
    for (PetscInt m = 0; m < 2; m++) {
      const PetscReal *y = &x[m * A->n];

      for (PetscInt i = 0; i < A->n; i++) {
        PetscReal sum = pass && pass != m + 1 ? y[i] : A->diagonal[i][m] * y[i];

        for (PetscInt l = A->start[i]; l < A->start[i + 1] && (!pass || pass == m + 1); l++)
          sum += scale[m] * A->weight[A->edge[l]] * y[A->neighbor[l]];
        assert_true(fabs(sum - b[m * A->n + i]) < 1e-11);
      }
    }
  }
  AbutTestCall(PetscFree2(x, b));
}

/* Largest residual of matrix 1. */
static PetscReal Residual(const Matrix *A, const PetscReal x[], const PetscReal b[])
{
  PetscReal largest = 0;

  for (PetscInt i = 0; i < A->n; i++) {
    PetscReal sum = A->diagonal[i][1] * x[i];

    for (PetscInt l = A->start[i]; l < A->start[i + 1]; l++) sum += scale[1] * A->weight[A->edge[l]] * x[A->neighbor[l]];
    largest = PetscMax(largest, fabs(sum - b[i]));
  }
  return largest;
}

/* Right-hand sides with one entry, and 0 elsewhere: one after the other, and several at once. */
static void CheckFields(AbutFactor factor, const Matrix *A)
{
  const PetscInt n = A->n;
  PetscReal     *x, *b;

  AbutTestCall(PetscMalloc2(ABUT_FACTOR_FIELDS * n, &x, ABUT_FACTOR_FIELDS * n, &b));
  for (PetscInt num = 0; num <= ABUT_FACTOR_FIELDS; num++) {
    const PetscInt fields = num ? num : 1;

    for (PetscInt k = 0; k < fields * n; k++) x[k] = b[k] = (PetscReal)(k % n == (k / n) * (n / ABUT_FACTOR_FIELDS));
    if (num)
      AbutFactorSolveFields(factor, num, x);
    else
      AbutFactorSolve(factor, NULL, x);
    for (PetscInt k = 0; k < fields; k++) assert_true(Residual(A, &x[k * n], &b[k * n]) < 1e-11);
  }
  AbutTestCall(PetscFree2(x, b));
}

/* One analysis of the whole graph serves all of it, parts of it in several pieces, and the empty matrix. */
static void Solutions(void **state)
{
  AbutDeformSurface surface;
  AbutFactor        factor;
  PetscBool        *chosen;
  Shape             shape;

  (void)state;
  srand(3);
  ShapeSphere(15, 1, (PetscReal[]){0, 0, 0}, &shape);
  ShapeSurface(&shape, "ball", &surface);
  AbutTestCall(PetscMalloc1(shape.num_vertices, &chosen));
  AbutTestCall(AbutFactorCreate(&factor));
  for (PetscInt k = 0; k < 4; k++) {
    Matrix A;

    for (PetscInt v = 0; v < shape.num_vertices; v++)
      chosen[v] = (PetscBool)(k == 0 || (k == 1 && fabs(shape.x[3 * v]) > 0.3) || (k == 2 && v % 7 > 1));
    MatrixCreate(surface, chosen, &A);
    if (k == 0) AbutTestCall(AbutFactorAnalyze(factor, A.n, A.start, A.neighbor, A.edge));
    for (PetscInt repeat = 0; repeat < 2; repeat++) {
      AbutTestCall(AbutFactorCompute(factor, A.n, k ? A.place : NULL, (const PetscReal(*)[2])A.diagonal, scale, A.weight));
      CheckSolutions(factor, &A);
      CheckFields(factor, &A);
    }
    MatrixFree(&A);
  }
  AbutTestCall(AbutFactorDestroy(&factor));
  AbutTestCall(PetscFree(chosen));
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  ShapeFree(&shape);
}

static void Indefinite(void **state)
{
  const PetscInt  start[3] = {0, 1, 2}, neighbor[2] = {1, 0}, edge[2] = {0, 0};
  const PetscReal diagonal[2][2] = {{1, 1}, {1, 1}}, factors[2] = {0.5, 1.5}, weight = 1;
  AbutFactor      factor;

  (void)state;
  AbutTestCall(AbutFactorCreate(&factor));
  AbutTestCall(AbutFactorAnalyze(factor, 2, start, neighbor, edge));
  assert_int_equal(AbutFactorCompute(factor, 2, NULL, diagonal, factors, &weight), ABUT_ERR_DIVERGED);
  assert_non_null(strstr(AbutErrorMessage(), "not positive definite at the unknown 1 of 2"));
  AbutErrorClear();
  AbutTestCall(AbutFactorDestroy(&factor));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest factors[] = {cmocka_unit_test(Solutions), cmocka_unit_test(Indefinite)};

  return AbutTestMain(argc, argv, factors);
}
