/* The potential on small surfaces against recorded values of an independent implementation: stencils, energy, gradient, Hessians. */
#include "test.h"
#include "pairs.h"
#include "../../src/potential/potentialimpl.h"

/* Relative to the largest entry: sums of at most some hundred terms of a barrier whose derivatives amplify the rounding of a distance by
   up to 1e2 at the distances recorded. Scenes 1e4 from the origin lose another 1e4, and the recorded 2D point-line form 1e8 there. */
static PetscReal Tolerance(const char name[])
{
  if (!strcmp(name, "squares_large_coordinates")) return 1e-6;
  return strstr(name, "large_coordinates") ? 1e-8 : 1e-10;
}

typedef struct {
  PetscInt  nv, ne, nf, edges[MAX_PAIRS][2], faces[MAX_PAIRS][3];
  PetscReal dhat, tol;
  char      name[128];
} Info;

static void CloseToSize(const Info *info, const char what[], PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(b[i]));
  for (PetscInt i = 0; i < n; i++) {
    if (!(PetscAbsReal(a[i] - b[i]) <= info->tol * size))
      fail_msg("%s dhat %g: %s: entry %ld is %.17g, recorded %.17g, size %g", info->name, (double)info->dhat, what, (long)i, (double)a[i],
               (double)b[i], (double)size);
  }
}

static void LoadIndices(json_t *array, PetscInt width, PetscInt out[])
{
  for (size_t i = 0; i < json_array_size(array); i++) {
    for (PetscInt k = 0; k < width; k++)
      out[width * (PetscInt)i + k] = (PetscInt)AbutTestNumber(json_array_get(json_array_get(array, i), (size_t)k));
  }
}

static void LoadCase(json_t *one, PetscInt dim, Info *info, TestSurface *s)
{
  PetscReal rest[3 * MAX_VERTICES], x[3 * MAX_VERTICES];

  snprintf(info->name, sizeof(info->name), "%s", json_string_value(json_object_get(one, "name")));
  info->dhat = AbutTestNumber(json_object_get(one, "dhat"));
  info->tol  = Tolerance(info->name);
  info->nv   = (PetscInt)json_array_size(json_object_get(one, "V"));
  info->ne   = (PetscInt)json_array_size(json_object_get(one, "E"));
  info->nf   = (PetscInt)json_array_size(json_object_get(one, "F"));
  assert_true(info->nv <= MAX_VERTICES);
  AbutTestNumbers(json_object_get(one, "V_rest"), dim * info->nv, rest);
  AbutTestNumbers(json_object_get(one, "V"), dim * info->nv, x);
  LoadIndices(json_object_get(one, "E"), 2, info->edges[0]);
  LoadIndices(json_object_get(one, "F"), 3, info->faces[0]);
  SurfaceInit(s, dim, info->nv, rest, x);
  if (dim == 2)
    SurfaceAddEV(s, info->ne, (const PetscInt(*)[2])info->edges);
  else {
    SurfaceAddFV(s, info->nf, (const PetscInt(*)[3])info->faces);
    SurfaceAddEE(s, info->ne, (const PetscInt(*)[2])info->edges);
  }
}

static const char *StencilType(const AbutStencil *st)
{
  if (st->n == 2) return "VV";
  if (st->n == 3) return "EV";
  return st->form == ABUT_DIST_POINT_PLANE ? "FV" : "EE";
}

