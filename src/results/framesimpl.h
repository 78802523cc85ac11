/* Files of the deformer: frames.h5 with its index, tables, summary.json. */
#pragma once
#include "statsimpl.h"
#include <abut/deform_results.h>

typedef struct {
  char     name[64];
  PetscInt num_vertices, num_faces;
} AbutFrameSurface;

/* Largest values over the frames. */
typedef struct {
  PetscInt  in_contact; /* frames with a contact zone */
  PetscReal volume_error, zone_mismatch, depth, displacement;
} AbutFrameTotals;

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
  AbutFrameTotals   totals;
};
