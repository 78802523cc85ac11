/*
  The volume follows prescribed vertices: while they move to their targets, elastic energy is minimised over the other vertices.

  An increment linearises: the prescribed vertices move towards their targets, the others by the solution of H_ff p_f = -g_f - H_fp p_p. An
  affine motion of the surface moves the volume by the same affine map, whatever its size. The inversion bound shortens the increment; then
  Newton's method with the prescribed vertices at rest finds the equilibrium, which makes room for the next increment.
*/
#include "untangleimpl.h"
#include <abut/linear.h>

#define SLACK     0.6  /* fraction of the step to the first inversion of a cell that a step may take */
#define TOLERANCE 1e-6 /* largest displacement of a Newton iteration in equilibrium [mean edge] */
#define SMALLEST \
  1e-3 /* fraction of the remaining displacement below which an increment is tiny; after three of them the surface counts as blocked */
#define MAX_ITERATIONS 60  /* Newton iterations of one equilibrium of the volume [iterations] */
#define MAX_INCREMENTS 100 /* largest number of increments of the surface */

static const AbutOption options[] = {{"-abut_follow_alone", ABUT_OPTION_INT, offsetof(FollowConstants, alone), 20000, 0, PETSC_MAX_INT,
                                      "vertices",
                                      "Largest body whose volume one rank solves alone; larger bodies stay distributed over all ranks"}};
const AbutOptionTable   AbutUntangleFollowOptions = {"Volume that follows its surface", PETSC_STATIC_ARRAY_LENGTH(options), options};

#define SHIFT         1e-9  /* added to the diagonal, over its mean: bodies held at fewer than three vertices have rigid motions */
#define ROUND_OFF     1e-12 /* relative increase of the energy that a step may show as round-off */
#define LOOSE         1e-2  /* tolerance of an equilibrium between two increments [mean edge] */
#define MAX_HALVINGS  40
#define BLOCKED_AFTER 3

typedef struct {
  MPI_Comm                  comm;
  AbutMesh                  mesh;
  const AbutMeshLocal      *local;
  AbutElastic               elastic;
  AbutAssembler             assembler;
  KSP                       ksp;
  AbutLinear                linear;
  Vec                       b, y;              /* right-hand side, solution [num_owned * dim] */
  PetscInt                  n;                 /* num_owned * dim */
  PetscInt64                num_free;          /* unknowns of all ranks that are not fixed */
  PetscBool                *fixed;             /* [n] */
  PetscReal                *target;            /* [n] of fixed unknowns [m] */
  PetscReal                *x, *p, *g, *trial; /* [num_local * dim] iterate and direction with ghosts; gradient; trial point */
  PetscReal                 length;            /* mean edge of the surfaces of bodies [m] */
  PetscReal                 shift;             /* [N/m] added to the diagonal */
  PetscReal                 hold;              /* see AbutUntangleFollow() */
  PetscReal                *start;             /* [n] positions at the start [m] */
  PetscReal                *spring;            /* [n] stiffness of the springs that hold surface vertices at the start [N/m] */
  PetscReal                 energy;            /* at x [J] */
  AbutUntangleWatch        *watch;             /* NULL is allowed */
  AbutUntangleFollowReport *report;
} Follow;

/* ---- Set-up */

static PetscErrorCode UpdateGhosts(Follow *f, PetscReal values[])
{
  PetscFunctionBegin;
  PetscCall(AbutMeshUpdateGhosts(f->mesh, f->local->dim, values));
  PetscFunctionReturn(0);
}

