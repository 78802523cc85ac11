/*
  WARNING: private header of deform. Data that the stages of the deformer pass on. Each stage works on whole surfaces.

  A pair has two sides, 0 and 1. The mapping direction d goes from side 0 to side 1: outward normals of the intersection region have
  n . d < 0 on side 0 and n . d > 0 on side 1. With d_0 = d and d_1 = -d a point of side s is front-facing if n . d_s <= 0, and maps to the
  other surface along +d_s. Equation, section and line numbers refer to Brunel et al. 2021.
*/
#pragma once
#include <abut/bvh.h>
#include <abut/containers.h>
#include <abut/deform.h>
#include <abut/geom.h>

/* ---- Surfaces (surface.c, frame.c) */

/* Working regions of a surface that overlap (regions.c). */
typedef struct {
  PetscInt   num;    /* regions */
  AbutCSR    of;     /* regions of each vertex, ascending */
  PetscReal *beta;   /* [of.start[num_vertices]] weights of the partition of unity, for the entries of `of` */
  PetscReal *rest;   /* [3 * num_vertices] positions at rest [m] */
  PetscReal *length; /* [num_edges] lengths at rest [m] */
  PetscReal *weight; /* [num_edges] sums of the half cotangents at rest */
  PetscReal *area;   /* [num_vertices] a third of the areas of the faces at the vertex, at rest [m^2] */
} AbutSurfaceRegions;

PETSC_INTERN PetscErrorCode AbutSurfaceRegionsDestroy(AbutSurfaceRegions **regions);

