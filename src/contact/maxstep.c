/* Conservative step bound over the candidates. */
#include "contactimpl.h"

/* The tightest bound so far and the pair that sets it. */
typedef struct {
  AbutCCDMethod method;
  PetscReal     slack, scale; /* displacements are scale * p, so that times lie in (0, 1] */
  PetscReal     t;
  AbutPairKind  kind;
  PetscInt      n, v[4], plane; /* n = 0: nothing limits; plane >= 0: v[0] against a plane */
} Bound;

/* One stencil of n contact vertices; t is passed as the end of the interval, so that later pairs only have to be clear of what is known. */
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
  if (!moves || !AbutCCD(bound->method, kind, dim, x, dx, bound->t, bound->slack, &toi)) return;
  bound->t     = toi;
  bound->kind  = kind;
  bound->n     = n;
  bound->plane = -1;
  for (int i = 0; i < n; i++) bound->v[i] = v[i];
}

/* Distance from a plane along the step is d + t rate; (1 - slack) d of it must be left. */
static void BoundPlanes(const AbutCandidates *c, Bound *bound)
{
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const AbutPlaneSpec *plane = &c->planes[c->pv[i][0]];
    const PetscInt       v     = c->pv[i][1];
    PetscReal            d = 0, rate = 0, t;

    for (PetscInt k = 0; k < c->dim; k++) {
      d += plane->normal[k] * (c->x[c->dim * v + k] - plane->point[k]);
      rate += plane->normal[k] * bound->scale * c->p[c->dim * v + k];
    }
    if (d + (1 + 1e-12) * bound->t * rate > (1 - bound->slack) * d || (d > 0 && rate >= 0)) continue;
    t = d > 0 ? bound->slack * d / -rate * (1 - 1e-12) : 0;
    if (t >= bound->t) continue;
    bound->t     = t;
    bound->n     = 1;
    bound->v[0]  = v;
    bound->plane = c->pv[i][0];
  }
}

static void SetBlame(const AbutCandidates *c, const Bound *bound, PetscMPIInt rank, AbutBlame *blame)
{
  static const int first_of_second[] = {1, 1, 1, 2}; /* by AbutPairKind */
  PetscReal        x[12]             = {0};

  blame->rank = rank;
  for (PetscInt i = 0; i < 4; i++) blame->vertex_id[i] = i < bound->n ? c->vertex_id[bound->v[i]] : -1;
  blame->body[0] = c->vertex_body[bound->v[0]];
  blame->body[1] = bound->plane >= 0 ? -1 : c->vertex_body[bound->v[first_of_second[bound->kind]]];
  for (PetscInt i = 0; i < bound->n; i++) {
    for (PetscInt k = 0; k < c->dim; k++) x[c->dim * i + k] = c->x[c->dim * bound->v[i] + k];
  }
  if (bound->plane >= 0) {
    blame->distance = 0;
    for (PetscInt k = 0; k < c->dim; k++) blame->distance += c->planes[bound->plane].normal[k] * (x[k] - c->planes[bound->plane].point[k]);
  } else
    blame->distance = PetscSqrtReal(AbutPairDist2(bound->kind, c->dim, x));
}

/* The smallest bound of all ranks, and the blame of the lowest rank that has it. */
static PetscErrorCode Agree(AbutContact contact, PetscBool limited, PetscReal *step, AbutBlame *blame)
{
  struct {
    double t;
    int    rank;
  } mine = {(double)*step, limited ? contact->rank : contact->size}, all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MINLOC, contact->comm));
  *step = (PetscReal)all.t;
  if (all.rank < contact->size) PetscCallMPI(MPI_Bcast(blame, sizeof(*blame), MPI_BYTE, all.rank, contact->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactMaxStep(AbutContact contact, AbutCCDMethod method, PetscReal slack, PetscReal *step, AbutBlame *blame)
{
  const AbutCandidates *c     = &contact->candidates;
  const PetscReal       scale = PetscMax(*step, 1);
  Bound                 bound = {.method = method, .slack = slack, .scale = scale, .t = *step / scale, .plane = -1};

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CCD));
  *blame = (AbutBlame){{-1, -1, -1, -1}, {-1, -1}, PETSC_INFINITY, -1};
  if (*step > 0) {
    BoundPlanes(c, &bound);
    for (PetscInt i = 0; i < c->num_fv && bound.t > 0; i++) BoundPair(c, 3, ABUT_PAIR_FV, 4, c->fv[i], &bound);
    for (PetscInt i = 0; i < c->num_ee && bound.t > 0; i++) BoundPair(c, 3, ABUT_PAIR_EE, 4, c->ee[i], &bound);
    for (PetscInt i = 0; i < c->num_ev && bound.t > 0; i++) BoundPair(c, 2, ABUT_PAIR_EV, 3, c->ev[i], &bound);
    if (bound.n) {
      *step = scale * bound.t;
      SetBlame(c, &bound, contact->rank, blame);
    }
  }
  PetscCall(Agree(contact, (PetscBool)(bound.n > 0), step, blame));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CCD));
  PetscFunctionReturn(0);
}
