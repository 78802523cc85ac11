#!/usr/bin/env bash
# Builds with warnings as errors and runs all tests. Further arguments go to ctest: jobs/test.sh -R inputs
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

jobs/setup.sh
build_preset ci
say "test"
ctest --test-dir build-ci -j2 --output-on-failure "$@"
