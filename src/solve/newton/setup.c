/* Life cycle, options and views of Newton's method. */
#include "newtonimpl.h"
#include <string.h>

PetscErrorCode AbutNewtonCreate(const AbutNewtonParts *parts, AbutNewton *newton)
{
  AbutNewton n;
  Problem   *p;
  KSP        ksp;

  PetscFunctionBegin;
  PetscCall(PetscNew(&n));
  *newton   = n;
  p         = &n->problem;
  p->parts  = *parts;
  p->comm   = AbutMeshGetComm(parts->mesh);
  p->ml     = AbutMeshGetLocal(parts->mesh);
  p->motion = AbutConstraintGetMotion(parts->constraint);
  p->at     = AbutObjectiveGetIterate(parts->objective);
  p->n      = AbutObjectiveGetSize(parts->objective);
  AbutOptionTableSetDefaults(&AbutPredictOptions, &n->predict);
  AbutOptionTableSetDefaults(&AbutLocalOptions, &n->local);
  PetscCall(AbutStiffnessSetUp(&n->stiffness, p));
  PetscCall(AbutEquilibriumCreate(&n->balance, p));
  n->predict.springs = (AbutPrediction){.comm = p->comm, .contact = parts->barrier->contact, .dim = p->ml->dim};
  PetscCall(AbutObjectiveAddTerm(parts->objective, &AbutPredictionTerm, &n->predict.springs));
  PetscCall(VecCreateMPI(p->comm, p->n, PETSC_DETERMINE, &n->X));
  PetscCall(VecDuplicate(n->X, &n->F));
  PetscCall(SNESCreate(p->comm, &n->snes));
  PetscCall(AbutNewtonSetHooks(n));
  n->direction.problem          = p;
  n->direction.snes             = n->snes;
  n->direction.layout           = n->F;
  n->direction.result           = &n->result;
  n->direction.hessian.strategy = parts->strategy;
  PetscCall(SNESGetKSP(n->snes, &ksp));
  PetscCall(AbutLinearCreate(ksp, p->ml->dim, p->ml->num_owned, p->ml->rest, &n->direction.linear));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonDestroy(AbutNewton *newton)
{
  AbutNewton n = *newton;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(0);
  PetscCall(AbutPredictionFree(&n->predict.springs));
  PetscCall(AbutPredictFree(&n->predict));
  PetscCall(AbutRegionFree(&n->local.region));
  PetscCall(AbutEquilibriumDestroy(&n->balance));
  PetscCall(AbutLinearDestroy(&n->direction.linear));
  PetscCall(SNESDestroy(&n->snes));
  PetscCall(VecDestroy(&n->X));
  PetscCall(VecDestroy(&n->F));
  PetscCall(PetscFree(*newton));
  PetscFunctionReturn(0);
}

/* Options of SNES that apply. All others choose methods that ignore collisions, or tolerances that the scene sets. */
static const char *const applicable[] = {
  "-snes_max_it", "-snes_monitor", "-snes_view", "-snes_converged_reason", "-snes_linesearch_monitor", "-snes_test_jacobian"};

/* Whether an option is in this list, or extends a listed word, as -snes_monitor_solution does. */
static PetscBool IsApplicable(const char word[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(applicable); i++) {
    const size_t length = strlen(applicable[i]);
    if (!strncmp(word, applicable[i], length) && (word[length] == '\0' || word[length] == '_')) return PETSC_TRUE;
  }
  return (PetscBool)(strncmp(word, "-snes_", 6) != 0 && strncmp(word, "-npc_", 5) != 0);
}

/* Lists the applicable options, separated by commas. */
static PetscErrorCode ListApplicable(size_t size, char list[])
{
  PetscFunctionBegin;
  list[0] = '\0';
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(applicable); i++) {
    PetscCall(PetscStrlcat(list, i ? ", " : "", size));
    PetscCall(PetscStrlcat(list, applicable[i], size));
  }
  PetscFunctionReturn(0);
}

/* Fails with the name of an option of SNES that does not apply. Not collective. */
static PetscErrorCode RefuseOption(const char name[])
{
  char value[64] = "", list[256];

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, name, value, sizeof(value), NULL));
  PetscCall(ListApplicable(sizeof(list), list));
  AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT,
            "%s%s%s does not apply: abut has its own method, which sees collisions, and its tolerances are in the scene (solver). Of "
            "-snes_... abut accepts names that begin with %s",
            name, value[0] ? " " : "", value, list);
  PetscFunctionReturn(0);
}

