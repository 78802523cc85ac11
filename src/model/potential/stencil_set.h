/* The stencils of a state, shared by "ipc" and "convergent-ipc": order, derivatives, pattern, contact points. */
#pragma once
#include "candidates.h"

#define ABUT_STENCIL_KEY 5 /* entries of a sort key: vertex ids or plane, form */

/* Stencils of a state; first member of AbutPotential.data of both potentials. */
typedef struct {
  const AbutCandidates *candidates; /* from which the state was found */
  PetscReal             scale;      /* energy of a stencil = kappa * scale * weight * mollifier * barrier [m^4] */
  PetscBool             areas;      /* weights are areas, not multiplicities */
  PetscReal             min_dist2;  /* [m^2] minimum over all candidates */
  AbutReals             x;          /* positions of the state */
  PetscInt              num_found, found_capacity;
  AbutStencil          *found;                  /* [num_found] in the order of the search */
  PetscInt              num_stencils, capacity; /* number of stencils; length of the arrays below */
  AbutStencil          *stencils;               /* [num_stencils] sorted and merged */
  PetscInt (*key)[ABUT_STENCIL_KEY], *order;    /* [num_found] sort keys of `found`, their order */
  PetscInt (*needed)[4];                        /* [num_stencils] for AbutPotentialGetPattern() */
  AbutContactPoint *points;                     /* [num_stencils] */
  AbutInts          near;                       /* of AbutCandidatesWithin() */
} AbutStencilSet;

/* Mollifier threshold of two edges from their squared lengths at rest [IPC supplement: 1e-3]. */
static inline PetscReal EpsCross(PetscReal length2_a, PetscReal length2_b)
{
  return 1e-3 * length2_a * length2_b;
}

/* Starts the search: removes all stencils. */
PETSC_INTERN void AbutStencilSetBegin(AbutStencilSet *set, const AbutCandidates *c);
/* Appends to `found`. */
PETSC_INTERN PetscErrorCode AbutStencilSetAdd(AbutStencilSet *set, const AbutStencil *st);
/* Appends the half-space contacts within the square root of shat, with weight 1; lowers min_dist2. */
PETSC_INTERN PetscErrorCode AbutStencilSetAddPlanes(AbutStencilSet *set, const PetscReal xt[], PetscReal shat);
/* Completes a state at xt: sorts the found stencils by vertex ids and merges equal ones, adding their weights. */
PETSC_INTERN PetscErrorCode AbutStencilSetMerge(AbutStencilSet *set, const PetscReal xt[]);
PETSC_INTERN PetscErrorCode AbutStencilSetFree(AbutStencilSet *set);

/* Implementations of AbutPotentialOps from the stencils. */
PETSC_INTERN void           AbutStencilSetGetStats(AbutPotential pot, AbutPotentialStats *stats);
PETSC_INTERN void           AbutStencilSetAddGradient(AbutPotential pot, PetscReal scale, PetscReal g[]);
PETSC_INTERN PetscErrorCode AbutStencilSetAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);
PETSC_INTERN PetscErrorCode AbutStencilSetGetPattern(AbutPotential pot, PetscReal distance, AbutStencilList *needed, AbutStencilList *near);
PETSC_INTERN PetscErrorCode AbutStencilSetGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);
PETSC_INTERN PetscErrorCode AbutStencilSetGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);

/* Initializer of the entries of AbutPotentialOps above. */
#define ABUT_STENCIL_SET_OPS                                                                                            \
  .getstats = AbutStencilSetGetStats, .addgradient = AbutStencilSetAddGradient, .addhessian = AbutStencilSetAddHessian, \
  .getpattern = AbutStencilSetGetPattern, .getstencils = AbutStencilSetGetStencils, .getcontactpoints = AbutStencilSetGetContactPoints
