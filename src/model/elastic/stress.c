/* Cauchy and von Mises stress for output. */
#include "quadratic.h"

/* sigma = P F^T / J (small_strain materials: P) in the order xx yy zz xy yz zx, from matrices of 3 x 3. */
static void PushForward(const AbutMaterial *m, const PetscReal F3[], const PetscReal P[], PetscReal sigma[6])
{
  static const PetscReal identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const PetscReal       *push        = m->ops->small_strain ? identity : F3;
  PetscReal              C[9], J = m->ops->small_strain ? 1 : AbutCofactor(3, F3, C);

  for (PetscInt i = 0; i < 3; i++) {
    const PetscInt j = (i + 1) % 3;
    sigma[i]         = AbutDot(3, P + 3 * i, push + 3 * i) / J;
    sigma[3 + i]     = AbutDot(3, P + 3 * i, push + 3 * j) / J;
  }
}

/* Stress of a linear cell from its elastic deformation gradient; in 2D plane strain. */
static void Cauchy(const AbutMaterial *m, PetscInt dim, const PetscReal F[], PetscReal sigma[6])
{
  PetscReal F3[9] = {0, 0, 0, 0, 0, 0, 0, 0, PetscExpReal(m->constants.log_third)}, P[9];

  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) F3[3 * i + j] = F[dim * i + j];
  AbutMaterialStress(m->ops, 3, &m->constants, F3, P);
  PushForward(m, F3, P, sigma);
}

/* Adds the stress at each point of cell c, without viscoelastic branches. */
static void AddStress(AbutElastic el, PetscInt c, const PetscReal x[], PetscReal sigma[][6])
{
  const AbutMaterial *m = el->materials + el->cell_material[c];
  PetscReal           F[9 * ABUT_MAX_POINTS], P[9 * ABUT_MAX_POINTS], at[6];

  if (AbutCellIsQuadratic(el->local, c))
    AbutQuadraticStresses(el, el->quadratic.index[c], x, F, P);
  else
    AbutElasticDeformation(el, el->local->dim, el->elastic_gradients, c, x, F);
  for (PetscInt q = 0; q < AbutPointsOfCell(el, c); q++) {
    if (AbutCellIsQuadratic(el->local, c))
      PushForward(m, F + 9 * q, P + 9 * q, at);
    else
      Cauchy(m, el->local->dim, F, at);
    for (PetscInt k = 0; k < 6; k++) sigma[q][k] += at[k];
  }
}

/* Stress at each point of cell c. */
static void PointStress(AbutElastic el, PetscInt c, const PetscReal x[], PetscReal sigma[][6])
{
  for (PetscInt i = 0; i < 6 * AbutPointsOfCell(el, c); i++) sigma[i / 6][i % 6] = 0;
  AddStress(el, c, x, sigma);
  for (PetscInt b = 0; b < el->num_branches; b++)
    if (el->branches[b]->cell_material[c] >= 0) AddStress(el->branches[b], c, x, sigma);
}

void AbutElasticCornerStress(AbutElastic el, PetscInt c, const PetscReal x[], PetscReal corner[4][6])
{
  const PetscInt dim = el->local->dim, num = PetscMin(AbutPointsOfCell(el, c), dim + 1), first = AbutFieldPoint(el, c);
  PetscReal      at[ABUT_MAX_POINTS][6], share[4];

  PointStress(el, c, x, at);
  for (PetscInt a = 0; a <= dim; a++) {
    AbutFieldShares(el, c, a, share);
    for (PetscInt k = 0; k < 6; k++) {
      corner[a][k] = 0;
      for (PetscInt b = 0; b < num; b++) corner[a][k] += share[b] * at[first + b][k];
    }
  }
}

static PetscReal Mises(const PetscReal s[6])
{
  const PetscReal a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return PetscSqrtReal((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* Mean stress of cell c. */
static void StressOfCell(AbutElastic el, PetscInt c, const PetscReal x[], PetscReal sigma[6])
{
  const PetscInt points = AbutPointsOfCell(el, c), first = points > 1 ? AbutFirstPoint(el, el->quadratic.index[c]) : 0;
  PetscReal      at[ABUT_MAX_POINTS][6];

  PointStress(el, c, x, at);
  for (PetscInt k = 0; k < 6; k++) sigma[k] = 0;
  for (PetscInt q = 0; q < points; q++) {
    const PetscReal share = points > 1 ? el->quadratic.weight[first + q] / el->volumes[c] : 1;

    for (PetscInt k = 0; k < 6; k++) sigma[k] += share * at[q][k];
  }
}

void AbutElasticGetStress(AbutElastic el, const PetscReal x[], PetscReal cauchy[], PetscReal mises[])
{
  for (PetscInt c = 0; c < el->local->num_cells; c++) {
    PetscReal sigma[6];

    StressOfCell(el, c, x, sigma);
    for (PetscInt i = 0; i < 6 && cauchy; i++) cauchy[6 * c + i] = sigma[i];
    if (mises) mises[c] = Mises(sigma);
  }
}

PetscErrorCode AbutElasticGetNodalPressure(AbutElastic el, const PetscReal cauchy[], PetscReal pressure[])
{
  const AbutMeshLocal *local = el->local;
  const PetscInt       nodes = AbutNodes(local->dim);
  PetscReal           *sum; /* [num_local * 2] volume times pressure, volume */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 * local->num_local, &sum));
  for (PetscInt c = 0; c < local->num_cells; c++)
    for (PetscInt a = 0; a < nodes && AbutCellNode(local, c, a) >= 0; a++) {
      PetscReal *at = sum + 2 * AbutCellNode(local, c, a);

      at[0] -= el->volumes[c] * (cauchy[6 * c] + cauchy[6 * c + 1] + cauchy[6 * c + 2]) / 3;
      at[1] += el->volumes[c];
    }
  PetscCall(AbutMeshReduceAdd(el->mesh, 2, sum));
  for (PetscInt v = 0; v < local->num_owned; v++) pressure[v] = sum[2 * v + 1] > 0 ? sum[2 * v] / sum[2 * v + 1] : 0;
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(0);
}
