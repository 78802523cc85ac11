#!/usr/bin/env python3
"""Limits of the potentials of Huang et al. (2025), equations (1) to (4), appendix A, supplement 2: integrals, held against the program.

    oipc_limits.py [--quick] [--picture FILE.png] [-o results/oipc_limits] [--abut build/bin/abut]

Each study evaluates the contact energy of fixed 2D configurations with the program, or an integral of contact_integrals.py, and compares
it with a closed form or with an exponent of the paper. Writes limits.md and limits.json into the output folder. --quick leaves out the
finest meshes: half a minute. Exit code 1 if a figure is off. Needs NumPy, and Matplotlib for a picture.
"""

import dataclasses
import json
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "postprocess"))
import needs

needs.modules("numpy")
from prescribed_bodies import OPENING, RADIUS, Runs, approach, disc, needle, polygon, strip  # noqa: E402
from scene_runs import parser_of, require_program  # noqa: E402
from orders import richardson, slope  # noqa: E402

DHAT, ALPHA = 0.1, 0.5  # dhat of the discs [m]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A measured figure of a claim; `wanted` is of a closed form, of an integral, or the paper's exponent."""
    name: str
    claim: str
    value: float
    wanted: float
    tolerance: float  # absolute

    @property
    def holds(self):
        return abs(self.value - self.wanted) <= self.tolerance


def oriented(dhat, length="mean", alpha=ALPHA):
    return f"alpha: {alpha}, edge_length: {length}, dhat: {{absolute: {dhat}}}"


def above(height, gaps, aside=0.0):
    """Path of a body: places at these gaps above a height."""
    return [(aside, height + gap) for gap in gaps]


def plain(dhat):
    return f"dhat: {{absolute: {dhat}}}"


def log_barrier(distance, dhat):
    """Barrier of "convergent-ipc" [m], whose force is a pressure for the stiffness 1."""
    q = distance / dhat
    return -2 * dhat * (1 - q**2) ** 2 * math.log(q) if q < 1 else 0.0


# ---- equations (1) to (4)

def energy_of_discs(runs, edges):
    """Of two discs at a gap of half of dhat; L is the edge length."""
    rule = oriented(DHAT, 2 * RADIUS * math.sin(math.pi / edges))
    return runs.energies("oipc", rule, {"low": disc(edges, 0.13), "up": disc(edges, 0.37)}, above(2 * RADIUS, approach(DHAT, 1)))[-1]


def smooth(runs, quick):
    """Energy of two discs: order of convergence to equation (4) with the angle factor (6)."""
    from contact_integrals import discrete_factor, discs, smooth_factor
    levels = [256 * 2**k for k in range(3 if quick else 4)]
    limit = 3 * discs(RADIUS, DHAT / 2, DHAT, discrete_factor(ALPHA))  # three kinds of pairs: VV, and EV on either side
    errors = [energy_of_discs(runs, n) / limit - 1 for n in levels]
    sizes = [1 / n for n in levels]
    least = 0.9999 * DHAT  # nearly normal directions only
    printed, discrete = (discs(RADIUS, least, DHAT, factor(ALPHA)) for factor in (smooth_factor, discrete_factor))
    yield Figure("order", "(4) with factor (6): order", slope(sizes[-2:], errors[-2:]), 1, 0.1)
    yield Figure("printed", "(4) at a gap of dhat: factor (3) over factor (6)", printed / discrete, 16 / (9 * ALPHA**2), 0.05)
    runs.curves["discs"] = levels, errors


def rigid(runs, _):
    """A tip over a row of points has no angle factors: equation (1) in a plane. Growth of psi by ln(1 / gap); factor (6) bounds it."""
    from contact_integrals import discrete_factor, flat, no_factor, smooth_factor
    gaps, spacing = approach(1.0, 5), 0.01
    row = "".join(f"v {spacing * (k + 0.3)!r} 0 0\n" for k in range(-110, 111))
    with open(os.path.join(runs.folder, "row.pt"), "w", encoding="ascii") as stream:
        stream.write(row)
    energies = runs.energies("oipc", oriented(1.0, spacing, 0.01), {"tip": needle(length=10.0)}, above(0, gaps),
                             "{name: row, shape: {file: ../row.pt}}")
    wanted = [flat(gap, 1.0, 2, no_factor) for gap in gaps[2:]]
    found = [energy / spacing for energy in energies[2:]]
    small = (1e-4, 1e-5)
    yield Figure("rigid", "(1) in the program: largest relative error", max(abs(a / b - 1) for a, b in zip(found, wanted)), 0, 1e-5)
    for dim, rate in ((2, 2), (3, 2 * math.pi)):
        far, near = (flat(gap, 1.0, dim, no_factor) for gap in small)
        yield Figure(f"rate_{dim}d", f"(1): psi over ln(1/gap), {dim}D, integral", (near - far) / math.log(10), rate, 1e-3)
    for name, factor in (("3", smooth_factor), ("6", discrete_factor)):
        far, near = (flat(gap, 1.0, 2, factor(ALPHA)) for gap in small)
        yield Figure(f"bounded_{name}", f"(4) with factor ({name}) between flat sides, 2D: psi grows by", near - far, 0, 1e-4)
    runs.curves["rigid"] = gaps[2:], found, wanted, [flat(gap, 1.0, 2, discrete_factor(ALPHA)) for gap in gaps[2:]]


