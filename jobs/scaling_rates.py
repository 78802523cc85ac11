"""Speed of a linear solver at the size of a rank's problem, from runs of one copy on one rank at several sizes; for scaling_model.py.

Dense blocks of a small factor are small. Therefore the speed of a solver on many ranks is not that of the whole problem on one rank.
docs/scaling.md describes the model.
"""

import math

LEAST = 1e-9  # seconds: shorter times are rounding


def between(points, x):
    """Value at x of a function given by points (x, y), linear in the logarithms; constant before the first and after the last point."""
    points = sorted(point for point in points if min(point) > 0)
    if not points:
        return 0.0
    if x <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in zip(points, points[1:]):
        if x <= right:
            return low * (high / low) ** (math.log(x / left) / math.log(right / left))
    return points[-1][1]


def speed(points, x):
    """Speed at size x from measured points (size, speed): at most that of all larger sizes.

    A small problem that is alone on a machine is fast if it fits the cache, which the other ranks of a node need too.
    """
    points = [point for point in points if min(point) > 0]
    return between([(size, min(y for other, y in points if other >= size)) for size, _ in points], x)


def per(at, count, times):
    return at[count] / max(at[times], 1)


def seconds(work, points, x):
    """Seconds of an amount of work at the speed of size x; 0 if no speed is known."""
    fast = speed(points, x)
    return work / fast if fast else 0.0


def symbolic_seconds(runs, at):
    """Seconds of the symbolic factorisations of `at`: cells at the speed of one rank with as many cells."""
    points = [(one["cells"], one["cells"] * one["symbolic"] / max(one["symbolic_s"], LEAST)) for one in runs]
    return seconds(at["cells"] * at["symbolic"], points, at["cells"])


def setup_seconds(given, runs, at):
    """Seconds of the set-ups of `at`. runs: records of its solver on one rank.

    Factorisations: operations at the speed of one rank whose factorisation has as many operations, and the symbolic factorisations.
    Multigrid: operations at --rate, which is the speed of the coarsest level, and all else at the speed of one rank with as many cells.
    """
    if at["solver"] == "direct":
        points = [(per(one, "setup_flop", "newton"), one["setup_flop"] / max(one["wall"]["linear_setup"] - one["symbolic_s"], LEAST))
                  for one in runs]
        return seconds(at["setup_flop"], points, per(at, "setup_flop", "newton")) + symbolic_seconds(runs, at)
    others = [(one, one["wall"]["linear_setup"] - one["setup_flop"] / given.rate) for one in runs]
    points = [(one["cells"], one["cells"] * one["newton"] / max(rest, LEAST)) for one, rest in others]
    return at["setup_flop"] / given.rate + seconds(at["cells"] * at["newton"], points, at["cells"])


def solve_seconds(runs, at):
    """Seconds of the solutions of `at`: operations at the speed of one rank with as many operations of a linear iteration."""
    points = [(per(one, "solve_flop", "linear"), one["solve_flop"] / max(one["wall"]["linear_solve"], LEAST)) for one in runs]
    return seconds(at["solve_flop"], points, per(at, "solve_flop", "linear"))
