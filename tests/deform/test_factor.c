/* Factorisations of two matrices at once: residuals, order, parts of a pattern, matrices that are not positive definite. */
#include "responseimpl.h"
#include "shapes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  PetscInt n, *start, *neighbor;
  PetscReal (*diagonal)[2], (*values)[2];
} Matrix;

/* Diagonally dominant matrices on the graph of the chosen vertices of a surface in fill-reducing order, with random entries. */
static void MatrixCreate(AbutDeformSurface surface, const PetscBool chosen[], Matrix *A)
{
  const PetscInt nv = surface->num_vertices;
  PetscInt      *order, *unknown, count = 0;
  PetscReal     *weight;

  AbutTestCall(PetscMalloc3(nv, &order, nv, &unknown, surface->num_edges, &weight));
  AbutTestCall(PetscMalloc4(nv + 1, &A->start, 2 * surface->num_edges, &A->neighbor, nv, &A->diagonal, 2 * surface->num_edges, &A->values));
  AbutTestCall(AbutFactorOrder(surface, order));
  A->n = 0;
  for (PetscInt v = 0; v < nv; v++) unknown[v] = -1;
  for (PetscInt k = 0; k < nv; k++)
    if (chosen[order[k]]) unknown[order[k]] = A->n++;
  for (PetscInt e = 0; e < surface->num_edges; e++) weight[e] = (PetscReal)rand() / RAND_MAX;
  for (PetscInt k = 0; k < nv; k++) {
    const PetscInt v = order[k], i = unknown[v];

    if (i < 0) continue;
    A->start[i]       = count;
    A->diagonal[i][0] = 0.01;
    A->diagonal[i][1] = 1;
    for (PetscInt l = surface->vertex_edge.start[v]; l < surface->vertex_edge.start[v + 1]; l++) {
      const PetscInt e = surface->vertex_edge.item[l], j = unknown[AbutDeformOtherEnd(surface, e, v)];

      if (j < 0) continue;
      A->neighbor[count]  = j;
      A->values[count][0] = -weight[e];
      A->values[count][1] = weight[e] / 2;
      A->diagonal[i][0] += weight[e];
      A->diagonal[i][1] += weight[e];
      count++;
    }
  }
  A->start[A->n] = count;
  AbutTestCall(PetscFree3(order, unknown, weight));
}

static void MatrixFree(Matrix *A)
{
  AbutTestCall(PetscFree4(A->start, A->neighbor, A->diagonal, A->values));
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

        for (PetscInt l = A->start[i]; l < A->start[i + 1] && (!pass || pass == m + 1); l++) sum += A->values[l][m] * y[A->neighbor[l]];
        assert_true(fabs(sum - b[m * A->n + i]) < 1e-11);
      }
    }
  }
  AbutTestCall(PetscFree2(x, b));
}

/* The same factor serves the whole graph, parts of it in several pieces, and the empty matrix. */
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
    AbutTestCall(AbutFactorAnalyze(factor, A.n, A.start, A.neighbor));
    for (PetscInt repeat = 0; repeat < 2; repeat++) {
      AbutTestCall(AbutFactorCompute(factor, (const PetscReal(*)[2])A.diagonal, (const PetscReal(*)[2])A.values));
      CheckSolutions(factor, &A);
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
  const PetscInt  start[3] = {0, 1, 2}, neighbor[2] = {1, 0};
  const PetscReal diagonal[2][2] = {{1, 1}, {1, 1}}, values[2][2] = {{0.5, 1.5}, {0.5, 1.5}};
  AbutFactor      factor;

  (void)state;
  AbutTestCall(AbutFactorCreate(&factor));
  AbutTestCall(AbutFactorAnalyze(factor, 2, start, neighbor));
  assert_int_equal(AbutFactorCompute(factor, diagonal, values), ABUT_ERR_DIVERGED);
  assert_non_null(strstr(AbutErrorMessage(), "not positive definite at the unknown 1 of 2"));
  AbutErrorClear();
  AbutTestCall(AbutFactorDestroy(&factor));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest factors[] = {cmocka_unit_test(Solutions), cmocka_unit_test(Indefinite)};

  return AbutTestMain(argc, argv, factors);
}
