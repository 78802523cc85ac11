"""The scene language of the 2020 IPC code, read into plain data: no geometry, no decisions about abut."""

import math
import os
from dataclasses import dataclass, field

from .errors import Impossible, SceneError

NAN = float("nan")
SCRIPT_PARAMETERS = 1  # largest number of parameters of a script
FOLDER_SCRIPTS = {"meshSeqFromFile"}  # scripts named with a folder
NEWMARK = (0.25, 0.5)  # beta and gamma of abut

# keywords that change neither the physics nor the result: viewer, log, choice of a linear solver
WITHOUT_MEANING = {"view", "zoom", "cameraTracking", "playBackSpeed", "appendStr", "disableCout", "linearSolver", "linSysSolver"}
# keywords of the comparison methods QP and SQP
OTHER_METHODS = {"constraintType", "constraintOffset", "QPSolver", "useActiveSetConvergence", "noActiveSetConvergence"}


@dataclass
class Dirichlet:
    """Vertices of a shape with prescribed motion: a box in fractions of the untransformed shape's bounding box."""

    place: str
    lower: tuple
    upper: tuple
    velocity: tuple
    angular: tuple  # [degrees/s]
    start: float
    end: float


@dataclass
class Load:
    """Force per unit mass on vertices of a shape, chosen as for `Dirichlet`."""

    place: str
    lower: tuple
    upper: tuple
    acceleration: tuple
    start: float
    end: float


@dataclass
class Shape:
    """One line of `shapes`, or all copies of a `shapeMatrix`."""

    place: str
    path: str
    translate: tuple = (0.0, 0.0, 0.0)
    rotate: tuple = (0.0, 0.0, 0.0)  # [degrees]
    scale: tuple = (1.0, 1.0, 1.0)
    material: tuple = None  # density, Young's modulus, Poisson's ratio
    velocity: tuple = None
    angular: tuple = None  # [degrees/s]
    initial: tuple = None  # velocity, angular velocity [degrees/s]
    dirichlet: list = field(default_factory=list)
    loads: list = field(default_factory=list)
    sequence: str = None  # folder with the positions step by step
    copies: tuple = (1, 1, 1)
    spacing: tuple = (0.0, 0.0, 0.0)


@dataclass
class Plane:
    place: str
    point: tuple
    normal: tuple
    friction: float


@dataclass
class StaticMesh:
    """A `meshCO`."""

    place: str
    path: str
    origin: tuple
    extent: float
    friction: float
    rotate: tuple


class Scene:
    """Content of a scene file; `places` maps a keyword to its last position in the file."""

    def __init__(self):
        self.energy, self.integrator = "NH", "implicit-euler"
        self.damping_stiffness = self.damping_ratio = 0.0
        self.duration, self.dt = 5.0, 0.025
        self.density, self.young, self.poisson = 1000.0, 1e5, 0.4
        self.gravity = True
        self.size = -1.0
        self.rotate_model = None  # axis, degrees
        self.script, self.script_parameters, self.script_folder = "null", [], None
        self.handle_ratio = 0.01
        self.dirichlet_window = self.load_window = (0.0, math.inf)
        self.shapes, self.planes, self.static_meshes = [], [], []
        self.self_friction, self.friction_lags = 0.0, 1  # 0 lags: until converged
        self.tolerances = [1e-2]
        self.tuning = [0.0, 1e-3, 1e-3, 1e-9, 1e-3, 1e-3]
        self.absolute, self.kappa_multiplier = False, 1e11
        self.places = {}
        self.notes = []

    def note(self, text, place):
        self.notes.append(f"{text} ({place})")


