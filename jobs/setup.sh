#!/usr/bin/env bash
# Installs the packages that abut needs, on Debian and Ubuntu; does nothing if all are installed.
# jobs/setup.sh [run]   run: without the packages that only tests and changes of the source need
# It asks for the password of sudo unless root runs it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages="petsc-dev libopenmpi-dev openmpi-bin libmetis-dev libhdf5-openmpi-dev libyaml-dev libgmsh-dev
libopenblas0 pkg-config cmake ninja-build gcc libc6-dev python3 python3-h5py python3-numpy python3-matplotlib python3-yaml"
if [ "${1-run}" != run ]; then die "the only argument is 'run', not '$1'"; fi
if [ $# -eq 0 ]; then
  packages="$packages libcmocka-dev libjansson-dev libgmp-dev clang-format doxygen procps python3-scipy"
fi

command -v dpkg-query >/dev/null || die "this is neither Debian nor Ubuntu; install the counterparts of:" $packages

missing=""
for package in $packages; do
  if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
    missing="$missing $package"
  fi
done
if [ -z "$missing" ]; then
  say "set-up: all packages are installed"
  exit 0
fi

say "set-up: installing$missing"
as_root="env"
if [ "$(id -u)" -ne 0 ]; then
  as_root="sudo env"
  command -v sudo >/dev/null || die "not root and no sudo; ask for these packages:$missing"
fi
$as_root apt-get update -qq
$as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
