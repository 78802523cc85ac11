"""The Python module and report.py on damaged results: rows and files cut off, wrong names of levels, another format, broken JSON."""
import json
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
with open("fields.h5", "r+b") as file:
    file.write(bytes(8))  # the signature of HDF5
refuses("fields.h5: OSError: Unable to open file", Results(".").levels)
"""
PHASES = "elastic contact_search ccd contact_assembly linear_setup linear_solve line_search halo verify total setup output solve".split()
NUMBERS = ("steps last_step time_s newton_iterations linear_iterations contacts_avg contacts_max min_gap_m imbalance_max "
           "imbalance_missed_steps imbalance_round_off_steps ranks host_count exit_code").split()
TEXTS = "message scene version git options started ended".split()
SOUND = {**dict.fromkeys(NUMBERS, 2), **dict.fromkeys(TEXTS, "text"), "min_gap_m": 2e-6, "peak_memory_MB": {"max": 1.5, "sum": 3},
         "wall_s": dict.fromkeys(PHASES, 0.5)}
BROKEN = [("", "is no valid JSON"), ("{", "is no valid JSON"), ("[" * 10**5, "is no valid JSON"), ("\udcff", "is no valid JSON"),
          ("[1]", "is no JSON object"), (json.dumps({**SOUND, "wall_s": None}), "not as abut writes it"),
          (json.dumps({**SOUND, "steps": "text"}), "not as abut writes it"), (json.dumps({**SOUND, "steps": 10**400}), "not as abut"),
          (json.dumps({name: value for name, value in SOUND.items() if name != "ranks"}), "has no 'ranks'")]


def report(python, folder, environment):
    words = [python, os.path.join(ROOT, "postprocess", "report.py"), folder]
    return subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def check_report(python, folder, environment):
    """report.py prints a sound summary, also where µ cannot be printed; a broken one ends it with one line that names the file."""
    for coding, letter in (("utf-8", "µ".encode()), ("ascii", rb"\xb5")):
        write(folder, "summary.json", json.dumps(SOUND))
        done = report(python, folder, {**environment, "PYTHONIOENCODING": coding})
        expect(done.returncode == 0 and b"smallest gap                2 " + letter + b"m" in done.stdout, coding, done.stdout, done.stderr)
    for text, words in BROKEN:
        with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        done = report(python, folder, environment)
        lines = done.stderr.decode().splitlines()
        expect(done.returncode == 1 and not done.stdout and len(lines) == 1, text[:40], done.stdout, done.stderr)
        expect(lines[0].startswith(f"report.py: {folder}/summary.json ") and words in lines[0], text[:40], lines)


with scratch() as folder:
    write(folder, "steps.csv", "step,energy_J\n1,0.5\n2,1.25\n3,1.2")
    write(folder, "cut.csv", "step,ener")
    environment = dict(ENVIRONMENT, PYTHONPATH=os.path.join(ROOT, "postprocess"), PYTHONDONTWRITEBYTECODE="1")
    python = python_with("h5py", "numpy")
    done = subprocess.run([python, "-c", CHECKS], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, done.stdout)
    check_report(python, folder, environment)
print("ok")
