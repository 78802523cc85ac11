#!/usr/bin/env python3
"""Refines a twisted mat and twisted solid bodies and fits the growth of time, memory and contacts with the number of nodes (paper, Fig.
21).

    mesh_sweep.py [--only mat] [--steps 3] [--sizes 4] [-n 2] [-o results/mesh_sweep] [--abut build/bin/abut]

All meshes run the same time steps. Exponents are slopes of least-squares lines through the logarithms. A mesh that exceeds its time limit
counts with the steps it completed. A mesh with results is not run again.
"""

import math
import os
import re
import sys

from ipc2020 import SCENES, measured
from scene_runs import markdown, parser_of, run

SIZES = {"mat": [[40, 1, 40], [100, 1, 100], [200, 1, 200], [316, 1, 316]],
         "bar": [[30, 6, 6], [60, 12, 12], [90, 18, 18], [140, 28, 28]]}
COLUMNS = ["mesh", "nodes", "cells", "steps", "Newton a step", "contacts avg", "contacts max", "s a step", "processor s a step",
           "s a Newton iteration", "memory [MB]", "crossings", "remark"]
FITTED = ("s a step", "s a Newton iteration", "memory [MB]", "Newton a step")


def exponent(pairs):
    """Slope of log y over log x, or nan."""
    points = [(math.log(x), math.log(y)) for x, y in pairs if x > 0 and y > 0]
    if len(points) < 2:
        return math.nan
    x, y = (sum(values) / len(points) for values in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def refined(name, cells):
    with open(os.path.join(SCENES, f"sweep_{name}.yaml"), encoding="utf-8") as stream:
        return re.sub(r"cells: \[\d+, \d+, \d+\]", f"cells: [{', '.join(map(str, cells))}]", stream.read())


def fits(rows):
    done = [row for row in rows if row["nodes"]]
    for column in FITTED:
        power = exponent([(row["nodes"], float(row[column])) for row in done])
        yield f"{column}: nodes^{power:.2f}"


def main():
    parser = parser_of(__doc__, "mesh_sweep", ranks=2, timeout=7200)
    parser.add_argument("--only", choices=sorted(SIZES))
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--sizes", type=int, default=4, help="number of meshes, from the coarsest")
    parser.add_argument("--options", default="", help="options of abut, as in --options='-abut_linear direct'")
    arguments = parser.parse_args()
    failed, report = False, {}
    for name in [arguments.only] if arguments.only else SIZES:
        rows = []
        for cells in SIZES[name][: arguments.sizes]:
            label = "x".join(map(str, cells))
            out = os.path.join(arguments.output, f"{name}-{label}")
            os.makedirs(out, exist_ok=True)
            scene = os.path.join(out, "scene.yaml")
            with open(scene, "w", encoding="utf-8") as stream:
                stream.write(refined(name, cells))
            code, said = run(scene, out, arguments, ["-steps", str(arguments.steps), *arguments.options.split()])
            row = measured(label, out, code, said)
            seconds = row["s a step"]
            row.update({"mesh": f"{name} {label}", "s a Newton iteration":
                        f"{float(seconds) / max(float(row['Newton a step']), 1e-9):.3g}" if seconds else ""})
            rows.append(row)
            print(markdown(COLUMNS, [row]).splitlines()[-1], flush=True)
            report[name] = markdown(COLUMNS, rows) + "\nFitted: " + ", ".join(fits(rows)) + ".\n"
            with open(os.path.join(arguments.output, f"mesh_sweep_{name}.md"), "w", encoding="utf-8") as stream:
                stream.write(report[name])
        print(report[name].splitlines()[-1])
        failed = failed or any(row["remark"] for row in rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
