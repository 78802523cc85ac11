/* Message on a step that did not converge: limiters of the line searches, the limiting pair, the cause, advice. */
#include "app.h"
#include <stdio.h>

/* Name of a body, or of the half space -1 - body. */
static const char *SideName(const Model *model, PetscInt body)
{
  return body >= 0 ? model->sim.local->bodies[body].name : model->scene->planes[-1 - body].name;
}

/* "of 57 line searches 3 were limited by 'ccd', 40 were limited by 'energy', 14 took the full step" */
static void DescribeLimits(const AbutStepReport *r, size_t size, char text[])
{
  size_t   used;
  PetscInt sum = 0;

  for (int k = 0; k < ABUT_NUM_LIMITS; k++) sum += r->search.limits[k];
  used = (size_t)snprintf(text, size, "of %" PetscInt_FMT " line searches", sum);
  for (int k = ABUT_LIMIT_NONE + 1; k < ABUT_NUM_LIMITS; k++)
    if (r->search.limits[k] && used < size)
      used += (size_t)snprintf(text + used, size - used, " %" PetscInt_FMT " were limited by '%s',", r->search.limits[k], AbutLimiters[k]);
  if (used < size) snprintf(text + used, size - used, " %" PetscInt_FMT " took the full step", r->search.limits[ABUT_LIMIT_NONE]);
}

/* "; the shortest, 1e-9, by vertices 1 2 3 4 of 'a' and 'b', 1e-5 m apart (rank 0, drawn in DIR/failure.xdmf)" */
static void DescribePair(const Run *run, const AbutLimitingPair *pair, PetscReal smallest, size_t size, char text[])
{
  size_t used;

  text[0] = '\0';
  if (pair->rank < 0) return;
  used = (size_t)snprintf(text, size, "; the shortest, %.3g, by %s", (double)smallest, pair->vertex_id[1] < 0 ? "vertex" : "vertices");
  for (int k = 0; k < 4 && pair->vertex_id[k] >= 0; k++)
    used += (size_t)snprintf(text + used, size - used, " %" PetscInt_FMT, pair->vertex_id[k]);
  snprintf(text + used, size - used, " of '%s' and '%s', %.3g m apart (rank %d, drawn in %s/failure.xdmf)",
           SideName(&run->model, pair->body[0]), SideName(&run->model, pair->body[1]), (double)pair->distance, pair->rank, run->directory);
}

/* Advice on the most frequent cause. */
static const char *Advice(const AbutStepReport *r)
{
  if (r->exhausted && r->boundary_progress < 1 && r->boundary_place) return "a larger solver.max_newton, or a slower motion";
  if (r->exhausted) return "a larger solver.max_newton";
  if (r->linear_failed) return "another linear solver (-abut_linear direct)";
  if (r->boundary_progress < 1 && r->boundary_place) return "a slower motion, or one that does not push bodies into rigid obstacles";
  switch (r->search.limiter) {
  case ABUT_LIMIT_CCD: return "more room for the bodies that are named";
  case ABUT_LIMIT_INVERSION: return "finer cells where bodies are crushed, or a material that can invert (fixed-corotated)";
  case ABUT_LIMIT_ENERGY: return "a larger solver.tolerance, or another solver.projection";
  case ABUT_LIMIT_BOUND: return "more candidate pairs a rank (-contact_max_pairs), or more ranks";
  default: return "a larger solver.max_newton";
  }
}

static void DescribeAdvice(const Run *run, const AbutStepReport *r, size_t size, char text[])
{
  const AbutStepSpec *step   = &run->model.scene->step;
  const PetscBool     halves = (PetscBool)(step->dt_min < step->dt);

  snprintf(text, size, "try %s, or %s (now %g s)", Advice(r),
           halves ? "a smaller time.smallest_step"
                  : "shorter steps: a smaller time.step, or a time.smallest_step down to which steps are halved",
           (double)(halves ? step->dt_min : step->dt));
}

/* " even after 2 halvings, in 57 Newton iterations, when the linear solver failed: cg with preconditioner gamg ..." */
static void DescribeEnd(const AbutStepReport *r, size_t size, char text[])
{
  const char *why = "", *detail = "";

  if (r->linear_failed) {
    why    = r->linear_failure[0] ? ", when the linear solver failed: " : ", when the linear solver failed";
    detail = r->linear_failure;
  } else if (r->stuck)
    why = r->boundary_progress < 1 ? ", when line searches or prescribed motions made no more progress"
                                   : ", when line searches made no more progress";
  else if (r->exhausted)
    why = ", when a solve reached solver.max_newton iterations";
  if (r->halvings)
    snprintf(text, size, " even after %" PetscInt_FMT " halvings, in %" PetscInt_FMT " Newton iterations%s%s", r->halvings, r->count.newton,
             why, detail);
  else
    snprintf(text, size, " in %" PetscInt_FMT " Newton iterations%s%s", r->count.newton, why, detail);
}

static PetscErrorCode Record(Run *run, const AbutStepReport *r, const char advice[])
{
  char bodies[2][80] = {"", ""};

  PetscFunctionBegin;
  if (r->search.pair.rank >= 0) {
    for (int side = 0; side < 2; side++)
      PetscCall(PetscStrncpy(bodies[side], SideName(&run->model, r->search.pair.body[side]), sizeof(bodies[side])));
    PetscCall(AbutLimitingPairWrite(run->model.sim.mesh, run->directory, run->state->x, &r->search.pair));
  }
  PetscCall(AbutStatsSetFailure(run->stats, run->state->step + 1, run->state->time + r->dt, r, (const char(*)[80])bodies, advice));
  PetscFunctionReturn(0);
}

PetscErrorCode FailureReport(Run *run, const AbutStepReport *r)
{
  char end[512], limits[256], pair[1024], boundary[256] = "", advice[512];

  PetscFunctionBegin;
  DescribeEnd(r, sizeof(end), end);
  DescribeLimits(r, sizeof(limits), limits);
  DescribePair(run, &r->search.pair, r->search.smallest_step, sizeof(pair), pair);
  if (r->boundary_progress < 1)
    snprintf(boundary, sizeof(boundary), "; %.3g of the prescribed motion was completed%s%s", (double)r->boundary_progress,
             r->boundary_place ? ", least by the motion at " : "", r->boundary_place ? r->boundary_place : "");
  DescribeAdvice(run, r, sizeof(advice), advice);
  PetscCall(Record(run, r, advice));
  PetscFunctionReturn(AbutErrorSet(
    ABUT_ERR_DIVERGED,
    "step %" PetscInt_FMT " (to t = %g s, dt = %g s) did not converge%s: %s%s%s; %s. The state before it is in "
    "%s/checkpoint.h5: -restart with it repeats the step",
    run->state->step + 1, (double)(run->state->time + r->dt), (double)r->dt, end, limits, pair, boundary, advice, run->directory));
}
