#!/usr/bin/env python3
"""Layers: a folder includes headers of itself and of the folders above it, and private headers of its own only."""

import os
import re

import sources

ORDER = ["core", "dense", "geom", "linalg", "linear", "mesh", "surface", "elastic", "contact", "potential", "friction", "constraint",
         "objective", "newton", "solve", "time", "scene", "results", "app"]
HOME = {"option": "core", "containers": "core"}  # public headers that are not called like their folder
GENERATED = {"abut_version.h"}  # by the build
PUBLIC = re.compile(r'\s*#\s*include\s*[<"]abut/(\w+)\.h[>"]')
PRIVATE = re.compile(r'\s*#\s*include\s*"([^"]+)"')


def layer(path):
    """Rank of the folder of a source file, or of a public header."""
    parts = path.split(os.sep)
    name = os.path.splitext(parts[-1])[0] if parts[0] == "include" else parts[1]
    name = HOME.get(name, name)
    return name, ORDER.index(name) if name in ORDER else None


def is_private(path, header):
    """Whether a header is in the folder of a source file, or in a parent folder inside the same layer: src/layer/header.h at the top."""
    folder = os.path.dirname(path)
    while folder.count(os.sep) >= 1:
        if os.path.exists(os.path.join(sources.ROOT, folder, header)):
            return True
        folder = os.path.dirname(folder)
    return False


def check(path):
    name, rank = layer(path)
    if rank is None:
        yield f"{path}: '{name}' is no layer; there are {' '.join(ORDER)}"
        return
    for number, line in enumerate(sources.lines(path), 1):
        place = f"{path}:{number}"
        if (match := PUBLIC.match(line)):
            if (home := HOME.get(match[1], match[1])) not in ORDER:
                yield f"{place}: abut/{match[1]}.h belongs to no layer"
            elif ORDER.index(home) > rank:
                yield f"{place}: {name} must not include abut/{match[1]}.h, which is below it"
        elif (match := PRIVATE.match(line)):
            if match[1] not in GENERATED and ("/" in match[1] or not is_private(path, match[1])):
                yield f"{place}: \"{match[1]}\" is no private header of {name}"


def main():
    checked = sources.files(("include/abut", "src"), (".c", ".h"))
    sources.conclude([finding for path in checked for finding in check(path)], checked)


main()