/* Refuses another type of matrix, because the assembler determines its format. */
static PetscErrorCode RefuseMatrixType(void)
{
  char      type[64] = "";
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), &set));
  AbutCheck(!set, ABUT_ERR_INPUT, "-mat_type %s does not apply: abut assembles its matrix in the format aij", type);
  PetscFunctionReturn(0);
}

/* ABUT_ERR_INPUT if an option of SNES does not apply. Not collective. */
static PetscErrorCode CheckOptions(void)
{
  char       *options, *rest = NULL, name[64] = "";
  const char *word;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &options));
  for (word = strtok_r(options, " ", &rest); word && IsApplicable(word); word = strtok_r(NULL, " ", &rest)) {}
  if (word) PetscCall(PetscStrncpy(name, word, sizeof(name)));
  PetscCall(PetscFree(options));
  if (name[0]) PetscCall(RefuseOption(name));
  PetscFunctionReturn(0);
}

/* With -help: prints a heading with the applicable options, because the list of PETSc below it has all. Collective. */
static PetscErrorCode PrintApplicable(MPI_Comm comm)
{
  char list[256], title[512];

  PetscFunctionBegin;
  PetscCall(ListApplicable(sizeof(list), list));
  PetscCall(PetscSNPrintf(title, sizeof(title),
                          "Of the options -snes_... below abut accepts names that begin with %s, and refuses all others", list));
  PetscOptionsBegin(comm, NULL, title, NULL);
  PetscOptionsEnd();
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonSetFromOptions(AbutNewton n)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableSetFromOptions(n->problem.comm, &AbutPredictOptions, &n->predict));
  PetscCall(AbutOptionTableSetFromOptions(n->problem.comm, &AbutLocalOptions, &n->local));
  PetscCall(AbutLinearSetFromOptions(n->direction.linear));
  PetscCall(PrintApplicable(n->problem.comm));
  PetscCall(SNESSetFromOptions(n->snes));
  PetscCall(CheckOptions());
  PetscCall(RefuseMatrixType());
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonView(AbutNewton n, PetscViewer viewer)
{
  PetscInt most;

  PetscFunctionBegin;
  PetscCall(SNESGetTolerances(n->snes, NULL, NULL, NULL, &most, NULL)); /* -snes_max_it overrides the scene */
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "Newton's method:\n  tolerance eps_d %g m/s\n  iterations of a solve, at most %" PetscInt_FMT "\n",
                                   (double)n->problem.parts.tolerance, most));
  PetscCall(AbutOptionTableView(&AbutPredictOptions, &n->predict, viewer));
  PetscCall(AbutOptionTableView(&AbutLocalOptions, &n->local, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  barrier stiffness: %s\n",
                                   AbutStiffnessIsGiven(&n->stiffness, &n->problem) ? "given by the scene" : "adaptive"));
  PetscCall(AbutLinearView(n->direction.linear, viewer));
  PetscFunctionReturn(0);
}

void AbutNewtonSetMonitor(AbutNewton n, AbutNewtonMonitorFn fn, void *ctx)
{
  n->calls.monitor     = fn;
  n->calls.monitor_ctx = ctx;
}

void AbutNewtonSetStop(AbutNewton n, AbutStopFn fn, void *ctx)
{
  n->calls.stop     = fn;
  n->calls.stop_ctx = ctx;
}

void AbutNewtonReset(AbutNewton n)
{
  n->result                      = (AbutNewtonResult){0};
  n->result.imbalance_body       = -1;
  n->result.search.smallest_step = 1;
  n->result.search.pair          = (AbutLimitingPair){{-1, -1, -1, -1}, {-1, -1}, PETSC_INFINITY, -1};
}

void AbutNewtonSetStep(AbutNewton n, PetscInt step, PetscReal h, PetscReal contact_c2)
{
  n->problem.step       = step;
  n->problem.h          = h;
  n->problem.contact_c2 = contact_c2;
  AbutObjectiveSetIteration(n->problem.parts.objective, step, 0);
}

AbutNewtonResult *AbutNewtonGetResult(AbutNewton n)
{
  return &n->result;
}

void AbutNewtonForget(AbutNewton n)
{
  AbutLinearForget(n->direction.linear);
  n->direction.hessian.wait = 0;
  n->direction.hessian.near = PETSC_FALSE;
}
