/*
  WARNING: private header of src/tools/deform. Functions that the stages of one pair share: rays along the mapping direction, images on S,
  intersection curve, mapping regions.
*/
#pragma once
#include "deformimpl.h"

/* ---- Intersection (crossings.c, curve.c, inside.c) */

/*
  Side of the plane of a face on which x lies, 1 in the direction of the normal; exact, with side 1 translated by (e, e^2, e^3). shift = 1
  if x is on side 1, -1 if the face is.
*/
PETSC_INTERN int AbutPlaneSide(const PetscReal *const face[3], const PetscReal x[3], int shift);

/* Finds the crossings, each as often as faces at its edge intersect, and the pieces of the curve. */
PETSC_INTERN PetscErrorCode AbutCrossingsFind(AbutDeformPair *pair);

/* Sorts the results of AbutCrossingsFind() and removes duplicates; lists the pieces at each face. */
PETSC_INTERN PetscErrorCode AbutCurveSet(AbutDeformPair *pair);

/* Number of crossings on an edge of side `side`, and the first of them. */
PETSC_INTERN PetscInt AbutCurveEdgeCrossings(const AbutDeformPair *pair, PetscInt side, PetscInt edge, PetscInt *first);

/* Sets curve.inside[side]. Errors: ABUT_ERR_DIVERGED, see AbutDeformerSolve(). */
PETSC_INTERN PetscErrorCode AbutInsideSet(AbutDeformPair *pair, PetscInt side);

/* ---- Mapping direction (direction.c) */

/* Barycentric coordinates of a crossing in a face of side `side`: the face of the crossing, or a face at its edge. */
PETSC_INTERN void AbutCrossingBary(const AbutDeformPair *pair, PetscInt side, PetscInt face, const AbutCrossing *crossing,
                                   PetscReal bary[3]);

/* Normalises pair->direction. Errors: ABUT_ERR_DIVERGED if it is 0. */
PETSC_INTERN PetscErrorCode AbutDirectionNormalize(AbutDeformPair *pair);

/* Sets pair->direction; *found is false if the surfaces touch only. Errors: ABUT_ERR_DIVERGED if the normals determine no direction. */
PETSC_INTERN PetscErrorCode AbutDirectionSet(AbutDeformPair *pair, PetscBool *found);

/* ---- Regions of one surface (crease.c) */

/* Creates the cut of a pair of regions; pair->crease stays NULL if they share no vertices. */
PETSC_INTERN PetscErrorCode AbutCreaseCreate(AbutDeformPair *pair);
PETSC_INTERN PetscErrorCode AbutCreaseDestroy(AbutDeformPair *pair);

/* Sets `direction` and `part` of a pair of regions that share vertices. Errors: ABUT_ERR_DIVERGED if the bones give no direction. */
PETSC_INTERN PetscErrorCode AbutCreaseSet(AbutDeformPair *pair);

/* ---- Rays (rays.c) */

/*
  Sign of the area of the triangle p q r in the plane; exact, with side 1 translated by (e, e^2). The directed edge pq belongs to one side,
  r to the other: shift = 1 if r is on side 1, -1 if pq is. 0 only if p = q.
*/
PETSC_INTERN int AbutShiftedOrientation(const PetscReal p[2], const PetscReal q[2], const PetscReal r[2], int shift);

/* A face that rays can meet. */
typedef struct {
  PetscReal lo[2], hi[2]; /* its box in (a, b) [m] */
  PetscReal top;          /* its largest height along the rays that meet this side [m] */
  int32_t   face;         /* its number */
} AbutRayFace;

/* Faces of a side in cells of equal size. The cells cover the overlap of the boxes of both projected sides. */
typedef struct {
  PetscReal      lo[2], hi[2];  /* corners in (a, b) [m] */
  PetscInt       cells[2];      /* in each direction */
  PetscReal      per_metre[2];  /* cells per metre */
  PetscInt       num;           /* faces */
  AbutRayFace   *face;          /* [num] */
  PetscInt      *start;         /* [cells[0] * cells[1] + 1] first entry of each cell in `item` */
  int32_t       *item;          /* [start[cells[0] * cells[1]]] numbers in `face` */
  unsigned char *outside;       /* [num_vertices of the side] work space */
  PetscInt       face_capacity; /* allocated entries of `face` */
  PetscInt       cell_capacity; /* allocated entries of `start` */
  PetscInt       item_capacity; /* allocated entries of `item` */
} AbutRayGrid;

/* Cell of a coordinate in direction k, the first or last one outside of the grid. Monotonic also with rounding. */
static inline PetscInt AbutRayGridCell(const AbutRayGrid *grid, PetscInt k, PetscReal x)
{
  return (PetscInt)PetscMax(0, PetscMin((x - grid->lo[k]) * grid->per_metre[k], (PetscReal)(grid->cells[k] - 1)));
}

/*
  Positions of both surfaces in the coordinates (a, b, c): a and b across the mapping direction d, c along d. All rays are parallel to d: a
  ray is a point (a, b).
*/
struct _p_AbutRays {
  PetscReal   axis[3][3];  /* unit vectors of a, b and c */
  PetscReal  *position[2]; /* [3 * num_vertices of the side] coordinates a, b, c of the vertices [m] */
  PetscReal   tolerance;   /* a hit that is closer than this behind the start counts: points of the curve map to themselves [m] */
  AbutRayGrid grid[2];     /* faces of each side that rays of the other side can meet */
};

