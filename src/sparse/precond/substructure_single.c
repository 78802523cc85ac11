/* Nested substructures in single precision. */
#include "real_single.h"

#include "substructure_kernels.h"
