#!/usr/bin/env python3
"""Inflates the balloon of inputs/oipc/fig13_balloon.yaml by a pressure that follows the surface, with Poisson's ratio 0 (paper, Fig. 13).

    oipc_pressure.py [--potential oipc] [--poisson 0] [--steps 18] [-o results/oipc_pressure] [--abut build/bin/abut]

The pressure on the inner side at rest is the 5 kN of the paper. Prints for each step the mean thickness (volume over the mean of both
areas), the contact force and Newton iterations. Needs NumPy and h5py.
"""

import os
import re
import subprocess
import sys

from scene_runs import ENVIRONMENT, ROOT, parser_of, require_program, rows_of

sys.path.insert(0, os.path.join(ROOT, "postprocess"))
SCENES = os.path.join(ROOT, "inputs", "oipc")
FORCE, AREA = 5000.0, 4 * 3.141592653589793 * 0.4**2  # [N], [m^2] of the inner side at rest
INNER = 162  # vertices of the inner side come first


def scene_of(arguments):
    """Text of the scene with the pressure as its load, and with every level of fields."""
    with open(os.path.join(SCENES, "fig13_balloon.yaml"), encoding="utf-8") as stream:
        text = stream.read().split("loads:\n")[0]
    text = text.replace("potential: oipc", f"potential: {arguments.potential}").replace("file: meshes/", f"file: {SCENES}/meshes/")
    if arguments.potential != "oipc":
        text = re.sub(r"^  alpha: .*\n", "", text, flags=re.M)
    text = text.replace("poisson: 0.4", f"poisson: {arguments.poisson:g}").replace("every: 2", "every: 1")
    text = re.sub("steps: .*}", f"steps: {arguments.steps}}}", text)
    return f"{text}loads:\n  - {{select: {{body: balloon, ids: {list(range(INNER))}}}, pressure: {FORCE / AREA:.10g}}}\n"


def directed_areas(points, triangles):
    """Area times outward normal of each triangle; the balloon is about the origin."""
    import numpy as np
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a) / 2
    return normal * np.sign((normal * (a + b + c)).sum(axis=1))[:, None]


def mesh_of(results):
    """Cells, and triangles of the inner and the outer side."""
    surface = results.mesh("surface").reshape(-1, 3)
    return results.mesh("cells")[()], [surface[(surface < INNER).all(axis=1)], surface[(surface >= INNER).all(axis=1)]]


def report(level, cells, sides, row):
    """Prints the line of a step."""
    import numpy as np
    points, force = level["position"][()], float(np.linalg.norm(level["contact_force"], axis=1).sum())
    corners = points[cells]
    volume = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])).sum() / 6
    areas = [np.linalg.norm(directed_areas(points, side), axis=1).sum() for side in sides]
    print(f"step {row['step']}: thickness {1e3 * 2 * volume / sum(areas):.2f} mm, inner area {areas[0]:.2f} m^2, "
          f"contact force {force:.3g} N, contacts {row['contacts']}, Newton {row['newton_iterations']}, "
          f"intersections {row['intersections']}, smallest gap {1e3 * float(row['min_gap_m']):.3g} mm", flush=True)


def main():
    parser = parser_of(__doc__, "oipc_pressure", ranks=1)
    parser.add_argument("--potential", default="oipc")
    parser.add_argument("--poisson", type=float, default=0)
    parser.add_argument("--steps", type=int, default=18)
    arguments = parser.parse_args()
    require_program(arguments.abut)
    from abut_results import Results
    out = os.path.join(arguments.output, f"{arguments.potential}-{arguments.poisson:g}")
    path = os.path.join(out, "scene.yaml")
    os.makedirs(out, exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(scene_of(arguments))
    done = subprocess.run([arguments.abut, "run", path, "-o", out, "-overwrite", "-progress", "none"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, env=ENVIRONMENT)
    print(done.stdout, end="")
    results = Results(out)
    cells, sides = mesh_of(results)
    for number, row in zip(results.levels()[1:], rows_of(out)):
        report(results.level(number), cells, sides, row)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
