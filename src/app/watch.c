/* Why a run ends early: signals of the batch system, a closed pipe, the user's wall-clock limit. */
#include "app.h"
#include <petsctime.h>
#include <signal.h>

static volatile sig_atomic_t caught;

static void Catch(int number)
{
  caught = number;
}

PetscErrorCode WatchCreate(MPI_Comm comm, PetscReal minutes, Watch *watch)
{
  static const int signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGPIPE};

  PetscFunctionBegin;
  watch->comm      = comm;
  watch->limit     = 60 * minutes;
  watch->reason[0] = '\0';
  PetscCall(PetscTime(&watch->start));
  for (size_t k = 0; k < sizeof(signals) / sizeof(signals[0]); k++) {
    struct sigaction action = {.sa_handler = Catch, .sa_flags = SA_RESTART}; /* no write of a file fails for a signal */
    sigemptyset(&action.sa_mask);
    sigaction(signals[k], &action, NULL);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode WatchStop(void *ctx, PetscBool *stop)
{
  Watch         *watch = (Watch *)ctx;
  PetscLogDouble now;
  PetscMPIInt    why[2];

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  why[0] = caught;
  why[1] = watch->limit > 0 && now - watch->start > watch->limit;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, why, 2, MPI_INT, MPI_MAX, watch->comm));
  if (why[0])
    PetscCall(PetscSNPrintf(watch->reason, sizeof(watch->reason), "signal %d", why[0]));
  else if (why[1])
    PetscCall(PetscSNPrintf(watch->reason, sizeof(watch->reason), "wall-clock limit of %g minutes", (double)(watch->limit / 60)));
  *stop = (PetscBool)(why[0] || why[1]);
  PetscFunctionReturn(0);
}
