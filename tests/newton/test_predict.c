/* Predicted contacts: springs against closed forms, fewer iterations to the same minimum. */
#include "bench.h"
#include "linearimpl.h"
#include "newtonimpl.h"
#include "timeimpl.h"

#define GAP       0.1  /* between the boxes, far beyond the activation distance [m] */
#define FLOOR     1e-4 /* limit of predicted gaps; pairs beside each other stay further apart [m] */
#define WANTED    0.02 /* gap of the springs [m] */
#define STIFFNESS 7.
#define APPROACH  0.101 /* displacement of the upper box: only its face comes through, not the edges at its sides [m] */
#define FAR       0.4   /* displacement of which CCD leaves less than 0.3 [m] */

/* p: displacement (x, y) of the upper box, 0 elsewhere; ghosts included. */
static void SetDirection(const Bench *b, PetscReal x, PetscReal y, PetscReal p[])
{
  for (PetscInt v = 0; v < b->local->num_local; v++) {
    for (PetscInt k = 0; k < b->dim; k++) p[b->dim * v + k] = 0;
    if (b->local->vertex_body[v] != 1) continue;
    p[b->dim * v]     = x;
    p[b->dim * v + 1] = y;
  }
}

/* Sums over the owned vertices of the lower and of the upper box, of all ranks: sum[box][axis]. */
static void Sum(const Bench *b, const PetscReal g[], PetscReal sum[2][3])
{
  memset(sum, 0, 6 * sizeof(PetscReal));
  for (PetscInt v = 0; v < b->local->num_owned; v++)
    for (PetscInt k = 0; k < b->dim; k++) sum[b->local->vertex_body[v]][k] += g[b->dim * v + k];
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, sum, 6, MPIU_REAL, MPIU_SUM, b->comm), 0);
}

/* Product of the Hessian with a motion of the upper box. */
static void Multiply(const Bench *b, Mat A, PetscReal x, PetscReal y, PetscReal product[2][3])
{
  PetscReal         *p = AbutObjectiveGetIterate(b->stepper->objective)->p;
  Vec                in, out;
  PetscScalar       *array;
  const PetscScalar *result;

  SetDirection(b, x, y, p);
  AbutTestCall(MatCreateVecs(A, &in, &out));
  AbutTestCall(VecGetArray(in, &array));
  for (PetscInt i = 0; i < b->local->num_owned * b->dim; i++) array[i] = p[i];
  AbutTestCall(VecRestoreArray(in, &array));
  AbutTestCall(MatMult(A, in, out));
  AbutTestCall(VecGetArrayRead(out, &result));
  Sum(b, result, product);
  AbutTestCall(VecRestoreArrayRead(out, &result));
  AbutTestCall(VecDestroy(&in));
  AbutTestCall(VecDestroy(&out));
}

