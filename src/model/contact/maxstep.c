/* Conservative CCD step bound: minimum over the candidates and half spaces. */
#include "contactimpl.h"

/* Smallest step bound so far, and its pair. */
typedef struct {
  PetscReal     slack, floor; /* a pair keeps the fraction 1 - slack of its distance, at most floor */
  PetscReal     scale;        /* CCD uses the displacement scale * p, so that its times lie in (0, 1] */
  PetscReal     t;
  AbutFirstPair pair;
} Bound;

/* Bounds the step by one pair of n contact vertices. CCD searches only up to the bound so far, since no larger time matters. */
static inline __attribute__((always_inline)) void BoundPair(const AbutCandidates *c, int dim, AbutPairKind kind, int n, const PetscInt v[],
                                                            Bound *bound)
{
  PetscReal x[12], dx[12], toi;
  PetscBool moves = PETSC_FALSE;

  for (int i = 0; i < n; i++) {
    for (int k = 0; k < dim; k++) {
      x[dim * i + k]  = c->x[dim * v[i] + k];
      dx[dim * i + k] = bound->scale * c->p[dim * v[i] + k];
      moves |= (PetscBool)(dx[dim * i + k] != dx[k]);
    }
  }
  if (!moves || !AbutCCD(kind, dim, x, dx, bound->t, bound->slack, &toi)) return;
  if (bound->floor < PETSC_INFINITY) {
    const PetscReal slack = AbutContactSlack(bound->slack, bound->floor, PetscSqrtReal(AbutPairDist2(kind, dim, x)));
    if (slack > bound->slack && !AbutCCD(kind, dim, x, dx, bound->t, slack, &toi)) return;
  }
  bound->t    = toi;
  bound->pair = (AbutFirstPair){.kind = kind, .n = n, .plane = -1};
  for (int i = 0; i < n; i++) bound->pair.v[i] = v[i];
}

/*
  Round-off of the heights before and after a step, relative to the sum of the magnitudes of their terms.
*/
#define ROUND_OFF (16 * PETSC_MACHINE_EPSILON)

/*
  The height over a plane at t is h + t rate. The bound keeps h + t rate >= min((1 - slack) h, floor), with allowance for the round-off of
  h and rate.
  A vertex whose height is within round-off of 0 must not approach.
*/
static void BoundPlanes(const AbutCandidates *c, const AbutPlaneSet *planes, Bound *bound)
{
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const PetscReal *normal = c->planes[c->pv[i][0]].normal, *q = planes->start + 3 * c->pv[i][0];
    const PetscReal *w = planes->displacement + 3 * c->pv[i][0], *x = c->x + c->dim * c->pv[i][1], *p = c->p + c->dim * c->pv[i][1];
    const PetscReal  height = AbutPlaneHeight(c->dim, normal, q, x), rate = bound->scale * AbutPlaneHeight(c->dim, normal, w, p);
    PetscReal        error = 0, t;

    if (height > 0 && rate >= 0) continue;
    for (PetscInt k = 0; k < c->dim; k++)
      error +=
        PetscAbsReal(normal[k]) * (PetscAbsReal(x[k]) + PetscAbsReal(q[k]) + bound->scale * (PetscAbsReal(p[k]) + PetscAbsReal(w[k])));
    t = AbutContactSlack(bound->slack, bound->floor, height) * height - ROUND_OFF * error;
    if (rate < 0 && t >= -rate * bound->t) continue;
    bound->t    = t > 0 && rate < 0 ? t / -rate : 0;
    bound->pair = (AbutFirstPair){.n = 1, .v = {c->pv[i][1]}, .plane = c->pv[i][0]};
  }
}

PetscErrorCode AbutContactMaxStep(AbutContact contact, PetscReal slack, PetscReal floor, PetscReal *step, AbutLimitingPair *limiting)
{
  const AbutCandidates *c     = &contact->candidates;
  const PetscReal       scale = PetscMax(*step, 1);
  Bound                 bound = {.slack = slack, .floor = floor, .scale = scale, .t = *step / scale};

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CCD));
  if (*step > 0) {
    BoundPlanes(c, &contact->planes, &bound);
    for (PetscInt i = 0; i < c->num_fv && bound.t > 0; i++) BoundPair(c, 3, ABUT_PAIR_FV, 4, c->fv[i], &bound);
    for (PetscInt i = 0; i < c->num_ee && bound.t > 0; i++) BoundPair(c, 3, ABUT_PAIR_EE, 4, c->ee[i], &bound);
    for (PetscInt i = 0; i < c->num_ev && bound.t > 0; i++) BoundPair(c, 2, ABUT_PAIR_EV, 3, c->ev[i], &bound);
    if (bound.pair.n) *step = scale * bound.t;
  }
  PetscCall(AbutFirstPairReduce(contact, &contact->search, &bound.pair, step, limiting));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CCD));
  PetscFunctionReturn(0);
}
