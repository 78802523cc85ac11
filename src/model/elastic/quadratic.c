/*
  Quadratic cells: energy, gradient and Hessian. Batches of ABUT_SIMD_WIDTH cells; at each point of the cells the formulas of
  cells.c, with the Hessian of each point projected in closed form.

  Mean dilatation [Nagtegaal, Parks and Rice 1974; Simo, Taylor and Pister 1985]: the density at a point is Psi_0(F), without lambda, and
  the cell adds V U(theta) with the mean theta of its points, sum_q w_q theta_q / V. Its Hessian has the one of U' theta_q at each point,
  plus U'' / V times the product of the gradient of V theta with itself, which is positive semidefinite for U'' >= 0. So U' theta_q joins
  the density of the point before the projection, and no cell needs an eigenvalue problem of its own.
*/
#include "quadratic.h"

/* A batch of quadratic cells; lanes behind the last cell repeat it. */
typedef struct {
  PetscInt            count, points;         /* cells; points of each */
  PetscInt            cell[ABUT_SIMD_WIDTH]; /* positions in AbutQuadratic.cell */
  const AbutMaterial *material[ABUT_SIMD_WIDTH];
  AbutSimd            F[ABUT_MAX_POINTS][9]; /* [points] deformation gradients */
  AbutSimd            slope, curvature;      /* U' and U'' / V of cells with mean dilatation, 0 for others */
  PetscReal           volumetric;            /* sum of V U */
} Batch;

/* Loads d xi / d X and the volume of point q of all lanes. */
static ABUT_ALWAYS_INLINE void LoadInverse(PetscInt dim, AbutElastic el, const Batch *batch, PetscInt q, AbutSimd B[], AbutSimd *weight)
{
  const PetscInt n = dim * dim;
  PetscReal      lanes[10][ABUT_SIMD_WIDTH];

  for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) {
    const PetscInt at = AbutFirstPoint(el, batch->cell[l]) + q;
    for (PetscInt i = 0; i < n; i++) lanes[i][l] = el->quadratic.elastic_inverse[n * at + i];
    lanes[n][l] = el->quadratic.weight[at];
  }
  for (PetscInt i = 0; i < n; i++) B[i] = (AbutSimd) * (const AbutSimdUnaligned *)lanes[i];
  *weight = (AbutSimd) * (const AbutSimdUnaligned *)lanes[n];
}

/* F at all points of the batch. */
static ABUT_ALWAYS_INLINE void Deform(PetscInt dim, AbutElastic el, const PetscReal x[], Batch *batch)
{
  const PetscInt rows  = AbutNodes(dim) - 1;
  AbutSimd       e[27] = {{0}}, B[9], weight;

  for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) {
    const PetscInt   c  = el->quadratic.cell[batch->cell[l]];
    const PetscReal *x0 = x + dim * AbutCellNode(el->local, c, 0);
    for (PetscInt a = 0; a < rows; a++)
      for (PetscInt k = 0; k < dim; k++) e[dim * a + k][l] = x[dim * AbutCellNode(el->local, c, a + 1) + k] - x0[k];
  }
  for (PetscInt q = 0; q < batch->points; q++) {
    const PetscReal *D = AbutPointDerivatives(el, batch->cell[0], q);
    AbutSimd         J[9];

    LoadInverse(dim, el, batch, q, B, &weight);
    for (PetscInt k = 0; k < dim; k++)
      for (PetscInt m = 0; m < dim; m++) {
        J[dim * k + m] = e[k] * D[m];
        for (PetscInt a = 1; a < rows; a++) J[dim * k + m] += e[dim * a + k] * D[dim * a + m];
      }
    for (PetscInt k = 0; k < dim; k++)
      for (PetscInt l = 0; l < dim; l++) {
        batch->F[q][dim * k + l] = J[dim * k] * B[l];
        for (PetscInt m = 1; m < dim; m++) batch->F[q][dim * k + l] += J[dim * k + m] * B[dim * m + l];
      }
  }
}