/*
  Parallel faces at rest: the gap of every pair is GAP plus the displacement of the upper box along y, so that n springs have the energy
  n STIFFNESS / 2 (GAP - WANTED + y)^2.
*/
static void SpringsOfParallelFaces(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const AbutPredictionLimit limit = {.slack = 0.8, .floor = FLOOR, .horizon = 1, .wanted = WANTED};
    Bench                     b;
    AbutNewton                n;
    AbutObjective             o;
    PetscReal                 step = 1, sum[2][3], with[2][3], without[2][3], *gradient;
    PetscInt                  count;
    Mat                       A;

    BenchInit(&b, PETSC_COMM_WORLD, dim, 0.01);
    BenchAddBox(&b, "lower", 0, 1, 3, 0, 0);
    BenchAddBox(&b, "upper", 0, 0.53, 4, 0.05, (1 + 0.53) / 2 + GAP);
    BenchOpen(&b);
    BenchStep(&b, 1);
    n = b.stepper->newton;
    o = b.stepper->objective;
    SetDirection(&b, 0.01, -APPROACH, AbutObjectiveGetIterate(o)->p);
    AbutTestCall(AbutObjectiveSearch(o, AbutObjectiveGetIterate(o)->p, &step));
    AbutTestCall(AbutObjectiveAccept(o, 0));
    AbutTestCall(AbutObjectiveGetWork(o, &gradient));
    n->predict.springs.stiffness = STIFFNESS;
    AbutTestCall(AbutPredictionAdd(&n->predict.springs, &limit, gradient, &count));
    assert_true(count >= (dim == 2 ? 5 : 25)); /* each vertex of the lower face of the upper box */
    Sum(&b, gradient, sum);
    AbutTestClose("force", 1, &sum[1][1], &(PetscReal){(double)count * STIFFNESS * (GAP - WANTED)}, 1e-12);
    AbutTestClose("reaction", 1, &sum[0][1], &(PetscReal){-sum[1][1]}, 1e-12);
    assert_true(PetscAbsReal(sum[1][0]) < 1e-12 * sum[1][1]);

    AbutTestCall(AbutDirectionUpdatePattern(&n->direction));
    AbutTestCall(AbutObjectiveHessian(o, ABUT_PSD_NONE, &A));
    Multiply(&b, A, 0.3, 0.7, with);
    n->predict.springs.num = 0;
    AbutTestCall(AbutObjectiveHessian(o, ABUT_PSD_NONE, &A));
    Multiply(&b, A, 0.3, 0.7, without);
    for (int body = 0; body < 2; body++)
      for (int k = 0; k < dim; k++) {
        const PetscReal expected = k == 1 ? (body ? 0.7 : -0.7) * (double)count * STIFFNESS : 0, found = with[body][k] - without[body][k];
        assert_true(PetscAbsReal(found - expected) < 1e-10 * (double)count * STIFFNESS);
      }
    BenchClose(&b);
  }
}

/*
  A direction that keeps the gap above the limit predicts nothing; towards a half space each vertex of the face has a spring, unless
  it comes there after the horizon.
*/
static void NothingToPredict(void **state)
{
  AbutPredictionLimit limit = {.slack = 0.8, .floor = FLOOR, .wanted = WANTED};
  Bench               b;
  AbutObjective       o;
  PetscReal           step, *gradient, sum[2][3];
  PetscInt            count;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.01);
  BenchAddBox(&b, "lower", 0, 1, 3, 0, 0);
  BenchAddBox(&b, "upper", 0, 0.53, 4, 0.05, (1 + 0.53) / 2 + GAP);
  BenchAddPlane(&b, "ceiling", 0.5 + GAP + 0.53 + GAP, -1);
  BenchOpen(&b);
  BenchStep(&b, 1);
  o = b.stepper->objective;
  for (int k = 0; k < 4; k++) { /* down, up, up with a horizon before and after the collision at 0.99 */
    const PetscReal move = k > 0 ? APPROACH : -(GAP - 2 * FLOOR);

    limit.horizon = k == 2 ? 0.985 : k == 3 ? 0.995 : 1;
    SetDirection(&b, 0, move, AbutObjectiveGetIterate(o)->p);
    step = 1;
    AbutTestCall(AbutObjectiveSearch(o, AbutObjectiveGetIterate(o)->p, &step));
    AbutTestCall(AbutObjectiveAccept(o, 0));
    AbutTestCall(AbutObjectiveGetWork(o, &gradient));
    b.stepper->newton->predict.springs.stiffness = STIFFNESS;
    b.stepper->newton->predict.springs.num       = 0;
    AbutTestCall(AbutPredictionAdd(&b.stepper->newton->predict.springs, &limit, gradient, &count));
    assert_int_equal(count, k == 1 || k == 3 ? 5 : 0); /* vertices of the upper face and the ceiling */
    Sum(&b, gradient, sum);
    AbutTestClose("force of the ceiling", 1, &sum[1][1], &(PetscReal){-(double)count * STIFFNESS * (GAP - WANTED)}, 1e-12);
  }
  b.stepper->newton->predict.springs.num = 0;
  BenchClose(&b);
}

