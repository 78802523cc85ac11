/* Pairs of tetrahedra for tests of the contact-point methods. */
#pragma once
#include "test.h"
#include "contact_pointsimpl.h"

enum { NUM_METHODS = ABUT_NUM_POINT_METHODS };

/* Tolerances for cells of edge length 1, times a scale. */
AbutPointRules TestRules(PetscReal scale);

/* A cell of body 0 or 1 with all faces on the surface; its vertex ids are 10 body + 0, 1, 2, 3. The vertices are exchanged if needed. */
AbutPointCell TestCell(PetscInt body, const PetscReal x[4][3]);

/* Contacts of a pair after the post-filter; free with PetscFree(contacts.a). */
AbutPointContacts FindContacts(const AbutPointMethod *method, const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B);

/* A rotation, then a translation, then a scale. */
typedef struct {
  PetscReal rotation[3], shift[3], scale;
} Motion;

void MovePoint(const Motion *motion, PetscReal x[3]);
void RotateVector(const Motion *motion, PetscReal d[3]);

/* Fails unless each contact of `a`, moved, is in `b`, and the numbers are equal. */
void ExpectMoved(const char what[], const Motion *motion, const AbutPointContacts *a, const AbutPointContacts *b);

/* A random cell with vertices in the unit cube about a place and a volume of at least 0.01. */
AbutPointCell RandomCell(PetscInt body, const PetscReal center[3], uint64_t *seed);