# ---- appendix A

def folds(runs, quick):
    """Two sides at 20 degrees: psi stays bounded at the corner up to the power n - 1 of the distance; energies under refinement."""
    from contact_integrals import discrete_factor, fold, panels
    import numpy as np
    factor, dhat, levels = discrete_factor(ALPHA), 2 * DHAT, [64 * 2**k for k in range(4 if quick else 5)]
    for power, exponent in ((1, 0), (2, -1)):
        found = slope((1e-3, 1e-4), [fold(r, OPENING, dhat, factor, power) for r in (1e-3, 1e-4)])
        yield Figure(f"fold_{power}", f"psi near a fold, 2D, power {power}: exponent of the distance", found, exponent, 1e-3)
    energies = {}
    for potential in ("oipc", "gcp", "ipc"):
        for n in levels:  # L is the edge length of the sides; the mean edge of the mesh includes the longer ends
            rule = plain(dhat) if potential == "ipc" else oriented(dhat, 1 / n)
            energies.setdefault(potential, []).append(runs.energies(potential, rule, {"strip": strip(n)})[0])
    r, weight = panels(np.geomspace(1e-6, 1, 200))
    limit = 3 * sum(w * fold(x, OPENING, dhat, factor, 1) for x, w in zip(r, weight))
    rate = 2 / 3 * dhat**2 * 1e-4 * fold(1e-4, OPENING, dhat, factor, 2)
    growth = (energies["gcp"][-1] - energies["gcp"][-2]) / math.log(2)
    oipc, _ = richardson([1 / n for n in levels], energies["oipc"])
    yield Figure("fold_oipc", "fold, oipc, power 1: limit of the energy over the integral", oipc / limit, 1, 0.02)
    yield Figure("fold_gcp", "fold, gcp, power 2: growth by ln(1/h) over that of the integral", growth / rate, 1, 0.2 if quick else 0.06)
    yield Figure("fold_ipc", "fold, ipc: exponent of h", slope([1 / n for n in levels[-2:]], energies["ipc"][-2:]), -2, 0.15)
    runs.curves["folds"] = levels, energies


def barriers(runs, quick):
    """Two discs in planar contact, and a cone on a disc: growth of the integral of 1/z^2; strength of the discrete barrier."""
    from contact_integrals import between_discs
    gaps = [10.0**-k for k in range(1, 7)]
    grown = {}
    for name, cone, area in (("discs_printed", False, False), ("discs", False, True), ("cone_printed", True, False), ("cone", True, True)):
        grown[name] = [between_discs(gap, cone, area) for gap in gaps]
    last = math.log(gaps[-2] / gaps[-1])
    root = (math.sqrt(grown["discs_printed"][-1]) - math.sqrt(grown["discs_printed"][-2])) / last
    yield Figure("discs_printed", "discs, as printed: over ln(1/gap)^2, in pi^2", (root / math.pi) ** 2, 2, 0.05)
    rate = (grown["discs"][-1] - grown["discs"][-2]) / last
    yield Figure("discs", "discs, with area element: over ln(1/gap), in pi^2", rate / math.pi**2, 2, 1e-3)
    far, middle, near = grown["cone_printed"][-3:]
    yield Figure("cone_printed", "cone, as printed: growth from decade to decade, ratio", (near - middle) / (middle - far), 1, 0.01)
    yield Figure("cone", "cone, with area element: growth in the last decade", grown["cone"][-1] - grown["cone"][-2], 0, 1e-3)
    weaker = [between_discs(gap, False, True, 1) for gap in gaps[-2:]]
    yield Figure("power_1", "discs, power 1: growth in the last decade", weaker[1] - weaker[0], 0, 1e-3)
    runs.curves["barriers"] = gaps, grown


