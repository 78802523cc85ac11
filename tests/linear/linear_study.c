/*
  Solves a linear system written by `abut run -abut_linear_write FILE` and counts the work; a study, not a test (jobs/linear_study.sh).

    mpiexec -n N linear_study -file FILE [-partition file|graph|order] [-abut_linear KIND] [PETSc options]

  -partition file: each rank gets the vertices that it had in the run, which must have had as many ranks. graph (default): METIS divides the
  graph of the matrix. order: equal numbers of vertices in the order of the file. After a run on one rank this is the
  order of bodies, so that contacts between bodies lie between ranks. -repeat N: set-ups and solutions, of which the least times count.
  -view: also prints the choice of -abut_linear auto.
  Prints one line of names and values. Residuals are true: |b - A x| / |b|. Seconds are processor time of each rank outside MPI
  (work_clock.c): "pattern" with the analysis of the pattern, "setup" for another matrix of the same pattern, "solve".
*/
#include "linearimpl.h"
#include <math.h>
#include <metis.h>
#include <sys/resource.h>

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  Mat         A;
  Vec         b, rest, at, owners;
  PetscInt    bs;
} System;

static PetscErrorCode LoadVec(PetscViewer viewer, MPI_Comm comm, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(VecCreate(comm, v));
  PetscCall(VecLoad(*v, viewer));
  PetscFunctionReturn(0);
}

