"""Time steps of elastic bodies in contact by sequential quadratic programming, as the methods that Li et al. (2020), section 8.3, compare.

A step of size h minimises the incremental potential of implicit Euler so that the signed distance of each active pair of surface parts is
at least an offset (projected gap function). Each iteration minimises the second-order expansion of the potential, its Hessian projected,
under the linearised constraints, and takes the whole step. Active are near pairs and pairs that the motion since the start of
the step lets cross. Searches compare all pairs: for scenes of up to a few hundred vertices.
"""

import collections
import dataclasses
import os

import numpy as np
import yaml
from abut_results import Results
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

DONE, APART = "done", "no contact"
MOST = 100  # iterations of a step
SEARCH = 5000  # steps in which the first contact is awaited
LEVI_CIVITA = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    LEVI_CIVITA[_i, _j, _k], LEVI_CIVITA[_i, _k, _j] = 1, -1


class StepError(Exception):
    """A step has failed; the text says why."""


@dataclasses.dataclass
class Run:
    steps: int = 0  # that succeeded, from the first with an active constraint on
    iterations: int = 0  # of these steps
    constraints: int = 0  # most in an iteration
    end: str = DONE  # or why the run has failed


@dataclasses.dataclass
class State:
    position: np.ndarray
    velocity: np.ndarray
    released: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(bool))  # motions that have ended, by number

    def copy(self):
        return State(self.position, self.velocity, self.released.copy())


class Elasticity:
    """Potential of the cells of all bodies: neo-hookean or fixed-corotated, as in abut."""

    def __init__(self, rest, cells, young, poisson, neo_hookean):
        edges = self.edges(rest, cells)
        self.cells, self.inverse, self.volume = cells, np.linalg.inv(edges), np.abs(np.linalg.det(edges)) / 6
        self.mu, self.lame = young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
        self.neo_hookean = neo_hookean
        shape = np.concatenate([-self.inverse.sum(axis=1, keepdims=True), self.inverse], axis=1)  # gradients of the vertices' functions
        self.map = np.einsum("cvj,ik->cijvk", shape, np.eye(3)).reshape(len(cells), 9, 12)  # from vertices to F

    @staticmethod
    def edges(position, cells):
        return np.swapaxes(position[cells[:, 1:]] - position[cells[:, :1]], 1, 2)

    def derivatives(self, position):
        """Gradient [vertices, 3] and projected Hessian [3 vertices, 3 vertices]."""
        f = self.edges(position, self.cells) @ self.inverse
        if np.any((np.linalg.det(f) <= 0) & self.neo_hookean):
            raise StepError("a cell inverts")
        stress, tangent = (np.where(self.neo_hookean[:, None, None], *pair) for pair in zip(self.neo(f), self.corotated(f)))
        values, vectors = np.linalg.eigh(tangent)
        tangent = np.einsum("cik,ck,cjk->cij", vectors, np.maximum(values, 0) * self.volume[:, None], vectors)
        forces = np.einsum("cab,ca,c->cb", self.map, stress.reshape(-1, 9), self.volume).reshape(-1, 4, 3)
        blocks = np.einsum("cak,cab,cbl->ckl", self.map, tangent, self.map)
        gradient, hessian = np.zeros_like(position), np.zeros((position.size, position.size))
        np.add.at(gradient, self.cells, forces)
        place = (3 * self.cells[:, :, None] + np.arange(3)).reshape(-1, 12)
        np.add.at(hessian, (place[:, :, None], place[:, None, :]), blocks)
        return gradient, hessian

    def neo(self, f):
        """mu / 2 (|F|^2 - 3) - mu ln J + lame / 2 (ln J)^2: stress [3, 3] and tangent [9, 9] of each cell."""
        mu, lame = self.mu[:, None, None], self.lame[:, None, None]
        log = np.log(np.maximum(np.linalg.det(f), 1e-300))[:, None, None]
        g = np.swapaxes(np.linalg.inv(np.where(np.abs(np.linalg.det(f))[:, None, None] > 0, f, np.eye(3))), 1, 2)
        flat = g.reshape(-1, 9)
        swapped = np.einsum("cil,ckj->cijkl", g, g).reshape(-1, 9, 9)
        return (mu * (f - g) + lame * log * g,
                mu * np.eye(9) + lame * flat[:, :, None] * flat[:, None, :] + (mu - lame * log) * swapped)

    def corotated(self, f):
        """mu sum (sigma - 1)^2 + lame / 2 (J - 1)^2, with rotations of positive determinant."""
        mu, lame = self.mu[:, None, None], self.lame[:, None, None]
        u, sigma, v = np.linalg.svd(f)
        turn = np.sign(np.linalg.det(u @ v))
        u[:, :, 2] *= turn[:, None]
        sigma[:, 2] *= turn
        cofactor = 0.5 * np.einsum("ikm,jln,ckl,cmn->cij", LEVI_CIVITA, LEVI_CIVITA, f, f)
        excess = np.linalg.det(f)[:, None, None] - 1
        flat = cofactor.reshape(-1, 9)
        tangent = 2 * mu * np.eye(9) + lame * flat[:, :, None] * flat[:, None, :]
        tangent += lame * excess * np.einsum("ikm,jln,cmn->cijkl", LEVI_CIVITA, LEVI_CIVITA, f).reshape(-1, 9, 9)
        for i, j in ((0, 1), (1, 2), (0, 2)):  # the rotation's derivative
            twist = (u[:, :, i, None] * v[:, None, j] - u[:, :, j, None] * v[:, None, i]).reshape(-1, 9)
            factor = 2 * self.mu / np.maximum(sigma[:, i] + sigma[:, j], 1e-6)
            tangent -= factor[:, None, None] * twist[:, :, None] * twist[:, None, :]
        return 2 * mu * (f - u @ v) + lame * excess * cofactor, tangent


