/* Nested substructures in the precision of PETSc. */
#include "real_double.h"

#include "substructure_kernels.h"
