/* Energy, gradient and Hessian by loops over the cells. Each loop is compiled for dim = 2 and for dim = 3 with constant bounds. */
#include "elasticimpl.h"

static ABUT_ALWAYS_INLINE PetscReal Energy(PetscInt dim, AbutElastic el, const PetscReal x[])
{
  PetscReal sum = 0;

  for (PetscInt c = 0; c < el->local->num_cells; c++) {
    const AbutMaterial *m = el->materials + el->cell_material[c];
    PetscReal           F[9], density;

    AbutElasticDeformation(el, dim, c, x, F);
    density = m->ops->energy(dim, &m->constants, F);
    if (!(density < PETSC_INFINITY)) return PETSC_INFINITY;
    sum += el->volumes[c] * density;
  }
  return sum;
}

PetscReal AbutElasticEnergy(AbutElastic el, const PetscReal x[])
{
  return ABUT_BY_DIM(el->local->dim, Energy, el, x);
}

static ABUT_ALWAYS_INLINE void AddGradient(PetscInt dim, AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  for (PetscInt c = 0; c < el->local->num_cells; c++) {
    const AbutMaterial *m = el->materials + el->cell_material[c];
    PetscReal           F[9], P[9];

    AbutElasticDeformation(el, dim, c, x, F);
    m->ops->stress(dim, &m->constants, F, P);
    AbutCellAddForces(dim, el->local->cells + (dim + 1) * c, el->gradients + dim * dim * c, scale * el->volumes[c], P, g);
  }
}

void AbutElasticAddGradient(AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  ABUT_BY_DIM(el->local->dim, AddGradient, el, x, scale, g);
}

/* Hessian rows and columns of all vertices of a cell but the first: V grad N_a . A . grad N_b with the tangent A of the material. */
static ABUT_ALWAYS_INLINE void ContractTangent(AbutElastic el, PetscInt dim, PetscInt c, const PetscReal F[], PetscReal scale,
                                               AbutProjection projection, PetscInt ld, PetscReal K[])
{
  const AbutMaterial *m      = el->materials + el->cell_material[c];
  const PetscReal     weight = scale * el->volumes[c], *g = el->gradients + dim * dim * c;

  if (m->ops->stretch) {
    AbutTangentModes modes;
    AbutIsotropicModes(m->ops, dim, &m->constants, F, projection, &modes);
    AbutIsotropicContract(dim, &modes, g, weight, ld, K);
  } else {
    PetscReal A[81];
    m->ops->tangent(dim, &m->constants, F, projection, A);
    AbutTangentContract(dim, A, g, weight, ld, K);
  }
}

static ABUT_ALWAYS_INLINE void AddHessian(PetscInt dim, AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection,
                                          AbutAssembler as)
{
  const PetscInt n = dim * (dim + 1);

  for (PetscInt c = 0; c < el->local->num_cells; c++) {
    PetscReal F[9], H[144];

    AbutElasticDeformation(el, dim, c, x, F);
    ContractTangent(el, dim, c, F, scale, projection, n, H + (n + 1) * dim);
    AbutCellCompleteHessian(dim, H);
    AbutAssemblerAddFixed(as, c, H);
  }
}

void AbutElasticAddHessian(AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  ABUT_BY_DIM(el->local->dim, AddHessian, el, x, scale, projection, as);
}
