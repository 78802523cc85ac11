#!/usr/bin/env python3
"""Makes the meshes of the unit tests and friction scenes: spikes, wedges, cracks and the stones of an arch.

    python3 inputs/ipc2020/make_blocks.py [FOLDER]     default: meshes beside this file

The same files come out every time. Bodies are Gmsh files (version 2.2) of tetrahedra, obstacles .obj files of triangles facing outwards.
"""

import itertools
import math
import os
import sys

# ---- the arch: a hanging chain turned over, stones thicker and deeper towards the base [m]
# ------------------------------------------------

STONES = 25
ARCH_A = 9.0  # y = -A (cosh(x / A) - 1) is the middle line
ARCH_HALF = 9.0  # half of the span
ARCH_THICKNESS = (1.8, 4.5)  # at the crown, at the base: the more they differ, the more friction the joints need (here 0.13)
ARCH_DEPTH = (2.4, 6.0)
ARCH_GAP = 1.0e-6  # between stones at the start: the barrier range of the scenes

KUHN = [tuple(itertools.accumulate((0,) + order)) for order in itertools.permutations((1, 2, 4))]  # corners of a cube as bits x, y, z


def subtract(a, b):
    return [p - q for p, q in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def volume(points, cell):
    a, b, c, d = (points[i] for i in cell)
    return dot(cross(subtract(b, a), subtract(c, a)), subtract(d, a)) / 6


def positive(points, cells):
    """Cells with vertices in the order that makes their volumes positive."""
    return [cell if volume(points, cell) > 0 else (cell[0], cell[1], cell[3], cell[2]) for cell in cells]


def hexahedron(corners, cells):
    """A block with 8 corners (bits x, y, z of the index) in a grid of cells, each six tetrahedra about one diagonal."""
    numbers = [n + 1 for n in cells]
    points = []
    for i, j, k in itertools.product(*map(range, numbers)):
        u = (i / cells[0], j / cells[1], k / cells[2])
        weights = [math.prod(u[axis] if bits >> axis & 1 else 1 - u[axis] for axis in range(3)) for bits in range(8)]
        points.append([math.fsum(w * corner[axis] for w, corner in zip(weights, corners)) for axis in range(3)])
    tets = []
    for i, j, k in itertools.product(*map(range, cells)):
        cube = [((i + (b & 1)) * numbers[1] + j + (b >> 1 & 1)) * numbers[2] + k + (b >> 2) for b in range(8)]
        tets += [tuple(cube[b] for b in path) for path in KUHN]
    return points, positive(points, tets)


def spike(width=0.3, height=0.75):
    """A pyramid on a square, point up, base at y = 0: two tetrahedra."""
    w = width / 2
    points = [[-w, 0, -w], [w, 0, -w], [w, 0, w], [-w, 0, w], [0, height, 0]]
    return points, positive(points, [(0, 1, 2, 4), (0, 2, 3, 4)])


def wedge(width=0.3, length=0.6, height=0.75):
    """A roof, ridge up and along z, base at y = 0: three tetrahedra."""
    w, z = width / 2, length / 2
    points = [[-w, 0, -z], [w, 0, -z], [0, height, -z], [-w, 0, z], [w, 0, z], [0, height, z]]
    return points, positive(points, [(0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5)])


def tetrahedron(height=1.0):
    """A single cell, point up, base at y = 0."""
    points = [[0.5, 0, 0], [-0.25, 0, math.sqrt(3) / 4], [-0.25, 0, -math.sqrt(3) / 4], [0, height, 0]]
    return points, positive(points, [(0, 1, 2, 3)])


def slot_block():
    """A single cell exactly 1 m wide in x, all of it between x = -0.5 and 0.5, for a slot that is hardly wider."""
    points = [[-0.5, 0, -0.4], [0.5, 0, -0.4], [-0.5, 0, 0.4], [0.5, 0.8, 0.4]]
    return points, positive(points, [(0, 1, 2, 3)])


def skin(cells):
    """Triangles that belong to one cell only, facing outwards."""
    seen = {}
    for a, b, c, d in cells:
        for face in ((b, c, d), (a, d, c), (a, b, d), (a, c, b)):
            seen.setdefault(frozenset(face), []).append(face)
    return [faces[0] for faces in seen.values() if len(faces) == 1]


def prism(outline, depth):
    """A plane outline (counter-clockwise, star-shaped about its first point) drawn out along z: points and triangles facing outwards."""
    n, z = len(outline), depth / 2
    points = [[x, y, -z] for x, y in outline] + [[x, y, z] for x, y in outline]
    faces = []
    for i in range(1, n - 1):
        faces += [(n, n + i, n + i + 1), (0, i + 1, i)]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, n + j), (i, n + j, n + i)]
    return points, faces


def crack(width=0.5, depth=0.5, half=1.0, height=1.0, length=2.0):
    """A block whose top (y = 0) is split along z by a groove."""
    return prism([(0, -depth), (-width / 2, 0), (-half, 0), (-half, -height), (0, -height), (half, -height), (half, 0), (width / 2, 0)],
                 length)


def cliff(top=1.0, foot=1.5, height=1.0):
    """A frustum with its top at y = 0: edges that a body tips over."""
    t, f = top / 2, foot / 2
    points = [[sx * t, 0, sz * t] for sx, sz in ((-1, -1), (1, -1), (1, 1), (-1, 1))] + \
             [[sx * f, -height, sz * f] for sx, sz in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    faces = [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7)]
    for i in range(4):
        j = (i + 1) % 4
        faces += [(i, j, 4 + j), (i, 4 + j, 4 + i)]
    return points, faces