/* The cells are the stencils of every matrix. */
static PetscErrorCode CreateAssembler(Follow *f)
{
  const AbutMeshLocal *local = f->local;
  const PetscInt       n     = local->dim + 1 + (local->middles ? AbutNumCellEdges(local->dim) : 0);
  PetscInt            *vertices;

  PetscFunctionBegin;
  PetscCall(AbutAssemblerCreate(f->comm, local->dim, local->num_owned, &f->assembler));
  PetscCall(PetscMalloc1(local->num_cells * n, &vertices));
  for (PetscInt k = 0; k < local->num_cells * n; k++) {
    const PetscInt v = AbutCellNode(local, k / n, k % n);
    vertices[k]      = v < 0 ? -1 : local->vertex_global[v];
  }
  PetscCall(AbutAssemblerSetFixed(f->assembler, n, local->num_cells, vertices));
  PetscCall(PetscFree(vertices));
  PetscCall(AbutAssemblerUpdatePattern(f->assembler, 0, NULL, NULL, NULL));
  PetscCall(MatCreateVecs(AbutAssemblerGetMat(f->assembler), &f->y, &f->b));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateSolver(Follow *f)
{
  PetscFunctionBegin;
  PetscCall(KSPCreate(f->comm, &f->ksp));
  PetscCall(AbutLinearCreate(f->ksp, f->local->dim, f->local->num_owned, f->local->rest, &f->linear));
  PetscCall(AbutLinearSetFromOptions(f->linear));
  PetscCall(AbutLinearSetPattern(f->linear, AbutAssemblerGetMat(f->assembler)));
  PetscFunctionReturn(0);
}

/* Marks the bodies that have a prescribed vertex on any rank. */
static PetscErrorCode FindMoving(const Follow *f, const PetscBool prescribed[], PetscMPIInt moves[])
{
  const AbutMeshLocal *local = f->local;
  PetscMPIInt          num;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(local->num_bodies, &num));
  for (PetscInt v = 0; v < local->num_owned; v++) moves[local->vertex_body[v]] |= prescribed[v];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, moves, num, MPI_INT, MPI_MAX, f->comm));
  PetscFunctionReturn(0);
}

/* Fixes the prescribed vertices, the obstacles, and the bodies without a prescribed vertex, which nothing moves. */
static PetscErrorCode SetFixed(Follow *f, const PetscReal target[], const PetscBool prescribed[])
{
  const AbutMeshLocal *local = f->local;
  PetscMPIInt         *moves;

  PetscFunctionBegin;
  f->num_free = 0;
  PetscCall(PetscCalloc1(local->num_bodies, &moves));
  PetscCall(FindMoving(f, prescribed, moves));
  for (PetscInt i = 0; i < f->n; i++) {
    const PetscInt v = i / local->dim, body = local->vertex_body[v];

    f->fixed[i]  = (PetscBool)(prescribed[v] || local->bodies[body].obstacle || !moves[body]);
    f->target[i] = prescribed[v] ? target[i] : f->x[i];
    f->num_free += !f->fixed[i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &f->num_free, 1, MPIU_INT64, MPI_SUM, f->comm));
  PetscCall(PetscFree(moves));
  PetscFunctionReturn(0);
}

