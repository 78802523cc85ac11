/* SIGTERM during calls of METIS. */
#include "coreimpl.h"

void AbutBlockTermination(PetscBool block)
{
  struct sigaction *action = &AbutSessionGet()->termination; /* METIS restores the handler of one signal only */
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
