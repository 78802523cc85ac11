/**
  @file results.h
  @brief Result files of a run: steps.csv, pairs.csv, motions.csv, cavities.csv, summary.json, fields.h5 with fields.xdmf, checkpoints.
**/
#pragma once
#include <abut/option.h>
#include <abut/time.h>

/* Version */

/** @brief Version of the program, "0.2.0". Not collective. */
PETSC_EXTERN const char *AbutVersion(void);

/** @brief Output of `git describe` on the sources at build time, "unknown" outside a checkout. Not collective. */
PETSC_EXTERN const char *AbutVersionGit(void);

#define ABUT_VERSION_SIZE 1024 /**< bytes of a text of AbutVersionPart() */

/**
  @brief The i-th part that the program was built with or runs with: "petsc", "mpi", "hdf5", "blas", "compiler", "flags". Not collective.
  @param[in]  i     from 0
  @param[out] part  its name
  @param[out] text  its version
  @return whether there is one
**/
PETSC_EXTERN PetscBool AbutVersionPart(PetscInt i, const char **part, char text[ABUT_VERSION_SIZE]);

/* Folder of the results */

/** Kind of AbutRegister(): an array of names of result files, ended by NULL, which AbutResultsFind() and AbutResultsRemove() know. */
#define ABUT_RESULT_FILES "names of result files"

/**
  @brief Name of a result file of a run in a folder. Not collective: looks on the calling rank.
  @param[in] directory  path of the folder, which may be absent
  @return "steps.csv", "checkpoint.h5", ...; NULL if the folder holds none
**/
PETSC_EXTERN const char *AbutResultsFind(const char directory[]);

/**
  @brief Removes result files from a folder. Not collective: called on one rank.
  @param[in] directory  path of the folder
  @param[in] all        PETSC_TRUE: every result file; PETSC_FALSE: only files that state how a run ended (summary.json, failure.xdmf,
                        intersections.xdmf)
  @param[in] keep       name of a file that stays, NULL for none
  @return ABUT_ERR_IO if a file cannot be removed
**/
PETSC_EXTERN PetscErrorCode AbutResultsRemove(const char directory[], PetscBool all, const char keep[]);

/* steps.csv, pairs.csv, motions.csv and summary.json */

/** Writer of steps.csv, pairs.csv, motions.csv and summary.json. */
typedef struct _p_AbutStats *AbutStats;

/** Parameters of AbutStatsCreate(); texts are copied. */
typedef struct {
  const char *directory;  /* existing folder of the results */
  const char *scene;      /* path of the scene, for summary.json; may be NULL */
  PetscBool   append;     /* restart: rows up to first_step of an earlier run stay, later ones are dropped; else the tables start empty */
  PetscInt    first_step; /* step of the state that the run starts from */
  PetscReal   first_time; /* time of this state [s] */
  PetscInt    num_planes; /* half spaces among the obstacles */
  PetscBool   dissipates; /* steps.csv has the column energy_dissipated_J */
  PetscBool   has_gas;    /* a load is a gas: cavities.csv is written */
} AbutStatsSpec;

/**
  @brief Opens steps.csv, pairs.csv, motions.csv and, with a gas, cavities.csv of the folder on rank 0. Collective. AbutResultsRemove()
  removes an older summary.json.
  @param[in]  mesh   of the run; borrowed until AbutStatsDestroy()
  @param[in]  spec   copied
  @param[out] stats  NULL after an error
  @return ABUT_ERR_IO if a file cannot be written; ABUT_ERR_INPUT if the rows to keep have other columns
**/
PETSC_EXTERN PetscErrorCode AbutStatsCreate(AbutMesh mesh, const AbutStatsSpec *spec, AbutStats *stats);

