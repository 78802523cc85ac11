/*
  WARNING: private header of src/tools/deform. Response of one surface to its contact zones, Algorithm 2.

  The unknowns of all linear systems are the vertices outside of the zones and within reach of the deformation. The zone ends at border
  points on edges. Faces cut by the border are triangulated with the border points as nodes, so that boundary values hold exactly there:
  a node is a vertex, or the number of vertices plus the index of a border point. Border points are known values. Thus the matrices have
  entries for vertices and edges of the surface only.
*/
#pragma once
#include "zoneimpl.h"

/* ---- Zones of a surface and their surroundings (region.c) */

/* Triangle outside of the zones.  */
typedef struct {
  PetscInt  face;    /* face that contains the element */
  PetscInt  node[3]; /* counter-clockwise from outside; a vertex comes before border points */
  PetscReal cot[3];  /* weight times half the cotangent of the angle at each node */
  PetscReal area;    /* weight times area [m^2] */
  PetscReal mass;    /* weight of the mass matrix times area [m^2] */
} AbutElement;

/* A path from a vertex to a neighbour: along an edge, or across an edge between the third vertices of its faces. */
typedef struct {
  PetscInt vertex, path; /* its other end, its number */
} AbutPathLink;

/* Paths within the faces that can have elements (distance.c). The paths along edges come first. */
typedef struct {
  PetscInt num, num_along; /* paths, those along edges */
  PetscInt (*end)[2];      /* [num] vertices */
  PetscInt     *edge;      /* [num] edge along or across which the path leads */
  PetscReal    *length;    /* [num] for the positions of `revision`; -1 before its first use [m] */
  PetscInt64    revision;  /* AbutDeformSurface.revision of `length` */
  PetscInt     *start;     /* [num_vertices + 1] */
  AbutPathLink *link;      /* [start[num_vertices]] paths at each vertex */
} AbutSurfacePaths;

typedef struct {
  const PetscBool         *member; /* [num_vertices] faces of which all vertices are members have elements; borrowed, NULL: all faces */
  PetscInt                 num_contacts;
  const AbutDeformContact *contact;         /* [num_contacts] borrowed, of the frame */
  PetscInt                *owner;           /* [num_vertices] contact whose zone contains the vertex, -1 outside of all zones */
  PetscInt                 num_border;      /* border points of the union of all zones */
  AbutBorderPoint         *border;          /* [num_border] by edge, ascending; `outside` is in no zone */
  PetscInt                *border_contact;  /* [num_border] contact of each border point */
  PetscInt                 border_capacity; /* allocated entries of `border` and `border_contact` */
  PetscInt                *edge_border;     /* [num_edges] border point of each edge, -1 without */
  PetscReal               *distance; /* [num_vertices] distance to the border, or above [m]; 0 in zones, PETSC_MAX_REAL out of reach */
  AbutSurfacePaths         paths;
  PetscInt                *queue;            /* [num_vertices] work space */
  PetscBool               *queued;           /* [num_vertices] work space */
  PetscReal               *open_mass;        /* [num_vertices] mass of the heat equation at open borders of the surface [m^2] */
  PetscInt                 num_elements;     /* triangles outside of the zones and within reach */
  AbutElement             *element;          /* [num_elements] */
  PetscInt                 element_capacity; /* allocated */
} AbutZoneRegion;

/* Whether a face can have elements. */
static inline PetscBool AbutRegionHasFace(AbutDeformSurface surface, const AbutZoneRegion *region, PetscInt face)
{
  const PetscInt  *v      = surface->face[face];
  const PetscBool *member = region->member;

  return (PetscBool)(!member || (member[v[0]] && member[v[1]] && member[v[2]]));
}

