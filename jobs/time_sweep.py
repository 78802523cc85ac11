#!/usr/bin/env python3
"""Steps one scene with time steps over three orders of magnitude to the same time and tabulates the work (paper, Table 1).

    time_sweep.py [--scene sweep_rods] [--dt 0.01 0.025 ...] [-n 1] [-o results/time_sweep] [--abut build/bin/abut]
"""

import os
import re
import sys

from ipc2020 import SCENES, measured
from scene_runs import fail, markdown, parser_of, rows_of, run

SIZES = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2]
COLUMNS = ["h [s]", "contacts avg", "contacts max", "s a step", "Newton a step", "total [s]", "Newton in total", "smallest gap [m]",
           "crossings", "remark"]


def main():
    parser = parser_of(__doc__, "time_sweep", ranks=1)
    parser.add_argument("--scene", default="sweep_rods")
    parser.add_argument("--dt", type=float, nargs="+", default=SIZES, help="time steps [s]")
    arguments = parser.parse_args()
    try:
        with open(os.path.join(SCENES, arguments.scene + ".yaml"), encoding="utf-8") as stream:
            text = stream.read()
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
    rows = []
    for h in sorted(arguments.dt, reverse=True):
        out = os.path.join(arguments.output, f"h{h:g}")
        os.makedirs(out, exist_ok=True)
        scene = os.path.join(out, "scene.yaml")
        with open(scene, "w", encoding="utf-8") as stream:
            stream.write(re.sub(r"^time: \{step: [^,]+,", f"time: {{step: {h:g},", text, flags=re.M))
        code, said = run(scene, out, arguments)
        row, steps = measured(f"{h:g}", out, code, said), rows_of(out)
        row.update({"h [s]": f"{h:g}", "total [s]": f"{sum(float(step['wall_s']) for step in steps):.1f}",
                    "Newton in total": sum(int(step["newton_iterations"]) for step in steps)})
        rows.append(row)
        with open(os.path.join(arguments.output, "time_sweep.md"), "w", encoding="utf-8") as stream:
            stream.write(markdown(COLUMNS, sorted(rows, key=lambda r: float(r["h [s]"]))))
        print(markdown(COLUMNS, [row]).splitlines()[-1], flush=True)
    return 1 if any(row["remark"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
