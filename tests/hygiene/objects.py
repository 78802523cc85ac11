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


def symbols(found):
    """Source file -> name, type letter and section of every symbol of its object file, by one call of nm for all."""
    source_of = {path: source for source, path in found.items()}
    listed, current = {source: [] for source in found}, None
    said = subprocess.run(["nm", "--format=sysv", *source_of], capture_output=True, text=True, check=True).stdout if found else ""
    for line in said.splitlines():
        header = re.fullmatch(r"(?:Symbols|Undefined symbols) from (.*):", line)
        if header:
            current = listed[source_of[header[1]]]
        parts = [part.strip() for part in line.split("|")]
        if len(parts) == 7:
            current.append((parts[0], parts[2], parts[6]))
    return listed
