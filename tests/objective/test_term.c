/* A term that this test adds to the objective: a spring between two vertices, on any number of ranks. */
#include "bench.h"

#define STIFFNESS 50.
#define LENGTH    1.
#define STEP      1e-3
#define C2        (STEP * STEP) /* factor of forces in the objective, implicit Euler [s^2] */
#define FORCE(s)  (C2 * STIFFNESS * ((s)->length - LENGTH))

/* The first vertex of each of two bodies, and the spring between them at a trial point. */
typedef struct {
  MPI_Comm  comm;
  PetscInt  owned[2], global[2]; /* owned index on this rank or -1; global index */
  PetscReal d[2], length;        /* vector from the first vertex to the second [m] */
} Spring;

/* The spring at positions x of local vertices, equal on all ranks. Collective. */
static const Spring *At(void *ctx, const PetscReal x[])
{
  Spring   *s    = (Spring *)ctx;
  PetscReal d[2] = {0};

  for (int k = 0; k < 4; k++) d[k % 2] += s->owned[k / 2] < 0 ? 0 : (k / 2 ? 1 : -1) * x[2 * s->owned[k / 2] + k % 2];
  assert_int_equal(MPI_Allreduce(d, s->d, 2, MPIU_REAL, MPIU_SUM, s->comm), 0);
  s->length = PetscSqrtReal(s->d[0] * s->d[0] + s->d[1] * s->d[1]);
  return s;
}

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  const Spring *s = At(ctx, trial->x);

  *energy += C2 * STIFFNESS / 2 * PetscSqr(s->length - LENGTH);
  return 0;
}

static PetscErrorCode AddOwnedGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  const Spring *s = At(ctx, at->x);

  for (int k = 0; k < 4; k++)
    if (s->owned[k / 2] >= 0) g[2 * s->owned[k / 2] + k % 2] += (k / 2 ? 1 : -1) * FORCE(s) * s->d[k % 2] / s->length;
  return 0;
}

static PetscErrorCode GetPattern(void *ctx, PetscBool all, AbutStencilList *needed, AbutStencilList *lookahead)
{
  static const PetscInt start[2] = {0, 2};
  const Spring         *s        = (const Spring *)ctx;

  (void)all, (void)lookahead;
  *needed = (AbutStencilList){s->owned[0] >= 0, start, s->global};
  return 0;
}

/* The part along the spring, which is positive semidefinite. */
static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  const Spring *s = At(ctx, at->x);
  PetscReal     H[16];

  (void)projection;
  for (int k = 0; k < 16; k++) H[k] = (k / 8 == k % 4 / 2 ? 1 : -1) * C2 * STIFFNESS * s->d[k / 4 % 2] * s->d[k % 2] / PetscSqr(s->length);
  return s->owned[0] >= 0 ? AbutAssemblerAdd(assembler, 2, s->global, H) : 0;
}

static const AbutTermOps SpringTerm = {"spring", ABUT_ENERGY_OTHER, ABUT_PHASE_ELASTIC, PETSC_TRUE, NULL, Energy, NULL, NULL,
                                       NULL,     AddOwnedGradient,  GetPattern,         AddHessian};

/* Owned and global index of the vertex with a body's lowest id. Collective. */
static void Find(Bench *b, PetscInt body, PetscInt *owned, PetscInt *global)
{
  *owned = *global = -1;
  for (PetscInt v = 0; v < b->local->num_owned; v++)
    if (b->local->vertex_id[v] == b->local->bodies[body].vertex_start) *owned = v, *global = b->local->vertex_global[v];
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, global, 1, MPIU_INT, MPI_MAX, b->comm), 0);
}

/* Two stiff boxes joined by a spring oscillate with the frequency of the reduced mass. A quarter of a period by implicit Euler. */
static void JoinsTwoBodies(void **state)
{
  const PetscReal mass = 1000 * 0.04, omega = PetscSqrtReal(STIFFNESS / (mass / 2));
  Spring          spring = {.comm = PETSC_COMM_WORLD};
  AbutObjective   objective;
  PetscReal       x[2][2], momentum;
  Bench           b;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, STEP);
  b.materials[0].young = 1e8;
  BenchAddBox(&b, "left", 0, 0.2, 2, 0, 0);
  BenchAddBox(&b, "right", 0, 0.2, 2, 1.2, 0); /* initial elongation of the spring: 0.2 m */
  BenchOpen(&b);
  for (int k = 0; k < 2; k++) Find(&b, k, &spring.owned[k], &spring.global[k]);
  objective = AbutStepperGetObjective(b.stepper);
  AbutTestCall(AbutObjectiveAddTerm(objective, &SpringTerm, &spring));
  BenchStep(&b, 100);
  for (int k = 0; k < 2; k++) BenchExtent(&b, k, 0, &x[k][0], &x[k][1]);
  momentum = b.report.momentum[0];
  print_message("distance %g, closed form %g; momentum %g\n", (double)(x[1][0] - x[0][0]), (double)(1 + 0.2 * PetscCosReal(omega * 0.1)),
                (double)momentum);
  assert_true(PetscAbsReal(x[1][0] - x[0][0] - (1 + 0.2 * PetscCosReal(omega * 0.1))) < 2e-4);
  assert_true(PetscAbsReal(momentum) < 1e-6);
  BenchClose(&b);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(JoinsTwoBodies)};
  return AbutTestMain(argc, argv, tests);
}
