#!/usr/bin/env python3
"""Makes the meshes of the figure scenes: creatures, rollers, a funnel, a tube, knives and pins.

    python3 inputs/ipc2020/make_meshes.py            the small ones, into meshes/ beside this file
    python3 inputs/ipc2020/make_meshes.py --large    meshes of the paper's size, into meshes/large/ (minutes each, not kept in git)
    python3 inputs/ipc2020/make_meshes.py gnome_13k  only the ones named

The same files come out every time. Creatures are cut out of a lattice (lattice.py), which keeps the angles between faces of their cells
between 11 and 160 degrees.
"""

import argparse
import math
import os

import creatures
import lattice
from make_blocks import hexahedron, positive, write_msh, write_obj

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "meshes")
SMALL = {"dolphin": 0.043, "gnome": 0.055, "octopus": 0.052, "hare": 0.062,
         "cage": 0.075}  # cell of the lattice, bodies are about 1 in size
COARSE = {"octopus_800": ("octopus", 0.0702), "hare_600": ("hare", 0.0837), "cage_900": ("cage", 0.09), "gnome_600": ("gnome", 0.077)}
LARGE = {  # cells that give about as many vertices as the paper's models have
    "ball_1k": ("ball", 0.125),
    "dolphin_8k": ("dolphin", 0.0205), "octopus_6k": ("octopus", 0.033), "hare_5k": ("hare", 0.0375), "hare_8k": ("hare", 0.0315),
    "cage_8k": ("cage", 0.0385), "gnome_3k": ("gnome", 0.0385),
    "gnome_13k": ("gnome", 0.0236), "gnome_23k": ("gnome", 0.0201), "gnome_28k": ("gnome", 0.0188),
    "gnome_54k": ("gnome", 0.01495), "gnome_67k": ("gnome", 0.01325),
    "gnome_122k": ("gnome", 0.0113), "gnome_219k": ("gnome", 0.00924)}
MATS = {"mat_3k": 37, "mat_12k": 74, "mat_45k": 148, "mat_176k": 296}  # cells along a side; each mesh divides the one before
SQUISHY = {"squishy_ball": ((30, 0.22, 0.05), 0.06), "squishy_ball_286k": ((700, 0.3, 0.0115), 0.01795),
           "squishy_ball_2m": ((700, 0.3, 0.0115), 0.0098)}  # tendrils, core, thickness; cell


def revolved(profile, sides):
    """A surface about the y axis from (radius, y) pairs, quads cut in two; a radius of 0 closes it in a point."""
    points, rings, faces = [], [], []
    for radius, y in profile:
        rings.append(range(len(points), len(points) + (sides if radius else 1)))
        angles = [2 * math.pi * k / sides for k in range(sides)] if radius else [0.0]
        points += [(radius * math.cos(a), y, radius * math.sin(a)) for a in angles]
    for one, two in zip(rings, rings[1:]):
        for k in range(sides):
            a, b, c, d = one[k % len(one)], one[(k + 1) % sides % len(one)], two[(k + 1) % sides % len(two)], two[k % len(two)]
            faces += [(a, b, c)] if a != b else []
            faces += [(a, c, d)] if c != d else []
    return points, faces


def steps(start, end, count):
    return [start + (end - start) * k / count for k in range(count + 1)]


def roller(radius, half, sides, rings):
    """A closed cylinder along x."""
    points, faces = revolved([(0, -half)] + [(radius, y) for y in steps(-half, half, rings - 1)] + [(0, half)], sides)
    return [(y, z, x) for x, y, z in points], faces


def funnel(mouth=0.18, tube=0.045, length=1.5, sides=12, rings=24):
    """Opens towards -x at x = 0, then a long narrow tube along x."""
    profile = [(mouth, 0.0), (0.4 * mouth, length / rings)] + [(tube, y) for y in steps(2 * length / rings, length, rings - 2)]
    points, faces = revolved(profile, sides)
    return [(y, z, x) for x, y, z in points], faces


def squeeze_tube(radius=0.36, outlet=0.055, top=3.3, shoulder=0.95, low=0.4, sides=32):
    """A wide tube that narrows to an outlet at y = `low`."""
    profile = [(radius, y) for y in steps(top, shoulder, 24)][:-1]
    profile += list(zip(steps(radius, outlet, 11), steps(shoulder, low, 11)))
    return revolved(profile, sides)


def rounded(points):
    return [tuple(round(x, 6) + 0.0 for x in p) for p in points]


def write_body(path, function, lower, upper, cell):
    points, tets = lattice.fill(function, lower, upper, cell)
    points = rounded(points)
    write_msh(path, points, positive(points, tets))
    print(f"{path}: {len(points)} vertices, {len(tets)} cells")


def write_obstacles():
    surfaces = {"roller": roller(0.1, 0.5, 12, 12), "roller_long": roller(1 / 6, 0.825, 16, 17), "funnel": funnel(),
                "squeeze_tube": squeeze_tube(),
                "knife": ([(0, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2)])}
    for name, (points, faces) in surfaces.items():
        write_obj(os.path.join(FOLDER, name + ".obj"), rounded(points), faces)
    for name, text in {"point.pt": "v 0 0 0\n", "pin.seg": "v 0 0 0\nv 0 1 0\ns 1 2\n"}.items():
        with open(os.path.join(FOLDER, name), "w", encoding="ascii") as stream:
            stream.write(text)


def bodies():
    """By name: folder, function with its box, cell."""
    out = {name: (FOLDER, creatures.CREATURES[name](), cell) for name, cell in SMALL.items()}
    out |= {name: (FOLDER, creatures.CREATURES[creature](), cell) for name, (creature, cell) in COARSE.items()}
    large = os.path.join(FOLDER, "large")
    out |= {name: (large, creatures.CREATURES[creature](), cell) for name, (creature, cell) in LARGE.items()}
    out |= {name: (FOLDER if name == "squishy_ball" else large, creatures.squishy_ball(*shape), cell)
            for name, (shape, cell) in SQUISHY.items()}
    return out


def write_mat(name, cells, size=1.0, thickness=0.008):
    """A flat mat about the origin, one layer of cells, thin in z."""
    corners = [[((b & 1) - 0.5) * size, ((b >> 1 & 1) - 0.5) * size, ((b >> 2) - 0.5) * thickness] for b in range(8)]
    points, tets = hexahedron(corners, (cells, cells, 1))
    path = os.path.join(FOLDER, "large", name + ".msh")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_msh(path, points, tets)
    print(f"{path}: {len(points)} vertices, {len(tets)} cells")


def main():
    parser = argparse.ArgumentParser(description="Makes the meshes of the figure scenes.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these bodies")
    parser.add_argument("--large", action="store_true", help="all bodies of the paper's size")
    arguments = parser.parse_args()
    known = bodies()
    if (unknown := [name for name in arguments.names if name not in (*known, *MATS)]):
        parser.error(f"no body {unknown[0]}; there are {', '.join((*known, *MATS))}")
    for name in arguments.names or (MATS if arguments.large else ()):
        if name in MATS:
            write_mat(name, MATS[name])
    small = [name for name, (folder, _, _) in known.items() if folder == FOLDER]
    if arguments.names:
        chosen = [name for name in arguments.names if name in known]
    else:
        chosen = [name for name in known if name not in small] if arguments.large else small
    for name in chosen:
        folder, (function, lower, upper), cell = known[name]
        os.makedirs(folder, exist_ok=True)
        write_body(os.path.join(folder, name + ".msh"), function, lower, upper, cell)
    if not arguments.names and not arguments.large:
        write_obstacles()


if __name__ == "__main__":
    main()
