"""The Python module on incomplete results: rows and files cut off, wrong names of levels, another format."""
import os
import subprocess

from abut_runs import ENVIRONMENT, expect, python_with, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECKS = """
import h5py, numpy as np
from abut_results import Results, ResultsError

def refuses(words, function, *arguments):
    try:
        function(*arguments)
    except ResultsError as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)

def fields(path, levels, version=1):
    with h5py.File(path, "w") as file:
        file.attrs["abut_format"] = version
        for step in levels:
            group = file.create_group(f"steps/{step:06d}")
            group.attrs["step"], group["position"] = step, np.full((4, 3), float(step))
        file.require_group("steps")

run = Results(".")
assert list(run.steps()["step"]) == [1, 2], run.steps()  # the third row is cut off within its last number
refuses("is empty", run.table, "cut.csv")
refuses("no such file", run.checkpoint)

fields("fields.h5", [], 7)
refuses("format version 7", run.levels)
refuses("format version 7", run.levels)  # the second use is no different
fields("fields.h5", [])
run = Results(".")
refuses("no time level", run.positions)
run.fields().close()

fields("fields.h5", range(0, 100, 2))
run = Results(".")
for level, step in (("000002", 2), ("s4", 4), ("2", 4), ("first", 0), ("last", 98), ("-2", 96)):
    assert np.all(run.positions(level) == step) and run.level(level).attrs["step"] == step, level
refuses("50 levels", run.positions, "all")
refuses('no level "s3"', run.level, "s3")
run.fields().close()

with open("fields.h5", "r+b") as file:
    file.truncate(3000)
refuses("fields.h5: ", Results(".").levels)
"""

with scratch() as folder:
    write(folder, "steps.csv", "step,energy_J\n1,0.5\n2,1.25\n3,1.2")
    write(folder, "cut.csv", "step,ener")
    environment = dict(ENVIRONMENT, PYTHONPATH=os.path.join(ROOT, "postprocess"), PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([python_with("h5py", "numpy"), "-c", CHECKS], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, done.stdout)
print("ok")
