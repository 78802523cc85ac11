/*
  Linear systems of a region: the rows and columns of the Hessian at some vertices. In local iterations these are the vertices whose last
  direction exceeds a limit, and all other vertices stay. In corrections of a direction these are the vertices of predicted contacts, and
  all other vertices keep their part of the direction. In both cases layers of cells around these vertices belong to the region. Meanwhile
  the objective is restricted (AbutObjectiveRestrict()): it leaves out cells and contacts that do not depend on the region. A smaller region
  within the old one needs no new restriction.
*/
#include "newtonimpl.h"

/* Adds the vertices of all cells with a flagged vertex: one layer. Collective. */
static PetscErrorCode AddLayer(Region *r, const Problem *p)
{
  const AbutMeshLocal *ml   = p->ml;
  const PetscInt       nv   = ml->dim + 1;
  PetscReal           *flag = r->flag, *next = r->next;

  PetscFunctionBegin;
  PetscCall(AbutMeshUpdateGhosts(p->parts.mesh, 1, flag));
  PetscCall(PetscArrayzero(next, ml->num_local));
  for (PetscInt c = 0; c < ml->num_cells; c++) {
    const PetscInt nodes = nv + (AbutCellIsQuadratic(ml, c) ? AbutNumCellEdges(ml->dim) : 0);
    PetscReal      any   = 0;
    for (PetscInt a = 0; a < nodes; a++) any += flag[AbutCellNode(ml, c, a)];
    for (PetscInt a = 0; a < nodes && any > 0; a++) next[AbutCellNode(ml, c, a)] = 1;
  }
  PetscCall(AbutMeshReduceAdd(p->parts.mesh, 1, next));
  for (PetscInt v = 0; v < ml->num_owned; v++)
    if (next[v] > 0) flag[v] = 1;
  PetscFunctionReturn(0);
}

/* Whether a component of the values at an owned vertex exceeds the limit. */
static PetscBool Exceeds(PetscInt dim, const PetscReal values[], PetscInt v, PetscReal limit)
{
  PetscReal longest = 0;

  for (PetscInt i = dim * v; i < dim * (v + 1); i++) longest = PetscMax(longest, PetscAbsReal(values[i]));
  return (PetscBool)(longest > limit);
}

