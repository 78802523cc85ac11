"""jobs/sqp_benchmark.py on a scene of its own: contact at two time steps, the smaller one from the last state without contact."""
import csv
import json
import os
import subprocess
import sys
from abut_runs import ABUT, ENVIRONMENT, expect, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEPS = 4
SCENE = f"""energy NH
time 0.5 0.01
density 1000
stiffness 1e5 0.4
shapes input 1
{ROOT}/inputs/ipc2020/meshes/spike.msh 0 0.02 0  0 0 0  1 1 1
ground 0 0
selfCollisionOn
"""


def rows_of(folder):
    """Rows by time step and potential."""
    found = {}
    for h in ("0.01", "0.001"):
        for potential in ("ipc", "oipc"):
            with open(os.path.join(folder, "drop", f"{potential}-h{h}", "row.json")) as file:
                found[h, potential] = json.load(file)[0]
    return found


with scratch() as folder:
    os.mkdir(os.path.join(folder, "scenes"))
    write(os.path.join(folder, "scenes"), "drop.txt", SCENE)
    out = os.path.join(folder, "out")
    command = [sys.executable, os.path.join(ROOT, "jobs", "sqp_benchmark.py"), "--scenes", os.path.join(folder, "scenes"), "--dt", "1e-2",
               "1e-3", "--potentials", "ipc", "oipc", "--steps", str(STEPS), "-o", out, "--abut", ABUT]
    for again in (False, True):
        done = subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expect(done.returncode == 0, done.stdout)
        written = os.path.getmtime(os.path.join(out, "drop", "ipc-h0.01", "row.json"))
        expect(not again or written == before, "the second time it ran again")
        before = written
    for (h, potential), row in rows_of(out).items():
        expect(row["completed"] == "yes" and row["crossings"] == 0, h, potential, row)
        expect(row["steps in contact"] == STEPS and float(row["Newton a step"]) > 0, h, potential, row)
    with open(os.path.join(out, "drop", "ipc-h0.001", "steps.csv")) as file:
        starts = float(next(csv.DictReader(file))["time_s"])
    expect(starts > 0.01, "the smaller time step starts at", starts, "s, not from the last state without contact")
    with open(os.path.join(out, "sqp_benchmark.md")) as file:
        expect(file.read().count("| drop |") == 4, "the table lacks rows")
print("ok")
