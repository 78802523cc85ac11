"""Pictures of refinement studies: errors over edge lengths, Hertz pressures and forces, partial slip, impacts, gap laws."""


import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import closed_forms

plt.rcParams.update({"font.size": 7, "axes.linewidth": 0.6, "lines.markersize": 3})

COLORS = ("tab:blue", "tab:red", "tab:green", "tab:purple")
DPI = 200  # 1,280 pixels wide
STYLES = {"fixed": ("-", "o"), "tied": ("--", "s"), "matching": (":", "^"), "implicit-euler": ("-", "o"), "bdf2": ("--", "s"),
          "contact-implicit-newmark": (":", "^")}
WORDS = {"fixed": "dhat fixed", "tied": "dhat ~ h", "matching": "meshes match"}


def tidy(axis, title):
    axis.set_title(title, fontsize=8)
    axis.grid(alpha=0.25)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def plot_errors(axis, case, rows):
    """Absolute values, one colour a quantity and one style a rule; grey lines show orders 1 and 2."""
    sizes = sorted({row["size"] for row in rows})
    values = [abs(row[name]) for row in rows for name in case.errors if row[name]]
    for power, text in ((1, "h"), (2, "h²")):
        guide = [1.4 * max(values) * (h / sizes[-1]) ** power for h in sizes]
        axis.loglog(sizes, guide, color="0.7", linewidth=0.8, zorder=0)
        axis.annotate(text, (sizes[0], guide[0]), xytext=(-4, 0), textcoords="offset points", ha="right", va="center", color="0.4",
                      fontsize=7)
    for color, name in zip(COLORS, case.errors):
        for rule in case.rules:
            part = [row for row in rows if row["rule"] == rule]
            axis.loglog([row["size"] for row in part], [abs(row[name]) for row in part], STYLES[rule][0], color=color,
                        marker=STYLES[rule][1],
                        fillstyle="none" if STYLES[rule][1] == "s" else "full", markersize=6 if STYLES[rule][1] == "s" else 3,
                        linewidth=1)
        axis.plot([], [], color=color, label=name)
    for rule in case.rules:
        axis.plot([], [], STYLES[rule][0], marker=STYLES[rule][1], color="0.3", markersize=3, label=WORDS.get(rule, rule))
    axis.legend(fontsize=6.5, frameon=False, ncol=2, loc="upper center", bbox_to_anchor=(0.5, -0.22), columnspacing=1)
    axis.set_xlim(sizes[0] / 1.4, sizes[-1] * 1.1)
    axis.set_xticks(sizes, [f"{h:.3g}" for h in sizes])
    axis.minorticks_off()
    axis.set_xlabel("h [m]")
    tidy(axis, "relative error")


def plot_pressure(axis, rows):
    chosen = [row for row in rows if row["rule"] == "tied"] or rows
    for row, color in ((chosen[0], "tab:orange"), (chosen[-1], "tab:blue")):
        axis.plot(*row["profile"], ".", color=color, markersize=3, label=f"h = {row['size']:.3g} m")
    radius = np.linspace(0, 1, 200)
    axis.plot(radius, np.sqrt(1 - radius**2), color="black", linewidth=1, label="Hertz", zorder=0)
    axis.set_xlim(0, 1.3)
    axis.set_ylim(0, 1.35)
    axis.set_xlabel("r / a")
    axis.legend(fontsize=7, frameon=False)
    tidy(axis, "pressure / peak of Hertz")


def plot_force(axis, case, rows):
    chosen = [row for row in rows if row["rule"] == "tied"] or rows
    most = max(approach for row in chosen for approach, _ in row["curve"])
    approaches = np.linspace(most / 100, 1.05 * most, 60)
    axis.plot(1e3 * approaches, [case.form.force(approach) for approach in approaches], color="black", linewidth=1, label="closed form")
    for row, color in ((chosen[0], "tab:orange"), (chosen[-1], "tab:blue")):
        axis.plot([1e3 * approach for approach, _ in row["curve"]], [force for _, force in row["curve"]], "o", color=color, markersize=3,
                  label=f"h = {row['size']:.3g} m")
    axis.set_xlabel("approach [mm]")
    axis.legend(fontsize=7, frameon=False)
    tidy(axis, "force [N]")


