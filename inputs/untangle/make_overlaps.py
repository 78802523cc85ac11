#!/usr/bin/env python3
"""Makes scenes whose bodies overlap at the start, for `abut deform SCENE.yaml -resolve -o DIR`.

    make_overlaps.py -o DIR                       all scenes with 1, 10 and 100 overlaps, as DIR/KIND_COUNT.yaml
    make_overlaps.py balls discs -n 1000 -o DIR   these two kinds with 1000 overlaps

Kinds: `balls` and `discs` (2D) in a lattice, `boxes` and `squares` (2D), turned by small angles, in a row, `bed` and `ditch` (2D): balls or
discs that sink into an obstacle. Neighbours overlap by 10 to 20 per cent of their size, which changes from pair to pair; three materials
whose moduli differ by factors of 10 alternate. Lengths are in metres, y is up. The scenes need no meshes from files.
"""

import argparse
import itertools
import math
import os
import random

KINDS = {"balls": 3, "discs": 2, "boxes": 3, "squares": 2, "bed": 3, "ditch": 2}
MODULI = (1e5, 1e6, 1e4)  # [Pa]
DEPTHS = (0.12, 0.2, 0.1, 0.16, 0.14)  # of the size, in turn along each axis; faces of coarse balls lie 0.03 inside of the ball
SIZE = 1.0  # of a body [m]
DHAT = 0.01  # [m]


def links(lattice):
    """Number of neighbours in a lattice."""
    return sum((n - 1) * math.prod(lattice) // n for n in lattice)


def most_cubic(count, dim):
    """The lattice with this many pairs of neighbours whose sides differ least."""
    found = []
    for short in itertools.combinations_with_replacement(range(1, 41), dim - 1):
        for long in range(max(short), count + 2):
            found += [(long - short[0], (*short, long))] if links((*short, long)) == count else []
            if links((*short, long)) >= count:
                break
    return min(found)[1]


def places(lattice):
    """Places of the bodies: along each axis neighbours are a size less a depth apart."""
    axes = []
    for axis, n in enumerate(lattice):
        at = [0.0]
        for k in range(n - 1):
            at.append(at[-1] + SIZE * (1 - DEPTHS[(k + 2 * axis) % len(DEPTHS)]))
        axes.append(at)
    return list(itertools.product(*axes))


def vector(values, dim):
    return "[" + ", ".join(f"{x:.9g}" for x in list(values)[:dim]) + "]"


class Scene:
    """Bodies and obstacles of a scene, as lines of its file."""

    def __init__(self, dim, seed):
        self.dim, self.bodies, self.obstacles, self.random = dim, [], [], random.Random(seed)

    def body(self, shape, place, angle):
        """Adds a body, turned about all axes by random angles up to `angle` [degrees]."""
        number = len(self.bodies)
        turn = [self.random.uniform(-angle, angle) for _ in range(3)]
        turn = f"[0, 0, {turn[2]:.4g}]" if self.dim == 2 else vector(turn, 3)
        self.bodies.append(f"  - {{name: body{number}, material: m{number % len(MODULI)}, shape: {{{shape}}}, rotate: {turn}, "
                           f"translate: {vector(place, self.dim)}}}")

    def obstacle(self, name, size, place):
        cells = ", ".join(str(max(1, round(x / SIZE))) for x in size[:self.dim])
        self.obstacles.append(f"  - {{name: {name}, shape: {{box: {{size: {vector(size, self.dim)}, cells: [{cells}]}}}}, "
                              f"translate: {vector(place, self.dim)}}}")

    def text(self, title):
        materials = [f"  m{i}: {{young: {young:g}, poisson: {0.3 + 0.05 * i:g}, density: 1000}}" for i, young in enumerate(MODULI)]
        obstacles = ["obstacles:", *self.obstacles] if self.obstacles else []
        return "\n".join(["abut: 1", f"title: {title}", f"dim: {self.dim}", "time: {step: 0.005, steps: 3}",
                          f"gravity: {vector((0, -9.81, 0), self.dim)}", "materials:", *materials, "bodies:", *self.bodies, *obstacles,
                          f"contact: {{dhat: {{absolute: {DHAT:g}}}}}", ""])


def round_shape(dim, cells):
    return f"ball: {{radius: {SIZE / 2:g}, cells: {cells}}}" if dim == 3 else f"ball: {{radius: {SIZE / 2:g}, cells: {2 * cells}}}"


def lattice_of_balls(scene, count, cells):
    for place in places(most_cubic(count, scene.dim)):
        scene.body(round_shape(scene.dim, cells), [x + scene.random.uniform(-0.01, 0.01) for x in place], 40)


def row_of_boxes(scene, count, cells):
    """A row along x whose boxes differ in their heights, so that faces and corners of one box meet the face of the next."""
    for number, place in enumerate(places((count + 1, 1, 1))):
        size = [SIZE, SIZE * (1 if number % 2 else 0.8), SIZE * (1 if number % 2 else 0.8)]
        shape = f"box: {{size: {vector(size, scene.dim)}, cells: {vector([2 * cells] * 3, scene.dim)}}}"
        scene.body(shape, (place[0], 0.03 * (-1) ** number, 0.0), 3)


def sunk_balls(scene, count, cells):
    """Balls side by side that do not touch each other, in an obstacle whose upper side is at height 0."""
    columns = count if scene.dim == 2 else max(n for n in range(1, math.isqrt(count) + 1) if count % n == 0)
    rows = 1 if scene.dim == 2 else count // columns
    for number in range(count):
        depth = DEPTHS[number % len(DEPTHS)]
        place = (1.3 * SIZE * (number % columns), SIZE * (0.5 - depth), 1.3 * SIZE * (number // columns))
        scene.body(round_shape(scene.dim, cells), place, 40)
    wide, deep = 1.3 * SIZE * columns, 1.3 * SIZE * rows
    scene.obstacle("bed", (wide, SIZE, deep), ((wide - 1.3 * SIZE) / 2, -SIZE / 2, (deep - 1.3 * SIZE) / 2))


MAKERS = {"balls": lattice_of_balls, "discs": lattice_of_balls, "boxes": row_of_boxes, "squares": row_of_boxes,
          "bed": sunk_balls, "ditch": sunk_balls}


def write(directory, kind, count, cells):
    scene = Scene(KINDS[kind], seed=f"{kind} {count}")
    MAKERS[kind](scene, count, cells)
    path = os.path.join(directory, f"{kind}_{count}.yaml")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(scene.text(f"{kind}, {count} overlaps"))
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", choices=[[], *KINDS], help="kinds of scenes, all by default")
    parser.add_argument("-n", "--overlaps", type=int, action="append", help="number of overlaps; may be repeated")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--cells", type=int, default=2, help="cells across the radius of a ball")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    for kind in arguments.kinds or KINDS:
        for count in arguments.overlaps or (1, 10, 100):
            print(write(arguments.output, kind, count, arguments.cells))


if __name__ == "__main__":
    main()
