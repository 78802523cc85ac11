/* Queries with a contact time known by construction, and the time of impact of independent solvers. */
#include "test.h"
#include <abut/geom.h>
#include "pair_distance.h"

static AbutPairKind Kind(json_t *query)
{
  const char *type = json_string_value(json_object_get(query, "type"));

  return !strcmp(type, "PT") ? ABUT_PAIR_FV : !strcmp(type, "EE") ? ABUT_PAIR_EE : ABUT_PAIR_EV;
}

/* Contact means distance 0; of queries with a minimum distance only the distances are checked. */
static void CheckQuery(json_t *query, PetscReal slack, int *hits, int *misses)
{
  const AbutPairKind kind = Kind(query);
  const PetscInt     dim = (PetscInt)AbutTestNumber(json_object_get(query, "dim")), n = dim * (kind == ABUT_PAIR_EV ? 3 : 4);
  const PetscReal    dmin = AbutTestNumber(json_object_get(query, "min_distance")), tmax = AbutTestNumber(json_object_get(query, "tmax"));
  const PetscReal    lowest   = AbutTestNumber(json_object_get(query, "sampled_min_distance"));
  const char        *category = json_string_value(json_object_get(query, "category"));
  json_t            *contact = json_object_get(query, "constructed_contact_time"), *expected = json_object_get(query, "expected_hit");
  PetscReal          x[12], dx[12], toi;

  AbutTestNumbers(json_object_get(query, "x0"), n, x);
  AbutTestNumbers(json_object_get(query, "x1"), n, dx);
  for (PetscInt i = 0; i < n; i++) dx[i] -= x[i];
  const PetscBool hit = AbutCCD(kind, dim, x, dx, tmax, slack, &toi);
  const Wide      d0  = WidePairDistance(kind, dim, x, dx, 0);

  if (dmin == 0 && json_is_true(expected)) {
    *hits += 1;
    if (!hit) fail_msg("%s: a contact is missed", category);
    if (contact && toi > AbutTestNumber(contact)) fail_msg("%s: stop at %g after the contact", category, toi);
  }
  for (int i = 0; i <= 100; i++) {
    const Wide d = WidePairDistance(kind, dim, x, dx, toi * (Wide)i / 100);
    if (!(d >= (1 - slack) * d0 * (1 - 1e-15L)) || (d0 > 0 && d == 0)) fail_msg("%s: to %Lg from %Lg", category, d, d0);
  }
  if (hit && toi == 0 && d0 > 0) fail_msg("%s: no step from distance %Lg", category, d0);
  /* the sampled minimum is a close upper bound of the true one: if it is well above the distance of a hit, there must be no hit */
  if (lowest > (1 - slack) * d0 + 0.11 * PetscMin(slack, 1 - slack) * d0) {
    *misses += 1;
    if (hit) fail_msg("%s: a hit although the distance stays above %g of %Lg", category, lowest, d0);
  }
}

static void TestQueries(void **unused)
{
  json_t *root = AbutTestLoadReference("reference/ccd.json"), *queries = json_object_get(root, "queries"), *query;
  size_t  i;
  int     hits = 0, misses = 0;

  json_array_foreach(queries, i, query)
  {
    CheckQuery(query, 0.8, &hits, &misses);
    CheckQuery(query, 0.99, &hits, &misses);
  }
  assert_true(hits > 200 && misses > 200);
  json_decref(root);
  (void)unused;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestQueries)};
  return AbutTestMain(argc, argv, tests);
}
