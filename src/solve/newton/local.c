/*
  Local iterations: Newton's method on the vertices that still move.

  In impacts, most iterations of a solve are needed by a few vertices only. Where a ball with 700 tendrils and 63,642 vertices hits a
  wall, 7,000 vertices had directions above the tolerance after 24 iterations, 300 after 76, and 88 more iterations followed. So if only a
  part of the vertices has long directions, iterations on this part follow while all other vertices are held: nonlinear elimination
  [Lanzkron, Rose and Wilkes 1996]. The linear system, elastic energies and contacts of surfaces contain the part alone; half spaces,
  friction and damping are complete.

  The part is chosen anew before each local iteration, from the direction of the iteration before: it shrinks as vertices come to rest,
  and grows where its border moves. Once directions are short, it is chosen from the residuals, until its forces are balanced. Then an
  iteration on all vertices decides whether the solve has converged. If the last such iteration and all local ones had short directions,
  the balance of all forces decides at once.

  They also leave better balanced states. With a MOST_SHARE of 0.25 nine scenes took 0.95 of the time on one rank and 0.92 on two, but the
  shear force of a pad was 0.5 % wrong (tests/verification/test_sheared_pad.py), which solver.balance allows, instead of 0.01 %.

  Local iterations take steps like any other: CCD bounds the step, and the line search keeps B from increasing. The barrier stiffness
  adapts only in iterations on all vertices, because held contacts could not follow it.
*/
#include "newtonimpl.h"

#define ROUNDS     60   /* local iterations after an iteration on all vertices, at most */
#define LAYERS     1    /* layers of cells around the vertices that still move */
#define MOST_SHARE 0.5  /* share of the vertices up to which iterations are local */
#define WORK       3    /* largest sum of the shares of vertices over the local iterations that follow one iteration on all vertices */
#define ABOVE      0.3  /* ratio of a vertex's direction to the tolerance above which it takes part in local iterations */
#define RELATIVE   0.01 /* ratio of a vertex's direction to the longest one above which it takes part in local iterations */

static const AbutOption options[]        = {{"-abut_local", ABUT_OPTION_BOOL, offsetof(LocalPolicy, on), 1, 0, 1, "",
                                             "Iterations on the vertices that still move, after iterations on all vertices"}};
const AbutOptionTable   AbutLocalOptions = {"Local iterations", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Whether local iterations may follow this iteration. */
static PetscBool AreDue(AbutNewton n)
{
  return (PetscBool)(n->local.on && n->now.solved && !n->now.converged && !n->result.stuck && !n->problem.motion->pending &&
                     !AbutConstraintPlanesArePending(n->problem.parts.constraint));
}

/* Chooses vertices whose displacement is long or, in short directions, whose residual is large. Collective. */
static PetscErrorCode Select(Region *region, const Problem *p, ForceBalance *balance, PetscReal direction_norm)
{
  const PetscReal limit = PetscMax(ABOVE * p->parts.tolerance, RELATIVE * direction_norm);

  PetscFunctionBegin;
  if (direction_norm < p->parts.tolerance) {
    AbutEquilibriumShares(balance, p);
    PetscCall(AbutRegionSelect(region, p, balance->share, ABOVE, LAYERS));
  } else {
    PetscCall(AbutRegionSelect(region, p, p->at->p, limit * p->h, LAYERS));
  }
  PetscFunctionReturn(0);
}

/* Chooses the vertices of the next local iteration. *due: they are few enough, and the limit WORK is not reached. Collective. */
static PetscErrorCode Choose(AbutNewton n, PetscReal *work, PetscBool *due)
{
  const LocalPolicy *l = &n->local;

  PetscFunctionBegin;
  PetscCall(Select(&n->local.region, &n->problem, &n->balance, n->now.direction_norm));
  *work += l->region.share;
  *due = (PetscBool)(l->region.count > 0 && l->region.share <= MOST_SHARE && *work <= WORK);
  if (*due && n->calls.stop) {
    PetscBool stop = PETSC_FALSE;
    PetscCall((*n->calls.stop)(n->calls.stop_ctx, &stop));
    *due = (PetscBool)!stop;
  }
  PetscFunctionReturn(0);
}

/* One local iteration; *more: another one may follow. Collective. */
static PetscErrorCode Iterate(AbutNewton n, Vec F, Vec Y, PetscBool *more)
{
  NewtonStep step;

  PetscFunctionBegin;
  PetscCall(AbutRegionRestrict(&n->local.region, &n->problem));
  PetscCall(AbutProblemCopyToVec(&n->problem, n->problem.at->gradient, F));
  PetscCall(AbutRegionSolve(&n->local.region, &n->direction, F, F, Y, &step.slope, more));
  if (!*more) PetscFunctionReturn(0);
  PetscCall(AbutDirectionComplete(&n->direction, Y, &n->now.direction_norm));
  PetscCall(AbutNewtonBoundStep(n, F, Y, &step));
  PetscCall(AbutNewtonTakeStep(n, Y, &step));
  *more = (PetscBool)(step.success && step.taken > 0);
  n->now.local += step.success;
  n->now.local_norm = PetscMax(n->now.local_norm, n->now.direction_norm);
  PetscFunctionReturn(0);
}

/* Iterates locally until an iteration is short or fails, vertices move everywhere, or a limit is reached. Collective. */
static PetscErrorCode Repeat(AbutNewton n, Vec F, Vec Y, PetscReal work)
{
  PetscBool more = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt round = 0; more && round < ROUNDS; round++) {
    PetscCall(Iterate(n, F, Y, &more));
    if (more) PetscCall(Choose(n, &work, &more));
  }
  PetscFunctionReturn(0);
}

/* Repeat() with the objective restricted to the part. The restriction ends also after an error. Collective. */
static PetscErrorCode Run(AbutNewton n, PetscReal work)
{
  Iteration      now = n->now;
  PetscErrorCode ierr;
  Vec            F, Y;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(n->F, &F));
  PetscCall(VecDuplicate(n->F, &Y));
  ierr = Repeat(n, F, Y, work);
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&Y));
  PetscCall(AbutRegionEnd(&n->local.region, &n->problem));
  PetscCall(ierr);
  PetscCall(AbutProblemSearchAndEvaluate(&n->problem));
  now.local      = n->now.local;
  now.local_norm = n->now.local_norm;
  n->now         = now;
  n->result.count.local += now.local;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLocalIterate(AbutNewton n)
{
  PetscReal work = 0;
  PetscBool due  = AreDue(n);

  PetscFunctionBegin;
  n->now.local      = 0;
  n->now.local_norm = 0;
  if (due) PetscCall(Choose(n, &work, &due));
  if (due) PetscCall(Run(n, work));
  PetscFunctionReturn(0);
}
