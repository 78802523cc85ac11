/* Private to src/core. */
#pragma once
#include <abut/core.h>

/* Registers the class and events behind the phases. Collective on the world. */
PETSC_INTERN PetscErrorCode AbutPhaseRegister(void);
