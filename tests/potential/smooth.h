/* All pairs of a small surface and what they add up to, for tests of the orientation-aware potential without meshes and searches. */
#pragma once
#include "test.h"
#include "../../src/potential/smoothimpl.h"

#define MAX_VERTICES 32
#define MAX_EDGES    64
#define MAX_FACES    40
#define MAX_PAIRS    4096
#define MAX_SIZE     (3 * 2 * MAX_VERTICES)
#define MAX_SCRATCH  (2 * ABUT_LANES * MAX_SIZE * (MAX_SIZE + 6))

/* A surface with its parameters and the pairs of one state. */
typedef struct {
  PetscInt           dim, nv, ne, nf, edges[MAX_EDGES][2], faces[MAX_FACES][3], num_pairs;
  PetscBool          oriented[MAX_VERTICES];
  PetscReal          vertex[MAX_VERTICES], edge[MAX_EDGES], face[MAX_FACES], ratio;
  AbutSmoothSpec     spec;
  AbutSmoothRanges   ranges;
  AbutSmoothSurface *surface;
  AbutSmoothPair     pairs[MAX_PAIRS];
} TestSmooth;

static inline PetscBool Shares(PetscInt n, const PetscInt a[], PetscInt m, const PetscInt b[])
{
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < m; j++)
      if (a[i] == b[j]) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Adds gradient and Hessian (projected) of a pair over all vertices; g and H may be NULL. */
static inline AbutSmoothPairState SmoothAddPair(const TestSmooth *t, const AbutSmoothPair *pair, const PetscReal x[],
                                                AbutProjection projection, PetscReal g[], PetscReal H[])
{
  static PetscReal    scratch[MAX_SCRATCH], Hp[MAX_SIZE * MAX_SIZE];
  AbutSmoothPairState state;
  const PetscInt      dim = t->dim, N = dim * t->nv;
  PetscInt            v[2 * MAX_VERTICES];
  PetscReal           gp[MAX_SIZE];

  AbutSmoothEvaluate(t->surface, &t->spec, pair, x, scratch, NULL, &state, NULL, g ? gp : NULL, H ? Hp : NULL);
  AbutSmoothPairVertices(t->surface, pair, v);
  if (H) AbutSmoothProject(dim, PETSC_FALSE, projection, 1, &state.n, Hp, scratch);
  for (PetscInt r = 0; r < dim * state.n; r++) {
    const PetscInt row = dim * v[r / dim] + r % dim;
    if (g) g[row] += gp[r];
    for (PetscInt c = 0; H && c < dim * state.n; c++) H[N * row + dim * v[c / dim] + c % dim] += Hp[dim * state.n * r + c];
  }
  return state;
}

/* Energy, gradient and Hessian of all pairs. */
static inline PetscReal SmoothTotal(const TestSmooth *t, const PetscReal x[], AbutProjection projection, PetscReal g[], PetscReal H[])
{
  const PetscInt N   = t->dim * t->nv;
  PetscReal      sum = 0;

  if (g) AbutTestCall(PetscArrayzero(g, N));
  if (H) AbutTestCall(PetscArrayzero(H, N * N));
  for (PetscInt i = 0; i < t->num_pairs; i++) sum += SmoothAddPair(t, &t->pairs[i], x, projection, g, H).value;
  return sum;
}

static inline PetscInt SmoothSplit(const TestSmooth *t, AbutPairKind kind, PetscInt a, PetscInt b, const PetscReal x[],
                                   AbutSmoothPair pairs[])
{
  const PetscReal dist = AbutSmoothCandidateDistance(t->surface, kind, a, b, x);
  return AbutSmoothSplit(t->surface, t->spec.member, &t->ranges, kind, a, b, dist, x, pairs);
}

/* Splits every candidate; t->pairs are those that act, but for the mollifier. */
static inline void SmoothFindPairs(TestSmooth *t, const PetscReal x[])
{
  PetscInt n = 0, active = 0;

  for (PetscInt v = 0; v < t->nv; v++) {
    for (PetscInt e = 0; t->dim == 2 && e < t->ne; e++)
      if (!Shares(2, t->edges[e], 1, &v)) n += SmoothSplit(t, ABUT_PAIR_EV, e, v, x, t->pairs + n);
    for (PetscInt f = 0; f < t->nf; f++)
      if (!Shares(3, t->faces[f], 1, &v)) n += SmoothSplit(t, ABUT_PAIR_FV, f, v, x, t->pairs + n);
    assert_true(n + 13 * MAX_EDGES < MAX_PAIRS);
  }
  for (PetscInt e = 0; t->dim == 3 && e < t->ne; e++) { /* edges without faces meet vertices, too */
    AbutSmoothPrimitive p;
    AbutSmoothGetPrimitive(t->surface, ABUT_SMOOTH_EDGE, e, &p);
    for (PetscInt v = 0; p.num_normals == 0 && v < t->nv; v++)
      if (!Shares(2, t->edges[e], 1, &v)) n += SmoothSplit(t, ABUT_PAIR_EV, e, v, x, t->pairs + n);
    assert_true(n + 13 * MAX_EDGES < MAX_PAIRS);
  }
  for (PetscInt e = 0; t->dim == 3 && e < t->ne; e++) {
    for (PetscInt g = 0; g < e; g++)
      if (!Shares(2, t->edges[e], 2, t->edges[g])) n += SmoothSplit(t, ABUT_PAIR_EE, e, g, x, t->pairs + n);
    assert_true(n + 13 * MAX_EDGES < MAX_PAIRS);
  }
  for (PetscInt i = 0; i < n; i++)
    if (SmoothAddPair(t, &t->pairs[i], x, ABUT_PSD_NONE, NULL, NULL).barrier > 0) t->pairs[active++] = t->pairs[i];
  t->num_pairs = active;
}

static inline void SmoothCreate(TestSmooth *t)
{
  AbutTestCall(AbutSmoothSurfaceCreate(t->dim, t->nv, t->ne, (const PetscInt(*)[2])t->edges, t->nf, (const PetscInt(*)[3])t->faces,
                                       t->oriented, &t->surface));
}

/* Ranges that keep the rest shape free of contact. */
static inline void SmoothAdapt(TestSmooth *t, const PetscReal rest[])
{
  SmoothFindPairs(t, rest);
  t->ranges.vertex = t->vertex;
  t->ranges.edge   = t->edge;
  t->ranges.face   = t->face;
  AbutSmoothAdaptRanges(t->surface, t->ratio, t->num_pairs, t->pairs, rest, &t->ranges);
  AbutSmoothSpreadRanges(t->surface, &t->ranges);
}
