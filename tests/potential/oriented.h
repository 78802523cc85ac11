/* All pairs of a small surface and their sums, for tests of the orientation-aware potential without meshes and searches. */
#pragma once
#include "test.h"
#include "one_ring.h"
#include "../../src/model/potential/oriented/orientedimpl.h"

#define MAX_VERTICES 32
#define MAX_EDGES    64
#define MAX_FACES    40
#define MAX_PAIRS    4096
#define MAX_SIZE     (3 * 2 * MAX_VERTICES)
#define MAX_SCRATCH  (2 * ABUT_SIMD_WIDTH * MAX_SIZE * (MAX_SIZE + 6))

/* A surface with its parameters and the pairs of one state. */
typedef struct {
  PetscInt             dim, nv, ne, nf, edges[MAX_EDGES][2], faces[MAX_FACES][3], num_pairs;
  PetscBool            oriented[MAX_VERTICES];
  PetscReal            vertex[MAX_VERTICES], edge[MAX_EDGES], face[MAX_FACES], ratio;
  AbutOrientedSpec     spec;
  AbutOrientedDhat     ranges;
  TestOneRing          ring;
  AbutOrientedSurface *surface;
  AbutOrientedPair     pairs[MAX_PAIRS];
} TestOriented;

static inline PetscBool Shares(PetscInt n, const PetscInt a[], PetscInt m, const PetscInt b[])
{
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < m; j++)
      if (a[i] == b[j]) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Adds gradient and Hessian (projected) of a pair over all vertices; g and H may be NULL. */
static inline AbutOrientedPairState OrientedAddPair(const TestOriented *t, const AbutOrientedPair *pair, const PetscReal x[],
                                                    AbutProjection projection, PetscReal g[], PetscReal H[])
{
  static PetscReal      scratch[MAX_SCRATCH], Hp[MAX_SIZE * MAX_SIZE];
  AbutOrientedPairState state;
  const PetscInt        dim = t->dim, N = dim * t->nv;
  PetscInt              v[2 * MAX_VERTICES];
  PetscReal             gp[MAX_SIZE];

  AbutOrientedEvaluate(t->surface, &t->spec, pair, x, &(AbutOrientedOutput){.scratch = scratch, .g = g ? gp : NULL, .H = H ? Hp : NULL},
                       &state);
  AbutOrientedPairVertices(t->surface, pair, v);
  if (H) AbutOrientedProject(dim, PETSC_FALSE, projection, 1, &state.n, Hp, scratch);
  for (PetscInt r = 0; r < dim * state.n; r++) {
    const PetscInt row = dim * v[r / dim] + r % dim;
    if (g) g[row] += gp[r];
    for (PetscInt c = 0; H && c < dim * state.n; c++) H[N * row + dim * v[c / dim] + c % dim] += Hp[dim * state.n * r + c];
  }
  return state;
}

/* Energy, gradient and Hessian of all pairs. */
static inline PetscReal OrientedTotal(const TestOriented *t, const PetscReal x[], AbutProjection projection, PetscReal g[], PetscReal H[])
{
  const PetscInt N   = t->dim * t->nv;
  PetscReal      sum = 0;

  if (g) AbutTestCall(PetscArrayzero(g, N));
  if (H) AbutTestCall(PetscArrayzero(H, N * N));
  for (PetscInt i = 0; i < t->num_pairs; i++) sum += OrientedAddPair(t, &t->pairs[i], x, projection, g, H).value;
  return sum;
}

static inline PetscInt OrientedSplit(const TestOriented *t, AbutPairKind kind, PetscInt a, PetscInt b, const PetscReal x[],
                                     AbutOrientedPair pairs[])
{
  const PetscReal dist = AbutOrientedCandidateDistance(t->surface, kind, a, b, x);
  return AbutOrientedCandidatePairs(t->surface, t->spec.member, &t->ranges, &(AbutOrientedCandidate){kind, a, b, dist}, x, pairs);
}

