/* Loops over the cells: energy, gradient, Hessian. Each loop is compiled for dim = 2 and dim = 3 with constant bounds. */
#include "elasticimpl.h"

#define ABUT_ALWAYS_INLINE inline __attribute__((always_inline))

static ABUT_ALWAYS_INLINE void Deformation(AbutElastic el, PetscInt dim, PetscInt c, const PetscReal x[], PetscReal F[])
{
  PetscReal e[9];

  AbutCellEdges(dim, el->local->cells + (dim + 1) * c, x, e);
  AbutCellDeformation(dim, e, el->gradients + dim * dim * c, F);
}

static ABUT_ALWAYS_INLINE PetscReal Energy(AbutElastic el, PetscInt dim, const PetscReal x[])
{
  PetscReal sum = 0;

  for (PetscInt c = 0; c < el->local->num_cells; c++) {
    const AbutMaterial *m = el->materials + el->cell_material[c];
    PetscReal           F[9], density;

    Deformation(el, dim, c, x, F);
    density = m->ops->energy(dim, m->mu, m->lambda, F);
    if (!(density < PETSC_INFINITY)) return PETSC_INFINITY;
    sum += el->volumes[c] * density;
  }
  return sum;
}

PetscErrorCode AbutElasticEnergy(AbutElastic el, const PetscReal x[], PetscReal *energy)
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_ELASTIC));
  *energy = el->local->dim == 3 ? Energy(el, 3, x) : Energy(el, 2, x);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_ELASTIC));
  PetscFunctionReturn(0);
}

/* g_a += scale V P grad N_a; the gradients of the shape functions sum to zero. */
static ABUT_ALWAYS_INLINE void AddGradient(AbutElastic el, PetscInt dim, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  for (PetscInt c = 0; c < el->local->num_cells; c++) {
    const AbutMaterial *m      = el->materials + el->cell_material[c];
    const PetscInt     *cell   = el->local->cells + (dim + 1) * c;
    const PetscReal    *gradN  = el->gradients + dim * dim * c;
    const PetscReal     weight = scale * el->volumes[c];
    PetscReal           F[9], P[9];

    Deformation(el, dim, c, x, F);
    m->ops->stress(dim, m->mu, m->lambda, F, P);
    for (PetscInt k = 0; k < dim; k++) {
      PetscReal total = 0;
      for (PetscInt a = 0; a < dim; a++) {
        const PetscReal force = weight * AbutDot(dim, P + dim * k, gradN + dim * a);
        g[dim * cell[a + 1] + k] += force;
        total += force;
      }
      g[dim * cell[0] + k] -= total;
    }
  }
}

PetscErrorCode AbutElasticAddGradient(AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_ELASTIC));
  if (el->local->dim == 3)
    AddGradient(el, 3, x, scale, g);
  else
    AddGradient(el, 2, x, scale, g);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_ELASTIC));
  PetscFunctionReturn(0);
}

/* Rows and columns of a cell's first vertex from those of the others: rigid translations cost nothing. */
static ABUT_ALWAYS_INLINE void CompleteFirstVertex(PetscInt dim, PetscReal H[])
{
  const PetscInt n = dim * (dim + 1);

  for (PetscInt k = 0; k < dim; k++) {
    for (PetscInt j = dim; j < n; j++) {
      PetscReal sum = 0;
      for (PetscInt a = 1; a <= dim; a++) sum += H[n * (dim * a + k) + j];
      H[n * k + j] = H[n * j + k] = -sum;
    }
  }
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt m = k; m < dim; m++) {
      PetscReal sum = 0;
      for (PetscInt a = 1; a <= dim; a++) sum += H[n * k + dim * a + m];
      H[n * k + m] = H[n * m + k] = -sum;
    }
}

static ABUT_ALWAYS_INLINE PetscErrorCode AddHessian(AbutElastic el, PetscInt dim, const PetscReal x[], PetscReal scale,
                                                    AbutProjection projection, AbutAssembler as)
{
  const PetscInt n = dim * (dim + 1);

  PetscFunctionBegin;
  for (PetscInt c = 0; c < el->local->num_cells; c++) {
    const AbutMaterial *m = el->materials + el->cell_material[c];
    AbutTangentModes    modes;
    PetscReal           F[9], H[144];

    Deformation(el, dim, c, x, F);
    AbutIsotropicModes(m->ops, dim, m->mu, m->lambda, F, projection, &modes);
    AbutIsotropicContract(dim, &modes, el->gradients + dim * dim * c, scale * el->volumes[c], n, H + (n + 1) * dim);
    CompleteFirstVertex(dim, H);
    PetscCall(AbutAssemblerAddFixed(as, c, H));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutElasticAddHessian(AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_ELASTIC));
  if (el->local->dim == 3)
    PetscCall(AddHessian(el, 3, x, scale, projection, as));
  else
    PetscCall(AddHessian(el, 2, x, scale, projection, as));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_ELASTIC));
  PetscFunctionReturn(0);
}
