#!/usr/bin/env bash
# Times abut against the 2020 IPC code on that code's scenes: ABUT_REFERENCE_DIR=DIR jobs/benchmark.sh [options of benchmark.py]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

jobs/setup.sh
build_preset release --target abut
exec python3 jobs/benchmark.py "$@"
