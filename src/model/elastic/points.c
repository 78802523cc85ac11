/* Points of quadratic cells: deformation gradients, derivatives of the shape functions, volumes; shares in the mass. */
#include "quadratic.h"

/* Barycentric coordinates of the points: of degree 2, all weights equal [Hammer and Stroud 1956]. */
static void PointCoordinates(PetscInt dim, PetscInt q, PetscReal l[4])
{
  const PetscReal small = dim == 3 ? 0.13819660112501051518 : 1. / 6, large = dim == 3 ? 0.58541019662496845446 : 2. / 3;

  for (PetscInt a = 0; a <= dim; a++) l[a] = a == q ? large : small;
}

/* Derivatives [points][nodes - 1][dim] with respect to xi at all points, of all nodes but the first. */
static void SetDerivatives(PetscInt dim, PetscReal derivatives[])
{
  const PetscInt nodes = AbutNodes(dim);

  for (PetscInt q = 0; q < AbutPoints(dim); q++) {
    PetscReal l[4], N[ABUT_MAX_NODES], D[3 * ABUT_MAX_NODES];

    PointCoordinates(dim, q, l);
    AbutQuadraticShape(dim, l, N, D);
    for (PetscInt a = 1; a < nodes; a++)
      for (PetscInt k = 0; k < dim; k++) *derivatives++ = D[nodes * k + a];
  }
}

static ABUT_ALWAYS_INLINE void Jacobian(PetscInt dim, AbutElastic el, PetscInt c, PetscInt q, const PetscReal x[], PetscReal J[])
{
  const AbutMeshLocal *local = el->local;
  const PetscInt   rows = AbutNodes(dim) - 1, *corner = local->cells + (dim + 1) * c, *middle = local->middles + AbutNumCellEdges(dim) * c;
  const PetscReal *D = el->quadratic.derivatives + dim * rows * q, *x0 = x + dim * corner[0];

  for (PetscInt i = 0; i < dim * dim; i++) J[i] = 0;
  for (PetscInt a = 0; a < rows; a++) {
    const PetscReal *xa = x + dim * (a < dim ? corner[a + 1] : middle[a - dim]);
    for (PetscInt k = 0; k < dim; k++)
      for (PetscInt l = 0; l < dim; l++) J[dim * k + l] += (xa[k] - x0[k]) * D[dim * a + l];
  }
}

void AbutQuadraticJacobian(AbutElastic el, PetscInt c, PetscInt q, const PetscReal x[], PetscReal J[])
{
  ABUT_BY_DIM(el->local->dim, Jacobian, el, c, q, x, J);
}

/* ABUT_ERR_INPUT if the Jacobian of cell c is not positive in the whole cell at rest. */
static PetscErrorCode CheckPositive(const AbutMeshLocal *local, PetscInt c)
{
  const AbutBody *body   = &local->bodies[local->cell_body[c]];
  const PetscReal volume = AbutCellMeasure(local, c, local->rest) * (local->dim == 3 ? 6 : 2);

  PetscFunctionBegin;
  AbutCheck(
    AbutQuadraticIsPositive(local, c, local->rest), ABUT_ERR_INPUT,
    "body \"%s\": the Jacobian of the quadratic cell %" PetscInt_FMT
    " is not positive in the whole cell at rest (smallest value at its corners: %.3g of the mean); use smaller cells where the surface "
    "is curved, or linear cells; check the order of the nodes of a file",
    body->name, local->cell_id[c] - body->cell_start, (double)(AbutQuadraticSmallestCorner(local, c, local->rest) / volume));
  PetscFunctionReturn(0);
}

static void SetPoint(AbutElastic el, PetscInt i, PetscInt q)
{
  const PetscInt dim = el->local->dim, points = AbutPoints(dim);
  PetscReal     *B = el->quadratic.inverse + dim * dim * (points * i + q), J[9], C[9], det;

  AbutQuadraticJacobian(el, el->quadratic.cell[i], q, el->local->rest, J);
  det = AbutCofactor(dim, J, C);
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt l = 0; l < dim; l++) B[dim * k + l] = C[dim * l + k] / det;
  el->quadratic.weight[points * i + q] = det / (PetscReal)(points * (dim == 3 ? 6 : 2));
}

