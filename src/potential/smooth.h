/* The orientation-aware potentials over the candidates of a search: what their files share. */
#pragma once
#include "candidates.h"
#include "smoothimpl.h"

/* A pair of primitives or, plane >= 0, a vertex (pair.a) and a plane, that acts at the state. */
typedef struct {
  AbutSmoothPair pair;
  PetscInt       plane;
  PetscReal      dist, value; /* of those that act at the state */
  PetscReal      force[3];    /* on the second side, per stiffness; of a plane's contact on the vertex */
  PetscInt       place;       /* of the state: where its AbutSmoothPlaces are */
} AbutSmoothContact;

/* An element, edge in 2D and face in 3D, where it is. */
typedef struct {
  PetscReal center[3], unit[3], radius; /* mean of its points, normal, largest distance of a point from the mean */
  PetscBool oriented;
} AbutSmoothElement;

/* Where all that was found has been evaluated, so that energy and state at one point find and evaluate it once. */
typedef struct {
  const AbutCandidates *candidates;
  PetscInt              search; /* that they are of; 0: nothing is known */
  PetscReal             dhat, min_dist2;
  Buffer                x; /* PetscReal: positions, then points of the planes */
} AbutSmoothKnown;

typedef struct {
  AbutSmoothSpec        spec;
  PetscInt              dim;
  PetscReal             ratio;      /* of the distances of rest pairs, to which ranges are lowered */
  const AbutCandidates *candidates; /* of the state */
  const AbutOneRing    *rings;      /* that the surface was made of, at this version */
  PetscInt              version;
  AbutSmoothSurface    *surface;
  AbutSmoothRanges      ranges;
  Buffer                vertex_range, edge_range, face_range; /* PetscReal */
  Buffer                x;                                    /* PetscReal: positions of the state */
  Buffer                length[3]; /* PetscReal: by kind, longest edge of and at a primitive at rest; 0: without elements */
  Buffer                elements;  /* AbutSmoothElement: at the positions of the last search for pairs */
  Buffer                found;     /* AbutSmoothContact: within range, whether they act or not */
  PetscInt              num_found;
  AbutSmoothKnown       known;
  Buffer                contacts; /* AbutSmoothContact: those that act at the state */
  PetscInt              num_contacts;
  Buffer                start;     /* [num_contacts + 1]: vertices of contact i are [start[i], start[i + 1]) of these: */
  Buffer                v, global; /* PetscInt: distinct contact vertices that it depends on; their global indices */
  Buffer                place;     /* PetscInt: AbutSmoothPlaces of contacts, one after the other */
  PetscInt              num_places;
  Buffer                g;            /* PetscReal: gradient over them, per stiffness */
  Buffer                slots, used;  /* of one stencil: PetscInt, PetscBool */
  Buffer                scratch;      /* of one stencil: PetscReal */
  Buffer                order, group; /* of Hessians: PetscInt, PetscReal */
  Buffer                near, stencils, points;
  PetscReal             min_dist2;
} AbutSmooth;

/* Takes the surface of the candidates if it is another one. Not collective. */
PETSC_INTERN PetscErrorCode AbutSmoothTakeSurface(AbutPotential pot, const AbutCandidates *c);
/* Finds what is within range at positions xt, and the smallest squared distance of the candidates (0: one is touched or passed). */
PETSC_INTERN PetscErrorCode AbutSmoothFind(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *min_dist2);
/* Adds pairs to those found. */
PETSC_INTERN PetscErrorCode AbutSmoothKeep(AbutSmooth *sm, PetscInt n, const AbutSmoothPair pairs[], PetscInt plane);
/* For samples: the lengths of a surface at rest; its elements at positions x. */
PETSC_INTERN PetscErrorCode AbutSmoothMeasureRest(AbutSmooth *sm, const PetscReal rest[]);
PETSC_INTERN PetscErrorCode AbutSmoothPlaceElements(AbutSmooth *sm, const PetscReal x[]);
/* Where samples take over from a pair; 0: nowhere, so while ranges are sought, which at rest keep all of the barrier off. */
PETSC_INTERN PetscReal AbutSmoothSplitOf(const AbutSmooth *sm, const AbutSmoothPair *pair);
/* Finds the pairs of elements that a candidate, of primitives a and b, stands for. */
PETSC_INTERN PetscErrorCode AbutSmoothFindElements(AbutPotential pot, const AbutCandidates *c, AbutPairKind kind, PetscInt a, PetscInt b,
                                                   const PetscReal x[]);
/* Makes room for what a contact's evaluation needs, and for a gradient after it; n: vertices of its stencil. */
PETSC_INTERN PetscErrorCode AbutSmoothReserve(AbutSmooth *sm, const AbutSmoothContact *contact, PetscInt *n);
/* Value and derivatives of a contact that was found; see AbutSmoothEvaluate(). */
PETSC_INTERN void AbutSmoothEvaluateContact(AbutSmooth *sm, const AbutCandidates *c, const AbutSmoothContact *contact, const PetscReal x[],
                                            const AbutSmoothPlaces *places, AbutSmoothPairState *state, PetscBool used[], PetscReal g[],
                                            PetscReal H[]);

/* Adds the projected Hessians of the state's contacts. */
PETSC_INTERN PetscErrorCode AbutSmoothAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);
/* Contacts as stencils and as pairs of points. */
PETSC_INTERN PetscErrorCode AbutSmoothGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);
PETSC_INTERN PetscErrorCode AbutSmoothGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);
/* Ranges from the rest shape. Collective. */
PETSC_INTERN PetscErrorCode AbutSmoothSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact);
