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

  *constants = (AbutMaterialConstants){.mu        = E / (2 * (1 + nu)),
                                       .lambda    = E * nu / ((1 + nu) * (1 - 2 * nu)),
                                       .mooney    = spec->mooney,
                                       .yield     = spec->yield,
                                       .hardening = spec->hardening,
                                       .num_ogden = spec->num_ogden,
                                       .ogden     = spec->ogden};
}

void AbutMaterialDerive(AbutMaterialSpec *spec)
{
  const AbutModuli *given = &spec->moduli;
  const PetscReal   c = given->c10 + given->c01, bulk = given->bulk;
  PetscReal         shear = c > 0 ? 2 * c : given->shear;

  for (PetscInt k = 0; k < spec->num_ogden; k++) shear += spec->ogden[k].mu * spec->ogden[k].alpha / 2;
  if (c > 0) spec->mooney = given->c01 / c;
  if (bulk > 0) spec->poisson = shear > 0 ? (3 * bulk - 2 * shear) / (6 * bulk + 2 * shear) : 0.5 - spec->young / (6 * bulk);
  if (shear > 0) spec->young = 2 * shear * (1 + spec->poisson);
}
