/*
  Compressible Mooney-Rivlin solid, infinite at J = 0, with the fraction m of the second invariant:
  Psi = mu/2 [(1 - m) (I1 - 3) + m (J^(-2/3) I2 - 3) - 2 ln J] + lambda/2 (ln J)^2, I1 = |F|^2, I2 = |cof F|^2.
  The exponent -2/3 of J: a term mu/2 [J^-p I2 - 3 + (3p - 4) ln J] has no stress at rest for any p; mu and lambda are the Lame parameters
  of small strains for p = 2/3 and p = 2 only; p = 2/3 makes the term polyconvex. At J = 1 the energy is the incompressible one
  with c10 = (1 - m) mu/2, c01 = m mu/2. In 2D (plane strain, diag(F, 1)): I1 = |F|^2 + 1, I2 = |F|^2 + J^2.
*/
#include "elasticimpl.h"

static PetscReal Energy(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[])
{
  PetscReal       C[9], log_J, first, second;
  const PetscReal J = AbutCofactor(dim, F, C);

  if (!(J > 0)) return PETSC_INFINITY;
  log_J  = PetscLogReal(J);
  first  = AbutSquaredNorm(dim, F) + (dim == 2);
  second = dim == 3 ? AbutDot(9, C, C) : first - 1 + J * J;
  second *= PetscExpReal(-2 * log_J / 3);
  return m->mu * ((1 - m->mooney) * (first - 3) + m->mooney * (second - 3)) / 2 + (m->lambda / 2 * log_J - m->mu) * log_J;
}

/*
  P = mu ((1 - m) F + m w (I1 F - F F^T F)) + c F^-T with w = J^(-2/3), c = lambda ln J - mu - mu m w I2 / 3.
  In 2D I1 F - F F^T F = F + J cof F.
*/
static void Stress(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[], PetscReal P[])
{
  PetscReal       C[9], B[9], first, second;
  const PetscReal J = AbutCofactor(dim, F, C), log_J = PetscLogReal(J), w = m->mu * m->mooney * PetscExpReal(-2 * log_J / 3);
  PetscReal       c = m->lambda * log_J - m->mu;

  first  = AbutSquaredNorm(dim, F);
  second = dim == 3 ? AbutDot(9, C, C) : first + J * J;
  c      = (c - w * second / 3) / J;
  for (PetscInt i = 0; i < dim * dim; i++) P[i] = m->mu * (1 - m->mooney) * F[i] + c * C[i];
  if (dim == 2) {
    for (PetscInt i = 0; i < 4; i++) P[i] += w * (F[i] + J * C[i]);
    return;
  }
  for (PetscInt i = 0; i < 3; i++) /* B = I1 I - F F^T */
    for (PetscInt j = 0; j < 3; j++) B[3 * i + j] = (i == j ? first : 0) - AbutDot(3, F + 3 * i, F + 3 * j);
  for (PetscInt i = 0; i < 3; i++)
    for (PetscInt j = 0; j < 3; j++) P[3 * i + j] += w * (B[3 * i] * F[j] + B[3 * i + 1] * F[3 + j] + B[3 * i + 2] * F[6 + j]);
}

/* P_i = mu (1 - m) s_i + w s_i a_i + c / s_i with w = mu m J^(-2/3), a_i = sum over j != i of s_j^2, c = lambda ln J - mu - w I2 / 3 */
static void Stretch(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], AbutStretchDerivatives *d)
{
  PetscReal       t[3]  = {1, 1, 1}, r[3], p[3], a[3];
  const PetscReal log_J = PetscLogReal(AbutPositiveStretches(dim, s, t, r)), neo = m->mu * (1 - m->mooney);
  const PetscReal w = m->mu * m->mooney * PetscExpReal(-2 * log_J / 3), x = t[0] * t[0], y = t[1] * t[1], z = t[2] * t[2];
  const PetscReal bulk = m->lambda + 2 * w * (x * y + y * z + z * x) / 9; /* factor of r_i r_j in r_i dc/ds_j */
  const PetscReal c = m->lambda * log_J - m->mu - w * (x * y + y * z + z * x) / 3, third[3] = {z, y, x};

  a[0] = y + z;
  a[1] = z + x;
  a[2] = x + y;
  for (PetscInt i = 0; i < dim; i++) p[i] = t[i] * a[i];
  for (PetscInt i = 0; i < dim; i++) {
    for (PetscInt j = 0; j < dim; j++)
      d->second[dim * i + j] = bulk * r[i] * r[j] + w * ((i == j ? a[i] : 2 * t[i] * t[j]) - 2 * (p[i] * r[j] + p[j] * r[i]) / 3);
    d->second[dim * i + i] += neo - c * r[i] * r[i];
  }
  for (PetscInt i = 0, pair = 0; i < dim; i++)
    for (PetscInt j = i + 1; j < dim; j++, pair++) {
      const PetscReal even = neo + w * third[pair], odd = w * t[i] * t[j] + c * r[i] * r[j];
      d->difference[pair] = even - odd;
      d->sum[pair]        = even + odd;
    }
}

const AbutMaterialOps AbutMooneyRivlin = {.energy     = Energy,
                                          .stress     = Stress,
                                          .stretch    = Stretch,
                                          .measure    = ABUT_VOLUME_RATIO,
                                          .volumetric = AbutVolumetricLog,
                                          .barrier    = PETSC_TRUE};