class Surfaces:
    """Pairs of a point and a triangle and of two edges, by brute force."""

    def __init__(self, triangles, prescribed):
        self.triangles = triangles
        self.edges = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
        points = np.unique(triangles)
        self.kinds = (self.pairs(points[:, None], triangles, prescribed), self.pairs(self.edges, self.edges, prescribed))

    @staticmethod
    def pairs(first, second, prescribed):
        """Vertices of all pairs [pairs, 4] that have no common vertex and are not both prescribed."""
        a, b = (part.ravel() for part in np.meshgrid(np.arange(len(first)), np.arange(len(second)), indexing="ij"))
        if first is second:
            a, b = a[a < b], b[a < b]
        found = np.concatenate([first[a], second[b]], axis=1)
        cut = first.shape[1]
        common = (found[:, :cut, None] == found[:, None, cut:]).any(axis=(1, 2))
        return found[~common & ~prescribed[found].all(axis=1)]

    def near(self, path, reach):
        """Pairs whose boxes along the path (start and end positions) come closer than reach, by kind."""
        low, high = np.minimum(*path), np.maximum(*path)
        for kind, pairs in enumerate(self.kinds):
            cut = 1 + kind
            boxes = [(low[part].min(axis=1), high[part].max(axis=1)) for part in (pairs[:, :cut], pairs[:, cut:])]
            yield pairs[((boxes[0][0] <= boxes[1][1] + reach) & (boxes[1][0] <= boxes[0][1] + reach)).all(axis=1)]

    def intersect(self, position):
        """Whether an edge passes through a triangle without a common vertex."""
        pairs = self.pairs(self.edges, self.triangles, np.zeros(len(position), dtype=bool))
        p, q, a, b, c = (position[pairs[:, k]] for k in range(5))
        volume = lambda x, y, z, w: np.einsum("ci,ci->c", np.cross(y - x, z - x), w - x)
        sides = volume(a, b, c, p) * volume(a, b, c, q) < 0
        through = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)]
        return bool(np.any(sides & ((np.min(through, axis=0) > 0) | (np.max(through, axis=0) < 0))))


