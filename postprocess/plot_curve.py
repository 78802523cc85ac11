#!/usr/bin/env python3
"""
A curve of one or several runs from motions.csv and pairs.csv, such as force over travel.

    plot_curve.py DIR [DIR ...] -x "press:travel_y" -y "press:force_y" -o curve.png
    plot_curve.py DIR -x time -y "rod,floor:normal_sum" -y "rod,floor:friction_sum"
    plot_curve.py DIR -x time -y "rod,floor:friction_sum / rod,floor:normal_sum"

A quantity is NAME:COLUMN: an obstacle, motion or load of motions.csv, and a column without its unit: travel, rotation, center, force or
moment with _x, _y or _z; or BODY,BODY:COLUMN with a column of pairs.csv: "seal,press:area". It can also be `time`, or the quotient of two
quantities with ` / ` between them. A minus sign in front of it reverses the sign: -x=-press:travel_y. Runs of a study are named by their
values.txt, others by their folders.
"""

import argparse
import os

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from abut_results import Results, ResultsError, guard, save

PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


def dimension(results):
    """Dimension of a run, also while it is under way; 3 if no file has it yet."""
    for source in (lambda: results.dim, lambda: results.summary().get("dim")):
        try:
            return source()
        except ResultsError:
            pass
    return 3


def of_pair(results, first, second, column):
    """A column of pairs.csv for two bodies in each step, 0 where they are not in contact."""
    pairs, steps = results.pairs(), results.steps()["step"]
    found = [key for key in pairs if key == column or key.rpartition("_")[0] == column]
    rows = [row for row, names in enumerate(zip(pairs["body_a"], pairs["body_b"])) if set(names) == {first, second}]
    if not found or not rows:
        names = ", ".join(dict.fromkeys(map(",".join, zip(pairs["body_a"], pairs["body_b"]))))
        raise ResultsError(f"{pairs.path} has no \"{first},{second}:{column}\": it has the pairs {names or 'none'} and the columns "
                           + ", ".join(key for key in pairs if isinstance(pairs[key], np.ndarray)))
    values = np.zeros(len(steps))
    values[np.searchsorted(steps, pairs["step"][rows])] = pairs[found[0]][rows]
    unit = found[0][len(column) + 1:]
    unit = {"m2": "m", "N": "N/m"}.get(unit, unit) if dimension(results) == 2 else unit.replace("m2", "m²")
    return values, f"{column.replace('_', ' ')} of {first} and {second}", unit


def name_of(directory):
    try:
        with open(os.path.join(directory, "values.txt"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return os.path.basename(os.path.abspath(directory))


def quantity(results, text):
    """Values of a quantity in each step, its description and its unit."""
    if " / " in text:
        (upper, upper_label, upper_unit), (lower, lower_label, lower_unit) = (quantity(results, part) for part in text.split(" / ", 1))
        ratio = np.divide(upper, lower, out=np.full(len(upper), np.nan), where=lower != 0)
        what, of, subject = upper_label.partition(" of ")
        label = f"{what} / {lower_label}" if lower_label.endswith(of + subject) else f"{upper_label} / {lower_label}"
        return ratio, label, "" if upper_unit == lower_unit else f"({upper_unit})/({lower_unit})"
    sign, name = (-1, text[1:]) if text.startswith("-") else (1, text)
    if name == "time":
        return sign * results.steps()["time_s"], "time", "s"
    subject, colon, column = name.rpartition(":")
    if "," in subject:
        values, label, unit = of_pair(results, *map(str.strip, subject.split(",", 1)), column)
        return sign * values, ("-" if sign < 0 else "") + label, unit
    motions = results.motions()
    found = [key for key in motions if key.rpartition("_")[0] == column]
    if not colon or not found:
        columns = [key.rpartition("_")[0] for key in motions if key.startswith(("travel", "rotation", "center", "force", "moment"))]
        raise ResultsError(f"{motions.path} has no \"{text}\": use time or NAME:COLUMN; "
                           f"names are {', '.join(dict.fromkeys(motions['name']))}; columns are {', '.join(columns)}")
    unit = found[0].rpartition("_")[2]
    if dimension(results) == 2:
        unit = {"N": "N/m", "Nm": "N"}.get(unit, unit)
    label = f"{'-' if sign < 0 else ''}{column.replace('_', ' ')} of {subject}"
    return sign * results.motion(subject, found[0]), label, unit.replace("Nm", "N m")


def scale(curves, unit):
    """Factor and prefix of the unit that suit the largest value of several curves; squares of metres have m² and mm² only."""
    if not unit:
        return 1.0, ""
    prefixes = ((1e-2, 1.0, ""), (0.0, 1e-6, "m")) if unit == "m²" else [(factor, factor, prefix) for factor, prefix in PREFIXES]
    most = max((np.abs(values[np.isfinite(values)]).max(initial=0) for values in curves), default=0)
    return next(((factor, prefix) for least, factor, prefix in prefixes if most >= least), (1.0, ""))


def draw(directories, horizontal, vertical, picture):
    figure, axis = plt.subplots(figsize=(8, 5.2))
    names = [name_of(directory) for directory in directories]
    names = [name if names.count(name) == 1 else directory for name, directory in zip(names, directories)]
    curves = [(name, quantity(results, horizontal), quantity(results, text))
              for name, results in zip(names, map(Results, directories)) for text in vertical]
    if len({unit for _, _, (_, _, unit) in curves}) > 1:
        raise ResultsError(f"{directories[0]}: {' and '.join(vertical)} have different units")
    (x_factor, x_prefix), (y_factor, y_prefix) = (scale([curve[k][0] for curve in curves], curves[0][k][2]) for k in (1, 2))
    for name, (x, x_label, x_unit), (y, y_label, y_unit) in curves:
        label = name if len(vertical) == 1 else y_label if len(directories) == 1 else f"{name}: {y_label}"
        axis.plot(x / x_factor, y / y_factor, marker="." if len(x) < 60 else None, linewidth=1.4, label=label)
        axis.set_xlabel(f"{x_label} [{x_prefix}{x_unit}]" if x_unit else x_label)
        axis.set_ylabel((y_label if len(vertical) == 1 else "") + (f" [{y_prefix}{y_unit}]" if y_unit else ""))
    if len(curves) > 1:
        axis.legend(fontsize=9, frameon=False)
    axis.ticklabel_format(useOffset=False)
    axis.grid(alpha=0.25)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    figure.tight_layout()
    save(figure, picture, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DIR", nargs="+", help="results of runs")
    parser.add_argument("-x", required=True, help="quantity along the horizontal axis")
    parser.add_argument("-y", required=True, action="append", help="quantity along the vertical axis; several of one unit: -y A -y B")
    parser.add_argument("-o", "--output", help="picture to write; default curve.png in the first folder")
    args = parser.parse_args()
    picture = args.output or os.path.join(args.directories[0], "curve.png")
    guard("plot_curve.py", lambda: draw(args.directories, args.x, args.y, picture))


if __name__ == "__main__":
    main()
