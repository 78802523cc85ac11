#!/usr/bin/env python3
"""Makes forty scenes whose bodies overlap at the start in ways that are hard to part, for `abut deform SCENE.yaml -resolve -o DIR`.

    make_cases.py -o DIR                  all scenes, as DIR/NAME.yaml
    make_cases.py plates_4 wedge -o DIR   these two

Stacks of thin plates, sheets and rods that pass through each other, piles, bodies in obstacles of planes and open surfaces, in 3D and 2D.
In `nested`, `behind` and `slot` no answer exists: they are to be refused. Lengths are in metres, z (2D: y) is up.
"""

import argparse
import os
import random

SOFT, HARD = "soft", "hard"
CASES = {}


class Scene:
    """Bodies and obstacles of a scene, as lines of its file, and the surfaces of its obstacles."""

    def __init__(self, name, dim=3, dhat=0.002):
        self.name, self.dim, self.dhat, self.bodies, self.obstacles, self.files = name, dim, dhat, [], [], {}
        self.random = random.Random(name)

    def vector(self, values):
        return "[" + ", ".join(f"{x:.6g}" for x in list(values)[:self.dim]) + "]"

    def add(self, shape, place, turn=(0, 0, 0), material=None):
        """Adds a body; without material soft and hard ones alternate."""
        number = len(self.bodies)
        turn = "[" + ", ".join(f"{x:.6g}" for x in turn) + "]"
        self.bodies.append(f"  - {{name: b{number}, material: {material or (SOFT, HARD)[number % 2]}, shape: {{{shape}}}, "
                           f"rotate: {turn}, translate: {self.vector(place)}}}")

    def box(self, size, cells, place, turn=(0, 0, 0), material=None):
        self.add(f"box: {{size: {self.vector(size)}, cells: {self.vector(cells)}}}", place, turn, material)

    def ball(self, radius, cells, place, material=None):
        self.add(f"ball: {{radius: {radius:g}, cells: {cells}}}", place, material=material)

    def plane(self, point, normal):
        self.obstacles.append(f"  - {{name: plane{len(self.obstacles)}, plane: {{point: {self.vector(point)}, "
                              f"normal: {self.vector(normal)}}}}}")

    def surface(self, vertices, elements):
        """Adds an open obstacle of triangles (2D: segments); elements count from 1."""
        name = f"{self.name}_{len(self.obstacles)}" + (".obj" if self.dim == 3 else ".seg")
        letter = "f" if self.dim == 3 else "s"
        lines = ["v " + " ".join(f"{x:.9g}" for x in v) for v in vertices] + [f"{letter} " + " ".join(map(str, e)) for e in elements]
        self.files[name] = "\n".join(lines) + "\n"
        self.obstacles.append(f"  - {{name: surface{len(self.obstacles)}, shape: {{file: {name}}}}}")

    def text(self):
        obstacles = ["obstacles:", *self.obstacles] if self.obstacles else []
        down = (0, 0, -9.81) if self.dim == 3 else (0, -9.81)
        return "\n".join(["abut: 1", f"title: {self.name}", f"dim: {self.dim}", "time: {step: 0.005, steps: 3}",
                          f"gravity: {self.vector(down)}", "materials:", "  soft: {young: 1.0e5, poisson: 0.4, density: 1000}",
                          "  hard: {young: 1.0e6, poisson: 0.3, density: 1000}", "bodies:", *self.bodies, *obstacles,
                          f"contact: {{dhat: {{absolute: {self.dhat:g}}}}}", ""])


def case(dim=3, dhat=0.002):
    """Registers a function that fills a scene under its name."""
    def register(function):
        CASES[function.__name__] = (function, dim, dhat)
        return function
    return register


# ---- Thin bodies

def stack(scene, number, overlap=0.005, shift=0.01, thickness=0.06):
    for i in range(number):
        scene.box((1, 1, thickness), (10, 10, 1), (shift * i, 2 * shift * i, (thickness - overlap) * i))


for count in (2, 3, 4, 5, 6, 7, 8):
    CASES[f"plates_{count}"] = (lambda scene, number=count: stack(scene, number), 3, 0.001)


@case(dhat=0.001)
def plates_equal(scene):
    stack(scene, 8, shift=0)