/* Whether a face of an edge can have elements. */
static inline PetscBool AbutRegionHasEdge(AbutDeformSurface surface, const AbutZoneRegion *region, PetscInt edge)
{
  const PetscInt *face = surface->edge_face[edge];

  for (PetscInt k = 0; k < 2; k++)
    if (face[k] >= 0 && AbutRegionHasFace(surface, region, face[k])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Whether a face of an edge is missing or has no elements. */
static inline PetscBool AbutRegionEndsAt(AbutDeformSurface surface, const AbutZoneRegion *region, PetscInt edge)
{
  const PetscInt *face = surface->edge_face[edge];

  for (PetscInt k = 0; k < 2; k++)
    if (face[k] < 0 || !AbutRegionHasFace(surface, region, face[k])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* member [num_vertices]: the working region, borrowed; NULL: the whole surface. */
PETSC_INTERN PetscErrorCode AbutRegionCreate(AbutDeformSurface surface, const PetscBool member[], AbutZoneRegion *region);
PETSC_INTERN PetscErrorCode AbutRegionDestroy(AbutZoneRegion *region);

/* Returns the position of a node in x: a vertex, or a border point slightly away from the ends of its edge. */
PETSC_INTERN void AbutRegionNode(AbutDeformSurface surface, const AbutZoneRegion *region, PetscInt node, PetscReal x[3]);

/* Unites the zones of all contacts, finds the vertices within reach of the extent, and builds the elements.
  heat_length = sqrt(t) with the time t of the heat method [m]. */
PETSC_INTERN PetscErrorCode AbutRegionSet(AbutDeformSurface surface, PetscInt num_contacts, const AbutDeformContact contacts[],
                                          PetscReal extent, PetscReal heat_length, AbutZoneRegion *region);

/* distance.c: lists the paths of region->member. */
PETSC_INTERN PetscErrorCode AbutPathsCreate(AbutDeformSurface surface, AbutZoneRegion *region);
PETSC_INTERN PetscErrorCode AbutPathsDestroy(AbutSurfacePaths *paths);

/*
  distance.c: sets region->distance to the lengths of shortest paths from the border points, up to `limit`. Paths consist of edges and of
  straight lines across two faces. On a triangulation of squares they are up to 1.08 times longer than straight lines.
*/
PETSC_INTERN void AbutRegionDistances(AbutDeformSurface surface, AbutZoneRegion *region, PetscReal limit);

/*
  distance.c: adds factor times the cosine between outward normal and gradient of the distance, integrated over the open edges of a face,
  to open_mass. With factor = sqrt(t) heat exp(-r / sqrt(t)) leaves the surface there as if it continued; cosines below 0 count as 0.
*/
PETSC_INTERN void AbutRegionOpenEdges(AbutDeformSurface surface, AbutZoneRegion *region, PetscInt face, PetscReal factor);

/* ---- Sparse factorisations (factor.c) */

/* Factorisations of two symmetric matrices 0 and 1 with the same pattern: the edges between some vertices of a surface. */
typedef struct _p_AbutFactor *AbutFactor;

/* Computes a fill-reducing order of the vertices. */
PETSC_INTERN PetscErrorCode AbutFactorCreate(AbutDeformSurface surface, AbutFactor *factor);
PETSC_INTERN PetscErrorCode AbutFactorDestroy(AbutFactor *factor);

/*
  Numbers the vertices with unknown[v] >= 0 in fill-reducing order: unknown[vertex[i]] = i [num_vertices both]. Returns the number of
  unknowns.
*/
PETSC_INTERN PetscInt AbutFactorNumber(AbutFactor factor, PetscInt unknown[], PetscInt vertex[]);

/*
  Factors both matrices on the unknowns of AbutFactorNumber(). The diagonals are [num][2]; matrix m has the entries scale[m] times the
  weights of the edges off the diagonal. Errors: ABUT_ERR_DIVERGED if a matrix is not positive definite.
*/
PETSC_INTERN PetscErrorCode AbutFactorCompute(AbutFactor factor, PetscInt num, const PetscInt vertex[], const PetscInt unknown[],
                                              const PetscReal diagonal[][2], const PetscReal scale[2], const PetscReal weights[]);

/* Solves with matrix 0 for b0 and with matrix 1 for b1, [num] each, in the time of one; the solutions replace them. NULL: none. */
PETSC_INTERN void AbutFactorSolve(AbutFactor factor, PetscReal b0[], PetscReal b1[]);

/* ---- Cotangent operator (laplace.c) */

/* Entry between an unknown and a border point: the operator has -weight there. */
typedef struct {
  PetscInt  vertex, border;
  PetscReal weight;
} AbutBorderEntry;

typedef struct {
  PetscInt   num;            /* unknowns */
  PetscInt  *vertex;         /* [num] vertex of each unknown, in fill-reducing order */
  PetscInt  *unknown;        /* [num_vertices] unknown of the vertex, -1 if it is none */
  PetscReal *diagonal;       /* [num_vertices] sum of the cotangent weights */
  PetscReal *mass;           /* [num_vertices] a third of the masses of the elements at the vertex, and open_mass [m^2] */
  PetscReal *edge_weight;    /* [num_edges] sum of both half cotangents */
  PetscReal (*diagonals)[2]; /* [num] diagonals of both operators */
  PetscInt         num_border_entries, border_entry_capacity;
  AbutBorderEntry *border_entry; /* [num_border_entries] */
  AbutFactor       factor;
} AbutLaplace;

PETSC_INTERN PetscErrorCode AbutLaplaceCreate(AbutDeformSurface surface, AbutLaplace *laplace);
PETSC_INTERN PetscErrorCode AbutLaplaceDestroy(AbutLaplace *laplace);

/* Assembles the operator on the elements of a region. */
PETSC_INTERN PetscErrorCode AbutLaplaceSet(AbutDeformSurface surface, const AbutZoneRegion *region, AbutLaplace *laplace);

/* Factors M + time L as matrix 0 and L as matrix 1, M the lumped mass matrix, L the operator. */
PETSC_INTERN PetscErrorCode AbutLaplaceFactor(AbutLaplace *laplace, PetscReal time);

/* Adds the contributions of border values g [num_border] to a right-hand side b [num]: b += factor times the weights times g. */
PETSC_INTERN void AbutLaplaceAddBorder(const AbutLaplace *laplace, PetscReal factor, const PetscReal g[], PetscReal b[]);

/* ---- Fields on a surface */

/* A point of the profile at the distance u in [0, 1] of a vertex with the amplitude a and the slope s: H(u) = height + h_v eta shape. */
typedef struct {
  PetscReal a, s, u;
  PetscReal height, shape; /* results */
} AbutProfilePoint;

/* The fields are defined on unknowns of the operator, and on no other vertex. */
struct _p_AbutResponse {
  AbutDeformSurface surface; /* borrowed */
  PetscBool        *member;  /* [num_vertices] vertices of the working region, NULL: all */
  AbutZoneRegion    region;
  AbutLaplace       laplace;
  PetscReal        *u;               /* [num_vertices] distance from the zone over the extent, >= 0 */
  PetscReal        *amplitude;       /* [num_vertices] a [m] */
  PetscReal        *slope;           /* [num_vertices] s [m] */
  PetscReal        *bulge;           /* [num_vertices] eta */
  PetscReal        *direction;       /* [3 * num_vertices] d of eq. 6, outwards; shorter than 1 in a crease */
  PetscReal        *fixed;           /* [3 * num_vertices] displacement without bulge [m], 0 out of reach */
  PetscReal        *unit;            /* [3 * num_vertices] displacement by a bulge h_v = 1 m, divided by 1 m; 0 in zones and out of reach */
  PetscReal        *b;               /* [6 * num_vertices] right-hand sides and solutions */
  AbutProfilePoint *profile;         /* [num_vertices] of the vertices that move, work space */
  PetscReal        *border;          /* [3 * num_border] border values, work space */
  PetscInt          border_capacity; /* allocated entries of `border` */
};

/*
  Sets `fixed` and `unit`: Algorithm 2 without the volume, under all contacts of the surface. A vertex in the zones of several pairs belongs
  to the pair with the largest depth, the first on ties.
*/
PETSC_INTERN PetscErrorCode AbutResponseFields(AbutResponse response, PetscInt num_contacts, const AbutDeformContact contacts[],
                                               const AbutDeformSurfaceControl *control);

/*
  Sets the displaced positions y = x + fixed + h unit with the bulge h that keeps the volume, times gamma; afterwards `fixed` is the whole
  displacement. All arrays are [3 * num_vertices].
*/
PETSC_INTERN PetscErrorCode AbutResponseDisplace(AbutDeformSurface surface, const AbutDeformSurfaceControl *control, PetscReal fixed[],
                                                 const PetscReal unit[], PetscReal y[], AbutDeformSurfaceReport *report);

/*
  heat.c: sets u by the heat method with the time heat_length^2 (lines 33 to 36), and `amplitude`, which the same passes of the
  factorisation serve. Leaves the factorisation of the Poisson operator in response->laplace.
*/
PETSC_INTERN PetscErrorCode AbutHeatDistance(AbutResponse response, PetscReal heat_length, PetscReal extent);

/* field.c: sets `direction` (lines 39 to 43). Requires u. */
PETSC_INTERN PetscErrorCode AbutFieldDirections(AbutResponse response, PetscReal blend_exponent);

/*
  field.c: harmonic continuation of `num` fields from border values [num * num_border] to solutions b [num * unknowns], field by field.
  The last factorisation must be the one of AbutHeatDistance().
*/
PETSC_INTERN PetscErrorCode AbutFieldDiffuse(AbutResponse response, PetscInt num, const PetscReal border[], PetscReal b[]);

/* slope.c: sets `slope` (lines 46 to 48). Requires u, the amplitude and the directions. */
PETSC_INTERN PetscErrorCode AbutFieldSlopes(AbutResponse response);

/* bulge.c: sets `bulge` from the map of the user and from eq. 7 (line 56). */
PETSC_INTERN PetscErrorCode AbutFieldBulge(AbutResponse response, const AbutDeformSurfaceControl *control);

/*
  profile.c: evaluates the profiles of many vertices. H(0) = -a, H'(0) = s, H(1) = H'(1) = 0. The B-spline has the control points (0, -a),
  (c, y), (0.4, h_v eta), (0.6, 0), (0.8, 0), (1, 0).
*/
PETSC_INTERN void AbutProfileEvaluate(PetscInt num, AbutProfilePoint points[]);

/* volume.c: lists the faces with a vertex that fixed + h unit moves for some h, ascending; faces[num_faces]. */
PETSC_INTERN PetscErrorCode AbutVolumeListFaces(AbutDeformSurface surface, const PetscReal fixed[], const PetscReal unit[], PetscInt *num,
                                                PetscInt faces[]);

/*
  volume.c: coefficients of the volume between the surface and its displacement by fixed + h unit, c[0] + c[1] h + c[2] h^2 + c[3] h^3
  [m^3]; faces[num] are the faces with a vertex that moves. Open surfaces are closed by the surface that the border edges sweep. `unit` may
  be NULL.
*/
PETSC_INTERN void AbutVolumePolynomial(AbutDeformSurface surface, PetscInt num, const PetscInt faces[], const PetscReal fixed[],
                                       const PetscReal unit[], PetscReal c[4]);

/*
  volume.c: the h of smallest magnitude at which the polynomial vanishes, in the direction in which its magnitude decreases at 0. Without
  a root up to `limit` the nearest minimum of the magnitude.
*/
PETSC_INTERN PetscReal AbutVolumeRoot(const PetscReal c[4], PetscReal limit);