/* The same vertices, whatever their order within the features. */
static PetscBool SameVertices(const char type[], const AbutStencil *st, const PetscInt v[])
{
  const PetscInt *w = st->v;

  if (!strcmp(type, "VV")) return Shares(1, w, 2, v) && Shares(1, w + 1, 2, v);
  if (!strcmp(type, "EV")) return w[0] == v[0] && Shares(1, w + 1, 2, v + 1) && Shares(1, w + 2, 2, v + 1);
  if (!strcmp(type, "FV")) return w[0] == v[0] && Shares(1, w + 1, 3, v + 1) && Shares(1, w + 2, 3, v + 1) && Shares(1, w + 3, 3, v + 1);
  for (int side = 0; side < 2; side++) {
    const PetscInt *a = v + 2 * side, *b = v + 2 - 2 * side;
    if (Shares(1, w, 2, a) && Shares(1, w + 1, 2, a) && Shares(1, w + 2, 2, b) && Shares(1, w + 3, 2, b)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static void CheckStencils(const Info *info, const TestSurface *s, json_t *collisions, AbutPotential pot)
{
  const PetscReal    edge = info->dhat * info->dhat * (1 - 1e-14); /* pairs at the very range are in or out by rounding */
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
    inside_ref++;
    for (size_t k = 0; k < json_array_size(json_object_get(one, "vertices")); k++)
      v[k] = (PetscInt)AbutTestNumber(json_array_get(json_object_get(one, "vertices"), k));
    for (PetscInt k = 0; k < count; k++) {
      if (!strcmp(type, StencilType(&st[k])) && SameVertices(type, &st[k], v)) found = k;
    }
    if (found < 0) fail_msg("%s dhat %g: no %s of vertices %ld %ld", info->name, (double)info->dhat, type, (long)v[0], (long)v[1]);
    AbutTestClose("weight", 1, &st[found].weight, (PetscReal[]){AbutTestNumber(json_object_get(one, "weight"))}, 0);
    for (PetscInt a = 0; a < st[found].n; a++) memcpy(x + s->c.dim * a, s->x + s->c.dim * st[found].v[a], sizeof(*x) * (size_t)s->c.dim);
    ours[0] = st[found].dist2;
    CloseToSize(info, "dist2", 1, ours, recorded);
    ours[1]     = AbutStencilEnergy(s->c.dim, &st[found], NULL, info->dhat * info->dhat, x);
    recorded[1] = AbutTestNumber(json_object_get(one, "value"));
    if (PetscAbsReal(recorded[1]) > 1e-14 * PetscPowRealInt(info->dhat, 4)) CloseToSize(info, "value", 1, &ours[1], &recorded[1]);
  }
  if (inside != inside_ref)
    fail_msg("%s dhat %g: %ld stencils, recorded %ld", info->name, (double)info->dhat, (long)inside, (long)inside_ref);
}

static void AssembleHessian(AbutPotential pot, PetscInt dim, PetscInt nv, AbutProjection project, PetscReal H[])
{
  AbutAssembler   as;
  AbutStencilList needed, near;
  PetscInt       *all, N = dim * nv;
  PetscBool       rebuilt;
  Mat             A;

  AbutTestCall(AbutAssemblerCreate(PETSC_COMM_SELF, dim, nv, &as));
  AbutTestCall(AbutAssemblerSetFixed(as, dim + 1, 0, NULL));
  AbutTestCall(AbutPotentialGetPattern(pot, 1, &needed, &near));
  AbutTestCall(AbutAssemblerUpdatePattern(as, 1, &needed, &near, &rebuilt));
  AbutTestCall(AbutAssemblerBegin(as));
  AbutTestCall(AbutPotentialAddHessian(pot, 1, project, as));
  AbutTestCall(AbutAssemblerEnd(as, NULL));
  AbutTestCall(AbutAssemblerGetMat(as, &A));
  AbutTestCall(PetscMalloc1(N, &all));
  for (PetscInt i = 0; i < N; i++) all[i] = i;
  AbutTestCall(MatGetValues(A, N, all, N, all, H));
  AbutTestCall(PetscFree(all));
  AbutTestCall(AbutAssemblerDestroy(&as));
}

static void CheckCase(json_t *one, PetscInt dim)
{
  static TestSurface s;
  static Info        info;
  static PetscReal g[3 * MAX_VERTICES], g_ref[3 * MAX_VERTICES], H[9 * MAX_VERTICES * MAX_VERTICES], H_ref[9 * MAX_VERTICES * MAX_VERTICES];
  PetscReal        energy, energy_ref = AbutTestNumber(json_object_get(one, "potential"));
  AbutPotential    pot;
  PetscInt         N;

  LoadCase(one, dim, &info, &s);
  N = dim * info.nv;
  AbutTestCall(AbutPotentialCreate(PETSC_COMM_SELF, "ipc", &pot));
  AbutTestCall(AbutPotentialSetRange(pot, info.dhat));
  AbutTestCall(AbutPotentialSetState(pot, &s.c, s.x));
  CheckStencils(&info, &s, json_object_get(one, "collisions"), pot);
  AbutTestCall(AbutPotentialEnergy(pot, &s.c, s.x, &energy));
  CloseToSize(&info, "energy", 1, &energy, &energy_ref);
  memset(g, 0, sizeof(g));
  AbutTestCall(AbutPotentialAddGradient(pot, 1, g));
  AbutTestNumbers(json_object_get(one, "grad"), N, g_ref);
  CloseToSize(&info, "gradient", N, g, g_ref);
  AssembleHessian(pot, dim, info.nv, ABUT_PSD_NONE, H);
  AbutTestNumbers(json_object_get(one, "hess"), N * N, H_ref);
  CloseToSize(&info, "Hessian", N * N, H, H_ref);
  AssembleHessian(pot, dim, info.nv, ABUT_PSD_CLAMP, H);
  AbutTestNumbers(json_object_get(one, "hess_psd_clamp"), N * N, H_ref);
  CloseToSize(&info, "projected Hessian", N * N, H, H_ref);
  AbutTestCall(AbutPotentialDestroy(&pot));
}

static void CheckFile(const char path[], PetscInt dim, PetscInt at_least)
{
  json_t  *root = AbutTestLoadReference(path), *cases = json_object_get(root, "cases");
  PetscInt count = 0;

  for (size_t i = 0; i < json_array_size(cases); i++) {
    json_t *one = json_array_get(cases, i);
    if (strcmp(json_string_value(json_object_get(one, "set")), "ipc")) continue;
    if (!strncmp(json_string_value(json_object_get(one, "name")), "points_", 7))
      continue; /* pairs of two free vertices are no candidates */
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
  CheckFile("reference/ipc_potential_2d.json", 2, 20);
}

static void Surfaces3D(void **state)
{
  (void)state;
  CheckFile("reference/ipc_potential_3d.json", 3, 35);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Surfaces2D), cmocka_unit_test(Surfaces3D)};
  return AbutTestMain(argc, argv, tests);
}
