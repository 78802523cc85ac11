"""jobs/solver_choice.py: wrong lists are refused with their valid values; cells of a line of its table."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "jobs", "solver_choice.py")
sys.path.insert(0, os.path.join(ROOT, "jobs"))

import solver_choice  # noqa: E402

with tempfile.TemporaryDirectory(prefix="abut-test-") as folder:
    cases = (("--ranks", "2,x", "x", "whole numbers from 1 on"), ("--ranks", "0", "0", "whole numbers from 1 on"),
             ("--solvers", "direct,lu", "lu", "direct, multigrid, auto"), ("--problems", "", "", "rods, "))
    for option, value, wrong, valid in cases:
        command = [sys.executable, "-B", SCRIPT, option, value, "-o", os.path.join(folder, "out")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
        assert f"{option} has '{wrong}'" in done.stderr and valid in done.stderr, done.stderr
    assert not os.listdir(folder)
assert solver_choice.chosen_ranks("1,16") == [1, 16]

text = "  current solver: direct\n"
works = {"multigrid": (10, 5, 6, ""), "direct": (12, 5, 20, ""), "auto": (15, 5, 20, text)}
assert solver_choice.choice_cells(works) == ["direct", "1.20", "1.50"]
assert solver_choice.choice_cells({"auto": (15, 5, 20, text)}) == ["direct", "", "1.00"]
assert solver_choice.choice_cells({"direct": (10, 5, 6, ""), "auto": None}) == ["", "", ""]
assert solver_choice.cell(works["direct"]) == "12 (5, 20)" and solver_choice.cell(None) == "failed"
print("ok")
