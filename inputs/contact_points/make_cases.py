#!/usr/bin/env python3
"""Makes meshes and scenes of the fundamental cases of Erleben (2018), Table 4, and of his Pillar.

    make_cases.py                          all, into this folder; the same files come out every time
    make_cases.py wedges --flight 0 -o DIR        a case whose bodies touch exactly in the starting state
    make_cases.py pillar --shift 0.02 -o DIR      stones displaced at random by up to 0.02 m in x and z
    make_cases.py pillar --refine 1 -o DIR        each cell of the stones cut into eight

y is up, lengths are in metres. A case has a fixed body `bottom` and a body `top` that moves; expected normals point from `bottom` to `top`.
"""

import argparse
import dataclasses
import itertools
import math
import os
import random

import tetgen_meshes

HERE = os.path.dirname(os.path.abspath(__file__))
HALF, HEIGHT = 1.0, 3.0  # spikes and wedges: half the base, height; their faces have the normals (3, 1, 0) / sqrt(10) of Table 4
ALPHA, BETA, GAMMA = math.sqrt(0.5), 1 / math.sqrt(10), 3 / math.sqrt(10)
STEP = 0.01  # [s]
GRAVITY = 9.81  # [m/s^2]
BLOCK = 1.25  # scale of the blocks with a crack and a hole, which the author's simulator uses with spikes 2.4 m high
GROUND = ((-12.5, -2.5, -12.5), (12.5, 0.0, 12.5))  # block below spike and wedge; its edges are not below them

# ---- shapes: (points, cells)


