/* Private to src/tools/animation: scene file of `abut deform`: surfaces, pairs and key frames of an animation. */
#pragma once
#include <abut/deform.h>
#include <abut/private/schema.h>

/* Values of a surface at one frame. A value is linear between the key frames that give it, and constant before and after them. */
typedef struct {
  PetscReal frame;         /* number of the frame, also between two frames */
  PetscReal translate[3];  /* translation of the placed surface [m] */
  PetscReal rotate[3];     /* rotation vector about `center` [degrees], before the translation */
  PetscReal extent;        /* phi_max [m] */
  PetscReal volume;        /* gamma */
  PetscBool has_translate; /* the key frame gives translate */
  PetscBool has_rotate;    /* the key frame gives rotate */
  PetscBool has_extent;    /* the key frame gives extent */
  PetscBool has_volume;    /* the key frame gives volume */
} AbutDeformSurfaceKey;

/* A working region of a surface. */
typedef struct {
  PetscReal box[2][3]; /* lower and upper corner [m]: the region has the vertices of the placed surface in the box */
} AbutDeformRegionSpec;

/* A surface. */
typedef struct {
  AbutBodySpec             body;                        /* name, shape, placement; an obstacle */
  AbutSequence             sequence;                    /* files of positions, one a frame; pattern "" = none */
  PetscReal                center[3];                   /* centre of rotations [m] */
  AbutDeformSurfaceControl control;                     /* without key frames; bulge is NULL */
  char                     bulge[PETSC_MAX_PATH_LEN];   /* file of the bulge map, one number for each vertex; "" = none */
  char                     regions[PETSC_MAX_PATH_LEN]; /* file of the region map, one line for each vertex; "" = none */
  PetscInt                 num_region_boxes;            /* working regions by boxes */
  AbutDeformRegionSpec    *region_boxes;                /* [num_region_boxes] region l is box l */
  PetscInt                 num_keys;                    /* key frames */
  AbutDeformSurfaceKey    *keys;                        /* [num_keys] in the order of frames */
} AbutDeformSurfaceSpec;

/* Values of a pair at one frame, as for AbutDeformSurfaceKey. */
typedef struct {
  PetscReal frame;         /* number of the frame, also between two frames */
  PetscReal stiffness[2];  /* k of both surfaces */
  PetscReal tau;           /* extent of the zone */
  PetscReal direction[3];  /* mapping direction; its components are linear */
  PetscBool has_stiffness; /* the key frame gives stiffness */
  PetscBool has_tau;       /* the key frame gives tau */
  PetscBool has_direction; /* the key frame gives direction */
} AbutDeformPairKey;

/* A pair of surfaces, or of regions of one surface. */
typedef struct {
  char                  surface[2][64]; /* names; the mapping direction goes from the first to the second */
  PetscInt              index[2];       /* numbers of the surfaces */
  PetscInt              region[2];      /* regions, if both surfaces are equal */
  PetscBool             has_regions;    /* the pair gives regions */
  AbutDeformPairControl control;        /* without key frames */
  PetscInt              num_keys;       /* key frames */
  AbutDeformPairKey    *keys;           /* [num_keys] in the order of frames */
} AbutDeformPairSpec;

/* Contents of a scene of the deformer, checked; the same on every rank. The scene owns all arrays. */
typedef struct {
  char                   path[PETSC_MAX_PATH_LEN]; /* as passed to AbutDeformSceneRead() */
  char                   title[256];               /* "" if the scene has none */
  PetscInt               num_frames;               /* frames 0, ..., num_frames - 1 */
  PetscInt               num_surfaces;             /* surfaces */
  AbutDeformSurfaceSpec *surfaces;                 /* [num_surfaces] */
  PetscInt               num_pairs;                /* pairs */
  AbutDeformPairSpec    *pairs;                    /* [num_pairs] */
} AbutDeformScene;

/*
  Reads a scene of the deformer (YAML 1.1, key `deform`). Collective; see AbutSceneRead() for files, paths and warnings.
  comm   ranks that read the scene
  path   of the file; at most PETSC_MAX_PATH_LEN - 1 bytes
  scene  to be freed with AbutDeformSceneDestroy(); NULL after an error
  ABUT_ERR_INPUT, with file and line, the value and the valid range
*/
PETSC_INTERN PetscErrorCode AbutDeformSceneRead(MPI_Comm comm, const char path[], AbutDeformScene **scene);

/* Frees a scene and sets the pointer to NULL; does nothing if it is NULL. Not collective. */
PETSC_INTERN PetscErrorCode AbutDeformSceneDestroy(AbutDeformScene **scene);

/*
  Controls and motion of a surface at a frame. Not collective.
  surface  entry of the scene
  frame    number of the frame
  control  control.bulge is NULL
  motion   of the placed surface
*/
PETSC_INTERN void AbutDeformSurfaceAtFrame(const AbutDeformSurfaceSpec *surface, PetscReal frame, AbutDeformSurfaceControl *control,
                                           AbutRigidMotion *motion);

/* Controls of a pair at a frame. Not collective. */
PETSC_INTERN void AbutDeformPairAtFrame(const AbutDeformPairSpec *pair, PetscReal frame, AbutDeformPairControl *control);

/* The scene while it is read. */
typedef struct {
  AbutDeformScene scene;
  PetscInt        version;
} SceneDeformDraft;

/* schema.c: schema of the scenes of `abut deform` */
PETSC_INTERN const SceneSection AbutSceneDeformRoot;

/* check.c: the order of key frames, copies; names of surfaces; files of sequences. */
PETSC_INTERN SceneCheckFn AbutSceneCheckDeformSurface, AbutSceneCheckDeformPair, AbutSceneCheckDeform;
