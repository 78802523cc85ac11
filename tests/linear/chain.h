/* A chain of springs and an AbutLinear for it. */
#pragma once
#include "test.h"
#include "linearimpl.h"

enum { OWNED = 800, DIM = 2 };

static const PetscReal rest[OWNED * DIM];

/* Stiffness of a chain: 2 + `mass` on the diagonal, -1 beside it; row `weak` has -4 on the diagonal, -1 = none. */
static Mat BuildChain(PetscReal mass, PetscInt weak)
{
  PetscInt first, last, size;
  Mat      A;

  AbutTestCall(
    MatCreateAIJ(PETSC_COMM_WORLD, OWNED * DIM, OWNED * DIM, PETSC_DETERMINE, PETSC_DETERMINE, 3 * DIM, NULL, 3 * DIM, NULL, &A));
  AbutTestCall(MatSetBlockSize(A, DIM));
  AbutTestCall(MatGetOwnershipRange(A, &first, &last));
  AbutTestCall(MatGetSize(A, &size, NULL));
  for (PetscInt v = first / DIM; v < last / DIM; v++)
    for (PetscInt w = PetscMax(v - 1, 0); w <= PetscMin(v + 1, size / DIM - 1); w++) {
      const PetscReal   d           = v == w ? (v * DIM == weak ? -4 : 2 + mass) : -1;
      const PetscScalar block[2][2] = {{d, 0}, {0, d}};
      AbutTestCall(MatSetValuesBlocked(A, 1, &v, 1, &w, block[0], INSERT_VALUES));
    }
  AbutTestCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  AbutTestCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

typedef struct {
  KSP        ksp;
  AbutLinear linear;
} Solver;

static Solver Open(Mat A)
{
  Solver s;

  AbutTestCall(KSPCreate(PETSC_COMM_WORLD, &s.ksp));
  AbutTestCall(AbutLinearCreate(s.ksp, DIM, OWNED, rest, &s.linear));
  AbutTestCall(AbutLinearSetFromOptions(s.linear));
  s.linear->lag.least              = 0;
  s.linear->precision.min_unknowns = PETSC_MAX_INT; /* double precision */
  AbutTestCall(AbutLinearSetPattern(s.linear, A));
  return s;
}

static void Close(Solver *s)
{
  AbutTestCall(AbutLinearDestroy(&s->linear));
  AbutTestCall(KSPDestroy(&s->ksp));
}

/* Solves for a right-hand side of ones; error: |A x - b| / |b|. */
static AbutLinearResult Solve(Solver *s, Mat A, PetscReal *error)
{
  AbutLinearResult result;
  PetscReal        norm;
  Vec              b, x, r;

  AbutTestCall(MatCreateVecs(A, &x, &b));
  AbutTestCall(VecDuplicate(b, &r));
  AbutTestCall(VecSet(b, 1));
  AbutTestCall(VecNorm(b, NORM_2, &norm));
  AbutTestCall(AbutLinearSolve(s->linear, b, x));
  AbutTestCall(AbutLinearGetResult(s->linear, &result));
  AbutTestCall(MatMult(A, x, r));
  AbutTestCall(VecAXPY(r, -1, b));
  AbutTestCall(VecNorm(r, NORM_2, error));
  *error /= norm;
  AbutTestCall(VecDestroy(&b));
  AbutTestCall(VecDestroy(&x));
  AbutTestCall(VecDestroy(&r));
  return result;
}
