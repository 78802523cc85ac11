/* Post-filter against brute force: dense and sparse points, points on grid lines, several pairs of bodies, sums of weights. */
#include "cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static PetscBool AreEqual(const AbutPointRules *rules, const AbutPointContact *a, const AbutPointContact *b)
{
  PetscReal position = 0, normal = 0;

  for (int i = 0; i < 3; i++) {
    position += PetscSqr(a->position[i] - b->position[i]);
    normal += PetscSqr(a->normal[i] - b->normal[i]);
  }
  return (PetscBool)(a->body[0] == b->body[0] && a->body[1] == b->body[1] && position <= PetscSqr(rules->merge) &&
                     normal <= PetscSqr(rules->merge_normal) &&
                     PetscAbsReal(a->length - b->length) <= rules->merge_normal * PetscMax(a->length, b->length));
}

/* Each contact is kept unless it equals a kept one. */
static PetscInt FilterByBruteForce(const AbutPointRules *rules, PetscInt n, AbutPointContact a[])
{
  PetscInt kept = 0;

  for (PetscInt k = 0; k < n; k++) {
    PetscInt same = 0;

    while (same < kept && !AreEqual(rules, &a[same], &a[k])) same++;
    if (same < kept)
      a[same].weight += a[k].weight;
    else
      a[kept++] = a[k];
  }
  return kept;
}

/* Random contacts in a cube; positions are multiples of `lattice` if it is positive. */
static AbutPointContacts RandomContacts(PetscInt n, PetscReal size, PetscReal lattice, uint64_t *seed)
{
  AbutPointContacts contacts = {0};

  AbutTestCall(AbutPointContactsReserve(&contacts, n));
  contacts.n = n;
  memset(contacts.a, 0, sizeof(*contacts.a) * (size_t)n);
  for (PetscInt k = 0; k < n; k++) {
    AbutPointContact *c = &contacts.a[k];

    for (int i = 0; i < 3; i++) {
      c->position[i] = size * AbutTestRandom(seed);
      if (lattice > 0) c->position[i] = lattice * floor(c->position[i] / lattice);
    }
    c->normal[(int)(1.5 * (1 + AbutTestRandom(seed)))] = 1;
    c->body[0]                                         = AbutTestRandom(seed) < 0;
    c->body[1]                                         = 2 + (AbutTestRandom(seed) < -0.5);
    c->weight                                          = 1;
    c->length                                          = AbutTestRandom(seed) < 0.8 ? 1 : 2;
  }
  return contacts;
}

static void BruteForce(void **state)
{
  const PetscReal lattices[] = {0, 0.1, 0.2, 0.05};
  uint64_t        seed       = 17;

  (void)state;
  for (int k = 0; k < 12; k++) {
    AbutPointRules    rules    = TestRules(1);
    AbutPointContacts contacts = RandomContacts(1500, k / 4 + 0.3, lattices[k % 4], &seed);
    AbutPointContact *copy     = malloc(sizeof(*copy) * (size_t)contacts.n);
    PetscInt          n;

    rules.merge        = 0.1;
    rules.merge_normal = 0.1;
    memcpy(copy, contacts.a, sizeof(*copy) * (size_t)contacts.n);
    n = FilterByBruteForce(&rules, contacts.n, copy);
    assert_true(n > 10 && n < contacts.n);
    AbutTestCall(AbutPointContactsFilter(&rules, PETSC_TRUE, &contacts));
    assert_int_equal(contacts.n, n);
    assert_memory_equal(contacts.a, copy, sizeof(*copy) * (size_t)n);
    free(copy);
    AbutTestCall(PetscFree(contacts.a));
  }
}

/* Tolerance 0 keeps all; far from the origin the grid still works. */
static void Limits(void **state)
{
  AbutPointRules    rules = TestRules(1);
  uint64_t          seed  = 1;
  AbutPointContacts all = RandomContacts(100, 1, 0.5, &seed), far = RandomContacts(2, 0, 0, &seed);

  (void)state;
  rules.merge = 0;
  AbutTestCall(AbutPointContactsFilter(&rules, PETSC_FALSE, &all));
  assert_int_equal(all.n, 100);
  rules.merge = 1e-6;
  far.a[1]    = far.a[0];
  for (int i = 0; i < 3; i++) far.a[0].position[i] = far.a[1].position[i] = -1e6;
  far.a[1].position[0] += 5e-7;
  AbutTestCall(AbutPointContactsFilter(&rules, PETSC_FALSE, &far));
  assert_int_equal(far.n, 1);
  assert_true(far.a[0].weight == 1);
  AbutTestCall(PetscFree(all.a));
  AbutTestCall(PetscFree(far.a));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(BruteForce), cmocka_unit_test(Limits)};
  return AbutTestMain(argc, argv, tests);
}
