/*
  Energy, gradient and Hessian by loops over the active linear cells; then of the quadratic ones. Each loop is compiled for dim = 2 and for
  dim = 3 with constant bounds. Singular value decompositions and Hessians are computed for a batch of ABUT_SIMD_WIDTH cells at once.
*/
#include "quadratic.h"

/* Number of cells of the batch that starts at the active cell `first`. */
static inline PetscInt BatchSize(AbutElastic el, PetscInt first)
{
  return PetscMin(el->num_active - first, ABUT_SIMD_WIDTH);
}

/* Singular value decompositions of the deformation gradients of a batch; elements beyond its cells repeat its last cell. */
static ABUT_ALWAYS_INLINE void Decompose(PetscInt dim, AbutElastic el, PetscInt first, const PetscReal x[], AbutFrames *frames)
{
  const PetscInt last = first + BatchSize(el, first) - 1;
  AbutSimd       F[9];

  for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) {
    const PetscInt c = el->active[PetscMin(first + l, last)];
    PetscReal      f[9];

    AbutElasticDeformation(el, dim, el->elastic_gradients, c, x, f);
    for (PetscInt i = 0; i < dim * dim; i++) F[i][l] = f[i];
    frames->material[l] = el->materials + el->cell_material[c];
  }
  AbutSVDBatch(dim, F, frames->U, frames->s, frames->V);
}

/* Energy densities of the cells of a batch; infinite where F is inadmissible. */
static ABUT_ALWAYS_INLINE void Densities(PetscInt dim, AbutElastic el, PetscInt first, const PetscReal x[], PetscReal density[])
{
  const PetscInt count      = BatchSize(el, first);
  PetscBool      decomposed = PETSC_FALSE;
  AbutFrames     frames;

  for (PetscInt l = 0; l < count; l++) {
    const PetscInt      c = el->active[first + l];
    const AbutMaterial *m = el->materials + el->cell_material[c];
    PetscReal           F[9], s[3];

    if (m->ops->stretch_energy) {
      if (!decomposed) Decompose(dim, el, first, x, &frames);
      decomposed = PETSC_TRUE;
      AbutFrameStretches(dim, &frames, l, s);
      density[l] = m->ops->stretch_energy(dim, &m->constants, s);
    } else {
      AbutElasticDeformation(el, dim, el->elastic_gradients, c, x, F);
      density[l] = m->ops->energy(dim, &m->constants, F);
    }
  }
}

static ABUT_ALWAYS_INLINE PetscReal Energy(PetscInt dim, AbutElastic el, const PetscReal x[])
{
  PetscReal sum = 0;

  for (PetscInt first = 0; first < el->num_active; first += ABUT_SIMD_WIDTH) {
    PetscReal density[ABUT_SIMD_WIDTH];

    Densities(dim, el, first, x, density);
    for (PetscInt l = 0; l < BatchSize(el, first); l++) {
      if (!(density[l] < PETSC_INFINITY)) return PETSC_INFINITY;
      sum += el->volumes[el->active[first + l]] * density[l];
    }
  }
  return sum;
}

PetscReal AbutElasticEnergy(AbutElastic el, const PetscReal x[])
{
  PetscReal energy = ABUT_BY_DIM(el->local->dim, Energy, el, x);

  if (el->quadratic.num_active && energy < PETSC_INFINITY) energy += AbutQuadraticEnergy(el, x);
  for (PetscInt b = 0; b < el->num_branches && energy < PETSC_INFINITY; b++) energy += AbutElasticEnergy(el->branches[b], x);
  return energy;
}

/* Adds the forces of the cells of a batch. */
static ABUT_ALWAYS_INLINE void AddForces(PetscInt dim, AbutElastic el, PetscInt first, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  PetscBool  decomposed = PETSC_FALSE;
  AbutFrames frames;

  for (PetscInt l = 0; l < BatchSize(el, first); l++) {
    const PetscInt      c = el->active[first + l];
    const AbutMaterial *m = el->materials + el->cell_material[c];
    PetscReal           F[9], P[9];

    if (m->ops->stretch_stress) {
      if (!decomposed) Decompose(dim, el, first, x, &frames);
      decomposed = PETSC_TRUE;
      AbutFrameStress(dim, &frames, l, P);
    } else {
      AbutElasticDeformation(el, dim, el->elastic_gradients, c, x, F);
      m->ops->stress(dim, &m->constants, F, P);
    }
    AbutCellAddForces(dim, el->local->cells + (dim + 1) * c, el->elastic_gradients + dim * dim * c, scale * el->volumes[c], P, g);
  }
}

static ABUT_ALWAYS_INLINE void AddGradient(PetscInt dim, AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  for (PetscInt first = 0; first < el->num_active; first += ABUT_SIMD_WIDTH) AddForces(dim, el, first, x, scale, g);
}

