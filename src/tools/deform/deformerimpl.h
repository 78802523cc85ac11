/* WARNING: private header of src/tools/deform. The deformer: surfaces and pairs of a scene. */
#pragma once
#include "pairimpl.h"

/* A surface of a deformer. */
typedef struct {
  AbutDeformSurface surface;  /* borrowed */
  AbutResponse      response; /* NULL without a pair, or with working regions */
  AbutResponse     *working;  /* [regions] responses of its working regions instead, each created with its first contact */
} DeformerSurface;

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

/* Lists the contacts of a surface with zones that are not empty: at most two for each pair. */
PETSC_INTERN void AbutDeformerListContacts(AbutDeformer deformer, PetscInt surface, PetscInt *num, AbutDeformContact contacts[]);

/* Algorithm 2 for the regions of a surface with contact; blends their displacements. */
PETSC_INTERN PetscErrorCode AbutDeformerSolveRegions(AbutDeformer deformer, PetscInt surface, const AbutDeformSurfaceControl *control,
                                                     PetscReal y[]);

/* Sets penetration_after in the reports of all pairs from the displaced positions. Changes the coordinates of rays. */
PETSC_INTERN PetscErrorCode AbutDeformerSetPenetration(AbutDeformer deformer, PetscReal *const y[]);

/* Sets zone_mismatch in the reports of all pairs from the displaced positions. */
PETSC_INTERN void AbutDeformerSetMismatch(AbutDeformer deformer, PetscReal *const y[]);
