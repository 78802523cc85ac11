"""Cuts bodies at a plane: the part of their surface on one side of it, and the face in the plane."""

from typing import NamedTuple

import numpy as np

from abut_results import ResultsError

QUARTERS = [[0, 4, 6, 7], [1, 5, 4, 8], [2, 6, 5, 9], [3, 7, 8, 9], [4, 9, 5, 6], [4, 9, 6, 7], [4, 9, 7, 8], [4, 9, 8, 5]]


class Part(NamedTuple):
    """Triangles of the part that is left, over the points before the cut and one further point on each of the edges that the plane cuts."""

    triangles: np.ndarray
    bodies: np.ndarray  # of the triangles
    groups: np.ndarray  # differ between the surface of a body and its face in the plane
    ends: np.ndarray  # [n, 2] ends of the edges
    share: np.ndarray  # [n, 1] of the second end in the value at the point

    def extend(self, values):
        """Values at all points, from values at the points before the cut."""
        share = self.share if values.ndim == 2 else self.share[:, 0]
        return np.concatenate([values, (1 - share) * values[self.ends[:, 0]] + share * values[self.ends[:, 1]]])


def plane(text):
    """Outer normal and offset of the half space that is left, of "AXIS,POSITION" (below the position) or "-AXIS,POSITION" (above it)."""
    axis, _, position = text.partition(",")
    try:
        if axis.lstrip("-") not in ("x", "y", "z") or len(axis) > 2 or not np.isfinite(float(position)):
            raise ValueError
    except ValueError:
        raise ResultsError(f"--cut {text}: must be x, y or z, or -x, -y or -z, a comma and a position in metres") from None
    normal = (-1.0 if axis[0] == "-" else 1.0) * np.eye(3)["xyz".index(axis[-1])]
    return normal, float(position) * normal.sum()


def tetrahedra(cells, body):
    """Tetrahedra on all vertices of the cells, eight for a quadratic cell, and their bodies."""
    quadratic = cells[:, 4] >= 0 if cells.shape[1] > 4 else np.zeros(len(cells), dtype=bool)
    parts = cells[quadratic][:, QUARTERS].reshape(-1, 4) if quadratic.any() else cells[:0, :4]
    return np.vstack([cells[~quadratic][:, :4], parts]), np.concatenate([body[~quadratic], np.repeat(body[quadratic], 8)])


def _first(simplices, flags):
    """Simplices with the one vertex whose flag is set in the first place."""
    return np.take_along_axis(simplices, (flags.argmax(axis=1)[:, None] + np.arange(simplices.shape[1])) % simplices.shape[1], axis=1).T


def cut(points, surface, surface_body, cells, cells_body, half_space):
    """The Part of a surface, and of the cells inside of it, in a half space."""
    distance = points @ half_space[0] - half_space[1]
    inside, ends = distance <= 0, []

    def on(first, second):
        start = len(points) + sum(map(len, ends))
        ends.append(np.column_stack([first, second]))
        return start + np.arange(len(first))

    shapes, body = tetrahedra(cells, cells_body)
    left, kept = inside[surface].sum(axis=1), inside[shapes].sum(axis=1)
    triangles, bodies = [surface[left == 3]], [surface_body[left == 3]]
    a, b, c = _first(surface[left == 1], inside[surface[left == 1]])
    triangles += [np.column_stack([a, on(a, b), on(a, c)])]
    a, b, c = _first(surface[left == 2], ~inside[surface[left == 2]])
    ab, ac = on(a, b), on(a, c)
    triangles += [np.column_stack([ab, b, c]), np.column_stack([ab, c, ac])]
    bodies += [surface_body[left == 1], surface_body[left == 2], surface_body[left == 2]]
    faces = [surface[:0]]
    for tip in (kept == 1, kept == 3):
        a, b, c, d = _first(shapes[tip], inside[shapes[tip]] == (kept[tip] == 1)[:, None])
        faces.append(np.column_stack([on(a, b), on(a, c), on(a, d)]))
    halved = shapes[kept == 2]
    a, b, c, d = np.take_along_axis(halved, np.argsort(~inside[halved], axis=1, kind="stable"), axis=1).T
    ac, ad, bc, bd = on(a, c), on(a, d), on(b, c), on(b, d)
    faces += [np.column_stack([ac, ad, bd]), np.column_stack([ac, bd, bc])]
    face_bodies = np.concatenate([body[kept == 1], body[kept == 3], body[kept == 2], body[kept == 2]])
    bodies, ends = np.concatenate([*bodies, face_bodies]), np.vstack(ends)
    groups = np.concatenate([bodies[: len(bodies) - len(face_bodies)], -1 - face_bodies])
    first, second = distance[ends].T
    return Part(np.vstack(triangles + faces), bodies, groups, ends, (first / (first - second))[:, None])
