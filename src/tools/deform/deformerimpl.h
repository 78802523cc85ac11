/* WARNING: private header of src/tools/deform. The deformer: surfaces and pairs on all ranks. */
#pragma once
#include "pairimpl.h"

/* A surface of a deformer. */
typedef struct {
  AbutDeformSurface surface;  /* borrowed */
  AbutResponse      response; /* on its rank; created by AbutDeformerSetUp() or with the first contact */
  AbutResponse     *working;  /* [regions] responses of its working regions instead, each on its rank */
  PetscMPIInt       rank;     /* computes the response */
} DeformerSurface;

/* A pair of a deformer. */
typedef struct {
  AbutDeformPair *pair;    /* on its rank all data, on other ranks mapping regions without border, and zones */
  PetscInt        side[2]; /* numbers of the surfaces */
  PetscMPIInt     rank;    /* computes intersection, mapping and zones */
  PetscMPIInt     helper;  /* computes the intersection, too, and maps side 1; == rank if there are too few ranks */
} DeformerPair;

struct _p_AbutDeformer {
  MPI_Comm                 comm; /* duplicate */
  PetscMPIInt              rank, size;
  PetscInt                 num_surfaces, surface_capacity; /* surfaces, allocated entries */
  DeformerSurface         *surface;                        /* [num_surfaces] */
  AbutDeformSurfaceReport *surface_report;                 /* [num_surfaces] */
  PetscInt                 num_pairs, pair_capacity;       /* pairs, allocated entries */
  DeformerPair            *pair;                           /* [num_pairs] */
  AbutDeformPairReport    *pair_report;                    /* [num_pairs] */
};

/* Lists the contacts of a surface with zones that are not empty: at most two for each pair. */
PETSC_INTERN void AbutDeformerListContacts(AbutDeformer deformer, PetscInt surface, PetscInt *num, AbutDeformContact contacts[]);

/* Creates the workspace of a region of a surface on its rank. */
PETSC_INTERN PetscErrorCode AbutDeformerSetUpRegion(AbutDeformer deformer, PetscInt surface, PetscInt region);

/* Algorithm 2 for those regions of a surface with regions that belong to this rank. Not collective. */
PETSC_INTERN PetscErrorCode AbutDeformerSolveRegions(AbutDeformer deformer, PetscInt surface, const AbutDeformSurfaceControl *control);

/* Blends the displacements of the regions of a surface; the result is on the rank of the surface. Collective. */
PETSC_INTERN PetscErrorCode AbutDeformerBlend(AbutDeformer deformer, PetscInt surface, const AbutDeformSurfaceControl *control,
                                              PetscReal y[]);

/* Exchanges the mapping regions of a pair between its two ranks: on `rank` side 0 is computed, on `helper` side 1. Called by both. */
PETSC_INTERN PetscErrorCode AbutDeformerSwapSides(AbutDeformer deformer, DeformerPair *at);

/* Sends the zones, their images and the reports of all pairs from their ranks to all. Collective. */
PETSC_INTERN PetscErrorCode AbutDeformerSharePairs(AbutDeformer deformer);

/* Sends displaced positions and reports of all surfaces from their ranks to all. Collective. */
PETSC_INTERN PetscErrorCode AbutDeformerShareSurfaces(AbutDeformer deformer, PetscReal *const y[]);

/* Sets zone_mismatch in the reports of all pairs from the displaced positions. Collective. */
PETSC_INTERN PetscErrorCode AbutDeformerSetMismatch(AbutDeformer deformer, PetscReal *const y[]);