/* Sets the springs to `hold` times the diagonal of the Hessian at rest, and the shift to SHIFT times the mean of the diagonal. */
static PetscErrorCode SetSprings(Follow *f)
{
  const PetscInt     dim = f->local->dim;
  const PetscScalar *diagonal;
  PetscScalar        sum;
  PetscInt           size;

  PetscFunctionBegin;
  PetscCall(AbutAssemblerBegin(f->assembler));
  AbutElasticAddHessian(f->elastic, f->local->rest, 1, ABUT_PSD_CLAMP, f->assembler);
  PetscCall(AbutAssemblerEnd(f->assembler, NULL));
  PetscCall(MatGetDiagonal(AbutAssemblerGetMat(f->assembler), f->b));
  PetscCall(VecSum(f->b, &sum));
  PetscCall(VecGetSize(f->b, &size));
  f->shift = SHIFT * PetscRealPart(sum) / (PetscReal)PetscMax(size, 1);
  PetscCall(VecGetArrayRead(f->b, &diagonal));
  for (PetscInt i = 0; i < f->local->num_points; i++)
    for (PetscInt k = 0, at = dim * f->local->points[i]; k < dim; k++, at++) f->spring[at] = f->hold * PetscRealPart(diagonal[at]);
  PetscCall(VecRestoreArrayRead(f->b, &diagonal));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(Follow *f, const PetscReal target[], const PetscBool prescribed[], const PetscReal x[])
{
  const PetscInt size = f->local->num_local * f->local->dim;

  PetscFunctionBegin;
  f->n = f->local->num_owned * f->local->dim;
  PetscCall(PetscMalloc4(size, &f->x, size, &f->p, size, &f->g, size, &f->trial));
  PetscCall(PetscCalloc4(f->n, &f->fixed, f->n, &f->target, f->n, &f->start, f->n, &f->spring));
  PetscCall(PetscArraycpy(f->x, x, f->n));
  PetscCall(PetscArraycpy(f->start, x, f->n));
  PetscCall(UpdateGhosts(f, f->x));
  PetscCall(SetFixed(f, target, prescribed));
  PetscCall(AbutMeshGetMeanEdge(f->mesh, PETSC_FALSE, &f->length));
  if (!f->num_free) PetscFunctionReturn(0);
  PetscCall(CreateAssembler(f));
  PetscCall(CreateSolver(f));
  PetscCall(SetSprings(f));
  PetscFunctionReturn(0);
}

static PetscErrorCode TearDown(Follow *f)
{
  PetscFunctionBegin;
  PetscCall(AbutLinearDestroy(&f->linear));
  PetscCall(KSPDestroy(&f->ksp));
  PetscCall(VecDestroy(&f->b));
  PetscCall(VecDestroy(&f->y));
  PetscCall(AbutAssemblerDestroy(&f->assembler));
  PetscCall(PetscFree4(f->fixed, f->target, f->start, f->spring));
  PetscCall(PetscFree4(f->x, f->p, f->g, f->trial));
  PetscFunctionReturn(0);
}

/* ---- Direction */

/* Assembles the Hessian at x. constrained: in the rows and columns of these fixed unknowns it becomes the identity. */
static PetscErrorCode Assemble(Follow *f, AbutProjection projection, const PetscBool constrained[])
{
  PetscFunctionBegin;
  PetscCall(AbutAssemblerBegin(f->assembler));
  AbutElasticAddHessian(f->elastic, f->x, 1, projection, f->assembler);
  for (PetscInt v = 0; v < f->local->num_owned; v++) {
    PetscReal d[3];

    for (PetscInt k = 0; k < f->local->dim; k++) d[k] = f->shift + f->spring[f->local->dim * v + k];
    AbutAssemblerAddDiagonal(f->assembler, v, d);
  }
  PetscCall(AbutAssemblerEnd(f->assembler, constrained));
  PetscFunctionReturn(0);
}

/* Sets b to minus the gradient of the elastic energy and of the springs at x. */
static PetscErrorCode SetForces(Follow *f)
{
  PetscScalar *b;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(f->g, f->local->num_local * f->local->dim));
  AbutElasticAddGradient(f->elastic, f->x, 1, f->g);
  PetscCall(AbutMeshReduceAdd(f->mesh, f->local->dim, f->g));
  PetscCall(VecGetArrayWrite(f->b, &b));
  for (PetscInt i = 0; i < f->n; i++) b[i] = -f->g[i] - f->spring[i] * (f->x[i] - f->start[i]);
  PetscCall(VecRestoreArrayWrite(f->b, &b));
  PetscFunctionReturn(0);
}

/* b -= H p_p, where p_p moves the fixed unknowns all the way to their targets and H has clamped cells. Collective. */
static PetscErrorCode AddPrescribedForces(Follow *f)
{
  PetscScalar *way;
  Vec          force;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(f->y, &way));
  for (PetscInt i = 0; i < f->n; i++) way[i] = f->fixed[i] ? f->target[i] - f->x[i] : 0;
  PetscCall(VecRestoreArrayWrite(f->y, &way));
  PetscCall(Assemble(f, ABUT_PSD_CLAMP, NULL));
  PetscCall(VecDuplicate(f->b, &force));
  PetscCall(MatMult(AbutAssemblerGetMat(f->assembler), f->y, force));
  PetscCall(VecAXPY(f->b, -1, force));
  PetscCall(VecDestroy(&force));
  PetscFunctionReturn(0);
}

