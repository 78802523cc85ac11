#!/usr/bin/env python3
"""Layers: a folder includes headers of include/abut of itself and of lower layers, and private headers of its own.

The headers in include/abut/private are for folders of src alone; headers of the others do not include them."""

import os
import re

import layers
import sources

GENERATED = {"abut_version.h"}  # by the build
PUBLIC = re.compile(r'\s*#\s*include\s*[<"]abut/((?:private/)?\w+)\.h[>"]')
PRIVATE = re.compile(r'\s*#\s*include\s*"([^"]+)"')


def check(path, rank):
    own = layers.layer(path)
    if own not in rank:
        yield f"{path}: '{own}' is no layer; the layers are {' '.join(rank)}"
        return
    for number, line in enumerate(sources.lines(path), 1):
        place = f"{path}:{number}"
        if (match := PUBLIC.match(line)):
            other = layers.layer(os.path.join("include", "abut", match[1] + ".h"))
            if other not in rank:
                yield f"{place}: abut/{match[1]}.h belongs to no layer"
            elif match[1].startswith("private/") and path.startswith("include") and "private" not in path:
                yield f"{place}: a public header must not include abut/{match[1]}.h, which is not installed"
            elif rank[other] > rank[own]:
                yield f"{place}: {own} must not include abut/{match[1]}.h of the higher layer {other}"
        elif (match := PRIVATE.match(line)):
            if match[1] not in GENERATED and not private_header(path, match[1], own):
                yield f"{place}: \"{match[1]}\" is no private header of {own}"


def private_header(path, name, folder):
    """A header of a folder of src: beside the file that includes it, or in a folder above it, and in that layer."""
    top, place = os.path.join("src", layers.paths()[folder]), os.path.dirname(path)
    while place.startswith(top):
        if os.path.exists(os.path.join(sources.ROOT, place, name)):
            return "/" not in name
        place = os.path.dirname(place)
    return False


def main():
    rank = {name: number for number, name in enumerate(layers.order())}
    checked = sources.files(("include/abut", "src"), (".c", ".h"))
    sources.conclude([finding for path in checked for finding in check(path, rank)], checked)


main()
