"""Small configurations of surfaces for the comparison of oipc_independent.py with src: 2D and 3D, all kinds of pairs, borders."""
import dataclasses
import math
import random

from oipc_jets import REAL

TETRAHEDRON = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
OCTAHEDRON = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
CUBE = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)]
CORNERS = [[i & 1, i >> 1 & 1, i >> 2] for i in range(8)]


@dataclasses.dataclass
class Case:
    """Positions x and rest [m]; planes: point and unit normal."""
    name: str
    dim: int
    x: list
    edges: list
    faces: list
    dhat: float
    alpha: float = 0.5
    beta: float = 0.0
    length: float = 0.7
    rest: list = None
    adaptive: bool = False
    measure: str = "deformed"
    oriented: list = None
    planes: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        for key in ("x", "rest"):
            setattr(self, key, [[REAL(float(c)) for c in p] for p in getattr(self, key) or self.x])
        self.oriented = self.oriented or [True] * len(self.x)
        self.edges = [tuple(e) for e in self.edges] + sorted({tuple(sorted((f[i], f[i - 1]))) for f in self.faces for i in range(3)} -
                                                             {tuple(sorted(e)) for e in self.edges})

    def as_json(self):
        out = dataclasses.asdict(self)
        for key in ("x", "rest"):
            out[key] = [[float(c) for c in p] for p in out[key]]
        return out


def turned(points, angles, shift, scale=1.0):
    """Points rotated about x, y and z in turn, then shifted; in 2D rotated by the last angle."""
    out = []
    for p in points:
        q = [scale * c for c in p] + [0.0] * (3 - len(p))
        for axis, angle in enumerate(angles):
            i, j = (axis + 1) % 3, (axis + 2) % 3
            q[i], q[j] = math.cos(angle) * q[i] - math.sin(angle) * q[j], math.sin(angle) * q[i] + math.cos(angle) * q[j]
        out.append([c + s for c, s in zip(q[:len(p)], shift)])
    return out


def noisy(points, size, seed):
    source = random.Random(seed)
    return [[c + size * (2 * source.random() - 1) for c in p] for p in points]


def joined(*parts):
    """Points, edges and faces of several parts as one surface."""
    x, edges, faces = [], [], []
    for points, lines, triangles in parts:
        edges += [tuple(v + len(x) for v in e) for e in lines]
        faces += [tuple(v + len(x) for v in f) for f in triangles]
        x += points
    return x, edges, faces


def ring(points):
    """A polygon in counter-clockwise order."""
    n = len(points)
    return points, [(i, (i + 1) % n) for i in range(n)], []


SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
SLIT = [[0, 0], [2, 0], [2, 1], [1.2, 1], [1.1, 0.3], [0.9, 0.3], [0.8, 1], [0, 1]]


def polygon_cases():
    base = noisy(SQUARE, 0.03, 1)

    def over(shift, angle=0.05, points=SQUARE, low=base, **keys):
        name = keys.pop("name")
        dhat = keys.pop("dhat", 0.5)
        x, edges, faces = joined(ring(low), ring(turned(points, (0, 0, angle), shift)))
        return Case(name, 2, x, edges, faces, dhat, **keys)

    x, edges, faces = joined(ring(base), ([[0.3, 1.2], [0.7, 1.15], [1.1, 1.3]], [(1, 0), (2, 1)], []))
    slit = ring(noisy(SLIT, 0.02, 2))
    closed = [[c if v != 3 or i else 0.93 for i, c in enumerate(p)] for v, p in enumerate(slit[0])]
    tip = base[1][:1] + [0.0]
    return [
        over([0.2, 1.2], name="square over square"),
        over([1.3, 1.2], name="corner beside corner", angle=0.7),
        over([base[2][0] - 0.00003, 1.08], name="vertex within the mollified end of an edge", angle=0.4, beta=0.3),
        over([0.99998, 1.0002], name="vertex closer than the width", angle=0.6, low=SQUARE, beta=0.2),
        over([0.5, 1.3], name="steps with beta", angle=0.5, alpha=0.8, beta=0.4, length=0.3),
        over([0.1, 1.1], name="measures at rest", measure="rest",
             rest=turned(base, (0, 0, 0), [0, 0], 1.3) + turned(SQUARE, (0, 0, 0), [0, 2], 0.8)),
        over([0.3, 1.25], name="without outer side", angle=0.8, oriented=[True] * 4 + [False] * 4),
        Case("open chain over square", 2, x, edges, faces, 0.5, alpha=0.7),
        Case("point over square", 2, *joined(ring(base), ([[0.6, 1.1]], [], [])), 0.4),
        Case("slit, adaptive", 2, closed, *slit[1:], 0.6, alpha=0.8, rest=slit[0], adaptive=True),
        Case("slit", 2, closed, *slit[1:], 0.6, alpha=0.8),
        Case("square that is crushed flat", 2, *joined(ring([[0, 0], [1, 0.01], [1.02, 0.0135], [0.02, 0.002]])), 0.4, beta=0.2),
        Case("square on a half space", 2, *joined(ring(turned(base, (0, 0, 0.1), [0, 0]))), 0.5,
             planes=[([tip[0], -0.2], [math.sin(0.05), math.cos(0.05)])]),
    ]


