#!/usr/bin/env python3
"""Runs the scenes of inputs/ipc2020 at the sizes of the paper's Fig. 23, each in its phase of heavy contact or whole, and writes a table.

    large_scenes.py [NAME ...] [-n 1] [-o results/large] [--abut build/bin/abut] [--timeout 900]
    large_scenes.py --page [-o results/large]

A row whose heavy phase is far from its start first runs a coarse mesh of the same bodies, then the fine mesh from its checkpoint
(-restart_interpolate); the others run from the start of the scene.
large_plan.py has meshes and steps of each row. A run that reached --timeout continues when the command is repeated. --page writes the rows
of existing results, also of interrupted runs, into the table of docs/ipc2020.md. Meshes: inputs/ipc2020/make_meshes.py --large.
"""

import argparse
import os
import re
import sys

from ipc2020 import SCENES, measured
from large_plan import ROWS
from scene_runs import ROOT, divided, markdown, matching, parser_of, rows_of, run, summary_of

COLUMNS = ["scene", "nodes", "start [s] (nodes)", "steps", "contacts avg (max)", "Newton a step", "local a step", "processor s a step",
           "memory [MB]", "paper: nodes, cells; contacts; Newton; s; MB"]


def write_scene(name, replacements, out):
    """Writes a scene with texts replaced into a folder, with absolute paths of meshes."""
    with open(os.path.join(SCENES, name + ".yaml"), encoding="utf-8") as stream:
        text = stream.read().replace("file: meshes/", f"file: {SCENES}/meshes/")
    for old, new in replacements:
        old = old.replace("file: meshes/", f"file: {SCENES}/meshes/")
        if old not in text:
            raise SystemExit(f"large_scenes.py: {name}.yaml does not contain {old}")
        text = text.replace(old, new.replace("file: meshes/", f"file: {SCENES}/meshes/"))
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "scene.yaml")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def divided_name(name, times):
    return f"meshes/large/{os.path.basename(name)}_x{times}.msh"


def divide_meshes(row):
    """Makes the divided meshes of the row by refine_mesh.py, unless they exist."""
    for name, times in row.divided:
        divided(os.path.join(SCENES, "meshes", name + ".msh"), os.path.join(SCENES, divided_name(name, times)), times)


def fine_texts(row):
    """Replacements for the fine scene: its own, then the divided meshes."""
    return (*row.fine, *((f"meshes/{name}.msh", divided_name(name, times)) for name, times in row.divided))


def run_row(name, arguments):
    """Runs the coarse mesh, if the row has one, then the fine mesh; returns exit code and error message."""
    row, out = ROWS[name], os.path.join(arguments.output, name)
    divide_meshes(row)
    fine, start = write_scene(row.scene or name, fine_texts(row), out), []
    if row.start:
        folder = os.path.join(arguments.output, row.coarse_of or name + "-coarse")
        coarse = write_scene(row.coarse_scene, row.coarse, folder)
        one = argparse.Namespace(**{**vars(arguments), "ranks": 1})
        code, said = run(coarse, folder, one, ["-steps", str(row.start), *row.coarse_options])
        if code:
            return code, f"coarse mesh: {said}"
        before = summary_of(out)
        if not before or before["exit_code"] != 5:
            start = ["-restart", os.path.join(folder, "checkpoint.h5"), "-restart_interpolate", coarse]
    return run(fine, out, arguments, ["-steps", str(row.start + row.steps), *row.options, *start])


def table_row(name, arguments):
    """The row of a run that has ended or was interrupted; None without one."""
    out = os.path.join(arguments.output, name)
    row, steps = measured(name, out, 0, ""), rows_of(out)
    if not steps or not row["nodes"]:
        return None
    coarse = summary_of(os.path.join(arguments.output, ROWS[name].coarse_of or name + "-coarse")) if ROWS[name].start else None
    row["start [s] (nodes)"] = f"{ROWS[name].start * float(row['h [s]']):g} ({coarse['vertices']})" if coarse else "0"
    row["steps"] = f"{steps[0]['step']}–{steps[-1]['step']}"
    row["contacts avg (max)"] = f"{row['contacts avg']} ({row['contacts max']})"
    row["processor s a step"] = row["processor s a step"] or "–"
    row["paper: nodes, cells; contacts; Newton; s; MB"] = ROWS[name].paper or "–"
    return row


def filled(text, names, arguments):
    """The text with the rows of existing results in the table. Rows without results stay as they are."""
    _, *lines = re.split(r"(?m)^(?=\| fig)", re.search(r"<!-- measured: large -->\n(.*?)<!-- end -->", text, re.S)[1])
    kept = {line.split("|")[1].strip(): line for line in lines}
    for name in names:
        if (row := table_row(name, arguments)):
            kept[name] = markdown(COLUMNS, [row]).splitlines()[-1] + "\n"
    table = markdown(COLUMNS, []) + "".join(kept[name] for name in names if name in kept)
    return re.sub(r"(<!-- measured: large -->\n).*?(<!-- end -->)", lambda found: found[1] + table + found[2], text, flags=re.S)


def write_page(arguments):
    """Writes the table of the page."""
    path = os.path.join(ROOT, "docs", "ipc2020.md")
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    text = filled(text, list(ROWS), arguments)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return 0


def main():
    parser = parser_of(__doc__, "large", ranks=1, timeout=900)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--page", action="store_true", help="docs/ipc2020.md from existing results, without running anything")
    arguments = parser.parse_args()
    if arguments.page:
        return write_page(arguments)
    failed = False
    for name in matching(list(ROWS), arguments.names, "jobs/large_plan.py", "large_scenes.py"):
        code, said = run_row(name, arguments)
        row = table_row(name, arguments)
        told = markdown(COLUMNS, [row]).splitlines()[-1] if row else ""
        print(f"{name}: " + (f"exit {code}: {said[:300]} " if code else "") + told, flush=True)
        failed = failed or bool(code)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
