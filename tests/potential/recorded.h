/* Comparison of potentials on small surfaces with recorded values: cases, equality of stencils, Hessians. */
#pragma once
#include "evaluate.h"
#include "test.h"
#include "pairs.h"

/*
  Tolerance relative to the largest entry. At the recorded distances, derivatives of the barrier amplify the round-off of a distance by up
  to 1e2. Scenes at 1e4 from the origin lose a factor of 1e4, the recorded 2D point-line distance 1e8.
*/
static inline PetscReal Tolerance(const char name[])
{
  if (!strcmp(name, "squares_large_coordinates")) return 1e-6;
  return strstr(name, "large_coordinates") ? 1e-8 : 1e-10;
}

typedef struct {
  PetscInt  nv, ne, nf, edges[MAX_PAIRS][2], faces[MAX_PAIRS][3];
  PetscReal dhat, tol;
  char      name[128];
  PetscReal energy_between_points;        /* see IsBetweenPoints() */
  PetscBool between_points[MAX_VERTICES]; /* vertices of such pairs */
} Info;

static inline void CloseToSize(const Info *info, const char what[], PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal size = 0;

  for (PetscInt i = 0; i < n; i++) size = PetscMax(size, PetscAbsReal(b[i]));
  for (PetscInt i = 0; i < n; i++) {
    if (!(PetscAbsReal(a[i] - b[i]) <= info->tol * size))
      fail_msg("%s dhat %g: %s: entry %ld is %.17g, recorded %.17g, size %g", info->name, (double)info->dhat, what, (long)i, (double)a[i],
               (double)b[i], (double)size);
  }
}

static inline void LoadIndices(json_t *array, PetscInt width, PetscInt out[])
{
  for (size_t i = 0; i < json_array_size(array); i++) {
    for (PetscInt k = 0; k < width; k++)
      out[width * (PetscInt)i + k] = (PetscInt)AbutTestNumber(json_array_get(json_array_get(array, i), (size_t)k));
  }
}

static inline void RecordedVertices(json_t *collision, PetscInt v[4])
{
  json_t *vertices = json_object_get(collision, "vertices");

  for (size_t k = 0; k < json_array_size(vertices); k++) v[k] = (PetscInt)AbutTestNumber(json_array_get(vertices, k));
}

/*
  Whether both vertices of a recorded pair have no edges. Such vertices are points of obstacles, and no search pairs two obstacles.
  Therefore the comparison leaves out such pairs: their stencils, their energy, and the derivatives over both vertices.
*/
static inline PetscBool IsBetweenPoints(const Info *info, json_t *collision)
{
  PetscInt v[4];

  if (strcmp(json_string_value(json_object_get(collision, "type")), "VV")) return PETSC_FALSE;
  RecordedVertices(collision, v);
  for (PetscInt e = 0; e < info->ne; e++)
    if (Shares(2, info->edges[e], 2, v)) return PETSC_FALSE;
  return PETSC_TRUE;
}

static inline void FindBetweenPoints(json_t *collisions, Info *info)
{
  info->energy_between_points = 0;
  for (PetscInt v = 0; v < info->nv; v++) info->between_points[v] = PETSC_FALSE;
  for (size_t i = 0; i < json_array_size(collisions); i++) {
    json_t  *one = json_array_get(collisions, i);
    PetscInt v[4];
    if (!IsBetweenPoints(info, one)) continue;
    RecordedVertices(one, v);
    for (int k = 0; k < 2; k++) info->between_points[v[k]] = PETSC_TRUE;
    info->energy_between_points += AbutTestNumber(json_object_get(one, "value"));
  }
}

/* Sets to 0 the gradient entries of vertices in pairs between points, and the Hessian entries of two of these vertices. */
static inline void LeaveOutPoints(const Info *info, PetscInt dim, PetscReal g[], PetscReal H[])
{
  const PetscInt N = dim * info->nv;

  for (PetscInt i = 0; i < N; i++) {
    if (!info->between_points[i / dim]) continue;
    if (g) g[i] = 0;
    for (PetscInt j = 0; H && j < N; j++)
      if (info->between_points[j / dim]) H[N * i + j] = 0;
  }
}

/* Compares the gradient of the state with the recorded one, without pairs between points. */
static inline void CheckGradient(const Info *info, PetscInt dim, AbutPotential pot, json_t *one)
{
  PetscReal g[3 * MAX_VERTICES] = {0}, g_ref[3 * MAX_VERTICES];

  AbutTestCall(AbutPotentialAddGradient(pot, 1, g));
  AbutTestNumbers(json_object_get(one, "grad"), dim * info->nv, g_ref);
  LeaveOutPoints(info, dim, g, NULL);
  LeaveOutPoints(info, dim, g_ref, NULL);
  CloseToSize(info, "gradient", dim * info->nv, g, g_ref);
}

static inline void CheckHessian(const Info *info, PetscInt dim, AbutPotential pot, AbutProjection projection, json_t *one)
{
  static PetscReal H[9 * MAX_VERTICES * MAX_VERTICES], H_ref[9 * MAX_VERTICES * MAX_VERTICES];
  const PetscInt   N    = dim * info->nv;
  const PetscBool  none = (PetscBool)(projection == ABUT_PSD_NONE);

  AssembleHessian(pot, dim, info->nv, projection, H);
  AbutTestNumbers(json_object_get(one, none ? "hess" : "hess_psd_clamp"), N * N, H_ref);
  LeaveOutPoints(info, dim, NULL, H);
  LeaveOutPoints(info, dim, NULL, H_ref);
  CloseToSize(info, none ? "Hessian" : "projected Hessian", N * N, H, H_ref);
}

static inline void LoadCase(json_t *one, PetscInt dim, Info *info, TestSurface *s)
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
  FindBetweenPoints(json_object_get(one, "collisions"), info);
  SurfaceInit(s, dim, info->nv, rest, x);
  if (dim == 2)
    SurfaceAddEV(s, info->ne, (const PetscInt(*)[2])info->edges);
  else {
    SurfaceAddFV(s, info->nf, (const PetscInt(*)[3])info->faces);
    SurfaceAddEE(s, info->ne, (const PetscInt(*)[2])info->edges);
  }
}

static inline const char *StencilType(const AbutStencil *st)
{
  if (st->n == 2) return "VV";
  if (st->n == 3) return "EV";
  return st->form == ABUT_DIST_POINT_PLANE ? "FV" : "EE";
}

/* Whether a stencil has these vertices, in any order within each feature. */
static inline PetscBool SameVertices(const char type[], const AbutStencil *st, const PetscInt v[])
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
