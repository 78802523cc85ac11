#!/usr/bin/env python3
"""Makes the meshes of the scenes of the orientation-aware paper: rounded blocks, slit blocks, a balloon.

    python3 inputs/oipc/make_meshes.py               into meshes/ beside this file

The output is deterministic. The scene of the balloon is written, too, because it has one load per vertex. Sizes follow Table 1 of the
paper.
"""

import itertools
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
MESHES = os.path.join(HERE, "meshes")
BALLOON = {"outer": 0.5, "thickness": 0.1, "frequency": 4, "force": 5000.0}  # [m], [m], edges along one of an icosahedron, [N]


def planes(*runs):
    """Coordinates from (start, cells) pairs and an end: planes((0, 2), (1, 4), 2) are 0, 0.5, 1, 1.25, 1.5, 1.75, 2."""
    *runs, end = runs
    out = []
    for (start, cells), (stop, _) in zip(runs, runs[1:] + [(end, 0)]):
        out += [start + (stop - start) * k / cells for k in range(cells)]
    return out + [end]


def grid(axes, keep=lambda middle: True):
    """
    Triangles or tetrahedra of a block cut by planes, without boxes whose middle is not to be kept. The diagonal of each box leads away
    from the middle of the block, so that rounding off its corners flattens no cell.
    """
    dim, counts = len(axes), [len(axis) for axis in axes]
    middles = [0.5 * (axis[0] + axis[-1]) for axis in axes]
    numbers, points, cells = {}, [], []
    for box in itertools.product(*(range(count - 1) for count in counts)):
        middle = [0.5 * (axis[i] + axis[i + 1]) for axis, i in zip(axes, box)]
        if not keep(middle):
            continue
        outwards = [1 if m > c else -1 for m, c in zip(middle, middles)]
        first = [i if s > 0 else i + 1 for i, s in zip(box, outwards)]
        for order in itertools.permutations(range(dim)):
            corner, cell = list(first), []
            for axis in (None, *order):
                if axis is not None:
                    corner[axis] += outwards[axis]
                cell.append(tuple(corner))
            for key in cell:
                if key not in numbers:
                    numbers[key] = len(points)
                    points.append([axis[i] for axis, i in zip(axes, key)])
            cells.append([numbers[key] for key in cell])
    return points, [cell if measure(points, cell) > 0 else [cell[1], cell[0], *cell[2:]] for cell in cells]


def measure(points, cell):
    """Twice the area or six times the volume, with sign."""
    rows = [[a - b for a, b in zip(points[v], points[cell[0]])] for v in cell[1:]]
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def rounded(point, half, radius):
    """What rounding off the edges of a box about the origin makes of one of its points: cubes at the corners become parts of balls."""
    core = [min(max(x, radius - half), half - radius) for x in point]
    rest = [x - c for x, c in zip(point, core)]
    length = math.hypot(*rest)
    return [c + r * max(map(abs, rest)) / length for c, r in zip(core, rest)] if length else point


def fillet(dim, radius, fine, coarse):
    """A block of 1 m with rounded edges: `fine` cells from where a rounding begins, `coarse` ones between."""
    axis = planes((-0.5, fine), (radius - 0.5, coarse), (0.5 - radius, fine), 0.5)
    points, cells = grid([axis] * dim)
    return [rounded(point, 0.5, radius) for point in points], cells


def slit(size, width, across, up, deep=0):
    """A block on y = 0 with a slit from the middle of its top half-way down; cells beside the slit, in each half of the height, along z."""
    side = planes((-size / 2, across), (-width / 2, 1), (width / 2, across), size / 2)
    height = planes((0, up), (size / 2, up), size)
    axes = [side, height] + ([planes((-size / 2, deep), size / 2)] if deep else [])
    return grid(axes, lambda middle: abs(middle[0]) > width / 2 or middle[1] < size / 2)


