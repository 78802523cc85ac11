#!/usr/bin/env bash
# Repeats the table of scenes whose bodies overlap at the start (docs/deformer.md): moves them apart, checks and runs the new scenes.
# jobs/untangle.sh [REFERENCE_DIR]   results go to results/untangle; with REFERENCE_DIR also scenes of the 2020 IPC code made to overlap
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build_preset release --target abut
say "scenes with 1 to 1000 overlaps"
python3 jobs/untangle.py --page ${1:+--reference "$1"}
