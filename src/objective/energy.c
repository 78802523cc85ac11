/* Values of the terms of the objective by kind. */
#include <abut/objective.h>

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