def weights_on_segment(p, a, b):
    """Weights of p, a and b in p - closest point of the segment."""
    along = b - a
    s = np.clip(np.einsum("ci,ci->c", p - a, along) / np.maximum(np.einsum("ci,ci->c", along, along), 1e-300), 0, 1)
    return np.stack([np.ones_like(s), s - 1, -s], axis=1)


def closest(position, pairs, kind):
    """Weights [pairs, 4] of the vertices in the vector between the closest points; kind 0: point and triangle, 1: two edges."""
    x = position[pairs]
    choices = []
    if kind == 0:
        for k in range(3):
            on_edge = weights_on_segment(x[:, 0], x[:, 1 + k], x[:, 1 + (k + 1) % 3])
            choice = np.zeros((len(pairs), 4))
            choice[:, 0], choice[:, 1 + k], choice[:, 1 + (k + 1) % 3] = on_edge.T
            choices.append(choice)
        basis = np.stack([x[:, 2] - x[:, 1], x[:, 3] - x[:, 1]], axis=1)
        inner = solve_pairs(basis, x[:, 0] - x[:, 1])
        choices.append(np.stack([np.ones(len(pairs)), inner.sum(axis=1) - 1, -inner[:, 0], -inner[:, 1]], axis=1))
        valid = (inner >= 0).all(axis=1) & (inner.sum(axis=1) <= 1)
    else:
        for point, other, sign in ((0, (2, 3), 1), (1, (2, 3), 1), (2, (0, 1), -1), (3, (0, 1), -1)):
            choice = np.zeros((len(pairs), 4))
            choice[:, point], choice[:, other[0]], choice[:, other[1]] = sign * weights_on_segment(x[:, point], *(x[:, k] for k in other)).T
            choices.append(choice)
        basis = np.stack([x[:, 1] - x[:, 0], x[:, 2] - x[:, 3]], axis=1)
        inner = solve_pairs(basis, x[:, 2] - x[:, 0])
        choices.append(np.stack([1 - inner[:, 0], inner[:, 0], inner[:, 1] - 1, -inner[:, 1]], axis=1))
        valid = ((inner >= 0) & (inner <= 1)).all(axis=1)
    choices = np.stack(choices)
    lengths = np.linalg.norm(np.einsum("ncv,cvi->nci", choices, x), axis=2)
    lengths[-1][~valid] = np.inf
    return choices[np.argmin(lengths, axis=0), np.arange(len(pairs))]


def solve_pairs(basis, right):
    """Least squares with two vectors for each pair; parallel vectors: NaN, which no comparison accepts."""
    gram = basis @ np.swapaxes(basis, 1, 2)
    singular = np.linalg.det(gram) <= 1e-12 * gram[:, 0, 0] * gram[:, 1, 1]
    gram[singular] = np.eye(2)
    found = np.linalg.solve(gram, np.einsum("cki,ci->ck", basis, right)[:, :, None])[:, :, 0]
    found[singular] = np.nan
    return found


def crosses(start, end, kind):
    """Whether the parts of a pair meet on the straight way from start to end [4, 3]: roots of the volume of the four vertices."""
    times = np.array([0, 1 / 3, 2 / 3, 1])
    volumes = [np.linalg.det((start + t * (end - start))[1:] - (start + t * (end - start))[0]) for t in times]
    scale = max(map(abs, volumes))
    if not scale:
        return False
    for root in np.roots(np.trim_zeros(np.polyfit(times, np.array(volumes) / scale, 3), "f")):
        t = root.real
        if abs(root.imag) < 1e-9 and 0 <= t <= 1:
            x = start + t * (end - start)
            weights = closest(x, np.arange(4)[None], kind)[0]
            if np.linalg.norm(weights @ x) < 1e-9 * np.ptp(x, axis=0).max():
                return True
    return False


