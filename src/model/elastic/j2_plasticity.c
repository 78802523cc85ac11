/*
  Elastoplastic solid with the yield criterion of von Mises and linear isotropic hardening at finite strains, infinite at J = 0.

  With the logarithms e_i of the principal stretches of the elastic trial state F Fp^-1, the plastic strain of the start of the step, their
  deviator e' and the equivalent strain q = sqrt(2/3) |e'|, the density is the elastic energy plus the plastic work of the step, minimised
  over the increment d of the equivalent plastic strain p [Ortiz and Stainier 1999; Simo 1992]:
  Psi = K/2 (ln J)^2 + min_(d >= 0) [3/2 mu (q - d)^2 + (Y + H p) d + H/2 d^2],  d = max(0, (3 mu q - Y - H p) / (3 mu + H)),
  K = lambda + 2 mu / 3. The stress 3 mu (q - d) is continuous. In 2D (plane strain) the third elastic stretch is exp(log_third).
*/
#include "logarithmic.h"

/* The elastic trial state. */
typedef struct {
  PetscReal t[3], r[3];       /* stretches in the plane or space, reciprocals */
  PetscReal trace;            /* ln J */
  PetscReal deviator[3];      /* e' */
  PetscReal equivalent, flow; /* q, d */
} Trial;

static void SetFlow(const AbutMaterialConstants *m, Trial *trial)
{
  const PetscReal *e = trial->deviator;

  trial->equivalent = PetscSqrtReal(2 * AbutDot(3, e, e) / 3);
  trial->flow       = PetscMax(0, (3 * m->mu * trial->equivalent - m->yield - m->hardening * m->strain) / (3 * m->mu + m->hardening));
}

static Trial TrialOf(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[])
{
  Trial trial;

  trial.trace = AbutLogarithmicDeviator(dim, m->log_third, s, trial.t, trial.r, trial.deviator);
  SetFlow(m, &trial);
  return trial;
}

static PetscReal StretchEnergy(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[])
{
  Trial     trial;
  PetscReal elastic;

  if (!(s[dim - 1] > 0)) return PETSC_INFINITY;
  trial   = TrialOf(dim, m, s);
  elastic = trial.equivalent - trial.flow;
  return (m->lambda + 2 * m->mu / 3) / 2 * trial.trace * trial.trace + 1.5 * m->mu * elastic * elastic +
         (m->yield + m->hardening * (m->strain + trial.flow / 2)) * trial.flow;
}

/* Factor of e' in the stresses tau_i = K ln J + secant e'_i */
static PetscReal Secant(const AbutMaterialConstants *m, const Trial *trial)
{
  return trial->flow > 0 ? 2 * m->mu * (1 - trial->flow / trial->equivalent) : 2 * m->mu;
}

/* P_i = tau_i / s_i */
static void StretchStress(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], PetscReal P[])
{
  const Trial     trial  = TrialOf(dim, m, s);
  const PetscReal secant = Secant(m, &trial), pressure = (m->lambda + 2 * m->mu / 3) * trial.trace;

  for (PetscInt i = 0; i < dim; i++) P[i] = trial.r[i] * (pressure + secant * trial.deviator[i]);
}

/* dtau_i/de_j = K + secant (delta_ij - 1/3) + (w'' - 3/2 secant) n_i n_j, n = 2/3 e' / q, w'' = 3 mu H / (3 mu + H) while it flows */
static void Stretch(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[], AbutStretchDerivatives *d)
{
  const Trial     trial  = TrialOf(dim, m, s);
  const PetscReal secant = Secant(m, &trial), bulk = m->lambda + 2 * m->mu / 3, slope[3] = {secant, secant, secant};
  const PetscReal plastic = 3 * m->mu * m->hardening / (3 * m->mu + m->hardening) - 1.5 * secant;
  PetscReal       tau[3], H[9];

  for (PetscInt i = 0; i < dim; i++) {
    tau[i] = bulk * trial.trace + secant * trial.deviator[i];
    for (PetscInt j = 0; j < dim; j++) {
      H[dim * i + j] = bulk + secant * ((i == j) - 1. / 3);
      if (trial.flow > 0) H[dim * i + j] += plastic * 4 / 9 * trial.deviator[i] * trial.deviator[j] / (trial.equivalent * trial.equivalent);
    }
  }
  AbutLogarithmicDerivatives(dim, trial.t, trial.r, tau, H, slope, d);
}

/* The plastic strain grows along e', by d in the equivalent strain. */
static PetscReal Flow(const AbutMaterialConstants *m, const PetscReal e[3], PetscReal increment[3])
{
  Trial trial = {.trace = e[0] + e[1] + e[2]};

  for (PetscInt i = 0; i < 3; i++) trial.deviator[i] = e[i] - trial.trace / 3;
  SetFlow(m, &trial);
  for (PetscInt i = 0; i < 3; i++) increment[i] = trial.flow > 0 ? trial.flow / trial.equivalent * trial.deviator[i] : 0;
  return trial.flow;
}

const AbutMaterialOps AbutJ2Plasticity = {.stretch        = Stretch,
                                          .stretch_energy = StretchEnergy,
                                          .stretch_stress = StretchStress,
                                          .flow           = Flow,
                                          .measure        = ABUT_VOLUME_RATIO,
                                          .volumetric     = AbutVolumetricLog,
                                          .barrier        = PETSC_TRUE,
                                          .auxetic        = PETSC_TRUE};
