/* Sequences: positions at, between and after frames; invalid sequences, planes, conditions and loads are errors. */
#include "bench.h"
#include <stdlib.h>

#define NUM_FRAMES 3

static char directory[PETSC_MAX_PATH_LEN];

/* Writes the surface of a tetrahedron. The first vertex is in no face; the others are listed in permuted order. */
static void WriteFrame(PetscInt number, PetscReal shift, PetscInt drop)
{
  static const PetscReal x[5][3] = {{9, 9, 9}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 0}};
  char                   path[PETSC_MAX_PATH_LEN];
  FILE                  *file;

  AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/%02d.obj", directory, (int)number));
  file = fopen(path, "w");
  assert_non_null(file);
  for (PetscInt v = 0; v < 5 - drop; v++)
    fprintf(file, "v %g %g %g\n", (double)(x[v][0] + shift), (double)(x[v][1] * (1 + shift)), (double)x[v][2]);
  fprintf(file, drop ? "f 2 3 4\n" : "f 2 3 4\nf 2 5 3\nf 3 5 4\nf 2 4 5\n");
  fclose(file);
}

static void Open(void)
{
  PetscMPIInt rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  AbutTestDirectory(directory);
  if (!rank) {
    for (PetscInt k = 0; k < NUM_FRAMES; k++) WriteFrame(k + 4, 0.1 * (PetscReal)(k * k), 0);
    WriteFrame(20, 0, 1);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
}

static void Close(void)
{
  PetscMPIInt rank;

  MPI_Barrier(PETSC_COMM_WORLD);
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (!rank) AbutTestCall(PetscRMTree(directory));
}

/* A block far away, and the tetrahedron as an obstacle. */
static AbutMotionSpec *Scene(Bench *b, PetscReal dt)
{
  AbutMotionSpec *motion;

  BenchInit(b, PETSC_COMM_WORLD, 3, dt);
  BenchAddBox(b, "block", 0, 1, 2, -20, 0);
  BenchAddBox(b, "hand", -1, 1, 1, 0, 0);
  b->bodies[1].shape.kind = ABUT_SHAPE_FILE;
  AbutTestCall(PetscSNPrintf(b->bodies[1].shape.path, sizeof(b->bodies[1].shape.path), "%s/04.obj", directory));
  motion = BenchAddMotion(b, "hand", 0, 0);
  AbutTestCall(PetscSNPrintf(motion->sequence.pattern, sizeof(motion->sequence.pattern), "%s/%%02d.obj", directory));
  motion->sequence.first    = 4;
  motion->sequence.count    = NUM_FRAMES;
  motion->sequence.interval = 0.2;
  return motion;
}

static void FollowsFrames(void **state)
{
  static const PetscReal shift[] = {0.05, 0.1, 0.25, 0.4, 0.4}; /* frames shifted by 0, 0.1, 0.4 every 0.2 s, steps of 0.1 s */
  Bench                  b;

  (void)state;
  Open();
  Scene(&b, 0.1);
  BenchOpen(&b);
  for (int k = 0; k < 5; k++) {
    PetscReal *x, expected[12] = {1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0};
    BenchStep(&b, 1);
    x = BenchPositions(&b);
    for (int v = 0; v < 4; v++) {
      expected[3 * v] += shift[k];
      expected[3 * v + 1] *= 1 + shift[k];
    }
    AbutTestClose("frame", 12, x + 3 * b.local->bodies[1].vertex_start, expected, 1e-12);
    AbutTestCall(PetscFree(x));
  }
  BenchClose(&b);
  Close();
}

static void Refused(Bench *b, const char place[], const char what[])
{
  assert_int_equal(BenchTry(b), ABUT_ERR_INPUT);
  if (!strstr(AbutErrorMessage(), what) || !strstr(AbutErrorMessage(), place))
    fail_msg("\"%s\" does not say %s and %s", AbutErrorMessage(), place, what);
  AbutErrorClear();
  b->stepper = NULL;
  BenchClose(b);
}

static void RefusesSequences(void **state)
{
  Bench           b;
  AbutMotionSpec *motion;

  (void)state;
  Open();
  Scene(&b, 0.1)->sequence.count = 4;
  Refused(&b, "scene.yaml:20", "07.obj");
  Scene(&b, 0.1)->sequence.first = 20;
  b.motions[0].sequence.count    = 1;
  Refused(&b, "scene.yaml:20", "has 3 vertices; '");
  motion = Scene(&b, 0.1);
  strcpy(motion->sequence.pattern, "frames/%s%d.obj");
  Refused(&b, "scene.yaml:20", "names no sequence");
  assert_true(AbutSequenceIsPattern("100%%/%04d.obj") && AbutSequenceIsPattern("%d"));
  assert_false(AbutSequenceIsPattern("%%d") || AbutSequenceIsPattern("%d%d") || AbutSequenceIsPattern("%") ||
               AbutSequenceIsPattern("%123d"));
  Scene(&b, 0.1)->sequence.interval = 0;
  Refused(&b, "scene.yaml:20", "interval between frames is 0 s");
  strcpy(Scene(&b, 0.1)->selection.body, "");
  Refused(&b, "scene.yaml:20", "the selection takes 'block' and 'hand'");
  Scene(&b, 0.1)->until = (AbutCondition){.measure = ABUT_MEASURE_LOWEST, .action = ABUT_ACTION_REVERSE};
  Refused(&b, "scene.yaml:20", "cannot reverse");
  Close();
}

static void Empty(Bench *b)
{
  BenchInit(b, PETSC_COMM_WORLD, 2, 0.1);
  BenchAddBox(b, "block", 0, 1, 2, 0, 0);
  BenchAddBox(b, "wall", -1, 1, 2, 3, 0);
  BenchAddPlane(b, "floor", -3, 1);
}

static void RefusesTheRest(void **state)
{
  Bench           b;
  AbutMotionSpec *motion;
  AbutLoadSpec   *load;

  (void)state;
  Empty(&b);
  motion                      = BenchAddMotion(&b, NULL, 1, 0);
  motion->plane               = 0;
  motion->angular_velocity[2] = 0.5;
  Refused(&b, "scene.yaml:20", "0.5 rad/s would tilt plane 'floor'");
  Empty(&b);
  BenchAddMotion(&b, NULL, 1, 0)->plane = 1;
  Refused(&b, "scene.yaml:20", "plane number 1 is out of range [0, 0]");
  Empty(&b);
  motion        = BenchAddMotion(&b, "wall", 1, 0);
  motion->until = (AbutCondition){.measure = ABUT_MEASURE_GAP, .subject = {"floor", "ceiling"}};
  Refused(&b, "scene.yaml:20", "named 'ceiling'");
  Empty(&b);
  BenchAddMotion(&b, "wall", 1, 0)->until = (AbutCondition){.measure = ABUT_MEASURE_HIGHEST, .axis = 2};
  Refused(&b, "scene.yaml:20", "along axis 2");
  Empty(&b);
  load                      = BenchAddLoad(&b, "block");
  load->traction[0]         = 7;
  load->selection.has_box   = PETSC_TRUE; /* one vertex in the middle */
  load->selection.box[0][0] = load->selection.box[0][1] = -0.1;
  load->selection.box[1][0] = load->selection.box[1][1] = 0.1;
  Refused(&b, "scene.yaml:40", "traction 7 0 0 Pa has no area");
  Empty(&b);
  BenchAddLoad(&b, "wall")->force[0] = 1;
  Refused(&b, "scene.yaml:40", "obstacles cannot be loaded");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(FollowsFrames), cmocka_unit_test(RefusesSequences), cmocka_unit_test(RefusesTheRest)};
  return AbutTestMain(argc, argv, tests);
}
