/* Phases: PETSc log events for -log_view, and exclusive clocks for the files of a run. */
#include "coreimpl.h"
#include <petsctime.h>

#define MAX_DEPTH 16

const char *const AbutPhaseNames[ABUT_NUM_PHASES] = {"setup",        "elastic",      "contact_search", "ccd",  "contact_assembly",
                                                     "linear_setup", "linear_solve", "line_search",    "halo", "verify",
                                                     "output"};

static PetscLogEvent  events[ABUT_NUM_PHASES];
static PetscLogDouble seconds[ABUT_NUM_PHASES];
static AbutPhase      stack[MAX_DEPTH];
static PetscInt       depth;
static PetscLogDouble since; /* when the clock of the phase on top of the stack was started */

PetscErrorCode AbutPhaseRegister(void)
{
  PetscClassId class_id;

  PetscFunctionBegin;
  PetscCall(PetscClassIdRegister("abut", &class_id));
  for (int i = 0; i < ABUT_NUM_PHASES; i++) {
    char name[64];
    PetscCall(PetscSNPrintf(name, sizeof(name), "abut_%s", AbutPhaseNames[i]));
    PetscCall(PetscLogEventRegister(name, class_id, &events[i]));
    PetscCall(PetscLogEventSetCollective(events[i], PETSC_FALSE));
  }
  PetscFunctionReturn(0);
}

/* Charges the time since the last change to the phase that was running. */
static PetscErrorCode Charge(void)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  if (depth > 0) seconds[stack[depth - 1]] += now - since;
  since = now;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPhaseBegin(AbutPhase phase)
{
  PetscFunctionBegin;
  PetscCheck(depth < MAX_DEPTH, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Phase %s begun %d deep", AbutPhaseNames[phase], MAX_DEPTH);
  PetscCall(Charge());
  stack[depth++] = phase;
  PetscCall(PetscLogEventBegin(events[phase], 0, 0, 0, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPhaseEnd(AbutPhase phase)
{
  PetscFunctionBegin;
  PetscCheck(depth > 0 && stack[depth - 1] == phase, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Phase %s ended but is not the one begun last",
             AbutPhaseNames[phase]);
  PetscCall(PetscLogEventEnd(events[phase], 0, 0, 0, 0));
  PetscCall(Charge());
  depth--;
  PetscFunctionReturn(0);
}

PetscLogDouble AbutPhaseSeconds(AbutPhase phase)
{
  return seconds[phase];
}
