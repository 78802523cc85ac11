#!/usr/bin/env bash
# Submits a parameter or refinement study: a job array with a run for each line of VALUES.txt, and a job that makes table and plot once
# all runs have ended. From the root of the source:
#   jobs/slurm/study.sh SCENE.yaml VALUES.txt DIRECTORY [options of study_table.py]
#   SBATCH_OPTIONS="--ntasks-per-node=32 --time=01:00:00" jobs/slurm/study.sh rod.yaml sizes.txt results/sizes --refine mesh_size
# SBATCH_OPTIONS: options of sbatch for the runs. RUN_OPTIONS: options of abut run.
source "$(dirname "${BASH_SOURCE[0]}")/../help.sh"
set -euo pipefail

usage="jobs/slurm/study.sh SCENE.yaml VALUES.txt DIRECTORY [options of study_table.py]"
[ $# -ge 3 ] || { echo "needs scene, values and folder: $usage" >&2; exit 2; }
scene=$1 values=$2 out=$3
folder=$(dirname "${BASH_SOURCE[0]}")
[ -f "$scene" ] || { echo "there is no scene '$scene'" >&2; exit 2; }
runs=$(grep -c '^[[:space:]]*[^#[:space:]]' "$values") || { echo "'$values' is no file with lines" >&2; exit 2; }
mkdir -p "$out"
# the options are lists of words
# shellcheck disable=SC2086
array=$(sbatch --parsable --array="1-$runs" ${SBATCH_OPTIONS:-} "$folder/parameter-study.sbatch" "$scene" "$values" "$out" ${RUN_OPTIONS:-})
table=$(sbatch --parsable --dependency="afterany:${array%%;*}" "$folder/collect-study.sbatch" "$out" "${@:4}")
echo "runs: job array ${array%%;*}, 1 to $runs; then job ${table%%;*} writes $out/study.txt, study.csv and study.png"
