/* Interface of contact potentials: registry, checks of the call order, dispatch. */
#include "potentialimpl.h"

static const struct {
  const char *type;
  PetscErrorCode (*create)(AbutPotential pot);
} registry[] = {
  {"ipc", AbutPotentialCreate_IPC},
  {"convergent-ipc", AbutPotentialCreate_ConvergentIPC},
  {"oipc", AbutPotentialCreate_OIPC},
  {"gcp", AbutPotentialCreate_GCP},
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
  p->spec  = (AbutPotentialSpec){0.5, 0, 0, 1, 0};
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

PetscErrorCode AbutPotentialSetDhat(AbutPotential pot, PetscReal dhat)
{
  PetscFunctionBegin;
  AbutCheck(dhat > 0 && !PetscIsInfOrNanReal(dhat), ABUT_ERR_INPUT, "contact range dhat is %g m; it must be positive and finite",
            (double)dhat);
  pot->dhat      = dhat;
  pot->has_state = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialSetSpec(AbutPotential pot, const AbutPotentialSpec *spec)
{
  PetscFunctionBegin;
  AbutCheck(spec->alpha > 0 && spec->alpha <= 1, ABUT_ERR_INPUT, "contact alpha is %g; it must be above 0, at most 1", (double)spec->alpha);
  AbutCheck(spec->beta >= 0 && spec->beta <= 1, ABUT_ERR_INPUT, "contact beta is %g; it must be from 0 to 1", (double)spec->beta);
  AbutCheck(spec->length >= 0 && !PetscIsInfOrNanReal(spec->length), ABUT_ERR_INPUT,
            "contact edge_length is %g m; it must be positive and finite, or 0 for the mean edge", (double)spec->length);
  AbutCheck(spec->smoothness >= 0 && spec->smoothness <= 2, ABUT_ERR_INPUT,
            "contact smoothness is %" PetscInt_FMT "; it must be 1 or 2, or 0 for 1", spec->smoothness);
  AbutCheck(spec->quadrature >= 0 && spec->quadrature <= 8, ABUT_ERR_INPUT,
            "contact quadrature is %" PetscInt_FMT "; it must be from 0, for closest points only, to 8", spec->quadrature);
  pot->spec      = *spec;
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

#define CheckRange(pot) PetscCheck((pot)->dhat > 0, (pot)->comm, PETSC_ERR_ORDER, "Call AbutPotentialSetDhat() first")
#define CheckState(pot) \
  PetscCheck((pot)->has_state, (pot)->comm, PETSC_ERR_ORDER, "Call AbutPotentialSetState() first, and after each AbutPotentialSetDhat()")

PetscErrorCode AbutPotentialSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact)
{
  PetscFunctionBegin;
  CheckRange(pot);
  if (pot->ops.setup) PetscCall(pot->ops.setup(pot, mesh, contact));
  PetscFunctionReturn(0);
}

PetscBool AbutPotentialIsPhysical(AbutPotential pot)
{
  return pot->physical;
}

PetscErrorCode AbutPotentialGetRestPairs(AbutPotential pot, PetscInt64 *count)
{
  PetscFunctionBegin;
  *count = pot->rest_pairs;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialGetRestDhat(AbutPotential pot, PetscReal *range)
{
  PetscFunctionBegin;
  CheckRange(pot);
  *range = pot->rest_range > 0 ? PetscMin(pot->rest_range, pot->dhat) : pot->dhat;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialGetReferenceForce(AbutPotential pot, PetscReal range, PetscReal *force)
{
  PetscFunctionBegin;
  CheckRange(pot);
  PetscCall(pot->ops.getforce(pot, range, force));
  PetscFunctionReturn(0);
}

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

PetscErrorCode AbutPotentialGetPattern(AbutPotential pot, PetscReal margin, AbutStencilList *needed, AbutStencilList *near)
{
  PetscFunctionBegin;
  CheckState(pot);
  PetscCall(pot->ops.getpattern(pot, margin * pot->dhat, needed, near));
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
