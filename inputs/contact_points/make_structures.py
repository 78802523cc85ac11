#!/usr/bin/env python3
"""Makes meshes and scenes of the structures of Erleben (2018): Wall and Arch (Fig. 9), masonry that a rock hits (Fig. 7).

    make_structures.py                                   wall, arch and masonry, into this folder; the same files come out every time
    make_structures.py wall --gap 8e-4 --potential oipc -o DIR      with gaps between the stones, for `abut run` with a contact potential
    make_structures.py pillar --gap 8e-4 --potential ipc -o DIR     the pillar of make_cases.py with such gaps

y is up, lengths are in metres. Each stone is a block of twelve tetrahedra about its middle, each of them with one face on the surface; with
--cells 6 a block of six tetrahedra. Without --gap the stones touch.
"""

import argparse
import collections
import itertools
import math
import os

import make_cases as cases

HERE = os.path.dirname(os.path.abspath(__file__))
UP = (0.0, 1.0, 0.0)

# ---- stones: (points, cells)


def about_middle(shape):
    """The surface triangles of a convex shape, each joined with the mean of its vertices."""
    points, cells = shape
    count = collections.Counter(tuple(sorted(face)) for cell in cells for face in itertools.combinations(cell, 3))
    middle = tuple(math.fsum(axis) / len(points) for axis in zip(*points))
    return points + [middle], cases.positive(points + [middle], [(*face, len(points)) for face, n in count.items() if n == 1])


def hexahedron(points, cells):
    """The block of 6 or 12 tetrahedra with these eight vertices, in the order of cases.box()."""
    shape = points, cases.positive(points, cases.box((0, 0, 0), (1, 1, 1))[1])
    return shape if cells == 6 else about_middle(shape)


def block(lower, upper, style):
    """A block that is smaller than the one given by half the gap at each face."""
    gap, cells = style
    return hexahedron(cases.box([x + gap / 2 for x in lower], [x - gap / 2 for x in upper])[0], cells)


def voussoir(first, last, radii, depth, style):
    """A stone of an arch about the z axis between two angles [rad], with flat faces; all faces are moved inwards by half the gap.
    Without a gap neighbours share the coordinates of their vertices bit for bit."""
    gap, cells = style
    inner, outer = radii[0] + gap / 2, radii[1] - gap / 2
    points = []
    for z in (gap / 2 - depth / 2, depth / 2 - gap / 2):
        for angle, side in ((last, -1), (first, 1)):
            c, s = math.cos(angle), math.sin(angle)
            points += [(r * c - side * gap / 2 * s, r * s + side * gap / 2 * c, z) for r in (inner, outer)]
    return hexahedron(points, cells)


def ground(half, style):
    """A block of six tetrahedra below y = 0, half as wide in z as in x."""
    return cases.box((-half, -0.5, -half / 2), (half, 0.0 - style[0] / 2, half / 2))


# ---- structures for a style (gap, cells of a block): a dictionary of meshes, bodies (name, mesh, position, velocity), and expected normals
# (a, b, normal, contacts, area). The first body is the ground.

LENGTH, TALL, THICK = 5.0, 4.0, 0.5  # [m] of the Wall
LAYERS, SPAN = 10, 8  # layers, bricks in each


def wall(style):
    """Running bond: odd layers are shifted by half a brick."""
    width, height = LENGTH / SPAN, TALL / LAYERS
    meshes = {"ground_wall": ground(4.0, style), "brick": block((0, 0, -THICK / 2), (width, height, THICK / 2), style)}
    bodies, expected = [("ground", "ground_wall", (0, 0, 0), (0, 0, 0))], []

    def name(layer, j):
        return f"brick{layer}_{j}"

    for layer in range(LAYERS):
        for j in range(SPAN):
            x = (j - SPAN / 2 + (layer % 2) / 2) * width
            bodies.append((name(layer, j), "brick", (x, layer * height, 0), (0, 0, 0)))
            if layer == 0:
                expected.append(("ground", name(0, j), UP, 4, width * THICK))
            if j > 0:
                expected.append((name(layer, j - 1), name(layer, j), (1, 0, 0), 4, height * THICK))
            below = (j, j + 1) if layer % 2 else (j - 1, j)
            expected += [(name(layer - 1, k), name(layer, j), UP, 4, width / 2 * THICK) for k in below if layer and 0 <= k < SPAN]
    areas = [entry[4] for entry in expected]
    number = {kind: sum(math.isclose(area, value) for area in areas)
              for kind, value in (("gnd", 0.3125), ("hor", 0.2), ("ver", 0.15625))}
    assert number == {"gnd": SPAN, "hor": LAYERS * (SPAN - 1), "ver": (LAYERS - 1) * (2 * SPAN - 1)}, number  # eq. (4)
    return meshes, bodies, expected