def subtract(a, b):
    return [p - q for p, q in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def volume(points, cell):
    a, b, c, d = (points[i] for i in cell)
    return math.fsum(p * q for p, q in zip(cross(subtract(b, a), subtract(c, a)), subtract(d, a))) / 6


def positive(points, cells):
    """The cells with vertices in the order that makes their volumes positive."""
    return [cell if volume(points, cell) > 0 else (cell[0], cell[1], cell[3], cell[2]) for cell in cells]


def prisms(count, triangles):
    """Three tetrahedra for each prism between vertices i of one end and count + i of the other: the diagonal of a side starts at the vertex
    of the first end that is listed first."""
    cells = []
    for triangle in triangles:
        a, b, c = sorted(triangle)
        cells += [(a, b, c, c + count), (a, b, b + count, c + count), (a, a + count, b + count, c + count)]
    return cells


def extruded(outline, triangles, length):
    """A cross-section in the x-y plane, extruded along z from -length / 2 to length / 2."""
    points = [(x, y, side * length / 2) for side in (-1, 1) for x, y in outline]
    return points, positive(points, prisms(len(outline), triangles))


def spike():
    """A pyramid on a square, point up at (0, 0, 0): two tetrahedra."""
    w, y = HALF, -HEIGHT
    points = [(-w, y, -w), (w, y, -w), (w, y, w), (-w, y, w), (0.0, 0.0, 0.0)]
    return points, positive(points, [(0, 1, 2, 4), (0, 2, 3, 4)])


def wedge():
    """A roof with its ridge along z through (0, 0, 0): three tetrahedra."""
    return extruded([(-HALF, -HEIGHT), (HALF, -HEIGHT), (0.0, 0.0)], [(0, 1, 2)], 4 * HALF)


def hexahedron(corners):
    """A block with 8 corners (bits x, y, z of the index): six tetrahedra about the diagonal from the first to the last corner."""
    return corners, positive(corners, [tuple(itertools.accumulate((0,) + order)) for order in itertools.permutations((1, 2, 4))])


def box(lower, upper):
    return hexahedron([tuple((upper if bits >> axis & 1 else lower)[axis] for axis in range(3)) for bits in range(8)])


def cliff():
    """A truncated pyramid below a cube of edge 1 on the plane y = 0, with the lower edges of the cube as upper edges."""
    return hexahedron([((1 if bits & 1 else -1) * half, y, (1 if bits & 4 else -1) * half)
                       for bits in range(8) for half, y in [(0.5, 0.0) if bits & 2 else (0.75, -1.0)]])


def scaled(factor, points, cells):
    return [tuple(factor * x for x in point) for point in points], positive(points, cells)


def upside_down(shape):
    """The shape turned by half a turn about the x axis."""
    points, cells = shape
    return [(x, 0.0 - y, 0.0 - z) for x, y, z in points], cells


# ---- the Pillar

# Proportions of the author's own simulator (github.com/diku-dk/PROX, make_greek_pillar).
TALL, WIDTH = 3.5, 0.5  # [m] height of the pillar, edge of the square plinth and crown
HEIGHTS = [TALL * part for part in (0.06, 0.06, 0.8 / 3, 0.8 / 3, 0.8 / 3, 0.05, 0.03)]  # of plinth, five stones and crown
STONES = [[WIDTH / 2 * part for part in pair]  # lower and upper radius
          for pair in ((1, 0.8), (0.8, 0.8 - 0.2 / 3), (0.8 - 0.2 / 3, 0.6 + 0.2 / 3), (0.6 + 0.2 / 3, 0.6), (0.6, 1))]


def stone(lower, upper, height):
    """A truncated cone with hexagonal caps of six triangles around a centre: 18 tetrahedra. A vertex of the caps is at 45 degrees."""
    angles = [math.radians(45 + 60 * k) for k in range(6)]
    points = []
    for radius, y in ((lower, 0.0), (upper, height)):
        points += [(0.0, y, 0.0)] + [(radius * math.cos(a), y, radius * math.sin(a)) for a in angles]
    return points, positive(points, prisms(7, [(0, 1 + k, 1 + (k + 1) % 6) for k in range(6)]))


def refined(shape):
    """Each cell cut into eight at the midpoints of its edges."""
    points, cells = list(shape[0]), []
    middles = {}

    def middle(a, b):
        key = (min(a, b), max(a, b))
        if key not in middles:
            middles[key] = len(points)
            points.append(tuple((p + q) / 2 for p, q in zip(points[a], points[b])))
        return middles[key]

    for a, b, c, d in shape[1]:
        ab, ac, ad, bc, bd, cd = middle(a, b), middle(a, c), middle(a, d), middle(b, c), middle(b, d), middle(c, d)
        cells += [(a, ab, ac, ad), (b, ab, bc, bd), (c, ac, bc, cd), (d, ad, bd, cd)]
        cells += [(ab, cd, ac, ad), (ab, cd, ad, bd), (ab, cd, bd, bc), (ab, cd, bc, ac)]
    return points, positive(points, cells)


# ---- files


def number(value):
    return repr(round(value, 15) + 0.0)


def vector(values):
    return "[" + ", ".join(number(v) for v in values) + "]"


def write_msh(path, shape):
    """A Gmsh file, version 2.2."""
    points, cells = shape
    with open(path, "w", encoding="ascii") as out:
        out.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(points)}\n")
        out.writelines(f"{i} {number(x)} {number(y)} {number(z)}\n" for i, (x, y, z) in enumerate(points, 1))
        out.write(f"$EndNodes\n$Elements\n{len(cells)}\n")
        out.writelines(f"{i} 4 2 1 1 {' '.join(str(v + 1) for v in cell)}\n" for i, cell in enumerate(cells, 1))
        out.write("$EndElements\n")


def scene(comment, title, steps, bodies, fixed, expected):
    """Text of a scene. A body is (name, mesh, position, velocity), an expected normal (a, b, normal, contacts)."""
    lines = [f"# {line}" for line in comment] + [
        "abut: 1", f"title: \"{title}\"", "dim: 3", f"time: {{step: {STEP}, steps: {steps}}}", f"gravity: [0, -{GRAVITY}, 0]", "materials:",
        "  stone: {model: neo-hookean, young: 1.0e9, poisson: 0.3, density: 2000}", "bodies:"]
    for name, mesh, position, velocity in bodies:
        place = f", translate: {vector(position)}" if any(position) else ""
        motion = f", velocity: {vector(velocity)}" if any(velocity) else ""
        lines.append(f"  - {{name: {name}, material: stone, shape: {{file: meshes/{mesh}.msh}}{place}{motion}}}")
    lines += ["motions:", f"  - select: {{body: {fixed}}}", "contact: {friction: {default: 0.5}}", "expected_normals:"]
    lines += [f"  - {{between: [{a}, {b}], normal: {vector(n)}, contacts: {count}}}" for a, b, n, count in expected]
    return "\n".join(lines) + "\n"


