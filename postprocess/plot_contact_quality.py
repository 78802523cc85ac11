#!/usr/bin/env python3
"""
Quality and coverage of contact-point methods as heat maps: a column for each folder of `abut contacts`, a row for each method.

    plot_contact_quality.py DIR [DIR ...] -o quality.png
    plot_contact_quality.py results/contact_points/table4_* --step 0
"""

import argparse

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from abut_results import Results, ResultsError, guard, save

MEASURES = [("quality_percent", "quality [%]"), ("coverage_percent", "coverage [%]"),
            ("weighted_quality_percent", "quality by contact force [%]")]


def read(directory, step):
    """Rows of a step by method."""
    table = Results(directory).table("quality.csv")
    rows = [dict(zip(table, row)) for row in zip(*table.values())]
    kept = np.flatnonzero(table["step"] == step)
    return {table["method"][k]: rows[k] for k in kept}


def draw(args):
    tables = [read(directory, args.step) for directory in args.directories]
    methods = list(dict.fromkeys(method for table in tables for method in table))
    if not methods:
        raise ResultsError(f"no quality.csv in {', '.join(args.directories)} has step {args.step}")
    cases = [next(iter(table.values()))["case"] if table else "?" for table in tables]
    figure, axes = plt.subplots(1, len(MEASURES), figsize=(2.2 + len(MEASURES) * (0.6 + 0.38 * len(cases)), 1.3 + 0.26 * len(methods)),
                                dpi=200, sharey=True)
    for axis, (column, title) in zip(axes, MEASURES):
        values = np.array([[float(table[method][column]) if method in table else np.nan for table in tables] for method in methods])
        axis.imshow(values, vmin=0, vmax=100, cmap="RdYlGn", aspect="auto")
        for (i, j), value in np.ndenumerate(values):
            if np.isfinite(value):
                axis.text(j, i, f"{value:.0f}", ha="center", va="center", fontsize=6)
        axis.set_xticks(range(len(cases)), [case.replace("_", " ") for case in cases], rotation=60, ha="right", fontsize=7)
        axis.set_title(title, fontsize=8)
    axes[0].set_yticks(range(len(methods)), methods, fontsize=7)
    figure.tight_layout()
    save(figure, args.output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DIR", nargs="+", help="results of abut contacts")
    parser.add_argument("-o", "--output", default="quality.png", help="picture to write")
    parser.add_argument("--step", type=int, default=0)
    args = parser.parse_args()
    guard("plot_contact_quality.py", lambda: draw(args))


if __name__ == "__main__":
    main()
