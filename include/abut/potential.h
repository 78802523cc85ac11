/**
  @file potential.h
  @brief Contact potentials over the candidates of a search, behind one interface.

  A potential is a sum over active stencils of  kappa * weight * (mollifier) * barrier(distance). It knows neither the mesh nor the
  solver: candidates and positions in, energy, gradient over contact vertices and stencil Hessians out.
**/
#pragma once
#include <abut/contact.h>
#include <abut/linalg.h>

typedef struct _p_AbutPotential *AbutPotential;

/** What a state's stencils look like, on this rank. */
typedef struct {
  PetscInt  contacts;       /* active primitive pairs, counted once each: independent of the rank count */
  PetscInt  stencils;       /* after merging pairs with the same closest features */
  PetscReal min_dist;       /* [m] over all candidates; PETSC_INFINITY if none */
  PetscReal min_dist_ratio; /* least distance of pairs that act as a share of the range within which they do; PETSC_INFINITY if none */
} AbutPotentialStats;

/** @brief Creates the potential registered under `type`: "ipc", "convergent-ipc", "oipc", "gcp". Collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialCreate(MPI_Comm comm, const char type[], AbutPotential *pot);
PETSC_EXTERN PetscErrorCode AbutPotentialDestroy(AbutPotential *pot);

/** @brief Activation distance dhat [m]. Logically collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialSetDhat(AbutPotential pot, PetscReal dhat);

/** What the orientation-aware potentials "oipc" and "gcp" go by. Of it "convergent-ipc" uses the length, "ipc" nothing. */
typedef struct {
  PetscReal alpha; /* (0, 1]: width of the steps over cosines, see AbutPotentialSetSpec() */
  PetscReal beta;  /* [0, 1] */
  PetscReal
    length; /* [m] that edges and vertices stand for ("convergent-ipc": those without area); 0 = the mean length of the surface edges at rest */
  PetscInt smoothness; /* derivatives of mollifiers that are continuous: 2, else 1 as published, see AbutPotentialSetSpec() */
  PetscInt
    quadrature; /* "oipc": points along an edge at which what is not close is integrated, at most 8, in 3D 3; 0: closest points only */
} AbutPotentialSpec;

/**
  @brief Parameters of the potential; before AbutPotentialSetUp(). Logically collective.
  A primitive takes part in contact as far as the other side is along its normals: not at all where a cosine is below -alpha, fully from
  beta on, and in between by a cubic step. Until it is called alpha is 1/2, beta 0, smoothness 1.
  Smoothness 2 takes mollifiers of the same width with continuous second derivatives. In "oipc" angles have them then, too, but not distances,
  whose closest points move from one feature to the next; in "gcp" all has, but for pairs of edges where the feature changes that an end is
  closest to on the other edge.
  With quadrature N, edges (3D: faces) that are further apart than 2 / (alpha N) of the longest edges are integrated over at N points (3D:
  N (N + 1) / 2), and terms of closest points stand for what is nearer: their barrier stays, and the sum tends to the integral over both surfaces
  with the square of edges.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialSetSpec(AbutPotential pot, const AbutPotentialSpec *spec);

/**
  @brief Lets the potential look at the shape at rest; after AbutPotentialSetDhat(), before any search whose candidates it is to see.
  "oipc" and "gcp" turn on the rings of surface around candidates and lower the ranges of primitives that would act at rest to half the
  distance. "convergent-ipc" turns on the rings. Collective.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact);

/** @brief Whether numbers for kappa are meant in newtons over a power of metres; those of "ipc" are times s^2, counting against inertia. Not collective. */
PETSC_EXTERN PetscBool AbutPotentialIsPhysical(AbutPotential pot);