# ---- the cases, with the placement and the velocities of the author's simulator for its scene size 25

UP = (0.0, 1.0, 0.0)
WALLS = [(ALPHA, ALPHA, 0.0), (-ALPHA, ALPHA, 0.0)]


@dataclasses.dataclass(frozen=True)
class Case:
    about: str
    bottom: str  # mesh of the fixed body
    top: str
    position: tuple  # [m] of the top body
    velocity: tuple  # [m/s] of the top body
    normals: list  # expected, from bottom to top
    contacts: int  # smallest number with each normal
    top_first: bool  # order of the bodies in the scene, as in the author's simulator
    falls: bool = True  # whether gravity moves the top body before the starting state


CASES = {
    "spike_in_crack": Case("A spike stands in a crack.", "crack", "spike_down", (0, 0, 0), (1, 0, 0), WALLS, 1, True),
    "spike_in_hole": Case("A spike stands in a hole with four walls.", "hole", "spike_down", (0, 0, 0), (1, 0, 0),
                          WALLS + [(0.0, ALPHA, ALPHA), (0.0, ALPHA, -ALPHA)], 1, True),
    "wedge_in_crack": Case("A wedge stands in a crack.", "crack", "wedge_down", (0, 0, 0), (1, 0, 0), WALLS, 2, True),
    "sliding_spike": Case("A spike slides on its point.", "ground", "spike_down", (3, 0, 0), (-3, 0, 0), [UP], 1, False),
    "sliding_wedge": Case("A wedge slides on its edge.", "ground", "wedge_down", (-3, 0, 0), (3, 0, 0), [UP], 2, False, False),
    "spikes": Case("Two spikes touch with their points; the upper one moves against one face of the lower one.", "spike", "spike_down",
                   (0, 0, 0), (-1.5, -6, 0), [(GAMMA, BETA, 0.0)], 1, True),
    "spike_and_wedge": Case("A spike touches the edge of a wedge and moves against one of its faces.", "wedge", "spike_down", (0, 0, 0),
                            (-1.5, -6, 0), [(GAMMA, BETA, 0.0)], 1, True),
    "wedges": Case("Two wedges touch along their edges; the upper one moves against one face of the lower one.", "wedge", "wedge_down",
                   (0, 0, 0), (1.5, -6, 0), [(-GAMMA, BETA, 0.0)], 2, True),
    "cliff_edges": Case("A cube stands on a truncated pyramid: edges of the two coincide.", "cliff", "cube", (0, 0.5, 0), (0, 0, 0), [UP],
                        4, False, False),
    "internal_edges": Case("A cube stands on a flat face: two of its corners are above vertices and two above edges of the mesh.", "tiled",
                           "cube", (0, 0.5, 0), (0, 0, 0), [UP], 4, False, False)}


def meshes():
    return {"spike": spike(), "spike_down": upside_down(spike()), "wedge": wedge(), "wedge_down": upside_down(wedge()),
            "crack": scaled(BLOCK, tetgen_meshes.CRACK_POINTS, tetgen_meshes.CRACK_CELLS),
            "hole": scaled(BLOCK, tetgen_meshes.HOLE_POINTS, tetgen_meshes.HOLE_CELLS),
            "tiled": scaled(1.0, tetgen_meshes.TILED_POINTS, tetgen_meshes.TILED_CELLS),
            "ground": box(*GROUND), "cube": box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)), "cliff": cliff()}


def pressed(case):
    """Normals of the faces of the bottom body that the top body presses against: Table 4 marks them with a dagger."""
    return [(-x, y, z) for x, y, z in case.normals] if len(case.normals) == 1 and case.normals[0][0] else case.normals


def noisy(shape, noise, place):
    """The shape with each coordinate displaced at random by up to `noise`."""
    points, cells = shape
    return [tuple(x + noise * place.uniform(-1, 1) for x in point) for point in points], cells


def case_scene(name, flight, by_motion=False):
    case = CASES[name]
    velocity = (case.velocity[0], case.velocity[1] - (GRAVITY * flight if case.falls else 0), case.velocity[2])
    position = tuple(x + flight * v for x, v in zip(case.position, velocity))
    comment = [f"{case.about} Erleben (2018), Table 4: {name.replace('_', ' ')}.", "Written by make_cases.py."]
    bodies = [("bottom", case.bottom, (0, 0, 0), (0, 0, 0)), ("top", case.top, position, case.velocity)]
    return scene(comment, name, 200, bodies[::-1] if case.top_first else bodies, "bottom",
                 [("bottom", "top", normal, case.contacts) for normal in (pressed(case) if by_motion else case.normals)])


