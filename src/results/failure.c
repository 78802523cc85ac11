/* Object "failure" of summary.json. */
#include "statsimpl.h"

PetscErrorCode AbutStatsSetFailure(AbutStats s, PetscInt step, PetscReal time, const AbutStepReport *report, const char bodies[2][80],
                                   const char advice[])
{
  PetscFunctionBegin;
  s->failed         = PETSC_TRUE;
  s->failure.step   = step;
  s->failure.time   = time;
  s->failure.report = *report;
  for (int side = 0; side < 2; side++) PetscCall(PetscStrncpy(s->failure.bodies[side], bodies[side], sizeof(s->failure.bodies[side])));
  PetscCall(
    PetscStrncpy(s->failure.boundary_place, report->boundary_place ? report->boundary_place : "", sizeof(s->failure.boundary_place)));
  PetscCall(PetscStrncpy(s->failure.advice, advice, sizeof(s->failure.advice)));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutJSONLimits(AbutText *t, int level, const PetscInt limits[])
{
  PetscFunctionBegin;
  PetscCall(AbutJSONKey(t, level, "limits"));
  PetscCall(AbutTextAppend(t, "{"));
  for (int k = 0; k < ABUT_NUM_LIMITS; k++) PetscCall(AbutJSONInteger(t, level + 1, AbutLimiters[k], limits[k]));
  PetscCall(AbutTextAppend(t, "\n%*s}", 2 * level, ""));
  PetscFunctionReturn(0);
}

/* The pair that limited the shortest step: vertex ids, and two names of bodies or planes. */
static PetscErrorCode WritePair(AbutText *t, const AbutFailure *f)
{
  const AbutLimitingPair *pair = &f->report.search.pair;

  PetscFunctionBegin;
  PetscCall(AbutJSONKey(t, 2, "pair"));
  if (pair->rank < 0) {
    PetscCall(AbutTextAppend(t, "null"));
    PetscFunctionReturn(0);
  }
  PetscCall(AbutTextAppend(t, "{"));
  PetscCall(AbutJSONKey(t, 3, "vertices"));
  for (int k = 0; k < 4 && pair->vertex_id[k] >= 0; k++)
    PetscCall(AbutTextAppend(t, "%s%" PetscInt_FMT, k ? ", " : "[", pair->vertex_id[k]));
  PetscCall(AbutTextAppend(t, "]"));
  PetscCall(AbutJSONString(t, 3, "body_a", f->bodies[0]));
  PetscCall(AbutJSONString(t, 3, "body_b", f->bodies[1]));
  PetscCall(AbutJSONReal(t, 3, "gap_m", pair->distance));
  PetscCall(AbutJSONInteger(t, 3, "rank", pair->rank));
  PetscCall(AbutTextAppend(t, "\n    }"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFailureWriteJSON(AbutText *t, AbutStats s)
{
  const AbutFailure    *f = &s->failure;
  const AbutStepReport *r = &f->report;

  PetscFunctionBegin;
  PetscCall(AbutJSONKey(t, 1, "failure"));
  PetscCall(AbutTextAppend(t, "{"));
  PetscCall(AbutJSONInteger(t, 2, "step", f->step));
  PetscCall(AbutJSONReal(t, 2, "time_s", f->time));
  PetscCall(AbutJSONReal(t, 2, "dt_s", r->dt));
  PetscCall(AbutJSONInteger(t, 2, "halvings", r->halvings));
  PetscCall(AbutJSONInteger(t, 2, "newton_iterations", r->count.newton));
  PetscCall(AbutJSONBool(t, 2, "stuck", r->stuck));
  PetscCall(AbutJSONBool(t, 2, "linear_failed", r->linear_failed));
  PetscCall(AbutJSONLimits(t, 2, r->search.limits));
  PetscCall(AbutJSONString(t, 2, "limiter", AbutLimiters[r->search.limiter]));
  PetscCall(AbutJSONReal(t, 2, "smallest_step", r->search.smallest_step));
  PetscCall(WritePair(t, f));
  PetscCall(AbutJSONReal(t, 2, "boundary_progress", r->boundary_progress));
  PetscCall(AbutJSONString(t, 2, "boundary_place", f->boundary_place));
  PetscCall(AbutJSONReal(t, 2, "residual_N", r->force.residual));
  PetscCall(AbutJSONString(t, 2, "advice", f->advice));
  PetscCall(AbutTextAppend(t, "\n  }"));
  PetscFunctionReturn(0);
}
