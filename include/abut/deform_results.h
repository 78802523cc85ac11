/**
  @file deform_results.h
  @brief Result files of `abut deform`: frames.h5 with frames.xdmf, contacts.csv, surfaces.csv, summary.json; summary.json of
  `abut deform -resolve`.
**/
#pragma once
#include <abut/deform.h>
#include <abut/mesh.h>
#include <abut/untangle.h>

/** Writer of the results. */
typedef struct _p_AbutFrameResults *AbutFrameResults;

/** Results of one frame on the rank that computed it. */
typedef struct {
  PetscInt                       frame;    /* number of the frame; < 0: this rank has none */
  const PetscReal *const        *x;        /* [num surfaces] input positions [3 * num_vertices] [m] */
  const PetscReal *const        *y;        /* [num surfaces] displaced positions [3 * num_vertices] [m] */
  const PetscInt *const         *contact;  /* [num surfaces] pair of each vertex in a zone, else -1 [num_vertices] */
  const AbutDeformPairReport    *pairs;    /* [num pairs] reports */
  const AbutDeformSurfaceReport *surfaces; /* [num surfaces] reports */
} AbutFrameLevel;

/** Pair of a scene: numbers of its surfaces. */
typedef struct {
  PetscInt surface[2]; /* numbers of the surfaces */
} AbutFramePair;

/**
  @brief Creates the files. Collective.
  @param[in]  comm                 ranks that compute frames; must outlive the writer
  @param[in]  directory            existing folder
  @param[in]  num_surfaces, names  [num_surfaces] names of the surfaces; copied
  @param[in]  arrays               [num_surfaces] triangles and numbers of vertices; written, not kept
  @param[in]  num_pairs, pairs     [num_pairs] pairs; copied
  @param[out] results              AbutFrameResultsDestroy() frees it
  Errors: ABUT_ERR_IO if a file cannot be written.
**/
PETSC_EXTERN PetscErrorCode AbutFrameResultsCreate(MPI_Comm comm, const char directory[], PetscInt num_surfaces, const char *const names[],
                                                   const AbutSurfaceArrays arrays[], PetscInt num_pairs, const AbutFramePair pairs[],
                                                   AbutFrameResults *results);

/**
  @brief Adds the frames of all ranks, in the order of ranks. Collective.

  Copies the frame. Up to 16 frames of each rank are written together: all ranks create their datasets, then each rank writes its own.
  Errors: ABUT_ERR_IO.
**/
PETSC_EXTERN PetscErrorCode AbutFrameResultsAdd(AbutFrameResults results, const AbutFrameLevel *level);

/** @brief Writes the frames that are not written yet. Collective; call it before AbutFrameResultsDestroy(). Errors: ABUT_ERR_IO. */
PETSC_EXTERN PetscErrorCode AbutFrameResultsFlush(AbutFrameResults results);

/** Frames in which something happened. */
typedef struct {
  PetscInt num;   /* frames */
  PetscInt frame; /* number of the first of them */
  PetscInt item;  /* its first pair or surface */
} AbutFrameEvent;

/** Sums and largest values over the frames added so far. */
typedef struct {
  PetscInt       in_contact;    /* frames with a contact zone */
  AbutFrameEvent unresolved;    /* a pair intersects and has no contact zone; item: pair */
  AbutFrameEvent limited;       /* no bulge keeps the volume of a surface; item: surface */
  PetscReal      volume_error;  /* largest error of a volume, relative */
  PetscReal      zone_mismatch; /* largest distance between zones, over the size */
  PetscReal      depth;         /* largest penetration [m] */
  PetscReal      displacement;  /* largest displacement [m] */
} AbutFrameTotals;

/** @brief Sums over the frames that are written, the same on all ranks; borrowed. Not collective. */
PETSC_EXTERN const AbutFrameTotals *AbutFrameResultsTotals(AbutFrameResults results);

/**
  @brief Writes frames.xdmf and summary.json and frees the writer; does nothing if *results is NULL. Collective.
  @param[in] exit_code, message  how the program ends; NULL = no message
  @param[in] seconds             wall-clock time and processor time that this rank spent in AbutDeformerSolve()
  Errors: ABUT_ERR_IO.
**/
PETSC_EXTERN PetscErrorCode AbutFrameResultsDestroy(AbutFrameResults *results, AbutExitCode exit_code, const char message[],
                                                    const PetscLogDouble seconds[2]);

/** What `abut deform -resolve` did. */
typedef struct {
  const AbutUntangleReport *report;    /* pairs and bodies count if exit_code is ABUT_EXIT_OK */
  const AbutPlaneSpec      *planes;    /* [num_planes] half spaces of the scene */
  AbutExitCode              exit_code; /* of the program */
  const char               *message;   /* "" without an error */
} AbutResolveSummary;

/**
  @brief Writes summary.json. Collective. Errors: ABUT_ERR_IO if the file cannot be written.
  @param[in] mesh       mesh of the scene
  @param[in] directory  existing folder
  @param[in] summary    read on rank 0
**/
PETSC_EXTERN PetscErrorCode AbutResolveSummaryWrite(AbutMesh mesh, const char directory[], const AbutResolveSummary *summary);
