#!/usr/bin/env bash
# Demo from a fresh checkout: installs packages, builds, runs inputs/demo/press.yaml on two ranks, draws the result.
# jobs/demo.sh [DIRECTORY]   results go to DIRECTORY, results/press by default
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

out=${1:-results/press}
jobs/setup.sh run
build_preset release --target abut

say "run inputs/demo/press.yaml on 2 ranks"
mkdir -p "$out"
bind_ranks 2
ask_huge_pages
mpiexec -n 2 build/bin/abut run inputs/demo/press.yaml -o "$out" -overwrite -verify

say "draw"
python=$(python_with h5py numpy matplotlib)
"$python" postprocess/render.py "$out" --view=20,15 --steps first,8,14,last --width 1400 -o "$out/press.png"
"$python" postprocess/plot_energy.py "$out" -o "$out/energies.png"

say "numbers"
"$python" postprocess/report.py "$out"
say "results"
for file in press.png energies.png steps.csv summary.json fields.xdmf; do
  [ -e "$out/$file" ] || die "$out/$file was not written"
  printf '%s\n' "$out/$file"
done
