/* A term that this test adds to the objective: a spring between two vertices, on any number of ranks. */
#include "bench.h"

#define STIFFNESS 50.
#define LENGTH    1.

/* Vertex 0 of each of two bodies: owned index on this rank or -1, global index; their positions at a trial point, equal on all ranks. */
typedef struct {
  MPI_Comm  comm;
  PetscReal c2;
  PetscInt  owned[2], global[2];
  PetscReal x[2][2];
} Spring;

/* Gathers the positions of both ends; sets d to the vector from the first to the second and returns its length. Collective. */
static PetscReal Extend(Spring *s, const PetscReal x[], PetscReal d[2])
{
  PetscReal ends[4] = {0};

  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2 && s->owned[k] >= 0; i++) ends[2 * k + i] = x[2 * s->owned[k] + i];
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, ends, 4, MPIU_REAL, MPIU_SUM, s->comm), 0);
  for (int i = 0; i < 2; i++) d[i] = ends[2 + i] - ends[i];
  return PetscSqrtReal(d[0] * d[0] + d[1] * d[1]);
}

static PetscErrorCode Energy(void *ctx, const AbutTrial *trial, PetscReal *energy)
{
  Spring   *s = (Spring *)ctx;
  PetscReal d[2], length = Extend(s, trial->x, d);

  *energy += s->c2 * STIFFNESS / 2 * PetscSqr(length - LENGTH); /* equal on all ranks, as AbutTermOps.replicated says */
  return 0;
}

static PetscErrorCode AddOwnedGradient(void *ctx, const AbutTrial *at, PetscReal g[])
{
  Spring   *s = (Spring *)ctx;
  PetscReal d[2], length = Extend(s, at->x, d);

  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2 && s->owned[k] >= 0; i++)
      g[2 * s->owned[k] + i] += (k ? 1 : -1) * s->c2 * STIFFNESS * (length - LENGTH) * d[i] / length;
  return 0;
}

static PetscErrorCode GetPattern(void *ctx, PetscReal margin, AbutStencilList *needed, AbutStencilList *lookahead)
{
  static const PetscInt start[2] = {0, 2};
  const Spring         *s        = (const Spring *)ctx;

  (void)margin, (void)lookahead;
  *needed = (AbutStencilList){s->owned[0] >= 0, start, s->global};
  return 0;
}

/* Adds only the part of the Hessian along the spring, which is positive semidefinite. */
static PetscErrorCode AddHessian(void *ctx, const AbutTrial *at, AbutProjection projection, AbutAssembler assembler)
{
  Spring   *s = (Spring *)ctx;
  PetscReal d[2], H[16], length = Extend(s, at->x, d);

  (void)projection;
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) H[4 * a + b] = (a / 2 == b / 2 ? 1 : -1) * s->c2 * STIFFNESS * d[a % 2] * d[b % 2] / (length * length);
  return s->owned[0] >= 0 ? AbutAssemblerAdd(assembler, 2, s->global, H) : 0;
}

static const AbutTermOps SpringTerm = {.name             = "spring",
                                       .kind             = ABUT_ENERGY_OTHER,
                                       .phase            = ABUT_PHASE_ELASTIC,
                                       .replicated       = PETSC_TRUE,
                                       .energy           = Energy,
                                       .addownedgradient = AddOwnedGradient,
                                       .getpattern       = GetPattern,
                                       .addhessian       = AddHessian};

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
  const PetscReal dt = 1e-3, mass = 1000 * 0.04, omega = PetscSqrtReal(STIFFNESS / (mass / 2));
  Spring          spring = {.comm = PETSC_COMM_WORLD, .c2 = dt * dt};
  AbutObjective   objective;
  PetscReal       x[2][2], momentum;
  Bench           b;

  (void)state;
  BenchInit(&b, PETSC_COMM_WORLD, 2, dt);
  b.materials[0].young = 1e8;
  BenchAddBox(&b, "left", 0, 0.2, 2, 0, 0);
  BenchAddBox(&b, "right", 0, 0.2, 2, 1.2, 0); /* initial elongation of the spring: 0.2 m */
  BenchOpen(&b);
  for (int k = 0; k < 2; k++) Find(&b, k, &spring.owned[k], &spring.global[k]);
  AbutTestCall(AbutStepperGetObjective(b.stepper, &objective));
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
