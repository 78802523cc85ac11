/*
  Plastic or viscous strains of the points of cells whose material has a flow rule. A point keeps Fp^-1, the inverse of the inelastic part
  of F = Fe Fp, as a symmetric matrix with determinant 1 (a rotation of Fp changes no stretch of Fe), and the sum of the results of the flow
  rule: the equivalent plastic strain, or the energy density that a viscoelastic branch has dissipated.

  Densities are isotropic functions of Fe = F Fp^-1. So the loops over cells take the derivatives of the shape functions, multiplied by
  Fp^-1, and are otherwise the ones of an elastic material: `elastic_gradients` of linear cells, `elastic_inverse` of quadratic ones. Each
  point has a material of its own, with its strain: numbers `first_material` and following of AbutElastic.materials.
*/
#include "quadratic.h"

static PetscBool HasFlow(AbutElastic el, PetscInt material)
{
  return (PetscBool)(material >= 0 && el->materials[material].ops && el->materials[material].ops->flow);
}

/* Number of point k of the history, which is in a quadratic cell, among the points of all quadratic cells. */
static PetscInt QuadraticPoint(AbutElastic el, PetscInt k)
{
  return AbutFirstPoint(el, el->quadratic.index[el->history.cell[k]]) + el->history.point[k];
}

/* The matrix [dim * dim] of derivatives at point k, and its product with Fp^-1. */
static void Matrices(AbutElastic el, PetscInt k, const PetscReal **total, PetscReal **elastic)
{
  const AbutHistory *h   = &el->history;
  const PetscInt     dim = el->local->dim, c = h->cell[k];

  if (AbutCellIsQuadratic(el->local, c)) {
    const PetscInt at = dim * dim * QuadraticPoint(el, k);
    *total            = el->quadratic.inverse + at;
    *elastic          = el->quadratic.elastic_inverse + at;
  } else {
    *total   = el->gradients + dim * dim * c;
    *elastic = el->elastic_gradients + dim * dim * c;
  }
}

static void SetMaterial(AbutMaterial *material, PetscInt dim, const PetscReal state[])
{
  material->constants.log_third = dim == 2 ? PetscLogReal(state[2]) : 0;
  material->constants.strain    = state[6];
}

/* Applies the state of point k. */
static void SetPoint(AbutElastic el, PetscInt k)
{
  const AbutHistory *h   = &el->history;
  const PetscInt     dim = el->local->dim;
  const PetscReal   *s = h->state + ABUT_STRAIN * k, S3[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}, *total;
  PetscReal         *elastic;

  Matrices(el, k, &total, &elastic);
  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt l = 0; l < dim; l++) {
      elastic[dim * a + l] = 0;
      for (PetscInt m = 0; m < dim; m++) elastic[dim * a + l] += total[dim * a + m] * S3[3 * m + l];
    }
  SetMaterial(el->materials + h->first_material + k, dim, s);
  SetMaterial(el->deviatoric + h->first_material + k, dim, s);
}

