#!/usr/bin/env python3
"""Converts every scene of the reference data: each is converted, or refused with a reason, or names its missing mesh.

    reference_scenes.py REFERENCE_DIR

Prints a line per scene. Exit code 77 (skipped) without the data.
"""

import os
import re
import subprocess
import sys
import tempfile

from ipc_support import CONVERTER


def scenes(folder):
    for path, folders, files in os.walk(folder):
        folders.sort()
        yield from (os.path.join(path, name) for name in sorted(files) if name.endswith(".txt"))


def names_given_twice(path):
    """Names of bodies, obstacles and materials that a written scene has more than once."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    names = re.findall(r"\bname: (\w+)", text) + re.findall(r"^  (material_\d+): ", text, re.M)
    return sorted({name for name in names if names.count(name) > 1})


def outcome(scene, folder):
    """A word for what became of a scene, and whether that is right."""
    command = [sys.executable, CONVERTER, scene, "-o", os.path.join(folder, "scene.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        twice = names_given_twice(os.path.join(folder, "scene.yaml"))
        return ("converted", True) if not twice else (f"names given twice: {' '.join(twice)}", False)
    said = done.stderr.strip().replace("from_ipc: ", "", 1)
    known = (done.returncode == 3 and said.startswith("not possible: ")) or (done.returncode == 2 and "mesh file" in said
                                                                             and "not found" in said)
    return said.split(" (looked for")[0], known


def main():
    folder = os.path.join(sys.argv[1], "scenes", "ipc2020", "input")
    if not os.path.isdir(folder):
        print(f"no scenes in {folder}: skipped")
        return 77
    converted = total = wrong = 0
    with tempfile.TemporaryDirectory() as out:
        for scene in scenes(folder):
            word, right = outcome(scene, out)
            print(f"{'' if right else 'WRONG '}{os.path.relpath(scene, folder)}: {word}")
            total, converted, wrong = total + 1, converted + (word == "converted"), wrong + (not right)
    print(f"{converted} of {total} scenes convert, {wrong} fail in a way they should not")
    return 1 if wrong or not converted else 0


if __name__ == "__main__":
    sys.exit(main())
