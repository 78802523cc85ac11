#!/usr/bin/env python3
"""
Normal and friction forces of pairs of bodies over time, from pairs.csv, and their ratio: of the sums over all contacts, which cannot cancel
as the resultants of a ring do. Sums that differ from the resultants are drawn as thin lines.

    plot_forces.py DIR -o forces.png
"""

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from abut_results import Results, ResultsError, main, save

MOST = 6  # pairs in a picture: those with the largest forces


def sizes(pairs, force, rows):
    """Lengths of a force [N]; in 2D there is no z."""
    return np.sqrt(sum(pairs[name][rows] ** 2 for name in (f"{force}_{axis}_N" for axis in "xyz") if name in pairs))


def curves(results):
    """
    Times, normal and friction resultants and their sums over all contacts by pair of bodies, largest first; 0 in steps without contact.
    Files of version 0.2.0 lack the sums: the resultants replace them.
    """
    steps, pairs = results.steps(), results.pairs()
    names = np.array([f"{a}, {b}" for a, b in zip(pairs["body_a"], pairs["body_b"])], str)
    found = []
    for name in np.unique(names):
        rows = np.flatnonzero(names == name)
        at = np.searchsorted(steps["step"], pairs["step"][rows])
        forces = np.zeros((4, len(steps["step"])))
        for k, word in enumerate(("normal", "friction")):
            forces[k, at] = sizes(pairs, word, rows)
            forces[2 + k, at] = pairs[f"{word}_sum_N"][rows] if f"{word}_sum_N" in pairs else forces[k, at]
        found.append((name, *forces))
    return steps["time_s"], sorted(found, key=lambda curve: -curve[3].max())


def draw(directory, picture):
    times, found = curves(Results(directory))
    if not found:
        raise ResultsError(f"{directory}/pairs.csv has no contacts")
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 5.6), sharex=True, height_ratios=[3, 2])
    for k, (name, normal, friction, pressed, rubbed) in enumerate(found[:MOST]):
        style = {"color": f"C{k}", "linewidth": 1.6 + 1.2 * (k == 0)}  # the first remains visible below an equal one
        top.plot(times, normal, label=f"{name}: normal", **style)
        top.plot(times, friction, "--", label=f"{name}: friction", **style)
        for total, resultant, dash, word in ((pressed, normal, "-", "normal"), (rubbed, friction, "--", "friction")):
            if np.abs(total - resultant).max() > 0.01 * total.max():
                top.plot(times, total, dash, color=style["color"], linewidth=0.8, label=f"{name}: {word}, sum of lengths")
        bottom.plot(times, np.divide(rubbed, pressed, out=np.full(len(times), np.nan), where=pressed > 0), **style)
    top.set_ylabel("force [N]")
    top.legend(fontsize=9, frameon=False)
    bottom.set_ylabel("friction / normal")
    bottom.set_ylim(bottom=0)
    bottom.set_xlabel("time [s]")
    for axis in (top, bottom):
        axis.grid(alpha=0.25)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    figure.tight_layout()
    save(figure, picture, dpi=150)


if __name__ == "__main__":
    main("plot_forces.py", __doc__, "forces.png", draw)
