/* Private to src/tools/animation: abut deform. */
#pragma once
#include "scene.h"
#include <abut/private/command.h>
#include <abut/private/files.h>

/* A surface of an animation. */
typedef struct {
  AbutSurfaceArrays arrays;  /* placed, without motion */
  AbutDeformSurface surface; /* its topology and positions of the frame */
  PetscReal        *bulge;   /* [num_vertices] bulge map, NULL = none */
  PetscReal        *x, *y;   /* [3 * num_vertices] input and displaced positions of the frame [m] */
  PetscInt         *contact; /* [num_vertices] pair of each vertex in a zone, else -1 */
} AnimatedSurface;

/* Frames in which something happened. */
typedef struct {
  PetscInt num;   /* frames */
  PetscInt frame; /* number of the first of them */
  PetscInt item;  /* its first pair or surface */
} FrameEvent;

#define MOST_AFTER \
  0.2 /* share of the largest depth that may stay without a warning; with tau = 0 two balls keep 1.5 %, ball and plate 13 % */

/* Largest value of a quantity. */
typedef struct {
  PetscReal value;
  PetscInt  frame; /* where it is */
  PetscInt  item;  /* and at which pair */
} FrameMost;

/* Sums and largest values over the frames added so far. */
typedef struct {
  PetscInt   in_contact;    /* frames with a contact zone */
  FrameEvent unresolved;    /* a pair intersects and has no contact zone; item: pair */
  FrameEvent limited;       /* no bulge keeps the volume of a surface; item: surface */
  PetscReal  volume_error;  /* largest error of a volume, relative */
  PetscReal  zone_mismatch; /* largest distance between zones, over the size */
  PetscReal  depth;         /* largest penetration [m] */
  FrameMost  after;         /* penetration of displaced surfaces with a zone [m] */
  PetscReal  displacement;  /* largest displacement [m] */
} FrameTotals;

/* A frame of this rank that is not written yet: copies, surface after surface. */
typedef struct {
  PetscInt                 frame;     /* < 0: none */
  PetscReal               *field[2];  /* [3 * num_vertices] positions, displacements */
  PetscInt                *number[2]; /* [num_vertices] 1 in zones, else 0; pair of the zone or -1 */
  AbutDeformPairReport    *pairs;     /* [num_pairs] */
  AbutDeformSurfaceReport *surfaces;  /* [num_surfaces] */
} FrameCopy;

#define FRAMES_HELD 16 /* frames of a rank that are written together, at most */

/* Result files: frames.h5 with its index, tables, summary.json. */
typedef struct {
  char        h5[PETSC_MAX_PATH_LEN], xdmf[PETSC_MAX_PATH_LEN], summary[PETSC_MAX_PATH_LEN];
  AbutTable   contacts_csv, surfaces_csv;
  PetscInt    num_vertices;               /* of all surfaces */
  PetscInt    num_frames, frame_capacity; /* frames written, allocated entries */
  PetscInt   *frame;                      /* [num_frames] their numbers */
  PetscInt    num_held;                   /* frames to be written, the same on all ranks */
  FrameCopy   held[FRAMES_HELD];
  FrameTotals totals;
} FrameResults;

/* An animation in progress. */
typedef struct {
  MPI_Comm                  comm;
  PetscMPIInt               rank, size;
  char                      directory[PETSC_MAX_PATH_LEN]; /* -o */
  PetscBool                 overwrite, view;               /* -overwrite, -abut_view */
  ProgressMode              progress;                      /* -progress */
  PetscReal                 walltime;                      /* [min] -walltime */
  AbutDeformScene          *scene;
  AnimatedSurface          *surface; /* [scene->num_surfaces] */
  AbutDeformer              deformer;
  AbutDeformPairControl    *pair_control;    /* [scene->num_pairs] of the frame */
  AbutDeformSurfaceControl *surface_control; /* [scene->num_surfaces] of the frame */
  FrameResults              results;
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

/* frames.c, framessummary.c: result files in an existing folder. All collective; ABUT_ERR_IO if a file cannot be written. */

PETSC_INTERN PetscErrorCode FramesCreate(Animation *animation);
/*
  Adds the frames of all ranks, in the order of ranks; `frame` < 0: this rank has none. Up to 16 frames of each rank are written together:
  all ranks create their datasets, then each rank writes its own.
*/
PETSC_INTERN PetscErrorCode FramesAdd(Animation *animation, PetscInt frame);
/* Writes the frames that are held. */
PETSC_INTERN PetscErrorCode FramesFlush(Animation *animation);
/* Writes frames.xdmf and summary.json, closes the files and frees all. `code`: how the program ends. */
PETSC_INTERN PetscErrorCode FramesFinish(Animation *animation, PetscErrorCode code);
