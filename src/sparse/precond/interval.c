/* The interval of a Chebyshev iteration, kept from the estimate of its first set-up. */
#include "precondimpl.h"

/* The interval over the estimate of the largest eigenvalue; PETSc's defaults. */
#define INTERVAL_MIN 0.1
#define INTERVAL_MAX 1.1

PetscErrorCode AbutIntervalKeep(KSP ksp)
{
  KSP         estimate;
  PetscBool   chebyshev;
  PetscBool   chosen;
  const char *prefix;
  PetscInt    n, num;
  PetscReal  *re, *im, largest = 0;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPCHEBYSHEV, &chebyshev));
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsHasName(NULL, prefix, "-ksp_chebyshev_esteig", &chosen));
  if (!chebyshev || chosen) PetscFunctionReturn(0);
  PetscCall(KSPChebyshevEstEigGetKSP(ksp, &estimate));
  if (!estimate) PetscFunctionReturn(0);
  PetscCall(KSPGetIterationNumber(estimate, &n));
  PetscCall(PetscMalloc2(n, &re, n, &im));
  PetscCall(KSPComputeEigenvalues(estimate, n, re, im, &num));
  for (PetscInt k = 0; k < num; k++) largest = PetscMax(largest, re[k]);
  PetscCall(PetscFree2(re, im));
  if (largest > 0 && !PetscIsInfOrNanReal(largest))
    PetscCall(KSPChebyshevSetEigenvalues(ksp, INTERVAL_MAX * largest, INTERVAL_MIN * largest));
  PetscFunctionReturn(0);
}
