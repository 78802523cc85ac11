/*
  Error of the cells in the elastic energy, by recovery [Zienkiewicz and Zhu 1987]: the stress of cells jumps between them; the mean of the
  cells at a vertex, interpolated, is closer to the true stress. The error is the complementary energy of the difference. In a cell the
  stress is linear: see AbutElasticCornerStress().
*/
#include "quadratic.h"

enum { STRESS, VOLUME = 6, COUNT, REGION, SQUARE, WIDTH }; /* sums over the cells of a vertex */

/* Complementary energy density of a stress with the moduli of small strains [J/m^3]. */
static PetscReal Density(const AbutMaterialConstants *m, const PetscReal s[6])
{
  const PetscReal trace = s[0] + s[1] + s[2], bulk = m->lambda + 2 * m->mu / 3;
  PetscReal       norm2 = 0;

  for (PetscInt i = 0; i < 6; i++) norm2 += i < 3 ? PetscSqr(s[i] - trace / 3) : 2 * PetscSqr(s[i]);
  return norm2 / (4 * m->mu) + trace * trace / (18 * bulk);
}

/* Integral of the density over cell c, of a stress that is linear between its corners [J]. */
static PetscReal Integral(AbutElastic el, PetscInt c, PetscReal corner[4][6])
{
  const PetscInt               dim      = el->local->dim;
  const AbutMaterialConstants *m        = &el->materials[el->cell_material[c]].constants;
  PetscReal                    total[6] = {0}, sum = 0;

  for (PetscInt a = 0; a <= dim; a++) {
    for (PetscInt i = 0; i < 6; i++) total[i] += corner[a][i];
    sum += Density(m, corner[a]);
  }
  return el->volumes[c] * (sum + Density(m, total)) / (PetscReal)((dim + 1) * (dim + 2));
}

/* Sums over the cells of each vertex, with ghosts. Collective. */
static PetscErrorCode SumAtVertices(AbutElastic el, const PetscReal x[], PetscReal sum[])
{
  const AbutMeshLocal *m = el->local;
  PetscReal            corner[4][6];

  PetscFunctionBegin;
  for (PetscInt c = 0; c < m->num_cells; c++) {
    const PetscReal region = (PetscReal)(AbutMeshGetCellRegion(el->mesh, c) + 1);

    AbutElasticCornerStress(el, c, x, corner);
    for (PetscInt a = 0; a <= m->dim; a++) {
      PetscReal *at = sum + WIDTH * AbutCellNode(m, c, a);

      for (PetscInt i = 0; i < 6; i++) at[STRESS + i] += el->volumes[c] * corner[a][i];
      at[VOLUME] += el->volumes[c];
      at[COUNT] += 1;
      at[REGION] += region;
      at[SQUARE] += region * region;
    }
  }
  PetscCall(AbutMeshReduceAdd(el->mesh, WIDTH, sum));
  PetscCall(AbutMeshUpdateGhosts(el->mesh, WIDTH, sum));
  PetscFunctionReturn(0);
}

/* Difference of the stress from the mean at each corner; 0 where materials meet, whose stresses differ. */
static void Subtract(AbutElastic el, PetscInt c, const PetscReal sum[], PetscReal corner[4][6])
{
  for (PetscInt a = 0; a <= el->local->dim; a++) {
    const PetscReal *at   = sum + WIDTH * AbutCellNode(el->local, c, a);
    const PetscBool  meet = (PetscBool)(at[COUNT] * at[SQUARE] != at[REGION] * at[REGION]);

    for (PetscInt i = 0; i < 6; i++) corner[a][i] = meet ? 0 : corner[a][i] - at[STRESS + i] / at[VOLUME];
  }
}

PetscErrorCode AbutElasticEstimateError(AbutElastic el, const PetscReal x[], AbutElasticError bodies[])
{
  const AbutMeshLocal *m = el->local;
  PetscReal           *sum, corner[4][6];
  PetscMPIInt          count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(2 * m->num_bodies, &count));
  PetscCall(PetscCalloc1(WIDTH * m->num_local, &sum));
  PetscCall(SumAtVertices(el, x, sum));
  for (PetscInt b = 0; b < m->num_bodies; b++) bodies[b] = (AbutElasticError){0};
  for (PetscInt c = 0; c < m->num_cells; c++) {
    AbutElasticError *body = &bodies[m->cell_body[c]];

    AbutElasticCornerStress(el, c, x, corner);
    body->energy += Integral(el, c, corner);
    Subtract(el, c, sum, corner);
    body->error += Integral(el, c, corner);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bodies, count, MPIU_REAL, MPIU_SUM, AbutMeshGetComm(el->mesh)));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(0);
}