/* Seven boxes at different heights hit the floor in one step, an eighth one hits the first. Returns the iterations; x: positions by id. */
static PetscInt Fall(PetscInt dim, AbutPredictMode mode, AbutStrategy strategy, PetscReal **x)
{
  PetscInt          count, iterations = 0;
  Bench             b;
  AbutIntersection *crossings = NULL;

  BenchInit(&b, PETSC_COMM_WORLD, dim, 0.01);
  b.spec.dhat.value = 1e-3;
  b.spec.strategy   = strategy;
  for (int k = 0; k < 8; k++) {
    char name[] = "box 0";

    name[4] += (char)k;
    BenchAddBox(&b, name, 0, 0.1, 2, k < 7 ? 0.15 * k : 0.01, k < 7 ? 0.052 + 0.0045 * k : 0.16);
    b.bodies[k].velocity[1] = -3;
  }
  b.bodies[7].shape.translate[2] = 0.007; /* in the middle it could turn to either side */
  BenchAddPlane(&b, "floor", 0, 1);
  BenchOpen(&b);
  b.stepper->newton->predict.mode = mode;
  b.stepper->newton->local.on     = PETSC_FALSE; /* they depend on the division among ranks, and are not counted below */
  for (int k = 0; k < 2; k++) {
    BenchStep(&b, 1);
    iterations += b.report.count.newton;
  }
  AbutTestCall(AbutContactCheck(b.contact, AbutObjectiveGetIterate(b.stepper->objective)->x, &count, &(PetscInt){0}, &crossings));
  assert_int_equal(count, 0);
  AbutTestCall(PetscFree(crossings));
  assert_true(b.report.contact.count > 0);
  *x = BenchPositions(&b);
  BenchClose(&b);
  return iterations;
}

/*
  The same minimum in fewer iterations. Each of the two steps ends with a direction below eps_d h = 1e-8 m; soft modes of the boxes may be
  100 times as far from the minimum.
*/
static void FewerIterations(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    PetscReal     *with, *demand, *without;
    const PetscInt few         = Fall(dim, ABUT_PREDICT_EAGER, ABUT_STRATEGY_CLAMP, &with),
                   many        = Fall(dim, ABUT_PREDICT_OFF, ABUT_STRATEGY_CLAMP, &without);
    const PetscInt unprojected = Fall(dim, ABUT_PREDICT_EAGER, ABUT_STRATEGY_DEMAND, &demand);

    print_message("%ld dimensions: %ld, on demand %ld, instead of %ld iterations\n", (long)dim, (long)few, (long)unprojected, (long)many);
    if (dim == 2) assert_true(few < 0.75 * many && unprojected < 0.75 * many); /* in 3D most iterations compress the boxes */
    for (PetscInt i = 0; i < 8 * (dim == 2 ? 9 : 27) * dim; i++) {
      assert_true(PetscAbsReal(with[i] - without[i]) < 1e-6);
      assert_true(PetscAbsReal(demand[i] - without[i]) < 1e-6);
    }
    AbutTestCall(PetscFree(with));
    AbutTestCall(PetscFree(demand));
    AbutTestCall(PetscFree(without));
  }
}

/* Two boxes, the upper one moved towards the lower one by the searched line. Returns the objective. */
static AbutObjective Approach(Bench *b)
{
  BenchInit(b, PETSC_COMM_WORLD, 2, 0.01);
  BenchAddBox(b, "lower", 0, 1, 3, 0, 0);
  BenchAddBox(b, "upper", 0, 0.53, 4, 0.05, (1 + 0.53) / 2 + GAP);
  BenchOpen(b);
  BenchStep(b, 1);
  SetDirection(b, 0, -APPROACH, AbutObjectiveGetIterate(b->stepper->objective)->p);
  return b->stepper->objective;
}

