/*
  Prescribed motion: conditions that reverse, stop or release a motion; rotation; several motions of one vertex; obstacles that push bodies
  of small and large density.
*/
#include "bench.h"
#include "constraintimpl.h"
#include "timeimpl.h"

static AbutCondition Gap(const char a[], const char b[], PetscReal limit, AbutAction action)
{
  AbutCondition until = {.measure = ABUT_MEASURE_GAP, .axis = 0, .limit = limit, .action = action};

  strcpy(until.subject[0], a);
  strcpy(until.subject[1], b);
  return until;
}

/*
  Two plates approach each other by 0.05 m per step each. At a gap below 0.75 m the motion of the left plate reverses, and in one case
  the motion of the right plate too. In the other case the gap stays constant: a condition acts only once, when it becomes true.
*/
static void PressReverses(void **state)
{
  const PetscReal expected[] = {-0.45, -0.40, -0.35, -0.40, -0.45, -0.50}; /* right side of the left plate; gaps 0.9, 0.8, 0.7 ... */

  (void)state;
  for (int both = 0; both < 2; both++) {
    Bench b;

    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.05);
    BenchAddBox(&b, "block", 0, 0.2, 2, 0, 3); /* takes no part */
    BenchAddBox(&b, "left", -1, 0.5, 2, -0.75, 0);
    BenchAddBox(&b, "right", -1, 0.5, 2, 0.75, 0);
    BenchAddMotion(&b, "left", 1, 0)->until = Gap("left", "right", 0.75, ABUT_ACTION_REVERSE);
    BenchAddMotion(&b, "right", -1, 0);
    if (both) b.motions[1].until = b.motions[0].until;
    BenchOpen(&b);
    for (int k = 0; k < 6; k++) {
      const PetscReal right = both ? -expected[k] : 0.45 - 0.05 * k;
      PetscReal       low, high;
      BenchStep(&b, 1);
      BenchExtent(&b, 1, 0, &low, &high);
      AbutTestClose("left plate", 1, &high, &expected[k], 1e-12);
      low = BenchLowest(&b, 2, 0);
      AbutTestClose("right plate", 1, &low, &right, 1e-12);
    }
    assert_int_equal(b.state->motion[0], both ? ABUT_MOTION_REVERSED : ABUT_MOTION_REVERSED | ABUT_MOTION_MET);
    BenchClose(&b);
  }
}

/* A body moves down until its lowest point is below 0.75 m; then it stops, or is released with its velocity. */
static void StopsOrReleases(void **state)
{
  (void)state;
  for (int release = 0; release < 2; release++) {
    Bench           b;
    AbutMotionSpec *motion;
    PetscReal       low;

    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.05);
    BenchAddBox(&b, "block", 0, 0.2, 2, 0, 1);
    motion = BenchAddMotion(&b, "block", 0, -1);
    motion->until =
      (AbutCondition){.measure = ABUT_MEASURE_LOWEST, .axis = 1, .limit = 0.76, .action = release ? ABUT_ACTION_RELEASE : ABUT_ACTION_STOP};
    BenchOpen(&b);
    BenchStep(&b, 3); /* 0.9, 0.85, 0.8, 0.75 */
    AbutTestClose("pulled", 1, (low = BenchLowest(&b, 0, 1), &low), &(PetscReal){0.75}, 1e-12);
    BenchStep(&b, 4);
    low = BenchLowest(&b, 0, 1);
    AbutTestClose(release ? "flies on" : "stands", 1, &low, &(PetscReal){release ? 0.55 : 0.75}, 1e-6);
    assert_true(b.state->motion[0] == (ABUT_MOTION_MET | (release ? ABUT_MOTION_RELEASED : ABUT_MOTION_STOPPED)));
    BenchClose(&b);
  }
}

