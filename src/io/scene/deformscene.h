/* Private to src/io/scene: the scene of the deformer while it is read. */
#pragma once
#include "sceneimpl.h"
#include <abut/deform_scene.h>

typedef struct {
  AbutDeformScene scene;
  PetscInt        version;
} SceneDeformDraft;

/* deform_schema.c: schema of the scenes of `abut deform` */
PETSC_INTERN const SceneSection AbutSceneDeformRoot;

/* check_deform.c: the order of key frames, copies; names of surfaces; files of sequences. */
PETSC_INTERN SceneCheckFn AbutSceneCheckDeformSurface, AbutSceneCheckDeformPair, AbutSceneCheckDeform;
