"""jobs/late_steps.py beside a stand-in for the 2020 code whose vertices fall freely, in another order than abut's."""
import csv
import os
import subprocess
import sys
from abut_runs import ABUT, ENVIRONMENT, expect, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
G, DT = 9.80665, 0.025
# The body rotates and is so soft that its vertices fly freely and keep their velocities. The section at the end is not closed.
FALLING = f"""energy NH
time 5 {DT}
density 1000
stiffness 1e-3 0.4
shapes input 1
{ROOT}/inputs/ipc2020/meshes/spike.msh 0 0.02 0  0 0 0  1 1 1  initVel 0 0 0  0 300 0
selfCollisionOn
section QP
time 10 5e-3
section"""
STAND_IN = f"""#!/usr/bin/env python3
import math, os, sys
scene, out = sys.argv[2], sys.argv[sys.argv.index("-o") + 1]
words = []
for line in open(scene):
    if line.startswith("section"):
        break
    words.append(line.split())
duration, dt = next((float(line[1]), float(line[2])) for line in words if line and line[0] == "time")
restart = [line[1] for line in words if line and line[0] == "restart"]
os.makedirs(out)
def numbers(path, key):
    lines = open(path).read().splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith(key))
    return [[float(x) for x in line.split()] for line in lines[at + 1:at + 1 + int(lines[at].split()[1])]]
lines = open({ROOT + "/inputs/ipc2020/meshes/spike.msh"!r}).read().split("$Nodes")[1].split("$EndNodes")[0].splitlines()
x = [[float(w) for w in line.split()[-3:]] for line in lines if len(line.split()) in (3, 4) and "." in line]
x = [[a, b + 0.02, c] for a, b, c in x[1:] + x[:1]]
first, v = 0, [0.0] * (3 * len(x))
if restart:
    first, v = int(open(restart[0]).readline().split()[1]), sum(numbers(restart[0], "velocity"), [])
    if any(abs(v[3 * i] - math.radians(300) * p[2]) + abs(v[3 * i + 2] + math.radians(300) * p[0]) > 0.1 for i, p in enumerate(x)):
        sys.exit("velocities of other vertices")
    x = numbers(restart[0], "position")
def write(step):
    with open(out + "/status%d" % step, "w") as file:
        file.write("timestep %d\\n\\nposition %d 3\\n" % (step, len(x)) + "".join("%.17g %.17g %.17g\\n" % tuple(p) for p in x))
write(first)
for step in range(first + 1, math.ceil(duration / dt) + 1):
    for i, p in enumerate(x):
        v[3 * i + 1] -= {G} * dt
        for k in range(3):
            p[k] += dt * v[3 * i + k]
    n = step - first
    with open(out + "/info%d.txt" % step, "w") as file:
        file.write("5 1\\n%d %d 3\\n1 activities:\\n   %g s: descent\\n 0 s: solve_extraComp\\n" % (step, n * n, 2.5 * n * n))
    write(step)
"""


def job(folder, *options):
    command = [sys.executable, os.path.join(ROOT, "jobs", "late_steps.py"), "--reference", os.path.join(folder, "data"), "--program",
               os.path.join(folder, "ipc"), "--abut", ABUT, "-o", os.path.join(folder, "out"), *options]
    return subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def program(folder, text):
    write(folder, "ipc", text)
    os.chmod(os.path.join(folder, "ipc"), 0o755)


def rows_of(folder, file):
    with open(os.path.join(folder, "out", file), newline="") as stream:
        return list(csv.DictReader(stream))


with scratch() as folder:
    scenes = os.path.join(folder, "data", "scenes", "ipc2020", "input", "otherExamples", "typical")
    os.makedirs(scenes)
    write(scenes, "rodsTwist.txt", FALLING)
    done = job(folder)
    if ": run jobs/setup.sh" in done.stdout:
        print("skipped:", done.stdout.strip())
        sys.exit(77)
    expect(done.returncode == 2 and "is no program" in done.stdout, done.stdout)
    program(folder, "#!/bin/sh\nexit 3\n")
    expect(job(folder, "--only", "no such scene").returncode == 2)
    done = job(folder, "--only", "typical/rodsTwist")
    expect(done.returncode == 1 and "ended with exit code 3" in done.stdout and "Traceback" not in done.stdout, done.stdout)
    expect(all("ended with exit code 3" in row["remark"] for row in rows_of(folder, "late_steps.csv")))
    for again in (False, True):  # the second time without a program that works
        program(folder, "#!/bin/sh\nexit 3\n" if again else STAND_IN)
        done = job(folder, "--only", "typical/rodsTwist")
        expect(done.returncode == 0, done.stdout)
    rows = rows_of(folder, "late_steps.csv")
    expect([(int(row["first"]), int(row["last"])) for row in rows] == [(117, 120), (197, 200)], rows)
    for row in rows:
        expect(int(row["newton_2020"]) == 5**2 - 1 and float(row["solve_2020_s"]) == 2.5 * (5**2 - 1), row)
        expect(row["crossings"] == row["inversions"] == "0", row)
        # backward Euler in free fall: n steps move a vertex down by g dt^2 n (n + 1) / 2
        first, last = int(row["first"]) - 2, int(row["last"])
        fall = G * DT**2 * (last * (last + 1) - first * (first + 1)) / 2
        expect(abs(float(row["motion_m"]) - fall) < 0.05 * fall, "motion", row["motion_m"], "instead of", fall)
        expect(float(row["difference"].split()[0]) < 0.1, "difference", row["difference"])
    steps = rows_of(folder, os.path.join("rodsTwist", "abut", "steps.csv"))[196:]
    expect(sum(int(step["newton_iterations"]) for step in steps) == int(rows[1]["newton"]), rows[1])
    damaged = os.path.join(folder, "out", "rodsTwist", "from195to200")
    with open(os.path.join(damaged, "status200"), "w") as stream:
        stream.write("timestep 200\n\nposition 5 3\n" + 5 * "nan nan nan\n")
    os.remove(damaged + ".json")
    done = job(folder, "--only", "typical/rodsTwist")
    expect(done.returncode == 1 and "no finite positions" in done.stdout and "Traceback" not in done.stdout, done.stdout)
    write(os.path.dirname(damaged), "from115to120.json", "[]")
    done = job(folder, "--only", "typical/rodsTwist")
    expect(done.returncode == 1 and "is no row" in done.stdout and "Traceback" not in done.stdout, done.stdout)
    done = job(folder, "--program", "/bin/true")
    expect(done.returncode == 2 and "give another folder" in done.stdout and "Traceback" not in done.stdout, done.stdout)
    os.rename(os.path.join(folder, "out"), os.path.join(folder, "first"))
    program(folder, STAND_IN)
    write(scenes, "rodsTwist.txt", FALLING.replace(f"time 5 {DT}", "").replace("time 10 5e-3\n", ""))
    done = job(folder, "--only", "typical/rodsTwist")
    expect(done.returncode == 1 and "no line `time" in done.stdout and "Traceback" not in done.stdout, done.stdout)
print("ok")