RADII, STONES, PILLAR_STONES, PILLAR, DEPTH = (1.5, 2.0), 7, 3, 2.0, 2.0  # [m] radii, height of the pillars, depth in z


def one_arch(prefix, middle, depth):
    """Bodies and expected normals of one arch on its two pillars; meshes arch_1, ..., arch_7 and pillar_stone."""
    height, width = PILLAR / PILLAR_STONES, RADII[1] - RADII[0]
    bodies, expected = [], []
    for side, sign in (("right", 1), ("left", -1)):
        below = "ground"
        for k in range(PILLAR_STONES):
            name = f"{prefix}{side}{k + 1}"
            x = middle[0] + sign * (RADII[0] + width / 2)
            bodies.append((name, "pillar_stone", (x, k * height, middle[1]), (0, 0, 0)))
            expected.append((below, name, UP, 4, width * depth))
            below = name
    below, normal = f"{prefix}right{PILLAR_STONES}", UP
    for k in range(STONES):
        name = f"{prefix}stone{k + 1}"
        bodies.append((name, f"arch_{k + 1}", (middle[0], PILLAR, middle[1]), (0, 0, 0)))
        expected.append((below, name, normal, 4, width * depth))
        angle = math.pi * (k + 1) / STONES
        below, normal = name, (-math.sin(angle), math.cos(angle), 0)
    expected.append((f"{prefix}left{PILLAR_STONES}", below, UP, 4, width * depth))
    return bodies, expected


def arch_meshes(depth, style):
    width, height = RADII[1] - RADII[0], PILLAR / PILLAR_STONES
    angles = [math.pi * k / STONES for k in range(STONES + 1)]
    meshes = {f"arch_{k + 1}": voussoir(angles[k], angles[k + 1], RADII, depth, style) for k in range(STONES)}
    return {**meshes, "pillar_stone": block((-width / 2, 0, -depth / 2), (width / 2, height, depth / 2), style)}


def arch(style):
    bodies, expected = one_arch("", (0, 0), DEPTH)
    assert len(expected) == 14 and math.isclose(sum(entry[4] for entry in expected), 14)
    return ({"ground_arch": ground(4.0, style), **arch_meshes(DEPTH, style)},
            [("ground", "ground_arch", (0, 0, 0), (0, 0, 0))] + bodies, expected)


COLUMNS, ROWS, BAY = 3, 2, 1.0  # arches side by side, rows of them, depth of a row [m]
ROCK, SPEED = 0.7, 8.0  # [m] radius, [m/s] of the rock


def masonry(style):
    """Rows of arches whose pillars stand side by side; a rock flies along z against the crown of the middle arch."""
    meshes = {f"bay_{name}" if name != "pillar_stone" else "bay_pillar": shape for name, shape in arch_meshes(BAY, style).items()}
    meshes["ground_masonry"] = ground(10.0, style)
    bodies, expected = [("ground", "ground_masonry", (0, 0, 0), (0, 0, 0))], []
    pitch, height = 2 * RADII[1], PILLAR / PILLAR_STONES
    for row in range(ROWS):
        for column in range(COLUMNS):
            place = ((column - (COLUMNS - 1) / 2) * pitch, row * BAY)
            stones, normals = one_arch(f"a{column + 1}{row + 1}_", place, BAY)
            bodies += [(name, "bay_pillar" if mesh == "pillar_stone" else f"bay_{mesh}", *rest) for name, mesh, *rest in stones]
            expected += normals
            if column:
                expected += [(f"a{column}{row + 1}_right{k + 1}", f"a{column + 1}{row + 1}_left{k + 1}", (1, 0, 0), 4, height * BAY)
                             for k in range(PILLAR_STONES)]
            if row:
                width = RADII[1] - RADII[0]
                expected += [(name.replace("2_", "1_", 1), name, (0, 0, 1), 4, width * height if "stone" not in name else 0)
                             for name, *_ in stones]
    bodies.append(("rock", f"ball: {{radius: {ROCK}, cells: 3}}", (0, PILLAR + RADII[1] - ROCK / 2, -BAY / 2 - ROCK - 0.2), (0, 0, SPEED)))
    return meshes, bodies, expected


