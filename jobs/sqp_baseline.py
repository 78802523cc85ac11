#!/usr/bin/env python3
"""A method of sequential quadratic programming on scenes of Li et al. (2020), section 8.3: how many time steps of 100 in contact succeed.

    sqp_baseline.py [NAME ...] [--scenes DIR] [--dt 1e-2 ...] [--offsets 1e-2 ...] [--steps 100] [-o results/sqp_baseline] [--page]

The scenes of sqp_benchmark.py are used: inputs/from_ipc.py converts them, abut places the bodies; sqp_method.py does the time steps. A
run starts at the start of the scene, with smaller time steps in the last state without contact of the next larger one. It fails, and
ends, if a quadratic program has no solution, a step does not converge, a cell inverts or surfaces intersect at the end of a step.
Table: sqp_baseline.md in the folder of results; --page writes the summary into docs/ipc2020.md. Runs with results are not repeated.
"""

import json
import os
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "postprocess"))
import needs

needs.modules("h5py", "numpy", "scipy", "yaml")
import sqp_method  # noqa: E402
from scene_runs import ENVIRONMENT, converted, fail, markdown, write_section  # noqa: E402
from sqp_benchmark import PAGE, chosen_scenes, scene_parser  # noqa: E402

OFFSETS = [1e-2, 1e-3, 1e-4, 1e-5]  # of the constraints in the paper [m]
COLUMNS = ["scene", "h [s]", "offset [m]", "steps", "iterations a step", "constraints max", "end"]


def placed(name, arguments):
    """Folder with the converted scene and its bodies, placed by abut."""
    out = os.path.join(arguments.output, name)
    if not os.path.exists(os.path.join(out, "fields.h5")):
        scene = converted(os.path.join(arguments.scenes, name + ".txt"), os.path.join(out, "converted.yaml"))
        done = subprocess.run([arguments.abut, "run", scene, "-steps", "1", "-o", out, "-overwrite", "-progress", "none"], check=False,
                              env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise ValueError(f"abut does not run {scene}: {done.stderr.strip()}")
    return out


def chain(name, offset, arguments):
    """Rows of a scene with one offset, from the largest time step to the smallest."""
    sizes = "-".join(f"{h:g}" for h in sorted(arguments.dt, reverse=True))
    kept, rows, start = os.path.join(arguments.output, name, f"offset{offset:g}-steps{arguments.steps}-h{sizes}.json"), [], None
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as stream:
            return json.load(stream)
    problem = sqp_method.Problem(placed(name, arguments), "converted.yaml")
    for h in sorted(arguments.dt, reverse=True):
        run, start = sqp_method.steps_in_contact(problem, start or problem.start, h, offset, arguments.steps)
        rows.append({"scene": name, "h [s]": f"{h:g}", "offset [m]": f"{offset:g}", "steps": run.steps,
                     "iterations a step": f"{run.iterations / max(run.steps, 1):.1f}", "constraints max": run.constraints, "end": run.end})
        print(markdown(COLUMNS, rows[-1:]).splitlines()[-1], flush=True)
    with open(kept, "w", encoding="utf-8") as stream:
        json.dump(rows, stream)
    return rows


def summary_of(rows):
    """A row for each time step with the scenes that succeed, by offset."""
    found = []
    for h in dict.fromkeys(row["h [s]"] for row in rows):
        cells = {}
        for offset in dict.fromkeys(row["offset [m]"] for row in rows):
            ends = [row["end"] for row in rows if (row["h [s]"], row["offset [m]"]) == (h, offset) and row["end"] != sqp_method.APART]
            cells[f"offset {offset} m"] = f"{ends.count(sqp_method.DONE)} of {len(ends)}"
        found.append({"h [s]": h, **cells})
    return found


def main():
    parser = scene_parser(__doc__, "sqp_baseline", "steps of a run from its first contact on")
    parser.add_argument("--offsets", type=float, nargs="+", default=OFFSETS, help="offsets of the constraints [m]")
    arguments, names = chosen_scenes(parser)
    rows = []
    for name in names:
        try:
            for offset in arguments.offsets:
                rows += chain(name, offset, arguments)
        except ValueError as error:
            fail(f"{name}: {error}")
        with open(os.path.join(arguments.output, "sqp_baseline.md"), "w", encoding="utf-8") as stream:
            stream.write(markdown(COLUMNS, rows))
    if arguments.page:
        summary = summary_of(rows)
        write_section(PAGE, "sqp baseline", markdown(list(summary[0]), summary))
    return 0


if __name__ == "__main__":
    sys.exit(main())