/*
  Solves H_ff y_f = b_f with the assembled matrix; *solved is false if the solver fails, or if the matrix is not positive definite and its
  cells are not clamped.
*/
static PetscErrorCode SolveAssembled(Follow *f, AbutProjection projection, PetscBool *solved)
{
  AbutLinearResult result;
  PetscBool        definite;

  PetscFunctionBegin;
  PetscCall(AbutLinearSetUp(f->linear, AbutAssemblerGetMat(f->assembler), PETSC_FALSE, &definite));
  *solved = definite;
  if (!definite && projection == ABUT_PSD_NONE) PetscFunctionReturn(0);
  if (!definite && AbutLinearIsOwn(f->linear)) PetscCall(AbutLinearSetUpShifted(f->linear, AbutAssemblerGetMat(f->assembler), &definite));
  PetscCall(AbutLinearSolve(f->linear, f->b, f->y));
  PetscCall(AbutLinearGetResult(f->linear, &result));
  if (definite && result.reason < 0 && AbutLinearMayImprove(f->linear)) {
    PetscCall(AbutLinearRetire(f->linear));
    PetscCall(AbutLinearSetUp(f->linear, AbutAssemblerGetMat(f->assembler), PETSC_FALSE, &definite));
    PetscCall(AbutLinearSolve(f->linear, f->b, f->y));
    PetscCall(AbutLinearGetResult(f->linear, &result));
  }
  AbutLinearCountUse(f->linear, result.iterations);
  *solved = result.solved;
  PetscFunctionReturn(0);
}

/*
  Solves for the free unknowns. With prescribed vertices at rest the unprojected Hessian is tried first: with clamped cells Newton's
  method took 60 iterations instead of 4 for a compressed box close to buckling. An increment uses clamped cells, because b already
  contains them. *solved: false if cells are so flat that the solver fails.
*/
static PetscErrorCode Solve(Follow *f, PetscBool advance, PetscBool *solved)
{
  PetscScalar *b;

  PetscFunctionBegin;
  *solved = PETSC_FALSE;
  PetscCall(SetForces(f));
  if (advance) PetscCall(AddPrescribedForces(f));
  PetscCall(VecGetArray(f->b, &b));
  for (PetscInt i = 0; i < f->n; i++) b[i] = f->fixed[i] ? 0 : b[i];
  PetscCall(VecRestoreArray(f->b, &b));
  if (!advance) PetscCall(Assemble(f, ABUT_PSD_NONE, f->fixed));
  if (!advance) PetscCall(SolveAssembled(f, ABUT_PSD_NONE, solved));
  if (*solved) PetscFunctionReturn(0);
  PetscCall(Assemble(f, ABUT_PSD_CLAMP, f->fixed));
  PetscCall(SolveAssembled(f, ABUT_PSD_CLAMP, solved));
  PetscFunctionReturn(0);
}

/*
  Sets the direction p at x by Newton's method. advance: the fixed unknowns move all the way to their targets; else they rest. *longest:
  largest component of p. *solved: see Solve(). Collective.
*/
static PetscErrorCode SetDirection(Follow *f, PetscBool advance, PetscReal *longest, PetscBool *solved)
{
  const PetscScalar *y = NULL;

  PetscFunctionBegin;
  *longest = 0;
  *solved  = PETSC_TRUE;
  if (f->num_free) PetscCall(Solve(f, advance, solved));
  if (!*solved) PetscFunctionReturn(0);
  if (f->num_free) PetscCall(VecGetArrayRead(f->y, &y));
  for (PetscInt i = 0; i < f->n; i++) {
    const PetscReal way = advance ? f->target[i] - f->x[i] : 0;

    f->p[i]  = f->fixed[i] ? way : PetscRealPart(y[i]);
    *longest = PetscMax(*longest, PetscAbsReal(f->p[i]));
  }
  if (f->num_free) PetscCall(VecRestoreArrayRead(f->y, &y));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, longest, 1, MPIU_REAL, MPIU_MAX, f->comm));
  PetscCall(UpdateGhosts(f, f->p));
  f->report->iterations += f->num_free > 0;
  PetscFunctionReturn(0);
}

