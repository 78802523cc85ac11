/* Numbers of the kernels that are compiled for two precisions (real_double.h): single precision. */
#pragma once
#include <petscsys.h>
#include <petscblaslapack.h>

typedef float Real;
#define NAME(function) function##Single
#define MPI_REAL_TYPE  MPI_FLOAT
#define BLAS(name)     PETSC_PASTE3(s, name, PETSC_BLASLAPACK_SUFFIX_)
#define POTRF          BLAS(potrf)
#define TRSM           BLAS(trsm)
#define SYRK           BLAS(syrk)
#define GEMM           BLAS(gemm)
#define GEMV           BLAS(gemv)

/* petscblaslapack.h declares these functions in the precision of PETSc only. */
extern void POTRF(const char *, const PetscBLASInt *, float *, const PetscBLASInt *, PetscBLASInt *);
extern void TRSM(const char *, const char *, const char *, const char *, const PetscBLASInt *, const PetscBLASInt *, const float *,
                 const float *, const PetscBLASInt *, float *, const PetscBLASInt *);
extern void SYRK(const char *, const char *, const PetscBLASInt *, const PetscBLASInt *, const float *, const float *, const PetscBLASInt *,
                 const float *, float *, const PetscBLASInt *);
extern void GEMM(const char *, const char *, const PetscBLASInt *, const PetscBLASInt *, const PetscBLASInt *, const float *, const float *,
                 const PetscBLASInt *, const float *, const PetscBLASInt *, const float *, float *, const PetscBLASInt *);
extern void GEMV(const char *, const PetscBLASInt *, const PetscBLASInt *, const float *, const float *, const PetscBLASInt *,
                 const float *, const PetscBLASInt *, const float *, float *, const PetscBLASInt *);
