#!/usr/bin/env python3
"""
Scene of the last frame of `abut deform`, deformed again: `depth_m` in contacts.csv of its results is the depth of intersection that the
first run has left, along the same mapping directions.

    deform_again.py RESULTS SCENE.yaml -o DIR     writes DIR/again.yaml and meshes
"""

import argparse
import csv
import os
import re

import needs

needs.modules("h5py", "numpy")

from abut_results import Frames, guard


def write_obj(path, points, triangles):
    with open(path, "w", encoding="ascii") as out:
        out.writelines("v {:.17g} {:.17g} {:.17g}\n".format(*p) for p in points)
        out.writelines("f {} {} {}\n".format(*f) for f in triangles + 1)


def surface_line(name, text, folder):
    """Extent and regions of a surface in a scene of make_figures.py."""
    extent = re.search(rf"name: {name},.*?extent: ([\d.]+)", text).group(1)
    regions = re.search(rf"name: {name},.*?regions: ([\w/.]+)", text)
    path = f", regions: {os.path.join(os.path.abspath(folder), regions.group(1))}" if regions else ""
    return f"    - {{name: {name}, shape: {{file: {name}.obj}}, extent: {extent}{path}}}\n"


def pair_lines(text, contacts):
    """Pairs with their mapping directions in the last frame; pairs without contact are left out."""
    last = [row for row in contacts if row["frame"] == contacts[-1]["frame"]]
    for (first, second, regions), row in zip(re.findall(r"first: (\w+), second: (\w+)(, regions: \[\d+, \d+\])?", text), last):
        direction = [float(row[f"direction_{axis}"]) for axis in "xyz"]
        if any(direction):
            yield f"    - {{first: {first}, second: {second}{regions}, tau: -1, direction: {direction}}}\n"


def make(args):
    results = Frames(args.results)
    with open(args.scene, encoding="ascii") as file:
        text = file.read()
    with open(os.path.join(args.results, "contacts.csv"), encoding="ascii") as file:
        contacts = list(csv.DictReader(file))
    os.makedirs(args.o, exist_ok=True)
    for i, name in enumerate(results.names):
        write_obj(os.path.join(args.o, f"{name}.obj"), results.surface(results.frames[-1], i)[0], results.triangles[i])
    with open(os.path.join(args.o, "again.yaml"), "w", encoding="ascii") as out:
        out.write("abut: 1\ndeform:\n  surfaces:\n")
        out.writelines(surface_line(name, text, os.path.dirname(args.scene)) for name in results.names)
        out.write("  pairs:\n")
        out.writelines(pair_lines(text, contacts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", metavar="RESULTS", help="results of `abut deform`")
    parser.add_argument("scene", metavar="SCENE.yaml", help="its scene, of make_figures.py")
    parser.add_argument("-o", required=True, metavar="DIR", help="folder of the new scene")
    args = parser.parse_args()
    guard("deform_again.py", lambda: make(args))


if __name__ == "__main__":
    main()
