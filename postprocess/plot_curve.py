#!/usr/bin/env python3
"""
A curve of one or several runs from motions.csv, such as force over travel.

    plot_curve.py DIR [DIR ...] -x "press:travel_y" -y "press:force_y" -o curve.png

A quantity is NAME:COLUMN: an obstacle, motion or load of motions.csv, and a column without its unit: travel, rotation, center, force or
moment with _x, _y or _z. It can also be `time`. A minus sign in front of it reverses the sign: -x=-press:travel_y.
"""

import argparse
import os

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from abut_results import Results, ResultsError, guard, save


def quantity(results, text):
    """Values of a quantity in each step, and its label."""
    sign, name = (-1, text[1:]) if text.startswith("-") else (1, text)
    if name == "time":
        return sign * results.steps()["time_s"], "time [s]"
    subject, colon, column = name.rpartition(":")
    motions = results.motions()
    found = [key for key in motions if key.rpartition("_")[0] == column]
    if not colon or not found:
        columns = [key.rpartition("_")[0] for key in motions if key.startswith(("travel", "rotation", "center", "force", "moment"))]
        raise ResultsError(f"\"{text}\": use time or NAME:COLUMN; names are {', '.join(dict.fromkeys(motions['name']))}; "
                           f"columns are {', '.join(columns)}")
    unit = found[0].rpartition("_")[2]
    if results.summary().get("dim") == 2:
        unit = {"N": "N/m", "Nm": "N"}.get(unit, unit)
    label = f"{'-' if sign < 0 else ''}{column.replace('_', ' ')} of {subject} [{unit.replace('Nm', 'N m')}]"
    return sign * results.motion(subject, found[0]), label


def draw(directories, horizontal, vertical, picture):
    figure, axis = plt.subplots(figsize=(7, 4.6))
    names = [os.path.basename(os.path.abspath(directory)) for directory in directories]
    for directory, name in zip(directories, names):
        results = Results(directory)
        (x, x_label), (y, y_label) = quantity(results, horizontal), quantity(results, vertical)
        axis.plot(x, y, marker="." if len(x) < 60 else None, linewidth=1.4, label=name if names.count(name) == 1 else directory)
        axis.set_xlabel(x_label)
        axis.set_ylabel(y_label)
    if len(directories) > 1:
        axis.legend(fontsize=9, frameon=False)
    axis.grid(alpha=0.25)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    figure.tight_layout()
    save(figure, picture, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DIR", nargs="+", help="results of runs")
    parser.add_argument("-x", required=True, help="quantity along the horizontal axis")
    parser.add_argument("-y", required=True, help="quantity along the vertical axis")
    parser.add_argument("-o", "--output", help="picture to write; default curve.png in the first folder")
    args = parser.parse_args()
    picture = args.output or os.path.join(args.directories[0], "curve.png")
    guard("plot_curve.py", lambda: draw(args.directories, args.x, args.y, picture))


if __name__ == "__main__":
    main()
