/**
  @file petsc_versions.h
  @brief Names of PETSc that changed after 3.18, in their newest form. docs/installation.md lists the releases that were tried.
**/
#pragma once
#include <petscksp.h>
#include <petscsnes.h>

/** MPI type of PetscBool, which is a C bool since PETSc 3.24. */
#if PETSC_VERSION_LT(3, 24, 0)
#define AbutMPIBool MPIU_BOOL
#else
#define AbutMPIBool MPI_C_BOOL
#endif

/** Set of options between PetscOptionsBegin() and PetscOptionsEnd(). Since PETSc 3.23 PetscOptionItems itself is a pointer. */
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *AbutPetscOptionItems;
#else
typedef PetscOptionItems AbutPetscOptionItems;
#endif

/* 3.25: the reason for norms that are no numbers got another name */
#if PETSC_VERSION_LT(3, 25, 0)
#define SNES_DIVERGED_FUNCTION_NANORINF SNES_DIVERGED_FNORM_NAN
#endif

/* 3.21: another name for the function of a shell line search */
#if PETSC_VERSION_LT(3, 21, 0)
#define SNESLineSearchShellSetApply SNESLineSearchShellSetUserFunc
#endif

/* 3.23: functions that destroy a context take its address, and PetscContainer has another name for the default one */
#if PETSC_VERSION_LT(3, 23, 0)
#define PetscCtxDestroyDefault      PetscContainerUserDestroyDefault
#define PetscContainerSetCtxDestroy PetscContainerSetUserDestroy
#endif

/** @brief Frees the context of KSPConvergedDefault(): since PETSc 3.24 its destructor takes the address of the pointer. Not collective. */
static inline PetscErrorCode AbutKSPConvergedDefaultDestroy(void *context)
{
#if PETSC_VERSION_LT(3, 24, 0)
  return KSPConvergedDefaultDestroy(context);
#else
  return KSPConvergedDefaultDestroy(&context);
#endif
}
