#!/usr/bin/env python3
"""Table and plot of a study: a row for each run of a folder, DIR/1, DIR/2, ..., with its values.txt, or for each one of `abut study`.

    study_table.py DIR [-c newton_iterations,contacts_max,min_gap_m]   writes DIR/study.csv, DIR/study.png, and prints the table
    study_table.py DIR --refine mesh_size -c jaw:normal_z_N            also limit and order of convergence of each column

A column is a key of summary.json, a column of steps.csv in the last step or in that of --step, or BODY:COLUMN, a force or area of
pairs.csv in that step: the sum over all pairs of BODY. The plot shows the columns over the first parameter. Limits are fitted apart for
runs that differ in other parameters.
Runs that failed or have not ended are named on standard error; the exit code is then 1.
"""

import argparse
import csv
import itertools
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "postprocess"))
import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import orders
from abut_results import Results, ResultsError, labelled

COLUMNS = "exit_code,steps,newton_iterations,linear_iterations,contacts_max,min_gap_m"


def parameters(folder):
    try:
        with open(os.path.join(folder, "values.txt"), encoding="utf-8") as file:
            return dict(word.split("=", 1) for word in file.read().split())
    except OSError:
        raise ResultsError(f"{folder} has no values.txt; study.sh writes it") from None


def value_of(results, found, column, row):
    """A column of a run; `found` has its summary and a row of steps.csv."""
    body, colon, force = column.rpartition(":")
    if colon:
        return float(results.force(body, force)[row])
    if column not in found:
        raise ResultsError(f"{results.directory} has no column {column}; it has {', '.join(sorted(found))}")
    return math.nan if found[column] is None else found[column]  # null: no contact has a gap


def require_parameter(directory, name):
    found = parameters(os.path.join(directory, "1"))
    if name not in found:
        raise ResultsError(f"no run has the parameter {name}; they have {', '.join(found)}")


def has_summary(folder):
    return os.path.exists(os.path.join(folder, "summary.json"))


def run_row(folder, columns, step):
    """Columns of a run; they are empty where the run has not written a summary or has not come to the step."""
    row = dict.fromkeys(columns, "")
    if not has_summary(folder):
        return row
    results = Results(folder)
    steps = results.steps()
    chosen = np.flatnonzero(steps["step"] == (steps["step"].max(initial=0) if step is None else step))
    if len(chosen):
        found = {**{name: values[chosen[0]] for name, values in steps.items()}, **results.summary()}
        row.update({name: value_of(results, found, name, chosen[0]) for name in columns})
    return row


def study(directory, columns, step):
    names = sorted((name for name in os.listdir(directory) if name.isdigit()), key=int)
    found = {name: parameters(os.path.join(directory, name)) for name in names}
    if not names:
        found = {name: {} for name in sorted(os.listdir(directory)) if os.path.exists(os.path.join(directory, name, "run.log"))}
    if not found:
        raise ResultsError(f"{directory} has no runs (folders 1, 2, ..., or runs of abut study)")
    empty = dict.fromkeys((parameter for values in found.values() for parameter in values), "")
    return [{"run": name, **empty, **found[name], **run_row(os.path.join(directory, name), columns, step)} for name in found]


def state(folder):
    """Reason why a run is not complete, or ''."""
    if not has_summary(folder):
        return "has no summary.json: it failed or has not ended"
    code = Results(folder).summary().get("exit_code", 0)
    return f"ended with exit code {code}" if code else ""


def report_incomplete(directory, rows):
    """Prints the runs that are not complete; returns the exit code."""
    found = [(row["run"], reason) for row in rows if (reason := state(os.path.join(directory, row["run"])))]
    for run, reason in found:
        print(f"study_table.py: run {run} {reason}", file=sys.stderr)
    return 1 if found else 0


def require_done(done, directory, rows, step):
    """Ends the script if no run has a row."""
    if done:
        return
    folders = [os.path.join(directory, row["run"]) for row in rows]
    steps = sorted({int(number) for folder in filter(has_summary, folders) for number in Results(folder).steps()["step"]})
    if step is not None and steps:
        raise ResultsError(f"no run has a step {step}; there are {steps[0]} to {steps[-1]}")
    raise ResultsError("no run has written its summary and a step yet; there is no plot")


