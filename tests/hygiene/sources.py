"""Shared by the checks of the sources: lists of files, and the report of findings."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77


def files(folders, endings):
    """Paths relative to the root of all files in folders whose names end in one of the endings."""
    found = []
    for folder in folders:
        for path, below, names in os.walk(os.path.join(ROOT, folder)):
            below[:] = sorted(b for b in below if b != "__pycache__")
            found += [os.path.relpath(os.path.join(path, name), ROOT) for name in sorted(names) if name.endswith(endings)]
    return found


def c_files():
    return files(("include", "src", "tests"), (".c", ".h"))


def lines(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as stream:
        return stream.read().splitlines()


def conclude(findings, checked):
    """Prints the findings and ends the program: with success only if something was checked and nothing was found."""
    for finding in findings:
        print(finding)
    print(f"{len(checked)} files checked, {len(findings)} findings")
    sys.exit(1 if findings or not checked else 0)
