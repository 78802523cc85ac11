#!/usr/bin/env python3
"""Runs the scenes of inputs/ipc2020, writes a table of the runs and draws a picture of each.

    ipc2020.py [NAME ...] [--quick] [--coarse] [--page] [--list] [-n 2] [-o results/ipc2020] [--abut build/bin/abut] [--timeout 3600]

Without names all scenes run except the sweeps of mesh_sweep.py and time_sweep.py; * in a name matches any text. A scene with results is
not run again unless its folder is deleted; an interrupted run continues from its checkpoint. Coarse, quick and full runs need different
folders (-o). The table is written after every scene; a failed scene is a row with the reason. --quick runs a few steps of each scene,
--coarse the meshes and steps of ipc2020_plan.py, which take minutes. --page writes tables and pictures into docs/ipc2020.md; scenes
without results keep their rows. --list prints the processor time of the coarse run of each scene: less than a second to 87 minutes.
"""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "postprocess"))
import needs
import ipc2020_page
from ipc2020_plan import PLANS, Plan
from scene_runs import (ROOT, add_scene_options, draw, markdown, matching, parser_of, peak_megabytes, postprocess, processor_seconds,
                        rows_of, run, summary_of)

SCENES = os.path.join(ROOT, "inputs", "ipc2020")
PAGE = os.path.join(ROOT, "docs", "ipc2020.md")
QUICK_STEPS = 10
COLUMNS = ["scene", "nodes", "cells", "steps", "h [s]", "Newton a step", "local a step", "contacts avg", "contacts max", "s a step",
           "smallest gap [m]", "crossings", "inversions", "lags a step", "processor s a step", "memory [MB]", "remark"]


def chosen(patterns):
    names = sorted(name[:-5] for name in os.listdir(SCENES) if name.endswith(".yaml"))
    return matching(names, patterns, SCENES, "ipc2020.py") if patterns else [name for name in names if not name.startswith("sweep_")]


def coarsened(name, out):
    """Writes the scene with the replacements of its plan into the folder of results, with absolute paths of meshes."""
    with open(os.path.join(SCENES, name + ".yaml"), encoding="utf-8") as stream:
        text = stream.read().replace("file: meshes/", f"file: {SCENES}/meshes/")
    for old, new in PLANS[name].coarse:
        text = text.replace(old, new)
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "scene.yaml")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def measured(name, out, code, said):
    """A row of the table."""
    row = dict.fromkeys(COLUMNS, "")
    row.update(scene=name, remark=f"exit {code}: {said[:160]}" if code else "")
    summary, steps = summary_of(out), rows_of(out)
    if not summary or not steps:
        return row
    count = len(steps)
    row["nodes"], row["cells"], row["steps"], row["h [s]"] = summary["vertices"], summary["cells"], count, f"{float(steps[0]['dt_s']):g}"
    row["Newton a step"] = f"{sum(int(step['newton_iterations']) for step in steps) / count:.1f}"
    row["local a step"] = f"{sum(int(step['local_iterations']) for step in steps) / count:.1f}" if "local_iterations" in steps[0] else "–"
    row["contacts avg"] = f"{sum(int(step['contacts']) for step in steps) / count:.0f}"
    row["contacts max"] = max(int(step["contacts_max"]) for step in steps)
    row["s a step"] = f"{sum(float(step['wall_s']) for step in steps) / count:.3g}"
    row["smallest gap [m]"] = f"{min(float(step['min_gap_m']) for step in steps):.2g}"
    for column, key in (("crossings", "intersections"), ("inversions", "inversions")):
        numbers = [int(step[key]) for step in steps if step[key] not in ("", "-1")]
        row[column] = sum(numbers) if numbers else "not checked"
    row["lags a step"] = f"{sum(int(step['friction_lags']) for step in steps) / count:.1f}"
    row["processor s a step"] = f"{processor_seconds(out) / count:.3g}" if processor_seconds(out) else ""
    row["memory [MB]"] = f"{peak_megabytes(out):.0f}"
    return row


def picture(name, out, folder):
    """Draws the first, middle and last level; returns an error message or ''."""
    if not os.path.exists(os.path.join(out, "fields.h5")):
        return "no fields to draw"
    plan, path = PLANS.get(name, Plan("")), os.path.join(folder, name + ".png")
    return postprocess("plot_curve.py", out, path, *plan.picture) if plan.curve else draw(out, path, plan.picture or ())


def run_and_draw(name, arguments):
    """A row of the table."""
    out, scene, steps = os.path.join(arguments.output, name), os.path.join(SCENES, name + ".yaml"), 0
    if arguments.coarse and name in PLANS:
        scene, steps = coarsened(name, out), PLANS[name].steps
    if arguments.quick:
        steps = QUICK_STEPS
    code, said = run(scene, out, arguments, ["-steps", str(steps)] if steps else [])
    row = measured(name, out, code, said)
    if not arguments.no_pictures and not code:
        row["remark"] = picture(name, out, arguments.output)
    print(f"{name}: " + (row["remark"] or f"{row['steps']} steps, {row['Newton a step']} Newton and {row['s a step']} s a step"),
          flush=True)
    return row


def make_page(arguments):
    if not arguments.no_pictures:
        needs.modules("matplotlib")
    rows = {}
    for name in PLANS:
        out = os.path.join(arguments.output, name)
        if summary_of(out) and rows_of(out):  # no summary: the run has not ended
            rows[name] = measured(name, out, 0, "")
            if PLANS[name].picture is not None and not arguments.no_pictures and (not arguments.names or name in chosen(arguments.names)):
                problem = picture(name, out, os.path.join(ROOT, "docs", "ipc2020"))
                print(f"{name}: {problem or 'drawn'}", flush=True)
    ipc2020_page.fill(PAGE, rows)
    return 0


def list_times(names):
    """Prints the processor time of coarse runs, as on the page: one rank, a core of 2.5 GHz; else the time of a step."""
    seconds, steps = ipc2020_page.processor_seconds(PAGE), ipc2020_page.seconds_a_step(PAGE)
    for name in names:
        step = steps.get(name, steps.get(name.removesuffix("_large")))
        print(f"{name:34}" + (f"{seconds[name]:8.1f} s" if name in seconds else
                              f"{step:8.3g} s a step in contact" if step else "  not measured"))
    print(f"{'all with a processor time':34}{sum(seconds[name] for name in names if name in seconds):8.1f} s")
    return 0


def main():
    parser = parser_of(__doc__, "ipc2020", ranks=2)
    add_scene_options(parser, QUICK_STEPS, "docs/ipc2020.md")
    parser.add_argument("--list", action="store_true", help="processor time of each scene's coarse run")
    arguments = parser.parse_args()
    if arguments.list:
        return list_times(chosen(arguments.names))
    if arguments.page:
        return make_page(arguments)
    rows = []
    for name in chosen(arguments.names):
        rows.append(run_and_draw(name, arguments))
        with open(os.path.join(arguments.output, "ipc2020.md"), "w", encoding="utf-8") as stream:
            stream.write(markdown(COLUMNS, rows))
    print(os.path.join(arguments.output, "ipc2020.md"))
    return 1 if any(row["remark"].startswith("exit") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
