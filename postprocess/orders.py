"""Orders of convergence from errors over a sequence of meshes. Needs nothing but Python."""

import math


def slope(sizes, errors):
    """Exponent p of the least-squares line through log error over log size: error ~ size^p; nan with less than two usable points."""
    points = [(math.log(h), math.log(abs(e))) for h, e in zip(sizes, errors) if h > 0 and e is not None and math.isfinite(e) and e != 0]
    if len(points) < 2:
        return math.nan
    x, y = (sum(values) / len(points) for values in zip(*points))
    spread = sum((a - x) ** 2 for a, _ in points)
    return sum((a - x) * (b - y) for a, b in points) / spread if spread > 0 else math.nan


def steps(sizes, errors):
    """Orders from each mesh to the next one; nan before the first."""
    return [math.nan] + [slope(sizes[k : k + 2], errors[k : k + 2]) for k in range(len(sizes) - 1)]


def richardson(sizes, values):
    """
    Limit and order of value = limit + C size^p through the three finest values, without any closed form; nan where they do not approach
    one from one side at an order between 0.8 and 4.
    """
    if len(values) < 3:
        return math.nan, math.nan
    (h1, h2, h3), (v1, v2, v3) = sizes[-3:], values[-3:]
    if v2 == v3 or (v1 - v2) / (v2 - v3) <= 0:
        return math.nan, math.nan

    def misfit(p):
        return (h1**p - h2**p) / (h2**p - h3**p) - (v1 - v2) / (v2 - v3)

    low, high = 0.8, 4.0
    if misfit(low) > 0 or misfit(high) < 0:
        return math.nan, math.nan
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if misfit(middle) < 0 else (low, middle)
    return v3 - (v2 - v3) * h3**low / (h2**low - h3**low), low
