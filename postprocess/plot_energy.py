#!/usr/bin/env python3
"""
Energies over time, with contacts and Newton iterations below, from steps.csv.

    plot_energy.py DIR -o energies.png
"""

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from abut_results import Results, ResultsError, main, save

PARTS = [("kinetic", "tab:blue"), ("elastic", "tab:green"), ("contact", "tab:red"), ("gravity", "tab:purple")]


def plot_energies(axis, steps):
    total = sum(steps[f"energy_{part}_J"] for part, _ in PARTS)
    for part, color in PARTS:
        axis.plot(steps["time_s"], steps[f"energy_{part}_J"], color=color, label=part, linewidth=1.4)
    axis.plot(steps["time_s"], total, color="black", label="total", linewidth=1.8)
    axis.set_ylabel("energy [J]")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncol=5, frameon=False, fontsize=9)


def plot_work(axis, steps):
    axis.fill_between(steps["time_s"], steps["contacts_max"], color="tab:orange", alpha=0.25, step="mid",
                      label="contacts, most in the step")
    axis.plot(steps["time_s"], steps["contacts"], color="tab:orange", label="contacts", linewidth=1.2)
    axis.set_ylabel("contacts")
    axis.set_ylim(bottom=0)
    right = axis.twinx()
    right.plot(steps["time_s"], steps["newton_iterations"], color="0.3", linewidth=1.0, label="Newton iterations")
    right.set_ylabel("Newton iterations")
    right.set_ylim(bottom=0)
    right.spines["top"].set_visible(False)
    handles, labels = axis.get_legend_handles_labels()
    more, names = right.get_legend_handles_labels()
    axis.legend(handles + more, labels + names, loc="upper center", bbox_to_anchor=(0.5, 1.2), ncol=3, frameon=False, fontsize=9)
    axis.set_xlabel("time [s]")


def draw(directory, picture):
    steps = Results(directory).steps()
    if not len(steps["step"]):
        raise ResultsError(f"{directory}/steps.csv has no rows yet")
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 6.4), sharex=True, height_ratios=[3, 2])
    plot_energies(top, steps)
    plot_work(bottom, steps)
    for axis in (top, bottom):
        axis.spines["top"].set_visible(False)
        axis.grid(alpha=0.25)
    figure.tight_layout()
    save(figure, picture, dpi=130)


if __name__ == "__main__":
    main("plot_energy.py", __doc__, "energies.png", draw)