def strengths(runs, _):
    """Barrier of two discs whose vertices face each other, at a gap far below the edges: exponents of the edge length."""
    found = {"oipc": [], "convergent-ipc": []}
    sizes, gaps = [], approach(DHAT, 20)
    for n in (32, 64, 128):
        sizes.append(2 * RADIUS * math.sin(math.pi / n))
        for potential, rule in (("oipc", oriented(DHAT, sizes[-1])), ("convergent-ipc", plain(DHAT))):
            energies = runs.energies(potential, rule, {"low": disc(n, 0), "up": disc(n, 0)}, above(2 * RADIUS, gaps))
            found[potential].append(energies[-1] - energies[-3])  # half of the gap
    yield Figure("strength_oipc", "barrier at a gap far below h, oipc: exponent of h", slope(sizes, found["oipc"]), 2, 0.02)
    yield Figure("strength_convergent", "the same, convergent-ipc", slope(sizes, found["convergent-ipc"]), 1, 0.02)


# ---- supplement 2: "convergent-ipc"

def switches(runs, _):
    """A tip moves between two walls, so that its closest point switches: jump of the force over that of the maximum over all points."""
    distance, dhat, small = math.sqrt(0.5), 0.9, 1e-6
    slope_of_barrier = (log_barrier(distance - small, dhat) - log_barrier(distance + small, dhat)) / (2 * small)
    jump = 0.5 * slope_of_barrier * 2 * math.sqrt(0.5)  # half the length 1 of the tip; the walls are at 45 degrees
    stiffness = []
    for parts in (16, 64):
        points = [(abs(k) / parts, k / parts) for k in range(-parts, parts + 1)]
        with open(os.path.join(runs.folder, "walls.seg"), "w", encoding="ascii") as stream:
            stream.write("".join(f"v {1.5 * x!r} {1.5 * y!r} 0\n" for y, x in points)
                         + "".join(f"s {k} {k + 1}\n" for k in range(1, len(points))))
        rows = runs.steps("convergent-ipc", plain(dhat), {"tip": needle()}, [(-small, 1), (small, 1)],
                          "{name: walls, shape: {file: ../walls.seg}}")
        stiffness.append(abs(rows[1]["contact_force_x_N"] - rows[0]["contact_force_x_N"]) / (2 * small))
    found = stiffness[-1] * 2 * small / jump
    yield Figure("jump", "convergent-ipc: jump of the force at a switch, over that of the maximum", found, 0, 1e-4)
    yield Figure("jump_refined", "the same: change by distance, walls of 64 edges over 16", stiffness[1] / stiffness[0], 1, 0.05)


def printed_sum(vertex, polygon_, dhat):
    """Equation (1) of the supplement at a vertex of a closed polygon whose edges have their closest points at vertices."""
    n = len(polygon_)
    lengths = [math.dist(polygon_[vertex], other) for other in polygon_]
    edges = sum(log_barrier(min(lengths[k], lengths[(k + 1) % n]), dhat) for k in range(n) if vertex not in (k, (k + 1) % n))
    return edges - sum(log_barrier(lengths[k], dhat) for k in range(n) if k != vertex)


