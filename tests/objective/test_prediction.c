/* Springs of predicted contacts against finite differences of the distance of their pairs. */
#include "bench.h"
#include "timeimpl.h"

#define STIFFNESS 3.
#define WANTED    0.01
#define SLACK     0.3

static AbutPredictionLimit limit = {.slack = SLACK, .floor = 0.1, .wanted = WANTED, .horizon = 1};

/* A pair of the candidates at the end of its step, and its expected spring. */
typedef struct {
  PetscReal x[12], dx[12]; /* positions at the end; the whole displacement */
  PetscReal slope[12], residual;
  PetscInt  points; /* with a slope */
} Expected;

static PetscReal Distance(AbutPairKind kind, PetscInt dim, const PetscReal x[])
{
  return PetscSqrtReal(AbutPairDist2(kind, dim, x));
}

/* False if the displacement keeps the pair above the limit up to the horizon. */
static PetscBool Expect(AbutPairKind kind, PetscInt dim, PetscInt n, const AbutCandidates *c, const PetscInt v[], Expected *e)
{
  const PetscReal step = 1e-5;
  PetscReal       t, start, slack, along = 0;

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < dim; k++) {
      e->x[dim * i + k]  = c->x[dim * v[i] + k];
      e->dx[dim * i + k] = c->p[dim * v[i] + k];
    }
  start = Distance(kind, dim, e->x);
  slack = 1 - PetscMin((1 - SLACK) * start, limit.floor) / start;
  if (!AbutCCD(kind, dim, e->x, e->dx, 1, slack, &t) || t > limit.horizon) return PETSC_FALSE;
  for (PetscInt i = 0; i < n * dim; i++) e->x[i] += t * e->dx[i];
  e->points = 0;
  for (PetscInt i = 0; i < n * dim; i++) {
    PetscReal at[2];
    for (int side = 0; side < 2; side++) {
      PetscReal x[12];
      for (PetscInt j = 0; j < n * dim; j++) x[j] = e->x[j] + (j == i ? (side ? step : -step) * limit.floor : 0);
      at[side] = Distance(kind, dim, x);
    }
    e->slope[i] = (at[1] - at[0]) / (2 * step * limit.floor);
    along += e->slope[i] * e->dx[i];
  }
  for (PetscInt i = 0; i < n; i++) e->points += AbutDot(dim, e->slope + dim * i, e->slope + dim * i) > 1e-10;
  e->residual = Distance(kind, dim, e->x) - t * along - PetscMin(WANTED, start / 2);
  return PETSC_TRUE;
}

/* Compares spring s, and adds its gradient to g. */
static void Compare(const AbutPrediction *springs, PetscInt s, PetscInt n, const AbutCandidates *c, const PetscInt v[], const Expected *e,
                    PetscReal g[])
{
  const PetscInt dim = springs->dim;

  assert_true(s < springs->num);
  for (PetscInt i = 0; i < n; i++) {
    PetscReal found[3] = {0, 0, 0};
    for (PetscInt j = 0; j < 4; j++)
      for (PetscInt k = 0; k < dim && springs->vertices[4 * s + j] == c->vertex_global[v[i]]; k++)
        found[k] += springs->slopes[12 * s + dim * j + k];
    for (PetscInt k = 0; k < dim; k++) {
      assert_true(PetscAbsReal(found[k] - e->slope[dim * i + k]) < 1e-6);
      g[dim * v[i] + k] += STIFFNESS * e->residual * e->slope[dim * i + k];
    }
  }
}

/* Checks the springs of one kind of pair from number *s on; counts them by their number of points. */
static void CheckKind(const AbutPrediction *springs, AbutPairKind kind, PetscInt n, PetscInt num, const PetscInt *pairs, PetscReal g[],
                      PetscInt *s, PetscInt seen[5])
{
  const AbutCandidates *c = AbutContactGetCandidates(springs->contact);

  for (PetscInt k = 0; k < num; k++) {
    Expected e;
    if (!Expect(kind, springs->dim, n, c, pairs + n * k, &e)) continue;
    Compare(springs, (*s)++, n, c, pairs + n * k, &e, g);
    seen[e.points]++;
  }
}

