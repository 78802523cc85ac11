/* State of the orientation-aware potentials over the candidates of a search, and the interfaces between their files. */
#pragma once
#include "candidates.h"
#include "orientedimpl.h"

/* A pair of primitives, or a vertex (pair.a) and a half space (plane >= 0). */
typedef struct {
  AbutOrientedPair pair;
  PetscInt         plane;       /* -1 if a pair of primitives */
  PetscReal        dist, value; /* distance and value at the positions of the search */
  PetscReal        force[3];    /* force on the second side, or on the vertex if with a half space; for unit stiffness */
  PetscInt         support;     /* position of its AbutOrientedSupport.index in AbutOrientedState.support */
} AbutOrientedContact;

/* Key under which `found` is kept: if energy and state are requested at the same positions, search and evaluation run once. */
typedef struct {
  const AbutCandidates *candidates;
  PetscInt              search; /* AbutCandidates.search; 0: nothing is cached */
  PetscReal             dhat, min_dist2;
  AbutReals             x; /* positions, then points of the half spaces */
} AbutOrientedCache;

/* Active contacts at the positions of AbutPotentialSetState(). */
typedef struct {
  const AbutCandidates *candidates;
  AbutReals             x; /* positions */
  AbutOrientedContact  *contacts;
  PetscInt              num_contacts, capacity;
  AbutInts              start;     /* [num_contacts + 1]: support vertices of contact i are v[start[i], start[i + 1]) */
  AbutInts              v, global; /* contact vertices of the supports; their global indices */
  AbutInts              support;   /* AbutOrientedSupport.index of all contacts, one after the other */
  AbutReals             g;         /* gradient over the support vertices, for unit stiffness */
  AbutInts              stiff;     /* contacts whose Hessians are not negligible */
  PetscReal             min_dist2;
} AbutOrientedState;

/* Work space, and arrays that are returned to callers. */
typedef struct {
  PetscInt          capacity; /* of the arrays of one stencil */
  PetscInt         *v;        /* vertices */
  PetscBool        *used;
  PetscReal        *g; /* gradient */
  AbutReals         scratch;
  AbutReals         group; /* Hessians that are projected together */
  AbutInts          order, near;
  AbutInts          pattern_start, pattern;   /* stencils of the stiff contacts, as AbutStencilList */
  PetscInt          num_stencils, num_points; /* capacities */
  AbutStencil      *stencils;
  AbutContactPoint *points;
} AbutOrientedWork;

typedef struct {
  AbutOrientedSpec     spec;
  PetscInt             dim;
  PetscReal            ratio;   /* adaptive activation distance over distance at rest */
  PetscInt             version; /* AbutOneRing.version from which `surface` was built */
  AbutOrientedSurface *surface;
  AbutOrientedDhat     adaptive;    /* activation distances in force; an array is NULL or dhat[kind] */
  PetscReal           *dhat[3];     /* memory of these arrays, by AbutOrientedKind */
  PetscInt             capacity[3]; /* of `dhat` */
  AbutOrientedContact *found;       /* [num_found] within the activation distance, active or not */
  PetscInt             num_found, found_capacity;
  AbutOrientedCache    cache;
  AbutOrientedState    state;
  AbutOrientedWork     work;
} AbutOriented;

/* oriented_pairs.c */

/* Rebuilds the surface if the candidates have another one-ring topology or dhat has changed. Not collective. */
PETSC_INTERN PetscErrorCode AbutOrientedUpdateSurface(AbutPotential pot, const AbutCandidates *c);
/* Calls AbutOrientedEvaluate() or AbutOrientedEvaluatePlane() for a contact, with the scratch of `work`. */
PETSC_INTERN PetscErrorCode AbutOrientedEvaluateContact(AbutOriented *sm, const AbutCandidates *c, const AbutOrientedContact *contact,
                                                        const PetscReal x[], const AbutOrientedOutput *out, AbutOrientedPairState *state);
/*
  oriented_search.c: sets `found` to the pairs at positions xt. min_dist2: smallest squared distance of the candidates, 0 if bodies touch
  or have passed through each other.
*/
PETSC_INTERN PetscErrorCode AbutOrientedFindPairs(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *min_dist2);

/* oriented_hessian.c: adds the projected Hessians of the state's contacts. */
PETSC_INTERN PetscErrorCode AbutOrientedAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);

/* oriented_contact_points.c: contacts of the state as stencils and as pairs of points. */
PETSC_INTERN PetscErrorCode AbutOrientedGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);
PETSC_INTERN PetscErrorCode AbutOrientedGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);

/* oriented_setup.c: parameters and adaptive activation distances from the shape at rest. Collective. */
PETSC_INTERN PetscErrorCode AbutOrientedSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact);