/* ---- Steps */

/* Lowest id among the cells that the ranks pass (-1: none); -1 if no rank passes one. */
static PetscErrorCode AgreeOnCell(const Follow *f, PetscInt cell, PetscInt *id, PetscInt *body)
{
  const PetscInt mine[2] = {cell >= 0 ? f->local->cell_id[cell] : PETSC_MAX_INT, cell >= 0 ? f->local->cell_body[cell] : PETSC_MAX_INT};
  PetscInt       least[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, least, 2, MPIU_INT, MPI_MIN, f->comm)); /* cells and bodies ascend together */
  *id   = least[0] < PETSC_MAX_INT ? least[0] : -1;
  *body = least[0] < PETSC_MAX_INT ? least[1] : -1;
  PetscFunctionReturn(0);
}

/* Reduces *step, 1 on entry, by the inversion bound along p; stores the cell that limits it in the report. Collective. */
static PetscErrorCode BoundStep(Follow *f, PetscReal *step)
{
  PetscReal mine = 1;
  PetscInt  cell;

  PetscFunctionBegin;
  AbutElasticMaxStep(f->elastic, f->x, f->p, SLACK, &mine, &cell);
  PetscCallMPI(MPI_Allreduce(&mine, step, 1, MPIU_REAL, MPIU_MIN, f->comm));
  PetscCall(AgreeOnCell(f, mine == *step ? cell : -1, &f->report->cell, &f->report->body));
  PetscFunctionReturn(0);
}

/*
  Energy at x + t p, infinite if a cell is inverted. With `advance` and t = 1, fixed unknowns equal their targets bit for bit. Collective.
*/
static PetscErrorCode TryStep(Follow *f, PetscBool advance, PetscReal t, PetscReal *energy)
{
  const PetscInt size = f->local->num_local * f->local->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < size; i++) f->trial[i] = f->x[i] + t * f->p[i];
  for (PetscInt i = 0; advance && t == 1 && i < f->n; i++)
    if (f->fixed[i]) f->trial[i] = f->target[i];
  if (advance && t == 1) PetscCall(UpdateGhosts(f, f->trial));
  *energy = AbutElasticEnergy(f->elastic, f->trial);
  for (PetscInt i = 0; i < f->n && f->num_free; i++) *energy += f->fixed[i] ? 0 : f->spring[i] * PetscSqr(f->trial[i] - f->start[i]) / 2;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, energy, 1, MPIU_REAL, MPIU_SUM, f->comm));
  PetscFunctionReturn(0);
}

/* Takes the largest step of t, t/2, t/4, ... whose energy is finite and at most `most`; *t = 0 if there is none. */
static PetscErrorCode TakeStep(Follow *f, PetscBool advance, PetscReal most, PetscReal *t)
{
  PetscReal energy;

  PetscFunctionBegin;
  for (PetscInt k = 0; k<MAX_HALVINGS && * t> 0; k++, *t /= 2) {
    PetscCall(TryStep(f, advance, *t, &energy));
    if (!(energy <= most) || PetscIsInfOrNanReal(energy)) continue;
    PetscCall(PetscArraycpy(f->x, f->trial, f->local->num_local * f->local->dim));
    f->energy = energy;
    PetscFunctionReturn(0);
  }
  *t = 0;
  PetscFunctionReturn(0);
}

/* The body, or the first one of several. */
static const char *Name(const Follow *f)
{
  return f->local->num_bodies ? f->local->bodies[0].name : "";
}

/* Newton's method with the fixed unknowns at rest, until no component of a full step exceeds the tolerance [mean edge]. Collective. */
static PetscErrorCode Relax(Follow *f, PetscReal tolerance)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < MAX_ITERATIONS && f->num_free; k++) {
    PetscReal longest, t, bound;
    PetscBool solved;

    PetscCall(WatchLook(f->comm, f->watch, "cells of '%s' follow its surface, %.3g of the way", Name(f), (double)f->report->fraction));
    PetscCall(SetDirection(f, PETSC_FALSE, &longest, &solved));
    if (!solved) break;
    PetscCall(BoundStep(f, &bound));
    t = bound;
    PetscCall(TakeStep(f, PETSC_FALSE, f->energy + ROUND_OFF * PetscAbsReal(f->energy), &t));
    if (t == 0 || (t == 1 && longest <= tolerance * f->length)) break; /* t = 0: round-off hides any decrease */
  }
  PetscFunctionReturn(0);
}