class ActiveSet:
    """Pairs with constraints in a time step. Their signs: the side on which the parts are at the start of the step."""

    def __init__(self, surfaces, start, offset):
        self.surfaces, self.start, self.offset = surfaces, start, offset
        self.found = [{}, {}]  # normals at the start by pair

    def update(self, position):
        """Adds pairs that are near now or have crossed; returns whether there are any."""
        before = self.count()
        for kind, pairs in enumerate(self.surfaces.near((self.start, position), 2 * self.offset)):
            pairs = np.array([pair for pair in pairs if tuple(pair) not in self.found[kind]], dtype=int).reshape(-1, 4)
            vectors = np.einsum("cv,cvi->ci", closest(position, pairs, kind), position[pairs])
            for pair, vector in zip(pairs, vectors):
                if np.linalg.norm(vector) < 2 * self.offset or crosses(self.start[pair], position[pair], kind):
                    vector = closest(self.start, pair[None], kind)[0] @ self.start[pair]
                    self.found[kind][tuple(pair)] = vector / max(np.linalg.norm(vector), 1e-300)
        return self.count() > before

    def count(self):
        return sum(map(len, self.found))

    def constraints(self, position):
        """Signed distances [constraints] and their gradients [constraints, 3 vertices]."""
        values, rows = [], []
        for kind, found in enumerate(self.found):
            if not found:
                continue
            pairs, sides = np.array(list(found)), np.array(list(found.values()))
            weights = closest(position, pairs, kind)
            vectors = np.einsum("cv,cvi->ci", weights, position[pairs])
            length = np.linalg.norm(vectors, axis=1)
            sign = np.where(np.einsum("ci,ci->c", vectors, sides) < 0, -1, 1)
            normal = np.where(length[:, None] > 0, sign[:, None] * vectors / np.maximum(length, 1e-300)[:, None], sides)
            row = np.zeros((len(pairs), position.size))
            for k in range(4):
                for axis in range(3):
                    row[np.arange(len(pairs)), 3 * pairs[:, k] + axis] += weights[:, k] * normal[:, axis]
            values.append(sign * length)
            rows.append(row)
        return np.concatenate(values) if values else np.zeros(0), np.concatenate(rows) if rows else np.zeros((0, position.size))


def quadratic_program(hessian, gradient, rows, bounds):
    """Minimises p H p / 2 + g p under rows p >= bounds: least distances by non-negative least squares (Lawson and Hanson, 1974, ch. 23)."""
    factor = np.linalg.cholesky(hessian)
    free = solve_triangular(factor, gradient, lower=True)
    moved = np.zeros_like(free)
    if len(rows):
        whitened = solve_triangular(factor, rows.T, lower=True)
        length = np.maximum(np.linalg.norm(whitened, axis=0), 1e-300)
        whitened, wanted = whitened / length, (bounds + whitened.T @ free) / length
        scale = np.abs(wanted).max() or 1
        if wanted.max() > 0:
            system = np.vstack([whitened, wanted / scale])
            multipliers, _ = nnls(system, np.append(np.zeros(len(whitened)), 1.0), maxiter=30 * system.shape[1])
            slack = 1 - system[-1] @ multipliers
            if slack < 1e-10:
                raise StepError("constraints contradict each other")
            moved = scale * (whitened @ multipliers) / slack
    return solve_triangular(factor.T, moved - free, lower=False)


