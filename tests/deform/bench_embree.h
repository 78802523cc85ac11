/* Farthest hits of parallel rays by Embree, for the benchmark bench_rays. */
#pragma once
#include <abut/core.h>

/* Triangles of one surface in a scene of Embree, robust mode, one thread. Embree stores positions in single precision. */
typedef struct _p_EmbreeSurface *EmbreeSurface;

/* How Embree prepares a frame. */
typedef enum {
  EMBREE_BUILD, /* tree built anew with the lowest quality, which takes least time */
  EMBREE_REFIT  /* boxes of the tree of the first frame */
} EmbreeUpdate;

typedef struct {
  PetscInt face; /* -1: no hit */
  float    top;  /* coordinate c of the hit [m] */
} EmbreeHit;

PetscErrorCode EmbreeCreate(PetscInt num_vertices, PetscInt num_faces, const int32_t faces[], EmbreeUpdate update, EmbreeSurface *surface);
PetscErrorCode EmbreeDestroy(EmbreeSurface *surface);

/* Sets the positions [3 * num_vertices] in coordinates (a, b, c) and updates the tree. */
PetscErrorCode EmbreeSetPositions(EmbreeSurface surface, const PetscReal position[]);

/*
  Last hits of the rays that start at (a, b, c) and go along +c (sign = 1) or -c (sign = -1). Each ray is traced backwards from `end`, a
  coordinate c beyond the surface, so that its first hit is the last one. Sixteen neighbouring rays form a packet.
*/
PetscErrorCode EmbreeFarthest(EmbreeSurface surface, PetscInt num, const PetscReal start[], int sign, PetscReal end, EmbreeHit hits[]);
