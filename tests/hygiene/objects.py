"""Symbols of the object files of src in a build folder, read with nm."""

import os
import re
import shutil
import subprocess
import sys

import sources

OBJECT = re.compile(r"src/(.*?)/?CMakeFiles/[^/]+\.dir/(.*)\.o$")


def build_folder():
    """The build folder given as an argument; ends the program as skipped without nm or without object files."""
    folders = [word for word in sys.argv[1:] if not word.startswith("-")]
    if not folders:
        sys.exit("usage: SCRIPT BUILD_FOLDER")
    if shutil.which("nm") is None:
        print("nm (package binutils) is not installed: skipped")
        sys.exit(sources.SKIPPED)
    return folders[0]


def objects(build):
    """Source file -> object file, for every source of src that exists; objects of removed sources are left out."""
    found = {}
    for path, _, names in os.walk(os.path.join(build, "src")):
        for name in names:
            match = OBJECT.search(os.path.relpath(os.path.join(path, name), build))
            source = match and os.path.join("src", match[1], match[2])
            if match and os.path.exists(os.path.join(sources.ROOT, source)):
                found[source] = os.path.join(path, name)
    return found


def missing(found):
    """Findings: C files of src that the build folder has no object of."""
    return [f"{path}: no object file in the build folder; build first" for path in sources.files(("src",), (".c",)) if path not in found]


def symbols(path):
    """Name, type letter and section of every symbol of an object file."""
    said = subprocess.run(["nm", "--format=sysv", path], capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        parts = [part.strip() for part in line.split("|")]
        if len(parts) == 7:
            yield parts[0], parts[2], parts[6]
