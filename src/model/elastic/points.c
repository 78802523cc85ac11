/* Points of quadratic cells: deformation gradients, derivatives of the shape functions, volumes; shares in the mass. */
#include "quadratic.h"

#define STRAIGHT 1e-6 /* larger than the round-off of positions far from the origin */

/*
  Barycentric coordinates and weights of the points, of which one coordinate differs from the others. Straight cells: degree 2 [Hammer and
  Stroud 1956]. Curved tetrahedra: degree 3, the degree of the derivatives of the shape functions times the cofactors of the Jacobian
  matrix, so that forces of a uniform stress are exact; all points are inside and all weights positive [Witherden and Vincent 2015]. In a
  curved triangle this product has degree 2.
*/
typedef struct {
  PetscInt  num;
  PetscReal equal[2], other[2]; /* coordinates of the points q / (dim + 1) = 0 and 1 */
  PetscReal parts[2];           /* volume of the cell over the one of the point */
} Rule;

static Rule RuleOf(PetscInt dim, PetscBool curved)
{
  if (dim == 2) return (Rule){3, {1. / 6}, {2. / 3}, {3}};
  if (!curved) return (Rule){4, {0.13819660112501051518}, {0.58541019662496845446}, {4}};
  return (Rule){8,
                {0.3281633025163817, 0.10804724989842872877},
                {0.0155100924508549, 0.67585825030471381370},
                {7.34118219298427746609, 8.78872419277115753458}};
}

static void PointCoordinates(PetscInt dim, const Rule *rule, PetscInt q, PetscReal l[4])
{
  const PetscInt orbit = q / (dim + 1);

  for (PetscInt a = 0; a <= dim; a++) l[a] = a == q % (dim + 1) ? rule->other[orbit] : rule->equal[orbit];
}

void AbutPointCoordinates(AbutElastic el, PetscInt c, PetscInt q, PetscReal l[4])
{
  const PetscInt  dim       = el->local->dim;
  const PetscBool quadratic = AbutCellIsQuadratic(el->local, c);
  const Rule      rule      = quadratic ? RuleOf(dim, AbutIsCurved(el, el->quadratic.index[c]))
                                        : (Rule){1, {1. / (PetscReal)(dim + 1)}, {1. / (PetscReal)(dim + 1)}, {1}};

  PointCoordinates(dim, &rule, q, l);
}

void AbutFieldShares(AbutElastic el, PetscInt c, PetscInt a, PetscReal share[4])
{
  PetscReal l[4];

  share[0] = 1;
  if (AbutPointsOfCell(el, c) == 1) return;
  AbutPointCoordinates(el, c, AbutFieldPoint(el, c), l); /* of the point near corner 0 */
  for (PetscInt b = 0; b <= el->local->dim; b++) share[b] = ((a == b) - l[1]) / (l[0] - l[1]);
}

/* See AbutPointDerivatives(). */
static void SetDerivatives(PetscInt dim, PetscBool curved, PetscReal derivatives[])
{
  const PetscInt nodes = AbutNodes(dim);
  const Rule     rule  = RuleOf(dim, curved);

  for (PetscInt q = 0; q < rule.num; q++) {
    PetscReal l[4], N[ABUT_MAX_NODES], D[3 * ABUT_MAX_NODES];

    PointCoordinates(dim, &rule, q, l);
    AbutQuadraticShape(dim, l, N, D);
    for (PetscInt a = 1; a < nodes; a++)
      for (PetscInt k = 0; k < dim; k++) *derivatives++ = D[nodes * k + a];
  }
}

static ABUT_ALWAYS_INLINE void Jacobian(PetscInt dim, AbutElastic el, PetscInt i, PetscInt q, const PetscReal x[], PetscReal J[])
{
  const AbutMeshLocal *local = el->local;
  const PetscInt       c = el->quadratic.cell[i], rows = AbutNodes(dim) - 1;
  const PetscReal     *D = AbutPointDerivatives(el, i, q), *x0 = x + dim * AbutCellNode(local, c, 0);

  for (PetscInt k = 0; k < dim * dim; k++) J[k] = 0;
  for (PetscInt a = 0; a < rows; a++) {
    const PetscReal *xa = x + dim * AbutCellNode(local, c, a + 1);
    for (PetscInt k = 0; k < dim; k++)
      for (PetscInt l = 0; l < dim; l++) J[dim * k + l] += (xa[k] - x0[k]) * D[dim * a + l];
  }
}

