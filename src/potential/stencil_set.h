/* The stencils of a state, shared by "ipc" and "convergent-ipc": order, derivatives, pattern, contact points. */
#pragma once
#include "candidates.h"

/* Stencils of a state; first member of AbutPotential.data of both potentials. */
typedef struct {
  const AbutCandidates *candidates; /* from which the state was found */
  PetscReal             scale;      /* energy of a stencil = kappa * scale * weight * mollifier * barrier [m^4] */
  PetscBool             areas;      /* weights are areas, not multiplicities */
  Buffer                x;          /* PetscReal: positions of the state */
  Buffer                found;      /* AbutStencil: in the order of the search */
  Buffer                stencils;   /* AbutStencil: sorted and merged */
  Buffer                keys, perm, needed, near;
  Buffer                points; /* AbutContactPoint */
  PetscInt              num_found, num_stencils;
  PetscReal             min_dist2; /* [m^2] minimum over all candidates */
} AbutStencilSet;

/* Mollifier threshold of two edges from their squared lengths at rest [IPC supplement: 1e-3]. */
static inline PetscReal EpsCross(PetscReal length2_a, PetscReal length2_b)
{
  return 1e-3 * length2_a * length2_b;
}

/* Squared distance of a half-space candidate; 0 on the boundary and behind it. */
static inline PetscReal PlaneDist2(const AbutCandidates *c, PetscInt i, const PetscReal xt[])
{
  const PetscReal h = PlaneHeight(c, c->pv[i][0], c->pv[i][1], xt);

  return h > 0 ? h * h : 0;
}

static inline PetscErrorCode FoundAdd(AbutStencilSet *set, const AbutStencil *st)
{
  PetscFunctionBegin;
  PetscCall(Reserve(&set->found, set->num_found + 1, sizeof(AbutStencil)));
  ((AbutStencil *)set->found.data)[set->num_found++] = *st;
  PetscFunctionReturn(0);
}

/* Begins a state: copies the positions and removes all stencils. */
PETSC_INTERN PetscErrorCode AbutStencilSetBegin(AbutStencilSet *set, const AbutCandidates *c, const PetscReal xt[]);
/* Completes a state: sorts the found stencils by vertex ids and merges equal ones, adding their weights. */
PETSC_INTERN PetscErrorCode AbutStencilSetMerge(AbutStencilSet *set);
PETSC_INTERN PetscErrorCode AbutStencilSetFree(AbutStencilSet *set);

/* Implementations of AbutPotentialOps from the stencils. */
PETSC_INTERN PetscErrorCode AbutStencilSetGetStats(AbutPotential pot, AbutPotentialStats *stats);
PETSC_INTERN PetscErrorCode AbutStencilSetAddGradient(AbutPotential pot, PetscReal scale, PetscReal g[]);
PETSC_INTERN PetscErrorCode AbutStencilSetAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);
PETSC_INTERN PetscErrorCode AbutStencilSetGetPattern(AbutPotential pot, PetscReal distance, AbutStencilList *needed, AbutStencilList *near);
PETSC_INTERN PetscErrorCode AbutStencilSetGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);
PETSC_INTERN PetscErrorCode AbutStencilSetGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);

/* Initializer of the entries of AbutPotentialOps above. */
#define ABUT_STENCIL_SET_OPS                                                                                            \
  .getstats = AbutStencilSetGetStats, .addgradient = AbutStencilSetAddGradient, .addhessian = AbutStencilSetAddHessian, \
  .getpattern = AbutStencilSetGetPattern, .getstencils = AbutStencilSetGetStencils, .getcontactpoints = AbutStencilSetGetContactPoints
