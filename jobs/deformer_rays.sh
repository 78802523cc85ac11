#!/usr/bin/env bash
# Rays of the deformer beside Embree 3 (docs/own_code.md): speed on last frames of scenes, robustness on a million rays each.
# jobs/deformer_rays.sh [FOLDER]   meshes go to FOLDER, by default results/deformer_rays; needs Embree 3; some minutes on an idle core
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

out=${1:-results/deformer_rays}
mkdir -p "$out"
cmake --preset release -B build-embree -DABUT_WITH_EMBREE=ON >"$out/configure.log"
cmake --build build-embree --target bench_rays >"$out/build.log"

# rays SCENE REFINE FIRST SECOND OPTIONS   the last frame of a scene of make_figures.py
rays() {
  local scene=$1 meshes=$out/$1_$2
  python3 inputs/deform/make_figures.py "$scene" --refine "$2" -o "$meshes"
  build-embree/tests/deform/bench_rays -first "$meshes/meshes/${scene}_$3.obj" -second "$meshes/meshes/${scene}_$4.obj" "${@:5}"
}

balls=(big small -translate 0.02,0.01,1.2)
hat=(hat egg -first_translate 0.02,0.01,-0.42 -direction 0,0,1)

say "speed: press" && rays press 0.82 finger_0012 ball -translate 0.95,0.02,-1.18 -rays 0
say "speed: hat_egg" && rays hat_egg 1.05 "${hat[@]}" -rays 0
for refine in 0.66 1.9 6; do
  say "speed: balls, refine $refine" && rays balls $refine "${balls[@]}" -rays 0
done

few=(-repeat 0 -rays 1000000)
say "rays: balls" && rays balls 0.66 "${balls[@]}" "${few[@]}"
say "rays: hat_egg" && rays hat_egg 0.4 "${hat[@]}" "${few[@]}"
say "rays: slivers, x stretched by 1000" && rays balls 0.66 "${balls[@]}" "${few[@]}" -scale 1000,1,1 -direction 0,0,-1
say "rays: grazing, z stretched by 1000" && rays balls 0.66 "${balls[@]}" "${few[@]}" -scale 1,1,1000 -direction 0.001,0,-1
for far in 1e2 1e4 1e6; do
  say "rays: $far m from the origin" && rays balls 0.66 "${balls[@]}" "${few[@]}" -direction 0.1,0.2,-1 -far $far
done
