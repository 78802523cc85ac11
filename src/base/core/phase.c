/* Phases: PETSc log events for -log_view, and the clocks that steps.csv and summary.json report. */
#include "coreimpl.h"
#include <petsctime.h>

const char *const AbutPhaseNames[ABUT_NUM_PHASES] = {"setup",        "elastic",      "contact_search", "ccd",  "contact_assembly",
                                                     "linear_setup", "linear_solve", "line_search",    "halo", "verify",
                                                     "output"};

PetscErrorCode AbutPhaseRegister(void)
{
  AbutPhaseClocks *clocks = &AbutSessionGet()->clocks;
  PetscClassId     class_id;

  PetscFunctionBegin;
  PetscCall(PetscClassIdRegister("abut", &class_id));
  for (int i = 0; i < ABUT_NUM_PHASES; i++) {
    char name[64];
    PetscCall(PetscSNPrintf(name, sizeof(name), "abut_%s", AbutPhaseNames[i]));
    PetscCall(PetscLogEventRegister(name, class_id, &clocks->events[i]));
    PetscCall(PetscLogEventSetCollective(clocks->events[i], PETSC_FALSE));
  }
  clocks->start = petsc_BaseTime;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPhaseRestart(void)
{
  AbutPhaseClocks *clocks = &AbutSessionGet()->clocks;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(clocks->seconds, ABUT_NUM_PHASES));
  for (; clocks->depth > 0; clocks->depth--) PetscCall(PetscLogEventEnd(clocks->events[clocks->stack[clocks->depth - 1]], 0, 0, 0, 0));
  PetscCall(PetscTime(&clocks->start));
  PetscFunctionReturn(0);
}

/* Adds the time since the last call to the clock of the innermost phase. */
static PetscErrorCode Advance(AbutPhaseClocks *c)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  if (c->depth > 0) c->seconds[c->stack[c->depth - 1]] += now - c->since;
  c->since = now;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPhaseBegin(AbutPhase phase)
{
  AbutPhaseClocks *c = &AbutSessionGet()->clocks;

  PetscFunctionBegin;
  PetscCheck(c->depth < ABUT_PHASE_DEPTH, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Phase %s begun %d deep", AbutPhaseNames[phase],
             ABUT_PHASE_DEPTH);
  PetscCall(Advance(c));
  c->stack[c->depth++] = phase;
  PetscCall(PetscLogEventBegin(c->events[phase], 0, 0, 0, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPhaseEnd(AbutPhase phase)
{
  AbutPhaseClocks *c = &AbutSessionGet()->clocks;

  PetscFunctionBegin;
  PetscCheck(c->depth > 0 && c->stack[c->depth - 1] == phase, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Phase %s ended but is not the one begun last", AbutPhaseNames[phase]);
  PetscCall(PetscLogEventEnd(c->events[phase], 0, 0, 0, 0));
  PetscCall(Advance(c));
  c->depth--;
  PetscFunctionReturn(0);
}

PetscLogDouble AbutPhaseSeconds(AbutPhase phase)
{
  return AbutSessionGet()->clocks.seconds[phase];
}

PetscLogDouble AbutPhaseElapsed(void)
{
  PetscLogDouble now;

  PetscCallAbort(PETSC_COMM_SELF, PetscTime(&now));
  return now - AbutSessionGet()->clocks.start;
}
