/* Quantities of a scene: names, relative lengths. */
#include <abut/time.h>

const char *const AbutIntegrators[] = {"implicit-euler", "newmark", "bdf2", "quasi-static", "AbutIntegrator", "ABUT_INTEGRATOR_", NULL};

PetscReal AbutQuantityResolve(const AbutQuantity *quantity, PetscReal length)
{
  return quantity->relative ? quantity->value * length : quantity->value;
}

PetscReal AbutStepSpecLength(const AbutStepSpec *spec, PetscReal diagonal)
{
  return spec->reference_length > 0 ? spec->reference_length : diagonal;
}
