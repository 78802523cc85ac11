#!/usr/bin/env python3
"""Refines a Gmsh mesh file (version 2.2, ASCII) uniformly: each tetrahedron becomes 8, each triangle 4, each line 2.

    refine_mesh.py IN.msh OUT.msh [--times N]

Vertices keep their numbers, new ones follow; parts keep the tags of their element, so that selections by group stay valid. Edges are halved
and the surface keeps its shape. So a state that `abut run -restart_interpolate` takes from IN.msh to OUT.msh has no intersections.
"""

import argparse
import math

from scene_runs import fail, positive_integer

LINE, TRIANGLE, TETRAHEDRON, POINT = 1, 2, 4, 15
VERTICES = {POINT: 1, LINE: 2, TRIANGLE: 3, TETRAHEDRON: 4}


def read_lines(path):
    try:
        with open(path, encoding="ascii") as file:
            lines = [line.strip() for line in file]
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    except UnicodeDecodeError:
        lines = []
    if ["2.2", "0"] not in (line.split()[:2] for before, line in zip(lines, lines[1:]) if before == "$MeshFormat"):
        fail(f"{path} is not a Gmsh mesh of version 2.2 in ASCII")
    return lines


def section(path, lines, name):
    """Lines of a section after that of their count, with their numbers in the file."""
    if f"${name}" not in lines or f"$End{name}" not in lines:
        fail(f"{path} is incomplete: ${name} or $End{name} is missing")
    first, end = lines.index(f"${name}") + 2, lines.index(f"$End{name}")
    if lines[first - 1] != str(end - first):
        fail(f"{path}:{first}: ${name} has {end - first} lines, not {lines[first - 1]}")
    return list(enumerate(lines[first:end], first + 1))


def point(row):
    """Number and position of a vertex."""
    number, x, y, z = row.split()
    position = float(x), float(y), float(z)
    if not all(map(math.isfinite, position)):
        raise ValueError
    return int(number), position


def element(row, points):
    """Type, tags and numbers of the vertices of an element."""
    _, kind, tags, *rest = map(int, row.split())
    if tags < 0 or len(rest) - tags != VERTICES[kind] or not all(number in points for number in rest[tags:]):
        raise ValueError
    return kind, rest[:tags], rest[tags:]


def read(path):
    """Points by number, and elements: type, tags, numbers of vertices."""
    lines, points, elements = read_lines(path), {}, []
    for place, row in section(path, lines, "Nodes"):
        try:
            number, position = point(row)
        except ValueError:
            fail(f"{path}:{place}: a vertex must have a number and three finite coordinates")
        points[number] = position
    for place, row in section(path, lines, "Elements"):
        try:
            elements.append(element(row, points))
        except (ValueError, KeyError):
            fail(f"{path}:{place}: an element must be a point, line, triangle or tetrahedron of first order (type 15, 1, 2, 4), "
                 "and all its vertices must be in $Nodes")
    if not elements:
        fail(f"{path} has no elements")
    names = [row for _, row in section(path, lines, "PhysicalNames")] if "$PhysicalNames" in lines else []
    return ["$PhysicalNames", str(len(names)), *names, "$EndPhysicalNames"] if names else [], points, elements


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
    parser.add_argument("--times", type=positive_integer, default=1, help="number of refinements [1]")
    arguments = parser.parse_args()
    names, points, elements = read(arguments.coarse)
    for _ in range(arguments.times):
        elements = refine(points, elements)
    try:
        write(arguments.fine, names, points, elements)
    except OSError as error:
        fail(f"{arguments.fine}: {error.strerror}")


if __name__ == "__main__":
    main()
