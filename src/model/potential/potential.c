/* Interface of contact potentials: registry, checks of the call order, dispatch. */
#include "potentialimpl.h"

#define ABUT_POTENTIAL(name, type) name,
const char *const AbutPotentialNames[] = {
#include "potential_types.h"
  NULL};
#undef ABUT_POTENTIAL

#define ABUT_POTENTIAL(name, type) &type.info,
const AbutPotentialInfo *const AbutPotentialInfos[] = {
#include "potential_types.h"
  NULL};
#undef ABUT_POTENTIAL

#define ABUT_POTENTIAL(name, type) &type,
static const AbutPotentialType *const types[] = {
#include "potential_types.h"
  NULL};
#undef ABUT_POTENTIAL

const char *const AbutPairMeasures[] = {"deformed", "rest", "AbutPairMeasure", "ABUT_PAIR_MEASURE_", NULL};

static PetscErrorCode FindType(const char name[], const AbutPotentialType **type)
{
  char      known[256] = "";
  size_t    used       = 0;
  PetscBool found      = PETSC_FALSE;

  PetscFunctionBegin;
  *type = NULL;
  for (int i = 0; types[i]; i++) {
    PetscCall(PetscStrcmp(name, AbutPotentialNames[i], &found));
    if (found) *type = types[i];
    PetscCall(PetscSNPrintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", AbutPotentialNames[i]));
    PetscCall(PetscStrlen(known, &used));
  }
  AbutCheck(*type, ABUT_ERR_INPUT, "unknown contact potential \"%s\"; valid: %s", name, known);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialFindInfo(const char name[], const AbutPotentialInfo **info)
{
  const AbutPotentialType *type;

  PetscFunctionBegin;
  *info = NULL;
  PetscCall(FindType(name, &type));
  *info = &type->info;
  PetscFunctionReturn(0);
}

const AbutPotentialInfo *AbutPotentialGetInfo(AbutPotential pot)
{
  return pot->info;
}

PetscErrorCode AbutPotentialCreate(MPI_Comm comm, const char name[], AbutPotential *pot)
{
  const AbutPotentialType *type;
  AbutPotential            p;

  PetscFunctionBegin;
  *pot = NULL;
  PetscCall(FindType(name, &type));
  PetscCall(PetscNew(&p));
  p->comm  = comm;
  p->info  = &type->info;
  p->kappa = 1;
  p->spec  = (AbutPotentialSpec){.alpha = 0.5};
  PetscCall(type->create(p));
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

#define CheckDhat(pot) PetscCheck((pot)->dhat > 0, (pot)->comm, PETSC_ERR_ORDER, "Call AbutPotentialSetDhat() first")
#define CheckState(pot) \
  PetscCheck((pot)->has_state, (pot)->comm, PETSC_ERR_ORDER, "Call AbutPotentialSetState() first, and after each AbutPotentialSetDhat()")

PetscErrorCode AbutPotentialSetUp(AbutPotential pot, AbutMesh mesh, AbutContact contact)
{
  PetscFunctionBegin;
  CheckDhat(pot);
  if (pot->ops.setup) PetscCall(pot->ops.setup(pot, mesh, contact));
  PetscFunctionReturn(0);
}

PetscInt64 AbutPotentialGetRestPairs(AbutPotential pot)
{
  return pot->rest_pairs;
}

PetscErrorCode AbutPotentialGetRestDhat(AbutPotential pot, PetscReal *dhat)
{
  PetscFunctionBegin;
  CheckDhat(pot);
  *dhat = pot->rest_dhat > 0 ? PetscMin(pot->rest_dhat, pot->dhat) : pot->dhat;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialGetReferenceForce(AbutPotential pot, PetscReal dhat, PetscReal *force)
{
  PetscFunctionBegin;
  CheckDhat(pot);
  *force = pot->ops.getforce(pot, dhat);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialEnergy(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[], PetscReal *energy)
{
  PetscFunctionBegin;
  CheckDhat(pot);
  PetscCall(pot->ops.energy(pot, candidates, xt, energy));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialSetState(AbutPotential pot, const AbutCandidates *candidates, const PetscReal xt[])
{
  PetscFunctionBegin;
  CheckDhat(pot);
  pot->has_state = PETSC_FALSE;
  PetscCall(pot->ops.setstate(pot, candidates, xt));
  pot->has_state = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialGetStats(AbutPotential pot, AbutPotentialStats *stats)
{
  PetscFunctionBegin;
  CheckState(pot);
  pot->ops.getstats(pot, stats);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialAddGradient(AbutPotential pot, PetscReal scale, PetscReal g[])
{
  PetscFunctionBegin;
  CheckState(pot);
  pot->ops.addgradient(pot, scale, g);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  PetscFunctionBegin;
  CheckState(pot);
  PetscCall(pot->ops.addhessian(pot, scale, projection, as));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialGetPattern(AbutPotential pot, PetscBool all, AbutStencilList *active, AbutStencilList *ahead)
{
  PetscFunctionBegin;
  CheckState(pot);
  PetscCall(pot->ops.getpattern(pot, all ? PETSC_INFINITY : pot->dhat, active, ahead));
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