/* Whether a vertex belongs to a region. */
static inline PetscBool AbutRegionHas(const AbutSurfaceRegions *regions, PetscInt region, PetscInt vertex)
{
  for (PetscInt k = regions->of.start[vertex]; k < regions->of.start[vertex + 1]; k++)
    if (regions->of.item[k] == region) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Whether a vertex belongs to a region and to no other. */
static inline PetscBool AbutRegionOwns(const AbutSurfaceRegions *regions, PetscInt region, PetscInt vertex)
{
  const PetscInt first = regions->of.start[vertex];

  return (PetscBool)(regions->of.start[vertex + 1] == first + 1 && regions->of.item[first] == region);
}

/* Weight beta of a region in the partition of unity, in [0, 1]. */
static inline PetscReal AbutRegionWeight(const AbutSurfaceRegions *regions, PetscInt region, PetscInt vertex)
{
  for (PetscInt k = regions->of.start[vertex]; k < regions->of.start[vertex + 1]; k++)
    if (regions->of.item[k] == region) return regions->beta[k];
  return 0;
}

/* Input and state of the tree of a surface. */
typedef struct {
  int32_t   *face;  /* [3 * num_faces] AbutDeformSurface.face in the integers of the tree */
  AbutBox   *box;   /* [num_vertices] boxes of the vertices, work space */
  PetscBool  built; /* the sequence is built */
  PetscInt64 fits;  /* revision of the positions to which the boxes of the tree belong */
} AbutTreeInput;

/*
  An edge has the lower vertex number first. edge_face[e][0] contains the edge in the direction edge[e][0] -> edge[e][1], edge_face[e][1] in
  the opposite direction; -1 where there is no face. face_edge[f][k] is the edge between the vertices k and (k + 1) % 3 of face f.
*/
struct _p_AbutDeformSurface {
  char      name[128];             /* for messages */
  PetscInt  num_vertices;          /* vertices */
  PetscInt  num_faces;             /* triangles */
  PetscInt  num_edges;             /* edges */
  PetscInt  num_components;        /* parts that are connected by edges */
  PetscBool closed;                /* no border edges */
  PetscInt (*face)[3];             /* [num_faces] vertices, counter-clockwise from outside */
  PetscInt (*face_edge)[3];        /* [num_faces] edges */
  PetscInt (*edge)[2];             /* [num_edges] vertices */
  PetscInt (*edge_face)[2];        /* [num_edges] faces, see above */
  PetscInt           *component;   /* [num_vertices] number of the part */
  AbutCSR             vertex_edge; /* edges at each vertex, ascending */
  AbutCSR             vertex_face; /* faces at each vertex, ascending */
  AbutSurfaceRegions *regions;     /* working regions, NULL: one region */
  /* of the frame */
  PetscInt64    revision;   /* changes with the positions */
  PetscReal    *x;          /* [3 * num_vertices] positions [m] */
  PetscReal    *normal;     /* [3 * num_vertices] unit vertex normals, weighted by area */
  PetscReal    *length;     /* [num_edges] edge lengths [m] */
  PetscReal    *area;       /* [num_faces] areas of the triangles [m^2] */
  PetscReal     mean_edge;  /* mean edge length h [m] */
  PetscReal     size;       /* diagonal of the bounding box [m] */
  PetscReal     box[2][3];  /* bounding box [m] */
  AbutBVH       tree;       /* faces; its sequence is built in the first frame, see AbutDeformSurfaceTree() */
  AbutTreeInput tree_input; /* of `tree` */
};

/* The tree of the faces, with boxes of the positions of the frame. */
PETSC_INTERN const AbutBVH *AbutDeformSurfaceTree(AbutDeformSurface surface);

/* End of edge `edge` of a surface that is not `vertex`. */
static inline PetscInt AbutDeformOtherEnd(AbutDeformSurface surface, PetscInt edge, PetscInt vertex)
{
  return surface->edge[edge][0] + surface->edge[edge][1] - vertex;
}

/* ---- Intersection (crossings.c, curve.c, inside.c): line 3 of Algorithm 1 */

/* Point where an edge of one side crosses a face of the other. */
typedef struct {
  PetscInt  side;    /* side of the edge */
  PetscInt  edge;    /* edge of that side */
  PetscInt  face;    /* face of the other side */
  PetscBool enters;  /* the edge, from its first to its second vertex, enters the other body */
  PetscReal t;       /* position on the edge: x = (1 - t) x_first + t x_second, in [0, 1] */
  PetscReal bary[3]; /* barycentric coordinates in the face, >= 0 */
} AbutCrossing;

/*
  Straight piece of the intersection curve: intersection of two faces. From crossing[0] to crossing[1] the intersection region of side 0 is
  on the left of face[0], as seen from outside; on side 1 it is on the left in the opposite direction.
*/
typedef struct {
  PetscInt face[2];     /* face of each side */
  PetscInt crossing[2]; /* indices of its ends */
} AbutCurvePiece;

/* Where two surfaces intersect. Crossings are sorted by side, edge and t; pieces by faces. */
typedef struct {
  PetscInt        num_crossings;     /* crossings of both sides */
  PetscInt        crossing_capacity; /* allocated */
  AbutCrossing   *crossing;          /* [num_crossings] */
  PetscInt        side_start[3];     /* crossings of side s are [side_start[s], side_start[s + 1]) */
  PetscInt        num_pieces;        /* pieces of curve */
  PetscInt        piece_capacity;    /* allocated */
  AbutCurvePiece *piece;             /* [num_pieces] */
  AbutCSR         face_piece[2];     /* pieces at each face of the side */
  PetscBool      *inside[2];         /* [num_vertices of the side] the vertex is inside the other body: the region I_s */
} AbutIntersectionCurve;

/* ---- Mapping (direction.c, rays.c, contour.c, mapping.c, border.c, shared.c): lines 4 to 21 of Algorithm 1 */

/* A point of one side that maps to the other side along d_s, and its image on the shared surface S. */
typedef struct {
  PetscInt  face;            /* face of the other side that the ray meets last */
  PetscReal bary[3];         /* barycentric coordinates there */
  PetscReal depth;           /* length of delta = depth d_s [m], >= 0 */
  PetscReal other_normal[3]; /* n'', unit normal of the other side, interpolated and normalised */
  PetscReal shift;           /* |p' - p| [m]: (1 - kbar) depth, less where another part of the same side lies before the point */
  PetscReal target[3];       /* p' = p + shift d_s on S [m] */
  PetscReal normal[3];       /* n', unit outward normal of this side on S (appendix A) */
  PetscReal score;           /* -delta . n' [m]: the criterion of eq. 3; positive where the bodies overlap */
  PetscReal facing;          /* min(-d_s . n, d_s . n''): the safeguard of eq. 5 */
} AbutMapPoint;

/* Point on an edge where a region of vertices ends. */
typedef struct {
  PetscInt     edge;    /* edge of the side */
  PetscInt     inside;  /* its vertex in the region */
  PetscInt     outside; /* its other vertex */
  PetscReal    alpha;   /* position: (1 - alpha) x_inside + alpha x_outside, in [0, 1] */
  AbutMapPoint point;   /* its image */
} AbutBorderPoint;

/* Mapping region M of one side of a pair. */
typedef struct {
  PetscReal        direction[3];    /* d_s, unit */
  PetscReal        stiffness;       /* kbar, relative stiffness of this side, in [0, 1] */
  PetscInt         num;             /* vertices of the region */
  PetscInt        *vertex;          /* [num] ascending */
  AbutMapPoint    *point;           /* [num] their images */
  PetscInt        *index;           /* [num_vertices of the surface] position in `vertex`, -1 outside the region */
  PetscInt         num_border;      /* edges with one end in the region */
  AbutBorderPoint *border;          /* [num_border] by edge, ascending: the exact ends of the region */
  PetscInt         point_capacity;  /* allocated entries of `point` */
  PetscInt         border_capacity; /* allocated entries of `border` */
} AbutMapping;

/* Contact zone C of one side of a pair (zone.c): lines 22 to 27. */
typedef struct {
  PetscInt         num;             /* vertices of the zone */
  PetscInt        *vertex;          /* [num] ascending; their images are mapping.point[mapping.index[vertex]] */
  PetscBool       *contains;        /* [num_vertices of the surface] the vertex is in the zone */
  PetscInt         num_border;      /* edges ij with i in the zone and j outside */
  AbutBorderPoint *border;          /* [num_border] by edge, ascending: alpha_ij of eq. 5 */
  PetscInt         border_capacity; /* allocated entries of `border` */
} AbutContactZone;

/* Cut between two regions of a surface (crease.c). */
typedef struct _p_AbutCrease *AbutCrease;

/* Faces of one region where it can meet the other region of the same surface, and their tree (crossings.c). */
typedef struct {
  int32_t  most;   /* faces of the region */
  int32_t *all;    /* [most] faces of the region in the sequence of the tree of the surface */
  int32_t  num;    /* faces */
  int32_t *face;   /* [num] numbers */
  int32_t *vertex; /* [3 * num] vertices */
  AbutBVH  tree;   /* of the faces */
} AbutPartTree;

/*
  A pair of surfaces, or of regions of one surface. Arrays by vertex are allocated at creation, the others grow; memory is reused from
  frame to frame.
*/
typedef struct {
  AbutDeformSurface     surface[2];       /* borrowed */
  PetscInt              region[2];        /* region of each side, -1: the whole surface */
  AbutInts              near[2];          /* faces with a vertex in the region of the side, ascending; of sides with a part */
  PetscBool            *part[2];          /* [num_vertices] the side has the faces of which all vertices are in the part; NULL: all */
  AbutCrease            crease;           /* separates regions that share vertices; NULL if they do not */
  AbutDeformPairControl control;          /* of the frame */
  PetscReal             direction[3];     /* d, unit */
  AbutPartTree          part_tree[2];     /* of regions of one surface, work space [num_faces] */
  AbutIntersectionCurve curve;            /* intersection of the frame */
  AbutReals             contour[2];       /* [4 * segments] where the part of each side to be mapped can end, across d: contour.c */
  PetscReal             contour_width[2]; /* longest segment of `contour` along the coordinate a, or above [m] */
  AbutMapping           mapping[2];       /* of each side */
  AbutContactZone       zone[2];          /* of each side */
  struct _p_AbutRays   *rays;             /* positions along d and across it, with grids of the faces: rays.c */
} AbutDeformPair;

PETSC_INTERN PetscErrorCode AbutDeformPairCreate(AbutDeformSurface first, AbutDeformSurface second, AbutDeformPair **pair);
/* Restricts the sides of a new pair to regions; a surface without regions takes part as a whole. */
PETSC_INTERN PetscErrorCode AbutDeformPairSetRegions(AbutDeformPair *pair, const PetscInt region[2]);
PETSC_INTERN PetscErrorCode AbutDeformPairDestroy(AbutDeformPair **pair);

/* Whether a face of a side takes part in the collision. */
static inline PetscBool AbutPairHasFace(const AbutDeformPair *pair, PetscInt side, PetscInt face)
{
  const PetscInt  *v    = pair->surface[side]->face[face];
  const PetscBool *part = pair->part[side];

  return (PetscBool)(!part || (part[v[0]] && part[v[1]] && part[v[2]]));
}

/* Whether a face of a side takes part in the intersection. Of two surfaces all faces do, so that the curve is closed. */
static inline PetscBool AbutPairCutsFace(const AbutDeformPair *pair, PetscInt side, PetscInt face)
{
  return (PetscBool)(pair->surface[0] != pair->surface[1] || AbutPairHasFace(pair, side, face));
}

/*
  Finds the intersection of the surfaces and fills `curve`. Errors: ABUT_ERR_DIVERGED, see AbutDeformerSolve(). num_crossings = 0 if they do
  not intersect.
*/
PETSC_INTERN PetscErrorCode AbutDeformPairIntersect(AbutDeformPair *pair);

/* Computes `direction`, both mapping regions and their images on S; no vertices if the surfaces touch only. Requires an intersection. */
PETSC_INTERN PetscErrorCode AbutDeformPairMap(AbutDeformPair *pair);

/*
  Maps the point (1 - alpha) x_i + alpha x_j of an edge of one side, with the interpolated and normalised normal: line 27 of Algorithm 1.
  *found is false if the ray does not meet the other side.
*/
PETSC_INTERN PetscErrorCode AbutDeformPairMapEdgePoint(AbutDeformPair *pair, PetscInt side, const PetscInt ends[2], PetscReal alpha,
                                                       AbutMapPoint *point, PetscBool *found);

/* ---- Contact zones (zone.c, threshold.c) */

/* epsilon_c = m_S + tau sigma_S (eq. 4) by integrals over S: the mean of the integrals over both mapping regions, projected onto S. */
PETSC_INTERN PetscErrorCode AbutZoneThreshold(const AbutDeformPair *pair, PetscReal *threshold);

/*
  Fills pair->zone[side] (eq. 3 and 5). The criterion is the same on both sides: a side without vertices in its zone is too coarse to move.
*/
PETSC_INTERN PetscErrorCode AbutZoneExtract(AbutDeformPair *pair, PetscReal threshold);

/* ---- Response of one surface (response.c and the files of Algorithm 2) */

/* Workspace of a surface or of a part of it: cotangent operator, symbolic and numeric factorisations, fields. */
typedef struct _p_AbutResponse *AbutResponse;

/* One contact of a surface: side `side` of a pair with a zone that is not empty. */
typedef struct {
  const AbutDeformPair *pair;
  PetscInt              side;
} AbutDeformContact;

/* For one of the working regions of a surface; 0 of a surface without them. */
PETSC_INTERN PetscErrorCode AbutResponseCreate(AbutDeformSurface surface, PetscInt working, AbutResponse *response);
PETSC_INTERN PetscErrorCode AbutResponseDestroy(AbutResponse *response);
