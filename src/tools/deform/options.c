/* Numeric options of the method and defaults of the artistic controls. */
#include "deformimpl.h"

void AbutDeformPairControlInit(AbutDeformPairControl *control)
{
  *control = (AbutDeformPairControl){.stiffness = {1, 1}};
}

void AbutDeformSurfaceControlInit(PetscReal extent, AbutDeformSurfaceControl *control)
{
  *control = (AbutDeformSurfaceControl){.extent = extent, .volume = 1, .omega = -1};
}