/* Moves the surface by one increment. *done: fraction of the remaining displacement that it completes. Collective. */
static PetscErrorCode Advance(Follow *f, PetscReal *done)
{
  PetscReal longest;
  PetscBool solved;

  PetscFunctionBegin;
  *done = 0;
  f->report->increments++;
  PetscCall(SetDirection(f, PETSC_TRUE, &longest, &solved));
  if (!solved) PetscFunctionReturn(0);
  PetscCall(BoundStep(f, done));
  PetscCall(TakeStep(f, PETSC_TRUE, PETSC_INFINITY, done));
  f->report->fraction += *done == 1 ? 1 - f->report->fraction : *done * (1 - f->report->fraction);
  f->report->reached = (PetscBool)(*done == 1);
  PetscFunctionReturn(0);
}

static PetscErrorCode Run(Follow *f)
{
  AbutUntangleFollowReport *report = f->report;
  PetscInt                  cell = -1, body = -1, blocked = 0;

  PetscFunctionBegin;
  while (!report->reached && blocked < BLOCKED_AFTER && report->increments < MAX_INCREMENTS) {
    PetscReal done;

    PetscCall(Advance(f, &done));
    cell    = report->cell;
    body    = report->body;
    blocked = done < SMALLEST ? blocked + 1 : 0;
    PetscCall(Relax(f, report->reached ? TOLERANCE : LOOSE));
  }
  report->cell = cell; /* of the last increment */
  report->body = body;
  PetscFunctionReturn(0);
}

/* ---- Report */

PetscInt CellsInverted(const AbutMeshLocal *m, const PetscReal x[], PetscReal *smallest, PetscInt *cell)
{
  PetscInt num = 0;

  *smallest = PETSC_INFINITY;
  *cell     = -1;
  for (PetscInt c = 0; c < m->num_cells; c++) {
    const PetscReal det = AbutCellStretch(m, c, m->rest, x);

    if (det < *smallest) *cell = c;
    *smallest = PetscMin(*smallest, det);
    num += !(det > 0);
  }
  return num;
}

/* Finds the smallest det F; if the targets are reached, also its cell. Collective. */
static PetscErrorCode FindSmallest(Follow *f)
{
  PetscReal mine;
  PetscInt  cell;

  PetscFunctionBegin;
  (void)CellsInverted(f->local, f->x, &mine, &cell);
  PetscCallMPI(MPI_Allreduce(&mine, &f->report->smallest_det, 1, MPIU_REAL, MPIU_MIN, f->comm));
  if (f->report->reached) PetscCall(AgreeOnCell(f, mine == f->report->smallest_det ? cell : -1, &f->report->cell, &f->report->body));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutUntangleFollow(AbutMesh mesh, AbutElastic elastic, const PetscReal target[], const PetscBool prescribed[],
                                  PetscReal hold, AbutUntangleWatch *watch, PetscReal x[], AbutUntangleFollowReport *report)
{
  Follow         f = {.mesh = mesh, .elastic = elastic, .hold = hold, .watch = watch, .report = report};
  PetscErrorCode code;

  PetscFunctionBegin;
  f.comm  = AbutMeshGetComm(mesh);
  f.local = AbutMeshGetLocal(mesh);
  *report = (AbutUntangleFollowReport){.cell = -1, .body = -1};
  code    = SetUp(&f, target, prescribed, x);
  if (!code) code = Run(&f);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  if (!code) PetscCall(FindSmallest(&f));
  if (!code) PetscCall(PetscArraycpy(x, f.x, f.n));
  PetscCall(TearDown(&f));
  PetscFunctionReturn(code);
}
