# shellcheck shell=bash
# Shared by the scripts of this folder; to be sourced.

source "$(dirname "${BASH_SOURCE[0]}")/help.sh" # before anything is done
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# one thread per rank; Open MPI: more ranks than cores, no pinning (two programs would share core 0), root in containers
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}" OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
if [ "$(id -u)" -eq 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

say() {
  printf '\n== %s\n' "$*"
}

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

cores() {
  env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || echo 1 # nproc would obey these
}

# Open MPI 4: keeps each of N ranks on its core if this process may use all cores of the machine, which are N.
# With fewer ranks than cores two programs would share core 0.
bind_ranks() {
  if [ "$1" -eq "$(cores)" ] && [ "$1" -eq "$(nproc --all)" ]; then export OMPI_MCA_hwloc_base_binding_policy=core; fi
}

# huge pages for the arrays of all libraries, where the system gives them to programs that ask (docs/user-guide.md)
ask_huge_pages() {
  export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}"
}

# prints the first Python that has all the given modules
python_with() {
  local candidate modules
  modules=$(IFS=,; echo "$*")
  for candidate in python3 /usr/bin/python3 /usr/local/bin/python3; do
    if command -v "$candidate" >/dev/null && "$candidate" -c "import $modules" >/dev/null 2>&1; then
      command -v "$candidate"
      return 0
    fi
  done
  die "no Python with the modules $modules: install them, for example with jobs/setup.sh"
}

# configures and builds a preset of CMakePresets.json; further arguments go to the build
build_preset() {
  local preset=$1 output
  shift
  say "build ($preset)"
  output=$(cmake --preset "$preset" 2>&1) || die "cmake failed"$'\n'"$output"
  cmake --build --preset "$preset" --parallel "$(cores)" "$@"
}
