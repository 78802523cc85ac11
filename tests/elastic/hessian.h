/* Products of assembled Hessians with vectors. */
#pragma once
#include "meshes.h"
#include <petscmat.h>

typedef void (*AddTerm)(const Solid *solid, AbutAssembler as, const void *ctx);

/* out = H p, both [num_owned * dim], for the matrix H that the function `add` assembles. Collective. */
static inline void MultiplyAssembled(const Solid *solid, AddTerm add, const void *ctx, PetscReal p[], PetscReal out[])
{
  const AbutMeshLocal *local    = solid->local;
  const PetscInt       nv       = local->dim + 1 + (local->middles ? AbutNumCellEdges(local->dim) : 0);
  PetscInt            *vertices = malloc(sizeof(*vertices) * (size_t)(local->num_cells * nv + 1));
  AbutAssembler        as;
  Mat                  H;
  Vec                  P, Y;
  PetscBool            rebuilt;

  for (PetscInt i = 0; i < local->num_cells * nv; i++) {
    const PetscInt v = AbutCellNode(local, i / nv, i % nv);
    vertices[i]      = v < 0 ? -1 : local->vertex_global[v];
  }
  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_WORLD, local->dim, local->num_owned, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, nv, local->num_cells, vertices));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 0, NULL, NULL, &rebuilt));
  AbutTestCall(AbutAssemblerBegin(as));
  add(solid, as, ctx);
  AbutTestCall(AbutAssemblerEnd(as, NULL));
  H = AbutAssemblerGetMat(as);
  AbutTestCall(MatCreateVecs(H, &P, &Y));
  AbutTestCall(VecPlaceArray(P, p));
  AbutTestCall(VecPlaceArray(Y, out));
  AbutTestCall(MatMult(H, P, Y));
  AbutTestCall(VecResetArray(P));
  AbutTestCall(VecResetArray(Y));
  AbutTestCall(VecDestroy(&P));
  AbutTestCall(VecDestroy(&Y));
  AbutTestCall(AbutAssemblerDestroy(&as));
  free(vertices);
}
