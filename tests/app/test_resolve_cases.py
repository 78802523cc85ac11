"""`abut deform -resolve` on overlaps that are hard to part: thin stacks, bodies through sheets and each other, deep corners, piles. Each is
resolved, checked exactly by jobs/untangle_cases.py, or refused with a reason. Progress lines and the time limit."""
import json
import os
import re
import subprocess
import sys

from abut_runs import ABUT, ENVIRONMENT, call, expect, python_with, scratch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "inputs", "untangle"))
import make_cases  # noqa: E402

ON_ONE = ("plates_8", "plates_deep", "sheet_box", "rods_crossed", "corner_in_floor", "pile_of_boxes", "pile_of_plates", "rod_through_plate",
          "beams_stacked", "square_in_corner")
ON_TWO = ("plates_8", "sheet_box", "pile_of_boxes", "rods_crossed")
REFUSED = {"slot": "leave no room", "nested": "as a whole; move it out", "behind": "move it to the other side"}


def check_resolved(python, folder, names, ranks):
    """All scenes are resolved, and pass the exact check of the job."""
    command = [python, os.path.join(ROOT, "jobs", "untangle_cases.py"), *names, "-n", str(ranks), "-o", folder, "--abut", ABUT]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=ENVIRONMENT)
    expect(done.returncode == 0 and f"{len(names)} resolved, 0 refused, 0 wrong" in done.stdout, ranks, done.stdout)


def check_corner(folder):
    """A corner moves its body by about the depth, in part as a whole."""
    with open(os.path.join(folder, "corner_in_floor", "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    body, depth = summary["bodies"][0], summary["pairs"][0]["depth_m"]
    expect(body["displacement_max_m"] < depth + 2 * summary["gap_m"] and 0 < body["displacement_whole_m"] < depth, summary)


def check_limit(folder, ranks):
    """A scene that takes longer than the limit: progress, and an error that names the body."""
    done = call(ranks, "deform", make_cases.write(folder, "half_in_floor"), "-resolve", "-o", os.path.join(folder, f"slow{ranks}"),
                "-walltime", "0.07")
    expect(done.code == 5 and "no result after 0.07 minutes (-walltime): cells of 'b0' follow its surface" in done.output, done.output)
    expect(re.search(r"^ +[34] s: cells of 'b0' follow its surface, \S+ of the way$", done.output, re.M), done.output)


with scratch() as top:
    found = python_with("numpy", "h5py")
    check_resolved(found, os.path.join(top, "one"), ON_ONE, 1)
    check_resolved(found, os.path.join(top, "two"), ON_TWO, 2)
    check_corner(os.path.join(top, "one"))
    for case, reason in REFUSED.items():
        last = call(1, "deform", make_cases.write(top, case), "-resolve", "-o", os.path.join(top, case))
        expect(last.code == 4 and reason in last.output, case, last.output)
    for number in (1, 2):
        check_limit(top, number)
print("ok")
