/* Private to src/tools/resolve: abut deform -resolve, and abut run -restart_interpolate. */
#pragma once
#include <abut/private/command.h>
#include <abut/private/files.h>
#include <abut/untangle.h>

/* New mesh of a body. */
typedef struct {
  PetscInt    body;  /* index into AbutScene.bodies */
  const char *name;  /* name of the body; of a copy, if the body has copies */
  const char *file;  /* mesh that replaces the shape and its placement, relative to the new scene; NULL: they stay */
  const char *start; /* mesh with the positions at the start, relative to the new scene; NULL: the shape's */
} AbutSceneMesh;

/*
  Writes a copy of a scene in which bodies have new meshes. Not collective.

  The text of the scene file is edited: comments and other keys stay. The keys `shape` and `start` of the bodies are replaced, the
  placement of a shape that is replaced is removed, and a body with copies becomes one body for each copy. Relative paths of other files
  are adapted to the folder of the new scene.
  Errors: ABUT_ERR_INPUT if the scene has aliases (*name); ABUT_ERR_IO if the file cannot be written, or the scene read.
  scene   read by AbutSceneRead()
  target  file of the new scene; its folder exists
  num     length of meshes
  meshes  [num] in the order of the scene's bodies and copies
*/
PETSC_INTERN PetscErrorCode AbutSceneWriteMeshes(const AbutScene *scene, const char target[], PetscInt num, const AbutSceneMesh meshes[]);

/* Rest shape of the bodies that moved: the new shape, or the old one, so that they start with stress. */
typedef enum { REST_NEW, REST_KEEP } RestShape;

/* A scene whose bodies are moved apart. */
typedef struct {
  char               directory[PETSC_MAX_PATH_LEN]; /* -o */
  PetscBool          resolve, overwrite, view;      /* -resolve, -overwrite, -abut_view */
  RestShape          rest;
  PetscReal          walltime; /* [min] -walltime */
  Model              model;
  AbutUntangleReport report;
  PetscReal         *x; /* [num_owned * dim] new positions [m] */
  PetscInt           num_meshes;
  AbutSceneMesh     *meshes;                            /* [num_meshes] bodies that moved, and copies of bodies of which one moved */
  PetscInt          *body;                              /* [num_meshes] body of the mesh */
  char (*names)[3][sizeof(((AbutBody *)0)->name) + 24]; /* [num_meshes] name of the body, two files */
} Resolve;

/* summary.c: writes summary.json; `code`: how the program ends. ABUT_ERR_IO. Collective. */
PETSC_INTERN PetscErrorCode ResolveWriteSummary(const Resolve *resolve, PetscErrorCode code);
/* Name of a body or, behind the bodies, of a half space. */
PETSC_INTERN const char *ResolvePartyName(const Resolve *resolve, PetscInt party);

/* interpolate.c: AbutCommand.interpolate. */
PETSC_INTERN PetscErrorCode InterpolateCheckpoint(Model *model, const char scene[], const char checkpoint[], PetscReal distance);
