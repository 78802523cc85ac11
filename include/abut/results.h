/**
  @file results.h
  @brief Result files of a run: steps.csv, pairs.csv, summary.json, fields.h5 with fields.xdmf, checkpoints.
**/
#pragma once
#include <abut/solve.h>

/* Version */

/** @brief Version of the program, "0.1.0". Not collective. */
PETSC_EXTERN const char *AbutVersion(void);

/** @brief What `git describe` said of the sources at build time, "unknown" outside a checkout. Not collective. */
PETSC_EXTERN const char *AbutVersionGit(void);

/* steps.csv, pairs.csv and summary.json */

typedef struct _p_AbutStats *AbutStats;

/** What the stats need to know of the run besides its steps. */
typedef struct {
  const char *directory; /* exists */
  const char *scene;     /* path */
  PetscBool   append;    /* a restart: rows beyond first_step are dropped, earlier ones kept */
  PetscInt    first_step;
  PetscReal   first_time; /* of the state that the run starts from [s] */
  PetscInt    num_planes; /* half spaces among the obstacles */
} AbutStatsSpec;

/** @brief Opens DIR/steps.csv and DIR/pairs.csv (rank 0). Collective. */
PETSC_EXTERN PetscErrorCode AbutStatsCreate(AbutMesh mesh, const AbutStatsSpec *spec, AbutStats *stats);

/** @brief Appends the row of an accepted step; intersections, inversions -1 where unchecked. Phase seconds are the increments since the last row, maximum over ranks. Collective. */
PETSC_EXTERN PetscErrorCode AbutStatsAddStep(AbutStats stats, PetscInt step, PetscReal time, const AbutStepReport *report,
                                             PetscInt intersections, PetscInt inversions);

/** @brief Appends resultants of a step to DIR/pairs.csv: one row a pair of bodies; `planes` have the names of sides beyond the bodies. Collective. */
PETSC_EXTERN PetscErrorCode AbutStatsAddPairs(AbutStats stats, PetscInt step, PetscReal time, const AbutPlaneSpec planes[], PetscInt count,
                                              const AbutPairForce pairs[]);

/**
  @brief Keeps why a step failed for the object "failure" of summary.json. Logically collective.
  @param[in] bodies  names of the two sides of report->blame, "" where it blames nobody
**/
PETSC_EXTERN PetscErrorCode AbutStatsSetFailure(AbutStats stats, PetscInt step, PetscReal time, const AbutStepReport *report,
                                                const char bodies[2][80], const char advice[]);

/** @brief Writes DIR/summary.json atomically. Collective; may be called more than once, the last call holds. */
PETSC_EXTERN PetscErrorCode AbutStatsWriteSummary(AbutStats stats, AbutExitCode exit_code, const char message[]);
PETSC_EXTERN PetscErrorCode AbutStatsDestroy(AbutStats *stats);

/* Fields */

typedef struct _p_AbutFields *AbutFields;

/**
  @brief Opens DIR/fields.h5 for a mesh and writes the mesh in input order; with `append` goes on in an existing file after `first_step`. Collective.
**/
PETSC_EXTERN PetscErrorCode AbutFieldsCreate(AbutMesh mesh, const char directory[], PetscBool append, PetscInt first_step,
                                             AbutFields *fields);

/** One time level. Arrays on owned vertices or local cells; NULL leaves the field out. */
typedef struct {
  PetscInt         step;
  PetscReal        time;
  const PetscReal *x, *v, *contact_force, *friction_force; /* [num_owned * dim] */
  const PetscReal *cauchy, *mises;                         /* [num_cells * 6], [num_cells] */
} AbutFieldsLevel;

/** @brief Writes a level and the XDMF index that makes it visible; a run that is killed leaves the levels written before readable. Collective. */
PETSC_EXTERN PetscErrorCode AbutFieldsWrite(AbutFields fields, const AbutFieldsLevel *level);
PETSC_EXTERN PetscErrorCode AbutFieldsDestroy(AbutFields *fields);

/* Checkpoints */

/**
  @brief Writes a checkpoint: a state in input order, for any number of ranks. Collective.

  The data go to a temporary file, which is synced to disk and then renamed to `path`: an interrupted call leaves the file that was there. The
  last line of the file states its format version, length and checksum.
  @param[in] mesh     of the state
  @param[in] path     of the file
  @param[in] state    read only
  @param[in] initial  AbutScene.initial, stored for AbutSceneWarnOfInitial(); may be NULL
  @return ABUT_ERR_IO if the file cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutCheckpointWrite(AbutMesh mesh, const char path[], const AbutState *state, const char initial[]);

/**
  @brief Reads a checkpoint that any number of ranks wrote. Collective. Rank 0 verifies the checksum before the ranks open the file.
  @param[in]     mesh     of the run; must equal the mesh of the checkpoint
  @param[in]     path     of the file
  @param[in,out] state    its num_motions and num_planes must equal those of the checkpoint; its arrays have room for the mesh. Unchanged after
                          ABUT_ERR_INPUT, undefined after ABUT_ERR_IO
  @param[out]    initial  AbutScene.initial of the run that wrote the checkpoint, to be freed with PetscFree(); NULL: not wanted
  @return ABUT_ERR_IO if the file cannot be read, is truncated or damaged; ABUT_ERR_INPUT if it is of another mesh, scene or format version
**/
PETSC_EXTERN PetscErrorCode AbutCheckpointRead(AbutMesh mesh, const char path[], AbutState *state, char **initial);

/**
  @brief Writes intersections as DIR/intersections.xdmf for ParaView: their edges, triangles and vertices behind planes. Collective.
  @param[in] mesh       of the intersections
  @param[in] directory  existing folder
  @param[in] x          positions of the owned vertices [m], [num_owned * dim]
  @param[in] count      number of intersections of this rank
  @param[in] crossings  [count] from AbutContactCheck()
  @return ABUT_ERR_IO if the file cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutIntersectionsWrite(AbutMesh mesh, const char directory[], const PetscReal x[], PetscInt count,
                                                   const AbutIntersection crossings[]);

/**
  @brief Writes the pair that limited a step as DIR/failure.xdmf for ParaView: its vertices, and the surface edges and triangles between them.
  Collective.
  @param[in] mesh       of the pair
  @param[in] directory  existing folder
  @param[in] x          positions of the owned vertices [m], [num_owned * dim]
  @param[in] pair       equal on all ranks; its `rank` is not negative
  @return ABUT_ERR_IO if the file cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutLimitingPairWrite(AbutMesh mesh, const char directory[], const PetscReal x[], const AbutLimitingPair *pair);
