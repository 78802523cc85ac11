/**
  @file deform.h
  @brief Geometric contact deformer: surfaces that intersect become surfaces in contact, one frame at a time and without history
  [Brunel, Benard, Guennebaud 2021, A Time-independent Deformer for Elastic Contacts, ACM TOG 40(4)].

  Each pair of surfaces that intersect gets a shared contact surface S between them. The parts of both surfaces that stay in contact, the
  contact zones, move onto S along one direction. Around its zone each surface bulges so that its volume is kept. docs/deformer.md lists
  the differences from the paper and the tolerances.

  Positions are arrays [3 * num_vertices] in metres, vertex by vertex. Results depend on the positions and controls of the frame only: not
  on other frames. Nothing is collective: a program gives each rank frames of its own.
**/
#pragma once
#include <abut/option.h>

/* ---- Surfaces */

/** Triangle surface of fixed topology with positions that change from frame to frame. */
typedef struct _p_AbutDeformSurface *AbutDeformSurface;

/**
  @brief Creates a surface from its triangles.

  Errors: ABUT_ERR_INPUT if a vertex number is out of range, a triangle has two equal vertices, more than two triangles share an edge, two
  neighbours have opposite orientations, or a vertex has no triangle. The message names the surface, the triangle and the vertices.
  @param[in]  name          for messages; copied
  @param[in]  num_vertices  number of vertices, >= 3
  @param[in]  num_faces     number of triangles, >= 1
  @param[in]  faces         [3 * num_faces] vertices of each triangle, counter-clockwise as seen from outside; copied
  @param[out] surface       AbutDeformSurfaceDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutDeformSurfaceCreate(const char name[], PetscInt num_vertices, PetscInt num_faces, const PetscInt faces[],
                                                    AbutDeformSurface *surface);

/** @brief Frees a surface and sets *surface to NULL; does nothing if it is NULL. */
PETSC_EXTERN PetscErrorCode AbutDeformSurfaceDestroy(AbutDeformSurface *surface);

/**
  @brief Sets the positions of a frame and computes vertex normals and lengths.

  Errors: ABUT_ERR_INPUT if a coordinate is not finite or a triangle has area 0; the message names surface and triangle. The positions are
  then undefined.
  @param[in] x  [3 * num_vertices] positions [m]; copied
**/
PETSC_EXTERN PetscErrorCode AbutDeformSurfaceSetPositions(AbutDeformSurface surface, const PetscReal x[]);

/**
  @brief Divides a surface into working regions that overlap, so that they can collide with each other (section 6).

  A vertex belongs to one region or to several. Each triangle must lie in one region as a whole, so that between two regions there are
  vertices that both share. The vertices that two regions share must contain the crease of the fold in every frame. The displacements of
  the regions are blended with weights that are harmonic on the shared vertices of the rest shape.

  Errors: ABUT_ERR_INPUT if a number is out of range, a vertex has no region, no region contains a triangle, or a shared region touches no
  vertex of one region only; the surface then has no regions. The message names surface, vertices and numbers. ABUT_ERR_DIVERGED if
  triangles at rest are too flat for the harmonic weights.
  @param[in] rest    [3 * num_vertices] positions without deformation [m]; copied
  @param[in] start   [num_vertices + 1] ascending from 0: the regions of vertex v are region[start[v]], ..., region[start[v + 1] - 1]
  @param[in] region  [start[num_vertices]] numbers in [0, 999], ascending for each vertex; copied
**/
PETSC_EXTERN PetscErrorCode AbutDeformSurfaceSetRegions(AbutDeformSurface surface, const PetscReal rest[], const PetscInt start[],
                                                        const PetscInt region[]);

/* ---- Controls of a frame */

/** Controls of one pair of surfaces in one frame. */
typedef struct {
  PetscReal stiffness[2]; /* pseudo-stiffness k of both surfaces, >= 0, the sum > 0; only the ratio matters (section 4.3) */
  PetscReal tau;          /* extent of the contact zone in standard deviations (eq. 4): smaller values give larger zones */
  PetscReal direction[3]; /* mapping direction from the first surface to the second, any length; 0 = computed by eq. 2 */
} AbutDeformPairControl;

/** Controls of the response of one surface in one frame. */
typedef struct {
  PetscReal        extent;     /* distance from the contact zone at which the deformation ends, phi_max [m], > 0 */
  PetscReal        volume;     /* gamma: 1 keeps the volume, 0 switches the bulge off, larger values exaggerate it */
  PetscReal        omega;      /* exponent of the direction in the anisotropic bulge (section 7), >= 0; < 0 = isotropic bulge */
  PetscReal        wave;       /* amplitude of a sine that is added to the profile, relative to the largest displacement */
  PetscReal        wave_count; /* periods of that sine between zone and end of the deformation */
  const PetscReal *bulge;      /* [num_vertices] painted factor of the bulge, also negative; borrowed, NULL = 1 */
} AbutDeformSurfaceControl;

/** @brief Sets stiffness 1 and 1, tau 0, direction computed. */
PETSC_EXTERN void AbutDeformPairControlInit(AbutDeformPairControl *control);