static inline void FOf(PetscInt dim, const AbutSimd F[], PetscInt l, PetscReal f[])
{
  for (PetscInt i = 0; i < dim * dim; i++) f[i] = F[i][l];
}

/*
  Factor of J(Fe) = det Fe at point q that makes it J(F), for the material of the first point of a cell or, with q = 0, of the point: in 2D
  the third elastic stretch.
*/
static ABUT_ALWAYS_INLINE PetscReal Third(PetscInt dim, const AbutMaterial *m, PetscInt q)
{
  return dim == 2 && m->of_point ? PetscExpReal(m[q].constants.log_third) : 1;
}

/* U, U' and U'' / V of the cells with mean dilatation. */
static ABUT_ALWAYS_INLINE void Dilate(PetscInt dim, AbutElastic el, Batch *batch)
{
  batch->slope = batch->curvature = (AbutSimd){0};
  batch->volumetric               = 0;
  for (PetscInt l = 0; l < batch->count; l++) {
    const PetscInt      i = batch->cell[l], c = el->quadratic.cell[i];
    const AbutMaterial *m = el->materials + el->cell_material[c];
    PetscReal           f[9], d[9], derivative[2], theta = 0;

    if (!m->mean_dilatation) continue;
    for (PetscInt q = 0; q < batch->points; q++) {
      FOf(dim, batch->F[q], l, f);
      theta += el->quadratic.weight[AbutFirstPoint(el, i) + q] * Third(dim, m, q) * AbutVolumeOf(m->ops->measure, dim, f, d);
    }
    batch->volumetric += el->volumes[c] * m->ops->volumetric(m->constants.lambda, theta / el->volumes[c], derivative);
    batch->slope[l]     = derivative[0];
    batch->curvature[l] = derivative[1] / el->volumes[c];
  }
}

/* Loads the batch that starts at an active cell. */
static ABUT_ALWAYS_INLINE void Load(PetscInt dim, AbutElastic el, PetscInt first, const PetscReal x[], Batch *batch)
{
  const PetscInt *active = el->quadratic.active + first;

  batch->count = PetscMin(el->quadratic.num_active - first, ABUT_SIMD_WIDTH);
  while (AbutIsCurved(el, active[batch->count - 1]) != AbutIsCurved(el, active[0])) batch->count--;
  batch->points = AbutPoints(el, active[0]);
  for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) {
    batch->cell[l]     = active[PetscMin(l, batch->count - 1)];
    batch->material[l] = el->deviatoric + el->cell_material[el->quadratic.cell[batch->cell[l]]];
  }
  Deform(dim, el, x, batch);
  Dilate(dim, el, batch);
}

/* Singular value decompositions at point q. */
static ABUT_ALWAYS_INLINE void Decompose(PetscInt dim, const Batch *batch, PetscInt q, AbutFrames *frames)
{
  for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) frames->material[l] = AbutMaterialOfPoint(batch->material[l], q);
  AbutSVDBatch(dim, batch->F[q], frames->U, frames->s, frames->V);
}

/* Whether a cell of the batch needs singular values for its energy and stress. */
static inline PetscBool NeedsStretches(const Batch *batch)
{
  PetscBool needed = PETSC_FALSE;

  for (PetscInt l = 0; l < batch->count; l++) needed = (PetscBool)(needed || batch->material[l]->ops->stretch_energy);
  return needed;
}

static ABUT_ALWAYS_INLINE PetscReal Energy(PetscInt dim, AbutElastic el, const PetscReal x[])
{
  PetscReal sum = 0;
  Batch     batch;

  for (PetscInt first = 0; first < el->quadratic.num_active; first += batch.count) {
    AbutFrames frames;

    Load(dim, el, first, x, &batch);
    for (PetscInt q = 0; q < batch.points; q++) {
      if (NeedsStretches(&batch)) Decompose(dim, &batch, q, &frames);
      for (PetscInt l = 0; l < batch.count; l++) {
        const AbutMaterial *m = AbutMaterialOfPoint(batch.material[l], q);
        PetscReal           f[9], density;

        if (m->ops->stretch_energy) {
          for (PetscInt i = 0; i < dim; i++) f[i] = frames.s[i][l];
          density = m->ops->stretch_energy(dim, &m->constants, f);
        } else {
          FOf(dim, batch.F[q], l, f);
          density = m->ops->energy(dim, &m->constants, f);
        }
        if (!(density < PETSC_INFINITY)) return PETSC_INFINITY;
        sum += el->quadratic.weight[AbutFirstPoint(el, batch.cell[l]) + q] * density;
      }
    }
    sum += batch.volumetric;
  }
  return sum;
}

