# Everything comes from the system through pkg-config or find_*; nothing is downloaded.
find_package(MPI REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PETSC REQUIRED IMPORTED_TARGET ${ABUT_PETSC_PKG}>=3.18)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)

find_library(METIS_LIBRARY metis REQUIRED)
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)

set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 COMPONENTS C)
if(NOT HDF5_FOUND)
  message(FATAL_ERROR "Found no HDF5 for parallel programs; its compiler wrapper (h5pcc) must work and fails if the build folder has a blank in its path")
elseif(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "HDF5 found at ${HDF5_C_INCLUDE_DIRS} was built without MPI; abut writes its results in parallel")
endif()

# Links libblas and liblapack by their generic names where they exist: with OpenBLAS's own name, update-alternatives could not change the BLAS.
if(NOT BLA_VENDOR)
  set(BLA_VENDOR Generic)
  find_package(LAPACK QUIET)
  if(NOT LAPACK_FOUND)
    unset(BLA_VENDOR)
  endif()
endif()

if(ABUT_WITH_GMSH)
  find_library(GMSH_LIBRARY gmsh REQUIRED)
  find_path(GMSH_INCLUDE_DIR gmshc.h REQUIRED)
endif()
