"""jobs/late_steps.py beside a stand-in for the 2020 code that lets all vertices fall freely, in another order than abut's."""
import csv
import os
import subprocess
import sys
from abut_runs import ABUT, ENVIRONMENT, expect, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FALLING = f"""energy NH
time 5 0.025
density 1000
stiffness 1e5 0.4
shapes input 1
{ROOT}/inputs/ipc2020/meshes/spike.msh 0 0.02 0  0 0 0  1 1 1
selfCollisionOn
cameraTracking"""  # no newline at the end, as in some scenes of that code
# backward Euler without elastic forces; the state at the start is the mesh moved up, in reverse order
STAND_IN = f"""#!/usr/bin/env python3
import math, os, sys
scene, out = sys.argv[2], sys.argv[sys.argv.index("-o") + 1]
words = [line.split() for line in open(scene)]
duration, dt = next((float(line[1]), float(line[2])) for line in words if line and line[0] == "time")
restart = [line[1] for line in words if line and line[0] == "restart"]
os.makedirs(out, exist_ok=True)
def numbers(path, key, per_line):
    lines = open(path).read().splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith(key))
    return [[float(x) for x in line.split()] for line in lines[at + 1:at + 1 + int(lines[at].split()[1])]]
if restart:
    step = int(open(restart[0]).readline().split()[1])
    x = numbers(restart[0], "position", 3)
    v = sum(numbers(restart[0], "velocity", 1), [])
else:
    lines = open({ROOT + "/inputs/ipc2020/meshes/spike.msh"!r}).read().split("$Nodes")[1].split("$EndNodes")[0].splitlines()
    x = [[float(w) for w in line.split()[-3:]] for line in lines if len(line.split()) in (3, 4) and "." in line]
    x = [[a, b + 0.02, c] for a, b, c in reversed(x)]
    step, v = 0, [0.0] * (3 * len(x))
first, last = step, math.ceil(duration / dt)
def write(step):
    with open(out + "/status%d" % step, "w") as file:
        file.write("timestep %d\\n\\nposition %d 3\\n" % (step, len(x)) + "".join("%.17g %.17g %.17g\\n" % tuple(p) for p in x))
write(first)
for step in range(first + 1, last + 1):
    for i, p in enumerate(x):
        v[3 * i + 1] -= 9.80665 * dt
        for k in range(3):
            p[k] += dt * v[3 * i + k]
    table = "%d %d 3\\n1 activities:\\n   %g s: descent\\n" % (step, 7 * (step - first), 2.5 * (step - first))
    open(out + "/info%d.txt" % step, "w").write("5 1\\n" + table)
    write(step)
"""


def job(folder, *options):
    command = [sys.executable, os.path.join(ROOT, "jobs", "late_steps.py"), "--reference", os.path.join(folder, "data"), "--program",
               os.path.join(folder, "ipc"), "--abut", ABUT, "-o", os.path.join(folder, "out"), *options]
    return subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


with scratch() as folder:
    scenes = os.path.join(folder, "data", "scenes", "ipc2020", "input", "otherExamples", "typical")
    os.makedirs(scenes)
    write(scenes, "rodsTwist.txt", FALLING)
    done = job(folder)
    expect(done.returncode == 2 and "is no program" in done.stdout, done.stdout)
    write(folder, "ipc", STAND_IN)
    os.chmod(os.path.join(folder, "ipc"), 0o755)
    for again in (False, True):
        done = job(folder, "--only", "typical/rodsTwist")
        if "has no" in done.stdout:
            print("skipped:", done.stdout.strip())
            sys.exit(77)
        expect(done.returncode == 0, done.stdout)
        with open(os.path.join(folder, "out", "late_steps.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        expect(not again or rows == before, "the second time it ran again")
        before = rows
    for row in rows:
        steps = int(row["last"]) - int(row["first"]) + 1
        expect(int(row["newton_other"]) == 7 * steps and float(row["solve_other_s"]) == 2.5 * steps, row)
        # free fall: y changes by -g dt^2 (n + 1) n / 2 in n steps
        first, last = int(row["first"]) - 2, int(row["last"])  # the motion includes the step that is not counted
        fall = 9.80665 * 0.025**2 * (last * (last + 1) - first * (first + 1)) / 2
        expect(abs(float(row["motion_m"]) - fall) < 0.01 * fall, "motion", row["motion_m"], "instead of", fall)
        expect(float(row["difference_m"]) < 1e-3 * fall, "difference", row["difference_m"], "of", fall)
    expect(rows and os.path.exists(os.path.join(folder, "out", "late_steps.md")), "no table")
print("ok")