/* Number of rows of the matrix at the beginning of the file: the second of PETSc's big-endian 32-bit integers. */
static PetscErrorCode ReadSize(const char file[], const System *s, PetscInt *n)
{
  unsigned char bytes[8];
  FILE         *f;

  PetscFunctionBegin;
  if (s->rank == 0) {
    f = fopen(file, "rb");
    PetscCheck(f && fread(bytes, 1, 8, f) == 8, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot read %s", file);
    *n = (PetscInt)((unsigned)bytes[4] << 24 | (unsigned)bytes[5] << 16 | (unsigned)bytes[6] << 8 | bytes[7]);
    fclose(f);
  }
  PetscCallMPI(MPI_Bcast(n, 1, MPIU_INT, 0, s->comm));
  PetscFunctionReturn(0);
}

/* Loads the whole system on the first rank; the other ranks get no rows. */
static PetscErrorCode Load(const char file[], System *s)
{
  PetscViewer viewer;
  PetscInt    n, m;
  const int   root = s->rank == 0;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(s->comm, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(s->comm, &s->A));
  PetscCall(MatSetType(s->A, MATAIJ));
  PetscCall(ReadSize(file, s, &n));
  m = root ? n : 0;
  PetscCall(MatSetSizes(s->A, m, m, n, n));
  PetscCall(MatLoad(s->A, viewer));
  PetscCall(VecCreateMPI(s->comm, m, n, &s->b));
  PetscCall(VecDuplicate(s->b, &s->rest));
  PetscCall(VecDuplicate(s->b, &s->at));
  PetscCall(VecLoad(s->b, viewer));
  PetscCall(VecLoad(s->rest, viewer));
  PetscCall(VecLoad(s->at, viewer));
  PetscCall(LoadVec(viewer, s->comm, &s->owners));
  PetscCall(VecGetSize(s->owners, &m));
  s->bs = n / m;
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(0);
}

/* part[v]: rank of each vertex, on the first rank, by METIS from the graph of the matrix. */
static PetscErrorCode Partition(const System *s, PetscInt n, idx_t part[])
{
  const PetscInt *ia, *ja;
  PetscInt        rows, bs = s->bs, count = 0;
  idx_t          *xadj, *adjncy, num = (idx_t)n, one = 1, parts = s->size, cut, options[METIS_NOPTIONS];
  Mat             local = s->A, diagonal;
  PetscBool       done, mpi;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < n; v++) part[v] = 0;
  if (s->size == 1 || n == 0) PetscFunctionReturn(0);
  PetscCall(PetscObjectTypeCompare((PetscObject)local, MATMPIAIJ, &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(s->A, &diagonal, NULL, NULL));
  if (mpi) local = diagonal;
  PetscCall(MatGetRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCall(PetscMalloc2(n + 1, &xadj, ia[rows] / bs, &adjncy));
  for (PetscInt v = 0; v < n; v++) {
    xadj[v] = (idx_t)count;
    for (PetscInt k = ia[v * bs]; k < ia[v * bs + 1]; k += bs)
      if (ja[k] / bs != v) adjncy[count++] = (idx_t)(ja[k] / bs);
  }
  xadj[n] = (idx_t)count;
  PetscCall(MatRestoreRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  (void)METIS_PartGraphKway(&num, &one, xadj, adjncy, NULL, NULL, NULL, &parts, NULL, NULL, options, &cut, part);
  PetscCall(PetscFree2(xadj, adjncy));
  PetscFunctionReturn(0);
}

/* The rows of this rank, in ascending order within each rank. */
static PetscErrorCode ChooseRows(System *s, const char by[], IS *rows)
{
  PetscInt           n, *counts, *starts, *sorted, own;
  idx_t             *part;
  const PetscScalar *owners;
  PetscMPIInt       *send, *send_starts;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(s->A, &n, NULL));
  n /= s->bs;
  PetscCall(PetscMalloc2(n, &part, n, &sorted));
  PetscCall(PetscCalloc4(s->size, &counts, s->size + 1, &starts, s->size, &send, s->size, &send_starts));
  PetscCall(Partition(s, n, part));
  for (PetscInt v = 0; v < n && !strcmp(by, "order"); v++) part[v] = (idx_t)((PetscInt64)v * s->size / n);
  if (!strcmp(by, "file")) {
    Vec        all;
    VecScatter scatter;
    PetscCall(VecScatterCreateToZero(s->owners, &scatter, &all));
    PetscCall(VecScatterBegin(scatter, s->owners, all, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(scatter, s->owners, all, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecGetArrayRead(all, &owners));
    for (PetscInt v = 0; v < n; v++) part[v] = (idx_t)PetscRealPart(owners[v]);
    PetscCall(VecRestoreArrayRead(all, &owners));
    PetscCall(VecScatterDestroy(&scatter));
    PetscCall(VecDestroy(&all));
  }
  for (PetscInt v = 0; v < n; v++) counts[part[v]]++;
  for (PetscMPIInt r = 0; r < s->size; r++) {
    starts[r + 1]  = starts[r] + counts[r];
    send[r]        = (PetscMPIInt)counts[r];
    send_starts[r] = (PetscMPIInt)starts[r];
  }
  for (PetscInt v = 0; v < n; v++) sorted[starts[part[v]]++] = v;
  PetscCallMPI(MPI_Scatter(counts, 1, MPIU_INT, &own, 1, MPIU_INT, 0, s->comm));
  {
    PetscInt *mine;
    PetscCall(PetscMalloc1(own, &mine));
    PetscCallMPI(MPI_Scatterv(sorted, send, send_starts, MPIU_INT, mine, (PetscMPIInt)own, MPIU_INT, 0, s->comm));
    PetscCall(ISCreateBlock(s->comm, s->bs, own, mine, PETSC_OWN_POINTER, rows));
  }
  PetscCall(PetscFree2(part, sorted));
  PetscCall(PetscFree4(counts, starts, send, send_starts));
  PetscFunctionReturn(0);
}

static PetscErrorCode MoveVec(IS rows, PetscInt bs, Vec *v)
{
  Vec        moved;
  VecScatter scatter;
  PetscInt   n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(rows, &n));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)*v), n, PETSC_DETERMINE, &moved));
  PetscCall(VecSetBlockSize(moved, bs));
  PetscCall(VecScatterCreate(*v, rows, moved, NULL, &scatter));
  PetscCall(VecScatterBegin(scatter, *v, moved, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, *v, moved, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(v));
  *v = moved;
  PetscFunctionReturn(0);
}

static PetscErrorCode Distribute(System *s, IS rows)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(MatCreateSubMatrix(s->A, rows, rows, MAT_INITIAL_MATRIX, &A));
  PetscCall(MatDestroy(&s->A));
  s->A = A;
  PetscCall(MatSetBlockSize(s->A, s->bs));
  PetscCall(MatSetOption(s->A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(s->A, MAT_SPD, PETSC_TRUE));
  PetscCall(MoveVec(rows, s->bs, &s->b));
  PetscCall(MoveVec(rows, s->bs, &s->rest));
  PetscCall(MoveVec(rows, s->bs, &s->at));
  PetscFunctionReturn(0);
}

static double Peak(void)
{
  struct rusage usage;

  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss * 1024e-6;
}

