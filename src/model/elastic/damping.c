/*
  Stiffness-proportional damping: a viscous stress, the material's elastic law of small strains applied to the rate of Green's strain. So it
  damps changes of shape, and no rotation. Each point of a damped cell has the potential

      V / 2 D : (damping_stiffness C) : D,    D = E(x) - E0,    C : D = lambda tr(D) I + 2 mu D,

  with Green's strain E = (F^T F - I) / 2 (in the code without -I / 2, which cancels) and E0 such that the rate of the integrator times D is
  the rate of strain at the end of the step. In quadratic cells with mean dilatation tr(D) is its mean over the cell, as for the elastic
  stress: nearly incompressible cells would lock otherwise, and creep too slowly.
*/
#include "quadratic.h"

PetscErrorCode AbutElasticSetDamping(AbutElastic el, PetscInt num_materials)
{
  const AbutMeshLocal *local   = el->local;
  const PetscInt       n       = local->dim * local->dim;
  AbutDamping         *damping = &el->damping;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < num_materials; i++)
    if (el->materials[i].damping_stiffness > 0) damping->any = PETSC_TRUE;
  for (PetscInt c = 0; c < local->num_cells; c++)
    if (el->materials[el->cell_material[c]].damping_stiffness > 0) damping->num += AbutPointsOfCell(el, c);
  PetscCall(PetscMalloc3(damping->num, &damping->cell, damping->num, &damping->point, damping->num * n, &damping->strain));
  damping->num = 0;
  for (PetscInt c = 0; c < local->num_cells; c++)
    for (PetscInt q = 0; q < AbutPointsOfCell(el, c) && el->materials[el->cell_material[c]].damping_stiffness > 0; q++) {
      damping->cell[damping->num]    = c;
      damping->point[damping->num++] = q;
    }
  PetscFunctionReturn(0);
}

PetscBool AbutElasticHasDamping(AbutElastic el)
{
  return el->damping.any;
}

/* S += factor (A^T B + B^T A) / 2 */
static ABUT_ALWAYS_INLINE void AddProduct(PetscInt dim, PetscReal factor, const PetscReal A[], const PetscReal B[], PetscReal S[])
{
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++)
      for (PetscInt k = 0; k < dim; k++) S[dim * i + j] += factor / 2 * (A[dim * k + i] * B[dim * k + j] + B[dim * k + i] * A[dim * k + j]);
}

/* F at damped point i. */
static ABUT_ALWAYS_INLINE void Deformation(AbutElastic el, PetscInt dim, PetscInt i, const PetscReal x[], PetscReal F[])
{
  const PetscInt c = el->damping.cell[i];

  if (AbutCellIsQuadratic(el->local, c))
    AbutQuadraticDeformation(el, el->quadratic.inverse, el->quadratic.index[c], el->damping.point[i], x, F);
  else
    AbutElasticDeformation(el, dim, el->gradients, c, x, F);
}

void AbutElasticSetDampingStart(AbutElastic el, const PetscReal x0[], const PetscReal origin[], PetscReal curvature)
{
  const PetscInt dim = el->local->dim, n = dim * dim;

  for (PetscInt i = 0; i < el->damping.num; i++) {
    PetscReal *E = el->damping.strain + n * i, F[9], G[9];

    Deformation(el, dim, i, x0, F);
    Deformation(el, dim, i, origin, G);
    for (PetscInt k = 0; k < n; k++) {
      E[k] = 0;
      G[k] -= F[k];
    }
    AddProduct(dim, 0.5, F, F, E);
    AddProduct(dim, 1, F, G, E);
    AddProduct(dim, -curvature / 2, G, G, E);
  }
}

/* The points of a damped cell, which are consecutive, and the terms of the viscous law. */
typedef struct {
  PetscInt  num;
  PetscReal lambda, mu;                                   /* damping_stiffness times the Lame parameters [Pa s] */
  PetscReal weight[ABUT_MAX_POINTS], total;               /* volumes of the points [m^dim] and their sum */
  PetscReal F[ABUT_MAX_POINTS][9], S[ABUT_MAX_POINTS][9]; /* S = C : D at each point, without the volume */
  PetscReal energy;                                       /* sum of weight D : S / 2 */
  PetscBool mean;                                         /* mean dilatation: the trace of D is the mean over the cell */
} Cell;

/* D = E(x) - E0 of damped point i with the deformation gradient F; returns its trace. */
static ABUT_ALWAYS_INLINE PetscReal Strain(AbutElastic el, PetscInt dim, PetscInt i, const PetscReal F[], PetscReal D[])
{
  const PetscReal *E     = el->damping.strain + dim * dim * i;
  PetscReal        trace = 0;

  for (PetscInt k = 0; k < dim * dim; k++) D[k] = 0;
  AddProduct(dim, 0.5, F, F, D);
  for (PetscInt k = 0; k < dim * dim; k++) D[k] -= E[k]; /* 0 at rest, without round-off */
  for (PetscInt k = 0; k < dim; k++) trace += D[dim * k + k];
  return trace;
}

