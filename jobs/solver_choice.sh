#!/usr/bin/env bash
# Measures the choices of -abut_linear auto on six scenes in contact: jobs/solver_choice.sh [options of solver_choice.py]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

jobs/setup.sh
build_preset release --target abut work_clock
exec python3 jobs/solver_choice.py "$@"
