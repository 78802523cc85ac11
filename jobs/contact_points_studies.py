#!/usr/bin/env python3
"""Studies of contact-point methods over time (Erleben 2018, sections 7 and 8): fills tables of docs/contact_points.md and draws plots.

    jobs/contact_points_studies.py                     all studies, minutes; runs that are complete are not repeated
    jobs/contact_points_studies.py wall arch           some of them
    jobs/contact_points_studies.py --page              tables and plots from existing results, without running anything

Studies: motion (fundamental cases, section 7.6), pillar (Tables 6 and 7), variants, offsets, perturbation, refinement, timestep,
timestep_wall, timestep_arch, wall, arch, filters, masonry, elastic.
Results go to results/contact_points, all tables to the folder tables there.
"""

import csv
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "postprocess"))
import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from abut_results import Results, ResultsError
from contact_points_plan import CASES, METHODS, POTENTIALS, TABLE6, TABLE7
from contact_points_runs import ELASTIC_STEPS, EVERY, ORIENTED, RUNS, STRUCTURES, VARIANTS
from oipc_page import Table, fill, write_tables
from scene_runs import ENVIRONMENT, ROOT, parser_of, postprocess, require_program, rows_of, run as run_scene, summary_of

PAGE = os.path.join(ROOT, "docs", "contact_points.md")
PICTURES = os.path.join(ROOT, "docs", "contact_points")
MAKERS = os.path.join(ROOT, "inputs", "contact_points")
GOOD = 0.99  # |normal . expected normal| of a correct normal in plots over bodies that rotate
SHOWN = ["growth", "closest-points", "opposing"]  # methods of Fig. 29 to 34

# ---- running


def folder(arguments, name):
    return os.path.join(arguments.output, name)


def read_table(out, name):
    """Rows of a CSV file of a run, [] if it has none."""
    try:
        with open(os.path.join(out, name), encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    except OSError:
        return []


def complete(out, run):
    return len(read_table(out, "quality.csv")) == len(run.methods) * (run.steps + 1)


def make(script, out, *options):
    subprocess.run([sys.executable, "-B", os.path.join(MAKERS, script), *options, "-o", out], check=True)


def assess(run, arguments):
    """Runs abut contacts unless the results are complete. Returns an error message or ''."""
    out = folder(arguments, run.name)
    if complete(out, run):
        return ""
    require_program(arguments.abut)
    make(run.maker[0], os.path.join(out, "scene"), *run.maker[1:])
    scene = os.path.join(out, "scene", f"{run.scene}.yaml")
    with open(scene, encoding="utf-8") as stream:
        text = re.sub(r"step: [\d.e-]+", f"step: {run.step}", stream.read(), count=1)
    text = re.sub(r"^output:.*\n", "", text, flags=re.M) + "output: {fields: {every: 50}}\n"
    with open(scene, "w", encoding="utf-8") as stream:
        stream.write(text)
    command = [] if arguments.ranks == 1 else ["mpiexec", "-n", str(arguments.ranks)]
    command += [arguments.abut, "contacts", scene, "-o", out, "-method", ",".join(run.methods), "-steps", str(run.steps), "-overwrite",
                "-progress", "lines", *run.options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT, check=False)
    with open(os.path.join(out, "log.txt"), "w", encoding="utf-8") as stream:
        stream.write(done.stdout)
    return "" if done.returncode == 0 else (done.stdout.strip().splitlines() or ["?"])[-1]


def run_elastic(structure, potential, arguments):
    """Runs the structure with stiff elastic stones and a contact potential. Returns an error message or ''."""
    out = folder(arguments, f"elastic_{structure}_{potential}")
    make("make_structures.py", os.path.join(out, "scene"), structure, "--gap", "8e-4", "--potential", potential, "--steps",
         str(ELASTIC_STEPS[structure]))
    code, message = run_scene(os.path.join(out, "scene", f"{structure}.yaml"), out, arguments)
    return message if code else ""


# ---- results


def number(row, key):
    return float(row[key])


def rows_at(out, name, method, step):
    return [row for row in read_table(out, name) if row["method"] == method and int(row["step"]) == step]


def normal_quality(out, method, step):
    """|normal . expected normal| of the contacts of a step, sorted, and their weights; None if they were not written."""
    try:
        with Results(out).open("contacts.h5") as file:
            group = file[f"{method}/{step:06d}"]
            match, weight = group["match"][()], group["weight"][()]
    except (ResultsError, KeyError):
        return None
    known = match >= -1
    match, weight = np.abs(match[known]), weight[known]
    order = np.argsort(match)
    return match[order], weight[order]


def good_percent(out, method, step):
    """Percentage of contacts, and of contact force, with a correct normal."""
    found = normal_quality(out, method, step)
    if found is None or not len(found[0]):
        return "", ""
    good, weight = found[0] > GOOD, found[1]
    return f"{100 * good.mean():.1f}", f"{100 * weight[good].sum() / weight.sum():.1f}" if weight.sum() > 0 else ""


def area_fraction(out, method, step):
    """Sum of the convex hulls over the known area, and number of regions whose area is wrong by more than 10 %."""
    rows = rows_at(out, "areas.csv", method, step)
    expected = sum(number(row, "expected_m2") for row in rows)
    wrong = sum(abs(number(row, "area_m2") / number(row, "expected_m2") - 1) > 0.1 for row in rows if number(row, "expected_m2") > 0)
    return (f"{sum(number(row, 'area_m2') for row in rows) / expected:.3f}", f"{wrong} of {len(rows)}") if expected else ("", "")


# ---- plots


def plot(path, panels, xlabel, ylabel, limits=None):
    """Panels (title, [(label, x, y)]) side by side."""
    figure, axes = plt.subplots(1, len(panels), figsize=(3.4 * len(panels), 2.6), dpi=200, squeeze=False, sharey=True)
    for axis, (title, lines) in zip(axes[0], panels):
        for label, x, y in lines:
            axis.plot(x, y, linewidth=1.2, label=label)
        axis.set_title(title, fontsize=8)
        axis.set_xlabel(xlabel, fontsize=8)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.3)
        if limits:
            axis.set_ylim(*limits)
        if any(label for label, _, _ in lines):
            axis.legend(fontsize=6)
    axes[0][0].set_ylabel(ylabel, fontsize=8)
    figure.tight_layout()
    os.makedirs(PICTURES, exist_ok=True)
    figure.savefig(os.path.join(PICTURES, path))
    plt.close(figure)


