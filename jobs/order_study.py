#!/usr/bin/env python3
"""Linear and quadratic cells: error of a contact force over processor time, for three pressed bodies.

    order_study.py [--quick] [--page] [-o results/orders] [--abut build/bin/abut]

In 2D: a ring of rubber (Poisson's ratio 0.45) between plates, the cylinder of Hertz (jobs/refinement_study.py), and a clamped beam under
a rigid disc, each in quasi-static steps. The reference of a problem is its finest quadratic mesh. --page draws the
picture of docs/verification.md. --quick: the two coarsest meshes of each.
"""

import collections.abc
import dataclasses
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "postprocess"))
from refinement_cases import HertzCylinder, of_order  # noqa: E402
from scene_runs import ROOT, markdown, parser_of, processor_seconds, rows_of, run  # noqa: E402

PICTURE = os.path.join(ROOT, "docs", "verification", "orders.png")

RING = """abut: 1
title: Ring between plates
dim: 2
time: {{step: 0.125, steps: 8, integrator: quasi-static, regularization: 0.1}}
materials: {{rubber: {{young: 5.0e6, poisson: 0.45, density: 1100}}}}
bodies:
  - {{name: body, material: rubber, shape: {{torus: {{major: 0.04, minor: 0.01, cells: {cells}}}, order: {order}}}}}
obstacles:
  - {{name: low, plane: {{point: [0, -0.0502], normal: [0, 1]}}}}
  - {{name: press, plane: {{point: [0, 0.0502], normal: [0, -1]}}}}
motions:
  - {{plane: low, velocity: [0, 5.0e-3]}}
  - {{plane: press, velocity: [0, -5.0e-3]}}
contact: {{dhat: {{absolute: 1.0e-5}}}}
"""
BEAM = """abut: 1
title: Beam under a disc
dim: 2
time: {{step: 0.125, steps: 8, integrator: quasi-static, regularization: 0.1}}
materials: {{metal: {{young: 1.0e6, poisson: 0.3, density: 1000}}}}
bodies:
  - {{name: body, material: metal, shape: {{box: {{size: [1, 0.05], cells: [{length}, {cells}]}}, order: {order}}}}}
obstacles:
  - {{name: press, shape: {{ball: {{radius: 0.1, cells: 24}}}}, translate: [0, 0.126]}}
motions:
  - {{select: {{body: body, box: [[0, 0], [0.001, 1]], relative: true}}}}
  - {{select: {{body: body, box: [[0.999, 0], [1, 1]], relative: true}}}}
  - {{select: {{body: press}}, velocity: [0, -0.05]}}
contact: {{dhat: {{absolute: 1.0e-4}}}}
"""


def cylinder(folder, order, cells):
    """Scene of the cylinder with `cells` edges to the contact radius; writes its geometry into the folder."""
    return of_order(HertzCylinder().write(folder, "ipc", "fixed", 0.05 / cells), order)


@dataclasses.dataclass(frozen=True)
class Problem:
    name: str
    scene: collections.abc.Callable  # text from folder, order, cells
    cells: dict  # order: cells of the meshes; the last quadratic one is the reference


PROBLEMS = (Problem("ring", lambda _, order, cells: RING.format(order=order, cells=cells), {1: (2, 4, 8, 16), 2: (1, 2, 4, 16)}),
            Problem("cylinder", cylinder, {1: (2, 4, 8, 16), 2: (1, 2, 4, 8)}),
            Problem("beam", lambda _, order, cells: BEAM.format(order=order, cells=cells, length=20 * cells),
                    {1: (1, 2, 4, 8, 16), 2: (1, 2, 4, 8)}))
COLUMNS = ("problem", "order", "cells", "vertices", "force [N]", "error", "processor s")


def force_of(out):
    """Largest component of the force on the body by its last press."""
    last = [row for row in rows_of(out, "pairs.csv") if "press" in (row["body_a"], row["body_b"])][-1]
    return abs(float(last["normal_y_N"]))


def vertices_of(out):
    import h5py  # pylint: disable=import-outside-toplevel

    with h5py.File(os.path.join(out, "fields.h5"), "r") as fields:
        return fields["mesh/rest"].shape[0]


def measure(problem, arguments):
    """Rows of a problem: order, cells, vertices, force, processor seconds."""
    rows = []
    for order, meshes in problem.cells.items():
        for cells in meshes[:2] if arguments.quick else meshes:
            out = os.path.join(arguments.output, f"{problem.name}-{order}-{cells}")
            os.makedirs(out, exist_ok=True)
            scene = os.path.join(out, "scene.yaml")
            with open(scene, "w", encoding="utf-8") as stream:
                stream.write(problem.scene(out, order, cells))
            code, message = run(scene, out, arguments)
            if code:
                print(f"{problem.name}, order {order}, {cells} cells: exit {code}: {message}", flush=True)
                continue
            rows.append((order, cells, vertices_of(out), force_of(out), processor_seconds(out)))
            print(problem.name, *rows[-1], flush=True)
    return rows


def with_errors(rows):
    """The rows with errors, without the reference."""
    reference = rows[-1][3]
    return [(*row[:4], row[3] / reference - 1, row[4]) for row in rows[:-1]]


def draw(results):
    import matplotlib  # pylint: disable=import-outside-toplevel

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt, ticker  # pylint: disable=import-outside-toplevel

    figure, axes = plt.subplots(1, len(results), figsize=(10, 3.2), sharey=True)
    for axis, (name, rows) in zip(axes, results.items()):
        for order, style in ((1, "o--"), (2, "s-")):
            mine = [row for row in rows if row[0] == order]
            axis.loglog([row[5] for row in mine], [100 * abs(row[4]) for row in mine], style, label=("linear", "quadratic")[order - 1])
        axis.set_title(name)
        axis.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter("{x:g}")
        axis.xaxis.set_minor_formatter(ticker.NullFormatter())
        axis.set_xlabel("processor time [s]")
        axis.grid(True, which="both", alpha=0.3)
    axes[0].set_ylabel("error of the force [%]")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=120)


def main():
    parser = parser_of(__doc__, "orders", 1)
    parser.add_argument("--quick", action="store_true", help="the two coarsest meshes of each order")
    parser.add_argument("--page", action="store_true", help="draw the picture of docs/verification.md")
    arguments = parser.parse_args()
    results = {problem.name: with_errors(measure(problem, arguments)) for problem in PROBLEMS}
    table = [(name, *row) for name, rows in results.items() for row in rows]
    cells = [dict(zip(COLUMNS, (name, order, mesh, vertices, f"{force:.5g}", f"{100 * error:.2f} %", f"{seconds:.2g}")))
             for name, order, mesh, vertices, force, error, seconds in table]
    print(markdown(COLUMNS, cells))
    if arguments.page:
        draw(results)


if __name__ == "__main__":
    main()
