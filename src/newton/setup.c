/* Life cycle, options and views of Newton's method. */
#include "newtonimpl.h"

PetscErrorCode AbutNewtonCreate(const AbutNewtonParts *parts, AbutNewton *newton)
{
  AbutNewton n;
  KSP        ksp;

  PetscFunctionBegin;
  PetscCall(PetscNew(&n));
  *newton   = n;
  n->parts  = *parts;
  n->comm   = AbutMeshGetComm(parts->mesh);
  n->ml     = AbutMeshGetLocal(parts->mesh);
  n->motion = AbutConstraintGetMotion(parts->constraint);
  n->at     = AbutObjectiveGetIterate(parts->objective);
  n->n      = AbutObjectiveGetSize(parts->objective);
  AbutOptionTableSetDefaults(&AbutProjectionOptions, &n->hessian);
  n->hessian.strategy = parts->strategy;
  AbutOptionTableSetDefaults(&AbutPredictOptions, &n->predict);
  AbutOptionTableSetDefaults(&AbutStretchOptions, &n->stretch);
  AbutOptionTableSetDefaults(&AbutLocalOptions, &n->local);
  PetscCall(AbutStiffnessSetUp(n));
  PetscCall(AbutEquilibriumCreate(n));
  n->predict.springs = (AbutPrediction){.comm = n->comm, .contact = parts->barrier->contact, .dim = n->ml->dim};
  PetscCall(AbutObjectiveAddTerm(parts->objective, &AbutPredictionTerm, &n->predict.springs));
  PetscCall(VecCreateMPI(n->comm, n->n, PETSC_DETERMINE, &n->X));
  PetscCall(VecDuplicate(n->X, &n->F));
  PetscCall(SNESCreate(n->comm, &n->snes));
  PetscCall(AbutNewtonSetCallbacks(n));
  PetscCall(SNESGetKSP(n->snes, &ksp));
  PetscCall(AbutLinearCreate(ksp, n->ml->dim, n->ml->num_owned, n->ml->rest, &n->linear));
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
  PetscCall(AbutLinearDestroy(&n->linear));
  PetscCall(SNESDestroy(&n->snes));
  PetscCall(VecDestroy(&n->X));
  PetscCall(VecDestroy(&n->F));
  PetscCall(PetscFree(*newton));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonSetFromOptions(AbutNewton n)
{
  PetscFunctionBegin;
  PetscCall(AbutOptionTableSetFromOptions(n->comm, &AbutProjectionOptions, &n->hessian));
  PetscCall(AbutOptionTableSetFromOptions(n->comm, &AbutPredictOptions, &n->predict));
  PetscCall(AbutOptionTableSetFromOptions(n->comm, &AbutStretchOptions, &n->stretch));
  PetscCall(AbutOptionTableSetFromOptions(n->comm, &AbutLocalOptions, &n->local));
  PetscCall(AbutLinearSetFromOptions(n->linear));
  PetscCall(SNESSetFromOptions(n->snes));
  PetscCall(AbutNewtonCheckSNES(n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNewtonView(AbutNewton n, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "Newton's method:\n  tolerance eps_d %g m/s\n  iterations of a solve, at most %" PetscInt_FMT "\n",
                                   (double)n->parts.tolerance, n->parts.max_iterations));
  PetscCall(AbutOptionTableView(&AbutProjectionOptions, &n->hessian, viewer));
  PetscCall(AbutOptionTableView(&AbutPredictOptions, &n->predict, viewer));
  PetscCall(AbutOptionTableView(&AbutStretchOptions, &n->stretch, viewer));
  PetscCall(AbutOptionTableView(&AbutLocalOptions, &n->local, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  barrier stiffness: %s\n", AbutStiffnessIsGiven(n) ? "given by the scene" : "adaptive"));
  PetscCall(AbutLinearView(n->linear, viewer));
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
  n->step       = step;
  n->h          = h;
  n->contact_c2 = contact_c2;
  AbutObjectiveSetIteration(n->parts.objective, step, 0);
}

AbutNewtonResult *AbutNewtonGetResult(AbutNewton n)
{
  return &n->result;
}

void AbutNewtonForget(AbutNewton n)
{
  AbutLinearForget(n->linear);
  n->hessian.wait = 0;
  n->hessian.near = PETSC_FALSE;
}
