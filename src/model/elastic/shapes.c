/* Shape functions of quadratic cells: derivatives with respect to the coordinates of the cell. */
#include "quadratic.h"

/* Barycentric coordinates of the points: of degree 2, all weights equal [Hammer and Stroud 1956]. */
static void PointCoordinates(PetscInt dim, PetscInt q, PetscReal l[4])
{
  const PetscReal small = dim == 3 ? 0.13819660112501051518 : 1. / 6, large = dim == 3 ? 0.58541019662496845446 : 2. / 3;

  for (PetscInt a = 0; a <= dim; a++) l[a] = a == q ? large : small;
}

void AbutQuadraticDerivatives(PetscInt dim, const PetscReal l[], PetscReal D[])
{
  for (PetscInt k = 0; k < dim; k++) { /* the derivative with respect to xi_k: +1 in coordinate k + 1, -1 in coordinate 0 */
    for (PetscInt a = 0; a <= dim; a++) D[dim * a + k] = a == 0 ? 1 - 4 * l[0] : a == k + 1 ? 4 * l[a] - 1 : 0;
    for (PetscInt e = 0; e < AbutNumCellEdges(dim); e++) {
      const PetscInt  a = AbutCellEdgeCorner(e, 0), b = AbutCellEdgeCorner(e, 1);
      const PetscReal node = 4 * (l[a] * ((b == k + 1) - (b == 0)) + l[b] * ((a == k + 1) - (a == 0)));

      D[dim * a + k] += ABUT_NODE_CORNER * node;
      D[dim * b + k] += ABUT_NODE_CORNER * node;
      D[dim * (dim + 1 + e) + k] = ABUT_NODE_MIDDLE * node;
    }
  }
}

void AbutQuadraticPoints(PetscInt dim, PetscReal D[])
{
  const PetscInt n = dim * (AbutNodes(dim) - 1);

  for (PetscInt q = 0; q < AbutPoints(dim); q++) {
    PetscReal l[4], all[30];

    PointCoordinates(dim, q, l);
    AbutQuadraticDerivatives(dim, l, all);
    for (PetscInt i = 0; i < n; i++) D[n * q + i] = all[dim + i];
  }
}
