/* Shape functions and static equilibrium of one body, for tests of the order of convergence. Independent of the kernels in src. */
#pragma once
#include "test.h"
#include <abut/elastic.h>
#include <petscksp.h>
#include <string.h>

#define MOST_NODES 10

static inline PetscInt NodesOf(const AbutMeshLocal *local, PetscInt c)
{
  return local->dim + 1 + (AbutCellIsQuadratic(local, c) ? AbutNumCellEdges(local->dim) : 0);
}

/* Point q of a rule of 3^dim points on a simplex by collapsed Gauss points: barycentric coordinates; returns the weight, sum 1. */
static inline PetscReal RulePoint(PetscInt dim, PetscInt q, PetscReal l[4])
{
  static const PetscReal at[3] = {0.1127016653792583, 0.5, 0.8872983346207417}, weight[3] = {5. / 18, 8. / 18, 5. / 18};
  PetscReal              rest = 1, w = 1;

  for (PetscInt k = 0; k < dim; k++, q /= 3) {
    l[k + 1] = rest * at[q % 3];
    w *= weight[q % 3] * PetscPowRealInt(1 - at[q % 3], (int)(dim - 1 - k)) * (PetscReal)(dim - k);
    rest -= l[k + 1];
  }
  l[0] = rest;
  return w;
}
static inline PetscInt RuleSize(PetscInt dim)
{
  return dim == 3 ? 27 : 9;
}

/* Lagrange shape functions N and their derivatives dN[node * dim + k] with respect to l_(k+1); corners, then nodes on edges. */
static inline void Shapes(PetscInt dim, PetscInt nodes, const PetscReal l[], PetscReal N[], PetscReal dN[])
{
  for (PetscInt a = 0; a <= dim; a++) {
    const PetscBool linear = (PetscBool)(nodes == dim + 1);
    N[a]                   = linear ? l[a] : l[a] * (2 * l[a] - 1);
    for (PetscInt k = 0; k < dim; k++) dN[dim * a + k] = (linear ? 1 : 4 * l[a] - 1) * ((a == k + 1) - (a == 0));
  }
  for (PetscInt n = dim + 1; n < nodes; n++) {
    const PetscInt a = AbutCellEdgeCorner(n - dim - 1, 0), b = AbutCellEdgeCorner(n - dim - 1, 1);
    N[n] = 4 * l[a] * l[b];
    for (PetscInt k = 0; k < dim; k++) dN[dim * n + k] = 4 * (l[a] * ((b == k + 1) - (b == 0)) + l[b] * ((a == k + 1) - (a == 0)));
  }
}

/* Component i of a field of vertices at the nodes of a cell. */
static inline void NodeValues(const AbutMeshLocal *local, PetscInt c, const PetscReal x[], PetscInt i, PetscReal values[])
{
  const PetscInt dim = local->dim;

  for (PetscInt a = 0; a < NodesOf(local, c); a++) values[a] = x[dim * AbutCellNode(local, c, a) + i];
  for (PetscInt n = dim + 1; n < NodesOf(local, c); n++)
    values[n] = AbutEdgeNode(values[AbutCellEdgeCorner(n - dim - 1, 0)], values[AbutCellEdgeCorner(n - dim - 1, 1)], values[n]);
}

/* Field x of vertices at a point of a cell, and its derivatives [dim * i + k] with respect to l_(k+1). */
static inline void Interpolate(const AbutMeshLocal *local, PetscInt c, const PetscReal l[], const PetscReal x[], PetscReal value[],
                               PetscReal derivative[])
{
  const PetscInt dim = local->dim, nodes = NodesOf(local, c);
  PetscReal      N[MOST_NODES], dN[3 * MOST_NODES], at[MOST_NODES];

  Shapes(dim, nodes, l, N, dN);
  for (PetscInt i = 0; i < dim; i++) {
    NodeValues(local, c, x, i, at);
    value[i] = AbutDot(nodes, N, at);
    for (PetscInt k = 0; k < dim; k++) {
      derivative[dim * i + k] = 0;
      for (PetscInt a = 0; a < nodes; a++) derivative[dim * i + k] += dN[dim * a + k] * at[a];
    }
  }
}

/* Inverse B of a dim x dim matrix; returns the determinant. */
static inline PetscReal Invert(PetscInt dim, const PetscReal A[], PetscReal B[])
{
  PetscReal rows[3][3], C[3][3], det;

  if (dim == 2) {
    det  = A[0] * A[3] - A[1] * A[2];
    B[0] = A[3] / det, B[1] = -A[1] / det, B[2] = -A[2] / det, B[3] = A[0] / det;
    return det;
  }
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) rows[k][i] = A[3 * k + i];
  for (int k = 0; k < 3; k++) AbutCross(rows[(k + 1) % 3], rows[(k + 2) % 3], C[k]);
  det = AbutDot(3, rows[0], C[0]);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) B[3 * i + k] = C[k][i] / det;
  return det;
}

