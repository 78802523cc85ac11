/* Quantities compared between numbers of ranks: vertex values by vertex id, and assembled Hessians times a vector. */
#pragma once
#include "test.h"
#include <abut/linalg.h>
#include <abut/mesh.h>
#include <stdlib.h>

/* Returns the values of all ranks by vertex id, on every rank. The caller frees them. */
static inline PetscReal *ById(MPI_Comm comm, const AbutMeshLocal *m, const PetscReal owned[])
{
  const PetscInt n   = m->num_global * m->dim;
  PetscReal     *all = calloc((size_t)(n + 1), sizeof(*all));

  for (PetscInt i = 0; i < m->num_owned * m->dim; i++) all[m->dim * m->vertex_id[i / m->dim] + i % m->dim] = owned[i];
  MPI_Allreduce(MPI_IN_PLACE, all, (PetscMPIInt)n, MPIU_REAL, MPIU_SUM, comm);
  return all;
}

/* Creates an assembler for the stencils of a pattern. */
static inline AbutAssembler HessianBegin(MPI_Comm comm, const AbutMeshLocal *m, const AbutStencilList *needed, const AbutStencilList *near)
{
  AbutAssembler as;

  AbutTestCall(AbutAssemblerCreate(comm, m->dim, m->num_owned, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, m->dim + 1, 0, NULL));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 1, needed, near, NULL));
  AbutTestCall(AbutAssemblerBegin(as));
  return as;
}

/*
  Returns the assembled matrix times p, by vertex id; p starts with the owned values. Destroys the assembler. The caller frees the result.
*/
static inline PetscReal *HessianTimes(MPI_Comm comm, const AbutMeshLocal *m, AbutAssembler *as, const PetscReal p[])
{
  const PetscReal *y;
  PetscReal       *all;
  Mat              A;
  Vec              v, Av;

  AbutTestCall(AbutAssemblerEnd(*as, NULL));
  A = AbutAssemblerGetMat(*as);
  AbutTestCall(MatCreateVecs(A, &v, &Av));
  for (PetscInt i = 0; i < m->num_owned * m->dim; i++) AbutTestCall(VecSetValue(v, m->first * m->dim + i, p[i], INSERT_VALUES));
  AbutTestCall(VecAssemblyBegin(v));
  AbutTestCall(VecAssemblyEnd(v));
  AbutTestCall(MatMult(A, v, Av));
  AbutTestCall(VecGetArrayRead(Av, &y));
  all = ById(comm, m, y);
  AbutTestCall(VecRestoreArrayRead(Av, &y));
  AbutTestCall(VecDestroy(&v));
  AbutTestCall(VecDestroy(&Av));
  AbutTestCall(AbutAssemblerDestroy(as));
  return all;
}
