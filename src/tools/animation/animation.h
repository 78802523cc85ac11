/* Private to src/tools/animation: abut deform. */
#pragma once
#include "frames.h"
#include "scene.h"
#include <abut/private/command.h>

/* A surface of an animation. */
typedef struct {
  AbutSurfaceArrays arrays;  /* placed, without motion */
  AbutDeformSurface surface; /* its topology and positions of the frame */
  PetscReal        *bulge;   /* [num_vertices] bulge map, NULL = none */
  PetscReal        *x, *y;   /* [3 * num_vertices] input and displaced positions of the frame [m] */
  PetscInt         *contact; /* [num_vertices] pair of each vertex in a zone, else -1 */
} AnimatedSurface;

/* An animation in progress. */
typedef struct {
  MPI_Comm                  comm;
  PetscMPIInt               rank, size;
  char                      directory[PETSC_MAX_PATH_LEN]; /* -o */
  PetscBool                 overwrite, view;               /* -overwrite, -abut_view */
  ProgressMode              progress;                      /* -progress */
  PetscReal                 walltime;                      /* [min] -walltime */
  PetscBool                 by_frame;                      /* each rank computes whole frames; else the ranks share each frame */
  AbutDeformScene          *scene;
  AnimatedSurface          *surface; /* [scene->num_surfaces] */
  AbutDeformer              deformer;
  AbutDeformPairControl    *pair_control;    /* [scene->num_pairs] of the frame */
  AbutDeformSurfaceControl *surface_control; /* [scene->num_surfaces] of the frame */
  AbutFrameResults          results;
  Interrupt                 interrupt;
  PetscLogDouble            start;      /* wall-clock time at the first frame [s] */
  PetscLogDouble            seconds[2]; /* wall-clock and processor time in the deformer [s] */
} Animation;

/* surfaces.c: reads the surfaces of the scene on rank 0 and creates them on all ranks. Collective. */
PETSC_INTERN PetscErrorCode AnimationCreateSurfaces(Animation *animation);
PETSC_INTERN PetscErrorCode AnimationDestroySurfaces(Animation *animation);
/* regions.c: sets the regions of a surface from its file or its boxes, read on rank 0. Collective. */
PETSC_INTERN PetscErrorCode AnimationSetRegions(Animation *animation, const AbutDeformSurfaceSpec *spec, AnimatedSurface *surface);
/* Positions and controls of all surfaces and pairs at a frame. Not collective. */
PETSC_INTERN PetscErrorCode AnimationSetFrame(Animation *animation, PetscInt frame);
