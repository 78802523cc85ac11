#!/usr/bin/env python3
"""Inflates the balloon of inputs/oipc/fig13_balloon.yaml by a pressure that follows the surface, with Poisson's ratio 0 (paper, Fig. 13).

    oipc_pressure.py [--potential oipc] [--poisson 0] [--steps 22] [-o results/oipc_pressure] [--abut build/bin/abut]

Loads of abut keep their size and direction. Here each step is a run of its own from the checkpoint of the step before, with the
forces of a constant pressure on the inner side in its current shape: the pressure follows the surface with a delay of one step. The
pressure on the inner side at rest is the 5 kN of the paper. Prints for each step the mean thickness (volume over the mean of both
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


def scene_of(arguments):
    """Text of the scene up to its loads, with every level of fields."""
    with open(os.path.join(SCENES, "fig13_balloon.yaml"), encoding="utf-8") as stream:
        text = stream.read().split("loads:\n")[0]
    text = text.replace("potential: oipc", f"potential: {arguments.potential}").replace("file: meshes/", f"file: {SCENES}/meshes/")
    if arguments.potential != "oipc":
        text = re.sub(r"^  alpha: .*\n", "", text, flags=re.M)
    return text.replace("poisson: 0.4", f"poisson: {arguments.poisson:g}").replace("every: 2", "every: 1")


def directed_areas(points, triangles):
    """Area times outward normal of each triangle; the balloon is about the origin."""
    import numpy as np
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a) / 2
    return normal * np.sign((normal * (a + b + c)).sum(axis=1))[:, None]


def loads_of(points, triangles, pressure):
    """Entries of the scene: a force for each vertex of the inner side."""
    import numpy as np
    force = np.zeros_like(points)
    for corner in range(3):
        np.add.at(force, triangles[:, corner], pressure * directed_areas(points, triangles) / 3)
    lines = [f"  - {{select: {{body: balloon, ids: [{v}]}}, force: [{', '.join(f'{x:.10g}' for x in force[v])}]}}\n"
             for v in np.unique(triangles)]
    return "loads:\n" + "".join(lines)


def last_level(out):
    """Positions and the sum of contact forces of the last level. The file is closed again, because the next step writes into it."""
    import numpy as np
    from abut_results import Results
    results = Results(out)
    level = results.level(results.levels()[-1])
    return level["position"][()], float(np.linalg.norm(level["contact_force"], axis=1).sum())


def mesh_of(out):
    """Positions at rest, cells, and triangles of the inner and the outer side."""
    from abut_results import Results
    results = Results(out)
    surface, rest = results.mesh("surface").reshape(-1, 3), results.mesh("rest")[()]
    inner = len(rest) // 2  # vertices of the inner side come first
    return rest, results.mesh("cells")[()], [surface[(surface < inner).all(axis=1)], surface[(surface >= inner).all(axis=1)]]


def report(step, state, cells, sides, row):
    """Prints the line of a step."""
    import numpy as np
    points, force = state
    corners = points[cells]
    volume = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])).sum() / 6
    areas = [np.linalg.norm(directed_areas(points, side), axis=1).sum() for side in sides]
    print(f"step {step}: thickness {1e3 * 2 * volume / sum(areas):.2f} mm, inner area {areas[0]:.2f} m^2, contact force {force:.3g} N, "
          f"contacts {row['contacts']}, Newton {row['newton_iterations']}, intersections {row['intersections']}, smallest gap "
          f"{1e3 * float(row['min_gap_m']):.3g} mm", flush=True)


def go(path, out, step, arguments):
    """Runs one step; the message of a failure or ''. Step 0 is step 1 without loads, whose fields have the mesh; step 1 replaces it."""
    again = ["-restart", os.path.join(out, "checkpoint.h5")] if step > 1 else ["-overwrite"]
    done = subprocess.run([arguments.abut, "run", path, "-o", out, "-steps", str(max(step, 1)), "-progress", "none", *again],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=ENVIRONMENT)
    return done.stdout if done.returncode else ""


def main():
    parser = parser_of(__doc__, "oipc_pressure", ranks=1)
    parser.add_argument("--potential", default="oipc")
    parser.add_argument("--poisson", type=float, default=0)
    parser.add_argument("--steps", type=int, default=22)
    arguments = parser.parse_args()
    require_program(arguments.abut)
    out = os.path.join(arguments.output, f"{arguments.potential}-{arguments.poisson:g}")
    path = os.path.join(out, "scene.yaml")
    os.makedirs(out, exist_ok=True)
    text, loads = scene_of(arguments), ""
    for step in range(arguments.steps + 1):
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text + loads)
        problem = go(path, out, step, arguments)
        if problem:
            print(problem)
            return 1
        if not step:
            points, cells, sides = mesh_of(out)
        else:
            state = last_level(out)
            points = state[0]
            report(step, state, cells, sides, rows_of(out)[-1])
        loads = loads_of(points, sides[0], FORCE / AREA)
    return 0


if __name__ == "__main__":
    sys.exit(main())
