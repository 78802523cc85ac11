/* Exact check of a state for intersections. */
#include "contactimpl.h"

enum { MAX_REPORTED = 1000 };

typedef struct {
  PetscInt          count;
  AbutIntersection *found; /* [MAX_REPORTED] */
} Report;

/* The lowest intersection stays first, so that it is always reported. */
static void Add(Report *report, AbutIntersection crossing)
{
  if (report->count > 0 && AbutCompareInts(ABUT_INTERSECTION_KEYS, (const PetscInt *)&crossing, (const PetscInt *)report->found) < 0) {
    const AbutIntersection first = report->found[0];
    report->found[0]             = crossing;
    crossing                     = first;
  }
  if (report->count < MAX_REPORTED) report->found[report->count] = crossing;
  report->count++;
}

/* Pairs of an edge and a face; 2D: of two edges, the one of lower id first. */
static PetscErrorCode CheckPairs(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                                 void *ctx)
{
  const AbutSweep *s   = &contact->check;
  const PetscInt   dim = contact->m->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    const int32_t   *a = A->v + 2 * (size_t)pairs[i][0], *b = B->v + (size_t)B->nv * (size_t)pairs[i][1];
    const PetscBool  turn = (PetscBool)(dim == 2 && !(A->id[pairs[i][0]] < B->id[pairs[i][1]]));
    const int32_t   *e = turn ? b : a, *f = turn ? a : b;
    const PetscReal *x[5];

    for (int k = 0; k < 2 + B->nv; k++) x[k] = s->x + dim * (k < 2 ? e[k] : f[k - 2]);
    if (!(dim == 3 ? AbutSegmentTriangleIntersect(x[0], x[1], x[2], x[3], x[4]) : AbutSegmentsIntersect2D(x[0], x[1], x[2], x[3])))
      continue;
    Add((Report *)ctx, (AbutIntersection){{s->id[e[0]], s->id[e[1]]},
                                          {s->id[f[0]], s->id[f[1]], dim == 3 ? s->id[f[2]] : -1},
                                          {s->body[e[0]], s->body[f[0]]}});
  }
  PetscFunctionReturn(0);
}

static void CheckPlanes(AbutContact contact, Report *report)
{
  const AbutEntities *points = &contact->local[POINT];
  const PetscInt      dim    = contact->m->dim;

  for (PetscInt p = 0; p < contact->planes.num; p++) {
    for (int32_t i = 0; i < points->n; i++) {
      const int32_t v = points->v[i];

      if (points->obstacle[i]) continue;
      if (!(AbutPlaneHeight(dim, contact->planes.next[p].normal, contact->planes.next[p].point, contact->check.x + dim * v) > 0))
        Add(report, (AbutIntersection){{contact->check.id[v], -1}, {p, -1, -1}, {contact->check.body[v], -1}});
    }
  }
}

static PetscErrorCode Check(AbutContact contact, const PetscReal x[], Report *report)
{
  AbutSweep *sweep = &contact->check;
  PetscInt   found = 0;

  PetscFunctionBegin;
  PetscCall(AbutSweepSetPositions(contact, sweep, x, NULL));
  PetscCall(AbutAgree(contact->comm, AbutSweepCheckRange(contact, sweep, 0, 0)));
  PetscCall(AbutSweepRedistribute(contact, sweep, 0, 0));
  PetscCall(AbutSweepPairs(contact, sweep, EDGE, contact->m->dim == 3 ? FACE : EDGE, PETSC_MAX_INT / 2, &found, CheckPairs, report));
  CheckPlanes(contact, report);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactCheck(AbutContact contact, const PetscReal x[], PetscInt *count, PetscInt *local_count,
                                AbutIntersection **crossings)
{
  Report         report = {0, NULL};
  PetscErrorCode ierr;
  PetscInt       kept;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_VERIFY));
  PetscCall(PetscMalloc1(MAX_REPORTED, &report.found));
  ierr = Check(contact, x, &report);
  if (!ierr) PetscCallMPI(MPI_Allreduce(&report.count, count, 1, MPIU_INT, MPI_SUM, contact->comm));
  kept = PetscMin(report.count, MAX_REPORTED);
  PetscCall(AbutSortRecords(kept, sizeof(*report.found), ABUT_INTERSECTION_KEYS, report.found));
  if (local_count) *local_count = kept;
  if (crossings && !ierr)
    *crossings = report.found;
  else
    PetscCall(PetscFree(report.found));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_VERIFY));
  PetscCall(ierr);
  PetscFunctionReturn(0);
}