def pillar(style):
    """The pillar of make_cases.py, each stone lower by the gap."""
    gap = style[0]
    bodies, expected = cases.pillar(0.0, 1)
    meshes = {}
    for name, (points, cells) in cases.pillar_meshes(0).items():
        tall = max(y for _, y, _ in points)
        meshes[name] = ([(x, y - gap / 2 if y == tall else y + gap / 2, z) for x, y, z in points], cells)
    return meshes, bodies, [(*entry, 0) for entry in expected]


STRUCTURES = {"wall": (wall, "Wall of bricks in running bond. Erleben (2018), Fig. 9."),
              "arch": (arch, "Arch of seven stones on two pillars. Erleben (2018), Fig. 9."),
              "masonry": (masonry, "Two rows of three arches that a rock hits; after Erleben (2018), Fig. 7."),
              "pillar": (pillar, "The pillar of make_cases.py with gaps between its stones.")}

# ---- files


def scene(name, given, bodies, expected):
    """Text of a scene."""
    contact = "friction: {default: 0.5}"
    if given.potential:
        contact = f"potential: {given.potential}, dhat: {{absolute: {given.dhat}}}, {contact}"
    lines = [f"# {STRUCTURES[name][1]}", "# Written by make_structures.py.", "abut: 1", f"title: \"{name.capitalize()}\"", "dim: 3",
             f"time: {{step: {given.step}, steps: {given.steps}}}", "gravity: [0, -9.81, 0]", "materials:",
             f"  stone: {{model: neo-hookean, young: {given.young}, poisson: 0.3, density: 2000}}", "bodies:"]
    for body, mesh, position, velocity in bodies:
        shape = mesh if ":" in mesh else f"file: meshes/{mesh}.msh"
        place = f", translate: {cases.vector(position)}" if any(position) else ""
        motion = f", velocity: {cases.vector(velocity)}" if any(velocity) else ""
        lines.append(f"  - {{name: {body}, material: stone, shape: {{{shape}}}{place}{motion}}}")
    lines += ["motions:", f"  - select: {{body: {bodies[0][0]}}}", f"contact: {{{contact}}}"]
    if given.potential:
        lines.append("solver: {tolerance: {absolute: 1.0e-5}}")
    lines += ["output: {fields: {every: 10}}", "expected_normals:"]
    for a, b, normal, contacts, area in expected:
        size = f", area: {cases.number(area)}" if area else ""
        direction = "centers" if name == "arch" and a != "ground" else cases.vector(normal)  # eq. (6)
        lines.append(f"  - {{between: [{a}, {b}], normal: {direction}, contacts: {contacts}{size}}}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(STRUCTURES)}; default: the first three")
    parser.add_argument("-o", default=HERE, metavar="DIR", help="folder; default: the folder of this file")
    parser.add_argument("--gap", type=float, default=0.0, help="between the stones [m]; negative: they overlap")
    parser.add_argument("--cells", type=int, default=12, choices=(6, 12), help="tetrahedra of a stone")
    parser.add_argument("--potential", help="contact potential of `abut run`; needs --gap")
    parser.add_argument("--dhat", type=float, default=1e-3, help="activation distance of the potential [m]")
    parser.add_argument("--young", type=float, default=1e9, help="Young's modulus of the stones [Pa]")
    parser.add_argument("--step", type=float, default=0.01, help="time step [s]")
    parser.add_argument("--steps", type=int, default=500, help="number of time steps")
    given = parser.parse_args()
    unknown = set(given.names) - set(STRUCTURES)
    if unknown:
        parser.error(f"there is no structure {', '.join(sorted(unknown))}")
    if given.potential and not given.gap > 0:
        parser.error("a contact potential needs a gap between the stones")
    os.makedirs(os.path.join(given.o, "meshes"), exist_ok=True)
    for name in given.names or list(STRUCTURES)[:3]:
        meshes, bodies, expected = STRUCTURES[name][0]((given.gap, given.cells))
        for mesh, shape in meshes.items():
            cases.write_msh(os.path.join(given.o, "meshes", f"{mesh}.msh"), shape)
        with open(os.path.join(given.o, f"{name}.yaml"), "w", encoding="ascii") as out:
            out.write(scene(name, given, bodies, expected))


if __name__ == "__main__":
    main()
