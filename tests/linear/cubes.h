/* Two cubes of springs with stiff contacts, and multigrid for them. */
#pragma once
#include "test.h"
#include "linearimpl.h"

enum { SIDE = 8, LAYERS = 2 * SIDE, N = SIDE * SIDE * LAYERS, DIM = 3 };

/* Order of the vertices. ACROSS: each rank has vertices of both cubes. ALONG: ranks begin at contacts, if an even number has vertices. */
typedef enum { ACROSS, ALONG } Order;
static Order       order;
static const char *tolerance = "1e-3"; /* of solutions */

/* Number of a vertex: with ACROSS the last index, which counts layers, changes first; with ALONG it changes last. */
static PetscInt GetNumber(const PetscInt at[DIM])
{
  return order == ACROSS ? (at[0] * SIDE + at[1]) * LAYERS + at[2] : (at[2] * SIDE + at[0]) * SIDE + at[1];
}

/* Inverse of GetNumber(). */
static void GetIndices(PetscInt v, PetscInt at[DIM])
{
  const PetscInt column = order == ACROSS ? v / LAYERS : v % (SIDE * SIDE);

  at[0] = column / SIDE;
  at[1] = column % SIDE;
  at[2] = order == ACROSS ? v % LAYERS : v / (SIDE * SIDE);
}

/* Position of a vertex; half of the layers belong to each cube, with a gap of 0.1 between the cubes. */
static void Place(PetscInt v, PetscReal x[DIM])
{
  PetscInt at[DIM];

  GetIndices(v, at);
  for (int i = 0; i < DIM; i++) x[i] = (PetscReal)at[i];
  if (at[2] >= SIDE) x[2] -= 0.9;
}

/* First vertex of a rank. With three ranks or more the last one has none. */
static PetscInt FirstVertex(PetscMPIInt rank, PetscMPIInt size)
{
  const PetscMPIInt owners = size > 2 ? size - 1 : size;

  return N * PetscMin(rank, owners) / owners;
}

/* Adds stiffness * d d^T, d the direction from v to w, to the rows of v. */
static void AddSpring(Mat A, PetscInt v, PetscInt w, PetscReal stiffness)
{
  PetscReal   x[2][DIM], d[DIM], length2 = 0;
  PetscScalar block[2][DIM * DIM];

  Place(v, x[0]);
  Place(w, x[1]);
  for (int i = 0; i < DIM; i++) d[i] = x[1][i] - x[0][i], length2 += d[i] * d[i];
  for (int i = 0; i < DIM; i++)
    for (int j = 0; j < DIM; j++) {
      block[0][i * DIM + j] = stiffness * d[i] * d[j] / length2;
      block[1][i * DIM + j] = -block[0][i * DIM + j];
    }
  AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &v, block[0], ADD_VALUES));
  AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &w, block[1], ADD_VALUES));
}

/* Springs to the neighbours of a vertex in its cube, and from the faces between the cubes to the other cube. */
static void AddVertex(Mat A, PetscInt v, PetscReal contact)
{
  const PetscReal mass[DIM * DIM] = {1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3};
  PetscInt        at[DIM];

  GetIndices(v, at);
  AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &v, mass, ADD_VALUES));
  for (PetscInt k = 0; k < 27; k++) {
    const PetscInt to[DIM] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
    const PetscInt w       = GetNumber(to);
    if (k == 13 || to[0] < 0 || to[0] >= SIDE || to[1] < 0 || to[1] >= SIDE || to[2] < 0 || to[2] >= LAYERS) continue;
    if (at[2] / SIDE == to[2] / SIDE) AddSpring(A, v, w, 1);
    if (at[2] / SIDE != to[2] / SIDE && k % 9 == 4 && contact > 0) AddSpring(A, v, w, contact);
  }
}

/* contact: stiffness of the contacts over the springs; 0: the matrix has no entries for them */
static Mat Build(PetscReal contact)
{
  PetscMPIInt rank, size;
  PetscInt    first, last;
  Mat         A;

  assert_int_equal(MPI_Comm_rank(PETSC_COMM_WORLD, &rank), 0);
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &size), 0);
  first = FirstVertex(rank, size);
  last  = FirstVertex(rank + 1, size);
  AbutTestCall(MatCreateAIJ(PETSC_COMM_WORLD, (last - first) * DIM, (last - first) * DIM, PETSC_DETERMINE, PETSC_DETERMINE, 27 * DIM, NULL,
                            27 * DIM, NULL, &A));
  AbutTestCall(MatSetBlockSize(A, DIM));
  for (PetscInt v = first; v < last; v++) AddVertex(A, v, contact);
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  return A;
}

