/*
  The incremental potential of a time step as a list of terms: lines, energies, gradient, Hessian. All loops over terms are in this file,
  which is independent of the concrete terms.
*/
#include <abut/containers.h>
#include <abut/objective.h>
#include <abut/option.h>
#include <stdio.h>
#include <string.h>

const char *const AbutLimiters[] = {"none", "ccd", "inversion", "energy", "pair-bound", "AbutLimiter", "ABUT_LIMIT_", NULL};

PetscReal AbutEnergyTotal(const AbutEnergy *energy)
{
  PetscReal sum = energy->kind[0];

  for (int k = 1; k < ABUT_NUM_ENERGIES; k++) sum += energy->kind[k];
  return sum;
}

PetscReal AbutEnergySize(const AbutEnergy *energy)
{
  PetscReal sum = PetscAbsReal(energy->kind[0]);

  for (int k = 1; k < ABUT_NUM_ENERGIES; k++) sum += PetscAbsReal(energy->kind[k]);
  return sum;
}

typedef struct {
  const AbutTermOps *ops;
  void              *ctx;
} Term;

/* Check of the motion from each iterate to the next */
typedef struct {
  PetscBool on;
  PetscInt  step, iteration; /* of the next iterate, for messages; iteration 0: start of the step */
} MotionCheck;

struct _p_AbutObjective {
  MPI_Comm             comm;
  AbutMesh             mesh;
  const AbutMeshLocal *ml;
  AbutContact          contact;
  AbutAssembler        assembler;
  PetscInt             dim, n; /* n = num_owned * dim */
  PetscReal            dhat;   /* [m] */
  const PetscBool     *fixed;  /* [n] fixed unknowns */
  const PetscBool     *moving; /* [num_local] vertices that move; NULL: all */
  PetscInt             num_terms;
  Term                 terms[ABUT_TERMS_MAX];
  AbutIterate          at;
  PetscReal           *xt, *g; /* [room] over contact vertices: trial positions, sums of gradients */
  PetscInt             room;   /* allocated length of xt and g */
  MotionCheck          check;
};

static const AbutOption options[] = {
  {"-check_iterates", ABUT_OPTION_BOOL, offsetof(struct _p_AbutObjective, check.on), 0, 0, 1, "",
   "Check by continuous collision detection of all pairs that no surface passes through another from one Newton iterate to the next"}};
