#!/usr/bin/env bash
# Builds abut with each MPI of the machine, each PETSc and both sizes of indices, and runs the quick tests; ends with a table.
# jobs/matrix.sh FOLDER PETSC_SOURCE [PETSC_SOURCE ...]   sources of PETSc from 3.18 on; results and logs go to FOLDER
# MPIS="openmpi mpich" and INDICES="32 64" choose fewer. A combination that is in the table already is not repeated. On Debian:
# jobs/setup.sh, then the packages libmpich-dev and libhdf5-mpich-dev. Takes about 20 minutes of four cores for each combination.
invoked_from=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$invoked_from"

[ $# -ge 2 ] || die "needs a folder and sources of PETSc: jobs/matrix.sh FOLDER PETSC_SOURCE [PETSC_SOURCE ...]"
mkdir -p "$1"
folder=$(cd "$1" && pwd) table=$folder/matrix.md
shift
[ -f "$table" ] || printf '| PETSc | indices | MPI | tests |\n| --- | --- | --- | --- |\n' >"$table"

# PETSc, abut and tests of one combination; prints the summary of the tests
combination() {
  local source_tree=$1 name=$2 mpi=$3 bits=$4 work=$folder/$2
  local hdf5=h5pcc.$mpi
  command -v "$hdf5" >/dev/null || hdf5=h5pcc
  if [ ! -f "$work/petsc/lib/pkgconfig/PETSc.pc" ]; then
    PETSC_ARCH=$name MPICC=mpicc.$mpi "$root/jobs/petsc.sh" "$source_tree" "$work/petsc" --with-64-bit-indices=$((bits == 64)) >&2
  fi
  PKG_CONFIG_PATH=$work/petsc/lib/pkgconfig cmake -S "$root" -B "$work/build" -G Ninja -DABUT_WERROR=ON -DMPI_C_COMPILER="mpicc.$mpi" \
    -DMPIEXEC_EXECUTABLE="$(command -v "mpiexec.$mpi")" -DHDF5_C_COMPILER_EXECUTABLE="$(command -v "$hdf5")" >&2
  cmake --build "$work/build" --parallel "$(cores)" >&2
  ctest --test-dir "$work/build" -j"$(cores)" -L '^quick$' --output-on-failure >"$work/tests.log" 2>&1 || true
  grep "tests passed" "$work/tests.log" || echo "no test ran"
}

failed=""
for source_tree in "$@"; do
  [ -f "$source_tree/include/petscversion.h" ] || die "'$source_tree' is no source tree of PETSc"
  version=$(sed -n 's/^#define PETSC_VERSION_\(MAJOR\|MINOR\|SUBMINOR\) *\([0-9]*\).*/\2/p' \
    "$source_tree/include/petscversion.h" | paste -sd.)
  for mpi in ${MPIS:-openmpi mpich}; do
    command -v "mpicc.$mpi" >/dev/null || { say "no mpicc.$mpi: left out"; continue; }
    for bits in ${INDICES:-32 64}; do
      name=$version-$mpi-$bits
      grep -qF "| $version | $bits bits | $mpi |" "$table" && continue
      say "$name: log in $folder/$name.log"
      if outcome=$(combination "$source_tree" "$name" "$mpi" "$bits" 2>"$folder/$name.log"); then
        echo "| $version | $bits bits | $mpi | $outcome |" >>"$table"
        [[ $outcome == "100% tests passed"* ]] || failed+=" $name"
      else
        failed+=" $name"
      fi
    done
  done
done
cat "$table"
[ -z "$failed" ] || die "failed:$failed"
