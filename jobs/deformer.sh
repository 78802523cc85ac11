#!/usr/bin/env bash
# Repeats docs/deformer.md: continuity in time, pictures, remaining depth, linear volume, resolutions, time, ranks, balls beside abut run.
# jobs/deformer.sh [FOLDER]   results go to FOLDER, by default results/deformer
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

out=${1:-results/deformer}
build_preset release --target abut
scenes=$out/scenes
pictures=$out/pictures
mkdir -p "$scenes" "$pictures"

# deform RANKS SCENE RESULTS [OPTIONS]
deform() {
  local ranks=$1 scene=$2 results=$3
  shift 3
  mpiexec -n "$ranks" build/bin/abut deform "$scene" -o "$results" -overwrite -progress none "$@"
}

# continuity SCENE RESULTS [SED-SCRIPT]   runs a scene with 1, 3 and 10 times as many frames, optionally changed by sed
continuity() {
  local scene=$1 results=$2 change=${3:-} finer
  for finer in 1 3 10; do
    python3 inputs/deform/make_figures.py "$scene" --finer $finer -o "$scenes/finer$finer"
    sed "$change" "$scenes/finer$finer/$scene.yaml" >"$scenes/finer$finer/$results.yaml.tmp"
    mv "$scenes/finer$finer/$results.yaml.tmp" "$scenes/finer$finer/$results.yaml"
    deform 1 "$scenes/finer$finer/$results.yaml" "$out/${results}_$finer"
  done
  postprocess/deform_jumps.py "$out/${results}_1" "$out/${results}_3" "$out/${results}_10" | tail -n 3
}

say "largest jump between frames [m], 1, 3 and 10 times as many frames"
for scene in capsules_k capsules_tau foot mouth balls anisotropic elbow fingers palm finger press relief star wrinkles hat_egg tubes \
  thorns direction; do
  continuity $scene $scene
done
continuity foot foot_tau-2 's/tau: 0/tau: -2/'

# draw SCENE PICTURE [OPTIONS]
draw() {
  local scene=$1 picture=$2
  shift 2
  postprocess/render_frames.py "$out/${scene}_1" -o "$pictures/$picture.png" --palette 64 "$@"
}

say "pictures in $pictures"
draw capsules_k capsules_k --frames first,2,last --view=-35,20
draw capsules_tau capsules_tau --frames first,2,last --hide high --view=-35,50
draw foot foot --before --frames 3,6,9 --view=-60,15 --zoom 1.7
draw foot foot_print --frames 3,6,9 --hide foot --view=-60,40 --zoom 1.7
draw mouth mouth --before --frames 7,last --cut 0 --view=-90,5 --zoom 2
draw anisotropic anisotropic --before --frames 5,last --view=-90,15
draw palm palm --before --frames 8,last --cut=-0.24 --view=-90,5 --zoom 1.2
draw relief relief --before --frames 5,last --cut 0.03 --view=-90,10
draw balls balls --before --frames 7,14,last --view=-70,5
draw elbow elbow --before --frames 8,last --cut 0 --view=-90,5
draw fingers fingers --before --frames 4,last --view=30,35
draw fingers fingers_ball --frames 4,last --hide finger0,finger1,finger2,finger3,finger4 --view=30,35
draw finger finger --before --frames 8,last --view=-90,5
draw press press --before --frames 6,last --view=-90,5
draw star star --before --frames 3,last --hide ball --view=20,-35 --zoom 1.5
draw wrinkles wrinkles --before --frames 3,last --hide ball --view=20,35 --zoom 1.5
draw hat_egg hat_egg --before --frames first,5,last --cut 0 --view=-90,10
draw tubes tubes --before --frames 2,last --view=-60,12 --zoom 1.7
draw thorns thorns --before --frames 2,last --hide ball --view=-60,35 --zoom 2.2
draw direction direction --before --frames first,2,last --cut 0 --view=-90,6 --zoom 1.3
postprocess/render_frames.py "$out/balls_1" --movie "$pictures/balls.gif" --size 240 --view=-70,5

