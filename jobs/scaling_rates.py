"""Speed of a linear solver at the size of a rank's problem, from runs of one copy on one rank at several sizes; for scaling_model.py.

Dense blocks of a small factor are small, and a small problem stays in the cache. Therefore the speed of a solver on many ranks is not that of
the whole problem on one rank. docs/scaling.md describes the model.
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


def factors(solver):
    """Whether a solver's set-up is a factorisation of the rank's part of the matrix."""
    return solver in ("direct", "schwarz")


def per(at, count, times):
    return at[count] / max(at[times], 1)


def setup_seconds(given, runs, at):
    """Seconds of the set-ups of `at`. runs: records of its solver on one rank.

    A factorisation has the operations for each second that one rank reaches with as many operations of a factorisation. Multigrid has operations of
    the coarsest level at --rate, and seconds for each cell that one rank needs with as many cells.
    """
    if factors(at["solver"]):
        speeds = [(per(one, "setup_flop", "newton"), one["setup_flop"] / max(one["wall"]["linear_setup"], LEAST)) for one in runs]
        speed = between(speeds, per(at, "setup_flop", "newton"))
        return at["setup_flop"] / speed if speed else 0.0
    rests = [(one["cells"], (one["wall"]["linear_setup"] - one["setup_flop"] / given.rate) / max(one["cells"] * one["newton"], 1)) for one in runs]
    return at["setup_flop"] / given.rate + between(rests, at["cells"]) * at["cells"] * at["newton"]


def solve_seconds(runs, at):
    """Seconds of the solutions of `at`: one rank's operations for each second with as many operations of a linear iteration."""
    speeds = [(per(one, "solve_flop", "linear"), one["solve_flop"] / max(one["wall"]["linear_solve"], LEAST)) for one in runs]
    speed = between(speeds, per(at, "solve_flop", "linear"))
    return at["solve_flop"] / speed if speed else 0.0
