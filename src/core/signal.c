/* Keeps the action of SIGTERM during calls of METIS, which installs a handler that jumps out of METIS in whatever thread it runs. */
#include "coreimpl.h"
#include <time.h>

#define INTERVAL 100000 /* [ns] between looks at the action of SIGTERM */

/* Restores `termination` once METIS has replaced it, which METIS does once a call. */
static void *Restore(void *termination)
{
  const struct timespec interval = {.tv_nsec = INTERVAL};
  struct sigaction      action, *kept = (struct sigaction *)termination;

  do {
    nanosleep(&interval, NULL);
    sigaction(SIGTERM, NULL, &action);
  } while (action.sa_handler == kept->sa_handler);
  sigaction(SIGTERM, kept, NULL);
  return NULL;
}

void AbutKeepTermination(PetscBool begin)
{
  AbutSession *s = AbutSessionGet();

  if (begin) {
    sigaction(SIGTERM, NULL, &s->termination);
    s->restoring = (PetscBool)!pthread_create(&s->restorer, NULL, Restore, &s->termination);
  } else {
    if (s->restoring) {
      pthread_cancel(s->restorer);
      pthread_join(s->restorer, NULL);
    }
    sigaction(SIGTERM, &s->termination, NULL);
  }
}