def sorted_quality(path, panels):
    """Panels (title, [(label, folder, method, step)]): sorted normal quality as in Fig. 24, 27, 30, 32 and 34."""
    drawn = []
    for title, lines in panels:
        found = [(label, normal_quality(out, method, step)) for label, out, method, step in lines]
        drawn.append((title, [(f"{label} ({len(values[0])})", np.linspace(0, 1, len(values[0])), values[0])
                              for label, values in found if values is not None]))
    plot(path, drawn, "contacts, sorted", "|n . expected|", (-0.05, 1.05))


def render(script, out, picture, *options):
    """Draws results by a script of postprocess/ if they exist."""
    if os.path.isdir(out):
        message = postprocess(script, out, os.path.join(PICTURES, picture), *options)
        print(f"{picture}: {message}\n" if message else "", end="", flush=True)


# ---- studies: each returns tables by section


WEIGHT = 2000 * 9.81  # [N/m^3]
VOLUME = {"spike": 4, "wedge": 12, "cube": 1}  # [m^3] of the top bodies
TOP = dict(zip(CASES, ("spike", "spike", "wedge", "spike", "wedge", "spike", "spike", "wedge", "cube", "cube")))
REST = 1e-6  # [m^2/s^2] kinetic energy over mass below which the top body rests


def motion(arguments):
    """Fall of the centre of mass of the top body of a case after 2 s [m]; with r if the body then rests."""
    rows = []
    for method in METHODS:
        row = {"method": method}
        for case in CASES:
            steps = [step for step in read_table(folder(arguments, f"motion_{case}"), "rigid.csv") if step["method"] == method]
            if steps:
                weight = WEIGHT * VOLUME[TOP[case]]
                fall = (number(steps[0], "potential_J") - number(steps[-1], "potential_J")) / weight
                row[case] = f"{abs(fall):.2f}{' r' if number(steps[-1], 'kinetic_J') * 9.81 / weight < REST else ''}"
        if len(row) > 1:
            rows.append(row)
    return {"motion": Table(["method", *CASES], 1, rows, [(method,) for method in METHODS])}


