#!/usr/bin/env bash
# Strong and weak scaling of the scenes in inputs/scaling: jobs/scaling_study.sh [--ranks 1,2,4,...] [options of scaling_study.py]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ ! -x "${ABUT:-build/bin/abut}" ] || { [ -z "${ABUT:-}" ] && [ ! -e build/tests/linear/libwork_clock.so ]; }; then
  jobs/setup.sh
  build_preset release --target abut work_clock
fi
exec python3 jobs/scaling_study.py "$@"
