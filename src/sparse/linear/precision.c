/*
  Precision of Cholesky factors. A factor in single precision costs half of one in double precision, as does its application.
  As preconditioner of conjugate gradients it reduces the residual by several orders of magnitude per iteration, unless the condition number
  exceeds 1e7. Where it fails or needs many iterations, factors are in double precision for a pause. Decisions depend on counts.
*/
#include "linearimpl.h"

static const AbutOption options[] = {
  {"-abut_single_min_unknowns", ABUT_OPTION_INT, offsetof(AbutPrecision, min_unknowns), 1500, 0, PETSC_MAX_INT, "unknowns",
   "Smallest matrix that is factorised in single precision, as preconditioner of conjugate gradients"},
};
const AbutOptionTable AbutPrecisionOptions = {"Precision of factors", PETSC_STATIC_ARRAY_LENGTH(options), options};

void AbutPrecisionForget(AbutPrecision *p)
{
  p->in_use = PETSC_FALSE;
  p->wait   = 0;
  p->pause  = 1;
}

PetscBool AbutPrecisionChoose(AbutPrecision *p, PetscInt unknowns)
{
  const PetscBool single = (PetscBool)(unknowns >= p->min_unknowns && p->wait == 0);

  p->wait   = PetscMax(p->wait - 1, 0);
  p->single = single;
  return single;
}

/* False after two failed attempts: then a pause, which doubles each time, has at least two factorisations in double precision. */
PetscBool AbutPrecisionExpect(const AbutPrecision *p, PetscInt unknowns)
{
  return (PetscBool)(unknowns >= p->min_unknowns && p->pause <= 2);
}

void AbutPrecisionPause(AbutPrecision *p, PetscInt max_pause)
{
  p->in_use = PETSC_FALSE;
  p->wait   = p->pause;
  p->pause  = PetscMin(2 * p->pause, max_pause);
}