def pillar(arguments):
    long, start = folder(arguments, "pillar"), folder(arguments, "pillar_start")
    decreased = folder(arguments, "pillar_decrease")
    table6, table7, sinking, counted = [], [], [], []
    for method in EVERY:
        steps = [row for row in read_table(long, "rigid.csv") if row["method"] == method]
        if not steps:
            continue
        height = [number(row, "potential_J") / number(steps[0], "potential_J") for row in steps]
        paper = (spread(*TABLE6[method]), "collapses" if method in COLLAPSES else "stands") if method in TABLE6 else ("", "")
        table6.append(dict(zip(T6, (method, *paper, *outcome(long, method), *outcome(decreased, method)))))
        sinking.append((method, [number(row, "time_s") for row in steps], height))
        if method in SHOWN:
            counts = contacts_of(long, method)
            counted.append((method, [("", range(len(counts)), counts)]))
    for method in METHODS + POTENTIALS:
        for row in rows_at(start, "quality.csv", method, 3):
            paper = TABLE7.get(method, ("", "", ""))
            weighted = f"{number(row, 'weighted_quality_percent'):.1f}" if method in POTENTIALS else ""
            table7.append(dict(zip(T7, (method, *paper, f"{number(row, 'quality_percent'):.1f}", row["contacts"],
                                        f"{number(row, 'excess'):.1f}", weighted))))
    if sinking:
        panels = [("methods of the paper", sinking[: len(METHODS)]), ("contact potentials", sinking[len(METHODS) :])]
        plot("pillar_potential.png", panels, "time [s]", "potential energy / start", (0.8, 1.02))
        plot("pillar_contacts.png", counted, "step", "contacts")
    render("render_contacts.py", start, "pillar_points.png", "--methods", "closest-points,opposing,growth,oipc", "--step", "3", "--view",
           "20,10", "--columns", "4")
    sorted_quality("pillar_quality.png", [(m, [("step 3", start, m, 3)]) for m in ("closest-points", "intersection", "opposing")])
    return {"table6": Table(T6, 1, table6, [(m,) for m in EVERY]), "table7": Table(T7, 1, table7, [(m,) for m in METHODS + POTENTIALS])}


T6 = ["method", "paper: contacts", "paper: pillar", "contacts", "pillar", "decrease: contacts", "decrease: pillar"]
T7 = ["method", "paper: quality [%]", "paper: contacts", "paper: excess", "quality [%]", "contacts", "excess", "force-weighted quality [%]"]


COLLAPSES = ("closest-points", "vertex-only")  # in the paper, section 7


def contacts_of(out, method):
    return [int(row["contacts"]) for row in read_table(out, "quality.csv") if row["method"] == method]


def spread(mean, least, most, deviation):
    return f"{mean:.0f} ({least}–{most}; {deviation:.0f})"


def outcome(out, method):
    """Numbers of contacts, and the state of the pillar at the end; blanks without results."""
    counts = contacts_of(out, method)
    steps = [row for row in read_table(out, "rigid.csv") if row["method"] == method]
    if not counts or not steps:
        return "", ""
    height = number(steps[-1], "potential_J") / number(steps[0], "potential_J")
    numbers = spread(statistics.mean(counts), min(counts), max(counts), statistics.stdev(counts))
    return numbers, "stands" if height > 0.98 else "collapses"


def over_variants(arguments, section, labels, step, plots):
    """Correct normals of every method in the variants of a study; draws sorted normal quality to `plots`."""
    runs = RUNS[section]
    columns = ["method"] + [f"{label}: {what}" for label in labels for what in ("contacts", "correct [%]")]
    rows = []
    for method in runs[0].methods:
        cells = [method]
        for run in runs:
            found = rows_at(folder(arguments, run.name), "quality.csv", method, step)
            good, weighted = good_percent(folder(arguments, run.name), method, step)
            cells += [found[0]["contacts"] if found else "", f"{good} (force: {weighted})" if method in POTENTIALS and weighted else good]
        rows.append(dict(zip(columns, cells)))
    sorted_quality(plots, [(label, [(m, folder(arguments, run.name), m, step) for m in SHOWN])
                           for label, run in zip(labels, runs)])
    return {section: Table(columns, 1, rows, [(m,) for m in runs[0].methods])}


LENGTHS = ["0.001 s", "0.01 s", "0.1 s"]


