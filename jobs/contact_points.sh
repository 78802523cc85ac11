#!/usr/bin/env bash
# Repeats the assessment of contact-point methods (docs/contact_points.md): fundamental cases, Pillar, Wall, Arch and masonry, elastic runs.
# jobs/contact_points.sh [RANKS]   on RANKS MPI ranks [1]; results go to results/contact_points, tables and pictures into docs
# On an idle core the fundamental cases take a minute, the studies over time about a quarter of an hour.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

ranks=${1:-1}
build_preset release --target abut
say "fundamental cases"
python3 jobs/contact_points.py -n "$ranks"
say "studies over time"
python3 jobs/contact_points_studies.py -n "$ranks"
