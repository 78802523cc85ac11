/* The potential on small surfaces against recorded values of an independent implementation: stencils, energy, gradient, Hessians. */
#include "recorded.h"
#include "stencil_energy.h"

static void CheckStencils(const Info *info, const TestSurface *s, json_t *collisions, AbutPotential pot)
{
  const PetscReal    edge = info->dhat * info->dhat * (1 - 1e-14); /* round-off decides whether pairs at distance dhat are active */
  const AbutStencil *st;
  PetscInt           count, inside = 0, inside_ref = 0;

  AbutTestCall(AbutPotentialGetStencils(pot, &count, &st));
  for (PetscInt k = 0; k < count; k++) inside += st[k].dist2 < edge;
  for (size_t i = 0; i < json_array_size(collisions); i++) {
    json_t     *one  = json_array_get(collisions, i);
    const char *type = json_string_value(json_object_get(one, "type"));
    PetscInt    v[4], found = -1;
    PetscReal   x[12], ours[2], recorded[2];
    recorded[0] = AbutTestNumber(json_object_get(one, "dist2"));
    if (recorded[0] >= edge) continue;
    if (IsBetweenPoints(info, one)) continue;
    inside_ref++;
    RecordedVertices(one, v);
    for (PetscInt k = 0; k < count; k++) {
      if (!strcmp(type, StencilType(&st[k])) && SameVertices(type, &st[k], v)) found = k;
    }
    if (found < 0) fail_msg("%s dhat %g: no %s of vertices %ld %ld", info->name, (double)info->dhat, type, (long)v[0], (long)v[1]);
    AbutTestClose("weight", 1, &st[found].weight, (PetscReal[]){AbutTestNumber(json_object_get(one, "weight"))}, 0);
    for (PetscInt a = 0; a < st[found].n; a++) memcpy(x + s->c.dim * a, s->x + s->c.dim * st[found].v[a], sizeof(*x) * (size_t)s->c.dim);
    ours[0] = st[found].dist2;
    CloseToSize(info, "dist2", 1, ours, recorded);
    ours[1]     = StencilEnergy(s->c.dim, &st[found], NULL, info->dhat * info->dhat, x);
    recorded[1] = AbutTestNumber(json_object_get(one, "value"));
    if (PetscAbsReal(recorded[1]) > 1e-14 * PetscPowRealInt(info->dhat, 4)) CloseToSize(info, "value", 1, &ours[1], &recorded[1]);
  }
  if (inside != inside_ref)
    fail_msg("%s dhat %g: %ld stencils, recorded %ld", info->name, (double)info->dhat, (long)inside, (long)inside_ref);
}

static void CheckCase(json_t *one, PetscInt dim)
{
  static TestSurface s;
  static Info        info;
  PetscReal          energy, energy_ref = AbutTestNumber(json_object_get(one, "potential"));
  AbutPotential      pot;

  LoadCase(one, dim, &info, &s);
  AbutTestCall(AbutPotentialCreate(PETSC_COMM_SELF, "ipc", &pot));
  AbutTestCall(AbutPotentialSetDhat(pot, info.dhat));
  AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
  CheckStencils(&info, &s, json_object_get(one, "collisions"), pot);
  AbutTestCall(AbutPotentialEnergy(pot, &s.c, s.x, &energy));
  energy_ref -= info.energy_between_points;
  CloseToSize(&info, "energy", 1, &energy, &energy_ref);
  CheckGradient(&info, dim, pot, one);
  CheckHessian(&info, dim, pot, ABUT_PSD_NONE, one);
  CheckHessian(&info, dim, pot, ABUT_PSD_CLAMP, one);
  AbutTestCall(AbutPotentialDestroy(&pot));
}

static void CheckFile(const char path[], PetscInt dim, PetscInt at_least)
{
  json_t  *root = AbutTestLoadReference(path), *cases = json_object_get(root, "cases");
  PetscInt count = 0;

  for (size_t i = 0; i < json_array_size(cases); i++) {
    json_t *one = json_array_get(cases, i);
    if (strcmp(json_string_value(json_object_get(one, "set")), "ipc")) continue;
    CheckCase(one, dim);
    count++;
  }
  print_message("%s: %ld cases\n", path, (long)count);
  assert_true(count >= at_least);
  json_decref(root);
}

static void Surfaces2D(void **state)
{
  (void)state;
  CheckFile("reference/ipc_potential_2d.json", 2, 27);
}

static void Surfaces3D(void **state)
{
  (void)state;
  CheckFile("reference/ipc_potential_3d.json", 3, 41);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Surfaces2D), cmocka_unit_test(Surfaces3D)};
  return AbutTestMain(argc, argv, tests);
}