class Line:
    """Tokens of one line, taken from the left."""

    def __init__(self, place, text):
        self.place = place
        self.tokens = text.split()
        self.at = 0

    def more(self):
        return self.at < len(self.tokens)

    def word(self, what):
        if not self.more():
            raise SceneError(self.place, f"{what} is missing at the end of the line")
        self.at += 1
        return self.tokens[self.at - 1]

    def number(self, what, lower=-math.inf, upper=math.inf):
        word = self.word(what)
        try:
            value = float(word)
        except ValueError:
            raise SceneError(self.place, f"{what} is '{word}' where a number is expected") from None
        if not (math.isfinite(value) and lower <= value <= upper):
            raise SceneError(self.place, f"{what} is {word}, outside [{lower:g}, {upper:g}]")
        return value

    def optional_number(self, default):
        try:
            value = float(self.tokens[self.at])
        except (IndexError, ValueError):
            return default
        self.at += 1
        return value

    def vector(self, what):
        return tuple(self.number(f"component {k} of {what}") for k in "xyz")

    def positive(self, what):
        value = self.number(what, 0.0)
        if value == 0.0:
            raise SceneError(self.place, f"{what} is 0 and must be positive")
        return value

    def count(self, what):
        value = self.number(what, 1)
        if value != int(value):
            raise SceneError(self.place, f"{what} is {value:g} and must be a whole number")
        return int(value)


