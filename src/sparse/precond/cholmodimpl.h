/* Private to src/sparse/precond: functions of CHOLMOD for integers of the size of PetscInt. */
#pragma once
#include <cholmod.h>
#include <petscsys.h>

#if defined(PETSC_USE_64BIT_INDICES)
#define CHOLMOD(name) cholmod_l_##name
#define INTEGERS      CHOLMOD_LONG
typedef SuiteSparse_long Index;
#else
#define CHOLMOD(name) cholmod_##name
#define INTEGERS      CHOLMOD_INT
typedef int Index;
#endif
