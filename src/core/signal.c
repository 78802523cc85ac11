/*
  SIGTERM during calls of METIS: a thread receives the signal in place of the thread that computes. mpiexec kills a rank that does not end
  within a second after SIGTERM.
*/
#include "coreimpl.h"

static void Mask(int how)
{
  sigset_t set;

  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(how, &set, NULL);
}

/* Waits for SIGTERM, which all threads block, and runs the action `termination` that was in force before METIS replaced it. */
static void *Watch(void *termination)
{
  sigset_t set;
  int      number;

  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  while (!sigwait(&set, &number)) {
    sigaction(SIGTERM, (const struct sigaction *)termination, NULL);
    raise(SIGTERM);
    Mask(SIG_UNBLOCK);
    Mask(SIG_BLOCK);
  }
  return NULL;
}

void AbutBlockTermination(PetscBool block)
{
  AbutSession *s = AbutSessionGet();

  if (block) {
    Mask(SIG_BLOCK);
    sigaction(SIGTERM, NULL, &s->termination);
    s->watched = (PetscBool)!pthread_create(&s->watch, NULL, Watch, &s->termination);
  } else {
    if (s->watched) {
      pthread_cancel(s->watch);
      pthread_join(s->watch, NULL);
    }
    sigaction(SIGTERM, &s->termination, NULL); /* METIS does not restore it */
    Mask(SIG_UNBLOCK);
  }
}