PetscErrorCode AbutQuadraticCreate(AbutElastic el)
{
  const AbutMeshLocal *local  = el->local;
  AbutQuadratic       *quad   = &el->quadratic;
  const PetscInt       points = AbutPoints(local->dim);

  PetscFunctionBegin;
  if (!local->middles) PetscFunctionReturn(0);
  SetDerivatives(local->dim, quad->derivatives);
  PetscCall(PetscMalloc1(local->num_cells, &quad->index));
  for (PetscInt c = 0; c < local->num_cells; c++) quad->index[c] = AbutCellIsQuadratic(local, c) ? quad->num++ : -1;
  PetscCall(PetscMalloc2(quad->num, &quad->cell, quad->num, &quad->active));
  PetscCall(PetscMalloc2(quad->num * points * local->dim * local->dim, &quad->inverse, quad->num * points, &quad->weight));
  for (PetscInt c = 0; c < local->num_cells; c++)
    if (quad->index[c] >= 0) quad->cell[quad->index[c]] = c;
  for (PetscInt i = 0; i < quad->num; i++) {
    PetscReal *volume = el->volumes + quad->cell[i];

    PetscCall(CheckPositive(local, quad->cell[i]));
    *volume = 0;
    for (PetscInt q = 0; q < points; q++) {
      SetPoint(el, i, q);
      *volume += quad->weight[points * i + q];
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutQuadraticDestroy(AbutElastic el)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(el->quadratic.index));
  PetscCall(PetscFree2(el->quadratic.cell, el->quadratic.active));
  PetscCall(PetscFree2(el->quadratic.inverse, el->quadratic.weight));
  PetscFunctionReturn(0);
}

void AbutQuadraticDeformation(AbutElastic el, PetscInt i, PetscInt q, const PetscReal x[], PetscReal F[])
{
  const PetscInt   dim = el->local->dim;
  const PetscReal *B   = el->quadratic.inverse + dim * dim * (AbutPoints(dim) * i + q);
  PetscReal        J[9];

  AbutQuadraticJacobian(el, el->quadratic.cell[i], q, x, J);
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt l = 0; l < dim; l++) {
      F[dim * k + l] = 0;
      for (PetscInt m = 0; m < dim; m++) F[dim * k + l] += J[dim * k + m] * B[dim * m + l];
    }
}

void AbutQuadraticGradients(AbutElastic el, PetscInt i, PetscInt q, PetscReal g[])
{
  const PetscInt   dim = el->local->dim, rows = AbutNodes(dim) - 1;
  const PetscReal *B = el->quadratic.inverse + dim * dim * (AbutPoints(dim) * i + q), *D = el->quadratic.derivatives + dim * rows * q;

  for (PetscInt a = 0; a < rows; a++)
    for (PetscInt l = 0; l < dim; l++) {
      g[dim * a + l] = 0;
      for (PetscInt m = 0; m < dim; m++) g[dim * a + l] += D[dim * a + m] * B[dim * m + l];
    }
}

void AbutQuadraticAddForces(AbutElastic el, PetscInt i, PetscInt q, PetscReal scale, const PetscReal P[], PetscReal f[])
{
  const PetscInt dim = el->local->dim, c = el->quadratic.cell[i];
  PetscReal      g[27];

  AbutQuadraticGradients(el, i, q, g);
  for (PetscInt k = 0; k < dim; k++) {
    PetscReal total = 0;
    for (PetscInt a = 1; a < AbutNodes(dim); a++) {
      const PetscReal force = scale * AbutDot(dim, P + dim * k, g + dim * (a - 1));
      f[dim * AbutCellNode(el->local, c, a) + k] += force;
      total += force;
    }
    f[dim * AbutCellNode(el->local, c, 0) + k] -= total;
  }
}

void AbutQuadraticMass(PetscInt dim, PetscReal share[])
{
  for (PetscInt a = 0; a < AbutNodes(dim); a++) {
    if (dim == 3)
      share[a] = a < 4 ? 1. / 40 : 3. / 20;
    else
      share[a] = a < 3 ? 1. / 12 : 1. / 4;
  }
}
