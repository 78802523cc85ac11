"""The script of the refinement study completes on two meshes of a case, writes tables and pictures, and does not repeat runs."""
import json
import os
import subprocess
import sys
from abut_runs import ABUT, expect, scratch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def python():
    for candidate in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(candidate) and not subprocess.run([candidate, "-c", "import numpy, h5py, matplotlib"],
                                                            stderr=subprocess.DEVNULL).returncode:
            return candidate
    print("skipped: no Python with NumPy, h5py and Matplotlib")
    raise SystemExit(77)


interpreter = python()
with scratch() as folder:
    words = [interpreter, os.path.join(ROOT, "jobs", "refinement_study.py"), "--quick", "--case", "resting_gap", "patch_2d",
             "hertz_cylinder",
             "--abut", ABUT, "-o", folder]
    written = []
    for _ in range(2):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expect(done.returncode == 0, done.stdout)
        written.append(os.path.getmtime(os.path.join(folder, "ipc", "patch_2d-fixed", "0.125", "summary.json")))
    expect(written[0] == written[1], "the second time it ran again")
    with open(os.path.join(folder, "refinement.json")) as file:
        rows = json.load(file)
    expect(all(not row["remark"] for row in rows), [row["remark"] for row in rows])
    hertz = [row for row in rows if row["case"] == "hertz_cylinder" and row["rule"] == "tied"]
    expect(len(hertz) == 2 and abs(hertz[1]["force"]) < 0.5 * abs(hertz[0]["force"]), "halving h does not halve the error of the force")
    for row in rows:  # a patch test that O(dhat) and interface alone disturb: far from the 100 % of a lost load
        expect(row["case"] != "patch_2d" or row["stress"] < 0.05, row)
    for name in ("resting_gap", "patch_2d", "hertz_cylinder"):
        expect(os.path.getsize(os.path.join(folder, f"{name}-ipc.png")) > 5000, name, "is not drawn")
    with open(os.path.join(folder, "refinement.md")) as file:
        text = file.read()
    expect("Fitted orders: force" in text and "Resting gap" in text, text)
print("ok")
