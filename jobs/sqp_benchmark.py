#!/usr/bin/env python3
"""Runs the scenes on which Li et al. (2020), section 8.3, compare SQP-type methods, with four time steps and all contact potentials.

    sqp_benchmark.py [NAME ...] [--scenes DIR] [--dt 1e-2 ...] [--potentials ipc ...] [--steps 100] [-o results/sqp_benchmark] [--page]

The scenes belong to the 2020 IPC code (input/paperExamples/supplementB/SQPBenchmark) and are not part of abut; inputs/from_ipc.py converts
them. Their folder is --scenes, or that folder below ABUT_REFERENCE_DIR/scenes/ipc2020. In a name * matches any text.

A run has --steps steps from its first step with contact on. The free flight before would take a million steps of 1e-5 s, so the run
with the largest time step starts at the start of the scene, and each smaller one from the last state without contact of the next larger
one. A run in which nothing touches within --search steps ends there. --steps 0 runs each scene from its start to its end instead.

All runs use the adaptive stiffness. Scenes with a number for it have 1e-4 or 1e6 kg/m^2, which has another unit in three of the
potentials; 1e-4 is too soft to stop a body at gaps that numbers in double precision resolve.

A run with a row (row.json) is not repeated unless its folder is deleted. Tables: sqp_benchmark.md in the folder of results has a row for
each run; --page writes the summary into docs/ipc2020.md. Exit code 1: a run failed or has an intersection.
"""

import json
import os
import re
import subprocess
import sys

from scene_runs import (ENVIRONMENT, ROOT, converted, fail, markdown, matching, parser_of, require_program, rows_of, summary_of,
                        write_section)

BENCHMARK = os.path.join("input", "paperExamples", "supplementB", "SQPBenchmark")
REFERENCE = os.path.join(os.environ.get("ABUT_REFERENCE_DIR", ""), "scenes", "ipc2020", BENCHMARK)
PAGE = os.path.join(ROOT, "docs", "ipc2020.md")
SIZES = [1e-2, 1e-3, 1e-4, 1e-5]  # time steps of the paper [s]
POTENTIALS = ["ipc", "convergent-ipc", "oipc", "gcp"]
COLUMNS = ["scene", "h [s]", "potential", "completed", "steps", "steps in contact", "Newton a step", "most", "contacts max",
           "smallest gap [m]", "crossings", "remark"]


def absolute_text(name, arguments):
    """Text of the converted scene, with absolute paths of meshes."""
    folder = os.path.join(arguments.output, name)
    try:
        path = converted(os.path.join(arguments.scenes, name + ".txt"), os.path.join(folder, "scene.yaml"))
    except ValueError as error:
        fail(str(error))
    with open(path, encoding="utf-8") as stream:
        return re.sub(r"file: ([^/][^}]*)", lambda found: "file: " + os.path.abspath(os.path.join(folder, found.group(1))),
                      stream.read())


def write_scene(text, potential, h, out):
    """Writes the scene with this potential and time step, and the simulated time unchanged; returns its path."""
    text = text.replace("potential: ipc", f"potential: {potential}")
    text = re.sub(r"stiffness: [-\d.e+]+$", "stiffness: adaptive", text, flags=re.M)
    text = re.sub(r"time: \{step: ([^,]+), steps: (\d+)",
                  lambda found: f"time: {{step: {h:g}, end: {float(found[1]) * int(found[2]):g}", text)
    text += "output: {fields: {every: 0}}\n"
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "scene.yaml")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def go(scene, out, last, checkpoint, arguments):
    """Runs to step `last` (0: to the end), from a checkpoint if there is one; returns exit code and error message."""
    command = [] if arguments.ranks == 1 else ["mpiexec", "-n", str(arguments.ranks)]
    command += [arguments.abut, "run", scene, "-o", out, "-progress", "none", "-walltime", str(arguments.timeout / 60)]
    command += ["-steps", str(last)] if last else []
    command += ["-restart", checkpoint] if checkpoint else ["-overwrite"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=ENVIRONMENT)
    words = [line for line in done.stdout.splitlines() if line.startswith("abut: ")]
    return done.returncode, words[0].removeprefix("abut: ") if words else ""


def touching(out):
    """Number of the first step with contact; None without any."""
    return next((int(row["step"]) for row in rows_of(out) if int(row["contacts_max"]) > 0), None)


def run_in_contact(scene, out, start, arguments):
    """Runs to the end of the steps in contact, from start (checkpoint, its step); returns exit code and message."""
    checkpoint, first = start
    if not arguments.steps:
        return go(scene, out, 0, checkpoint, arguments)
    last, code, said = first, 0, ""
    wanted = first + arguments.steps
    while not code and last < wanted:
        code, said = go(scene, out, wanted, checkpoint, arguments)
        last, checkpoint = wanted, os.path.join(out, "checkpoint.h5")
        begin = touching(out)
        wanted = begin + arguments.steps - 1 if begin else min(last + arguments.steps, first + arguments.search)
        if summary_of(out) and summary_of(out)["last_step"] < last:  # the scene has ended
            break
    return code, said


