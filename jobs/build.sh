#!/usr/bin/env bash
# Installs missing packages and builds a preset of CMakePresets.json, with the tests.
# jobs/build.sh [PRESET [options of cmake --build]]   PRESET: release (default), portable, debug or ci
# Only the program: jobs/build.sh release --target abut
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=${1:-release}
presets=$(sed -n 's/.*"name": "\([^"]*\)".*/\1/p' CMakePresets.json | sort -u | xargs)
[[ " $presets " == *" $preset "* ]] ||
  die "there is no preset '$preset', only $presets; options follow the preset: jobs/build.sh release --target abut"
jobs/setup.sh
build_preset "$preset" "${@:2}"
