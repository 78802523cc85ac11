/*
  Branch of a generalised Maxwell solid: a spring and a dashpot in series, beside the elastic material. With the logarithms of the
  principal stretches of F Fv^-1, the viscous strain of the start of the step, their deviator e', the shear modulus mu of the branch and
  the ratio r of the time step to its relaxation time, the density is the elastic energy plus the time step times the dissipation
  potential, minimised over the increment d of the viscous strain [Ortiz and Stainier 1999]:
  Psi = min_d [mu |e' - d|^2 + mu / r |d|^2] = mu / (1 + r) |e'|^2,  d = r / (1 + r) e'.
  The implicit Euler rule: a held strain relaxes by 1 / (1 + r) in a step, of order 1 in the step; a constant rate has its exact stress.
  It dissipates 2 mu (e' - d) . d, never less than 0. In 2D (plane strain) the third elastic stretch is exp(log_third).
*/
#include "logarithmic.h"

static PetscReal StretchEnergy(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[])
{
  PetscReal t[3], r[3], e[3];

  if (!(s[dim - 1] > 0)) return PETSC_INFINITY;
  AbutLogarithmicDeviator(dim, m->log_third, s, t, r, e);
  return m->mu / (1 + m->ratio) * AbutDot(3, e, e);
}

static void StretchStress(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], PetscReal P[])
{
  PetscReal t[3], r[3], e[3];

  AbutLogarithmicDeviator(dim, m->log_third, s, t, r, e);
  for (PetscInt i = 0; i < dim; i++) P[i] = 2 * m->mu / (1 + m->ratio) * e[i] * r[i];
}

static void Stretch(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], AbutStretchDerivatives *d)
{
  const PetscReal stiffness = 2 * m->mu / (1 + m->ratio), slope[3] = {stiffness, stiffness, stiffness};
  PetscReal       t[3], r[3], e[3], H[9];

  AbutLogarithmicDeviator(dim, m->log_third, s, t, r, e);
  for (PetscInt i = 0; i < dim * dim; i++) H[i] = stiffness * ((i % (dim + 1) == 0) - 1. / 3);
  for (PetscInt i = 0; i < 3; i++) e[i] *= stiffness;
  AbutLogarithmicDerivatives(dim, t, r, e, H, slope, d);
}

/* Returns the energy density that the step dissipates. */
static PetscReal Flow(const AbutMaterialConstants *m, const PetscReal e[3], PetscReal increment[3])
{
  const PetscReal mean = (e[0] + e[1] + e[2]) / 3, share = m->ratio / (1 + m->ratio);

  for (PetscInt i = 0; i < 3; i++) increment[i] = share * (e[i] - mean);
  return m->ratio > 0 ? 2 * m->mu / m->ratio * AbutDot(3, increment, increment) : 0;
}

const AbutMaterialOps AbutMaxwell = {.stretch        = Stretch,
                                     .stretch_energy = StretchEnergy,
                                     .stretch_stress = StretchStress,
                                     .flow           = Flow,
                                     .measure        = ABUT_VOLUME_RATIO,
                                     .volumetric     = AbutVolumetricLog,
                                     .barrier        = PETSC_TRUE};