/* After a failed search Newton's direction, its slope and bound are in force at the start of the line. */
static void NewtonReturns(void **state)
{
  const PetscReal slope_of_newton = -3;
  NewtonStep      step            = {.slope = -5};
  AbutStepBound   wanted;
  PetscReal      *start, *y;
  AbutObjective   o;
  AbutIterate    *at;
  AbutNewton      n;
  Bench           b;
  Vec             Y;

  (void)state;
  o  = Approach(&b);
  n  = b.stepper->newton;
  at = AbutObjectiveGetIterate(o);
  AbutTestCall(PetscMalloc1(n->problem.n, &start));
  AbutTestCall(PetscArraycpy(start, at->x, n->problem.n));
  AbutTestCall(VecDuplicate(n->F, &Y));
  if (!n->predict.newton.Y) AbutTestCall(VecDuplicate(n->F, &n->predict.newton.Y));
  AbutTestCall(VecGetArray(n->predict.newton.Y, &y));
  for (PetscInt i = 0; i < n->problem.n; i++) y[i] = -at->p[i];
  AbutTestCall(VecRestoreArray(n->predict.newton.Y, &y));
  n->predict.newton.slope = slope_of_newton;
  AbutTestCall(AbutObjectiveBoundStep(o, CCD_SLACK, PETSC_INFINITY, &wanted));
  assert_int_equal(wanted.limiter, ABUT_LIMIT_CCD);

  SetDirection(&b, 0.02, -APPROACH / 3, at->p); /* with predicted contacts; its search ends at a trial point */
  AbutTestCall(AbutObjectiveBoundStep(o, CCD_SLACK, PETSC_INFINITY, &step.bound));
  AbutTestCall(AbutObjectiveAccept(o, step.bound.step / 2));
  n->now.predicted = PETSC_TRUE;
  AbutTestCall(VecSet(Y, 1));
  AbutTestCall(AbutPredictReturnToNewton(n, Y, &step));
  assert_false(n->now.predicted);
  assert_true(step.slope == slope_of_newton && step.bound.step == wanted.step && step.bound.limiter == ABUT_LIMIT_CCD && at->t == 0);
  AbutTestCall(VecGetArray(Y, &y));
  for (PetscInt i = 0; i < n->problem.n; i++)
    assert_true(at->x[i] == start[i] && at->p[i] == -y[i] && at->p[i] == (b.local->vertex_body[i / 2] == 1 && i % 2 ? -APPROACH : 0));
  AbutTestCall(VecRestoreArray(Y, &y));
  AbutTestCall(VecDestroy(&Y));
  AbutTestCall(PetscFree(start));
  BenchClose(&b);
}

/* Predicts the contacts of an approach by FAR as Newton's direction; returns whether it tried. */
static PetscBool Predict(Bench *b, AbutObjective o)
{
  const AbutIterate *at   = AbutObjectiveGetIterate(o);
  AbutNewton         n    = b->stepper->newton;
  NewtonStep         step = {.slope = -1};
  PetscReal         *y;
  Vec                Y;

  SetDirection(b, 0, -FAR, at->p);
  AbutTestCall(VecDuplicate(n->F, &Y));
  AbutTestCall(VecGetArray(Y, &y));
  for (PetscInt i = 0; i < n->problem.n; i++) y[i] = -at->p[i];
  AbutTestCall(VecRestoreArray(Y, &y));
  AbutTestCall(AbutObjectiveBoundStep(o, CCD_SLACK, PETSC_INFINITY, &step.bound));
  n->now.direction_norm = FAR / n->problem.h;
  AbutTestCall(AbutPredictDirection(n, n->F, Y, &step));
  AbutTestCall(VecDestroy(&Y));
  return n->predict.tried;
}

