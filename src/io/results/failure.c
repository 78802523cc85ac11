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

void AbutJSONLimits(AbutText *t, int level, const PetscInt limits[])
{
  AbutJSONKey(t, level, "limits");
  AbutTextAppend(t, "{");
  for (int k = 0; k < ABUT_NUM_LIMITS; k++) AbutJSONInteger(t, level + 1, AbutLimiters[k], limits[k]);
  AbutTextAppend(t, "\n%*s}", 2 * level, "");
}

/* Writes the object "pair": vertex ids and the two bodies or planes of the pair that limited the shortest step. */
static void WritePair(AbutText *t, const AbutFailure *f)
{
  const AbutLimitingPair *pair = &f->report.search.pair;

  AbutJSONKey(t, 2, "pair");
  if (pair->rank < 0) {
    AbutTextAppend(t, "null");
    return;
  }
  AbutTextAppend(t, "{");
  AbutJSONKey(t, 3, "vertices");
  for (int k = 0; k < 4 && pair->vertex_id[k] >= 0; k++) AbutTextAppend(t, "%s%" PetscInt_FMT, k ? ", " : "[", pair->vertex_id[k]);
  AbutTextAppend(t, "]");
  AbutJSONString(t, 3, "body_a", f->bodies[0]);
  AbutJSONString(t, 3, "body_b", f->bodies[1]);
  AbutJSONReal(t, 3, "gap_m", pair->distance);
  AbutJSONInteger(t, 3, "rank", pair->rank);
  AbutTextAppend(t, "\n    }");
}

void AbutFailureWriteJSON(AbutText *t, AbutStats s)
{
  const AbutFailure    *f = &s->failure;
  const AbutStepReport *r = &f->report;

  AbutJSONKey(t, 1, "failure");
  AbutTextAppend(t, "{");
  AbutJSONInteger(t, 2, "step", f->step);
  AbutJSONReal(t, 2, "time_s", f->time);
  AbutJSONReal(t, 2, "dt_s", r->dt);
  AbutJSONInteger(t, 2, "halvings", r->halvings);
  AbutJSONInteger(t, 2, "newton_iterations", r->count.newton);
  AbutJSONBool(t, 2, "stuck", r->stuck);
  AbutJSONBool(t, 2, "linear_failed", r->linear_failed);
  AbutJSONLimits(t, 2, r->search.limits);
  AbutJSONString(t, 2, "limiter", AbutLimiters[r->search.limiter]);
  AbutJSONReal(t, 2, "smallest_step", r->search.smallest_step);
  WritePair(t, f);
  AbutJSONReal(t, 2, "boundary_progress", r->boundary_progress);
  AbutJSONString(t, 2, "boundary_place", f->boundary_place);
  AbutJSONReal(t, 2, "residual_N", r->force.residual);
  AbutJSONString(t, 2, "advice", f->advice);
  AbutTextAppend(t, "\n  }");
}
