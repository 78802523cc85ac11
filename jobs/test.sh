#!/usr/bin/env bash
# Installs missing packages, builds with warnings as errors and runs all tests except those with the label long, which take minutes each.
# jobs/test.sh [--long] [options of ctest]   --long: also tests with the label long. One part: jobs/test.sh -R inputs
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

left_out=(-LE '^long$')
if [[ ${1-} == --long ]]; then
  left_out=()
  shift
fi
jobs/setup.sh
build_preset ci
say "test"
ctest --test-dir build-ci -j2 --output-on-failure "${left_out[@]}" "$@"
