#!/usr/bin/env python3
"""Table and plot of a parameter study: a row for each run of a folder, DIR/1, DIR/2, ..., with its values.txt and summary.json.

    study_table.py DIR [-c newton_iterations,contacts_max,min_gap_m]   writes DIR/study.csv, DIR/study.png, and prints the table

A column is a key of summary.json, or of the last row of steps.csv. The plot shows the columns over the first parameter.
"""

import argparse
import csv
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "postprocess"))
import needs

needs.modules("matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLUMNS = "exit_code,steps,newton_iterations,linear_iterations,contacts_max,min_gap_m"


def parameters(folder):
    with open(os.path.join(folder, "values.txt"), encoding="utf-8") as file:
        return dict(word.split("=", 1) for word in file.read().split())


def last_step(folder):
    path = os.path.join(folder, "steps.csv")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return rows[-1] if rows else {}


def run_row(folder, columns):
    """Parameters and columns of a run; the columns are empty where the run has not written a summary."""
    path, found = os.path.join(folder, "summary.json"), {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            found = {**last_step(folder), **json.load(file)}
    unknown = [name for name in columns if found and name not in found]
    if unknown:
        sys.exit(f"study_table.py: {folder} has no column {', '.join(unknown)}; it has {', '.join(sorted(found))}")
    known = {name: "nan" if value is None else value for name, value in found.items()}  # null: no contact has a gap
    return {**parameters(folder), **{name: known.get(name, "") for name in columns}}


def study(directory, columns):
    names = sorted((name for name in os.listdir(directory) if name.isdigit()), key=int)
    if not names:
        sys.exit(f"study_table.py: {directory} has no runs (folders 1, 2, ...)")
    return [{"run": name, **run_row(os.path.join(directory, name), columns)} for name in names]


def write(rows, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def draw(rows, columns, path):
    parameter = list(rows[0])[1]
    done = [row for row in rows if row[columns[0]] != ""]
    if not done:
        sys.exit("study_table.py: no run has written its summary yet; there is no plot")
    figure, axes = plt.subplots(len(columns), sharex=True, figsize=(6, 1.6 * len(columns) + 0.6), squeeze=False)
    for axis, column in zip(axes[:, 0], columns):
        axis.plot([float(row[parameter]) for row in done], [float(row[column]) for row in done], "o")
        axis.set_ylabel(column, fontsize=8)
    axes[-1, 0].set_xlabel(parameter)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR")
    parser.add_argument("-c", "--columns", default=COLUMNS)
    args = parser.parse_args()
    columns = args.columns.split(",")
    rows = study(args.directory, columns)
    write(rows, os.path.join(args.directory, "study.csv"))
    for line in [list(rows[0])] + [[str(value) for value in row.values()] for row in rows]:
        print("  ".join(f"{text:>18}" for text in line))
    draw(rows, columns, os.path.join(args.directory, "study.png"))


main()
