#!/usr/bin/env python3
"""A D-ring seal of rubber pressed between plates: forces, and jumps of the pressure between cells, near incompressibility.

    seal_study.py [--quick] [-o results/seal] [--abut build/bin/abut]

Jumps are root mean squares over the faces inside the seal, over the mean pressure. A pressure that is constant in each cell jumps also
where it is right, by its gradient times the distance of the cells: *rest* is the jump without this part, with the mean of the gradients
of both cells, which are fitted to the cells around. Locking shows in the rest. --quick: the coarsest mesh. Needs Gmsh, NumPy and h5py.
"""

import os
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "postprocess"))
from abut_results import Results  # noqa: E402
from scene_runs import markdown, parser_of, rows_of, run  # noqa: E402

SCENE = """abut: 1
title: D-ring seal between two plates
time: {{step: 0.1, end: 1.0, integrator: quasi-static}}
materials: {{rubber: {{model: mooney-rivlin, young: 5.0e6, poisson: {poisson}, incompressible: {incompressible}, density: 1200}}}}
bodies:
  - {{name: seal, material: rubber, shape: {{file: seal.geo, mesh_size: {size}, order: {order}}}, scale: 0.001}}
obstacles:
  - {{name: bottom, plane: {{point: [0, -2.0e-5, 0], normal: [0, 1, 0]}}}}
  - {{name: top, plane: {{point: [0, 0.00502, 0], normal: [0, -1, 0]}}}}
motions:
  - {{plane: top, velocity: [0, -1.25e-3, 0]}}
contact: {{dhat: {{absolute: 2.0e-5}}, relative_stiffness: 0.1, friction: {{default: 0.3, speed: {{absolute: 1.0e-4}}}}}}
output: {{fields: {{every: 10}}}}
"""
GEOMETRY = """// Flat bottom, round top, section 5 x 5, mean radius 20 [mm]
SetFactory("OpenCASCADE");
Point(1) = {17.5, 0, 0}; Point(2) = {22.5, 0, 0}; Point(3) = {22.5, 2.5, 0}; Point(4) = {20, 2.5, 0}; Point(5) = {17.5, 2.5, 0};
Point(6) = {20, 5, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Circle(3) = {3, 4, 6}; Circle(4) = {6, 4, 5}; Line(5) = {5, 1};
Curve Loop(1) = {1, 2, 3, 4, 5};
Plane Surface(1) = {1};
front() = Extrude {{0, 1, 0}, {0, 0, 0}, Pi} { Surface{1}; };
back() = Extrude {{0, 1, 0}, {0, 0, 0}, -Pi} { Surface{1}; };
BooleanUnion(100) = { Volume{front(1)}; Delete; }{ Volume{back(1)}; Delete; };
Physical Volume("seal") = {100};
"""
# order, treatment, Poisson's ratio, edge lengths [mm]
RUNS = ((1, "auto", 0.499, (2.5, 1.25)), (2, "auto", 0.45, (2.5, 1.25)), (2, "auto", 0.499, (2.5, 1.25, 0.9)),
        (2, "none", 0.499, (2.5, 1.25)))
COLUMNS = ("order", "incompressible", "poisson", "h [mm]", "cells", "force [N]", "jumps", "rest")


def neighbours(cells):
    """Pairs of cells with a common face."""
    faces = np.sort(np.concatenate([cells[:, [1, 2, 3]], cells[:, [0, 2, 3]], cells[:, [0, 1, 3]], cells[:, [0, 1, 2]]]), axis=1)
    order = np.lexsort(faces.T)
    inside = np.nonzero((faces[order[1:]] == faces[order[:-1]]).all(axis=1))[0]
    return order[inside] % len(cells), order[inside + 1] % len(cells)


def gradients(cells, middles, pressure):
    """Gradient of the pressure in each cell: least squares over the cells with a common corner."""
    around = [set() for _ in range(cells.max() + 1)]
    for cell, corners in enumerate(cells):
        for corner in corners:
            around[corner].add(cell)
    found = []
    for cell, corners in enumerate(cells):
        near = sorted(set.union(*(around[corner] for corner in corners)) - {cell})
        found.append(np.linalg.lstsq(middles[near] - middles[cell], pressure[near] - pressure[cell], rcond=None)[0])
    return np.array(found)


def jumps(out):
    """Jumps of the pressure between cells, and their rest, over the mean pressure."""
    results = Results(out)
    cells, corners = results.mesh("cells")[:].astype(int), results.mesh("rest")[:]
    pressure = -results.field("cauchy").reshape(-1, 3, 3).astype(float).trace(axis1=1, axis2=2) / 3
    edges = corners[cells[:, 1:]] - corners[cells[:, :1]]
    mean = np.average(pressure, weights=abs(np.linalg.det(edges)))
    middles, (a, b) = corners[cells].mean(axis=1), neighbours(cells)
    slope = gradients(cells, middles, pressure)
    jump = pressure[a] - pressure[b]
    smooth = ((slope[a] + slope[b]) / 2 * (middles[a] - middles[b])).sum(axis=1)
    return len(cells), np.sqrt((jump**2).mean()) / mean, np.sqrt(((jump - smooth)**2).mean()) / mean


def main():
    parser = parser_of(__doc__, "seal", 1)
    parser.add_argument("--quick", action="store_true", help="the coarsest mesh of each")
    arguments = parser.parse_args()
    table = []
    for order, incompressible, poisson, sizes in RUNS:
        for size in sizes[:1] if arguments.quick else sizes:
            out = os.path.join(arguments.output, f"{order}-{incompressible}-{poisson}-{size}")
            os.makedirs(out, exist_ok=True)
            for name, text in (("seal.geo", GEOMETRY), ("scene.yaml", SCENE.format(order=order, incompressible=incompressible,
                                                                                    poisson=poisson, size=size / 1000))):
                with open(os.path.join(out, name), "w", encoding="utf-8") as stream:
                    stream.write(text)
            code, message = run(os.path.join(out, "scene.yaml"), out, arguments)
            if code:
                print(f"{out}: exit {code}: {message}", flush=True)
                continue
            force = abs(float([row for row in rows_of(out, "pairs.csv") if "top" in (row["body_a"], row["body_b"])][-1]["normal_y_N"]))
            num, jump, rest = jumps(out)
            table.append(dict(zip(COLUMNS, (order, incompressible, poisson, size, num, f"{force:.1f}", f"{100 * jump:.0f} %",
                                            f"{100 * rest:.0f} %"))))
            print(*table[-1].values(), flush=True)
    print(markdown(COLUMNS, table))


if __name__ == "__main__":
    main()
