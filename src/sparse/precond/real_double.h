/*
  Numbers of the kernels that are compiled for two precisions (fronts_kernels.h, triangular_kernels.h, nested_kernels.h,
  substructure_kernels.h): here in the precision of PETSc. Defines Real, NAME(function), names of the BLAS and LAPACK functions, and the
  MPI type.
*/
#pragma once
#include <petscsys.h>
#include <petscblaslapack.h>

typedef PetscScalar Real;
#define NAME(function) function
#define MPI_REAL_TYPE  MPIU_SCALAR
#define POTRF          LAPACKpotrf_
#define TRSM           BLAStrsm_
#define SYRK           BLASsyrk_
#define GEMM           BLASgemm_
#define GEMV           BLASgemv_
