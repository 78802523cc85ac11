#!/usr/bin/env python3
"""Runs the scenes of inputs/oipc with each contact potential, writes a table of the runs and draws them.

    oipc.py [NAME ...] [--potentials ipc,oipc] [--quick | --coarse | --paper-size] [--page] [-n 1] [-o results/oipc] [--abut build/bin/abut]

In a name * matches any text. oipc_plan.py lists the potentials and variants of each scene. Results go to the folder
NAME/POTENTIAL[-VARIANT], for more than one rank to NAME/POTENTIAL[-VARIANT]-N_ranks. A run with results is not repeated unless its folder
is deleted; an interrupted run, or one that took --timeout seconds, continues from its checkpoint. The table oipc.md of the results is
written after every run; a failed run is a row with the reason. --quick runs a few steps of each scene, --coarse the meshes and steps of the
plan, which take minutes, --paper-size the scenes with a mesh of the paper's size, which take hours. --page writes tables and pictures into
docs/oipc.md without running anything: new rows replace rows of the same run, other rows stay; only pictures that the page shows are drawn.
Newton iterations are for one rank and, if available, for two. Incomplete runs (--quick, --coarse, failed, interrupted) are named and left
out, but not interrupted ones with --paper-size; tables and pictures of several runs need all of them.
"""

import os
import re
import subprocess
import sys

import oipc_page
import oipc_studies
import scene_runs
from oipc_plan import PAPER_SIZE, PLANS, POTENTIALS, SECTIONS, runs
from scene_runs import ROOT

SCENES = os.path.join(ROOT, "inputs", "oipc")
PAGE = os.path.join(ROOT, "docs", "oipc.md")
QUICK_STEPS = 3
COLUMNS = ["scene", "potential", "nodes, cells", "steps", "Newton a step", "last step", "contact force [N]", "moved [m]",
           "smallest gap [m]",
           "s a step", "paper", "remark"]
SIZE_COLUMNS = ["scene", "nodes, cells", "steps", "Newton a step (most)", "local a step", "contacts (most)", "smallest gap [m]",
                "processor s a step", "MB", "paper: nodes, cells; Newton a step"]
PAGE_COLUMNS = ["scene", "potential", "nodes, cells", "Newton a step", "contact force [N]", "smallest gap [m]", "paper"]


def known_potentials(abut):
    """Potentials that the scene reference of this program lists."""
    scene_runs.require_program(abut)
    done = subprocess.run([abut, "--scene-reference"], stdout=subprocess.PIPE, text=True, check=True, env=scene_runs.ENVIRONMENT)
    row = next(line for line in done.stdout.splitlines() if line.startswith("| `potential`"))
    return [name for name in POTENTIALS if f"`{name}`" in row.split("|")[4]]


def edited(text, changes, name):
    for old, new in changes:
        if old not in text:
            raise SystemExit(f"oipc.py: \"{old}\" is not in scene {name}: it and oipc_plan.py have come apart")
        text = text.replace(old, new)
    return text


def write_scene(name, potential, variant, coarse, out):
    """Writes the scene with another potential into the folder of results, with absolute paths of meshes."""
    plan = PLANS[name]
    with open(os.path.join(SCENES, name + ".yaml"), encoding="utf-8") as stream:
        text = stream.read()
    changes = [*plan.edits.get(potential, ()), *plan.variants.get(variant, ()), *(plan.coarse if coarse else ()),
               *(plan.paper_size if variant == PAPER_SIZE else ())]
    text = edited(text, [("potential: oipc", f"potential: {potential}"), *changes], name)
    if potential not in ("oipc", "gcp"):  # keys that other potentials refuse
        text = re.sub(r"^  (alpha|beta" + ("|edge_length" if potential == "ipc" else "") + r"): .*\n", "", text,
                      flags=re.M)
    text = re.sub(r"file: (?!/)", f"file: {SCENES}/", text)
    for folder, mesh in re.findall(r"file: (.*/meshes/)large/(.*)_x1\.msh", text):
        scene_runs.divided(f"{folder}{mesh}.msh", f"{folder}large/{mesh}_x1.msh", 1)
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "scene.yaml")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def runs_of(names, potentials, ranks=1, paper_size=False):
    """Scene, potential, variant, and name of the folder."""
    for name in names:
        for potential, variant in runs(name, paper_size):
            if potential in potentials:
                yield name, potential, variant, folder_of(name, potential, variant, ranks)


def folder_of(name, potential, variant="", ranks=1):
    parts = (potential, variant, f"{ranks} ranks" if ranks > 1 else "")
    return os.path.join(name, "-".join(part.replace(", ", "-").replace(" ", "_") for part in parts if part))


