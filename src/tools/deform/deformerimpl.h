/* WARNING: private header of src/tools/deform. The deformer: surfaces and pairs of a scene. */
#pragma once
#include "pairimpl.h"

/* A surface of a deformer. */
typedef struct {
  AbutDeformSurface surface;  /* borrowed */
  AbutResponse     *response; /* [DeformerNumRegions()] each created with its first contact; NULL before the first frame */
} DeformerSurface;

/* Working regions of a surface; one without them. */
static inline PetscInt DeformerNumRegions(const DeformerSurface *at)
{
  return at->surface->regions ? at->surface->regions->num : 1;
}

/* A pair of a deformer. */
typedef struct {
  AbutDeformPair *pair;
  PetscInt        side[2]; /* numbers of the surfaces */
} DeformerPair;

struct _p_AbutDeformer {
  PetscInt                 num_surfaces, surface_capacity; /* surfaces, allocated entries */
  DeformerSurface         *surface;                        /* [num_surfaces] */
  AbutDeformSurfaceReport *surface_report;                 /* [num_surfaces] */
  PetscInt                 num_pairs, pair_capacity;       /* pairs, allocated entries */
  DeformerPair            *pair;                           /* [num_pairs] */
  AbutDeformPairReport    *pair_report;                    /* [num_pairs] */
};

/* Algorithm 2: the displaced positions y [3 * num_vertices] of a surface under all its contacts, and its report. */
PETSC_INTERN PetscErrorCode AbutDeformerSolveSurface(AbutDeformer deformer, PetscInt surface, const AbutDeformSurfaceControl *control,
                                                     PetscReal y[]);

/* Sets penetration_after in the reports of all pairs from the displaced positions. Changes the coordinates of rays. */
PETSC_INTERN PetscErrorCode AbutDeformerSetPenetration(AbutDeformer deformer, PetscReal *const y[]);

/* Sets zone_mismatch in the reports of all pairs from the displaced positions. */
PETSC_INTERN void AbutDeformerSetMismatch(AbutDeformer deformer, PetscReal *const y[]);