/* Gives each point a material of its own, and room for its derivatives. */
static PetscErrorCode SetPoints(AbutElastic el, PetscInt num_materials)
{
  const PetscInt n = el->local->dim * el->local->dim, num = num_materials + el->history.num;
  AbutQuadratic *quad = &el->quadratic;
  AbutHistory   *h    = &el->history;

  PetscFunctionBegin;
  h->first_material = num_materials;
  PetscCall(PetscRealloc((size_t)num * sizeof(*el->materials), &el->materials));
  PetscCall(PetscRealloc((size_t)num * sizeof(*el->deviatoric), &el->deviatoric));
  PetscCall(PetscMalloc1(n * el->local->num_cells, &el->elastic_gradients));
  PetscCall(PetscArraycpy(el->elastic_gradients, el->gradients, n * el->local->num_cells));
  if (quad->index) {
    PetscCall(PetscMalloc1(n * AbutFirstPoint(el, quad->num), &quad->elastic_inverse));
    PetscCall(PetscArraycpy(quad->elastic_inverse, quad->inverse, n * AbutFirstPoint(el, quad->num)));
  }
  for (PetscInt k = 0; k < h->num; k++) {
    PetscInt *material = el->cell_material + h->cell[k];

    el->materials[num_materials + k]  = el->materials[h->point[k] ? num_materials + k - 1 : *material];
    el->deviatoric[num_materials + k] = el->deviatoric[h->point[k] ? num_materials + k - 1 : *material];
    if (!h->point[k]) *material = num_materials + k;
    for (PetscInt i = 0; i < ABUT_STRAIN; i++) h->state[ABUT_STRAIN * k + i] = i < 3;
    SetPoint(el, k);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutHistoryCreate(AbutElastic el, PetscInt num_materials)
{
  const AbutMeshLocal *local = el->local;
  AbutHistory         *h     = &el->history;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < local->num_bodies; b++)
    for (PetscInt r = -1; r < local->bodies[b].num_regions && !local->bodies[b].obstacle; r++)
      if (HasFlow(el, AbutBodyMaterial(&local->bodies[b], r))) h->any = PETSC_TRUE;
  el->elastic_gradients         = el->gradients;
  el->quadratic.elastic_inverse = el->quadratic.inverse;
  if (!h->any) PetscFunctionReturn(0);
  for (PetscInt c = 0; c < local->num_cells; c++)
    if (HasFlow(el, el->cell_material[c])) h->num += AbutPointsOfCell(el, c);
  PetscCall(PetscMalloc3(h->num, &h->cell, h->num, &h->point, ABUT_STRAIN * h->num, &h->state));
  h->num = 0;
  for (PetscInt c = 0; c < local->num_cells; c++)
    for (PetscInt q = 0; q < AbutPointsOfCell(el, c) && HasFlow(el, el->cell_material[c]); q++) {
      h->cell[h->num]    = c;
      h->point[h->num++] = q;
    }
  PetscCall(SetPoints(el, num_materials));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutHistoryDestroy(AbutElastic el)
{
  PetscFunctionBegin;
  if (el->elastic_gradients != el->gradients) PetscCall(PetscFree(el->elastic_gradients));
  if (el->quadratic.elastic_inverse != el->quadratic.inverse) PetscCall(PetscFree(el->quadratic.elastic_inverse));
  PetscCall(PetscFree3(el->history.cell, el->history.point, el->history.state));
  PetscFunctionReturn(0);
}

/* M = V diag(s) W^T of matrices [3 x 3] */
static void Compose(const PetscReal V[], const PetscReal s[], const PetscReal W[], PetscReal M[])
{
  for (PetscInt i = 0; i < 3; i++)
    for (PetscInt j = 0; j < 3; j++) {
      M[3 * i + j] = 0;
      for (PetscInt k = 0; k < 3; k++) M[3 * i + j] += V[3 * i + k] * s[k] * W[3 * j + k];
    }
}

/*
  Fp^-1 := Fp^-1 V diag(exp(-increment)) V^T with the right singular vectors V of Fe, without its rotation: with its singular value
  decomposition A diag(g) B^T it becomes A diag(g) A^T.
*/
static void UpdateInverse(PetscInt dim, const PetscReal V[], const PetscReal increment[3], PetscReal state[])
{
  const PetscReal S[9]  = {state[0], state[3], state[5], state[3], state[1], state[4], state[5], state[4], state[2]};
  PetscReal       V3[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1}, factor[3], change[9], product[9], A[9], g[3], B[9], root;

  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) V3[3 * i + j] = V[dim * i + j];
  for (PetscInt i = 0; i < 3; i++) factor[i] = PetscExpReal(-increment[i]);
  Compose(V3, factor, V3, change);
  for (PetscInt i = 0; i < 3; i++)
    for (PetscInt j = 0; j < 3; j++)
      product[3 * i + j] = S[3 * i] * change[j] + S[3 * i + 1] * change[3 + j] + S[3 * i + 2] * change[6 + j];
  AbutSVD(3, product, A, g, B);
  root = PetscPowReal(g[0] * g[1] * g[2], 1. / 3);
  for (PetscInt i = 0; i < 3; i++) g[i] /= root;
  Compose(A, g, A, product);
  for (PetscInt i = 0; i < 3; i++) {
    state[i]     = product[4 * i];
    state[3 + i] = product[3 * i + (i + 1) % 3];
  }
  if (dim == 2) state[4] = state[5] = 0;
}

/* Fe of point k [dim x dim]. */
static void ElasticDeformation(AbutElastic el, PetscInt k, const PetscReal x[], PetscReal F[])
{
  const PetscInt c = el->history.cell[k];

  if (AbutCellIsQuadratic(el->local, c))
    AbutQuadraticDeformation(el, el->quadratic.elastic_inverse, el->quadratic.index[c], el->history.point[k], x, F);
  else
    AbutElasticDeformation(el, el->local->dim, el->elastic_gradients, c, x, F);
}

void AbutElasticBeginStep(AbutElastic el, PetscReal h)
{
  for (PetscInt b = 0; b < el->num_branches; b++) {
    const AbutHistory *history = &el->branches[b]->history;

    for (PetscInt k = 0; k < history->num; k++) {
      AbutMaterial *m = el->branches[b]->materials + history->first_material + k;

      m->constants.ratio = el->branches[b]->deviatoric[history->first_material + k].constants.ratio = h / m->constants.relaxation;
    }
  }
}

void AbutElasticAcceptStep(AbutElastic el, const PetscReal x[])
{
  const PetscInt dim = el->local->dim;

  for (PetscInt k = 0; k < el->history.num; k++) {
    const AbutMaterial *m     = el->materials + el->history.first_material + k;
    PetscReal          *state = el->history.state + ABUT_STRAIN * k, F[9], U[9], s[3], V[9], t[3], r[3], e[3], increment[3], strain;

    ElasticDeformation(el, k, x, F);
    AbutSVD(dim, F, U, s, V);
    (void)AbutPositiveStretches(dim, s, t, r);
    for (PetscInt i = 0; i < 3; i++) e[i] = i < dim ? PetscLogReal(t[i]) : m->constants.log_third;
    strain = m->ops->flow(&m->constants, e, increment);
    if (strain == 0) continue;
    UpdateInverse(dim, V, increment, state);
    state[6] += strain;
    SetPoint(el, k);
  }
  for (PetscInt b = 0; b < el->num_branches; b++) AbutElasticAcceptStep(el->branches[b], x);
  AbutElasticBeginStep(el, 0);
}

PetscBool AbutElasticHasHistory(AbutElastic el)
{
  return (PetscBool)(el->history.any || el->num_branches > 0);
}

PetscBool AbutElasticHasPlasticStrain(AbutElastic el)
{
  return el->history.any;
}

/* Volume of point k [m^dim]. */
static PetscReal Weight(AbutElastic el, PetscInt k)
{
  const PetscInt c = el->history.cell[k];

  return AbutCellIsQuadratic(el->local, c) ? el->quadratic.weight[QuadraticPoint(el, k)] : el->volumes[c];
}

PetscReal AbutElasticDissipation(AbutElastic el)
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < el->history.num; k++) {
    const AbutMaterialConstants *m = &el->materials[el->history.first_material + k].constants;
    sum += Weight(el, k) * (m->relaxation > 0 ? 1 : m->yield + m->hardening * m->strain / 2) * m->strain;
  }
  for (PetscInt b = 0; b < el->num_branches; b++) sum += AbutElasticDissipation(el->branches[b]);
  return sum;
}