const AbutOptionTable AbutObjectiveOptions = {"Incremental potential", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Declares the cells as stencils that contribute to every Hessian. */
static PetscErrorCode CreateAssembler(AbutObjective o)
{
  const PetscInt n = o->dim + 1 + (o->ml->middles ? AbutNumCellEdges(o->dim) : 0);
  PetscInt      *vertices;

  PetscFunctionBegin;
  PetscCall(AbutAssemblerCreate(o->comm, o->dim, o->ml->num_owned, &o->assembler));
  PetscCall(PetscMalloc1(o->ml->num_cells * n, &vertices));
  for (PetscInt k = 0; k < o->ml->num_cells * n; k++) {
    const PetscInt v = AbutCellNode(o->ml, k / n, k % n);
    vertices[k]      = v < 0 ? -1 : o->ml->vertex_global[v];
  }
  PetscCall(AbutAssemblerSetFixed(o->assembler, n, o->ml->num_cells, vertices));
  PetscCall(PetscFree(vertices));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveCreate(AbutMesh mesh, AbutContact contact, PetscReal dhat, const PetscBool fixed[], AbutObjective *objective)
{
  AbutObjective o;

  PetscFunctionBegin;
  PetscCall(PetscNew(&o));
  *objective = o;
  o->mesh    = mesh;
  o->contact = contact;
  o->dhat    = dhat;
  o->fixed   = fixed;
  o->comm    = AbutMeshGetComm(mesh);
  o->ml      = AbutMeshGetLocal(mesh);
  o->dim     = o->ml->dim;
  o->n       = o->ml->num_owned * o->dim;
  AbutOptionTableSetDefaults(&AbutObjectiveOptions, o);
  PetscCall(PetscCalloc3(o->ml->num_local * o->dim, &o->at.x, o->ml->num_local * o->dim, &o->at.p, o->n, &o->at.gradient));
  PetscCall(CreateAssembler(o));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveDestroy(AbutObjective *objective)
{
  AbutObjective o = *objective;

  PetscFunctionBegin;
  if (!o) PetscFunctionReturn(0);
  PetscCall(AbutAssemblerDestroy(&o->assembler));
  PetscCall(PetscFree3(o->at.x, o->at.p, o->at.gradient));
  PetscCall(PetscFree(o->xt));
  PetscCall(PetscFree(o->g));
  PetscCall(PetscFree(*objective));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveSetFromOptions(AbutObjective o)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableSetFromOptions(o->comm, &AbutObjectiveOptions, o));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveView(AbutObjective o, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableView(&AbutObjectiveOptions, o, viewer));
  for (PetscInt k = 0; k < o->num_terms; k++) PetscCall(PetscViewerASCIIPrintf(viewer, "  term: %s\n", o->terms[k].ops->name));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveAddTerm(AbutObjective o, const AbutTermOps *ops, void *ctx)
{
  PetscFunctionBegin;
  AbutCheck(o->num_terms < ABUT_TERMS_MAX, ABUT_ERR_INPUT, "cannot add term '%s': an objective has at most %d terms", ops->name,
            ABUT_TERMS_MAX);
  o->terms[o->num_terms++] = (Term){ops, ctx};
  PetscFunctionReturn(0);
}

AbutIterate *AbutObjectiveGetIterate(AbutObjective o)
{
  return &o->at;
}

PetscInt AbutObjectiveGetSize(AbutObjective o)
{
  return o->n;
}

PetscErrorCode AbutObjectiveUpdateGhosts(AbutObjective o, PetscReal values[])
{
  return AbutMeshUpdateGhosts(o->mesh, o->dim, values);
}

/* Candidates of the last search; grows the work arrays to its number of contact vertices. */
static PetscErrorCode GetCandidates(AbutObjective o, const AbutCandidates **candidates)
{
  const AbutColumn work[] = {{&o->xt, sizeof(*o->xt)}, {&o->g, sizeof(*o->g)}};

  PetscFunctionBegin;
  *candidates = AbutContactGetCandidates(o->contact);
  PetscCall(AbutReserveColumns((*candidates)->num_vertices * o->dim, &o->room, 2, work));
  PetscFunctionReturn(0);
}

/* Sets *trial to the point t of the searched line, with positions of all contact vertices. */
static PetscErrorCode GetTrial(AbutObjective o, PetscReal t, AbutTrial *trial)
{
  PetscFunctionBegin;
  PetscCall(GetCandidates(o, &trial->candidates));
  PetscCall(AbutContactPositions(o->contact, t, o->xt));
  trial->t = t;
  trial->x = o->xt;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveGetWork(AbutObjective o, PetscReal **work)
{
  const AbutCandidates *candidates;

  PetscFunctionBegin;
  PetscCall(GetCandidates(o, &candidates));
  *work = o->xt;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveSearch(AbutObjective o, const PetscReal p[], PetscReal *step)
{
  PetscFunctionBegin;
  PetscCall(AbutContactSetActiveDistance(o->contact, o->dhat));
  PetscCall(AbutContactSearch(o->contact, o->at.x, p, step, o->dhat));
  for (PetscInt k = 0; k < o->num_terms; k++)
    if (o->terms[k].ops->setline) PetscCall((*o->terms[k].ops->setline)(o->terms[k].ctx, o->at.x, p));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveFindContacts(AbutObjective o)
{
  PetscReal step = 0;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveSearch(o, NULL, &step));
  PetscCall(AbutObjectiveAccept(o, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveBoundStep(AbutObjective o, PetscReal slack, PetscReal floor, AbutStepBound *bound)
{
  PetscReal before;

  PetscFunctionBegin;
  *bound = (AbutStepBound){1, ABUT_LIMIT_NONE, {{-1, -1, -1, -1}, {-1, -1}, 0, -1}};
  PetscCall(AbutPhaseBegin(ABUT_PHASE_ELASTIC));
  for (PetscInt k = 0; k < o->num_terms; k++)
    if (o->terms[k].ops->maxstep) PetscCall((*o->terms[k].ops->maxstep)(o->terms[k].ctx, o->at.x, o->at.p, &bound->step));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_ELASTIC));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bound->step, 1, MPIU_REAL, MPIU_MIN, o->comm));
  if (bound->step < 1) bound->limiter = ABUT_LIMIT_INVERSION;
  before = bound->step;
  PetscCall(AbutObjectiveSearch(o, o->at.p, &bound->step));
  if (bound->step < before) bound->limiter = ABUT_LIMIT_BOUND;
  before = bound->step;
  PetscCall(AbutContactMaxStep(o->contact, slack, floor, &bound->step, &bound->pair));
  if (bound->step < before) bound->limiter = ABUT_LIMIT_CCD;
  PetscFunctionReturn(0);
}

/* Adds the energies of the terms that are evaluated in one phase: the terms of cells, or all other terms. */
static PetscErrorCode AddEnergies(AbutObjective o, const AbutTrial *trial, PetscBool cells, AbutEnergy *shares, AbutEnergy *replicated)
{
  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(cells ? ABUT_PHASE_ELASTIC : ABUT_PHASE_LINE_SEARCH));
  for (PetscInt k = 0; k < o->num_terms; k++) {
    const AbutTermOps *ops = o->terms[k].ops;
    AbutEnergy        *to  = ops->replicated ? replicated : shares;
    if (ops->energy && (ops->phase == ABUT_PHASE_ELASTIC) == cells) PetscCall((*ops->energy)(o->terms[k].ctx, trial, &to->kind[ops->kind]));
  }
  PetscCall(AbutPhaseEnd(cells ? ABUT_PHASE_ELASTIC : ABUT_PHASE_LINE_SEARCH));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveEnergy(AbutObjective o, PetscReal t, AbutEnergy *energy)
{
  AbutTrial  trial;
  AbutEnergy replicated = {{0}};

  PetscFunctionBegin;
  *energy = (AbutEnergy){{0}};
  PetscCall(GetTrial(o, t, &trial));
  PetscCall(AddEnergies(o, &trial, PETSC_TRUE, energy, &replicated));
  PetscCall(AddEnergies(o, &trial, PETSC_FALSE, energy, &replicated));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, energy->kind, ABUT_NUM_ENERGIES, MPIU_REAL, MPIU_SUM, o->comm));
  for (int k = 0; k < ABUT_NUM_ENERGIES; k++) energy->kind[k] += replicated.kind[k];
  PetscFunctionReturn(0);
}

void AbutObjectiveSetIteration(AbutObjective o, PetscInt step, PetscInt iteration)
{
  o->check.step      = step;
  o->check.iteration = iteration;
}

/* ABUT_ERR_DIVERGED if surfaces pass through each other from the iterate to the local positions `to`. Collective. */
static PetscErrorCode CheckMotion(AbutObjective o, const PetscReal to[])
{
  const AbutCandidates *c = AbutContactGetCandidates(o->contact);
  AbutLimitingPair      pair;
  char                  ids[96] = "";
  const char           *other;

  PetscFunctionBegin;
  PetscCall(AbutContactCheckMotion(o->contact, o->at.x, to, &pair));
  if (pair.rank < 0) PetscFunctionReturn(0);
  for (int k = 0; k < 4 && pair.vertex_id[k] >= 0; k++) {
    const size_t used = strlen(ids);
    snprintf(ids + used, sizeof(ids) - used, " %" PetscInt_FMT, pair.vertex_id[k]);
  }
  other = pair.body[1] < 0 ? c->planes[-1 - pair.body[1]].name : o->ml->bodies[pair.body[1]].name;
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED,
                                   "step %" PetscInt_FMT ", Newton iteration %" PetscInt_FMT
                                   ": the motion to the new iterate moves '%s' through '%s' (%s%s, %.3g m apart before); the step bound "
                                   "has failed to prevent it",
                                   o->check.step, o->check.iteration, o->ml->bodies[pair.body[0]].name, other,
                                   pair.vertex_id[1] < 0 ? "vertex" : "vertices", ids, (double)pair.distance));
}

