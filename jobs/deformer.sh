#!/usr/bin/env bash
# Repeats the measurements of docs/deformer.md: continuity in time, resolutions, processor time, ranks, balls beside abut run.
# jobs/deformer.sh [FOLDER]   results go to FOLDER, by default results/deformer; about ten minutes on an idle core
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

out=${1:-results/deformer}
build_preset release --target abut
scenes=$out/scenes
mkdir -p "$scenes"

# deform RANKS SCENE RESULTS [OPTIONS]
deform() {
  local ranks=$1 scene=$2 results=$3
  shift 3
  mpiexec -n "$ranks" build/bin/abut deform "$scene" -o "$results" -overwrite -progress none "$@"
}

say "largest jump between frames, 1, 3 and 10 times as many frames"
for scene in balls capsules_k foot; do
  for finer in 1 3 10; do
    python3 inputs/deform/make_figures.py "$scene" --finer $finer -o "$scenes/finer$finer"
    deform 1 "$scenes/finer$finer/$scene.yaml" "$out/${scene}_$finer"
  done
  postprocess/deform_jumps.py "$out/${scene}_1" "$out/${scene}_3" "$out/${scene}_10"
done

say "last frame of balls at three resolutions"
for refine in 0.5 1 2; do
  python3 inputs/deform/make_figures.py balls --refine $refine -o "$scenes/refine$refine"
  deform 1 "$scenes/refine$refine/balls.yaml" "$out/balls_refine$refine"
  tail -n 1 "$out/balls_refine$refine/contacts.csv" && tail -n 2 "$out/balls_refine$refine/surfaces.csv"
done

say "processor time of a frame [ms], smallest of five runs"
for case in "balls 0.66 6" "press 0.82 1" "fingers 0.6 1" "hat_egg 1.05 1" "balls 1.9 6"; do
  read -r scene refine finer <<<"$case"
  python3 inputs/deform/make_figures.py "$scene" --refine "$refine" --finer "$finer" -o "$scenes/time$refine"
  for _ in 1 2 3 4 5; do
    deform 1 "$scenes/time$refine/$scene.yaml" "$out/time"
    python3 -c 'import json, sys
s = json.load(open(sys.argv[1])); print(s["vertices"], 1e3 * s["processor_seconds_all_ranks"] / s["frames"])' "$out/time/summary.json"
  done | sort -k 2 -g | head -n 1 | sed "s/^/$scene: vertices, ms /"
done

say "a sequence on one and two ranks: processor time of the busiest rank and of all [s]"
for ranks in 1 2; do
  deform $ranks "$scenes/time1.9/balls.yaml" "$out/ranks$ranks"
  grep processor "$out/ranks$ranks/summary.json"
done

say "two balls beside abut run"
python3 inputs/deform/make_balls.py -o "$scenes"
build/bin/abut run "$scenes/balls_run.yaml" -o "$out/balls_run" -overwrite -progress none
for tau in 0.2 -1; do
  sed "s/tau: 0.2/tau: $tau/" "$scenes/balls_deform.yaml" >"$scenes/balls_tau.yaml"
  deform 1 "$scenes/balls_tau.yaml" "$out/balls_tau$tau"
  postprocess/compare_balls.py "$out/balls_run" "$out/balls_tau$tau" -o "$out/balls_tau$tau.png"
done