/* Sum and maximum over ranks of a number, after a name. */
static PetscErrorCode Print(const System *s, const char name[], PetscReal value)
{
  PetscReal sum, max;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&value, &sum, 1, MPIU_REAL, MPIU_SUM, s->comm));
  PetscCallMPI(MPI_Allreduce(&value, &max, 1, MPIU_REAL, MPIU_MAX, s->comm));
  PetscCall(PetscPrintf(s->comm, " %s %.4g %s_max/mean %.3g", name, (double)sum, name, (double)(sum > 0 ? max * s->size / sum : 1)));
  PetscFunctionReturn(0);
}

/* Counts of the factorisation if the preconditioner is one. */
static PetscErrorCode PrintFactor(System *s, PC pc)
{
  MatSolverType type = "";
  Mat           F    = NULL;
  PetscBool     factor;

  PetscFunctionBegin;
  if (!strcmp(AbutPrecondName(pc), "abut-substructure")) {
    AbutFactorCost cost;
    PetscCall(AbutSubstructureAnalyze(pc, s->A, &cost));
    PetscCall(PetscPrintf(s->comm, " flop %.4g flop_max/mean %.3g path %.4g MB %.4g MB_max/mean %.3g array_MB %.4g separators %d",
                          (double)cost.flops, (double)(cost.flops_max * s->size / cost.flops), (double)cost.path, (double)cost.bytes / 1e6,
                          (double)(cost.bytes_max * s->size / cost.bytes), (double)cost.array_bytes / 1e6, (int)cost.interface));
  }
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factor, PCLU, PCCHOLESKY, ""));
  if (factor) PetscCall(PCFactorGetMatrix(pc, &F));
  if (factor) PetscCall(MatFactorGetSolverType(F, &type));
#if defined(PETSC_HAVE_MUMPS) /* else PETSc 3.18 does not declare MatMumpsGetInfo() */
  if (factor && !strcmp(type, MATSOLVERMUMPS)) {
    PetscReal flops;
    PetscInt  entries, megabytes;
    PetscCall(MatMumpsGetRinfo(F, 3, &flops));
    PetscCall(MatMumpsGetInfo(F, 27, &entries));
    PetscCall(MatMumpsGetInfo(F, 22, &megabytes)); /* in use, effective */
    PetscCall(Print(s, "flop", flops));
    PetscCall(Print(s, "entries", entries < 0 ? -1e6 * (PetscReal)entries : (PetscReal)entries));
    PetscCall(Print(s, "MB", (PetscReal)megabytes));
  }
#endif
  PetscFunctionReturn(0);
}

/* Counts of operations and least seconds: with the analysis of the pattern, set-up for the same pattern, solution. */
typedef struct {
  PetscLogDouble setup_flops, solve_flops;
  PetscReal      pattern, setup, solve;
} Work;

/* Solves `repeat` times, with a new set-up each time. Collective. */
static PetscErrorCode Measure(const System *s, AbutLinear linear, PetscInt repeat, Vec x, Work *w, PetscBool *definite)
{
  PetscLogDouble flops[3];
  PetscReal      seconds[3];

  PetscFunctionBegin;
  w->setup = w->solve = PETSC_MAX_REAL;
  for (PetscInt k = 0; k < repeat; k++) {
    PetscCall(MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY)); /* increases the state of A: PETSc would keep the set-up */
    PetscCall(MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY));
    PetscCall(PetscGetFlops(&flops[0]));
    seconds[0] = MPI_Wtime();
    if (k == 0) PetscCall(AbutLinearSetPattern(linear, s->A));
    PetscCall(AbutLinearSetUp(linear, s->A, PETSC_FALSE, definite));
    PetscCall(PetscGetFlops(&flops[1]));
    seconds[1] = MPI_Wtime();
    PetscCall(AbutLinearSolve(linear, s->b, x));
    PetscCall(PetscGetFlops(&flops[2]));
    seconds[2] = MPI_Wtime();
    if (k == 0) *w = (Work){flops[1] - flops[0], flops[2] - flops[1], seconds[1] - seconds[0], PETSC_MAX_REAL, PETSC_MAX_REAL};
    if (k > 0 || repeat == 1) w->setup = PetscMin(w->setup, seconds[1] - seconds[0]);
    w->solve = PetscMin(w->solve, seconds[2] - seconds[1]);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode PrintWork(const System *s, const Work *w, double memory)
{
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(s->A, MAT_LOCAL, &info));
  PetscCall(Print(s, "setup_flop", w->setup_flops));
  PetscCall(Print(s, "solve_flop", w->solve_flops));
  PetscCall(Print(s, "peak_MB", memory));
  PetscCall(Print(s, "entries", info.nz_used));
  PetscCall(Print(s, "pattern_s", w->pattern));
  PetscCall(Print(s, "setup_s", w->setup));
  PetscCall(Print(s, "solve_s", w->solve));
  PetscFunctionReturn(0);
}

