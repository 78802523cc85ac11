/*
  Ogden solid with the isochoric principal stretches, infinite at J = 0 [Ogden 1972, Large deformation isotropic elasticity]:
  Psi = sum_k mu_k / alpha_k (sum_i b_i^alpha_k - 3) + K/2 (ln J)^2, b_i = J^(-1/3) s_i, K = lambda + 2 mu / 3.
  The shear modulus at rest is mu = sum_k mu_k alpha_k / 2. In 2D (plane strain) the third stretch is 1, b_3 = J^(-1/3).
*/
#include "logarithmic.h"

static PetscReal StretchEnergy(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[])
{
  const PetscReal bulk = m->lambda + 2 * m->mu / 3;
  PetscReal       t[3], r[3], e[3], log_J, sum = 0;

  if (!(s[dim - 1] > 0)) return PETSC_INFINITY;
  log_J = AbutLogarithmicDeviator(dim, 0, s, t, r, e);
  for (PetscInt k = 0; k < m->num_ogden; k++)
    for (PetscInt i = 0; i < 3; i++) sum += m->ogden[k].mu / m->ogden[k].alpha * expm1(m->ogden[k].alpha * e[i]);
  return sum + bulk / 2 * log_J * log_J;
}

/* tau_i = p_i - mean p + K ln J with p_i = sum_k mu_k b_i^alpha_k, for i < dim. */
static void Stresses(PetscInt dim, const AbutMaterialConstants *m, PetscReal log_J, const PetscReal e[3], PetscReal tau[3])
{
  PetscReal p[3] = {0, 0, 0}, mean;

  for (PetscInt k = 0; k < m->num_ogden; k++)
    for (PetscInt i = 0; i < 3; i++) p[i] += m->ogden[k].mu * expm1(m->ogden[k].alpha * e[i]);
  mean = (p[0] + p[1] + p[2]) / 3;
  for (PetscInt i = 0; i < dim; i++) tau[i] = p[i] - mean + (m->lambda + 2 * m->mu / 3) * log_J;
}

/* P_i = tau_i / s_i */
static void StretchStress(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], PetscReal P[])
{
  PetscReal       t[3], r[3], e[3], tau[3];
  const PetscReal log_J = AbutLogarithmicDeviator(dim, 0, s, t, r, e);

  Stresses(dim, m, log_J, e, tau);
  for (PetscInt i = 0; i < dim; i++) P[i] = r[i] * tau[i];
}

/* sinh(x) / x */
static PetscReal SinhQuotient(PetscReal x)
{
  return x != 0 ? PetscSinhReal(x) / x : 1;
}

/* dtau_i/d ln s_j = q_i (i = j) - (q_i + q_j) / 3 + sum q / 9 + K with q_i = sum_k mu_k alpha_k b_i^alpha_k */
static void Stretch(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], AbutStretchDerivatives *d)
{
  PetscReal       t[3], r[3], e[3], tau[3], q[3] = {0, 0, 0}, H[9], slope[3] = {0, 0, 0};
  const PetscReal log_J = AbutLogarithmicDeviator(dim, 0, s, t, r, e);

  Stresses(dim, m, log_J, e, tau);
  for (PetscInt k = 0; k < m->num_ogden; k++) {
    const PetscReal alpha = m->ogden[k].alpha, stiffness = m->ogden[k].mu * alpha;

    for (PetscInt i = 0; i < 3; i++) q[i] += stiffness * PetscExpReal(alpha * e[i]);
    for (PetscInt i = 0, pair = 0; i < dim; i++) /* b_i^alpha - b_j^alpha = 2 (b_i b_j)^(alpha/2) sinh(alpha (ln b_i - ln b_j) / 2) */
      for (PetscInt j = i + 1; j < dim; j++, pair++)
        slope[pair] += stiffness * PetscExpReal(alpha * (e[i] + e[j]) / 2) * SinhQuotient(alpha / 2 * log1p((t[i] - t[j]) * r[j]));
  }
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++)
      H[dim * i + j] = (i == j ? q[i] : 0) - (q[i] + q[j]) / 3 + (q[0] + q[1] + q[2]) / 9 + m->lambda + 2 * m->mu / 3;
  AbutLogarithmicDerivatives(dim, t, r, tau, H, slope, d);
}

const AbutMaterialOps AbutOgden = {.stretch        = Stretch,
                                   .stretch_energy = StretchEnergy,
                                   .stretch_stress = StretchStress,
                                   .measure        = ABUT_VOLUME_RATIO,
                                   .volumetric     = AbutVolumetricLog,
                                   .barrier        = PETSC_TRUE,
                                   .auxetic        = PETSC_TRUE};

/*
  Coefficient of the term that grows fastest where the largest ln b is `most` and the smallest -`least`: exponents are alpha most for
  alpha > 0 and -alpha least for alpha < 0.
*/
static PetscReal Dominant(PetscInt num, const AbutOgdenTerm terms[], PetscReal most, PetscReal least)
{
  PetscReal largest = 0, sum = 0;

  for (PetscInt k = 0; k < num; k++) {
    const PetscReal alpha = terms[k].alpha, exponent = alpha > 0 ? alpha * most : -alpha * least;

    if (exponent > largest) sum = 0;
    if (exponent >= largest) sum += terms[k].mu / alpha;
    largest = PetscMax(largest, exponent);
  }
  return sum;
}

/* The isochoric stretches lie between uniaxial tension, (1, -1/2, -1/2), and equibiaxial tension, (1/2, 1/2, -1), of the logarithms. */
const char *AbutOgdenObjection(PetscInt num, const AbutOgdenTerm terms[])
{
  PetscReal shear = 0;

  if (num < 1) return "ogden has no terms, must have one or more";
  for (PetscInt k = 0; k < num; k++) {
    shear += terms[k].mu * terms[k].alpha / 2;
    if (!(PetscAbsReal(terms[k].alpha) >= 1e-3 && PetscAbsReal(terms[k].alpha) <= 1e3))
      return "ogden has a term with |alpha| outside of [1e-3, 1e3]";
  }
  if (!(shear > 0 && shear < PETSC_INFINITY)) return "the shear modulus of ogden, the sum of mu alpha / 2, is not positive";
  if (!(Dominant(num, terms, 1, 0.5) > 0 && Dominant(num, terms, 0.5, 1) > 0))
    return "the energy of ogden has no lower bound: the term that grows fastest in large deformations must have mu alpha > 0";
  return NULL;
}
