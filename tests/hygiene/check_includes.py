#!/usr/bin/env python3
"""Layers: a folder includes headers of itself and of the folders above it, and private headers of its own only."""

import os
import re

import sources

ORDER = ["core", "dense", "geom", "linalg", "linear", "mesh", "surface", "elastic", "contact", "potential", "constraint", "objective",
         "newton", "solve", "time", "scene", "results", "app"]
HOME = {"option": "core", "friction": "potential"}  # public headers that are not called like their folder
GENERATED = {"abut_version.h"}  # by the build
PUBLIC = re.compile(r'\s*#\s*include\s*[<"]abut/(\w+)\.h[>"]')
PRIVATE = re.compile(r'\s*#\s*include\s*"([^"]+)"')


def layer(path):
    """Rank of the folder of a source file, or of a public header."""
    parts = path.split(os.sep)
    name = os.path.splitext(parts[-1])[0] if parts[0] == "include" else parts[1]
    name = HOME.get(name, name)
    return name, ORDER.index(name) if name in ORDER else None


def check(path):
    name, rank = layer(path)
    if rank is None:
        yield f"{path}: '{name}' is no layer; there are {' '.join(ORDER)}"
        return
    for number, line in enumerate(sources.lines(path), 1):
        place = f"{path}:{number}"
        if (match := PUBLIC.match(line)):
            home = HOME.get(match[1], match[1])
            if home not in ORDER:
                yield f"{place}: abut/{match[1]}.h belongs to no layer"
            elif ORDER.index(home) > rank:
                yield f"{place}: {name} must not include abut/{match[1]}.h, which is below it"
        elif (match := PRIVATE.match(line)):
            beside = os.path.join(sources.ROOT, os.path.dirname(path), match[1])
            if match[1] not in GENERATED and ("/" in match[1] or not os.path.exists(beside)):
                yield f"{place}: \"{match[1]}\" is no private header of {name}"


def main():
    checked = sources.files(("include/abut", "src"), (".c", ".h"))
    sources.conclude([finding for path in checked for finding in check(path)], checked)


main()