PetscReal AbutQuadraticEnergy(AbutElastic el, const PetscReal x[])
{
  return ABUT_BY_DIM(el->local->dim, Energy, el, x);
}

/* Stress of point q of cell l of the batch. */
static ABUT_ALWAYS_INLINE void Stress(PetscInt dim, const Batch *batch, const AbutFrames *frames, PetscInt q, PetscInt l, PetscReal P[])
{
  const AbutMaterial *m = AbutMaterialOfPoint(batch->material[l], q);
  PetscReal           f[9], d[9];

  FOf(dim, batch->F[q], l, f);
  if (m->ops->stretch_stress)
    AbutFrameStress(dim, frames, l, P);
  else
    m->ops->stress(dim, &m->constants, f, P);
  if (batch->slope[l] == 0) return;
  (void)AbutVolumeOf(m->ops->measure, dim, f, d);
  for (PetscInt i = 0; i < dim * dim; i++) P[i] += batch->slope[l] * Third(dim, m, 0) * d[i];
}

/* Derivatives of the shape functions of the batch at point q, of all nodes but the first. */
static ABUT_ALWAYS_INLINE void Gradients(PetscInt dim, AbutElastic el, const Batch *batch, PetscInt q, AbutSimd g[], AbutSimd *weight)
{
  const PetscInt   rows = AbutNodes(dim) - 1;
  const PetscReal *D    = AbutPointDerivatives(el, batch->cell[0], q);
  AbutSimd         B[9];

  LoadInverse(dim, el, batch, q, B, weight);
  for (PetscInt a = 0; a < rows; a++)
    for (PetscInt l = 0; l < dim; l++) {
      g[dim * a + l] = D[dim * a] * B[l];
      for (PetscInt m = 1; m < dim; m++) g[dim * a + l] += D[dim * a + m] * B[dim * m + l];
    }
}

/* f[dim * a + k] += weight (P g_a)_k for all nodes but the first. */
static ABUT_ALWAYS_INLINE void AddForces(PetscInt dim, const AbutSimd P[], const AbutSimd g[], AbutSimd weight, AbutSimd f[])
{
  for (PetscInt a = 0; a < AbutNodes(dim) - 1; a++)
    for (PetscInt k = 0; k < dim; k++) {
      AbutSimd sum = P[dim * k] * g[dim * a];
      for (PetscInt l = 1; l < dim; l++) sum += P[dim * k + l] * g[dim * a + l];
      f[dim * a + k] += weight * sum;
    }
}

static ABUT_ALWAYS_INLINE void AddGradient(PetscInt dim, AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  const PetscInt rows = AbutNodes(dim) - 1;
  Batch          batch;

  for (PetscInt first = 0; first < el->quadratic.num_active; first += batch.count) {
    AbutFrames frames;
    AbutSimd   force[27] = {{0}}, P[9] = {{0}}, dN[27], weight;

    Load(dim, el, first, x, &batch);
    for (PetscInt q = 0; q < batch.points; q++) {
      if (NeedsStretches(&batch)) Decompose(dim, &batch, q, &frames);
      for (PetscInt l = 0; l < batch.count; l++) {
        PetscReal p[9];
        Stress(dim, &batch, &frames, q, l, p);
        for (PetscInt i = 0; i < dim * dim; i++) P[i][l] = p[i];
      }
      Gradients(dim, el, &batch, q, dN, &weight);
      AddForces(dim, P, dN, weight, force);
    }
    for (PetscInt l = 0; l < batch.count; l++) {
      const PetscInt c = el->quadratic.cell[batch.cell[l]];
      for (PetscInt k = 0; k < dim; k++) {
        PetscReal total = 0;
        for (PetscInt a = 0; a < rows; a++) {
          g[dim * AbutCellNode(el->local, c, a + 1) + k] += scale * force[dim * a + k][l];
          total += force[dim * a + k][l];
        }
        g[dim * AbutCellNode(el->local, c, 0) + k] -= scale * total;
      }
    }
  }
}

