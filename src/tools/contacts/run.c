/* abut contacts: methods one after the other, each along its own motion of the rigid bodies. */
#include "contacts.h"
#include <petsctime.h>
#include <stdio.h>

/* One method in progress. */
typedef struct {
  PetscInt                 method; /* index */
  PetscInt                 step;
  PetscReal               *x;        /* [num_local * 3] positions [m] */
  const AbutPointContacts *contacts; /* of this step */
  AbutFields               fields;   /* motion of the bodies; NULL if another method has written it */
} Course;

static PetscErrorCode PrintProgress(const Assessment *a, const Course *course, const AbutContactQuality *quality)
{
  const PetscReal steps        = (PetscReal)a->steps + 1;
  const PetscReal fraction     = (course->method * steps + course->step + 1) / (a->num_methods * steps);
  char            measures[96] = "", text[256];
  PetscLogDouble  now;

  PetscFunctionBegin;
  if (a->progress == PROGRESS_NONE) PetscFunctionReturn(0);
  PetscCall(PetscTime(&now));
  if (quality)
    PetscCall(PetscSNPrintf(measures, sizeof(measures), " quality_percent=%.1f coverage_percent=%.1f excess=%.2f", (double)quality->quality,
                            (double)quality->coverage, (double)quality->excess));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s step %" PetscInt_FMT "/%" PetscInt_FMT " contacts=%" PetscInt_FMT "%s",
                          a->method[course->method], course->step, a->steps, course->contacts->n, measures));
  if (a->progress == PROGRESS_BAR)
    PetscCall(ProgressPrintBar(a->comm, fraction, text, (now - a->start) * (1 / fraction - 1)));
  else
    PetscCall(PetscPrintf(a->comm, "%s wall_s=%.2f\n", text, now - a->start));
  fflush(stdout);
  PetscFunctionReturn(0);
}

/* Whether fields and points of a step are written: as the scene requests fields of a run, at the start and at the end. */
static PetscBool IsWritten(const Assessment *a, PetscInt step)
{
  const PetscInt every = a->scene->output.fields_every;

  return (PetscBool)(!step || step == a->steps || (every > 0 && step % every == 0));
}

static PetscErrorCode WriteFields(const Assessment *a, const Course *course, PetscReal time)
{
  const AbutFieldsLevel level = {.step = course->step, .time = time, .x = course->x};

  PetscFunctionBegin;
  if (course->fields && IsWritten(a, course->step)) PetscCall(AbutFieldsWrite(course->fields, &level));
  PetscFunctionReturn(0);
}

static PetscErrorCode UpdateExpectations(Assessment *a)
{
  const AbutRigidMass *mass;
  AbutRigidState      *state;

  PetscFunctionBegin;
  if (!a->rigid) PetscFunctionReturn(0);
  PetscCall(AbutRigidGetBodies(a->rigid, &mass, &state));
  PetscCall(ExpectationsUpdate(&a->expected, a->local, state));
  PetscFunctionReturn(0);
}

/* Measures the contacts of a step and writes them. `report` is NULL at the start. */
static PetscErrorCode FinishStep(Assessment *a, const Course *course, const AbutRigidReport *report)
{
  const Expectations *e = &a->expected;
  AbutContactQuality  quality;
  AbutContactAreaRow *areas;
  AbutContactLevel    level = {.method      = a->method[course->method],
                               .step        = course->step,
                               .time        = (PetscReal)course->step * a->scene->step.dt,
                               .contacts    = course->contacts,
                               .num_areas   = e->num_normals,
                               .report      = report,
                               .with_points = IsWritten(a, course->step)};
  PetscReal          *match;
  PetscErrorCode      code;

  PetscFunctionBegin;
  PetscCall(UpdateExpectations(a));
  quality = ExpectationsMeasure(e, course->contacts);
  PetscCall(ExpectationsMatch(e, course->contacts, &match));
  PetscCall(ExpectationsAreas(e, course->contacts, &areas));
  level.match   = match;
  level.areas   = areas;
  level.quality = e->num_pairs ? &quality : NULL;
  code          = AbutContactResultsAdd(a->results, &level);
  PetscCall(PetscFree(match));
  PetscCall(PetscFree(areas));
  PetscCall(code);
  PetscCall(WriteFields(a, course, level.time));
  PetscCall(PrintProgress(a, course, level.quality));
  PetscFunctionReturn(0);
}

