"""The Python module of the README reads a run: its ten lines draw the contact force, arrays equal the files."""
import os
import re
import subprocess

from abut_runs import call, expect, python_with, scratch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECKS = """
import numpy as np
from abut_results import ResultsError
assert run.positions("last").shape == run.mesh("rest").shape == (561, 3)
assert np.array_equal(run.checkpoint()["position"][()], run.positions("last"))
assert len(run.steps()["time_s"]) == 40 and run.summary()["steps"] == 40
assert np.array_equal(run.field("velocity", "s7"), run.level("000007")["velocity"][()])
held = 2500 * 0.1**3  # a bound far below the largest force of the impact [N]
assert max(abs(pairs["normal_y_N"][floor])) > held
assert np.allclose(run.force("ball", "normal_y_N"), run.steps()["contact_force_y_N"], rtol=1e-9, atol=1e-9 * held)  # the floor alone
assert np.array_equal(run.force("floor", "normal_y_N"), -run.force("ball", "normal_y_N"))
for name, level in (("temperature", "last"), ("velocity", "s99")):
    try:
        run.field(name, level)
    except ResultsError as error:
        assert name in str(error) or level in str(error), error
    else:
        raise AssertionError(name)
"""


def example():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as page:
        return re.search(r"```python\n(.*?)```", page.read(), re.S)[1]


with scratch() as folder:
    out = os.path.join(folder, "results", "drop")
    done = call(2, "run", os.path.join(ROOT, "inputs", "drop.yaml"), "-o", out, "-steps", "40", directory=out)
    expect(done.code == 0, done.output)
    environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "postprocess"), PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg")
    drawn = subprocess.run([python_with("h5py", "matplotlib", "numpy"), "-c", example() + CHECKS], cwd=folder, env=environment, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(drawn.returncode == 0, drawn.stdout)
    expect(os.path.getsize(os.path.join(out, "force.png")) > 5000, "no picture")
print("ok")
