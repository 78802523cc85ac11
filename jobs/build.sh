#!/usr/bin/env bash
# Builds a preset of CMakePresets.json: jobs/build.sh [release|portable|debug|ci]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

jobs/setup.sh
build_preset "${1:-release}"
