/* Blocks SIGTERM during calls of METIS, which would treat the signal as its own error. */
#include "coreimpl.h"

void AbutBlockTermination(PetscBool block)
{
  struct sigaction *action = &AbutSessionGet()->termination; /* METIS does not restore the handler */
  sigset_t          set;

  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  if (block) {
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGTERM, NULL, action);
  } else {
    sigaction(SIGTERM, action, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
  }
}