void AbutQuadraticAddGradient(AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  ABUT_BY_DIM(el->local->dim, AddGradient, el, x, scale, g);
}

/* Adds the product of the gradient of V theta with itself, for the cells with mean dilatation. */
static ABUT_ALWAYS_INLINE void AddProduct(PetscInt dim, AbutElastic el, const Batch *batch, const AbutSimd *scale, AbutSimd H[])
{
  const PetscInt rows = AbutNodes(dim) - 1, ld = dim * AbutNodes(dim);
  AbutSimd       G[27] = {{0}}, P[9] = {{0}}, g[27], weight;
  PetscBool      any = PETSC_FALSE;

  for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) any = (PetscBool)(any || batch->curvature[l] > 0);
  if (!any) return;
  for (PetscInt q = 0; q < batch->points; q++) {
    for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) {
      PetscReal f[9], d[9];
      FOf(dim, batch->F[q], l, f);
      (void)AbutVolumeOf(batch->material[l]->ops->measure, dim, f, d);
      for (PetscInt i = 0; i < dim * dim; i++) P[i][l] = Third(dim, batch->material[l], q) * d[i];
    }
    Gradients(dim, el, batch, q, g, &weight);
    AddForces(dim, P, g, weight, G);
  }
  for (PetscInt i = 0; i < dim * rows; i++) {
    const AbutSimd Gi = *scale * batch->curvature * G[i];
    for (PetscInt j = i / dim * dim; j < dim * rows; j++) H[ld * (dim + i) + dim + j] += Gi * G[j];
  }
}

/* Hessians of the points of the batch, for all nodes but the first; blocks above the diagonal and on it. */
static ABUT_ALWAYS_INLINE void AddPoints(PetscInt dim, AbutElastic el, const Batch *batch, const AbutSimd *scale, AbutProjection projection,
                                         AbutSimd H[])
{
  const PetscInt ld        = dim * AbutNodes(dim);
  PetscBool      isotropic = PETSC_TRUE;

  for (PetscInt l = 0; l < batch->count; l++) isotropic = (PetscBool)(isotropic && batch->material[l]->ops->stretch);
  for (PetscInt q = 0; q < batch->points; q++) {
    AbutSimd g[27], weight;

    Gradients(dim, el, batch, q, g, &weight);
    weight *= *scale;
    if (isotropic) {
      AbutFrames       frames;
      AbutTangentModes modes;
      AbutSimd         slope = batch->slope;

      Decompose(dim, batch, q, &frames);
      for (PetscInt l = 0; l < ABUT_SIMD_WIDTH; l++) slope[l] *= Third(dim, batch->material[l], q);
      AbutIsotropicModes(dim, &frames, &slope, projection, &modes);
      AbutIsotropicAdd(dim, &frames, &modes, g, &weight, ld, H + (ld + 1) * dim);
      continue;
    }
    for (PetscInt l = 0; l < batch->count; l++) {
      const AbutMaterial *m = AbutMaterialOfPoint(batch->material[l], q);
      PetscReal           f[9], A[81], dN[27];

      FOf(dim, batch->F[q], l, f);
      for (PetscInt i = 0; i < dim * (AbutNodes(dim) - 1); i++) dN[i] = g[i][l];
      AbutMaterialTangentWithVolume(m->ops, dim, &m->constants, f, batch->slope[l] * Third(dim, m, 0), projection, A);
      AbutTangentAdd(dim, A, dN, weight[l], l, H);
    }
  }
}