def variants(arguments):
    """Quality and number of contacts of the Pillar at step 3, and mean absolute difference of the quality to Table 7."""
    columns, rows = ["variant", "difference to Table 7"] + METHODS, []
    for run, label in zip(RUNS["variants"], VARIANTS):
        found = {row["method"]: row for row in read_table(folder(arguments, run.name), "quality.csv") if row["step"] == "3"}
        if not found:
            continue
        quality = {method: number(found[method], "quality_percent") for method in METHODS}
        difference = statistics.mean(abs(quality[method] - TABLE7[method][0]) for method in METHODS)
        cells = [f"{quality[method]:.1f} / {found[method]['contacts']}" for method in METHODS]
        rows.append(dict(zip(columns, [label, f"{difference:.1f}", *cells])))
    return {"variants7": Table(columns, 1, rows, [(label,) for label in VARIANTS])}


def perturbation(arguments):
    return over_variants(arguments, "perturbation", ["0", "0.01 m", "0.02 m", "0.03 m"], 3, "pillar_perturbation.png")


def refinement(arguments):
    return over_variants(arguments, "refinement", ["coarse", "cells cut into eight", "cut into eight, eroded"], 3, "pillar_refinement.png")


def timestep(arguments):
    return over_variants(arguments, "timestep", LENGTHS, 4, "pillar_timestep.png")


def timestep_wall(arguments):
    return over_variants(arguments, "timestep_wall", LENGTHS, 4, "wall_timestep.png")


def timestep_arch(arguments):
    return over_variants(arguments, "timestep_arch", LENGTHS, 4, "arch_timestep.png")


def offsets(arguments):
    """Table 7 over random displacements of the stones of the size of the round-off: least, median and largest value."""
    columns, rows = ["method", "paper: quality [%]", "quality [%]", "paper: contacts", "contacts"], []
    for method in METHODS:
        found = [row for run in RUNS["offsets"] for row in rows_at(folder(arguments, run.name), "quality.csv", method, 3)]
        if found:
            cells = [method]
            for paper, key, form in zip(TABLE7[method], ("quality_percent", "contacts"), ("{:.1f}", "{:.0f}")):
                values = sorted(number(row, key) for row in found)
                cells += [paper, " – ".join(form.format(x) for x in (values[0], statistics.median(values), values[-1]))]
            rows.append(dict(zip(columns, cells)))
    return {"offsets7": Table(columns, 1, rows, [(method,) for method in METHODS])}


STRUCTURE = ["method", "cells of a stone", "tolerance [m]", "contacts", "correct normals [%]", "force on correct normals [%]", "P",
             "wrong areas"]


def structure(arguments, case):
    rows = []
    for method in METHODS + POTENTIALS:
        for run in RUNS[case]:
            out = folder(arguments, run.name)
            found = rows_at(out, "quality.csv", method, 3)
            if not found:
                continue
            good, weighted = good_percent(out, method, 3)
            rows.append(dict(zip(STRUCTURE, (method, *run.label, found[0]["contacts"], good, weighted if method in POTENTIALS else "",
                                             *area_fraction(out, method, 3)))))
    single = folder(arguments, f"{case}_12_single")
    shown = ("closest-points", "opposing", "oipc")
    render("render_contacts.py", folder(arguments, f"{case}_6_single"), f"{case}_points.png", "--methods", "closest-points,opposing,growth",
           "--step", "3", "--view", "15,10", "--zoom", "0.6", "--columns", "3")
    sorted_quality(f"{case}_quality.png", [(m, [("step 3", single, m, 3)]) for m in shown])
    areas = [(m, sorted(number(row, "area_m2") for row in rows_at(single, "areas.csv", m, 3))) for m in shown]
    plot(f"{case}_areas.png", [(m, [("step 3", range(len(a)), a)]) for m, a in areas if a], "contact regions, sorted", "area [m^2]")
    return {case: Table(STRUCTURE, 3, rows, [(method, *run.label) for method in METHODS + POTENTIALS for run in RUNS[case]])}


def wall(arguments):
    return structure(arguments, "wall")


def arch(arguments):
    return structure(arguments, "arch")


FILTERS = ["structure", "potential", "contacts", "excess", "quality [%]", "force-weighted quality [%]"]


def filters(arguments):
    """Oriented potentials whose filters are held fixed, at step 3."""
    rows = []
    for run in RUNS["filters"]:
        for method in ORIENTED:
            for row in rows_at(folder(arguments, run.name), "quality.csv", method, 3):
                rows.append(dict(zip(FILTERS, (run.scene, method, row["contacts"], f"{number(row, 'excess'):.2f}",
                                               f"{number(row, 'quality_percent'):.1f}", f"{number(row, 'weighted_quality_percent'):.1f}"))))
    return {"filters": Table(FILTERS, 2, rows, [(run.scene, method) for run in RUNS["filters"] for method in ORIENTED])}