/*
  Two boxes; each vertex of the upper one falls by a length of its own, so that all types of closest features meet. Returns the number of
  springs in 2D and 3D.
*/
static PetscInt CheckSprings(void)
{
  PetscInt sum = 0;

  for (PetscInt dim = 2; dim <= 3; dim++) {
    AbutPrediction        springs;
    Bench                 b;
    AbutObjective         o;
    const AbutCandidates *c;
    PetscReal             step = 1, *gradient, *g, *p;
    PetscInt              added, count = 0, faces[5] = {0}, edges[5] = {0};

    BenchInit(&b, PETSC_COMM_WORLD, dim, 0.01);
    BenchAddBox(&b, "lower", 0, 1, 3, 0, 0);
    BenchAddBox(&b, "upper", 0, 0.8, 3, 0.37, 0.5 + 0.1 + 0.4);
    b.bodies[1].shape.translate[2] = 0.29;
    BenchOpen(&b);
    BenchStep(&b, 1);
    o = b.stepper->objective;
    p = AbutObjectiveGetIterate(o)->p;
    for (PetscInt v = 0; v < b.local->num_local; v++)
      for (PetscInt k = 0; k < dim; k++)
        p[dim * v + k] = b.local->vertex_body[v] == 1 ? (k == 1 ? -0.25 : 0.05) + 0.1 * PetscSinReal((PetscReal)(7 * v + 3 * k)) : 0;
    AbutTestCall(AbutObjectiveSearch(o, p, &step));
    AbutTestCall(AbutObjectiveAccept(o, 0));
    AbutTestCall(AbutObjectiveGetWork(o, &gradient));
    springs = (AbutPrediction){.comm = b.comm, .contact = b.contact, .dim = dim, .stiffness = STIFFNESS};
    AbutTestCall(AbutPredictionAdd(&springs, &limit, gradient, &added));
    c = AbutContactGetCandidates(b.contact);
    AbutTestCall(PetscCalloc1(c->num_vertices * dim, &g));
    CheckKind(&springs, ABUT_PAIR_FV, 4, c->num_fv, c->num_fv ? c->fv[0] : NULL, g, &count, faces);
    CheckKind(&springs, ABUT_PAIR_EE, 4, c->num_ee, c->num_ee ? c->ee[0] : NULL, g, &count, edges);
    CheckKind(&springs, ABUT_PAIR_EV, 3, c->num_ev, c->num_ev ? c->ev[0] : NULL, g, &count, faces);
    assert_int_equal(count, added);
    sum += added;
    for (PetscInt k = 2; k <= dim + 1; k++) assert_true(limit.horizon < 1 || faces[k] > 0); /* a vertex and a vertex, an edge, a triangle */
    assert_true(dim == 2 || limit.horizon < 1 || edges[4] > 0);
    for (PetscInt i = 0; i < c->num_vertices * dim; i++) assert_true(PetscAbsReal(g[i] - gradient[i]) < 1e-6 * STIFFNESS);
    AbutTestCall(PetscFree(g));
    AbutTestCall(AbutPredictionFree(&springs));
    BenchClose(&b);
  }
  return sum;
}

static void SlopesOfAllFeatures(void **state)
{
  (void)state;
  assert_true(CheckSprings() > 0);
}

/* Only collisions in the first part of a direction become springs. */
static void CollisionsUpToTheHorizon(void **state)
{
  const PetscInt all = CheckSprings();
  PetscInt       first;

  (void)state;
  limit.horizon = 0.5;
  first         = CheckSprings();
  limit.horizon = 1;
  assert_true(first > 0 && first < all);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(SlopesOfAllFeatures), cmocka_unit_test(CollisionsUpToTheHorizon)};
  return AbutTestMain(argc, argv, tests);
}
