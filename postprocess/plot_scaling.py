#!/usr/bin/env python3
"""Draws the phases of a scaling study over the number of ranks, with ideal lines: plot_scaling.py STUDY -o PICTURE.png

STUDY is the folder of jobs/scaling_study.py. Each series has one panel: predicted seconds by phase, the ideal line of their sum (constant
for a weak series), and crosses for times that were measured.
"""

import argparse
import glob
import os

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from abut_results import ResultsError, guard, read_json, save

PHASES = ["cells", "contact", "linear", "first rank", "messages"]


def panel(axes, study, cores):
    ranks = [at["ranks"] for at in study["phases"]]
    total = [sum(at[phase] for phase in PHASES) for at in study["phases"]]
    for phase in PHASES:
        axes.loglog(ranks, [at[phase] or float("nan") for at in study["phases"]], marker=".", label=phase)
    axes.loglog(ranks, total, "k-", label="sum")
    axes.loglog(ranks, [total[0] / (n / ranks[0] if study["series"].startswith("strong") else 1) for n in ranks], "k:", label="ideal")
    real = [at for at in study["records"] if at["ranks"] <= cores]
    axes.loglog([at["ranks"] for at in real], [at["wall"]["solve"] for at in real], "kx", label="measured")
    axes.set_title(f"{study['scene']}, {study['series']}", fontsize=9)
    axes.set_xlabel("ranks")
    axes.set_ylabel("time [s]")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("study")
    parser.add_argument("-o", default="scaling.png")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="largest number of ranks with measured times")
    given = parser.parse_args()
    guard("plot_scaling.py", lambda: draw(given))


def draw(given):
    paths = sorted(glob.glob(os.path.join(given.study, "*", "*", "phases*.json")))
    if not paths:
        raise ResultsError(f"{given.study}: no phases.json; run jobs/scaling_study.sh first")
    studies = [read_json(path) for path in paths]
    columns = min(len(studies), 4)
    rows = -(-len(studies) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(max(3.4 * columns, 6.4), 3 * rows), squeeze=False, constrained_layout=True)
    for axis in axes.flat[len(studies):]:
        axis.axis("off")
    for axis, study in zip(axes.flat, studies):
        panel(axis, study, given.cores)
    axes.flat[0].legend(fontsize=6)
    save(figure, given.o, dpi=200)


if __name__ == "__main__":
    main()