@case(dhat=0.001)
def plates_deep(scene):
    stack(scene, 5, overlap=0.045)


@case(dhat=0.001)
def plates_tilted(scene):
    for i in range(4):
        scene.box((1, 1, 0.06), (8, 8, 1), (0, 0, 0.06 * i), (4 * (-1) ** i, 3, 11 * i))


@case(dhat=0.001)
def plates_same_place(scene):
    scene.box((1, 1, 0.06), (8, 8, 1), (0, 0, 0))
    scene.box((1, 1, 0.06), (8, 8, 1), (0.01, 0, 0.001), (0, 0, 7))


def sheet(scene):
    scene.box((2, 2, 0.02), (16, 16, 1), (0, 0, 0), material=SOFT)


@case(dhat=0.001)
def sheet_box(scene):
    sheet(scene)
    scene.box((0.5, 0.5, 0.5), (4, 4, 4), (0.013, 0.021, 0), material=HARD)


@case(dhat=0.001)
def sheet_box_turned(scene):
    sheet(scene)
    scene.box((0.5, 0.5, 0.5), (4, 4, 4), (0.1, 0.2, 0.12), (35, 25, 10), HARD)


@case(dhat=0.001)
def sheet_ball(scene):
    sheet(scene)
    scene.ball(0.3, 6, (0.05, 0.02, 0.1), HARD)


@case(dhat=0.001)
def sheets_crossed(scene):
    sheet(scene)
    scene.box((1, 1, 0.02), (8, 8, 1), (0.1, 0.05, 0.2), (80, 0, 15))


@case(dhat=0.001)
def rod_through_plate(scene):
    scene.box((1, 1, 0.1), (8, 8, 1), (0, 0, 0))
    scene.box((0.1, 0.1, 2), (1, 1, 12), (0.21, 0.17, 0.4), (5, 3, 0))


@case(dhat=0.001)
def rods_crossed(scene):
    for i in range(4):
        scene.box((2, 0.08, 0.08), (16, 1, 1), (0.03 * i, 0.02 * i, 0.02 * i), (0, 0, 45 * i))


@case()
def ring_and_bar(scene):
    scene.add("torus: {major: 1.0, minor: 0.25, cells: 3}", (0, 0, 0))
    scene.box((0.5, 0.5, 3), (4, 4, 24), (0.55, 0.011, 0.013))


@case()
def rings_linked(scene):
    scene.add("torus: {major: 1.0, minor: 0.3, cells: 3}", (0, 0, 0))
    scene.add("torus: {major: 1.0, minor: 0.3, cells: 3}", (0.55, 0, 0), (90, 0, 0))


# ---- Many bodies

def pile(scene, number, width, add):
    for i in range(number):
        add(i, [scene.random.uniform(-width, width) for _ in range(3)], [scene.random.uniform(-90, 90) for _ in range(3)])


@case()
def pile_of_balls(scene):
    pile(scene, 27, 0.9, lambda i, place, turn: scene.ball(0.3, 3, place))


@case()
def pile_of_boxes(scene):
    pile(scene, 16, 0.8, lambda i, place, turn: scene.box((0.4, 0.5, 0.3), (3, 3, 3), place, turn))


@case()
def pile_of_plates(scene):
    pile(scene, 8, 0.5, lambda i, place, turn: scene.box((0.8, 0.8, 0.1), (6, 6, 1), place, turn))


@case()
def pile_in_corner(scene):
    pile(scene, 12, 0.5, lambda i, place, turn: scene.ball(0.3, 3, place))
    for normal in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        scene.plane([-0.6 * x for x in normal], normal)


@case()
def cluster(scene):
    for sign in (-1, 1):
        for axis in range(3):
            scene.ball(0.5, 5, [0.3 * sign * (k == axis) for k in range(3)])


@case()
def tower(scene):
    for i in range(10):
        scene.box((1, 1, 1), (4, 4, 4), (0.05 * (-1) ** i, 0.03 * (i % 3), 0.5 + 0.9 * i), (0, 0, 7 * i))
    scene.plane((0, 0, 0.05), (0, 0, 1))


# ---- Obstacles

