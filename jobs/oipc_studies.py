"""What oipc.py draws over runs of inputs/oipc: forces over the motion, tip heights under refinement, iterations over range, orders of the potential."""

import math
import os
import sys

from ipc2020 import ROOT, markdown, rows_of
from oipc_plan import PLANS, SAMPLES, runs

sys.path.insert(0, os.path.join(ROOT, "postprocess"))

COLORS = {"ipc": "tab:blue", "convergent-ipc": "tab:orange", "oipc": "tab:green", "gcp": "tab:red"}
AXES = {"fig12_compression_2d": "contact force [N/m]", "fig12_compression_3d": "contact force [N]", "fig13_balloon": "contact force [N]",
        "fig14_cusp_2d": "contact force [N/m]", "fig14_cusp_3d": "contact force [N]"}


def levels_of(out, value):
    """Times and values of the levels of a run: value(level, results)."""
    from abut_results import Results
    results = Results(out)
    levels = [results.level(name) for name in results.levels()]
    return [float(level.attrs["time"]) for level in levels], [value(level, results) for level in levels]


def force(level, _):
    """Sum of the sizes of the contact forces on all vertices."""
    return float(((level["contact_force"][()] ** 2).sum(axis=1) ** 0.5).sum())


def tip(level, _):
    return float(level["position"][0, 1])


