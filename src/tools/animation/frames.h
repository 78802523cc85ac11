/* Files of the deformer: frames.h5 with its index, tables, summary.json. */
#pragma once
#include <abut/deform.h>
#include <abut/mesh.h>
#include <abut/private/files.h>

/* Writer of the results. */
typedef struct _p_AbutFrameResults *AbutFrameResults;

/* Results of one frame on the rank that computed it. */
typedef struct {
  PetscInt                       frame;    /* number of the frame; < 0: this rank has none */
  const PetscReal *const        *x;        /* [num surfaces] input positions [3 * num_vertices] [m] */
  const PetscReal *const        *y;        /* [num surfaces] displaced positions [3 * num_vertices] [m] */
  const PetscInt *const         *contact;  /* [num surfaces] pair of each vertex in a zone, else -1 [num_vertices] */
  const AbutDeformPairReport    *pairs;    /* [num pairs] reports */
  const AbutDeformSurfaceReport *surfaces; /* [num surfaces] reports */
} AbutFrameLevel;

/* Pair of a scene: numbers of its surfaces. */
typedef struct {
  PetscInt surface[2]; /* numbers of the surfaces */
} AbutFramePair;

/*
  Creates the files. Collective.
  comm                 ranks that compute frames; must outlive the writer
  directory            existing folder
  num_surfaces, names  [num_surfaces] names of the surfaces; copied
  arrays               [num_surfaces] triangles and numbers of vertices; written, not kept
  num_pairs, pairs     [num_pairs] pairs; copied
  results              AbutFrameResultsDestroy() frees it
  Errors: ABUT_ERR_IO if a file cannot be written.
*/
PETSC_INTERN PetscErrorCode AbutFrameResultsCreate(MPI_Comm comm, const char directory[], PetscInt num_surfaces, const char *const names[],
                                                   const AbutSurfaceArrays arrays[], PetscInt num_pairs, const AbutFramePair pairs[],
                                                   AbutFrameResults *results);

/*
  Adds the frames of all ranks, in the order of ranks. Collective.

  Copies the frame. Up to 16 frames of each rank are written together: all ranks create their datasets, then each rank writes its own.
  Errors: ABUT_ERR_IO.
*/
PETSC_INTERN PetscErrorCode AbutFrameResultsAdd(AbutFrameResults results, const AbutFrameLevel *level);

/* Writes the frames that are not written yet. Collective; call it before AbutFrameResultsDestroy(). Errors: ABUT_ERR_IO. */
PETSC_INTERN PetscErrorCode AbutFrameResultsFlush(AbutFrameResults results);

/* Frames in which something happened. */
typedef struct {
  PetscInt num;   /* frames */
  PetscInt frame; /* number of the first of them */
  PetscInt item;  /* its first pair or surface */
} AbutFrameEvent;

/* Sums and largest values over the frames added so far. */
typedef struct {
  PetscInt       in_contact;    /* frames with a contact zone */
  AbutFrameEvent unresolved;    /* a pair intersects and has no contact zone; item: pair */
  AbutFrameEvent limited;       /* no bulge keeps the volume of a surface; item: surface */
  PetscReal      volume_error;  /* largest error of a volume, relative */
  PetscReal      zone_mismatch; /* largest distance between zones, over the size */
  PetscReal      depth;         /* largest penetration [m] */
  PetscReal      displacement;  /* largest displacement [m] */
} AbutFrameTotals;

/* Sums over the frames that are written, the same on all ranks; borrowed. Not collective. */
PETSC_INTERN const AbutFrameTotals *AbutFrameResultsTotals(AbutFrameResults results);

/*
  Writes frames.xdmf and summary.json and frees the writer; does nothing if *results is NULL. Collective.
  exit_code, message  how the program ends; NULL = no message
  seconds             wall-clock time and processor time that this rank spent in AbutDeformerSolve()
  Errors: ABUT_ERR_IO.
*/
PETSC_INTERN PetscErrorCode AbutFrameResultsDestroy(AbutFrameResults *results, AbutExitCode exit_code, const char message[],
                                                    const PetscLogDouble seconds[2]);

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