typedef struct {
  PetscReal *rest;
  KSP        ksp;
  AbutLinear linear;
} Solver;

/* Opens multigrid with aggregates of the given size and a coarsest level of at most `coarse` unknowns; aggregate NULL: a factorisation. */
static Solver Open(Mat A, const char aggregate[], const char coarse[])
{
  const char *const options[][2] = {{"-abut_linear", aggregate ? "multigrid" : "direct"},
                                    {"-abut_forcing", tolerance},
                                    {"-abut_cg_rtol", tolerance},
                                    {"-abut_multigrid_aggregate", aggregate ? aggregate : "100"},
                                    {"-abut_multigrid_coarse", coarse}};
  PetscInt          first, last;
  Solver            s;

  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  AbutTestCall(PetscMalloc1(last - first, &s.rest));
  for (PetscInt v = first / DIM; v < last / DIM; v++) Place(v, s.rest + v * DIM - first);
  for (int k = 0; k < 5; k++) AbutTestCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
  AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &s.ksp));
  AbutTestCall(AbutLinearCreate(s.ksp, DIM, (last - first) / DIM, s.rest, &s.linear));
  AbutTestCall(AbutLinearSetFromOptions(s.linear));
  for (int k = 0; k < 5; k++) AbutTestCall(PetscOptionsClearValue(NULL, options[k][0]));
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  return s;
}

static void Close(Solver *s)
{
  AbutTestCall(AbutLinearDestroy(&s->linear));
  AbutTestCall(KSPDestroy(&s->ksp));
  AbutTestCall(PetscFree(s->rest));
}

/* Loads of different directions. */
static void SetLoads(Vec b)
{
  PetscInt first, last;

  AbutTestCall(VecGetOwnershipRange(b, &first, &last));
  for (PetscInt i = first; i < last; i++) AbutTestCall(VecSetValue(b, i, (PetscReal)(i * 37 % 11) - 5 + (i % DIM == 2), INSERT_VALUES));
  AbutTestCall(VecAssemblyBegin(b));
  AbutTestCall(VecAssemblyEnd(b));
}

/* Sets up and solves A x = b for loads of different directions; returns the iterations. The true residual must be 1e-3. x may be NULL. */
static PetscInt Solve(Solver *s, Mat A, Vec x)
{
  AbutLinearResult result;
  PetscBool        definite;
  PetscReal        norm, error;
  Vec              b, own, r;

  AbutTestCall(MatCreateVecs(A, &own, &b));
  AbutTestCall(VecDuplicate(b, &r));
  SetLoads(b);
  AbutTestCall(AbutLinearSetUp(s->linear, A, PETSC_FALSE, &definite));
  assert_true(definite);
  AbutTestCall(AbutLinearSolve(s->linear, b, own));
  AbutTestCall(AbutLinearGetResult(s->linear, &result));
  assert_true(result.solved);
  AbutTestCall(MatMult(A, own, r));
  AbutTestCall(VecAYPX(r, -1, b));
  AbutTestCall(VecNorm(r, NORM_2, &error));
  AbutTestCall(VecNorm(b, NORM_2, &norm));
  assert_true(error <= 1.01e-3 * norm);
  if (x) AbutTestCall(VecCopy(own, x));
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&own));
  AbutTestCall(VecDestroy(&r));
  return result.iterations;
}

/* The matrix of the finest level, borrowed, and its smoother. */
static inline Mat Finest(const Solver *s, PC *smoother)
{
  PetscInt levels;
  KSP      ksp;
  Mat      A;
  PC       pc;

  AbutTestCall(KSPGetPC(s->ksp, &pc));
  pc = AbutMultigridCycle(pc);
  AbutTestCall(PCMGGetLevels(pc, &levels));
  AbutTestCall(PCMGGetSmoother(pc, levels - 1, &ksp));
  AbutTestCall(KSPGetOperators(ksp, &A, NULL));
  AbutTestCall(KSPGetPC(ksp, smoother));
  return A;
}