def icosphere(frequency):
    """Directions and triangles, seen counter-clockwise from outside."""
    golden = (1 + math.sqrt(5)) / 2
    corners = [p for a, b in itertools.product((-1, 1), (-golden, golden)) for p in ((0, a, b), (a, b, 0), (b, 0, a))]
    near = [t for t in itertools.combinations(range(12), 3)
            if all(math.dist(corners[i], corners[j]) < 2.1 for i, j in itertools.combinations(t, 2))]
    numbers, directions, triangles = {}, [], []

    def number(i, j, one, two, three):
        p = [(frequency - i - j) * a + i * b + j * c for a, b, c in zip(one, two, three)]
        key = tuple(round(x, 6) + 0.0 for x in p)
        if key not in numbers:
            numbers[key] = len(directions)
            length = math.hypot(*p)
            directions.append([x / length for x in p])
        return numbers[key]

    for triangle in near:
        trio = [corners[k] for k in triangle]
        if measure([(0, 0, 0), *trio], [0, 1, 2, 3]) < 0:
            trio[1], trio[2] = trio[2], trio[1]
        for i in range(frequency):
            for j in range(frequency - i):
                triangles.append([number(i, j, *trio), number(i + 1, j, *trio), number(i, j + 1, *trio)])
                if i + j < frequency - 1:
                    triangles.append([number(i + 1, j, *trio), number(i + 1, j + 1, *trio), number(i, j + 1, *trio)])
    return directions, triangles


def balloon(outer, thickness, frequency, **_):
    """One layer of cells; vertices of the inner side come first. Diagonals of the prisms start from the smaller number."""
    directions, triangles = icosphere(frequency)
    count = len(directions)
    points = [[r * x for x in d] for r in (outer - thickness, outer) for d in directions]
    cells = []
    for triangle in triangles:
        a, b, c = sorted(triangle)
        cells += [[a, b, c, c + count], [a, b, b + count, c + count], [a, a + count, b + count, c + count]]
    return points, [cell if measure(points, cell) > 0 else [cell[1], cell[0], *cell[2:]] for cell in cells], triangles


SCENE = """\
# Written by make_meshes.py, one load per vertex. A force on the inner side, of constant direction, inflates a ball with a thick skin
# until the skin is much thinner than dhat (paper, Fig. 13). Poisson's ratio is 0.4, not 0: without lateral contraction a force
# of constant direction leaves two thirds of the thickness.
abut: 1
title: Balloon
dim: 3
time: {{step: 0.0047, steps: 50}}
materials:
  rubber: {{model: neo-hookean, young: 4000, poisson: 0.4, density: 100}}
bodies:
  - {{name: balloon, material: rubber, shape: {{file: meshes/balloon.msh}}}}
contact:
  potential: oipc
  alpha: 0.1
  dhat: {{absolute: 0.02}}
solver: {{tolerance: {{absolute: 1.0e-3}}}}
output:
  fields: {{every: 2}}
loads:
{loads}"""


def balloon_scene(points, triangles, force):
    """Forces on the inner side add up, in size, to `force`; each vertex has its share of the area around it, along the normal there."""
    shares = [[0.0] * 3 for _ in points]
    for triangle in triangles:
        (ax, ay, az), (bx, by, bz) = ([q - p for p, q in zip(points[triangle[0]], points[v])] for v in triangle[1:])
        for v in triangle:
            shares[v] = [s + n for s, n in zip(shares[v], (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))]
    total = sum(math.hypot(*share) for share in shares)
    lines = [f"  - {{select: {{body: balloon, ids: [{v}]}}, force: [{', '.join(f'{force * x / total + 0.0:.6g}' for x in share)}]}}\n"
             for v, share in enumerate(shares) if any(share)]
    with open(os.path.join(HERE, "fig13_balloon.yaml"), "w", encoding="ascii") as stream:
        stream.write(SCENE.format(loads="".join(lines)))


def write_msh(name, points, cells):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    for i, point in enumerate(points, 1):
        x, y, z = (round(c, 9) + 0.0 for c in (*point, 0.0)[:3])
        lines.append(f"{i} {x!r} {y!r} {z!r}")
    kind = 4 if len(cells[0]) == 4 else 2
    lines += ["$EndNodes", "$Elements", str(len(cells))] + [f"{i} {kind} 2 0 1 " + " ".join(str(v + 1) for v in cell) for i,
                                                            cell in enumerate(cells, 1)]
    with open(os.path.join(MESHES, name + ".msh"), "w", encoding="ascii") as stream:
        stream.write("\n".join(lines + ["$EndElements"]) + "\n")
    print(f"{name}: {len(points)} vertices, {len(cells)} cells")


def main():
    os.makedirs(MESHES, exist_ok=True)
    write_msh("fillet_2d", *fillet(2, 0.09, 7, 4))
    write_msh("fillet_3d", *fillet(3, 0.08, 3, 3))
    write_msh("slit_2d", *slit(2.0, 0.04, 4, 6))
    write_msh("slit_3d", *slit(0.3, 0.01, 4, 5, 8))
    points, cells, triangles = balloon(**BALLOON)
    write_msh("balloon", points, cells)
    balloon_scene(points, triangles, BALLOON["force"])


if __name__ == "__main__":
    main()