/* The first directions are left to Newton; failures double the pause, a success ends it. Solutions leave neither factor nor springs. */
static void Pauses(void **state)
{
  AbutObjective o;
  AbutNewton    n;
  Bench         b;

  (void)state;
  o = Approach(&b);
  n = b.stepper->newton;
  AbutPredictBegin(&n->predict);
  for (int k = 0; k < 3; k++) {
    n->direction.linear->lag.factored = PETSC_TRUE;
    assert_int_equal(Predict(&b, o), k == 2);
    assert_int_equal(n->direction.linear->lag.factored, k < 2);
    assert_int_equal(n->predict.springs.num, 0);
  }
  for (int failure = 0; failure < 3; failure++) { /* pauses of 1, 2, 4 */
    AbutPredictPause(&n->predict, PETSC_FALSE);
    for (int k = 0; k < 1 << failure; k++) {
      assert_false(Predict(&b, o));
      AbutPredictPause(&n->predict, PETSC_FALSE); /* of Newton's direction: no failure of a prediction */
    }
    assert_true(Predict(&b, o));
  }
  AbutPredictPause(&n->predict, PETSC_TRUE);
  assert_true(n->predict.wait == 0 && n->predict.next == 1);
  AbutPredictPause(&n->predict, PETSC_FALSE);
  assert_true(n->predict.wait == 1 && n->predict.next == 2);
  BenchClose(&b);
}

/* Sums over the owned vertices of each body of the forces of springs: the right-hand side less the gradient. */
static void SumSprings(const Bench *b, AbutNewton n, PetscReal force[3])
{
  PetscReal *rhs, *F;

  memset(force, 0, 3 * sizeof(PetscReal));
  AbutTestCall(VecGetArray(n->predict.rhs, &rhs));
  AbutTestCall(VecGetArray(n->F, &F));
  for (PetscInt v = 0; v < b->local->num_owned; v++) force[b->local->vertex_body[v]] += rhs[2 * v + 1] - F[2 * v + 1];
  AbutTestCall(VecRestoreArray(n->F, &F));
  AbutTestCall(VecRestoreArray(n->predict.rhs, &rhs));
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, force, 3, MPIU_REAL, MPIU_SUM, b->comm), 0);
}

/* Two boxes move down by 0.5 m above a third one, one at 0.05 m: the other one has springs only if it comes within eight bounds. */
static void HorizonIsAMultipleOfTheBound(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const PetscReal gap = k ? 0.3 : 0.4; /* 8 bounds are 8 * 0.8 * 0.05 = 0.32 */
    PetscReal       force[3];
    NewtonStep      step = {.slope = -1};
    AbutIterate    *at;
    AbutNewton      n;
    Bench           b;
    Vec             Y;

    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.01);
    BenchAddBox(&b, "lower", 0, 1, 3, 0, 0);
    BenchAddBox(&b, "near", 0, 0.25, 2, -0.3, 0.5 + 0.05 + 0.125);
    BenchAddBox(&b, "far", 0, 0.25, 2, 0.3, 0.5 + gap + 0.125);
    BenchOpen(&b);
    BenchStep(&b, 1);
    n               = b.stepper->newton;
    n->predict.mode = ABUT_PREDICT_EAGER;
    at              = AbutObjectiveGetIterate(b.stepper->objective);
    for (PetscInt i = 0; i < 2 * b.local->num_local; i++) at->p[i] = b.local->vertex_body[i / 2] > 0 && i % 2 ? -0.5 : 0;
    AbutTestCall(VecDuplicate(n->F, &Y));
    AbutTestCall(AbutObjectiveBoundStep(b.stepper->objective, CCD_SLACK, PETSC_INFINITY, &step.bound));
    assert_true(PetscAbsReal(step.bound.step * 0.5 - 0.8 * 0.05) < 1e-3);
    n->now.direction_norm = 0.5 / n->problem.h;
    AbutPredictBegin(&n->predict);
    AbutTestCall(AbutPredictDirection(n, n->F, Y, &step)); /* one round: the direction of these springs promises nothing */
    AbutTestCall(VecDestroy(&Y));
    SumSprings(&b, n, force);
    assert_true(force[1] > 0);
    assert_int_equal(force[2] > 0, k);
    BenchClose(&b);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(SpringsOfParallelFaces), cmocka_unit_test(NothingToPredict), cmocka_unit_test(FewerIterations),
    cmocka_unit_test(NewtonReturns),          cmocka_unit_test(Pauses),           cmocka_unit_test(HorizonIsAMultipleOfTheBound)};
  return AbutTestMain(argc, argv, tests);
}
