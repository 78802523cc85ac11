/* Files of the deformer: frames.h5 with its index, tables, summary.json. */
#pragma once
#include "statsimpl.h"
#include <abut/deform_results.h>

typedef struct {
  char     name[64];
  PetscInt num_vertices, num_faces;
} AbutFrameSurface;

/* A frame of this rank that is not written yet: copies, surface after surface. */
typedef struct {
  PetscInt                 frame;     /* < 0: none */
  PetscReal               *field[2];  /* [3 * num_vertices] positions, displacements */
  PetscInt                *number[2]; /* [num_vertices] 1 in zones, else 0; pair of the zone or -1 */
  AbutDeformPairReport    *pairs;     /* [num_pairs] */
  AbutDeformSurfaceReport *surfaces;  /* [num_surfaces] */
} AbutFrameCopy;

#define ABUT_FRAMES_HELD 16 /* frames of a rank that are written together, at most */

struct _p_AbutFrameResults {
  MPI_Comm          comm;
  PetscMPIInt       rank, size;
  char              h5[PETSC_MAX_PATH_LEN], xdmf[PETSC_MAX_PATH_LEN], summary[PETSC_MAX_PATH_LEN];
  AbutTable         contacts_csv, surfaces_csv;
  PetscInt          num_surfaces, num_vertices; /* surfaces, vertices of all */
  AbutFrameSurface *surface;                    /* [num_surfaces] */
  PetscInt          num_pairs;                  /* pairs */
  AbutFramePair    *pair;                       /* [num_pairs] */
  PetscInt          num_frames, frame_capacity; /* frames written, allocated entries */
  PetscInt         *frame;                      /* [num_frames] their numbers */
  PetscInt          num_held;                   /* frames to be written, the same on all ranks */
  AbutFrameCopy     held[ABUT_FRAMES_HELD];
  AbutFrameTotals   totals;
};

/* frames.c: frees the writer. */
PETSC_INTERN PetscErrorCode AbutFrameResultsFree(AbutFrameResults *results);
