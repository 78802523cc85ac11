/* Factorisations of two matrices at once: residuals, parts of a surface, matrices that are not positive definite. */
#include "responseimpl.h"
#include "shapes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Matrix m has the entries scale[m] times weights off the diagonal. */
static const PetscReal scale[2] = {-1, 0.5};

typedef struct {
  AbutDeformSurface surface;
  PetscInt          n, *vertex, *unknown;
  PetscReal (*diagonal)[2], *weight;
} Matrix;

/* Diagonally dominant matrices on the graph of the chosen vertices of a surface in fill-reducing order, with random entries. */
static void MatrixCreate(AbutDeformSurface surface, AbutFactor factor, const PetscBool chosen[], Matrix *A)
{
  const PetscInt nv = surface->num_vertices, ne = surface->num_edges;

  A->surface = surface;
  AbutTestCall(PetscMalloc4(nv, &A->vertex, nv, &A->unknown, nv, &A->diagonal, ne, &A->weight));
  for (PetscInt v = 0; v < nv; v++) A->unknown[v] = chosen[v] ? 0 : -1;
  A->n = AbutFactorNumber(factor, A->unknown, A->vertex);
  for (PetscInt e = 0; e < ne; e++) A->weight[e] = (PetscReal)rand() / RAND_MAX;
  for (PetscInt i = 0; i < A->n; i++) {
    const PetscInt v = A->vertex[i];

    assert_true(chosen[v] && A->unknown[v] == i);
    A->diagonal[i][0] = 0.01;
    A->diagonal[i][1] = 1;
    for (PetscInt l = surface->vertex_edge.start[v]; l < surface->vertex_edge.start[v + 1]; l++) {
      const PetscInt e = surface->vertex_edge.item[l];

      for (PetscInt m = 0; m < 2 && A->unknown[AbutDeformOtherEnd(surface, e, v)] >= 0; m++) A->diagonal[i][m] += A->weight[e];
    }
  }
}

static void MatrixFree(Matrix *A)
{
  AbutTestCall(PetscFree4(A->vertex, A->unknown, A->diagonal, A->weight));
}

/* Row i of matrix m times y. */
static PetscReal Row(const Matrix *A, PetscInt m, PetscInt i, const PetscReal y[])
{
  const PetscInt v   = A->vertex[i];
  PetscReal      sum = A->diagonal[i][m] * y[i];

  for (PetscInt l = A->surface->vertex_edge.start[v]; l < A->surface->vertex_edge.start[v + 1]; l++) {
    const PetscInt e = A->surface->vertex_edge.item[l], j = A->unknown[AbutDeformOtherEnd(A->surface, e, v)];

    if (j >= 0) sum += scale[m] * A->weight[e] * y[j];
  }
  return sum;
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

      for (PetscInt i = 0; i < A->n; i++) assert_true(fabs((pass && pass != m + 1 ? y[i] : Row(A, m, i, y)) - b[m * A->n + i]) < 1e-11);
    }
  }
  AbutTestCall(PetscFree2(x, b));
}

/* A right-hand side with one entry: columns of zeros are left out. */
static void CheckEntry(AbutFactor factor, const Matrix *A)
{
  PetscReal *x;

  AbutTestCall(PetscCalloc1(A->n, &x));
  if (A->n) x[A->n / 2] = 1;
  AbutFactorSolve(factor, NULL, x);
  for (PetscInt i = 0; i < A->n; i++) assert_true(fabs(Row(A, 1, i, x) - (i == A->n / 2)) < 1e-11);
  AbutTestCall(PetscFree(x));
}

/* The whole graph, parts of it in several pieces, and the empty matrix. */
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
  AbutTestCall(AbutFactorCreate(surface, &factor));
  for (PetscInt k = 0; k < 4; k++) {
    Matrix A;

    for (PetscInt v = 0; v < shape.num_vertices; v++)
      chosen[v] = (PetscBool)(k == 0 || (k == 1 && fabs(shape.x[3 * v]) > 0.3) || (k == 2 && v % 7 > 1));
    MatrixCreate(surface, factor, chosen, &A);
    for (PetscInt repeat = 0; repeat < 2; repeat++) {
      AbutTestCall(AbutFactorCompute(factor, A.n, A.vertex, A.unknown, (const PetscReal(*)[2])A.diagonal, scale, A.weight));
      CheckSolutions(factor, &A);
      CheckEntry(factor, &A);
    }
    MatrixFree(&A);
  }
  AbutTestCall(AbutFactorDestroy(&factor));
  AbutTestCall(PetscFree(chosen));
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
  ShapeFree(&shape);
}

/* Matrix 1 on two neighbours has the eigenvalues 1 and 1 +- 1.5. */
static void Indefinite(void **state)
{
  const PetscReal   diagonal[2][2] = {{1, 1}, {1, 1}}, factors[2] = {0.5, 1.5}, weights[3] = {1, 1, 1};
  PetscInt          unknown[3] = {0, 0, -1}, vertex[3];
  AbutDeformSurface surface;
  AbutFactor        factor;

  (void)state;
  AbutTestCall(AbutDeformSurfaceCreate("triangle", 3, 1, (PetscInt[]){0, 1, 2}, &surface));
  AbutTestCall(AbutFactorCreate(surface, &factor));
  assert_int_equal(AbutFactorNumber(factor, unknown, vertex), 2);
  assert_int_equal(AbutFactorCompute(factor, 2, vertex, unknown, diagonal, factors, weights), ABUT_ERR_DIVERGED);
  assert_non_null(strstr(AbutErrorMessage(), "not positive definite at the unknown 1 of 2"));
  AbutErrorClear();
  AbutTestCall(AbutFactorDestroy(&factor));
  AbutTestCall(AbutDeformSurfaceDestroy(&surface));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest factors[] = {cmocka_unit_test(Solutions), cmocka_unit_test(Indefinite)};

  return AbutTestMain(argc, argv, factors);
}