/** @brief Sets the given extent, volume 1, isotropic bulge, no sine, no map. */
PETSC_EXTERN void AbutDeformSurfaceControlInit(PetscReal extent, AbutDeformSurfaceControl *control);

/* ---- Deformer */

/** Surfaces and pairs of a scene, with workspace and fill-reducing orders that serve all frames. */
typedef struct _p_AbutDeformer *AbutDeformer;

/** Result of one pair in one frame. */
typedef struct {
  PetscBool intersects;        /* the surfaces intersect; otherwise the other members are 0 */
  PetscInt  num_crossings;     /* points where an edge of one surface crosses a face of the other */
  PetscReal direction[3];      /* mapping direction, unit vector from the first surface to the second */
  PetscReal threshold;         /* epsilon_c of eq. 4 [m] */
  PetscInt  num_zone[2];       /* vertices of the contact zone of each surface */
  PetscReal depth;             /* largest penetration along the mapping direction [m] */
  PetscReal zone_mismatch;     /* largest distance of a displaced zone vertex from S as the other surface defines it, over the size */
  PetscReal penetration_after; /* bound of the distance of displaced points inside the other surface from it [m] */
} AbutDeformPairReport;

/** Result of one surface in one frame. */
typedef struct {
  PetscReal volume_change; /* volume of the output minus volume of the input [m^3] */
  PetscReal volume_error;  /* |volume_change| over the volume that the zone displaces, 0 without contact */
  PetscReal bulge;         /* h_v, ordinate of the third control point [m] */
  PetscReal displacement;  /* largest displacement of a vertex [m] */
  PetscInt  num_deformed;  /* vertices that move */
  PetscBool limited;       /* no bulge up to the extent keeps the volume; the best one was taken */
} AbutDeformSurfaceReport;

/** @brief Creates a deformer without surfaces. */
PETSC_EXTERN PetscErrorCode AbutDeformerCreate(AbutDeformer *deformer);

/** @brief Frees the deformer, not its surfaces; does nothing if *deformer is NULL. */
PETSC_EXTERN PetscErrorCode AbutDeformerDestroy(AbutDeformer *deformer);

/** @brief Prints the options in force, the surfaces and the pairs. Collective on the viewer. */
PETSC_EXTERN PetscErrorCode AbutDeformerView(AbutDeformer deformer, PetscViewer viewer);

/**
  @brief Adds a surface.
  @param[in]  surface  borrowed, must outlive the deformer
  @param[out] index    number of the surface in the order of calls
**/
PETSC_EXTERN PetscErrorCode AbutDeformerAddSurface(AbutDeformer deformer, AbutDeformSurface surface, PetscInt *index);

/**
  @brief Adds a pair of surfaces that may collide, or of regions of one surface. Regions of the surfaces are set before.

  Two regions that share vertices are separated at the crease of their fold. Without a given mapping direction theirs is orthogonal to the
  bisector of two bones: the lines from the centre of the shared region to the centres of both regions at rest, which turn with the regions.
  @param[in]  surface   [2] numbers of both; the mapping direction goes from the first to the second
  @param[in]  region    [2] the regions of both surfaces that take part, 0 for a surface without regions; NULL: whole surfaces
  @param[out] index     number of the pair in the order of calls
  Errors: ABUT_ERR_INPUT if a number is out of range, a surface collides with itself without two different regions, or a region has no
  vertex that belongs to it alone.
**/
PETSC_EXTERN PetscErrorCode AbutDeformerAddPair(AbutDeformer deformer, const PetscInt surface[2], const PetscInt region[2],
                                                PetscInt *index);

/**
  @brief Resolves the contacts of one frame.

  Errors: ABUT_ERR_INPUT for a control out of range; ABUT_ERR_DIVERGED if a surface passes through the other as a
  whole, an intersection curve ends at the border of a surface, or the intersection curves of a surface contradict each other, which
  happens if it intersects itself. The message names pair, reason and a vertex. The displaced positions are then undefined.
  @param[in]  x         [num surfaces] positions of each surface [3 * num_vertices] [m]
  @param[in]  pairs     [num pairs] controls
  @param[in]  surfaces  [num surfaces] controls
  @param[out] y         [num surfaces] displaced positions of each surface [3 * num_vertices] [m]; may equal x
**/
PETSC_EXTERN PetscErrorCode AbutDeformerSolve(AbutDeformer deformer, const PetscReal *const x[], const AbutDeformPairControl pairs[],
                                              const AbutDeformSurfaceControl surfaces[], PetscReal *const y[]);

/** @brief Reports of the last AbutDeformerSolve(), [num pairs] and [num surfaces]; borrowed, valid until the next call. */
PETSC_EXTERN PetscErrorCode AbutDeformerGetReports(AbutDeformer deformer, const AbutDeformPairReport *pairs[],
                                                   const AbutDeformSurfaceReport *surfaces[]);

/**
  @brief Pair with which each vertex of a surface moves in the last AbutDeformerSolve().
  @param[in]  surface  number of the surface
  @param[out] pair     [num_vertices] number of the pair if the vertex is in its contact zone, else -1; of several pairs that with the
                       largest depth, the first on ties
**/
PETSC_EXTERN PetscErrorCode AbutDeformerGetContacts(AbutDeformer deformer, PetscInt surface, PetscInt pair[]);
