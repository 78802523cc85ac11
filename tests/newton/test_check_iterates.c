/*
  Option -check_iterates: a faulty step bound lets a block pass a thin sheet completely within one Newton step. The state after it has no
  intersection, so that only the check of the motion notices. This file replaces AbutContactMaxStep() by a version that bounds nothing.
*/
#include "bench.h"

PetscErrorCode AbutContactMaxStep(AbutContact contact, PetscReal slack, PetscReal floor, PetscReal *step, AbutLimitingPair *limiting)
{
  (void)contact, (void)slack, (void)floor, (void)step;
  *limiting = (AbutLimitingPair){{-1, -1, -1, -1}, {-1, -1}, PETSC_INFINITY, -1};
  return 0;
}

/* A block 0.05 m above a sheet of 0.01 m thickness, or above a half space; the acceleration moves it by 1 m in a step. */
static void Open(Bench *b, PetscInt dim, const char potential[], PetscBool plane, PetscReal speed)
{
  BenchInit(b, PETSC_COMM_WORLD, dim, 0.01);
  strcpy(b->spec.potential, potential);
  b->spec.gravity[1] = speed == 0 ? -1e4 : 0;
  BenchAddBox(b, "block", 0, 0.2, 2, 0.013, 0.15);
  b->bodies[0].velocity[1] = -speed;
  if (plane) {
    BenchAddPlane(b, "floor", 0, 1);
  } else {
    BenchAddBox(b, "sheet", -1, 1, 3, 0, 0);
    b->bodies[1].shape.size[1]  = 0.01;
    b->bodies[1].shape.cells[1] = 1;
  }
  BenchOpen(b);
}

/* The step with the check; the text of its error, "" if there is none. */
static const char *StepOnce(Bench *b, PetscInt *crossings)
{
  PetscErrorCode code;
  PetscReal     *x;

  AbutErrorClear(); /* of an earlier step: the first message is kept */
  code       = AbutStepperStep(b->stepper, &b->report);
  *crossings = 0;
  if (code) {
    assert_int_equal(code, ABUT_ERR_DIVERGED);
    return AbutErrorMessage();
  }
  AbutTestCall(PetscCalloc1(b->local->num_local * b->dim, &x));
  AbutTestCall(PetscArraycpy(x, b->state->x, b->local->num_owned * b->dim));
  AbutTestCall(AbutMeshUpdateGhosts(b->mesh, b->dim, x));
  AbutTestCall(AbutContactCheck(b->contact, x, crossings, NULL, NULL));
  AbutTestCall(PetscFree(x));
  return "";
}

static void CheckPassage(PetscInt dim, const char potential[], PetscBool check, PetscReal speed, const char where[])
{
  Bench       b;
  PetscInt    crossings;
  const char *text;

  AbutTestCall(PetscOptionsSetValue(NULL, "-check_iterates", check ? "1" : "0"));
  Open(&b, dim, potential, PETSC_FALSE, speed);
  text = StepOnce(&b, &crossings);
  if (check) {
    if (!strstr(text, where) || !strstr(text, "'block'") || !strstr(text, "'sheet'") || !strstr(text, "vertices "))
      fail_msg("%dD %s: message \"%s\" lacks \"%s\"", (int)dim, potential, text, where);
  } else { /* it is below the sheet, and the state has no intersection */
    assert_string_equal(text, "");
    assert_int_equal(crossings, 0);
    assert_true(BenchLowest(&b, 0, 1) < -0.5);
  }
  BenchClose(&b);
}

static void PassesASheet(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    for (int check = 0; check < 2; check++) {
      CheckPassage(dim, "ipc", (PetscBool)check, 0, "step 1, Newton iteration 1:");
      CheckPassage(dim, "oipc", (PetscBool)check, 0, "step 1, Newton iteration 1:");
      CheckPassage(dim, "ipc", (PetscBool)check, 100, "step 1, Newton iteration 0:"); /* the start at the velocities passes */
    }
  }
}

/* A potential is infinite behind a half space, so that no line search goes there; the function itself notices. */
static void PassesAHalfSpace(void **state)
{
  Bench            b;
  PetscReal       *x, *y;
  AbutLimitingPair pair;

  (void)state;
  for (int through = 0; through < 2; through++) {
    Open(&b, 3, "ipc", PETSC_TRUE, 0);
    AbutTestCall(PetscCalloc2(b.local->num_local * 3, &x, b.local->num_local * 3, &y));
    AbutTestCall(PetscArraycpy(x, b.local->rest, b.local->num_local * 3));
    for (PetscInt i = 0; i < b.local->num_local * 3; i++) y[i] = x[i] - (i % 3 == 1 ? (through ? 1 : 0.049) : 0);
    AbutTestCall(AbutContactCheckMotion(b.contact, x, y, &pair));
    assert_int_equal(pair.rank >= 0, through);
    if (through) assert_int_equal(pair.body[1], -1);
    AbutTestCall(PetscFree2(x, y));
    BenchClose(&b);
  }
}

/* A motion next to the sheet, and one that leaves it, are no passages; every fraction of a passage that reaches the sheet is one. */
static void OnlyPassages(void **state)
{
  static const PetscReal shift[][2] = {{0, -0.0449}, {5, 0}, {0, 3}, {0, -0.0451}, {0, -0.3}, {0.1, -1}}; /* the gap is 0.045 m */
  static const PetscBool hit[]      = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    for (size_t k = 0; k < sizeof(hit) / sizeof(hit[0]); k++) {
      Bench            b;
      PetscReal       *y;
      AbutLimitingPair pair;
      Open(&b, dim, "ipc", PETSC_FALSE, 0);
      AbutTestCall(PetscCalloc1(b.local->num_local * dim, &y));
      for (PetscInt i = 0; i < b.local->num_local * dim; i++)
        y[i] = b.local->rest[i] + (b.local->vertex_body[i / dim] == 0 && i % dim < 2 ? shift[k][i % dim] : 0);
      AbutTestCall(AbutContactCheckMotion(b.contact, b.local->rest, y, &pair));
      if ((pair.rank >= 0) != hit[k]) fail_msg("%dD motion %zu: rank of the pair %d", (int)dim, k, pair.rank);
      if (hit[k]) assert_true(PetscAbsReal(pair.distance - 0.045) < 0.3);
      AbutTestCall(PetscFree(y));
      BenchClose(&b);
    }
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(PassesASheet), cmocka_unit_test(PassesAHalfSpace), cmocka_unit_test(OnlyPassages)};
  return AbutTestMain(argc, argv, tests);
}