class Problem:
    """Bodies of a scene: read from results of abut, which has placed them."""

    def __init__(self, folder, scene):
        results = Results(folder)
        with open(os.path.join(folder, scene), encoding="utf-8") as stream:
            self.scene = yaml.safe_load(stream)
        if any("plane" in entry for entry in self.scene.get("obstacles") or []):
            raise ValueError("a scene with half spaces")
        self.names = [entry[0] for entry in results.bodies()]
        self.body = results.mesh("vertex_body")
        self.fixed = np.array([results.bodies()[k][1] for k in self.body], dtype=bool)
        materials = {entry["name"]: self.scene["materials"][entry["material"]] for entry in self.scene["bodies"]}
        by_cell = [materials[self.names[k]] for k in results.mesh("cells_body")]
        young, poisson, density = (np.array([float(each[key]) for each in by_cell]) for key in ("young", "poisson", "density"))
        cells = results.mesh("cells")
        self.elastic = Elasticity(results.mesh("rest"), cells, young, poisson,
                                  np.array([each["model"] == "neo-hookean" for each in by_cell]))
        self.mass = np.zeros(len(self.body))
        np.add.at(self.mass, cells, np.repeat((density * self.elastic.volume / 4)[:, None], 4, axis=1))
        self.motions = [(np.flatnonzero(self.body == self.names.index(motion["select"]["body"]))[motion["select"]["ids"]], motion)
                        for motion in self.scene.get("motions") or []]
        self.surfaces = Surfaces(np.concatenate([results.mesh("surface"), results.mesh("obstacle_triangles")]), self.fixed)
        self.gravity = np.array(self.scene["gravity"], dtype=float)
        self.tolerance = float(self.scene["solver"]["tolerance"]["relative"]) * float(self.scene["contact"]["reference_length"])
        self.start = State(results.positions("first"), results.field("velocity", "first"))

    def prescribed(self, state, h):
        """Positions at the end of the step, of prescribed vertices only, and which vertices these are. Ends motions."""
        position, chosen = state.position.copy(), self.fixed.copy()
        for k, (vertices, motion) in enumerate(self.motions):
            until = motion.get("until")
            if until and not state.released[k]:
                axis = "xyz".index(until["axis"])
                lowest = state.position[self.body == self.names.index(until["lowest"]), axis].min()
                state.released[k] = lowest > until["above"]
            if not state.released[k]:
                chosen[vertices] = True
                position[vertices] = moved(position[vertices], motion, h)
        return position, chosen

    def step(self, state, h, offset):
        """The state after a step, its iterations and its most constraints."""
        position, prescribed = self.prescribed(state, h)
        free = np.repeat(~prescribed, 3)
        inertial = state.position + h * state.velocity + h * h * self.gravity
        active = ActiveSet(self.surfaces, state.position, offset)
        active.update(position)
        most = 0
        for iteration in range(1, MOST + 1):
            forces, stiffness = self.elastic.derivatives(position)
            gradient = self.mass[:, None] * (position - inertial) + h * h * forces
            hessian = h * h * stiffness
            hessian[np.diag_indices_from(hessian)] += np.repeat(self.mass, 3)
            values, rows = active.constraints(position)
            rows = rows[:, free]
            acting = np.abs(rows).max(axis=1, initial=0) > 0
            move = quadratic_program(hessian[np.ix_(free, free)], gradient.ravel()[free], rows[acting], offset - values[acting])
            position.reshape(-1)[free] += move
            most = max(most, len(values))
            if not active.update(position) and np.abs(move).max() < h * self.tolerance:
                break
        else:
            raise StepError(f"no convergence in {MOST} iterations")
        if self.surfaces.intersect(position):
            raise StepError("surfaces intersect")
        return State(position, (position - state.position) / h, state.released), iteration, most


def moved(position, motion, h):
    """Positions after a step of a motion with a velocity, or with an angular velocity about a point."""
    if "velocity" in motion:
        return position + h * np.array(motion["velocity"], dtype=float)
    rate, center = np.array(motion["angular_velocity"], dtype=float), np.array(motion["center"], dtype=float)
    angle = h * np.linalg.norm(rate)
    x, y, z = rate / np.linalg.norm(rate)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return center + (position - center) @ turn.T


def steps_in_contact(problem, state, h, offset, wanted):
    """Runs until `wanted` steps in contact have succeeded or one has failed; returns the run and the last state without contact."""
    run, apart = Run(), state
    for _ in range(SEARCH + wanted):
        try:
            state, iterations, constraints = problem.step(state.copy(), h, offset)
        except (StepError, np.linalg.LinAlgError, RuntimeError) as error:  # RuntimeError: nnls takes too many iterations
            run.end = str(error)
            return run, apart
        if run.steps or constraints:
            run.steps, run.iterations, run.constraints = run.steps + 1, run.iterations + iterations, max(run.constraints, constraints)
        else:
            apart = state
        if run.steps == wanted:
            return run, apart
    run.end = DONE if run.steps else APART
    return run, apart
