/* Replaces the CCD step bound of the program by a version that bounds nothing: abut_faulty_bound lets bodies pass through each other. */
#include <abut/contact.h>

PetscErrorCode AbutContactMaxStep(AbutContact contact, PetscReal slack, PetscReal floor, PetscReal *step, AbutLimitingPair *limiting)
{
  (void)contact, (void)slack, (void)floor, (void)step;
  *limiting = (AbutLimitingPair){{-1, -1, -1, -1}, {-1, -1}, PETSC_INFINITY, -1};
  return 0;
}
