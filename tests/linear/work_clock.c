/*
  Replaces the clock of a program by its processor time outside MPI: preload the library (LD_PRELOAD), and MPI_Wtime(), which PETSc and abut
  read, returns the processor time [s] of the calling thread without that spent in MPI calls. So the seconds of summary.json and steps.csv
  count neither waiting, nor other processes, nor messages. Ranks that wait sleep, whereas Open MPI's are busy, so that 64 ranks run on two
  cores. For jobs/solver_choice.py and linear_study.c.
*/
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

enum { TRIALS = 20, PAUSE = 50000 }; /* tests of a message before the first pause, pause [ns] */

static _Thread_local double inside; /* processor time in MPI calls [s] */
static _Thread_local int    depth;  /* MPI calls call each other */

static double Processor(void)
{
  struct timespec t;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double MPI_Wtime(void)
{
  return Processor() - inside;
}

static void Pause(int trial)
{
  const struct timespec pause = {0, PAUSE};

  if (trial >= TRIALS) nanosleep(&pause, NULL);
}

/* Waits for a request. */
static int Finish(MPI_Request *q, MPI_Status *s)
{
  int code = MPI_SUCCESS, done = 0;

  for (int trial = 0; !code && !done; trial++) {
    Pause(trial);
    code = PMPI_Test(q, &done, s);
  }
  return code;
}

/* Defines an MPI function with this body, which sets `code`, and adds its time to `inside`. */
#define COUNTED(name, parameters, body)                  \
  int MPI_##name parameters                              \
  {                                                      \
    const double since = depth++ == 0 ? Processor() : 0; \
    int          code;                                   \
                                                         \
    body;                                                \
    if (--depth == 0) inside += Processor() - since;     \
    return code;                                         \
  }
/* Calls the function of the library. */
#define DIRECT(name, parameters, ...) COUNTED(name, parameters, code = PMPI_##name(__VA_ARGS__))
/* Begins the nonblocking variant and waits. */
#define PATIENT(name, begin, parameters, status, ...) \
  COUNTED(name, parameters, MPI_Request request; code = PMPI_##begin(__VA_ARGS__, &request); if (!code) code = Finish(&request, status))
/* Repeats a test until it succeeds. */
#define REPEATED(name, parameters, test, ...)                                                          \
  COUNTED(                                                                                             \
    name, parameters, int done = 0; code = MPI_SUCCESS; for (int trial = 0; !code && !done; trial++) { \
      Pause(trial);                                                                                    \
      code = PMPI_##test(__VA_ARGS__);                                                                 \
    })

typedef const int   *Counts; /* [ranks] counts or displacements */
typedef MPI_Datatype Type;
typedef MPI_Comm     Comm;

/* clang-format off */
#define NONE MPI_STATUS_IGNORE
PATIENT(Allgather, Iallgather, (const void *s, int n, Type t, void *r, int m, Type u, Comm c), NONE, s, n, t, r, m, u, c)
PATIENT(Allgatherv, Iallgatherv, (const void *s, int n, Type t, void *r, Counts m, Counts d, Type u, Comm c), NONE,
        s, n, t, r, m, d, u, c)
PATIENT(Allreduce, Iallreduce, (const void *s, void *r, int n, Type t, MPI_Op o, Comm c), NONE, s, r, n, t, o, c)
PATIENT(Alltoall, Ialltoall, (const void *s, int n, Type t, void *r, int m, Type u, Comm c), NONE, s, n, t, r, m, u, c)
PATIENT(Alltoallv, Ialltoallv, (const void *s, Counts n, Counts d, Type t, void *r, Counts m, Counts e, Type u, Comm c), NONE,
        s, n, d, t, r, m, e, u, c)
PATIENT(Barrier, Ibarrier, (Comm c), NONE, c)
PATIENT(Bcast, Ibcast, (void *b, int n, Type t, int root, Comm c), NONE, b, n, t, root, c)
PATIENT(Exscan, Iexscan, (const void *s, void *r, int n, Type t, MPI_Op o, Comm c), NONE, s, r, n, t, o, c)
PATIENT(Gather, Igather, (const void *s, int n, Type t, void *r, int m, Type u, int root, Comm c), NONE,
        s, n, t, r, m, u, root, c)
PATIENT(Gatherv, Igatherv, (const void *s, int n, Type t, void *r, Counts m, Counts d, Type u, int root, Comm c), NONE,
        s, n, t, r, m, d, u, root, c)
PATIENT(Recv, Irecv, (void *b, int n, Type t, int from, int tag, Comm c, MPI_Status *s), s, b, n, t, from, tag, c)
PATIENT(Reduce, Ireduce, (const void *s, void *r, int n, Type t, MPI_Op o, int root, Comm c), NONE, s, r, n, t, o, root, c)
PATIENT(Reduce_scatter_block, Ireduce_scatter_block, (const void *s, void *r, int n, Type t, MPI_Op o, Comm c), NONE, s, r, n, t, o, c)
PATIENT(Scan, Iscan, (const void *s, void *r, int n, Type t, MPI_Op o, Comm c), NONE, s, r, n, t, o, c)
PATIENT(Scatter, Iscatter, (const void *s, int n, Type t, void *r, int m, Type u, int root, Comm c), NONE,
        s, n, t, r, m, u, root, c)
PATIENT(Scatterv, Iscatterv, (const void *s, Counts n, Counts d, Type t, void *r, int m, Type u, int root, Comm c), NONE,
        s, n, d, t, r, m, u, root, c)
PATIENT(Send, Isend, (const void *b, int n, Type t, int to, int tag, Comm c), NONE, b, n, t, to, tag, c)
REPEATED(Mprobe, (int from, int tag, Comm c, MPI_Message *m, MPI_Status *s), Improbe, from, tag, c, &done, m, s)
REPEATED(Probe, (int from, int tag, Comm c, MPI_Status *s), Iprobe, from, tag, c, &done, s)
REPEATED(Wait, (MPI_Request *q, MPI_Status *s), Test, q, &done, s)
REPEATED(Waitall, (int n, MPI_Request q[], MPI_Status s[]), Testall, n, q, &done, s)
REPEATED(Waitany, (int n, MPI_Request q[], int *k, MPI_Status *s), Testany, n, q, k, &done, s)
COUNTED(Waitsome, (int n, MPI_Request q[], int *m, int k[], MPI_Status s[]),
        code = PMPI_Testsome(n, q, m, k, s);
        for (int trial = 0; !code && *m == 0; trial++) { Pause(trial); code = PMPI_Testsome(n, q, m, k, s); })
COUNTED(Sendrecv, (const void *b, int n, Type t, int to, int tag, void *r, int m, Type u, int from, int key, Comm c,
                   MPI_Status *s),
        MPI_Request q[2];
        code = PMPI_Irecv(r, m, u, from, key, c, &q[0]);
        if (!code) code = PMPI_Isend(b, n, t, to, tag, c, &q[1]);
        if (!code) code = Finish(&q[1], MPI_STATUS_IGNORE);
        if (!code) code = Finish(&q[0], s))
DIRECT(Comm_dup, (Comm c, Comm *d), c, d)
DIRECT(Comm_free, (MPI_Comm *c), c)
DIRECT(Comm_split, (Comm c, int color, int key, Comm *d), c, color, key, d)
DIRECT(Iallreduce, (const void *s, void *r, int n, Type t, MPI_Op o, Comm c, MPI_Request *q), s, r, n, t, o, c, q)
DIRECT(Ibarrier, (Comm c, MPI_Request *q), c, q)
DIRECT(Iprobe, (int from, int tag, Comm c, int *flag, MPI_Status *s), from, tag, c, flag, s)
DIRECT(Irecv, (void *b, int n, Type t, int from, int tag, Comm c, MPI_Request *q), b, n, t, from, tag, c, q)
DIRECT(Isend, (const void *b, int n, Type t, int to, int tag, Comm c, MPI_Request *q), b, n, t, to, tag, c, q)
DIRECT(Issend, (const void *b, int n, Type t, int to, int tag, Comm c, MPI_Request *q), b, n, t, to, tag, c, q)
DIRECT(Mrecv, (void *b, int n, Type t, MPI_Message *m, MPI_Status *s), b, n, t, m, s)
DIRECT(Startall, (int n, MPI_Request q[]), n, q)
DIRECT(Test, (MPI_Request *q, int *flag, MPI_Status *s), q, flag, s)
DIRECT(Testall, (int n, MPI_Request q[], int *flag, MPI_Status s[]), n, q, flag, s)
