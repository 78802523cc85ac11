/* Multifrontal factorisation in single precision. */
#include <petscsys.h>
#include <petscblaslapack.h>

typedef float Real;
#define NAME(function) function##Single
#define BLAS(name)     PETSC_PASTE3(s, name, PETSC_BLASLAPACK_SUFFIX_)
#define POTRF          BLAS(potrf)
#define TRSM           BLAS(trsm)
#define SYRK           BLAS(syrk)
#define GEMV           BLAS(gemv)

/* petscblaslapack.h declares these functions in the precision of PETSc only. */
extern void POTRF(const char *, const PetscBLASInt *, float *, const PetscBLASInt *, PetscBLASInt *);
extern void TRSM(const char *, const char *, const char *, const char *, const PetscBLASInt *, const PetscBLASInt *, const float *,
                 const float *, const PetscBLASInt *, float *, const PetscBLASInt *);
extern void SYRK(const char *, const char *, const PetscBLASInt *, const PetscBLASInt *, const float *, const float *, const PetscBLASInt *,
                 const float *, float *, const PetscBLASInt *);
extern void GEMV(const char *, const PetscBLASInt *, const PetscBLASInt *, const float *, const float *, const PetscBLASInt *,
                 const float *, const PetscBLASInt *, const float *, float *, const PetscBLASInt *);
#include "fronts_kernels.h"
