"""
Pictures of oipc.py over several runs of inputs/oipc: forces over the motion, tip heights under refinement, iterations over dhat, orders
of the potential.

A study is drawn, and a row of its table written, if all its runs are complete. folder(scene, potential, variant) is the folder of a run;
`path` of a picture is None if no picture is needed.
"""

import math
import os
import sys
import tempfile

from oipc_page import Table
from oipc_plan import OPENINGS, PAPERS, PLANS, runs
from scene_runs import ROOT, draw, incomplete_reason, rows_of

sys.path.insert(0, os.path.join(ROOT, "postprocess"))

COLORS = {"ipc": "tab:blue", "convergent-ipc": "tab:orange", "oipc": "tab:green", "gcp": "tab:red"}
AXES = {"fig12_compression_2d": "contact force [N/m]", "fig12_compression_3d": "contact force [N]", "fig13_balloon": "contact force [N]",
        "fig14_cusp_2d": "contact force [N/m]", "fig14_cusp_3d": "contact force [N]"}
LAST_OF_PAPER = {"fig14_cusp_3d": {"ipc": 257, "convergent-ipc": 58, "oipc": 72}}  # Newton iterations of the last step (Fig. 14)
ORDERS_OF_PAPER = {"fig19_potential_a": 0.82, "fig19_potential_b": 1.57}  # Fig. 19


def complete(what, folder, wanted):
    """Whether all these runs are complete; prints a message if only some are."""
    problems = {run: incomplete_reason(folder(*run)) for run in wanted}
    missing = [run for run, problem in problems.items() if problem]
    if 0 < len(missing) < len(problems):
        print(f"{what}: left as it is: {', '.join(missing[0]).removesuffix(', ')} {problems[missing[0]]}"
              + (f", and {len(missing) - 1} more" if missing[1:] else ""), flush=True)
    return not missing


def levels_of(out, value):
    """Times and values of the levels of a run: value(level, results)."""
    from abut_results import Results
    results = Results(out)
    levels = [results.level(name) for name in results.levels()]
    return [float(level.attrs["time"]) for level in levels], [value(level, results) for level in levels]


def force(level, _):
    """Sum over vertices of the norms of contact forces."""
    return float(((level["contact_force"][()] ** 2).sum(axis=1) ** 0.5).sum())


def tip(level, _):
    return float(level["position"][0, 1])


