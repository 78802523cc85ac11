/*
  Local iterations: Newton's method on the vertices that still move.

  In impacts most of a solve serves a few of the vertices. Where a ball with 700 tendrils and 63,642 vertices hits a wall, 7,000 vertices
  had directions above the tolerance after 24 iterations, 300 after 76, and 88 more iterations followed. So after an iteration whose
  direction is long at a part of the vertices only, iterations on this part follow while all other vertices keep their positions: nonlinear
  elimination [Lanzkron, Rose and Wilkes 1996]. One costs about as much as the part is of the whole.

  The part is chosen again before each local iteration, by the direction of the iteration before it: it shrinks as vertices come to rest,
  and grows where its border moves. Local iterations end when their direction is below the tolerance; then an iteration on all vertices
  decides whether the solve has converged. Each is a step like any other: CCD bounds it, and B decreases.
*/
#include "newtonimpl.h"

static const AbutOption options[] = {
  {"-abut_local_rounds", ABUT_OPTION_INT, offsetof(LocalPolicy, rounds), 60, 0, 1e6, "",
   "Local iterations after a Newton iteration, at most; 0: none"},
  {"-abut_local_share", ABUT_OPTION_REAL, offsetof(LocalPolicy, share), 0.5, 0, 1, "",
   "Share of the vertices up to which iterations are local"},
  {"-abut_local_work", ABUT_OPTION_REAL, offsetof(LocalPolicy, work), 3, 0, 1e6, "",
   "Sum of the shares of local iterations after a Newton iteration, at most"},
  {"-abut_local_above", ABUT_OPTION_REAL, offsetof(LocalPolicy, above), 0.3, 1e-6, 1, "",
   "Direction over the tolerance of the stopping test above which a vertex still moves"},
  {"-abut_local_layers", ABUT_OPTION_INT, offsetof(LocalPolicy, layers), 1, 0, 100, "", "Layers of cells around vertices that still move"}};
const AbutOptionTable AbutLocalOptions = {"Local iterations", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Whether local iterations may follow the iteration in force. */
static PetscBool AreDue(AbutNewton n)
{
  return (PetscBool)(n->local.rounds > 0 && n->now.solved && !n->now.converged && !n->result.stuck && !n->motion->pending);
}

/* Chooses the vertices of the next local iteration; *due: they are few enough, and work is left. Collective. */
static PetscErrorCode Choose(AbutNewton n, PetscReal *work, PetscBool *due)
{
  PetscFunctionBegin;
  PetscCall(AbutRegionSelect(n, n->local.above * n->parts.tolerance * n->h, n->local.layers));
  *work += n->local.region.share;
  *due = (PetscBool)(n->local.region.count > 0 && n->local.region.share <= n->local.share && *work <= n->local.work);
  if (*due) PetscCall(AbutRegionRestrict(n));
  PetscFunctionReturn(0);
}

/* Evaluates the objective again if kappa changed with the step. Collective. */
static PetscErrorCode UpdateStiffness(AbutNewton n, const NewtonStep *step)
{
  const PetscBool cut = (PetscBool)(step->bound.limiter == ABUT_LIMIT_ENERGY && !n->now.predicted);
  PetscBool       changed;

  PetscFunctionBegin;
  PetscCall(AbutStiffnessUpdate(n, step->gap_before, cut, &changed));
  if (changed) {
    PetscCall(AbutObjectiveEnergy(n->parts.objective, n->at->t, &n->at->energy));
    PetscCall(AbutObjectiveGradient(n->parts.objective));
  }
  PetscFunctionReturn(0);
}

/* One local iteration; *more: another one may follow. Collective. */
static PetscErrorCode Iterate(AbutNewton n, Vec F, Vec Y, PetscBool *more)
{
  NewtonStep   step;
  PetscReal    slope;
  PetscScalar *f;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(F, &f));
  for (PetscInt i = 0; i < n->n; i++) f[i] = n->at->gradient[i];
  PetscCall(VecRestoreArrayWrite(F, &f));
  PetscCall(AbutRegionSolve(n, F, F, Y, &slope, more));
  if (!*more) PetscFunctionReturn(0);
  PetscCall(AbutDirectionComplete(n, Y));
  *more = (PetscBool)(n->now.direction_norm >= n->parts.tolerance);
  if (!*more) PetscFunctionReturn(0);
  PetscCall(AbutNewtonTakeStep(n, F, Y, slope, &step));
  *more = step.success;
  if (step.success) PetscCall(UpdateStiffness(n, &step));
  n->now.local += step.success;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLocalIterate(AbutNewton n)
{
  Iteration now  = n->now;
  PetscReal work = 0;
  PetscBool more = AreDue(n);
  Vec       F, Y;

  PetscFunctionBegin;
  n->now.local = 0;
  if (!more) PetscFunctionReturn(0);
  PetscCall(Choose(n, &work, &more));
  if (!more) PetscFunctionReturn(0);
  PetscCall(VecDuplicate(n->F, &F));
  PetscCall(VecDuplicate(n->F, &Y));
  for (PetscInt round = 0; more && round < n->local.rounds; round++) {
    PetscCall(Iterate(n, F, Y, &more));
    if (more) PetscCall(Choose(n, &work, &more));
  }
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&Y));
  PetscCall(AbutRegionEnd(n));
  now.local = n->now.local;
  n->now    = now;
  n->result.count.local += now.local;
  PetscFunctionReturn(0);
}
