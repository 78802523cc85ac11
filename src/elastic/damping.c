/*
  Stiffness-proportional damping with the stiffness at the start x0 of the step. Each damped cell has the quadratic potential
      1/2 G : (damping_stiffness V A(x0)) : G,   G = sum_a (x - x0)_a grad N_a.
  The tangents are stored, 45 numbers per damped cell (2D: 10), because computing them for every energy of a line search would take ten
  times as long.
*/
#include "elasticimpl.h"

PetscErrorCode AbutElasticSetDamping(AbutElastic el, PetscInt num_materials)
{
  const AbutMeshLocal *local   = el->local;
  const PetscInt       n       = local->dim * local->dim;
  AbutDamping         *damping = &el->damping;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < num_materials; i++)
    if (el->materials[i].damping_stiffness > 0) damping->any = PETSC_TRUE;
  for (PetscInt c = 0; c < local->num_cells; c++)
    if (el->materials[el->cell_material[c]].damping_stiffness > 0) damping->num_cells++;
  PetscCall(PetscMalloc2(damping->num_cells, &damping->cells, damping->num_cells * n * (n + 1) / 2, &damping->tangents));
  for (PetscInt c = 0, i = 0; c < local->num_cells; c++)
    if (el->materials[el->cell_material[c]].damping_stiffness > 0) damping->cells[i++] = c;
  PetscFunctionReturn(0);
}

PetscBool AbutElasticHasDamping(AbutElastic el)
{
  return el->damping.any;
}

void AbutElasticSetDampingStart(AbutElastic el, const PetscReal x0[])
{
  const PetscInt dim = el->local->dim, n = dim * dim;
  PetscReal     *packed = el->damping.tangents;

  el->damping.start = x0;
  for (PetscInt i = 0; i < el->damping.num_cells; i++) {
    const PetscInt      c      = el->damping.cells[i];
    const AbutMaterial *m      = el->materials + el->cell_material[c];
    const PetscReal     weight = m->damping_stiffness * el->volumes[c];
    PetscReal           F[9], A[81];

    AbutElasticDeformation(el, dim, c, x0, F);
    AbutMaterialTangent(m->ops, dim, &m->constants, F, ABUT_PSD_CLAMP, A);
    for (PetscInt j = 0; j < n; j++)
      for (PetscInt k = j; k < n; k++) *packed++ = weight * A[n * j + k];
  }
}

/* Computes G, the gradient of the displacement since x0, in damped cell i. */
static ABUT_ALWAYS_INLINE void Displacement(AbutElastic el, PetscInt dim, PetscInt i, const PetscReal x[], PetscReal G[])
{
  const PetscInt c = el->damping.cells[i], *cell = el->local->cells + (dim + 1) * c;
  PetscReal      e[9], e0[9];

  AbutCellEdges(dim, cell, x, e);
  AbutCellEdges(dim, cell, el->damping.start, e0);
  for (PetscInt k = 0; k < dim * dim; k++) e[k] -= e0[k];
  AbutCellDeformation(dim, e, el->gradients + dim * dim * c, G);
}

/* Computes P = (damping_stiffness V A(x0)) : G in damped cell i. */
static ABUT_ALWAYS_INLINE void Stress(AbutElastic el, PetscInt dim, PetscInt i, const PetscReal G[], PetscReal P[])
{
  const PetscInt   n      = dim * dim;
  const PetscReal *packed = el->damping.tangents + n * (n + 1) / 2 * i;

  for (PetscInt j = 0; j < n; j++) P[j] = 0;
  for (PetscInt j = 0; j < n; j++) {
    P[j] += *packed++ * G[j];
    for (PetscInt k = j + 1; k < n; k++) {
      const PetscReal a = *packed++;
      P[j] += a * G[k];
      P[k] += a * G[j];
    }
  }
}

static ABUT_ALWAYS_INLINE PetscReal Energy(PetscInt dim, AbutElastic el, const PetscReal x[])
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < el->damping.num_cells; i++) {
    PetscReal G[9], P[9];
    Displacement(el, dim, i, x, G);
    Stress(el, dim, i, G, P);
    sum += AbutDot(dim * dim, G, P) / 2;
  }
  return sum;
}

static ABUT_ALWAYS_INLINE void AddGradient(PetscInt dim, AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  for (PetscInt i = 0; i < el->damping.num_cells; i++) {
    const PetscInt c = el->damping.cells[i];
    PetscReal      G[9], P[9];

    Displacement(el, dim, i, x, G);
    Stress(el, dim, i, G, P);
    AbutCellAddForces(dim, el->local->cells + (dim + 1) * c, el->gradients + dim * dim * c, scale, P, g);
  }
}

static ABUT_ALWAYS_INLINE void AddHessian(PetscInt dim, AbutElastic el, PetscReal scale, AbutAssembler as)
{
  const PetscInt   n      = dim * dim;
  const PetscReal *packed = el->damping.tangents;

  for (PetscInt i = 0; i < el->damping.num_cells; i += ABUT_SIMD_WIDTH) {
    const PetscInt *cells = el->damping.cells + i, count = PetscMin(el->damping.num_cells - i, ABUT_SIMD_WIDTH);
    AbutSimd        H[144];

    for (PetscInt l = 0; l < count; l++) {
      PetscReal A[81];
      for (PetscInt j = 0; j < n; j++)
        for (PetscInt k = j; k < n; k++) A[n * j + k] = A[n * k + j] = *packed++;
      AbutTangentToBatch(dim, A, el->gradients + n * cells[l], scale, l, H);
    }
    AbutElasticAddBatch(dim, count, cells, H, as);
  }
}

PetscReal AbutElasticDampingEnergy(AbutElastic el, const PetscReal x[])
{
  return ABUT_BY_DIM(el->local->dim, Energy, el, x);
}

void AbutElasticAddDampingGradient(AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  ABUT_BY_DIM(el->local->dim, AddGradient, el, x, scale, g);
}

void AbutElasticAddDampingHessian(AbutElastic el, PetscReal scale, AbutAssembler as)
{
  ABUT_BY_DIM(el->local->dim, AddHessian, el, scale, as);
}
