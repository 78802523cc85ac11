/* Signals of the batch system while a library is at work that takes them for its own. */
#define _POSIX_C_SOURCE 200809L
#include <abut/core.h>
#include <signal.h>

void AbutHoldTermination(PetscBool hold)
{
  static struct sigaction action; /* METIS leaves the handler that it found, but for one signal only */
  sigset_t                set;

  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  if (hold) {
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGTERM, NULL, &action);
  } else {
    sigaction(SIGTERM, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
  }
}
