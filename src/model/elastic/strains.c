/*
  Plastic and viscous strains as fields that are linear in each cell, to transfer them to another mesh. Of Fp^-1 the field is the logarithm:
  a mean of logarithms has the trace 0, so that the determinant stays 1. See AbutFieldShares().
*/
#include "quadratic.h"
#include <abut/dense.h>

PetscInt AbutElasticStrainWidth(AbutElastic el)
{
  return AbutElasticHistoryWidth(el) / AbutPointsOfRow(el);
}

/* S := exp(S) or log(S) of a symmetric matrix as xx yy zz xy yz zx. */
static void Transform(PetscBool exponential, PetscReal S[6])
{
  const PetscReal M[9] = {S[0], S[3], S[5], S[3], S[1], S[4], S[5], S[4], S[2]};
  PetscReal       w[3], Q[9];

  AbutEigenSymmetric(3, M, w, Q);
  for (PetscInt k = 0; k < 3; k++) w[k] = exponential ? PetscExpReal(w[k]) : PetscLogReal(w[k]);
  for (PetscInt i = 0; i < 6; i++) {
    const PetscInt row = i % 3, column = i < 3 ? row : (row + 1) % 3;

    S[i] = 0;
    for (PetscInt k = 0; k < 3; k++) S[i] += Q[3 * row + k] * w[k] * Q[3 * column + k];
  }
}

/* Values at the corners of cell c from the numbers at[points * ABUT_STRAIN] of one kind of strain. */
static void SetCorners(AbutElastic el, PetscInt c, const PetscReal at[], PetscInt stride, PetscReal corners[])
{
  const PetscInt dim = el->local->dim, num = PetscMin(AbutPointsOfCell(el, c), dim + 1), first = AbutFieldPoint(el, c);
  PetscReal      value[4][ABUT_STRAIN], share[4];

  for (PetscInt b = 0; b < num; b++) {
    for (PetscInt i = 0; i < ABUT_STRAIN; i++) value[b][i] = at[ABUT_STRAIN * (first + b) + i];
    if (value[b][0] > 0) Transform(PETSC_FALSE, value[b]); /* else the cell has no strains of this kind */
  }
  for (PetscInt a = 0; a <= dim; a++) {
    AbutFieldShares(el, c, a, share);
    for (PetscInt i = 0; i < ABUT_STRAIN; i++) {
      corners[stride * a + i] = 0;
      for (PetscInt b = 0; b < num; b++) corners[stride * a + i] += share[b] * value[b][i];
    }
  }
}

PetscErrorCode AbutElasticGetStrains(AbutElastic el, PetscReal corners[])
{
  const PetscInt points = AbutPointsOfRow(el), row = AbutElasticHistoryWidth(el), width = row / points, num = el->local->dim + 1;
  PetscReal     *rows;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(row * el->local->num_cells, &rows));
  AbutElasticGetHistory(el, rows);
  for (PetscInt c = 0; c < el->local->num_cells; c++)
    for (PetscInt k = 0; k < width; k += ABUT_STRAIN) SetCorners(el, c, rows + row * c + points * k, width, corners + width * num * c + k);
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(0);
}

static PetscBool HasStrains(AbutElastic el, PetscInt c)
{
  if (el->materials[el->cell_material[c]].ops->flow) return PETSC_TRUE;
  for (PetscInt b = 0; b < el->num_branches; b++)
    if (el->branches[b]->cell_material[c] >= 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Rest position of point q of cell c. */
static void PointAtRest(AbutElastic el, PetscInt c, PetscInt q, PetscReal X[])
{
  const AbutMeshLocal *m         = el->local;
  const PetscBool      quadratic = AbutCellIsQuadratic(m, c);
  const PetscInt       dim = m->dim, nodes = quadratic ? AbutNodes(dim) : dim + 1;
  PetscReal            l[4], N[ABUT_MAX_NODES], D[3 * ABUT_MAX_NODES];

  AbutPointCoordinates(el, c, q, l);
  if (quadratic) AbutQuadraticShape(dim, l, N, D);
  for (PetscInt k = 0; k < dim; k++) {
    X[k] = 0;
    for (PetscInt a = 0; a < nodes; a++) X[k] += (quadratic ? N[a] : l[a]) * m->rest[dim * AbutCellNode(m, c, a) + k];
  }
}

PetscInt AbutElasticStrainPoints(AbutElastic el, PetscReal X[], PetscInt body[])
{
  PetscInt num = 0;

  for (PetscInt c = 0; c < el->local->num_cells; c++)
    for (PetscInt q = 0; q < AbutPointsOfCell(el, c) && HasStrains(el, c); q++, num++) {
      if (!X) continue;
      PointAtRest(el, c, q, X + el->local->dim * num);
      body[num] = el->local->cell_body[c];
    }
  return num;
}

PetscErrorCode AbutElasticSetStrains(AbutElastic el, const PetscReal values[])
{
  const PetscInt points = AbutPointsOfRow(el), row = AbutElasticHistoryWidth(el), width = row / points;
  PetscReal     *rows;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(row * el->local->num_cells, &rows));
  for (PetscInt c = 0; c < el->local->num_cells; c++)
    for (PetscInt q = 0; q < AbutPointsOfCell(el, c) && HasStrains(el, c); q++, values += width)
      for (PetscInt k = 0; k < width; k += ABUT_STRAIN) {
        PetscReal *state = rows + row * c + points * k + ABUT_STRAIN * q;

        PetscCall(PetscArraycpy(state, values + k, ABUT_STRAIN));
        Transform(PETSC_TRUE, state);
        state[6] = PetscMax(state[6], 0); /* the continuation to the corners can be negative */
      }
  AbutElasticSetHistory(el, rows);
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(0);
}
