"""Translates the scripts of the other code into motions of vertices over time windows.

A test of a script at the start of each step becomes a condition of the motion. Two tests that involve a single prescribed vertex are
evaluated here, by following the vertex from step to step under the assumption that it reaches its targets.
"""

import math
from dataclasses import dataclass

from . import linear, meshes
from .errors import Impossible, SceneError
from .placement import static_mesh_box

# scripts of the other code without translation; none of its scenes uses them
OTHERS = set("""scaleF hang hang2 hangTopLeft swing stamp stampTopLeft stampBoth undstamp stampInv stand standInv topbottomfix corner
push tear upndown stretch squash stretchnsquash bend twistnstretch twistnsns twistnsns_old rubberBandPull fourLegPull headTailPull
onepoint random dragdown toggleTop leftHitRight drop XYRotate curtain fixRightMost1 NMFixBottomDragLeft NMFixBottomDragForward
MCORotSquash MCORotCylinders DCOHammerWalnut DCOCut""".split())


@dataclass
class Condition:
    """Condition that ends or reverses a motion: a measure along an axis falls below, or rises above, a limit. Subjects are components or
    names.
    """

    measure: str  # gap, lowest, highest
    subjects: tuple
    axis: int
    side: str  # below, above
    limit: float
    then: str  # reverse, stop, release


@dataclass
class Sequence:
    """Positions from files, one a step."""

    pattern: str
    first: int
    count: int


@dataclass
class Motion:
    """A prescribed motion of a component's vertices, of a plane or of a static mesh; ids None means all of them."""

    component: object  # or the name of a plane or static mesh
    ids: list = None
    velocity: tuple = (0.0, 0.0, 0.0)
    angular: tuple = (0.0, 0.0, 0.0)  # [rad/s]
    center: object = None  # a point, or "follow"
    start: float = 0.0
    end: float = math.inf
    hold: bool = False
    until: Condition = None
    sequence: Sequence = None


@dataclass
class Push:
    """A load on vertices of a component, as force per unit mass."""

    component: object
    ids: list
    acceleration: tuple
    start: float = 0.0
    end: float = math.inf