@case(dhat=0.005)
def corner_in_floor(scene):
    scene.box((1, 1, 1), (8, 8, 8), (0, 0, 0.55), (15, 10, 0))
    scene.plane((0, 0, 0), (0, 0, 1))


@case(dhat=0.005)
def half_in_floor(scene):
    scene.box((1, 1, 1), (5, 5, 5), (0, 0, -0.05), (15, 10, 0))
    scene.ball(0.4, 7, (0.5, 0.5, 1.2))
    scene.plane((0, 0, 0), (0, 0, 1))


@case()
def wedge(scene):
    scene.ball(0.5, 6, (0, 0, 0.3))
    scene.plane((0, 0, 0), (1, 0, 1))
    scene.plane((0, 0, 0), (-1, 0, 1))


@case()
def slot(scene):
    scene.box((1, 1, 1), (4, 4, 4), (0, 0, 0))
    scene.plane((-0.001, 0, 0), (1, 0, 0))
    scene.plane((0.001, 0, 0), (-1, 0, 0))


@case()
def press(scene):
    scene.box((1, 1, 1), (4, 4, 4), (0, 0, 0))
    scene.box((1, 1, 1), (4, 4, 4), (0.1, 0.1, 0.95))
    scene.plane((0, 0, -0.4), (0, 0, 1))
    scene.plane((0, 0, 1.4), (0, 0, -1))


def square(scene, height):
    scene.surface([(-1, -1, height), (1, -1, height), (1, 1, height), (-1, 1, height)], [(1, 2, 3), (1, 3, 4)])


@case()
def box_in_surface(scene):
    scene.box((0.5, 0.5, 0.5), (4, 4, 4), (0.013, 0.021, 0))
    square(scene, 0.003)


@case()
def box_between_surfaces(scene):
    scene.box((0.5, 0.5, 0.5), (4, 4, 4), (0.013, 0.021, 0))
    square(scene, -0.2)
    scene.surface([(-1, -1, 0.2), (1, -1, 0.2), (1, 1, 0.2), (-1, 1, 0.2)], [(1, 3, 2), (1, 4, 3)])


@case()
def nested(scene):
    scene.ball(1, 5, (0, 0, 0))
    scene.ball(0.3, 3, (0.1, 0, 0))


@case()
def behind(scene):
    scene.ball(0.5, 4, (0, 0, -3))
    scene.plane((0, 0, 0), (0, 0, 1))


# ---- 2D

@case(2)
def beams_crossed(scene):
    for i in range(4):
        scene.box((2, 0.06), (20, 1), (0.05 * i, 0.03 * i), (0, 0, 40 * i))


@case(2)
def beams_stacked(scene):
    for i in range(8):
        scene.box((2, 0.06), (20, 1), (0.03 * i, 0.05 * i))


@case(2)
def pile_of_squares(scene):
    pile(scene, 20, 0.9, lambda i, place, turn: scene.box((0.4, 0.3), (4, 3), place, (0, 0, turn[0])))


@case(2)
def pile_of_discs(scene):
    pile(scene, 25, 1, lambda i, place, turn: scene.ball(0.25, 4, place))
    scene.plane((0, -0.9), (0, 1))


@case(2)
def square_in_corner(scene):
    scene.box((1, 1), (6, 6), (0.3, 0.35), (0, 0, 30))
    scene.plane((0, 0), (1, 0))
    scene.plane((0, 0), (0, 1))


@case(2)
def disc_on_line(scene):
    scene.ball(0.5, 6, (0.1, 0.05))
    scene.surface([(-2, 0), (0, 0.02), (2, 0)], [(3, 2), (2, 1)])


def write(directory, name):
    """Writes a scene and its surfaces; its path."""
    fill, dim, dhat = CASES[name]
    scene = Scene(name, dim, dhat)
    fill(scene)
    for file, text in {f"{name}.yaml": scene.text(), **scene.files}.items():
        with open(os.path.join(directory, file), "w", encoding="utf-8") as stream:
            stream.write(text)
    return os.path.join(directory, f"{name}.yaml")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *CASES], help="scenes, all by default")
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    for name in arguments.names or CASES:
        print(write(arguments.output, name))


if __name__ == "__main__":
    main()
