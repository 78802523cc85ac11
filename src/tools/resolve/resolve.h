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

/* What `abut deform -resolve` did. */
typedef struct {
  const AbutUntangleReport *report;    /* pairs and bodies count if exit_code is ABUT_EXIT_OK */
  const AbutPlaneSpec      *planes;    /* [num_planes] half spaces of the scene */
  AbutExitCode              exit_code; /* of the program */
  const char               *message;   /* "" without an error */
} AbutResolveSummary;

/*
  Writes summary.json. Collective. Errors: ABUT_ERR_IO if the file cannot be written.
  mesh       mesh of the scene
  directory  existing folder
  summary    read on rank 0
*/
PETSC_INTERN PetscErrorCode AbutResolveSummaryWrite(AbutMesh mesh, const char directory[], const AbutResolveSummary *summary);

/* interpolate.c: AbutCommand.interpolate. */
PETSC_INTERN PetscErrorCode InterpolateCheckpoint(Model *model, const char scene[], const char checkpoint[], PetscReal distance);
