#!/usr/bin/env python3
"""Fundamental cases of contact-point methods (Erleben 2018, Table 8): fills tables of docs/contact_points.md and draws pictures.

    jobs/contact_points.py             ten cases by all methods, and how the measures depend on the choices that the paper leaves open
    jobs/contact_points.py --page      tables and pictures from existing results, without running anything

Results go to results/contact_points, all tables to the folder tables there. contact_points_studies.py runs the studies over time.
"""

import csv
import os
import statistics
import subprocess
import sys

from contact_points_plan import CASES, METHODS, POTENTIALS, TABLE8
from oipc_page import Table, fill, write_tables
from scene_runs import ENVIRONMENT, ROOT, parser_of, require_program

PAGE = os.path.join(ROOT, "docs", "contact_points.md")
PICTURES = os.path.join(ROOT, "docs", "contact_points")
INPUTS = os.path.join(ROOT, "inputs", "contact_points")
POSTPROCESS = os.path.join(ROOT, "postprocess")
SECTIONS = {"coverage_percent": "coverage", "quality_percent": "quality", "excess": "excess"}
PRESSED = "normals of the faces that the motion presses against"
PRESSED_SHRUNK = "the same, `-points_shrink 0.99`"
TOUCHING = ["cliff_edges", "internal_edges"]
NOISE, SEEDS = 1e-6, 16  # [m] largest displacement of a vertex, twice the resolution of single precision at 8 m; number of states
TWO_POINTS = ["spikes", "spike_and_wedge", "wedges"]
# name of a variant: arguments of make_cases.py, options of abut
VARIANTS = {
    "as on the page": ((), ()),
    "free motion of 0.1 ms": (("--flight", "0.0001"), ()),
    "free motion of 1 ms": (("--flight", "0.001"), ()),
    "free motion of 20 ms": (("--flight", "0.02"), ()),
    "touching exactly": (("--flight", "0"), ()),
    "`-points_opposing_mean`": ((), ("-points_opposing_mean",)),
    "`-points_unit_normals`": ((), ("-points_unit_normals",)),
    "`-points_erosion 0.0125`": ((), ("-points_erosion", "0.0125")),
    "`-points_erosion_relative 1.6e-3`": ((), ("-points_erosion_relative", "1.6e-3")),
    "`-points_shrink 0.99`": ((), ("-points_shrink", "0.99")),
    "`-points_touch 1e-7`": ((), ("-points_touch", "1e-7")),
    "`-points_touch 1e-12`": ((), ("-points_touch", "1e-12")),
    "`-points_merge 1e-4`": ((), ("-points_merge", "1e-4")),
    "`-contacts_angle 5`": ((), ("-contacts_angle", "5")),
    PRESSED: (("--pressed",), ()),
    PRESSED_SHRUNK: (("--pressed",), ("-points_shrink", "0.99"))}
ZOOM = {"spike_in_crack": 0.03, "spike_in_hole": 0.03, "wedge_in_crack": 0.8, "sliding_spike": 0.004, "sliding_wedge": 0.15, "spikes": 0.06,
        "spike_and_wedge": 0.06, "wedges": 0.7, "cliff_edges": 0.8, "internal_edges": 0.6}


def folder(arguments, variant, case):
    return os.path.join(arguments.output, f"table8_{list(VARIANTS).index(variant)}", case)


def rows_of(out):
    """Rows of the starting state by method, {} without results."""
    try:
        with open(os.path.join(out, "quality.csv"), encoding="utf-8", newline="") as stream:
            return {row["method"]: row for row in csv.DictReader(stream) if row["step"] == "0"}
    except OSError:
        return {}