void AbutElasticGetPlasticStrain(AbutElastic el, PetscReal strain[])
{
  for (PetscInt c = 0; c < el->local->num_cells; c++) strain[c] = 0;
  for (PetscInt k = 0; k < el->history.num; k++)
    strain[el->history.cell[k]] += Weight(el, k) / el->volumes[el->history.cell[k]] * el->history.state[ABUT_STRAIN * k + 6];
}

/* Adds `kind` to bodies that have points with a history on any rank. Collective. */
static PetscErrorCode AddKind(AbutElastic el, PetscInt kind, PetscInt kinds[])
{
  const AbutMeshLocal *m = el->local;
  PetscInt            *has;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->num_bodies, &has));
  for (PetscInt k = 0; k < el->history.num; k++) has[m->cell_body[el->history.cell[k]]] = kind;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, has, (PetscMPIInt)m->num_bodies, MPIU_INT, MPI_MAX, AbutMeshGetComm(el->mesh)));
  for (PetscInt b = 0; b < m->num_bodies; b++) kinds[b] += has[b];
  PetscCall(PetscFree(has));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutElasticHistoryKinds(AbutElastic el, PetscInt kinds[])
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(kinds, el->local->num_bodies));
  PetscCall(AddKind(el, 1, kinds));
  for (PetscInt b = 0; b < el->num_branches; b++) PetscCall(AddKind(el->branches[b], 2, kinds));
  PetscFunctionReturn(0);
}