def row_of(name, potential, h, out, end):
    """A row of the table; `end` has exit code and message of the run."""
    code, said = end
    row = dict.fromkeys(COLUMNS, "")
    row.update({"scene": name, "h [s]": f"{h:g}", "potential": potential, "completed": "no" if code else "yes",
                "remark": f"exit {code}: {said[:120]}" if code else ""})
    steps, begin = rows_of(out), touching(out)
    if not steps:
        return row
    acting = [step for step in steps if begin and int(step["step"]) >= begin]
    newton = [int(step["newton_iterations"]) for step in acting]
    checked = [int(step["intersections"]) for step in steps if step["intersections"] not in ("", "-1")]
    row.update({"steps": len(steps), "steps in contact": len(acting), "contacts max": max(int(step["contacts_max"]) for step in steps),
                "crossings": sum(checked) if len(checked) == len(steps) else "not checked"})
    if acting:
        row.update({"Newton a step": f"{sum(newton) / len(acting):.2f}", "most": max(newton),
                    "smallest gap [m]": f"{min(float(step['min_gap_m']) for step in steps):.2g}"})
    return row


def chain(name, potential, arguments):
    """Rows of a scene with one potential, from the largest time step to the smallest."""
    text, start, rows = "", ("", 0), []
    for h in sorted(arguments.dt, reverse=True):
        out = os.path.join(arguments.output, name, f"{potential}-h{h:g}")
        kept = os.path.join(out, "row.json")
        if os.path.exists(kept):
            with open(kept, encoding="utf-8") as stream:
                row, start = json.load(stream)
        else:
            text = text or absolute_text(name, arguments)
            scene = write_scene(text, potential, h, out)
            row = row_of(name, potential, h, out, run_in_contact(scene, out, start, arguments))
            begin = touching(out)
            if arguments.steps and begin and begin > start[1] + 1:
                before = os.path.join(out, "before")
                go(write_scene(text, potential, h, before), before, begin - 1, start[0], arguments)
                start = os.path.join(before, "checkpoint.h5"), begin - 1
            with open(kept, "w", encoding="utf-8") as stream:
                json.dump([row, start], stream)
        rows.append(row)
        print(markdown(COLUMNS, [row]).splitlines()[-1], flush=True)
    return rows


def failed(row):
    return row["completed"] != "yes" or row["crossings"] != 0


def iterations(runs):
    """Newton iterations a step in contact, and the most in a step."""
    steps = sum(row["steps in contact"] for row in runs)
    newton = sum(float(row["Newton a step"]) * row["steps in contact"] for row in runs)
    return f"{newton / steps:.1f} ({max(row['most'] for row in runs)})" if runs else "–"


def totals(rows):
    """The summary: a row for each time step, with a column for each potential."""
    found = []
    for h in dict.fromkeys(row["h [s]"] for row in rows):
        runs = [row for row in rows if row["h [s]"] == h]
        acting = [row for row in runs if row["steps in contact"]]
        found.append({"h [s]": h, "completed": f"{sum(row['completed'] == 'yes' for row in runs)} of {len(runs)}",
                      "runs with crossings": sum(row["crossings"] != 0 for row in runs),
                      "smallest gap [m]": min((row["smallest gap [m]"] for row in acting), key=float, default="–"),
                      **{potential: iterations([row for row in acting if row["potential"] == potential])
                         for potential in dict.fromkeys(row["potential"] for row in rows)}})
    return found


def scene_parser(about, results, steps):
    """Parser with the options of scripts that run these scenes; `steps` is the help of --steps."""
    parser = parser_of(about, results, ranks=1, timeout=600)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--scenes", default=REFERENCE, help="folder SQPBenchmark of the 2020 IPC code")
    parser.add_argument("--dt", type=float, nargs="+", default=SIZES, help="time steps [s]")
    parser.add_argument("--steps", type=int, default=100, help=steps)
    parser.add_argument("--page", action="store_true", help="write the summary into docs/ipc2020.md")
    return parser


def chosen_scenes(parser):
    """The arguments and the names of the chosen scenes."""
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.scenes):
        parser.error(f"there is no folder {arguments.scenes}: give --scenes, or set ABUT_REFERENCE_DIR")
    require_program(arguments.abut)
    names = sorted(name[:-4] for name in os.listdir(arguments.scenes) if name.endswith(".txt"))
    return arguments, matching(names, arguments.names, arguments.scenes, parser.prog)


def main():
    parser = scene_parser(__doc__, "sqp_benchmark", "steps of a run from its first contact on; 0: the whole scene")
    parser.add_argument("--potentials", nargs="+", default=POTENTIALS)
    parser.add_argument("--search", type=int, default=1000, help="steps in which the first contact is awaited")
    arguments, names = chosen_scenes(parser)
    rows = []
    for name in names:
        for potential in arguments.potentials:
            rows += chain(name, potential, arguments)
        with open(os.path.join(arguments.output, "sqp_benchmark.md"), "w", encoding="utf-8") as stream:
            stream.write(markdown(COLUMNS, rows))
    if arguments.page:
        summary = totals(rows)
        write_section(PAGE, "sqp", markdown(list(summary[0]), summary))
    return 1 if any(failed(row) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
