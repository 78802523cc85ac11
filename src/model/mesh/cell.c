/* Shape functions, Jacobian and volume of linear and quadratic cells. */
#include "meshimpl.h"
#include <abut/dense.h>

/* Turns the function of the node on an edge into functions of the vertex and the corners. */
static void ShareNode(PetscInt dim, PetscInt e, PetscReal f[])
{
  const PetscInt  node  = dim + 1 + e;
  const PetscReal whole = f[node];

  for (PetscInt end = 0; end < 2; end++) f[AbutCellEdgeCorner(e, end)] += ABUT_NODE_CORNER * whole;
  f[node] = ABUT_NODE_MIDDLE * whole;
}

void AbutQuadraticShape(PetscInt dim, const PetscReal l[], PetscReal N[], PetscReal D[])
{
  const PetscInt nodes                = dim + 1 + AbutNumCellEdges(dim);
  PetscReal      d[4][ABUT_MAX_NODES] = {{0}}; /* derivatives with independent l */

  for (PetscInt a = 0; a <= dim; a++) {
    N[a]    = l[a] * (2 * l[a] - 1);
    d[a][a] = 4 * l[a] - 1;
  }
  for (PetscInt e = 0; e < AbutNumCellEdges(dim); e++) {
    const PetscInt a = AbutCellEdgeCorner(e, 0), b = AbutCellEdgeCorner(e, 1), node = dim + 1 + e;

    N[node]    = 4 * l[a] * l[b];
    d[a][node] = 4 * l[b];
    d[b][node] = 4 * l[a];
  }
  for (PetscInt e = 0; e < AbutNumCellEdges(dim); e++) ShareNode(dim, e, N);
  for (PetscInt k = 0; k < dim; k++) {
    for (PetscInt a = 0; a < nodes; a++) D[nodes * k + a] = d[k + 1][a] - d[0][a];
    for (PetscInt e = 0; e < AbutNumCellEdges(dim); e++) ShareNode(dim, e, &D[nodes * k]);
  }
}

void AbutCellDerivatives(const AbutMeshLocal *m, PetscInt c, const PetscReal l[], const PetscReal x[], PetscReal J[])
{
  const PetscInt  dim = m->dim, nodes = dim + 1 + AbutNumCellEdges(dim), *cell = &m->cells[(dim + 1) * c];
  PetscReal       N[ABUT_MAX_NODES], D[3 * ABUT_MAX_NODES];
  const PetscBool quadratic = AbutCellIsQuadratic(m, c);

  if (quadratic) AbutQuadraticShape(dim, l, N, D);
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt d = 0; d < dim; d++) {
      J[dim * k + d] = quadratic ? 0 : x[dim * cell[k + 1] + d] - x[dim * cell[0] + d];
      for (PetscInt a = 0; quadratic && a < nodes; a++) J[dim * k + d] += D[nodes * k + a] * x[dim * AbutCellNode(m, c, a) + d];
    }
}

PetscReal AbutCellJacobian(const AbutMeshLocal *m, PetscInt c, const PetscReal l[], const PetscReal x[])
{
  PetscReal J[9], n[3];

  AbutCellDerivatives(m, c, l, x, J);
  if (m->dim == 2) return J[0] * J[3] - J[1] * J[2];
  AbutCross(J, J + 3, n);
  return AbutDot(3, n, J + 6);
}

PetscReal AbutCellMeasure(const AbutMeshLocal *m, PetscInt c, const PetscReal x[])
{
  const PetscInt  corners = m->dim + 1;
  const PetscReal unit = m->dim == 3 ? 6 : 2, centre[4] = {0.25, 0.25, 0.25, 0.25}, far = m->dim == 3 ? 0.5 : 2. / 3;
  PetscReal       sum = 0;

  if (!AbutCellIsQuadratic(m, c)) return AbutCellJacobian(m, c, centre, x) / unit;
  for (PetscInt q = 0; q < corners; q++) { /* 5 points of degree 3 in a tetrahedron, 3 of degree 2 in a triangle: exact */
    PetscReal l[4];

    for (PetscInt a = 0; a < corners; a++) l[a] = a == q ? far : 1. / 6;
    sum += (m->dim == 3 ? 9. / 20 : 1. / 3) * AbutCellJacobian(m, c, l, x);
  }
  if (m->dim == 3) sum -= 4. / 5 * AbutCellJacobian(m, c, centre, x);
  return sum / unit;
}

PetscReal AbutCellStretch(const AbutMeshLocal *m, PetscInt c, const PetscReal from[], const PetscReal to[])
{
  const PetscInt nodes = m->dim + 1 + AbutNumCellEdges(m->dim);
  PetscReal      least = PETSC_INFINITY;

  for (PetscInt node = 0; node <= nodes; node++) {
    PetscReal l[4] = {0};

    for (PetscInt a = 0; a <= m->dim; a++) {
      const PetscInt e = node - m->dim - 1;

      if (node == nodes) l[a] = 1 / (PetscReal)(m->dim + 1);
      if (node <= m->dim) l[a] = a == node;
      if (node > m->dim && node < nodes) l[a] = a == AbutCellEdgeCorner(e, 0) || a == AbutCellEdgeCorner(e, 1) ? 0.5 : 0;
    }
    least = PetscMin(least, AbutCellJacobian(m, c, l, to) / AbutCellJacobian(m, c, l, from));
    if (!AbutCellIsQuadratic(m, c)) break;
  }
  return least;
}
