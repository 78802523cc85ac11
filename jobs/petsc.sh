#!/usr/bin/env bash
# Builds and installs a PETSc with what abut needs, from a source tree of version 3.18 or later: optimised, real, double precision.
# jobs/petsc.sh SOURCE PREFIX [configure options]   then: PKG_CONFIG_PATH=PREFIX/lib/pkgconfig cmake --preset release
# It takes BLAS and MPI from the system (jobs/setup.sh); MPICC chooses another compiler of MPI. A useful configure option:
# --with-64-bit-indices
invoked_from=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$invoked_from"

usage="jobs/petsc.sh SOURCE PREFIX [configure options]"
[ $# -ge 2 ] || die "needs the source tree of PETSc and a folder for the installation: $usage"
source_tree=$1
[ -f "$source_tree/include/petscversion.h" ] || die "'$source_tree' is no source tree of PETSc: $usage"
mkdir -p "$2"
prefix=$(cd "$2" && pwd)
shift 2

cd "$source_tree"
unset PETSC_DIR
export PETSC_ARCH=${PETSC_ARCH:-abut}
say "configure PETSC_ARCH=$PETSC_ARCH in $source_tree"
python3 ./configure --prefix="$prefix" --with-debugging=0 --with-fc=0 --with-x=0 --with-make-np="$(cores)" \
  COPTFLAGS=-O2 --with-cc="${MPICC:-mpicc}" --with-cxx=0 --with-mpiexec=true "$@"
say "build and install"
make PETSC_DIR="$PWD" all
make PETSC_DIR="$PWD" install
say "installed: $prefix/lib/pkgconfig"
ls "$prefix/lib/pkgconfig"
