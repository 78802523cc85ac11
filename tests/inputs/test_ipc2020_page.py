"""docs/ipc2020.md: scenes without results keep their rows, new rows replace old ones, and the page says how long a scene takes."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "jobs"))

import ipc2020_page  # noqa: E402
from ipc2020_plan import PLANS, SECTIONS  # noqa: E402

with open(os.path.join(ROOT, "docs", "ipc2020.md"), encoding="utf-8") as stream:
    page = stream.read()
with tempfile.TemporaryDirectory(prefix="abut-test-") as folder:
    path = os.path.join(folder, "page.md")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(page)
    seconds = ipc2020_page.processor_seconds(path)
    missing = [name for name, plan in PLANS.items() if plan.section in SECTIONS and name not in seconds and name != "chain_10"]
    assert not missing, missing
    assert all(0.01 < value < 24 * 3600 for value in seconds.values()), seconds  # the longest, Fig. 14, takes more than an hour
    row = {"nodes": 1, "cells": 2, "h [s]": 3, "steps": 10, "Newton a step": 5, "local a step": 1, "contacts avg": 6,
           "contacts max": 7, "s a step": 8, "processor s a step": 0.5}
    ipc2020_page.fill(path, {"creep": row})
    assert ipc2020_page.processor_seconds(path) == {**seconds, "creep": 5.0}
    with open(path, encoding="utf-8") as stream:
        changed = [new for old, new in zip(page.splitlines(), stream.read().splitlines()) if old != new]
    assert changed == ["| creep | 1 | 10 | 5 | 1 | 6 (7) | 0.5 | – |"], changed
short = ipc2020_page.table("unit", {"chain_10": row}, "| chain_100 | kept |")
assert short.splitlines()[2:] == ["| chain_10 | 10 | 5 | 0.5 |", "| chain_100 | kept |"], short
done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "jobs", "ipc2020.py"), "--list", "fig02*", "creep",
                       "fig01_squeeze_out_large"], capture_output=True, text=True, check=False)
assert done.returncode == 0, done.stderr
lines = done.stdout.splitlines()
listed = {line.split()[0]: float(line.split()[1]) for line in lines[:-1]}
expected = {name: round(seconds[name], 1) for name in ("creep", "fig02_ball_on_points", "fig02_mat_on_knives")}
assert {name: listed[name] for name in expected} == expected, (listed, expected)
large = next(line for line in lines if line.startswith("fig01_squeeze_out_large"))
measured = ipc2020_page.seconds_a_step(os.path.join(ROOT, "docs", "ipc2020.md"))["fig01_squeeze_out"]
assert "s a step in contact" in large and listed["fig01_squeeze_out_large"] == measured, large
assert float(lines[-1].split()[-2]) == round(sum(seconds[name] for name in expected), 1), lines[-1]
print("ok")
