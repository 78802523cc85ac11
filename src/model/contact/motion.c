/*
  Check of a motion: whether surfaces touch or pass through each other while all vertices move on straight lines from one state to another.
  It does not use the candidates of the search, but finds the pairs of the whole motion itself.
*/
#include "contactimpl.h"

/*
  With this slack CCD reports a pair only if its distance falls below 1e-10 of its value at the start. Steps use at most 0.8 of a gap and
  never do so, whatever bound they have obeyed.
*/
#define SLACK (1 - 1e-10)

typedef struct {
  PetscReal     time; /* earliest so far, 1 if there is none */
  AbutFirstPair first;
} Report;

/* Values of n contact vertices, dim numbers each. */
static inline void Gather(PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal from[], PetscReal to[])
{
  for (PetscInt i = 0; i < dim * n; i++) to[i] = from[dim * v[i / dim] + i % dim];
}

static PetscErrorCode CheckPairs(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                                 void *ctx)
{
  const AbutSweep   *s      = &contact->check;
  const PetscInt     dim    = contact->m->dim;
  const AbutPairKind kind   = dim == 2 ? ABUT_PAIR_EV : B->nv == 1 ? ABUT_PAIR_FV : ABUT_PAIR_EE;
  const PetscInt     points = A->nv + B->nv, first = B->nv == 1 ? 1 : 0; /* the vertex comes first */
  Report            *report = ctx;

  PetscFunctionBegin;
  contact->counts.motion_pairs += n;
  for (PetscInt i = 0; i < n && report->time > 0; i++) {
    const int32_t *a = A->v + (size_t)A->nv * (size_t)pairs[i][0], *b = B->v + (size_t)B->nv * (size_t)pairs[i][1];
    PetscInt       v[4];
    PetscReal      x[12], dx[12], time;
    for (int k = 0; k < A->nv; k++) v[first + k] = a[k];
    for (int k = 0; k < B->nv; k++) v[first ? 0 : A->nv + k] = b[k];
    Gather(dim, points, v, s->x, x);
    Gather(dim, points, v, s->p, dx);
    if (!AbutCCD(kind, dim, x, dx, report->time, SLACK, &time)) continue;
    *report = (Report){time, {.kind = kind, .n = points, .plane = -1}};
    (void)PetscArraycpy(report->first.v, v, points);
  }
  PetscFunctionReturn(0);
}

/* A height over a half space is linear in time, and it is positive at the start: the end decides. */
static void CheckPlanes(AbutContact contact, const PetscReal to[], Report *report)
{
  const AbutEntities *points = &contact->local[POINT];
  const PetscInt      dim    = contact->m->dim;

  for (PetscInt p = 0; p < contact->planes.num; p++) {
    const AbutPlaneSpec *plane = &contact->planes.current[p];
    for (int32_t i = 0; i < points->n; i++) {
      const int32_t v = points->v[i];
      if (points->obstacle[i] || AbutPlaneHeight(dim, plane->normal, plane->point, to + dim * v) > 0 || report->first.n) continue;
      report->first = (AbutFirstPair){.n = 1, .v = {v}, .plane = p};
    }
  }
}

static PetscErrorCode Check(AbutContact contact, const PetscReal from[], const PetscReal to[], Report *report)
{
  AbutSweep     *sweep = &contact->check;
  const PetscInt dim = contact->m->dim, first = dim == 3 ? FACE : EDGE;
  PetscInt       found = 0;

  PetscFunctionBegin;
  PetscCall(AbutSweepSetPositions(contact, sweep, from, NULL));
  for (PetscInt i = 0; i < contact->m->num_local * dim; i++) sweep->p[i] = to[i] - from[i];
  PetscCall(AbutAgree(contact->comm, AbutSweepCheckRange(contact, sweep, 1, 0)));
  PetscCall(AbutSweepRedistribute(contact, sweep, 1, 0));
  PetscCall(AbutSweepPairs(contact, sweep, first, POINT, PETSC_MAX_INT / 2, &found, CheckPairs, report));
  if (dim == 3) PetscCall(AbutSweepPairs(contact, sweep, EDGE, EDGE, PETSC_MAX_INT / 2, &found, CheckPairs, report));
  CheckPlanes(contact, to, report);
  PetscFunctionReturn(0);
}

/* Describes the pair of this rank. */
static void Describe(AbutContact contact, const AbutSweep *s, const AbutFirstPair *first, AbutLimitingPair *pair)
{
  static const int first_of_second[] = {1, 1, 1, 2}; /* by AbutPairKind */
  const PetscInt   dim               = contact->m->dim;
  PetscReal        x[12]             = {0};

  for (PetscInt i = 0; i < first->n; i++) pair->vertex_id[i] = s->id[first->v[i]];
  pair->rank    = contact->rank;
  pair->body[0] = s->body[first->v[0]];
  pair->body[1] = first->plane >= 0 ? -1 - first->plane : s->body[first->v[first_of_second[first->kind]]];
  for (PetscInt i = 0; i < dim * first->n; i++) x[i] = s->x[dim * first->v[i / dim] + i % dim];
  if (first->plane >= 0)
    pair->distance = AbutPlaneHeight(dim, contact->planes.current[first->plane].normal, contact->planes.start + 3 * first->plane, x);
  else
    pair->distance = PetscSqrtReal(AbutPairDist2(first->kind, dim, x));
}

PetscErrorCode AbutFirstPairReduce(AbutContact contact, const AbutSweep *sweep, const AbutFirstPair *first, PetscReal *time,
                                   AbutLimitingPair *pair)
{
  struct {
    double time;
    int    rank;
  } mine = {(double)*time, first->n ? contact->rank : contact->size}, all;

  PetscFunctionBegin;
  *pair = (AbutLimitingPair){{-1, -1, -1, -1}, {-1, -1}, PETSC_INFINITY, -1};
  if (first->n) Describe(contact, sweep, first, pair);
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MINLOC, contact->comm));
  *time = (PetscReal)all.time;
  if (all.rank < contact->size) PetscCallMPI(MPI_Bcast(pair, sizeof(*pair), MPI_BYTE, all.rank, contact->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactCheckMotion(AbutContact contact, const PetscReal from[], const PetscReal to[], AbutLimitingPair *pair)
{
  AbutSweep     *sweep  = &contact->check;
  Report         report = {.time = 1};
  unsigned       meets[NUM_KINDS];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_VERIFY));
  contact->counts.motions++;
  (void)PetscArraycpy(meets, sweep->meets, NUM_KINDS);
  AbutSweepSetMotionKinds(contact->m->dim, sweep->meets);
  ierr = Check(contact, from, to, &report);
  (void)PetscArraycpy(sweep->meets, meets, NUM_KINDS);
  if (!report.first.n) report.time = 2; /* later than a vertex behind a half space at the end */
  if (!ierr) ierr = AbutFirstPairReduce(contact, sweep, &report.first, &report.time, pair);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_VERIFY));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}
