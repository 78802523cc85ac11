/*
  WARNING: private header of src/deform. Functions that the stages of one pair share: rays along the mapping direction, images on S,
  intersection curve, mapping regions.
*/
#pragma once
#include "deformimpl.h"

static inline PetscReal AbutDot3(const PetscReal a[3], const PetscReal b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- Rays (rays.c) */

/*
  Positions of both surfaces in the coordinates (a, b, c): a and b across the mapping direction d, c along d. All rays are parallel to d: a
  ray is a point (a, b).
*/
struct _p_AbutRays {
  PetscReal  axis[3][3];    /* unit vectors of a, b and c */
  PetscReal *position[2];   /* [3 * num_vertices of the side] coordinates a, b, c of the vertices [m] */
  PetscReal  tolerance;     /* a hit that is closer than this behind the start counts: points of the curve map to themselves [m] */
  AbutBVH    tree[2];       /* faces of each side, boxes in (a, b, c) */
  AbutBox   *vertex_box[2]; /* [num_vertices of the side] work space of the tree */
};

/* Point where a ray meets a face. */
typedef struct {
  PetscInt  face;    /* face */
  PetscReal bary[3]; /* barycentric coordinates, >= 0 */
  PetscReal height;  /* coordinate along d_s of the side s where the ray starts [m] */
} AbutRayHit;

/* Receives each hit of a ray, in any order. */
typedef void (*AbutRayFn)(void *ctx, const AbutRayHit *hit);

PETSC_INTERN PetscErrorCode AbutRaysCreate(AbutDeformPair *pair);
PETSC_INTERN PetscErrorCode AbutRaysDestroy(AbutDeformPair *pair);

/* Computes the coordinates and trees for pair->direction. */
PETSC_INTERN PetscErrorCode AbutRaysSet(AbutDeformPair *pair);

/* Visits all hits of the line through a point of side `side` with coordinates start = (a, b, c) with faces of the other side. */
PETSC_INTERN void AbutRaysVisit(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], AbutRayFn fn, void *ctx);

/* Finds the last hit beyond the start, up to the tolerance; the lowest face on ties. */
PETSC_INTERN PetscBool AbutRaysFarthest(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], AbutRayHit *hit);

/* Coordinate along d_s of a point (a, b, c). */
static inline PetscReal AbutRayHeight(PetscInt side, const PetscReal start[3])
{
  return side ? -start[2] : start[2];
}

/* ---- Shared surface (shared.c) */

/* Fills the image of a point x with unit normal n of side `side` whose ray ends at `hit`. */
PETSC_INTERN void AbutSharedPoint(const AbutDeformPair *pair, PetscInt side, const PetscReal x[3], const PetscReal n[3],
                                  const AbutRayHit *hit, AbutMapPoint *point);
