"""Writes the abut scene (YAML)."""

import math
import os
import re

from . import linear
from .placement import static_mesh

WIDTH = 118
OWN_WORDS = ("plane", "static", "material")  # half spaces, meshes of meshCO and materials are called by these words and a number
MODELS = {"NH": "neo-hookean", "FCR": "fixed-corotated"}


def number(value):
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(float(value) + 0.0)
    return text[:-2] if text.endswith(".0") else text


def vector(values):
    return "[" + ", ".join(number(v) for v in values) + "]"


def text(value):
    """A string, quoted where it needs to be."""
    if re.fullmatch(r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*", value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def name_of_mesh(path):
    """Start of the names of components of a mesh file. Words that name other parts of the document, such as "plane_0", are avoided."""
    stem = re.sub(r"[^A-Za-z0-9_]", "_", os.path.splitext(os.path.basename(path))[0])[:40]
    return f"mesh_{stem}" if stem in OWN_WORDS else stem


def wrapped(values, indent):
    """A long list of whole numbers over several lines."""
    lines, line = [], ""
    for value in values:
        item = f"{value}, "
        if indent + len(line) + len(item) > WIDTH:
            lines.append(line.rstrip())
            line = ""
        line += item
    lines.append(line.rstrip(" ,"))
    return "[" + ("\n" + " " * indent).join(lines) + "]"


class Document:
    """The YAML document of a placed scene."""

    def __init__(self, scene, placement, script, scene_path, out_path):
        self.scene, self.placement, self.script = scene, placement, script
        self.scene_path = scene_path
        self.folder = os.path.dirname(os.path.abspath(out_path))
        self.lines = []
        self.materials = {}
        self.entries = self._entries()

    def _entries(self):
        """Entries of the document, one per body or obstacle: name, components, whether it is written as a grid of copies."""
        entries, grids = [], {}
        for c in self.placement.components:
            grids.setdefault(id(c.shape), []).append(c)
        for components in grids.values():
            stem = name_of_mesh(components[0].mesh.path)
            if len(components) > 1 and self._is_grid(components):
                entries.append((f"{stem}_{components[0].index}", components, True))
            else:
                entries += [(f"{stem}_{c.index}", [c], False) for c in components]
        return entries

    def _is_grid(self, components):
        """Copies stay one entry unless they were rotated together or do not all move alike."""
        moving = [m for m in self.script.motions if m.component in components]
        alike = {(m.velocity, m.start, m.end, m.hold, id(m.until)) for m in moving}
        whole = all(m.ids is None and m.center is None and m.sequence is None for m in moving)
        return self.placement.spin is None and whole and len(moving) == len(alike) * len(components)

    def _material(self, component):
        rho, young, poisson = component.shape.material or (self.scene.density, self.scene.young, self.scene.poisson)
        key = (MODELS[self.scene.energy], young, poisson, rho)
        return self.materials.setdefault(key, f"material_{len(self.materials) + 1}")

    def _shape(self, mesh, place):
        scale, rotate, translate = place
        out = [f"    shape: {{file: {text(os.path.relpath(mesh.path, self.folder))}}}"]
        if any(s != 1.0 for s in scale):
            out.append(f"    scale: {number(scale[0]) if scale[0] == scale[1] == scale[2] else vector(scale)}")
        if any(rotate):
            out.append(f"    rotate: {vector(rotate)}")
        if any(translate):
            out.append(f"    translate: {vector(translate)}")
        return out

    def _entry(self, name, components, grid):
        first = components[0]
        out = [f"  - name: {name}"]
        if not first.kinematic:
            out.append(f"    material: {self._material(first)}")
        out += self._shape(first.mesh, self.placement.placed(first.shape, first.offset))
        if grid:
            out.append(f"    copies: {vector(first.shape.copies)}")
            out.append(f"    spacing: {vector(linear.scaled(self.placement.factor, first.shape.spacing))}")
        velocity, angular = self.script.initial.get(first.index, ((0.0,) * 3, (0.0,) * 3))
        if any(velocity):
            out.append(f"    velocity: {vector(velocity)}")
        if any(angular):
            out.append(f"    angular_velocity: {vector(angular)}")
        return out

    def _obstacles(self):
        out = []
        for number_, plane in enumerate(self.scene.planes):
            out.append(f"  - {{name: plane_{number_}, plane: {{point: {vector(plane.point)}, normal: {vector(plane.normal)}}}}}")
        for name, components, grid in self.entries:
            if components[0].kinematic:
                out += self._entry(name, components, grid)
        for number_, spec in enumerate(self.scene.static_meshes):
            mesh, scale, rotate, origin = static_mesh(spec, self.scene_path)
            out += [f"  - name: static_{number_}"] + self._shape(mesh, (scale, rotate, origin)) + ["    center: true"]
        return out

    def _name(self, subject):
        """Name of a component in the document; a name is returned unchanged."""
        return subject if isinstance(subject, str) else next(name for name, components, _ in self.entries if subject in components)

    def _chosen(self, component, ids):
        """The `select` line of some vertices of a component, None means all."""
        if ids is None:
            return f"  - select: {{body: {self._name(component)}}}"
        head = f"  - select: {{body: {self._name(component)}, ids: "
        return head + wrapped(ids, len(head) + 1) + "}"

    def _motions(self):
        out = []
        others = {id(c) for _, components, grid in self.entries if grid for c in components[1:]}  # the first copy represents the grid
        for motion in self.script.motions:
            if motion.ids is None and id(motion.component) in others:
                continue
            plane = isinstance(motion.component, str) and motion.component.startswith("plane_")
            out.append(f"  - plane: {motion.component}" if plane else self._chosen(motion.component, motion.ids))
            out += self._motion(motion)
        return out

    def _condition(self, until):
        names = [self._name(subject) for subject in until.subjects]
        subject = f"[{', '.join(names)}]" if until.measure == "gap" else names[0] if names else '""'
        return f"{{{until.measure}: {subject}, axis: {'xyz'[until.axis]}, {until.side}: {number(until.limit)}, then: {until.then}}}"

    def _sequence(self, sequence):
        files = text(os.path.relpath(sequence.pattern, self.folder))
        return f"{{files: {files}, first: {sequence.first}, count: {sequence.count}, interval: {number(self.scene.dt)}}}"

    def _loads(self):
        out = []
        for load in self.script.loads:
            out.append(self._chosen(load.component, load.ids))
            out.append(f"    acceleration: {vector(load.acceleration)}")
            out += [f"    start: {number(load.start)}"] if load.start > 0 else []
            out += [f"    end: {number(load.end)}"] if load.end < math.inf else []
        return out

    def _motion(self, motion):
        out = []
        if motion.sequence:
            out.append(f"    sequence: {self._sequence(motion.sequence)}")
        elif any(motion.velocity) or not any(motion.angular):
            out.append(f"    velocity: {vector(motion.velocity)}")
        if any(motion.angular):
            out.append(f"    angular_velocity: {vector(motion.angular)}")
        if motion.center is not None:
            out.append(f"    center: {motion.center if motion.center == 'follow' else vector(motion.center)}")
        if motion.start > 0:
            out.append(f"    start: {number(motion.start)}")
        if motion.end < math.inf:
            out.append(f"    end: {number(motion.end)}")
        if motion.hold:
            out.append("    outside: hold")
        if motion.until:
            out.append(f"    until: {self._condition(motion.until)}")
        return out

    def _damping(self):
        """
        Stiffness-proportional damping [s]. The other code adds 1/2 s/dt dx^T H dx to its incremental potential, where forces weigh dt^2
        (Newmark: dt^2 beta), so s/dt^2 (s / (beta dt^2)) is the ratio of damping to stiffness.
        """
        dt = self.scene.dt
        stiffness = self.scene.damping_stiffness or self.scene.damping_ratio * dt**3 * 0.75
        return stiffness / dt**2 * (4.0 if self.scene.integrator == "newmark" else 1.0)

    def _friction(self):
        """Friction among shapes is the default; half spaces have their own, and static meshes none at all in the other code."""
        own = [(f"plane_{k}", plane.friction) for k, plane in enumerate(self.scene.planes)]
        own += [(f"static_{k}", 0.0) for k in range(len(self.scene.static_meshes))]
        among = self.scene.self_friction
        if among == 0 and not any(value for _, value in own):
            return []
        out = ["  friction:", f"    default: {number(among)}"]
        pairs = [(material, name, value) for material in self.materials.values() for name, value in own if value != among]
        out += ["    pairs:"] if pairs else []
        out += [f"      - {{between: [{material}, {name}], coefficient: {number(value)}}}" for material, name, value in pairs]
        kind = "absolute" if self.scene.absolute else "relative"
        out.append(f"    speed: {{{kind}: {number(self.scene.tuning[5])}}}")
        out.append(f"    lags: {self.scene.friction_lags or 'converged'}")
        return out

    def _contact_and_solver(self):
        kind = "absolute" if self.scene.absolute else "relative"
        kappa = number(self.scene.tuning[0]) if self.scene.tuning[0] else "adaptive"
        return [
            "contact:",
            "  potential: ipc",
            f"  dhat: {{{kind}: {number(self.scene.tuning[2])}}}",
            f"  stiffness: {kappa}",
            f"  reference_length: {number(self.placement.reference_length)}",
            *self._friction(),
            "solver:",
            f"  tolerance: {{{kind}: {number(min(self.scene.tolerances))}}}",
            "  max_newton: 10000",
        ]

    def render(self):
        name = os.path.basename(self.scene_path)
        bodies = [line for entry in self.entries if not entry[1][0].kinematic for line in self._entry(*entry)]
        obstacles = self._obstacles()
        out = [f"# Converted by inputs/from_ipc.py from {name}."]
        out += [f"# Note: {note}" for note in self.scene.notes]
        out += ["abut: 1", f"title: {text(os.path.splitext(name)[0])}", "dim: 3"]
        integrator = f", integrator: {self.scene.integrator}" if self.scene.integrator != "implicit-euler" else ""
        out.append(f"time: {{step: {number(self.scene.dt)}, steps: {self.script.steps}{integrator}}}")
        out.append(f"gravity: {vector((0.0, -9.80665 if self.scene.gravity else 0.0, 0.0))}")
        out.append("materials:")
        damping = f", damping: {{stiffness: {number(self._damping())}}}" if self._damping() > 0 else ""
        for (model, young, poisson, rho), material in self.materials.items():
            out.append(f"  {material}: {{model: {model}, young: {number(young)}, poisson: {number(poisson)}, "
                       f"density: {number(rho)}{damping}}}")
        out += ["bodies:"] + bodies
        out += (["obstacles:"] + obstacles) if obstacles else []
        motions = self._motions()
        out += (["motions:"] + motions) if motions else []
        loads = self._loads()
        out += (["loads:"] + loads) if loads else []
        return "\n".join(out + self._contact_and_solver()) + "\n"
