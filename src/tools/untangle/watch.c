/* Progress lines and the time limit of abut deform -resolve. */
#include "untangleimpl.h"
#include <petsctime.h>
#include <stdarg.h>

#define INTERVAL 3 /* seconds between two lines */

PetscErrorCode AbutUntangleWatchStart(MPI_Comm comm, PetscBool prints, PetscReal minutes, AbutUntangleWatch *watch)
{
  PetscFunctionBegin;
  *watch = (AbutUntangleWatch){.comm = comm, .prints = prints, .minutes = minutes};
  PetscCall(PetscTime(&watch->start));
  watch->said = watch->start;
  PetscFunctionReturn(0);
}

/* Whether the time is over, by the clock of the first rank. */
static PetscErrorCode IsOver(MPI_Comm comm, const AbutUntangleWatch *watch, PetscLogDouble now, PetscMPIInt *over)
{
  PetscFunctionBegin;
  *over = watch->minutes > 0 && now - watch->start > 60 * (PetscLogDouble)watch->minutes;
  PetscCallMPI(MPI_Bcast(over, 1, MPI_INT, 0, comm));
  PetscFunctionReturn(0);
}

PetscErrorCode WatchLook(MPI_Comm comm, AbutUntangleWatch *watch, const char *format, ...)
{
  char           line[512];
  va_list        arguments;
  PetscLogDouble now;
  PetscMPIInt    over;

  PetscFunctionBegin;
  if (!watch) PetscFunctionReturn(0);
  PetscCall(PetscTime(&now));
  PetscCall(IsOver(comm, watch, now, &over));
  if (!over && now - watch->said < INTERVAL) PetscFunctionReturn(0);
  va_start(arguments, format);
  PetscCall(PetscVSNPrintf(line, sizeof(line), format, NULL, arguments));
  va_end(arguments);
  AbutCheck(!over, ABUT_ERR_STOPPED,
            "no result after %g minutes (-walltime): %s; move these bodies apart in the scene, use coarser meshes, or give more time",
            (double)watch->minutes, line);
  watch->said = now;
  if (watch->prints && AbutIsRoot(watch->comm))
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, PETSC_STDOUT, "%6.0f s: %s\n", now - watch->start, line));
  PetscFunctionReturn(0);
}
