/* A SIGTERM during nested dissection, which METIS would treat as its own error, does not interrupt it and is delivered afterwards. */
#include "test.h"
#include "precondimpl.h"
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIDE = 26, N = SIDE * SIDE * SIDE, TRIES = 12 };

static volatile sig_atomic_t terminated;

static void CountTermination(int number)
{
  (void)number;
  terminated++;
}

static void Terminate(int number)
{
  (void)number;
  kill(getpid(), SIGTERM); /* to the process: any of its threads may receive it */
}

/* The graph of a cube of SIDE^3 vertices, each coupled to the next along the axes. */
static void FillGraph(PetscInt ptr[], PetscInt adj[])
{
  static const PetscInt stride[] = {1, SIDE, SIDE * SIDE};
  PetscInt              count    = 0;

  for (PetscInt v = 0; v < N; v++) {
    ptr[v] = count;
    for (int d = 0; d < 3; d++) {
      const PetscInt at = v / stride[d] % SIDE;
      if (at > 0) adj[count++] = v - stride[d];
      if (at < SIDE - 1) adj[count++] = v + stride[d];
    }
  }
  ptr[N] = count;
}

static void SurvivesTermination(void **state)
{
  PetscInt *ptr, *adj, *order, *seen;

  (void)state;
  AbutTestCall(PetscMalloc4(N + 1, &ptr, 6 * N, &adj, N, &order, N, &seen));
  FillGraph(ptr, adj);
  sigaction(SIGTERM, &(struct sigaction){.sa_handler = CountTermination}, NULL);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = Terminate}, NULL);
  for (int k = 0; k < TRIES; k++) {
    const struct itimerval alarm = {.it_value = {.tv_usec = 1000 + 10000 * k}}, none = {{0, 0}, {0, 0}};
    struct itimerval       left;
    terminated = 0;
    setitimer(ITIMER_REAL, &alarm, NULL);
    AbutTestCall(AbutOrderingDissect(N, ptr, adj, order));
    setitimer(ITIMER_REAL, &none, &left);
    assert_int_equal(terminated, left.it_value.tv_sec == 0 && left.it_value.tv_usec == 0);
    AbutTestCall(PetscArrayzero(seen, N));
    for (PetscInt r = 0; r < N; r++) seen[order[r]]++;
    for (PetscInt r = 0; r < N; r++) assert_int_equal(seen[r], 1);
  }
  AbutTestCall(PetscFree4(ptr, adj, order, seen));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SurvivesTermination)};
  return AbutTestMain(argc, argv, tests);
}