static PetscErrorCode Advance(Assessment *a, Course *course)
{
  AbutRigidReport report;
  PetscBool       stop;

  PetscFunctionBegin;
  PetscCall(InterruptCheck(&a->interrupt, &stop));
  if (stop)
    PetscFunctionReturn(AbutErrorSet(ABUT_ERR_STOPPED, "stopped by %s after step %" PetscInt_FMT " of %s", a->interrupt.reason,
                                     course->step, a->method[course->method]));
  PetscCall(AbutRigidStep(a->rigid, a->scene->step.dt, course->contacts, &report));
  course->step++;
  PetscCall(AbutRigidGetPositions(a->rigid, course->x));
  PetscCall(AbutContactPointsFind(a->points[course->method], course->x, &course->contacts));
  PetscCall(FinishStep(a, course, &report));
  PetscFunctionReturn(0);
}

/* Fields of the motion go to a folder of the method; without steps all methods share the starting state, in DIR itself. */
static PetscErrorCode OpenFields(Assessment *a, Course *course)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (!a->steps && course->method) PetscFunctionReturn(0);
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", a->directory, a->steps ? a->method[course->method] : ""));
  PetscCall(DirectoryPrepare(a->comm, path, PETSC_TRUE, PETSC_FALSE));
  PetscCall(AbutFieldsCreate(a->mesh, path, PETSC_FALSE, 0, &course->fields));
  PetscFunctionReturn(0);
}

static PetscErrorCode RunSteps(Assessment *a, Course *course)
{
  PetscFunctionBegin;
  PetscCall(OpenFields(a, course));
  PetscCall(AbutContactPointsFind(a->points[course->method], course->x, &course->contacts));
  PetscCall(FinishStep(a, course, NULL));
  while (course->step < a->steps) PetscCall(Advance(a, course));
  PetscFunctionReturn(0);
}

/* One method from the starting state, which it restores. */
static PetscErrorCode RunMethod(Assessment *a, PetscInt method)
{
  const PetscInt       n      = a->local->num_bodies;
  Course               course = {.method = method};
  const AbutRigidMass *mass;
  AbutRigidState      *state, *start = NULL;
  PetscErrorCode       code;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * a->local->num_local, &course.x));
  PetscCall(PetscArraycpy(course.x, a->local->rest, 3 * a->local->num_local));
  if (a->rigid) {
    PetscCall(AbutRigidGetBodies(a->rigid, &mass, &state));
    PetscCall(PetscMalloc1(n, &start));
    PetscCall(PetscArraycpy(start, state, n));
  }
  code = RunSteps(a, &course);
  if (a->rigid) PetscCall(PetscArraycpy(state, start, n));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(course.x));
  PetscCall(AbutFieldsDestroy(&course.fields));
  PetscFunctionReturn(code);
}

PetscErrorCode AssessmentRun(Assessment *a)
{
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  if (!a->expected.num_pairs && a->progress != PROGRESS_NONE)
    PetscCall(PetscPrintf(a->comm,
                          "%s has no key expected_normals: contacts are found, their quality, coverage and excess are not measured\n",
                          a->scene->path));
  PetscCall(PetscTime(&a->start));
  for (PetscInt i = 0; i < a->num_methods && !code; i++) code = RunMethod(a, i);
  if (a->progress == PROGRESS_BAR) PetscCall(PetscPrintf(a->comm, "\n"));
  PetscFunctionReturn(code);
}
