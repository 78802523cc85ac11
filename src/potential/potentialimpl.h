/* What a type of potential provides, and the kernels of one stencil. */
#pragma once
#include <abut/potential.h>

typedef struct {
  PetscErrorCode (*destroy)(AbutPotential pot);
  PetscErrorCode (*energy)(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[], PetscReal *energy);
  PetscErrorCode (*setstate)(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[]);
  PetscErrorCode (*getstats)(AbutPotential pot, AbutPotentialStats *stats);
  PetscErrorCode (*addgradient)(AbutPotential pot, PetscReal scale, PetscReal g[]);
  PetscErrorCode (*addhessian)(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);
  PetscErrorCode (*getpattern)(AbutPotential pot, PetscReal distance, PetscInt *num_needed, const PetscInt (**needed)[4],
                               PetscInt *num_near, const PetscInt (**near)[4]);
  PetscErrorCode (*getstencils)(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);
  PetscErrorCode (*getcontactpoints)(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);
} AbutPotentialOps;

struct _p_AbutPotential {
  MPI_Comm         comm;
  char             type[32];
  PetscReal        dhat;  /* [m] */
  PetscReal        kappa; /* [energy/m^4] */
  PetscBool        has_state;
  AbutPotentialOps ops;
  void            *data; /* of the type */
};

PETSC_INTERN PetscErrorCode AbutPotentialCreate_IPC(AbutPotential pot);

/* ---- one stencil, x its points: energy per kappa (weight, mollifier, barrier) with derivatives; plane is NULL unless a plane contact ---- */

PETSC_INTERN PetscReal AbutStencilEnergy(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat,
                                         const PetscReal x[]);
PETSC_INTERN void AbutStencilGradient(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat, const PetscReal x[],
                                      PetscReal g[]);
PETSC_INTERN void AbutStencilHessian(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat,
                                     AbutProjection projection, const PetscReal x[], PetscReal H[]);

/* The closest points of a stencil that is not mollified, its force at stiffness kappa. */
PETSC_INTERN void AbutStencilContactPoint(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat, PetscReal kappa,
                                          const PetscReal x[], AbutContactPoint *point);

/* ---- canonical order ---- */

#define ABUT_KEY_LENGTH 5

/* Permutation that sorts keys of non-negative integers lexicographically, stable: radix sort, time proportional to count. work: [count]. */
PETSC_INTERN void AbutSortKeys(PetscInt count, const PetscInt (*key)[ABUT_KEY_LENGTH], PetscInt perm[], PetscInt work[]);