static ABUT_ALWAYS_INLINE void AddHessian(PetscInt dim, AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection,
                                          AbutAssembler as)
{
  const AbutSimd factor = (AbutSimd){0} + scale;
  Batch          batch;

  for (PetscInt first = 0; first < el->quadratic.num_active; first += batch.count) {
    PetscInt cells[ABUT_SIMD_WIDTH];
    AbutSimd H[900] = {{0}};

    Load(dim, el, first, x, &batch);
    AddPoints(dim, el, &batch, &factor, projection, H);
    AddProduct(dim, el, &batch, &factor, H);
    for (PetscInt l = 0; l < batch.count; l++) cells[l] = el->quadratic.cell[batch.cell[l]];
    AbutQuadraticAddBatch(dim, batch.count, cells, H, as);
  }
}

void AbutQuadraticAddHessian(AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  ABUT_BY_DIM(el->local->dim, AddHessian, el, x, scale, projection, as);
}

/* Fills the blocks below the diagonal, and rows and columns of the first node: all rows and columns sum to 0. */
static ABUT_ALWAYS_INLINE void Complete(PetscInt dim, AbutSimd H[])
{
  const PetscInt ld = dim * AbutNodes(dim);

  for (PetscInt i = dim; i < ld; i++)
    for (PetscInt j = i / dim * dim + dim; j < ld; j++) H[ld * j + i] = H[ld * i + j];
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt j = dim; j < ld; j++) {
      AbutSimd sum = H[ld * (dim + k) + j];
      for (PetscInt i = 2 * dim + k; i < ld; i += dim) sum += H[ld * i + j];
      H[ld * k + j] = H[ld * j + k] = -sum;
    }
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt m = 0; m < dim; m++) {
      AbutSimd sum = H[ld * k + dim + m];
      for (PetscInt j = 2 * dim + m; j < ld; j += dim) sum += H[ld * k + j];
      H[ld * k + m] = -sum;
    }
}

void AbutQuadraticAddBatch(PetscInt dim, PetscInt count, const PetscInt cells[], AbutSimd H[], AbutAssembler as)
{
  ABUT_BY_DIM(dim, Complete, H);
  for (PetscInt l = 0; l < count; l++) AbutAssemblerAddFixed(as, cells[l], ABUT_SIMD_WIDTH, (const PetscReal *)H + l);
}

void AbutQuadraticStresses(AbutElastic el, PetscInt i, const PetscReal x[], PetscReal F[], PetscReal P3[])
{
  const PetscInt      dim = el->local->dim, points = AbutPoints(el, i), c = el->quadratic.cell[i];
  const AbutMaterial *m = el->materials + el->cell_material[c], *deviatoric = el->deviatoric + el->cell_material[c];
  PetscReal           theta = 0, derivative[2] = {0, 0}, d[9];

  for (PetscInt q = 0; q < points; q++) {
    PetscReal f[9];

    AbutQuadraticDeformation(el, el->quadratic.elastic_inverse, i, q, x, f);
    for (PetscInt k = 0; k < 9; k++) F[9 * q + k] = k % 4 == 0;
    F[9 * q + 8] = Third(dim, m, q);
    for (PetscInt k = 0; k < dim; k++)
      for (PetscInt l = 0; l < dim; l++) F[9 * q + 3 * k + l] = f[dim * k + l];
    theta += el->quadratic.weight[AbutFirstPoint(el, i) + q] * AbutVolumeOf(m->ops->measure, 3, F + 9 * q, d) / el->volumes[c];
  }
  if (m->mean_dilatation) (void)m->ops->volumetric(m->constants.lambda, theta, derivative);
  for (PetscInt q = 0; q < points; q++) {
    AbutMaterialStress(deviatoric->ops, 3, &AbutMaterialOfPoint(deviatoric, q)->constants, F + 9 * q, P3 + 9 * q);
    (void)AbutVolumeOf(m->ops->measure, 3, F + 9 * q, d);
    for (PetscInt k = 0; k < 9; k++) P3[9 * q + k] += derivative[0] * d[k];
  }
}
