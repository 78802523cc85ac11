#!/usr/bin/env bash
# Measures the balance of work over 1, 2, 4, 8, 16 ranks: jobs/balance.sh SCENE.yaml [options of balance.py]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

jobs/setup.sh
build_preset release --target abut
exec python3 jobs/balance.py "$@"