/* Translation composed with rotation about the moving centre, ending within a step: corners reach their closed-form positions. */
static void Composes(void **state)
{
  const PetscReal quarter = PETSC_PI / 2;
  Bench           b;
  AbutMotionSpec *turn;
  PetscReal      *x, expected[2];

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, 0.5);
  BenchAddBox(&b, "block", 0, 1, 1, 10, 0);
  BenchAddBox(&b, "roller", -1, 1, 1, 0, 0);
  BenchAddMotion(&b, "roller", 1, 0)->end = 0.75;
  turn                                    = BenchAddMotion(&b, "roller", 0, 0);
  turn->angular_velocity[2]               = quarter;
  turn->follow                            = PETSC_TRUE;
  BenchOpen(&b);
  BenchStep(&b, 4); /* 0.75 m along x and half a turn: each corner is at the place of the opposite corner */
  x = BenchPositions(&b);
  for (PetscInt v = b.local->bodies[1].vertex_start; v < b.local->bodies[1].vertex_end; v++) {
    PetscInt  owner   = -1;
    PetscReal rest[3] = {0, 0, 0};
    for (PetscInt k = 0; k < b.local->num_owned; k++)
      if (b.local->vertex_id[k] == v) owner = k;
    for (PetscInt i = 0; i < 2 && owner >= 0; i++) rest[i] = b.local->rest[2 * owner + i];
    rest[2] = owner >= 0;
    MPI_Allreduce(MPI_IN_PLACE, rest, 3, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD);
    assert_true(rest[2] == 1);
    expected[0] = 0.75 - rest[0];
    expected[1] = -rest[1];
    AbutTestClose("corner", 2, x + 2 * v, expected, 1e-12);
  }
  AbutTestCall(PetscFree(x));
  BenchClose(&b);
}

/* A velocity during a turn about a centre at rest, in steps of different length: the closed form does not depend on them. */
static void MovesWhileItTurns(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    const int       steps = (int[4]){4, 48, 1, 1}[k];
    const PetscReal angle = (PetscReal[4]){PETSC_PI, PETSC_PI, 5e-4, 5e-6}[k], sine = PetscSinReal(angle), cosine = PetscCosReal(angle);
    const PetscReal half = (sine + PetscAbsReal(cosine)) / 2; /* extent of the turned box */
    Bench           b;
    AbutMotionSpec *motion;
    PetscReal       low[2];

    BenchInit(&b, PETSC_COMM_WORLD, 2, 1.0 / steps);
    BenchAddBox(&b, "block", 0, 1, 1, 10, 0);
    BenchAddBox(&b, "roller", -1, 1, 1, 0, 0);
    motion                      = BenchAddMotion(&b, "roller", 1, 0);
    motion->angular_velocity[2] = angle;
    BenchOpen(&b);
    BenchStep(&b, steps);
    for (PetscInt i = 0; i < 2; i++) low[i] = BenchLowest(&b, 1, i);
    AbutTestClose("lower left corner", 2, low, (PetscReal[2]){sine / angle - half, (1 - cosine) / angle - half}, 1e-12);
    BenchClose(&b);
  }
}

/* A turn by 20 degrees goes in seven pieces on the arc, in which a half space keeps pace; one by 6 degrees goes straight. */
static void TurnsInPieces(void **state)
{
  (void)state;
  for (int large = 0; large < 2; large++) {
    Bench          b;
    AbutConstraint c;
    PetscBool      more;
    PetscInt       pieces = 0;

    BenchInit(&b, PETSC_COMM_WORLD, 2, 1);
    BenchAddBox(&b, "block", 0, 1, 1, 10, 0);
    BenchAddBox(&b, "roller", -1, 1, 1, 0, 0);
    BenchAddPlane(&b, "floor", -2, 1);
    BenchAddMotion(&b, "roller", 0, 0)->angular_velocity[2] = (large ? 20 : 6) * PETSC_PI / 180;
    BenchAddMotion(&b, NULL, 0, -0.7)->plane                = 0;
    BenchOpen(&b);
    c = b.stepper->constraint;
    AbutTestCall(AbutConstraintBeginStep(c, 0, 1));
    do {
      pieces++;
      for (PetscInt v = 0; v < b.local->num_owned; v++) {
        const PetscReal *x = c->vertices.target + 2 * v;
        if (c->vertices.state[2 * v] == ABUT_BOUNDARY_MOVING)
          AbutTestClose("radius", 1, &(PetscReal){AbutDot(2, x, x)}, &(PetscReal){0.5}, 1e-14);
      }
      AbutTestCall(AbutConstraintBeginPush(c));
      AbutTestClose("half space", 1, &c->planes.step[1], &(PetscReal){large ? -0.1 : -0.7}, 1e-14);
      AbutTestCall(AbutConstraintAdvance(c, c->vertices.target, &more));
    } while (more);
    assert_int_equal(pieces, large ? 7 : 1);
    BenchStep(&b, 1);
    assert_true(b.report.boundary_progress == 1 && c->planes.fraction == 1 && c->vertices.piece == pieces - 1);
    AbutTestClose("half space", 1, &b.state->plane_point[1], &(PetscReal){-2.7}, 1e-14);
    BenchClose(&b);
  }
}

