#!/usr/bin/env python3
"""Pictures of docs/ are at least 1,200 pixels wide. In portrait pictures the height counts, and the width is at least 900 pixels, so that
labels stay readable: scripts choose sizes of labels for a width of 1,280 pixels.
"""

import os
import struct

import sources

LONGER, PORTRAIT_WIDTH = 1200, 900
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def size(path):
    """Width and height in the header of a PNG file; None for other files."""
    with open(os.path.join(sources.ROOT, path), "rb") as stream:
        head = stream.read(24)
    return struct.unpack(">II", head[16:]) if len(head) == 24 and head.startswith(SIGNATURE) and head[12:16] == b"IHDR" else None


def check(path):
    found = size(path)
    if not found:
        yield f"{path}: not a PNG file"
    elif max(found) < LONGER:
        yield f"{path}: {found[0]} x {found[1]} pixels, the longer side should have {LONGER}"
    elif found[0] < PORTRAIT_WIDTH:
        yield f"{path}: {found[0]} x {found[1]} pixels, a portrait picture should be {PORTRAIT_WIDTH} wide"


def main():
    checked = sources.files(("docs",), (".png",))
    sources.conclude([finding for path in checked for finding in check(path)], checked)


main()