/**
  @brief Appends a step to steps.csv. Phase times count from the last row, maximum over ranks. Collective.
  @param[in] stats          from AbutStatsCreate()
  @param[in] step           number of the accepted step, from 1
  @param[in] time           at its end [s]
  @param[in] report         of AbutStepperStep(); read only
  @param[in] intersections  number of intersections found at the end of the step; -1: not checked
  @param[in] inversions     number of inverted cells; -1: not checked
  @return ABUT_ERR_IO if the row cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutStatsAddStep(AbutStats stats, PetscInt step, PetscReal time, const AbutStepReport *report,
                                             PetscInt intersections, PetscInt inversions);

/**
  @brief Appends the contact resultants of a step to pairs.csv, one row per pair of bodies. Collective.
  @param[in] stats   from AbutStatsCreate()
  @param[in] step    number of the step
  @param[in] time    at its end [s]
  @param[in] planes  half spaces of the scene; body numbers from the number of bodies on refer to them
  @param[in] count   number of pairs, equal on all ranks
  @param[in] pairs   [count] from AbutStepperGetPairForces()
  @return ABUT_ERR_IO if the rows cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutStatsAddPairs(AbutStats stats, PetscInt step, PetscReal time, const AbutPlaneSpec planes[], PetscInt count,
                                              const AbutPairForce pairs[]);

/**
  @brief Appends volume and pressure of each gas at the end of a step to cavities.csv. Collective.
  @param[in] stats   from AbutStatsCreate(), with has_gas
  @param[in] step    number of the step
  @param[in] time    at its end [s]
  @param[in] count   number of reports, equal on all ranks
  @param[in] report  [count] from AbutStepperGetPressures()
  @return ABUT_ERR_IO if the rows cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutStatsAddCavities(AbutStats stats, PetscInt step, PetscReal time, PetscInt count,
                                                 const AbutPressureReport report[]);

/**
  @brief Appends the reactions of a step to motions.csv. Collective.
  @param[in] stats      from AbutStatsCreate()
  @param[in] step       number of the step
  @param[in] time       at its end [s]
  @param[in] count      number of reactions, equal on all ranks
  @param[in] reactions  [count] from AbutStepperGetReactions()
  @return ABUT_ERR_IO if the rows cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutStatsAddReactions(AbutStats stats, PetscInt step, PetscReal time, PetscInt count,
                                                  const AbutReaction reactions[]);

/**
  @brief Stores the cause of a failed step for the object "failure" of summary.json. Logically collective.
  @param[in] stats   from AbutStatsCreate()
  @param[in] step    number of the failed step
  @param[in] time    at its end [s]
  @param[in] report  of AbutStepperStep(); copied
  @param[in] bodies  names of the bodies or planes of report->search.pair, "" if there is no such pair; copied
  @param[in] advice  for the user; copied
**/
PETSC_EXTERN PetscErrorCode AbutStatsSetFailure(AbutStats stats, PetscInt step, PetscReal time, const AbutStepReport *report,
                                                const char bodies[2][80], const char advice[]);

/**
  @brief Error of the mesh for summary.json. Not collective.
  @param[in] stats  from AbutStatsCreate()
  @param[in] share  largest share of error in the elastic energy of a body, see AbutElasticEstimateError()
  @param[in] body   number of this body
**/
PETSC_EXTERN void AbutStatsSetMeshError(AbutStats stats, PetscReal share, PetscInt body);

/**
  @brief Replaces DIR/summary.json: temporary file, sync, rename. Collective.
  @param[in] stats      from AbutStatsCreate()
  @param[in] exit_code  of the program
  @param[in] message    "done", or the error; NULL: ""
  @return ABUT_ERR_IO if the file cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutStatsWriteSummary(AbutStats stats, AbutExitCode exit_code, const char message[]);

/** @brief Closes the tables, frees the writer and sets the pointer to NULL. Not collective. */
PETSC_EXTERN PetscErrorCode AbutStatsDestroy(AbutStats *stats);

/* Fields */

/** Writer of fields.h5 and its index fields.xdmf, which ParaView opens. */
typedef struct _p_AbutFields *AbutFields;

/** Option of AbutFieldsCreate(): compression of time levels. */
PETSC_EXTERN const AbutOptionTable AbutFieldsOptions;

/**
  @brief Writes the mesh in input order to a new DIR/fields.h5, or continues an existing one. Collective.
  @param[in]  mesh        of the fields; borrowed until AbutFieldsDestroy()
  @param[in]  directory   existing folder; copied
  @param[in]  append      PETSC_TRUE: keep the time levels up to first_step of a file that exists; PETSC_FALSE: replace the file
  @param[in]  first_step  step of the state that the run starts from
  @param[out] fields      NULL after an error
  @return ABUT_ERR_IO if a file cannot be read or written; ABUT_ERR_INPUT if the existing file is of another mesh or format version
**/
PETSC_EXTERN PetscErrorCode AbutFieldsCreate(AbutMesh mesh, const char directory[], PetscBool append, PetscInt first_step,
                                             AbutFields *fields);

