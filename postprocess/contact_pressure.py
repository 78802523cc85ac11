"""Contact pressure and stress from fields.h5, for a body in contact with a flat face with normal y."""

import numpy as np

from abut_results import EDGES


def rest_areas(results):
    """
    Area at rest that belongs to each vertex of the surfaces of bodies [m^2; 2D: m per metre of thickness]. Closed forms of small strain
    refer to it: under a contact of a radius of 1/20 of the body's the present area, `contact_area`, shrinks by 1.4 %.
    """
    rest, surface = results.mesh("rest"), results.mesh("surface")
    corners = rest[surface]
    if surface.shape[1] == 2:
        areas = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    else:
        areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    weights = np.zeros(len(rest))
    for corner in range(surface.shape[1]):
        np.add.at(weights, surface[:, corner], areas / surface.shape[1])
    return weights


class Patch:
    """Vertices of a body that a face below it (`sign` 1) or above it (-1) pushes, in a time level: where they are at rest, area, force,
    gap.
    """

    def __init__(self, results, level, body, sign):
        fields = results.surface(body, level)
        force = sign * fields["contact_traction"][:, 1] * fields["contact_area"]
        keep = np.flatnonzero(force > 0)
        vertices = fields["vertex"][keep]
        self.rest, self.force, self.gap = results.mesh("rest")[vertices], force[keep], fields["contact_gap"][keep]
        if "friction_traction" in fields:
            self.friction = (fields["friction_traction"] * fields["contact_area"][:, None])[keep]
        self.area = rest_areas(results)[vertices]
        self.radius = np.hypot(self.rest[:, 0], self.rest[:, 2])

    @property
    def total(self):
        return float(self.force.sum())

    @property
    def mean_gap(self):
        """Mean gap, weighted by force."""
        return float(self.force @ self.gap / self.total)

    def contact_radius(self, moment):
        """From the second moment of the pressure, which is `moment` a^2: all vertices contribute, also at the edge."""
        return float(np.sqrt(self.force @ self.radius**2 / self.total / moment))

    def peak(self, contact_radius):
        """
        Pressure in the middle: p^2 falls linearly with r^2 under Hertz; the least-squares line through the inner 70 % of the radius smooths
        the scatter of single vertices of an irregular mesh. With fewer than three vertices it is the total force over the total area.
        """
        inner = self.radius < 0.7 * contact_radius
        if np.unique(np.round(self.radius[inner] / contact_radius, 6)).size < 3:
            return float(self.force[inner].sum() / self.area[inner].sum()) if inner.any() else float("nan")
        line = np.polynomial.polynomial.polyfit(self.radius[inner] ** 2, (self.force[inner] / self.area[inner]) ** 2, 1,
                                                w=np.sqrt(self.area[inner]))
        return float(np.sqrt(max(line[0], 0)))

    def pressure_error(self, peak, contact_radius):
        """Relative L2 error of the pressure against the closed form, over the vertices in contact."""
        return relative_error(self.area, self.force / self.area, peak * np.sqrt(np.maximum(0, 1 - (self.radius / contact_radius) ** 2)))


def relative_error(area, found, exact):
    """L2 norm of the error of values at vertices with these areas, relative to the norm of the exact values."""
    exact = np.asarray(exact)
    return float(np.sqrt(area @ (found - exact) ** 2 / (area @ exact**2)))


def pair_force(results, first, second, step):
    """Normal force of a pair of bodies along y in a step, from pairs.csv [N]: 0 if they do not touch."""
    pairs = results.pairs()
    rows = [{a, b} == {first, second} and number == step for a, b, number in zip(pairs["body_a"], pairs["body_b"], pairs["step"])]
    return float(np.abs(pairs["normal_y_N"][rows]).sum())


def ripple(results, level, body, face_y, pressure):
    """Root mean square of (contact pressure of the vertices of a flat face - uniform pressure) by their areas, over the latter."""
    fields = results.surface(body, level)
    face = np.abs(results.mesh("rest")[fields["vertex"], 1] - face_y) < 1e-9
    area, found = fields["contact_area"][face], fields["contact_pressure"][face]
    return float(np.sqrt(area @ (found / pressure - 1) ** 2 / area.sum()))


def cell_measures(results):
    """Areas or volumes of all cells at rest, and their middles."""
    rest, cells, dim = results.nodes(results.mesh("rest"))[:, : results.dim], results.cell_vertices(), results.dim
    corners = rest[cells[:, : dim + 1]]
    measures = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / (2 if dim == 2 else 6)
    quadratic = cells[:, -1] >= 0 if cells.shape[1] > dim + 1 else np.zeros(len(cells), bool)
    measures[quadratic] = quadratic_measures(rest[cells[quadratic]])
    return measures, results.mesh("rest")[cells[:, : dim + 1]].mean(axis=1)


def quadratic_measures(nodes):
    """Areas or volumes of quadratic cells [cells, nodes, dim]: exact, by rules of degree 2 in a triangle and 3 in a tetrahedron."""
    dim = nodes.shape[2]
    ends = EDGES[: nodes.shape[1] - dim - 1]
    if dim == 2:
        rule = [(np.roll([2 / 3, 1 / 6, 1 / 6], k), 1 / 6) for k in range(3)]
    else:
        rule = [(np.full(4, 0.25), -2 / 15)] + [(np.roll([1 / 2, 1 / 6, 1 / 6, 1 / 6], k), 3 / 40) for k in range(4)]
    unit = np.vstack([-np.ones(dim), np.eye(dim)])  # gradients of the barycentric coordinates
    total = np.zeros(len(nodes))
    for place, weight in rule:
        gradients = np.array([(4 * place[a] - 1) * unit[a] for a in range(dim + 1)] +
                             [4 * (place[a] * unit[b] + place[b] * unit[a]) for a, b in ends])
        total += weight * np.linalg.det(np.einsum("cni,nj->cij", nodes, gradients))
    return np.abs(total)


def stress_error(results, level, pressure, keep=None):
    """L2 norm of (Cauchy stress - uniaxial pressure along y) over the cells for which keep(middle) holds, over that of the pressure."""
    measure, middle = cell_measures(results)
    stress = results.field("cauchy", level).reshape(-1, 3, 3).astype(float)
    stress[:, 1, 1] += pressure
    if results.dim == 2:
        stress[:, 2, 2] = 0  # out of the plane; 0 in the patch test as Poisson's ratio is
    squares = np.sum(stress**2, axis=(1, 2))
    chosen = np.ones(len(measure), bool) if keep is None else keep(middle)
    return float(np.sqrt(measure[chosen] @ squares[chosen] / measure[chosen].sum()) / pressure)
