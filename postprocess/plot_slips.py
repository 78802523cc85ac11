#!/usr/bin/env python3
"""Draws friction over normal force, both summed over the forces of obstacles and half spaces on bodies, over time, and the starts of
slips, from steps.csv. A slip starts with a step without sticking contacts after several steps without sliding ones. The title has the
mean time between slips, which is also printed.

    plot_slips.py DIR -o slips.png
"""

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from abut_results import Results, ResultsError, main, save

STUCK = 10  # steps of sticking before a slip


def size(steps, force):
    """Length of a force on all rows; in 2D there is no z."""
    return np.sqrt(sum(steps[name] ** 2 for name in (f"{force}_{axis}_N" for axis in "xyz") if name in steps))


def slips(steps):
    """Indices of rows in which a slip begins."""
    free, held = steps["sticking"] == 0, (steps["sliding"] == 0) & (steps["sticking"] > 0)
    return [i for i in range(STUCK, len(free)) if free[i] and steps["sliding"][i] > 0 and held[i - STUCK:i].all()]


def period(times):
    """Of slips, in words."""
    if len(times) < 2:
        return f"{len(times)} slips"
    gaps = np.diff(times)
    return f"{len(times)} slips, {1e3 * gaps.mean():.4g} ms from one to the next ({1e3 * gaps.min():.4g} to {1e3 * gaps.max():.4g})"


def draw(directory, picture):
    steps = Results(directory).steps()
    if "sticking" not in steps or not len(steps["step"]):
        raise ResultsError(f"{directory}/steps.csv has no rows, or none with friction")
    normal = size(steps, "contact_force")
    ratio = np.divide(size(steps, "friction_force"), normal, out=np.full(len(normal), np.nan), where=normal > 0)
    begins = steps["time_s"][slips(steps)]
    figure, axis = plt.subplots(figsize=(6.4, 2.4), dpi=200)
    axis.plot(steps["time_s"], ratio, color="tab:blue", linewidth=1.0)
    for time in begins:
        axis.axvline(time, color="tab:red", linewidth=0.7, linestyle="--")
    axis.set_title(period(begins), fontsize=8)
    axis.set_xlabel("time [s]", fontsize=8)
    axis.set_ylabel("friction / normal force", fontsize=8)
    axis.set_ylim(bottom=0)
    axis.tick_params(labelsize=7)
    axis.grid(alpha=0.25)
    figure.tight_layout()
    save(figure, picture)
    print(period(begins))


if __name__ == "__main__":
    main("plot_slips.py", __doc__, "slips.png", draw)
