#!/usr/bin/env python3
"""Draws the torque of contact and friction forces on rollers over time, from fields.h5: the torque about an axis parallel to a
coordinate axis, through the mean of the vertices of each obstacle. The curve is the sum of the absolute values over the obstacles. Also
prints mean, largest value and falls of each curve: a fall is a drop by more than half of the largest value within 5 written steps.

    plot_torque.py DIR [DIR ...] --bodies left,right --axis z -o torque.png [--labels one,two]
"""

import needs

needs.modules("h5py", "numpy", "matplotlib")

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from abut_results import Results, ResultsError, guard, save

WINDOW = 5  # written steps within which a fall takes place


def torques(run, body, axis):
    """Times [s] and torque of all contacts on a body about an axis, 0 to 2, through the mean of its vertices [N m]."""
    ranges = {name: vertices for name, _, vertices, _ in run.bodies()}
    if body not in ranges:
        raise ResultsError(f"{run.directory}: no body {body}; there are {', '.join(ranges)}")
    rows, times, values = slice(*ranges[body]), [], []
    for level in run.levels():
        group = run.level(level)
        position = run.positions(level)[rows]
        force = sum(run.field(name, level)[rows] for name in ("contact_force", "friction_force") if name in group)
        times.append(float(group.attrs["time"]))
        values.append(np.cross(position - position.mean(axis=0), force)[:, axis].sum())
    return np.array(times), np.array(values)


def falls(values):
    """Number of drops of a curve by more than half of its largest value within WINDOW values; each is counted once."""
    count, start, limit = 0, 0, 0.5 * values.max(initial=0.0)
    for i in range(1, len(values)):
        if values[max(start, i - WINDOW):i].max(initial=values[i]) > values[i] + limit > values[i]:
            count, start = count + 1, i
    return count


def draw(arguments):
    figure, axis = plt.subplots(figsize=(12, 4.5), dpi=100)
    for number, directory in enumerate(arguments.directories):
        run, total = Results(directory), 0.0
        for body in arguments.bodies.split(","):
            times, values = torques(run, body, "xyz".index(arguments.axis))
            total = total + np.abs(values)
        label = arguments.labels.split(",")[number] if arguments.labels else directory
        axis.plot(times, total, linewidth=1.2, label=label)
        print(f"{label}: mean {total.mean():.4g} N m, largest {total.max():.4g} N m, {falls(total)} falls")
    axis.set_xlabel("time [s]")
    axis.set_ylabel(f"torque on {arguments.bodies.replace(',', ' + ')} [N m]")
    axis.set_ylim(bottom=0)
    axis.grid(alpha=0.25)
    axis.legend(frameon=False)
    figure.tight_layout()
    save(figure, arguments.output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DIR", nargs="+", help="results of runs")
    parser.add_argument("--bodies", required=True, help="names of obstacles, separated by commas: absolute torques are added")
    parser.add_argument("--axis", choices="xyz", required=True, help="direction of their axes")
    parser.add_argument("--labels", help="names of the runs, separated by commas")
    parser.add_argument("-o", "--output", default="torque.png")
    args = parser.parse_args()
    guard("plot_torque.py", lambda: draw(args))


if __name__ == "__main__":
    main()
