/* Interface that a type of potential implements, and kernels of one stencil. */
#pragma once
#include <abut/potential.h>

typedef struct {
  PetscErrorCode (*destroy)(AbutPotential pot);
  PetscErrorCode (*setup)(AbutPotential pot, AbutMesh mesh, AbutContact contact); /* NULL: nothing to do */
  PetscReal (*getforce)(AbutPotential pot, PetscReal dhat);                       /* see AbutPotentialGetReferenceForce() */
  PetscErrorCode (*energy)(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[], PetscReal *energy);
  PetscErrorCode (*setstate)(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[]);
  void (*getstats)(AbutPotential pot, AbutPotentialStats *stats);
  void (*addgradient)(AbutPotential pot, PetscReal scale, PetscReal g[]);
  PetscErrorCode (*addhessian)(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);
  PetscErrorCode (*getpattern)(AbutPotential pot, PetscReal distance, AbutStencilList *needed, AbutStencilList *near);
  PetscErrorCode (*getstencils)(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);
  PetscErrorCode (*getcontactpoints)(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);
} AbutPotentialOps;

struct _p_AbutPotential {
  MPI_Comm                 comm;
  const AbutPotentialInfo *info;
  PetscReal                dhat;       /* [m] */
  PetscReal                rest_dhat;  /* [m] see AbutPotentialGetRestDhat(); 0 = dhat */
  PetscInt64               rest_pairs; /* see AbutPotentialGetRestPairs() */
  PetscReal                kappa;
  PetscBool                has_state;
  AbutPotentialSpec        spec;
  AbutPotentialOps         ops;
  void                    *data; /* of the type */
};

/* A type of potential: properties and constructor, which sets ops and data. */
typedef struct {
  AbutPotentialInfo info;
  PetscErrorCode (*create)(AbutPotential pot);
} AbutPotentialType;

#define ABUT_POTENTIAL(name, type) PETSC_INTERN const AbutPotentialType type;
#include "potential_types.h"
#undef ABUT_POTENTIAL

/*
  Derivatives of the energy of one stencil for unit stiffness (weight * mollifier * barrier). x: its points; plane: its half space, or NULL.
*/

PETSC_INTERN void AbutStencilGradient(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat, const PetscReal x[],
                                      PetscReal g[]);
PETSC_INTERN void AbutStencilHessian(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat,
                                     AbutProjection projection, const PetscReal x[], PetscReal H[]);

/* Positions in the stencil of the points whose distance a stencil with AbutStencil.fixed takes; returns their number. */
PETSC_INTERN PetscInt AbutStencilFixedPoints(AbutDistForm form, PetscInt at[4]);

/* Contact point of a stencil without mollifier, at stiffness kappa. */
PETSC_INTERN void AbutStencilContactPoint(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat, PetscReal kappa,
                                          const PetscReal x[], AbutContactPoint *point);

/*
  Squared distance between the closest features of a pair of n points x, with derivatives over all n points [n dim], [(n dim)^2]. g and H
  may be NULL; H must be NULL if g is.
*/
PETSC_INTERN PetscReal AbutFeatureDist2(const AbutClosest *closest, PetscInt dim, PetscInt n, const PetscReal x[], PetscReal g[],
                                        PetscReal H[]);

/* y = positions of the vertices v[n]. */
static inline void AbutGather(PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal x[], PetscReal y[])
{
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt i = 0; i < dim; i++) y[dim * a + i] = x[dim * v[a] + i];
  }
}

/* y = positions of the vertices v[n] relative to `origin`. */
static inline void AbutGatherFrom(PetscInt dim, PetscInt n, const PetscInt v[], const PetscReal x[], const PetscReal origin[],
                                  PetscReal y[])
{
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt i = 0; i < dim; i++) y[dim * a + i] = x[dim * v[a] + i] - origin[i];
  }
}

/* Squared distance of two points. */
static inline PetscReal AbutPointDist2(PetscInt dim, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < dim; i++) sum += PetscSqr(a[i] - b[i]);
  return sum;
}
