"""Forward-mode automatic differentiation of second order in extended precision, and algebra of vectors of its numbers."""
import os
import sys

SYSTEM = "/usr/bin/python3"  # has the numpy that jobs/setup.sh installs

try:
    import numpy as np
except ImportError:
    if os.path.exists(SYSTEM) and not os.path.samefile(sys.executable, SYSTEM):
        os.execv(SYSTEM, [SYSTEM, "-B", *sys.argv])
    print("SKIPPED: Python without numpy")
    sys.exit(77)

REAL = np.longdouble


class Jet:
    """A value with its gradient and Hessian over n variables."""
    __slots__ = ("v", "g", "H")

    def __init__(self, v, g, H):
        self.v, self.g, self.H = v, g, H

    def chain(self, f, f1, f2):
        return Jet(f, f1 * self.g, f1 * self.H + f2 * np.outer(self.g, self.g))

    def __add__(self, b):
        return Jet(self.v + b.v, self.g + b.g, self.H + b.H) if isinstance(b, Jet) else Jet(self.v + b, self.g, self.H)

    def __mul__(self, b):
        if not isinstance(b, Jet):
            return Jet(self.v * b, self.g * b, self.H * b)
        mixed = np.outer(self.g, b.g)
        return Jet(self.v * b.v, self.v * b.g + b.v * self.g, self.v * b.H + b.v * self.H + mixed + mixed.T)

    def __neg__(self):
        return self * -1

    def __sub__(self, b):
        return self + (-b)

    def __rsub__(self, b):
        return -self + b

    def __rtruediv__(self, b):
        return self.chain(1 / self.v, -1 / self.v**2, 2 / self.v**3) * b

    def __truediv__(self, b):
        return self * (1 / b)

    __radd__, __rmul__ = __add__, __mul__


def value(a):
    return a.v if isinstance(a, Jet) else a


def sqrt(a):
    root = np.sqrt(value(a))
    return a.chain(root, 1 / (2 * root), -1 / (4 * root**3)) if isinstance(a, Jet) else root


def variables(points):
    """Jets of the coordinates of some points, which are the variables."""
    n = sum(len(p) for p in points.values())
    out, k = {}, 0
    for v, p in points.items():
        out[v] = []
        for c in p:
            g = np.zeros(n, REAL)
            g[k] = 1
            out[v].append(Jet(c, g, np.zeros((n, n), REAL)))
            k += 1
    return out


def dot(a, b):
    return sum((x * y for x, y in zip(a[1:], b[1:])), a[0] * b[0])


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def combine(weights, points):
    """Sum of weights times points."""
    return [sum((w * p[i] for w, p in zip(weights[1:], points[1:])), weights[0] * points[0][i]) for i in range(len(points[0]))]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def cosine(a, b):
    return dot(a, b) / sqrt(dot(a, a) * dot(b, b))