/* Sets up and solves; prints the counts. Collective. */
static PetscErrorCode SolveWith(System *s, KSP ksp, AbutLinear linear)
{
  AbutLinearResult result;
  PC               pc;
  Vec              x, r;
  PetscInt         repeat = 1;
  PetscBool        definite, view;
  PetscReal        norm, error;
  const double     before = Peak();
  Work             work   = {0};

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeat", &repeat, NULL));
  PetscCall(VecDuplicate(s->b, &x));
  PetscCall(VecDuplicate(s->b, &r));
  PetscCall(Measure(s, linear, repeat, x, &work, &definite));
  PetscCall(AbutLinearGetResult(linear, &result));
  PetscCall(MatMult(s->A, x, r));
  PetscCall(VecAYPX(r, -1, s->b));
  PetscCall(VecNorm(r, NORM_2, &error));
  PetscCall(VecNorm(s->b, NORM_2, &norm));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscPrintf(s->comm, "ranks %d pc %s iterations %d residual %.2e", s->size, AbutPrecondName(pc), (int)result.iterations,
                        (double)(error / norm)));
  if (!definite || !result.solved) PetscCall(PetscPrintf(s->comm, " (%s)", definite ? KSPConvergedReasons[result.reason] : "indefinite"));
  PetscCall(PrintWork(s, &work, Peak() - before));
  PetscCall(PrintFactor(s, pc));
  PetscCall(PetscPrintf(s->comm, "\n"));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-view", &view));
  if (view) PetscCall(AbutLinearView(linear, PETSC_VIEWER_STDOUT_(s->comm)));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(0);
}

static PetscErrorCode Solve(System *s)
{
  AbutLinear         linear;
  KSP                ksp;
  PetscInt           n;
  const PetscScalar *rest, *at;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(s->b, &n));
  PetscCall(VecGetArrayRead(s->rest, &rest));
  PetscCall(VecGetArrayRead(s->at, &at));
  PetscCall(KSPCreate(s->comm, &ksp));
  PetscCall(AbutLinearCreate(ksp, s->bs, n / s->bs, rest, &linear));
  PetscCall(AbutLinearSetFromOptions(linear));
  AbutLinearSetPositions(linear, at);
  PetscCall(SolveWith(s, ksp, linear));
  PetscCall(VecRestoreArrayRead(s->rest, &rest));
  PetscCall(VecRestoreArrayRead(s->at, &at));
  PetscCall(AbutLinearDestroy(&linear));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(void)
{
  System    s = {.comm = PETSC_COMM_WORLD};
  char      file[PETSC_MAX_PATH_LEN], by[16] = "graph";
  PetscBool found;
  IS        rows;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(s.comm, &s.rank));
  PetscCallMPI(MPI_Comm_size(s.comm, &s.size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-file", file, sizeof(file), &found));
  PetscCheck(found, s.comm, PETSC_ERR_USER, "-file is missing");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-partition", by, sizeof(by), NULL));
  PetscCall(Load(file, &s));
  PetscCall(ChooseRows(&s, by, &rows));
  PetscCall(Distribute(&s, rows));
  PetscCall(ISDestroy(&rows));
  PetscCall(Solve(&s));
  PetscCall(MatDestroy(&s.A));
  PetscCall(VecDestroy(&s.b));
  PetscCall(VecDestroy(&s.rest));
  PetscCall(VecDestroy(&s.at));
  PetscCall(VecDestroy(&s.owners));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscErrorCode code;

  if (AbutInitialize(MPI_COMM_WORLD, &argc, &argv, "Solves a linear system and counts the work")) return 1;
  code = Run();
  return AbutFinalize() || code ? 1 : 0;
}
