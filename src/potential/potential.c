/* Interface of contact potentials: registry, checks of the call order, dispatch. */
#include "potentialimpl.h"

static const struct {
  const char *type;
  PetscErrorCode (*create)(AbutPotential pot);
} registry[] = {
  {"ipc", AbutPotentialCreate_IPC},
};

#define NUM_TYPES ((int)(sizeof(registry) / sizeof(registry[0])))

static PetscErrorCode UnknownType(const char type[])
{
  char   known[256] = "";
  size_t at         = 0;

  PetscFunctionBegin;
  for (int i = 0; i < NUM_TYPES; i++) {
    PetscCall(PetscSNPrintf(known + at, sizeof(known) - at, "%s%s", i ? ", " : "", registry[i].type));
    PetscCall(PetscStrlen(known, &at));
  }
  AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT, "unknown contact potential \"%s\"; valid: %s", type, known);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialCreate(MPI_Comm comm, const char type[], AbutPotential *pot)
{
  AbutPotential p;
  PetscBool     found = PETSC_FALSE;
  int           i     = -1;

  PetscFunctionBegin;
  *pot = NULL;
  while (!found && ++i < NUM_TYPES) PetscCall(PetscStrcmp(type, registry[i].type, &found));
  if (!found) PetscCall(UnknownType(type));
  PetscCall(PetscNew(&p));
  p->comm  = comm;
  p->kappa = 1;
  PetscCall(PetscStrncpy(p->type, type, sizeof(p->type)));
  PetscCall(registry[i].create(p));
  *pot = p;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialDestroy(AbutPotential *pot)
{
  PetscFunctionBegin;
  if (!*pot) PetscFunctionReturn(0);
  PetscCall((*pot)->ops.destroy(*pot));
  PetscCall(PetscFree(*pot));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialSetRange(AbutPotential pot, PetscReal dhat)
{
  PetscFunctionBegin;
  AbutCheck(dhat > 0 && !PetscIsInfOrNanReal(dhat), ABUT_ERR_INPUT, "contact range dhat is %g m; it must be positive and finite",
            (double)dhat);
  pot->dhat      = dhat;
  pot->has_state = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialSetStiffness(AbutPotential pot, PetscReal kappa)
{
  PetscFunctionBegin;
  AbutCheck(kappa > 0 && !PetscIsInfOrNanReal(kappa), ABUT_ERR_INPUT, "contact stiffness is %g; it must be positive and finite",
            (double)kappa);
  pot->kappa = kappa;
  PetscFunctionReturn(0);
}

#define CheckRange(pot) PetscCheck((pot)->dhat > 0, (pot)->comm, PETSC_ERR_ORDER, "Call AbutPotentialSetRange() first")
#define CheckState(pot) \
  PetscCheck((pot)->has_state, (pot)->comm, PETSC_ERR_ORDER, "Call AbutPotentialSetState() first, and after each AbutPotentialSetRange()")

PetscErrorCode AbutPotentialEnergy(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[], PetscReal *energy)
{
  PetscFunctionBegin;
  CheckRange(pot);
  PetscCall(pot->ops.energy(pot, candidates, xt, energy));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialSetState(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[])
{
  PetscFunctionBegin;
  CheckRange(pot);
  pot->has_state = PETSC_FALSE;
  PetscCall(pot->ops.setstate(pot, candidates, xt));
  pot->has_state = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialGetStats(AbutPotential pot, AbutPotentialStats *stats)
{
  PetscFunctionBegin;
  CheckState(pot);
  PetscCall(pot->ops.getstats(pot, stats));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialAddGradient(AbutPotential pot, PetscReal scale, PetscReal g[])
{
  PetscFunctionBegin;
  CheckState(pot);
  PetscCall(pot->ops.addgradient(pot, scale, g));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  PetscFunctionBegin;
  CheckState(pot);
  PetscCall(pot->ops.addhessian(pot, scale, projection, as));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialGetPattern(AbutPotential pot, PetscReal margin, PetscInt *num_needed, const PetscInt (**needed)[4],
                                       PetscInt *num_near, const PetscInt (**near)[4])
{
  PetscFunctionBegin;
  CheckState(pot);
  PetscCall(pot->ops.getpattern(pot, margin * pot->dhat, num_needed, needed, num_near, near));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils)
{
  PetscFunctionBegin;
  CheckState(pot);
  PetscCall(pot->ops.getstencils(pot, count, stencils));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points)
{
  PetscFunctionBegin;
  CheckState(pot);
  PetscCall(pot->ops.getcontactpoints(pot, count, points));
  PetscFunctionReturn(0);
}