/* Numbers in a row without the branches. */
static PetscInt OwnWidth(AbutElastic el)
{
  return !el->history.any ? 0 : ABUT_STRAIN * AbutPointsOfRow(el);
}

PetscInt AbutElasticHistoryWidth(AbutElastic el)
{
  PetscInt width = OwnWidth(el);

  for (PetscInt b = 0; b < el->num_branches; b++) width += OwnWidth(el->branches[b]);
  return width;
}

/* Numbers of point k in rows of `stride` numbers; an object and its branches have columns side by side from `first` on. */
static PetscInt At(const AbutHistory *h, PetscInt stride, PetscInt first, PetscInt k)
{
  return stride * h->cell[k] + first + ABUT_STRAIN * h->point[k];
}

static void Get(AbutElastic el, PetscInt stride, PetscInt first, PetscReal rows[])
{
  const AbutHistory *h = &el->history;

  for (PetscInt k = 0; k < h->num; k++)
    for (PetscInt i = 0; i < ABUT_STRAIN; i++) rows[At(h, stride, first, k) + i] = h->state[ABUT_STRAIN * k + i];
}

void AbutElasticGetHistory(AbutElastic el, PetscReal rows[])
{
  const PetscInt stride = AbutElasticHistoryWidth(el);

  for (PetscInt i = 0; i < stride * el->local->num_cells; i++) rows[i] = 0;
  Get(el, stride, 0, rows);
  for (PetscInt b = 0, first = OwnWidth(el); b < el->num_branches; first += OwnWidth(el->branches[b++]))
    Get(el->branches[b], stride, first, rows);
}

static void Set(AbutElastic el, PetscInt stride, PetscInt first, const PetscReal rows[])
{
  const AbutHistory *h = &el->history;

  for (PetscInt k = 0; k < h->num; k++) {
    const PetscReal *row = rows + At(h, stride, first, k);

    for (PetscInt i = 0; i < ABUT_STRAIN; i++) h->state[ABUT_STRAIN * k + i] = row[0] > 0 ? row[i] : i < 3;
    SetPoint(el, k);
  }
}

void AbutElasticSetHistory(AbutElastic el, const PetscReal rows[])
{
  const PetscInt stride = AbutElasticHistoryWidth(el);

  Set(el, stride, 0, rows);
  for (PetscInt b = 0, first = OwnWidth(el); b < el->num_branches; first += OwnWidth(el->branches[b++]))
    Set(el->branches[b], stride, first, rows);
}