def faces_case(name, apex, dhat=0.5, **keys):
    """A face of a flat tetrahedron under the tip of another one at a barycentric position (u, v, height)."""
    base = noisy([[0, 0, 0], [1, 0, 0], [0.2, 1, 0], [0.3, 0.3, -0.7]], 0.02, 3)
    u, v, height = apex
    a, b, c = base[:3]
    tip = [p + u * (q - p) + v * (r - p) for p, q, r in zip(a, b, c)]
    tip[2] += height
    top = [tip] + [[t + s for t, s in zip(tip, shift)] for shift in ([0.5, -0.3, 0.8], [0.3, 0.6, 0.9], [-0.6, 0.1, 0.7])]
    outward = [(2, 1, 0), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    upper = (top, [], [(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)])
    return Case(name, 3, *joined((base, [], [f[::-1] for f in outward]), upper), dhat, **keys)


def ridge(shift, turn, height, seed=5, noise=0.02):
    """Two roofs with ridges along x and, turned about z, over it."""
    low = [[-0.5, 0, 0], [0.5, 0, 0], [-0.6, 0.5, -0.5], [0.55, 0.6, -0.45], [-0.55, -0.6, -0.4], [0.6, -0.5, -0.5]]
    high = [[x, -y, -z] for x, y, z in low]
    faces = [(0, 1, 2), (1, 3, 2), (0, 4, 1), (1, 4, 5)]
    upper = turned(noisy(high, noise, seed + 1), (noise, noise, turn), [*shift, height])
    return joined((noisy(low, noise, seed), [], faces), (upper, [], faces))


def body_cases():
    octahedron = [[1.0 if i == v // 2 and v % 2 == 0 else -1.0 if i == v // 2 else 0.0 for i in range(3)] for v in range(6)]
    low = (noisy(octahedron, 0.1, 7), [], OCTAHEDRON)
    cube = (noisy(CORNERS, 0.01, 8), [], CUBE)
    tetrahedron = turned([[0, 0, 0], [1, 0, 0], [0.5, 0.9, 0], [0.5, 0.3, 0.8]], (0, 0, 0), [0, 0, 0])
    sheet = noisy([[i % 3 - 1, i // 3 - 1, 0] for i in range(9)], 0.05, 9)
    cells = [f for i in (0, 1, 3, 4) for f in ((i, i + 4, i + 1), (i, i + 3, i + 4))]

    def above(part, shift, angles=(0.3, 0.2, 0.5), **keys):
        name, dhat = keys.pop("name"), keys.pop("dhat", 1.0)
        return Case(name, 3, *joined(low, (turned(noisy(part[0], 0.05, 11), angles, shift), *part[1:])), dhat, **keys)

    return [
        above((octahedron, [], OCTAHEDRON), [0.3, 0.2, 2.2], name="octahedra"),
        above((octahedron, [], OCTAHEDRON), [0.3, 0.2, 2.2], name="octahedra, beta, measures at rest", alpha=0.7, beta=0.3, measure="rest",
              rest=noisy(octahedron * 2, 0.3, 12)),
        above((octahedron, [], OCTAHEDRON), [0.1, -0.2, 2.3], name="octahedra without outer side", oriented=[False] * 12),
        Case("cubes", 3, *joined(cube, (turned(cube[0], (0.02, 0.03, 0.3), [0.3, 0.2, 1.2]), [], CUBE)), 0.5),
        Case("cubes, adaptive", 3, *joined(cube, (turned(cube[0], (0.02, 0.03, 0.3), [0.3, 0.2, 1.08]), [], CUBE)), 0.5, adaptive=True,
             rest=cube[0] + turned(cube[0], (0.02, 0.03, 0.3), [0.3, 0.2, 1.2])),
        above((sheet, [], cells), [0.1, 0.05, 1.5], (0.1, 0.15, 0.2), name="open sheet over octahedron"),
        above((tetrahedron + [[0.2, -0.6, 0.4]], [], TETRAHEDRON + [(0, 1, 4)]), [-0.2, 0.1, 1.3], name="edge with three faces"),
        above(([[-0.7, 0, 0], [0.1, 0.1, 0], [0.8, 0.3, 0.1]], [(0, 1), (1, 2)], []), [0, 0.1, 1.3], name="curve over octahedron",
              oriented=[True] * 6 + [False] * 3),
        above(([[0.3, 0.3, 0], [0.05, 0.02, 0.8]], [], []), [0, 0, 0.6], (0, 0, 0), name="points over octahedron",
              oriented=[True] * 6 + [False] * 2),
        Case("octahedron that is crushed flat", 3, *joined(([[c * s for c, s in zip(p, (1, 1, 1.5e-3))] for p in low[0]], *low[1:])), 0.6,
             alpha=0.7, beta=0.1),
        Case("octahedron on a half space", 3, *joined(low), 0.6, planes=[([0, 0, -1.3], [0.06, 0.08, math.sqrt(0.99)])]),
    ]


CASES = polygon_cases() + body_cases() + [
    faces_case("vertex over face", (0.3, 0.3, 0.2)),
    faces_case("vertex over face near a side", (0.3, 0.0002, 0.2), beta=0.3),
    faces_case("vertex over face near a corner", (0.00013, 0.0002, 0.2), beta=0.2),
    faces_case("vertex over face, outside of a side", (0.4, -0.1, 0.3), alpha=0.7),
    faces_case("vertex closer to face than the width", (0.3, 0.00002, 0.0008), beta=0.3),
    Case("edges that cross", 3, *ridge([0.1, 0.05], 1.3, 0.15), 0.4),
    Case("edge over the end of an edge", 3, *ridge([0.4998, 0.1], 1.5708, 0.15, noise=0), 0.4, beta=0.2),
    Case("edges over both ends", 3, *ridge([0.4995, 0.4996], 1.5708, 0.15, noise=0), 0.4, beta=0.2),
    Case("edges that are nearly parallel", 3, *ridge([0.1, 0.02], 0.025, 0.1), 0.4),
    Case("edge beyond an edge", 3, *ridge([0.9, 0.2], 1.2, 0.15), 0.6, alpha=0.7),
    Case("edges closer than the width", 3, *ridge([0.4999, 0.43], 1.3, 0.0007, noise=0), 0.4, beta=0.2),
]