void AbutElasticAddGradient(AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  ABUT_BY_DIM(el->local->dim, AddGradient, el, x, scale, g);
  if (el->quadratic.num_active) AbutQuadraticAddGradient(el, x, scale, g);
  for (PetscInt b = 0; b < el->num_branches; b++) AbutElasticAddGradient(el->branches[b], x, scale, g);
}

/* Fills the rows and columns of the first vertex of each cell: all rows and columns sum to 0 (invariance to translations). */
static ABUT_ALWAYS_INLINE void Complete(PetscInt dim, AbutSimd H[])
{
  const PetscInt n = dim * (dim + 1);

  for (PetscInt k = 0; k < dim; k++) {
    for (PetscInt j = dim; j < n; j++) {
      AbutSimd sum = H[n * (dim + k) + j];
      for (PetscInt a = 2; a <= dim; a++) sum += H[n * (dim * a + k) + j];
      H[n * k + j] = H[n * j + k] = -sum;
    }
  }
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt m = k; m < dim; m++) {
      AbutSimd sum = H[n * k + dim + m];
      for (PetscInt a = 2; a <= dim; a++) sum += H[n * k + dim * a + m];
      H[n * k + m] = H[n * m + k] = -sum;
    }
}

static ABUT_ALWAYS_INLINE void AddBatch(PetscInt dim, PetscInt count, const PetscInt cells[], AbutSimd H[], AbutAssembler as)
{
  Complete(dim, H);
  for (PetscInt l = 0; l < count; l++) AbutAssemblerAddFixed(as, cells[l], ABUT_SIMD_WIDTH, (const PetscReal *)H + l);
}

void AbutElasticAddBatch(PetscInt dim, PetscInt count, const PetscInt cells[], AbutSimd H[], AbutAssembler as)
{
  ABUT_BY_DIM(dim, AddBatch, count, cells, H, as);
}

/* Hessians of a batch of isotropic cells: V grad N_a . A . grad N_b with the tangent A, for the vertices of each cell but the first. */
static ABUT_ALWAYS_INLINE void IsotropicHessians(PetscInt dim, AbutElastic el, PetscInt first, const PetscReal x[], PetscReal scale,
                                                 AbutProjection projection, AbutSimd H[])
{
  const PetscInt   n = dim * (dim + 1), last = first + BatchSize(el, first) - 1;
  AbutFrames       frames;
  AbutTangentModes modes;
  AbutSimd         g[9], weight;

  Decompose(dim, el, first, x, &frames);
  AbutIsotropicModes(dim, &frames, NULL, projection, &modes);
  for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) {
    const PetscInt c = el->active[PetscMin(first + l, last)];
    for (PetscInt i = 0; i < dim * dim; i++) g[i][l] = el->elastic_gradients[dim * dim * c + i];
    weight[l] = scale * el->volumes[c];
  }
  AbutIsotropicContract(dim, &frames, &modes, g, &weight, n, H + (n + 1) * dim);
}

/* IsotropicHessians() for cells of any material, one after the other. */
static ABUT_ALWAYS_INLINE void GeneralHessians(PetscInt dim, AbutElastic el, PetscInt first, const PetscReal x[], PetscReal scale,
                                               AbutProjection projection, AbutSimd H[])
{
  for (PetscInt l = 0; l < BatchSize(el, first); l++) {
    const PetscInt      c = el->active[first + l];
    const AbutMaterial *m = el->materials + el->cell_material[c];
    PetscReal           F[9], A[81];

    AbutElasticDeformation(el, dim, el->elastic_gradients, c, x, F);
    AbutMaterialTangent(m->ops, dim, &m->constants, F, projection, A);
    AbutTangentToBatch(dim, A, el->elastic_gradients + dim * dim * c, scale * el->volumes[c], l, H);
  }
}

static ABUT_ALWAYS_INLINE void AddHessian(PetscInt dim, AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection,
                                          AbutAssembler as)
{
  for (PetscInt first = 0; first < el->num_active; first += ABUT_SIMD_WIDTH) {
    const PetscInt count = BatchSize(el, first), *cells = el->active + first;
    PetscBool      isotropic = PETSC_TRUE;
    AbutSimd       H[144];

    for (PetscInt l = 0; l < count; l++) isotropic = (PetscBool)(isotropic && el->materials[el->cell_material[cells[l]]].ops->stretch);
    if (isotropic)
      IsotropicHessians(dim, el, first, x, scale, projection, H);
    else
      GeneralHessians(dim, el, first, x, scale, projection, H);
    AddBatch(dim, count, cells, H, as);
  }
}

void AbutElasticAddHessian(AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  ABUT_BY_DIM(el->local->dim, AddHessian, el, x, scale, projection, as);
  if (el->quadratic.num_active) AbutQuadraticAddHessian(el, x, scale, projection, as);
  for (PetscInt b = 0; b < el->num_branches; b++) AbutElasticAddHessian(el->branches[b], x, scale, projection, as);
}