/** Fields of one time level on owned vertices and local cells, borrowed. All but x may be NULL on all ranks: the level lacks the field. */
typedef struct {
  PetscInt         step;           /* number of the step */
  PetscReal        time;           /* [s] */
  const PetscReal *x;              /* [num_owned * dim] positions [m] */
  const PetscReal *v;              /* [num_owned * dim] velocities [m/s] */
  const PetscReal *contact_force;  /* [num_owned * dim] [N] */
  const PetscReal *friction_force; /* [num_owned * dim] [N] */
  const PetscReal *cauchy;         /* [num_cells * 6] stress xx yy zz xy yz zx [Pa] */
  const PetscReal *mises;          /* [num_cells] von Mises stress [Pa] */
  const PetscReal *pressure;       /* [num_owned] mean pressure of the cells of a node [Pa] */
  const PetscReal *plastic_strain; /* [num_cells] equivalent plastic strain */

  AbutSurfaceFields surface; /* of AbutStepperGetSurface() */

  PetscInt             num_planes;  /* half spaces, the same on all ranks and in all levels of a file */
  const AbutPlaneSpec *planes;      /* [num_planes] their normals, of length 1 */
  const PetscReal     *plane_point; /* [num_planes * 3] a point of each one at this time [m] */
} AbutFieldsLevel;

/** Where a field has its values: at all vertices, at the nodes of cells, in the cells, at the vertices of the contact surface. */
typedef enum { ABUT_AT_VERTICES, ABUT_AT_NODES, ABUT_AT_CELLS, ABUT_AT_SURFACE } AbutFieldPlace;

/** A field of a time level besides positions and displacements. */
typedef struct {
  const char    *name;       /* in fields.h5 and in viewers */
  const char    *unit;       /* in 3D */
  const char    *unit_2d;    /* in 2D, per metre of thickness */
  AbutFieldPlace place;      /* where the values are */
  PetscInt       components; /* 1, 3, or 9 for a tensor, in files. In memory vectors have dim and tensors 6 components */
  size_t         offset;     /* of the pointer to the values in AbutFieldsLevel */
} AbutFieldInfo;

/** All fields; bit k of the attribute "fields" of a level says that it has field k. Append new ones: files have these bits. */
PETSC_EXTERN const AbutFieldInfo AbutFieldInfos[];
#define ABUT_NUM_FIELDS 15 /**< entries of AbutFieldInfos */

/** @brief Values of field k on this rank, NULL if it gives none. Not collective. */
static inline const PetscReal *AbutFieldValues(const AbutFieldsLevel *level, PetscInt k)
{
  return *(const PetscReal *const *)((const char *)level + AbutFieldInfos[k].offset);
}

/**
  @brief Writes a time level, then the index that lists it. A run that is killed leaves the levels before readable. Collective.
  @param[in] fields  from AbutFieldsCreate()
  @param[in] level   replaces a level of the same step
  @return ABUT_ERR_IO if a file cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutFieldsWrite(AbutFields fields, const AbutFieldsLevel *level);

/** @brief Frees the writer and sets the pointer to NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutFieldsDestroy(AbutFields *fields);

/* Checkpoints */

/**
  @brief Writes a checkpoint: a state in input order, for any number of ranks. Collective.

  The data go to a temporary file, which is synced to disk and then renamed to `path`: an interrupted call leaves an older file unchanged.
  The last line of the file states its format version, length and checksum.
  @param[in] mesh     of the state
  @param[in] path     of the file
  @param[in] state    read only, with the plastic and viscous strains of state->elastic
  @param[in] initial  AbutScene.initial, stored for AbutSceneWarnOfInitial(); may be NULL
  @return ABUT_ERR_IO if the file cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutCheckpointWrite(AbutMesh mesh, const char path[], const AbutState *state, const char initial[]);

/** @brief ABUT_ERR_INPUT if AbutElasticHistoryKinds() of a body differs in a checkpoint and in the scene. Not collective. */
PETSC_EXTERN PetscErrorCode AbutCheckpointCompareStrains(const char checkpoint[], const char body[], PetscInt found, PetscInt wanted);

/**
  @brief Reads a checkpoint that any number of ranks wrote. Collective. Rank 0 verifies the checksum before the ranks open the file.
  @param[in]     mesh     of the run; must equal the mesh of the checkpoint
  @param[in]     path     of the file
  @param[in,out] state    with the checkpoint's num_motions and num_planes, and arrays for the mesh. Unchanged after ABUT_ERR_INPUT,
                          undefined after ABUT_ERR_IO
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
  @brief Writes the pair that limited a step as DIR/failure.xdmf for ParaView: its vertices and the surface between them. Collective.
  @param[in] mesh       of the pair
  @param[in] directory  existing folder
  @param[in] x          positions of the owned vertices [m], [num_owned * dim]
  @param[in] pair       equal on all ranks; its `rank` is not negative
  @return ABUT_ERR_IO if the file cannot be written
**/
PETSC_EXTERN PetscErrorCode AbutLimitingPairWrite(AbutMesh mesh, const char directory[], const PetscReal x[], const AbutLimitingPair *pair);
