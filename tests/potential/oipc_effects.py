"""Effects of the deviations from the paper on small configurations: the rows of the table in docs/oipc_formula.md."""
import dataclasses
import math

from oipc_jets import np
from oipc_configurations import CASES, Case, joined
from oipc_independent import ABUT, total

UPWARD = [(2, 1, 0), (0, 1, 3), (1, 2, 3), (2, 0, 3)]


def energy(case, **published):
    return float(total(case, dataclasses.replace(ABUT, **published), False)[0])


def gradient(case, rules):
    return total(case, rules)[1]


def jump(path, at, rules, step=1e-12):
    """Jump of the gradient at a point of a path over the largest entry of the gradient."""
    low, high = gradient(path(at - step), rules), gradient(path(at + step), rules)
    return float(np.abs(high - low).max() / np.abs(low).max())


def inverse_width(size2, distance):
    return math.sqrt(1 / ABUT.width**2 + size2 / (ABUT.ratio * distance)**2)


def over_edge(s, height=0.2):
    """A blunt tip over an edge of length 1 at the parameter s."""
    tip = [[1 - s - 1, height + 0.05], [1 - s, height], [1 - s + 1, height + 0.25]]
    return Case("", 2, *joined(([[1, 0], [0, 0]], [(0, 1)], []), (tip, [(0, 1), (1, 2)], [])), 0.5, beta=0.3)


def over_face(u, v, height=0.2, lean=0.2):
    """A blunt tip over a face at two barycentric coordinates; with lean < 0 the first angle of the face is obtuse."""
    x, y = u + lean * v, v
    tip = [[x, y, height], [x + 1, y, height + 0.05], [x - 0.5, y + 0.9, height + 0.25], [x - 0.4, y - 0.8, height + 0.15]]
    return Case("", 3, *joined(([[0, 0, 0], [1, 0, 0], [lean, 1, 0], [0.3, 0.3, -0.7]], [], [f[::-1] for f in UPWARD]),
                               (tip, [], [(0, 2, 1), (0, 3, 2), (0, 1, 3)])), 0.4, beta=0.3)


def roofs(x, offset=0.1, height=0.15):
    """Two blunt ridges that cross at the parameter 1/2 + x of the lower one."""
    low = [[-0.5, 0, 0], [0.5, 0, 0], [0, 1, -0.05], [0, -1, -0.25]]
    middle = x + 0.75 * offset  # the upper ridge is oblique, in the direction (0.6, 0.8)
    high = [[middle + 1, offset, height + 0.1], [middle - 1, offset, height + 0.2], [middle + 0.3, offset + 0.4, height],
            [middle - 0.3, offset - 0.4, height]]
    return Case("", 3, *joined((low, [], [(0, 1, 2), (0, 3, 1)]), (high, [], [(2, 0, 3), (2, 3, 1)])), 0.4, beta=0.3)


def crossed(angle, offset=0.02, height=0.1, x=0.0):
    """Two edges of length 1 without faces at an angle."""
    c, s = math.cos(angle) / 2, math.sin(angle) / 2
    points = [[-0.5, 0, 0], [0.5, 0, 0], [x - c, offset - s, height], [x + c, offset + s, height]]
    return Case("", 3, points, [(0, 1), (2, 3)], [], 0.4, beta=0.3)


def flat(n, gap):
    """Two rows of edges that face each other, half an edge apart."""
    low = [[i - 0.5 * n, 0] for i in range(n, -1, -1)]
    high = [[i - 0.5 * n + 0.5, gap] for i in range(n + 1)]
    lines = [(i, i + 1) for i in range(n)]
    return Case("", 2, *joined((low, lines, []), (high, lines, [])), 2.0)


def ratios(cases, **published):
    return ", ".join(f"{energy(c, **published) / energy(c):.3g}" for c in cases)


def main():
    named = {c.name: c for c in CASES}
    bodies = [named[k] for k in ("octahedra", "cubes", "edge beyond an edge")]
    planar = [named[k] for k in ("square over square", "corner beside corner", "slit")]
    tied = dataclasses.replace
    published = tied(ABUT, normalised=False, smooth_ends=False)
    place = 1 / inverse_width(1, 0.2)
    print("m_0: jump at the width of an end:", *(f"{jump(over_edge, place, r):.2g}" for r in (ABUT, tied(ABUT, smooth_ends=False))))
    for place in (0, 1 / inverse_width(3.68, 0.2)):
        print("face weights: jump at", place, "abut, published, published with m0 = 1 - h:",
              *(f"{jump(lambda u: over_face(u, 0.0003), place, r, 1e-7):.2g}" for r in (ABUT, published, tied(ABUT, normalised=False))))
    print("face weights: jump at the projection of an end of a side, obtuse angle: abut, published with m0 = 1 - h:",
          *(f"{jump(lambda u: over_face(u, 0.0006, lean=-0.5), 0.0003, r):.2g}" for r in (ABUT, tied(ABUT, normalised=False))))
    print("edge weights: jump at an end: abut, by line:",
          *(f"{jump(roofs, 0.5, r, 1e-7):.2g}" for r in (ABUT, tied(ABUT, normalised=False))))
    for height in (1e-2, 1e-4, 1e-5):
        case = over_edge(3e-4, height)
        print("width at height", height, "without (17): abut", energy(case, inner=0), "constant", energy(case, inner=0, ratio=0))
    print("parallel: jump at angle 0: abut, published:", *(f"{jump(crossed, 0, r, 1e-6):.2g}" for r in (ABUT, tied(ABUT, parallel=0))))
    print("energies published / abut (octahedra, cubes, edge beyond an edge | squares, corners, slit)")
    print("  shared edges twice:", ratios(bodies, shared_once=False), "|", ratios(planar, shared_once=False))
    print("  borders dropped:", ratios(bodies, borders=False), "|", ratios(planar, borders=False))
    print("  six kinds:", ratios(bodies, four_kinds=False), "|", ratios(planar, four_kinds=False))
    for s in (1e-6, -1e-6):
        case = over_edge(s)
        print("  vertex past the end of an edge: abut", energy(case), "borders dropped", energy(case, borders=False))
    print("  flat rows, six kinds:", ratios([flat(6, gap) for gap in (0.3, 1.0)], four_kinds=False))


if __name__ == "__main__":
    main()
