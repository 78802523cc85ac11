"""Runs jobs/refinement_study.py with a Python that has its modules."""
import json
import os
import subprocess
from abut_runs import ABUT, expect, python_with

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def study(folder, *words):
    """Rows of refinement.json, all of which were measured."""
    command = [python_with("numpy", "h5py", "matplotlib"), os.path.join(ROOT, "jobs", "refinement_study.py"), *words, "--abut", ABUT,
               "-o", folder]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "needs libgmsh" in done.stdout:
        print("skipped: built without Gmsh")
        raise SystemExit(77)
    expect(done.returncode == 0, done.stdout)
    with open(os.path.join(folder, "refinement.json")) as file:
        rows = json.load(file)
    expect(all(not row["remark"] for row in rows), [row["remark"] for row in rows])
    return rows
