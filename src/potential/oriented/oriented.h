/* State of the orientation-aware potentials over the candidates of a search, and the interfaces between their files. */
#pragma once
#include "candidates.h"
#include "orientedimpl.h"

/* A pair of primitives, or a vertex (pair.a) and a half space (plane >= 0). */
typedef struct {
  AbutOrientedPair pair;
  PetscInt         plane;       /* -1 if a pair of primitives */
  PetscReal        dist, value; /* at the positions of the search */
  PetscReal        force[3];    /* on the second side, for unit stiffness; on the vertex if with a half space */
  PetscInt         support;     /* first entry of its AbutOrientedSupport.index in AbutOrientedState.support */
} AbutOrientedContact;

/* Position of an element (2D: edge, 3D: face). */
typedef struct {
  PetscReal center[3], unit[3], radius; /* mean of its vertices, unit normal, largest distance of a vertex from the mean */
  PetscBool oriented;
} AbutOrientedElement;

/* Cache key of `found`: if energy and state are asked for at the same positions, search and evaluation are done once. */
typedef struct {
  const AbutCandidates *candidates;
  PetscInt              search; /* AbutCandidates.search; 0: nothing is cached */
  PetscReal             dhat, min_dist2;
  Buffer                x; /* PetscReal: positions, then points of the half spaces */
} AbutOrientedCache;

/* Active contacts at the positions of AbutPotentialSetState(). */
typedef struct {
  const AbutCandidates *candidates;
  Buffer                x;        /* PetscReal: positions */
  Buffer                contacts; /* AbutOrientedContact */
  PetscInt              num_contacts;
  Buffer                start;     /* PetscInt [num_contacts + 1]: support vertices of contact i are v[start[i], start[i + 1]) */
  Buffer                v, global; /* PetscInt: contact vertices of the supports; their global indices */
  Buffer                support;   /* PetscInt: AbutOrientedSupport.index of all contacts */
  PetscInt              num_support;
  Buffer                g; /* PetscReal: gradient over the support vertices, for unit stiffness */
  PetscReal             min_dist2;
} AbutOrientedState;

/* Work space, and arrays that are returned to callers. */
typedef struct {
  Buffer slots, used, scratch; /* of one stencil: PetscInt, PetscBool, PetscReal */
  Buffer order, group;         /* of the Hessians that are projected together: PetscInt, PetscReal */
  Buffer near, stencils, points;
} AbutOrientedWork;

typedef struct {
  AbutOrientedSpec     spec;
  PetscInt             dim;
  PetscReal            ratio;    /* adaptive activation distance / distance at rest */
  const AbutOneRing   *one_ring; /* borrowed: one-rings from which `surface` was built */
  PetscInt             version;  /* AbutOneRing.version of that time */
  AbutOrientedSurface *surface;
  AbutOrientedDhat     adaptive;
  Buffer               vertex_dhat, edge_dhat, face_dhat; /* PetscReal: arrays of `adaptive` */
  Buffer length[3]; /* PetscReal, by kind: longest edge at rest of the primitive and its stencil; 0: the primitive belongs to no element */
  Buffer elements;  /* AbutOrientedElement at the positions of the last search for pairs */
  Buffer found;     /* AbutOrientedContact within the activation distance, active or not */
  PetscInt          num_found;
  AbutOrientedCache cache;
  AbutOrientedState state;
  AbutOrientedWork  work;
} AbutOriented;

/* oriented_pairs.c */

/* Rebuilds the surface if the candidates have another one-ring topology or dhat has changed. Not collective. */
PETSC_INTERN PetscErrorCode AbutOrientedUpdateSurface(AbutPotential pot, const AbutCandidates *c);
/* Appends pairs to `found`. */
PETSC_INTERN PetscErrorCode AbutOrientedAddPairs(AbutOriented *sm, PetscInt n, const AbutOrientedPair pairs[], PetscInt plane);
/* Distance from which on quadrature replaces the pair; 0: never, or while activation distances are being adapted. */
PETSC_INTERN PetscReal AbutOrientedSplitDistance(const AbutOriented *sm, const AbutOrientedPair *pair);

/*
  oriented_search.c: sets `found` at positions xt; min_dist2: smallest squared distance of the candidates, 0 if a contact is touched or
  passed.
*/
PETSC_INTERN PetscErrorCode AbutOrientedFindPairs(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *min_dist2);

/* oriented_sample_search.c */

/* Updates the positions of the elements. */
PETSC_INTERN PetscErrorCode AbutOrientedUpdateElements(AbutOriented *sm, const PetscReal x[]);
/* Appends the pairs of elements that are found at a candidate. */
PETSC_INTERN PetscErrorCode AbutOrientedAddElementPairs(AbutPotential pot, const AbutCandidates *c, const AbutOrientedCandidate *candidate,
                                                        const PetscReal x[]);

/* oriented_contact.c */

/* Makes room in `work` for one contact and a gradient after its scratch; n: vertices of its stencil. */
PETSC_INTERN PetscErrorCode AbutOrientedReserve(AbutOriented *sm, const AbutOrientedContact *contact, PetscInt *n);
/* Vertices of the stencil of a contact [n]. */
PETSC_INTERN void AbutOrientedContactVertices(const AbutOriented *sm, const AbutOrientedContact *contact, PetscInt v[]);
/* AbutOrientedEvaluate() or AbutOrientedEvaluatePlane() of a contact, with the scratch of `work`. */
PETSC_INTERN void AbutOrientedEvaluateContact(AbutOriented *sm, const AbutCandidates *c, const AbutOrientedContact *contact,
                                              const PetscReal x[], const AbutOrientedOutput *out, AbutOrientedPairState *state);

/* oriented_hessian.c: adds the projected Hessians of the state's contacts. */
PETSC_INTERN PetscErrorCode AbutOrientedAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);

/* oriented_contact_points.c: contacts of the state as stencils and as pairs of points. */
PETSC_INTERN PetscErrorCode AbutOrientedGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);
PETSC_INTERN PetscErrorCode AbutOrientedGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);

/* oriented_setup.c: parameters and adaptive activation distances from the shape at rest. Collective. */
PETSC_INTERN PetscErrorCode AbutOrientedSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact);