def figure(path, panels, height=2.6):
    """Axes of a figure that a caller fills, and how to save it."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    shape, axes = plt.subplots(1, panels, figsize=(6.4, height), dpi=100, squeeze=False)

    def save():
        for axis in axes[0]:
            axis.grid(alpha=0.3)
            axis.tick_params(labelsize=7)
        shape.tight_layout()
        shape.savefig(path)
        plt.close(shape)
    return axes[0], save


def draw_forces(name, folder, pictures):
    """Contact force and Newton iterations over time for each potential."""
    found = [(potential, folder(name, potential)) for potential, variant in runs(name) if not variant]
    found = [(potential, out) for potential, out in found if rows_of(out)]
    if not found:
        return
    (left, right), save = figure(os.path.join(pictures, name + "-forces.png"), 2)
    for potential, out in found:
        left.plot(*levels_of(out, force), color=COLORS[potential], label=potential)
        steps = rows_of(out)
        right.plot([float(row["time_s"]) for row in steps], [int(row["newton_iterations"]) for row in steps], color=COLORS[potential], lw=0.9)
    left.set_ylabel(AXES[name], fontsize=8)
    right.set_ylabel("Newton iterations a step", fontsize=8)
    left.legend(fontsize=7)
    for axis in (left, right):
        axis.set_xlabel("time [s]", fontsize=8)
    save()


def corner(folder, pictures):
    """Tip height over time for each level: a panel a potential; lowest heights as a table."""
    panels = {"convergent-ipc": "convergent-ipc", "oipc": "oipc, L fixed", "oipc, L as h": "oipc, L = h", "gcp": "gcp"}
    axes, save = figure(os.path.join(pictures, "fig16_corner-tip.png"), len(panels), 2.2)
    rows = []
    for axis, (key, title) in zip(axes, panels.items()):
        potential, _, length = key.partition(", ")
        row = {"potential": title}
        for level in range(1, 5):
            variant = "" if level == 1 else f"level {level}" + (f", {length}" if length else "")
            out = folder("fig16_corner", potential, variant)
            if not rows_of(out):
                continue
            times, heights = levels_of(out, tip)
            axis.semilogy([1e3 * t for t in times], heights, lw=0.9, color=str(0.75 - 0.25 * (level - 1)), label=f"h = {0.02 / 2**(level - 1):g}")
            row[f"h = {0.02 / 2**(level - 1):g} m"] = f"{min(heights):.2g}"
        axis.set_title(title, fontsize=8)
        axis.set_xlabel("time [ms]", fontsize=7)
        rows.append(row)
    axes[0].legend(fontsize=6)
    axes[0].set_ylabel("height of the tip [m]", fontsize=7)
    save()
    columns = ["potential", *(f"h = {0.02 / 2**k:g} m" for k in range(4))]
    return markdown(columns, [{column: row.get(column, "") for column in columns} for row in rows])


def ranges(folder, pictures):
    """Newton iterations over the range, a curve for each alpha."""
    name, curves = "fig18_rings", {}
    for potential, variant in runs(name):
        steps = rows_of(folder(name, potential, variant))
        if variant and steps:
            alpha, _, eps = variant.removeprefix("alpha ").partition(", eps ")
            curves.setdefault(float(alpha), []).append((float(eps), sum(int(row["newton_iterations"]) for row in steps)))
    (axis,), save = figure(os.path.join(pictures, "fig18_rings-range.png"), 1, 2.4)
    for alpha, points in curves.items():
        axis.plot(*zip(*points), "o-", ms=3, label=f"alpha = {alpha:g}")
    axis.set_xlabel("dhat [m]", fontsize=8)
    axis.set_ylabel("Newton iterations", fontsize=8)
    axis.legend(fontsize=7)
    save()


def fitted(values):
    """Order of convergence by the least-squares line through the logarithms of differences of consecutive values, h halved from each to the next."""
    if len(values) < 3:
        return ""
    logs = [math.log2(abs(b - a)) for a, b in zip(values, values[1:])]
    middle = (len(logs) - 1) / 2
    slope = sum((k - middle) * x for k, x in enumerate(logs)) / sum((k - middle) ** 2 for k in range(len(logs)))
    return f"{-slope:.2f}" if slope < 0 else "diverges"


def potentials(folder, name, suffix):
    """The potential of a fixed configuration on all levels that were run."""
    steps = [rows_of(folder(name, "oipc", f"level {k}{suffix}")) for k in range(1, 6) if f"level {k}{suffix}" in PLANS[name].variants]
    return [float(rows[0]["energy_contact_J"]) for rows in steps if rows]


# What potentials tend to. By quadrature: 3 times the double integral over the smooth shapes, by fine sums. By closest points: that times the mean of
# what vertices (as wide as L over edges as long as those of the two surfaces that meet) count for.
LIMITS = {"fig19_potential_a": (0.28325, 0.2830485), "fig19_potential_b": (0.0889, 0.0756618)}


def quadrature(folder):
    """Potential by samples of edges, and how far it is off its limit."""
    rows = []
    for name, limits in LIMITS.items():
        for n in (0, *SAMPLES):
            values = potentials(folder, name, f", quadrature {n}" if n else "")
            errors = [value / limits[n > 0] - 1 for value in values]
            rows.append({"configuration": name[-1].upper(), "quadrature": n or "none", "potential by level": ", ".join(f"{v:.4g}" for v in values),
                         "off its limit by a share of": ", ".join(f"{e:+.2g}" for e in errors),
                         "order, last two": f"{math.log2(abs(errors[-2] / errors[-1])):.2f}" if len(errors) > 1 else ""})
    return markdown(["configuration", "quadrature", "potential by level", "off its limit by a share of", "order, last two"], rows)


def orders(folder, pictures):
    """The potential of fixed configurations under refinement."""
    names = ["fig19_potential_a", "fig19_potential_b", "fig19_potential_c"]
    axes, save = figure(os.path.join(pictures, "fig19_potential.png"), len(names), 2.2)
    rows = []
    for axis, name in zip(axes, names):
        for suffix, style in (("", "o-"), (", L fixed", "s--")):
            values = potentials(folder, name, suffix)
            if not values:
                continue
            axis.semilogy(range(1, 1 + len(values)), [v / values[0] for v in values], style, ms=3, label="L fixed" if suffix else "L as h")
            rows.append({"configuration": name[-1].upper(), "L": "fixed" if suffix else "mean edge", "potential by level": ", ".join(f"{v:.4g}" for v in values),
                         "order, all": fitted(values), "order, last three": fitted(values[-3:])})
        axis.set_title(name[-1].upper(), fontsize=8)
        axis.set_xlabel("level: h is halved each time", fontsize=7)
        axis.set_xticks(range(1, 6))
    axes[0].set_ylabel("potential over that of level 1", fontsize=7)
    axes[0].legend(fontsize=6)
    save()
    return markdown(["configuration", "L", "potential by level", "order, all", "order, last three"], rows)


def tables(folder, pictures):
    """Draws all studies that have results; tables for the page by name. folder(scene, potential, variant) is where a run is."""
    for name in AXES:
        draw_forces(name, folder, pictures)
    ranges(folder, pictures)
    return {"tip": corner(folder, pictures), "order": orders(folder, pictures), "quadrature": quadrature(folder)}