/**
  @brief Pairs that would act at rest if all had the range dhat, on all ranks, for which AbutPotentialSetUp() has lowered ranges so that none does; 0 of
  potentials that lower none. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialGetRestPairs(AbutPotential pot, PetscInt64 *count);

/**
  @brief The range that contact goes by first [m]: dhat, or, where AbutPotentialSetUp() lowered ranges of vertices, the geometric mean of these, as
  what lies close at rest touches first. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialGetRestDhat(AbutPotential pot, PetscReal *range);

/** @brief Force of a contact of a vertex of this range over the stiffness, at half of it [energy / m per unit of kappa]: what relates kappa to forces. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialGetReferenceForce(AbutPotential pot, PetscReal range, PetscReal *force);

/**
  @brief Barrier stiffness kappa, in the unit of the energy it is added to (in AbutStepper: J s^2) per m^4 for "ipc" and, in 3D, "gcp" (2D:
  m^2), per m^2 for "oipc" (2D: m), per m^3 for "convergent-ipc" (2D: m^2). Logically collective.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialSetStiffness(AbutPotential pot, PetscReal kappa);

/**
  @brief Energy of all candidates at positions xt of the contact vertices, without building stencils. Not collective.
  PETSC_INFINITY if a distance is 0 or a vertex is on or behind a plane.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialEnergy(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[],
                                                PetscReal *energy);

/**
  @brief Builds the active stencils at positions xt: closest features, merged with multiplicity, in an order fixed by vertex ids. Not collective.
  Gradient and Hessian are then those of this state, at the stiffness of the moment; the candidates must not change meanwhile, xt may.
  A state of infinite energy is no error: its min_dist is 0 and its derivatives mean nothing.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialSetState(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[]);
PETSC_EXTERN PetscErrorCode AbutPotentialGetStats(AbutPotential pot, AbutPotentialStats *stats);

/** @brief g += scale * gradient of the state's energy, over contact vertices [num_vertices * dim]. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialAddGradient(AbutPotential pot, PetscReal scale, PetscReal g[]);

/** @brief Adds scale * Hessian of the state's energy, every stencil's part projected. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);

/**
  @brief Stencils for the matrix pattern: `needed` those of the state, `near` the candidate pairs within `margin` * dhat. Not collective.
  Their arrays belong to the potential and live until the next call.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialGetPattern(AbutPotential pot, PetscReal margin, AbutStencilList *needed, AbutStencilList *near);

/**
  An active stencil of the state, for output, tests and the stiffness update. A mollified pair (eps_cross > 0) has n = 4, the vertices of
  edges a and b in the order of EE, whatever its closest features; `form` is theirs, and AbutPairDist2(ABUT_PAIR_EE, ...) its distance; or,
  if `fixed`, edges in any order, and the distance is that of `form` between points 0 and 2; 0 and the line 2 3; the lines 0 1 and 2 3.
  Of equal features the vertices (VV) or the edge's ends (EV) come in the order of their ids.
**/
typedef struct {
  PetscInt     n, v[4]; /* contact vertices in the order of the form; a plane contact has n = 1 */
  AbutDistForm form;
  PetscInt     plane;     /* -1 unless a plane contact */
  PetscReal    weight;    /* multiplicity; "convergent-ipc": area [m^2, 2D: m], negative where pairs count too often */
  PetscReal    dist2;     /* [m^2] */
  PetscReal    eps_cross; /* mollifier threshold [m^4], 0 if none */
  PetscBool    fixed;     /* of a mollified pair */
} AbutStencil;

/** @brief Borrows the stencils of the state. Not collective. */
PETSC_EXTERN PetscErrorCode AbutPotentialGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);

#define ABUT_POINT_VERTICES 6 /* at most: two faces, where samples of them are meant */

/** A contact as friction and output see it: two closest points, pushed apart along a normal. */
typedef struct {
  PetscInt  n, v[ABUT_POINT_VERTICES];   /* contact vertices */
  PetscInt  plane;                       /* -1 unless against a plane: then the second side */
  PetscInt  first;                       /* vertices of the first side come first: how many */
  PetscReal weight[ABUT_POINT_VERTICES]; /* sum of weight x = closest point of the first side - closest point of the second (a plane: 0) */
  PetscReal normal[3];                   /* unit, from the second side to the first */
  PetscReal dist;                        /* [m] */
  PetscReal range;                       /* [m] of the pair */
  PetscReal force; /* - d energy / d dist, all of weight, mollifier and stiffness included [energy / m]; < 0 where weights are */
  PetscReal
    push[3]; /* on the first side: force normal; of the orientation-aware potentials all that the pair does to this side [energy / m] */
  PetscInt pairs; /* primitive pairs merged into it: their sum is independent of the rank count */
} AbutContactPoint;

/**
  @brief Contact points of the state, at the stiffness of the moment; borrowed until the next call. Not collective.
  "ipc" leaves mollified edge pairs out: their closest points jump, and the vertex-face pairs beside them carry the force. Of "convergent-ipc"
  all stencils are contact points, those of negative weight with a negative force: the sum over all is the contact force.
**/
PETSC_EXTERN PetscErrorCode AbutPotentialGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);

/* The clamped log barrier of IPC: pure functions */

/** @brief b(s) = -(s - shat)^2 ln(s / shat) for 0 < s < shat, 0 beyond, PETSC_INFINITY for s <= 0 (IPC eq. 6 on squared distances) [m^4]; derivatives in s where not NULL. */
PETSC_EXTERN PetscReal AbutBarrier(PetscReal s, PetscReal shat, PetscReal *db, PetscReal *ddb);

/** @brief Edge-edge mollifier (IPC eq. 24): (2 - c/eps) c/eps for c < eps, 1 beyond; derivatives in c where not NULL. */
PETSC_EXTERN PetscReal AbutMollifier(PetscReal c, PetscReal eps, PetscReal *dm, PetscReal *ddm);