def hole(opening=0.24, half=1.0, depth=0.5, height=1.0):
    """A block with a square pit in its top (y = 0) that narrows to a point."""
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    points = [[sx * half, 0, sz * half] for sx, sz in corners] + [[sx * opening / 2, 0, sz * opening / 2] for sx, sz in corners] + \
             [[sx * half, -height, sz * half] for sx, sz in corners] + [[0, -depth, 0]]
    faces = [(8, 9, 10), (8, 10, 11)]
    for i in range(4):
        j = (i + 1) % 4
        faces += [(i, 4 + i, 4 + j), (i, 4 + j, j), (4 + i, 12, 4 + j), (i, j, 8 + j), (i, 8 + j, 8 + i)]
    return points, faces


def plane(half=5.0):
    """A square at y = 0 of two triangles."""
    return [[-half, 0, -half], [half, 0, -half], [half, 0, half], [-half, 0, half]], [(0, 2, 1), (0, 3, 2)]


def internal_edges(half=1.5, columns=9, rows=7):
    """A square at y = 0 cut into long and skew triangles, whose edges must not be felt."""
    points = []
    for j, i in itertools.product(range(rows), range(columns)):
        u, v = i / (columns - 1), j / (rows - 1)
        inner = 0 < i < columns - 1 and 0 < j < rows - 1
        points.append([half * (2 * u - 1) + (0.08 * math.sin(5 * i + 3 * j) if inner else 0), 0.0,
                       half * (2 * v - 1) + (0.11 * math.cos(2 * i + 7 * j) if inner else 0)])
    faces = []
    for j, i in itertools.product(range(rows - 1), range(columns - 1)):
        a, b, c, d = j * columns + i, j * columns + i + 1, (j + 1) * columns + i + 1, (j + 1) * columns + i
        faces += [(a, c, b), (a, d, c)] if (i + j) % 2 else [(a, d, b), (b, d, c)]
    return points, faces


def arch_joint(s, length):
    """Point, unit tangent, thickness and depth of the arch at arc length s from the crown."""
    share, x = abs(s) / length, ARCH_A * math.asinh(s / ARCH_A)
    slope = -math.sinh(x / ARCH_A)
    norm = math.hypot(1, slope)
    thickness, depth = ((1 - share) * a + share * b for a, b in (ARCH_THICKNESS, ARCH_DEPTH))
    return (x, -ARCH_A * (math.cosh(x / ARCH_A) - 1)), (1 / norm, slope / norm), thickness, depth


def arch_stone(index):
    """Stone 0 ... STONES - 1 from left to right; faces between neighbours are parallel, ARCH_GAP apart."""
    length = ARCH_A * math.sinh(ARCH_HALF / ARCH_A)
    corners = [None] * 8
    for end in range(2):
        (x, y), (tx, ty), thickness, depth = arch_joint(length * (2 * (index + end) / STONES - 1), length)
        inset = (0.5 - end) * ARCH_GAP
        for side, front in itertools.product(range(2), range(2)):
            across = (side - 0.5) * thickness
            corners[end + 2 * side + 4 * front] = (x + inset * tx - across * ty, y + inset * ty + across * tx, (front - 0.5) * depth)
    return hexahedron(corners, (1, 2, 2))


def arch_foot():
    """Where the left end face balances on an edge: x and y of that edge."""
    length = ARCH_A * math.sinh(ARCH_HALF / ARCH_A)
    (x, y), (tx, ty), _, _ = arch_joint(-length, length)
    return x - 0.5 * ARCH_GAP * tx, y - 0.5 * ARCH_GAP * ty


def write_msh(path, points, cells):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    lines += [f"{i} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(points, 1)]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    lines += [f"{i} 4 2 0 1 " + " ".join(str(v + 1) for v in cell) for i, cell in enumerate(cells, 1)]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines + ["$EndElements"]) + "\n")


def write_obj(path, points, faces):
    """Vertices that no face uses are left out."""
    used = sorted({vertex for face in faces for vertex in face})
    number = {vertex: i for i, vertex in enumerate(used, 1)}
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in (points[vertex] for vertex in used))
        file.writelines("f " + " ".join(str(number[vertex]) for vertex in face) + "\n" for face in faces)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "meshes")
    os.makedirs(folder, exist_ok=True)
    for name, (points, cells) in {"spike": spike(), "wedge": wedge(), "tet": tetrahedron(), "slot_block": slot_block()}.items():
        write_msh(os.path.join(folder, name + ".msh"), points, cells)
    for index in range(STONES):
        write_msh(os.path.join(folder, f"arch_{index + 1:02d}.msh"), *arch_stone(index))
    surfaces = {"crack": crack(), "cliff": cliff(), "hole": hole(), "plane": plane(), "internal_edges": internal_edges()}
    for name, (points, cells) in {"spike": spike(), "wedge": wedge()}.items():
        surfaces[name] = points, skin(cells)
    for name, (points, faces) in surfaces.items():
        write_obj(os.path.join(folder, name + ".obj"), points, faces)
    print("edge that the arch stands on: x = -/+ %r, y = %r" % (-arch_foot()[0], arch_foot()[1]))


if __name__ == "__main__":
    main()
