#!/usr/bin/env bash
# Counts the work of linear solvers on six systems in contact: jobs/linear_study.sh [options of linear_study.py]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

jobs/setup.sh
build_preset release --target abut linear_study
exec python3 jobs/linear_study.py "$@"
