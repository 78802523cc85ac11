/* The materials by name. */
#include "elasticimpl.h"

const char *const AbutMaterialKinds[] = {"neo-hookean", "fixed-corotated", "AbutMaterialKind", "ABUT_MATERIAL_", NULL};

static const AbutMaterialOps *const materials[] = {&AbutNeoHookean, &AbutFixedCorotated};

const AbutMaterialOps *AbutMaterialGetOps(AbutMaterialKind kind)
{
  return materials[kind];
}

void AbutMaterialGetLame(const AbutMaterialSpec *spec, PetscReal *mu, PetscReal *lambda)
{
  const PetscReal E = spec->young, nu = spec->poisson;

  *mu     = E / (2 * (1 + nu));
  *lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
}