def figure(path, panels, height=2.6, same_height=False, rows=1):
    """Axes of a figure for the caller, row by row, and a function that saves it."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    shape, axes = plt.subplots(rows, panels, figsize=(6.4, height), dpi=200, squeeze=False, sharey=same_height)

    def save():
        for axis in axes.flat:
            axis.grid(alpha=0.3)
            axis.tick_params(which="both", labelsize=7)
        shape.tight_layout()
        shape.savefig(path)
        plt.close(shape)
    return axes.ravel(), save


def draw_paper(axis, name, end):
    """Draws Newton iterations that the paper prints: the mean of all steps, and the last step at the time `end`."""
    mean = PLANS[name].paper.rpartition("; ")[2]
    if mean:
        axis.axhline(float(mean), color=COLORS["oipc"], lw=0.9, ls="--", label=f"paper, oipc: mean {mean}")
    for potential, count in LAST_OF_PAPER.get(name, {}).items():
        axis.plot(end, count, "x", color=COLORS[potential], ms=5, label=f"paper, last step: {count}")
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=6)


def draw_forces(name, folder, path):
    """Contact force and Newton iterations over time for each potential."""
    wanted = [(name, potential, "") for potential, variant in runs(name) if not variant]
    if not path or not complete(os.path.basename(path), folder, wanted):
        return
    (left, right), save = figure(path, 2, 2)
    for _, potential, variant in wanted:
        out = folder(name, potential, variant)
        left.plot(*levels_of(out, force), color=COLORS[potential], label=potential)
        steps = rows_of(out)
        right.plot([float(row["time_s"]) for row in steps], [int(row["newton_iterations"]) for row in steps], color=COLORS[potential],
                   lw=0.9)
    draw_paper(right, name, float(steps[-1]["time_s"]))
    left.set_ylabel(AXES[name], fontsize=8)
    right.set_ylabel("Newton iterations a step", fontsize=8)
    left.legend(fontsize=7)
    for axis in (left, right):
        axis.set_xlabel("time [s]", fontsize=8)
    save()


def alphas(folder, path):
    """Draws the cusps for each alpha, halfway and at the end, one column each; contact forces as colours of one scale."""
    name = "fig14_cusp_2d"
    wanted = [(name, "oipc", variant) for potential, variant in runs(name) if potential == "oipc" and variant not in OPENINGS]
    if not path or not complete(os.path.basename(path), folder, wanted):
        return
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from abut_results import Results
    shape, axes = plt.subplots(2, len(wanted), figsize=(6.4, 2.95), dpi=200)
    for column, run in zip(axes.T, wanted):
        results = Results(folder(*run))
        names, cells, edges = results.levels(), results.mesh("cells"), results.mesh("surface").reshape(-1, 2)
        total = sum(int(row["newton_iterations"]) for row in rows_of(folder(*run)))
        column[0].set_title(f"alpha = {run[2].removeprefix('alpha ') or '0.05'}\n{total} iterations", fontsize=7)
        for axis, level in zip(column, (results.level(names[len(names) // 2]), results.level(names[-1]))):
            points, forces = level["position"][:, :2], np.linalg.norm(level["contact_force"], axis=1)
            axis.tripcolor(*points.T, cells, facecolors=np.full(len(cells), 0.8), cmap="Greys_r", vmin=0, vmax=1)
            axis.plot(*points[edges].transpose(2, 1, 0), color="0.45", lw=0.5)
            acting = np.flatnonzero(forces > 1)
            acting = acting[np.argsort(forces[acting])]
            axis.scatter(*points[acting].T, s=2, c=np.log10(forces[acting]), cmap="plasma_r", vmin=0, vmax=4, zorder=3)
            axis.set(aspect="equal", xlim=(points[:, 0].min() - 0.02, points[:, 0].min() + 0.88))
            axis.set_axis_off()
    shape.text(0.01, 0.01, "contact force on a vertex, 1 N/m (bright) to 10 kN/m (dark); t = 0.2 s and 0.4 s", fontsize=7)
    shape.subplots_adjust(left=0.005, right=0.995, top=0.89, bottom=0.05, wspace=0.03, hspace=0.03)
    shape.savefig(path)
    plt.close(shape)


def openings(folder):
    """Largest contact force of the cusps by their opening, and mean Newton iterations with oipc."""
    columns = ["dim", "opening [degrees]", *PAPERS, "oipc: Newton a step"]
    keys = [(f"{dim}D", str(angle)) for dim in (2, 3) for angle in sorted([22, *OPENINGS.values()])]
    rows = []
    for dim, angle in keys:
        name, variant = f"fig14_cusp_{dim.lower()}", "" if angle == "22" else f"opening {angle}"
        wanted = [(name, potential, variant) for potential in PAPERS]
        if complete(f"{name}, opening {angle}", folder, wanted):
            forces = [f"{max(levels_of(folder(*run), force)[1]):.3g}" for run in wanted]
            newton = [int(row["newton_iterations"]) for row in rows_of(folder(*wanted[-1]))]
            rows.append(dict(zip(columns, [dim, angle, *forces, f"{sum(newton) / len(newton):.1f}"])))
    return Table(columns, 2, rows, keys)


def corner(folder, path):
    """Draws tip heights over time for each level, one panel per potential; returns the lowest heights as a table."""
    panels = {"convergent-ipc": "convergent-ipc", "oipc": "oipc, L fixed", "oipc, L short": "oipc, L short", "oipc, L as h": "oipc, L = h",
              "gcp": "gcp"}
    sizes = {level: f"h = {0.02 / 2 ** (level - 1):g} m" for level in range(1, 5)}
    curves, rows = {}, []
    for key, title in panels.items():
        potential, _, length = key.partition(", ")
        wanted = {level: ("fig16_corner", potential, f"level {level}" + (f", {length}" if length else "")) for level in sizes}
        if length != "L short":  # the scene itself is level 1 with L fixed and with L = h
            wanted[1] = ("fig16_corner", potential, "")
        if complete(f"heights of the tip, {title}", folder, wanted.values()):
            curves[title] = {level: levels_of(folder(*run), tip) for level, run in wanted.items()}
            rows.append({"potential": title,
                         **{sizes[level]: f"{min(heights):.2g}" for level, (_, heights) in curves[title].items()}})
    if path and len(curves) == len(panels):
        axes, save = figure(path, len(panels), 2.4, same_height=True)
        for axis, (title, levels) in zip(axes, curves.items()):
            for level, (times, heights) in levels.items():
                axis.semilogy([1e3 * t for t in times], heights, lw=0.9, color=str(0.75 - 0.25 * (level - 1)), label=sizes[level])
            axis.set_title(title, fontsize=8)
            axis.set_xlabel("time [ms]", fontsize=7)
        axes[-1].legend(fontsize=6)
        axes[0].set_ylabel("height of the tip [m]", fontsize=7)
        save()
    return Table(["potential", *sizes.values()], 1, rows, [(title,) for title in panels.values()])


def ranges(name, folder, path):
    """Draws Newton iterations of a scene over dhat, one curve for each alpha."""
    curves = {}
    wanted = [(name, potential, variant) for potential, variant in runs(name) if variant]
    if not path or not complete(os.path.basename(path), folder, wanted):
        return
    for run in wanted:
        alpha, _, eps = run[2].removeprefix("alpha ").partition(", eps ")
        curves.setdefault(float(alpha), []).append((float(eps), sum(int(row["newton_iterations"]) for row in rows_of(folder(*run)))))
    (axis,), save = figure(path, 1, 2.4)
    for alpha, points in curves.items():
        axis.plot(*zip(*points), "o-", ms=3, label=f"alpha = {alpha:g}")
    axis.set_xlabel("dhat [m]", fontsize=8)
    axis.set_ylabel("Newton iterations", fontsize=8)
    axis.legend(fontsize=7)
    save()


def erleben(folder, path):
    """Draws start and end of Erleben's tests, two tests in a row."""
    wanted = [(name, "oipc", "") for name in PLANS if name.startswith("fig20_")]
    if not path or not complete(os.path.basename(path), folder, wanted):
        return
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image
    shape, axes = plt.subplots((len(wanted) + 1) // 2, 2, figsize=(6.4, 8.4), dpi=200)
    for axis, run in zip(axes.flat, wanted):
        with tempfile.NamedTemporaryFile(suffix=".png") as tile:
            problem = draw(folder(*run), tile.name, (*PLANS[run[0]].picture, "--width", "640"))
            if problem:
                print(f"{run[0]}: {problem}", flush=True)
            else:
                axis.imshow(plt.imread(tile.name))
        axis.set_title(run[0].removeprefix("fig20_").replace("_", " "), fontsize=8, pad=2)
        axis.set_axis_off()
    shape.subplots_adjust(left=0.005, right=0.995, top=0.975, bottom=0.005, wspace=0.02, hspace=0.12)
    shape.savefig(path)
    plt.close(shape)
    Image.open(path).convert("RGB").quantize(160, dither=Image.Dither.NONE).save(path, optimize=True)


def fitted(values):
    """Order of convergence: slope of the least-squares line through the logarithms of consecutive differences; h is halved each time."""
    if len(values) < 3:
        return ""
    logs = [math.log2(abs(b - a)) for a, b in zip(values, values[1:])]
    middle = (len(logs) - 1) / 2
    slope = sum((k - middle) * x for k, x in enumerate(logs)) / sum((k - middle) ** 2 for k in range(len(logs)))
    return f"{-slope:.2f}" if slope < 0 else "diverges"


def potentials(folder, name, suffix):
    """The potential of a fixed configuration on all levels; None if one is missing."""
    wanted = [(name, "oipc", f"level {k}{suffix}") for k in range(1, 6) if f"level {k}{suffix}" in PLANS[name].variants]
    if not complete(f"potential, {name}{suffix}", folder, wanted):
        return []
    return [float(rows_of(folder(*run))[0]["energy_contact_J"]) for run in wanted]


def draw_orders(scenes, curves, path):
    """Draws potentials by level, and the differences of consecutive levels beside lines of the paper's orders."""
    axes, save = figure(path, len(scenes), 4.2, rows=2)
    for axis, below, name in zip(axes, axes[len(scenes):], scenes):
        for suffix, style in (("", "o-"), (", L fixed", "s--")):
            values = curves[name, suffix]
            axis.semilogy(range(1, 1 + len(values)), [v / values[0] for v in values], style, ms=3, label="L fixed" if suffix else "L as h")
        values = curves[name, ""]
        changes = [abs(b - a) / values[0] for a, b in zip(values, values[1:])]
        levels = range(2, 2 + len(changes))
        below.semilogy(levels, changes, "o-", ms=3, label=f"L as h, order {fitted(values)}")
        if name in ORDERS_OF_PAPER:
            order = ORDERS_OF_PAPER[name]
            below.semilogy(levels, [changes[0] * 2 ** (-order * (k - 2)) for k in levels], "k:", lw=1, label=f"paper, order {order}")
        axis.set_title(name[-1].upper(), fontsize=8)
        below.set_xlabel("level: h is halved each time", fontsize=7)
        for one in (axis, below):
            one.set_xticks(range(1, 6))
            one.legend(fontsize=6)
    axes[0].set_ylabel("potential over that of level 1", fontsize=7)
    axes[len(scenes)].set_ylabel("change from the level before,\nover the potential of level 1", fontsize=7)
    save()


def orders(folder, names, path):
    """The potential of fixed configurations under refinement."""
    scenes, lengths = ["fig19_potential_a", "fig19_potential_b", "fig19_potential_c"], {"": "mean edge", ", L fixed": "fixed"}
    rows, columns = [], ["configuration", "L", "potential by level", "order, all", "order, last three"]
    curves = {(name, suffix): potentials(folder, name, suffix) for name in scenes if name in names for suffix in lengths}
    for (name, suffix), values in curves.items():
        if values:
            rows.append(dict(zip(columns, (name[-1].upper(), lengths[suffix], ", ".join(f"{v:.4g}" for v in values), fitted(values),
                                           fitted(values[-3:])))))
    if path and len(rows) == len(scenes) * len(lengths):
        draw_orders(scenes, curves, path)
    return Table(columns, 2, rows, [(name[-1].upper(), length) for name in scenes for length in lengths.values()])


def tables(names, folder, pictures, shown):
    """Draws the studies of these scenes whose pictures are in the list `shown` into the folder `pictures`; returns tables by section."""
    def path(picture):
        return os.path.join(pictures, picture + ".png") if picture + ".png" in shown else None
    for name in AXES:
        if name in names:
            draw_forces(name, folder, path(name + "-forces"))
    if "fig14_cusp_2d" in names:
        alphas(folder, path("fig17_alpha"))
    for name in ("fig18_rings", "fig18_balls"):
        if name in names:
            ranges(name, folder, path(name + "-range"))
    if all(name in names for name in PLANS if name.startswith("fig20_")):
        erleben(folder, path("fig20_erleben"))
    found = {"order": orders(folder, names, path("fig19_potential"))}
    if {"fig14_cusp_2d", "fig14_cusp_3d"} & set(names):
        found["opening"] = openings(folder)
    if "fig16_corner" in names:
        found["tip"] = corner(folder, path("fig16_corner-tip"))
    return found
