"""What the scripts of the other code do, as motions of vertices over windows of time.

Conditions that a script asks at the start of each step are answered here by following the prescribed vertices from step to step;
they are taken to reach their targets, which the other code's solver makes sure of to 99.9 %.
"""

import math
from dataclasses import dataclass

from . import linear
from .errors import NotYet, SceneError
from .placement import static_mesh_right

# scripts of the other code that have no translation
OTHERS = set("""scaleF hang hang2 hangTopLeft swing stamp stampTopLeft stampBoth undstamp stampInv stand standInv topbottomfix corner
push tear upndown stretch squash stretchnsquash bend twistnstretch twistnsns twistnsns_old rubberBandPull fourLegPull headTailPull
onepoint random dragdown toggleTop leftHitRight drop XYRotate curtain fixRightMost1 NMFixBottomDragLeft NMFixBottomDragForward
ACOSquash ACOSquash6 ACOSquashShear MCOSquash MCORotSquash MCORotCylinders DCOHammerWalnut DCOCut utopiaComparison
meshSeqFromFile""".split())


@dataclass
class Motion:
    """A prescribed motion of a component's vertices; ids None means all of them."""

    component: object
    ids: list = None
    velocity: tuple = (0.0, 0.0, 0.0)
    angular: tuple = (0.0, 0.0, 0.0)  # [rad/s]
    center: object = None  # a point, or "follow"
    start: float = 0.0
    end: float = math.inf
    hold: bool = False


