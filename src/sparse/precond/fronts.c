/* Multifrontal factorisation in the precision of PETSc. */
#include "real_double.h"

#include "fronts_kernels.h"