def pillar(shift, seed):
    """Bodies and expected normals of the Pillar: plinth, five stones and crown on a ground whose diagonal crosses the plinth's."""
    place = random.Random(seed)
    names = ["plinth"] + [f"stone{k + 1}" for k in range(len(STONES))] + ["crown"]
    files = ["plinth"] + [f"stone_{k + 1}" for k in range(len(STONES))] + ["crown"]
    bodies = [("ground", "ground_pillar", (0, 0, 0), (0, 0, 0))]
    expected = []
    for k, (name, mesh) in enumerate(zip(names, files)):
        position = (shift * place.uniform(-1, 1), math.fsum(HEIGHTS[:k]), shift * place.uniform(-1, 1))
        expected.append((bodies[-1][0], name, UP, 6 if k else 4))
        bodies.append((name, mesh, position, (0, 0, 0)))
    return bodies, expected


def pillar_meshes(levels):
    slab = {name: box((-WIDTH / 2, 0.0, -WIDTH / 2), (WIDTH / 2, height, WIDTH / 2))
            for name, height in (("plinth", HEIGHTS[0]), ("crown", HEIGHTS[-1]))}
    slab.update({f"stone_{k + 1}": stone(*radii, HEIGHTS[k + 1]) for k, radii in enumerate(STONES)})
    for _ in range(levels):
        slab = {name: refined(shape) for name, shape in slab.items()}
    return {**slab, "ground_pillar": box((-1.5, -0.3, -1.0), (1.5, 0.0, 1.0))}


def write_pillar(folder, shift, seed, levels):
    for name, shape in pillar_meshes(levels).items():
        write_msh(os.path.join(folder, "meshes", f"{name}.msh"), shape)
    comment = ["A pillar of stones with hexagonal caps between a square plinth and a square crown. Erleben (2018), Fig. 5 and 6.",
               "Written by make_cases.py."]
    bodies, expected = pillar(shift, seed)
    with open(os.path.join(folder, "pillar.yaml"), "w", encoding="ascii") as out:
        out.write(scene(comment, "pillar", 500, bodies, "ground", expected))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"pillar or a case: {', '.join(CASES)}; default: all")
    parser.add_argument("-o", default=HERE, metavar="DIR", help="folder; default: the folder of this file")
    parser.add_argument("--flight", type=float, default=STEP, metavar="T",
                        help="time of free motion of the top body of a case from the touching position [s]; default: one time step")
    parser.add_argument("--noise", type=float, default=0.0, help="largest random displacement of the vertices of a case [m]")
    parser.add_argument("--pressed", action="store_true",
                        help="two points: expect the normal of the face that the motion presses against, instead of the one of Table 8")
    parser.add_argument("--shift", type=float, default=0.0, help="largest displacement of the stones of the pillar in x and z [m]")
    parser.add_argument("--seed", type=int, default=1, help="of the random displacements")
    parser.add_argument("--refine", type=int, default=0, help="how often each cell of the pillar is cut into eight")
    given = parser.parse_args()
    unknown = set(given.names) - {*CASES, "pillar"}
    if unknown:
        parser.error(f"there is no case {', '.join(sorted(unknown))}")
    os.makedirs(os.path.join(given.o, "meshes"), exist_ok=True)
    names = given.names or [*CASES, "pillar"]
    place = random.Random(given.seed)
    for mesh, shape in meshes().items():
        if any(mesh in (CASES[name].bottom, CASES[name].top) for name in names if name in CASES):
            write_msh(os.path.join(given.o, "meshes", f"{mesh}.msh"), noisy(shape, given.noise, place) if given.noise else shape)
    for name in names:
        if name == "pillar":
            write_pillar(given.o, given.shift, given.seed, given.refine)
            continue
        with open(os.path.join(given.o, f"table4_{name}.yaml"), "w", encoding="ascii") as out:
            out.write(case_scene(name, given.flight, given.pressed))


if __name__ == "__main__":
    main()