class Script:
    """Translates the script of a placed scene into `motions` and `initial` (velocity, angular velocity [rad/s] by component index)."""

    def __init__(self, scene, placement, scene_path):
        self.scene, self.placement, self.scene_path = scene, placement, scene_path
        self.components = placement.components
        self.kinematic = [c for c in self.components if c.kinematic]
        self.steps = math.ceil(scene.duration / scene.dt)
        self.at = scene.places.get("script", "default script")
        self.motions, self.initial = [], {}
        handler = getattr(self, f"do_{scene.script}", None)
        if handler is None and scene.script in OTHERS:
            raise NotYet(self.at, f"script {scene.script}")
        if handler is None:
            raise SceneError(self.at, f"unknown script '{scene.script}'")
        if scene.script != "null":
            self._note_ignored()
        handler()

    def _note_ignored(self):
        for shape in self.scene.shapes:
            if shape.velocity or shape.angular or shape.initial or shape.dirichlet:
                self.scene.note(f"velocities and DBC of a shape act only without a script, here the script is {self.scene.script}: ignored, "
                                "as in the other code", shape.place)

    def _fixed_kinematic(self, count):
        """Kinematic shapes beyond the first `count` would be free in the other code; obstacles never are."""
        if (free := [c for c in self.kinematic if c.index >= count]):
            raise NotYet(free[0].shape.place, f"script {self.scene.script} leaves this kinematic shape free to move")

    def _first_kinematic(self, count):
        if len(self.components) <= count or not all(c.kinematic for c in self.components[:count]):
            raise SceneError(self.at, f"script {self.scene.script} needs {count} kinematic shapes before all others")
        self._fixed_kinematic(count)

    def _choose(self, chosen, **motion):
        """A motion for the chosen vertices of every component that has some."""
        for c in self.components:
            if (ids := c.ids(chosen)):
                self.motions.append(Motion(c, ids, **motion))

    # no script: what the lines of the shapes say

    def do_null(self):
        for c in self.components:
            shape = c.shape
            if shape.velocity or shape.angular:
                self._whole(c, shape.velocity or (0.0, 0.0, 0.0), shape.angular or (0.0, 0.0, 0.0))
            for spec in shape.dirichlet:
                self._boxed(c, spec)
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

    def _boxed(self, c, spec):
        """Surface vertices in a box, in fractions of the mesh file's own bounding box: before scale, rotation and translation."""
        vertices = c.mesh.vertices
        lower, upper = linear.box(vertices)
        low = tuple(a + (b - a) * f for a, b, f in zip(lower, upper, spec.lower))
        high = tuple(a + (b - a) * f for a, b, f in zip(lower, upper, spec.upper))
        ids = [i for i in c.mesh.surface() if all(a <= x <= b for a, x, b in zip(low, vertices[i], high))]
        if not ids:
            self.scene.note("DBC selects no vertex and does nothing, as in the other code", spec.place)
            return
        start, end = max(spec.start, self.scene.dirichlet_window[0]), min(spec.end, self.scene.dirichlet_window[1])
        if start < end:
            center = "follow" if any(spec.angular) else None
            window = self._step_boundary(start), self._step_boundary(end)
            self.motions.append(Motion(c, ids, spec.velocity, self._turning(spec.angular), center, *window))

    def _step_boundary(self, time):
        """The first time at which a step starts at or after a time: whether a motion is on is asked at the start of each step."""
        return time if math.isinf(time) else self._end(math.ceil(time / self.scene.dt - 1e-9))

    def _refuse_overlaps(self):
        """The other code adds motions that a vertex has at one time."""
        for n, a in enumerate(self.motions):
            for b in self.motions[:n]:
                meet = a.component is b.component and a.start < b.end and b.start < a.end
                if meet and (a.ids is None or b.ids is None or set(a.ids) & set(b.ids)):
                    raise NotYet(a.component.shape.place, "a vertex with two motions at one time")

    # everything free

    def do_fall(self):
        self._fixed_kinematic(0)
        self.placement.raise_start()

    def do_fallNoShift(self):
        self._fixed_kinematic(0)

    def do_DCOFix(self):
        """Nothing moves but the deformable shapes: obstacles rest of themselves."""

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
        wall = max((static_mesh_right(spec, self.scene_path) for spec in self.scene.static_meshes), default=-math.inf)
        if lower[0] > wall:
            self.scene.note("dragright: everything is right of the last meshCO from the start, so nothing is dragged", self.at)
            return
        self._choose(lambda x: x[0] > upper[0] - (upper[0] - lower[0]) * 0.04, velocity=(0.5, 0.0, 0.0))
        self.scene.note(f"dragright: the other code releases the handle when all x > {wall:.9g}, which depends on the solution; here it is "
                        "never released, so compare only until then", self.at)

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
        right, left = linear.box(self.components[0].start)[1][0], linear.box(self.components[1].start)[0][0]
        turns, sign = [(0, 1.0)], 1.0  # step from which on the velocity has this sign
        for step in range(self.steps):
            if left - right < 0.1:
                sign = -sign
                turns = [turn for turn in turns if turn[0] < step] + [(step, sign)]
            right += sign * self.scene.dt
            left -= sign * self.scene.dt
        for (first, sign), (last, _) in zip(turns, turns[1:] + [(self.steps, 0.0)]):
            for index in range(count):
                velocity = [0.0, 0.0, 0.0]
                velocity[index // 2] = sign if index % 2 == 0 else -sign
                end = math.inf if last == self.steps else self._end(last)
                self.motions.append(Motion(self.components[index], velocity=tuple(velocity), start=self._end(first), end=end))

    def do_DCOSegBedSquash(self):
        half = (len(self.components) + 1) // 2
        above, below = [c for c in self.kinematic if c.index >= half], [c for c in self.kinematic if c.index < half]
        if not above or not below:
            raise SceneError(self.at, "script DCOSegBedSquash needs kinematic shapes in the first and in the second half of all shapes")
        top = max(x[1] for c in below for x in c.start)
        moving = self._steps_while(min(x[1] for c in above for x in c.start), -1.0, lambda y: y - top > 0.1)
        if moving:
            self.motions += [Motion(c, velocity=(0.0, -1.0, 0.0), end=self._end(moving)) for c in above]

    def do_DCOSqueezeOut(self):
        if len(self.components) < 2 or not all(c.kinematic for c in self.components[:2]):
            raise SceneError(self.at, "script DCOSqueezeOut needs two kinematic shapes before all others")
        (_, low, _), (_, high, _) = linear.box(self.components[1].start)
        goal = low + (high - low) / 3.8 * 0.9
        moving = self._steps_while(linear.box(self.components[0].start)[1][1], -0.3, lambda y: y > goal)
        if moving:
            self.motions.append(Motion(self.components[0], velocity=(0.0, -0.3, 0.0), end=self._end(moving)))

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
