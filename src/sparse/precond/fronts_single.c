/* Multifrontal factorisation in single precision. */
#include "real_single.h"

#include "fronts_kernels.h"