/* Adds -scale times the shape functions of the vertices of cell c at a point times the force f to g. */
static inline void AddForce(const AbutMeshLocal *local, PetscInt c, const PetscReal l[], const PetscReal f[], PetscReal scale,
                            PetscReal g[])
{
  const PetscInt dim = local->dim, nodes = NodesOf(local, c);
  PetscReal      N[MOST_NODES], dN[3 * MOST_NODES];

  Shapes(dim, nodes, l, N, dN);
  for (PetscInt n = dim + 1; n < nodes; n++) {
    for (PetscInt end = 0; end < 2; end++) N[AbutCellEdgeCorner(n - dim - 1, end)] += ABUT_NODE_CORNER * N[n];
    N[n] *= ABUT_NODE_MIDDLE;
  }
  for (PetscInt a = 0; a < nodes; a++)
    for (PetscInt i = 0; i < dim; i++) g[dim * AbutCellNode(local, c, a) + i] -= scale * N[a] * f[i];
}

/* Newton's method from x with prescribed unknowns. load: minus the forces on local vertices [num_local * dim]; fixed: [num_owned * dim]. */
static inline void Equilibrium(AbutMesh mesh, AbutElastic elastic, const PetscReal load[], const PetscBool fixed[], int iterations,
                               PetscReal x[])
{
  const AbutMeshLocal *local = AbutMeshGetLocal(mesh);
  const PetscInt       dim = local->dim, n = local->num_owned * dim, nodes = dim + 1 + (local->middles ? AbutNumCellEdges(dim) : 0);
  AbutAssembler        as;
  PetscInt            *stencils;
  PetscReal           *g;
  KSP                  ksp;
  PC                   pc;
  Vec                  r, p;
  Mat                  A;

  AbutTestCall(PetscMalloc1(local->num_cells * nodes, &stencils));
  for (PetscInt k = 0; k < local->num_cells * nodes; k++) {
    const PetscInt v = AbutCellNode(local, k / nodes, k % nodes);
    stencils[k]      = v < 0 ? -1 : local->vertex_global[v];
  }
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, dim, local->num_owned, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, nodes, local->num_cells, stencils));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 0, NULL, NULL, NULL));
  A = AbutAssemblerGetMat(as);
  AbutTestCall(PetscMalloc1(local->num_local * dim, &g));
  AbutTestCall(MatCreateVecs(A, &p, &r));
  AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  AbutTestCall(KSPSetType(ksp, KSPCG));
  AbutTestCall(KSPSetTolerances(ksp, 1e-12, 0, PETSC_DEFAULT, 20000));
  AbutTestCall(KSPGetPC(ksp, &pc));
  AbutTestCall(PCSetType(pc, local->num_owned == local->num_global && dim == 2 ? PCLU : PCBJACOBI));
  for (int it = 0; it < iterations; it++) {
    PetscScalar *array;

    memcpy(g, load, sizeof(*g) * (size_t)(local->num_local * dim));
    AbutElasticAddGradient(elastic, x, 1, g);
    AbutTestCall(AbutMeshReduceAdd(mesh, dim, g));
    AbutTestCall(AbutAssemblerBegin(as));
    AbutElasticAddHessian(elastic, x, 1, ABUT_PSD_NONE, as);
    AbutTestCall(AbutAssemblerEnd(as, fixed));
    AbutTestCall(VecGetArray(r, &array));
    for (PetscInt k = 0; k < n; k++) array[k] = fixed[k] ? 0 : -g[k];
    AbutTestCall(VecRestoreArray(r, &array));
    AbutTestCall(KSPSetOperators(ksp, A, A));
    AbutTestCall(KSPSolve(ksp, r, p));
    AbutTestCall(VecGetArray(p, &array));
    for (PetscInt k = 0; k < n; k++) x[k] += array[k];
    AbutTestCall(VecRestoreArray(p, &array));
    AbutTestCall(AbutMeshUpdateGhosts(mesh, dim, x));
  }
  AbutTestCall(KSPDestroy(&ksp));
  AbutTestCall(VecDestroy(&r));
  AbutTestCall(VecDestroy(&p));
  AbutTestCall(PetscFree(g));
  AbutTestCall(PetscFree(stencils));
  AbutTestCall(AbutAssemblerDestroy(&as));
}
