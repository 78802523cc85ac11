#!/usr/bin/env python3
"""Layers: a folder includes public headers of itself and of lower layers, and private headers of its own."""

import os
import re

import layers
import sources

GENERATED = {"abut_version.h"}  # by the build
PUBLIC = re.compile(r'\s*#\s*include\s*[<"]abut/(\w+)\.h[>"]')
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
