/* Multifrontal factorisation in the precision of PETSc. */
#include <petscsys.h>
#include <petscblaslapack.h>

typedef PetscScalar Real;
#define NAME(function) function
#define POTRF          LAPACKpotrf_
#define TRSM           BLAStrsm_
#define SYRK           BLASsyrk_
#define GEMV           BLASgemv_
#include "fronts_kernels.h"
