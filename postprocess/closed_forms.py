"""Closed forms for studies. SI units; 2D forces are per metre of thickness. Needs no module outside the standard library."""

import math


def plane_modulus(young, poisson):
    """E* of an elastic body on a rigid one."""
    return young / (1 - poisson**2)


class HertzSphere:
    """An elastic sphere on a rigid plane [Johnson 1985, section 4.2]."""

    moment = 2 / 5  # mean of r^2 under the pressure, in a^2

    def __init__(self, radius, young, poisson):
        self.radius, self.modulus = radius, plane_modulus(young, poisson)

    def force(self, approach):
        """For a half space; for a finite body the relative error is of the order of a / R."""
        return 4 / 3 * self.modulus * math.sqrt(self.radius) * approach**1.5

    def contact_radius(self, force):
        return (3 * force * self.radius / (4 * self.modulus)) ** (1 / 3)

    def peak(self, force):
        return 3 * force / (2 * math.pi * self.contact_radius(force) ** 2)


class HertzCylinder:
    """An elastic cylinder between two rigid planes, in plane strain [Johnson 1985, sections 4.2 and 5.6]."""

    moment = 1 / 4  # mean of x^2 under the pressure, in a^2

    def __init__(self, radius, young, poisson):
        self.radius, self.modulus = radius, plane_modulus(young, poisson)

    def approach(self, force):
        """Approach of the axis to one of the planes."""
        return force / (math.pi * self.modulus) * (2 * math.log(4 * self.radius / self.contact_radius(force)) - 1)

    def force(self, approach):
        """Inverse of approach(force), which increases at least up to contact radii of R / 2."""
        low, high = 0.0, self.modulus * self.radius / 10
        while high - low > 1e-14 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.approach(middle) < approach else (low, middle)
        return (low + high) / 2

    def contact_radius(self, force):
        return math.sqrt(4 * force * self.radius / (math.pi * self.modulus))

    def peak(self, force):
        return 2 * force / (math.pi * self.contact_radius(force))


class MindlinCylinder:
    """
    Partial slip of a cylinder on a flat of the same material under a normal force P and a tangential force Q < mu P, in plane strain
    [Cattaneo 1938, Mindlin 1949; Johnson 1985, section 7.2]: the middle sticks, of the half-width c = a sqrt(1 - Q / (mu P)).
    """

    def __init__(self, radius, young, poisson, friction):
        self.normal, self.friction = HertzCylinder(radius, young / 2, poisson), friction

    def stick_share(self, ratio):
        """c / a for Q / (mu P)."""
        return math.sqrt(max(0.0, 1 - ratio))

    def traction(self, x, share):
        """Tangential traction over mu times the peak pressure, at x over a, for c / a = share."""
        outer, inner = max(0.0, 1 - x**2), max(0.0, share**2 - x**2)
        return math.sqrt(outer) - math.sqrt(inner)


class BarImpact:
    """
    Two equal elastic bars of the velocities +v and -v along their axis, without lateral strain: a wave of the stress rho c v runs to both
    ends and back, and the bars part with their velocities exchanged [Goldsmith 1960, section 3.2].
    """

    def __init__(self, length, young, density, speed):
        self.wave_speed = math.sqrt(young / density)
        self.stress, self.duration = density * self.wave_speed * speed, 2 * length / self.wave_speed


class SphereImpact:
    """An elastic sphere on a rigid half space, slower than waves [Hertz 1881; Johnson 1985, section 11.4]: it loses no energy."""

    def __init__(self, radius, young, poisson, mass, speed):
        sphere = HertzSphere(radius, young, poisson)
        self.approach = (15 * mass * speed**2 / (16 * sphere.modulus * math.sqrt(radius))) ** 0.4
        self.force, self.contact_radius = sphere.force(self.approach), math.sqrt(radius * self.approach)
        self.duration = 2.9432 * self.approach / speed


def ipc_force(share, dhat, stiffness):
    """Force of a contact at the distance `share` * dhat [N]: stiffness * 2 d |b'(d^2)|, b of Li et al. 2020; stiffness in J/m^4."""
    q = share**2
    return stiffness * 2 * dhat**3 * share * (2 * (q - 1) * math.log(q) + (q - 1) ** 2 / q)


def convergent_force(share, dhat, stiffness, length=1.0):
    """
    The same by area [Li et al. 2023], in 2D: weight * stiffness * 2 d |b'(d^2)| / dhat^3, the weight half the length of the vertex
    [m], which is half of its two edges; stiffness in N/m.
    """
    return 0.5 * length * ipc_force(share, 1.0, stiffness)


def spline(share):
    """Cubic spline of the orientation-aware potentials and its derivative."""
    if share < 0.5:
        return 2 / 3 - 4 * share**2 * (1 - share), -8 * share + 12 * share**2
    return 4 / 3 * (1 - share) ** 3, -4 * (1 - share) ** 2


def oipc_force(share, dhat, stiffness, face=5.0, length=1.0):
    """
    Of a vertex within the normals of a corner, in 2D [Huang et al. 2025]: face * length * stiffness * |p'(d)|, p(d) = 3/2 B(d / dhat) /
    d, B the cubic spline, for a face of 5 m and vertices of the width of the mean edge, 1 m; stiffness in N.
    """
    value, slope = spline(share)
    return face * length * stiffness * 1.5 * (value / share - slope) / (share * dhat**2)


def gcp_force(share, dhat, stiffness, face=5.0, length=1.0):
    """
    The same of the published form: face * length * stiffness * |p'(d)|, p(d) = B(d / dhat) (dhat / d)^2, the length the mean of the
    vertex's two edges, for a face of 5 m and edges of 1 m; stiffness in N/m.
    """
    value, slope = spline(share)
    return face * length * stiffness * (2 * value / share - slope) / (share**2 * dhat)


# Repulsion of one vertex and one flat face, by potential, with the lengths of inputs/verification/resting_gap.yaml
GAP_LAWS = {"ipc": ipc_force, "convergent-ipc": convergent_force, "oipc": oipc_force, "gcp": gcp_force}


def is_physical(potential):
    """Whether a number for the stiffness is a physical stiffness; for "ipc" it is divided by the square of the step."""
    return potential != "ipc"


def pressure_unit(potential, dhat, stiffness):
    """Unit of force for a stiffness and dhat: the law of each potential is the same in these units."""
    law = GAP_LAWS.get(potential)
    return law(0.5, dhat, stiffness) / law(0.5, 1.0, 1.0) if law else stiffness


def resting_gap(potential, load, dhat, stiffness):
    """The gap at which one vertex carries a load [N] on a flat face; None for a potential without a closed form here."""
    law = GAP_LAWS.get(potential)
    if not law:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-15:
        middle = (low + high) / 2
        low, high = (middle, high) if law(middle, dhat, stiffness) > load else (low, middle)
        if middle in (0.0, 1.0):
            break
    return (low + high) / 2 * dhat
