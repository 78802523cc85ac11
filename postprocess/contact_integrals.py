"""
Integrals of the contact potential of Huang et al. (2025) over smooth curves and surfaces, equations (1) to (4) and appendix A. Needs NumPy.

Lengths are in any unit; potentials have the stiffness 1. `power` is the exponent of the distance in p(z) = h(z) / z^power, n - 1 in the
paper.
"""

import math

import numpy as np

LEGENDRE = np.polynomial.legendre.leggauss(12)


def spline(x):
    """Cubic spline: h(z) of section 4.1 is 3/2 spline(z / dhat)."""
    x = np.abs(x)
    return np.where(x < 0.5, 2 / 3 - 4 * x**2 * (1 - x), np.where(x < 1, 4 / 3 * (1 - x) ** 3, 0))


def step(y):
    """H of section 4.2."""
    return np.where(y < -3, 0, np.where(y < -2, (3 + y) ** 3 / 6, np.where(y < -1, (3 - 9 * y - 9 * y**2 - 2 * y**3) / 6,
                                                                           np.where(y < 0, 1 + y**3 / 6, 1))))


def barrier(z, dhat, power):
    return 1.5 * spline(z / dhat) / z**power


def no_factor(sine, cosine):
    """Rigid bodies, equation (1)."""
    return np.ones_like(sine + cosine)


def discrete_factor(alpha):
    """Angle factor of a straight curve by equation (6) with b = 0: both tangents, and the outer side."""
    return lambda sine, cosine: step(3 * sine / alpha) * step(-3 * sine / alpha) * (cosine > 0)


def smooth_factor(alpha):
    """Angle factor of equation (3); the spline over alpha has the integral 1."""
    return lambda sine, cosine: 2 / alpha * spline(sine / alpha) * step(cosine / alpha)


def panels(edges):
    """Points and weights of Gauss's rule between consecutive edges."""
    edges = np.asarray(edges, dtype=float)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    return (middle[:, None] + half[:, None] * LEGENDRE[0]).ravel(), (half[:, None] * LEGENDRE[1]).ravel()


def discs(radius, gap, dhat, factor, points=600):
    """Integral over x and y on two circles of a plane, equation (4) with each pair once. Vanishing ends: the midpoint rule is accurate."""
    reach = math.acos(1 - (dhat - gap) / radius)
    angle = ((np.arange(points) + 0.5) / points * 2 - 1) * reach
    normal = np.array([np.sin(angle), np.cos(angle)])
    x, y = radius * (normal - [[0], [1]])[:, :, None], (radius * (normal * [[1], [-1]] + [[0], [1]]) + [[0], [gap]])[:, None, :]
    across = y - x
    distance = np.hypot(*across)
    sines, cosines = [], []
    for n in (normal[:, :, None], (normal * [[-1], [1]])[:, None, :]):  # outward normals are n and (-n_x, -n_y) of the upper circle
        sines.append((across[0] * n[1] - across[1] * n[0]) / distance)
        cosines.append((across[0] * n[0] + across[1] * n[1]) / distance)
    weight = factor(sines[0], cosines[0]) * factor(sines[1], cosines[1])
    return float((weight * barrier(distance, dhat, 1)).sum() * (2 * reach * radius / points) ** 2)


def flat(gap, dhat, dim, factor):
    """psi of a point at this distance from a flat curve or surface whose normal is opposite to that of the point."""
    reach = math.sqrt(dhat**2 - gap**2)
    r, weight = panels(np.concatenate([[0], np.geomspace(gap / 100, reach, 60)]))
    z = np.hypot(r, gap)
    measure = 2 if dim == 2 else 2 * math.pi * r
    return float((weight * measure * factor(r / z, gap / z) ** 2 * barrier(z, dhat, dim - 1)).sum())


def fold(distance, opening, dhat, factor, power):
    """psi in a plane of a point at this distance from the corner of two straight lines, over the other line."""
    s, weight = panels(distance * np.geomspace(1e-3, 1e3, 400))
    along, normal = np.array([[math.cos(opening), math.sin(opening)], [math.sin(opening), -math.cos(opening)]])
    across = s[:, None] * along - [distance, 0]
    z = np.hypot(*across.T)
    both = factor(across[:, 0] / z, across[:, 1] / z) * factor(across @ along / z, -across @ normal / z)
    return float((weight * both * barrier(z, dhat, power)).sum())


def between_discs(gap, cone, area, power=2):
    """
    Appendix A: integral over two unit discs at distance `gap`, over z^power. With `cone` the first surface is a cone of slope 1. `area`:
    with the factor r q of polar coordinates, which the paper's integral does not have.
    """
    r, weight = (values[:, None] for values in panels(np.concatenate([[0], np.geomspace(gap / 100, 1, 60)])))
    height = gap + r if cone else gap
    share, inner = panels(np.linspace(0, 1, 33))
    low, high = np.arcsinh(-r / height), np.arcsinh((1 - r) / height)
    u = low + (high - low) * share  # q = r + height sinh(u) resolves the peak at q = r
    q = r + height * np.sinh(u)
    values = ring(r, q, height, power) * height * np.cosh(u) * (high - low) * (r * q if area else 1)
    return 2 * math.pi * float((weight * inner * values).sum())


def ring(r, q, height, power):
    """Integral over the angle of (r^2 + q^2 - 2 r q cos + height^2)^(-power / 2), power 2 in closed form."""
    a, b = r * r + q * q + height**2, 2 * r * q
    if power == 2:
        return 2 * math.pi / np.sqrt(((r - q) ** 2 + height**2) * ((r + q) ** 2 + height**2))
    # power 1: 4 K(m) / sqrt(a + b) by the arithmetic-geometric mean
    one, other = np.sqrt(a + b), np.sqrt((r - q) ** 2 + height**2)
    for _ in range(40):
        one, other = (one + other) / 2, np.sqrt(one * other)
    return 2 * math.pi / one
