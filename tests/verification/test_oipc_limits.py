"""jobs/oipc_limits.py: all figures agree with closed forms and exponents; a barrier that is 1 % too large is noticed."""
import json
import os
import subprocess
from abut_runs import ABUT, ENVIRONMENT, expect, python_with, scratch

JOBS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "jobs")
PYTHON = python_with("numpy", "matplotlib", "PIL")
WRONG = """import os, sys
import oipc_limits as limits
right = limits.log_barrier
limits.log_barrier = lambda distance, dhat: 1.01 * right(distance, dhat)
off = [figure.name for figure in limits.neighbours(limits.Runs(sys.argv[1], sys.argv[2]), True) if not figure.holds]
print(" ".join(off))
"""


def python(*words):
    return subprocess.run([PYTHON, "-B", *words], env=ENVIRONMENT | {"PYTHONPATH": JOBS}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


with scratch() as folder:
    picture = os.path.join(folder, "limits.png")
    done = python(os.path.join(JOBS, "oipc_limits.py"), "--quick", "--picture", picture, "-o", folder, "--abut", ABUT)
    expect(done.returncode == 0, done.stdout)
    with open(os.path.join(folder, "limits.json"), encoding="ascii") as stream:
        found = json.load(stream)
    expect(len(found) == 30 and os.path.getsize(picture) > 5000, found)
    done = python("-c", WRONG, ABUT, folder)
    expect(done.stdout.split() == ["rest_disc", "rest_square", "rest_plate"], done.stdout)
print("ok")
