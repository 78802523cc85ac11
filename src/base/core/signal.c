/* SIGTERM during calls of METIS, which handles the signal as an error of its own and leaves by longjmp(). */
#include <abut/core.h>

void AbutTerminationBlock(AbutTermination *saved)
{
  sigset_t termination;

  sigemptyset(&termination);
  sigaddset(&termination, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &termination, &saved->mask);
  sigaction(SIGTERM, NULL, &saved->action);
}

void AbutTerminationRestore(const AbutTermination *saved)
{
  sigaction(SIGTERM, &saved->action, NULL);
  pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
}
