/* Conservative CCD step bound: minimum over the candidates and half spaces. */
#include "contactimpl.h"

/* Smallest step bound so far, and its pair. */
typedef struct {
  PetscReal    slack, floor; /* a pair keeps the fraction 1 - slack of its distance, at most floor */
  PetscReal    scale;        /* CCD uses the displacement scale * p, so that its times lie in (0, 1] */
  PetscReal    t;
  AbutPairKind kind;
  PetscInt     n, v[4], plane; /* n = 0: no pair limits the step; plane >= 0: vertex v[0] and this half space */
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
  bound->t     = toi;
  bound->kind  = kind;
  bound->n     = n;
  bound->plane = -1;
  for (int i = 0; i < n; i++) bound->v[i] = v[i];
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
    t            = t > 0 && rate < 0 ? t / -rate : 0;
    bound->t     = t;
    bound->n     = 1;
    bound->v[0]  = c->pv[i][1];
    bound->plane = c->pv[i][0];
  }
}

static void SetLimitingPair(const AbutCandidates *c, const AbutPlaneSet *planes, const Bound *bound, AbutLimitingPair *limiting)
{
  static const int first_of_second[] = {1, 1, 1, 2}; /* by AbutPairKind */
  PetscReal        x[12]             = {0};

  for (PetscInt i = 0; i < 4; i++) limiting->vertex_id[i] = i < bound->n ? c->vertex_id[bound->v[i]] : -1;
  limiting->body[0] = c->vertex_body[bound->v[0]];
  limiting->body[1] = bound->plane >= 0 ? -1 - bound->plane : c->vertex_body[bound->v[first_of_second[bound->kind]]];
  for (PetscInt i = 0; i < bound->n; i++) {
    for (PetscInt k = 0; k < c->dim; k++) x[c->dim * i + k] = c->x[c->dim * bound->v[i] + k];
  }
  if (bound->plane >= 0)
    limiting->distance = AbutPlaneHeight(c->dim, c->planes[bound->plane].normal, planes->start + 3 * bound->plane, x);
  else
    limiting->distance = PetscSqrtReal(AbutPairDist2(bound->kind, c->dim, x));
}

/* Reduces the bound to its minimum over ranks, with the limiting pair of the lowest rank that attains it. */
static PetscErrorCode Reduce(AbutContact contact, PetscBool limited, PetscReal *step, AbutLimitingPair *limiting)
{
  struct {
    double t;
    int    rank;
  } mine = {(double)*step, limited ? contact->rank : contact->size}, all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MINLOC, contact->comm));
  *step = (PetscReal)all.t;
  if (all.rank < contact->size) PetscCallMPI(MPI_Bcast(limiting, sizeof(*limiting), MPI_BYTE, all.rank, contact->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactMaxStep(AbutContact contact, PetscReal slack, PetscReal floor, PetscReal *step, AbutLimitingPair *limiting)
{
  const AbutCandidates *c     = &contact->candidates;
  const PetscReal       scale = PetscMax(*step, 1);
  Bound                 bound = {.slack = slack, .floor = floor, .scale = scale, .t = *step / scale, .plane = -1};

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CCD));
  *limiting = (AbutLimitingPair){{-1, -1, -1, -1}, {-1, -1}, PETSC_INFINITY, -1};
  if (*step > 0) {
    BoundPlanes(c, &contact->planes, &bound);
    for (PetscInt i = 0; i < c->num_fv && bound.t > 0; i++) BoundPair(c, 3, ABUT_PAIR_FV, 4, c->fv[i], &bound);
    for (PetscInt i = 0; i < c->num_ee && bound.t > 0; i++) BoundPair(c, 3, ABUT_PAIR_EE, 4, c->ee[i], &bound);
    for (PetscInt i = 0; i < c->num_ev && bound.t > 0; i++) BoundPair(c, 2, ABUT_PAIR_EV, 3, c->ev[i], &bound);
    if (bound.n) {
      *step = scale * bound.t;
      SetLimitingPair(c, &contact->planes, &bound, limiting);
      limiting->rank = contact->rank;
    }
  }
  PetscCall(Reduce(contact, (PetscBool)(bound.n > 0), step, limiting));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CCD));
  PetscFunctionReturn(0);
}