def plot_traction(axis, case, rows):
    for row, color in ((rows[0], "tab:orange"), (rows[-1], "tab:blue")):
        axis.plot(*row["tractions"], ".", color=color, markersize=3, label=f"h = {row['size']:.3g} m")
    place = np.linspace(-1, 1, 401)
    axis.plot(place, [case.form.traction(x, rows[-1]["share"]) for x in place], color="black", linewidth=1, label="closed form", zorder=0)
    axis.plot(place, np.sqrt(1 - place**2), ":", color="0.5", linewidth=1, label="sliding", zorder=0)
    axis.set_xlabel("x / a")
    axis.legend(fontsize=6.5, frameon=False)
    tidy(axis, "traction / (friction times peak pressure)")


def plot_slip(axis, case, rows):
    ratios = np.linspace(0, 1, 200)
    axis.plot(ratios, [case.form.stick_share(ratio) for ratio in ratios], color="black", linewidth=1, label="closed form", zorder=0)
    for row, color in ((rows[0], "tab:orange"), (rows[-1], "tab:blue")):
        axis.plot(*zip(*row["slip"]), "o", color=color, markersize=3, label=f"h = {row['size']:.3g} m")
    axis.set_xlabel("load ratio Q / (friction times P)")
    axis.legend(fontsize=7, frameon=False)
    tidy(axis, "stick width / contact width")


def plot_history(axis, rows):
    """Force over time on the finest mesh, one curve an integrator, with the closed form of the case in black."""
    finest = min(row["size"] for row in rows)
    for row, color in zip([row for row in rows if row["size"] == finest], COLORS):
        axis.plot(*row["history"], color=color, linewidth=0.9, label=row["rule"])
    times = np.linspace(0, 1, 200)
    exact = np.ones(200) if rows[0]["case"] == "bar_impact" else np.sin(np.pi * times) ** 1.5
    axis.plot([0, *times, 1], [0, *exact, 0], color="black", linewidth=1, zorder=0,
              label="closed form" if rows[0]["case"] == "bar_impact" else "sin^1.5, an approximation of Hertz")
    axis.set_ylim(-0.1, 2.0)
    axis.set_xlabel("time / duration of contact")
    axis.legend(fontsize=6.5, frameon=False)
    tidy(axis, "force / closed form")


def plot_gap_law(axis, case, potential, rows):
    """Load over stiffness, made dimensionless, against the gap in dhat."""
    law = closed_forms.GAP_LAWS.get(potential)
    if law:
        shares = np.linspace(0.002, 0.995, 400)
        axis.semilogy(shares, [law(share, 1.0, 1.0) for share in shares], color="black", linewidth=1, label="closed form")
    for rule, marker, size in zip(case.rules, ("o", "x"), (5, 7)):
        part = [row for row in rows if row["rule"] == rule]
        axis.semilogy([row["gap/dhat"] for row in part], [row["pressed"] for row in part], marker, fillstyle="none", markersize=size,
                      label=rule)
    axis.set_xlabel("gap / dhat")
    axis.legend(fontsize=7, frameon=False)
    tidy(axis, "load of a vertex / (stiffness dhat³ / step²)" if potential == "ipc"
         else "load of a vertex over that at stiffness 1, dhat 1")


def draw(case, potential, rows, path):
    """The picture of a case and potential; none where nothing was measured."""
    if not rows:
        return
    if case.name == "resting_gap":
        figure, axis = plt.subplots(figsize=(6.4, 3.4))
        plot_gap_law(axis, case, potential, rows)
    elif "profile" in rows[0]:
        figure, axes = plt.subplots(1, 3, figsize=(6.4, 2.9))
        plot_errors(axes[0], case, rows)
        plot_pressure(axes[1], rows)
        plot_force(axes[2], case, rows)
    elif "tractions" in rows[0]:
        figure, axes = plt.subplots(1, 3, figsize=(6.4, 2.9))
        plot_errors(axes[0], case, rows)
        plot_traction(axes[1], case, [row for row in rows if row["rule"] == case.rules[0]])
        plot_slip(axes[2], case, [row for row in rows if row["rule"] == case.rules[0]])
    elif "history" in rows[0]:
        figure, axes = plt.subplots(1, 2, figsize=(6.4, 2.9))
        plot_errors(axes[0], case, rows)
        plot_history(axes[1], rows)
    else:
        figure, axis = plt.subplots(figsize=(6.4, 3.8))
        plot_errors(axis, case, rows)
    figure.suptitle(f"{case.title}, {potential}", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=DPI, pil_kwargs={"optimize": True})
    plt.close(figure)
