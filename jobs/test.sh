#!/usr/bin/env bash
# Installs missing packages, builds with warnings as errors and runs all tests except those with the label long, which take minutes each.
# At the end it names the tests that were skipped, with the reasons, and repeats the summary.
# jobs/test.sh [--quick | --long] [options of ctest]   --quick: only tests with the label quick, one or two of each part; --long: also tests
# with the label long. One part: jobs/test.sh -R inputs
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

chosen=(-LE '^long$')
case ${1-} in
--quick) chosen=(-L '^quick$') && shift ;;
--long) chosen=() && shift ;;
esac
jobs/setup.sh
build_preset ci
say "test"
report=build-ci/tests.xml
code=0
rm -f "$report"
ctest --test-dir build-ci -j2 --output-on-failure --output-junit "$root/$report" "${chosen[@]}" "$@" | tee build-ci/tests.log || code=$?
python3 - "$report" <<'PYTHON'
import os
import sys
from xml.etree import ElementTree

if not os.path.exists(sys.argv[1]):
    sys.exit()
for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
    said = [line for line in case.findtext("system-out", "").splitlines() if line.lower().startswith("skipped")]
    if case.get("status") == "notrun":
        print(f"skipped: {case.get('name')}: {said[-1].split(':', 1)[-1].strip() if said else 'it said no reason'}")
PYTHON
grep "tests passed" build-ci/tests.log || true
exit $code
