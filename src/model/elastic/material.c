/* Table of the materials: functions and names. */
#include "elasticimpl.h"

#define MATERIAL_NAME(kind, ops, name) [kind] = name,
#define MATERIAL_OPS(kind, ops, name)  [kind] = &ops,

const char *const AbutMaterialKinds[] = {ABUT_MATERIALS(MATERIAL_NAME) "AbutMaterialKind", "ABUT_MATERIAL_", NULL};

static const AbutMaterialOps *const materials[] = {ABUT_MATERIALS(MATERIAL_OPS)};

const char *const AbutIncompressibles[] = {"auto", "none", "mean-dilatation", "AbutIncompressible", "ABUT_INCOMPRESSIBLE_", NULL};

const AbutMaterialOps *AbutMaterialGetOps(AbutMaterialKind kind)
{
  return materials[kind];
}

void AbutMaterialGetConstants(const AbutMaterialSpec *spec, AbutMaterialConstants *constants)
{
  const PetscReal E = spec->young, nu = spec->poisson;

  constants->mu     = E / (2 * (1 + nu));
  constants->lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  constants->mooney = spec->mooney;
}