/* Point where a ray meets a face. */
typedef struct {
  PetscInt  face;    /* face */
  PetscReal bary[3]; /* barycentric coordinates, >= 0 */
  PetscReal height;  /* coordinate along d_s of the side s where the ray starts [m] */
  int       leaves;  /* 1: the ray leaves the other body through the face, -1: it enters it */
} AbutRayHit;

PETSC_INTERN PetscErrorCode AbutRaysCreate(AbutDeformPair *pair);
PETSC_INTERN PetscErrorCode AbutRaysDestroy(AbutDeformPair *pair);

/* plane.c: memory of the grids, and the grids of the coordinates of a frame. */
PETSC_INTERN PetscErrorCode AbutRayGridsCreate(AbutDeformPair *pair);
PETSC_INTERN PetscErrorCode AbutRayGridsDestroy(AbutDeformPair *pair);
PETSC_INTERN PetscErrorCode AbutRayGridsSet(AbutDeformPair *pair);

/* Computes the coordinates and grids for pair->direction from positions x[s] of both sides. */
PETSC_INTERN PetscErrorCode AbutRaysSet(AbutDeformPair *pair, const PetscReal *const x[2]);

#define MAX_RAY_HITS 64

/* Hits of a ray by height; the last of equal ones has the lowest face. */
typedef struct {
  PetscReal  low;    /* nearer hits are left out [m] */
  PetscInt   leaves; /* of all hits beyond the start: above 0 if that is inside the other body, see AbutRaysInside() */
  PetscInt   num;    /* hits */
  AbutRayHit hit[MAX_RAY_HITS];
} AbutRayHits;

/* Finds the hits beyond the start, up to the tolerance, that count: see rays.c. */
PETSC_INTERN void AbutRaysHits(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], AbutRayHits *hits);

/* Finds the last hit that counts. */
PETSC_INTERN PetscBool AbutRaysFarthest(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], AbutRayHit *hit);

/*
  Whether a point of side s with coordinates start = (a, b, c) is inside the other body: its ray leaves the other body more often than it
  enters it. Unlike the intersection curve this needs no closed region: a part of a surface ends at the crease.
*/
PETSC_INTERN PetscBool AbutRaysInside(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3]);

/* Facing g = n . d_s of a vertex for a side. */
static inline PetscReal AbutPairFacing(const AbutDeformPair *pair, PetscInt side, PetscInt vertex)
{
  return AbutDot(3, &pair->surface[side]->normal[3 * vertex], pair->mapping[side].direction);
}

/* Sets curve.inside[side] for the vertices of the part that face the other side; the others are outside. */
PETSC_INTERN void AbutRaysSetInside(AbutDeformPair *pair, PetscInt side);

/* Coordinate along d_s of a point (a, b, c). */
static inline PetscReal AbutRayHeight(PetscInt side, const PetscReal start[3])
{
  return side ? -start[2] : start[2];
}

/* ---- Shared surface (shared.c) */

/* Where the ray of a point ends, and where the ray back from there ends. */
typedef struct {
  AbutRayHit image; /* on the other side */
  AbutRayHit first; /* on the same side, height along d_s; face = -1: at the point itself */
  PetscReal  shift; /* distance from the point to S along d_s [m] */
} AbutRayEnds;

/*
  Completes the ends of a ray from start = (a, b, c) whose image is set. If another part of the same side lies before the point, as in a
  fold, that part determines S. Returns false if S then lies behind the point, which is not in contact.
*/
PETSC_INTERN PetscBool AbutSharedEnds(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], AbutRayEnds *ends);

/* Fills the image of a point x with unit normal n of side `side`. */
PETSC_INTERN void AbutSharedPoint(const AbutDeformPair *pair, PetscInt side, const PetscReal x[3], const PetscReal n[3],
                                  const AbutRayEnds *ends, AbutMapPoint *point);

/* ---- Mapping regions (contour.c, mapping.c, border.c) */

/* Sets pair->contour[side], and sorts its segments by their least coordinate a. */
PETSC_INTERN PetscErrorCode AbutContourSet(AbutDeformPair *pair, PetscInt side);

/* Finds the segments *first, ..., *end - 1 of a contour: all that meet the strip low <= a <= high are among them. */
PETSC_INTERN void AbutContourFind(const AbutDeformPair *pair, PetscInt side, PetscReal low, PetscReal high, PetscInt *first, PetscInt *end);

/* Empties a mapping region. */
PETSC_INTERN PetscErrorCode AbutMappingClear(AbutMapping *mapping);

/* Sets the vertices of mapping[side] and their images. Requires an empty region. */
PETSC_INTERN PetscErrorCode AbutMappingSet(AbutDeformPair *pair, PetscInt side);

/* Whether the point (1 - alpha) x_i + alpha x_j of an edge, ends = (i, j), belongs to the mapping region. */
PETSC_INTERN PetscBool AbutMappingContains(const AbutDeformPair *pair, PetscInt side, PetscInt edge, const PetscInt ends[2],
                                           PetscReal alpha);

/* Sets the border of mapping[side] from its vertices. */
PETSC_INTERN PetscErrorCode AbutBorderSet(AbutDeformPair *pair, PetscInt side);