/* An obstacle completes its motion against a body, with densities that differ by 10^4: the penalty depends on the mean mass. */
static void PushesHeavyAndLight(void **state)
{
  (void)state;
  for (int heavy = 0; heavy < 2; heavy++) {
    Bench     b;
    PetscReal low, high, wall;

    BenchInit(&b, PETSC_COMM_WORLD, 2, 0.01);
    BenchAddBox(&b, "near", heavy, 0.5, 2, 0, 0);
    BenchAddBox(&b, "far", !heavy, 0.5, 2, 5, 0);
    BenchAddBox(&b, "wall", -1, 1, 1, -0.755, 0);
    BenchAddMotion(&b, "wall", 2, 0);
    BenchOpen(&b);
    BenchStep(&b, 5);
    assert_true(b.report.boundary_progress >= 0.999);
    BenchExtent(&b, 2, 0, &low, &wall);
    AbutTestClose("wall", 1, &wall, &(PetscReal){-0.255 + 0.1}, 1e-4);
    BenchExtent(&b, 0, 0, &low, &high);
    assert_true(low > wall);
    BenchClose(&b);
  }
}

/* Energy of the augmented Lagrangian of all ranks at the iterate. */
static PetscReal Energy(const Bench *b)
{
  PetscReal energy = AbutConstraintVertexEnergy(b->stepper->constraint, AbutObjectiveGetIterate(b->stepper->objective)->x);

  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPIU_REAL, MPIU_SUM, b->comm), 0);
  return energy;
}

/* Opens a scene with a wall that moves towards a block; returns its prescribed motion. */
static AbutConstraint OpenWall(Bench *b)
{
  BenchInit(b, PETSC_COMM_WORLD, 2, 0.01);
  BenchAddBox(b, "block", 0, 0.5, 2, 0, 0);
  BenchAddBox(b, "wall", -1, 1, 1, -0.755, 0);
  BenchAddMotion(b, "wall", 2, 0);
  BenchOpen(b);
  return b->stepper->constraint;
}

/* Begins a step whose push completes half of the motion. */
static void BeginHalfPushed(AbutConstraint c)
{
  AbutTestCall(AbutConstraintBeginStep(c, 0, 0.01));
  AbutTestCall(AbutConstraintBeginPush(c));
  AbutTestCall(AbutConstraintEndPush(c, 0.5));
}

/*
  An incomplete motion at the ends of minimisations: the penalty grows to its limit, which no growth exceeds; then multipliers change, whose
  energy at the same positions is twice that of the penalty.
*/
static void PenaltyThenMultipliers(void **state)
{
  const PetscReal penalties[] = {1e6, 1e8, 1e10, 1e10};
  Bench           b;
  AbutConstraint  c;
  PetscReal       energy[4];

  (void)state;
  c = OpenWall(&b);
  BeginHalfPushed(c);
  for (int k = 0; k < 4; k++) {
    PetscBool changed;

    assert_true(c->vertices.pending);
    AbutTestClose("penalty", 1, &c->penalty, &penalties[k], 1e-12);
    energy[k] = Energy(&b);
    AbutTestCall(AbutConstraintUpdate(c, AbutObjectiveGetIterate(b.stepper->objective)->x, &(AbutConstraintStep){.t = 1}, &changed));
    assert_false(changed);
    if (k == 3) break;
    AbutTestCall(AbutConstraintUpdate(c, AbutObjectiveGetIterate(b.stepper->objective)->x,
                                      &(AbutConstraintStep){.t = 1, .settled = PETSC_TRUE}, &changed));
    assert_true(changed);
  }
  AbutTestClose("energy of the penalty", 1, &energy[2], &(PetscReal){1e4 * energy[0]}, 1e-12);
  AbutTestClose("energy with multipliers", 1, &energy[3], &(PetscReal){3 * energy[2]}, 1e-12);
  BenchClose(&b);
}