MASONRY = ["method", "step", "contacts", "quality [%]", "coverage [%]", "penetration [m]"]


def masonry(arguments):
    out, rows = folder(arguments, "masonry"), []
    for method in RUNS["masonry"][0].methods:
        for step in (0, 20, 50, 94):
            deep = rows_at(out, "rigid.csv", method, step)
            for row in rows_at(out, "quality.csv", method, step):
                rows.append(dict(zip(MASONRY, (method, step, row["contacts"], f"{number(row, 'quality_percent'):.1f}",
                                               f"{number(row, 'coverage_percent'):.1f}",
                                               f"{number(deep[0], 'penetration_m'):.3f}" if deep else ""))))
    return {"masonry": Table(MASONRY, 2, rows, [(m, str(s)) for m in RUNS["masonry"][0].methods for s in (0, 20, 50, 94)])}


ELASTIC = ["structure", "potential", "steps", "seconds", "Newton iterations", "smallest gap [m]", "median displacement [m]",
           "kinetic energy at the end [J]", "vertical part of the contact forces [%]"]


def last_level(out):
    """Median displacement of the vertices at the last level, and vertical part of the contact forces in percent."""
    results = Results(out)
    level = results.level(results.levels()[-1])
    force = level["contact_force"][()]
    return (float(np.median(np.linalg.norm(level["displacement"][()], axis=1))),
            100 * float(np.abs(force[:, 1]).sum() / np.linalg.norm(force, axis=1).sum()))


def elastic(arguments):
    rows = []
    render("render.py", folder(arguments, "elastic_masonry_oipc"), "masonry.png", "--steps", "0,3,6,10,15,last", "--view", "30,20", "--up",
           "y", "--width", "1280", "--columns", "3", "--palette", "160")
    for name in STRUCTURES:
        for potential in POTENTIALS:
            out = folder(arguments, f"elastic_{name}_{potential}")
            steps = rows_of(out)
            if not steps or not summary_of(out):
                continue
            moved, vertical = last_level(out)
            rows.append(dict(zip(ELASTIC, (name, potential, len(steps), f"{sum(number(row, 'wall_s') for row in steps):.0f}",
                                           sum(int(row["newton_iterations"]) for row in steps),
                                           f"{min(number(row, 'min_gap_m') for row in steps):.1e}", f"{moved:.1e}",
                                           f"{number(steps[-1], 'energy_kinetic_J'):.1e}", f"{vertical:.4f}" if name == "pillar" else ""))))
    return {"elastic": Table(ELASTIC, 2, rows, [(s, p) for s in STRUCTURES for p in POTENTIALS])}


STUDIES = {"motion": motion, "pillar": pillar, "variants": variants, "offsets": offsets, "perturbation": perturbation,
           "refinement": refinement, "timestep": timestep, "timestep_wall": timestep_wall, "timestep_arch": timestep_arch, "wall": wall,
           "arch": arch, "filters": filters, "masonry": masonry, "elastic": elastic}


def main():
    parser = parser_of(__doc__, "contact_points", 1)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(STUDIES)}; default: all")
    parser.add_argument("--page", action="store_true", help="tables and plots from existing results, without running anything")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(STUDIES)
    if unknown:
        parser.error(f"there is no study {', '.join(sorted(unknown))}")
    failures = []
    for name in arguments.names or list(STUDIES):
        jobs = [] if arguments.page else [(run.name, assess, (run, arguments)) for run in RUNS.get(name, [])]
        if name == "elastic" and not arguments.page:
            jobs = [(f"{s} {p}", run_elastic, (s, p, arguments)) for s in STRUCTURES for p in POTENTIALS]
        for label, function, parameters in jobs:
            message = function(*parameters)
            print(f"{name}: {label}: {message or 'complete'}", flush=True)
            failures += [label] if message else []
        tables = STUDIES[name](arguments)
        fill(PAGE, tables)
        write_tables(os.path.join(arguments.output, "tables"), tables)
    sys.exit(f"{len(failures)} runs failed: {', '.join(failures)}" if failures else 0)


if __name__ == "__main__":
    main()
