#!/usr/bin/env python3
"""Refines a Gmsh mesh file (version 2.2, ASCII) uniformly: each tetrahedron becomes 8, each triangle 4, each line 2.

    refine_mesh.py IN.msh OUT.msh [--times N]

Vertices keep their numbers, new ones follow; parts keep the tags of their element, so that selections by group stay valid. Edges are halved
and the surface keeps its shape. So a state that `abut run -restart_interpolate` takes from IN.msh to OUT.msh has no intersections.
"""

import argparse
import sys

LINE, TRIANGLE, TETRAHEDRON, POINT = 1, 2, 4, 15


def read(path):
    """Points by number, and elements: type, tags, numbers of vertices."""
    with open(path, encoding="ascii") as file:
        lines = [line.strip() for line in file]
    if "$MeshFormat" not in lines or lines[lines.index("$MeshFormat") + 1].split()[:2] != ["2.2", "0"]:
        sys.exit(f"{path} is not a Gmsh mesh of version 2.2 in ASCII")
    rows = lines[lines.index("$Nodes") + 2:lines.index("$EndNodes")]
    points = {int(number): tuple(map(float, x)) for number, *x in map(str.split, rows)}
    elements = []
    for row in lines[lines.index("$Elements") + 2:lines.index("$EndElements")]:
        _, kind, tags, *rest = map(int, row.split())
        if kind not in (LINE, TRIANGLE, TETRAHEDRON, POINT):
            sys.exit(f"{path}: an element has the type {kind}, must be a point, line, triangle or tetrahedron of first order")
        elements.append((kind, rest[:tags], rest[tags:]))
    names = lines[lines.index("$PhysicalNames"):lines.index("$EndPhysicalNames") + 1] if "$PhysicalNames" in lines else []
    return names, points, elements


def parts(kind, v, middle, length2):
    """Vertices of the parts of an element; the octahedron inside of a tetrahedron is cut along its shortest diagonal."""
    if kind == POINT:
        return [v]
    m = {(i, j): middle(v[i], v[j]) for j in range(len(v)) for i in range(j)}
    if kind == LINE:
        return [(v[0], m[0, 1]), (m[0, 1], v[1])]
    if kind == TRIANGLE:
        return [(v[0], m[0, 1], m[0, 2]), (m[0, 1], v[1], m[1, 2]), (m[0, 2], m[1, 2], v[2]), (m[0, 1], m[1, 2], m[0, 2])]
    corners = [(v[0], m[0, 1], m[0, 2], m[0, 3]), (m[0, 1], v[1], m[1, 2], m[1, 3]), (m[0, 2], m[1, 2], v[2], m[2, 3]),
               (m[0, 3], m[1, 3], m[2, 3], v[3])]
    # a diagonal p, q and the other four vertices in the order around it
    choices = [(m[0, 1], m[2, 3], (m[0, 2], m[1, 2], m[1, 3], m[0, 3])), (m[0, 2], m[1, 3], (m[0, 1], m[0, 3], m[2, 3], m[1, 2])),
               (m[0, 3], m[1, 2], (m[0, 1], m[1, 3], m[2, 3], m[0, 2]))]
    p, q, around = min(choices, key=lambda choice: length2(choice[0], choice[1]))
    return corners + [(p, q, around[i], around[(i + 1) % 4]) for i in range(4)]


def volume(points, cell):
    a, b, c = ([points[cell[i]][k] - points[cell[0]][k] for k in range(3)] for i in (1, 2, 3))
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])


def refine(points, elements):
    middles, last = {}, max(points)

    def middle(a, b):
        key = (min(a, b), max(a, b))
        if key not in middles:
            middles[key] = last + len(middles) + 1
            points[middles[key]] = tuple((x + y) / 2 for x, y in zip(points[a], points[b]))
        return middles[key]

    def length2(a, b):
        return sum((x - y) ** 2 for x, y in zip(points[a], points[b]))

    fine = []
    for kind, tags, v in elements:
        for part in parts(kind, v, middle, length2):
            if kind == TETRAHEDRON and volume(points, part) * volume(points, v) < 0:
                part = (part[0], part[1], part[3], part[2])
            fine.append((kind, tags, part))
    return fine


def write(path, names, points, elements):
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(["$MeshFormat", "2.2 0 8", "$EndMeshFormat", *names, "$Nodes", str(len(points))]) + "\n")
        file.writelines(f"{number} " + " ".join(map(repr, x)) + "\n" for number, x in points.items())
        file.write(f"$EndNodes\n$Elements\n{len(elements)}\n")
        file.writelines(" ".join(map(str, (i, kind, len(tags), *tags, *v))) + "\n" for i, (kind, tags, v) in enumerate(elements, 1))
        file.write("$EndElements\n")


def main():
    parser = argparse.ArgumentParser(description="Refines a Gmsh mesh uniformly.")
    parser.add_argument("coarse", metavar="IN.msh")
    parser.add_argument("fine", metavar="OUT.msh")
    parser.add_argument("--times", type=int, default=1, help="number of refinements [1]")
    arguments = parser.parse_args()
    names, points, elements = read(arguments.coarse)
    for _ in range(arguments.times):
        elements = refine(points, elements)
    write(arguments.fine, names, points, elements)


if __name__ == "__main__":
    main()
