"""Soft creatures as functions of space: negative inside, about the distance outside; y is up. See make_meshes.py."""

import math


def ellipsoid(center, radii):
    (a, b, c), (p, q, r) = center, radii
    least = min(radii)

    def value(x, y, z):
        return (math.sqrt(((x - a) / p) ** 2 + ((y - b) / q) ** 2 + ((z - c) / r) ** 2) - 1.0) * least
    return value


def capsule(start, end, thick, thin=None):
    """A round rod from start to end, whose radius goes from `thick` to `thin`."""
    (a, b, c), (d, e, f) = start, end
    u, v, w = d - a, e - b, f - c
    length, change = u * u + v * v + w * w, (thick if thin is None else thin) - thick

    def value(x, y, z):
        p, q, r = x - a, y - b, z - c
        t = min(1.0, max(0.0, (p * u + q * v + r * w) / length))
        return math.sqrt((p - t * u) ** 2 + (q - t * v) ** 2 + (r - t * w) ** 2) - thick - t * change
    return value


def blend(width, *parts):
    """Union whose creases are rounded over a width."""
    def value(x, y, z):
        best = parts[0](x, y, z)
        for part in parts[1:]:
            other = part(x, y, z)
            overlap = max(0.0, width - abs(best - other))
            best = min(best, other) - overlap * overlap / (4.0 * width)
        return best
    return value


def mirrored(*parts):
    """Parts and their mirror images in z."""
    return [image for part in parts for image in (part, lambda x, y, z, part=part: part(x, y, -z))]


def dolphin():
    """Swims along x, tail at the left, 1 long."""
    return blend(0.05, ellipsoid((0.06, 0, 0), (0.34, 0.125, 0.11)), capsule((-0.05, 0.01, 0), (-0.42, 0.02, 0), 0.095, 0.03),
                 capsule((0.3, -0.01, 0), (0.465, -0.035, 0), 0.055, 0.032), capsule((0.04, 0.1, 0), (-0.06, 0.205, 0), 0.04, 0.018),
                 *mirrored(capsule((0.16, -0.07, 0.06), (0.04, -0.16, 0.2), 0.04, 0.018),
                           capsule((-0.41, 0.02, 0), (-0.48, 0.03, 0.14), 0.028, 0.018))), \
        (-0.52, -0.2, -0.24), (0.52, 0.25, 0.24)


def gnome():
    """A stout biped with arms, ears and a tail, 1 tall: in place of an armadillo."""
    return blend(0.05, ellipsoid((0, 0.46, 0), (0.19, 0.2, 0.2)), ellipsoid((0, 0.75, 0), (0.13, 0.12, 0.13)),
                 capsule((0.1, 0.72, 0), (0.2, 0.7, 0), 0.06, 0.04), capsule((-0.12, 0.38, 0), (-0.36, 0.2, 0.02), 0.07, 0.03),
                 *mirrored(capsule((0, 0.36, 0.1), (0.02, 0.07, 0.15), 0.085, 0.06),
                           capsule((0.02, 0.055, 0.15), (0.13, 0.05, 0.18), 0.05, 0.04),
                           capsule((0, 0.55, 0.15), (0.06, 0.5, 0.36), 0.065, 0.05),
                           capsule((0.06, 0.5, 0.36), (0.16, 0.62, 0.42), 0.05, 0.045),
                           capsule((-0.02, 0.83, 0.07), (-0.04, 0.955, 0.13), 0.045, 0.03))), \
        (-0.42, -0.03, -0.49), (0.28, 1.01, 0.49)


def octopus(arms=8):
    """A head on curled arms, some 0.9 wide."""
    parts = [ellipsoid((0, 0.3, 0), (0.21, 0.25, 0.21))]
    for k in range(arms):
        c, s = math.cos(2 * math.pi * (k + 0.5) / arms), math.sin(2 * math.pi * (k + 0.5) / arms)
        knots = [(r * c - turn * s, y, r * s + turn * c) for r, y,
                 turn in ((0.1, 0.14, 0), (0.24, 0.055, 0), (0.37, 0.06, 0.02), (0.42, 0.15, 0.04))]
        radii = (0.07, 0.05, 0.042, 0.032)
        parts += [capsule(p, q, a, b) for p, q, a, b in zip(knots, knots[1:], radii, radii[1:])]
    return blend(0.03, *parts), (-0.49, -0.01, -0.49), (0.49, 0.57, 0.49)


def hare():
    """Sits and listens: body, head, two long ears, 1 tall."""
    return blend(0.05, ellipsoid((-0.05, 0.26, 0), (0.27, 0.25, 0.21)), ellipsoid((0.17, 0.55, 0), (0.16, 0.14, 0.13)),
                 capsule((0.06, 0.36, 0), (0.15, 0.5, 0), 0.13, 0.11), ellipsoid((-0.31, 0.16, 0), (0.075, 0.075, 0.075)),
                 *mirrored(ellipsoid((0.02, 0.13, 0.16), (0.2, 0.13, 0.08)), capsule((0.17, 0.1, 0.09), (0.25, 0.045, 0.1), 0.06, 0.045),
                           capsule((0.12, 0.64, 0.07), (0.02, 0.92, 0.13), 0.06, 0.05))), \
        (-0.4, -0.01, -0.26), (0.35, 0.98, 0.26)


def cage(radius=0.36, wall=0.075, opening=0.18):
    """A hollow ball with six openings."""
    def value(x, y, z):
        distance = math.sqrt(x * x + y * y + z * z)
        bore = opening - min(math.hypot(x, y), math.hypot(y, z), math.hypot(z, x))
        return max(abs(distance - radius) - wall, bore)
    reach = radius + wall + 0.01
    return value, (-reach,) * 3, (reach,) * 3


def squishy_ball(tendrils, core, thickness):
    """A core with tendrils in evenly spread directions, 1 across."""
    golden = math.pi * (3.0 - math.sqrt(5.0))
    heights = [1.0 - (2.0 * k + 1.0) / tendrils for k in range(tendrils)]
    ways = [(math.cos(golden * k) * math.sqrt(1 - h * h), h, math.sin(golden * k) * math.sqrt(1 - h * h)) for k, h in enumerate(heights)]
    rods = [capsule((0.2 * a, 0.2 * b, 0.2 * c), ((0.5 - thickness) * a, (0.5 - thickness) * b, (0.5 - thickness) * c), thickness) for a, b,
            c in ways]
    bands = max(4, int(math.sqrt(tendrils)))  # of equal height: tendrils of neighbouring bands hold the nearest one
    near = [[k for k, h in enumerate(heights) if abs(h - (2 * band + 1) / bands + 1) < 3.5 / bands] for band in range(bands)]

    def value(x, y, z):
        distance = math.sqrt(x * x + y * y + z * z)
        if distance < 0.7 * core:
            return distance - core
        band = near[min(bands - 1, int((y / distance + 1) * bands / 2))]
        nearest = max(band, key=lambda k: ways[k][0] * x + ways[k][1] * y + ways[k][2] * z)
        return min(distance - core, rods[nearest](x, y, z))
    return value, (-0.51,) * 3, (0.51,) * 3


def ball():
    """About the origin, 1 in diameter."""
    return ellipsoid((0, 0, 0), (0.5, 0.5, 0.5)), (-0.52, -0.52, -0.52), (0.52, 0.52, 0.52)


CREATURES = {"ball": ball, "dolphin": dolphin, "gnome": gnome, "octopus": octopus, "hare": hare, "cage": cage}
