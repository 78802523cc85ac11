/**
  @file scene.h
  @brief The scene file: its contents as plain data, its reader and its reference.
**/
#pragma once
#include <abut/simulation.h>

/** Output of a run. */
typedef struct {
  PetscInt  fields_every;       /* steps between field outputs; 0: none; if > 0, the last step is written too */
  PetscReal fields_interval;    /* [s] between field outputs; steps end at its multiples; 0: fields_every applies */
  PetscBool stress;             /* fields contain the stress of the cells */
  PetscBool contact_force;      /* fields contain the contact forces on the vertices */
  PetscBool surface;            /* fields contain the contact surface: pressure, gap, slip */
  PetscBool friction_force;     /* fields contain the friction forces on the vertices, in scenes with friction */
  PetscInt  checkpoint_every;   /* steps between checkpoints; 0: only at the end and when stopped */
  PetscInt  checkpoint_minutes; /* minutes of wall time between checkpoints; 0: none */
} AbutOutputSpec;

#define ABUT_SCENE_LISTS 4 /* largest number of keys that are registered */

/** Value of a key that is a list and was registered: its entries. */
typedef struct {
  PetscInt num;   /* entries */
  void    *items; /* [num] of the type that the owner of the key knows */
} AbutSceneList;

/** Contents of a scene file as plain data in SI units, checked; the same on every rank. The scene owns all arrays. */
typedef struct {
  char              path[PETSC_MAX_PATH_LEN]; /* as passed to AbutSceneRead() */
  char              title[256];               /* "" if the scene has none */
  PetscInt          dim;                      /* 2 or 3 */
  PetscInt          num_materials;            /* entries of `materials` */
  AbutMaterialSpec *materials;                /* [num_materials] */
  PetscInt          num_bodies;               /* bodies, then obstacles that are meshes */
  AbutBodySpec     *bodies;                   /* [num_bodies] */
  PetscInt          num_planes;               /* obstacles that are half spaces */
  AbutPlaneSpec    *planes;                   /* [num_planes] half spaces among the obstacles */
  PetscInt          num_motions;              /* entries of `motions` */
  AbutMotionSpec   *motions;                  /* [num_motions] */
  PetscInt          num_loads;                /* entries of `loads` */
  AbutLoadSpec     *loads;                    /* [num_loads] */
  PetscInt          num_ties;                 /* entries of `ties` */
  AbutTieSpec      *ties;                     /* [num_ties] */
  PetscInt          num_surfaces;             /* labels of the table of friction coefficients, step.friction */
  char (*surfaces)[64];                       /* [num_surfaces] labels */
  char          *initial;                     /* keys that define the initial state only, with their values, for checkpoints; NULL: none */
  AbutStepSpec   step;                        /* time integration, contact and solver */
  AbutOutputSpec output;                      /* output of the run */
  AbutSceneList  lists[ABUT_SCENE_LISTS];     /* values of registered keys */
} AbutScene;

/** @brief The objects to be created from a scene: plain data that borrows the arrays of the scene. Not collective. */
PETSC_EXTERN AbutSimulationSpec AbutSceneGetSimulation(const AbutScene *scene);

/**
  @brief Reads a scene file (YAML 1.1). Rank 0 reads the file, every rank parses the same text; rank 0 prints warnings to standard error.
  Collective.

  Words that the previous release used for keys and values are accepted with a warning. Paths of meshes are relative to the scene file.
  @param[in]  comm   ranks that read the scene
  @param[in]  path   of the file; at most PETSC_MAX_PATH_LEN - 1 bytes
  @param[out] scene  to be freed with AbutSceneDestroy(); NULL after an error
  @return ABUT_ERR_INPUT, with file and line, the value and the valid range: no such file, no valid YAML, a file that exceeds the limits of
          the scene reference, unknown, repeated or missing keys, values of a wrong type or out of range, unknown names
**/
PETSC_EXTERN PetscErrorCode AbutSceneRead(MPI_Comm comm, const char path[], AbutScene **scene);

/** @brief The value of a registered key; without entries if the scene or the program lacks the key; borrowed. Not collective. */
PETSC_EXTERN const AbutSceneList *AbutSceneGetList(const AbutScene *scene, const char key[]);

/** @brief Frees a scene and sets the pointer to NULL; does nothing if it is NULL. Not collective. */
PETSC_EXTERN PetscErrorCode AbutSceneDestroy(AbutScene **scene);

/** @brief Whether a deformable body has the surface: obstacles never touch each other. Not collective. */
PETSC_EXTERN PetscBool AbutSceneIsOfBody(const AbutScene *scene, PetscInt surface);

/**
  @brief Warns on standard error, once a key, where the scene's initial state differs from that of the run that wrote a checkpoint: the
  restarted run takes the state of the checkpoint. Warns also of another contact potential or activation distance, which take effect.
  Collective.
  @param[in] comm     ranks of the run
  @param[in] scene    scene of the restarted run
  @param[in] initial  AbutScene.initial of the checkpoint's run, from AbutCheckpointRead(); "" if it had no such keys
**/
PETSC_EXTERN PetscErrorCode AbutSceneWarnOfInitial(MPI_Comm comm, const AbutScene *scene, const char initial[]);

/**
  @brief Warns on standard error of motions that move the same vertices or the same plane at the same time. Collective.

  Motions compose in the order of the scene, so that velocities add up. A motion without velocities overlaps with no other one.
  @param[in] scene  read only
  @param[in] mesh   of the scene
  @return ABUT_ERR_INPUT if a selection is invalid (AbutMeshSelect())
**/
PETSC_EXTERN PetscErrorCode AbutSceneWarnOfOverlap(const AbutScene *scene, AbutMesh mesh);

/** @brief Prints the tables of the scene reference in Markdown to standard output, from the schema that checks scenes. Collective. */
PETSC_EXTERN PetscErrorCode AbutScenePrintReference(MPI_Comm comm);
