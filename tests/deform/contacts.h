/* Contacts of two surfaces for the tests of zones and responses. */
#pragma once
#include "deformimpl.h"
#include "shapes.h"

typedef struct {
  Shape             shape[2];
  AbutDeformSurface surface[2];
  AbutDeformPair   *pair;
} Contact;

/* Takes the shapes over. Computes intersection, mapping and zones. */
void ContactCreate(const Shape shape[2], const AbutDeformPairControl *control, Contact *contact);

/*
  Ball of radius 1 around (x, y, 1 - depth), side 0, that dips into a square of the given width in the plane z = 0, side 1. n is the
  number of divisions of an octant of the ball and of the square.
*/
void ContactBallPlane(const PetscInt n[2], PetscReal width, PetscReal depth, const AbutDeformPairControl *control, Contact *contact);

/* One surface with a zone of no other surface: the vertices where level(x, at) < 0, with border points at its zeros on the edges. */
void ContactZone(const Shape *shape, PetscReal (*level)(const PetscReal x[3], PetscReal at), PetscReal at, Contact *contact);

void ContactFree(Contact *contact);
/* Frees a pair, its surfaces and their shapes. */
void PairFree(AbutDeformPair **pair, Shape shape[2]);
