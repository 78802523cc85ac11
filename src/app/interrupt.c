/* Why a run ends early: signals of the batch system, a closed pipe, the wall-clock limit of the user. */
#include "app.h"
#include <petsctime.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

/* Values of `state`; a positive value is the number of the signal that was caught while steps were computed. */
enum { COMPUTING = 0, SET_UP_ON_ROOT = -1, SET_UP = -2 };

#define SPEAK_FIRST 500 /* milliseconds that rank 0 has to print before the other ranks end */

/* A signal handler has no argument for data of its own: this is the only global variable of the program. */
static volatile sig_atomic_t state = SET_UP;

/*
  Ends the process. Set-up has written nothing that is worth keeping and has no points at which all ranks could stop. The exit code of one
  rank ends the others. Only rank 0 prints: batch systems signal all ranks, and Open MPI ends rank 0 by SIGTERM after another rank. MPICH
  ends it by SIGKILL, so the other ranks wait until its line has passed; a signal to another rank alone leaves no line there. Calls
  async-signal-safe functions only.
*/
static void EndSetUp(int number)
{
  char text[] = "abut: stopped by signal    during set-up: no step was computed\n";

  if (number >= 10) text[24] = (char)('0' + number / 10 % 10);
  text[24 + (number >= 10)] = (char)('0' + number % 10);
  if (state == SET_UP) poll(NULL, 0, SPEAK_FIRST);
  if (state == SET_UP_ON_ROOT && write(STDERR_FILENO, text, sizeof(text) - 1) < 0) _exit(ABUT_EXIT_IO);
  _exit(ABUT_EXIT_STOPPED);
}

static void Catch(int number)
{
  if (state < COMPUTING) EndSetUp(number);
  state = number;
}

/* SA_RESTART: a signal does not make the write of a file fail. */
static void Handle(int number, void (*handler)(int))
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void InterruptBeginSetUp(PetscMPIInt rank)
{
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

  state = rank ? SET_UP : SET_UP_ON_ROOT;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(signals); k++) Handle(signals[k], Catch);
  Handle(SIGPIPE, SIG_DFL); /* `abut check ... | head` is no error */
}

void InterruptBeginSteps(void)
{
  Handle(SIGPIPE, Catch);
  if (state < COMPUTING) state = COMPUTING; /* a study sets up runs between steps: signals since then stay caught */
}

PetscErrorCode InterruptCreate(MPI_Comm comm, PetscReal minutes, Interrupt *interrupt)
{
  PetscFunctionBegin;
  interrupt->comm      = comm;
  interrupt->limit     = 60 * minutes;
  interrupt->reason[0] = '\0';
  PetscCall(PetscTime(&interrupt->start));
  PetscFunctionReturn(0);
}

PetscErrorCode InterruptCheck(void *ctx, PetscBool *stop)
{
  Interrupt     *interrupt = (Interrupt *)ctx;
  PetscLogDouble now;
  PetscMPIInt    why[2];
  int            waiting;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  PetscCallMPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, PETSC_COMM_WORLD, &waiting, MPI_STATUS_IGNORE));
  why[0] = state;
  why[1] = interrupt->limit > 0 && now - interrupt->start > interrupt->limit;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, why, 2, MPI_INT, MPI_MAX, interrupt->comm));
  if (why[0])
    PetscCall(PetscSNPrintf(interrupt->reason, sizeof(interrupt->reason), "signal %d", why[0]));
  else if (why[1])
    PetscCall(
      PetscSNPrintf(interrupt->reason, sizeof(interrupt->reason), "wall-clock limit of %g minutes", (double)(interrupt->limit / 60)));
  *stop = (PetscBool)(why[0] || why[1]);
  PetscFunctionReturn(0);
}