class Reader:
    """Reads a file keyword by keyword: the method `on_KEYWORD` reads the arguments of KEYWORD."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        self.scene = Scene()
        self.at = 0  # lines read
        try:
            with open(path, encoding="utf-8", errors="replace") as stream:
                self.lines = stream.read().splitlines()
        except OSError as error:
            raise SceneError(path, f"cannot be read: {error.strerror}") from error

    def next_line(self, wanted=None):
        """The next line, None at the end of the file unless something is wanted."""
        if self.at == len(self.lines):
            if wanted:
                raise SceneError(f"{self.name}:{self.at}", f"the file ends where {wanted} is expected")
            return None
        self.at += 1
        return Line(f"{self.name}:{self.at}", self.lines[self.at - 1])

    def read(self):
        while (line := self.next_line()) is not None:
            if not line.more() or line.tokens[0].startswith("#"):
                continue
            keyword = line.word("keyword")
            if keyword in WITHOUT_MEANING or keyword in OTHER_METHODS:
                continue
            handler = getattr(self, f"on_{keyword}", None)
            if handler is None:
                raise SceneError(line.place, f"unknown keyword '{keyword}'")
            self.scene.places[keyword] = line.place
            handler(line)
        return self.scene

    # ways of solving

    def on_energy(self, line):
        self.scene.energy = line.word("energy")
        if self.scene.energy not in ("NH", "FCR"):
            raise SceneError(line.place, f"energy is '{self.scene.energy}' and must be NH or FCR")

    def on_timeIntegration(self, line):
        kind = line.word("timeIntegration")
        if kind not in ("BE", "NM"):
            raise SceneError(line.place, f"timeIntegration is '{kind}' and must be BE or NM")
        self.scene.integrator = "newmark" if kind == "NM" else "implicit-euler"
        weights = tuple(line.optional_number(default) for default in NEWMARK)
        if kind == "NM" and weights != NEWMARK:
            raise Impossible(line.place, f"Newmark with beta {weights[0]:g} and gamma {weights[1]:g}; abut's are 1/4 and 1/2")

    def on_constraintSolver(self, line):
        kind = line.word("constraintSolver")
        if kind in ("QP", "SQP"):
            self.scene.note(f"constraintSolver {kind} is a method that code compares itself with; here the same scene is solved with its "
                            "interior point, sections for other solvers are passed over", line.place)
        elif kind not in ("interiorPoint", "IP"):
            raise SceneError(line.place, f"constraintSolver is '{kind}' and must be interiorPoint, IP, QP or SQP")

    def on_warmStart(self, line):
        if (kind := line.number("warmStart", 0, 5)) != 0:
            self.scene.note(f"warmStart {kind:g} has no counterpart: Newton's method starts from the previous positions, "
                            "the solution is the "
                            "same within the tolerance", line.place)

    def on_dampingStiff(self, line):
        self.scene.damping_stiffness = line.number("dampingStiff", 0)

    def on_dampingRatio(self, line):
        self.scene.damping_ratio = line.number("dampingRatio", 0)

    def on_restart(self, line):
        raise Impossible(line.place, "restart from a status file of the other code, which abut does not read")

    def on_section(self, line):
        """A block for one constraint solver; only the interior point gets here, so any other block is passed over."""
        for name in line.tokens[1:]:
            if name in ("end", "interiorPoint", "IP"):
                return
        while (skipped := self.next_line()) is not None:
            if skipped.tokens[:2] == ["section", "end"]:
                return

    def on_CCDMethod(self, line):
        method = line.word("CCDMethod")
        if method != "FloatingPointRootFinder":
            self.scene.note(f"CCDMethod {method}: additive CCD is used, which is conservative too", line.place)

    on_ccdMethod = on_CCDMethod

    def on_CCDTolerance(self, line):
        self.scene.note("CCDTolerance has no counterpart: abut's CCD keeps a share of the distance instead", line.place)

    on_ccdTolerance = on_CCDTolerance

    # numbers of the scene

    def on_time(self, line):
        self.scene.duration, self.scene.dt = line.positive("duration"), line.positive("dt")

    def on_density(self, line):
        self.scene.density = line.positive("density")

    def on_stiffness(self, line):
        self.scene.young, self.scene.poisson = line.positive("Young's modulus"), line.number("Poisson's ratio", -1, 0.5)

    def on_turnOffGravity(self, line):
        self.scene.gravity = False

    def on_size(self, line):
        self.scene.size = line.number("size")

    def on_rotateModel(self, line):
        axis, degrees = line.vector("the axis"), line.number("the angle")
        if abs(sum(a * a for a in axis) - 1) > 1e-9:
            raise SceneError(line.place, f"the axis of rotateModel is {axis} and must have length 1")
        self.scene.rotate_model = (axis, degrees)

    def on_script(self, line):
        self.scene.script = line.word("script")
        self.scene.script_folder = line.word("the folder of the script") if self.scene.script in FOLDER_SCRIPTS else None
        count = int(line.optional_number(0))
        if count > SCRIPT_PARAMETERS:
            raise SceneError(line.place, f"script {self.scene.script} has {count} parameters; none takes more than {SCRIPT_PARAMETERS}")
        self.scene.script_parameters = [line.number("script parameter") for _ in range(count)]

    def on_handleRatio(self, line):
        self.scene.handle_ratio = line.number("handleRatio", 0, 0.5)

    def on_DBCTimeRange(self, line):
        self.scene.dirichlet_window = (line.number("start"), float(line.word("end")))

    def on_NBCTimeRange(self, line):
        self.scene.load_window = (line.number("start"), float(line.word("end")))

    def on_dHat(self, line):
        self.scene.tuning[1:3] = [line.positive("dHat")] * 2

    def on_epsv(self, line):
        self.scene.tuning[4:6] = [line.positive("epsv")] * 2

    def on_fricIterAmt(self, line):
        self.scene.friction_lags = max(0, int(line.number("fricIterAmt")))

    def on_useAbsParameters(self, line):
        self.scene.absolute = True

    def on_kappaMinMultiplier(self, line):
        self.scene.kappa_multiplier = line.number("kappaMinMultiplier", 0)

    on_minBarrierStiffnessScale = on_kappaMinMultiplier

    def numbers_below(self, line, what):
        """`what N` followed by N numbers on lines of their own."""
        values, count = [], line.count(f"the number of values of {what}")
        while len(values) < count:
            below = self.next_line(f"value {len(values) + 1} of {what}")
            while below.more() and len(values) < count:
                values.append(below.number(f"value {len(values) + 1} of {what}"))
        return values

    def on_tol(self, line):
        self.scene.tolerances = self.numbers_below(line, "tol")

    def on_tuning(self, line):
        values = self.numbers_below(line, "tuning")
        if len(values) > 6:
            raise SceneError(line.place, f"tuning has {len(values)} values; there are 6")
        if len(values) < 6:
            self.scene.note(f"tuning gives {len(values)} of 6 values, the others are taken by default (the other code reads "
                            "past the end)", line.place)
        self.scene.tuning[:len(values)] = values

    # contact

    def on_selfCollisionOn(self, line):
        self.scene.places.pop("selfCollisionOff", None)

    def on_selfCollisionOff(self, line):
        """Refused when the scene is translated, unless a later line turns contact on."""

    def on_selfFric(self, line):
        self.scene.self_friction = max(0.0, line.number("selfFric"))

    def on_ground(self, line):
        friction, height = line.number("friction", 0), line.number("height")
        if line.more() and not line.tokens[line.at].startswith("#"):
            self.scene.note(f"ground: '{line.tokens[line.at]}' after the height is ignored, as in the other code", line.place)
        self.scene.planes.append(Plane(line.place, (0.0, height, 0.0), (0.0, 1.0, 0.0), friction))

    def on_halfSpace(self, line):
        point, normal = line.vector("the point"), line.vector("the normal")
        length = math.sqrt(sum(n * n for n in normal))
        if length == 0:
            raise SceneError(line.place, "the normal of the half space is 0")
        line.number("stiffness")
        self.scene.planes.append(Plane(line.place, point, tuple(n / length for n in normal), line.number("friction", 0)))

    def on_meshCO(self, line):
        path, origin, extent = line.word("the mesh"), line.vector("the origin"), line.positive("scale")
        line.number("stiffness")
        friction, rotate = line.number("friction", 0), (0.0, 0.0, 0.0)
        if line.more() and line.tokens[line.at] == "rotate":
            line.word("rotate")
            rotate = line.vector("rotate")
        self.scene.static_meshes.append(StaticMesh(line.place, path, origin, extent, friction, rotate))

    # shapes

    def on_shape(self, line):
        line.word("the type of the shape")
        self.scene.shapes.append(Shape(line.place, line.word("the mesh")))

    def on_shapes(self, line):
        line.word("the type of the shapes")
        for number in range(line.count("the number of shapes")):
            below = self.next_line(f"shape {number + 1}")
            while not below.more() or below.tokens[0].startswith("#"):
                below = self.next_line(f"shape {number + 1}")
            self.scene.shapes.append(self.placed_shape(below))

    def placed_shape(self, line):
        """`path  translate  rotate  scale  extras...`, which may go on in the next line after a backslash."""
        shape = Shape(line.place, line.word("the mesh"), line.vector("translate"), line.vector("rotate"), line.vector("scale"))
        if 0 in shape.scale:
            raise SceneError(shape.place, f"scale {shape.scale} would flatten the shape")
        if math.prod(shape.scale) < 0:
            self.scene.note(f"scale {shape.scale} mirrors the shape: its cells, inside out in that code, are turned", shape.place)
        while line.more():
            extra = line.word("extra")
            if extra.startswith("#"):
                continues = line.tokens[-1] == "\\"
                line.at = len(line.tokens) - (1 if continues else 0)
            elif extra == "\\":
                line = self.next_line("the rest of the shape")
            else:
                self.read_extra(shape, extra, line)
        return shape

    @staticmethod
    def read_extra(shape, extra, line):
        if extra == "material":
            shape.material = (line.positive("density"), line.positive("Young's modulus"), line.number("Poisson's ratio", -1, 0.5))
        elif extra == "linearVelocity":
            shape.velocity = line.vector(extra)
        elif extra == "angularVelocity":
            shape.angular = line.vector(extra)
        elif extra == "initVel":
            shape.initial = (line.vector(extra), line.vector(extra))
        elif extra == "DBC":
            values = [line.vector(extra) for _ in range(4)]
            shape.dirichlet.append(Dirichlet(line.place, *values, line.optional_number(0.0), line.optional_number(math.inf)))
        elif extra == "NBC":
            values = [line.vector(extra) for _ in range(3)]
            shape.loads.append(Load(line.place, *values, line.optional_number(0.0), line.optional_number(math.inf)))
        elif extra == "meshSeq":
            shape.sequence = line.word("the folder of meshSeq")
        else:
            raise SceneError(line.place, f"unknown word '{extra}' in the line of a shape")

    def on_shapeMatrix(self, line):
        line.word("the type of the shapes")
        copies = tuple(line.count(f"the number of copies along {k}") for k in "xyz")
        origin = tuple(line.optional_number(0.0) for _ in range(3))
        below = self.next_line("the shape to be copied")
        shape = self.placed_shape(below)
        if shape.velocity or shape.angular or shape.initial or shape.dirichlet or shape.loads or shape.sequence:
            raise SceneError(below.place, "a shapeMatrix takes no extras but 'material'")
        shape.copies, shape.spacing, shape.translate = copies, shape.translate, origin
        self.scene.shapes.append(shape)


def read(path):
    return Reader(path).read()