PetscErrorCode AbutObjectiveAccept(AbutObjective o, PetscReal t)
{
  AbutTrial trial;

  PetscFunctionBegin;
  PetscCall(GetTrial(o, t, &trial));
  if (o->check.on && t > 0) PetscCall(CheckMotion(o, trial.x));
  PetscCall(PetscArraycpy(o->at.x, o->xt, o->ml->num_local * o->dim));
  o->at.t = t;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_ASSEMBLY));
  for (PetscInt k = 0; k < o->num_terms; k++)
    if (o->terms[k].ops->accept) PetscCall((*o->terms[k].ops->accept)(o->terms[k].ctx, &trial));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveGradientOf(AbutObjective o, unsigned kinds, const PetscReal **g)
{
  AbutTrial at = {.t = o->at.t, .x = o->at.x};

  PetscFunctionBegin;
  PetscCall(GetCandidates(o, &at.candidates));
  PetscCall(PetscArrayzero(o->g, at.candidates->num_vertices * o->dim));
  for (PetscInt k = 0; k < o->num_terms; k++) {
    const AbutTermOps *ops = o->terms[k].ops;
    if (!ops->addgradient || !(kinds & 1U << ops->kind)) continue;
    PetscCall(AbutPhaseBegin(ops->phase));
    PetscCall((*ops->addgradient)(o->terms[k].ctx, &at, o->g));
    PetscCall(AbutPhaseEnd(ops->phase));
  }
  PetscCall(AbutContactReduceAdd(o->contact, o->dim, o->g));
  for (PetscInt k = 0; k < o->num_terms; k++) {
    const AbutTermOps *ops = o->terms[k].ops;
    if (ops->addownedgradient && kinds & 1U << ops->kind) PetscCall((*ops->addownedgradient)(o->terms[k].ctx, &at, o->g));
  }
  *g = o->g;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveRestrict(AbutObjective o, const PetscBool moving[])
{
  PetscFunctionBegin;
  o->moving = moving;
  AbutAssemblerRestrict(o->assembler, moving);
  AbutContactRestrict(o->contact, moving);
  for (PetscInt k = 0; k < o->num_terms; k++)
    if (o->terms[k].ops->setmoving) PetscCall((*o->terms[k].ops->setmoving)(o->terms[k].ctx, moving));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveGradient(AbutObjective o)
{
  const PetscReal *g;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveGradientOf(o, ~0U, &g));
  for (PetscInt i = 0; i < o->n; i++) o->at.gradient[i] = o->fixed[i] || (o->moving && !o->moving[i / o->dim]) ? 0 : g[i];
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveSlope(AbutObjective o, PetscReal *slope)
{
  PetscFunctionBegin;
  *slope = AbutDot(o->n, o->at.gradient, o->at.p);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, slope, 1, MPIU_REAL, MPIU_SUM, o->comm));
  PetscFunctionReturn(0);
}