/* Counts, on all ranks, the vertices of bodies, how many are in the region, and how many of these the objective holds. Collective. */
static PetscErrorCode Count(Region *r, const Problem *p)
{
  PetscInt count[3] = {0};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < p->ml->num_owned; v++) {
    if (!(p->parts.mass.vertex[v] > 0)) continue;
    count[0] += r->member[v];
    count[1]++;
    count[2] += r->member[v] && !r->moving[v];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 3, MPIU_INT, MPI_SUM, p->comm));
  r->count    = count[0];
  r->share    = (PetscReal)count[0] / PetscMax(count[1], 1);
  r->num_held = count[2];
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRegionSelect(Region *r, const Problem *p, const PetscReal values[], PetscReal limit, PetscInt layers)
{
  const AbutMeshLocal *ml = p->ml;
  const PetscInt       nl = ml->num_local + 1; /* a rank without vertices needs non-NULL arrays */

  PetscFunctionBegin;
  if (!r->member) PetscCall(PetscCalloc4(nl, &r->member, nl, &r->moving, nl, &r->flag, nl, &r->next));
  for (PetscInt v = 0; v < ml->num_owned; v++) r->flag[v] = Exceeds(ml->dim, values, v, limit);
  for (PetscInt l = 0; l < layers; l++) PetscCall(AddLayer(r, p));
  PetscCall(AbutMeshUpdateGhosts(p->parts.mesh, 1, r->flag));
  for (PetscInt v = 0; v < ml->num_local; v++) r->member[v] = (PetscBool)(r->flag[v] > 0);
  PetscCall(Count(r, p));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRegionRestrict(Region *r, const Problem *p)
{
  PetscFunctionBegin;
  if (r->active && r->num_held == 0 && 2 * r->count >= r->num_moving) PetscFunctionReturn(0);
  PetscCall(PetscArraycpy(r->moving, r->member, p->ml->num_local));
  PetscCall(AbutObjectiveRestrict(p->parts.objective, r->moving));
  r->active     = PETSC_TRUE;
  r->num_moving = r->count;
  PetscCall(AbutProblemSearchAndEvaluate(p));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRegionEnd(Region *r, const Problem *p)
{
  PetscFunctionBegin;
  r->active = PETSC_FALSE;
  PetscCall(AbutObjectiveRestrict(p->parts.objective, NULL));
  PetscFunctionReturn(0);
}

/* Row numbers of the region in A. */
static PetscErrorCode CreateRows(const Region *r, const Problem *p, Mat A, IS *rows)
{
  PetscInt *block, first, count = 0;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(PetscMalloc1(p->ml->num_owned, &block));
  for (PetscInt v = 0; v < p->ml->num_owned; v++)
    if (r->member[v]) block[count++] = first / p->ml->dim + v;
  PetscCall(ISCreateBlock(p->comm, p->ml->dim, count, block, PETSC_OWN_POINTER, rows));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateMatrix(const Problem *p, Mat A, IS rows, Mat *S)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, S));
  PetscCall(MatSetBlockSize(*S, p->ml->dim));
  PetscCall(MatSetOption(*S, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*S, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(0);
}

/* Rest coordinates and positions of the region's owned vertices. */
static PetscErrorCode CreateCoordinates(const Region *r, const Problem *p, PetscReal **rest, PetscReal **x, PetscInt *count)
{
  const PetscInt dim = p->ml->dim;

  PetscFunctionBegin;
  *count = 0;
  PetscCall(PetscMalloc2(p->n, rest, p->n, x));
  for (PetscInt v = 0; v < p->ml->num_owned; v++) {
    if (!r->member[v]) continue;
    PetscCall(PetscArraycpy(*rest + dim * *count, p->ml->rest + dim * v, dim));
    PetscCall(PetscArraycpy(*x + dim * *count, p->at->x + dim * v, dim));
    ++*count;
  }
  PetscFunctionReturn(0);
}

/* Sets up and solves. result->solved is false if S has no Cholesky factor. projected: S is positive semidefinite. Collective. */
static PetscErrorCode SetUpAndSolve(AbutLinear linear, Mat S, PetscBool projected, Vec b, Vec y, AbutLinearResult *result)
{
  const PetscInt before = result->iterations;
  PetscBool      definite;

  PetscFunctionBegin;
  PetscCall(AbutLinearSetUp(linear, S, PETSC_FALSE, &definite));
  if (!definite && projected && AbutLinearIsOwn(linear)) PetscCall(AbutLinearSetUpShifted(linear, S, &definite));
  if (!definite) PetscFunctionReturn(0);
  PetscCall(AbutLinearSolve(linear, b, y));
  PetscCall(AbutLinearGetResult(linear, result));
  result->iterations += before;
  PetscFunctionReturn(0);
}

/* y = S^-1 b by a solver of its own, because S lives for one solution. Collective. */
static PetscErrorCode SolveOnce(const Region *r, const Problem *p, Mat S, PetscBool projected, Vec b, Vec y, AbutLinearResult *result)
{
  AbutLinear linear;
  PetscReal *rest, *x;
  PetscInt   count;
  KSP        ksp;

  PetscFunctionBegin;
  *result = (AbutLinearResult){0};
  PetscCall(CreateCoordinates(r, p, &rest, &x, &count));
  PetscCall(KSPCreate(p->comm, &ksp));
  PetscCall(AbutLinearCreate(ksp, p->ml->dim, count, rest, &linear));
  PetscCall(AbutLinearSetFromOptions(linear));
  AbutLinearSetPositions(linear, x);
  PetscCall(AbutLinearSetPattern(linear, S));
  PetscCall(SetUpAndSolve(linear, S, projected, b, y, result));
  if (result->reason < 0 && AbutLinearMayImprove(linear)) { /* a factor in single precision was too coarse */
    PetscCall(AbutLinearRetire(linear));
    PetscCall(SetUpAndSolve(linear, S, projected, b, y, result));
  }
  PetscCall(AbutLinearDestroy(&linear));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(PetscFree2(rest, x));
  PetscFunctionReturn(0);
}

/* Solves with the region's part of A and b; Y is 0 elsewhere. Collective. */
static PetscErrorCode SolvePart(const Region *r, const Problem *p, Mat A, PetscBool projected, Vec b, Vec Y, AbutLinearResult *result)
{
  Mat S;
  IS  rows;
  Vec bs, ys;

  PetscFunctionBegin;
  PetscCall(CreateRows(r, p, A, &rows));
  PetscCall(CreateMatrix(p, A, rows, &S));
  PetscCall(MatCreateVecs(S, &ys, &bs));
  PetscCall(VecISCopy(b, rows, SCATTER_REVERSE, bs));
  PetscCall(SolveOnce(r, p, S, projected, bs, ys, result));
  PetscCall(VecSet(Y, 0));
  if (result->solved) PetscCall(VecISCopy(Y, rows, SCATTER_FORWARD, ys));
  PetscCall(VecDestroy(&bs));
  PetscCall(VecDestroy(&ys));
  PetscCall(MatDestroy(&S));
  PetscCall(ISDestroy(&rows));
  PetscFunctionReturn(0);
}

/* Solves with the Hessian of the region in this projection; dot = F . Y. Collective. */
static PetscErrorCode SolveProjected(const Region *r, Direction *d, AbutProjection projection, Vec F, Vec b, Vec Y,
                                     AbutLinearResult *result, PetscScalar *dot)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveHessian(d->problem->parts.objective, projection, &A));
  PetscCall(SolvePart(r, d->problem, A, (PetscBool)(projection != ABUT_PSD_NONE), b, Y, result));
  PetscCall(VecDot(F, Y, dot));
  d->result->count.linear += result->iterations;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRegionSolve(const Region *r, Direction *d, Vec F, Vec b, Vec Y, PetscReal *slope, PetscBool *descent)
{
  AbutLinearResult result;
  PetscScalar      dot;
  Mat              A;

  PetscFunctionBegin;
  PetscCall(AbutDirectionUpdateMatrix(d, &A));
  PetscCall(SolveProjected(r, d, d->hessian.near ? ABUT_PSD_NONE : ABUT_PSD_CLAMP, F, b, Y, &result, &dot));
  if (d->hessian.near && !(result.solved && PetscRealPart(dot) > 0))
    PetscCall(SolveProjected(r, d, ABUT_PSD_CLAMP, F, b, Y, &result, &dot));
  d->result->count.linear_failures += !result.solved;
  *slope   = -PetscRealPart(dot);
  *descent = (PetscBool)(result.solved && *slope < 0);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRegionCorrect(const Region *r, Direction *d, Vec F, Vec b, Vec Y, PetscReal *slope, PetscBool *descent)
{
  AbutLinearResult result;
  PetscScalar      dot, along;
  PetscErrorCode   ierr;
  Mat              A;
  Vec              R, Z;

  PetscFunctionBegin;
  PetscCall(AbutDirectionUpdateMatrix(d, &A));
  PetscCall(AbutObjectiveRestrict(d->problem->parts.objective, r->member));
  ierr = AbutObjectiveHessian(d->problem->parts.objective, d->hessian.projection, &A);
  PetscCall(AbutObjectiveRestrict(d->problem->parts.objective, NULL)); /* also after an error */
  PetscCall(ierr);
  PetscCall(VecDuplicate(Y, &R));
  PetscCall(VecDuplicate(Y, &Z));
  PetscCall(MatMult(A, Y, R));
  PetscCall(VecAYPX(R, -1, b));
  PetscCall(SolvePart(r, d->problem, A, (PetscBool)(d->hessian.projection != ABUT_PSD_NONE), R, Z, &result));
  PetscCall(VecAXPY(Y, 1, Z));
  PetscCall(VecDot(R, Z, &along));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&Z));
  PetscCall(VecDot(F, Y, &dot));
  d->result->count.linear += result.iterations;
  *slope   = -PetscRealPart(dot);
  *descent = (PetscBool)(result.solved && PetscRealPart(along) >= 0 && *slope < 0);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRegionFree(Region *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(r->member, r->moving, r->flag, r->next));
  PetscFunctionReturn(0);
}
