"""Placement of all components: the transformations of the other code (shapes, rotateModel, size, raise) baked into each body."""

import itertools
import math
import os
from dataclasses import dataclass

from . import linear, meshes
from .errors import SceneError


@dataclass(eq=False)
class Component:
    """One copy of one shape. `rest` are the positions the other code calls X, `start` those it starts from."""

    index: int  # number over all shapes and copies
    shape: object
    mesh: meshes.Mesh
    offset: tuple  # of this copy within its grid [grid steps]
    rest: list
    start: list

    @property
    def kinematic(self):
        return self.mesh.kind != "tets"

    def ids(self, chosen):
        return [i for i, x in enumerate(self.start) if chosen(x)]


class Placement:
    """All components of a scene, and the similarity x -> factor * spin (x - pivot) + pivot, then + shift, that places them."""

    def __init__(self, scene, scene_path):
        self.scene = scene
        self.components = []
        cache = {}
        for shape in scene.shapes:
            path = meshes.find(shape.path, scene_path, shape.place)
            if path not in cache:
                cache[path] = meshes.Mesh(path, shape.place)
            self._add_copies(shape, cache[path])
        if all(c.kinematic for c in self.components):
            raise SceneError(os.path.basename(scene_path), "the scene has no deformable shape (.msh)")
        self.factor, self.spin, self.pivot, self.shift = 1.0, None, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if scene.rotate_model:
            self._rotate(*scene.rotate_model)
        if scene.size > 0:
            self._resize(scene.size)
        solid = [x for c in self.components if not c.kinematic for x in c.rest]
        self.reference_length = linear.norm(linear.sub(*reversed(linear.box(solid))))

    def _add_copies(self, shape, mesh):
        rotation = linear.from_degrees(shape.rotate)
        placed = [linear.apply(rotation, tuple(s * p for s, p in zip(shape.scale, v))) for v in mesh.vertices]
        for offset in itertools.product(*map(range, shape.copies)):
            at = tuple(t + d * n for t, d, n in zip(shape.translate, shape.spacing, offset))
            rest = [linear.add(x, at) for x in placed]
            self.components.append(Component(len(self.components), shape, mesh, offset, rest, list(rest)))

    def start_box(self):
        return linear.box([x for c in self.components for x in c.start])

    def rest_box(self):
        return linear.box([x for c in self.components for x in c.rest])

    def _rotate(self, axis, degrees):
        lower, upper = self.start_box()
        self.spin = linear.about_axis(axis, math.radians(degrees))
        self.pivot = linear.scaled(0.5, linear.sub(upper, lower))  # half the extent, not the centre, as in the other code
        for c in self.components:
            c.start = [linear.add(linear.apply(self.spin, linear.sub(x, self.pivot)), self.pivot) for x in c.start]

    def _resize(self, size):
        lower, upper = self.start_box()
        self.factor = size / max(linear.sub(upper, lower))
        self.shift = linear.scaled(-self.factor, lower)
        for c in self.components:
            c.rest = [linear.add(linear.scaled(self.factor, x), self.shift) for x in c.rest]
            c.start = [linear.add(linear.scaled(self.factor, x), self.shift) for x in c.start]

    def raise_start(self):
        """Lifts the start by half the diagonal, as scripts that let things fall do."""
        lower, upper = self.start_box()
        lift = (0.0, 0.5 * linear.norm(linear.sub(upper, lower)), 0.0)
        self.shift = linear.add(self.shift, lift)
        for c in self.components:
            c.start = [linear.add(x, lift) for x in c.start]

    def placed(self, shape, offset):
        """scale, rotate [degrees], translate of one copy of a shape."""
        at = tuple(t + d * n for t, d, n in zip(shape.translate, shape.spacing, offset))
        rotate = shape.rotate
        if self.spin:
            at = linear.add(linear.apply(self.spin, linear.sub(at, self.pivot)), self.pivot)
            rotate = linear.to_degrees(linear.product(self.spin, linear.from_degrees(rotate)))
        at = linear.add(linear.scaled(self.factor, at), self.shift)
        return linear.scaled(self.factor, shape.scale), rotate, at


def static_mesh(spec, scene_path):
    """scale, rotate, translate of a meshCO, whose vertices' mean is subtracted first; and its mesh."""
    mesh = meshes.Mesh(meshes.find(spec.path, scene_path, spec.place), spec.place)
    lower, upper = linear.box(mesh.vertices)
    extent = max(linear.sub(upper, lower))
    if extent <= 0:
        raise SceneError(spec.place, f"mesh '{spec.path}' has no extent to scale")
    return mesh, (spec.extent / extent,) * 3, spec.rotate, spec.origin


def static_mesh_box(spec, scene_path):
    """Lower and upper corner of a placed meshCO."""
    mesh, scale, rotate, origin = static_mesh(spec, scene_path)
    count = len(mesh.vertices)
    mean = tuple(sum(column) / count for column in zip(*mesh.vertices))
    rotation = linear.from_degrees(rotate)
    return linear.box([linear.add(linear.apply(rotation, linear.scaled(scale[0], linear.sub(v, mean))), origin) for v in mesh.vertices])
