/* Energy and derivatives of a potential over candidates of one rank, as functions of positions, for tests. */
#pragma once
#include "test.h"
#include "../../src/model/potential/potentialimpl.h"

typedef struct {
  AbutPotential         pot;
  const AbutCandidates *c;
} Context;

static inline AbutPotential CreatePotential(const char type[], PetscReal dhat, PetscReal kappa)
{
  AbutPotential pot;

  AbutTestCall(AbutPotentialCreate(PETSC_COMM_SELF, type, &pot));
  AbutTestCall(AbutPotentialSetDhat(pot, dhat));
  AbutTestCall(AbutPotentialSetStiffness(pot, kappa));
  return pot;
}

static inline void Energy(const PetscReal x[], PetscReal out[], void *ctx)
{
  Context *c = ctx;
  AbutTestCall(AbutPotentialEnergy(c->pot, c->c, x, out));
}

static inline void Gradient(const PetscReal x[], PetscReal out[], void *ctx)
{
  Context *c = ctx;
  memset(out, 0, sizeof(*out) * (size_t)(c->c->dim * c->c->num_vertices));
  AbutTestCall(AbutPotentialSetState(c->pot, c->c, x));
  AbutTestCall(AbutPotentialAddGradient(c->pot, 1, out));
}

/* Hessian of the state as a dense matrix H [(dim nv)^2]. */
static inline void AssembleHessian(AbutPotential pot, PetscInt dim, PetscInt nv, AbutProjection project, PetscReal H[])
{
  AbutAssembler   as;
  AbutStencilList needed, near;
  PetscInt       *all, N = dim * nv;
  Mat             A;

  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_SELF, dim, nv, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, dim + 1, 0, NULL));
  AbutTestCall(AbutPotentialGetPattern(pot, PETSC_FALSE, &needed, &near));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 1, &needed, &near, NULL));
  AbutTestCall(AbutAssemblerBegin(as));
  AbutTestCall(AbutPotentialAddHessian(pot, 1, project, as));
  AbutTestCall(AbutAssemblerEnd(as, NULL));
  A = AbutAssemblerGetMat(as);
  AbutTestCall(PetscMalloc1(N, &all));
  for (PetscInt i = 0; i < N; i++) all[i] = i;
  AbutTestCall(MatGetValues(A, N, all, N, all, H));
  AbutTestCall(PetscFree(all));
  AbutTestCall(AbutAssemblerDestroy(&as));
}
