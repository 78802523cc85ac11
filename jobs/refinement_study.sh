#!/usr/bin/env bash
# Verifies abut against closed forms under refinement and draws the results: jobs/refinement_study.sh [options of refinement_study.py]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

jobs/setup.sh
build_preset release --target abut
exec "$(python_with numpy h5py matplotlib)" jobs/refinement_study.py "$@"
