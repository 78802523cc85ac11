/**
  @file io.h
  @brief What a run reads and writes: scene files, steps.csv, summary.json, fields.h5 with fields.xdmf, checkpoints.
**/
#pragma once
#include <abut/solve.h>

/* Scenes */

/** What a run leaves behind. */
typedef struct {
  PetscInt  fields_every;                          /* steps between field outputs; 0 = none; the last step is always written when > 0 */
  PetscReal fields_interval;                       /* [s] between field outputs, on which steps land; 0 = none; instead of fields_every */
  PetscBool stress, contact_force, friction_force; /* optional fields */
  PetscInt  checkpoint_every;                      /* steps; 0 = none but at the end or when stopped */
  PetscInt  checkpoint_minutes;                    /* minutes of wall time; 0 = none */
} AbutOutputSpec;

/** A scene file as plain data, SI units, checked; the same on every rank. */
typedef struct {
  char              path[PETSC_MAX_PATH_LEN];
  char              title[256];
  PetscInt          dim;
  PetscInt          num_materials;
  AbutMaterialSpec *materials;
  PetscInt          num_bodies; /* bodies, then obstacles that are meshes */
  AbutBodySpec     *bodies;
  PetscInt          num_planes;
  AbutPlaneSpec    *planes;
  PetscInt          num_motions;
  AbutMotionSpec   *motions;
  PetscInt          num_loads;
  AbutLoadSpec     *loads;
  PetscInt          num_surfaces; /* labels of the table of friction coefficients, step.friction, whose arrays the scene owns */
  char (*surfaces)[64];
  AbutStepSpec   step;
  AbutOutputSpec output;
} AbutScene;

/**
  @brief Reads a scene (YAML 1.1): rank 0 reads the file, every rank parses the same text. Collective.
  ABUT_ERR_INPUT with file:line, the value and the valid range for unknown or repeated keys, wrong types, values out of range, unknown
  names, missing keys. Paths of meshes are taken relative to the scene file.
**/
PETSC_EXTERN PetscErrorCode AbutSceneRead(MPI_Comm comm, const char path[], AbutScene **scene);
PETSC_EXTERN PetscErrorCode AbutSceneDestroy(AbutScene **scene);

/** @brief Prints the scene reference (Markdown) from the schema that the reader checks against. Collective. */
PETSC_EXTERN PetscErrorCode AbutScenePrintReference(MPI_Comm comm);

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

/** @brief Writes a state to `path` in input order: to a temporary file, synced, then renamed, so that a checkpoint is whole or absent. Collective. */
PETSC_EXTERN PetscErrorCode AbutCheckpointWrite(AbutMesh mesh, const char path[], const AbutState *state);

/** @brief Reads a state written on any number of ranks. ABUT_ERR_INPUT if the file is of another mesh or an unknown format version; the message says which. Collective. */
PETSC_EXTERN PetscErrorCode AbutCheckpointRead(AbutMesh mesh, const char path[], AbutState *state);

/** @brief Writes crossings found by AbutContactCheck() at positions x as DIR/intersections.vtp for ParaView, gathered on rank 0. Collective. */
PETSC_EXTERN PetscErrorCode AbutIntersectionsWrite(AbutMesh mesh, const char directory[], const PetscReal x[], PetscInt count,
                                                   const AbutIntersection crossings[]);

/** @brief Writes a blamed pair at positions x of owned vertices as DIR/failure.vtp: its vertices, and the surface edges and triangles between them. Collective. */
PETSC_EXTERN PetscErrorCode AbutBlameWrite(AbutMesh mesh, const char directory[], const PetscReal x[], const AbutLimitingPair *blame);