/*
  Pairs within dhat enter the pattern before they need it, so that it is rebuilt less often. A wider pattern did not save time: with
  1.5 dhat, 0.97 and 1.01 of the time of twelve scenes on one and two ranks. Candidates of a restricted search are few: all of them enter.
*/
PetscErrorCode AbutObjectiveUpdatePattern(AbutObjective o, PetscBool *rebuilt, Mat *A)
{
  const PetscBool all                    = AbutContactIsRestricted(o->contact);
  AbutStencilList needed[ABUT_TERMS_MAX] = {{0}}, lookahead = {0};
  PetscInt        count = 0;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_ASSEMBLY));
  for (PetscInt k = 0; k < o->num_terms; k++)
    if (o->terms[k].ops->getpattern) PetscCall((*o->terms[k].ops->getpattern)(o->terms[k].ctx, all, &needed[count++], &lookahead));
  PetscCall(AbutAssemblerUpdatePattern(o->assembler, count, needed, &lookahead, rebuilt));
  *A = AbutAssemblerGetMat(o->assembler);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveHessian(AbutObjective o, AbutProjection projection, Mat *A)
{
  AbutTrial at = {.t = o->at.t, .x = o->at.x};

  PetscFunctionBegin;
  PetscCall(GetCandidates(o, &at.candidates));
  PetscCall(AbutAssemblerBegin(o->assembler));
  for (PetscInt k = 0; k < o->num_terms; k++) {
    const AbutTermOps *ops = o->terms[k].ops;
    if (!ops->addhessian) continue;
    PetscCall(AbutPhaseBegin(ops->phase));
    PetscCall((*ops->addhessian)(o->terms[k].ctx, &at, projection, o->assembler));
    PetscCall(AbutPhaseEnd(ops->phase));
  }
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_ASSEMBLY));
  PetscCall(AbutAssemblerEnd(o->assembler, o->fixed));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_ASSEMBLY));
  *A = AbutAssemblerGetMat(o->assembler);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveForget(AbutObjective o)
{
  PetscFunctionBegin;
  PetscCall(AbutAssemblerForgetPattern(o->assembler));
  PetscCall(AbutContactForget(o->contact));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutObjectiveElasticDiagonal(AbutObjective o, AbutElastic elastic, PetscReal d[])
{
  const PetscScalar *values;
  PetscBool          rebuilt;
  Vec                diagonal;

  PetscFunctionBegin;
  PetscCall(AbutAssemblerUpdatePattern(o->assembler, 0, NULL, NULL, &rebuilt));
  PetscCall(AbutAssemblerBegin(o->assembler));
  AbutElasticAddHessian(elastic, o->ml->rest, 1, ABUT_PSD_CLAMP, o->assembler);
  PetscCall(AbutAssemblerEnd(o->assembler, NULL));
  PetscCall(MatCreateVecs(AbutAssemblerGetMat(o->assembler), NULL, &diagonal));
  PetscCall(MatGetDiagonal(AbutAssemblerGetMat(o->assembler), diagonal));
  PetscCall(VecGetArrayRead(diagonal, &values));
  for (PetscInt i = 0; i < o->n; i++) d[i] = PetscRealPart(values[i]);
  PetscCall(VecRestoreArrayRead(diagonal, &values));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(AbutAssemblerForgetPattern(o->assembler));
  PetscFunctionReturn(0);
}
