#!/usr/bin/env python3
"""
Normal and friction forces of pairs of bodies over time, and their ratio, from pairs.csv.

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
    """Times, normal and friction forces by pair of bodies, largest first; 0 in steps without contact."""
    steps, pairs = results.steps(), results.pairs()
    names = np.array([f"{a}, {b}" for a, b in zip(pairs["body_a"], pairs["body_b"])], str)
    found = []
    for name in np.unique(names):
        rows = np.flatnonzero(names == name)
        at = np.searchsorted(steps["step"], pairs["step"][rows])
        forces = np.zeros((2, len(steps["step"])))
        for force, word in zip(forces, ("normal", "friction")):
            force[at] = sizes(pairs, word, rows)
        found.append((name, *forces))
    return steps["time_s"], sorted(found, key=lambda curve: -curve[1].max())


def draw(directory, picture):
    times, found = curves(Results(directory))
    if not found:
        raise ResultsError(f"{directory}/pairs.csv has no contacts")
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 5.6), sharex=True, height_ratios=[3, 2])
    for k, (name, normal, friction) in enumerate(found[:MOST]):
        style = {"color": f"C{k}", "linewidth": 1.6 + 1.2 * (k == 0)}  # the first remains visible below an equal one
        top.plot(times, normal, label=f"{name}: normal", **style)
        top.plot(times, friction, "--", label=f"{name}: friction", **style)
        bottom.plot(times, np.divide(friction, normal, out=np.full(len(times), np.nan), where=normal > 0), **style)
    top.set_ylabel("force [N]")
    top.legend(fontsize=9, frameon=False)
    bottom.set_ylabel("friction / normal force")
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