void AbutQuadraticJacobian(AbutElastic el, PetscInt i, PetscInt q, const PetscReal x[], PetscReal J[])
{
  ABUT_BY_DIM(el->local->dim, Jacobian, el, i, q, x, J);
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
  const PetscInt dim = el->local->dim, at = AbutFirstPoint(el, i) + q;
  const Rule     rule = RuleOf(dim, AbutIsCurved(el, i));
  PetscReal     *B    = el->quadratic.inverse + dim * dim * at, J[9], C[9], det;

  AbutQuadraticJacobian(el, i, q, el->local->rest, J);
  det = AbutCofactor(dim, J, C);
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt l = 0; l < dim; l++) B[dim * k + l] = C[dim * l + k] / det;
  el->quadratic.weight[at] = det / (rule.parts[q / (dim + 1)] * (dim == 3 ? 6 : 2));
}

/*
  Whether a cell of three dimensions has nodes away from the middles of its edges by more than STRAIGHT of their lengths. The rule of
  straight cells has an error of the square of this distance.
*/
static PetscBool IsCurved(const AbutMeshLocal *m, PetscInt c)
{
  for (PetscInt e = 0; e < 6 && m->dim == 3; e++) {
    const PetscReal *a = m->rest + 3 * AbutCellNode(m, c, AbutCellEdgeCorner(e, 0)),
                    *b = m->rest + 3 * AbutCellNode(m, c, AbutCellEdgeCorner(e, 1)), *v = m->rest + 3 * AbutCellNode(m, c, 4 + e);
    PetscReal edge[3], bow[3];

    for (int k = 0; k < 3; k++) {
      edge[k] = b[k] - a[k];
      bow[k]  = v[k] - (a[k] + b[k]) / 2;
    }
    if (AbutDot(3, bow, bow) > PetscSqr(STRAIGHT) * AbutDot(3, edge, edge)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Lists the quadratic cells, straight ones first. */
static PetscErrorCode ListCells(AbutElastic el)
{
  const AbutMeshLocal *m    = el->local;
  AbutQuadratic       *quad = &el->quadratic;
  PetscInt             num  = 0;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < m->num_cells; c++) num += AbutCellIsQuadratic(m, c);
  PetscCall(PetscMalloc1(m->num_cells, &quad->index));
  PetscCall(PetscMalloc2(num, &quad->cell, num, &quad->active));
  for (PetscInt c = 0; c < m->num_cells; c++) quad->index[c] = -1;
  for (int curved = 0; curved < 2; curved++) {
    for (PetscInt c = 0; c < m->num_cells; c++) {
      if (!AbutCellIsQuadratic(m, c) || IsCurved(m, c) != (PetscBool)curved) continue;
      quad->index[c]          = quad->num;
      quad->cell[quad->num++] = c;
    }
    if (!curved) quad->num_straight = quad->num;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutQuadraticCreate(AbutElastic el)
{
  const AbutMeshLocal *local = el->local;
  AbutQuadratic       *quad  = &el->quadratic;
  PetscInt             points;

  PetscFunctionBegin;
  if (!local->middles) PetscFunctionReturn(0);
  for (int curved = 0; curved < 2; curved++) SetDerivatives(local->dim, (PetscBool)curved, quad->derivatives[curved]);
  PetscCall(ListCells(el));
  points = AbutFirstPoint(el, quad->num);
  PetscCall(PetscMalloc2(points * local->dim * local->dim, &quad->inverse, points, &quad->weight));
  for (PetscInt i = 0; i < quad->num; i++) {
    PetscReal *volume = el->volumes + quad->cell[i];

    PetscCall(CheckPositive(local, quad->cell[i]));
    *volume = 0;
    for (PetscInt q = 0; q < AbutPoints(el, i); q++) {
      SetPoint(el, i, q);
      *volume += quad->weight[AbutFirstPoint(el, i) + q];
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

void AbutQuadraticDeformation(AbutElastic el, const PetscReal inverse[], PetscInt i, PetscInt q, const PetscReal x[], PetscReal F[])
{
  const PetscInt   dim = el->local->dim;
  const PetscReal *B   = inverse + dim * dim * (AbutFirstPoint(el, i) + q);
  PetscReal        J[9];

  AbutQuadraticJacobian(el, i, q, x, J);
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt l = 0; l < dim; l++) {
      F[dim * k + l] = 0;
      for (PetscInt m = 0; m < dim; m++) F[dim * k + l] += J[dim * k + m] * B[dim * m + l];
    }
}

void AbutQuadraticGradients(AbutElastic el, PetscInt i, PetscInt q, PetscReal g[])
{
  const PetscInt   dim = el->local->dim, rows = AbutNodes(dim) - 1;
  const PetscReal *B = el->quadratic.inverse + dim * dim * (AbutFirstPoint(el, i) + q), *D = AbutPointDerivatives(el, i, q);

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