/* A full step that leaves more than half of the remaining motion increases the penalty, but never changes multipliers. */
static void GrowsAfterFullSteps(void **state)
{
  const PetscReal          moved[]   = {0.5, 0.76, 0.7, 0.88, 0.9, 0.9}; /* fractions of the motion, 0.5 by the push; it may go backwards */
  const PetscReal          penalty[] = {1e6, 1e6, 1e8, 1e8, 1e10, 1e10};
  const AbutConstraintStep full      = {.t = 1, .full = PETSC_TRUE};
  Bench                    b;
  AbutConstraint           c;
  PetscReal               *x;

  (void)state;
  c = OpenWall(&b);
  x = AbutObjectiveGetIterate(b.stepper->objective)->x;
  BeginHalfPushed(c);
  for (int k = 1; k < 6; k++) {
    PetscBool changed;

    for (PetscInt i = 0; i < 2 * c->motions.ml->num_owned; i++)
      if (c->vertices.state[i]) x[i] = (1 - moved[k]) * c->motions.start.x[i] + moved[k] * c->vertices.target[i];
    AbutTestCall(AbutConstraintUpdate(c, x, &full, &changed));
    AbutTestClose("fraction", 1, &c->motion.progress, &moved[k], 1e-9);
    AbutTestClose("penalty", 1, &c->penalty, &penalty[k], 1e-12);
    assert_int_equal(changed, penalty[k] > penalty[k - 1]);
    for (PetscInt i = 0; i < 2 * c->motions.ml->num_owned; i++) assert_true(c->vertices.multiplier[i] == 0);
  }
  BenchClose(&b);
}

/* A sweep of an obstacle over a body finds more pairs than the bound on a rank: shorter line steps complete its motion. */
static void GoesRoundThePairBound(void **state)
{
  Bench     b;
  PetscReal low;

  (void)state;
  BenchInit(&b, PETSC_COMM_SELF, 2, 0.1); /* all pairs on one rank */
  BenchAddBox(&b, "block", 0, 1, 8, 0, 0);
  BenchAddBox(&b, "sled", -1, 0.5, 4, -2, 0.7599); /* gap 0.0099 m, less than dhat: candidates, but hardly any contact forces */
  BenchAddMotion(&b, "sled", 40, 0);
  BenchOpen(&b);
  AbutTestCall(PetscOptionsSetValue(NULL, "-contact_max_pairs", "24"));
  AbutTestCall(AbutContactSetFromOptions(b.contact));
  AbutTestCall(PetscOptionsClearValue(NULL, "-contact_max_pairs"));
  BenchStep(&b, 1);
  low = BenchLowest(&b, 1, 0);
  AbutTestClose("sled", 1, &low, &(PetscReal){-2.25 + 4}, 4e-3 / 2.75); /* a motion counts as complete if 1/1000 is left */
  assert_true(b.report.search.limits[ABUT_LIMIT_BOUND] > 0);
  assert_true(b.report.contact.candidates_max <= 24 && b.report.boundary_progress >= 0.999);
  BenchClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(PressReverses),         cmocka_unit_test(StopsOrReleases),        cmocka_unit_test(Composes),
    cmocka_unit_test(PushesHeavyAndLight),   cmocka_unit_test(PenaltyThenMultipliers), cmocka_unit_test(GrowsAfterFullSteps),
    cmocka_unit_test(GoesRoundThePairBound), cmocka_unit_test(TurnsInPieces),          cmocka_unit_test(MovesWhileItTurns)};
  return AbutTestMain(argc, argv, tests);
}
