/* The orientation-aware potentials over the candidates of a search: what their files share. */
#pragma once
#include "candidates.h"
#include "orientedimpl.h"

/* A pair of primitives or, plane >= 0, a vertex (pair.a) and a plane, that acts at the state. */
typedef struct {
  AbutOrientedPair pair;
  PetscInt         plane;
  PetscReal        dist, value; /* of those that act at the state */
  PetscReal        force[3];    /* on the second side, per stiffness; of a plane's contact on the vertex */
  PetscInt         place;       /* of the state: where its AbutOrientedPlaces are */
} AbutOrientedContact;

/* An element, edge in 2D and face in 3D, where it is. */
typedef struct {
  PetscReal center[3], unit[3], radius; /* mean of its points, normal, largest distance of a point from the mean */
  PetscBool oriented;
} AbutOrientedElement;

/* Where all that was found has been evaluated, so that energy and state at one point find and evaluate it once. */
typedef struct {
  const AbutCandidates *candidates;
  PetscInt              search; /* that they are of; 0: nothing is known */
  PetscReal             dhat, min_dist2;
  Buffer                x; /* PetscReal: positions, then points of the planes */
} AbutOrientedKnown;

typedef struct {
  AbutOrientedSpec      spec;
  PetscInt              dim;
  PetscReal             ratio;      /* of the distances of rest pairs, to which ranges are lowered */
  const AbutCandidates *candidates; /* of the state */
  const AbutOneRing    *rings;      /* that the surface was made of, at this version */
  PetscInt              version;
  AbutOrientedSurface  *surface;
  AbutOrientedRanges    ranges;
  Buffer                vertex_range, edge_range, face_range; /* PetscReal */
  Buffer                x;                                    /* PetscReal: positions of the state */
  Buffer                length[3]; /* PetscReal: by kind, longest edge of and at a primitive at rest; 0: without elements */
  Buffer                elements;  /* AbutOrientedElement: at the positions of the last search for pairs */
  Buffer                found;     /* AbutOrientedContact: within range, whether they act or not */
  PetscInt              num_found;
  AbutOrientedKnown     known;
  Buffer                contacts; /* AbutOrientedContact: those that act at the state */
  PetscInt              num_contacts;
  Buffer                start;     /* [num_contacts + 1]: vertices of contact i are [start[i], start[i + 1]) of these: */
  Buffer                v, global; /* PetscInt: distinct contact vertices that it depends on; their global indices */
  Buffer                place;     /* PetscInt: AbutOrientedPlaces of contacts, one after the other */
  PetscInt              num_places;
  Buffer                g;            /* PetscReal: gradient over them, per stiffness */
  Buffer                slots, used;  /* of one stencil: PetscInt, PetscBool */
  Buffer                scratch;      /* of one stencil: PetscReal */
  Buffer                order, group; /* of Hessians: PetscInt, PetscReal */
  Buffer                near, stencils, points;
  PetscReal             min_dist2;
} AbutOriented;

/* Takes the surface of the candidates if it is another one. Not collective. */
PETSC_INTERN PetscErrorCode AbutOrientedTakeSurface(AbutPotential pot, const AbutCandidates *c);
/* Finds what is within range at positions xt, and the smallest squared distance of the candidates (0: one is touched or passed). */
PETSC_INTERN PetscErrorCode AbutOrientedFind(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *min_dist2);
/* Adds pairs to those found. */
PETSC_INTERN PetscErrorCode AbutOrientedKeep(AbutOriented *sm, PetscInt n, const AbutOrientedPair pairs[], PetscInt plane);
/* For samples: the lengths of a surface at rest; its elements at positions x. */
PETSC_INTERN PetscErrorCode AbutOrientedMeasureRest(AbutOriented *sm, const PetscReal rest[]);
PETSC_INTERN PetscErrorCode AbutOrientedPlaceElements(AbutOriented *sm, const PetscReal x[]);
/* Where samples take over from a pair; 0: nowhere, so while ranges are sought, which at rest keep all of the barrier off. */
PETSC_INTERN PetscReal AbutOrientedSplitOf(const AbutOriented *sm, const AbutOrientedPair *pair);
/* Finds the pairs of elements that a candidate, of primitives a and b, stands for. */
PETSC_INTERN PetscErrorCode AbutOrientedFindElements(AbutPotential pot, const AbutCandidates *c, AbutPairKind kind, PetscInt a, PetscInt b,
                                                     const PetscReal x[]);
/* Makes room for what a contact's evaluation needs, and for a gradient after it; n: vertices of its stencil. */
PETSC_INTERN PetscErrorCode AbutOrientedReserve(AbutOriented *sm, const AbutOrientedContact *contact, PetscInt *n);
/* Value and derivatives of a contact that was found; see AbutOrientedEvaluate(). */
PETSC_INTERN void AbutOrientedEvaluateContact(AbutOriented *sm, const AbutCandidates *c, const AbutOrientedContact *contact,
                                              const PetscReal x[], const AbutOrientedPlaces *places, AbutOrientedPairState *state,
                                              PetscBool used[], PetscReal g[], PetscReal H[]);

/* Adds the projected Hessians of the state's contacts. */
PETSC_INTERN PetscErrorCode AbutOrientedAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as);
/* Contacts as stencils and as pairs of points. */
PETSC_INTERN PetscErrorCode AbutOrientedGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils);
PETSC_INTERN PetscErrorCode AbutOrientedGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points);
/* Ranges from the rest shape. Collective. */
PETSC_INTERN PetscErrorCode AbutOrientedSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact);