def neighbours(runs, _):
    """Energy of single bodies at rest with dhat above the edges (disc), the size (square), or the thickness (plate)."""
    n, square = 128, [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    bodies = {"disc": (DHAT, disc(n, 0)), "square": (2.0, polygon(square, 1)),
              "plate": (0.15, polygon([(0.0, 0.0), (2.0, 0.0), (2.0, 0.1), (0.0, 0.1)], 1))}
    length, across = 2 * RADIUS * math.sin(math.pi / n), log_barrier(math.sqrt(2), 2)
    # half of the length of all vertices times psi, the sum over closest points without the neighbours' own edges
    wanted = {"disc": n * length / 2 * 2 * log_barrier(length, DHAT), "square": 4 / 2 * (2 * log_barrier(1, 2) - across),
              "plate": 4.2 / 2 * log_barrier(0.1, 0.15)}
    for name, (dhat, mesh) in bodies.items():
        found = runs.energies("convergent-ipc", plain(dhat), {"body": mesh})[0]
        yield Figure(f"rest_{name}", f"convergent-ipc: {name} at rest, energy over closed form", found / wanted[name], 1, 1e-9)
        found = runs.energies("oipc", oriented(dhat), {"body": mesh})[0]
        yield Figure(f"rest_{name}_oipc", f"oipc: {name} at rest, energy", found, 0, 0)
    yield Figure("square_printed", "supplement (1): psi of the square over closed form", printed_sum(0, square, 2.0) / -across, 1, 1e-12)
    steps = [printed_sum(0, disc(n, 0)[0][1:], DHAT), log_barrier(length, DHAT)]
    yield Figure("disc_printed", "supplement (1): psi of the disc over b(h)", steps[0] / steps[1], 0, 1e-12)


def corners(runs, quick):
    """A corner of 90 degrees a distance of 4e-7 above a block, convergent-ipc: limit of the energy under refinement."""
    dhat, side, levels = 0.2, math.sqrt(0.5), (16, 32, 64) if quick else (32, 64, 128)
    values = []
    for n in levels:
        energies = runs.energies("convergent-ipc", plain(dhat),
                                 {"low": polygon([(-1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (-1.0, 0.0)], 2 * n),
                                  "up": polygon([(0.0, 0.0), (side, side), (0.0, 2 * side), (-side, side)], n)},
                                 above(0, approach(dhat, 19), 0.3 / n))
        values.append(energies[-1] - energies[0])  # without the energy of neighbours
    limit, _ = richardson([1 / n for n in levels], values)
    integral = 2 / side * dhat**2 * 2 * (1 - 2 / 9 + 1 / 25)
    yield Figure("corner", "convergent-ipc: corner on a face, limit of the energy over the integral", limit / integral, 1, 0.02)


def set_ticks(axis, levels):
    axis.set_xticks(levels, [str(level) for level in levels])
    axis.minorticks_off()


def draw(curves, path):
    """Errors over h; psi over the gap; energies of a fold over 1/h; appendix A's integrals over the gap."""
    from PIL import Image
    from oipc_studies import figure
    (errors, gap, fold_axis, contact_axis), save = figure(path, 2, 4.8, rows=2)
    levels, found = curves["discs"]
    errors.loglog(levels, [abs(error) for error in found], "o-", ms=3, label="oipc")
    set_ticks(errors, levels)
    gaps, energies, integral, bounded = curves["rigid"]
    gap.semilogx(gaps, energies, "o", ms=3, label="(1), program")
    gap.semilogx(gaps, integral, "-", lw=0.9, label="(1), integral")
    gap.semilogx(gaps, bounded, "--", lw=0.9, label="(4), flat sides")
    levels, energies = curves["folds"]
    for name, found in energies.items():
        fold_axis.loglog(levels, [energy / found[0] for energy in found], "o-", ms=3, label=name)
    set_ticks(fold_axis, levels)
    gaps, grown = curves["barriers"]
    for name, label in (("discs_printed", "discs, printed"), ("discs", "discs, area element"), ("cone_printed", "cone, printed"),
                        ("cone", "cone, area element")):
        contact_axis.semilogx(gaps, [value / grown[name][0] for value in grown[name]], "o-", ms=3, label=label)
    for axis, across, up in ((errors, "edges of a disc", "error against (4)"), (gap, "gap over dhat", "psi"),
                             (fold_axis, "edges of a side", "energy of a fold over first mesh"),
                             (contact_axis, "gap", "appendix A, over gap 0.1")):
        axis.set_xlabel(across, fontsize=7)
        axis.set_ylabel(up, fontsize=7)
        axis.legend(fontsize=6)
    save()
    Image.open(path).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


STUDIES = (smooth, rigid, folds, barriers, strengths, switches, neighbours, corners)


def write(folder, figures):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "limits.json"), "w", encoding="ascii") as stream:
        json.dump({figure.name: figure.value for figure in figures}, stream, indent=1)
    lines = ["| claim | measured | expected | verdict |", "| --- | --- | --- | --- |"]
    lines += [f"| {figure.claim} | {figure.value:.5g} | {figure.wanted:.5g} | {'holds' if figure.holds else 'off'} |" for figure in figures]
    with open(os.path.join(folder, "limits.md"), "w", encoding="ascii") as stream:
        stream.write("\n".join(lines) + "\n")
    print("\n".join(lines))


def main():
    parser = parser_of(__doc__, "oipc_limits", ranks=1)
    parser.add_argument("--quick", action="store_true", help="without the finest meshes")
    parser.add_argument("--picture", help="PNG file")
    arguments = parser.parse_args()
    require_program(arguments.abut)
    os.makedirs(arguments.output, exist_ok=True)
    runs = Runs(arguments.abut, arguments.output)
    figures = [figure for study in STUDIES for figure in study(runs, arguments.quick)]
    write(arguments.output, figures)
    if arguments.picture:
        draw(runs.curves, arguments.picture)
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
