/* Access to the candidate pairs of a search, for all potentials. */
#pragma once
#include <abut/containers.h>
#include "potentialimpl.h"

/* Receives a candidate: its kind, position p among the candidates of this kind, vertices v, their positions x, squared distance s. */
typedef PetscErrorCode (*AbutCandidateFn)(AbutPairKind kind, PetscInt p, const PetscInt v[], const PetscReal x[], PetscReal s, void *ctx);

/*
  Calls `fn` for each candidate with a squared distance below bound2: face-vertex, then edge-edge, then edge-vertex pairs. *min_dist2 is
  lowered to the smallest squared distance of all these candidates, half spaces excepted; NULL: not wanted.
*/
PETSC_INTERN PetscErrorCode AbutCandidatesVisit(const AbutCandidates *c, const PetscReal xt[], PetscReal bound2, PetscReal *min_dist2,
                                                AbutCandidateFn fn, void *ctx);

/* Lists the candidates closer than `distance` [m] as stencils of four global vertex indices, padded with -1; stored in `list`. */
PETSC_INTERN PetscErrorCode AbutCandidatesWithin(const AbutCandidates *c, const PetscReal x[], PetscReal distance, AbutInts *list,
                                                 AbutStencilList *near);

/* Mean edge length at rest of the surfaces of bodies; without such edges, of all surfaces; without any edges, 1. Collective. */
PETSC_INTERN PetscErrorCode AbutMeanEdge(AbutMesh mesh, PetscReal *mean);

/* Height of a vertex over a plane. */
static inline PetscReal PlaneHeight(const AbutCandidates *c, PetscInt plane, PetscInt v, const PetscReal xt[])
{
  return AbutPlaneHeight(c->dim, c->planes[plane].normal, c->planes[plane].point, xt + c->dim * v);
}

/* Squared distance of a half-space candidate; 0 on the boundary and behind it. */
static inline PetscReal PlaneDist2(const AbutCandidates *c, PetscInt i, const PetscReal xt[])
{
  const PetscReal h = PlaneHeight(c, c->pv[i][0], c->pv[i][1], xt);

  return h > 0 ? h * h : 0;
}