/* Sets t->pairs to the pairs of all candidates; the mollifier of a pair may be 0. */
static inline void OrientedFindPairs(TestOriented *t, const PetscReal x[])
{
  PetscInt n = 0, active = 0;

  for (PetscInt v = 0; v < t->nv; v++) {
    for (PetscInt e = 0; t->dim == 2 && e < t->ne; e++)
      if (!Shares(2, t->edges[e], 1, &v)) n += OrientedSplit(t, ABUT_PAIR_EV, e, v, x, t->pairs + n);
    for (PetscInt f = 0; f < t->nf; f++)
      if (!Shares(3, t->faces[f], 1, &v)) n += OrientedSplit(t, ABUT_PAIR_FV, f, v, x, t->pairs + n);
    assert_true(n + 13 * MAX_EDGES < MAX_PAIRS);
  }
  for (PetscInt e = 0; t->dim == 3 && e < t->ne; e++) { /* edges without faces also form pairs with vertices */
    AbutOrientedPrimitive p;
    AbutOrientedGetPrimitive(t->surface, ABUT_ORIENTED_EDGE, e, &p);
    for (PetscInt v = 0; p.num_normals == 0 && v < t->nv; v++)
      if (!Shares(2, t->edges[e], 1, &v)) n += OrientedSplit(t, ABUT_PAIR_EV, e, v, x, t->pairs + n);
    assert_true(n + 13 * MAX_EDGES < MAX_PAIRS);
  }
  for (PetscInt e = 0; t->dim == 3 && e < t->ne; e++) {
    for (PetscInt g = 0; g < e; g++)
      if (!Shares(2, t->edges[e], 2, t->edges[g])) n += OrientedSplit(t, ABUT_PAIR_EE, e, g, x, t->pairs + n);
    assert_true(n + 13 * MAX_EDGES < MAX_PAIRS);
  }
  for (PetscInt i = 0; i < n; i++)
    if (OrientedAddPair(t, &t->pairs[i], x, ABUT_PSD_NONE, NULL, NULL).barrier > 0) t->pairs[active++] = t->pairs[i];
  t->num_pairs = active;
}

static inline void OrientedCreate(TestOriented *t)
{
  OneRingCreate(t->nv, t->ne, (const PetscInt(*)[2])t->edges, t->nf, (const PetscInt(*)[3])t->faces, t->oriented, &t->ring);
  AbutTestCall(AbutOrientedSurfaceCreate(t->dim, t->nv, &t->ring.r, &t->surface));
}

static inline void OrientedDestroy(TestOriented *t)
{
  AbutTestCall(AbutOrientedSurfaceDestroy(&t->surface));
  OneRingDestroy(&t->ring);
}

/* Sets the activation distance of each primitive to at most t->ratio times its distance in t->pairs[n], which would be active at rest. */
static inline void OrientedAdaptTo(const TestOriented *t, PetscInt n, const PetscReal rest[], AbutOrientedDhat *dhat)
{
  for (int kind = 0; kind < 3; kind++)
    for (PetscInt i = 0; i < t->surface->num[kind]; i++) dhat->of[kind][i] = dhat->dhat;
  for (PetscInt i = 0; i < n; i++) {
    const AbutOrientedPair *p = &t->pairs[i];
    AbutOrientedLowerDhat(p, t->ratio * AbutOrientedCandidateDistance(t->surface, p->kind, p->a, p->b, rest), dhat);
  }
  AbutOrientedPropagateDhat(t->surface, dhat);
}

/* Adapts activation distances so that no pair is active at rest. */
static inline void OrientedAdapt(TestOriented *t, const PetscReal rest[])
{
  OrientedFindPairs(t, rest);
  t->ranges.of[0] = t->vertex;
  t->ranges.of[1] = t->edge;
  t->ranges.of[2] = t->face;
  OrientedAdaptTo(t, t->num_pairs, rest, &t->ranges);
}
