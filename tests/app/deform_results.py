"""A scene of `abut deform` and what its tests compare."""
import csv
import os
import subprocess
import sys

from abut_runs import expect

SCENE = """abut: 1
deform:
  frames: 4
  surfaces:
    - {name: ball, shape: {ball: {radius: 1, cells: 8}}, extent: 0.9,
       keys: [{frame: 1, translate: [0.05, 0.02, 1.1]}, {frame: 3, translate: [0.05, 0.02, 0.7]}]}
    - {name: block, shape: {box: {size: [4, 4, 1], cells: [16, 16, 4]}}, translate: [0, 0, -0.5], extent: 1.0}
    - {name: far, shape: {ball: {radius: 0.5, cells: 4}}, translate: [0, 0, 9], extent: 0.5}
  pairs:
    - {first: block, second: ball, stiffness: [1, 3], tau: 0}
    - {first: ball, second: far}
"""


def rows(folder, name):
    with open(os.path.join(folder, name), newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


DIGEST = """
import hashlib, sys, h5py
with h5py.File(sys.argv[1], "r") as file:
    file.visititems(lambda name, item: print(name, item.dtype, item.shape, hashlib.sha256(item[()].tobytes()).hexdigest())
                    if isinstance(item, h5py.Dataset) else None)
"""


def datasets(folder):
    """One line for each dataset of frames.h5: name, type, shape, digest of its bytes. None if no Python here has h5py."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", DIGEST, os.path.join(folder, "frames.h5")], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.splitlines()
        expect("No module named" in done.stderr or "No such file" in done.stderr, done.stderr)
    print("skipped: frames.h5 is not compared, because no Python here has h5py")
    return None
