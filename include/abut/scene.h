/**
  @file scene.h
  @brief The scene file: its contents as plain data, its reader and its reference.
**/
#pragma once
#include <abut/solve.h>

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