def label(name, variant):
    return name + (f", {variant}" if variant else "")


def fields_of(out):
    """Largest sum over vertices of the norms of contact forces in any level, and the largest distance of a vertex from rest in the last."""
    sys.path.insert(0, os.path.join(ROOT, "postprocess"))
    import numpy as np  # imported here: running scenes does not need NumPy
    from abut_results import Results
    results = Results(out)
    count = max(last for _, obstacle, (_, last), _ in results.bodies() if not obstacle)
    levels = [results.level(name) for name in results.levels()]
    force = max(float(np.linalg.norm(level["contact_force"][:count], axis=1).sum()) for level in levels)
    moved = float(np.linalg.norm(levels[-1]["position"][:count] - results.mesh("rest")[:count], axis=1).max())
    return force, moved


def measured(name, potential, variant, out, code=0, said=""):
    """A row of the table."""
    row = dict.fromkeys(COLUMNS, "")
    row.update(scene=label(name, variant), potential=potential, paper=PLANS[name].paper if potential == "oipc" else "",
               remark=f"exit {code}: {said[:160]}" if code else "")
    summary, steps = scene_runs.summary_of(out), scene_runs.rows_of(out)
    if not summary or not steps:
        return row
    newton = [int(step["newton_iterations"]) for step in steps]
    row.update({"nodes, cells": f"{summary['vertices']}, {summary['cells']}", "steps": len(steps),
                "Newton a step": f"{sum(newton) / len(steps):.1f}",
                "last step": newton[-1], "smallest gap [m]": f"{min(float(step['min_gap_m']) for step in steps):.2g}",
                "s a step": f"{sum(float(step['wall_s']) for step in steps) / len(steps):.2g}"})
    try:
        force, moved = fields_of(out)
        row["contact force [N]"], row["moved [m]"] = f"{force:.3g}", f"{moved:.2g}"
    except (ImportError, OSError, ValueError) as problem:
        row["remark"] = row["remark"] or f"fields not read: {problem}"
    return row


def with_two_ranks(row, out):
    """The row with the iterations of a run on two ranks as second number."""
    steps = scene_runs.rows_of(out)
    row["Newton a step"] += f", {sum(int(step['newton_iterations']) for step in steps) / len(steps):.1f}"
    return row


def run_all(names, potentials, arguments):
    rows = []
    for name, potential, variant, folder in runs_of(names, potentials, arguments.ranks, arguments.paper_size):
        out = os.path.join(arguments.output, folder)
        scene = write_scene(name, potential, variant, arguments.coarse, out)
        steps = min(QUICK_STEPS, scene_runs.steps_of(scene)) if arguments.quick else PLANS[name].steps if arguments.coarse else 0
        code, said = scene_runs.run(scene, out, arguments, ["-steps", str(steps)] if steps else [])
        rows.append(measured(name, potential, variant, out, code, said))
        row = rows[-1]
        print(f"{folder}: " + (row["remark"]
                               or f"{row['steps']} steps, {row['Newton a step']} Newton, contact force {row['contact force [N]']} N"),
              flush=True)
        with open(os.path.join(arguments.output, "oipc.md"), "w", encoding="utf-8") as stream:
            stream.write(scene_runs.markdown(COLUMNS, rows))
    return 1 if any(row["remark"].startswith("exit") for row in rows) else 0


def whole(out, folder):
    """Whether the folder has results of a complete run; prints the name of an incomplete one."""
    if not os.path.exists(os.path.join(out, "scene.yaml")):
        return False
    problem = scene_runs.incomplete_reason(out)
    if problem:
        print(f"{folder}: not on the page: {problem}", flush=True)
    return not problem


def row_of(name, potential, variant, output):
    """The row of a scene for the page; None without results of a complete run on one rank."""
    folders = [folder_of(name, potential, variant, ranks) for ranks in (1, 2)]
    outs = [os.path.join(output, folder) for folder in folders]
    there = [whole(out, folder) for out, folder in zip(outs, folders)]
    if not there[0]:
        return None
    row = measured(name, potential, variant, outs[0])
    if row["remark"]:
        print(f"{folders[0]}: not on the page: {row['remark']}", flush=True)
        return None
    return with_two_ranks(row, outs[1]) if there[1] else row


def scene_tables(names, potentials, output):
    """The tables of scenes, by section. Variants have pictures and tables of oipc_studies.py instead."""
    rows = {section: [] for section in SECTIONS}
    for name, potential, variant, _ in runs_of(names, potentials):
        row = row_of(name, potential, variant, output) if PLANS[name].section in rows and not variant else None
        if row:
            rows[PLANS[name].section].append(row)
    order = [(name, potential) for name, potential, variant, _ in runs_of(PLANS, POTENTIALS) if not variant]
    return {section: oipc_page.Table(PAGE_COLUMNS, 2, found, order) for section, found in rows.items()}