def run(variant, arguments):
    """Runs the ten cases. Returns messages of runs that failed."""
    maker, options = VARIANTS[variant]
    scenes = os.path.join(os.path.dirname(folder(arguments, variant, "")), "scenes")
    subprocess.run([sys.executable, "-B", os.path.join(INPUTS, "make_cases.py"), *CASES, *maker, "-o", scenes], check=True)
    failures = []
    for case in CASES:
        command = [arguments.abut, "contacts", os.path.join(scenes, f"table4_{case}.yaml"), "-o", folder(arguments, variant, case),
                   "-overwrite", "-progress", "none", *options]
        if arguments.ranks > 1:
            command = ["mpiexec", "-n", str(arguments.ranks), *command]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT, check=False)
        if done.returncode:
            failures.append(f"{variant}, {case}: {done.stdout.strip()}")
    return failures


def noise_folder(arguments, case, seed):
    return os.path.join(arguments.output, "noise", f"{case}_{seed}")


def run_noise(arguments):
    """Runs the cases in exact contact with vertices displaced by about the rounding error of single precision."""
    failures = []
    for case in TOUCHING:
        for seed in range(SEEDS):
            out = noise_folder(arguments, case, seed)
            subprocess.run([sys.executable, "-B", os.path.join(INPUTS, "make_cases.py"), case, "-o", os.path.join(out, "scenes"),
                            "--noise", str(NOISE), "--seed", str(seed)], check=True)
            done = subprocess.run([arguments.abut, "contacts", os.path.join(out, "scenes", f"table4_{case}.yaml"), "-o", out, "-overwrite",
                                   "-progress", "none", "-method", ",".join(METHODS)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, env=ENVIRONMENT, check=False)
            if done.returncode:
                failures.append(f"{case}, noise {seed}: {done.stdout.strip()}")
    return failures


def noise_table(arguments):
    """Paper, and least, median and largest quality and excess over the random displacements."""
    rows = []
    for method in METHODS:
        row = {"method": method}
        for case in TOUCHING:
            found = [rows_of(noise_folder(arguments, case, seed)).get(method) for seed in range(SEEDS)]
            for column, what in (("quality_percent", "quality [%]"), ("excess", "excess")):
                values = sorted(float(mine[column]) for mine in found if mine)
                if values:
                    row[f"{case}: paper, {what}"] = TABLE8[column][method][CASES.index(case)]
                    row[f"{case}: {what}"] = f"{values[0]:.3g} – {statistics.median(values):.3g} – {values[-1]:.3g}"
        rows.append(row)
    columns = ["method", *(f"{case}: {part}{what}" for case in TOUCHING for what in ("quality [%]", "excess") for part in ("paper, ", ""))]
    return Table(columns, 1, rows, [(method,) for method in METHODS])


def measure_table(found, column):
    """Paper/ours of a measure."""
    digits = 2 if column == "excess" else 1
    rows = []
    for method in METHODS:
        row = {"method": method}
        for k, case in enumerate(CASES):
            mine = found[case].get(method)
            if mine:
                row[case] = f"{TABLE8[column][method][k]}/{float(mine[column]):.{digits}f}"
        if len(row) > 1:
            rows.append(row)
    return Table(["method", *CASES], 1, rows, [(method,) for method in METHODS])


def differences(found, column, methods):
    return [abs(float(found[case][method][column]) - TABLE8[column][method][k]) for method in methods for k, case in enumerate(CASES)
            if method in found[case]]


def mean(values):
    return f"{sum(values) / len(values):.1f}" if values else ""


def difference_table(found):
    """Mean and largest absolute difference to Table 8 over the methods of the paper, by case and over all cases."""
    columns = ["case", *(f"{name}: {what}" for name in SECTIONS.values() for what in ("mean", "largest"))]
    rows = []
    for case in [*CASES, "all"]:
        chosen = {name: found[name] for name in (CASES if case == "all" else [case])}
        row = {"case": case}
        for column, name in SECTIONS.items():
            values = [abs(float(mine[method][column]) - TABLE8[column][method][CASES.index(name_)])
                      for name_, mine in chosen.items() for method in METHODS if method in mine]
            if values:
                row[f"{name}: mean"], row[f"{name}: largest"] = mean(values), f"{max(values):.1f}"
        rows.append(row)
    return Table(columns, 1, rows, [(case,) for case in [*CASES, "all"]])


def variant_table(arguments):
    """Mean absolute difference to Table 8 in each variant, over all methods and by method."""
    rows = []
    columns = ["variant", "coverage", "quality", *METHODS]
    for variant in VARIANTS:
        found = {case: rows_of(folder(arguments, variant, case)) for case in CASES}
        if not all(found.values()):
            continue
        row = {"variant": variant, "coverage": mean(differences(found, "coverage_percent", METHODS)),
               "quality": mean(differences(found, "quality_percent", METHODS))}
        row.update({method: " / ".join(mean(differences(found, column, [method])) for column in ("coverage_percent", "quality_percent"))
                    for method in METHODS})
        rows.append(row)
    return Table(columns, 1, rows, [(variant,) for variant in VARIANTS])


def pressed_table(arguments):
    """Quality and coverage of the cases with two points: by the normals of Table 8, and by the faces that the motion presses against."""
    columns = ["method", *(f"{case}: {what}" for case in TWO_POINTS for what in ("Table 8", "pressed face"))]
    rows = []
    for method in METHODS:
        row = {"method": method}
        for case in TWO_POINTS:
            for variant, what in ((next(iter(VARIANTS)), "Table 8"), (PRESSED, "pressed face")):
                mine = rows_of(folder(arguments, variant, case)).get(method)
                if mine:
                    row[f"{case}: {what}"] = "/".join(f"{float(mine[name]):.0f}" for name in ("quality_percent", "coverage_percent"))
        if len(row) > 1:
            rows.append(row)
    return Table(columns, 1, rows, [(method,) for method in METHODS])


def potentials_table(arguments):
    """Quality / coverage of the contact potentials, weighted by force, with two ways to separate the bodies; two points: pressed face."""
    rows = []
    for potential in POTENTIALS:
        for gap, variant in (("erosion", PRESSED), ("shrinking", PRESSED_SHRUNK)):
            row = {"potential": potential, "gap by": gap}
            for case in CASES:
                mine = rows_of(folder(arguments, variant, case)).get(potential)
                if mine:
                    row[case] = "/".join(f"{float(mine[name]):.0f}" for name in ("weighted_quality_percent", "weighted_coverage_percent"))
            if len(row) > 2:
                rows.append(row)
    return Table(["potential", "gap by", *CASES], 2, rows, [(p, g) for p in POTENTIALS for g in ("erosion", "shrinking")])


def draw(arguments):
    os.makedirs(PICTURES, exist_ok=True)
    first = next(iter(VARIANTS))
    outs = [folder(arguments, first, case) for case in CASES]
    subprocess.run([os.path.join(POSTPROCESS, "plot_contact_quality.py"), *outs, "-o", os.path.join(PICTURES, "table8.png")], check=True)
    for case, out in zip(CASES, outs):
        subprocess.run([os.path.join(POSTPROCESS, "render_contacts.py"), out, "--zoom", str(ZOOM[case]), "--columns", "6", "-o",
                        os.path.join(PICTURES, f"{case}.png")], check=True)


def main():
    parser = parser_of(__doc__, "contact_points", 1)
    parser.add_argument("--page", action="store_true", help="tables and pictures from existing results, without running anything")
    arguments = parser.parse_args()
    failures = []
    if not arguments.page:
        require_program(arguments.abut)
        for variant in VARIANTS:
            failures += run(variant, arguments)
            print(f"{variant}: complete", flush=True)
        failures += run_noise(arguments)
    first = {case: rows_of(folder(arguments, next(iter(VARIANTS)), case)) for case in CASES}
    tables = {section: measure_table(first, column) for column, section in SECTIONS.items()}
    tables.update(variants=variant_table(arguments), pressed=pressed_table(arguments), potentials=potentials_table(arguments),
                  noise=noise_table(arguments), differences=difference_table(first))
    fill(PAGE, tables)
    write_tables(os.path.join(arguments.output, "tables"), tables)
    draw(arguments)
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    main()
