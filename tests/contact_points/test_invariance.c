/*
  Every method commutes with rotation, translation and scale of both bodies: random pairs of cells that overlap, and pairs with coplanar
  faces, common vertices and crossing edges, where many features tie. Exchange of the two bodies reverses the normals.
*/
#include "cells.h"
#include <string.h>

static const Motion motions[] = {
  {{0.3, -1.1, 0.7}, {0, 0, 0}, 1}, {{0, 0, 0}, {3.5, -2.25, 17}, 1}, {{0, 0, 0}, {0, 0, 0}, 1e-3}, {{-2, 0.4, 1.3}, {-5, 8, 1}, 250}};

static AbutPointCell Moved(const AbutPointCell *cell, const Motion *motion)
{
  AbutPointCell moved = *cell;

  for (int v = 0; v < 4; v++) MovePoint(motion, moved.tet.x[v]);
  AbutPointCellSetUp(&moved);
  return moved;
}

/* Returns the number of contacts of the pair. */
static PetscInt CheckPair(const AbutPointMethod *method, const AbutPointCell *A, const AbutPointCell *B)
{
  const AbutPointRules rules    = TestRules(1);
  AbutPointContacts    contacts = FindContacts(method, &rules, A, B);
  const PetscInt       n        = contacts.n;

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(motions); k++) {
    const AbutPointRules scaled = TestRules(motions[k].scale);
    const AbutPointCell  a = Moved(A, &motions[k]), b = Moved(B, &motions[k]);
    AbutPointContacts    moved = FindContacts(method, &scaled, &a, &b);
    char                 what[64];

    snprintf(what, sizeof(what), "%s, motion %d", method->name, (int)k);
    ExpectMoved(what, &motions[k], &contacts, &moved);
    AbutTestCall(PetscFree(moved.a));
  }
  AbutTestCall(PetscFree(contacts.a));
  return n;
}

static void RandomPairs(void **state)
{
  (void)state;
  for (int m = 0; m < NUM_METHODS; m++) {
    uint64_t seed = 5;
    PetscInt n    = 0;

    for (int pair = 0; pair < 500; pair++) {
      const PetscReal     near = m ? 0.5 : 0.7; /* closest points: cells beside each other */
      const AbutPointCell A = RandomCell(0, (PetscReal[]){0, 0, 0}, &seed), B = RandomCell(1, (PetscReal[]){near, 0, 0}, &seed);

      n += CheckPair(&AbutPointMethods[m], &A, &B);
    }
    if (n < 20) fail_msg("%s: only %d contacts in 500 pairs", AbutPointMethods[m].name, (int)n);
  }
}

/* Corners on a lattice: coplanar faces, common edges and vertices, vertices on faces. */
static AbutPointCell LatticeCell(PetscInt body, PetscReal y, PetscReal size, uint64_t *seed)
{
  PetscReal x[4][3], volume;

  do {
    PetscReal e[3][3], normal[3];

    for (int v = 0; v < 4; v++)
      for (int i = 0; i < 3; i++) x[v][i] = size * (PetscReal)(PetscInt)(1.5 * (1 + AbutTestRandom(seed)));
    for (int v = 0; v < 3; v++)
      for (int i = 0; i < 3; i++) e[v][i] = x[v + 1][i] - x[0][i];
    AbutCross(e[0], e[1], normal);
    volume = PetscAbsReal(AbutDot(3, normal, e[2]));
  } while (volume < 0.01 * size * size * size);
  for (int v = 0; v < 4; v++) x[v][1] += y;
  return TestCell(body, (const PetscReal(*)[3])x);
}

static void LatticePairs(void **state)
{
  (void)state;
  for (int m = 0; m < NUM_METHODS; m++) {
    uint64_t seed = 9;
    PetscInt n    = 0;

    for (int pair = 0; pair < 400; pair++) {
      const PetscReal     y[] = {0, 1, 0.5, -1};
      const AbutPointCell A = LatticeCell(0, 0, 0.5, &seed), B = LatticeCell(1, m ? y[pair % 4] : y[pair % 4] + 0.03, 0.5, &seed);

      n += CheckPair(&AbutPointMethods[m], &A, &B);
    }
    if (n < 20) fail_msg("%s: only %d contacts in 400 pairs", AbutPointMethods[m].name, (int)n);
  }
}

/*
  Intersection: where the extent of one cell along the cross product of two edges is inside that of the other cell, the order of the cells
  decides over the sign of the normal. Makes contacts of edges independent of it.
*/
static void RemoveSigns(AbutPointContacts *contacts)
{
  for (PetscInt k = 0; k < contacts->n; k++) {
    AbutPointContact *c = &contacts->a[k];

    if (c->feature[0] != ABUT_FEATURE_EDGE) continue;
    c->separation = 0;
    for (int i = 0; i < 3; i++) c->normal[i] = PetscAbsReal(c->normal[i]);
  }
}

static void Exchange(void **state)
{
  const AbutPointRules rules = TestRules(1);
  const Motion         none  = {{0, 0, 0}, {0, 0, 0}, 1};

  (void)state;
  for (int m = 0; m < NUM_METHODS; m++) {
    uint64_t seed = 11;

    for (int pair = 0; pair < 300; pair++) {
      const AbutPointCell A = RandomCell(0, (PetscReal[]){0, 0, 0}, &seed), B = RandomCell(1, (PetscReal[]){0.5, 0, 0}, &seed);
      AbutPointContacts   forward = FindContacts(&AbutPointMethods[m], &rules, &A, &B),
                        back      = FindContacts(&AbutPointMethods[m], &rules, &B, &A);

      for (PetscInt k = 0; k < back.n; k++)
        for (int i = 0; i < 3; i++) back.a[k].normal[i] = -back.a[k].normal[i];
      if (AbutPointMethods[m].find == AbutFindIntersections) {
        RemoveSigns(&forward);
        RemoveSigns(&back);
      }
      ExpectMoved(AbutPointMethods[m].name, &none, &forward, &back);
      AbutTestCall(PetscFree(forward.a));
      AbutTestCall(PetscFree(back.a));
    }
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(RandomPairs), cmocka_unit_test(LatticePairs), cmocka_unit_test(Exchange)};
  return AbutTestMain(argc, argv, tests);
}
