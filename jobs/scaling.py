#!/usr/bin/env python3
"""Table and plot of one scene on several rank counts: DIR/np1, DIR/np2, ... are results of abut run.

    scaling.py DIR [--weak]     prints the table; writes it to DIR/scaling.md and the plot to DIR/scaling.png

Efficiency is relative to the smallest rank count. --weak: the scene grows with the ranks, so that the ideal time is constant.
"""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "postprocess"))
import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullLocator

from abut_results import Results, ResultsError

PHASES = ["elastic", "contact_search", "ccd", "contact_assembly", "linear_setup", "linear_solve", "line_search", "halo"]


def runs(folder):
    """Summaries by number of ranks, ascending; a folder without summary is a run that has not ended."""
    names = [name for name in os.listdir(folder) if re.fullmatch(r"np\d+", name)]
    ended = [name for name in names if os.path.exists(os.path.join(folder, name, "summary.json"))]
    if not ended:
        raise ResultsError(f"{folder}: no run (np1, np2, ...) has a summary.json")
    return sorted(((int(name[2:]), Results(os.path.join(folder, name)).summary()) for name in ended), key=lambda run: run[0])


def ideal(found, weak):
    """Ideal seconds of the time steps on each rank count."""
    first_ranks, first = found[0]
    return [first["wall_s"]["solve"] * (1 if weak else first_ranks / ranks) for ranks, _ in found]


def table(found, weak):
    yield "| ranks | vertices | steps | Newton | time [s] | efficiency | " + " | ".join(f"{phase} [s]" for phase in PHASES) + " |"
    yield "|" + " --- |" * (6 + len(PHASES))
    for (ranks, summary), best in zip(found, ideal(found, weak)):
        wall = summary["wall_s"]
        efficiency = best / wall["solve"] if wall["solve"] > 0 else float("nan")
        cells = [ranks, summary["vertices"], summary["steps"], summary["newton_iterations"], f"{wall['solve']:.2f}", f"{efficiency:.2f}"]
        yield "| " + " | ".join(map(str, cells + [f"{wall[phase]:.2f}" for phase in PHASES])) + " |"


def draw(found, weak, path):
    ranks = [count for count, _ in found]
    walls = [summary["wall_s"] for _, summary in found]
    figure, axis = plt.subplots(figsize=(8, 5))
    axis.loglog(ranks, [wall["solve"] for wall in walls], "ko-", linewidth=2, label="time steps")
    axis.loglog(ranks, ideal(found, weak), "k:", label="ideal")
    for phase in PHASES:
        axis.loglog(ranks, [max(wall[phase], 1e-4) for wall in walls], ".-", linewidth=1, label=phase.replace("_", " "))
    axis.set_xticks(ranks, ranks)
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_xlabel("ranks")
    axis.set_ylabel("time [s]")
    axis.grid(alpha=0.25)
    axis.legend(fontsize=9, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR")
    parser.add_argument("--weak", action="store_true")
    args = parser.parse_args()
    found = runs(args.directory)
    text = "\n".join(table(found, args.weak))
    print(text)
    with open(os.path.join(args.directory, "scaling.md"), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    draw(found, args.weak, os.path.join(args.directory, "scaling.png"))


try:
    main()
except (ResultsError, OSError) as problem:
    sys.exit(f"scaling.py: {problem}")
