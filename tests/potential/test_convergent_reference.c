/*
  The convergent potential on small surfaces against recorded values of an independent implementation: stencils, energy, gradient, Hessians.

  The reference differs in three ways: (1) it merges some different mollified edge pairs with equal closest features; (2) it does not
  merge a mollified pair with the same pair in exchanged order; (3) it does not project the Hessian of a pair whose mollifier is 0. The
  records contain the change of the energy by (1). (2) and (3) affect projected Hessians only, which are not compared in these cases.
*/
#include "recorded.h"
#include "rings.h"
#include "../../src/model/potential/potentialimpl.h"

static PetscReal RecordedNumber(json_t *one, const char key[])
{
  return AbutTestNumber(json_object_get(one, key));
}

/* Relative change of the energy by difference (1); -1: no such pair. */
static PetscReal WrongShare(json_t *one)
{
  const char *issue = json_string_value(json_object_get(one, "known_issue")), *at;

  if (!issue) return -1;
  at = strstr(issue, "potential ");
  assert_non_null(at);
  return (PetscReal)atof(at + strlen("potential "));
}

/* Compares the weights of all pairs that are not mollified. */
static void CheckWeights(const Info *info, json_t *collisions, AbutPotential pot)
{
  const AbutStencil *st;
  PetscInt           count, ours = 0, recorded = 0;
  const PetscReal    edge = info->dhat * info->dhat * (1 - 1e-14), none = 1e-14 * PetscSqr(info->dhat);

  AbutTestCall(AbutPotentialGetStencils(pot, &count, &st));
  for (PetscInt k = 0; k < count; k++) ours += !(st[k].eps_cross > 0) && st[k].dist2 < edge && PetscAbsReal(st[k].weight) > none;
  for (size_t i = 0; i < json_array_size(collisions); i++) {
    json_t         *one = json_array_get(collisions, i), *eps = json_object_get(one, "mollifier");
    const char     *type   = json_string_value(json_object_get(one, "type"));
    const PetscReal weight = RecordedNumber(one, "weight");
    PetscInt        v[4], found = -1;
    if ((eps && AbutTestNumber(eps) < 1) || RecordedNumber(one, "dist2") >= edge || PetscAbsReal(weight) <= none) continue;
    if (IsBetweenPoints(info, one)) continue;
    recorded++;
    RecordedVertices(one, v);
    for (PetscInt k = 0; k < count; k++)
      if (!(st[k].eps_cross > 0) && !strcmp(type, StencilType(&st[k])) && SameVertices(type, &st[k], v)) found = k;
    if (found < 0)
      fail_msg("%s dhat %g: no %s of vertices %ld %ld, weight %g", info->name, (double)info->dhat, type, (long)v[0], (long)v[1],
               (double)weight);
    if (!(PetscAbsReal(st[found].weight - weight) <= 1e-13 * (PetscAbsReal(weight) + none)))
      fail_msg("%s dhat %g: %s of vertices %ld %ld: weight %.17g, recorded %.17g", info->name, (double)info->dhat, type, (long)v[0],
               (long)v[1], (double)st[found].weight, (double)weight);
  }
  if (ours != recorded) fail_msg("%s dhat %g: %ld stencils, recorded %ld", info->name, (double)info->dhat, (long)ours, (long)recorded);
}

static PetscBool IsMollified(json_t *collision)
{
  json_t *m = json_object_get(collision, "mollifier");

  return (PetscBool)(m && AbutTestNumber(m) < 1);
}

/* Whether two mollified pairs are the same pair with its edges exchanged: difference (2). */
static PetscBool IsReversed(json_t *one, json_t *other)
{
  PetscReal a[2], b[2];

  AbutTestNumbers(json_object_get(one, "elements"), 2, a);
  AbutTestNumbers(json_object_get(other, "elements"), 2, b);
  return (PetscBool)(a[0] == b[1] && a[1] == b[0]);
}

/* Whether projected Hessians are comparable: neither difference (2) nor (3) occurs. */
static PetscBool ProjectsAlike(json_t *collisions)
{
  for (size_t i = 0; i < json_array_size(collisions); i++) {
    json_t *one = json_array_get(collisions, i);
    if (!IsMollified(one)) continue;
    if (RecordedNumber(one, "mollifier") == 0) return PETSC_FALSE;
    for (size_t k = 0; k < i; k++)
      if (IsMollified(json_array_get(collisions, k)) && IsReversed(one, json_array_get(collisions, k))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void CheckCase(json_t *one, PetscInt dim, PetscInt *projected)
{
  static TestSurface s;
  static TestRings   rings;
  static Info        info;
  PetscReal          energy, energy_ref = RecordedNumber(one, "potential"), wrong = WrongShare(one);
  AbutPotential      pot;

  LoadCase(one, dim, &info, &s);
  RingsInit(&rings, &s, info.ne, (const PetscInt(*)[2])info.edges, info.nf, (const PetscInt(*)[3])info.faces);
  AbutTestCall(AbutPotentialCreate(PETSC_COMM_SELF, "convergent-ipc", &pot));
  AbutTestCall(AbutPotentialSetDhat(pot, info.dhat));
  AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
  CheckWeights(&info, json_object_get(one, "collisions"), pot);
  AbutTestCall(AbutPotentialEnergy(pot, &s.c, s.x, &energy));
  energy_ref -= info.energy_between_points;
  if (wrong > 0) info.tol += 1.01 * wrong; /* three digits are recorded */
  CloseToSize(&info, "energy", 1, &energy, &energy_ref);
  if (wrong < 1e-15) {
    CheckGradient(&info, dim, pot, one);
    CheckHessian(&info, dim, pot, ABUT_PSD_NONE, one);
  }
  if (wrong < 0 && ProjectsAlike(json_object_get(one, "collisions"))) {
    CheckHessian(&info, dim, pot, ABUT_PSD_CLAMP, one);
    ++*projected;
  }
  AbutTestCall(AbutPotentialDestroy(&pot));
}

static void CheckFile(const char path[], PetscInt dim, PetscInt at_least, PetscInt at_least_projected)
{
  json_t  *root = AbutTestLoadReference(path), *cases = json_object_get(root, "cases");
  PetscInt count = 0, projected = 0;

  for (size_t i = 0; i < json_array_size(cases); i++) {
    json_t *one = json_array_get(cases, i);
    if (strcmp(json_string_value(json_object_get(one, "set")), "convergent")) continue;
    CheckCase(one, dim, &projected);
    count++;
  }
  print_message("%s: %ld cases, %ld of them with projection\n", path, (long)count, (long)projected);
  assert_true(count >= at_least && projected >= at_least_projected);
  json_decref(root);
}

static void Surfaces2D(void **state)
{
  (void)state;
  CheckFile("reference/ipc_potential_2d.json", 2, 27, 27);
}

static void Surfaces3D(void **state)
{
  (void)state;
  CheckFile("reference/ipc_potential_3d.json", 3, 41, 24);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Surfaces2D), cmocka_unit_test(Surfaces3D)};
  return AbutTestMain(argc, argv, tests);
}
