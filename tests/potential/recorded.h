/* Recorded values of potentials on small surfaces: cases, what is the same stencil, Hessians. */
#pragma once
#include "evaluate.h"
#include "test.h"
#include "pairs.h"

/* Relative to the largest entry: sums of at most some hundred terms of a barrier whose derivatives amplify the rounding of a distance by
   up to 1e2 at the distances recorded. Scenes 1e4 from the origin lose another 1e4, and the recorded 2D point-line form 1e8 there. */
static inline PetscReal Tolerance(const char name[])
{
  if (!strcmp(name, "squares_large_coordinates")) return 1e-6;
  return strstr(name, "large_coordinates") ? 1e-8 : 1e-10;
}

typedef struct {
  PetscInt  nv, ne, nf, edges[MAX_PAIRS][2], faces[MAX_PAIRS][3];
  PetscReal dhat, tol;
  char      name[128];
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

/* The same vertices, whatever their order within the features. */
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
