#!/usr/bin/env python3
"""Compares two builds of abut: steps.csv and pairs.csv of 16 short scenes must be equal bit for bit, on 1 and on 2 ranks.

Columns of times (wall_...), and columns that OLD lacks, are not compared. Prints a row per run and exits with 1 if a run differs. Use it
before and after a change that must not change results. Build both programs with the same preset, `release`: results depend on the flags of
the compiler (-march=native), so a build of `ci` or `portable` always differs from a build of `release`.

    jobs/compare_builds.py OLD/build/bin/abut build/bin/abut
    jobs/compare_builds.py OLD/build/bin/abut build/bin/abut --scenes 'drop*,twist' --ranks 1 --keep results/compare
"""

import argparse
import concurrent.futures
import copy
import csv
import fnmatch
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

import yaml

from scene_runs import ENVIRONMENT, ROOT, positive_integers, require_program

TIMES = "wall_"
FRICTION = {"friction": {"default": 0.3}}
MOVING_PLANES = {"obstacles": [{"name": "floor", "plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}},
                               {"name": "lid", "plane": {"point": [0, 0.55, 0], "normal": [0, -1, 0]}}],
                 "motions": [{"plane": "lid", "velocity": [0.2, -1.5, 0],
                              "until": {"highest": "lid", "axis": "y", "below": 0.15, "then": "reverse"}}],
                 "bodies.0.translate": [0, 0.2, 0], "contact": FRICTION}
FAST_ON_FLOOR = {"bodies.0.translate": [0, 0.12, 0], "bodies.0.velocity": [1, -2, 0.5]}

# name: (scene in inputs/, changes of its keys, time steps)
SCENES = {
    "stack2d": ("stack2d.yaml", {}, 120),
    "stack2d-bdf2": ("stack2d.yaml", {"time.integrator": "bdf2", "contact": FRICTION, "solver": {"projection": "demand"}}, 120),
    "rings2d-oipc": ("oipc/fig18_rings.yaml", {}, 50),
    "press": ("demo/press.yaml", {}, 32),
    "twist": ("twist.yaml", {}, 50),
    "pressed-convergent": ("pressed.yaml", {}, 20),
    "drop-newmark": ("drop.yaml", {"time.integrator": "newmark", "contact": FRICTION, **FAST_ON_FLOOR}, 40),
    "drop-gcp": ("drop.yaml", {"contact": {"potential": "gcp", "dhat": {"absolute": 0.01}}, **FAST_ON_FLOOR}, 20),
    "drop-planes": ("drop.yaml", MOVING_PLANES, 30),
    "drop-smallest-step": ("drop.yaml", {"time.smallest_step": 1e-5, "solver": {"max_newton": 5}, **FAST_ON_FLOOR}, 20),
    "spike-oipc": ("oipc/fig20_spike_wedge.yaml", {}, 60),
    "slope-friction": ("ipc2020/slope_slide.yaml", {}, 60),
    "rod-stick-slip": ("oipc/stick_slip.yaml", {}, 100),
    "patch-quasi-static": ("verification/patch_3d.yaml", {}, 3),
    "points": ("ipc2020/fig02_ball_on_points.yaml", {"bodies.0.shape.ball.cells": 6}, 16),
    "restart": ("ipc2020/chain_10.yaml", {}, 30),
}


def with_changes(scene, changes):
    """A copy of a scene with other values; a key is a path of keys and indices, 'bodies.0.translate'."""
    scene = copy.deepcopy(scene)
    for path, value in changes.items():
        *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        place = scene
        for part in parents:
            place = place[part]
        place[last] = value
    return scene


def with_absolute_files(node, folder):
    """A copy of a scene in which names of files do not depend on the folder of the scene."""
    if isinstance(node, dict):
        return {key: os.path.join(folder, value) if key == "file" else with_absolute_files(value, folder) for key, value in node.items()}
    return [with_absolute_files(value, folder) for value in node] if isinstance(node, list) else node


def scene_text(name):
    source, changes, _ = SCENES[name]
    path = os.path.join(ROOT, "inputs", source)
    with open(path, encoding="utf-8") as stream:
        scene = yaml.safe_load(stream)
    return yaml.safe_dump(with_absolute_files(with_changes(scene, changes), os.path.dirname(path)), sort_keys=False)


def start(program, scene, out, ranks, *options):
    command = ["mpiexec", "-n", str(ranks), program, "run", scene, "-o", out, *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=ENVIRONMENT)
    with open(os.path.join(out, "log.txt"), "a", encoding="utf-8") as stream:
        stream.write(done.stdout)
    return done.returncode


def run(program, name, ranks, out):
    """Runs a scene in a new folder `out` and returns the exit code. The scene `restart` runs its second half from a checkpoint."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    scene, steps = os.path.join(out, "scene.yaml"), SCENES[name][2]
    with open(scene, "w", encoding="utf-8") as stream:
        stream.write(scene_text(name))
    if name == "restart":
        code = start(program, scene, out, ranks, "-steps", str(steps // 2))
        return code or start(program, scene, out, ranks, "-steps", str(steps), "-restart", os.path.join(out, "checkpoint.h5"))
    return start(program, scene, out, ranks, "-steps", str(steps))


def fingerprint(program, name, ranks):
    """Hash of the program, the scene and the number of steps and ranks; the place of the checkout does not change it."""
    digest = hashlib.sha256(f"{ranks} {SCENES[name][2]} {scene_text(name).replace(ROOT, '')}".encode())
    with open(program, "rb") as stream:
        digest.update(stream.read())
    return digest.hexdigest()


def run_or_reuse(program, name, ranks, out):
    """run(), unless `out` has the results of the same program and scene."""
    mark, key = os.path.join(out, "cache.json"), fingerprint(program, name, ranks)
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as stream:
            cached = json.load(stream)
        if cached["key"] == key:
            return cached["code"]
    code = run(program, name, ranks, out)
    with open(mark, "w", encoding="utf-8") as stream:
        json.dump({"key": key, "code": code}, stream)
    return code


def table(folder, file):
    """Rows of a CSV file as text, without the columns of times; [] without the file."""
    try:
        with open(os.path.join(folder, file), encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except OSError:
        return []
    return [{key: value for key, value in row.items() if not key.startswith(TIMES)} for row in rows]


def first_difference(old, new, file):
    """The first row and column in which two folders differ, or ''."""
    before, after = table(old, file), table(new, file)
    for number, (left, right) in enumerate(zip(before, after), 1):
        if left.keys() - right.keys():
            return f"{file}: columns {' '.join(sorted(left.keys() - right.keys()))} are missing"
        for key, value in left.items():
            if value != right[key]:
                return f"{file} row {number} {key}: {value} -> {right[key]}"
    return "" if len(before) == len(after) else f"{file}: {len(before)} -> {len(after)} rows"


def compare(arguments, name, ranks, folder):
    """One row of the report and whether the two builds agree."""
    old = os.path.join(arguments.keep or folder, f"{name}-{ranks}-old")
    new = os.path.join(folder, f"{name}-{ranks}-new")
    code, code_new = run_or_reuse(arguments.old, name, ranks, old), run(arguments.new, name, ranks, new)
    rows = table(old, "steps.csv")
    verdict = "" if code == code_new else f"exit code {code} -> {code_new}"
    verdict = verdict or first_difference(old, new, "steps.csv") or first_difference(old, new, "pairs.csv")
    if not verdict and (code or not rows):
        verdict = f"exit code {code}, {len(rows)} steps: nothing is compared; see {old}/log.txt"
    newton = sum(int(row["newton_iterations"]) for row in rows)
    print(f"{name:20} {ranks:5} {len(rows):5} {newton:6}  {verdict or 'equal'}", flush=True)
    return not verdict


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="program of the build before")
    parser.add_argument("new", help="program of the build after")
    parser.add_argument("--scenes", default="*", metavar="NAME,...", help="names or patterns; all by default: " + " ".join(SCENES))
    parser.add_argument("--ranks", type=positive_integers, default="1,2", metavar="N,...", help="numbers of MPI ranks [1,2]")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time [1]")
    parser.add_argument("--keep", metavar="DIR", help="keep the results of OLD in DIR and take them from there the next time")
    parser.add_argument("-o", "--output", metavar="DIR", help="keep the results of NEW in DIR")
    arguments = parser.parse_args()
    for program in (arguments.old, arguments.new):
        require_program(program)
    return arguments


def main():
    arguments = parse()
    patterns = arguments.scenes.split(",")
    names = [name for name in SCENES if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    if not names:
        raise SystemExit(f"no scene is called {arguments.scenes}; there are {' '.join(SCENES)}")
    print(f"{'scene':20} {'ranks':>5} {'steps':>5} {'Newton':>6}")
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = arguments.output or scratch
        runs = [pool.submit(compare, arguments, name, ranks, folder) for ranks in arguments.ranks for name in names]
        same = [task.result() for task in runs]
    print(f"{sum(same)} of {len(same)} runs are equal")
    raise SystemExit(0 if all(same) else 1)


main()