say "largest error of volume at gamma 1 and mismatch of zones in all scenes"
python3 - "$out" <<'PYTHON'
import csv, glob, json, re, sys
worst = {"volume_error": 0.0, "zone_mismatch": 0.0}
for path in glob.glob(sys.argv[1] + "/*_1/summary.json"):
    folder = path[: -len("/summary.json")]
    with open(folder.replace(sys.argv[1], sys.argv[1] + "/scenes/finer1")[:-2] + ".yaml", encoding="ascii") as file:
        scene = file.read()
    changed = set(re.findall(r"name: (\w+),[^\n]*volume:", scene))
    with open(folder + "/surfaces.csv", encoding="ascii") as file:
        rows = [row for row in csv.DictReader(file) if row["surface"] not in changed]
    worst["volume_error"] = max([worst["volume_error"]] + [float(row["volume_error"]) for row in rows])
    worst["zone_mismatch"] = max(worst["zone_mismatch"], json.load(open(path, encoding="ascii"))["zone_mismatch"])
print(worst)
PYTHON

say "last frame of balls at three resolutions"
for refine in 0.5 1 2; do
  python3 inputs/deform/make_figures.py balls --refine $refine -o "$scenes/refine$refine"
  deform 1 "$scenes/refine$refine/balls.yaml" "$out/balls_refine$refine"
  tail -n 1 "$out/balls_refine$refine/contacts.csv" && tail -n 2 "$out/balls_refine$refine/surfaces.csv"
done

say "largest depth that remains after the displacement, and before [m]"
for scene in "$out"/*_1; do
  python3 - "$scene/summary.json" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    summary = json.load(file)
print(sys.argv[1].split("/")[-2], summary["penetration_after_max_m"], summary["depth_max_m"])
PYTHON
done

say "Fig. 9: bulge that keeps the volume to first order, over the exact one, and the error of its volume"
for scene in capsules_k press relief; do
  run=$scenes/finer1/${scene}_volume
  for volume in 0 1; do
    sed "s/, volume: [0-9.]*//; s/extent: /volume: $volume, extent: /" "$scenes/finer1/$scene.yaml" >"$run$volume.yaml"
    deform 1 "$run$volume.yaml" "$out/${scene}_volume$volume"
  done
  postprocess/linear_volume.py "$out/${scene}_volume0" "$out/${scene}_volume1" | tail -n +2 | while IFS=, read -r frame surface factor; do
    sed "s/\(name: $surface,.*\)volume: 1/\1volume: $factor/" "${run}1.yaml" >"${run}_linear.yaml"
    deform 1 "${run}_linear.yaml" "$out/linear" </dev/null
    echo "$scene $surface $factor $(grep "^$frame,\"$surface\"" "$out/linear/surfaces.csv" | cut -d, -f4)"
  done
done

say "processor time of a frame in contact [ms], fastest of ten runs"
jobs/deform_times.py build/bin/abut -o "$scenes/times"

say "a sequence on one and two ranks: processor time of the busiest rank and of all [s]"
python3 inputs/deform/make_figures.py balls --refine 1.9 --finer 6 -o "$scenes/time1.9"
for ranks in 1 2; do
  deform $ranks "$scenes/time1.9/balls.yaml" "$out/ranks$ranks"
  grep processor "$out/ranks$ranks/summary.json"
done

say "two balls beside abut run"
python3 inputs/deform/make_balls.py -o "$scenes"
build/bin/abut run "$scenes/balls_run.yaml" -o "$out/balls_run" -overwrite -progress none
for tau in 0.2 -0.5 -1 -2; do
  sed "s/tau: 0.2/tau: $tau/" "$scenes/balls_deform.yaml" >"$scenes/balls_tau.yaml"
  deform 1 "$scenes/balls_tau.yaml" "$out/balls_tau$tau"
  echo "tau $tau"
  postprocess/compare_balls.py "$out/balls_run" "$out/balls_tau$tau" -o "$pictures/balls_run_tau$tau.png"
done