def size_row(name, out):
    """A row of the table of meshes of the paper's size, for results of a run that has ended or is to be continued."""
    summary, steps = scene_runs.summary_of(out), scene_runs.rows_of(out)
    newton, local, contacts = ([int(step[key]) for step in steps] for key in ("newton_iterations", "local_iterations", "contacts"))
    all_steps = scene_runs.steps_of(os.path.join(out, "scene.yaml"))
    seconds = scene_runs.processor_seconds(out) / len(steps)
    return {"scene": name, "nodes, cells": f"{summary['vertices']}, {summary['cells']}",
            "steps": f"all {all_steps}" if len(steps) == all_steps else f"{len(steps)} of {all_steps}",
            "Newton a step (most)": f"{sum(newton) / len(steps):.1f} ({max(newton)})", "local a step": f"{sum(local) / len(steps):.1f}",
            "contacts (most)": max(contacts), "smallest gap [m]": f"{min(float(step['min_gap_m']) for step in steps):.2g}",
            "processor s a step": f"{seconds:.2g}" if seconds > 0 else "–", "MB": f"{scene_runs.peak_megabytes(out):.0f}",
            SIZE_COLUMNS[-1]: PLANS[name].paper}


def size_problem(out):
    """Reason why results with a mesh of the paper's size are not on the page, or ''; interrupted runs are on it."""
    problem = scene_runs.incomplete_reason(out)
    return "" if problem.startswith("exit 5:") else problem


def paper_size_table(names, output):
    """The table of meshes of the paper's size."""
    rows = []
    for name, _, _, folder in runs_of(names, POTENTIALS, paper_size=True):
        out = os.path.join(output, folder)
        problem = size_problem(out)
        if not problem:
            rows.append(size_row(name, out))
        elif os.path.exists(os.path.join(out, "scene.yaml")):
            print(f"{folder}: not on the page: {problem}", flush=True)
    return oipc_page.Table(SIZE_COLUMNS, 1, rows, [(name,) for name in PLANS])


def make_page(names, potentials, arguments, page=PAGE):
    """Merges the results of these scenes and potentials into the page, and draws them."""
    pictures = os.path.join(os.path.dirname(page), "oipc")
    shown = [] if arguments.no_pictures else oipc_page.pictures(page)
    for name, potential, variant, folder in runs_of(names, potentials):
        plan, picture = PLANS[name], folder.replace(os.sep, "-") + ".png"
        out = os.path.join(arguments.output, folder_of(name, potential, PAPER_SIZE) if plan.paper_size else folder)
        problem = size_problem(out) if plan.paper_size else scene_runs.incomplete_reason(out)
        if plan.picture is None or potential not in plan.drawn or variant or picture not in shown or problem:
            continue
        print(f"{folder}: {scene_runs.draw(out, os.path.join(pictures, picture), plan.picture) or 'drawn'}", flush=True)
    tables = scene_tables(names, potentials, arguments.output)
    tables.update(oipc_studies.tables(names, lambda *run: os.path.join(arguments.output, folder_of(*run)),
                                      pictures, shown))
    tables["paper size"] = paper_size_table(names, arguments.output)
    oipc_page.fill(page, {section: table for section, table in tables.items() if table.rows})
    return 0


def main():
    parser = scene_runs.parser_of(__doc__, "oipc", ranks=1)
    sizes = scene_runs.add_scene_options(parser, QUICK_STEPS, "docs/oipc.md")
    sizes.add_argument("--paper-size", action="store_true", help="meshes of the paper's size, hours")
    parser.add_argument("--potentials", default=",".join(POTENTIALS), help="separated by commas [all of the plan]")
    arguments = parser.parse_args()
    names = scene_runs.matching(PLANS, arguments.names, SCENES, "oipc.py")
    potentials = arguments.potentials.split(",")
    if (unknown := set(potentials) - set(POTENTIALS)):
        raise SystemExit(f"oipc.py: no potential is called {' or '.join(sorted(unknown))}; there are {', '.join(POTENTIALS)}")
    if arguments.page:
        return make_page(names, potentials, arguments)
    os.makedirs(arguments.output, exist_ok=True)
    known = known_potentials(arguments.abut)
    return run_all(names, [potential for potential in potentials if potential in known], arguments)


if __name__ == "__main__":
    sys.exit(main())