/* Loads the cell whose first damped point is i. */
static ABUT_ALWAYS_INLINE void Load(AbutElastic el, PetscInt dim, PetscInt i, const PetscReal x[], Cell *cell)
{
  const PetscInt      c = el->damping.cell[i];
  const AbutMaterial *m = el->materials + el->cell_material[c];
  const PetscReal    *volumes;
  PetscReal           D[ABUT_MAX_POINTS][9], trace[ABUT_MAX_POINTS], mean = 0;

  *cell   = (Cell){.num    = AbutPointsOfCell(el, c),
                   .lambda = m->damping_stiffness * m->constants.lambda,
                   .mu     = m->damping_stiffness * m->constants.mu,
                   .total  = el->volumes[c],
                   .mean   = (PetscBool)(m->mean_dilatation && AbutCellIsQuadratic(el->local, c))};
  volumes = AbutCellIsQuadratic(el->local, c) ? el->quadratic.weight + AbutFirstPoint(el, el->quadratic.index[c]) : &cell->total;
  for (PetscInt q = 0; q < cell->num; q++) {
    cell->weight[q] = volumes[q];
    Deformation(el, dim, i + q, x, cell->F[q]);
    trace[q] = Strain(el, dim, i + q, cell->F[q], D[q]);
    mean += volumes[q] / cell->total * trace[q];
  }
  for (PetscInt q = 0; q < cell->num; q++) {
    PetscReal *S = cell->S[q];

    for (PetscInt k = 0; k < dim * dim; k++) S[k] = 2 * cell->mu * D[q][k];
    for (PetscInt k = 0; k < dim; k++) S[dim * k + k] += cell->lambda * (cell->mean ? mean : trace[q]);
    cell->energy += volumes[q] * AbutDot(dim * dim, D[q], S) / 2;
  }
}

static ABUT_ALWAYS_INLINE PetscReal Energy(PetscInt dim, AbutElastic el, const PetscReal x[])
{
  PetscReal sum = 0;
  Cell      cell;

  for (PetscInt i = 0; i < el->damping.num; i += cell.num) {
    Load(el, dim, i, x, &cell);
    sum += cell.energy;
  }
  return sum;
}

/* Adds scale P grad N_a to the nodes of damped point i. */
static ABUT_ALWAYS_INLINE void AddForces(AbutElastic el, PetscInt dim, PetscInt i, PetscReal scale, const PetscReal P[], PetscReal g[])
{
  const PetscInt c = el->damping.cell[i];

  if (AbutCellIsQuadratic(el->local, c))
    AbutQuadraticAddForces(el, el->quadratic.index[c], el->damping.point[i], scale, P, g);
  else
    AbutCellAddForces(dim, el->local->cells + (dim + 1) * c, el->gradients + dim * dim * c, scale, P, g);
}

static ABUT_ALWAYS_INLINE void AddGradient(PetscInt dim, AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  Cell cell;

  for (PetscInt i = 0; i < el->damping.num; i += cell.num) {
    Load(el, dim, i, x, &cell);
    for (PetscInt q = 0; q < cell.num; q++) {
      PetscReal P[9] = {0};

      for (PetscInt k = 0; k < dim; k++)
        for (PetscInt l = 0; l < dim; l++)
          for (PetscInt m = 0; m < dim; m++) P[dim * k + l] += cell.F[q][dim * k + m] * cell.S[q][dim * m + l];
      AddForces(el, dim, i + q, scale * cell.weight[q], P, g);
    }
  }
}

/*
  A = dP/dF for P = F S: A_(kl)(mn) = delta_km S_ln + lambda F_kl F_mn + mu (F_kn F_ml + (F F^T)_km delta_ln). The terms with lambda and mu
  are positive semidefinite together; the first one is so for a projected S.
*/
static ABUT_ALWAYS_INLINE void Tangent(PetscInt dim, PetscReal lambda, PetscReal mu, const PetscReal F[], const PetscReal S[],
                                       PetscReal A[])
{
  const PetscInt n = dim * dim;

  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt m = 0; m < dim; m++) {
      const PetscReal product = AbutDot(dim, F + dim * k, F + dim * m);
      for (PetscInt l = 0; l < dim; l++)
        for (PetscInt j = 0; j < dim; j++) {
          PetscReal *a = A + n * (dim * k + l) + dim * m + j;
          *a           = lambda * F[dim * k + l] * F[dim * m + j] + mu * F[dim * k + j] * F[dim * m + l];
          if (k == m) *a += S[dim * l + j];
          if (l == j) *a += mu * product;
        }
    }
}