class Script:
    """Translates the script of a placed scene into `motions`, `loads` and `initial` (velocity, angular velocity [rad/s] by component
    index).
    """

    def __init__(self, scene, placement, scene_path):
        self.scene, self.placement, self.scene_path = scene, placement, scene_path
        self.components = placement.components
        self.kinematic = [c for c in self.components if c.kinematic]
        self.steps = math.ceil(scene.duration / scene.dt)
        self.at = scene.places.get("script", "default script")
        self.motions, self.loads, self.initial = [], [], {}
        handler = getattr(self, f"do_{scene.script}", None)
        if handler is None and scene.script in OTHERS:
            raise Impossible(self.at, f"script {scene.script}, which no scene of that code is made with and which has no translation")
        if handler is None:
            raise SceneError(self.at, f"unknown script '{scene.script}'")
        if scene.script != "null":
            self._note_ignored()
        handler()
        if self.loads and scene.integrator == "newmark":
            scene.note("under Newmark that code weighs loads (NBC) four times; so does this scene", scene.places["timeIntegration"])
            for load in self.loads:
                load.acceleration = linear.scaled(4.0, load.acceleration)

    def _note_ignored(self):
        for shape in self.scene.shapes:
            if shape.velocity or shape.angular or shape.initial or shape.dirichlet or shape.loads or shape.sequence:
                self.scene.note("velocities, DBC, NBC and meshSeq of a shape act only without a script, here the script is "
                                f"{self.scene.script}: ignored, as in the other code", shape.place)

    def _fixed_kinematic(self, count):
        """Kinematic shapes beyond the first `count` would be free in the other code; obstacles never are."""
        if (free := [c for c in self.kinematic if c.index >= count]):
            raise Impossible(free[0].shape.place, f"script {self.scene.script} leaves this kinematic shape free to move, which has no mass")

    def _first_kinematic(self, count):
        if len(self.components) <= count or not all(c.kinematic for c in self.components[:count]):
            raise SceneError(self.at, f"script {self.scene.script} needs {count} kinematic shapes before all others")
        self._fixed_kinematic(count)

    def _choose(self, chosen, **motion):
        """A motion for the chosen vertices of every component that has some."""
        for c in self.components:
            if (ids := c.ids(chosen)):
                self.motions.append(Motion(c, ids, **motion))

    # no script: motions in the lines of the shapes

    def do_null(self):
        for c in self.components:
            shape = c.shape
            if shape.velocity or shape.angular:
                self._whole(c, shape.velocity or (0.0, 0.0, 0.0), shape.angular or (0.0, 0.0, 0.0))
            for spec in shape.dirichlet:
                self._boxed(c, spec)
            for spec in shape.loads:
                self._pushed(c, spec)
            if shape.sequence:
                self._sequence(c, shape.sequence, shape.place, 1)
            if shape.initial and not c.kinematic:
                self.initial[c.index] = (shape.initial[0], tuple(math.radians(w) for w in shape.initial[1]))
        self._refuse_overlaps()

    def _turning(self, degrees):
        """The angular velocity whose constant rotation over a step is Rx Ry Rz of w dt."""
        rotation = linear.from_degrees([w * self.scene.dt for w in degrees])
        if sum(1 for w in degrees if w) <= 1:
            return tuple(math.radians(w) for w in degrees)
        return linear.scaled(1 / self.scene.dt, linear.rotation_vector(rotation))

    def _whole(self, c, velocity, degrees):
        if c.kinematic and not any(velocity) and not any(degrees):
            return
        self.motions.append(Motion(c, None, velocity, self._turning(degrees), "follow" if any(degrees) else None))

    @staticmethod
    def _ids_in(c, spec):
        """Surface vertices in a box, in fractions of the mesh file's own bounding box: before scale, rotation and translation."""
        vertices = c.mesh.vertices
        lower, upper = linear.box(vertices)
        low = tuple(a + (b - a) * f for a, b, f in zip(lower, upper, spec.lower))
        high = tuple(a + (b - a) * f for a, b, f in zip(lower, upper, spec.upper))
        return [i for i in c.mesh.surface() if all(a <= x <= b for a, x, b in zip(low, vertices[i], high))]

    def _window(self, spec, gate):
        """Start and end of a specification within its gate, None if it never acts."""
        start, end = max(spec.start, gate[0]), min(spec.end, gate[1])
        return (self._step_boundary(start), self._step_boundary(end)) if start < end else None

    def _boxed(self, c, spec):
        ids, window = self._ids_in(c, spec), self._window(spec, self.scene.dirichlet_window)
        if not ids:
            self.scene.note("DBC selects no vertex and does nothing, as in the other code", spec.place)
        elif window:
            center = "follow" if any(spec.angular) else None
            self.motions.append(Motion(c, ids, spec.velocity, self._turning(spec.angular), center, *window))

    def _pushed(self, c, spec):
        ids, window = self._ids_in(c, spec), self._window(spec, self.scene.load_window)
        if not ids:
            self.scene.note("NBC selects no vertex and does nothing, as in the other code", spec.place)
        elif window:
            self.loads.append(Push(c, ids, spec.acceleration, *window))

    def _sequence(self, c, folder, place, late):
        """Positions file by file; `late` is the number of the step at whose end that code has the shape where file 0 says."""
        pattern, first, count = meshes.find_frames(folder, c.mesh.kind, self.scene_path, place)
        if first + count <= self.steps - late:
            self.scene.note(f"the last of the {count} files of '{folder}' stays to the end; that code would stop there", place)
        if first > late:
            self.scene.note(f"'{folder}' has no file 0: the shape moves from the second step on", place)
        self.motions.append(Motion(c, start=max(first, late) * self.scene.dt, sequence=Sequence(pattern, first, count)))

    def _step_boundary(self, time):
        """The first time at which a step starts at or after a time: whether a motion is on is asked at the start of each step."""
        return time if math.isinf(time) else self._end(math.ceil(time / self.scene.dt - 1e-9))

    def _refuse_overlaps(self):
        """The other code adds motions that a vertex has at one time."""
        for n, a in enumerate(self.motions):
            for b in self.motions[:n]:
                meet = a.component is b.component and a.start < b.end and b.start < a.end
                if meet and (a.ids is None or b.ids is None or set(a.ids) & set(b.ids)):
                    raise Impossible(a.component.shape.place, "a vertex with two motions at one time, which that code adds")

    # everything free

    def do_fall(self):
        self._fixed_kinematic(0)
        self.placement.raise_start()

    def do_fallNoShift(self):
        self._fixed_kinematic(0)

    def do_DCOFix(self):
        """Only deformable shapes move."""

    def do_DCOBallHitWall(self):
        speed = (self.scene.script_parameters or [1000.0])[0]
        for c in self.components:
            if not c.kinematic:
                self.initial[c.index] = ((speed, 0.0, 0.0), (0.0, 0.0, 0.0))

    # handles

    def _border(self, side):
        """ids by component of the vertices at the lower (0) or upper (1) end of the x range at rest."""
        lower, upper = self.placement.rest_box()
        width = (upper[0] - lower[0]) * self.scene.handle_ratio
        for c in self.components:
            if side == 0:
                ids = [i for i, x in enumerate(c.rest) if x[0] < lower[0] + width]
            else:
                ids = [i for i, x in enumerate(c.rest) if not x[0] < lower[0] + width and x[0] > upper[0] - width]
            if ids:
                yield c, ids

    def do_twist(self):
        self._fixed_kinematic(0)
        lower, upper = self.placement.rest_box()
        center = tuple((a + b) / 2 for a, b in zip(lower, upper))
        for side, rate in ((0, -0.4 * math.pi), (1, 0.4 * math.pi)):
            self.motions += [Motion(c, ids, angular=(rate, 0.0, 0.0), center=center) for c, ids in self._border(side)]

    def do_hangLeft(self):
        self._fixed_kinematic(0)
        self.motions += [Motion(c, ids) for c, ids in self._border(0)]

    def do_fixLowerHalf(self):
        self._fixed_kinematic(0)
        lower, upper = self.placement.start_box()
        self._choose(lambda x: x[1] < lower[1] + (upper[1] - lower[1]) * 0.5)

    def do_pushRightMost1(self):
        self._fixed_kinematic(0)
        lower, upper = self.placement.start_box()
        for c in self.components:
            if (ids := c.ids(lambda x: x[0] > upper[0] - 1e-3 * (upper[0] - lower[0]))):
                self.motions.append(Motion(c, ids[:1], (-0.15, 0.0, 0.0)))
                return

    def do_stretchAndPause(self):
        self._fixed_kinematic(0)
        lower, upper = self.placement.start_box()
        width = (upper[0] - lower[0]) * 0.01
        left = [x[0] for c in self.components for x in c.start if x[0] < lower[0] + width]
        moving = self._steps_while(left[-1], -1.0, lambda x: x >= -0.28)
        window = {"end": self._end(moving), "hold": True}
        self._choose(lambda x: x[0] < lower[0] + width, velocity=(-1.0, 0.0, 0.0), **window)
        self._choose(lambda x: x[0] >= lower[0] + width and x[0] > upper[0] - width, velocity=(1.0, 0.0, 0.0), **window)

    def do_dragright(self):
        self._fixed_kinematic(0)
        self.placement.raise_start()
        lower, upper = self.placement.start_box()
        wall = max((static_mesh_box(spec, self.scene_path)[1][0] for spec in self.scene.static_meshes), default=-math.inf)
        if lower[0] > wall:
            self.scene.note("dragright: everything is right of the last meshCO from the start, so nothing is dragged", self.at)
            return
        until = Condition("lowest", tuple(self.components[:1]) if len(self.components) == 1 else (), 0, "above", wall, "release")
        self._choose(lambda x: x[0] > upper[0] - (upper[0] - lower[0]) * 0.04, velocity=(0.5, 0.0, 0.0), until=until)

    def do_utopiaComparison(self):
        self._fixed_kinematic(0)
        lower, upper = self.placement.start_box()
        margin = (upper[0] - lower[0]) * 1e-4
        window = tuple(map(self._step_boundary, self.scene.load_window))
        self._choose(lambda x: x[1] < lower[1] + margin and not x[1] > upper[1] - margin)
        self.loads += [Push(c, ids, (0.0, -1.5, 0.0), *window) for c in self.components
                       if (ids := c.ids(lambda x: x[1] > upper[1] - margin))]

    def do_meshSeqFromFile(self):
        if not self.kinematic:
            raise SceneError(self.at, "script meshSeqFromFile needs a kinematic shape")
        self._sequence(self.kinematic[0], self.scene.script_folder, self.at, 0)

    # obstacles that move

    def _rotating(self, rates):
        self._first_kinematic(len(rates))
        for c, rate in zip(self.components, rates):
            lower, upper = linear.box(c.start)
            self.motions.append(Motion(c, angular=rate, center=tuple((a + b) / 2 for a, b in zip(lower, upper))))

    def do_DCORotCylinders(self):
        quarter = math.pi / 2
        self._rotating([(quarter, 0.0, 0.0), (-quarter, 0.0, 0.0), (0.0, 0.0, -quarter), (0.0, 0.0, quarter)])

    def do_DCOVerschoorRoller(self):
        self._rotating([(0.0, 0.0, w) for w in (-4.0, -2.0, 2.0, 4.0)] + [(2.0, 0.0, 0.0), (-2.0, 0.0, 0.0)])

    def do_DCOSquash(self):
        self._squash(2)

    def do_DCOSquash6(self):
        self._squash(6)

    def _squash(self, count):
        """Pairs move towards each other along x, y, z; all turn back whenever the gap of the first pair is below 0.1 at a step's start."""
        self._first_kinematic(count)
        until = Condition("gap", tuple(self.components[:2]), 0, "below", 0.1, "reverse")
        for index in range(count):
            self.motions.append(Motion(self.components[index], velocity=self._towards(index), until=until))

    @staticmethod
    def _towards(index):
        """1 m/s along x, y, z for the pairs (0, 1), (2, 3), (4, 5), the second of each the other way."""
        return tuple((1.0 if index % 2 == 0 else -1.0) if axis == index // 2 else 0.0 for axis in range(3))

    def _planes(self, count):
        if len(self.scene.planes) < count:
            raise SceneError(self.at, f"script {self.scene.script} needs {count} half spaces")
        self._fixed_kinematic(0)
        return [f"plane_{k}" for k in range(count)]

    def do_ACOSquash(self):
        names = self._planes(2)
        until = Condition("gap", tuple(names), 0, "below", 0.1, "reverse")
        self.motions += [Motion(name, velocity=self._towards(k), until=until) for k, name in enumerate(names)]

    def do_ACOSquash6(self):
        names = self._planes(6)
        for k, name in enumerate(names):
            until = Condition("gap", tuple(names[k - k % 2:k - k % 2 + 2]), k // 2, "below", 0.2, "reverse")
            self.motions.append(Motion(name, velocity=self._towards(k), until=until))

    def do_ACOSquashShear(self):
        names = self._planes(2)
        gap = self.scene.planes[1].point[0] - self.scene.planes[0].point[0]
        closing = self._steps_while(gap, -2.0, lambda g: g >= 0.8)
        if closing:
            self.motions += [Motion(name, velocity=self._towards(k), end=self._end(closing)) for k, name in enumerate(names)]
        if closing < self.steps:
            self.motions.append(Motion(names[1], velocity=(0.0, 1.0, 0.0), start=self._end(closing)))

    def do_MCOSquash(self):
        """As ACOSquash with the first two meshCO, which turn back when their origins are less than 1.5 apart."""
        if len(self.scene.static_meshes) < 2:
            raise SceneError(self.at, "script MCOSquash needs two meshCO")
        self._fixed_kinematic(0)
        first, second = self.scene.static_meshes[:2]
        right, left = static_mesh_box(first, self.scene_path)[1][0], static_mesh_box(second, self.scene_path)[0][0]
        limit = 1.5 - (right - first.origin[0]) + (left - second.origin[0])
        until = Condition("gap", ("static_0", "static_1"), 0, "below", limit, "reverse")
        self.motions += [Motion(f"static_{k}", velocity=self._towards(k), until=until) for k in range(2)]

    def do_DCOSegBedSquash(self):
        half = (len(self.components) + 1) // 2
        above, below = [c for c in self.kinematic if c.index >= half], [c for c in self.kinematic if c.index < half]
        if not above or not below:
            raise SceneError(self.at, "script DCOSegBedSquash needs kinematic shapes in the first and in the second half of all shapes")
        top, bottom = max(below, key=lambda c: linear.box(c.start)[1][1]), min(above, key=lambda c: linear.box(c.start)[0][1])
        until = Condition("gap", (top, bottom), 1, "below", 0.1, "stop")
        self.motions += [Motion(c, velocity=(0.0, -1.0, 0.0), until=until) for c in above]

    def do_DCOSqueezeOut(self):
        if len(self.components) < 2 or not all(c.kinematic for c in self.components[:2]):
            raise SceneError(self.at, "script DCOSqueezeOut needs two kinematic shapes before all others")
        (_, low, _), (_, high, _) = linear.box(self.components[1].start)
        until = Condition("highest", (self.components[0],), 1, "below", low + (high - low) / 3.8 * 0.9, "stop")
        self.motions.append(Motion(self.components[0], velocity=(0.0, -0.3, 0.0), until=until))

    # time

    def _steps_while(self, position, speed, condition):
        """Steps for which a coordinate that moves while the condition holds at a step's start does move."""
        steps = 0
        while steps < self.steps and condition(position):
            position += speed * self.scene.dt
            steps += 1
        return steps

    def _end(self, steps):
        """Time after so many steps, as a short decimal."""
        return float(f"{steps * self.scene.dt:.15g}")
