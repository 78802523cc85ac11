#!/usr/bin/env bash
# Runs a scene with many values of its keys, one run for each line of a file, on N ranks of this machine:
#   jobs/study.sh N SCENE.yaml VALUES.txt DIRECTORY [options of abut run]   results go to DIRECTORY/1, DIRECTORY/2, ...
# jobs/study_scene.py explains VALUES.txt. A run that fails does not end the study. Then: jobs/study_table.py DIRECTORY
invoked_from=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$invoked_from"

[ $# -ge 4 ] || die "needs number of ranks, scene, values and folder: jobs/study.sh N SCENE.yaml VALUES.txt DIRECTORY [options of abut run]"
ranks=$1 scene=$2 values=$3 out=$4
shift 4
[[ $ranks =~ ^[1-9][0-9]*$ ]] || die "the number of ranks is '$ranks', must be an integer from 1 on"
[ -f "$scene" ] || die "there is no scene '$scene'"
[ -f "$values" ] || die "there is no file '$values'"
runs=$(grep -c '^[[:space:]]*[^#[:space:]]' "$values") || die "$values has no line"
failed=""
for ((run = 1; run <= runs; run++)); do
  copy=$(python3 "$root/jobs/study_scene.py" "$scene" "$values" "$run" "$out") || { failed+=" $run"; continue; }
  say "run $run of $runs: $(cat "$out/$run/values.txt")"
  "$root/jobs/run.sh" "$ranks" "$copy" -o "$out/$run" -overwrite "$@" || failed+=" $run"
done
[ -z "$failed" ] || die "runs that failed:$failed"