/* Tangent at a point of a cell times its volume; with mean dilatation without lambda, whose part AddMean() adds. */
static ABUT_ALWAYS_INLINE void TangentAt(PetscInt dim, const Cell *cell, PetscInt q, AbutProjection projection, PetscReal A[])
{
  PetscReal S[9];

  for (PetscInt k = 0; k < dim * dim; k++) S[k] = cell->S[q][k];
  AbutProject(dim, projection, S);
  Tangent(dim, cell->mean ? 0 : cell->lambda, cell->mu, cell->F[q], S, A);
  for (PetscInt k = 0; k < dim * dim * dim * dim; k++) A[k] *= cell->weight[q];
}

/* Hessians of the damped points i, i + 1, ... of linear cells, up to ABUT_SIMD_WIDTH of them; returns their number. */
static ABUT_ALWAYS_INLINE PetscInt AddLinear(AbutElastic el, PetscInt dim, PetscInt i, const PetscReal x[], PetscReal scale,
                                             AbutProjection projection, AbutAssembler as)
{
  const PetscInt *cells = el->damping.cell + i;
  AbutSimd        H[144];
  PetscReal       A[81];
  PetscInt        count = 0;

  for (; count < ABUT_SIMD_WIDTH && i + count < el->damping.num && !AbutCellIsQuadratic(el->local, cells[count]); count++) {
    Cell cell;

    Load(el, dim, i + count, x, &cell);
    TangentAt(dim, &cell, 0, projection, A);
    AbutTangentToBatch(dim, A, el->gradients + dim * dim * cells[count], scale, count, H);
  }
  AbutElasticAddBatch(dim, count, cells, H, as);
  return count;
}

/*
  Adds the term of mean dilatation, factor G G^T, to lane 0 of the Hessian H of a quadratic cell: G is the gradient of the integral of the
  trace of D; blocks on and above the diagonal.
*/
static ABUT_ALWAYS_INLINE void AddMean(PetscInt dim, PetscReal factor, const PetscReal G[], AbutSimd H[])
{
  const PetscInt n = dim * (AbutNodes(dim) - 1), ld = n + dim;

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = i / dim * dim; j < n; j++) H[ld * (dim + i) + dim + j][0] += factor * G[i] * G[j];
}

/* Hessian of the quadratic cell whose first damped point is i; returns the number of its points. */
static ABUT_ALWAYS_INLINE PetscInt AddQuadratic(AbutElastic el, PetscInt dim, PetscInt i, const PetscReal x[], PetscReal scale,
                                                AbutProjection projection, AbutAssembler as)
{
  const PetscInt c = el->damping.cell[i], rows = AbutNodes(dim) - 1;
  AbutSimd       H[900] = {{0}};
  PetscReal      A[81], g[27], G[27] = {0};
  Cell           cell;

  Load(el, dim, i, x, &cell);
  for (PetscInt q = 0; q < cell.num; q++) {
    TangentAt(dim, &cell, q, projection, A);
    AbutQuadraticGradients(el, el->quadratic.index[c], q, g);
    AbutTangentAdd(dim, A, g, scale, 0, H);
    for (PetscInt a = 0; a < rows; a++)
      for (PetscInt k = 0; k < dim; k++) G[dim * a + k] += cell.weight[q] * AbutDot(dim, cell.F[q] + dim * k, g + dim * a);
  }
  if (cell.mean) AddMean(dim, scale * cell.lambda / cell.total, G, H);
  AbutQuadraticAddBatch(dim, 1, &c, H, as);
  return cell.num;
}

static ABUT_ALWAYS_INLINE void AddHessian(PetscInt dim, AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection,
                                          AbutAssembler as)
{
  for (PetscInt i = 0; i < el->damping.num;)
    i += AbutCellIsQuadratic(el->local, el->damping.cell[i]) ? AddQuadratic(el, dim, i, x, scale, projection, as)
                                                             : AddLinear(el, dim, i, x, scale, projection, as);
}

PetscReal AbutElasticDampingEnergy(AbutElastic el, const PetscReal x[])
{
  return ABUT_BY_DIM(el->local->dim, Energy, el, x);
}

void AbutElasticAddDampingGradient(AbutElastic el, const PetscReal x[], PetscReal scale, PetscReal g[])
{
  ABUT_BY_DIM(el->local->dim, AddGradient, el, x, scale, g);
}

void AbutElasticAddDampingHessian(AbutElastic el, const PetscReal x[], PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  ABUT_BY_DIM(el->local->dim, AddHessian, el, x, scale, projection, as);
}
