"""Vectors and 3 x 3 rotations as plain tuples."""

import math

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def add(a, b):
    return tuple(p + q for p, q in zip(a, b))


def sub(a, b):
    return tuple(p - q for p, q in zip(a, b))


def scaled(s, a):
    return tuple(s * p for p in a)


def norm(a):
    return math.sqrt(sum(p * p for p in a))


def apply(m, a):
    return tuple(row[0] * a[0] + row[1] * a[1] + row[2] * a[2] for row in m)


def product(a, b):
    return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3))


def box(points):
    """Lower and upper corner of the points' bounding box."""
    columns = list(zip(*points))
    return tuple(min(c) for c in columns), tuple(max(c) for c in columns)


def about_axis(axis, angle):
    """Rotation by an angle [rad] about a unit axis."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis
    return (
        (c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s),
        (y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s),
        (z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)),
    )


def from_angles(angles):
    """R = Rx Ry Rz of three angles [rad]."""
    rotation = IDENTITY
    for axis, angle in zip(IDENTITY, angles):
        rotation = product(rotation, about_axis(axis, angle))
    return rotation


def from_degrees(angles):
    return from_angles([math.radians(a) for a in angles])


def to_degrees(r):
    """Angles [degrees] whose R = Rx Ry Rz is r; at a gimbal lock the z angle is 0."""
    b = math.asin(max(-1.0, min(1.0, r[0][2])))
    if math.hypot(r[0][0], r[0][1]) > 1e-12:
        a, c = math.atan2(-r[1][2], r[2][2]), math.atan2(-r[0][1], r[0][0])
    else:
        a, c = math.atan2(r[2][1], r[1][1]), 0.0
    return tuple(round(math.degrees(angle), 12) for angle in (a, b, c))


def rotation_vector(r):
    """Axis times angle [rad] of a rotation by less than pi."""
    twice_sine = (r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1])
    length = norm(twice_sine)
    if length == 0.0:
        return (0.0, 0.0, 0.0)
    angle = math.atan2(length, r[0][0] + r[1][1] + r[2][2] - 1.0)
    return scaled(angle / length, twice_sine)