def write(rows, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def text(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def show(rows):
    lines = [list(rows[0])] + [[text(value) for value in row.values()] for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    for line in lines:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip())


def series(directory, rows, parameter):
    """Rows whose parameters but this one are equal, by the text of the others; nothing without a parameter."""
    found = {}
    for row in rows if parameter else ():
        values = parameters(os.path.join(directory, row["run"]))
        found.setdefault(" ".join(f"{name}={value}" for name, value in values.items() if name != parameter), []).append(row)
    return found


def refined(rows, parameter, column):
    """Sizes from coarse to fine, values, limit and order of a column (Richardson extrapolation of the three finest)."""
    try:
        pairs = sorted(((float(row[parameter]), float(row[column])) for row in rows), reverse=True)
    except ValueError:
        raise ResultsError(f"--refine needs numbers: {parameter} or {column} has a word") from None
    sizes, values = zip(*pairs)
    return sizes, values, *orders.richardson(sizes, values)


def show_orders(found, parameter, columns):
    for column, (others, runs) in itertools.product(columns, found.items()):
        _, values, limit, order = refined(runs, parameter, column)
        label = f"{column}, {others}" if len(found) > 1 else column
        if math.isfinite(limit):
            off = f"{100 * abs(values[-1] / limit - 1):.2g} %" if limit else f"{abs(values[-1]):.2g}"
            print(f"{label}: limit {limit:.6g} at order {order:.2f}, the finest mesh is {off} off")
        else:
            print(f"{label}: the three finest meshes do not fit limit + C {parameter}^p with p from 0.8 to 4")


def draw_limits(axis, found, parameter, column):
    for others, runs in found.items():
        sizes, values, limit, order = refined(runs, parameter, column)
        if not math.isfinite(limit):
            continue
        whose = f", {others}" if len(found) > 1 else ""
        h = np.linspace(0, sizes[0], 100)
        axis.plot(h, limit + (values[-1] - limit) * (h / sizes[-1])**order, "0.6", zorder=0, label=f"limit + C h$^{{{order:.2f}}}$")
        axis.axhline(limit, color="0.6", linestyle=":", zorder=0, label=f"limit {limit:.5g}{whose}")
        axis.legend(fontsize=9, frameon=False)


def plotted(values):
    """Values as numbers if all are numbers; Matplotlib draws words as categories."""
    try:
        return [float(value) for value in values]
    except ValueError:
        return [str(value) for value in values]


def draw(rows, columns, refine, found, path):
    parameter = refine or next(name for name in (list(rows[0])[1], "run") if name not in columns)
    plt.rcParams["axes.formatter.useoffset"] = False
    figure, axes = plt.subplots(len(columns), sharex=True, figsize=(8, 2.2 * len(columns) + 0.6), squeeze=False)
    for axis, column in zip(axes[:, 0], columns):
        axis.plot(plotted([row[parameter] for row in rows]), plotted([row[column] for row in rows]), "o")
        axis.set_ylabel(labelled(column), fontsize=9)
        axis.grid(alpha=0.25)
        draw_limits(axis, found, refine, column)
    axes[-1, 0].set_xlabel(labelled(parameter) + (" [m]" if refine else ""))
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR")
    parser.add_argument("-c", "--columns", default=COLUMNS)
    parser.add_argument("--refine", metavar="NAME", help="parameter that is an edge length")
    parser.add_argument("--step", type=int, help="step whose rows count; default: the last one of each run")
    return parser.parse_args()


def main():
    args = parsed()
    columns = args.columns.split(",")
    if args.refine:
        require_parameter(args.directory, args.refine)
    rows = study(args.directory, columns, args.step)
    write(rows, os.path.join(args.directory, "study.csv"))
    show(rows)
    done = [row for row in rows if row[columns[0]] != ""]
    incomplete = report_incomplete(args.directory, rows)
    require_done(done, args.directory, rows, args.step)
    found = series(args.directory, done, args.refine)
    show_orders(found, args.refine, columns)
    draw(done, columns, args.refine, found, os.path.join(args.directory, "study.png"))
    return incomplete


try:
    sys.exit(main())
except (ResultsError, OSError) as problem:
    sys.exit(f"study_table.py: {problem}")
